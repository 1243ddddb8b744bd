//! Opening the files and pages that are attached: each is read and taken into the transcript, or left out where the user
//! will not wait for it.

use std::io::ErrorKind;
use std::path::Path;
use std::sync::{Arc, Mutex};

use anyhow::Context;

use crate::content::{MemoryBytes, ReadAt, Sources, Watch, joined_breaks, stored_offset};
use crate::document::{Anchor, Attachment, Conversion, Note, percent_decoded};
use crate::io::{Preferences, fetch, named_file};
use crate::model::{Coding, Landmark, SourceId, SourceKind, Transcript, Warning, last_part};
use crate::policy::{FilesMode, Policy};
use crate::transcript::give_document;

use super::args::Look;
use super::attached::{Attached, AttachedFile, Limited, Origin, Text, Within, reach};
use super::documents::{Reader, tell_of_end};
use super::fail::usage;
use super::prepare::file_id;
use super::simulated::policy_of;

/// Bytes of a file that are held against its text at once.
const PIECE: usize = 64 << 10;

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

/// A file or page before it is converted.
struct Named {
    name: String,
    step: u32,
    origin: Origin,
}

/// What was read of a file for a policy.
struct Read {
    /// It as far as the policy wants it.
    document: Conversion,
    /// It within limits; `None` where the policy takes passages of it, which limits never touch.
    within: Option<Within>,
    /// The picture that it is, where the policy wants it as it lies there.
    picture: Option<Attachment>,
}

/// What becomes of a session without a file that is not waited for.
const LEFT_OUT: &str = "it is left out";

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
            named.push(file_of(argument, steps, watch)?);
        }
        let mut left = Vec::new();
        for argument in &look.url {
            watch.say(&format!("fetching {argument}"));
            watch.begin_part(LEFT_OUT);
            let page = page_of(argument, preferences.settings.allow_private_urls, steps, watch);
            match watch.end_part() {
                true => left.push(left_out(argument)),
                false if watch.is_cancelled() => anyhow::bail!("stopped"),
                false => named.push(page?),
            }
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
        transcript.warnings.extend(left);
        for one in named {
            anyhow::ensure!(!watch.is_cancelled(), "stopped");
            watch.say(&format!("reading {}", last_part(&one.name)));
            watch.begin_part(LEFT_OUT);
            let read = attached.read(&one.origin, &policy, watch);
            if watch.end_part() {
                transcript.warnings.push(left_out(&one.name));
                continue;
            }
            transcript = attached.take(one, read?, transcript, sources, &policy)?;
        }
        watch.say("");
        attached.sources = sources.clone();
        Ok((transcript, attached))
    }

    /// Converts one, as far as the policy wants it and within limits.
    fn read(&self, origin: &Origin, policy: &Policy, watch: &Watch) -> anyhow::Result<Read> {
        let document = self.convert(origin, None, reach(policy), watch)?;
        // To read a long document once more takes as long as to read it: nobody waits for what is not asked for.
        if policy.files.mode == FilesMode::Chunks && !matches!(document.format.as_str(), "image" | "audio") {
            return Ok(Read { document, within: None, picture: None });
        }
        let within = self.within(origin, &policy.files.limits(), watch)?;
        let picture = self.whole_picture(origin, &within.document, &policy.files, watch)?;
        Ok(Read { document, within: Some(within), picture })
    }

    /// Takes in what was read of one. What is wrong with it becomes warnings.
    fn take(
        &mut self,
        named: Named,
        read: Read,
        transcript: Transcript,
        sources: &mut Sources,
        policy: &Policy,
    ) -> anyhow::Result<Transcript> {
        let Named { name, step, origin } = named;
        let (files, limits, reach) = (&policy.files, policy.files.limits(), reach(policy));
        let Read { document, within, picture } = read;
        let document = Arc::new(document);
        let (kind, bytes) = match own_bytes(&document.markdown, origin.bytes.as_ref()) {
            Some(end) if end > document.markdown.len() as u64 => {
                (SourceKind::Attached, Arc::new(Beginning { of: origin.bytes.clone(), end }) as Arc<dyn ReadAt>)
            }
            own => {
                let kind = if own.is_some() { SourceKind::Attached } else { SourceKind::Converted };
                (kind, Arc::new(Text(Arc::clone(&document))) as Arc<dyn ReadAt>)
            }
        };
        let source = sources.add(name.clone(), kind, bytes);
        sources.tell(source, landmarks(&document));
        let label = last_part(&name);
        let (transcript, whole) = give_document(transcript, sources, (source, &document.markdown), label, None);
        let (mut transcript, limited, picture) = match within {
            None => (transcript, None, None),
            Some(within) => {
                let (transcript, part) = if within.document.markdown == document.markdown {
                    (transcript, whole)
                } else {
                    let text = &within.document.markdown;
                    let id = match own_bytes(text, origin.bytes.as_ref()) {
                        Some(end) => {
                            let bytes = Arc::new(Beginning { of: origin.bytes.clone(), end });
                            sources.add(name.clone(), SourceKind::Attached, bytes)
                        }
                        None => sources.add_memory(name.clone(), SourceKind::Limited, text.clone().into_bytes()),
                    };
                    sources.tell(id, landmarks(&within.document));
                    give_document(transcript, sources, (id, text), label, Some(whole))
                };
                let (transcript, picture) =
                    Attached::take_picture(&name, picture.as_ref(), &within.document, transcript, sources)?;
                (transcript, Some(Limited { limits, within, block: part }), picture)
            }
        };
        // Limits read a file to its end in their own way; what was not held of it beside that is no loss.
        let notes = match (files.mode, &limited) {
            (FilesMode::Whole | FilesMode::Chunks, _) | (_, None) => &document.notes,
            (_, Some(limited)) => &limited.within.document.notes,
        };
        for note in notes {
            let line = u32::try_from(note.line).unwrap_or(u32::MAX);
            let message = Note { line: 0, ..note.clone() }.to_string();
            transcript.warnings.push(Warning { source, line, message });
        }
        let size = origin.bytes.len();
        let others: Vec<&str> = self.files.iter().map(|file| file.id.as_str()).collect();
        let id = file_id(&name, size, &others);
        self.files.push(AttachedFile {
            id,
            reach,
            other: Mutex::default(),
            name,
            step,
            size,
            document,
            block: whole,
            picture,
            origin,
            limited,
        });
        Ok(transcript)
    }
}

