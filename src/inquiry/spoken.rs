//! What of a message a person says: not what a client put around it in elements, as the time of day.

/// Elements in which a person's own words stand.
const PROSE: &[&str] = &[
    "ask",
    "constraints",
    "feedback",
    "goal",
    "instruction",
    "instructions",
    "issue",
    "message",
    "prompt",
    "query",
    "question",
    "request",
    "requirements",
    "rules",
    "task",
    "user_message",
    "user_query",
    "user_request",
];
/// Elements by which words are marked: they begin no part.
const MARKS: &[&str] = &[
    "a",
    "b",
    "blockquote",
    "br",
    "code",
    "del",
    "div",
    "em",
    "h1",
    "h2",
    "h3",
    "i",
    "img",
    "kbd",
    "li",
    "mark",
    "ol",
    "p",
    "pre",
    "s",
    "small",
    "span",
    "strong",
    "sub",
    "sup",
    "u",
    "ul",
];
/// What the names of elements hold that clients put behind a person's words.
const CLIENTS: &[&str] = &["context", "current", "environment", "reminder", "system"];
/// Bytes of a mark that closes, at most.
const MARK: usize = 16;
/// Elements that stand in each other at most, and parts of a message at most.
const DEEPEST: usize = 4;
const MOST: usize = 64;

/// The parts of a message that a person says: what stands beside the elements that it begins with, and inside of those
/// that hold a person's words. None where a client wrote all of it.
pub(super) fn spoken(text: &str) -> Vec<&str> {
    let text = text.trim();
    let mut found = Vec::new();
    if !(text.starts_with('[') && text.ends_with(']')) {
        read(text, DEEPEST, &mut found);
    }
    found
}

fn read<'a>(text: &'a str, deeper: usize, found: &mut Vec<&'a str>) {
    let mut rest = text.trim();
    while !rest.is_empty() && found.len() < MOST {
        match Element::at(rest) {
            Some(element) if !element.is(MARKS) => {
                // What is not closed may go on to the end.
                let Some(inside) = element.inside else { return };
                if element.is(PROSE) && deeper > 0 {
                    read(inside, deeper - 1, found);
                }
                rest = element.behind.trim_start();
            }
            _ => {
                let end = clients(rest);
                found.push(rest.get(..end).unwrap_or_default().trim_end());
                rest = rest.get(end..).unwrap_or_default().trim_start();
            }
        }
    }
}

/// Where a line begins with an element of a client's; else the end.
fn clients(text: &str) -> usize {
    let lines = text.match_indices("\n<").map(|(at, _)| at + 1);
    let is_clients = |at: &usize| {
        let element = text.get(*at..).and_then(Element::at);
        element.is_some_and(|element| {
            let name = element.name.to_ascii_lowercase();
            element.inside.is_some() && CLIENTS.iter().any(|part| name.contains(part))
        })
    };
    lines.take(MOST).find(is_clients).unwrap_or(text.len())
}

/// An element with which a text begins.
struct Element<'a> {
    name: &'a str,
    /// What it holds; `None` where it is not closed.
    inside: Option<&'a str>,
    /// What stands behind it.
    behind: &'a str,
}

