//! Files and pages that the user attaches, opened once; what of them a policy lets into a window is prepared anew for
//! each policy.

use std::io;
use std::path::PathBuf;
use std::sync::{Arc, Mutex, TryLockError};
use std::thread;
use std::time::Duration;

use anyhow::Context;

use crate::content::{ReadAt, Sources, Watch, read_memory};
use crate::document::{Conversion, Limits, Note, PART, Uncut, cut_whole, kept, own_text, shown_line};
use crate::engine::Prepared;
use crate::export::extracted;
use crate::model::{Block, BlockId, BlockKind, Layer, Listed, Made, Op, Role, Thread, Transcript, Use, last_part};
use crate::policy::{Choice, FilesMode, Policy};
use crate::tokens::Encoding;
use crate::tui::documents::{DocumentName, InWindow};

use super::documents::{MARKDOWN_MAX, Reader};
use super::picture::Picture;
use super::prepare::preload_end;

/// Time between two looks whether a file that another reads is free.
const TURN: Duration = Duration::from_millis(20);
/// Bytes of a message that serves as a task.
const TASK_MAX: usize = 16_000;

/// One file or page, converted.
pub struct AttachedFile {
    /// Its name as the user gave it: a path or an address.
    pub name: String,
    /// What a model passes to tools: no other file of the session has it.
    pub id: String,
    /// The step at which it comes in.
    pub step: u32,
    /// Its bytes as they lie there.
    pub size: u64,
    /// It as Markdown, as far as the policy wanted it when it was opened.
    pub document: Arc<Conversion>,
    /// The block that holds that Markdown.
    pub block: BlockId,
    /// Bytes of Markdown to which it was read.
    pub(super) reach: u64,
    /// It as another policy wanted it since, and to how many bytes.
    pub(super) other: Mutex<Option<(u64, Arc<Conversion>)>>,
    /// The picture that it is, where it is one that can be sent.
    pub picture: Option<Picture>,
    /// What its reader is given.
    pub(super) origin: Origin,
    /// It within the limits that were in force when it was opened; `None` where passages of it were wanted then.
    pub(super) limited: Option<Limited>,
}

/// What a file's reader is given.
pub(super) struct Origin {
    /// The name that tells its format.
    pub file: String,
    /// Its path, where it lies on disk.
    pub path: Option<PathBuf>,
    /// Its bytes.
    pub bytes: Arc<dyn ReadAt>,
}

/// A document's Markdown as the bytes of a source: it is in memory once.
pub(super) struct Text(pub Arc<Conversion>);

impl ReadAt for Text {
    fn len(&self) -> u64 {
        self.0.markdown.len() as u64
    }

    fn read_at(&self, offset: u64, buffer: &mut [u8]) -> io::Result<usize> {
        read_memory(self.0.markdown.as_bytes(), offset, buffer)
    }
}

/// A file within some limits.
pub(super) struct Limited {
    pub limits: Limits,
    pub within: Within,
    /// The block that holds what they left.
    pub block: BlockId,
}

/// A file within limits, and what the last two of them took.
#[derive(Clone)]
pub struct Within {
    pub document: Conversion,
    pub uncut: Option<Uncut>,
}

impl AttachedFile {
    /// The blocks that hold it, or what limits left of it.
    pub fn blocks(&self) -> Vec<BlockId> {
        let picture = self.picture.map(|picture| picture.block);
        let limited = self.limited.as_ref().map(|limited| limited.block);
        [self.block].into_iter().chain(limited).chain(picture).collect()
    }

    /// Whether there is more of it than was read.
    pub fn is_part(&self) -> bool {
        self.document.fact(PART).is_some()
    }

    /// Why nothing of it could be read, where that is so.
    pub fn unread(&self) -> Option<&Note> {
        self.document.notes.first().filter(|_| self.document.markdown.is_empty())
    }
}

/// Bytes of a text by which it is told from another.
const TOLD_BY: usize = 64 << 10;

