//! Memory: packs what fits the query, preserves facts before a compaction, reconciles at its interval (source 2).

use std::borrow::Cow;
use std::sync::Arc;

use rustc_hash::FxHashMap;
use smallvec::SmallVec;

use crate::engine::asked::{Extracted, WrittenSummary};
use crate::engine::plan::{Item, NONE};
use crate::engine::recall::{Fact, Recall, Remembered, embed_words, preserves};
use crate::engine::simulate::{Content, Label, Named, Sim};
use crate::memory::{
    self, How, Line, Memory, MemoryId, Origin, Outcome, Pack, Packed, Skip, Space, Store, Vector, Why,
    reconcile as tidy, write,
};
use crate::model::{BlockId, Contents, EntryId, EntryIds, Fate, Layer, Made, Role, Stage, number, thousands};
use crate::policy::{PackedPlace, Preserve};

use super::compact::layer_of;

/// Memories while a replay runs.
pub(in crate::engine) struct MemoryState {
    /// What has been done.
    pub log: Remembered,
    /// The place before the conversation where packs stand.
    pub slot: u32,
    /// The pack that stands in the window.
    pub piece: u32,
    /// The step of the query that was packed for last.
    asked: u32,
    /// Whether something left the window since.
    stale: bool,
    /// Turns since the last reconciliation.
    turns: u64,
    /// What each summary shows that a pack was made beside.
    shown: FxHashMap<u32, Arc<Shown>>,
}

impl MemoryState {
    pub fn new(recall: Option<&Recall>) -> Self {
        let nothing = || Remembered::over(&Store::new(Space::words()));
        MemoryState {
            log: recall.map_or_else(nothing, |recall| Remembered::over(&recall.seed)),
            slot: NONE,
            piece: NONE,
            asked: 0,
            stale: false,
            turns: 0,
            shown: FxHashMap::default(),
        }
    }
}

/// Whether the place for packs is to be opened before a piece of that layer.
pub(in crate::engine) fn wants_place(sim: &Sim, layer: Layer) -> bool {
    let settings = &sim.policy.memory;
    settings.on
        && settings.place == PackedPlace::Front
        && sim.memory.slot == NONE
        && sim.given.recall.is_some()
        && !matches!(layer, Layer::System | Layer::Tools | Layer::Instructions | Layer::Skills | Layer::Memory)
}

/// Puts the memories that fit the newest question into the window.
pub(super) fn pack(sim: &mut Sim) {
    let Some(recall) = sim.given.recall.clone() else { return };
    sim.memory.log.take_in(&recall, sim.step);
    if !sim.policy.memory.on {
        return;
    }
    let Some((asked, query, words)) = recall.query(sim.step) else { return };
    if sim.memory.asked == *asked && !sim.memory.stale {
        return;
    }
    (sim.memory.asked, sim.memory.stale) = (*asked, false);
    let summaries = Summarised::of(sim);
    let present =
        |_: MemoryId, memory: &Memory| sim.policy.memory.skip_present && is_present(sim, &recall, memory, &summaries);
    let (settings, count) = (&sim.policy.memory, |text: &str| recall.counted.of(text, sim.plan));
    let asked = &**words;
    let ask =
        Pack { query, asked, owners: &recall.owners, settings, window: sim.size, count: &count, present: &present };
    let packed = memory::pack(&sim.memory.log.store, &ask);
    sim.memory.log.store.packed(packed.taken(), sim.step);
    settle(sim, &recall, &packed);
    sim.memory.log.packs.push((sim.step, words.clone(), packed));
}

/// What a summary shows of each block.
type Shown = FxHashMap<BlockId, Contents>;

/// What the summaries that stand in the window show.
#[derive(Default)]
struct Summarised {
    /// The blocks of those that stand as they came in.
    whole: Vec<BlockId>,
    /// The others.
    made: SmallVec<[Arc<Shown>; 2]>,
}

impl Summarised {
    fn of(sim: &mut Sim) -> Summarised {
        let mut found = Summarised::default();
        if sim.numbers[Layer::Summaries as usize] == 0 {
            return found;
        }
        let is_one = |piece: &u32| layer_of(sim, *piece) == Some(Layer::Summaries);
        let summaries: SmallVec<[u32; 4]> = sim.standing().filter(is_one).collect();
        for number in summaries {
            let Some(piece) = sim.pieces.get(number as usize) else { continue };
            let Content::Made(content) = &piece.content else {
                found.whole.extend(sim.item(number).map(|item| item.block));
                continue;
            };
            // A summary that was made is never changed: another takes its place.
            let shown = sim.memory.shown.entry(number).or_insert_with(|| Arc::new(shown_by(content)));
            found.made.push(Arc::clone(shown));
        }
        found
    }

