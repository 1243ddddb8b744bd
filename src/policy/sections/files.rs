//! Attached files: how they come into the window, and the limits of each format.

use crate::document::Limits;
use crate::policy::declare::section;
use crate::policy::value::{Choice, choice};

choice! {
    /// How an attached file comes into the window.
    FilesMode {
        /// Cut to the limits of its format.
        Limits = "limits",
        /// As the sections or chunks that fit the task.
        Chunks = "chunks",
        /// Whole, up to a number of kilobytes; the rest as a reference.
        Preload = "preload",
        /// As its name, size and id only.
        Reference = "reference",
        /// Whole.
        Whole = "whole",
    }
}

section! {
    /// Attached files, and what is kept of each format.
    files: Files {
        /// How an attached file comes into the window.
        mode: FilesMode = FilesMode::Limits, 0..=0 "", Instant, "sources 1, 3, 4";
        /// Whether every file is listed with id, name and size.
        listing: bool = false, 0..=0 "", Instant, "source 3: always include metadata about available files in the prompt";
        /// Kilobytes of files that are loaded without being asked for.
        preload_kb: u64 = 0, 0..=1_000_000 "kB", Instant, "source 3: automatically preload the first N kb";
        /// Media types that may be preloaded.
        preload_types: Vec<String> = ["image/", "text/", "application/pdf"].map(String::from).to_vec(), 0..=100 "", Instant, "source 3: appropriate mimetypes for loading";
        /// Matches that file_regex returns.
        regex_matches: u64 = 20, 1..=100_000 "matches", Instant, "windowpane: source 3 says up to a certain number of matches";
        /// Tokens of a file.
        max_tokens: u64 = 5_000, 1..=100_000_000 "tokens", Recount, "source 4: MAX_TOKENS_PER_FILE";
        /// Characters of a file.
        max_chars: u64 = 50_000, 1..=1_000_000_000 "characters", Recount, "source 4: MAX_TOTAL_OUTPUT";
        /// Lines of text and code.
        max_lines: u64 = 200, 1..=100_000_000 "lines", Recount, "source 4: MAX_LINES";
        /// Characters of a line.
        max_line_length: u64 = 1_000, 1..=100_000_000 "characters", Recount, "source 4: MAX_LINE_LENGTH";
        /// Rows from the start of a table.
        rows_head: u64 = 20, 0..=100_000_000 "rows", Recount, "source 4: DEFAULT_ROWS_HEAD";
        /// Rows from the end of a table.
        rows_tail: u64 = 10, 0..=100_000_000 "rows", Recount, "source 4: DEFAULT_ROWS_TAIL";
        /// Columns of a table.
        max_columns: u64 = 50, 1..=1_000_000 "columns", Recount, "source 4: MAX_COLUMNS";
        /// Characters of a cell.
        max_cell_length: u64 = 500, 1..=100_000_000 "characters", Recount, "source 4: MAX_CELL_LENGTH";
        /// Sheets of a workbook.
        max_sheets: u64 = 3, 1..=100_000 "sheets", Recount, "source 4's public code (aixtools 0.11.4): 3 sheets";
        /// Levels of nested data.
        max_depth: u64 = 5, 1..=100_000 "levels", Recount, "source 4: MAX_NESTING_DEPTH";
        /// Items of an array.
        max_items: u64 = 50, 1..=100_000_000 "items", Recount, "source 4: MAX_ARRAY_ITEMS";
        /// Keys of an object.
        max_keys: u64 = 50, 1..=100_000_000 "keys", Recount, "source 4: MAX_OBJECT_KEYS";
        /// Characters of a string within nested data.
        max_string: u64 = 500, 1..=100_000_000 "characters", Recount, "source 4: strings at 500 characters";
        /// Kilobytes of an image; larger ones are made smaller.
        image_kb: u64 = 2_048, 1..=1_000_000 "kB", Recount, "source 4: MAX_IMAGE_ATTACHMENT_SIZE";
        /// Pixels of an image's longer side; 0: any.
        image_side: u64 = 0, 0..=100_000 "pixels" endless_at 0, Recount, "source 4: limits maximum dimension";
        /// Kilobytes of sound; larger ones are sampled.
        audio_kb: u64 = 2_048, 1..=10_000_000 "kB", Recount, "windowpane: source 4 subsamples audio over a size, and names none";
        /// Seconds of sound; longer ones are sampled.
        audio_seconds: u64 = 600, 1..=1_000_000 "seconds", Recount, "windowpane: source 4 subsamples audio over a duration, and names none";
    }
}

impl Files {
    /// How much is shown of a document.
    #[must_use]
    pub fn limits(&self) -> Limits {
        Limits {
            lines: self.max_lines,
            line_chars: self.max_line_length,
            rows_head: self.rows_head,
            rows_tail: self.rows_tail,
            columns: self.max_columns,
            cell_chars: self.max_cell_length,
            sheets: self.max_sheets,
            depth: self.max_depth,
            items: self.max_items,
            keys: self.max_keys,
            string_chars: self.max_string,
            total_chars: self.max_chars,
            tokens: self.max_tokens,
            image_bytes: self.image_kb.saturating_mul(1024),
            image_side: u32::try_from(self.image_side).unwrap_or(u32::MAX),
            audio_bytes: self.audio_kb.saturating_mul(1024),
            audio_seconds: self.audio_seconds,
        }
    }
}

impl FilesMode {
    /// Every mode's name.
    #[must_use]
    pub fn names() -> &'static [&'static str] {
        <Self as Choice>::NAMES
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_limits_default_to_those_of_source_4() {
        assert_eq!(Files::default().limits(), Limits::default());
    }
}