/// Whether a file's Markdown is the text that it is by itself.
fn is_own(file: &AttachedFile) -> bool {
    let own = own_text(&file.origin.file, file.origin.bytes.as_ref(), TOLD_BY, &Watch::default()).ok().flatten();
    own.is_some_and(|own| {
        let (own, text) = (own.as_bytes(), file.document.markdown.as_bytes());
        let both = own.len().min(text.len());
        own.get(..both) == text.get(..both)
    })
}

/// Bytes of a file's Markdown that are held where a policy lets in less than all.
const HELD: u64 = 4 << 20;

/// The same where it lets in all of it: some eight million tokens, more than windows have.
pub(super) const WHOLE_HELD: u64 = 32 << 20;

/// Bytes of a file's Markdown that a policy can have any use for.
pub(super) fn reach(policy: &Policy) -> u64 {
    match policy.files.mode {
        FilesMode::Whole => WHOLE_HELD,
        FilesMode::Chunks => policy.chunks.max_bytes(),
        FilesMode::Limits | FilesMode::Reference => HELD,
        FilesMode::Preload => policy.files.preload_kb.saturating_mul(1024).clamp(HELD, MARKDOWN_MAX),
    }
}

/// The files and pages of a session.
#[derive(Default)]
pub struct Attached {
    /// By the step at which they come in.
    pub files: Vec<AttachedFile>,
    /// What opened them; `None` where there are none.
    pub reader: Option<Reader>,
    pub(super) task: Option<String>,
    pub(super) sources: Sources,
}

impl Attached {
    /// The block that holds each file, and the step at which it comes in.
    pub fn placed(&self) -> Vec<(BlockId, u32)> {
        self.files.iter().map(|file| (file.block, file.step)).collect()
    }

    /// What the screen is told of the files.
    pub fn names(&self) -> Vec<DocumentName> {
        let name = |file: &AttachedFile| DocumentName {
            name: file.name.clone(),
            label: last_part(&file.name).to_owned(),
            step: file.step,
            block: file.block,
        };
        self.files.iter().map(name).collect()
    }

    pub(super) fn convert(
        &self,
        origin: &Origin,
        limits: Option<&Limits>,
        max_bytes: u64,
        watch: &Watch,
    ) -> anyhow::Result<Conversion> {
        let Origin { file, path, bytes } = origin;
        let reader = self.reader.as_ref().context("no files were opened")?;
        reader.convert(file, path.as_deref(), bytes.as_ref(), limits, max_bytes, watch)
    }

    /// A file as far as a policy wants it, and the block that holds that text where there is one.
    pub fn document(
        &self,
        file: &AttachedFile,
        policy: &Policy,
        watch: &Watch,
    ) -> anyhow::Result<(Arc<Conversion>, Option<BlockId>)> {
        let wanted = reach(policy);
        // Passages are chosen from as much of it whatever it was opened for.
        let too_much = policy.files.mode == FilesMode::Chunks && file.document.markdown.len() as u64 > wanted;
        if !too_much && (!file.is_part() || file.reach >= wanted) {
            return Ok((file.document.clone(), Some(file.block)));
        }
        Ok((self.read_to(file, wanted, watch)?, None))
    }

    /// A file as far as passages of it are ranked: where a policy lets in no passages, as far as they would be if it did.
    pub fn ranked(&self, file: &AttachedFile, policy: &Policy, watch: &Watch) -> anyhow::Result<Arc<Conversion>> {
        let wanted = policy.chunks.max_bytes();
        let is_whole = !file.is_part() && file.document.markdown.len() as u64 <= wanted;
        match policy.files.mode {
            FilesMode::Limits | FilesMode::Reference if !is_whole && file.reach != wanted => {
                self.read_to(file, wanted, watch)
            }
            _ => Ok(self.document(file, policy, watch)?.0),
        }
    }

    /// All of a file, as tools can load it whatever of it is in the window.
    pub fn all(&self, file: &AttachedFile, watch: &Watch) -> anyhow::Result<Arc<Conversion>> {
        if file.is_part() { self.read_to(file, MARKDOWN_MAX, watch) } else { Ok(file.document.clone()) }
    }

