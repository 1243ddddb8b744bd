//! What of attached files a policy lets into a window (`files.mode`): within limits (source 4), chosen passages
//! (source 1), preloaded or as references (source 3), or whole.

use std::borrow::Cow;
use std::fmt::Write as _;
use std::sync::Arc;

use sha2::{Digest, Sha256};

use crate::chunk::{Chooser, Selection, Strategy, Tag, Taken, Verdict};
use crate::content::{Watch, hash, steers_terminal};
use crate::document::{Conversion, Own, PART, named as format_named, shown_line};
use crate::engine::{Cuts, FileText, Prepared, may_compact, preserves};
use crate::model::{BlockId, Coding, Contents, Event, Fate, Layer, Made, Stage, Thread, Transcript, last_part, number};
use crate::policy::{FilesMode, Policy};
use crate::present::count as shown;
use crate::tokens::{Counter, count};

use super::attached::{Attached, AttachedFile, Within};
use super::omitted::{limited, limiting, most, passed_over};

/// What preparing needs beside the files.
pub struct Preparer<'a> {
    pub attached: &'a Attached,
    pub policy: &'a Policy,
    pub counter: Counter,
    pub watch: &'a Watch,
}

impl Attached {
    /// The pieces of all files, by the step at which they come in.
    pub fn prepared(
        &self,
        transcript: &Transcript,
        thread: &Thread,
        counter: Counter,
        policy: &Policy,
        watch: &Watch,
    ) -> anyhow::Result<Vec<Prepared>> {
        let preparer = Preparer { attached: self, policy, counter, watch };
        let mut prepared = Vec::new();
        let mut room = policy.files.preload_kb.saturating_mul(1024);
        for files in self.files.chunk_by(|one, next| one.step == next.step) {
            let mut pieces = Vec::new();
            let mut listed = Vec::new();
            for file in files {
                let (mut made, preloaded) = match policy.files.mode {
                    FilesMode::Whole | FilesMode::Limits | FilesMode::Chunks
                        if let Some(picture) = preparer.picture(file)? =>
                    {
                        (vec![picture], true)
                    }
                    FilesMode::Whole => (vec![preparer.whole(file)?], true),
                    FilesMode::Limits => (vec![preparer.limited(file)?], true),
                    FilesMode::Chunks => {
                        (preparer.chosen(file, &self.task(transcript, thread, file.step, policy))?, true)
                    }
                    FilesMode::Preload => preparer.preloaded(file, &mut room)?,
                    FilesMode::Reference => (Vec::new(), false),
                };
                let (tokens, all) =
                    (made.iter().map(|one| one.tokens).sum(), made.iter().all(|one| one.fate == Fate::Verbatim));
                listed.push((file, preloaded, (!all).then_some(tokens)));
                pieces.append(&mut made);
            }
            let refers = matches!(policy.files.mode, FilesMode::Preload | FilesMode::Reference);
            if policy.files.listing || refers {
                prepared.push(preparer.listing(&listed));
            }
            prepared.append(&mut pieces);
        }
        Ok(prepared)
    }
}

/// Tokens of a whole file of which a part has so many, by its bytes.
fn estimated(file: &AttachedFile, part: &Conversion, tokens: u64) -> u64 {
    let held = part.markdown.len().max(1) as u64;
    let all = u128::from(tokens) * u128::from(file.size.max(held)) / u128::from(held);
    u64::try_from(all).unwrap_or(u64::MAX)
}

