//! What of a fact stands in files that tools read and wrote, as the transcript tells it: a compaction may have left the
//! names of such files, and agents read some of them again by themselves.

use std::collections::{HashMap, HashSet};

use super::fact::Query;
use super::life::Subject;
use super::stay::{Back, Sight, Stay};
use super::trace::Occurrence;
use crate::content::Sources;
use crate::engine::plan::{FileChange, file_changes, file_id, from_folder, reads, touched_path};
use crate::model::{Block, BlockId, BlockKind, CallKey, EntryId, Event, Layer, Run, Track};
use crate::transcript::habits;

/// Characters of a text that may be a path.
const PATH: u64 = 1_000;
/// In how many words a fact is followed that a file says.
const WORDINGS: usize = 16;

/// A file that a tool read or wrote.
#[derive(Clone)]
struct File {
    path: String,
    key: u64,
    anew: bool,
}

/// What a recorded run tells of files.
struct Disk<'a> {
    subject: &'a Subject<'a>,
    sources: &'a Sources,
    run: &'a Run,
    folder: &'a str,
    /// The blocks that make calls.
    calls: HashMap<CallKey, BlockId>,
    /// Calls that failed.
    failed: HashSet<CallKey>,
    /// Entries that name a file and say nothing of it, by the file.
    names: HashMap<u64, Vec<EntryId>>,
    /// Whether a file says the fact, each with the step from which on; once it was asked for.
    says: HashMap<u64, Vec<(u32, bool)>>,
}

/// Tells where a fact can be read back from that a compaction took: where the window names a file that says it; and which
/// file that says it the agent is known to read again by itself.
pub(super) fn on_disk(occurrences: &mut [Occurrence], subject: &Subject, sources: &Sources, run: &Run) {
    if run.track != Track::Recorded || !run.events.iter().any(Event::compacts) {
        return;
    }
    let mut disk = Disk::new(subject, sources, run);
    let mut known: HashMap<BlockId, Option<File>> = HashMap::new();
    for one in occurrences {
        if !one.stays.iter().any(|stay| disk.is_taken(stay)) {
            continue;
        }
        let Some(block) = one.block else { continue };
        let file = known.entry(block).or_insert_with(|| disk.file(block));
        let Some(file) = file.as_ref().filter(|file| file.anew || disk.names.contains_key(&file.key)) else { continue };
        let stays = std::mem::take(&mut one.stays);
        one.stays = stays.into_iter().flat_map(|stay| disk.seen(stay, file)).collect();
    }
}

