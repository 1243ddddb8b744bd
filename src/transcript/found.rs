//! What a file looks like that is no transcript, in a few words for an error.

use serde_json::Value;

use super::Probe;

/// Beginnings of files that people mistake for transcripts, and their names.
const MAGIC: &[(&[u8], &str)] = &[
    (b"\x89PNG\r\n\x1a\n", "a PNG image"),
    (b"\xFF\xD8\xFF", "a JPEG image"),
    (b"GIF8", "a GIF image"),
    (b"RIFF", "a WebP image, or sound"),
    (b"%PDF", "a PDF document"),
    (b"PK\x03\x04", "a ZIP archive (or a document that is one)"),
    (b"\x1f\x8b", "gzip data"),
    (b"\x28\xb5\x2f\xfd", "Zstandard data"),
    (b"SQLite format 3\0", "an SQLite database"),
    (b"\x7fELF", "a program"),
    (b"MZ", "a program"),
    (b"OggS", "sound"),
    (b"ID3", "sound"),
    (b"fLaC", "sound"),
    (b"\xFE\xFF", "UTF-16 text"),
    (b"\xFF\xFE", "UTF-16 text"),
    (b"<?xml", "XML"),
    (b"<!DOCTYPE html", "an HTML page"),
    (b"<html", "an HTML page"),
];

/// Characters shown of a line.
const LINE: usize = 60;
/// Keys shown of an object.
const KEYS: usize = 8;

/// What was found, in a few words without control characters.
pub(super) fn describe(probe: &Probe<'_>) -> String {
    if probe.head.is_empty() {
        return "an empty file".to_owned();
    }
    if let Some((_, name)) = MAGIC.iter().find(|(begin, _)| probe.head.starts_with(begin)) {
        return (*name).to_owned();
    }
    if probe.head.trim_ascii().is_empty() {
        return "nothing but blank lines".to_owned();
    }
    if let Some(whole) = &probe.whole {
        return describe_value(whole);
    }
    if let Some(first) = probe.objects.first() {
        return format!("JSON lines, the first a {}", describe_value(first));
    }
    if memchr::memchr(0, probe.head).is_some() {
        return "binary data".to_owned();
    }
    let text = String::from_utf8_lossy(probe.head);
    let line = text.lines().map(str::trim).find(|line| !line.is_empty()).unwrap_or_default();
    format!("text: {:?}", shorten(line, LINE))
}

fn describe_value(value: &Value) -> String {
    match value {
        Value::Object(object) if object.is_empty() => "JSON object without keys".to_owned(),
        Value::Object(object) => {
            let keys: Vec<String> = object.keys().take(KEYS).map(|key| shorten(key, 24)).collect();
            let more = if object.len() > KEYS { ", …" } else { "" };
            format!("JSON object with keys {}{more}", keys.join(", "))
        }
        Value::Array(array) => match array.first() {
            None => "an empty JSON array".to_owned(),
            Some(first @ Value::Object(_)) => format!("a JSON array, first a {}", describe_value(first)),
            Some(_) => "a JSON array of something else than objects".to_owned(),
        },
        _ => "a single JSON value".to_owned(),
    }
}

/// The beginning of an untrusted text, without control characters.
pub(super) fn shorten(text: &str, most: usize) -> String {
    let mut short: String = text
        .chars()
        .map(|sign| if sign.is_control() || ('\u{202A}'..='\u{202E}').contains(&sign) { '\u{FFFD}' } else { sign })
        .take(most)
        .collect();
    if text.chars().nth(most).is_some() {
        short.push('…');
    }
    short
}
