//! First words of entries, for the rows of the window.

use std::sync::Arc;

use crate::content::Sources;
use crate::model::{Body, EntryId, Made, Run, Span, Transcript};

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
            let original = matches!(entry.content.first(), Some(Made::Part(.., true)));
            let body = block.content(original);
            match body {
                Body::Text { .. } => {
                    let span = body.spans().find(|span| !span.is_empty());
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
