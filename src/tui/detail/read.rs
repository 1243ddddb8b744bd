//! From an entry of a run to what the screen shows of it. Reads the sources: not for the thread that draws.

use std::sync::Arc;

use crate::chunk::Tag;
use crate::content::{ContentError, Sources};
use crate::engine::plan::touched_path;
use crate::model::{
    Block, BlockId, BlockKind, Body, Coding, Entry, EntryId, Layer, Made, Run, Span, Transcript, file_name,
};
use crate::present::{count, counted};

use super::content::{Content, Form, Media, Piece};

/// Bytes of an entry that are read for the screen; what is beyond is only counted.
const MOST: u64 = 32 << 20;
/// Bytes of a picture that are read, as stored.
const PICTURE_MAX: u64 = 32 << 20;
/// Entries behind a summary or marker that are shown.
const BEHIND_MAX: usize = 400;

/// Reads an entry.
///
/// # Errors
/// Where its source cannot be read any more.
pub fn read(run: &Run, transcript: &Transcript, sources: &Sources, id: EntryId) -> Result<Content, ContentError> {
    let mut reader = Reader { run, transcript, sources, content: Content::default(), room: MOST };
    let Some(entry) = run.entry(id) else { return Ok(reader.content) };
    reader.entry(entry, true)?;
    let behind: Vec<&Entry> = entry.from.iter().filter_map(|id| run.entry(*id)).collect();
    if !behind.is_empty() {
        reader.rule(&behind_words(entry, &behind, run));
        for one in behind.iter().take(BEHIND_MAX) {
            if behind.len() > 1 {
                reader.rule(&format!("{} {}", one.layer.info().title, one.label));
            }
            reader.entry(one, false)?;
        }
        if behind.len() > BEHIND_MAX {
            reader.rule(&counted((behind.len() - BEHIND_MAX) as u64, "more entry", "more entries"));
        }
    }
    reader.content.provenance = provenance(transcript, sources, entry);
    Ok(reader.content)
}

struct Reader<'a> {
    run: &'a Run,
    transcript: &'a Transcript,
    sources: &'a Sources,
    content: Content,
    room: u64,
}

/// A text of which parts are shown, and how far it has been gone through.
struct Parts<'a> {
    id: BlockId,
    original: bool,
    block: &'a Block,
    text: String,
    done: usize,
}

impl<'a> Reader<'a> {
    fn entry(&mut self, entry: &Entry, kept: bool) -> Result<(), ContentError> {
        let mut parts: Option<Parts<'a>> = None;
        for made in &entry.content {
            match made {
                Made::Part(id, from, to, original) => {
                    if parts.as_ref().is_none_or(|open| (open.id, open.original) != (*id, *original)) {
                        self.close(parts.take(), entry);
                        parts = self.open(*id, *original)?;
                    }
                    if let Some(open) = &mut parts {
                        let (from, to) = (boundary(&open.text, *from), boundary(&open.text, *to));
                        self.cut(open, from, entry);
                        let text = open.text.get(open.done..to).unwrap_or_default();
                        let form = self.form(open.block);
                        push(&mut self.content, form, kept, text);
                        open.done = open.done.max(to);
                    }
                }
                Made::Block(id) => {
                    self.close(parts.take(), entry);
                    if let Some(block) = self.transcript.block(*id) {
                        self.block(block, entry, kept)?;
                    }
                }
                Made::Text(text) => push(&mut self.content, marker(entry), kept, text),
                Made::Written(written) => push(&mut self.content, Form::Marker, kept, &written.text(self.run)),
            }
        }
        self.close(parts, entry);
        Ok(())
    }

