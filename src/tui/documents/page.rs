//! A document's lines, broken to fit, with where each begins.

use std::ops::Range;

use crate::tui::detail::wrap;

/// Columns of the bar at the left of the page: how near a passage is to the task.
pub const HEAT: u16 = 3;
/// Columns before the text: that bar, and whether a passage is taken.
pub const MARGIN: u16 = HEAT + 2;
/// Bytes of a document that are laid out.
const BYTES_MAX: usize = 8 << 20;

/// A document's rows.
#[derive(Clone, Debug, Default)]
pub struct Laid {
    columns: usize,
    rows: Vec<Range<usize>>,
}

impl Laid {
    /// Breaks the lines of a text, unless it has been done for that many columns.
    pub fn lay(&mut self, text: &str, columns: usize) {
        if self.columns == columns && !self.rows.is_empty() {
            return;
        }
        self.columns = columns;
        self.rows.clear();
        let text = text.get(..text.floor_char_boundary(BYTES_MAX)).unwrap_or_default();
        let mut at = 0;
        for line in text.split_inclusive('\n') {
            let plain = line.trim_end_matches(['\n', '\r']);
            // Blanks that hang over the end are not seen.
            let seen = |row: Range<usize>| {
                let size = plain.get(row.clone()).map_or(0, |text| text.trim_end().len());
                at + row.start..at + row.start + size
            };
            self.rows.extend(wrap(plain, columns.max(8), 0).into_iter().map(seen));
            at += line.len();
        }
    }

    /// Rows there are.
    #[must_use]
    pub fn len(&self) -> usize {
        self.rows.len()
    }

    /// A row's bytes.
    #[must_use]
    pub fn row(&self, at: usize) -> Option<Range<usize>> {
        self.rows.get(at).cloned()
    }

    /// The row that a byte stands in.
    #[must_use]
    pub fn row_of(&self, byte: usize) -> usize {
        self.rows.partition_point(|row| row.start <= byte).saturating_sub(1)
    }
}
