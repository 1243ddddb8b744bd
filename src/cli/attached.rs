//! Files and pages that the user attaches, opened once; what of them a policy lets into a window is prepared anew for
//! each policy.

use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};

use anyhow::Context;

use crate::content::{MemoryBytes, ReadAt, Sources, Watch};
use crate::document::{Conversion, Limits, Note, PART, Uncut, cut_whole, kept, percent_decoded, shown_line};
use crate::engine::Prepared;
use crate::io::{FileBytes, Preferences, fetch};
use crate::model::{
    Block, BlockId, BlockKind, Layer, Listed, Made, Op, Role, SourceId, SourceKind, Thread, Transcript, Use, Warning,
    last_part,
};
use crate::policy::{Choice, FilesMode, Policy};
use crate::tokens::Encoding;
use crate::transcript::give_document;
use crate::tui::documents::{DocumentName, InWindow};

use super::args::Look;
use super::convert::note_line;
use super::documents::{MARKDOWN_MAX, Reader};
use super::fail::usage;
use super::picture::Picture;
use super::prepare::{file_id, preload_end};
use super::simulated::policy_of;

/// Bytes of a message that serves as a task.
const TASK_MAX: usize = 16_000;

/// One file or page, converted.
pub struct AttachedFile {
    /// Its name as the user gave it: a path or an address.
    pub name: String,
    /// The step at which it comes in.
    pub step: u32,
    /// Its bytes as they lie there.
    pub size: u64,
    /// It as Markdown, as far as the policy wanted it when it was opened.
    pub document: Arc<Conversion>,
    /// The block that holds that Markdown.
    pub block: BlockId,
    /// Bytes of Markdown to which it was read.
    reach: u64,
    /// It as another policy wanted it since, and to how many bytes.
    other: Mutex<Option<(u64, Arc<Conversion>)>>,
    /// The picture that it is, where it is one that can be sent.
    pub picture: Option<Picture>,
    /// What its reader is given.
    origin: Origin,
    /// It within the limits that were in force when it was opened.
    limited: Limited,
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

/// A file within some limits.
struct Limited {
    limits: Limits,
    within: Within,
    /// The block that holds what they left.
    block: BlockId,
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
        [self.block, self.limited.block].into_iter().chain(picture).collect()
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

/// Bytes of a file's Markdown that are held where a policy lets in less than all.
const HELD: u64 = 4 << 20;

/// Bytes of a file's Markdown that a policy can have any use for.
fn reach(policy: &Policy) -> u64 {
    match policy.files.mode {
        FilesMode::Whole => MARKDOWN_MAX,
        FilesMode::Chunks => policy.chunks.max_bytes(),
        FilesMode::Limits | FilesMode::Reference => HELD,
        FilesMode::Preload => policy.files.preload_kb.saturating_mul(1024).clamp(HELD, MARKDOWN_MAX),
    }
}

/// A document that comes with the program: its name, the step at which it comes in, its bytes.
#[derive(Clone, Copy)]
pub struct BuiltIn(pub &'static str, pub u32, pub &'static [u8]);

impl BuiltIn {
    fn named(&self) -> Named {
        let BuiltIn(name, step, bytes) = *self;
        let origin = Origin { file: name.into(), path: None, bytes: Arc::new(MemoryBytes(bytes.to_vec())) };
        Named { name: name.into(), step, origin }
    }
}

/// The files and pages of a session.
#[derive(Default)]
pub struct Attached {
    /// By the step at which they come in.
    pub files: Vec<AttachedFile>,
    /// What opened them; `None` where there are none.
    pub reader: Option<Reader>,
    task: Option<String>,
    sources: Sources,
}

/// A file or page before it is converted.
struct Named {
    name: String,
    step: u32,
    origin: Origin,
}

impl Attached {
    /// Opens what `-f` and `--url` name, and what comes with an example. Their text becomes blocks of the transcript,
    /// which no window holds by itself.
    pub fn open(
        transcript: Transcript,
        sources: &mut Sources,
        preferences: &Preferences,
        look: &Look,
        built_in: &[BuiltIn],
        watch: &Watch,
    ) -> anyhow::Result<(Transcript, Attached)> {
        if look.file.is_empty() && look.url.is_empty() && built_in.is_empty() {
            return Ok((transcript, Attached::default()));
        }
        let mut named: Vec<Named> = built_in.iter().map(BuiltIn::named).collect();
        let thread = transcript.threads.get(look.thread.unwrap_or(0) as usize);
        let steps = thread.map_or(0, |thread| u32::try_from(thread.requests.len()).unwrap_or(u32::MAX));
        for argument in &look.file {
            named.push(file_of(argument, steps)?);
        }
        for argument in &look.url {
            watch.say(&format!("fetching {argument}"));
            named.push(page_of(argument, preferences.settings.allow_private_urls, steps)?);
        }
        named.sort_by_key(|named| named.step);
        let name = look.policy.first().map(String::as_str);
        let policy = policy_of(&transcript, name, look)?.policy;
        let mut attached = Attached {
            files: Vec::new(),
            reader: Some(Reader::new(preferences)?),
            task: look.task.clone(),
            sources: Sources::default(),
        };
        let mut transcript = transcript;
        for one in named {
            anyhow::ensure!(!watch.is_cancelled(), "stopped");
            watch.say(&format!("reading {}", last_part(&one.name)));
            transcript = attached.take(one, transcript, sources, &policy)?;
        }
        watch.say("");
        attached.sources = sources.clone();
        Ok((transcript, attached))
    }

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