    fn open(&mut self, id: BlockId, original: bool) -> Result<Option<Parts<'a>>, ContentError> {
        let Some(block) = self.transcript.block(id) else { return Ok(None) };
        let body = block.original.as_deref().filter(|_| original).unwrap_or(&block.body);
        let text = self.text(body)?;
        Ok(Some(Parts { id, original, block, text, done: 0 }))
    }

    /// What lies between the part shown last and the next one was cut.
    fn cut(&mut self, open: &mut Parts<'a>, to: usize, entry: &Entry) {
        let text = open.text.get(open.done..to).unwrap_or_default();
        if text.is_empty() {
            return;
        }
        // A passage was chosen of its document, which is read in the documents view.
        if entry.layer == Layer::Chunks {
            open.done = to;
            return;
        }
        let (words, form) = (cut_words(text, entry, self.run), self.form(open.block));
        self.rule(&words);
        push(&mut self.content, form, false, text);
        open.done = to;
    }

    fn close(&mut self, parts: Option<Parts<'a>>, entry: &Entry) {
        if let Some(mut open) = parts {
            let end = open.text.len();
            self.cut(&mut open, end, entry);
        }
    }

    fn block(&mut self, block: &'a Block, entry: &Entry, kept: bool) -> Result<(), ContentError> {
        match &block.body {
            Body::Text { .. } => {
                let text = self.text(&block.body)?;
                match block.original.as_deref() {
                    Some(original) if kept => {
                        let original = self.text(original)?;
                        self.against(block, &text, &original, entry);
                    }
                    _ => {
                        let form = self.form(block);
                        push(&mut self.content, form, kept, &text);
                    }
                }
            }
            Body::Media(media) => {
                let stored = media.span.coding == Coding::Base64 && media.span.len() <= PICTURE_MAX;
                let data = match (stored, block.kind) {
                    (true, BlockKind::Image) => {
                        Some(Arc::from(self.sources.read(media.span.source, media.span.start, media.span.end)?))
                    }
                    _ => None,
                };
                let shown = Media {
                    mime: media.mime.to_string(),
                    pixels: media.pixels,
                    tokens: entry.tokens,
                    bytes: if media.span.coding == Coding::Base64 { media.span.len() } else { 0 },
                    data,
                };
                push(&mut self.content, Form::Picture(Arc::new(shown)), kept, "");
            }
            Body::Hidden(hidden) => {
                let size = hidden
                    .tokens
                    .map_or_else(String::new, |tokens| format!(" ({})", counted(tokens, "token", "tokens")));
                let text = format!("The transcript does not show this: it is encrypted or redacted{size}.");
                push(&mut self.content, Form::Hidden, kept, &text);
            }
        }
        Ok(())
    }

    /// A text that the agent had cut, beside what it was before.
    fn against(&mut self, block: &Block, text: &str, original: &str, entry: &Entry) {
        let form = self.form(block);
        let head = common(text.bytes(), original.bytes());
        let head = original.floor_char_boundary(head);
        let rest = (text.get(head..).unwrap_or_default(), original.get(head..).unwrap_or_default());
        let tail = common(rest.0.bytes().rev(), rest.1.bytes().rev());
        let tail = original.len() - original.ceil_char_boundary(original.len() - tail);
        if (head + tail) * 2 < text.len() {
            push(&mut self.content, form.clone(), true, text);
            self.rule(&cut_words(original, entry, self.run));
            push(&mut self.content, form, false, original);
            return;
        }
        let end = original.len() - tail;
        let marker = text.get(head..text.len() - tail).unwrap_or_default();
        push(&mut self.content, form.clone(), true, original.get(..head).unwrap_or_default());
        push(&mut self.content, Form::Marker, true, marker);
        let gone = original.get(head..end).unwrap_or_default();
        if !gone.is_empty() {
            self.rule(&cut_words(gone, entry, self.run));
            push(&mut self.content, form.clone(), false, gone);
        }
        push(&mut self.content, form, true, original.get(end..).unwrap_or_default());
    }

    fn rule(&mut self, words: &str) {
        self.content.pieces.push(Piece { form: Form::Rule, kept: true, text: words.to_owned() });
    }

    fn text(&mut self, body: &Body) -> Result<String, ContentError> {
        let mut text = String::new();
        for (number, span) in body.spans().enumerate() {
            if number > 0 {
                text.push('\n');
            }
            let end = span.end.min(span.start.saturating_add(self.room));
            self.room -= end - span.start;
            self.content.left_out += span.end - end;
            text.push_str(&self.sources.text(Span { end, ..span })?);
        }
        Ok(text)
    }

    fn form(&self, block: &Block) -> Form {
        match block.kind {
            BlockKind::ToolCall => Form::Call { tool: Arc::clone(&block.label) },
            BlockKind::ToolResult => Form::Plain { file: self.file(block) },
            BlockKind::Definition | BlockKind::Document => Form::Plain { file: None },
            _ if matches!(block.layer, Layer::ToolResults | Layer::Files | Layer::Tools) => Form::Plain { file: None },
            _ => Form::Markdown,
        }
    }

    /// The file that a tool's answer shows, by the arguments of its call.
    fn file(&self, block: &Block) -> Option<Arc<str>> {
        let tool = block.label.to_ascii_lowercase();
        if !["read", "view", "cat", "open", "write", "edit"].iter().any(|word| tool.contains(word)) {
            return None;
        }
        let key = block.call?;
        let call =
            self.transcript.blocks.iter().find(|other| other.call == Some(key) && other.kind == BlockKind::ToolCall)?;
        let span = call.body.spans().next().filter(|span| span.len() <= 1 << 20)?;
        touched_path(&self.sources.text(span).ok()?).map(Arc::from)
    }
}