    /// Whether one of them shows all that a memory is from.
    fn show(&self, origin: &Origin) -> bool {
        let mut all = self.made.iter().filter_map(|shown| shown.get(&origin.block));
        self.whole.contains(&origin.block) || all.any(|shown| shows(shown, origin))
    }
}

fn shown_by(content: &Contents) -> Shown {
    let mut found = Shown::default();
    content.each(|made| {
        if let Made::Block(block) | Made::Part(block, ..) = made {
            found.entry(*block).or_insert_with(Contents::new).push(made.clone());
        }
    });
    found
}

/// Whether all that a memory is from stands in the window as it is, by itself or in a summary; or whether
/// what it says is said once more where that stands.
fn is_present(sim: &Sim, recall: &Recall, memory: &Memory, summaries: &Summarised) -> bool {
    // What stands where a prepared piece came in.
    let standing = |came: u32| {
        let slot = sim.pieces.get(came as usize)?.slot();
        sim.slots.get(slot as usize).map(|slot| slot.piece)
    };
    let stands = |origin: &Origin| match recall.item_of.get(&origin.block) {
        Some(item) => holds(sim, sim.standing_for(*item), origin) || summaries.show(origin),
        None => came_as(sim, recall, origin)
            .any(|(at, came)| standing(came).is_some_and(|it| holds_of_file(sim, at, it, origin))),
    };
    let loose = recall.loose.get(&memory.text);
    let mut pieces = loose.into_iter().flatten().map(|at| sim.came_as.get(*at as usize).copied().unwrap_or(NONE));
    let own = (loose.is_some() || !memory.origins.is_empty())
        && pieces.all(|came| sim.standing_at(came) && has_words(sim, came, &memory.text))
        && memory.origins.iter().all(stands);
    own || recall.said_again.stands(memory, stands)
}

/// The pieces that hold what of an attached file a memory is from, whether they stand still or not, behind their numbers
/// among what was prepared.
fn came_as<'a>(sim: &'a Sim, recall: &'a Recall, origin: &'a Origin) -> impl Iterator<Item = (u32, u32)> + 'a {
    let pieces = recall.pieces_of.get(&origin.block).into_iter().flatten();
    let came = pieces.filter_map(|at| Some((*at, *sim.came_as.get(*at as usize)?)));
    came.filter(|(at, came)| *came != NONE && holds_of_file(sim, *at, *came, origin))
}

/// Whether a piece that was prepared holds what of its file a memory is from. Of what limits made, the bytes are others
/// than the file's.
fn holds_of_file(sim: &Sim, at: u32, piece: u32, origin: &Origin) -> bool {
    let prepared = sim.given.prepared.get(at as usize);
    let text = prepared.and_then(|prepared| prepared.text.as_deref());
    let Some((text, own)) = text.and_then(|text| Some((text, text.own.as_ref()?))) else {
        return holds(sim, piece, origin);
    };
    let is_placed = text.block == (origin.block, origin.whole);
    let range = if is_placed { own.range_of(origin.start, origin.end) } else { Some((origin.start, origin.end)) };
    let (Some((from, to)), Some(piece)) = (range, sim.pieces.get(piece as usize)) else { return false };
    let all = prepared.and_then(|prepared| prepared.content.words().next());
    let words = || {
        let byte = |at: u64| usize::try_from(at).unwrap_or(usize::MAX);
        all.and_then(|all| all.get(byte(from)..byte(to).min(all.len())))
    };
    match &piece.content {
        Content::Item => true,
        Content::Made(made) => made.iter().any(|made| match made {
            Made::Block(_) => true,
            Made::Part(_, low, high, _) => *low <= from && to <= *high,
            Made::Text(text) => words().is_some_and(|words| text.contains(words)),
            Made::Written(_) => false,
        }),
    }
}

/// Whether a piece that no block holds has the words of a memory, or they are made of its own and others.
fn has_words(sim: &Sim, piece: u32, words: &str) -> bool {
    let Some(Content::Made(made)) = sim.pieces.get(piece as usize).map(|piece| &piece.content) else { return false };
    made.words().any(|text| text.contains(words) || words.contains(text))
}

