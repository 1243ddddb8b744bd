//! Passages of real documents: tags lead back to their text, and choices stay within the budget.

use std::sync::Arc;

use windowpane::chunk::{Chooser, Ranking, Settings, Strategy, Tag};
use windowpane::content::Watch;
use windowpane::io::{FileBytes, Job};

use crate::data;
use crate::packages::converter;

/// Characters of a document that is looked at.
const CHARS: u64 = 400_000;

#[test]
fn tags_of_real_documents_lead_back_to_their_text() {
    let Some(folder) = data::folder() else { return };
    let (mut looked, mut sections, mut windows, mut paged) = (0, 0, 0, 0);
    for format in ["pdf", "docx", "pptx", "html", "epub", "xlsx", "csv"] {
        let mut paths: Vec<_> =
            std::fs::read_dir(folder.join("documents").join(format)).unwrap().flatten().map(|at| at.path()).collect();
        paths.sort();
        for path in paths.iter().take(12) {
            let bytes = FileBytes::open(path).unwrap();
            let (name, watch) = (path.to_string_lossy(), Watch::default());
            let job =
                Job { name: &name, path: Some(path), bytes: &bytes, limits: None, max_bytes: CHARS, watch: &watch };
            let document = Arc::new(converter().collect(&job).unwrap());
            let settings = Settings { threshold: 2_000, ranking: Ranking::Lexical, ..Settings::default() };
            let chooser = Chooser::new(document.clone(), &settings, "results and figures", &watch);
            let (division, selection) = (chooser.division(), chooser.selection());
            if division.strategy == Strategy::Whole {
                continue;
            }
            looked += 1;
            sections += usize::from(division.strategy == Strategy::Sections);
            windows += usize::from(division.strategy == Strategy::Windows);
            assert!(selection.used <= settings.budget, "{name}");
            assert!(!selection.chosen.is_empty(), "{name}");
            let all: Vec<char> = document.markdown.chars().collect();
            for at in &selection.chosen {
                let piece = selection.piece(division, *at).unwrap();
                let tag = Tag::of(division, piece, &name);
                let line = tag.to_string();
                let read = Tag::parse(&line).unwrap();
                assert_eq!(read, tag, "{line}");
                let from = read.offset as usize;
                let there: String = all[from..from + piece.chars as usize].iter().collect();
                assert_eq!(there, selection.text(&document, division, *at), "{line}");
                let pages = division.outline.pages();
                let page = pages.iter().rev().find(|page| page.byte <= piece.start);
                assert_eq!(read.page.is_estimated(), page.is_none_or(|page| page.number.is_estimated()));
                paged += usize::from(!read.page.is_estimated());
            }
        }
    }
    assert!(looked > 15 && sections > 5 && windows > 5 && paged > 20, "{looked} {sections} {windows} {paged}");
}
