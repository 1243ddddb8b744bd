//! Standard output: JSON and tables, in colour where that is wanted.

use std::borrow::Cow;
use std::fs::File;
use std::io::{self, IsTerminal, StdoutLock, Write};
use std::process::ExitCode;

use serde::Serialize;
use serde_json::ser::{CompactFormatter, Formatter, Serializer};

use crate::content::{encode_json_string, steers_terminal};
use crate::present::{Cell, Table, Tone, safe, safe_lines, without_controls};

use super::args::{ColorArg, Common};
use super::fail;

/// Writes results to standard output.
pub struct Printer {
    out: io::BufWriter<StdoutLock<'static>>,
    color: bool,
    columns: usize,
    quiet: bool,
    /// Whether a terminal takes what is written.
    terminal: bool,
}

impl Printer {
    /// As the options and the environment say.
    pub fn new(common: &Common) -> Self {
        let stdout = io::stdout();
        let terminal = stdout.is_terminal();
        let set = |name| std::env::var_os(name).is_some_and(|value| !value.is_empty());
        let color = match common.color.unwrap_or(ColorArg::Auto) {
            ColorArg::Always => true,
            ColorArg::Never => false,
            ColorArg::Auto => {
                terminal && !set("NO_COLOR") && std::env::var_os("TERM").is_none_or(|term| term != "dumb")
            }
        };
        let asked = std::env::var("COLUMNS").ok().and_then(|columns| columns.parse().ok());
        let measured = || terminal_size::terminal_size().filter(|_| terminal).map(|(width, _)| usize::from(width.0));
        // Into a pipe, lines are as long as they are.
        let columns = asked.or_else(measured).filter(|columns| *columns > 0).unwrap_or(usize::MAX);
        Printer { out: io::BufWriter::new(stdout.lock()), color, columns, quiet: common.quiet, terminal }
    }

    /// Columns that there are.
    pub fn columns(&self) -> usize {
        self.columns
    }

    /// Writes bytes as they are.
    pub fn bytes(&mut self, bytes: &[u8]) -> io::Result<()> {
        self.out.write_all(bytes)
    }

    /// Writes a line of pieces.
    pub fn line(&mut self, pieces: &[(&str, Tone)]) -> io::Result<()> {
        for (text, tone) in pieces {
            self.toned(&safe(text), *tone)?;
        }
        self.out.write_all(b"\n")
    }

    /// Writes text of several lines, made safe.
    pub fn text(&mut self, text: &str) -> io::Result<()> {
        self.out.write_all(safe_lines(text).as_bytes())
    }

    /// Writes a document's text: tabs and line breaks stay, control characters are shown as symbols. What else could
    /// deceive on a terminal is named where it goes to one; a file or another program gets it as it was.
    pub fn document(&mut self, text: &str) -> io::Result<()> {
        let shown = document(text, self.terminal);
        self.out.write_all(shown.as_bytes())
    }

    /// Writes a table.
    pub fn table(&mut self, table: &Table) -> io::Result<()> {
        self.lines(table, self.columns)?;
        match table.left_out(self.columns) {
            [] => Ok(()),
            out => self.line(&[(&format!("without room for: {}", out.join(", ")), Tone::Faint)]),
        }
    }

    /// The same, its cells never cut: the terminal wraps what is too long.
    pub fn whole_table(&mut self, table: &Table) -> io::Result<()> {
        self.lines(table, usize::MAX)
    }

    /// Writes a table whose rows are made as they are written: there may be very many.
    pub fn rows<R: Iterator<Item: AsRef<[Cell]>>>(&mut self, head: &Table, rows: impl Fn() -> R) -> io::Result<()> {
        head.stream(self.columns, rows, |line| self.toned_line(line))
    }

    fn lines(&mut self, table: &Table, columns: usize) -> io::Result<()> {
        table.lines(columns).into_iter().try_for_each(|line| self.toned_line(line))
    }

    fn toned_line(&mut self, line: Vec<(String, Tone)>) -> io::Result<()> {
        for (text, tone) in line {
            self.toned(&text, tone)?;
        }
        self.out.write_all(b"\n")
    }

