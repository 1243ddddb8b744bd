//! What stands before each line of a listing, a diff, a comment or a quotation, and is no part of what is said: the
//! number, the sign of what was added or taken away, the mark of a comment. A sentence that goes on in the next line goes
//! on behind it.

use std::collections::HashMap;

use super::hunk::Hunk;
use super::seams::Range;
use crate::chunk::is_cjk;

/// Bytes of a number of a line, blanks before it among them.
const NUMBER: usize = 12;

/// Bytes of the path of a file before the number of a line.
const PATH: usize = 200;

/// Marks of comments and quotations, longer ones first.
const COMMENTS: &[&str] = &["///", "//!", "//", "--", ";;", "#", "*", ">"];

/// Bytes before a fence of code on its line.
const BEFORE: usize = 16;

/// What stands before a line.
#[derive(Clone, Copy, Default)]
struct Marks<'a> {
    /// The line.
    line: &'a str,
    /// The file that it is a line of, where that stands in front of its number.
    file: &'a str,
    /// Its number, and where that ends.
    number: Option<(u64, usize)>,
    /// Whether something was added or taken away by it, and where that sign ends.
    change: Option<(u8, usize)>,
    /// Whether it stands in a diff, as one that was there before and after.
    stayed: bool,
    /// The mark of a comment, and where it ends.
    comment: Option<(&'static str, usize)>,
}

