//! The life of a fact in a run, by provenance: which entries show it, which stand for those that did, and what changed
//! it.

use std::collections::HashMap;
use std::sync::Arc;

use rustc_hash::{FxHashMap, FxHashSet};

use super::asking::asked_again;
use super::crowd::{Crowded, Shown};
use super::fact::{Fact, Inside, Query};
use super::find::{Found, Place};
use super::paraphrase::nearest;
use super::passage::{is_in_tag, is_passage};
use super::resent::Resent;
use super::spot::Spot;
use super::stay::{Back, Like, Sight, Stay, refused, same, without_refused};
use crate::model::{
    Block, BlockId, Body, Entry, EntryId, Event, EventId, Fate, FileId, Holds, Layer, Made, Omission, Run, Transcript,
};

/// A fact with its places; the same for every run of a transcript.
pub struct Subject<'a> {
    /// The fact.
    pub fact: &'a Fact,
    /// Its places.
    pub places: &'a [Place],
    /// The transcript that they are in.
    pub transcript: &'a Transcript,
    of_block: FxHashMap<BlockId, Vec<usize>>,
    /// Texts with more places than are told apart.
    crowds: &'a [Crowded],
    /// Passages of summaries and of the model's that are about the fact.
    alike: &'a [Place],
    /// What its places say, where it is looked for by meaning.
    words: Vec<Fact>,
    /// Which places inside of longer words are its own.
    inside: Inside,
    /// What clients say again of what they cut.
    resent: Resent,
    /// Messages that only ask for it, after something said it: they do not keep it.
    pub(super) asking: FxHashSet<BlockId>,
}

impl<'a> Subject<'a> {
    /// A fact whose places were found.
    #[must_use]
    pub fn new(fact: &'a Fact, found: &'a Found, transcript: &'a Transcript) -> Self {
        let mut of_block: FxHashMap<BlockId, Vec<usize>> = FxHashMap::default();
        for (at, place) in found.places.iter().enumerate() {
            of_block.entry(place.block).or_default().push(at);
        }
        let words = found.words.iter().filter_map(|words| Fact::literal(words)).collect();
        let only_inside = found.inside.is_some() && !found.places.is_empty();
        let inside = if only_inside { Inside::Words } else { Inside::Nothing };
        let (crowds, asking, resent) = (&found.crowds, asked_again(fact, found), Resent::of(transcript));
        Subject {
            fact,
            places: &found.places,
            transcript,
            of_block,
            crowds,
            alike: &found.alike,
            words,
            inside,
            resent,
            asking,
        }
    }

    /// Whether a short text says it word for word.
    pub(super) fn is_in(&self, text: &str) -> bool {
        !self.fact.places(text, self.inside).is_empty() || self.words.iter().any(|words| words.is_in(text))
    }

    /// Whether all of its places are told apart, and each says it word for word.
    pub(super) fn is_plain(&self) -> bool {
        self.crowds.is_empty() && !self.fact.by_meaning()
    }

    /// Passages of a summary that say the like.
    fn alike_in(&self, block: BlockId) -> impl Iterator<Item = &'a Place> {
        self.alike.iter().filter(move |place| place.block == block && place.seen.is_some())
    }

    /// A place in a block's text, or in its original; none in the name of a call.
    pub(super) fn spot<'p>(&self, place: &'p Place, original: bool) -> Option<&'p Spot> {
        if place.is_name {
            return None;
        }
        let has = || self.transcript.block(place.block).is_some_and(|block| block.original.is_some());
        if original && has() { place.whole.as_ref() } else { place.seen.as_ref() }
    }

    /// The places of a block, in what the model was sent of it or in its original.
    pub(super) fn said_in(&self, block: BlockId) -> impl Iterator<Item = &Place> {
        let places = self.of_block.get(&block).map(Vec::as_slice).unwrap_or_default();
        places.iter().filter_map(|at| self.places.get(*at))
    }

    /// The places that the model was sent with a block.
    pub(super) fn seen_in(&self, block: BlockId) -> impl Iterator<Item = &Place> {
        self.said_in(block).filter(|place| place.seen.is_some())
    }
}