/// Whether a piece holds all that a memory is from.
fn holds(sim: &Sim, piece: u32, origin: &Origin) -> bool {
    match sim.pieces.get(piece as usize).map(|piece| &piece.content) {
        Some(Content::Item) => true,
        Some(Content::Made(made)) => shows(made, origin),
        None => false,
    }
}

/// Whether a content shows all that a memory is from.
pub(in crate::engine) fn shows(content: &Contents, origin: &Origin) -> bool {
    content.iter().any(|made| match made {
        Made::Block(block) => *block == origin.block,
        Made::Part(block, from, to, _) => *block == origin.block && *from <= origin.start && origin.end <= *to,
        Made::Text(_) | Made::Written(_) => false,
    }) || cover(content, origin)
}

/// Whether parts that follow each other hold together all that a memory is from: a summary shows each sentence as its
/// own.
fn cover(made: &Contents, origin: &Origin) -> bool {
    /// Bytes that stand between two sentences: the end of a line, the sign of a list.
    const BREAK: u64 = 4;
    let part = |made: &Made| match made {
        Made::Part(block, from, to, _) if *block == origin.block && *from < origin.end && *to > origin.start => {
            Some((*from, *to))
        }
        _ => None,
    };
    let mut parts: SmallVec<[(u64, u64); 4]> = made.iter().filter_map(part).collect();
    parts.sort_unstable();
    let Some((first, mut end)) = parts.first().copied() else { return false };
    for (from, to) in parts.iter().skip(1) {
        if *from > end + BREAK {
            return false;
        }
        end = end.max(*to);
    }
    first <= origin.start && origin.end <= end
}

/// Says of memories that a pack of this step left out, since they stood in the window, which of them no longer do. To
/// be asked after whatever takes things out.
pub(super) fn look_again(sim: &mut Sim) {
    let Some(recall) = sim.given.recall.clone() else { return };
    if sim.memory.log.packs.last().is_none_or(|(step, ..)| *step != sim.step) {
        return;
    }
    let summaries = Summarised::of(sim);
    let packed = sim.memory.log.packs.last().map(|(.., packed)| packed);
    let gone = |one: &memory::Candidate| {
        one.why == Why::Present
            && sim.memory.log.store.get(one.id).is_some_and(|memory| !is_present(sim, &recall, memory, &summaries))
    };
    let gone: Vec<bool> = packed.into_iter().flat_map(|packed| &packed.candidates).map(gone).collect();
    let last = sim.memory.log.packs.last_mut().into_iter().flat_map(|(_, _, packed)| &mut packed.candidates);
    last.zip(gone).filter(|(_, gone)| *gone).for_each(|(one, _)| one.why = Why::Gone);
}

/// Lets a pack stand in the window in place of the one before.
fn settle(sim: &mut Sim, recall: &Recall, packed: &Packed) {
    let (old, id, before) = (sim.memory.piece, sim.next_event(), sim.used());
    let text = packed.text(&sim.memory.log.store);
    let content = content(&sim.memory.log.store, packed);
    let same = sim.pieces.get(old as usize).is_some_and(|piece| match &piece.content {
        Content::Made(made) => *made == content && sim.standing_at(old),
        Content::Item => false,
    });
    if same || (old == NONE && packed.lines.is_empty()) {
        return;
    }
    let mut took = EntryIds::new();
    if old != NONE && sim.standing_at(old) {
        sim.hide(old, Some(id));
        took.push(EntryId(old));
    }
    sim.memory.piece = NONE;
    let mut made = EntryIds::new();
    let mut tokens = 0;
    if !packed.lines.is_empty() {
        tokens = recall.counted.of(&text, sim.plan);
        let mut piece = sim.make(Layer::Memory, Role::User, Label::Fixed(Named::Memories));
        (piece.fate, piece.made_by, piece.tokens) = (Fate::Remembered, Some(id), tokens);
        piece.from = packed.lines.iter().flat_map(|line| made_from(sim, recall, line)).collect();
        piece.from.sort_unstable();
        piece.from.dedup();
        piece.original = tokens;
        piece.content = Content::Made(content);
        let slot = sim.memory.slot;
        let number = if slot == NONE { sim.append(piece, NONE) } else { sim.put(piece, slot) };
        sim.memory.piece = number;
        made.push(EntryId(number));
    }
    let mut event = sim.event(Stage::Pack, "memory.max_items");
    let over = packed.candidates.iter().any(|one| matches!(one.why, Why::OverBudget(_)));
    if over {
        event.rule = Cow::Borrowed(if sim.policy.memory.budget_tokens > 0 {
            "memory.budget_tokens"
        } else {
            "memory.budget_ratio"
        });
    }
    event.threshold = Some(if over { packed.budget } else { sim.policy.memory.max_items });
    event.measured = Some(if over { tokens } else { packed.lines.len() as u64 });
    (event.tokens_before, event.tokens_after) = (Some(before), Some(sim.used()));
    (event.took, event.made) = (took, made);
    event.why = Cow::Owned(format!(
        "{} the newest question: {} of at most {}; {}.",
        match packed.lines.len() {
            1 => "1 memory fits".to_owned(),
            lines => format!("{} memories fit", thousands(lines as u64)),
        },
        number(tokens, "tokens"),
        thousands(packed.budget),
        number(packed.candidates.len() - packed.lines.len() + packed.others, "others were looked at"),
    ));
    sim.events.push(event);
}