    /// The text that a file is by itself, decoded, as far as it is held; `None` where it is none.
    pub fn own_text(&self, file: &AttachedFile, watch: &Watch) -> anyhow::Result<Option<String>> {
        let most = usize::try_from(MARKDOWN_MAX).unwrap_or(usize::MAX);
        let read = own_text(&file.origin.file, file.origin.bytes.as_ref(), most, watch);
        read.with_context(|| format!("cannot read {}", file.name))
    }

    fn read_to(&self, file: &AttachedFile, wanted: u64, watch: &Watch) -> anyhow::Result<Arc<Conversion>> {
        // Whoever reads it meanwhile may take long: nobody waits for that who is not wanted any more.
        let mut other = loop {
            match file.other.try_lock() {
                Ok(other) => break other,
                Err(TryLockError::Poisoned(other)) => break other.into_inner(),
                Err(TryLockError::WouldBlock) if watch.is_cancelled() => anyhow::bail!("stopped"),
                Err(TryLockError::WouldBlock) => thread::sleep(TURN),
            }
        };
        if let Some((_, known)) = other.as_ref().filter(|(known, _)| *known == wanted) {
            return Ok(known.clone());
        }
        let document = Arc::new(self.convert(&file.origin, None, wanted, watch)?);
        *other = Some((wanted, document.clone()));
        Ok(document)
    }

    /// A conversion within limits, the last two among them.
    pub(super) fn within(&self, origin: &Origin, limits: &Limits, watch: &Watch) -> anyhow::Result<Within> {
        let mut document = self.convert(origin, Some(limits), MARKDOWN_MAX, watch)?;
        let uncut = cut_whole(&mut document, limits, Encoding::Cl100kBase);
        Ok(Within { document, uncut })
    }

    /// A file within a policy's limits, and the block that holds that text where there is one.
    pub fn limited(
        &self,
        file: &AttachedFile,
        limits: &Limits,
        watch: &Watch,
    ) -> anyhow::Result<(Within, Option<BlockId>)> {
        if let Some(known) = file.limited.as_ref().filter(|known| known.limits == *limits) {
            return Ok((known.within.clone(), Some(known.block)));
        }
        let within = self.within(&file.origin, limits, watch)?;
        let whole = within.document.markdown == file.document.markdown;
        Ok((within, whole.then_some(file.block)))
    }

    /// Whether it takes no time to say what of a file a policy lets in.
    pub fn is_at_hand(&self, file: &AttachedFile, policy: &Policy) -> bool {
        let is_held = !file.is_part() || file.reach >= reach(policy);
        let limited = || file.limited.as_ref().is_some_and(|known| known.limits == policy.files.limits());
        is_held && (policy.files.mode != FilesMode::Limits || limited())
    }

    /// What of a file a policy lets into the window; `None` where that is the passages that fit the task.
    pub fn in_window(&self, file: &AttachedFile, policy: &Policy, watch: &Watch) -> anyhow::Result<Option<InWindow>> {
        let picture = self.picture_told(file, &policy.files, watch)?;
        if policy.files.mode == FilesMode::Chunks && picture.is_none() {
            return Ok(None);
        }
        let document = self.ranked(file, policy, watch)?;
        let text = &document.markdown;
        let mode = policy.files.mode.name();
        if let Some(told) = picture.filter(|_| !matches!(policy.files.mode, FilesMode::Preload | FilesMode::Reference))
        {
            return Ok(Some(InWindow { mode, kept: vec![(0, text.len())], told }));
        }
        let (kept, told) = match policy.files.mode {
            FilesMode::Chunks => return Ok(None),
            FilesMode::Whole => (vec![(0, text.len())], String::new()),
            FilesMode::Limits => {
                let Within { document: within, uncut } = self.limited(file, &policy.files.limits(), watch)?.0;
                let kept = kept(text, &within, uncut.as_ref()).into_iter().map(|range| (range.start, range.end));
                (kept.collect(), shown_line(&within.shown))
            }
            FilesMode::Preload | FilesMode::Reference => {
                let preload = policy.files.mode == FilesMode::Preload;
                let end = if preload { self.preloaded_end(file, policy, watch) } else { 0 };
                let told = if end == 0 { "only its id, name and size" } else { "" };
                (vec![(0, end)], told.to_owned())
            }
        };
        Ok(Some(InWindow { mode, kept, told }))
    }