impl<'a> Marks<'a> {
    /// Of a line, and where in a diff the next one stands. `hunk`: where this one does.
    fn of(line: &'a str, hunk: &mut Hunk) -> Marks<'a> {
        let file = file(line);
        let number = line.get(file.len()..).and_then(|rest| number(rest, file.is_empty()));
        let number = number.map(|(number, end)| (number, file.len() + end));
        let from = number.map_or(0, |(_, end)| end);
        let within = hunk.take(line.get(from..).unwrap_or_default());
        let change = match within {
            Some(sign @ (b'+' | b'-')) => Some((sign, from + 1)),
            Some(_) => None,
            None => change(line, from),
        };
        let from = change.map_or(from, |(_, end)| end);
        Marks { line, file, number, change, stayed: within == Some(b' '), comment: comment(line, from) }
    }

    /// How many of its bytes are no part of what goes on from the line before.
    fn behind(&self, before: &Marks) -> usize {
        let mut end = 0;
        if let Some((number, to)) = self.number {
            let follows = before.number.is_some_and(|(before, _)| before.checked_add(1) == Some(number));
            if !follows || before.file != self.file {
                return 0;
            }
            end = to;
        }
        if let Some((sign, to)) = self.change {
            // What stayed goes on in what was added, and went on in what was taken away.
            if !before.stayed && before.change.is_none_or(|(before, _)| before != sign) {
                return end;
            }
            end = to;
        }
        match self.comment {
            Some((">", to)) if quoted(self) != quoted(before) => end.min(to),
            Some((mark, to)) if is_comment(before, mark) => to,
            _ => end,
        }
    }
}

/// How many quotations a line stands in.
fn quoted(marks: &Marks) -> usize {
    let end = marks.comment.filter(|(mark, _)| *mark == ">").map_or(0, |(_, end)| end);
    marks.line.bytes().take(end).filter(|byte| *byte == b'>').count()
}

/// Whether a line is a comment of one kind, or ends with one.
fn is_comment(before: &Marks, mark: &str) -> bool {
    match mark {
        "*" => before.comment.is_some_and(|(own, _)| own == "*") || before.line.contains("/*"),
        ">" => before.comment.is_some_and(|(own, _)| own == ">"),
        _ => before.line.contains(mark),
    }
}

/// The path of a file and the sign behind it, as tools that search files put them before a line's number:
/// `src/a.rs:12:`, and `src/a.rs-12-` for the lines around what was found. Empty where there is none.
pub(super) fn file(line: &str) -> &str {
    let word = line.bytes().take(PATH).take_while(|byte| !byte.is_ascii_whitespace()).count();
    let bytes = line.as_bytes().get(..word).unwrap_or_default();
    let is_number = |at: usize, sign: u8| {
        let digits = bytes.iter().skip(at + 1).take_while(|byte| byte.is_ascii_digit()).count();
        (1..NUMBER).contains(&digits) && bytes.get(at + 1 + digits) == Some(&sign)
    };
    // A dash may be a part of the name: then the name's ending is behind it.
    let ends = |at: &usize| match bytes.get(*at) {
        Some(b':') => is_number(*at, b':'),
        Some(b'-') => {
            is_number(*at, b'-')
                && bytes.iter().take(*at).rev().take_while(|byte| **byte != b'/').any(|byte| *byte == b'.')
        }
        _ => false,
    };
    (1..word)
        .find(ends)
        .and_then(|at| line.get(..at))
        .filter(|path| path.contains(|sign: char| sign.is_alphabetic()))
        .unwrap_or_default()
}

/// The number of a line as tools that print or search files put it before a tab, an arrow, a bar, a colon or a dash, and
/// where it ends. `first`: whether it is the first of the line, and no file's name stands before it.
pub(super) fn number(line: &str, first: bool) -> Option<(u64, usize)> {
    if !first {
        let digits = line.bytes().skip(1).take(NUMBER).take_while(u8::is_ascii_digit).count();
        return Some((line.get(1..=digits)?.parse().ok()?, digits + 2));
    }
    let blanks = line.bytes().take(NUMBER).take_while(|byte| *byte == b' ').count();
    let named = usize::from(line.as_bytes().get(blanks) == Some(&b'L'));
    let from = blanks + named;
    let digits = line.bytes().skip(from).take(NUMBER).take_while(u8::is_ascii_digit).count();
    let number = line.get(from..from + digits)?.parse().ok()?;
    let rest = line.get(from + digits..)?;
    let sign = ["\t", "\u{2192}", " | ", " |", "|"].into_iter().find(|sign| rest.starts_with(sign));
    let sign = sign.or_else(|| Some(": ").filter(|sign| named > 0 && rest.starts_with(sign)));
    let sign = sign.or_else(|| [":", "-"].into_iter().find(|sign| from == 0 && rest.starts_with(sign)))?;
    Some((number, from + digits + sign.len()))
}

/// The sign of a line of a diff of which nothing else shows. With one blank behind it, it may be an item of a list, unless
/// a comment of code begins there.
fn change(line: &str, from: usize) -> Option<(u8, usize)> {
    let bytes = line.as_bytes();
    let sign = bytes.get(from).copied().filter(|byte| matches!(byte, b'+' | b'-'))?;
    let behind = |at: usize| bytes.get(from + at).copied().unwrap_or(b'\n');
    let is_code = || line.get(from + 2..).is_some_and(|rest| rest.starts_with("//"));
    let is_item = behind(1) == b' ' && behind(2) != b' ' && !is_code();
    (!is_item && behind(1) != sign).then_some((sign, from + 1))
}

/// The mark of a comment that a line begins with. An item of a list may begin with a star, but at its line's beginning.
fn comment(line: &str, from: usize) -> Option<(&'static str, usize)> {
    let rest = line.get(from..)?;
    let blanks = rest.len() - rest.trim_start_matches([' ', '\t']).len();
    let words = rest.get(blanks..)?;
    let mark = COMMENTS.iter().find(|mark| words.starts_with(**mark))?;
    // What is quoted may quote, too.
    let marks = words.bytes().take_while(|byte| *mark == ">" && matches!(byte, b'>' | b' ')).count();
    let size = words.get(..marks)?.trim_end().len().max(mark.len());
    let after = words.get(size..)?;
    let stands = after.starts_with([' ', '\t', '\r', '\n']) || after.is_empty() || mark.starts_with('/');
    let is_item = *mark == "*" && blanks == 0;
    (stands && !is_item).then_some((*mark, from + blanks + size))
}

/// What stands before the lines of a text, and what shows no sign where it is drawn, each where it can part one of some
/// texts: in order, and none where there is nothing of the kind.
pub(super) fn marks(text: &str, sought: &[String]) -> impl Iterator<Item = Vec<Range>> {
    let parts = |sign: char| sign.is_whitespace() || is_cjk(sign);
    let any = |of: &dyn Fn(char) -> bool| sought.iter().any(|form| form.contains(of));
    let lines = any(&|sign| parts(sign) || sign == '-').then(|| before_lines(text));
    let drawn = (any(&parts) && !any(&|sign| matches!(sign, '`' | '*'))).then(|| of_style(text));
    lines.into_iter().chain(drawn).filter(|gone| !gone.is_empty())
}

/// What stands before the lines of a text and goes on from line to line.
fn before_lines(text: &str) -> Vec<Range> {
    let mut gone: Vec<Range> = Vec::new();
    let (mut at, mut before, mut hunk) = (0, Marks::default(), Hunk::default());
    for line in text.split_inclusive('\n') {
        let marks = Marks::of(line, &mut hunk);
        let size = if at == 0 { 0 } else { marks.behind(&before) };
        if size > 0 {
            gone.push((at, at + size));
        }
        at += line.len();
        before = marks;
    }
    gone
}

/// The marks of Markdown that show no sign: backticks, and stars that make words bold or slanted. What was copied from
/// where it is drawn lacks them.
fn of_style(text: &str) -> Vec<Range> {
    let bytes = text.as_bytes();
    let (mut gone, mut signs): (Vec<Range>, Vec<Range>) = (Vec::new(), Vec::new());
    let (mut at, mut code) = (0, fenced(text).into_iter().peekable());
    while let Some(next) = memchr::memchr2(b'`', b'*', bytes.get(at..).unwrap_or_default()) {
        let from = at + next;
        let sign = bytes.get(from).copied().unwrap_or_default();
        let size = bytes.get(from..).unwrap_or_default().iter().take_while(|byte| **byte == sign).count();
        if text.get(at..from).is_some_and(|between| ends_paragraph(between, text.get(from..).unwrap_or_default())) {
            drawn(text, &signs, &mut gone);
            signs.clear();
        }
        at = from + size;
        signs.push((from, at));
        // Code between fences is drawn as it is, and no paragraph goes on behind it.
        if let Some((_, end)) = code.next_if(|(from, _)| *from == at) {
            drawn(text, &signs, &mut gone);
            signs.clear();
            at = end;
        }
    }
    drawn(text, &signs, &mut gone);
    gone.sort_unstable();
    gone
}

/// The code between fences: from behind the backticks that open it to those that close it. What none closes, or another
/// opens before, is a fence that was cut off.
fn fenced(text: &str) -> Vec<(usize, usize)> {
    let bytes = text.as_bytes();
    let mut found = Vec::new();
    let mut open: Option<(usize, usize)> = None;
    let mut at = 0;
    while let Some(next) = memchr::memmem::find(bytes.get(at..).unwrap_or_default(), b"```") {
        let from = at + next;
        let size = bytes.get(from..).unwrap_or_default().iter().take_while(|byte| **byte == b'`').count();
        at = from + size;
        // It stands at the beginning of its line, but for what marks an item or a quotation, or numbers the line.
        let before = bytes.get(from.saturating_sub(BEFORE)..from).unwrap_or_default();
        let begins = memchr::memrchr(b'\n', before).map(|end| end + 1).or((from <= BEFORE).then_some(0));
        let marks = |byte: &u8| !byte.is_ascii_alphabetic() && *byte != b'`';
        if !begins.is_some_and(|begins| before.get(begins..).is_some_and(|before| before.iter().all(marks))) {
            continue;
        }
        let rest = text.get(at..).and_then(|rest| rest.lines().next()).unwrap_or_default();
        match open {
            Some((least, start)) if size >= least && rest.trim().is_empty() => {
                found.push((start, from));
                open = None;
            }
            // Within longer fences shorter ones are code.
            Some((least, _)) if size < least => {}
            _ if rest.contains('`') => {}
            _ => open = Some((size, at)),
        }
    }
    found
}

/// Whether another paragraph, item or row begins in a text or where it ends; what follows tells the latter.
fn ends_paragraph(text: &str, next: &str) -> bool {
    let mut lines = text.split('\n').skip(1).peekable();
    while let Some(line) = lines.next() {
        let line = line.trim_start();
        let begins = line.starts_with(['-', '+', '#', '|', '>']);
        let is_item = |next: &str| next.strip_prefix('*').is_some_and(|rest| rest.starts_with([' ', '\t']));
        let is_last = lines.peek().is_none();
        if begins || (line.is_empty() && (!is_last || is_item(next))) {
            return true;
        }
    }
    false
}

/// Adds the runs of a paragraph that are not drawn: backticks, and stars of which one run begins what is bold or slanted
/// and another of as many ends it, as CommonMark has it. What stands between backticks is drawn as it is.
fn drawn(text: &str, signs: &[Range], gone: &mut Vec<Range>) {
    let is_tick = |(from, _): &Range| text.as_bytes().get(*from) == Some(&b'`');
    // The next run of as many backticks.
    let mut ends: Vec<Option<usize>> = vec![None; signs.len()];
    let mut last: HashMap<usize, usize> = HashMap::new();
    for (at, run) in signs.iter().enumerate().rev().filter(|(_, run)| is_tick(run)) {
        if let Some(end) = ends.get_mut(at) {
            *end = last.insert(run.1 - run.0, at);
        }
    }
    // Runs of one, two and three stars that may begin something.
    let mut open: [Vec<Range>; 3] = Default::default();
    let mut literal = 0;
    for (at, run) in signs.iter().enumerate() {
        if is_tick(run) {
            gone.push(*run);
            if let Some(end) = ends.get(at).copied().flatten().filter(|_| at >= literal) {
                literal = end + 1;
            }
            continue;
        }
        let size = run.1 - run.0;
        if at < literal || size > open.len() {
            continue;
        }
        let (opens, closes) = flanks(text, *run);
        let begun = closes.then(|| begin(&mut open, size)).flatten();
        if let Some((first, runs)) = begun {
            gone.extend(runs);
            gone.push(*run);
            // What began within it is no more than its stars.
            open.iter_mut().for_each(|open| open.truncate(open.partition_point(|run| run.0 < first)));
        } else if let Some(open) = open.get_mut(size - 1).filter(|_| opens) {
            open.push(*run);
        }
    }
}

/// The runs that so many stars end, and where the first of them begins: one of as many, or of three one and two.
fn begin(open: &mut [Vec<Range>; 3], size: usize) -> Option<(usize, Vec<Range>)> {
    if let Some(run) = open.get_mut(size - 1)?.pop() {
        return Some((run.0, vec![run]));
    }
    let [ones, twos, _] = open;
    let (one, two) = (*ones.last()?, *twos.last()?);
    (size == 3).then(|| (one.0.min(two.0), vec![one, two]))
}

/// Whether a run of stars may begin what is bold or slanted, and whether it may end it: by what stands beside it. Stars
/// within words, of file patterns and of comments do neither.
fn flanks(text: &str, (from, to): Range) -> (bool, bool) {
    let before = text.get(..from).and_then(|text| text.chars().next_back());
    let mut rest = text.get(to..).unwrap_or_default().chars();
    let behind = rest.next();
    // Behind a bracket that follows a name stand arguments.
    let mut near = text.get(..from).unwrap_or_default().chars().rev();
    let bracket = near.next().is_some_and(|sign| matches!(sign, '(' | '[' | '{' | '<'));
    let is_argument = bracket && near.next().is_some_and(|sign| sign == '_' || sign.is_alphanumeric() && !is_cjk(sign));
    let blank = |sign: Option<char>| sign.is_none_or(char::is_whitespace);
    let word = |sign: Option<char>| sign.is_some_and(|sign| sign.is_alphanumeric() && !is_cjk(sign));
    let letter = |sign: Option<char>| sign.is_some_and(char::is_alphanumeric);
    let one_of = |sign: Option<char>, of: &str| sign.is_some_and(|sign| of.contains(sign));
    let is_suffix = behind == Some('.') && letter(rest.next());
    let escaped = before == Some('\\');
    let opens = !escaped
        && !word(before)
        && !blank(behind)
        && !is_suffix
        && !is_argument
        && !one_of(behind, "/)]},;:")
        && (letter(behind) || !letter(before));
    let closes =
        !escaped && !blank(before) && !word(behind) && !one_of(before, "/([{") && (letter(before) || !letter(behind));
    (opens, closes)
}

#[cfg(test)]
mod tests {
    use super::super::seams::without;
    use super::*;
    use proptest::prelude::*;