    /// Converts one, as far as the policy wants it and within limits. What is wrong with it becomes warnings.
    fn take(
        &mut self,
        named: Named,
        transcript: Transcript,
        sources: &mut Sources,
        policy: &Policy,
    ) -> anyhow::Result<Transcript> {
        let Named { name, step, origin } = named;
        let (files, limits, reach) = (&policy.files, policy.files.limits(), reach(policy));
        let document = self.convert(&origin, None, reach)?;
        let within = self.within(&origin, &limits)?;
        let mut source = None;
        let mut block = |document: &Conversion, transcript: Transcript, of: Option<BlockId>| {
            let markdown = document.markdown.clone().into_bytes();
            let id = sources.add_memory(name.clone(), SourceKind::Attached, markdown);
            source.get_or_insert(id);
            give_document(transcript, sources, id, last_part(&name), of)
        };
        let (transcript, whole) = block(&document, transcript, None)?;
        let (transcript, part) = if within.document.markdown == document.markdown {
            (transcript, whole)
        } else {
            block(&within.document, transcript, Some(whole))?
        };
        let (mut transcript, picture) =
            self.take_picture(&name, &origin, &within.document, files, transcript, sources)?;
        // Limits read a file to its end in their own way; what was not held of it beside that is no loss.
        let notes = match files.mode {
            FilesMode::Whole | FilesMode::Chunks => &document.notes,
            _ => &within.document.notes,
        };
        for note in notes {
            let line = u32::try_from(note.line).unwrap_or(u32::MAX);
            let message = note_line(&Note { line: 0, ..note.clone() });
            transcript.warnings.push(Warning { source: source.unwrap_or(SourceId(0)), line, message });
        }
        let size = origin.bytes.len();
        self.files.push(AttachedFile {
            reach,
            other: Mutex::default(),
            name,
            step,
            size,
            document: Arc::new(document),
            block: whole,
            picture,
            origin,
            limited: Limited { limits, within, block: part },
        });
        Ok(transcript)
    }

    pub(super) fn convert(
        &self,
        origin: &Origin,
        limits: Option<&Limits>,
        max_bytes: u64,
    ) -> anyhow::Result<Conversion> {
        let Origin { file, path, bytes } = origin;
        let reader = self.reader.as_ref().context("no files were opened")?;
        reader.convert(file, path.as_deref(), bytes.as_ref(), limits, max_bytes, &Watch::default())
    }

    /// A file as far as a policy wants it, and the block that holds that text where there is one.
    pub fn document(&self, file: &AttachedFile, policy: &Policy) -> anyhow::Result<(Arc<Conversion>, Option<BlockId>)> {
        let wanted = reach(policy);
        // Passages are chosen from as much of it whatever it was opened for.
        let too_much = policy.files.mode == FilesMode::Chunks && file.document.markdown.len() as u64 > wanted;
        if !too_much && (!file.is_part() || file.reach >= wanted) {
            return Ok((file.document.clone(), Some(file.block)));
        }
        Ok((self.read_to(file, wanted)?, None))
    }