/// How an entry shows a place.
type Best = ((Sight, Fate), EntryId);

/// A run as it is read for one fact.
pub struct Reading<'a> {
    pub(super) subject: &'a Subject<'a>,
    /// The run.
    pub run: &'a Run,
    /// Entries that hold a block with a place, by block.
    roots: FxHashMap<BlockId, Vec<EntryId>>,
    /// Entries that were made from those, by what they were made from.
    children: FxHashMap<EntryId, Vec<EntryId>>,
    /// Entries whose own words (a line, a packed memory) hold the fact.
    saying: FxHashMap<EntryId, ()>,
    /// Those of them that were made from nothing in the run.
    pub loose: Vec<EntryId>,
    /// Attached files of which only name and size are sent, by the blocks that hold their texts: the list that each is
    /// in.
    listed: FxHashMap<BlockId, EntryId>,
    /// Places that are told apart for this run alone, of those that parts of crowded texts show.
    pub(super) shown: Vec<Place>,
    /// Steps whose requests the model never got.
    pub refused: Vec<(u32, u32)>,
}

impl<'a> Reading<'a> {
    /// Reads a run for a fact: one pass over its entries.
    #[must_use]
    pub fn new(subject: &'a Subject<'a>, run: &'a Run) -> Self {
        let mut reading = Reading {
            subject,
            run,
            roots: FxHashMap::default(),
            children: FxHashMap::default(),
            saying: FxHashMap::default(),
            loose: Vec::new(),
            listed: FxHashMap::default(),
            shown: Vec::new(),
            refused: refused(&run.steps),
        };
        let decisions = run.events.iter().flat_map(Event::decisions);
        for (event, listed) in decisions.filter_map(|event| Some((event, event.listed.as_ref()?))) {
            let Some(list) = event.made.first() else { continue };
            for file in listed.iter().filter(|file| subject.of_block.contains_key(file)) {
                reading.listed.entry(*file).or_insert(*list);
            }
        }
        // What no file holds may be in words that the harness makes.
        let is_nowhere = subject.places.is_empty() && !subject.fact.by_meaning();
        let mut relevant = vec![false; run.entries.len()];
        // Keyed by untrusted text.
        let mut known: HashMap<&str, bool> = HashMap::new();
        let mut shown = Shown::new(subject.crowds);
        for (id, entry) in (0u32..).zip(&run.entries) {
            let id = EntryId(id);
            let mut touches = false;
            for block in entry.content.blocks() {
                if subject.of_block.contains_key(&block) {
                    let roots = reading.roots.entry(block).or_default();
                    if roots.last() != Some(&id) {
                        roots.push(id);
                    }
                    touches = true;
                }
            }
            for from in &entry.from {
                if relevant.get(from.0 as usize).copied().unwrap_or(false) {
                    reading.children.entry(*from).or_default().push(id);
                    touches = true;
                }
            }
            shown.take(&entry.content, subject.transcript);
            if touches || entry.from.is_empty() || is_nowhere {
                // A blank line between two sentences is no fact.
                let mut words = entry.content.words().filter(|words| words.len() > 1);
                let says = words.any(|words| *known.entry(words).or_insert_with(|| subject.is_in(words)));
                let made = |made: &Made| matches!(made, Made::Written(words) if subject.is_in(&words.text(run)));
                if says || (is_nowhere && entry.content.iter().any(made)) {
                    reading.saying.insert(id, ());
                    if !touches || is_in_tag(entry, subject) {
                        reading.loose.push(id);
                    }
                }
            }
            relevant[id.0 as usize] = touches;
        }
        reading.shown = shown.places();
        reading
    }

