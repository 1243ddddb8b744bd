//! Records that were saved as one JSON list instead of a line each: how such a list becomes lines again.
//!
//! Each byte stays where it is, so that places in the lines are places in the list.

use crate::content::{Sources, mark_length};
use crate::model::SourceKind;

use super::{Format, by_name, detect};

/// How sure a format has to be of the lines.
const SURE: u8 = 80;

/// The format whose records a file that begins so is a list of; with a `name`, only that one. Formats that are read from
/// lists as they stand are none.
#[must_use]
pub fn listed(head: &[u8], name: Option<&str>) -> Option<&'static Format> {
    let begin = head[mark_length(head)..].trim_ascii_start();
    let inner = begin.strip_prefix(b"[")?.trim_ascii_start();
    if inner.first() != Some(&b'{') {
        return None;
    }
    if let Some(name) = name {
        return by_name(name).ok().filter(|format| format.lines);
    }
    let mut lines = head.to_vec();
    Unlist::default().apply(&mut lines);
    let mut sources = Sources::default();
    let id = sources.add_memory("", SourceKind::Transcript, lines);
    let found = detect(&sources, id).ok().filter(|found| found.sure >= SURE)?;
    Some(found.format).filter(|format| format.lines)
}

/// Turns a JSON list into a line for each of its elements, piece by piece.
#[derive(Clone, Copy, Debug, Default)]
pub struct Unlist {
    depth: u32,
    within: bool,
    escaped: bool,
    /// Whether the list has ended: what follows is left as it is.
    done: bool,
}

impl Unlist {
    /// Goes on with the next bytes: the list's own brackets, commas and line breaks give way, no byte moves.
    pub fn apply(&mut self, bytes: &mut [u8]) {
        for byte in bytes {
            if self.done {
                return;
            }
            if self.within {
                match *byte {
                    _ if self.escaped => self.escaped = false,
                    b'\\' => self.escaped = true,
                    b'"' => self.within = false,
                    _ => {}
                }
                continue;
            }
            match *byte {
                b'"' => self.within = true,
                b'[' | b'{' => {
                    self.depth += 1;
                    if self.depth == 1 {
                        *byte = b' ';
                    }
                }
                b']' | b'}' => {
                    self.depth = self.depth.saturating_sub(1);
                    if self.depth == 0 {
                        *byte = b'\n';
                        self.done = true;
                    }
                }
                b',' if self.depth == 1 => *byte = b'\n',
                b'\n' | b'\r' => *byte = b' ',
                _ => {}
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_list_becomes_lines_and_no_byte_moves() {
        let list = b"[\n  {\"a\": \"x,\\\"[\",\n   \"b\": [1, {}]},\n{\"c\":2} ]\n";
        for size in 1..list.len() {
            let mut lines = list.to_vec();
            let mut unlist = Unlist::default();
            lines.chunks_mut(size).for_each(|part| unlist.apply(part));
            assert_eq!(lines, b"    {\"a\": \"x,\\\"[\",    \"b\": [1, {}]}\n {\"c\":2} \n\n");
        }
    }

    #[test]
    fn lists_of_records_are_told_from_lists_of_messages() {
        let record =
            r#"{"parentUuid":null,"uuid":"u","sessionId":"s","type":"user","message":{"role":"user","content":"x"}}"#;
        let name = |text: &str| listed(text.as_bytes(), None).map(|format| format.name);
        assert_eq!(name(&format!("\u{FEFF}[{record},\n{record}]")), Some("claude_code"));
        assert_eq!(name(&format!("[{record},{}", &record[..30])), Some("claude_code"));
        assert_eq!(name(record), None);
        assert_eq!(name(r#"[{"role":"user","content":"x"}]"#), None);
        assert_eq!(name(r#"[{"model":"m","messages":[{"role":"user","content":"x"}]}]"#), None);
        assert_eq!(name("["), None);
    }
}
