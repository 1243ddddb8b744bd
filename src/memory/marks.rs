//! What marks a line and is no part of what it says: the number that a tool writes before it, bullets, quotes,
//! headings, boxes of tasks, emphasis.

use super::plain;
use super::sentences;

/// Marks of items, quotes and added lines, before a blank.
const BULLETS: &[char] = &['-', '*', '+', '>', '\u{2022}', '\u{25e6}', '\u{2023}', '\u{25aa}', '\u{b7}', '\u{2013}'];
/// How sentences begin in which a summary speaks of itself, in small letters.
const OF_ITSELF: &[&str] =
    &["let me ", "this summary ", "the summary ", "here is a summary", "below is a summary", "the following summary"];
/// What boxes of tasks show, open and done.
const OPEN: &[&str] = &["[ ]", "[]", "\u{2610}", "\u{2b1c}", "\u{25fb}"];
const DONE: &[&str] = &["[x]", "[X]", "\u{2611}", "\u{2705}", "\u{2714}\u{fe0f}", "\u{2714}", "\u{2713}"];

/// Bytes of a sentence at most: what goes on for longer is data.
const LONGEST: usize = 1_000;

/// The byte ranges of what a text says: its sentences, without the numbers and marks of lines.
pub(super) fn said(text: &str) -> Vec<(usize, usize)> {
    said_as(text).into_iter().map(|(_, range)| range).collect()
}

/// The parts of a sentence that goes on for too long: of about one length, cut behind an element, a clause or a word.
pub(super) fn pieces(text: &str, (from, to): (usize, usize)) -> Vec<(usize, usize)> {
    /// Behind what is cut, the best first.
    const ENDS: &[&[&str]] = &[&["},", "],"], &["; ", ", "], &[",", ";", "\u{3001}", "\u{ff0c}"], &[" ", "\t"]];
    let (mut found, mut from) = (Vec::new(), from);
    while to - from > LONGEST {
        let least = text.ceil_char_boundary(from + LONGEST / 2);
        let most = text.floor_char_boundary(from + LONGEST);
        let near = text.get(least..most).unwrap_or_default();
        let behind = |ends: &&[&str]| ends.iter().filter_map(|end| Some(near.rfind(end)? + end.len())).max();
        let cut = ENDS.iter().find_map(behind).map_or(most, |length| least + length);
        found.push((from, cut));
        from = cut;
    }
    found.push((from, to));
    found
}

/// The same, each behind its range as it is written.
pub(super) fn said_as(text: &str) -> Vec<((usize, usize), (usize, usize))> {
    let numbered = numbered_lines(text);
    let mut at = 0;
    let strip = |raw: (usize, usize)| {
        let (from, to) = raw;
        while numbered.get(at + 1).is_some_and(|(line, _)| *line <= from) {
            at += 1;
        }
        let number = numbered.get(at).filter(|(line, content)| *line <= from && *content > from);
        let begins = number.is_some()
            || text[..from].trim_end_matches([' ', '\t']).chars().next_back().is_none_or(|last| last == '\n');
        let from = number.map_or(from, |(_, content)| *content).min(to);
        let whole = text.get(from..to)?;
        let rest = if begins { unmarked(whole) } else { whole.trim_start() };
        let from = to - rest.len();
        (from < to).then_some((raw, (from, to)))
    };
    sentences(text).into_iter().filter_map(strip).collect()
}

/// The number before a line as tools that read files write it: `12→`, `12` and a tab, `12|`, `12: `, `L12: `; with the
/// sign after it and the length of both.
fn number(line: &str) -> Option<(u64, char, usize)> {
    let rest = line.trim_start_matches(' ');
    let (by_letter, rest) = rest.strip_prefix('L').map_or((false, rest), |rest| (true, rest));
    let digits = rest.bytes().take_while(u8::is_ascii_digit).count();
    let number = rest.get(..digits).filter(|digits| (1..=7).contains(&digits.len()))?.parse().ok()?;
    let after = rest.get(digits..)?;
    let blanks = after.bytes().take_while(|byte| *byte == b' ').count();
    let (sign, content) = match after.chars().next()? {
        sign @ ('\u{2192}' | '\t') if !by_letter => (sign, sign.len_utf8()),
        ':' if after.get(1..).is_some_and(|rest| rest.is_empty() || rest.starts_with([' ', '\n', '\r'])) => (':', 1),
        _ => {
            let sign = after.get(blanks..)?.chars().next().filter(|sign| matches!(sign, '|' | '\u{2502}'))?;
            (sign, blanks + sign.len_utf8())
        }
    };
    Some((number, sign, line.len() - after.len() + content))
}