/// A harness's own words are a marker where they stand for something else, else they are its text.
fn marker(entry: &Entry) -> Form {
    let alone = entry.content.len() == 1 && entry.from.is_empty();
    if alone || entry.layer == Layer::Summaries { Form::Markdown } else { Form::Marker }
}

fn push(content: &mut Content, form: Form, kept: bool, text: &str) {
    if !text.is_empty() || matches!(form, Form::Picture(_)) {
        content.pieces.push(Piece { form, kept, text: text.to_owned() });
    }
}

fn boundary(text: &str, at: u64) -> usize {
    text.floor_char_boundary(usize::try_from(at).unwrap_or(usize::MAX))
}

fn common(one: impl Iterator<Item = u8>, other: impl Iterator<Item = u8>) -> usize {
    one.zip(other).take_while(|(one, other)| one == other).count()
}

/// `cut: 17,220 characters · truncate, tool_results.virtual_over = 10,000`.
fn cut_words(text: &str, entry: &Entry, run: &Run) -> String {
    let size = counted(text.chars().count() as u64, "character", "characters");
    format!("✂ {size} cut{}", rule_words(entry, run))
}

/// What a marker or summary stands for, and why.
fn behind_words(entry: &Entry, behind: &[&Entry], run: &Run) -> String {
    let tokens = behind.iter().fold(0u64, |sum, one| sum.saturating_add(one.tokens));
    let what = counted(behind.len() as u64, "entry", "entries");
    format!("stands for {what}, {}{}", counted(tokens, "token", "tokens"), rule_words(entry, run))
}

fn rule_words(entry: &Entry, run: &Run) -> String {
    let Some(event) = entry.made_by.and_then(|id| run.event(id)) else { return String::new() };
    // An entry does not hold its own number.
    let is_it = |id: &EntryId| run.entry(*id).is_some_and(|made| std::ptr::eq(made, entry));
    let event = event.each.iter().find(|one| one.made.iter().any(is_it)).unwrap_or(event);
    let stage = event.stage.name();
    match (event.rule.is_empty(), event.threshold) {
        (true, _) => format!(" · {stage}"),
        (false, None) => format!(" · {stage}, {}", event.rule),
        (false, Some(threshold)) => format!(" · {stage}, {} = {}", event.rule, count(threshold)),
    }
}

/// Where an entry's blocks stand, as tags. A chosen passage has its own.
fn provenance(transcript: &Transcript, sources: &Sources, entry: &Entry) -> Vec<String> {
    let own = entry.content.iter().filter(|_| entry.layer == Layer::Chunks).find_map(|made| match made {
        Made::Text(head) => Tag::parse(head.lines().next()?),
        _ => None,
    });
    if let Some(tag) = own {
        return vec![tag.place()];
    }
    let blocks = entry.content.iter().filter_map(|made| match made {
        Made::Block(id) => transcript.block(*id).map(|block| (block, false)),
        Made::Part(id, .., original) => transcript.block(*id).map(|block| (block, *original)),
        Made::Text(_) | Made::Written(_) => None,
    });
    let mut tags: Vec<String> = blocks
        .map(|(block, original)| {
            let info = sources.info(block.record.source);
            let name = file_name(info.map_or("?", |source| source.name.as_str()));
            let line = count(u64::from(block.record.line));
            let content = block.content(original);
            if let Body::Media(_) = content {
                // Of an attached picture the file is the place; offsets in its base64 are none in anybody's file.
                let attached = info.is_some_and(|source| source.kind.is_attached());
                return if attached {
                    format!("[source:{name}]")
                } else {
                    format!("[source:{name} | line {line}{}]", place_among(transcript, block))
                };
            }
            // What was converted has other bytes than the file that is named.
            let of = info.and_then(|source| source.kind.place_of()).map_or_else(String::new, |of| format!(" | {of}"));
            let whole = (block.record.start, block.record.end);
            let span = content.spans().fold(None, |range: Option<(u64, u64)>, span| {
                let (from, to) = range.unwrap_or((span.start, span.end));
                Some((from.min(span.start), to.max(span.end)))
            });
            let (from, to) = span.unwrap_or(whole);
            let mark = if original { " | original" } else { "" };
            format!("[source:{name}{mark}{of} | line {line} | @{}–{}]", count(from), count(to))
        })
        .collect();
    tags.dedup();
    tags
}

