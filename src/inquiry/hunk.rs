//! Lines of a diff: which sign each begins with, and where the diff ends.

/// Where in a diff a line stands: how many more lines of the old text and of the new one the part of it has, as its header
/// `@@ -1,2 +1,3 @@` tells.
#[derive(Clone, Copy, Default)]
pub(super) enum Hunk {
    /// In none.
    #[default]
    Outside,
    /// In one with so many more lines.
    Counted(u64, u64),
    /// In one whose header tells no lines: it goes on as long as they have its signs.
    Open,
}

impl Hunk {
    /// The hunk that a line is the header of.
    fn of(line: &str) -> Option<Hunk> {
        let rest = line.strip_prefix("@@").filter(|rest| rest.trim_end().is_empty() || rest.starts_with(' '))?;
        let mut words = rest.split_ascii_whitespace();
        let mut lines = |sign: char| {
            let range = words.next()?.strip_prefix(sign)?;
            range.split_once(',').map_or("1", |(_, lines)| lines).parse::<u64>().ok()
        };
        let (old, new) = (lines('-'), lines('+'));
        Some(old.zip(new).map_or(Hunk::Open, |(old, new)| Hunk::Counted(old, new)))
    }

    /// Takes in the next line, and tells its sign where it stands in a diff.
    pub fn take(&mut self, line: &str) -> Option<u8> {
        if let Some(begun) = Hunk::of(line) {
            *self = begun;
            return None;
        }
        if matches!(self, Hunk::Outside) {
            return None;
        }
        let first = line.bytes().next().filter(|byte| !matches!(byte, b'\r' | b'\n'));
        // Who copies a diff may lose the blank of an empty line.
        let sign = first.or(matches!(self, Hunk::Counted(..)).then_some(b' '));
        let sign = sign.filter(|sign| matches!(sign, b' ' | b'+' | b'-' | b'\\'));
        let (old, new) =
            (u64::from(sign.is_some_and(|sign| sign != b'+')), u64::from(sign.is_some_and(|sign| sign != b'-')));
        *self = match (*self, sign) {
            (_, None) => Hunk::Outside,
            // “No newline at end of file”.
            (before, Some(b'\\')) => before,
            (Hunk::Counted(before, after), _) => match (before.saturating_sub(old), after.saturating_sub(new)) {
                (0, 0) => Hunk::Outside,
                (before, after) => Hunk::Counted(before, after),
            },
            (before, _) => before,
        };
        sign.filter(|sign| *sign != b'\\')
    }
}
