//! The state of an entry on the screen: what is shown of it, and from where on.

use std::collections::HashMap;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use ratatui_image::picker::Picker;
use ratatui_image::sliced::SlicedProtocol;

use crate::config::Role;

use super::compose::{Composed, inked_line, rule_line, text_line};
use super::content::{Content, Ink, Inked, Media};
use super::highlight::{self, BLOCK, Inks};
use super::picture::{PictureJob, described};
use super::section::{Body, Section, sections};
use super::worker::{Done, Job, Owner};
use super::wrap::wrap;

/// Blocks of colours that are kept.
const COLOURS_MAX: usize = 256;
/// Rows that a picture may take, where the pane is as high.
const PICTURE_ROWS: u16 = 60;

/// A row of the text: the section, its line, and the row of that line.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub struct Place {
    pub(super) section: usize,
    pub(super) line: usize,
    pub(super) row: usize,
}

/// A picture on its way to the screen.
pub(super) enum Shown {
    /// Asked for, in so many columns.
    Asked(u16),
    /// Ready, for so many columns.
    Ready(u16, Box<SlicedProtocol>),
    /// It cannot be shown.
    Failed(String),
}

/// An entry's text on the screen.
pub struct Detail {
    pub(super) id: u64,
    pub(super) content: Arc<Content>,
    pub(super) sections: Vec<Section>,
    pub(super) raw: bool,
    pub(super) cut: bool,
    pub(super) wrapped: bool,
    pub(super) column: usize,
    pub(super) top: Place,
    pub(super) width: u16,
    pub(super) height: u16,
    pub(super) tables: HashMap<usize, Vec<Inked>>,
    pub(super) colours: HashMap<(u32, u32), Vec<Inks>>,
    pub(super) pictures: HashMap<usize, Shown>,
    pub(super) waiting: bool,
    pub(super) query: String,
    pub(super) hits: Vec<(usize, usize, usize)>,
    pub(super) hit: Option<usize>,
    /// Whether the present hit stays in sight when the pane gets another size: nothing was scrolled since.
    pub(super) held: bool,
}

impl Detail {
    /// Lays an entry out from its beginning. Long entries take a while: not for the thread that draws.
    #[must_use]
    pub fn new(content: Arc<Content>, raw: bool) -> Detail {
        static NEXT: AtomicU64 = AtomicU64::new(1);
        let mut detail = Detail {
            id: NEXT.fetch_add(1, Ordering::Relaxed),
            sections: sections(&content, raw),
            content,
            raw,
            cut: true,
            wrapped: true,
            column: 0,
            top: Place::default(),
            width: 80,
            height: 24,
            tables: HashMap::new(),
            colours: HashMap::new(),
            pictures: HashMap::new(),
            waiting: false,
            query: String::new(),
            hits: Vec::new(),
            hit: None,
            held: false,
        };
        detail.lay_tables();
        detail
    }

    /// What is shown.
    #[must_use]
    pub fn content(&self) -> &Arc<Content> {
        &self.content
    }

    /// Whether the text is shown as it was sent.
    #[must_use]
    pub fn raw(&self) -> bool {
        self.raw
    }

    /// Whether it holds anything that was cut, or that something else stands for.
    #[must_use]
    pub fn holds_cut(&self) -> bool {
        self.sections.iter().any(|section| !section.kept)
    }

    /// Whether what was cut is shown.
    #[must_use]
    pub fn shows_cut(&self) -> bool {
        self.cut
    }

    /// Shows or hides what was cut.
    pub fn show_cut(&mut self, cut: bool) {
        self.cut = cut;
        self.top.row = 0;
        if self.hidden(self.top.section) {
            self.top = self.next_line(self.top).unwrap_or_default();
        }
        let query = std::mem::take(&mut self.query);
        self.search(&query);
    }

    /// Whether long lines are wrapped.
    #[must_use]
    pub fn wraps(&self) -> bool {
        self.wrapped
    }

