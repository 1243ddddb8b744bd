//! The window while it is being simulated: places, what stands in each, and the sums over them.

use smallvec::smallvec;

use crate::engine::asked::Wanted;
use crate::engine::plan::{Item, NONE, Plan, index};
use crate::engine::stages::{
    CacheState, CollapseState, MemoryState, MicrocompactState, NoticeState, SummariseState, ThinkingState,
    TruncateRules, wants_place,
};
use crate::model::{
    EntryId, EntryIds, Event, EventId, Fate, Layer, Life, Listed, Role, Stage, Step, Totals, Usage, VirtualFile,
    WindowSource, rules,
};
use crate::policy::Policy;

use super::anew::LoadedAnew;
use super::branch::Journal;
use super::given::{Given, HeldWhole, Prepared};
use super::piece::{Content, Label, Piece, Slot};
use super::places::Places;
use super::rooms::Rooms;
use super::sums::Sums;

/// A run in the making.
pub(in crate::engine) struct Sim<'a> {
    pub plan: &'a Plan,
    pub policy: &'a Policy,
    pub given: &'a Given,
    /// The step whose window is being made.
    pub step: u32,
    /// The window's size at this step.
    pub size: u64,
    pub size_source: WindowSource,
    pub slots: Vec<Slot>,
    /// The places where something stands.
    taken: Places,
    pub pieces: Vec<Piece>,
    /// The stays of pieces before the one that they are in, or were in last, as they ended. Few have any.
    pub(super) earlier: Vec<(u32, Life)>,
    /// Per item, its place and its piece.
    pub slot_of: Vec<u32>,
    pub piece_of: Vec<u32>,
    /// Per prepared piece, the piece that it came in as, or came back as last.
    pub came_as: Vec<u32>,
    pub events: Vec<Event>,
    pub files: Vec<VirtualFile>,
    /// The files that are attached, as notices tell of them.
    pub attached: Vec<Listed>,
    pub steps: Vec<Step>,
    pub totals: Vec<Totals>,
    /// The sums of the window as it is now.
    pub layers: [u64; Layer::COUNT],
    pub numbers: [u32; Layer::COUNT],
    pub counted: u64,
    pub extra: i64,
    pub sums: Sums,
    /// Of `extra`, what belongs to which place.
    extras: Sums,
    /// The first place that changed at this step; how many there were before it where none did.
    pub lowest: u32,
    /// Pieces that came in at this step.
    pub new: Vec<u32>,
    /// The last request's context.
    pub last_used: u64,
    /// Whether the history went back at this step: the last request may be none of it any more.
    pub went_back: bool,
    /// The step that it went back to, where the answer to its request stays.
    pub returned: Option<u32>,
    /// Whether the policy has changed anything of the history yet.
    pub changed: bool,
    /// Whether it had when the step began.
    pub changed_before: bool,
    /// Tokens of the window that the model refused as too long at this step, before a harder attempt.
    pub refused: Option<u64>,
    /// Tokens used before anything came in at this step.
    pub before: u64,
    /// A compaction that the user asked for at this step.
    pub asked: Option<u32>,
    /// What each model call of a stage sent and got at this step.
    pub calls: Vec<Usage>,
    pub provisional: bool,
    /// Summaries that a model should write, and that are not there.
    pub wanted: Vec<Wanted>,
    pub cache: CacheState,
    pub truncate: TruncateRules,
    pub microcompact: MicrocompactState,
    pub thinking: ThinkingState,
    pub collapse: CollapseState,
    pub summarise: SummariseState,
    pub notice: NoticeState,
    pub memory: MemoryState,
    /// How many static parts of the prompt stand in layers that a compaction may take.
    pub fixed: u32,
    /// Their tokens.
    pub fixed_tokens: u64,
    /// Of what was given, what the first report holds beyond the records (see [`Prepared::held`]).
    held: HeldWhole,
    pub(super) prepared: usize,
    pub(super) adjusted: usize,
    pub(super) anew: LoadedAnew,
    pub(super) journal: Journal,
    pub(super) rooms: Rooms,
}