/// The lines that a tool has numbered, by their first byte, and where what they hold begins. Other signs than an arrow
/// number lines only where the next or the last line goes on counting.
fn numbered_lines(text: &str) -> Vec<(usize, usize)> {
    let (mut found, mut start): (Vec<(usize, usize)>, usize) = (Vec::new(), 0);
    let mut last: Option<(u64, char)> = None;
    let mut lines = text.split_inclusive('\n').map(|line| (line, number(line))).peekable();
    while let Some((line, own)) = lines.next() {
        if let Some((at, sign, length)) = own {
            let next = lines.peek().and_then(|(_, next)| *next).map(|(at, sign, _)| (at, sign));
            if sign == '\u{2192}' || last == at.checked_sub(1).map(|at| (at, sign)) || next == Some((at + 1, sign)) {
                found.push((start, start + length));
            }
        }
        last = own.map(|(at, sign, _)| (at, sign));
        start += line.len();
    }
    found
}

/// A line without the marks before it.
fn unmarked(line: &str) -> &str {
    let mut rest = line.trim_start();
    while let Some(shorter) = without_mark(rest).map(str::trim_start).filter(|rest| !rest.is_empty()) {
        rest = shorter;
    }
    rest
}

fn without_mark(line: &str) -> Option<&str> {
    let blank = |rest: &&str| rest.starts_with([' ', '\t']);
    let first = line.chars().next()?;
    if BULLETS.contains(&first) {
        let rest = &line[first.len_utf8()..];
        // A line that a patch adds has no blank behind its mark.
        let adds =
            first == '+' && rest.starts_with(|sign: char| sign.is_alphabetic() || matches!(sign, '"' | '#' | '_'));
        return Some(rest).filter(|rest| blank(rest) || adds || (first == '>' && !rest.starts_with('=')));
    }
    if first == '#' {
        return Some(line.trim_start_matches('#')).filter(blank);
    }
    // "1.", "2)", "(3)", "b)"
    let inner = line.strip_prefix('(').unwrap_or(line);
    let name = inner.bytes().take_while(u8::is_ascii_alphanumeric).count();
    let is_name = inner.get(..name).is_some_and(|name| {
        (1..=3).contains(&name.len()) && name.bytes().all(|byte| byte.is_ascii_digit())
            || (name.len() == 1 && name.bytes().all(|byte| byte.is_ascii_lowercase()))
    });
    let rest = inner.get(name..).filter(|_| is_name)?;
    let dotted = || {
        rest.strip_prefix('.')
            .filter(|_| inner.len() == line.len() && line.starts_with(|sign: char| sign.is_ascii_digit()))
    };
    rest.strip_prefix(')').or_else(dotted).filter(blank)
}

/// What the box of a task says of it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Task {
    /// There is none.
    None,
    /// It is to be done.
    Open,
    /// It is done.
    Done,
}

/// The box that a sentence begins with, and what stands after it.
pub(super) fn task(text: &str) -> (Task, &str) {
    let text = text.trim_start();
    let after = |boxes: &[&str]| boxes.iter().find_map(|sign| text.strip_prefix(sign));
    match (after(OPEN), after(DONE)) {
        (Some(rest), _) if !rest.starts_with(['(', '[', '{']) => (Task::Open, rest.trim_start()),
        (_, Some(rest)) => (Task::Done, rest.trim_start()),
        _ => (Task::None, text),
    }
}

/// A sentence in the form in which its words are sought in another: plain, without a box, emphasis and the marks of
/// code and quotation.
pub(super) fn bare(text: &str) -> String {
    let plain = plain(task(text).1);
    let mut out = String::with_capacity(plain.len());
    let mut signs = plain.chars().peekable();
    let mut last = ' ';
    while let Some(sign) = signs.next() {
        let next = signs.peek().copied().unwrap_or(' ');
        let beside = |sign: char| !sign.is_alphanumeric() && sign != '_';
        let drops = match sign {
            '`' | '"' | '\u{201c}' | '\u{201d}' => true,
            // "2*3" and "a_b" are not emphasis.
            '*' => next == '*' || last == '*' || beside(last) != beside(next),
            _ => false,
        };
        if !drops {
            out.push(sign);
        }
        last = sign;
    }
    out.trim().to_owned()
}

