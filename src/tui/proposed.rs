//! The file that is proposed for an export.

use crate::export::Form;
use crate::present::safe;

/// A name for the prompt of a step in a form, after the transcript's file, where that has a name.
#[must_use]
pub fn proposed(transcript: Option<&str>, step: u32, form: Form) -> String {
    let stem = transcript.map(stem).filter(|stem| !stem.is_empty()).unwrap_or("prompt");
    format!("{}-step{step}.{}", safe(stem), ending(form))
}

/// A transcript's name without what says which kind of file it is.
fn stem(name: &str) -> &str {
    const ENDINGS: &[&str] = &[".gz", ".zst", ".xz", ".bz2", ".jsonl", ".ndjson", ".json", ".har", ".log", ".txt"];
    let ends = |name: &str| ENDINGS.iter().find(|end| name.to_ascii_lowercase().ends_with(*end)).map(|end| end.len());
    let mut stem = name;
    while let Some(shorter) = ends(stem).and_then(|end| stem.get(..stem.len() - end)).filter(|it| !it.is_empty()) {
        stem = shorter;
    }
    stem
}

/// How names of such files end.
fn ending(form: Form) -> &'static str {
    match form {
        Form::Markdown => "md",
        Form::Text => "txt",
        Form::Anthropic | Form::OpenAi | Form::Json => "json",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_loses_only_what_says_its_kind() {
        for (name, expected) in [
            ("run.v2.2026-01-03.jsonl", "run.v2.2026-01-03"),
            ("a.b.jsonl.zst", "a.b"),
            ("chat.request.JSON", "chat.request"),
            ("1.2.3", "1.2.3"),
            (".jsonl", ".jsonl"),
            ("日本.json", "日本"),
        ] {
            assert_eq!(stem(name), expected);
        }
    }
}