impl Preparer<'_> {
    pub(super) fn count(&self, text: &str) -> u64 {
        count(text, self.counter.encoding)
    }

    /// A piece of a file as it is.
    pub fn piece(&self, file: &AttachedFile, content: Contents, tokens: u64) -> Prepared {
        Prepared {
            // What is preloaded is a part of the prompt (source 3); else a file is a message like others.
            fixed: self.policy.files.mode == FilesMode::Preload,
            estimated: !self.counter.exact,
            file: hash(file.name.as_bytes(), Coding::Plain),
            ..Prepared::whole(file.step, Layer::Files, last_part(&file.name), content, tokens)
        }
    }

    /// Where a text of so many tokens can be cut, where a compaction may want a part of it.
    fn cuts(&self, text: &str, tokens: u64) -> Option<Arc<Cuts>> {
        let wanted = self.policy.files.mode != FilesMode::Preload && may_compact(self.policy);
        wanted.then(|| Arc::new(Cuts::of(text, self.counter.encoding, tokens)))
    }

    /// What is told of a document that is held in a block.
    fn text_in(&self, document: &Arc<Conversion>, block: Option<BlockId>) -> Option<Arc<FileText>> {
        Some(Arc::new(FileText { document: document.clone(), block: (block?, false), own: None }))
    }

    /// All of it; with the reason where nothing of it could be read.
    fn whole(&self, file: &AttachedFile) -> anyhow::Result<Prepared> {
        let (document, block) = self.attached.document(file, self.policy, self.watch)?;
        let tokens = self.count(&document.markdown);
        let content = block.map_or_else(|| Made::Text(Cow::Owned(document.markdown.clone())), Made::Block);
        let decided = file.unread().map(|note| {
            let mut event = Event::new(file.step, Stage::Limit, "files.mode");
            event.why = sentence(&format!("Nothing of {} is there: {}.", last_part(&file.name), note.message));
            event
        });
        let cuts = self.cuts(&document.markdown, tokens);
        let text = self.text_in(&document, block);
        let piece = self.piece(file, content.into(), tokens);
        let Some(read) = document.fact(PART) else { return Ok(Prepared { decided, cuts, text, ..piece }) };
        // What no window has room for is not held.
        let original = estimated(file, &document, tokens);
        let mut event = Event::new(file.step, Stage::Limit, "files.mode");
        event.measured = Some(original);
        event.why = sentence(&format!(
            "Of {} only {read} is held, more than a window has room for; it has some {} tokens in all, by its bytes.",
            last_part(&file.name),
            shown(original)
        ));
        Ok(Prepared { original, fate: Fate::Truncated, decided: Some(event), cuts, text, ..piece })
    }

    /// Tokens of a file's text; an estimate by its bytes where it was not read to its end.
    fn original(&self, file: &AttachedFile) -> u64 {
        let tokens = self.count(&file.document.markdown);
        if file.is_part() { estimated(file, &file.document, tokens) } else { tokens }
    }

    /// Within the limits of its format, then in characters and tokens.
    fn limited(&self, file: &AttachedFile) -> anyhow::Result<Prepared> {
        let (Within { document: within, uncut }, block) =
            self.attached.limited(file, &self.policy.files.limits(), self.watch)?;
        if within.markdown == file.document.markdown {
            return self.whole(file);
        }
        let content = match block {
            Some(block) => Made::Block(block),
            None => Made::Text(Cow::Owned(within.markdown.clone())),
        };
        let tokens = self.count(&within.markdown);
        let original = self.original(file).max(tokens);
        let left = limited(&file.document.markdown, &within, uncut.as_ref(), &self.policy.files);
        let last = within.shown.iter().rev().find_map(|shown| limiting(shown, &self.policy.files));
        let (rule, threshold, measured) =
            most(&left).or(last).unwrap_or(("files.max_tokens", Some(self.policy.files.max_tokens), Some(original)));
        let mut event = Event::new(file.step, Stage::Limit, rule);
        (event.threshold, event.measured, event.left) = (threshold, measured, Some(left.into()));
        let told = shown_line(&within.shown);
        let told = if told.is_empty() { "the limits of its format".to_owned() } else { format!("its limits: {told}") };
        let about = if file.is_part() { "; how many tokens it has in all is estimated by its bytes" } else { "" };
        event.why = sentence(&format!("{} is cut to {told}{about}.", last_part(&file.name)));
        let (decided, cuts) = (Some(event), self.cuts(&within.markdown, tokens));
        let text = (self.policy.memory.on || preserves(self.policy)).then(|| {
            let own = Own::of(&file.document.markdown, &within, uncut.as_ref());
            let block = block.map_or((file.block, false), |block| (block, true));
            Arc::new(FileText { document: file.document.clone(), block, own: Some(own) })
        });
        let piece = self.piece(file, content.into(), tokens);
        Ok(Prepared { original, fate: Fate::Truncated, cuts, decided, text, ..piece })
    }

    /// The passages that fit the task.
    fn chosen(&self, file: &AttachedFile, task: &str) -> anyhow::Result<Vec<Prepared>> {
        let settings = self.policy.chunks.settings();
        let (document, block) = self.attached.document(file, self.policy, self.watch)?;
        let mut chooser = Chooser::for_task(document.clone(), &settings, task, self.watch);
        if let Some(reader) = &self.attached.reader {
            reader.refine(&mut chooser, self.policy, self.watch, &mut |_| {})?;
        }
        let (division, selection) = (chooser.division(), chooser.selection());
        if division.strategy == Strategy::Whole {
            return Ok(vec![self.whole(file)?]);
        }
        let mut decided = Some(self.decision(file, &chooser, &selection));
        let mut pieces = Vec::new();
        for at in &selection.chosen {
            let Some(piece) = selection.piece(division, *at) else { continue };
            let tag = Tag::of(division, piece, &file.name);
            let label = format!("{} p.{} {}", tag.source, tag.page, tag.title);
            let head = format!("{tag}\n");
            let text = selection.text(&document, division, *at);
            let tokens = self.count(&head) + self.count(text);
            let part = match block {
                Some(block) => Made::Part(block, piece.start as u64, piece.end as u64, false),
                None => Made::Text(Cow::Owned(text.to_owned())),
            };
            pieces.push(Prepared {
                layer: Layer::Chunks,
                label: label.into(),
                fate: Fate::Truncated,
                text: self.text_in(&document, block),
                decided: decided.take(),
                ..self.piece(file, [Made::Text(Cow::Owned(head)), part].into_iter().collect(), tokens)
            });
        }
        Ok(pieces)
    }

    /// Why these passages.
    fn decision(&self, file: &AttachedFile, chooser: &Chooser, selection: &Selection) -> Event {
        let (settings, division) = (chooser.settings(), chooser.division());
        // Sections are taken for as long as they fit, windows up to their number first.
        let number = division.pieces.len() as u64;
        let (rule, threshold, measured) = match division.strategy {
            Strategy::Windows if number > settings.top => ("chunks.top", settings.top, number),
            _ => ("chunks.budget", settings.budget, division.chars),
        };
        let mut event = Event::new(file.step, Stage::Select, rule);
        (event.threshold, event.measured) = (Some(threshold), Some(measured));
        event.left = Some(passed_over(division, selection, settings).into());
        let is_wordless = |at: &&usize| {
            let verdict = selection.candidates.get(**at).map(|candidate| candidate.verdict);
            verdict == Some(Verdict::Taken(Taken::Wordless))
        };
        let wordless = selection.chosen.iter().filter(is_wordless).count();
        let kind = match division.strategy {
            Strategy::Sections => "sections by priority",
            _ if chooser.is_unasked() => "windows (there is no task)",
            _ if wordless > 0 && wordless == selection.chosen.len() => "windows (none shares a word with the task)",
            _ => "windows nearest to the task",
        };
        let mut why = format!(
            "{} has {} characters, over {}: of {} {kind}, {} are taken, with {} of {} characters",
            last_part(&file.name),
            shown(division.chars),
            shown(settings.threshold),
            shown(selection.candidates.len() as u64),
            shown(selection.chosen.len() as u64),
            shown(selection.used),
            shown(settings.budget),
        );
        if wordless > 0 && wordless < selection.chosen.len() {
            let _ = write!(why, "; of these {wordless} share no word with the task and are taken as they stand");
        }
        if !selection.missed.is_empty() {
            let _ = write!(why, "; the approximate index missed {}", selection.missed.len());
        }
        if let Some(read) = chooser.document().fact(PART) {
            let _ = write!(why, "; only {read} was chosen from (chunks.max_mb)");
        }
        event.tokens_before = Some(self.original(file));
        event.why = sentence(&format!("{why}."));
        event
    }

    /// The first kilobytes of files, where their type may be loaded; `room` is what is left of them.
    fn preloaded(&self, file: &AttachedFile, room: &mut u64) -> anyhow::Result<(Vec<Prepared>, bool)> {
        let (document, block) = self.attached.document(file, self.policy, self.watch)?;
        let text = &document.markdown;
        let (end, cost) = preload_end(file, text, self.policy, *room);
        if end == 0 {
            return Ok((Vec::new(), false));
        }
        *room -= cost;
        if let Some(picture) = self.picture(file)? {
            return Ok((vec![picture], true));
        }
        if end == text.len() && document.fact(PART).is_none() {
            return Ok((vec![self.whole(file)?], true));
        }
        let tokens = self.count(&text[..end]);
        let bytes = if document.fact(PART).is_some() { file.size.max(text.len() as u64) } else { text.len() as u64 };
        let mut event = Event::new(file.step, Stage::Limit, "files.preload_kb");
        (event.threshold, event.measured) = (Some(self.policy.files.preload_kb), Some(bytes.div_ceil(1024)));
        event.why = sentence(&format!(
            "Of {}, the first {} of {} bytes of text are loaded; the rest is left to the model's tools.",
            last_part(&file.name),
            shown(end as u64),
            shown(bytes)
        ));
        let part = match block {
            Some(block) => Made::Part(block, 0, end as u64, false),
            None => Made::Text(Cow::Owned(text[..end].to_owned())),
        };
        let piece = Prepared {
            original: self.original(file).max(tokens),
            fate: Fate::Truncated,
            text: self.text_in(&document, block),
            decided: Some(event),
            ..self.piece(file, part.into(), tokens)
        };
        Ok((vec![piece], true))
    }

    /// The files with id, name, size and whether they are loaded (source 3: always include metadata).
    fn listing(&self, files: &[(&AttachedFile, bool, Option<u64>)]) -> Prepared {
        let mut text = String::from("Files:\n");
        let mut original = 0;
        for (file, preloaded, part) in files {
            let (part, whole) = match (part, preloaded) {
                (None, true) => (None, 0),
                (part, _) => (*part, self.picture_original(file).unwrap_or_else(|| self.original(file))),
            };
            let part = part.filter(|tokens| *tokens < whole && file.picture.is_none() && *preloaded);
            let part =
                part.map_or_else(String::new, |tokens| format!(" ({} of {} tokens)", shown(tokens), shown(whole)));
            // Writing into a string cannot fail.
            let _ = write!(
                text,
                "- id: {}\n  name: {}\n  size: {}\n  preloaded: {preloaded}{part}\n",
                file.id,
                without_steering(last_part(&file.name)),
                shown(file.size)
            );
            if !preloaded {
                original += whole;
            }
        }
        let tokens = self.count(&text);
        let listed: Arc<[BlockId]> =
            files.iter().filter(|(_, preloaded, _)| !preloaded).map(|(file, ..)| file.block).collect();
        let left = listed.len();
        let mut event = Event::new(files.first().map_or(1, |(file, ..)| file.step), Stage::Limit, "files.mode");
        event.measured = Some(original);
        event.listed = Some(listed).filter(|listed| !listed.is_empty());
        event.why = sentence(&format!(
            "Of {} only id, name and size are sent; tools can load {}.",
            number(left, "files"),
            if left == 1 { "it" } else { "them" }
        ));
        let whole = Prepared::whole(event.step, Layer::Files, "files", Made::Text(Cow::Owned(text)).into(), tokens);
        Prepared {
            fixed: true,
            original: original.max(tokens),
            estimated: !self.counter.exact,
            fate: if left > 0 { Fate::Virtual } else { Fate::Verbatim },
            decided: (left > 0).then_some(event),
            ..whole
        }
    }
}