/// Which of the pictures of its record one is, where there are several: ` | picture 2 of 3`.
fn place_among(transcript: &Transcript, block: &Block) -> String {
    let word = if block.kind == BlockKind::Image { "picture" } else { "file" };
    let alike = |other: &&Block| other.record == block.record && other.kind == block.kind;
    let (mut before, mut all) = (0, 0);
    for other in transcript.blocks.iter().filter(alike).filter(|other| matches!(other.body, Body::Media(_))) {
        (before, all) = (before + u64::from(other.body.spans().le(block.body.spans())), all + 1);
    }
    if all > 1 { format!(" | {word} {} of {}", count(before), count(all)) } else { String::new() }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::content::Watch;
    use crate::engine::{StepFacts, recorded};
    use crate::model::{Contents, Fate, Role, SourceKind, ThreadId};
    use crate::transcript::{Input, give_document, give_picture, read as read_transcript};

    #[test]
    fn a_chosen_passage_stands_alone_with_its_own_place() {
        let mut sources = Sources::default();
        let session = br#"[{"role":"user","content":"a"},{"role":"assistant","content":"b"}]"#;
        let main = sources.add_memory("s.json", SourceKind::Transcript, session.to_vec());
        let input = Input { sources: &mut sources, main, siblings: None, watch: &Watch::default() };
        let transcript = read_transcript(input, None).unwrap();
        let text = [&"before ".repeat(50), "the passage", &" after".repeat(50)].concat();
        let paper = sources.add_memory("paper.pdf", SourceKind::Attached, text.clone().into_bytes());
        let (transcript, block) = give_document(transcript, &sources, (paper, &text), "paper.pdf", None);
        let tag = "=== Chunk 3 [source:paper.pdf | p.2 | ¶5 | @350] ===";
        let made = |layer| {
            let content: Contents =
                [Made::Text(format!("{tag}\n").into()), Made::Part(block, 350, 361, false)].into_iter().collect();
            let entry = Entry {
                layer,
                role: Role::User,
                fate: Fate::Truncated,
                content,
                label: "paper.pdf".into(),
                tokens: 9,
                original_tokens: 9,
                estimated: false,
                from: [].into_iter().collect(),
                made_by: None,
                lives: [].into_iter().collect(),
            };
            let mut run = recorded(&transcript, ThreadId(0), |_| StepFacts::default());
            run.entries = vec![entry];
            read(&run, &transcript, &sources, EntryId(0)).unwrap()
        };
        let chosen = made(Layer::Chunks);
        assert_eq!(chosen.provenance, ["[source:paper.pdf | p.2 | ¶5 | @350]"]);
        let texts: Vec<&str> = chosen.pieces.iter().map(|piece| piece.text.trim_end()).collect();
        assert_eq!(texts, [tag, "the passage"]);
        // What was cut of other entries is shown.
        assert!(made(Layer::ToolResults).pieces.iter().any(|piece| !piece.kept));
    }

    #[test]
    fn the_place_of_a_picture_is_its_record_or_its_file() {
        let mut sources = Sources::default();
        let picture = r#"{"type":"image_url","image_url":{"url":"data:image/png;base64,iVBORw0KGgo="}}"#;
        let session = format!(
            r#"[{{"role":"user","content":[{picture},{{"type":"text","text":"a"}},{picture}]}},
            {{"role":"user","content":[{picture}]}},{{"role":"assistant","content":"b"}}]"#
        );
        let main = sources.add_memory("s.json", SourceKind::Transcript, session.into_bytes());
        let input = Input { sources: &mut sources, main, siblings: None, watch: &Watch::default() };
        let transcript = read_transcript(input, None).unwrap();
        let cat = sources.add_memory("cat.png", SourceKind::Attached, b"iVBORw0KGgo=".to_vec());
        let (transcript, block) = give_picture(transcript, &sources, cat, "image/png", "cat.png").unwrap();
        let mut run = recorded(&transcript, ThreadId(0), |_| StepFacts::default());
        let mut attached = run.entries[0].clone();
        attached.content = [Made::Block(block)].into_iter().collect();
        run.entries.push(attached);
        let places: Vec<String> = (0..run.entries.len() as u32)
            .map(|id| read(&run, &transcript, &sources, EntryId(id)).unwrap())
            .filter(|content| matches!(content.pieces[0].form, Form::Picture(_)))
            .flat_map(|content| content.provenance)
            .collect();
        let expected = [
            "[source:s.json | line 1 | picture 1 of 2]",
            "[source:s.json | line 1 | picture 2 of 2]",
            "[source:s.json | line 2]",
            "[source:cat.png]",
        ];
        assert_eq!(places, expected);
    }
}