    fn taken(text: &str, gone: &[Range]) -> Option<(String, Vec<u32>)> {
        (!gone.is_empty()).then(|| without(text, gone, (0, text.len())))
    }

    fn unmarked(text: &str) -> Option<(String, Vec<u32>)> {
        taken(text, &before_lines(text))
    }

    fn unstyled(text: &str) -> Option<(String, Vec<u32>)> {
        taken(text, &of_style(text))
    }

    fn bare(text: &str) -> String {
        unmarked(text).map_or_else(|| text.to_owned(), |(bare, _)| bare)
    }

    #[test]
    fn marks_that_are_not_drawn_are_left_out() {
        for (text, plain) in [
            ("**Uses** `cli.Run()` instead of *that*.", "Uses cli.Run() instead of that."),
            ("**Bold:** text, and __init__ too", "Bold: text, and __init__ too"),
            ("* an item\n2 * 3, a*b, ***all***", "* an item\n2 * 3, a*b, all"),
        ] {
            let (out, starts) = unstyled(text).unwrap();
            assert_eq!(out, plain);
            assert_eq!(starts.len(), out.len() + 1);
            assert!(out.bytes().zip(&starts).all(|(byte, at)| text.as_bytes()[*at as usize] == byte));
        }
        assert_eq!(unstyled("nothing of the kind: 2 * 3, a*b"), None);
    }