    /// Wraps long lines, or lets them run on.
    pub fn set_wrap(&mut self, wrapped: bool) {
        (self.wrapped, self.column, self.top.row) = (wrapped, 0, 0);
    }

    /// Shows what is further to the right, where lines run on.
    pub fn slide(&mut self, columns: isize) {
        if !self.wrapped {
            self.column = self.column.saturating_add_signed(columns).min(1 << 20);
        }
    }

    fn hidden(&self, section: usize) -> bool {
        !self.cut && self.sections.get(section).is_some_and(|section| !section.kept)
    }

    /// Lines of a section at the width there is.
    pub(super) fn lines_in(&self, at: usize) -> usize {
        let Some(section) = self.sections.get(at) else { return 0 };
        match &section.body {
            _ if !self.cut && !section.kept => 0,
            Body::Lines { lines, .. } => lines.count(),
            Body::Inked(lines) => lines.len(),
            Body::Table(_) => self.tables.get(&at).map_or(0, Vec::len),
            Body::Rule(_) => 1,
            Body::Picture(_) => 1 + usize::from(self.picture_rows(at)),
        }
    }

    /// Lays the tables out at the width there is.
    pub(super) fn lay_tables(&mut self) {
        self.tables.clear();
        for (at, section) in self.sections.iter().enumerate() {
            if let Body::Table(table) = &section.body {
                let width = usize::from(self.width.saturating_sub(section.indent));
                self.tables.insert(at, table.lines(width));
            }
        }
    }

    fn picture_rows(&self, at: usize) -> u16 {
        match self.pictures.get(&at) {
            Some(Shown::Ready(_, protocol)) => protocol.size().height,
            Some(Shown::Failed(_)) => 1,
            _ => 0,
        }
    }

    pub(super) fn next_line(&self, place: Place) -> Option<Place> {
        if place.line + 1 < self.lines_in(place.section) {
            return Some(Place { line: place.line + 1, row: 0, ..place });
        }
        let next = (place.section + 1..self.sections.len()).find(|at| self.lines_in(*at) > 0)?;
        Some(Place { section: next, line: 0, row: 0 })
    }

    pub(super) fn line_before(&self, place: Place) -> Option<Place> {
        if place.line > 0 {
            return Some(Place { line: place.line - 1, row: 0, ..place });
        }
        let before = (0..place.section).rev().find(|at| self.lines_in(*at) > 0)?;
        Some(Place { section: before, line: self.lines_in(before).saturating_sub(1), row: 0 })
    }

    /// A line with its looks.
    pub(super) fn compose(&self, place: Place) -> Composed {
        let Some(section) = self.sections.get(place.section) else { return Composed::default() };
        let mut composed = match &section.body {
            Body::Lines { .. } => {
                let block = place.line / BLOCK;
                let key = (u32::try_from(place.section).unwrap_or(u32::MAX), u32::try_from(block).unwrap_or(u32::MAX));
                let inks = self.colours.get(&key);
                text_line(section, place.line, inks.and_then(|inks| inks.get(place.line % BLOCK)))
            }
            Body::Inked(lines) => lines.get(place.line).map(|line| inked_line(line, section)).unwrap_or_default(),
            Body::Table(_) => {
                let line = self.tables.get(&place.section).and_then(|lines| lines.get(place.line));
                line.map(|line| inked_line(line, section)).unwrap_or_default()
            }
            Body::Rule(words) => rule_line(words, usize::from(self.width)),
            Body::Picture(media) => self.picture_line(place, media, section),
        };
        self.mark_hits(place, &mut composed);
        composed
    }

    fn picture_line(&self, place: Place, media: &Media, section: &Section) -> Composed {
        let ink = match (place.line, self.pictures.get(&place.section)) {
            (0, _) => Ink::new(&described(media), Role::Dim),
            (_, Some(Shown::Failed(why))) => Ink::new(&format!("cannot be shown: {why}"), Role::Warning),
            _ => return Composed::default(),
        };
        inked_line(&Inked { inks: vec![ink], ..Inked::default() }, section)
    }

