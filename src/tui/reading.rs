//! The entry that is read: its text as the model saw it, with what was cut beside it, and where it came from.

use std::sync::Arc;

use crate::content::{ContentError, Sources};
use crate::model::{Body, Entry, EntryId, Made, Run, Span, Transcript};
use crate::present::count;

/// Characters of an entry that are read for the screen; what is beyond is only counted.
const MOST: usize = 1 << 20;

/// A piece of an entry's text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Piece {
    /// The text.
    pub text: String,
    /// Whether the model saw it; else it was cut, cleared or summarised away.
    pub kept: bool,
}

/// An entry's text and provenance.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Reading {
    /// The text, in order.
    pub pieces: Vec<Piece>,
    /// Where it came from, as tags.
    pub provenance: String,
    /// Bytes that are not shown, because there are too many.
    pub left_out: u64,
}

/// Reads an entry.
///
/// # Errors
/// Where its source cannot be read any more.
pub fn read(run: &Run, transcript: &Transcript, sources: &Sources, id: EntryId) -> Result<Reading, ContentError> {
    let mut reading = Reading::default();
    let Some(entry) = run.entry(id) else { return Ok(reading) };
    for made in &entry.content {
        add(&mut reading, run, transcript, sources, made)?;
    }
    // What a marker or summary stands for follows it, as what is gone.
    for from in entry.from.iter().filter_map(|id| run.entry(*id)).take(200) {
        for made in &from.content {
            let mut inner = Reading::default();
            add(&mut inner, run, transcript, sources, made)?;
            reading.left_out += inner.left_out;
            for piece in inner.pieces {
                push(&mut reading, &format!("\n{}", piece.text), false);
            }
        }
    }
    reading.provenance = provenance(transcript, sources, entry);
    Ok(reading)
}

fn add(
    reading: &mut Reading,
    run: &Run,
    transcript: &Transcript,
    sources: &Sources,
    made: &Made,
) -> Result<(), ContentError> {
    match made {
        Made::Text(text) => push(reading, text, true),
        Made::Written(written) => push(reading, &written.text(run), true),
        Made::Block(id) => {
            let Some(block) = transcript.block(*id) else { return Ok(()) };
            match &block.body {
                Body::Text { .. } => {
                    let text = text_of(sources, &block.body, &mut reading.left_out)?;
                    push(reading, &text, true);
                }
                Body::Media(media) => {
                    let size =
                        media.pixels.map_or_else(String::new, |(wide, high)| format!(", {wide} × {high} pixels"));
                    let text = format!("{}{size}, {} bytes as recorded", media.mime, count(media.span.len()));
                    push(reading, &text, true);
                }
                Body::Hidden(hidden) => {
                    let size = hidden.tokens.map_or_else(String::new, |tokens| format!(", {} tokens", count(tokens)));
                    push(reading, &format!("not shown by the transcript: encrypted or redacted{size}"), true);
                }
            }
        }
        Made::Part(id, from, to, original) => {
            let Some(block) = transcript.block(*id) else { return Ok(()) };
            let body = block.original.as_deref().filter(|_| *original).unwrap_or(&block.body);
            let text = text_of(sources, body, &mut reading.left_out)?;
            let cut = |at: u64| {
                let mut at = usize::try_from(at).unwrap_or(usize::MAX).min(text.len());
                while !text.is_char_boundary(at) {
                    at -= 1;
                }
                at
            };
            let (from, to) = (cut(*from), cut(*to).max(cut(*from)));
            push(reading, &text[..from], false);
            push(reading, &text[from..to], true);
            push(reading, &text[to..], false);
        }
    }
    Ok(())
}

fn push(reading: &mut Reading, text: &str, kept: bool) {
    let used: usize = reading.pieces.iter().map(|piece| piece.text.len()).sum();
    let mut room = MOST.saturating_sub(used).min(text.len());
    while !text.is_char_boundary(room) {
        room -= 1;
    }
    reading.left_out += (text.len() - room) as u64;
    if room > 0 {
        reading.pieces.push(Piece { text: text[..room].to_owned(), kept });
    }
}

fn text_of(sources: &Sources, body: &Body, left_out: &mut u64) -> Result<String, ContentError> {
    let mut text = String::new();
    for (index, span) in body.spans().enumerate() {
        if index > 0 {
            text.push('\n');
        }
        let room = MOST.saturating_sub(text.len()) as u64;
        let end = span.end.min(span.start.saturating_add(room));
        *left_out += span.end - end;
        text.push_str(&sources.text(Span { end, ..span })?);
    }
    Ok(text)
}

/// Where an entry's blocks stand, as tags: `[source:a.jsonl | line 311 | @88,120–92,344]`.
fn provenance(transcript: &Transcript, sources: &Sources, entry: &Entry) -> String {
    let mut blocks: Vec<_> = entry
        .content
        .iter()
        .filter_map(|made| match made {
            Made::Block(id) | Made::Part(id, ..) => transcript.block(*id),
            Made::Text(_) | Made::Written(_) => None,
        })
        .collect();
    blocks.dedup_by_key(|block| block.record);
    let tags: Vec<String> = blocks
        .iter()
        .map(|block| {
            let name = sources
                .info(block.record.source)
                .map_or("?", |source| source.name.rsplit(['/', '\\']).next().unwrap_or(&source.name));
            let range =
                block.body.spans().fold((u64::MAX, 0), |(from, to), span| (from.min(span.start), to.max(span.end)));
            let (from, to) = if range.1 == 0 { (block.record.start, block.record.end) } else { range };
            format!("[source:{name} | line {} | @{}–{}]", count(u64::from(block.record.line)), count(from), count(to))
        })
        .collect();
    tags.join(" ")
}

/// The first words of an entry, on one line.
#[must_use]
pub fn first_words(run: &Run, transcript: &Transcript, sources: &Sources, id: EntryId) -> Arc<str> {
    const BYTES: u64 = 700;
    let Some(entry) = run.entry(id) else { return Arc::from("") };
    let text = match entry.content.first() {
        None => String::new(),
        Some(Made::Text(text)) => text.to_string(),
        Some(Made::Written(written)) => written.text(run),
        Some(Made::Block(id) | Made::Part(id, ..)) => {
            let Some(block) = transcript.block(*id) else { return Arc::from("") };
            let skip = match entry.content.first() {
                Some(Made::Part(_, from, ..)) => *from,
                _ => 0,
            };
            match &block.body {
                Body::Text { .. } => {
                    let span = block.body.spans().find(|span| !span.is_empty());
                    let head = span.map(|span| Span {
                        start: span.start.saturating_add(skip).min(span.end),
                        end: span.end.min(span.start.saturating_add(skip + BYTES)),
                        ..span
                    });
                    head.and_then(|head| sources.text(head).ok()).unwrap_or_default()
                }
                Body::Media(media) => match media.pixels {
                    Some((wide, high)) => format!("{} {wide} × {high}", media.mime),
                    None => media.mime.to_string(),
                },
                Body::Hidden(_) => "not recorded in clear".to_owned(),
            }
        }
    };
    // Paths within the session's folder say more without it.
    let folder = transcript.session.folder.as_deref().filter(|folder| folder.len() > 1);
    let text = folder.map_or_else(|| text.clone(), |folder| text.replace(&format!("{folder}/"), ""));
    Arc::from(crate::present::first_words(&text, 160).as_str())
}