    /// The entries that hold a place's block, then all that was made from them.
    pub(super) fn entries_of(&self, place: &Place) -> (Vec<EntryId>, Vec<EntryId>) {
        let listed = || self.listed.get(&place.block).map(|list| vec![*list]);
        let roots = self.roots.get(&place.block).cloned().or_else(listed).unwrap_or_default();
        let mut made: Vec<EntryId> = Vec::new();
        let mut open = roots.clone();
        let mut known: FxHashSet<EntryId> = roots.iter().copied().collect();
        while let Some(id) = open.pop() {
            for child in self.children.get(&id).map(Vec::as_slice).unwrap_or_default() {
                if known.insert(*child) {
                    made.push(*child);
                    open.push(*child);
                }
            }
        }
        (roots, made)
    }

    /// Whether every entry shows all places of a place's block, or none: no place's life depends on where it stands.
    pub(super) fn is_undivided(&self, place: &Place) -> bool {
        let is_file = self.subject.transcript.block(place.block).is_some_and(|block| block.layer == Layer::Files);
        let (roots, made) = self.entries_of(place);
        let mut divided = is_file || self.subject.fact.by_meaning();
        for entry in roots.iter().chain(&made).filter_map(|id| self.run.entry(*id)) {
            entry.content.each(|made| divided |= matches!(made, Made::Part(block, ..) if *block == place.block));
        }
        !divided
    }