impl<'a> Element<'a> {
    fn at(text: &'a str) -> Option<Element<'a>> {
        let rest = text.strip_prefix('<').filter(|rest| rest.starts_with(|sign: char| sign.is_ascii_alphabetic()))?;
        let end = rest.find(|sign: char| !(sign.is_ascii_alphanumeric() || matches!(sign, '_' | '-' | ':' | '.')))?;
        let (name, rest) = rest.split_at(end);
        let (head, rest) = rest.split_once('>').filter(|(head, _)| !head.contains('<'))?;
        if head.ends_with('/') {
            return Some(Element { name, inside: Some(""), behind: rest });
        }
        let close = format!("</{name}>");
        Some(match rest.split_once(close.as_str()) {
            Some((inside, behind)) => Element { name, inside: Some(inside), behind },
            None => Element { name, inside: None, behind: "" },
        })
    }

    fn is(&self, names: &[&str]) -> bool {
        names.iter().any(|name| self.name.eq_ignore_ascii_case(name))
    }
}

/// A line parted behind the marks that close at a sentence's end: `<b>One.</b> Another.`
pub(super) fn at_marks(line: &str) -> Vec<&str> {
    let (mut found, mut from) = (Vec::new(), 0);
    for (at, _) in line.match_indices("</") {
        let ended = line.get(..at).is_some_and(|before| before.ends_with(['.', '!', '?', ':']));
        let close = line.get(at..).and_then(|rest| rest.bytes().take(MARK).position(|byte| byte == b'>'));
        if let Some(close) = close.filter(|_| ended) {
            found.extend(line.get(from..=at + close));
            from = at + close + 1;
        }
    }
    found.extend(line.get(from..).filter(|rest| !rest.is_empty()));
    found
}

/// A sentence without the marks around it.
pub(super) fn without_marks(sentence: &str) -> &str {
    let mut rest = sentence.trim();
    loop {
        let mark = |tag: &str| MARKS.iter().any(|name| name.eq_ignore_ascii_case(tag));
        let begins = rest.strip_prefix('<').and_then(|inner| inner.split_once('>'));
        let opened = begins.filter(|(tag, _)| mark(tag.trim_start_matches('/').trim_end_matches(['/', ' '])));
        let ends = rest.strip_suffix('>').and_then(|inner| inner.rsplit_once('<'));
        let closed = ends.filter(|(_, tag)| mark(tag.trim_start_matches('/').trim_end_matches(['/', ' '])));
        match opened.map(|(_, behind)| behind).or(closed.map(|(before, _)| before)) {
            Some(inner) => rest = inner.trim(),
            None => return rest,
        }
    }
}

/// The lines of a pasted text beside those of a file as tools number them: `48: …`, where the next or the last line goes
/// on counting.
pub(super) fn without_numbered<T: AsRef<str>>(lines: &[T]) -> impl Iterator<Item = &T> {
    let number = |line: &str| -> Option<u64> {
        let line = line.trim_start();
        let digits = line.bytes().take_while(u8::is_ascii_digit).count();
        let rest = line.get(digits..)?;
        let counts = rest.starts_with([':', '\u{2192}', '\t', '|']);
        line.get(..digits).filter(|_| counts)?.parse().ok()
    };
    let numbers: Vec<Option<u64>> = lines.iter().map(|line| number(line.as_ref())).collect();
    let counts = move |at: usize| {
        let at_number = |at: Option<usize>| at.and_then(|at| numbers.get(at).copied().flatten());
        let Some(own) = at_number(Some(at)) else { return false };
        at_number(at.checked_sub(1)).is_some_and(|last| last.checked_add(1) == Some(own))
            || at_number(Some(at + 1)).is_some_and(|next| own.checked_add(1) == Some(next))
    };
    lines.iter().enumerate().filter(move |(at, _)| !counts(*at)).map(|(_, line)| line)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_a_client_puts_around_a_message_is_left_out() {
        for (text, said) in [
            ("<now>2026</now>\n\nNever push.", &["Never push."][..]),
            ("<now/><place x=\"1\">home</place> Never push.\nUse a branch.", &["Never push.\nUse a branch."]),
            ("<task>\nNever push.\n</task>", &["Never push."]),
            ("<Task>Never push.</Task>\nUse a branch.", &["Never push.", "Use a branch."]),
            ("<task><now>2026</now>Never push.</task>", &["Never push."]),
            ("<b>Never push.</b> Use a branch.", &["<b>Never push.</b> Use a branch."]),
            ("Go on.\n\n<system_reminder>\nx\n</system_reminder>\n<now>1</now>", &["Go on."]),
            ("Go on.\n<rules>never</rules>", &["Go on.\n<rules>never</rules>"]),
            ("a <b and c", &["a <b and c"]),
            ("<3 it", &["<3 it"]),
            ("<now>2026</now>", &[]),
            ("<output>and so on", &[]),
            ("[Request interrupted]", &[]),
            ("", &[]),
        ] {
            assert_eq!(spoken(text), said, "{text}");
        }
        let deep = format!("{}x{}", "<task>".repeat(5_000), "</task>".repeat(5_000));
        assert!(spoken(&deep).len() <= MOST);
        assert!(spoken(&"<now>1</now>\n".repeat(10_000)).is_empty());
    }

    #[test]
    fn marks_around_a_sentence_are_no_words() {
        assert_eq!(at_marks("<b>One.</b> Two."), ["<b>One.</b>", " Two."]);
        assert_eq!(at_marks("Do <b>not</b> push."), ["Do <b>not</b> push."]);
        assert_eq!(without_marks(" <p><b>One.</b></p> "), "One.");
        assert_eq!(without_marks("a < b > c"), "a < b > c");
    }

    #[test]
    fn lines_of_a_file_are_left_out() {
        let lines = ["Look:", "47: a();", "48:   // never b", "7: once", "12\u{2192}x", "13\u{2192}y"];
        assert_eq!(without_numbered(&lines).collect::<Vec<_>>(), [&"Look:", &"7: once"]);
    }
}