/// Bytes of a file's text that are loaded where `room` of them are left, and what that takes of the room; nothing where
/// its type may not be. A picture is loaded whole or not.
pub fn preload_end(file: &AttachedFile, text: &str, policy: &Policy, room: u64) -> (usize, u64) {
    let kind = media_type(file);
    if !policy.files.preload_types.iter().any(|known| kind.starts_with(known.as_str())) {
        return (0, 0);
    }
    if let Some(picture) = file.picture {
        return if picture.size <= room { (text.len(), picture.size) } else { (0, 0) };
    }
    let end = text.floor_char_boundary(usize::try_from(room).unwrap_or(usize::MAX).min(text.len()));
    (end, end as u64)
}

/// The id of a file: what a model passes to tools. Four digits of the hash of its name and size, or as many as tell it
/// from `others`, those of the files before it. A letter is among them: bare numbers are the ids of files that the
/// transcript holds.
pub fn file_id(name: &str, size: u64, others: &[&str]) -> String {
    let hash = Sha256::new().chain_update(name.as_bytes()).chain_update(size.to_le_bytes()).finalize();
    let mut id = String::from("f_");
    for (at, byte) in hash.iter().enumerate() {
        // Writing into a string cannot fail.
        let _ = write!(id, "{byte:02x}");
        let has_letter = id.bytes().skip(2).any(|sign| sign.is_ascii_alphabetic());
        if at > 0 && has_letter && !others.contains(&id.as_str()) {
            return id;
        }
    }
    // Attached over and over.
    let numbered = |number: usize| format!("{id}_{number}");
    (2..).map(numbered).find(|id| !others.contains(&id.as_str())).unwrap_or(id)
}