/// A pack as what an entry holds: parts of blocks wherever its words are that.
fn content(store: &Store, packed: &Packed) -> Contents {
    let mut made = Contents::from(Made::Text(Cow::Borrowed(packed.header())));
    for Line { id, before, shown, after, .. } in &packed.lines {
        made.push(Made::Text(Cow::Owned(format!("\n{before}"))));
        for (joint, (from, to)) in shown {
            made.extend(
                Some(joint).filter(|joint| !joint.is_empty()).map(|joint| Made::Text(Cow::Owned(joint.clone()))),
            );
            made.extend(store.get(*id).map(|memory| memory.made(*from, *to)).unwrap_or_default());
        }
        made.push(Made::Text(Cow::Owned(after.clone())));
    }
    made
}

/// The entries that a packed memory is from.
fn made_from(sim: &Sim, recall: &Recall, line: &Line) -> EntryIds {
    let Some(memory) = sim.memory.log.store.get(line.id) else { return SmallVec::new() };
    let mut found = EntryIds::new();
    for origin in &memory.origins {
        match recall.item_of.get(&origin.block) {
            Some(item) => {
                found.extend(sim.piece_of.get(*item as usize).filter(|it| **it != NONE).map(|it| EntryId(*it)))
            }
            None => found.extend(came_as(sim, recall, origin).map(|(_, came)| EntryId(came))),
        }
    }
    let loose = recall.loose.get(&memory.text).into_iter().flatten();
    let came = loose.filter_map(|at| sim.came_as.get(*at as usize).copied());
    found.extend(came.filter(|came| *came != NONE).map(EntryId));
    found
}

/// The facts to preserve: those that the model told, else those that the rules find in what is covered.
fn facts(sim: &Sim, recall: &Recall, covered: &[u32], told: Option<&WrittenSummary>) -> Vec<(Memory, Vector)> {
    let settings = &sim.policy.memory;
    let memory = |text: &Arc<str>, origins| Memory {
        scope: settings.preserve_scope,
        owner: recall.owners.of(settings.preserve_scope).clone(),
        source_type: Arc::from("conversation"),
        text: text.clone(),
        around: None,
        rewritten: false,
        origins,
        earlier: Vec::new(),
        born: sim.step,
        how: How::Preserved,
    };
    match told {
        Some(told) => {
            let how = |supported| if supported { How::Preserved } else { How::Unsupported };
            let fact = |fact: &Extracted| {
                let memory = Memory { how: how(fact.supported), ..memory(&fact.text, fact.origins.clone()) };
                (memory, fact.vector.clone())
            };
            told.facts.iter().map(fact).collect()
        }
        None => {
            let items = covered.iter().filter_map(|number| Some(sim.pieces.get(*number as usize)?.item));
            let found = items.filter_map(|item| Some((recall.facts.get(&item)?, sim.plan.items.get(item as usize)?)));
            let fact = |(fact, about): (&Fact, &Item)| {
                let (block, whole) = (about.block, about.whole);
                let origin = Origin { block, start: fact.start, end: fact.end, whole, at: Some(0) };
                (memory(&fact.text, vec![origin]), fact.vector.clone())
            };
            found.flat_map(|(facts, about)| facts.iter().map(move |fact| (fact, about))).map(fact).collect()
        }
    }
}

