//! Writes nested data as indented JSON or YAML while it comes in, within source 4's limits.
//!
//! The markers are those of source 4's published code: `"... [max depth reached]"`, `"... [N more items]"`,
//! `"...": "[N more keys]"`.

use crate::document::limits::{Limits, MORE, shorten};
use crate::document::out::{CutOf, Out, Stop};
use crate::document::piece::LeftBy;

/// What stands in place of an array or object that is too deep.
const TOO_DEEP: &str = "... [max depth reached]";

/// How nested data is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Style {
    /// With brackets, quotes and commas.
    Json,
    /// With dashes and indentation.
    Yaml,
}

/// One array or object being written.
#[derive(Clone, Copy)]
struct Level {
    object: bool,
    /// Items or keys met.
    met: u64,
}

/// Writes values, keys, and the ends of arrays and objects.
pub struct Pretty<'a> {
    limits: &'a Limits,
    style: Style,
    levels: Vec<Level>,
    after_key: bool,
    /// What stands before the next value: a tag, an anchor.
    marks: String,
    /// Whether nothing has been written in this document.
    fresh: bool,
    /// The bytes of Markdown at which something was shortened, by what it is.
    arrays: Vec<CutOf>,
    objects: Vec<CutOf>,
    strings: Vec<u64>,
    numbers: Vec<u64>,
    deep: Vec<u64>,
    chars: u64,
    line: String,
}

