//! The sections of a text whose headings are underlined, as those of reStructuredText are: `#` begins none there.

use super::outline::Section;

/// Signs of a short line that underlines a longer title all the same.
const SHORT: usize = 4;

/// A line of a text, and where it begins and ends.
#[derive(Clone, Copy)]
struct Line<'a> {
    text: &'a str,
    start: usize,
    end: usize,
}

impl Line<'_> {
    /// The sign that a line consists of, where it is nothing else; `None` of others.
    fn sign(&self) -> Option<char> {
        let sign = self.text.chars().next().filter(char::is_ascii_punctuation)?;
        self.text.chars().all(|other| other == sign).then_some(sign)
    }

    /// Whether it begins a block of explicit markup: a target, a note, a comment.
    fn is_explicit(&self) -> bool {
        [".. ", "__ "].iter().any(|mark| self.text.starts_with(mark)) || matches!(self.text, ".." | "__")
    }

    /// Whether it begins a block of another kind, as an item of a list or of a session of Python's.
    fn begins_block(&self) -> bool {
        let is_mark = |mark: &str| matches!(mark, "-" | "+" | "*" | "•" | "‣" | "⁃" | ">>>" | "|");
        self.is_explicit() || self.text.split(' ').next().is_some_and(is_mark)
    }

    /// Whether it can be a title over or under a line of signs.
    fn is_title(&self) -> bool {
        !self.text.trim().is_empty() && self.sign().is_none_or(|_| self.text.len() == 1)
    }
}

/// The sections in order. A title's level is the place of its kind of line among those of the text: `kinds` are those
/// that came before it.
pub fn sections(text: &str, kinds: &mut Vec<(char, bool)>) -> Vec<Section> {
    let mut sections: Vec<Section> = Vec::new();
    let lines = lines(text);
    let mut at = 0;
    // Whether what stands above ends a title, and whether it belongs to explicit markup: neither goes on as a paragraph.
    let (mut titled, mut marked) = (true, false);
    while let Some(line) = lines.get(at) {
        let after = |count: usize| lines.get(at + count);
        let before = at.checked_sub(1).and_then(|before| lines.get(before));
        let apart = titled || marked || before.is_none_or(|line| line.text.trim().is_empty());
        let underlines = |under: &Line<'_>, title: &Line<'_>| {
            let (width, length) = (under.text.len(), title.text.chars().count());
            under.sign().filter(|_| width >= length || width >= SHORT)
        };
        // Under and over it, or only under it, where it does not stand in.
        let over = line.sign().zip(after(1).zip(after(2))).filter(|(sign, (title, under))| {
            title.is_title() && under.text == line.text && underlines(under, title) == Some(*sign)
        });
        let found = match over {
            Some((sign, (title, under))) if apart => Some((sign, true, *title, *under)),
            _ if apart && line.is_title() && !line.begins_block() && !line.text.starts_with([' ', '\t']) => {
                after(1).and_then(|under| Some((underlines(under, line)?, false, *line, *under)))
            }
            _ => None,
        };
        titled = found.is_some();
        let Some((sign, over, title, under)) = found else {
            if !line.text.is_empty() && !line.text.starts_with([' ', '\t']) {
                marked = apart && line.is_explicit();
            }
            at += 1;
            continue;
        };
        marked = false;
        let known = kinds.iter().position(|kind| *kind == (sign, over));
        let level = known.unwrap_or_else(|| {
            kinds.push((sign, over));
            kinds.len() - 1
        });
        if let Some(before) = sections.last_mut() {
            before.end = line.start;
        }
        let level = u8::try_from(level + 1).unwrap_or(u8::MAX).min(6);
        let (start, body) = (line.start, under.end);
        sections.push(Section { level, title: title.text.trim().to_owned(), start, body, end: text.len() });
        at += if over { 3 } else { 2 };
    }
    sections
}

fn lines(text: &str) -> Vec<Line<'_>> {
    let mut start = 0;
    let line = |line: &'_ str| {
        let begins = start;
        start += line.len();
        (begins, start)
    };
    let places: Vec<(usize, usize)> = text.split_inclusive('\n').map(line).collect();
    places.into_iter().map(|(start, end)| Line { text: text[start..end].trim_end(), start, end }).collect()
}

#[cfg(test)]
mod tests {
    use super::Section;

    fn sections(text: &str) -> Vec<Section> {
        super::sections(text, &mut Vec::new())
    }

    #[test]
    fn titles_are_underlined_and_comments_are_none() {
        let text = "=====\n Book\n=====\n\n.. # a comment\n   # more\n\n# not one\n\nOne\n---\nx\n\n::\n\n    Code\n    ====\n\n----\n\n\
                    Two thing\n---------\r\nå\n\nÅå\n~~\n\nThree\n-----\n\ntext\ngoes on\n=======\n\nab\n=\n";
        let found = sections(text);
        let told: Vec<_> = found.iter().map(|one| (one.level, one.title.as_str())).collect();
        assert_eq!(told, [(1, "Book"), (2, "One"), (2, "Two thing"), (3, "Åå"), (2, "Three")]);
        let one = &found[1];
        assert_eq!((&text[one.start..one.body], &text[one.body..one.body + 2]), ("One\n---\n", "x\n"));
        assert!(found.windows(2).all(|two| two[0].end == two[1].start));
        let titles = |text| sections(text).into_iter().map(|one| one.title).collect::<Vec<_>>();
        let close =
            "A\n=\nB\n-\n.. _c:\n.. _d:\nC\n~\n.. note::\n   x\n\n   y\n====\nD 1\n====\nx\n.. _e:\nnone\n====\n";
        assert_eq!(titles(close), ["A", "B", "C", "D 1"]);
        assert!(titles("- a\n---\n\n>>> b\n=====\n\n* c\n~~~~\n\n.. d\n====\n\n| e\n===\n").is_empty());
        assert_eq!(titles("-a\n--\n\n1. b\n----\n"), ["-a", "1. b"]);
        assert!(sections("").is_empty() && sections("---\n---\n---\n").is_empty());
    }
}
