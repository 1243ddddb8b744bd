//! Real documents against what other tools read in them: `pdftotext` for PDF, `MarkItDown` for the rest.

use std::collections::HashMap;
use std::path::{Path, PathBuf};

use windowpane::content::Watch;
use windowpane::document::{Conversion, Limits, MORE, PlaceKind, TOKENS_END, cut_whole};
use windowpane::io::{FileBytes, Job};
use windowpane::tokens::Encoding;

use crate::data;
use crate::packages::converter;

/// Formats, and the least that they must reach: for PDF the mean F1, for the rest the mean recall of the other's text.
const LEAST: &[(&str, f64)] = &[
    ("pdf", 0.95),
    ("docx", 0.95),
    ("pptx", 0.95),
    ("xlsx", 0.95),
    ("epub", 0.95),
    ("html", 0.95),
    ("csv", 0.95),
    ("yaml", 0.95),
    ("xml", 0.95),
];

fn files(format: &str) -> Vec<PathBuf> {
    let Some(folder) = data::folder() else { return Vec::new() };
    let mut found: Vec<PathBuf> = std::fs::read_dir(folder.join("documents").join(format))
        .expect("documents")
        .flatten()
        .map(|entry| entry.path())
        .collect();
    found.sort();
    assert!(!found.is_empty(), "there are no documents of {format}");
    found
}

fn convert(path: &Path, limits: Option<&Limits>) -> Conversion {
    let bytes = FileBytes::open(path).unwrap();
    let watch = Watch::default();
    let name = path.to_string_lossy();
    let job = Job { name: &name, path: Some(path), bytes: &bytes, limits, max_bytes: 64 << 20, watch: &watch };
    converter().collect(&job).unwrap()
}

/// The words of a text and how often each occurs. Pandas' names for what is not there are no words.
fn words(text: &str) -> HashMap<String, u64> {
    let mut found = HashMap::new();
    let mut skip = false;
    for word in text.split(|sign: char| !sign.is_alphanumeric() && sign != '_').filter(|word| !word.is_empty()) {
        if !std::mem::take(&mut skip) && word != "NaN" && word != "Unnamed" {
            *found.entry(word.to_lowercase()).or_default() += 1;
        }
        skip = word == "Unnamed";
    }
    found
}

/// Recall and F1 of words; `None` where the reference has none.
fn compare(ours: &str, reference: &str) -> Option<(f64, f64)> {
    let (ours, reference) = (words(ours), words(reference));
    let common: u64 = ours.iter().map(|(word, count)| *count.min(reference.get(word).unwrap_or(&0))).sum();
    let (mine, theirs) = (ours.values().sum::<u64>(), reference.values().sum::<u64>());
    if theirs == 0 {
        return None;
    }
    let precision = common as f64 / mine.max(1) as f64;
    let recall = common as f64 / theirs as f64;
    let sum = precision + recall;
    Some((recall, if sum > 0.0 { 2.0 * precision * recall / sum } else { 0.0 }))
}

fn reference(format: &str, path: &Path) -> Option<String> {
    let name = path.file_name()?.to_string_lossy().into_owned();
    let folder = data::folder()?.join("documents/reference");
    let file = match format {
        "pdf" => folder.join(format!("pdftotext/pdf__{name}.txt")),
        _ => folder.join(format!("markitdown/{format}__{name}.md")),
    };
    std::fs::read(file).ok().map(|bytes| String::from_utf8_lossy(&bytes).into_owned())
}

#[test]
fn the_text_of_real_documents_is_found() {
    if data::folder().is_none() {
        return;
    }
    let mut wrong = Vec::new();
    for (format, least) in LEAST {
        let (mut sum, mut count) = (0.0, 0);
        for path in files(format) {
            let Some(reference) = reference(format, &path) else { continue };
            let found = convert(&path, None);
            let Some((recall, f1)) = compare(&found.markdown, &reference) else { continue };
            sum += if *format == "pdf" { f1 } else { recall };
            count += 1;
        }
        let reached = sum / f64::from(count.max(1));
        if count == 0 || reached < *least {
            wrong.push(format!("{format} reaches {reached:.3} of {least}"));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn every_real_document_is_survived_and_kept_within_its_limits() {
    if data::folder().is_none() {
        return;
    }
    let limits = Limits::default();
    for (format, _) in LEAST.iter().chain(&[("json", 0.0), ("image", 0.0), ("audio", 0.0)]) {
        for path in files(format) {
            let mut found = convert(&path, Some(&limits));
            cut_whole(&mut found, &limits, Encoding::Cl100kBase);
            let chars = found.markdown.chars().count();
            assert!(chars <= 50_000 + MORE.len() + TOKENS_END.len(), "{}: {chars} characters", path.display());
            let told =
                !found.markdown.is_empty() || !found.notes.is_empty() || std::fs::metadata(&path).unwrap().len() < 20;
            assert!(told || *format == "pdf", "{} says nothing: {found:?}", path.display());
        }
    }
}

#[test]
fn pages_of_real_pdfs_keep_their_numbers() {
    if data::folder().is_none() {
        return;
    }
    let (mut right, mut all) = (0, 0);
    for path in files("pdf") {
        let Some(reference) = reference("pdf", &path) else { continue };
        let found = convert(&path, None);
        let pages: Vec<&str> = reference.split('\u{c}').collect();
        let starts: Vec<usize> = found.anchors.iter().map(|anchor| anchor.byte as usize).collect();
        for (index, anchor) in found.anchors.iter().enumerate() {
            assert_eq!(anchor.place.kind, PlaceKind::Page);
            let end = starts.get(index + 1).copied().unwrap_or(found.markdown.len());
            let Some(theirs) = pages.get(anchor.place.number as usize - 1) else { continue };
            if words(theirs).values().sum::<u64>() < 20 {
                continue;
            }
            all += 1;
            let ours = &found.markdown[starts[index]..end];
            right += usize::from(compare(ours, theirs).is_some_and(|(_, f1)| f1 > 0.5));
        }
    }
    assert!(all > 100 && right * 100 >= all * 97, "{right} of {all} pages");
}
