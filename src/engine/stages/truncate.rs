//! Truncate, layer 1: long results and messages are cut when they come in, with a pointer to the whole (source 3:
//! virtual files).

use std::borrow::Cow;

use crate::engine::plan::{Item, Limit, Part, Plan, index};
use crate::engine::simulate::{Content, Label, Piece, Sim};
use crate::model::{
    BlockKind, Contents, EntryId, EntryIds, Event, EventId, Fate, FileId, Holds, Made, Stage, VirtualFile, Written,
    number,
};
use crate::policy::{Keep, Policy, Size, ToolResults};

use super::names::{meant, sizes};
use super::summarise::with_note;

/// The rule of results that are too long together.
const TOTAL: &str = "tool_results.message_total";

/// What the settings say of each tool, worked out once.
pub(in crate::engine) struct TruncateRules {
    per_tool: Vec<Option<Size>>,
    per_tool_head: Vec<Option<Size>>,
    excluded: Vec<bool>,
}

impl TruncateRules {
    pub fn new(plan: &Plan, policy: &Policy) -> Self {
        let settings = &policy.tool_results;
        TruncateRules {
            per_tool: sizes(plan, &settings.per_tool),
            per_tool_head: sizes(plan, &settings.per_tool_head),
            excluded: meant(plan, &settings.exclude_tools, false),
        }
    }
}

/// What an item is cut to, and why.
struct Rule {
    rule: &'static str,
    over: Size,
    keep: Size,
}

/// One decision: what was held against which rule, and what was cut.
struct Decision {
    rule: &'static str,
    over: Size,
    measured: u64,
    made: EntryIds,
    /// Tokens of the window before and after.
    tokens: (u64, u64),
}

impl Decision {
    /// The value of its rule, in the unit of what was measured.
    fn threshold(&self, sim: &Sim) -> u64 {
        match self.over {
            Size::Chars(chars) => chars,
            size => size.of(sim.size),
        }
    }

    /// Whether it was further over its limit than another was, whatever each is counted in.
    fn is_further(&self, other: &Decision, sim: &Sim) -> bool {
        let share = |one: &Decision, by: &Decision| u128::from(one.measured) * u128::from(by.threshold(sim).max(1));
        (share(self, other), self.measured) > (share(other, self), other.measured)
    }

    /// As an event of its own.
    fn event(&self, sim: &Sim) -> Event {
        let mut event = sim.event(Stage::Truncate, self.rule);
        (event.threshold, event.measured) = (Some(self.threshold(sim)), Some(self.measured));
        (event.tokens_before, event.tokens_after) = (Some(self.tokens.0), Some(self.tokens.1));
        event.made = self.made.clone();
        event.why = Cow::Borrowed(self.why(sim.policy.tool_results.virtual_files));
        event
    }

    /// Why, where what was cut is kept as virtual files or not.
    fn why(&self, files: bool) -> &'static str {
        match (self.over, files) {
            (_, true) if self.rule == TOTAL => {
                "The results of a message had {measured tokens} together, over {threshold}: of {made} a part stays, the whole is a virtual file."
            }
            (_, false) if self.rule == TOTAL => {
                "The results of a message had {measured tokens} together, over {threshold}: of {made} a part stays, the rest is gone."
            }
            (Size::Chars(_), true) => {
                "{made pieces were} too long; the largest had {measured characters}, over {threshold}: a part stays, the whole is a virtual file."
            }
            (Size::Chars(_), false) => {
                "{made pieces were} too long; the largest had {measured characters}, over {threshold}: a part stays, the rest is gone."
            }
            (_, true) => {
                "{made pieces were} too long; the largest had {measured tokens}, over {threshold}: a part stays, the whole is a virtual file."
            }
            (_, false) => {
                "{made pieces were} too long; the largest had {measured tokens}, over {threshold}: a part stays, the rest is gone."
            }
        }
    }
}