    /// All of a file, as tools can load it whatever of it is in the window.
    pub fn all(&self, file: &AttachedFile) -> anyhow::Result<Arc<Conversion>> {
        if file.is_part() { self.read_to(file, MARKDOWN_MAX) } else { Ok(file.document.clone()) }
    }

    fn read_to(&self, file: &AttachedFile, wanted: u64) -> anyhow::Result<Arc<Conversion>> {
        let mut other = file.other.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some((_, known)) = other.as_ref().filter(|(known, _)| *known == wanted) {
            return Ok(known.clone());
        }
        let document = Arc::new(self.convert(&file.origin, None, wanted)?);
        *other = Some((wanted, document.clone()));
        Ok(document)
    }

    /// A conversion within limits, the last two among them.
    fn within(&self, origin: &Origin, limits: &Limits) -> anyhow::Result<Within> {
        let mut document = self.convert(origin, Some(limits), MARKDOWN_MAX)?;
        let uncut = cut_whole(&mut document, limits, Encoding::Cl100kBase);
        Ok(Within { document, uncut })
    }

    /// A file within a policy's limits, and the block that holds that text where there is one.
    pub fn limited(&self, file: &AttachedFile, limits: &Limits) -> anyhow::Result<(Within, Option<BlockId>)> {
        let known = &file.limited;
        if known.limits == *limits {
            return Ok((known.within.clone(), Some(known.block)));
        }
        let within = self.within(&file.origin, limits)?;
        let whole = within.document.markdown == file.document.markdown;
        Ok((within, whole.then_some(file.block)))
    }

    /// Whether it takes no time to say what of a file a policy lets in.
    pub fn is_at_hand(&self, file: &AttachedFile, policy: &Policy) -> bool {
        let is_held = !file.is_part() || file.reach >= reach(policy);
        is_held && (policy.files.mode != FilesMode::Limits || file.limited.limits == policy.files.limits())
    }

    /// What of a file a policy lets into the window; `None` where that is the passages that fit the task.
    pub fn in_window(&self, file: &AttachedFile, policy: &Policy) -> anyhow::Result<Option<InWindow>> {
        if policy.files.mode == FilesMode::Chunks {
            return Ok(None);
        }
        let (document, _) = self.document(file, policy)?;
        let text = &document.markdown;
        let (kept, told) = match policy.files.mode {
            FilesMode::Chunks => return Ok(None),
            FilesMode::Whole => (vec![(0, text.len())], String::new()),
            FilesMode::Limits => {
                let Within { document: within, uncut } = self.limited(file, &policy.files.limits())?.0;
                let kept = kept(text, &within, uncut.as_ref()).into_iter().map(|range| (range.start, range.end));
                (kept.collect(), shown_line(&within.shown))
            }
            FilesMode::Preload | FilesMode::Reference => {
                let preload = policy.files.mode == FilesMode::Preload;
                let end = if preload { self.preloaded_end(file, policy) } else { 0 };
                let told = if end == 0 { "only its id, name and size" } else { "" };
                (vec![(0, end)], told.to_owned())
            }
        };
        Ok(Some(InWindow { mode: policy.files.mode.name(), kept, told }))
    }

