//! Manifests, checked against the bytes of the sources: no gaps, no overlaps, and each range says the truth.

use serde_json::Value;
use windowpane::content::decode;
use windowpane::model::Coding;

/// Panics unless the ranges cover the output and each one's source gives what the output holds there. `source` gives
/// the bytes of a range of a source.
pub fn check(manifest: &str, output: &str, source: impl Fn(usize, usize, usize) -> Vec<u8>) {
    let manifest: Value = serde_json::from_str(manifest).expect("JSON");
    assert_eq!(manifest["schema"], "windowpane/manifest/1");
    assert_eq!(manifest["bytes"], output.len());
    let mut at = 0;
    for range in manifest["ranges"].as_array().expect("ranges") {
        let (start, end) = pair(&range["output"]);
        assert_eq!(start, at, "no gaps, no overlaps");
        assert!(end > start);
        at = end;
        let written = &output[start..end];
        if range["from"] == "windowpane" {
            continue;
        }
        assert_eq!(range["from"], "source");
        let (from, to) = pair(&range["bytes"]);
        let number = usize::try_from(range["source"].as_u64().expect("a source")).unwrap();
        let stored = source(number, from, to);
        let mut text = match range["read"].as_str().expect("read") {
            "plain" => String::from_utf8_lossy(&stored).into_owned(),
            "lines" => String::from_utf8_lossy(&stored).replace("\r\n", "\n"),
            "json" | "base64" => unescape(&String::from_utf8_lossy(&stored)),
            "json_twice" => unescape(&unescape(&String::from_utf8_lossy(&stored))),
            "value" if stored.contains(&b'\\') => decode(&stored, Coding::Value).into_owned(),
            "value" => tight(&String::from_utf8_lossy(&stored)),
            other => panic!("read as {other}"),
        };
        if !range["part"].is_null() {
            let (from, to) = pair(&range["part"]);
            text = text[from..to].to_owned();
        }
        let back = match range["written"].as_str().expect("written") {
            "plain" => written.to_owned(),
            "json" => unescape(written),
            "json_twice" => unescape(&unescape(written)),
            other => panic!("written as {other}"),
        };
        assert_eq!(back, text);
    }
    assert_eq!(at, output.len());
}

fn pair(range: &Value) -> (usize, usize) {
    let number = |index: usize| usize::try_from(range[index].as_u64().expect("a number")).unwrap();
    (number(0), number(1))
}

/// Damaged escapes are the reader's business; what serde_json refuses is read as the program reads it.
fn unescape(text: &str) -> String {
    serde_json::from_str(&format!("\"{text}\""))
        .unwrap_or_else(|_| windowpane::content::decode_json_string(text.as_bytes()).into_owned())
}

/// JSON without the blanks outside its strings.
fn tight(text: &str) -> String {
    let (mut inside, mut escaped) = (false, false);
    let stays = |sign: &char| {
        let kept = inside || !sign.is_ascii_whitespace();
        (inside, escaped) = match (inside, escaped, sign) {
            (true, false, '\\') => (true, true),
            (_, false, '"') => (!inside, false),
            _ => (inside, false),
        };
        kept
    };
    text.chars().filter(stays).collect()
}

/// Whether a text holds control characters other than line breaks.
pub fn steering(text: &str) -> bool {
    text.chars().any(|sign| sign.is_control() && sign != '\n')
}
