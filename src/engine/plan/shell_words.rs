//! The words and signs of a script of a shell.

/// A part of a script.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Token {
    /// A word, without its quotes.
    Word(String),
    /// A sign that parts commands or leads to or from a file; `n>` is a stream that is not the output.
    Sign(&'static str),
    /// What a command is given to read, by a here document or string.
    Given(String),
}

/// Signs, of which none stands before one that it begins.
const SIGNS: &[&str] = &["&>>", "&>", "&&", "||", ">>", ">|", ">&", "|", "&", ";", ">", "(", ")", "\n"];

/// Splits a script.
pub(super) fn tokens(script: &str) -> Vec<Token> {
    let mut reader = Reader { rest: script, found: Vec::new(), word: None, pending: Vec::new() };
    while reader.step() {}
    reader.end_word();
    reader.found
}

struct Reader<'s> {
    rest: &'s str,
    found: Vec<Token>,
    /// The word so far, and whether any of it was quoted.
    word: Option<(String, bool)>,
    /// Here documents whose bodies begin with the next line: where each goes, its tag, and whether tabs are left out.
    pending: Vec<(usize, String, bool)>,
}

impl<'s> Reader<'s> {
    fn push(&mut self, text: &str, quoted: bool) {
        let word = self.word.get_or_insert_default();
        word.0.push_str(text);
        word.1 |= quoted;
    }

    fn end_word(&mut self) {
        self.found.extend(self.word.take().map(|(word, _)| Token::Word(word)));
    }

    fn skip(&mut self, bytes: usize) -> &'s str {
        let (taken, rest) = self.rest.split_at_checked(bytes).unwrap_or((self.rest, ""));
        self.rest = rest;
        taken
    }

    /// Takes the next part; whether there was one.
    fn step(&mut self) -> bool {
        let Some(sign) = self.rest.chars().next() else { return false };
        let next = self.rest.get(sign.len_utf8()..).unwrap_or_default();
        match sign {
            '\\' => {
                self.skip(1);
                let taken = self.skip(next.chars().next().map_or(0, char::len_utf8));
                if taken != "\n" {
                    self.push(taken, true);
                }
            }
            '\'' => {
                let size = next.find('\'').unwrap_or(next.len());
                self.push(&next[..size], true);
                self.skip(size + 2);
            }
            '"' => self.quoted(),
            '$' | '<' if next.starts_with('(') => {
                let size = enclosed(next);
                let taken = self.skip(1 + size);
                self.push(taken, true);
            }
            // The old way to write `$( )`.
            '`' => {
                let size = next.find('`').unwrap_or(next.len());
                let script = format!("$({})", &next[..size]);
                self.push(&script, true);
                self.skip(size + 2);
            }
            '#' if self.word.is_none() => drop(self.skip(self.rest.find('\n').unwrap_or(self.rest.len()))),
            ' ' | '\t' | '\r' => {
                self.skip(1);
                self.end_word();
            }
            '<' => self.read_from(),
            // `f()` and `a=(b)` are none of commands.
            '(' if self.word.is_some() => {
                let taken = self.skip(enclosed(self.rest));
                self.push(taken, true);
            }
            _ => self.other(sign),
        }
        true
    }

    fn other(&mut self, sign: char) {
        let Some(found) = SIGNS.iter().find(|own| self.rest.starts_with(**own)) else {
            let taken = self.skip(sign.len_utf8());
            return self.push(taken, false);
        };
        self.skip(found.len());
        // Digits at once before it number the stream.
        let number = self.word.take_if(|(word, quoted)| {
            found.starts_with('>') && !*quoted && word.bytes().all(|byte| byte.is_ascii_digit())
        });
        self.end_word();
        let other = number.is_some_and(|(number, _)| number != "1");
        let sign = match (other, *found) {
            (true, ">>") => "n>>",
            (true, _) => "n>",
            (false, own) => own,
        };
        self.found.push(Token::Sign(sign));
        if *found == "\n" {
            self.bodies();
        }
    }

    fn quoted(&mut self) {
        self.skip(1);
        self.push("", true);
        while let Some(sign) = self.rest.chars().next() {
            let taken = self.skip(sign.len_utf8());
            match sign {
                '"' => return,
                '$' if self.rest.starts_with('(') => {
                    let inner = self.skip(enclosed(self.rest));
                    self.push(taken, true);
                    self.push(inner, true);
                }
                '\\' => {
                    let next = self.skip(self.rest.chars().next().map_or(0, char::len_utf8));
                    if !matches!(next, "\n") {
                        self.push(next, true);
                    }
                }
                '$' => self.named(taken),
                _ => self.push(taken, true),
            }
        }
    }

    /// A name within quotes: what stands at once behind those is no part of it.
    fn named(&mut self, sign: &str) {
        let is_name = |sign: char| sign.is_ascii_alphanumeric() || sign == '_';
        let size = self.rest.find(|sign| !is_name(sign)).unwrap_or(self.rest.len());
        let glued = self.rest.get(size..).is_some_and(|rest| rest.starts_with('"') && rest[1..].starts_with(is_name));
        let name = self.skip(size);
        let name = if glued && size > 0 { format!("{sign}{{{name}}}") } else { format!("{sign}{name}") };
        self.push(&name, true);
    }

    /// What stands behind `<`.
    fn read_from(&mut self) {
        self.word.take_if(|(word, quoted)| !*quoted && word.bytes().all(|byte| byte.is_ascii_digit()));
        self.end_word();
        let string = self.rest.starts_with("<<<");
        let document = !string && self.rest.starts_with("<<");
        if !string && !document {
            self.skip(1);
            self.found.push(Token::Sign("<"));
            return;
        }
        self.skip(if string { 3 } else { 2 });
        let tabs = document && self.rest.starts_with('-');
        self.skip(usize::from(tabs));
        self.rest = self.rest.trim_start_matches([' ', '\t']);
        let ends = |sign: char| sign.is_whitespace() || matches!(sign, '<' | '>' | '|' | ';' | '&' | ')');
        while self.rest.chars().next().is_some_and(|sign| !ends(sign)) && self.step() {}
        let Some((word, _)) = self.word.take() else { return };
        if string {
            self.found.push(Token::Given(word));
        } else {
            self.pending.push((self.found.len(), word, tabs));
            self.found.push(Token::Given(String::new()));
        }
    }

    /// The bodies of here documents.
    fn bodies(&mut self) {
        for (at, tag, tabs) in std::mem::take(&mut self.pending) {
            let mut lines = Vec::new();
            while !self.rest.is_empty() {
                let size = self.rest.find('\n').map_or(self.rest.len(), |at| at + 1);
                let line = self.skip(size).trim_end_matches('\n');
                if (if tabs { line.trim_start_matches('\t') } else { line }) == tag {
                    break;
                }
                lines.push(line);
            }
            if let Some(Token::Given(body)) = self.found.get_mut(at) {
                *body = lines.join("\n");
            }
        }
    }
}

/// The length of what brackets enclose at the beginning of a text, with them; all of it where they are not closed.
fn enclosed(text: &str) -> usize {
    let (mut depth, mut quote) = (0_usize, None::<u8>);
    for (at, byte) in text.bytes().enumerate() {
        match (quote, byte) {
            (Some(end), byte) => quote = Some(end).filter(|end| *end != byte),
            (None, b'\'' | b'"') => quote = Some(byte),
            (None, b'(') => depth += 1,
            (None, b')') => {
                depth = depth.saturating_sub(1);
                if depth == 0 {
                    return at + 1;
                }
            }
            _ => {}
        }
    }
    text.len()
}
