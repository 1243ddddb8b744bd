//! Where readers write: Markdown with anchors, passed on in pieces, within bounds.

use super::limits::{Limits, LineCutter};
use super::piece::{Anchor, Kept, Left, LeftBy, Note, OutlineItem, Piece, Place, PlaceKind, Shown, WITHIN};

/// Markdown is passed on when this much has gathered.
const PASS_ON: usize = 64 << 10;
/// Bytes of work between two signs of life.
const BEAT: u64 = 4 << 20;
/// What is said of a file that is damaged where nothing was written.
const NOTHING_LEFT: &str = "nothing of it is left that can be shown";
/// Complaints of one document; the rest are only counted.
const NOTES_MAX: u64 = 200;

/// Why a conversion ends before its document does.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Stop {
    /// As much Markdown as may be.
    Full,
    /// The user wants no more, or whoever takes the pieces is gone.
    Cancelled,
}

/// What pieces are handed to; it says whether to go on.
pub type Sink<'a> = dyn FnMut(Piece) -> Result<(), Stop> + 'a;

/// A list that was shortened.
#[derive(Clone, Copy, Debug)]
pub struct CutOf {
    /// The byte of Markdown at which it stands.
    pub at: u64,
    /// How many of its items are shown.
    pub shown: u64,
    /// How many it has.
    pub total: u64,
}

/// Where a reader writes.
pub struct Out<'a> {
    sink: &'a mut Sink<'a>,
    text: String,
    chars: u64,
    bytes: u64,
    max_bytes: u64,
    cutter: Option<LineCutter>,
    /// Complaints so far.
    pub(super) notes: u64,
    /// Those that say of what is left that it is shown, until it is known whether something is.
    held: Vec<(Note, &'static str)>,
    /// Bytes or rows taken in since the last sign of life.
    since_beat: u64,
    /// Whether facts and the outline are those of an inner document, and not passed on.
    quiet: bool,
    /// The archive within an archive whose files are written.
    outer: Option<String>,
    /// The newest place: complaints are about it.
    place: Option<Place>,
    /// Characters and bytes before the document that is written: an inner one begins later.
    start: (u64, u64),
    /// What of a text that is laid out anew was written.
    kept: Vec<Kept>,
    /// What of it each limit left out, and what had been written when the newest began.
    left: Vec<Left>,
    left_at: usize,
    /// Line breaks that the Markdown ends with (2 or more: a blank line), for blocks.
    breaks: u8,
}