pub(super) fn run(sim: &mut Sim) {
    let settings = &sim.policy.tool_results;
    if !settings.on {
        return;
    }
    let before = sim.used();
    let mut decided: Vec<Decision> = Vec::new();
    for at in 0..sim.new.len() {
        let number = sim.new[at];
        let Some(Rule { rule, over, keep }) = rule_for(sim, number) else { continue };
        let Some((measured, true)) = measure(sim, number, over) else { continue };
        let from = sim.used();
        if cut(sim, number, keep) {
            let (made, tokens) = ([EntryId(number)].into_iter().collect(), (from, sim.used()));
            decided.push(Decision { rule, over, measured, made, tokens });
        }
    }
    let (total, alone) = (settings.message_total.of(sim.size), decided.len());
    if total > 0 {
        fit_messages(sim, total, &mut decided);
    }
    // Pieces that were too long by themselves go before those that were it together.
    let most = decided.get(..alone).filter(|own| !own.is_empty()).unwrap_or(&decided);
    let most = most.iter().reduce(|most, one| if one.is_further(most, sim) { one } else { most });
    let Some(most) = most else { return };
    let mut event = most.event(sim);
    (event.tokens_before, event.tokens_after) = (Some(before), Some(sim.used()));
    if decided.len() > 1 {
        event.each = decided.iter().map(|one| one.event(sim)).collect();
        event.made = decided.iter().flat_map(|one| one.made.iter().copied()).collect();
        tell(&mut event, most, &decided, alone);
    }
    sim.events.push(event);
    sim.changed = true;
}

/// Has the event of several decisions say which of them its figures are of, and how many pieces were cut by which rule.
fn tell(event: &mut Event, most: &Decision, decided: &[Decision], alone: usize) {
    let (own, together) = decided.split_at(alone.min(decided.len()));
    if own.iter().any(|one| one.over != most.over) {
        let words = "the one furthest over its limit";
        event.why = event.why.replace("the largest", words).into();
    } else if own.is_empty() {
        let (one, several) = ("The results of a message had {measured tokens} together", together.len());
        let words =
            format!("The results of {several} messages were too long together; those of one had {{measured tokens}}");
        event.why = event.why.replace(one, &words).into();
    }
    let more: usize = together.iter().map(|one| one.made.len()).sum();
    if alone > 0 && more > 0 {
        let note = format!("; {} so that the results of a message fit together", number(more, "more were cut"));
        let why = with_note(&note, std::mem::take(&mut event.why));
        event.why = why.replace("{made pieces were}", &number(alone, "pieces were")).into();
    }
}

/// The rule that a new piece falls under.
fn rule_for(sim: &Sim, number: u32) -> Option<Rule> {
    let settings = &sim.policy.tool_results;
    let item = sim.item(number)?;
    let result = item.kind == BlockKind::ToolResult;
    let message = settings.messages && item.kind == BlockKind::Text && item.is_prompt();
    if !(result || message) || item.chars == 0 {
        return None;
    }
    let tool = item.tool as usize;
    if result && !may_cut(sim, item.tool) {
        return None;
    }
    let own = |sizes: &[Option<Size>]| sizes.get(tool).copied().flatten().filter(|_| result);
    Some(match own(&sim.truncate.per_tool) {
        Some(size) => {
            let keep = own(&sim.truncate.per_tool_head).unwrap_or(size);
            Rule { rule: "tool_results.per_tool", over: size, keep }
        }
        None => Rule { rule: "tool_results.virtual_over", over: settings.virtual_over, keep: settings.virtual_head },
    })
}

/// Characters of the words that an agent puts where it cut.
const MARK: u64 = 200;

/// What is measured against a threshold, and whether it is over it. What the agent itself had cut to a limit is over it
/// by the words that say so, and is not cut again for these.
fn measure(sim: &Sim, number: u32, over: Size) -> Option<(u64, bool)> {
    let item = sim.item(number)?;
    let mark = if item.fate == Fate::Verbatim || item.whole { 0 } else { MARK };
    Some(match over {
        Size::Chars(most) => (item.chars, item.chars > most.saturating_add(mark)),
        size => (item.tokens, item.tokens > size.of(sim.size).saturating_add(mark / 4)),
    })
}