    /// The rows of a line at the width there is.
    pub(super) fn rows(&self, composed: &Composed) -> Vec<std::ops::Range<usize>> {
        if !self.wrapped {
            return std::iter::once(0..composed.text.len()).collect();
        }
        let margin = unicode_width::UnicodeWidthStr::width(composed.margin.as_str());
        wrap(&composed.text, usize::from(self.width).saturating_sub(margin), composed.hang)
    }

    pub(super) fn rows_of(&self, place: Place) -> usize {
        let composed = self.compose(place);
        self.rows(&composed).len()
    }

    /// Work to be done before what is in sight is whole, one at a time: colours, and pictures where the terminal can
    /// show them.
    pub fn wants(&mut self, picker: Option<&Picker>) -> Option<Job> {
        if self.waiting {
            return None;
        }
        let (mut place, mut rows) = (self.top, 0);
        while rows < usize::from(self.height) {
            if let Some(job) = self.missing_colours(place).or_else(|| self.missing_picture(place.section, picker)) {
                if let Job::Picture(PictureJob { key: (_, section), room, .. }) = &job {
                    self.pictures.insert(*section as usize, Shown::Asked(room.0));
                }
                self.waiting = true;
                return Some(job);
            }
            rows += self.rows_of(place).saturating_sub(place.row);
            place = self.next_line(place)?;
        }
        None
    }

    /// Whether it asked for what was made.
    #[must_use]
    pub fn asked_for(&self, done: &Done) -> bool {
        done.owner() == Owner::Entry(self.id)
    }

    /// Takes what was made. What another entry asked for is left.
    pub fn take(&mut self, done: Done) {
        if !self.asked_for(&done) {
            return;
        }
        self.waiting = false;
        match done {
            Done::Colours((_, section, block), inks) => {
                if self.colours.len() >= COLOURS_MAX {
                    self.colours.clear();
                }
                self.colours.insert((section, block), inks);
            }
            Done::Picture((_, section), made) => {
                let section = section as usize;
                let width = match self.pictures.get(&section) {
                    Some(Shown::Asked(width)) => *width,
                    _ => self.width,
                };
                let shown = made.map_or_else(Shown::Failed, |protocol| Shown::Ready(width, Box::new(protocol)));
                self.pictures.insert(section, shown);
            }
            // It is asked for again when it is looked at.
            Done::Nothing(Job::Picture(job)) => _ = self.pictures.remove(&(job.key.1 as usize)),
            Done::Nothing(Job::Colours(_)) => {}
        }
    }

    fn missing_colours(&self, place: Place) -> Option<Job> {
        let section = self.sections.get(place.section)?;
        let Body::Lines { lines, language: Some(language), gutter, .. } = &section.body else { return None };
        let key = (u32::try_from(place.section).ok()?, u32::try_from(place.line / BLOCK).ok()?);
        if !section.kept || self.colours.contains_key(&key) {
            return None;
        }
        Some(Job::Colours(highlight::Job {
            key: (self.id, key.0, key.1),
            lines: lines.clone(),
            language: Arc::clone(language),
            gutter: *gutter,
        }))
    }

    fn missing_picture(&self, at: usize, picker: Option<&Picker>) -> Option<Job> {
        let Section { body: Body::Picture(media), .. } = self.sections.get(at)? else { return None };
        let there = match self.pictures.get(&at) {
            Some(Shown::Asked(width) | Shown::Ready(width, _)) => *width == self.width,
            Some(Shown::Failed(_)) => true,
            None => media.data.is_none(),
        };
        if there {
            return None;
        }
        Some(Job::Picture(PictureJob {
            key: (Owner::Entry(self.id), u32::try_from(at).ok()?),
            media: Arc::clone(media),
            picker: picker?.clone(),
            room: (self.width, PICTURE_ROWS.min(self.height.saturating_sub(1))),
            grow: 1,
        }))
    }
}
