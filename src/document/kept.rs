//! What of a document stands in it as cut to limits.

use std::collections::{HashMap, HashSet};
use std::ops::Range;

use super::limits::{MORE, Uncut, without_end};
use super::piece::{Conversion, Kept};

/// Lines that must follow one another for a cut document to be found again in the whole one.
const RUN: usize = 3;
/// Lines of the cut document that may be marks between two parts of the whole one.
const MARKS: usize = 4;
/// Places in the whole document that are tried for one line.
const TRIES: usize = 1_000;

/// What of a document as cut to limits is its own text, and no mark of theirs.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Own {
    /// What stands in the whole document, in order.
    pub kept: Vec<Kept>,
    /// Whether that is laid out anew: only where each of it begins is known.
    pub anew: bool,
    /// Bytes of the cut document that are no marks and are not found in the whole one, which may be held in part.
    pub rest: Vec<Range<usize>>,
}

impl Own {
    /// Of a document within limits; `uncut` says where those in all ended it.
    #[must_use]
    pub fn of(whole: &str, within: &Conversion, uncut: Option<&Uncut>) -> Own {
        if !within.kept.is_empty() {
            return Own { kept: joined(whole, told(whole, within, uncut), true), anew: true, rest: Vec::new() };
        }
        let found = matched(whole, &within.markdown);
        let begins: HashSet<usize> = found.iter().map(|(_, begins)| *begins).collect();
        let (mut rest, mut at) = (Vec::new(), 0);
        for line in without_end(&within.markdown).split_inclusive('\n') {
            if !begins.contains(&at) && !is_mark(line) {
                rest.extend(unmarked(line, at));
            }
            at += line.len();
        }
        Own { kept: joined(whole, found, false), anew: false, rest }
    }

    /// The bytes of the whole document that are kept, in order.
    pub fn bytes(&self) -> impl Iterator<Item = Range<usize>> + '_ {
        let byte = |at: u64| usize::try_from(at).unwrap_or(usize::MAX);
        self.kept.iter().map(move |(from, to, _)| byte(*from)..byte(*to))
    }

    /// The bytes of the cut document that hold a range of the whole one; where it is laid out anew, more than those.
    #[must_use]
    pub fn range_of(&self, from: u64, to: u64) -> Option<(u64, u64)> {
        let at = self.kept.partition_point(|(start, ..)| *start <= from).checked_sub(1)?;
        let (start, end, begins) = *self.kept.get(at).filter(|(_, end, _)| to <= *end)?;
        match self.anew {
            false => Some((begins + (from - start), begins + (to.min(end) - start))),
            true => Some((begins, self.kept.get(at + 1).map_or(u64::MAX, |(.., next)| *next))),
        }
    }
}

/// The bytes of a document that stand in it as cut to limits, in order. Where that is laid out anew the limits have said
/// which; else lines are told by what they say, so of lines that say the same the first ones count. `uncut` says where
/// the limits in all ended it.
#[must_use]
pub fn kept(whole: &str, within: &Conversion, uncut: Option<&Uncut>) -> Vec<Range<usize>> {
    Own::of(whole, within, uncut).bytes().collect()
}

/// A byte of a text, wherever something said that it is.
fn place(text: &str, at: u64) -> usize {
    text.floor_char_boundary(usize::try_from(at).unwrap_or(usize::MAX).min(text.len()))
}

/// What the limits said that they kept, up to where those in all ended it.
fn told(whole: &str, within: &Conversion, uncut: Option<&Uncut>) -> Vec<(Range<usize>, usize)> {
    let ends =
        uncut.map_or(usize::MAX, |uncut| uncut.chars.unwrap_or(usize::MAX).min(uncut.tokens.unwrap_or(usize::MAX)));
    let part = |(from, to, at): &Kept| {
        let begins = usize::try_from(*at).ok().filter(|at| *at < ends)?;
        let to = (*to).min(from.saturating_add((ends - begins) as u64));
        Some((place(whole, *from)..place(whole, to), begins))
    };
    within.kept.iter().filter_map(part).filter(|(bytes, _)| !bytes.is_empty()).collect()
}

/// Parts that follow one another as one. Signs and blanks between two belong to them, where they are laid out anew.
fn joined(whole: &str, parts: Vec<(Range<usize>, usize)>, anew: bool) -> Vec<Kept> {
    let mut kept: Vec<Kept> = Vec::new();
    for (bytes, begins) in parts {
        let goes_on = |end: u64| match whole.get(place(whole, end)..bytes.start) {
            Some(between) if anew => !between.contains(char::is_alphanumeric),
            between => between == Some(""),
        };
        match kept.last_mut() {
            Some((_, end, _)) if goes_on(*end) => *end = bytes.end as u64,
            _ => kept.push((bytes.start as u64, bytes.end as u64, begins as u64)),
        }
    }
    kept
}