    #[test]
    fn stars_go_only_in_pairs() {
        for text in [
            "Never run rm -rf build/* here, and declare int *count first.",
            "*.rs and *.toml, not *.lock into build/*",
            "select count(*) from a, count(*) from b",
            "f(*args, **kwargs) and *rest",
            "/* a comment */ and /** another **/",
            "src/**/*.rs or **/*.toml",
            "int* a, *b",
            "one *a\n\nb* two",
            "* one *a\n* two b*",
            "+int *a\n+int b* c",
            "\\*not this\\*",
            "*one and two**",
            "f(*a, b*) and Vec<*const u8, T*>",
            "a[*i, j*]",
        ] {
            assert_eq!(unstyled(text), None, "{text}");
        }
        for (text, plain) in [
            ("**one *two***, (*three*) and **four**: *fi\nve*", "one two, (three) and four: fi\nve"),
            ("这是**重点**内容", "这是重点内容"),
            ("**`a`** and `b* *c` of *d* *e", "a and b* *c of d *e"),
            ("* *an* item", "* an item"),
            ("**bold *ptr is** x", "bold *ptr is x"),
            ("a *b\n```c\nint *p;\n\nx = *p* y;\n```\nc* and **d**", "a *b\nc\nint *p;\n\nx = *p* y;\n\nc* and d"),
            ("````\n```\n*a*\n```\n````\n*b*", "\n```\n*a*\n```\n\nb"),
            // The beginning of the first was cut off: what opens then is no end of another.
            ("*a*\n```\n\n*b* and `c`\n\n```rust\n*d*\n```", "a\n\n\nb and c\n\nrust\n*d*\n"),
            ("*a* ```*b*``` and *c*\n```", "a *b* and c\n"),
        ] {
            assert_eq!(unstyled(text).unwrap().0, plain);
        }
    }

