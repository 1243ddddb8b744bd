//! What of a document stands in it as cut to limits.

use std::collections::HashMap;
use std::ops::Range;

use super::limits::Uncut;
use super::piece::Conversion;

/// Lines that must follow one another for a cut document to be found again in the whole one.
const RUN: usize = 3;
/// Lines of the cut document that may be marks between two parts of the whole one.
const MARKS: usize = 4;
/// Places in the whole document that are tried for one line.
const TRIES: usize = 1_000;

/// The bytes of a document that stand in it as cut to limits, in order. Where that is laid out anew the limits have said
/// which; else lines are told by what they say, so of lines that say the same the first ones count. `uncut` says where
/// the limits in all ended it.
#[must_use]
pub fn kept(whole: &str, within: &Conversion, uncut: Option<&Uncut>) -> Vec<Range<usize>> {
    let end =
        uncut.map_or(usize::MAX, |uncut| uncut.chars.unwrap_or(usize::MAX).min(uncut.tokens.unwrap_or(usize::MAX)));
    let told = || within.kept.iter().filter(|(.., at)| *at < end as u64).map(|(from, to, _)| *from..*to);
    let place = |at: u64| whole.floor_char_boundary(usize::try_from(at).unwrap_or(usize::MAX).min(whole.len()));
    let parts: Vec<Range<usize>> = match within.kept.is_empty() {
        false => told().map(|bytes| place(bytes.start)..place(bytes.end)).collect(),
        true => matched(whole, &within.markdown).into_iter().map(|(bytes, _)| bytes).collect(),
    };
    let mut kept: Vec<Range<usize>> = Vec::new();
    for bytes in parts {
        // Signs and blanks between two parts belong to them, where they are laid out anew.
        let goes_on = |last: &Range<usize>| match whole.get(last.end..bytes.start) {
            Some(between) if !within.kept.is_empty() => !between.contains(char::is_alphanumeric),
            between => between == Some(""),
        };
        match kept.last_mut() {
            Some(last) if goes_on(last) => last.end = bytes.end,
            _ => kept.push(bytes),
        }
    }
    kept
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
        let same = goes_on(line, shown);
        if same > 0 {
            begins += cut.get(counted..next).unwrap_or_default().iter().map(|line| line.len()).sum::<usize>();
            counted = next;
            kept.push((*start..*start + same, begins));
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
    let same = pairs.take_while(|((_, line), shown)| goes_on(line, shown) > 0).count();
    (same > 0 && shown.len() - same < MARKS).then(|| (lines.len() - same, cut.len() - same))
}

/// Bytes of a line that its cut form shows; 0 where that is another line.
fn goes_on(line: &str, shown: &str) -> usize {
    let same = alike(line, shown);
    if same == line.len() || same * 2 >= shown.trim_end().len() { same } else { 0 }
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
    fn many_equal_lines_take_no_longer() {
        let whole = "x\n".repeat(200_000) + "y\n";
        let within = "x\n".repeat(100) + "z\ny\n";
        assert_eq!(kept(&whole, &cut(&within), None), [0..200, 400_000..400_002]);
    }
}