/// The lines within the fences of code of a text, without the blanks around them.
pub(super) fn lines_of_code(text: &str) -> impl Iterator<Item = (usize, usize)> {
    let (mut at, mut within) = (0, false);
    text.split_inclusive('\n').filter_map(move |line| {
        let (own, from) = (line.trim(), at + line.len() - line.trim_start().len());
        at += line.len();
        let is_fence = own.starts_with("```") || own.starts_with("~~~");
        within ^= is_fence;
        (within && !is_fence && !own.is_empty()).then_some((from, from + own.len()))
    })
}

/// Whether a line of a summary claims nothing: a heading or the beginning of a list, a fence of code, a tag, what it
/// says of itself.
pub(super) fn claims_nothing(text: &str, (from, to): (usize, usize)) -> bool {
    let own = text.get(from..to).unwrap_or_default();
    let line = text.get(..from).unwrap_or_default();
    let before = line.get(line.rfind('\n').map_or(0, |at| at + 1)..).unwrap_or_default();
    let bare = own.trim_matches(['*', '_', ' ']);
    let lower = || bare.chars().take(32).flat_map(char::to_lowercase).collect::<String>();
    before.trim_start().starts_with('#')
        || own.starts_with('#')
        || bare.ends_with([':', '\u{ff1a}'])
        || bare.starts_with("```")
        || (bare.starts_with('<') && bare.ends_with('>') && !bare.contains(' '))
        || OF_ITSELF.iter().any(|begin| lower().starts_with(begin))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(text: &str) -> Vec<&str> {
        said(text).into_iter().map(|(from, to)| &text[from..to]).collect()
    }

    #[test]
    fn the_number_of_a_line_is_no_part_of_what_it_says() {
        assert_eq!(
            of("     1\u{2192}Welcome\n     2\u{2192}\n     3\u{2192}Timeout is 30 seconds"),
            ["Welcome", "Timeout is 30 seconds"]
        );
        assert_eq!(of("  41\u{2192}    retries: 4,"), ["retries: 4,"]);
        for text in
            ["  9\tlet a = 1;\n 10\tlet b = 2;", "009| let a = 1;\n010| let b = 2;", "L9: let a = 1;\nL10: let b = 2;"]
        {
            assert_eq!(of(text), ["let a = 1;", "let b = 2;"], "{text}");
        }
        // Nothing else is counted on.
        assert_eq!(of("404: not found\n8080\tthe port"), ["404: not found", "8080\tthe port"]);
        assert_eq!(of("10:30 start\n11:30 end"), ["10:30 start", "11:30 end"]);
    }

    #[test]
    fn marks_of_lines_are_no_part_of_what_they_say() {
        let text = "- The port is 80.\n> * quoted 1\n### Heading 2\n1) one\n(2) two\n  + three\n+let d = 4;\n- [ ] five\n-20 is cold";
        let wanted = [
            "The port is 80.",
            "quoted 1",
            "Heading 2",
            "one",
            "two",
            "three",
            "let d = 4;",
            "[ ] five",
            "-20 is cold",
        ];
        assert_eq!(of(text), wanted);
        assert_eq!(bare("**Port** is `80`, \"fast\", 2*3 in a_b"), "port is 80, fast, 2*3 in a_b");
        assert_eq!(
            (bare("[x] Port *80*"), task("[ ] a").0, task("[x] a").0),
            ("port 80".to_owned(), Task::Open, Task::Done)
        );
    }

    #[test]
    fn what_goes_on_for_too_long_is_read_in_parts() {
        let rows = (0..60).map(|at| format!("{{\"number\": {at}, \"state\": \"open\"}},")).collect::<String>();
        let parts = pieces(&rows, (0, rows.len()));
        assert!(
            parts.len() > 1 && parts.iter().all(|(from, to)| to - from <= LONGEST && rows[*from..*to].ends_with("},"))
        );
        let wide = "\u{7aef}".repeat(800);
        assert_eq!(pieces(&wide, (0, 2_400)).iter().map(|(from, to)| wide[*from..*to].len()).sum::<usize>(), 2_400);
        assert_eq!(pieces("short", (0, 5)), [(0, 5)]);
    }

    #[test]
    fn headings_claim_nothing() {
        let nothing = |text: &str| said(text).into_iter().all(|range| claims_nothing(text, range));
        assert!(nothing(
            "## Key files 2\n**Files:**\n```rust\n<summary>\nLet me go through it: 5 things.\n1. Errors and fixes:"
        ));
        assert!(!nothing("**Port**: 80") && !nothing("see [a]: b"));
    }
}
