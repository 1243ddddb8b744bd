//! First words of entries, for the rows of the window.

use std::sync::Arc;

use crate::content::Sources;
use crate::model::{BlockId, Body, EntryId, Made, Run, Span, Transcript};

/// Bytes of text that the first words are taken from.
const BYTES: usize = 700;

/// The first words of an entry, on one line.
#[must_use]
pub fn first_words(run: &Run, transcript: &Transcript, sources: &Sources, id: EntryId) -> Arc<str> {
    let Some(entry) = run.entry(id) else { return Arc::from("") };
    let mut text = String::new();
    for made in entry.content.iter() {
        match made {
            Made::Text(more) => text.push_str(more),
            Made::Written(written) => text.push_str(&written.text(run)),
            Made::Block(id) => text.push_str(&of_block(transcript, sources, *id, None)),
            Made::Part(id, from, to, original) => {
                text.push_str(&of_block(transcript, sources, *id, Some((*from, *to, *original))));
            }
        }
        if text.len() >= BYTES {
            break;
        }
    }
    // Paths within the session's folder say more without it.
    let folder = transcript.session.folder.as_deref().filter(|folder| folder.len() > 1);
    let text = folder.map_or_else(|| text.clone(), |folder| text.replace(&format!("{folder}/"), ""));
    Arc::from(crate::present::first_words(&text, 160).as_str())
}

/// The beginning of a block, or of a range of its decoded text (of the original, where that is shown).
fn of_block(transcript: &Transcript, sources: &Sources, id: BlockId, part: Option<(u64, u64, bool)>) -> String {
    let Some(block) = transcript.block(id) else { return String::new() };
    match block.content(part.is_some_and(|(.., original)| original)) {
        body @ Body::Text { .. } => match part {
            Some((from, to, _)) if from > 0 => within(sources, body, from, to),
            Some((_, to, _)) => {
                let mut text = beginning(sources, body);
                text.truncate(text.floor_char_boundary(usize::try_from(to).unwrap_or(usize::MAX)));
                text
            }
            None => beginning(sources, body),
        },
        Body::Media(media) => match media.pixels {
            Some((wide, high)) => format!("{} {wide} × {high}", media.mime),
            None => media.mime.to_string(),
        },
        Body::Hidden(_) => "not recorded in clear".to_owned(),
    }
}

/// The beginning of a text, from as little of what is stored as gives it.
fn beginning(sources: &Sources, body: &Body) -> String {
    let mut text = String::new();
    for span in body.spans().filter(|span| !span.is_empty()) {
        let head = Span { end: span.end.min(span.start.saturating_add(BYTES as u64)), ..span };
        if !text.is_empty() {
            text.push('\n');
        }
        text.push_str(&sources.text(head).unwrap_or_default());
        if head.end < span.end || text.len() >= BYTES {
            break;
        }
    }
    text
}

/// The beginning of a range of a text. Where it is stored only the text before it tells.
fn within(sources: &Sources, body: &Body, from: u64, to: u64) -> String {
    let text = sources.body_text(body).unwrap_or_default();
    let place = |at: u64| text.floor_char_boundary(usize::try_from(at).unwrap_or(usize::MAX).min(text.len()));
    let (from, to) = (place(from), place(to.min(from.saturating_add(BYTES as u64))));
    text.get(from..to).unwrap_or_default().to_owned()
}

#[cfg(test)]
mod tests {
    use std::borrow::Cow;

    use super::*;
    use crate::content::Watch;
    use crate::model::{Contents, Entry, Fate, Layer, Role, SourceKind, ThreadId, Track};
    use crate::transcript::{Input, read};

    fn words(session: &serde_json::Value, content: impl Fn(BlockId) -> Vec<Made>) -> String {
        let mut sources = Sources::default();
        let main = sources.add_memory("s.json", SourceKind::Transcript, session.to_string().into_bytes());
        let input = Input { sources: &mut sources, main, siblings: None, watch: &Watch::default() };
        let transcript = read(input, None).unwrap();
        let result = |block: &crate::model::Block| block.layer == Layer::ToolResults;
        let at = transcript.blocks.iter().position(result).unwrap();
        let entry = Entry {
            layer: Layer::ToolResults,
            role: Role::User,
            fate: Fate::Truncated,
            content: Contents::from(content(BlockId(u32::try_from(at).unwrap()))),
            label: Arc::from(""),
            tokens: 0,
            original_tokens: 0,
            estimated: false,
            from: Default::default(),
            made_by: None,
            lives: Default::default(),
        };
        let run = Run { entries: vec![entry], ..Run::new(Track::Simulated, ThreadId(0)) };
        first_words(&run, &transcript, &sources, EntryId(0)).to_string()
    }

    #[test]
    fn the_words_of_a_part_are_those_at_its_place_in_the_text() {
        let before = "\"é\"\n".repeat(500);
        let text = format!("{before}begin of the part\nand more");
        let from = before.len() as u64;
        let session = |content: serde_json::Value| {
            serde_json::json!([
                {"role": "user", "content": "Go."},
                {"role": "assistant", "content": [{"type": "tool_use", "id": "c", "name": "Read", "input": {}}]},
                {"role": "user", "content": [{"type": "tool_result", "tool_use_id": "c", "content": content}]},
            ])
        };
        let one = session(serde_json::json!(text));
        let part = |id| vec![Made::Part(id, from, from + 17, false)];
        assert_eq!(words(&one, part), "begin of the part");
        assert_eq!(words(&one, |id| vec![Made::Part(id, 0, 4, false)]), "\"é\"");
        let marked = |id| vec![Made::Text(Cow::Borrowed("[a mark] ")), Made::Part(id, from, from + 5, false)];
        assert_eq!(words(&one, marked), "[a mark] begin");
    }

    #[test]
    fn a_text_in_several_places_is_one() {
        let mut sources = Sources::default();
        let stored = br#"first\n|a \"b\" c"#.to_vec();
        let source = sources.add_memory("s", SourceKind::Transcript, stored);
        let span = |start, end| Span { source, start, end, coding: crate::model::Coding::Json };
        let body = Body::Text { spans: [span(0, 7), span(8, 17)].into_iter().collect(), chars: 14, hash: 0 };
        assert_eq!(beginning(&sources, &body), "first\n\na \"b\" c");
        assert_eq!(within(&sources, &body, 7, 12), "a \"b\"");
        assert_eq!((within(&sources, &body, 99, 120), within(&sources, &body, 12, 3)), (String::new(), String::new()));
    }
}
