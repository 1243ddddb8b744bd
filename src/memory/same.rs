//! When two texts are one: what differs in blanks between words, or in the capital with which a sentence begins, is the
//! same text. A capital, a quotation mark or an indentation elsewhere can make it another: 10 Mb is not 10 MB.

use std::collections::{HashMap, HashSet};

use unicode_normalization::UnicodeNormalization;

use super::abbreviation::is_cut_short;
use super::one_letter_names;
use super::words::{apart, is_silent};

/// Words that name nothing: their capital is that of the beginning alone, whatever follows.
const OPENERS: &[&str] = &[
    "add", "always", "ask", "avoid", "call", "check", "das", "der", "die", "do", "don't", "ein", "eine", "el", "every",
    "fix", "il", "keep", "la", "las", "le", "les", "let", "los", "make", "never", "no", "not", "note", "now", "one",
    "please", "prefer", "put", "read", "remember", "remove", "run", "see", "set", "some", "un", "una", "une", "use",
    "write",
];

/// A text in the form in which it is told to be another (db0: normalised text): blanks between words as one space, signs
/// of other widths as the plain ones, the capital that only begins a sentence small. Units, flags, paths, names, secrets
/// and quotations stay as they are, and so do indented lines.
#[must_use]
pub fn normal(text: &str) -> String {
    let lines: Vec<&str> = text.lines().map(str::trim_end).filter(|line| !line.is_empty()).collect();
    let common = common_indent(&lines);
    let inner = |line: &str| line.get(common..).unwrap_or_default().to_owned();
    let is_laid_out = lines.iter().any(|line| inner(line).starts_with(char::is_whitespace));
    let mut out = String::with_capacity(text.len());
    let mut begins = true;
    for line in &lines {
        let line = inner(line);
        let words = line.trim_start();
        if !out.is_empty() {
            out.push(if is_laid_out { '\n' } else { ' ' });
        }
        if is_laid_out {
            out.push_str(&line[..line.len() - words.len()]);
        }
        fold(words, &mut begins, &mut out);
    }
    out
}

/// Bytes of the blanks with which all lines begin.
fn common_indent(lines: &[&str]) -> usize {
    let indent = |line: &str| line[..line.len() - line.trim_start().len()].to_owned();
    let mut all = lines.iter().map(|line| indent(line));
    let Some(mut common) = all.next() else { return 0 };
    for other in all {
        let same = common.chars().zip(other.chars()).take_while(|(one, other)| one == other);
        common = same.map(|(sign, _)| sign).collect();
    }
    common.len()
}

/// A line's words, with one space between them where no quotation has more.
fn fold(line: &str, begins: &mut bool, out: &mut String) {
    let quotes = ['"', '`'].map(|quote| line.matches(quote).count() % 2 == 0);
    let mut open: Option<char> = None;
    let mut parts = line.split_whitespace().peekable();
    let (mut end, mut before) = (0, None);
    while let Some(word) = parts.next() {
        let at = word.as_ptr() as usize - line.as_ptr() as usize;
        match open {
            Some(_) => out.push_str(line.get(end..at).unwrap_or_default()),
            None if at > 0 => out.push(' '),
            None => {}
        }
        end = at + word.len();
        let plain = if word.is_ascii() { word.to_owned() } else { apart(word).nfkc().collect::<String>() };
        let next = parts.peek().copied();
        let behind = line.get(end..).unwrap_or_default().split_whitespace();
        let is_small = *begins
            && open.is_none()
            && next.is_some_and(|next| only_begins(&plain, next))
            && !one_letter_names::is_name(word, before, behind);
        match plain.char_indices().find(|(_, sign)| sign.is_alphabetic()).filter(|_| is_small) {
            Some((at, first)) => {
                out.push_str(&plain[..at]);
                out.extend(first.to_lowercase());
                out.push_str(&plain[at + first.len_utf8()..]);
            }
            None => out.push_str(&plain),
        }
        for sign in word.chars() {
            let is_quote = (sign == '"' && quotes[0]) || (sign == '`' && quotes[1]);
            match open {
                Some(quote) if quote == sign => open = None,
                None if is_quote => open = Some(sign),
                _ => {}
            }
        }
        let bare = word.trim_end_matches(['"', '\'', ')', ']', '*', '_', '`', '\u{201d}', '\u{2019}']);
        let is_mark = !word.contains(char::is_alphabetic);
        let ends = bare.ends_with(['.', '!', '?']) && !is_cut_short(bare.trim_end_matches('.'), next);
        *begins = ends || (*begins && is_mark);
        before = Some(word);
    }
}

/// Whether the capital of a word at the beginning of a sentence may be there for that alone. A name before a verb has
/// its own: "Foo returns 1".
fn only_begins(word: &str, next: &str) -> bool {
    let bare = word.trim_matches(['*', '_', ',', ';', ':']);
    let mut signs = bare.chars();
    let is_capital = signs.next().is_some_and(char::is_uppercase);
    let rest_small = signs.all(|sign| sign.is_lowercase() || matches!(sign, '\'' | '\u{2019}'));
    if !is_capital || !rest_small {
        return false;
    }
    let next = next.trim_matches(|sign: char| !sign.is_alphanumeric());
    let is_verb =
        one_letter_names::SAYS.contains(&next) || (next.ends_with('s') && !next.ends_with("ss") && next.len() > 2);
    let small = bare.to_lowercase().replace('\u{2019}', "'");
    is_silent(&small) || OPENERS.contains(&&*small) || (!is_verb && next.starts_with(char::is_alphanumeric))
}