    /// Bytes of a file's text that are loaded without being asked for: what those before it left of the kilobytes.
    fn preloaded_end(&self, file: &AttachedFile, policy: &Policy, watch: &Watch) -> usize {
        let mut room = policy.files.preload_kb.saturating_mul(1024);
        for one in &self.files {
            let text = self.document(one, policy, watch).map(|(document, _)| document);
            let text = text.as_ref().map_or("", |document| document.markdown.as_str());
            let (end, cost) = preload_end(one, text, policy, room);
            if std::ptr::eq(one, file) {
                return end;
            }
            room -= cost;
        }
        0
    }

    /// The files as notices tell of them, with what is read of each at once.
    pub fn listed(&self, prepared: &[Prepared]) -> Vec<Listed> {
        let listed = |file: &AttachedFile| {
            let pieces = prepared.iter().filter(|piece| piece.step == file.step);
            let limited = file.limited.as_ref();
            let mut uses = Vec::new();
            for piece in pieces {
                let own = &*piece.label == last_part(&file.name) && piece.layer == Layer::Files;
                uses.extend(piece.content.iter().filter_map(|made| match made {
                    Made::Block(block) if *block == file.block => Some(Use::Whole),
                    Made::Part(block, from, to, _) if *block == file.block => Some(Use::Bytes(*from, *to)),
                    Made::Block(block) if limited.is_some_and(|limited| *block == limited.block) => {
                        limited.map(|limited| Use::Bytes(0, limited.within.document.markdown.len() as u64))
                    }
                    // A picture that goes in as one.
                    Made::Block(_) if own => Some(Use::Whole),
                    // Limits of another policy: their text is no block.
                    Made::Text(text) if own => Some(Use::Bytes(0, text.len() as u64)),
                    _ => None,
                }));
            }
            // Parts are of the text that a conversion made: where that is another than the file's own, tools have it under
            // an id of its own.
            let name = last_part(&file.name);
            let of_text = uses.iter().any(|of| matches!(of, Use::Bytes(..))) && !is_own(file);
            let (id, name, size) = match of_text {
                true => (extracted(&file.id), format!("{name}.md"), file.document.markdown.len() as u64),
                false => (file.id.clone(), name.to_owned(), file.size),
            };
            Listed { id: id.into(), name: name.into(), size, unit: "bytes", born: file.step, uses }
        };
        self.files.iter().map(listed).collect()
    }

    /// What passages are wanted for at a step: the policy's `chunks.task`, else `--task`, else the newest message of the
    /// user before it, all that it says.
    pub fn task(&self, transcript: &Transcript, thread: &Thread, step: u32, policy: &Policy) -> String {
        let given = Some(&policy.chunks.task).filter(|task| !task.is_empty()).or(self.task.as_ref());
        if let Some(task) = given {
            return task.clone();
        }
        let mut requests = 0;
        let mut newest: Vec<&Block> = Vec::new();
        for op in &thread.ops {
            match op {
                Op::Request(_) => {
                    requests += 1;
                    if requests >= step {
                        break;
                    }
                }
                Op::Add(id) => {
                    let block = transcript.block(*id).filter(|block| {
                        block.layer == Layer::User && block.role == Role::User && block.kind == BlockKind::Text
                    });
                    if let Some(block) = block {
                        newest.retain(|part| part.message == block.message);
                        newest.push(block);
                    }
                }
                Op::Compact(_) | Op::Clear(_) | Op::Shorten(_) | Op::Rewind(_) => {}
            }
        }
        let parts: Vec<String> = newest.iter().filter_map(|block| self.sources.body_text(&block.body).ok()).collect();
        let mut text = parts.join("\n");
        text.truncate(text.floor_char_boundary(TASK_MAX));
        text
    }
}
