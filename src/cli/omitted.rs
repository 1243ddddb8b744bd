//! Which rule left out which part of an attached file, where a policy has several: its limits, or what passages were
//! passed over for.

use crate::chunk::{Division, LeftOut as Why, Selection, Settings, Verdict};
use crate::document::{Conversion, LeftBy, Shown, Uncut, matched};
use crate::model::Omission;
use crate::policy::Files;

/// A setting, its value, and what was measured against it.
pub type Rule = (&'static str, Option<u64>, Option<u64>);

/// The passages that were not taken, the nearest to being so first.
pub fn passed_over(division: &Division, selection: &Selection, settings: &Settings) -> Vec<Omission> {
    let left = |at: usize| {
        let (piece, candidate) = (selection.piece(division, at)?, selection.candidates.get(at)?);
        let Verdict::Left(why) = candidate.verdict else { return None };
        let (rule, threshold, measured) = match why {
            // What it fits in: all that is taken before it, and itself.
            Why::Budget { needs, left } => {
                ("chunks.budget", Some(settings.budget), Some(settings.budget.saturating_sub(left) + needs))
            }
            Why::Rank | Why::After | Why::Wordless => {
                ("chunks.top", Some(settings.top), Some(u64::from(candidate.rank)))
            }
            Why::Overlap(_) => ("chunks.diversity", None, None),
            Why::Missed => ("chunks.index", None, None),
        };
        Some(Omission { bytes: (piece.start as u64, piece.end as u64), rule, threshold, measured })
    };
    selection.by_rank().into_iter().filter_map(left).collect()
}

/// What of a file's text each limit took, in order; nothing where the text within limits is not found in it.
pub fn limited(whole: &str, within: &Conversion, uncut: Option<&Uncut>, files: &Files) -> Vec<Omission> {
    if !within.kept.is_empty() {
        return laid_anew(whole, within, uncut, files);
    }
    let text = uncut.map_or(within.markdown.as_str(), |uncut| &uncut.markdown);
    let found = matched(whole, text);
    if found.is_empty() {
        return Vec::new();
    }
    let (chars, tokens) = in_all(whole, within, uncut, files);
    let format = Format::of(&within.shown, files);
    let mut left = Vec::new();
    let mut add = |from: usize, to: usize, rule: Option<Rule>| {
        if let Some((rule, threshold, measured)) = rule.filter(|_| from < to) {
            left.push(Omission { bytes: (from as u64, to as u64), rule, threshold, measured });
        }
    };
    let mut at = 0;
    for (bytes, begins) in found {
        for (from, to, rule) in format.gap(whole, at, bytes.start) {
            add(from, to, rule);
        }
        // Of what the limits of the format left, the tokens end first, then the characters.
        let ends = |end: Option<(usize, Rule)>| {
            let end = end.map_or(usize::MAX, |(end, _)| end).saturating_sub(begins);
            bytes.start + end.min(bytes.len())
        };
        let of_chars = ends(chars);
        let of_tokens = ends(tokens).min(of_chars);
        add(of_tokens, of_chars, tokens.map(|(_, rule)| rule));
        add(of_chars, bytes.end, chars.map(|(_, rule)| rule));
        at = bytes.end;
    }
    if let Some((_, rule)) = chars {
        add(at, whole.len(), Some(rule));
    } else {
        for (from, to, rule) in format.gap(whole, at, whole.len()) {
            add(from, to, rule);
        }
    }
    left
}

/// Where the limits of all of a text ended it, in characters and in tokens, each with its rule.
type End = Option<(usize, Rule)>;

fn in_all(whole: &str, within: &Conversion, uncut: Option<&Uncut>, files: &Files) -> (End, End) {
    let all = Some(whole.chars().count() as u64);
    let measured = within.shown.iter().rev().find_map(|shown| match shown {
        Shown::Of { what, total, .. } if what == "tokens" => Some(*total),
        _ => None,
    });
    let chars = uncut.and_then(|uncut| uncut.chars).map(|end| (end, ("files.max_chars", Some(files.max_chars), all)));
    let tokens =
        uncut.and_then(|uncut| uncut.tokens).map(|end| (end, ("files.max_tokens", Some(files.max_tokens), measured)));
    (chars, tokens)
}

/// The same of structured data that is written anew: what each limit of its format left out, as it told, and what of the
/// rest stands behind the end of all.
fn laid_anew(whole: &str, within: &Conversion, uncut: Option<&Uncut>, files: &Files) -> Vec<Omission> {
    let (chars, tokens) = in_all(whole, within, uncut, files);
    let size = whole.len() as u64;
    let rule = |by: LeftBy| match by {
        LeftBy::Depth => ("files.max_depth", files.max_depth),
        LeftBy::Items => ("files.max_items", files.max_items),
        LeftBy::Keys => ("files.max_keys", files.max_keys),
        LeftBy::String => ("files.max_string", files.max_string),
        LeftBy::Chars => ("files.max_chars", files.max_chars),
    };
    let by_format = within.left.iter().map(|(from, to, by)| {
        let (rule, threshold) = rule(*by);
        Omission { bytes: (*from, (*to).min(size)), rule, threshold: Some(threshold), measured: None }
    });
    let ends = [tokens, chars].into_iter().flatten().min_by_key(|(end, _)| *end);
    let by_all = within.kept.iter().filter_map(|(from, to, at)| {
        let (end, (rule, threshold, measured)) = ends?;
        let from = from + (end as u64).saturating_sub(*at);
        (from < *to).then_some(Omission { bytes: (from, (*to).min(size)), rule, threshold, measured })
    });
    let mut left: Vec<Omission> = by_format.chain(by_all).filter(|left| left.bytes.0 < left.bytes.1).collect();
    left.sort_by_key(|left| left.bytes);
    left
}

/// The rule that left out the most.
pub fn most(left: &[Omission]) -> Option<Rule> {
    let mut sums: Vec<(Rule, u64)> = Vec::new();
    for Omission { bytes, rule, threshold, measured } in left {
        let rule = (*rule, *threshold, *measured);
        let size = bytes.1 - bytes.0;
        match sums.iter_mut().find(|(known, _)| *known == rule) {
            Some((_, sum)) => *sum += size,
            None => sums.push((rule, size)),
        }
    }
    let best = sums.iter().map(|(_, sum)| *sum).max()?;
    sums.into_iter().find(|(_, sum)| *sum == best).map(|(rule, _)| rule)
}

/// The limits of a format that ended something: within lines, and between them.
struct Format {
    columns: Option<Rule>,
    within: Option<Rule>,
    between: Option<Rule>,
}

impl Format {
    fn of(shown: &[Shown], files: &Files) -> Format {
        let found = |names: &[&str]| {
            let rules = || shown.iter().filter_map(|shown| limiting(shown, files));
            names.iter().find_map(|name| rules().find(|(rule, ..)| rule == name))
        };
        Format {
            columns: found(&["files.max_columns"]),
            within: found(&["files.max_cell_length", "files.max_string", "files.max_line_length"]),
            between: found(&[
                "files.rows_head",
                "files.rows_tail",
                "files.max_lines",
                "files.max_sheets",
                "files.max_items",
                "files.max_keys",
                "files.max_depth",
            ]),
        }
    }

    /// What took the bytes between two parts that are kept: the rest of a line, then whole lines.
    fn gap(&self, whole: &str, from: usize, to: usize) -> [(usize, usize, Option<Rule>); 2] {
        let gap = whole.get(from..to).unwrap_or_default();
        let before = whole.get(..from).unwrap_or_default();
        let begun = !before.is_empty() && !before.ends_with('\n');
        let rest = match memchr::memchr(b'\n', gap.as_bytes()) {
            _ if !begun => from,
            Some(at) => from + at + 1,
            None => to,
        };
        let line = before.rsplit('\n').next().unwrap_or_default();
        let bars = || memchr::memchr_iter(b'|', line.as_bytes()).count() as u64;
        let columns = self.columns.filter(|(_, most, _)| most.is_some_and(|most| bars() >= most));
        let inside = columns.or(self.within).or(self.columns);
        [(from, rest, inside.or(self.between)), (rest, to, self.between.or(inside))]
    }
}

/// The setting that made a conversion show less: its name, its value, and what was measured against it where that is
/// known.
pub fn limiting(shown: &Shown, files: &Files) -> Option<Rule> {
    let (what, measured, left) = match shown {
        // What another limit cut off had been let in by this one.
        Shown::Of { what, total, shown, ends, .. } => (what.as_str(), Some(*total), (*shown).max(ends.len() as u64)),
        Shown::Cut { what, .. } => (what.as_str(), None, u64::MAX),
        Shown::Words(words) if words.ends_with("characters") => {
            return Some(("files.max_chars", Some(files.max_chars), None));
        }
        Shown::Words(_) => return None,
    };
    // A table's name stands before what is counted.
    let (rule, threshold) = match (what.rsplit(": ").next().unwrap_or(what), measured) {
        // Head and tail rows are shown; the one is told that shows any.
        ("rows", _) if files.rows_head == 0 => ("files.rows_tail", files.rows_tail),
        ("rows", _) => ("files.rows_head", files.rows_head),
        ("columns", _) => ("files.max_columns", files.max_columns),
        ("cells", _) => ("files.max_cell_length", files.max_cell_length),
        ("sheets", _) => ("files.max_sheets", files.max_sheets),
        ("lines", Some(_)) => ("files.max_lines", files.max_lines),
        ("lines", None) => ("files.max_line_length", files.max_line_length),
        ("records" | "arrays" | "elements", _) => ("files.max_items", files.max_items),
        ("objects" | "attribute lists", _) => ("files.max_keys", files.max_keys),
        ("strings" | "numbers", _) => ("files.max_string", files.max_string),
        ("deep structures", _) => ("files.max_depth", files.max_depth),
        ("tokens", _) => ("files.max_tokens", files.max_tokens),
        _ => return None,
    };
    // Fewer than that are shown where another limit ended all of it, and all had been let in where only that did.
    (left >= threshold && measured.is_none_or(|all| left < all)).then_some((rule, Some(threshold), measured))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::document::{Limits, cut_whole};
    use crate::tokens::Encoding;

    fn of(what: &str, shown: u64, total: u64) -> Shown {
        Shown::Of { what: what.into(), shown, total, ends: Vec::new(), of_rest: false }
    }

    /// The rule that took each of some words, in lines of which some are kept.
    fn rules(whole: &str, kept: &str, shown: Vec<Shown>, files: &Files, words: &[&str]) -> Vec<&'static str> {
        let limits = Limits { total_chars: files.max_chars, tokens: files.max_tokens, ..Limits::default() };
        let mut within = Conversion { markdown: kept.into(), shown, ..Conversion::default() };
        let uncut = cut_whole(&mut within, &limits, Encoding::Cl100kBase);
        let left = limited(whole, &within, uncut.as_ref(), files);
        let rule = |word: &&str| {
            let at = whole.find(word).unwrap() as u64;
            left.iter().find(|left| left.bytes.0 <= at && at < left.bytes.1).map_or("", |left| left.rule)
        };
        words.iter().map(rule).collect()
    }

    #[test]
    fn each_part_of_a_text_is_told_the_limit_that_took_it() {
        let line = |at: usize| format!("{at} is the number of this line\n");
        let whole: String = (100..140).map(line).collect();
        let files = Files { max_chars: 600, max_tokens: 100, max_lines: 30, ..Files::default() };
        let kept: String = (100..130).map(line).collect();
        let words = ["101", "115", "125", "135"];
        let found = rules(&whole, &kept, vec![of("lines", 19, 40)], &files, &words);
        assert_eq!(found, ["", "files.max_tokens", "files.max_chars", "files.max_chars"]);
        let files = Files { max_chars: 60_000, ..files };
        let found = rules(&whole, &kept, vec![of("lines", 30, 40)], &files, &words);
        assert_eq!(found, ["", "files.max_tokens", "files.max_tokens", "files.max_lines"]);
    }

    #[test]
    fn within_a_line_and_between_lines_are_told_apart() {
        let (whole, kept) = ("abcdefgh\nx\nlast\n", "abcd...\nx\n...");
        let files = Files { max_lines: 2, max_line_length: 4, ..Files::default() };
        let shown =
            || vec![of("lines", 2, 3), Shown::Cut { what: "lines".into(), count: 1, at: Vec::new(), of: Vec::new() }];
        let found = rules(whole, kept, shown(), &files, &["fgh", "last", "x"]);
        assert_eq!(found, ["files.max_line_length", "files.max_lines", ""]);
        let whole = "| a | b | c |\n| --- | --- | --- |\n| 1 | 2 | third |\n| 4 | 5 | 6 |\n| 7 | 8 | 9 |\n";
        let kept = "| a | b |\n| --- | --- |\n| 1 | 2 |\n| ... [2 rows not shown] | ... |\n";
        let files = Files { max_columns: 2, rows_head: 1, rows_tail: 0, ..Files::default() };
        let found = rules(whole, kept, vec![of("columns", 2, 3), of("rows", 1, 3)], &files, &["third", "7"]);
        assert_eq!(found, ["files.max_columns", "files.rows_head"]);
    }

    #[test]
    fn what_left_out_the_most_is_named_for_all() {
        let left = |bytes, rule| Omission { bytes, rule, threshold: None, measured: None };
        let all = [left((0, 5), "a"), left((5, 12), "b"), left((12, 15), "a")];
        assert_eq!(most(&all), Some(("a", None, None)));
        assert_eq!(most(&[]), None);
    }
}