impl<'a> Sim<'a> {
    pub(super) fn new(plan: &'a Plan, policy: &'a Policy, given: &'a Given) -> Self {
        let items = plan.items.len();
        let notices = if policy.notice.on { plan.asks.len() } else { 0 };
        Sim {
            plan,
            policy,
            given,
            step: 0,
            size: 0,
            size_source: WindowSource::default(),
            slots: Vec::with_capacity(items + notices + 16),
            taken: Places::default(),
            // Room that is never written to costs nothing; a list that has to grow is copied.
            pieces: Vec::with_capacity(2 * items + notices + 16),
            earlier: Vec::new(),
            slot_of: vec![NONE; items],
            piece_of: vec![NONE; items],
            came_as: vec![NONE; given.prepared.len()],
            events: Vec::with_capacity(2 * plan.asks.len() + notices),
            files: Vec::new(),
            attached: Vec::new(),
            steps: Vec::with_capacity(plan.asks.len()),
            totals: Vec::with_capacity(plan.asks.len()),
            layers: [0; Layer::COUNT],
            numbers: [0; Layer::COUNT],
            counted: 0,
            extra: 0,
            sums: Sums::of(items + notices + 16),
            extras: Sums::default(),
            lowest: 0,
            new: Vec::new(),
            last_used: 0,
            went_back: false,
            returned: None,
            changed: false,
            changed_before: false,
            refused: None,
            before: 0,
            asked: None,
            calls: Vec::new(),
            provisional: given.provisional,
            wanted: Vec::new(),
            cache: CacheState::default(),
            truncate: TruncateRules::new(plan, policy),
            microcompact: MicrocompactState::new(plan, policy),
            thinking: ThinkingState::default(),
            collapse: CollapseState::new(plan, policy),
            summarise: SummariseState::new(policy),
            notice: NoticeState::default(),
            memory: MemoryState::new(given.recall.as_deref()),
            fixed: 0,
            fixed_tokens: 0,
            held: HeldWhole::of(plan, given),
            prepared: 0,
            adjusted: 0,
            anew: LoadedAnew::of(plan, given),
            journal: Journal::of(plan),
            rooms: Rooms::of(plan),
        }
    }

    /// What reports show beyond our count of what stands here: what is not recorded. Below zero where we count more.
    pub fn beyond(&self) -> i64 {
        self.base().saturating_add(self.extra)
    }

    /// What the first report shows beyond all that is known of that request.
    pub fn base(&self) -> i64 {
        self.plan.base - self.held.tokens
    }

    /// Of what is not recorded, the tokens that stand before the history and stay through a compaction.
    pub fn unrecorded_prompt(&self) -> u64 {
        self.plan.fixed.saturating_sub(self.held.tokens.unsigned_abs())
    }

    /// Tokens that the request would hold: by our count, and what is not recorded. Never less than the count: what a
    /// report leaves out of one window says nothing of another.
    pub fn used(&self) -> u64 {
        self.counted.saturating_add(u64::try_from(self.beyond()).unwrap_or(0))
    }

    /// The id that the next event will have.
    pub fn next_event(&self) -> EventId {
        EventId(index(self.events.len()))
    }