impl<'a> Out<'a> {
    /// Passes pieces on to `sink`; stops after `max_bytes` of Markdown.
    pub fn new(max_bytes: u64, sink: &'a mut Sink<'a>) -> Out<'a> {
        let text = String::new();
        Out {
            sink,
            text,
            chars: 0,
            bytes: 0,
            max_bytes,
            cutter: None,
            notes: 0,
            held: Vec::new(),
            since_beat: 0,
            quiet: false,
            outer: None,
            place: None,
            start: (0, 0),
            kept: Vec::new(),
            left: Vec::new(),
            left_at: 0,
            breaks: 2,
        }
    }

    /// From here on, only so many lines and so many characters of each are passed on. What stands within a document whose
    /// lines are cut already is cut with them.
    pub fn cut_lines(&mut self, limits: &Limits, count_lines: bool) {
        let bytes = self.bytes;
        self.cutter.get_or_insert_with(|| LineCutter::new(limits, count_lines, bytes));
    }

    /// More Markdown, as it is.
    ///
    /// # Errors
    /// When there is enough.
    pub fn text(&mut self, text: &str) -> Result<(), Stop> {
        if text.is_empty() {
            return Ok(());
        }
        let ended = text.bytes().rev().take_while(|byte| *byte == b'\n').count();
        let before = if ended == text.len() { usize::from(self.breaks) } else { 0 };
        self.breaks = u8::try_from((before + ended).min(2)).unwrap_or(2);
        let mut full = false;
        match &mut self.cutter {
            Some(cutter) => {
                let from = self.text.len();
                cutter.push(text, &mut self.text);
                self.count(from);
                self.beat(text.len() as u64)?;
            }
            None => {
                let room = usize::try_from(self.max_bytes.saturating_sub(self.bytes)).unwrap_or(usize::MAX);
                let from = self.text.len();
                let end = text.floor_char_boundary(room.min(text.len()));
                self.text.push_str(&text[..end]);
                self.count(from);
                full = end < text.len();
            }
        }
        if self.text.len() >= PASS_ON {
            self.pass_on()?;
        }
        if full || self.bytes >= self.max_bytes { Err(Stop::Full) } else { Ok(()) }
    }

    fn count(&mut self, from: usize) {
        let added = self.text.get(from..).unwrap_or_default();
        self.bytes += added.len() as u64;
        self.chars += added.chars().count() as u64;
        if !added.is_empty() && !self.held.is_empty() {
            self.settle();
        }
    }

    /// A block of its own: a blank line before it, and a line break after it.
    ///
    /// # Errors
    /// As [`Out::text`].
    pub fn block(&mut self, text: &str) -> Result<(), Stop> {
        let text = text.trim_end();
        if text.is_empty() {
            return Ok(());
        }
        self.blank_line()?;
        self.text(text)?;
        self.text("\n")
    }

    /// Ends the line, and makes sure that a blank one follows.
    ///
    /// # Errors
    /// As [`Out::text`].
    pub fn blank_line(&mut self) -> Result<(), Stop> {
        match (self.is_empty(), self.breaks) {
            (true, _) | (false, 2..) => Ok(()),
            (false, 1) => self.text("\n"),
            (false, 0) => self.text("\n\n"),
        }
    }

    /// Ends the line, where one is begun.
    ///
    /// # Errors
    /// As [`Out::text`].
    pub fn end_line(&mut self) -> Result<(), Stop> {
        if self.breaks == 0 { self.text("\n") } else { Ok(()) }
    }

    /// Whether no Markdown has been written yet.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.bytes == 0 && self.cutter.as_ref().is_none_or(LineCutter::is_empty)
    }

    /// Whether the lines that may be shown have all been written.
    #[must_use]
    pub fn is_cut(&self) -> bool {
        self.cutter.as_ref().is_some_and(LineCutter::is_full)
    }

    /// A place begins here.
    ///
    /// # Errors
    /// As [`Out::text`].
    pub fn anchor(&mut self, mut place: Place) -> Result<(), Stop> {
        if let (PlaceKind::File, Some(outer), Some(name)) = (place.kind, &self.outer, &mut place.name) {
            name.insert_str(0, &format!("{outer}{WITHIN}"));
        }
        self.place = Some(place.clone());
        if self.is_cut() {
            return Ok(());
        }
        self.pass_on()?;
        (self.sink)(Piece::Anchor(Anchor { offset: self.chars, byte: self.bytes, place }))
    }

    /// A place begins where the document does: told when it turns out that there are others.
    ///
    /// # Errors
    /// As [`Out::text`].
    pub fn anchor_at_start(&mut self, place: Place) -> Result<(), Stop> {
        let (offset, byte) = self.start;
        (self.sink)(Piece::Anchor(Anchor { offset, byte, place }))
    }

    /// A complaint about the newest place.
    pub fn note(&mut self, message: impl Into<String>) {
        self.note_at(0, message);
    }

    /// A complaint about the document and not its newest place.
    pub fn note_on_all(&mut self, message: impl Into<String>) {
        self.note_on_all_at(0, message);
    }

    /// The same, about a line of the original, from 1.
    pub fn note_on_all_at(&mut self, line: u64, message: impl Into<String>) {
        let place = self.place.take();
        self.note_at(line, message);
        self.place = place;
    }

    /// A complaint about a line of the original, from 1.
    pub fn note_at(&mut self, line: u64, message: impl Into<String>) {
        let note = Note { place: self.place.clone(), line, message: message.into(), of_reader: false };
        self.send(note);
    }

    /// A complaint that something of the newest place is lost, and what is said of the rest: that is only said where some of
    /// the document is shown.
    pub fn lost(&mut self, what: impl Into<String>, rest: &'static str) {
        self.lost_at(0, what, rest);
    }

    /// The same of the document and not its newest place.
    pub fn lost_of_all(&mut self, what: impl Into<String>, rest: &'static str) {
        let place = self.place.take();
        self.lost_at(0, what, rest);
        self.place = place;
    }

    /// The same, about a line of the original, from 1.
    pub fn lost_at(&mut self, line: u64, what: impl Into<String>, rest: &'static str) {
        let note = Note { place: self.place.clone(), line, message: what.into(), of_reader: false };
        if self.held.len() as u64 >= NOTES_MAX {
            self.notes += 1;
            return;
        }
        if !self.is_begun() {
            // Its reader may be brought down before it is known.
            let _ = (self.sink)(Piece::Unsaid(ending(note.clone(), NOTHING_LEFT)));
        }
        self.held.push((note, rest));
        if self.is_begun() {
            self.settle();
        }
    }

    /// Whether something of the document was written.
    fn is_begun(&self) -> bool {
        self.bytes > self.start.1 || self.start.1 == 0 && !self.is_empty()
    }

    /// Says what is lost: nothing more of the document will be written, or some was.
    pub fn settle(&mut self) {
        let held = std::mem::take(&mut self.held);
        let is_shown = self.is_begun();
        if is_shown && !held.is_empty() {
            // It is to be there when that is said.
            let _ = self.pass_on();
        }
        for (note, rest) in held {
            self.send(ending(note, if is_shown { rest } else { NOTHING_LEFT }));
        }
    }

    fn send(&mut self, note: Note) {
        self.notes += 1;
        if self.notes <= NOTES_MAX {
            // Who no longer listens is noticed at the next text.
            let _ = (self.sink)(Piece::Note(note));
        }
    }

    /// A fact about the document; nothing where it is empty.
    pub fn fact(&mut self, name: &str, value: impl ToString) {
        let value = value.to_string();
        if !value.trim().is_empty() && !self.quiet {
            let _ = (self.sink)(Piece::Fact(name.to_owned(), value));
        }
    }

    /// An entry of the table of contents.
    pub fn outline(&mut self, item: OutlineItem) {
        if !self.quiet {
            let _ = (self.sink)(Piece::Outline(item));
        }
    }

    /// Writes an inner document: its facts and its outline are not those of the whole.
    pub fn quietly<T>(&mut self, write: impl FnOnce(&mut Out<'a>) -> T) -> T {
        let start = (self.chars, self.bytes);
        let held = std::mem::take(&mut self.held);
        let before =
            (std::mem::replace(&mut self.quiet, true), self.place.clone(), std::mem::replace(&mut self.start, start));
        let written = write(self);
        self.settle();
        (self.quiet, self.place, self.start) = before;
        self.held = held;
        if self.is_begun() {
            self.settle();
        }
        written
    }

    /// As [`Out::quietly`], the files of an archive, which are named with it.
    pub fn within<T>(&mut self, name: &str, write: impl FnOnce(&mut Out<'a>) -> T) -> T {
        let outer = self.outer.replace(name.to_owned());
        let written = self.quietly(write);
        self.outer = outer;
        written
    }

    /// What was written since the Markdown had so many bytes is what the text says at these bytes, as far as it reaches;
    /// nothing where nothing was.
    pub fn keep(&mut self, from: u64, to: u64, since: u64) {
        let to = to.min(from.saturating_add(self.bytes.saturating_sub(since)));
        if from < to && !self.quiet {
            self.kept.push((from, to, since));
        }
    }

    /// What the text says at these bytes was left out by a limit. What it leaves out without anything in between is one
    /// part.
    pub fn leave(&mut self, from: u64, to: u64, by: LeftBy) {
        if self.quiet || from >= to {
            return;
        }
        match self.left.last_mut() {
            Some(last) if last.2 == by && self.left_at == self.kept.len() && last.0 <= from => last.1 = last.1.max(to),
            _ => self.left.push((from, to, by)),
        }
        self.left_at = self.kept.len();
    }

    /// Bytes of Markdown so far.
    #[must_use]
    pub fn written(&self) -> u64 {
        self.bytes
    }

    /// Says that only some were shown; nothing where all were.
    pub fn shown(&mut self, what: &str, shown: u64, total: u64) {
        self.say_shown(what, shown, total, Vec::new());
    }

    /// The same, where it is known at which bytes of Markdown those end that were. It is told where all were shown, too:
    /// what is cut off behind them is not.
    pub fn shown_to(&mut self, what: &str, ends: Vec<u64>, total: u64) {
        self.say_shown(what, ends.len() as u64, total, ends);
    }

    fn say_shown(&mut self, what: &str, shown: u64, total: u64, ends: Vec<u64>) {
        if shown < total || !ends.is_empty() {
            self.tell_shown(what, shown, total, ends);
        }
    }

    fn tell_shown(&mut self, what: &str, shown: u64, total: u64, ends: Vec<u64>) {
        let _ = (self.sink)(Piece::Shown(Shown::Of { what: what.to_owned(), shown, total, ends, of_rest: false }));
    }

    /// Says that some were shortened; nothing where none were.
    pub fn cut(&mut self, what: &str, count: u64) {
        self.say_cut(what, count, Vec::new(), Vec::new());
    }

    /// The same, where it is known at which bytes of Markdown they stand.
    pub fn cut_at(&mut self, what: &str, at: Vec<u64>) {
        self.say_cut(what, at.len() as u64, at, Vec::new());
    }

    /// The same, where it is known how many items of each are shown and how many it has.
    pub fn cut_of(&mut self, what: &str, cut: Vec<CutOf>) {
        let (at, of): (Vec<u64>, Vec<(u64, u64)>) = cut.into_iter().map(|cut| (cut.at, (cut.shown, cut.total))).unzip();
        self.say_cut(what, at.len() as u64, at, of);
    }

    /// Says that so many were left out that hold nothing, of the part of that name where there are several.
    pub fn left_out(&mut self, of: Option<&str>, what: &str, count: u64) {
        if count > 0 {
            let of = of.map_or_else(String::new, |name| format!("{name}: "));
            let plural = if count == 1 { "" } else { "s" };
            let _ = (self.sink)(Piece::Shown(Shown::Words(format!("{of}{count} {what}{plural} left out"))));
        }
    }

    fn say_cut(&mut self, what: &str, count: u64, at: Vec<u64>, of: Vec<(u64, u64)>) {
        if count > 0 {
            let _ = (self.sink)(Piece::Shown(Shown::Cut { what: what.to_owned(), count, at, of }));
        }
    }

    /// Any other piece, in its turn.
    ///
    /// # Errors
    /// As [`Out::text`].
    pub fn pass(&mut self, piece: Piece) -> Result<(), Stop> {
        if self.quiet && matches!(piece, Piece::Attachment(_)) {
            return Ok(());
        }
        self.pass_on()?;
        (self.sink)(piece)
    }

    /// How far it has come.
    ///
    /// # Errors
    /// As [`Out::text`].
    pub fn progress(&mut self, done: u64, total: u64) -> Result<(), Stop> {
        (self.sink)(Piece::Progress(done, total))
    }

    /// Work that shows in no text: now and then a sign of life is given.
    ///
    /// # Errors
    /// As [`Out::text`].
    pub fn beat(&mut self, work: u64) -> Result<(), Stop> {
        self.since_beat += work;
        if self.since_beat < BEAT {
            return Ok(());
        }
        self.since_beat = 0;
        self.progress(0, 0)
    }

    /// Writes what is held back, and says what was cut.
    ///
    /// # Errors
    /// As [`Out::text`].
    pub fn finish(&mut self) -> Result<(), Stop> {
        if let Some(cutter) = self.cutter.take() {
            let from = self.text.len();
            let (lines, long) = cutter.finish(&mut self.text);
            self.count(from);
            if let Some((shown, total)) = lines {
                self.tell_shown("lines", shown, total, Vec::new());
            }
            self.cut_at("lines", long);
        }
        self.settle();
        if self.notes > NOTES_MAX {
            let message = match self.notes - NOTES_MAX {
                1 => "1 more complaint of this kind".to_owned(),
                more => format!("{more} more complaints of this kind"),
            };
            let _ = (self.sink)(Piece::Note(Note { place: None, line: 0, message, of_reader: false }));
        }
        self.pass_on()?;
        let (kept, left) = (std::mem::take(&mut self.kept), std::mem::take(&mut self.left));
        if !left.is_empty() {
            (self.sink)(Piece::Left(left))?;
        }
        if kept.is_empty() { Ok(()) } else { (self.sink)(Piece::Kept(kept)) }
    }

    /// Passes on what is held back: what comes next may fail.
    ///
    /// # Errors
    /// As [`Out::text`].
    pub fn flush(&mut self) -> Result<(), Stop> {
        self.pass_on()
    }

    fn pass_on(&mut self) -> Result<(), Stop> {
        if self.text.is_empty() {
            return Ok(());
        }
        (self.sink)(Piece::Text(std::mem::take(&mut self.text)))
    }
}

/// A complaint with what is said of the rest.
fn ending(mut note: Note, rest: &str) -> Note {
    note.message = format!("{}; {rest}", note.message);
    note
}

#[cfg(test)]
#[path = "out_tests.rs"]
mod tests;
