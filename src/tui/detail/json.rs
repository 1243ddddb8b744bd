//! JSON set out over lines, as it was written: order, doubled keys, numbers and escapes stay.

/// Longer texts are shown as they are.
const JSON_MAX: usize = 8 << 20;
/// Deeper levels are not set in further.
const DEPTH_SHOWN: usize = 24;

/// The text over several lines, two blanks a level; `None` where it is not JSON, or so short that it needs none.
#[must_use]
pub fn pretty(text: &str) -> Option<String> {
    let text = text.trim();
    if !text.starts_with(['{', '[']) || text.len() > JSON_MAX {
        return None;
    }
    serde_json::from_str::<serde::de::IgnoredAny>(text).ok()?;
    let mut out = String::with_capacity(text.len() * 5 / 4);
    let (mut depth, mut at) = (0usize, 0);
    let bytes = text.as_bytes();
    while let Some(&byte) = bytes.get(at) {
        match byte {
            b'"' => {
                let end = string_end(bytes, at);
                out.push_str(text.get(at..end).unwrap_or_default());
                at = end;
                continue;
            }
            b'{' | b'[' => {
                out.push(byte as char);
                let inner = at + 1 + blanks(bytes, at + 1);
                if matches!(bytes.get(inner), Some(b'}' | b']')) {
                    out.push(bytes.get(inner).map_or(' ', |close| *close as char));
                    at = inner + 1;
                    continue;
                }
                depth += 1;
                line(&mut out, depth);
            }
            b'}' | b']' => {
                depth = depth.saturating_sub(1);
                line(&mut out, depth);
                out.push(byte as char);
            }
            b',' => {
                out.push(',');
                line(&mut out, depth);
            }
            b':' => out.push_str(": "),
            b' ' | b'\t' | b'\n' | b'\r' => {}
            other => out.push(other as char),
        }
        at += 1;
    }
    Some(out)
}

fn blanks(bytes: &[u8], at: usize) -> usize {
    bytes.get(at..).unwrap_or_default().iter().take_while(|byte| byte.is_ascii_whitespace()).count()
}

fn line(out: &mut String, depth: usize) {
    out.push('\n');
    out.extend(std::iter::repeat_n("  ", depth.min(DEPTH_SHOWN)));
}

/// One past the closing quote of the string that opens at a place.
fn string_end(bytes: &[u8], open: usize) -> usize {
    let mut at = open + 1;
    while let Some(&byte) = bytes.get(at) {
        match byte {
            b'\\' => at += 2,
            b'"' => return at + 1,
            _ => at += 1,
        }
    }
    bytes.len()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn json_is_set_out_as_it_was_written() {
        let text = r#" {"b":1e400,"a":[ ],"a":{"x":"q\"{,"},"l":[1,2.50]} "#;
        let expected = "{\n  \"b\": 1e400,\n  \"a\": [],\n  \"a\": {\n    \"x\": \"q\\\"{,\"\n  },\n  \"l\": [\n    1,\n    2.50\n  ]\n}";
        assert_eq!(pretty(text).as_deref(), Some(expected));
    }

    #[test]
    fn what_is_no_json_is_left_alone() {
        for text in ["", "plain", "[warn] it", "{\"a\":1} trailing", "{\"a\":", "12", &"[".repeat(100_000)] {
            assert_eq!(pretty(text), None);
        }
        let deep = format!("{}{}", "[".repeat(100), "]".repeat(100));
        assert!(pretty(&deep).is_some_and(|text| text.len() < 20_000));
    }
}