/// Takes facts out of what a compaction is about to take. To be asked before it does.
pub(super) fn preserve(sim: &mut Sim, covered: &[u32], told: Option<&WrittenSummary>) {
    let Some(recall) = sim.given.recall.clone() else { return };
    sim.memory.stale = true;
    if !preserves(sim.policy) {
        return;
    }
    sim.memory.log.take_in(&recall, sim.step);
    let settings = &sim.policy.memory;
    // The model's facts come with its summary or not at all; without it, the rules stand in.
    let told = told.filter(|_| matches!(settings.preserve, Preserve::Llm | Preserve::None));
    let facts = facts(sim, &recall, covered, told);
    let (mut took, mut ids, mut known) = (EntryIds::new(), Vec::new(), 0);
    for (memory, vector) in facts {
        let blocks: Vec<BlockId> = memory.origins.iter().map(|origin| origin.block).collect();
        match write(&mut sim.memory.log.store, settings, memory, &vector) {
            Outcome::Written(id, _) => {
                ids.push(id);
                let items = blocks.iter().filter_map(|block| recall.item_of.get(block));
                let pieces = items.map(|item| sim.standing_for(*item)).filter(|piece| *piece != NONE);
                took.extend(pieces.map(EntryId));
            }
            Outcome::Skipped(Skip::SameText(id) | Skip::Similar(id, _)) => {
                sim.memory.log.said_again.insert(id);
                known += 1;
            }
        }
    }
    if ids.is_empty() && known == 0 {
        return;
    }
    took.dedup();
    let rule = if settings.preserve == Preserve::None { "summarise.remember" } else { "memory.preserve" };
    let by = match (told, settings.preserve) {
        (Some(told), _) => match told.facts.iter().filter(|fact| !fact.supported).count() {
            0 => "; the model took them out as it wrote the summary".to_owned(),
            lacking => {
                let has = if lacking == 1 { "has" } else { "have" };
                format!("; the model took them out as it wrote the summary; {lacking} of them {has} no support")
            }
        },
        (None, Preserve::Llm) => "; no model took them out: the rules stand in".to_owned(),
        (None, _) => String::new(),
    };
    sim.memory.log.preserved.push((sim.step, ids, known));
    let own = sim.memory.log.preserved.iter().rev().take_while(|(step, ..)| *step == sim.step);
    let (found, known) = own.fold((0, 0), |(found, all), (_, ids, known)| (found + ids.len(), all + *known));
    let why = Cow::Owned(format!(
        "{}; {}{by}.",
        number(found, "facts were preserved before the compaction"),
        number(known as usize, "were known already")
    ));
    match sim.events.iter_mut().rev().find(|event| event.step == sim.step && event.stage == Stage::Preserve) {
        // A second compaction at the same step adds to what the first preserved.
        Some(event) => {
            (event.measured, event.why) = (Some(found as u64), why);
            event.took.extend(took);
        }
        None => {
            let mut event = sim.event(Stage::Preserve, rule);
            event.measured = Some(found as u64);
            (event.tokens_before, event.tokens_after) = (Some(sim.used()), Some(sim.used()));
            (event.took, event.why) = (took, why);
            sim.events.push(event);
        }
    }
}

/// Maintains the memories at their interval.
pub(super) fn reconcile(sim: &mut Sim) {
    let settings = &sim.policy.memory;
    if sim.given.recall.is_none() || !settings.reconcile {
        return;
    }
    let prompts = sim.new.iter().filter(|piece| sim.item(**piece).is_some_and(crate::engine::plan::Item::is_prompt));
    sim.memory.turns += prompts.count() as u64;
    if sim.memory.turns < settings.interval {
        return;
    }
    let measured = std::mem::take(&mut sim.memory.turns);
    // A model's vectors cannot be had here: what is merged gets the middle of those that it is from.
    let report = tidy(&mut sim.memory.log.store, settings, &embed_words);
    if !report.is_nothing() {
        let (promoted, merged, consolidated) = report.figures();
        let mut event = sim.event(Stage::Reconcile, "memory.interval");
        (event.threshold, event.measured) = (Some(settings.interval), Some(measured));
        (event.tokens_before, event.tokens_after) = (Some(sim.used()), Some(sim.used()));
        event.why = Cow::Owned(format!(
            "{} promoted, {}, {}, {}.",
            match promoted {
                1 => "1 memory was".to_owned(),
                promoted => format!("{} memories were", thousands(promoted as u64)),
            },
            number(merged, "pairs merged"),
            number(consolidated, "clusters made one"),
            number(report.edges_removed.len(), "relations removed")
        ));
        sim.events.push(event);
    }
    sim.memory.log.reconciled.push((sim.step, report));
}