    #[test]
    fn what_tools_put_before_lines_is_no_part_of_them() {
        for (text, plain) in [
            ("66\tfails it is a sign\n67\tthat it moved", "66\tfails it is a sign\nthat it moved"),
            ("  9\u{2192}one\n 10\u{2192}two", "  9\u{2192}one\ntwo"),
            ("+but entries\n+are never", "+but entries\nare never"),
            ("+    // but entries\n+    // are never", "+    // but entries\n are never"),
            ("7\t * one\n8\t * two", "7\t * one\n two"),
            ("x = 1  # what\n       # goes on", "x = 1  # what\n goes on"),
            ("> one\n> two", "> one\n two"),
            ("/// one\n/// two", "/// one\n two"),
            ("L5: one\nL6: two", "L5: one\ntwo"),
            ("12:one\n13:two", "12:one\ntwo"),
            ("12-one\n13:two", "12-one\ntwo"),
            ("src/a.rs:12:one\nsrc/a.rs:13:two", "src/a.rs:12:one\ntwo"),
            ("src/a-1-b.rs-12-one\nsrc/a-1-b.rs:13:two", "src/a-1-b.rs-12-one\ntwo"),
            ("> > one\n> > two", "> > one\n two"),
            (">> one\n>> two", ">> one\n two"),
            ("@@ -1,2 +1,3 @@\n c\n+ one\n+ two", "@@ -1,2 +1,3 @@\n c\n one\n two"),
            ("@@ -4 +4,2 @@ fn f()\n one\n+two", "@@ -4 +4,2 @@ fn f()\n one\ntwo"),
            ("@@ -4,2 +4 @@\n one\n- two\n- c", "@@ -4,2 +4 @@\n one\n two\n- c"),
            ("@@\n- one\n- two", "@@\n- one\n two"),
            ("7\t@@ -1,2 +1,2 @@\n8\t- one\n9\t- two", "7\t@@ -1,2 +1,2 @@\n- one\n two"),
            ("+ // one\n+ // two\n- old", "+ // one\n two\n- old"),
        ] {
            assert_eq!(bare(text), plain);
        }
        for text in [
            "- one\n- two",
            "+ one\n+ two",
            "@@ -1 +1 @@\n-a\n+b\n- one\n- two",
            "@@ -1 +1 @@\n- one\n+ two",
            "@@\n-a\n\n- one\n- two",
            "@@ and so on @@\n\n- one\n- two",
            "* one\n* two",
            "1. one\n2. two",
            "5\tone\n9\ttwo",
            "a\n+b",
            "a\n# b",
            "one\n> two",
            "> one\n>> two",
            "a.rs:12:one\nb.rs:13:two",
            "10:30 tea\n12:30 lunch",
            "3 | 4\n9 | 5",
            "one\ntwo",
        ] {
            assert_eq!(unmarked(text), None, "{text}");
        }
    }

    proptest! {
        #[test]
        fn only_marks_are_left_out(text in "[*`a./( \\n重]{0,40}") {
            if let Some((out, starts)) = unstyled(&text) {
                prop_assert!(starts.windows(2).all(|pair| pair[0] < pair[1]));
                let kept: String = text.chars().filter(|sign| !matches!(sign, '*' | '`')).collect();
                prop_assert_eq!(out.replace(['*', '`'], ""), kept);
            }
        }

        #[test]
        fn every_byte_that_stays_has_its_place(lines in prop::collection::vec(("[ 0-9L\t|+\\-/#*>;]{0,6}", ".{0,6}"), 0..9)) {
            let text: String = lines.iter().enumerate().map(|(at, (mark, said))| format!("{at}\t{mark}{said}\n")).collect();
            if let Some((bare, starts)) = unmarked(&text) {
                prop_assert_eq!(starts.len(), bare.len() + 1);
                for (at, byte) in bare.bytes().enumerate() {
                    prop_assert_eq!(text.as_bytes()[starts[at] as usize], byte);
                }
            }
        }
    }
}