impl<'a> Disk<'a> {
    fn new(subject: &'a Subject<'a>, sources: &'a Sources, run: &'a Run) -> Disk<'a> {
        let folder = subject.transcript.session.folder.as_deref().unwrap_or_default();
        let (calls, failed) = (HashMap::new(), HashSet::new());
        let (names, says) = (HashMap::new(), HashMap::new());
        let mut disk = Disk { subject, sources, run, folder, calls, failed, names, says };
        for (id, entry) in (0u32..).zip(&run.entries) {
            let Some((block_id, block)) = entry.block().and_then(|id| Some((id, disk.block(id)?))) else { continue };
            match (block.kind, block.call) {
                (BlockKind::ToolCall, Some(call)) => drop(disk.calls.insert(call, block_id)),
                (BlockKind::ToolResult, Some(call)) if block.error => drop(disk.failed.insert(call)),
                _ if block.layer == Layer::Files && block.body.chars_or_bytes() <= PATH => {
                    let path = sources.body_text(&block.body).unwrap_or_default();
                    if !path.contains('\n') && path.contains(['/', '\\', '.']) {
                        disk.names.entry(disk.key(&path)).or_default().push(EntryId(id));
                    }
                }
                _ => {}
            }
        }
        disk
    }

    fn block(&self, id: BlockId) -> Option<&'a Block> {
        self.subject.transcript.block(id)
    }

    fn text(&self, id: BlockId) -> Option<String> {
        self.sources.body_text(&self.block(id)?.body).ok()
    }

    fn key(&self, path: &str) -> u64 {
        file_id(path.trim(), self.folder)
    }

    fn says(&self, texts: &[String]) -> bool {
        texts.iter().any(|text| self.subject.is_in(text))
    }

    /// What a call of a block changed of files.
    fn changes(&self, id: BlockId) -> Vec<FileChange> {
        let is_change = |block: &&Block| block.kind == BlockKind::ToolCall && !reads(&block.label);
        let Some(block) = self.block(id).filter(is_change) else { return Vec::new() };
        let done = block.call.is_none_or(|call| !self.failed.contains(&call));
        self.text(id).filter(|_| done).map_or_else(Vec::new, |text| file_changes(&text))
    }

    /// The file into which a call of a block wrote the fact.
    fn written(&self, id: BlockId) -> Option<String> {
        Some(self.changes(id).into_iter().find(|change| self.says(&change.puts))?.path)
    }

    /// The file that says the fact where a block does: what was read of it, or written to it.
    fn file(&self, id: BlockId) -> Option<File> {
        let block = self.block(id)?;
        let path = match block.kind {
            BlockKind::ToolCall => self.written(id)?,
            BlockKind::ToolResult => {
                let call = *self.calls.get(&block.call?)?;
                match self.block(call).filter(|call| reads(&call.label)) {
                    Some(_) => touched_path(&self.text(call)?)?,
                    None => self.written(call)?,
                }
            }
            _ => return None,
        };
        let path = if path.contains(':') { path } else { from_folder(self.folder, &path) };
        let anew = (habits(self.subject.transcript).loads_anew)(&path, self.folder);
        Some(File { key: self.key(&path), path, anew })
    }

    /// Whether nothing is seen of a fact since a compaction.
    fn is_taken(&self, stay: &Stay) -> bool {
        let event = stay.event.and_then(|id| self.run.event(id));
        let gone = matches!(stay.sight, Sight::Gone | Sight::Marker) && stay.back.is_none();
        gone && event.is_some_and(Event::compacts)
    }

    /// The step at which a file came to say the fact, where it says it at another one.
    fn said_since(&mut self, file: &File, step: u32) -> Option<u32> {
        if !self.says.contains_key(&file.key) {
            let told = self.told(file);
            self.says.insert(file.key, told);
        }
        let told = self.says.get(&file.key)?;
        let until = told.iter().take_while(|(born, _)| *born <= step).collect::<Vec<_>>();
        let since = until.iter().rev().take_while(|(_, says)| *says).last()?;
        Some(since.0)
    }

    /// What is told of a file, in order: whether it says the fact, from which step on.
    fn told(&self, file: &File) -> Vec<(u32, bool)> {
        let path = from_folder(self.folder, &file.path);
        let mut told = Vec::new();
        // The words in which the file may say it.
        let mut own: Vec<String> = Vec::new();
        own.extend(matches!(self.subject.fact.query, Query::Literal(_)).then(|| self.subject.fact.text.clone()));
        for entry in &self.run.entries {
            let Some((id, block)) = entry.block().and_then(|id| Some((id, self.block(id)?))) else { continue };
            let says = match block.kind {
                BlockKind::ToolCall => {
                    let changes = self.changes(id);
                    let of_it = changes.iter().filter(|change| change.concerns(&path, self.folder));
                    of_it.filter_map(|change| self.says_then(change, &own)).next_back()
                }
                BlockKind::ToolResult => {
                    let shows = self.subject.seen_in(id).next().is_some();
                    let shown = if shows { self.file(id) } else { None };
                    shown.filter(|shown| shown.key == file.key).map(|_| true)
                }
                _ => None,
            };
            if says == Some(true) && own.len() < WORDINGS {
                own.extend(self.wordings(id));
                own.sort_unstable();
                own.dedup();
            }
            told.extend(says.map(|says| (entry.born(), says)));
        }
        told
    }

    /// The words in which a block says the fact.
    fn wordings(&self, id: BlockId) -> Vec<String> {
        let Some(text) = self.text(id) else { return Vec::new() };
        let spots = self.subject.seen_in(id).filter_map(|place| place.seen.as_ref()).take(WORDINGS);
        let all = spots.filter_map(|spot| text.get(spot.says.0 as usize..spot.says.1 as usize));
        all.map(str::to_owned).collect()
    }

    /// Whether a file certainly says the fact after a change of it, which it says in these words; `None` where that
    /// changes nothing of it.
    fn says_then(&self, change: &FileChange, own: &[String]) -> Option<bool> {
        let puts = self.says(&change.puts);
        let is_in = |text: &str| self.subject.is_in(text);
        let takes = || self.says(&change.takes) || own.iter().any(|own| change.changes_part(own, is_in));
        (puts || change.whole || change.untold || takes()).then_some(puts)
    }

    /// The same of a fact, with where it can be read back from.
    fn seen(&mut self, stay: Stay, file: &File) -> Vec<Stay> {
        let Some(step) = self.said_since(file, stay.from).filter(|_| self.is_taken(&stay)) else { return vec![stay] };
        if file.anew {
            let back = Some(Back::Anew { path: file.path.clone(), step });
            return vec![Stay { sight: Sight::Anew, back, ..stay }];
        }
        let end = stay.to.unwrap_or(u32::MAX);
        let names = self.names.get(&file.key).into_iter().flatten().filter_map(|id| self.run.entry(*id));
        let lives =
            names.flat_map(|entry| &entry.lives).map(|life| (life.born, life.died.map_or(u32::MAX, |died| died - 1)));
        let mut named: Vec<(u32, u32)> =
            lives.map(|(from, to)| (from.max(stay.from), to.min(end))).filter(|(from, to)| from <= to).collect();
        named.sort_unstable();
        let mut found = Vec::new();
        let mut from = stay.from;
        for (start, last) in named {
            let start = start.max(from);
            if last < start {
                continue;
            }
            if from < start {
                found.push(Stay { from, to: Some(start - 1), ..stay.clone() });
            }
            let to = (last < end).then_some(last).or(stay.to);
            let back = Some(Back::Path(file.path.clone()));
            found.push(Stay { from: start, to, sight: Sight::Pointer, back, ..stay.clone() });
            if last >= end {
                return found;
            }
            from = last.saturating_add(1);
        }
        found.push(Stay { from, ..stay });
        found
    }
}