/// Whether a line tells only what limits left out.
fn is_mark(line: &str) -> bool {
    let words = line.trim_start_matches(|sign: char| sign == '|' || sign.is_whitespace());
    words.starts_with(MORE) || !words.contains(char::is_alphanumeric)
}

/// A line of the cut document without the marks in it.
fn unmarked(line: &str, at: usize) -> impl Iterator<Item = Range<usize>> {
    let mut from = at;
    let parts = line.split(MORE).map(move |part| {
        let range = from..from + part.len();
        from = range.end + MORE.len();
        range
    });
    parts.filter(|range| !range.is_empty())
}

/// The same line by line, each with the byte of the cut document at which it begins there.
#[must_use]
pub fn matched(whole: &str, within: &str) -> Vec<(Range<usize>, usize)> {
    let mut lines = Vec::new();
    let mut at = 0;
    for line in whole.split_inclusive('\n') {
        lines.push((at, line));
        at += line.len();
    }
    let cut: Vec<&str> = within.split_inclusive('\n').collect();
    let mut kept: Vec<(Range<usize>, usize)> = Vec::new();
    // Where the next line of the cut document begins; kept up as that goes on.
    let (mut begins, mut counted) = (0, 0);
    let mut places: Option<HashMap<&str, Vec<usize>>> = None;
    let (mut here, mut next) = (0, 0);
    while let (Some((start, line)), Some(shown)) = (lines.get(here), cut.get(next)) {
        let same = parts_of(line, shown);
        if !same.is_empty() {
            begins += cut.get(counted..next).unwrap_or_default().iter().map(|line| line.len()).sum::<usize>();
            counted = next;
            kept.extend(same.into_iter().map(|(part, at)| (start + part.start..start + part.end, begins + at)));
            (here, next) = (here + 1, next + 1);
            continue;
        }
        let places = places.get_or_insert_with(|| {
            let mut places: HashMap<&str, Vec<usize>> = HashMap::new();
            for (at, (_, line)) in lines.iter().enumerate() {
                places.entry(line.trim_end()).or_default().push(at);
            }
            places
        });
        let follows = |at: usize, from: usize| {
            let run = cut.iter().skip(from).take(RUN);
            let there = lines.iter().skip(at).map(|(_, line)| line.trim_end());
            run.zip(there.chain(std::iter::repeat("\n"))).all(|(shown, line)| shown.trim_end() == line)
        };
        let found = (next..cut.len().min(next + MARKS)).find_map(|from| {
            let known = places.get(cut.get(from)?.trim_end())?;
            let first = known.partition_point(|at| *at < here);
            let at = known.iter().skip(first).take(TRIES).find(|at| follows(**at, from))?;
            Some((*at, from))
        });
        let found = found.or_else(|| end(&lines, &cut, here, next));
        (here, next) = found.unwrap_or((here, next + 1));
    }
    kept
}

/// Where the end of the cut document begins in both, if that is near the line that comes next.
fn end(lines: &[(usize, &str)], cut: &[&str], here: usize, next: usize) -> Option<(usize, usize)> {
    let (left, shown) = (lines.get(here..)?, cut.get(next..)?);
    let pairs = left.iter().rev().zip(shown.iter().rev());
    let same = pairs.take_while(|((_, line), shown)| !parts_of(line, shown).is_empty()).count();
    (same > 0 && shown.len() - same < MARKS).then(|| (lines.len() - same, cut.len() - same))
}

/// The bytes of a line that its cut form shows, each with the byte of that; none where it is another line.
fn parts_of(line: &str, shown: &str) -> Vec<(Range<usize>, usize)> {
    let same = alike(line, shown);
    if same < line.len()
        && let Some(cells) = cells(line, shown)
    {
        return cells;
    }
    let goes_on = same == line.len() || same * 2 >= shown.trim_end().len();
    if same > 0 && goes_on { vec![(0..same, 0)] } else { Vec::new() }
}

/// The same of a row of a table, whose cells are shortened each by itself and whose last ones may be left out.
fn cells(line: &str, shown: &str) -> Option<Vec<(Range<usize>, usize)>> {
    let bars = |row: &str| -> Vec<usize> {
        let bytes = row.as_bytes();
        let is_bar = |at: &usize| at.checked_sub(1).and_then(|before| bytes.get(before)) != Some(&b'\\');
        memchr::memchr_iter(b'|', bytes).filter(is_bar).collect()
    };
    let (all, cut) = (bars(line), bars(shown));
    let ends = |row: &str, bars: &[usize]| {
        bars.first() == Some(&0) && bars.last() == Some(&row.trim_end().len().saturating_sub(1))
    };
    if cut.len() < 2 || cut.len() > all.len() || !ends(line, &all) || !ends(shown, &cut) {
        return None;
    }
    let mut found: Vec<(Range<usize>, usize)> = Vec::new();
    let mut add = |part: Range<usize>, at: usize| match found.last_mut() {
        Some((last, _)) if last.end == part.start => last.end = part.end,
        _ => found.push((part, at)),
    };
    for (own, theirs) in all.windows(2).zip(cut.windows(2)) {
        let ([from, to], [at, end]) = (own, theirs) else { return None };
        let (cell, short) = (line.get(*from..*to)?, shown.get(*at..*end)?);
        if cell == short {
            add(*from..*to, *at);
        } else {
            let head = short.trim_end().strip_suffix(MORE).filter(|head| cell.starts_with(head))?;
            add(*from..from + head.len(), *at);
        }
    }
    let (from, at) = (*all.get(cut.len() - 1)?, *cut.last()?);
    // With the last bar of the row, the end of its line.
    add(from..if cut.len() == all.len() { line.len() } else { from + 1 }, at);
    Some(found)
}

