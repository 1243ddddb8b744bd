//! A cursor in a list that is longer than its pane.

use crate::config::Action;

/// By how many rows an action moves in a list of which so many are seen; `None` for other actions.
#[must_use]
pub fn rows_of(action: Action, page: usize) -> Option<isize> {
    let page = page.max(1).cast_signed();
    let half = (page / 2).max(1);
    Some(match action {
        Action::Down => 1,
        Action::Up => -1,
        Action::HalfPageDown => half,
        Action::HalfPageUp => -half,
        Action::PageDown => page,
        Action::PageUp => -page,
        Action::Top => isize::MIN,
        Action::Bottom => isize::MAX,
        _ => return None,
    })
}

/// Where a list's cursor is, and which row is drawn first.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Scroll {
    /// The selected row.
    pub cursor: usize,
    /// The first row that is drawn.
    pub top: usize,
}

/// By how many rows a page moves in a list that stands over a screen, where what is seen of it depends on the screen.
pub const PAGE_OVER: usize = 10;

impl Scroll {
    /// Takes an action in a list that stands over a screen; `false` where it closes the list.
    pub fn over(&mut self, action: Action, rows: usize) -> bool {
        if let Some(by) = rows_of(action, PAGE_OVER) {
            self.step(by, rows);
        }
        action != Action::Back
    }

    /// Moves the cursor by so many rows; it stops at the ends.
    pub fn step(&mut self, by: isize, rows: usize) {
        self.cursor = self.cursor.saturating_add_signed(by).min(rows.saturating_sub(1));
    }

    /// Moves what is drawn by so many rows, and the cursor only as far as it must.
    pub fn wheel(&mut self, by: isize, rows: usize, height: usize) {
        self.top = self.top.saturating_add_signed(by).min(rows.saturating_sub(height));
        self.cursor = self.cursor.clamp(self.top, (self.top + height.max(1) - 1).max(self.top));
        self.cursor = self.cursor.min(rows.saturating_sub(1));
    }

    /// Brings the cursor into the rows, and what is drawn to the cursor, with a row of context where there is one.
    pub fn settle(&mut self, rows: usize, height: usize) {
        self.cursor = self.cursor.min(rows.saturating_sub(1));
        let margin = usize::from(height > 4);
        let least = (self.cursor + margin + 1).saturating_sub(height.max(1));
        let most = self.cursor.saturating_sub(margin);
        self.top = self.top.clamp(least.min(most), most).min(rows.saturating_sub(height));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_cursor_stays_in_sight() {
        let mut scroll = Scroll::default();
        for (by, expected) in
            [(1, (1, 0)), (8, (9, 1)), (100, (99, 90)), (-1, (98, 90)), (-8, (90, 89)), (-200, (0, 0))]
        {
            scroll.step(by, 100);
            scroll.settle(100, 10);
            assert_eq!((scroll.cursor, scroll.top), expected, "after {by}");
        }
    }

    #[test]
    fn the_wheel_takes_the_cursor_along() {
        let mut scroll = Scroll { cursor: 2, top: 0 };
        scroll.wheel(3, 100, 10);
        assert_eq!((scroll.cursor, scroll.top), (3, 3));
        scroll.wheel(-50, 100, 10);
        assert_eq!((scroll.cursor, scroll.top), (3, 0));
        scroll.wheel(5, 3, 10);
        assert_eq!((scroll.cursor, scroll.top), (2, 0));
        for (rows, height) in [(0, 0), (0, 5), (5, 0), (1, 1)] {
            scroll.wheel(1, rows, height);
            scroll.settle(rows, height);
            assert!(scroll.cursor <= rows && scroll.top <= rows);
        }
    }
}
