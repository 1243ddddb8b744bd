//! Texts that are cut out of a paragraph and put elsewhere into it, by their places in its text without white space.

use std::ops::Range;

use unpdf::model::{InlineContent, Paragraph, TextRun, TextStyle};

/// What is cut out.
pub struct Cut {
    /// Its bytes.
    pub range: Range<usize>,
    /// Whether it stays, and is no link any more.
    pub unlinked: bool,
}

/// What is put into it.
pub struct Put {
    /// Behind which byte.
    pub at: usize,
    /// Of several at one place, the leftmost comes first.
    pub left: f32,
    /// What is written.
    pub text: String,
    /// What it links to.
    pub link: Option<String>,
    /// Whether a blank stands before it.
    pub spaced: bool,
    /// Whether no blank stands behind it.
    pub closed: bool,
}

/// Cuts and puts.
pub fn spliced(paragraph: &mut Paragraph, cuts: Vec<Cut>, mut puts: Vec<Put>) {
    puts.sort_by(|one, other| one.at.cmp(&other.at).then(one.left.total_cmp(&other.left)));
    let (unlinked, gone): (Vec<Cut>, Vec<Cut>) = cuts.into_iter().partition(|cut| cut.unlinked);
    let mut writer = Writer { made: Vec::new(), text: String::new(), last: None, closed: false };
    let mut at = 0;
    for part in std::mem::take(&mut paragraph.content) {
        let (text, kind) = match part {
            InlineContent::Text(run) => (run.text, Kind { link: None, style: run.style }),
            InlineContent::Link { text, url, title, style } => {
                let size: usize = text.split_whitespace().map(str::len).sum();
                let is_none = unlinked.iter().any(|cut| cut.range == (at..at + size));
                (text, Kind { link: Some((url, title)).filter(|_| !is_none), style })
            }
            other => {
                writer.made.push(other);
                continue;
            }
        };
        for sign in text.chars() {
            if sign.is_whitespace() {
                writer.blank(sign);
                continue;
            }
            let is_gone = gone.iter().any(|cut| cut.range.contains(&at));
            at += sign.len_utf8();
            if is_gone {
                writer.closed |= writer.last.is_none_or(char::is_whitespace);
            } else {
                writer.sign(sign);
            }
            puts.iter().filter(|put| put.at == at).for_each(|put| writer.put(put, &kind));
        }
        writer.end(&kind);
    }
    paragraph.content = writer.made;
}

/// What a part of a paragraph is beside its text.
struct Kind {
    link: Option<(String, Option<String>)>,
    style: TextStyle,
}

struct Writer {
    made: Vec<InlineContent>,
    text: String,
    last: Option<char>,
    /// Whether the blanks that follow are left out.
    closed: bool,
}

impl Writer {
    fn blank(&mut self, sign: char) {
        if !self.closed {
            self.text.push(sign);
            self.last = Some(sign);
        }
    }

    fn sign(&mut self, sign: char) {
        self.text.push(sign);
        (self.last, self.closed) = (Some(sign), false);
    }

    fn put(&mut self, put: &Put, kind: &Kind) {
        if put.spaced && self.last.is_some_and(|last| !last.is_whitespace()) {
            self.sign(' ');
        }
        match &put.link {
            Some(url) => {
                self.end(kind);
                let text = put.text.clone();
                let (url, style) = (url.clone(), TextStyle::default());
                self.made.push(InlineContent::Link { text, url, title: None, style });
            }
            None => self.text.push_str(&put.text),
        }
        (self.last, self.closed) = (put.text.chars().next_back(), put.closed);
    }

    /// Ends a part.
    fn end(&mut self, kind: &Kind) {
        let text = std::mem::take(&mut self.text);
        if text.is_empty() {
            return;
        }
        let style = kind.style.clone();
        self.made.push(match kind.link.clone() {
            Some((url, title)) => InlineContent::Link { text, url, title, style },
            None => InlineContent::Text(TextRun { text, style }),
        });
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_cut_out_is_put_elsewhere_with_the_blanks_of_its_place() {
        let cut = |range| Cut { range, unlinked: false };
        let put = |at, closed, spaced| Put { at, left: 0.0, text: "2".to_owned(), link: None, spaced, closed };
        for (text, range, put, right) in [
            ("2 H O and x", 0..1, put(2, true, false), "H2O and x"),
            ("2 H O and x", 0..1, put(6, false, false), "H O and2 x"),
            ("a 2 b", 1..2, put(3, false, true), "a b 2"),
            ("ä2 b", 2..3, put(4, false, false), "ä b2"),
        ] {
            let mut paragraph = Paragraph::with_text(text);
            spliced(&mut paragraph, vec![cut(range)], vec![put]);
            assert_eq!(paragraph.plain_text(), right);
        }
    }
}