    /// The item that a piece is.
    pub fn item(&self, piece: u32) -> Option<&'a Item> {
        let plan = self.plan;
        self.pieces.get(piece as usize).and_then(|piece| plan.items.get(piece.item as usize))
    }

    /// What was prepared outside that a piece is.
    pub fn prepared_of(&self, piece: &Piece) -> Option<&'a Prepared> {
        self.given.prepared.get(piece.prepared as usize)
    }

    /// Makes a piece without a place.
    pub fn make(&self, layer: Layer, role: Role, label: Label) -> Piece {
        Piece {
            layer,
            role,
            fate: Fate::Verbatim,
            estimated: true,
            fixed: false,
            held: false,
            stood: false,
            label,
            content: Content::Item,
            item: NONE,
            prepared: NONE,
            tokens: 0,
            original: 0,
            extra: 0,
            made_by: None,
            from: EntryIds::new(),
            life: Life { born: self.step, died: None, place: NONE, ended_by: None },
        }
    }

    /// Puts a piece at a new place at the end; returns its number.
    pub fn append(&mut self, piece: Piece, unit: u32) -> u32 {
        let (slot, number) = (index(self.slots.len()), index(self.pieces.len()));
        self.slots.push(Slot::of(unit));
        self.sums.push(0);
        self.pieces.push(piece);
        self.show(number, slot);
        number
    }

    /// Puts a piece at a place that is empty; returns its number.
    pub fn put(&mut self, piece: Piece, slot: u32) -> u32 {
        let number = index(self.pieces.len());
        self.pieces.push(piece);
        self.show(number, slot);
        number
    }

    /// Lets a piece stand at a place from this step on.
    pub fn show(&mut self, number: u32, slot: u32) {
        let step = self.step;
        let (Some(piece), Some(place)) = (self.pieces.get_mut(number as usize), self.slots.get_mut(slot as usize))
        else {
            return;
        };
        place.piece = number;
        self.journal.note(step, slot, NONE, number);
        self.taken.set(slot, true);
        let life = Life { born: step, died: None, place: slot, ended_by: None };
        if piece.slot() == NONE {
            piece.life = life;
        } else if piece.life.place == slot && piece.life.died == Some(step) {
            piece.life.died = None;
            piece.life.ended_by = None;
        } else if piece.life.born >= step {
            piece.life = life;
        } else {
            piece.stood = true;
            self.earlier.push((number, std::mem::replace(&mut piece.life, life)));
        }
        if let Some(came) = self.came_as.get_mut(piece.prepared as usize) {
            *came = number;
        }
        self.layers[piece.layer as usize] += piece.tokens;
        self.numbers[piece.layer as usize] += 1;
        self.counted += piece.tokens;
        self.sums.change(slot, 0, piece.tokens);
        let extra = piece.extra;
        self.add_extra(slot, extra);
        self.lowest = self.lowest.min(slot);
    }

    /// Ends a piece's stay with this step; its place is empty then.
    pub fn hide(&mut self, number: u32, event: Option<EventId>) {
        let Some(piece) = self.pieces.get_mut(number as usize) else { return };
        let Some(place) = self.slots.get_mut(piece.slot() as usize).filter(|place| place.piece == number) else {
            return;
        };
        place.piece = NONE;
        self.journal.note(self.step, piece.slot(), number, NONE);
        self.taken.set(piece.slot(), false);
        piece.life.died = Some(self.step);
        piece.life.ended_by = event;
        self.layers[piece.layer as usize] -= piece.tokens;
        self.numbers[piece.layer as usize] -= 1;
        self.counted -= piece.tokens;
        self.sums.change(piece.slot(), piece.tokens, 0);
        self.lowest = self.lowest.min(piece.slot());
        let (slot, extra) = (piece.slot(), piece.extra);
        self.add_extra(slot, -extra);
    }

    /// Adds to what reports show beyond the count of what stands at a place. Most have nothing of that.
    fn add_extra(&mut self, slot: u32, tokens: i64) {
        if tokens != 0 {
            self.extra += tokens;
            self.extras.add(slot, tokens.cast_unsigned());
        }
    }

    /// Tokens of what stands at a place and behind it, with what reports show of that beyond the count.
    pub fn behind(&self, place: u32) -> u64 {
        let extra = self.extra.wrapping_sub(self.extras.before(place).cast_signed());
        self.counted.saturating_sub(self.sums.before(place)).saturating_add_signed(extra)
    }

    /// Gives a piece that stands in the window another size.
    pub fn resize(&mut self, number: u32, tokens: u64, extra: i64) {
        let Some(piece) = self.pieces.get_mut(number as usize) else { return };
        self.layers[piece.layer as usize] = self.layers[piece.layer as usize] - piece.tokens + tokens;
        self.counted = self.counted - piece.tokens + tokens;
        self.sums.change(piece.slot(), piece.tokens, tokens);
        self.lowest = self.lowest.min(piece.slot());
        let (slot, more) = (piece.slot(), extra - piece.extra);
        (piece.tokens, piece.extra) = (tokens, extra);
        self.add_extra(slot, more);
    }

    /// What holds if pieces had other tokens, and other shares of what reports show beyond the count. Nothing of it stays.
    pub fn as_if<T>(&mut self, sizes: &[(u32, u64, i64)], ask: impl FnOnce(&Sim) -> T) -> T {
        let lowest = self.lowest;
        let size = |(number, ..): &(u32, u64, i64)| {
            self.pieces.get(*number as usize).map(|piece| (*number, piece.tokens, piece.extra))
        };
        let before: Vec<_> = sizes.iter().filter_map(size).collect();
        sizes.iter().for_each(|(number, tokens, extra)| self.resize(*number, *tokens, *extra));
        let answer = ask(self);
        before.into_iter().rev().for_each(|(number, tokens, extra)| self.resize(number, tokens, extra));
        self.lowest = lowest;
        answer
    }

    /// Puts another piece in the place of one; returns its number.
    pub fn replace(&mut self, number: u32, mut by: Piece, event: EventId) -> u32 {
        let slot = self.pieces.get(number as usize).map_or(NONE, |piece| piece.slot());
        by.from = smallvec![EntryId(number)];
        by.made_by = Some(event);
        self.hide(number, Some(event));
        self.put(by, slot)
    }

    /// Takes in the next item of the history.
    pub(super) fn admit(&mut self, item: u32) {
        let Some(about) = self.plan.items.get(item as usize) else { return };
        let room = self.room(about.room, about.unit);
        if room == NONE && wants_place(self, about.layer) {
            self.memory.slot = self.open(NONE);
        }
        let piece = Piece {
            fate: about.fate,
            estimated: about.estimated,
            item,
            tokens: about.tokens,
            original: about.original,
            extra: about.extra,
            ..self.make(about.layer, about.role, Label::Item(item))
        };
        let place = if room == NONE { self.open(about.unit) } else { room };
        let number = self.put(piece, place);
        self.slot_of[item as usize] = place;
        self.piece_of[item as usize] = number;
        self.new.push(number);
    }

    /// Takes in what was prepared for this step: what stands before the history, then what comes after it.
    pub(super) fn take_prepared(&mut self, front: bool) {
        if front {
            self.prepared = self.given.prepared.partition_point(|piece| piece.step < self.step);
        }
        let given: &'a Given = self.given;
        let pieces = given.prepared.get(self.prepared..).unwrap_or_default();
        let step = self.step;
        let mut decision: Option<EventId> = None;
        let own = (self.prepared..).zip(pieces).take_while(|(_, piece)| piece.step == step);
        for (at, given) in own.filter(|(_, piece)| piece.front == front) {
            let joins = given.decided.as_ref().and_then(|decided| {
                self.announce();
                self.decision(decided.stage)
            });
            let piece = Piece {
                fate: given.fate,
                estimated: given.estimated,
                fixed: given.fixed,
                held: self.held.pieces.binary_search(&at).is_ok(),
                content: Content::Made(given.content.clone()),
                tokens: given.tokens,
                original: given.original,
                prepared: index(at),
                made_by: match &given.decided {
                    Some(_) => joins.or_else(|| Some(self.next_event())),
                    None => decision.filter(|_| given.layer == Layer::Chunks),
                },
                ..self.make(given.layer, given.role, Label::Given(index(at)))
            };
            if given.fixed && !self.summarise.kept_layers.get(given.layer as usize).copied().unwrap_or(true) {
                self.fixed += 1;
                self.fixed_tokens += given.tokens;
            }
            let (shared, number) = (piece.made_by, self.append(piece, NONE));
            if let Some(decided) = &given.decided {
                decision = shared;
                self.decide(Event { step: self.step, made: smallvec![EntryId(number)], ..decided.clone() });
            } else if let Some(event) = shared.and_then(|id| self.events.get_mut(id.0 as usize)) {
                // A chunk is one of those that the decision before it chose.
                event.made.push(EntryId(number));
                event.each.last_mut().into_iter().for_each(|one| one.made.push(EntryId(number)));
            }
            self.new.push(number);
        }
    }

    /// Holds the place of the event that tells what came in: it stands before what was decided of a piece. The stage
    /// tells the figures of all of them once everything is in.
    pub fn announce(&mut self) {
        let mut own = self.events.iter().rev().take_while(|event| event.step == self.step);
        if own.all(|event| event.stage != Stage::Admit) {
            self.events.push(self.event(Stage::Admit, rules::SENT));
        }
    }

    /// The event of a stage at this step, where it has left one.
    pub fn decision(&self, stage: Stage) -> Option<EventId> {
        let first = self.events.iter().rposition(|event| event.step != self.step).map_or(0, |at| at + 1);
        let own = self.events.get(first..)?.iter().position(|event| event.stage == stage)?;
        Some(EventId(index(first + own)))
    }

    /// Leaves an event of this step: its own, or as a part of that of its stage.
    pub fn decide(&mut self, event: Event) {
        match self.decision(event.stage).and_then(|id| self.events.get_mut(id.0 as usize)) {
            Some(one) => one.join(event),
            None => self.events.push(event),
        }
    }

    /// Puts upon pieces what a report shows that no new item explains.
    pub(super) fn adjust(&mut self) {
        while let Some((step, item, tokens)) = self.plan.adjust.get(self.adjusted).copied() {
            if step > self.step {
                return;
            }
            self.adjusted += 1;
            let number = self.piece_of.get(item as usize).copied().unwrap_or(NONE);
            let Some(piece) = self.pieces.get_mut(number as usize) else { continue };
            let there = self.slots.get(piece.slot() as usize).is_some_and(|slot| slot.piece == number);
            if there && piece.fate != Fate::Cleared {
                piece.extra += tokens;
                let slot = piece.slot();
                self.add_extra(slot, tokens);
            }
        }
    }

    /// An event of this step without figures.
    pub fn event(&self, stage: Stage, rule: &'static str) -> Event {
        Event::new(self.step, stage, rule)
    }

    /// Whether a piece stands in the window.
    pub fn standing_at(&self, number: u32) -> bool {
        let slot = self.pieces.get(number as usize).map_or(NONE, |piece| piece.slot());
        self.slots.get(slot as usize).is_some_and(|slot| slot.piece == number)
    }

    /// The piece that stands in the window for an item alone.
    pub fn standing_for(&self, item: u32) -> u32 {
        let slot = self.slot_of.get(item as usize).copied().unwrap_or(NONE);
        let piece = self.slots.get(slot as usize).map_or(NONE, |slot| slot.piece);
        if self.pieces.get(piece as usize).is_some_and(|piece| piece.item == item) { piece } else { NONE }
    }

    /// The first piece that stands at a place or behind it, with its place.
    pub fn standing_from(&self, place: u32) -> Option<(u32, u32)> {
        let place = self.taken.next(place)?;
        self.slots.get(place as usize).map(|slot| (place, slot.piece))
    }

    /// The pieces that stand in the window, in order. What a long session has left behind costs next to nothing.
    pub fn standing(&self) -> impl Iterator<Item = u32> + '_ {
        self.taken.places().filter_map(|place| self.slots.get(place)).map(|slot| slot.piece)
    }
}
