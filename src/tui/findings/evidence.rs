//! The text that shows a finding: of the entry that it names, around the fact that it is about.

use crate::content::Sources;
use crate::inquiry::lint::Finding;
use crate::model::{Body, Entry, Run, Transcript};
use crate::present::whence::stands_in;
use crate::tui::trace::Around;

/// A text, and what it is.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Evidence {
    /// What it is: `the output of Read README.md, from step 2`. Untrusted.
    pub title: String,
    /// As much of it as there may be room for. Untrusted.
    pub around: Around,
}

impl Evidence {
    /// The text that shows a finding of a run; nothing where it names no entry, or one without text of the transcript.
    #[must_use]
    pub fn of(finding: &Finding, run: &Run, transcript: &Transcript, sources: &Sources) -> Evidence {
        let entry = finding.entry.and_then(|id| run.entry(id));
        let read = |entry: &Entry| {
            let block = transcript.block(entry.block()?)?;
            let body = block.original.as_deref().unwrap_or(&block.body);
            sources.body_text(body).ok().filter(|_| !matches!(body, Body::Media(_)))
        };
        let Some((entry, text)) = entry.and_then(|entry| Some((entry, read(entry)?))) else {
            return Evidence::default();
        };
        let about = finding.fact.as_ref().map(|(fact, _)| fact.as_str());
        let said = about.and_then(|fact| text.find(fact).map(|at| at..at + fact.len()));
        let from = finding.step.map_or_else(String::new, |_| format!(", from step {}", entry.born()));
        let title = format!("{}{from}", stands_in(entry.layer, &entry.label));
        Evidence { title, around: Around::of(&text, said.unwrap_or(0..0)) }
    }
}
