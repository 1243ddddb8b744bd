//! What of a fact stands in files that tools read and wrote, as the transcript tells it: a compaction may have left the
//! names of such files, and agents read some of them again by themselves.

use std::cell::OnceCell;
use std::collections::{HashMap, HashSet};

use super::each_place::each_life;
use super::fact::Query;
use super::files_of::Keys;
use super::held_file::{Held, Says, parted, tell_ends};
use super::life::Subject;
use super::mentioned::Naming;
use super::stay::{Back, End, Sight, Stay};
use super::trace::Occurrence;
use super::written_texts::WrittenTexts;
use crate::content::Sources;
use crate::engine::plan::{
    Certainty, FileChange, Operation, file_changes_after, file_id, from_folder, is_packed, reads, touched_path,
};
use crate::model::{Block, BlockId, BlockKind, CallKey, EntryId, Layer, Run, Stage, Track};
use crate::transcript::habits;

/// In how many words a fact is followed that a file says.
pub(super) const WORDINGS: usize = 16;
/// Files that are followed.
pub(super) const FILES: usize = 256;
/// Bytes of texts in which a file may be named.
const NAMING: usize = 4 << 20;
/// What is said of a command that never ran.
const NOT_RUN: &[&str] =
    &["doesn't want to proceed", "tool use was rejected", "permission to use", "requires approval"];

/// The call of a change, the step from which on it is seen, and the words in which files may say the fact.
type Seen<'s> = (EntryId, u32, &'s [String]);

/// What a recorded run tells of files.
pub(super) struct Disk<'a> {
    pub(super) subject: &'a Subject<'a>,
    pub(super) sources: &'a Sources,
    pub(super) run: &'a Run,
    pub(super) folder: &'a str,
    /// The blocks that make calls, and the entries that hold them.
    pub(super) calls: HashMap<CallKey, (BlockId, Vec<EntryId>)>,
    /// Calls that failed, with what they returned.
    failed: HashMap<CallKey, BlockId>,
    /// Entries that name a file and say nothing of it, by the file.
    names: HashMap<u64, Vec<EntryId>>,
    /// What people and summaries say, where files may be named.
    texts: OnceCell<Vec<(EntryId, String)>>,
}

/// Files in which a fact may stand, as a run tells of them.
pub(super) struct Files<'a> {
    disk: Disk<'a>,
    held: Vec<Held>,
}

impl<'a> Files<'a> {
    /// Those of a run in which something was taken.
    pub(super) fn of(subject: &'a Subject<'a>, sources: &'a Sources, run: &'a Run) -> Files<'a> {
        let disk = Disk::new(subject, sources, run);
        let held = disk.held();
        Files { disk, held }
    }
}

/// Whether anything of a fact may be read back from a file: it was there, and a stage of the recorded run took it.
pub(super) fn is_any_taken(occurrences: &[Occurrence], run: &Run) -> bool {
    run.track == Track::Recorded
        && occurrences.iter().any(|one| one.block.is_some() && one.stays.iter().any(|stay| is_taken(stay, run)))
}

/// Whether nothing is seen of a fact since it was taken: by a compaction, or from a result that was cleared or cut, whose
/// call still stands.
fn is_taken(stay: &Stay, run: &Run) -> bool {
    let event = stay.event.and_then(|id| run.event(id));
    let open = matches!(stay.back, None | Some(Back::Perhaps { .. } | Back::Among { .. }));
    let gone = matches!(stay.sight, Sight::Gone | Sight::Marker) && open;
    gone && event.is_some_and(|event| event.compacts() || matches!(event.stage, Stage::Microcompact | Stage::Truncate))
}

/// Tells where a fact can be read back from that was taken: where the window names a file that says it; and which file
/// that says it the agent is known to read again by itself.
pub(super) fn on_disk(occurrences: &mut [Occurrence], files: &Files) {
    let Files { disk, held } = files;
    let mut named: HashMap<u64, Vec<(u32, u32)>> = HashMap::new();
    // A block may say it in many places.
    let mut known: HashMap<BlockId, Keys> = HashMap::new();
    each_life(occurrences, |one, all| {
        if !all.iter().any(|stay| is_taken(stay, disk.run)) {
            return;
        }
        let Some(block) = one.block else { return };
        let keys = known.entry(block).or_insert_with(|| disk.keys(block));
        let of_key = |key: &u64| held.iter().find(|held| held.key == *key);
        for own in keys.told.iter().chain(&keys.any_of).filter_map(of_key) {
            // The file itself, then those to which its text was copied.
            let kin = held.iter().filter(|held| held.kin == own.kin && !held.packed);
            let (first, others): (Vec<_>, Vec<_>) = kin.partition(|held| held.key == own.key);
            for file in first.into_iter().chain(others) {
                let lives = named.entry(file.key).or_insert_with(|| disk.named(file));
                *all = std::mem::take(all).into_iter().flat_map(|stay| disk.seen(stay, file, lives)).collect();
            }
        }
        // Of those of which nothing tells which it is, all.
        for file in keys.any_of.iter().filter_map(of_key) {
            let lives = named.entry(file.key).or_insert_with(|| disk.named(file));
            let of = keys.any_of.len();
            *all = std::mem::take(all).into_iter().flat_map(|stay| disk.among(stay, file, lives, of)).collect();
        }
        tell_ends(all, held);
    });
}