/// Where the places of a document begin in its Markdown.
fn landmarks(document: &Conversion) -> Vec<Landmark> {
    let landmark = |anchor: &Anchor| Landmark { byte: anchor.byte, name: anchor.place.to_string() };
    document.anchors.iter().map(landmark).collect()
}

/// The first bytes of a file.
struct Beginning {
    of: Arc<dyn ReadAt>,
    end: u64,
}

impl ReadAt for Beginning {
    fn len(&self) -> u64 {
        self.end
    }

    fn read_at(&self, offset: u64, buffer: &mut [u8]) -> std::io::Result<usize> {
        let left = usize::try_from(self.end.saturating_sub(offset)).unwrap_or(usize::MAX).min(buffer.len());
        self.of.read_at(offset, &mut buffer[..left])
    }
}

/// How many of a file's first bytes are this text, as they are or, all through, but for the carriage returns before its
/// line feeds; `None` where the text is something else, whose bytes are none of the file.
fn own_bytes(text: &str, file: &dyn ReadAt) -> Option<u64> {
    let (mut at, mut rest) = (0u64, text.as_bytes());
    let mut piece = vec![0; PIECE];
    while !rest.is_empty() {
        let size = file.read_at(at, &mut piece).ok()?;
        let read = piece.get(..size).filter(|read| !read.is_empty())?;
        // What follows a carriage return tells whether it counts; it is read with that.
        let read = read.strip_suffix(b"\r").filter(|before| !before.is_empty()).unwrap_or(read);
        let joined = joined_breaks(read);
        if let Some(more) = rest.strip_prefix(joined.as_ref()) {
            (at, rest) = (at + read.len() as u64, more);
        } else {
            joined.starts_with(rest).then_some(())?;
            return Some(at + stored_offset(read, Coding::Lines, rest.len()) as u64);
        }
    }
    Some(at)
}