/// Whether what one text writes in a way that can mean something, the other writes so too: capitals, quotations of what
/// is something else without them, and the indentation of lines.
pub(super) fn are_written_alike(text: &str, other: &str) -> bool {
    let (own, theirs) = (normal(text), normal(other));
    has_capitals(&own, &theirs) && quoted_values(&own) == quoted_values(&theirs) && is_laid_out_alike(text, other)
}

/// Whether no word of the other is there in other capitals alone.
fn has_capitals(text: &str, other: &str) -> bool {
    let words = |text: &str| -> Vec<String> {
        let parts = text.split(|sign: char| !sign.is_alphanumeric() && sign != '_');
        parts.filter(|word| !word.is_empty()).map(str::to_owned).collect()
    };
    let mut own: HashMap<String, HashSet<String>> = HashMap::new();
    for word in words(text) {
        own.entry(word.to_lowercase()).or_default().insert(word);
    }
    words(other).iter().all(|word| own.get(&word.to_lowercase()).is_none_or(|forms| forms.contains(word)))
}

/// Values that quotation marks make a text of: "null", and what stands behind `=` or a bracket.
fn quoted_values(text: &str) -> HashSet<String> {
    const VALUES: &[&str] = &["true", "false", "null", "none", "nil", "undefined", "nan"];
    let mut found = HashSet::new();
    for quote in ['"', '\''] {
        let parts: Vec<&str> = text.split(quote).collect();
        for (before, inside) in parts.iter().zip(parts.iter().skip(1)).step_by(if quote == '"' { 2 } else { 1 }) {
            let is_value = VALUES.contains(&inside.to_lowercase().as_str())
                || (!inside.is_empty() && inside.bytes().all(|byte| byte.is_ascii_digit() || byte == b'.'));
            let is_code = before.trim_end().ends_with(['=', '(', '[', '{']) || inside.contains("  ");
            if (is_value || is_code) && !inside.contains('\n') && parts.len() > 2 {
                found.insert((*inside).to_owned());
            }
        }
    }
    found
}

/// Whether the lines that both have are indented alike, all by as much more or less.
fn is_laid_out_alike(text: &str, other: &str) -> bool {
    let lines = |text: &str| -> Vec<(String, usize)> {
        let lines = text.lines().map(str::trim_end).filter(|line| !line.is_empty());
        lines.map(|line| (line.trim_start().to_owned(), line.len() - line.trim_start().len())).collect()
    };
    let mut own: HashMap<String, HashSet<usize>> = HashMap::new();
    for (line, indent) in lines(text) {
        own.entry(line).or_default().insert(indent);
    }
    let mut shifts: Option<HashSet<isize>> = None;
    for (line, indent) in lines(other) {
        let Some(there) = own.get(&line) else { continue };
        let by: HashSet<isize> = there.iter().map(|own| own.cast_signed() - indent.cast_signed()).collect();
        shifts = Some(match shifts {
            Some(shifts) => shifts.intersection(&by).copied().collect(),
            None => by,
        });
    }
    shifts.is_none_or(|shifts| !shifts.is_empty())
}

#[cfg(test)]
mod tests {
    use super::super::told::says_all;
    use super::*;

    #[test]
    fn blanks_and_the_capital_of_a_sentence_make_no_other_text() {
        for (one, other) in [
            ("  The  port\n  is\t8080. We agreed.\n", "the port is 8080. we agreed."),
            ("Use tabs. Never spaces at all.", "use tabs. never spaces at all."),
            ("- Use \u{ff18}\u{ff10}", "- use 80"),
            ("I don\u{2019}t like tabs", "I don't like tabs"),
            ("    a\n    b", "a b"),
        ] {
            assert_eq!(normal(one), normal(other));
        }
        for text in
            ["  The  Port\n  is\t8080", "if a:\n    b  \n\n  c", "Ask Dr. Smith. \"A  b\" `x  y`", "Le \u{c9}t\u{e9}"]
        {
            assert_eq!(normal(&normal(text)), normal(text), "{text}");
        }
    }

    #[test]
    fn what_another_letter_case_quotation_or_indentation_makes_another_stays_another() {
        for (one, other) in [
            ("the limit is 10 Mb", "the limit is 10 MB"),
            ("it draws 10 mW", "it draws 10 MW"),
            ("filter it with grep -v", "filter it with grep -V"),
            ("it stands in /etc/App", "it stands in /etc/app"),
            ("the column is userId", "the column is userid"),
            ("the password is Tiger", "the password is tiger"),
            ("Tiger is the password", "tiger is the password"),
            ("Foo returns 1", "foo returns 1"),
            ("fetch it with curl -o x", "fetch it with curl -O x"),
            ("the value is null", "the value is \"null\""),
            ("name = 'a'", "name = a"),
            ("few tests pass", "a few tests pass"),
            ("if a:\n    b()\n    c()", "if a:\n    b()\nc()"),
            ("if a:\n    b()", "if a:\nb()"),
            ("say \"a  b\"", "say \"a b\""),
            ("see Dr. Tiger here", "see Dr. tiger here"),
        ] {
            assert_ne!(normal(one), normal(other));
            assert!(!says_all(one, other) && !says_all(other, one), "{one} / {other}");
        }
    }
}