    /// Bytes of a file's text that are loaded without being asked for: what those before it left of the kilobytes.
    fn preloaded_end(&self, file: &AttachedFile, policy: &Policy) -> usize {
        let mut room = policy.files.preload_kb.saturating_mul(1024);
        for one in &self.files {
            let text = self.document(one, policy).map(|(document, _)| document);
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
            let limited = file.limited.block;
            let mut uses = Vec::new();
            for piece in pieces {
                let own = &*piece.label == last_part(&file.name) && piece.layer == Layer::Files;
                uses.extend(piece.content.iter().filter_map(|made| match made {
                    Made::Block(block) if *block == file.block => Some(Use::Whole),
                    Made::Part(block, from, to, _) if *block == file.block => Some(Use::Bytes(*from, *to)),
                    Made::Block(block) if *block == limited => {
                        Some(Use::Bytes(0, file.limited.within.document.markdown.len() as u64))
                    }
                    // A picture that goes in as one.
                    Made::Block(_) if own => Some(Use::Whole),
                    // Limits of another policy: their text is no block.
                    Made::Text(text) if own => Some(Use::Bytes(0, text.len() as u64)),
                    _ => None,
                }));
            }
            Listed {
                id: file_id(file).into(),
                name: last_part(&file.name).into(),
                size: file.size,
                unit: "bytes",
                born: file.step,
                uses,
            }
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

/// `FILE@STEP` taken apart, where the session has so many steps. What exists as a whole is a file's name, whatever
/// stands after its last `@`.
fn parts(argument: &str, exists: bool, steps: u32) -> anyhow::Result<(&str, u32)> {
    let split = argument.rsplit_once('@').filter(|(name, _)| !exists && !name.is_empty());
    match split.map(|(name, step)| (name, step.parse::<u32>(), step)) {
        Some((name, _, "last")) => Ok((name, steps.max(1))),
        Some((_, Ok(0), _)) => Err(usage(format!("{argument}: the first step is 1"))),
        Some((_, Ok(step), _)) if step > steps.max(1) => {
            Err(usage(format!("{argument}: there is no step {step}: the last is {steps}")))
        }
        Some((name, Ok(step), _)) => Ok((name, step)),
        _ => Ok((argument, 1)),
    }
}

fn file_of(argument: &str, steps: u32) -> anyhow::Result<Named> {
    let (name, step) = parts(argument, Path::new(argument).exists(), steps)?;
    let bytes = FileBytes::open(Path::new(name)).with_context(|| format!("cannot open {name}"))?;
    let origin = Origin { file: name.to_owned(), path: Some(name.into()), bytes: Arc::new(bytes) };
    Ok(Named { name: name.to_owned(), step, origin })
}

fn page_of(argument: &str, allow_private: bool, steps: u32) -> anyhow::Result<Named> {
    // A page that was saved: a path, or the address of one.
    let path = argument.strip_prefix("file://").map(|path| path.strip_prefix("localhost").unwrap_or(path));
    if let Some(path) = path {
        return file_of(&percent_decoded(path), steps);
    }
    if Path::new(argument).is_file() {
        return file_of(argument, steps);
    }
    let (url, step) = parts(argument, false, steps)?;
    if Path::new(url).is_file() {
        return file_of(argument, steps);
    }
    let page = fetch(url, allow_private)?;
    let origin = Origin { file: page.name, path: None, bytes: Arc::new(MemoryBytes(page.bytes)) };
    Ok(Named { name: url.to_owned(), step, origin })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_step_stands_after_the_last_sign() {
        assert_eq!(parts("a.pdf", false, 7).unwrap(), ("a.pdf", 1));
        assert_eq!(parts("a.pdf@7", false, 7).unwrap(), ("a.pdf", 7));
        assert_eq!(parts("a@b.pdf", false, 7).unwrap(), ("a@b.pdf", 1));
        assert_eq!(parts("a@7", true, 7).unwrap(), ("a@7", 1));
        assert_eq!(parts("https://me@a.example/x@3", false, 7).unwrap(), ("https://me@a.example/x", 3));
        assert_eq!(parts("a.pdf@last", false, 7).unwrap(), ("a.pdf", 7));
        assert_eq!((parts("a@last", false, 0).unwrap(), parts("a@1", false, 0).unwrap()), (("a", 1), ("a", 1)));
        let refused = |argument| parts(argument, false, 7).unwrap_err().to_string();
        assert!(refused("a.pdf@0").contains("the first step is 1"));
        assert!(refused("a.pdf@8").contains("there is no step 8: the last is 7"));
    }

    #[test]
    fn a_page_may_lie_on_disk() {
        let folder = tempfile::tempdir().unwrap();
        let page = folder.path().join("a page.html");
        std::fs::write(&page, "<h1>Saved</h1>").unwrap();
        let path = page.to_str().unwrap();
        for argument in [format!("{path}@3"), format!("file://{}@3", path.replace(' ', "%20"))] {
            let named = page_of(&argument, false, 7).unwrap();
            assert_eq!(
                (named.step, named.origin.path.as_deref(), named.origin.bytes.len()),
                (3, Some(page.as_path()), 14)
            );
        }
        assert!(page_of("no-such-page.html", false, 7).is_err());
    }
}