/// What is said of a file that the user would not wait for.
fn left_out(name: &str) -> Warning {
    let message = format!("{} is left out: its reading was stopped", last_part(name));
    Warning { source: SourceId(0), line: 0, message }
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

fn file_of(argument: &str, steps: u32, watch: &Watch) -> anyhow::Result<Named> {
    let (name, step) = parts(argument, Path::new(argument).exists(), steps)?;
    let file = named_file(Path::new(name), watch).with_context(|| format!("cannot open {name}"))?;
    tell_of_end(name, file.broken, watch);
    let path = file.again.then(|| name.into());
    let origin = Origin { file: name.to_owned(), path, bytes: Arc::new(file.bytes) };
    Ok(Named { name: name.to_owned(), step, origin })
}

fn page_of(argument: &str, allow_private: bool, steps: u32, watch: &Watch) -> anyhow::Result<Named> {
    // A page that was saved: a path, or the address of one.
    let path = argument.strip_prefix("file://").map(|path| path.strip_prefix("localhost").unwrap_or(path));
    if let Some(path) = path {
        return file_of(&percent_decoded(path), steps, watch);
    }
    if Path::new(argument).is_file() {
        return file_of(argument, steps, watch);
    }
    let (url, step) = parts(argument, false, steps)?;
    match Path::new(url).metadata() {
        Ok(about) if about.is_file() => return file_of(argument, steps, watch),
        // An address has a scheme; what has none is a path, and what is the matter with it as one is said.
        _ if url.contains("://") => {}
        Err(why) if why.kind() == ErrorKind::NotFound => {
            anyhow::bail!("there is no file {url}, and no http or https address is written so");
        }
        Ok(_) | Err(_) => return file_of(argument, steps, watch),
    }
    let page = fetch(url, allow_private, watch)?;
    let origin = Origin { file: page.name, path: None, bytes: Arc::new(MemoryBytes(page.bytes)) };
    Ok(Named { name: url.to_owned(), step, origin })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::transcript::{Input, read as read_transcript};

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
    fn a_file_that_is_not_waited_for_is_left_out_and_the_rest_is_attached() {
        let folder = tempfile::tempdir().unwrap();
        let (large, small) = (folder.path().join("large.txt"), folder.path().join("small.md"));
        std::fs::write(&large, "words of a line that is long enough\n".repeat(1_000_000)).unwrap();
        std::fs::write(&small, "# Small").unwrap();
        let preferences = crate::io::preferences(None, None, &[("cache", "false")]).unwrap();
        let file = [&large, &small].map(|path| path.to_string_lossy().into_owned()).to_vec();
        let look = Look { file, ..Look::default() };
        let (watch, size) = (Watch::default(), std::fs::metadata(&large).unwrap().len());
        let (transcript, attached) = std::thread::scope(|scope| {
            scope.spawn(|| {
                // Its progress is of its own bytes.
                while watch.said().is_none_or(|said| said != "reading large.txt") || watch.progress().1 != size {
                    std::thread::yield_now();
                }
                assert!(watch.leave().is_some());
            });
            let mut sources = Sources::default();
            let session = br#"[{"role":"user","content":"a"},{"role":"assistant","content":"b"}]"#;
            let main = sources.add_memory("s.json", SourceKind::Transcript, session.to_vec());
            let input = Input { sources: &mut sources, main, siblings: None, watch: &Watch::default() };
            let transcript = read_transcript(input, None).unwrap();
            Attached::open(transcript, &mut sources, &preferences, &look, &[], &watch).unwrap()
        });
        let names: Vec<&str> = attached.files.iter().map(|file| last_part(&file.name)).collect();
        assert_eq!((names.as_slice(), watch.is_cancelled()), (["small.md"].as_slice(), false));
        assert_eq!(transcript.warnings[0].message, "large.txt is left out: its reading was stopped");
    }

    #[test]
    fn of_a_file_that_goes_in_whole_no_more_is_held_than_a_window_has_room_for() {
        let mut policy = Policy::default();
        policy.files.mode = FilesMode::Whole;
        assert_eq!(reach(&policy), 32 << 20);
    }

    #[test]
    fn passages_are_ranked_of_as_much_of_a_file_whatever_lets_it_in() {
        let folder = tempfile::tempdir().unwrap();
        let large = folder.path().join("large.txt");
        std::fs::write(&large, "some words of a long text\n".repeat(250_000)).unwrap();
        let preferences = crate::io::preferences(None, None, &[("cache", "false")]).unwrap();
        let look = Look { file: vec![large.to_str().unwrap().to_owned()], ..Look::default() };
        let mut sources = Sources::default();
        let session = br#"[{"role":"user","content":"a"},{"role":"assistant","content":"b"}]"#;
        let main = sources.add_memory("s.json", SourceKind::Transcript, session.to_vec());
        let input = Input { sources: &mut sources, main, siblings: None, watch: &Watch::default() };
        let transcript = read_transcript(input, None).unwrap();
        let watch = Watch::default();
        let (_, attached) = Attached::open(transcript, &mut sources, &preferences, &look, &[], &watch).unwrap();
        let mut policy = Policy::default();
        for mode in [FilesMode::Limits, FilesMode::Reference, FilesMode::Chunks] {
            for most in [1, 16] {
                (policy.files.mode, policy.chunks.max_mb) = (mode, most);
                let ranked = attached.ranked(&attached.files[0], &policy, &watch).unwrap();
                let size = (most << 20).min(26 * 250_000);
                assert_eq!(ranked.markdown.len() as u64, size, "{mode:?} {most}");
            }
        }
    }

    #[test]
    fn a_text_with_breaks_of_two_characters_is_the_file_that_it_came_from() {
        let stored = "ä one\r\n\r\ntwo\rthree\r\n".repeat(9_000);
        let text = stored.replace("\r\n", "\n");
        let file = MemoryBytes(stored.clone().into_bytes());
        assert_eq!(own_bytes(&text, &file), Some(stored.len() as u64));
        for end in (0..text.len()).step_by(97).filter(|end| text.is_char_boundary(*end)) {
            let bytes = usize::try_from(own_bytes(&text[..end], &file).unwrap()).unwrap();
            assert_eq!(stored[..bytes].replace("\r\n", "\n"), text[..end]);
        }
        assert_eq!(own_bytes("a\nb", &MemoryBytes(b"a\nb".to_vec())), Some(3));
        assert_eq!(own_bytes("a\rb", &MemoryBytes(b"a\rb".to_vec())), Some(3));
        for other in ["a\r\nb", "a\nc", "a\nbc"] {
            assert_eq!(own_bytes(other, &MemoryBytes(b"a\r\nb".to_vec())), None, "{other:?}");
        }
    }

    #[test]
    fn places_in_a_text_with_breaks_of_two_characters_are_those_of_the_file() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a.txt");
        let stored = "one ä\r\n\r\ntwo three\r\n".repeat(500);
        std::fs::write(&path, &stored).unwrap();
        let preferences = crate::io::preferences(None, None, &[("cache", "false")]).unwrap();
        let look = Look { file: vec![path.to_str().unwrap().to_owned()], ..Look::default() };
        let (mut sources, watch) = (Sources::default(), Watch::default());
        let session = br#"[{"role":"user","content":"a"},{"role":"assistant","content":"b"}]"#;
        let main = sources.add_memory("s.json", SourceKind::Transcript, session.to_vec());
        let input = Input { sources: &mut sources, main, siblings: None, watch: &watch };
        let transcript = read_transcript(input, None).unwrap();
        let (transcript, attached) =
            Attached::open(transcript, &mut sources, &preferences, &look, &[], &watch).unwrap();
        let text = &attached.files[0].document.markdown;
        assert_eq!(*text, stored.replace("\r\n", "\n"));
        let body = &transcript.block(attached.files[0].block).unwrap().body;
        assert_eq!(sources.body_text(body).unwrap(), *text);
        for (from, _) in text.char_indices().step_by(7) {
            let to = text.ceil_char_boundary((from + 11).min(text.len()));
            let span = sources.stored(body, from as u64, to as u64).unwrap().unwrap();
            assert!(sources.info(span.source).unwrap().kind.bytes_of().is_none());
            let bytes = &stored[span.start as usize..span.end as usize];
            assert_eq!(bytes.replace("\r\n", "\n"), text[from..to], "{from}");
        }
    }

    #[test]
    fn a_page_may_lie_on_disk() {
        let folder = tempfile::tempdir().unwrap();
        let page = folder.path().join("a page.html");
        std::fs::write(&page, "<h1>Saved</h1>").unwrap();
        let path = page.to_str().unwrap();
        for argument in [format!("{path}@3"), format!("file://{}@3", path.replace(' ', "%20"))] {
            let named = page_of(&argument, false, 7, &Watch::default()).unwrap();
            assert_eq!(
                (named.step, named.origin.path.as_deref(), named.origin.bytes.len()),
                (3, Some(page.as_path()), 14)
            );
        }
        assert!(page_of("no-such-page.html", false, 7, &Watch::default()).is_err());
    }
}