/// Cuts the largest results of each message until they fit together: one decision for each message.
fn fit_messages(sim: &mut Sim, total: u64, decided: &mut Vec<Decision>) {
    let mut results: Vec<(u32, u64, u32)> = Vec::new();
    for number in &sim.new {
        let Some(item) = sim.item(*number).filter(|item| item.kind == BlockKind::ToolResult) else { continue };
        let tokens = sim.pieces.get(*number as usize).map_or(0, |piece| piece.tokens);
        results.push((item.message, tokens, *number));
    }
    results.sort_unstable_by_key(|(message, tokens, number)| (*message, std::cmp::Reverse(*tokens), *number));
    let settings = &sim.policy.tool_results;
    for group in results.chunk_by(|one, other| one.0 == other.0) {
        let measured: u64 = group.iter().map(|(_, tokens, _)| tokens).sum();
        let (mut sum, mut made, from) = (measured, EntryIds::new(), sim.used());
        for (_, tokens, number) in group {
            if sum <= total {
                break;
            }
            if cut(sim, *number, settings.virtual_head) {
                sum -= tokens - sim.pieces.get(*number as usize).map_or(0, |piece| piece.tokens).min(*tokens);
                made.push(EntryId(*number));
            }
        }
        if !made.is_empty() {
            let tokens = (from, sim.used());
            decided.push(Decision { rule: TOTAL, over: settings.message_total, measured, made, tokens });
        }
    }
}

/// Cuts a new piece; false where it would not become shorter, or is cut already.
fn cut(sim: &mut Sim, number: u32, keep: Size) -> bool {
    let Some(cut) = shorter(sim, number, keep) else { return false };
    let (event, extra) = (sim.next_event(), sim.item(number).map_or(0, |item| item.extra));
    sim.resize(number, cut.tokens, share_of(extra, cut.tokens, cut.whole));
    add_file(sim, number, &cut);
    if let Some(piece) = sim.pieces.get_mut(number as usize) {
        piece.content = Content::Made(cut.content);
        piece.fate = cut.fate;
        piece.estimated = true;
        piece.made_by = Some(event);
    }
    true
}

/// Puts what stays of a piece that requests have held in its place; `None` where it would not become shorter, or is cut
/// already.
pub(super) fn cut_again(sim: &mut Sim, number: u32, event: EventId) -> Option<u32> {
    let cut = shorter(sim, number, sim.policy.tool_results.virtual_head)?;
    let old = sim.pieces.get(number as usize)?;
    let piece = Piece {
        fate: cut.fate,
        item: old.item,
        tokens: cut.tokens,
        original: old.original,
        extra: share_of(old.extra, cut.tokens, cut.whole),
        content: Content::Made(cut.content.clone()),
        ..sim.make(old.layer, old.role, Label::Item(old.item))
    };
    let made = sim.replace(number, piece, event);
    add_file(sim, made, &cut);
    Some(made)
}

/// The tokens, and the share of what reports show beyond the count, of what [`cut_again`] would leave of a piece.
pub(super) fn size_cut(sim: &Sim, number: u32) -> Option<(u64, i64)> {
    let cut = shorter(sim, number, sim.policy.tool_results.virtual_head)?;
    let extra = sim.pieces.get(number as usize)?.extra;
    Some((cut.tokens, share_of(extra, cut.tokens, cut.whole)))
}

/// What a cut makes of a piece.
struct Cut {
    content: Contents,
    fate: Fate,
    tokens: u64,
    /// Tokens of its two ends.
    ends: (u64, u64),
    /// Tokens of the whole.
    whole: u64,
}

/// What a piece would be cut to; `None` where it would not become shorter, is cut already, or is not there: what came in
/// and left again at this very step, since the user went back, has no size to change.
fn shorter(sim: &Sim, number: u32, keep: Size) -> Option<Cut> {
    let (piece, item) = sim.pieces.get(number as usize).zip(sim.item(number))?;
    if !sim.standing_at(number) || matches!(piece.content, Content::Made(_)) {
        return None;
    }
    let settings = &sim.policy.tool_results;
    let shown = Shown::of(sim, (piece.item, item), keep);
    let (tokens, ends) = (shown.tokens(settings), shown.ends());
    (tokens < item.tokens).then(|| Cut {
        content: shown.content(settings, item),
        fate: if ends == (0, 0) { Fate::Virtual } else { Fate::Truncated },
        tokens,
        ends,
        whole: item.tokens,
    })
}