impl<'a> Pretty<'a> {
    /// Begins.
    #[must_use]
    pub fn new(limits: &'a Limits, style: Style) -> Pretty<'a> {
        Pretty {
            limits,
            style,
            levels: Vec::new(),
            after_key: false,
            marks: String::new(),
            fresh: true,
            arrays: Vec::new(),
            objects: Vec::new(),
            strings: Vec::new(),
            numbers: Vec::new(),
            deep: Vec::new(),
            chars: 0,
            line: String::new(),
        }
    }

    /// The next value has a tag or an anchor, as YAML writes them, before it.
    pub fn mark(&mut self, marks: String) {
        self.marks = marks;
    }

    /// Whether the next value is to be written; if not, it is to be skipped (it has been counted).
    pub fn wants_item(&mut self) -> bool {
        let full = self.is_full();
        let Some(level) = self.levels.last_mut() else {
            return !full;
        };
        level.met += 1;
        level.met <= if level.object { self.limits.keys } else { self.limits.items } && !full
    }

    /// The limit by which the value that was met last is not to be written.
    #[must_use]
    pub fn left_by(&self) -> LeftBy {
        match self.levels.last() {
            Some(level) if !self.is_full() => {
                if level.object {
                    LeftBy::Keys
                } else {
                    LeftBy::Items
                }
            }
            _ => LeftBy::Chars,
        }
    }

    /// Another document begins.
    pub fn restart(&mut self) {
        self.fresh = true;
    }

    /// Whether as much is written as may be shown in all: the rest is only counted.
    #[must_use]
    pub fn is_full(&self) -> bool {
        self.chars > self.limits.total_chars
    }

    /// Whether an array or object here would be within the depth.
    #[must_use]
    pub fn wants_level(&self) -> bool {
        (self.levels.len() as u64) < self.limits.depth
    }

    /// A marker in place of an array or object that is too deep.
    ///
    /// # Errors
    /// When there is enough.
    pub fn too_deep(&mut self, out: &mut Out<'_>) -> Result<(), Stop> {
        self.deep.push(out.written());
        self.string(TOO_DEEP, false, out)
    }

    /// Begins an array or object.
    ///
    /// # Errors
    /// When there is enough.
    pub fn begin(&mut self, object: bool, out: &mut Out<'_>) -> Result<(), Stop> {
        match self.style {
            Style::Json => self.put(if object { "{" } else { "[" }, out)?,
            Style::Yaml => {
                // Behind the marks of a whole document a line ends.
                self.fresh &= self.marks.is_empty() || !self.levels.is_empty();
                self.put("", out)?;
            }
        }
        self.levels.push(Level { object, met: 0 });
        Ok(())
    }

    /// Ends the innermost array or object.
    ///
    /// # Errors
    /// When there is enough.
    pub fn end(&mut self, out: &mut Out<'_>) -> Result<(), Stop> {
        let Some(level) = self.levels.last().copied() else {
            return Ok(());
        };
        let most = if level.object { self.limits.keys } else { self.limits.items };
        let more = level.met.saturating_sub(most);
        if more > 0 {
            let cut = CutOf { at: out.written(), shown: most, total: level.met };
            if level.object {
                self.objects.push(cut);
                self.key(MORE, out)?;
                self.string(&format!("[{more} more keys]"), false, out)?;
            } else {
                self.arrays.push(cut);
                self.string(&format!("{MORE} [{more} more items]"), false, out)?;
            }
        }
        self.levels.pop();
        let mut end = String::new();
        match (self.style, level.met) {
            (Style::Json, _) => {
                if level.met > 0 {
                    end.push('\n');
                    self.indent(&mut end);
                }
                end.push(if level.object { '}' } else { ']' });
            }
            (Style::Yaml, 0) => end.push_str(if level.object { " {}" } else { " []" }),
            (Style::Yaml, _) => {}
        }
        self.chars += end.len() as u64;
        out.text(&end)
    }

    /// The key of the next value.
    ///
    /// # Errors
    /// When there is enough.
    pub fn key(&mut self, key: &str, out: &mut Out<'_>) -> Result<(), Stop> {
        let (shown, cut) = shorten(key, self.limits.string_chars);
        self.string(shown, cut, out)?;
        self.after_key = true;
        out.text(if self.style == Style::Json { ": " } else { ":" })
    }

    /// The key of the next value, as it is written.
    ///
    /// # Errors
    /// When there is enough.
    pub fn plain_key(&mut self, key: &str, out: &mut Out<'_>) -> Result<(), Stop> {
        self.put(key, out)?;
        self.after_key = true;
        // A colon would be part of an alias's name.
        out.text(if key.starts_with('*') { " :" } else { ":" })
    }

    /// A string; `cut` says that it went on.
    ///
    /// # Errors
    /// When there is enough.
    pub fn string(&mut self, text: &str, cut: bool, out: &mut Out<'_>) -> Result<(), Stop> {
        self.strings.extend(cut.then(|| out.written()));
        let text = if cut { format!("{text}{MORE}") } else { text.to_owned() };
        if self.style == Style::Yaml && is_plain(&text) {
            return self.put(&text, out);
        }
        self.put(&serde_json::Value::String(text).to_string(), out)
    }

    /// A number, `true`, `false` or `null`, as it is written.
    ///
    /// # Errors
    /// When there is enough.
    pub fn literal(&mut self, text: &str, out: &mut Out<'_>) -> Result<(), Stop> {
        self.put(text, out)
    }

    /// The beginning of a number that goes on: no number, so that nobody takes it for one.
    ///
    /// # Errors
    /// When there is enough.
    pub fn long_literal(&mut self, text: &str, out: &mut Out<'_>) -> Result<(), Stop> {
        self.numbers.push(out.written());
        self.put(&format!("{text}{MORE}"), out)
    }

    /// Says what was shown of what.
    pub fn say(&mut self, out: &mut Out<'_>) {
        out.cut_of("arrays", std::mem::take(&mut self.arrays));
        out.cut_of("objects", std::mem::take(&mut self.objects));
        out.cut_at("strings", std::mem::take(&mut self.strings));
        out.cut_at("numbers", std::mem::take(&mut self.numbers));
        out.cut_at("deep structures", std::mem::take(&mut self.deep));
    }

    /// Ends everything that is still open, where the data ends too early.
    ///
    /// # Errors
    /// When there is enough.
    pub fn end_all(&mut self, out: &mut Out<'_>) -> Result<(), Stop> {
        while !self.levels.is_empty() {
            self.end(out)?;
        }
        Ok(())
    }

    /// Writes a value, with what belongs before it.
    fn put(&mut self, text: &str, out: &mut Out<'_>) -> Result<(), Stop> {
        let mut line = std::mem::take(&mut self.line);
        line.clear();
        let after_key = std::mem::take(&mut self.after_key);
        let marks = std::mem::take(&mut self.marks);
        let between = if marks.is_empty() || text.is_empty() { "" } else { " " };
        let text = &[&marks, between, text].concat();
        match (self.style, self.levels.last().copied()) {
            (_, None) => {}
            (Style::Json, Some(_)) if after_key => {}
            (Style::Json, Some(level)) => {
                line.push_str(if level.met > 1 { ",\n" } else { "\n" });
                self.indent(&mut line);
            }
            (Style::Yaml, Some(_)) if after_key => line.push_str(if text.is_empty() { "" } else { " " }),
            (Style::Yaml, Some(level)) => {
                if !std::mem::take(&mut self.fresh) {
                    line.push('\n');
                }
                self.indent(&mut line);
                line.push_str(match (level.object, text.is_empty()) {
                    (true, _) => "",
                    (false, true) => "-",
                    (false, false) => "- ",
                });
            }
        }
        line.push_str(text);
        self.chars += line.len() as u64;
        out.text(&line)?;
        self.line = line;
        Ok(())
    }

    fn indent(&self, to: &mut String) {
        let outer = usize::from(self.style == Style::Yaml);
        to.extend(std::iter::repeat_n("  ", self.levels.len().saturating_sub(outer)));
    }
}

/// Whether a string needs no quotes in YAML, and is no number or word of its own.
fn is_plain(text: &str) -> bool {
    let first = |sign: char| sign.is_alphabetic() || matches!(sign, '_' | '/');
    let inner =
        |sign: char| !sign.is_control() && !matches!(sign, ':' | '#' | '"' | '\'' | '[' | ']' | '{' | '}' | ',');
    text.starts_with(first)
        && text.chars().all(inner)
        && !text.ends_with(' ')
        && !["true", "false", "null", "yes", "no", "on", "off"].contains(&text.to_lowercase().as_str())
}