    fn toned(&mut self, text: &str, tone: Tone) -> io::Result<()> {
        let code = match tone {
            Tone::Plain => "",
            Tone::Title => "1",
            Tone::Faint => "2",
            Tone::Kept => "32",
            Tone::Cut => "31",
            Tone::Warning => "33",
            Tone::Accent => "36",
        };
        if self.color && !code.is_empty() && !text.trim().is_empty() {
            write!(self.out, "\x1b[{code}m{text}\x1b[0m")
        } else {
            self.out.write_all(text.as_bytes())
        }
    }

    /// Writes a value as one line of JSON.
    pub fn json(&mut self, value: &impl Serialize) -> anyhow::Result<()> {
        write_json(&mut self.out, value)
    }

    /// The same where several programs may write to one pipe, as `xargs -P` has it: at once, and none beside it.
    pub fn json_alone(&mut self, value: &impl Serialize) -> anyhow::Result<()> {
        let line = json_line(value)?;
        self.out.flush()?;
        // A pipe takes no more than a few thousand bytes without another's between them. What is opened anew can be
        // locked against the others, where the system lets it be.
        let gate = if cfg!(target_os = "linux") { File::options().write(true).open("/dev/stdout").ok() } else { None };
        let _held = gate.filter(|_| !self.terminal).map(|gate| gate.lock().map(|()| gate));
        let out = self.out.get_mut();
        out.write_all(line.as_bytes())?;
        out.flush()?;
        Ok(())
    }

    /// Says something on standard error, unless nothing is wanted there.
    pub fn remark(&mut self, line: &str) {
        if !self.quiet {
            fail::say(line);
        }
    }

    /// Ends with success, once everything is written.
    pub fn done(mut self) -> anyhow::Result<ExitCode> {
        self.out.flush()?;
        Ok(ExitCode::SUCCESS)
    }
}

/// A document's text for a terminal, or for what is none.
fn document(text: &str, terminal: bool) -> Cow<'_, str> {
    let tame = if terminal { safe_lines } else { without_controls };
    let next = |text: &str| memchr::memchr2(b'\t', b'\r', text.as_bytes());
    if next(text).is_none() {
        return tame(text);
    }
    let mut shown = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(at) = next(rest) {
        shown.push_str(&tame(&rest[..at]));
        let broken = rest[at..].starts_with("\r\n");
        let sign = if broken {
            "\r\n"
        } else if rest[at..].starts_with('\t') {
            "\t"
        } else {
            "\u{240D}"
        };
        shown.push_str(sign);
        rest = &rest[at + if broken { 2 } else { 1 }..];
    }
    shown.push_str(&tame(rest));
    Cow::Owned(shown)
}

/// A value as one line of JSON.
pub fn json_line(value: &impl Serialize) -> anyhow::Result<String> {
    let mut line = Vec::new();
    write_json(&mut line, value)?;
    Ok(String::from_utf8_lossy(&line).into_owned())
}

fn write_json(out: &mut impl Write, value: &impl Serialize) -> anyhow::Result<()> {
    let mut serializer = Serializer::with_formatter(&mut *out, Careful(CompactFormatter));
    value.serialize(&mut serializer).map_err(io::Error::from)?;
    out.write_all(b"\n")?;
    Ok(())
}

/// JSON in which nothing can steer a terminal: what could is escaped.
struct Careful(CompactFormatter);

impl Formatter for Careful {
    fn write_string_fragment<W: ?Sized + io::Write>(&mut self, writer: &mut W, fragment: &str) -> io::Result<()> {
        if !fragment.chars().any(steers_terminal) {
            return writer.write_all(fragment.as_bytes());
        }
        let mut escaped = String::with_capacity(fragment.len() + 8);
        encode_json_string(fragment, &mut escaped);
        self.0.write_string_fragment(writer, &escaped)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_a_terminal_is_shown_another_text_than_the_document_holds() {
        let text = "a\u{200F}b\u{200B}\u{2066}c\u{2069}\tд\r\n\u{202E}e\u{FEFF}\n";
        assert_eq!(document(text, false), text);
        assert!(!document(text, true).chars().any(|sign| steers_terminal(sign) && !"\r\n\t".contains(sign)));
        // What commands a terminal may reach one by way of another program.
        assert_eq!(document("\u{1b}[31m\u{9b}2J\ra", false), "\u{241b}[31m⟨U+009B⟩2J\u{240D}a");
    }
}