/// The media type of a file, as far as its format tells.
fn media_type(file: &AttachedFile) -> &'static str {
    format_named(&file.document.format).map_or("application/octet-stream", |format| format.media)
}

/// A sentence that holds no placeholder, whatever it quotes.
pub fn sentence(text: &str) -> Cow<'static, str> {
    Cow::Owned(without_steering(text).replace('{', "(").replace('}', ")"))
}

/// A text without signs that steer a terminal, line breaks among them.
fn without_steering(text: &str) -> String {
    text.chars().map(|sign| if steers_terminal(sign) { ' ' } else { sign }).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ids_tell_all_files_of_a_session_apart_and_stay_what_they_are() {
        let mut ids: Vec<String> = Vec::new();
        for number in 0..3_000 {
            let others: Vec<&str> = ids.iter().map(String::as_str).collect();
            let id = file_id(&format!("file {number}.txt"), 100, &others);
            assert!(!others.contains(&id.as_str()), "{id}");
            let alone = file_id(&format!("file {number}.txt"), 100, &[]);
            assert!(id.starts_with(&alone) && id[2..].parse::<u64>().is_err(), "{id} is no longer {alone}");
            ids.push(id);
        }
        assert!(ids.iter().any(|id| id.len() > 6), "of so many, some share their first digits");
        let mut same: Vec<String> = Vec::new();
        for _ in 0..40 {
            let others: Vec<&str> = same.iter().map(String::as_str).collect();
            let id = file_id("a.txt", 1, &others);
            assert!(!others.contains(&id.as_str()), "the same file again");
            same.push(id);
        }
    }
}
