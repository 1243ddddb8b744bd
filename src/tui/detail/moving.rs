//! Going through an entry's text by rows, without ever laying all of it out.

use super::view::{Detail, Place};

impl Detail {
    /// Takes the size of the pane, and fills it where there is enough text. To be called before drawing.
    pub fn fit(&mut self, width: u16, height: u16) {
        let other = (width, height) != (self.width, self.height);
        if width != self.width {
            self.width = width;
            self.lay_tables();
            self.top.row = 0;
            self.show_column();
        }
        self.height = height;
        if other && self.held {
            self.show_hit();
        }
        self.settle();
    }

    /// Moves by rows; it stops at both ends.
    pub fn scroll(&mut self, by: isize) {
        self.held = false;
        self.top = if by < 0 { self.back(self.top, by.unsigned_abs()) } else { self.on(self.top, by.unsigned_abs()) };
        self.settle();
    }

    /// Moves by pages.
    pub fn page(&mut self, by: isize) {
        let page = isize::try_from(self.height.saturating_sub(2).max(1)).unwrap_or(1);
        self.scroll(by.saturating_mul(page));
    }

    /// Goes to the beginning.
    pub fn to_top(&mut self) {
        self.held = false;
        (self.top, self.column) = (Place::default(), 0);
        if self.lines_in(0) == 0 {
            self.top = self.next_line(self.top).unwrap_or_default();
        }
    }

    /// Goes to the end.
    pub fn to_bottom(&mut self) {
        self.held = false;
        self.top = self.last();
        self.settle();
    }

    fn last(&self) -> Place {
        let end = Place { section: self.sections.len(), line: 0, row: 0 };
        let Some(mut last) = self.line_before(end) else { return Place::default() };
        last.row = self.rows_of(last).saturating_sub(1);
        last
    }

    fn on(&self, from: Place, mut rows: usize) -> Place {
        let mut place = from;
        loop {
            let left = self.rows_of(place).saturating_sub(place.row + 1);
            if rows <= left {
                return Place { row: place.row + rows, ..place };
            }
            rows -= left + 1;
            match self.next_line(place) {
                Some(next) => place = next,
                None => return self.last(),
            }
        }
    }

    pub(super) fn back(&self, from: Place, mut rows: usize) -> Place {
        let mut place = from;
        loop {
            if rows <= place.row {
                return Place { row: place.row - rows, ..place };
            }
            rows -= place.row + 1;
            match self.line_before(place) {
                Some(before) => place = Place { row: self.rows_of(before).saturating_sub(1), ..before },
                None => return Place { row: 0, ..place },
            }
        }
    }

    /// Brings the first row shown to where the pane is full, where there is enough text.
    pub(super) fn settle(&mut self) {
        let last = self.last();
        let least = self.back(last, usize::from(self.height.saturating_sub(1)));
        self.top = self.top.min(least);
        if self.lines_in(self.top.section) == 0 {
            self.to_top();
        }
        let rows = self.rows_of(self.top);
        self.top.row = self.top.row.min(rows.saturating_sub(1));
    }

    /// How far down the first row shown is: lines above it, and lines in all.
    #[must_use]
    pub fn position(&self) -> (usize, usize) {
        let before = (0..self.top.section).map(|at| self.lines_in(at)).sum::<usize>() + self.top.line;
        let all = (0..self.sections.len()).map(|at| self.lines_in(at)).sum();
        (before, all)
    }
}
