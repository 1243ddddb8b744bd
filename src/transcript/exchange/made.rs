//! Bodies that stand in a file otherwise than as JSON: what they amount to is a source of its own.

use crate::model::{Body, Record, SourceId, Span};
use crate::transcript::parts::Piece;
use crate::transcript::stored::Stored;

use super::{Exchange, Said};

/// The texts of the bodies that one record was unfolded to, joined.
pub(super) struct Made {
    /// The source that they will be a part of.
    source: SourceId,
    /// The line of the record that they come from.
    line: u32,
    /// The texts; spans of them count from its beginning until [`shift`] puts them where they come to stand.
    pub text: Vec<u8>,
}

impl Made {
    /// Nothing yet.
    pub(super) fn new(source: SourceId, line: u32) -> Self {
        Made { source, line, text: Vec::new() }
    }

    /// Takes a body in; its record.
    pub(super) fn add(&mut self, body: &[u8]) -> Record {
        let start = self.text.len() as u64;
        self.text.extend_from_slice(body);
        self.text.push(b'\n');
        Record { source: self.source, line: self.line, start, end: start + body.len() as u64 }
    }
}

/// A part of a body, from which spans can be made.
pub(super) fn part_of<'a>(body: &'a [u8], record: Record, part: &'a [u8]) -> Stored<'a> {
    Stored { bytes: body, record }.within(part)
}

/// Moves what stands in a source by so many bytes: the texts of the records before it come first.
pub(super) fn shift(exchange: &mut Exchange, source: SourceId, by: u64) {
    let Exchange { record, prefix, messages, answer, unseen, automatic, .. } = exchange;
    move_record(record, source, by);
    automatic.iter_mut().for_each(|span| move_span(span, source, by));
    let answers = answer.iter_mut().flat_map(|answer| answer.said.iter_mut().chain(&mut answer.prefix));
    for said in prefix.iter_mut().chain(messages).chain(answers).chain(unseen) {
        let Said { record, pieces, .. } = said;
        move_record(record, source, by);
        for Piece { draft, marks, .. } in pieces {
            let original = draft.original.as_deref_mut();
            original.into_iter().chain([&mut draft.body]).for_each(|body| move_body(body, source, by));
            marks.iter_mut().for_each(|span| move_span(span, source, by));
        }
    }
}

fn move_record(record: &mut Record, source: SourceId, by: u64) {
    if record.source == source {
        record.start += by;
        record.end += by;
    }
}

fn move_body(body: &mut Body, source: SourceId, by: u64) {
    match body {
        Body::Text { spans, .. } => spans.iter_mut().for_each(|span| move_span(span, source, by)),
        Body::Media(media) => move_span(&mut media.span, source, by),
        Body::Hidden(hidden) => hidden.span.iter_mut().for_each(|span| move_span(span, source, by)),
    }
}

fn move_span(span: &mut Span, source: SourceId, by: u64) {
    if span.source == source {
        span.start += by;
        span.end += by;
    }
}