/// Keeps the whole of what was cut, where that becomes a virtual file.
fn add_file(sim: &mut Sim, number: u32, cut: &Cut) {
    if sim.policy.tool_results.virtual_files {
        let holds = Holds::Whole(EntryId(number));
        sim.files.push(VirtualFile { born: sim.step, holds, tokens: cut.whole, shown: cut.ends });
    }
}

/// Whether a tool's results may be cut at all.
pub(super) fn may_cut(sim: &Sim, tool: u32) -> bool {
    !sim.truncate.excluded.get(tool as usize).copied().unwrap_or(false)
}

/// What stays of a result: its ends, and what says so of the rest.
struct Shown {
    first: Option<Part>,
    last: Option<Part>,
    gap: Written,
    note: Written,
}

impl Shown {
    /// What stays of an item where so much is kept.
    fn of(sim: &Sim, (at, item): (u32, &Item), keep: Size) -> Shown {
        let settings = &sim.policy.tool_results;
        let share = |part: f64| match keep {
            Size::Chars(chars) => Limit::Chars(part_of(chars, part)),
            size => Limit::Tokens(part_of(size.of(sim.size), part)),
        };
        let head = settings.head_share.0;
        let (first, last) = match settings.keep {
            Keep::Head => (Some(sim.plan.head(at, share(1.0))), None),
            Keep::Tail => (None, Some(sim.plan.tail(at, share(1.0)))),
            Keep::HeadTail | Keep::MiddleCut => {
                (Some(sim.plan.head(at, share(head))), Some(sim.plan.tail(at, share(1.0 - head))))
            }
        };
        let parts = |part: &Option<Part>| part.map_or(0, |part| part.tokens);
        let (shown, file) = (parts(&first) + parts(&last), FileId(index(sim.files.len())));
        let gap = Written::Gap { tokens: item.tokens.saturating_sub(shown) };
        let note = match (settings.virtual_files, settings.workspace) {
            (true, true) => Written::Saved { file, shown, total: item.tokens },
            (true, false) => Written::Pointer { file, shown, total: item.tokens },
            (false, _) => gap,
        };
        Shown { first, last, gap, note }
    }

    /// Tokens of the two ends.
    fn ends(&self) -> (u64, u64) {
        let parts = |part: &Option<Part>| part.map_or(0, |part| part.tokens);
        (parts(&self.first), parts(&self.last))
    }

    /// Tokens of all of it.
    fn tokens(&self, settings: &ToolResults) -> u64 {
        let (first, last) = self.ends();
        let marked = settings.keep == Keep::MiddleCut && settings.virtual_files;
        first + last + self.note.tokens() + if marked { self.gap.tokens() } else { 0 }
    }

    fn content(&self, settings: &ToolResults, item: &Item) -> Contents {
        let part = |part: Part| Made::Part(item.block, part.start, part.end, item.whole);
        let is_shown = |part: &Part| part.end > part.start;
        let (first, last) = (self.first.filter(is_shown).map(part), self.last.filter(is_shown).map(part));
        let note = || Made::Written(self.note);
        let mut content = Contents::new();
        if first.is_none() && last.is_none() {
            // Nothing of it is shown, and still it is known what the pointer stands for.
            content.push(Made::Part(item.block, 0, 0, item.whole));
        }
        content.extend(first);
        match (settings.keep, settings.virtual_files) {
            (Keep::MiddleCut, true) => content.push(Made::Written(self.gap)),
            (Keep::MiddleCut, false) => content.push(note()),
            // What names the whole is the mark as well.
            (Keep::Tail | Keep::HeadTail, _) => content.extend([note(), Made::Text(Cow::Borrowed("\n"))]),
            (Keep::Head, _) => {}
        }
        content.extend(last);
        match (settings.keep, settings.virtual_files) {
            (Keep::Head, _) | (Keep::MiddleCut, true) => content.push(note()),
            (Keep::MiddleCut, false) | (Keep::Tail | Keep::HeadTail, _) => {}
        }
        content
    }
}

#[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss, clippy::cast_precision_loss)]
fn part_of(size: u64, share: f64) -> u64 {
    (size as f64 * share).floor() as u64
}

/// The share of a difference that goes with a part.
pub(super) fn share_of(extra: i64, part: u64, whole: u64) -> i64 {
    let share = i128::from(extra) * i128::from(part) / i128::from(whole.max(1));
    i64::try_from(share).unwrap_or(0)
}