    /// The block of a place in a file that the user attached.
    fn attached(&self, place: &Place) -> Option<&'a Block> {
        let transcript = self.subject.transcript;
        let block = transcript.block(place.block).filter(|block| block.layer == Layer::Files)?;
        let source = transcript.sources.get(block.record.source.0 as usize)?;
        source.kind.is_attached().then_some(block)
    }

    /// How an entry shows a place, and what that makes of the piece.
    pub(super) fn sight(&self, id: EntryId, place: &Place) -> (Sight, Fate) {
        let Some(entry) = self.run.entry(id) else { return (Sight::Gone, Fate::Dropped) };
        // A call goes by its name for as long as it stands, whatever becomes of its arguments.
        let named = place.is_name && entry.layer == Layer::ToolCalls;
        // What the tag of a passage says shows no place of its document.
        let said = self.saying.contains_key(&id) && !is_passage(entry);
        let (mut holds, mut whole, mut like, mut part) = (false, named || said, false, false);
        // What is shown of it, in the text as it was sent and in its original.
        let mut shown: [Vec<(u64, u64)>; 2] = Default::default();
        entry.content.each(|made| {
            match made {
                Made::Block(block) if *block == place.block => {
                    holds = true;
                    whole |= place.seen.is_some() && !place.is_name;
                    part |= place.is_parted;
                }
                Made::Part(block, from, to, original) if *block == place.block => {
                    holds = true;
                    let range = self.subject.spot(place, *original).map(|spot| spot.range);
                    if range.is_some_and(|(start, end)| u64::from(start) < *to && *from < u64::from(end)) {
                        shown[usize::from(*original)].push((*from, *to));
                    }
                }
                Made::Block(block) if entry.fate == Fate::Summarised => {
                    // What only means the like are other words.
                    let other = self.subject.fact.by_meaning();
                    let mut said = self.subject.seen_in(*block).map(|place| place.quoted || !other).peekable();
                    like |= said.peek().is_some() || self.subject.alike_in(*block).next().is_some();
                    whole |= said.any(|said| said);
                }
                _ => {}
            }
        });
        if holds {
            shown[0].extend(self.subject.resent.around(place.block, place.seen.as_ref()));
        }
        let is_shown = shown.iter().any(|parts| !parts.is_empty());
        let is_held = |original: bool| {
            let spot = self.subject.spot(place, original);
            spot.is_some_and(|spot| spot.is_held(&shown[usize::from(original)]))
        };
        whole |= is_shown && (is_held(false) || is_held(true));
        part |= is_shown;
        match (whole, part, entry.fate) {
            (true, _, fate) if entry.layer == Layer::Memory || fate == Fate::Remembered => {
                (Sight::Memory, Fate::Remembered)
            }
            (true, _, Fate::Summarised) => (Sight::Summary, Fate::Summarised),
            (true, _, Fate::Collapsed) => (Sight::Line, Fate::Collapsed),
            (true, ..) => (Sight::Verbatim, Fate::Verbatim),
            (false, true, Fate::Summarised) => (Sight::Part, Fate::Summarised),
            (false, false, Fate::Summarised) if like => (Sight::Paraphrase, Fate::Summarised),
            (false, true, _) => (Sight::Part, Fate::Truncated),
            (false, false, Fate::Summarised) if is_hidden(self.subject.transcript, entry) => {
                (Sight::Hidden, Fate::Summarised)
            }
            (false, false, fate @ Fate::Cleared) => (Sight::Marker, fate),
            // Kept for people: the model is sent something else in its place.
            (false, false, Fate::Verbatim) if holds && is_hidden(self.subject.transcript, entry) => {
                (Sight::Hidden, Fate::Verbatim)
            }
            (false, false, Fate::Verbatim) if holds => (Sight::Gone, Fate::Truncated),
            (false, false, fate) => (Sight::Gone, fate),
        }
    }

    /// Whether the model never got the request of a step.
    #[must_use]
    pub fn is_refused(&self, step: u32) -> bool {
        self.refused.iter().any(|(from, to)| (*from..=*to).contains(&step))
    }

    /// Whether nothing in the window of a step says the fact but questions for it.
    #[must_use]
    pub fn is_only_asked(&self, step: u32) -> bool {
        let asking = &self.subject.asking;
        !asking.is_empty() && !self.is_visible(step) && self.shows_but(step, &FxHashSet::default()).is_some()
    }

    /// Whether the model could read the fact word for word at a step, anywhere in its window but in questions for it.
    #[must_use]
    pub fn is_visible(&self, step: u32) -> bool {
        self.shows(step).is_some()
    }

    /// The first entry of its window in which the model could do so: a summary only where nothing else says it.
    #[must_use]
    pub fn shows(&self, step: u32) -> Option<EntryId> {
        self.shows_but(step, &self.subject.asking)
    }

    /// The same where what some blocks say does not count.
    fn shows_but(&self, step: u32, asked: &FxHashSet<BlockId>) -> Option<EntryId> {
        if self.is_refused(step) {
            return None;
        }
        let live = |id: &EntryId| self.run.entry(*id).is_some_and(|entry| entry.life_at(step).is_some());
        let is_summary = |id: &EntryId| self.run.entry(*id).is_some_and(|entry| entry.layer == Layer::Summaries);
        let mut in_summary = None;
        let mut places = || {
            let mut said = self.subject.places.iter().chain(&self.shown).filter(|place| !asked.contains(&place.block));
            said.find_map(|place| {
                let (roots, made) = self.entries_of(place);
                let all = roots.iter().chain(&made).filter(|id| live(id));
                let visible: Vec<EntryId> = all.filter(|id| self.sight(**id, place).0.is_visible()).copied().collect();
                in_summary = in_summary.or_else(|| visible.iter().copied().find(|id| is_summary(id)));
                visible.into_iter().find(|id| !is_summary(id))
            })
        };
        self.loose.iter().find(|id| live(id)).copied().or_else(&mut places).or(in_summary)
    }

    /// The first step that held a place's block, and the place's life from there on, every step once. `None` where none
    /// ever did.
    #[must_use]
    pub fn life(&self, place: &Place) -> Option<(u32, Vec<Stay>)> {
        let (roots, made) = self.entries_of(place);
        let born = roots.iter().filter_map(|id| self.run.entry(*id)).map(Entry::born).min()?;
        let last = self.run.last_step();
        let all: Vec<EntryId> = roots.iter().chain(&made).copied().collect();
        let lives = || {
            let entries = all.iter().filter_map(|id| Some((*id, self.run.entry(*id)?)));
            entries.flat_map(|(id, entry)| entry.lives.iter().map(move |life| (id, life)))
        };
        let turns = lives().flat_map(|(_, life)| [Some(life.born), life.died]).flatten();
        let mut turns: Vec<u32> = turns.filter(|step| (born..=last).contains(step)).collect();
        turns.extend((born <= last).then_some(born));
        turns.sort_unstable();
        turns.dedup();
        // What shows it best from each turn on.
        let mut best: Vec<Option<Best>> = vec![None; turns.len()];
        let mut sights: FxHashMap<EntryId, (Sight, Fate)> = FxHashMap::default();
        for (id, life) in lives() {
            let at = |step: u32| turns.partition_point(|turn| *turn < step);
            let own = (*sights.entry(id).or_insert_with(|| self.sight(id, place)), id);
            for best in best.iter_mut().take(at(life.died.unwrap_or(u32::MAX))).skip(at(life.born)) {
                let is_better = |other: Best| (own.0.0, id.0) < (other.0.0, other.1.0);
                *best = best.filter(|other| !is_better(*other)).or(Some(own));
            }
        }
        let files = self.files(&all, place);
        let mut stays: Vec<Stay> = Vec::with_capacity(turns.len());
        for (at, (from, best)) in turns.iter().zip(best).enumerate() {
            let to = turns.get(at + 1).map(|next| next - 1);
            let stay = self.stay((&all, best), place, (*from, to), stays.last(), &files);
            match stays.last_mut() {
                Some(before) if same(before, &stay) => before.to = to,
                _ => stays.push(stay),
            }
        }
        // Of a fact that is everywhere, there are very many.
        stays.shrink_to_fit();
        Some((born, without_refused(stays, &self.refused)))
    }

    fn stay(
        &self,
        (all, best): (&[EntryId], Option<Best>),
        place: &Place,
        (from, to): (u32, Option<u32>),
        before: Option<&Stay>,
        files: &[(u32, FileId)],
    ) -> Stay {
        let Some(((sight, fate), entry)) = best else {
            let event = self.ended(all, from).or_else(|| before.and_then(|stay| stay.event));
            let back = files.iter().rev().find(|(born, _)| *born <= from).map(|(_, file)| Back::File(*file));
            let sight = if back.is_some() { Sight::Pointer } else { Sight::Gone };
            return Stay { event, back, ..Stay::of(from, to, sight, Fate::Dropped) };
        };
        let event = if sight == Sight::Verbatim { None } else { self.cause(entry, place, fate) };
        let back = if sight.is_visible() { None } else { self.back(entry, place, fate, from, files) };
        let sight = match sight {
            Sight::Gone | Sight::Marker if back.is_some() => Sight::Pointer,
            sight => sight,
        };
        let like = if fate == Fate::Summarised { self.like(entry, place, sight).map(Arc::new) } else { None };
        let left = event.and_then(|event| self.left(event, entry, place)).map(Box::new);
        Stay { from, to, sight, fate, entry: Some(entry), event, left, back, like, said: None }
    }

    /// What a summary says of a fact by meaning: the place's own words where it stands in it, else the nearest.
    fn like(&self, entry: EntryId, place: &Place, sight: Sight) -> Option<Like> {
        let all = self.run.entry(entry)?.content.blocks();
        let said = |block| self.subject.seen_in(block).chain(self.subject.alike_in(block));
        let mut said: Vec<&Place> = all.flat_map(said).collect();
        match sight {
            // Quoted word for word, it says more than the like.
            Sight::Summary if place.quoted => return None,
            Sight::Summary => said.retain(|other| other.block == place.block && other.seen == place.seen),
            Sight::Paraphrase => {}
            _ => return None,
        }
        let best =
            said.into_iter().max_by(|one, other| one.score.unwrap_or(0.0).total_cmp(&other.score.unwrap_or(0.0)))?;
        let Query::Meaning(meaning) = &self.subject.fact.query else { return None };
        let sentence = nearest(meaning, &best.seen.as_ref()?.context).to_owned();
        best.score.map(|score| Like { sentence, score, by_meaning: true, without: false })
    }

    /// The event that made an entry what it is, for a place: what lay outside of what was sent was cut by the agent,
    /// whoever cut it again.
    fn cause(&self, id: EntryId, place: &Place, fate: Fate) -> Option<EventId> {
        let entry = self.run.entry(id)?;
        let at_birth = |id: EntryId, tells: &dyn Fn(&Event) -> bool| {
            let born = self.run.entry(id)?.born();
            self.run.events_at(born).find(|(_, event)| tells(event)).map(|(event, _)| event)
        };
        let outside = place.seen.is_none() && matches!(fate, Fate::Truncated | Fate::Virtual);
        let came = self.run.piece(id);
        let sent = if outside { at_birth(came, &|event| event.sent_cut_of(came).is_some()) } else { None };
        sent.or(entry.made_by).or_else(|| at_birth(id, &|event| event.cuts(id)))
    }

    /// What left a place out of a file: of passages that share it, the one that was the nearest to being taken.
    fn left(&self, event: EventId, entry: EntryId, place: &Place) -> Option<Omission> {
        let left = self.run.event(event)?.own(entry).left.as_ref()?;
        let (start, end) = self.subject.spot(place, true).filter(|_| !left.is_empty())?.range;
        let (start, end) = (u64::from(start), u64::from(end));
        let holds = |left: &&Omission| left.bytes.0 <= start && end <= left.bytes.1;
        let meets = |left: &&Omission| start < left.bytes.1 && left.bytes.0 < end;
        left.iter().find(holds).or_else(|| left.iter().find(meets)).copied()
    }

    /// The event that ended the last of some entries at a step.
    fn ended(&self, all: &[EntryId], step: u32) -> Option<EventId> {
        let lives = all.iter().rev().filter_map(|id| self.run.entry(*id)).flat_map(|entry| &entry.lives);
        lives.filter(|life| life.died == Some(step)).find_map(|life| life.ended_by)
    }

    /// The virtual files that hold a place, with the steps from which on.
    fn files(&self, all: &[EntryId], place: &Place) -> Vec<(u32, FileId)> {
        let held = |holds: &Holds| match holds {
            Holds::Whole(id) => all.contains(id),
            Holds::Before(event) => {
                let mut took = self.run.event(*event).into_iter().flat_map(|event| &event.took);
                took.any(|id| all.contains(id) && self.sight(*id, place).0.is_visible())
            }
        };
        let files = (0u32..).zip(&self.run.files);
        files.filter(|(_, file)| held(&file.holds)).map(|(id, file)| (file.born, FileId(id))).collect()
    }

    fn back(&self, entry: EntryId, place: &Place, fate: Fate, step: u32, files: &[(u32, FileId)]) -> Option<Back> {
        if let Some((_, file)) = files.iter().rev().find(|(born, _)| *born <= step) {
            return Some(Back::File(*file));
        }
        if fate == Fate::Collapsed {
            return Some(Back::Referring);
        }
        let is_file = self.run.entry(entry).is_some_and(|entry| entry.layer == Layer::Files);
        if let Some(file) = self.attached(place).filter(|_| is_file) {
            return Some(Back::Attached(file.label.to_string()));
        }
        let cut = self.subject.transcript.block(place.block)?.cut.as_ref()?;
        let holds = self.run.entry(entry)?.content.blocks().any(|block| block == place.block);
        cut.rest.as_deref().filter(|_| holds).map(|path| Back::Path(path.to_owned()))
    }
}

/// Whether an entry shows something that nobody but its vendor can read.
fn is_hidden(transcript: &Transcript, entry: &Entry) -> bool {
    let hidden = |id| transcript.block(id).is_some_and(|block| matches!(block.body, Body::Hidden(_)));
    entry.content.blocks().any(hidden)
}