/// Bytes at the beginning of a line that its cut form has too.
fn alike(line: &str, shown: &str) -> usize {
    let same = line.bytes().zip(shown.bytes()).take_while(|(one, other)| one == other).count();
    // A line that is the last of one text need not have its end.
    if line.trim_end() == shown.trim_end() { line.len() } else { line.floor_char_boundary(same) }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn texts(whole: &'static str, within: &str) -> Vec<&'static str> {
        kept(whole, &cut(within), None).into_iter().map(|range| &whole[range]).collect()
    }

    fn cut(within: &str) -> Conversion {
        Conversion { markdown: within.to_owned(), ..Conversion::default() }
    }

    #[test]
    fn the_first_lines_and_the_beginnings_of_long_ones_are_kept() {
        assert_eq!(texts("a\nb\nc\nd\n", "a\nb\n..."), ["a\nb\n"]);
        assert_eq!(texts("aaaaaaaaaa\nb\n", "aaaa...\nb\n"), ["aaaa", "b\n"]);
        assert_eq!(texts("äöüäöü äöü\nb", "äöü\n\n[... truncated due to token limit ...]"), ["äöü"]);
        assert_eq!(texts("a\nb", "a\nb"), ["a\nb"]);
        assert!(texts("a\nb", "").is_empty() && texts("", "a").is_empty());
    }

    #[test]
    fn the_end_of_a_table_is_found_behind_its_gap() {
        let whole = "| n | m |\n|---|---|\n| 1 | a |\n| 2 | a |\n| 3 | a |\n| 4 | a |\n| 5 | a |\n";
        let within = "| n | m |\n|---|---|\n| 1 | a |\n| ... 2 rows ... |\n| 4 | a |\n| 5 | a |\n";
        assert_eq!(texts(whole, within), ["| n | m |\n|---|---|\n| 1 | a |\n", "| 4 | a |\n| 5 | a |\n"]);
    }

    #[test]
    fn columns_that_are_left_out_do_not_hide_the_last_rows() {
        let whole = "| n | m |\n|---|---|\n| 1 | a |\n| 2 | a |\n| 3 | a |\n";
        let within = "| n |\n|---|\n| 1 |\n| ... [1 rows not shown] |\n| 3 |\n";
        assert_eq!(texts(whole, within), ["| n |", "|---|", "| 1 |", "| 3 |"]);
    }

    #[test]
    fn of_a_row_with_cells_cut_what_stands_behind_them_is_kept() {
        let whole = "| n | note | z |\n|---|---|---|\n| 1 | a long note | q\\|r |\n| 2 | b | c |\n";
        let within = "| n | note | z |\n|---|---|---|\n| 1 | a lo... | q\\|r |\n| 2 | b | c |\n";
        assert_eq!(texts(whole, within), ["| n | note | z |\n|---|---|---|\n| 1 | a lo", "| q\\|r |\n| 2 | b | c |\n"]);
        let narrow = "| n | note |\n|---|---|\n| 1 | a lo... |\n| 2 | b |\n";
        assert_eq!(texts(whole, narrow), ["| n | note |", "|---|---|", "| 1 | a lo", "|", "| 2 | b |"]);
    }

    #[test]
    fn own_text_that_is_not_held_is_told_from_marks() {
        let within =
            "| n |\n| a |\n| ... [9 rows not shown] |\n| y... |\n| z |\n\n[... truncated due to token limit ...]";
        let own = Own::of("| n |\n| a |\n| b |\n", &cut(within), None);
        let rest: String = own.rest.iter().map(|range| &within[range.clone()]).collect();
        assert_eq!((own.kept.as_slice(), rest.as_str()), (&[(0, 12, 0)][..], "| y |\n| z |"));
        assert_eq!((own.range_of(2, 5), own.range_of(9, 13)), (Some((2, 5)), None));
    }

    #[test]
    fn many_equal_lines_take_no_longer() {
        let whole = "x\n".repeat(200_000) + "y\n";
        let within = "x\n".repeat(100) + "z\ny\n";
        assert_eq!(kept(&whole, &cut(&within), None), [0..200, 400_000..400_002]);
    }
}
