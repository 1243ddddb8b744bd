//! Which files a block of a transcript shows, wrote or names, so that what it says may be read in them again.

use super::on_disk::{Disk, FILES, WORDINGS};
use super::written_texts::WrittenTexts;
use crate::engine::plan::{FileChange, files_searched, files_shown, from_folder, reads, touched_path};
use crate::model::{Block, BlockId, BlockKind, Layer};

/// Characters of a text that may be a path.
const PATH: u64 = 1_000;

/// What tells the files apart that say a fact where a block does: those that it is known of, and those of which one does.
#[derive(Default)]
pub(super) struct Keys {
    pub(super) told: Vec<u64>,
    pub(super) any_of: Vec<u64>,
}

impl<'a> Disk<'a> {
    /// The folder in which a call was made, where that is another one than that of the session; else empty.
    pub(super) fn folder_of(&self, call: &Block) -> &'a str {
        let folder = self.subject.transcript.session.folder_at(call.record).unwrap_or_default();
        if folder == self.folder || !folder.starts_with('/') { "" } else { folder }
    }

    /// The file into which a call of a block wrote the fact.
    fn written(&self, id: BlockId) -> Option<String> {
        let (changes, sure) = self.changes(id, &WrittenTexts::default());
        let one = changes.into_iter().filter(FileChange::is_of_one).find(|change| self.says(&change.puts));
        Some(one.filter(|_| sure)?.path)
    }

    /// The paths of the files that say the fact where a block does: what was read of them, or written to them.
    fn files(&self, id: BlockId) -> Vec<String> {
        let call = match self.block(id).map(|block| (block.kind, block.call)) {
            Some((BlockKind::ToolCall, _)) => Some(id),
            Some((BlockKind::ToolResult, Some(call))) => self.calls.get(&call).map(|(call, _)| *call),
            _ => None,
        };
        let read = self.read(id);
        let mut found: Vec<String> = match call.filter(|_| read.is_empty()) {
            Some(call) => self.written(call).into_iter().map(|path| self.rooted(path)).collect(),
            None => read,
        };
        found.extend(self.kept(id));
        found
    }

    /// The file to which the whole of a result went of which a part was sent.
    pub(super) fn kept(&self, id: BlockId) -> Option<String> {
        let rest = self.block(id)?.cut.as_ref()?.rest.as_deref()?;
        Some(self.rooted(rest.to_owned()))
    }

    /// The path that is all that an attachment says.
    pub(super) fn name_in(&self, block: &Block) -> Option<String> {
        let body = Some(&block.body).filter(|body| body.chars_or_bytes() <= PATH)?;
        self.sources.body_text(body).ok().filter(|path| !path.contains('\n') && path.contains(['/', '\\', '.']))
    }

    /// The file whose text an attachment shows, which it names as from the folder in which the agent was.
    pub(super) fn attached(&self, block: &Block) -> Option<String> {
        let source = self.subject.transcript.sources.get(block.record.source.0 as usize)?;
        let is_file = block.kind == BlockKind::Document && block.layer == Layer::Files && !source.kind.is_attached();
        let name = Some(&*block.label).filter(|name| is_file && name.contains(['/', '.']) && !name.contains("://"))?;
        let path = self.rooted(from_folder(self.folder_of(block), name));
        let is_name = |text: String| self.key(&text) == self.key(&path) || text.trim_end().ends_with(name);
        // One that ends so is a folder.
        let is_told = name.ends_with('/') || self.name_in(block).is_some_and(is_name);
        (path.starts_with('/') && !is_told).then_some(path)
    }

    /// What tells those apart, and others of which one says it.
    pub(super) fn keys(&self, id: BlockId) -> Keys {
        let keys = |paths: Vec<String>| paths.iter().map(|path| self.key(path)).collect();
        let told = self.files(id);
        let is_told = told.len() > usize::from(self.kept(id).is_some());
        let any_of = if is_told { Vec::new() } else { self.any_of(id) };
        Keys { told: keys(told), any_of: keys(any_of) }
    }

    /// The files that a result shows together, so that nothing tells which of them says the fact there; each once.
    pub(super) fn any_of(&self, id: BlockId) -> Vec<String> {
        let block = self.block(id).filter(|block| block.kind == BlockKind::ToolResult);
        let made_by = block.and_then(|block| self.calls.get(&block.call?)).map(|(call, _)| *call);
        let made = made_by.and_then(|id| Some((id, self.block(id)?)));
        let Some((made_by, call)) = made.filter(|(_, call)| !reads(&call.label)) else { return Vec::new() };
        let shown = self.text(made_by).and_then(|arguments| files_shown(&arguments));
        let shown = shown.filter(|shown| !self.says(&shown.says));
        let here = self.folder_of(call);
        let paths = shown.iter().flat_map(|shown| shown.any_of()).take(FILES);
        let mut paths: Vec<String> = paths.map(|path| self.rooted(from_folder(here, path))).collect();
        paths.sort_unstable();
        paths.dedup();
        paths
    }

    /// Those that say it when a result is given: what a call wrote before that may be gone again.
    pub(super) fn read(&self, id: BlockId) -> Vec<String> {
        let block = self.block(id);
        let result = block.filter(|block| block.kind == BlockKind::ToolResult);
        let call = result.and_then(|block| self.calls.get(&block.call?));
        let paths = call.and_then(|(call, _)| self.returned(id, *call)).unwrap_or_default();
        let attached = block.and_then(|block| self.attached(block));
        paths.into_iter().map(|path| self.rooted(path)).chain(attached).collect()
    }

    fn rooted(&self, path: String) -> String {
        if path.contains(':') { path } else { from_folder(self.folder, &path) }
    }

    /// The files that a call read, where what it returned says the fact.
    fn returned(&self, id: BlockId, call: BlockId) -> Option<Vec<String>> {
        let (arguments, made) = (self.text(call)?, self.block(call)?);
        let read = Some(made).filter(|call| reads(&call.label)).and_then(|_| touched_path(&arguments));
        let here = self.folder_of(made);
        let mut paths = read.map_or_else(|| self.shown(id, made, &arguments), |path| vec![path]);
        if !here.is_empty() {
            paths.iter_mut().for_each(|path| *path = from_folder(here, path));
        }
        Some(paths)
    }

    /// The files that a call shows where its result says the fact; none where its command says that by itself.
    fn shown(&self, id: BlockId, call: &Block, arguments: &str) -> Vec<String> {
        let folder = if self.folder_of(call).is_empty() { self.folder } else { self.folder_of(call) };
        let all = files_shown(arguments).or_else(|| files_searched(&call.label, arguments, folder));
        let Some(all) = all.filter(|all| !self.says(&all.says)) else { return Vec::new() };
        // Of lines that name their files, the text tells which.
        let output = all.naming.as_ref().and_then(|_| self.text(id)).unwrap_or_default();
        let spots = self.subject.seen_in(id).filter_map(|place| place.seen.as_ref()).take(WORDINGS);
        let mut found: Vec<String> = spots.filter_map(|spot| all.file_at(&output, spot.says.0 as usize)).collect();
        found.dedup();
        found
    }
}