impl<'a> Disk<'a> {
    fn new(subject: &'a Subject<'a>, sources: &'a Sources, run: &'a Run) -> Disk<'a> {
        let folder = subject.transcript.session.folder.as_deref().unwrap_or_default();
        let (calls, failed, names, texts) = (HashMap::new(), HashMap::new(), HashMap::new(), OnceCell::new());
        let mut disk = Disk { subject, sources, run, folder, calls, failed, names, texts };
        for (id, entry) in (0u32..).zip(&run.entries) {
            let Some((block_id, block)) = entry.block().and_then(|id| Some((id, disk.block(id)?))) else { continue };
            match (block.kind, block.call) {
                (BlockKind::ToolCall, Some(call)) => {
                    let made = disk.calls.entry(call).or_insert((block_id, Vec::new()));
                    if made.0 != block_id {
                        *made = (block_id, Vec::new());
                    }
                    made.1.push(EntryId(id));
                }
                (BlockKind::ToolResult, Some(call)) if block.error => drop(disk.failed.insert(call, block_id)),
                _ if block.layer == Layer::Files => {
                    // One that says it names no way back to itself.
                    let shown = disk.attached(block).filter(|_| subject.said_in(block_id).next().is_none());
                    let paths = disk.name_in(block).into_iter().chain(shown);
                    for key in paths.map(|path| disk.key(&path)).collect::<Vec<_>>() {
                        disk.names.entry(key).or_default().push(EntryId(id));
                    }
                }
                _ => {}
            }
        }
        disk
    }

    pub(super) fn block(&self, id: BlockId) -> Option<&'a Block> {
        self.subject.transcript.block(id)
    }

    pub(super) fn text(&self, id: BlockId) -> Option<String> {
        self.sources.body_text(&self.block(id)?.body).ok()
    }

    pub(super) fn key(&self, path: &str) -> u64 {
        file_id(path.trim(), self.folder)
    }

    pub(super) fn says(&self, texts: &[String]) -> bool {
        texts.iter().any(|text| self.subject.is_in(text))
    }

    /// What a call of a block changed of files, and whether that is sure: a command that failed may have done a part.
    pub(super) fn changes(&self, id: BlockId, scripts: &WrittenTexts) -> (Vec<FileChange>, bool) {
        let is_change = |block: &&Block| block.kind == BlockKind::ToolCall && !reads(&block.label);
        let Some(block) = self.block(id).filter(is_change) else { return (Vec::new(), true) };
        let failed = block.call.and_then(|call| self.failed.get(&call));
        let Some(text) = self.text(id) else { return (Vec::new(), true) };
        let undone = |result: &BlockId| {
            let said = self.text(*result).unwrap_or_default().to_lowercase();
            touched_path(&text).is_some() || NOT_RUN.iter().any(|words| said.contains(words))
        };
        match failed {
            Some(result) if undone(result) => (Vec::new(), true),
            failed => {
                let folder = self.folder_of(block);
                let here = |path: &str| from_folder(self.folder, &from_folder(folder, path));
                let changes = file_changes_after(&text, &|path| scripts.of(&here(path)).map(str::to_owned))
                    .into_iter()
                    .map(|change| change.made_in(folder));
                (changes.collect(), failed.is_none())
            }
        }
    }

    /// The files that say the fact at some time, with what is told of them, in order.
    fn held(&self) -> Vec<Held> {
        let mut held: Vec<Held> = Vec::new();
        // The words in which files may say it.
        let mut own: Vec<String> = Vec::new();
        own.extend(matches!(self.subject.fact.query, Query::Literal(_)).then(|| self.subject.fact.text.clone()));
        let mut known: HashSet<BlockId> = HashSet::new();
        let mut scripts = WrittenTexts::default();
        for (at, entry) in (0u32..).zip(&self.run.entries) {
            let Some((id, block)) = entry.block().and_then(|id| Some((id, self.block(id)?))) else { continue };
            let born = entry.born();
            let mut says = false;
            match block.kind {
                BlockKind::ToolCall if known.insert(id) => {
                    let (changes, sure) = self.changes(id, &scripts);
                    for change in &changes {
                        says |= self.take(&mut held, change, sure, (EntryId(at), born, &own), &scripts);
                        scripts.keep(change, self.folder);
                    }
                }
                BlockKind::ToolResult | BlockKind::Document if self.subject.said_in(id).next().is_some() => {
                    self.kept(id).into_iter().for_each(|path| self.hold(&mut held, (path, Says::Yes), None, born));
                    // The rest tells what was seen.
                    if self.subject.seen_in(id).next().is_none() {
                        continue;
                    }
                    let call = block.call.and_then(|call| self.calls.get(&call));
                    for path in self.read(id) {
                        says = true;
                        let key = self.key(&path);
                        self.hold(&mut held, (path, Says::Yes), None, born);
                        // The call names it for as long as it stands, whatever becomes of its result.
                        if let Some(file) = held.iter_mut().find(|file| file.key == key) {
                            file.named_by.extend(call.into_iter().flat_map(|(_, entries)| entries));
                        }
                    }
                    let any_of = if says { Vec::new() } else { self.any_of(id) };
                    says |= !any_of.is_empty();
                    let says_it = |path: &String| held.iter().any(|file| file.key == self.key(path) && file.says());
                    // Where one of them is known to say it, it was that one's text.
                    if !any_of.iter().any(says_it) {
                        any_of.into_iter().for_each(|path| self.hold(&mut held, (path, Says::Among), None, born));
                    }
                }
                _ => {}
            }
            if says && own.len() < WORDINGS {
                own.extend(self.wordings(id));
                own.sort_unstable();
                own.dedup();
            }
        }
        held
    }

    /// Takes in a change that is seen from a step on, of files that say the fact in these words. Whether it puts it there.
    fn take(&self, held: &mut Vec<Held>, change: &FileChange, sure: bool, seen: Seen, scripts: &WrittenTexts) -> bool {
        let (call, born, own) = seen;
        // What comes from a file that nobody knows may say it, too.
        let is_open = change.is_untold() || (change.whole && !scripts.hold(&change.from, self.folder));
        let sure = sure && change.certainty != Certainty::Perhaps;
        let says_it = held.iter().filter(|file| sure && file.says());
        let copies: Vec<(String, usize)> = says_it
            .flat_map(|file| change.brings(&file.path, self.folder).into_iter().map(|path| (path, file.kin)))
            .collect();
        for file in held.iter_mut() {
            if !change.concerns(&file.path, self.folder) {
                continue;
            }
            let before = file.before.take();
            match change.operation {
                Some(Operation::Begins(kind)) => file.before = Some((kind, file.last())),
                Some(Operation::Undoes(kind)) => {
                    if let Some((_, says)) = before.filter(|(own, _)| sure && *own == kind) {
                        file.told.push((born, says));
                        continue;
                    }
                }
                None => {}
            }
            // Whether it was done, or to this one, nobody knows.
            let sure = sure && change.surely_concerns(&file.path, self.folder);
            match self.says_then(change, is_open, own) {
                // It says it where it did, too; of several, some may not be there.
                Some(Says::Yes) if !(sure && change.is_of_one()) => {}
                Some(Says::No) if !sure => file.tell(born, Says::Perhaps),
                Some(says) => {
                    file.tell(born, says);
                    let end = change.overwrites().then_some(End::Overwritten);
                    let end = if change.removes { Some(End::Removed) } else { end };
                    file.ends.extend(end.filter(|_| says == Says::No).map(|end| (born, end)));
                }
                None => {}
            }
        }
        let puts = sure && change.is_of_one() && self.says(&change.puts);
        if puts {
            self.hold(held, (from_folder(self.folder, &change.path), Says::Yes), None, born);
        }
        for (path, kin) in copies {
            let key = self.key(&path);
            self.hold(held, (path, Says::Yes), Some(kin), born);
            held.iter_mut().filter(|file| file.key == key).for_each(|file| file.named_by.push(call));
        }
        puts
    }

    /// A file says the fact from a step on, or may, which it has from another one.
    fn hold(&self, held: &mut Vec<Held>, (path, says): (String, Says), kin: Option<usize>, born: u32) {
        let key = self.key(&path);
        if let Some(file) = held.iter_mut().find(|file| file.key == key) {
            file.packed &= kin.is_some();
            file.tell(born, says);
            return;
        }
        if held.len() < FILES {
            let anew = (habits(self.subject.transcript).loads_anew)(&path, self.folder);
            held.push(Held {
                key,
                anew,
                kin: kin.unwrap_or(held.len()),
                named_by: Vec::new(),
                ends: Vec::new(),
                // What came out of it as a text was read there.
                packed: kin.is_some() && is_packed(&path),
                told: vec![(born, says)],
                before: None,
                path,
            });
        }
    }

    /// The words in which a block says the fact.
    fn wordings(&self, id: BlockId) -> Vec<String> {
        let Some(text) = self.text(id) else { return Vec::new() };
        let spots = self.subject.seen_in(id).filter_map(|place| place.seen.as_ref()).take(WORDINGS);
        let all = spots.filter_map(|spot| text.get(spot.says.0 as usize..spot.says.1 as usize));
        all.map(str::to_owned).collect()
    }

    /// Whether a file says the fact after a change of it, which it says in these words; `None` where that changes nothing
    /// of it. `is_open`: nobody can tell what it says then.
    fn says_then(&self, change: &FileChange, is_open: bool, own: &[String]) -> Option<Says> {
        let is_in = |text: &str| self.subject.is_in(text);
        let takes = || self.says(&change.takes) || own.iter().any(|own| change.changes_part(own, is_in));
        match () {
            () if self.says(&change.puts) => Some(Says::Yes),
            () if is_open => Some(Says::Perhaps),
            () if change.whole || takes() => Some(Says::No),
            () => None,
        }
    }

    /// The steps from and to which the window names a file.
    fn named(&self, file: &Held) -> Vec<(u32, u32)> {
        if file.anew {
            return vec![(0, u32::MAX)];
        }
        let texts = self.texts.get_or_init(|| {
            let mut left = NAMING;
            let is_said = |layer| matches!(layer, Layer::Summaries | Layer::User);
            let all = (0u32..).zip(&self.run.entries).filter(|(_, entry)| is_said(entry.layer));
            let all = all.filter_map(|(id, entry)| Some((EntryId(id), self.text(entry.block()?)?)));
            // One that is too long leaves out no other.
            all.filter(|(_, text)| {
                let fits = left.checked_sub(text.len());
                left = fits.unwrap_or(left);
                fits.is_some()
            })
            .collect()
        });
        let naming = Naming::of(&file.path, self.folder);
        let said = texts.iter().filter(|(_, text)| naming.is_in(text)).map(|(id, _)| id);
        let entries = self.names.get(&file.key).into_iter().flatten().chain(said).chain(&file.named_by);
        let lives = entries.filter_map(|id| self.run.entry(*id)).flat_map(|entry| &entry.lives);
        let mut named: Vec<(u32, u32)> =
            lives.map(|life| (life.born, life.died.map_or(u32::MAX, |died| died.saturating_sub(1)))).collect();
        named.sort_unstable();
        named
    }

    /// The same of a fact, with where it can be read back from: while a file says it, or may, and the window names that.
    fn seen(&self, stay: Stay, file: &Held, named: &[(u32, u32)]) -> Vec<Stay> {
        if !is_taken(&stay, self.run) {
            return vec![stay];
        }
        let doubted = stay.back.is_some();
        let spans = file.spans(Says::Yes).into_iter().map(|span| (span, true));
        let doubts = file.spans(Says::Perhaps).into_iter().filter(|_| !doubted).map(|span| (span, false));
        let mut spans: Vec<_> = spans.chain(doubts).collect();
        spans.sort_unstable();
        parted(stay, &spans, named, |stay, since, sure| {
            let path = file.path.clone();
            match (*sure, file.anew) {
                (false, _) => (stay.sight, Back::Perhaps { path, step: since }),
                (true, true) => (Sight::Anew, Back::Anew { path, step: since }),
                (true, false) => (Sight::Pointer, Back::Path(path)),
            }
        })
    }

    /// The same of a file that was shown with others, `of` in all, one of which says it.
    fn among(&self, stay: Stay, file: &Held, named: &[(u32, u32)], of: usize) -> Vec<Stay> {
        if !is_taken(&stay, self.run) || matches!(stay.back, Some(Back::Perhaps { .. })) {
            return vec![stay];
        }
        let spans: Vec<_> = file.spans(Says::Among).into_iter().map(|span| (span, ())).collect();
        parted(stay, &spans, named, |stay, _, ()| {
            let mut paths = match &stay.back {
                Some(Back::Among { paths, .. }) => paths.clone(),
                _ => Vec::new(),
            };
            paths.push(file.path.clone());
            let all = paths.len() == of;
            (if all { Sight::Pointer } else { stay.sight }, Back::Among { paths, all })
        })
    }
}
