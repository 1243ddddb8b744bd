//! What a tool's answer says of itself: whether the tool failed, and how much of its output was cut away.
//!
//! These are the headers and markers that Codex writes around a command's output.

use memchr::memmem;

use crate::model::{Cut, CutShape};

/// Bytes in which a header stands.
const HEADER: usize = 600;

/// Whether a header says that the command failed. The text is as stored in a JSON string.
pub(super) fn failed(stored: &[u8]) -> bool {
    let header = stored.get(..stored.len().min(HEADER)).unwrap_or_default();
    let new = [&b"Process exited with code "[..], b"Exit code: ", b"Script failed"];
    let told = new.iter().any(|mark| match memmem::find(header, mark) {
        Some(at) if mark.ends_with(b" ") => number_at(header, at + mark.len()).is_some_and(|code| code != 0),
        Some(at) => at == 0,
        None => false,
    });
    // Until 2025 the output stood in a JSON string with its metadata behind it.
    told || stored.starts_with(br#"{\""#) && memmem::find(stored, br#"\"output\":"#).is_some() && {
        let mark = br#"\"exit_code\":"#;
        memmem::rfind(stored, mark).and_then(|at| number_at(stored, at + mark.len())).is_some_and(|code| code != 0)
    }
}

/// How the output was cut, where a header and a marker say so. The text is as stored in a JSON string.
pub(super) fn cut(stored: &[u8]) -> Option<Cut> {
    let header = stored.get(..stored.len().min(HEADER)).unwrap_or_default();
    let after = |mark: &[u8]| memmem::find(header, mark).and_then(|at| number_at(header, at + mark.len()));
    let original = after(b"riginal token count: ");
    let lines = after(b"otal output lines: ");
    let told = original.is_some() || lines.is_some();
    let middle = |original_tokens| Cut {
        shape: CutShape::Middle,
        original_chars: None,
        original_tokens,
        rest: None,
        copy_ends_early: false,
    };
    if told && (between(stored, b" tokens truncated") || between(stored, b" chars truncated")) {
        return Some(middle(original));
    }
    // Until 2025: lines left out of the middle.
    let mark = b"[... omitted ";
    let at = memmem::find(stored, mark)?;
    let rest = stored.get(at + mark.len()..).unwrap_or_default();
    let line = rest.get(..rest.len().min(60)).unwrap_or_default();
    (memmem::find(line, b" of ").is_some() && memmem::find(line, b" lines ...]").is_some()).then(|| middle(None))
}

/// Whether a number stands right before the words.
fn between(stored: &[u8], words: &[u8]) -> bool {
    memmem::find_iter(stored, words).any(|at| at > 0 && stored.get(at - 1).is_some_and(u8::is_ascii_digit))
}

fn number_at(bytes: &[u8], at: usize) -> Option<u64> {
    let rest = bytes.get(at..)?;
    let digits = rest.iter().take(18).take_while(|byte| byte.is_ascii_digit()).count();
    std::str::from_utf8(rest.get(..digits)?).ok()?.parse().ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_failed_command_is_told_from_its_header() {
        assert!(failed(br"Chunk ID: 1\nWall time: 0.1 seconds\nProcess exited with code 2\nOutput:\nno"));
        assert!(!failed(br"Chunk ID: 1\nWall time: 0.1 seconds\nProcess exited with code 0\nOutput:\nok"));
        assert!(failed(br#"{\"output\":\"no\",\"metadata\":{\"exit_code\":1,\"duration_seconds\":0.1}}"#));
        assert!(!failed(br#"{\"output\":\"\",\"metadata\":{\"exit_code\":0,\"duration_seconds\":0.1}}"#));
        assert!(!failed(b"It says: Script failed"));
    }

    #[test]
    fn a_cut_needs_its_header_and_its_marker() {
        let text = "Original token count: 30014\\nOutput:\\nTotal output lines: 9\\n\\nab…20014 tokens truncated…yz";
        assert_eq!(cut(text.as_bytes()).and_then(|cut| cut.original_tokens), Some(30014));
        assert_eq!(cut(br"Original token count: 29\nOutput:\nshort"), None);
        assert_eq!(cut("a log that says …12 tokens truncated… somewhere".as_bytes()), None);
        assert!(cut(br"a\n[... omitted 288 of 544 lines ...]\nb").is_some());
        assert_eq!(cut(b"[... omitted nothing"), None);
    }
}
