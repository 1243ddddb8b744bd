//! Choosing from a long document: sections by priority, or the windows nearest to the task.

use crate::chunk::{BUNDLED, BudgetOrder, Index, Ranking, Settings};
use crate::policy::declare::section;
use crate::policy::value::{Choice, Share};

impl Choice for BudgetOrder {
    const NAMES: &'static [&'static str] = &["reading", "rank"];
    const ALL: &'static [Self] = &[BudgetOrder::Reading, BudgetOrder::Rank];
}

impl Choice for Ranking {
    const NAMES: &'static [&'static str] = &["embed", "lexical", "hybrid"];
    const ALL: &'static [Self] = &[Ranking::Embed, Ranking::Lexical, Ranking::Hybrid];
}

impl Choice for Index {
    const NAMES: &'static [&'static str] = &["exact", "hnsw"];
    const ALL: &'static [Self] = &[Index::Exact, Index::Hnsw];
}

section! {
    /// Choosing from long documents.
    chunks: Chunks {
        /// What passages are wanted for; without it `--task` says, else the newest message of the user.
        task: String = String::new(), 0..=16_000 "", Recount, "source 1: the task that passages are near to";
        /// Characters below which a document goes in whole.
        threshold: u64 = 12_000, 0..=1_000_000_000 "characters", Recount, "source 1: CHUNK_THRESHOLD";
        /// Headings from which a document is chosen from by sections.
        min_headings: u64 = 3, 1..=1_000_000 "headings", Recount, "source 1: 3 or more Markdown headings";
        /// Sections named in `priority` that are needed for that; 0: none.
        min_matched: u64 = 0, 0..=100 "sections", Recount, "source 1's public code: 2 matched sections";
        /// Words of headings whose sections are taken first, in this order.
        priority: Vec<String> = ["Abstract", "Summary", "Conclusion", "Results", "Introduction", "Discussion", "Methods", "Background"].map(String::from).to_vec(), 0..=100 "", Recount, "source 1: SECTION_PRIORITY";
        /// Characters chosen in all.
        budget: u64 = 8_000, 1..=100_000_000 "characters", Recount, "source 1: char_budget";
        /// Characters of a window.
        window: u64 = 500, 20..=1_000_000 "characters", Reembed, "source 1: window_size";
        /// Characters that neighbouring windows share.
        overlap: u64 = 100, 0..=999_999 "characters", Reembed, "source 1: overlap";
        /// Whether a window ends at a blank line, a sentence or a line where one is past its middle.
        separators: bool = false, 0..=0 "", Reembed, "source 1's public code: separators";
        /// Windows nearest to the task that are taken.
        top: u64 = 10, 1..=100_000 "chunks", Recount, "source 1: n_results";
        /// The order in which chosen windows fill the budget.
        budget_order: BudgetOrder = BudgetOrder::Reading, 0..=0 "", Recount, "source 1: assemble within budget, in reading order";
        /// How windows are ranked.
        ranking: Ranking = Ranking::Embed, 0..=0 "", Reembed, "source 1: cosine similarity to the task";
        /// The embedding model; `windowpane model list` names those there are.
        model: String = BUNDLED.to_owned(), 0..=200 "", Reembed, "source 1: embed with all-MiniLM-L6-v2";
        /// How much a window's likeness to those already taken counts against it (maximal marginal relevance); 0: not.
        diversity: Share = Share(0.0), 0..=1 "", Recount, "beyond the sources";
        /// How the nearest windows are found.
        index: Index = Index::Exact, 0..=0 "", Recount, "windowpane: the nearest without fail; source 1 has an ephemeral ChromaDB vector store";
        /// Neighbours per node of the graph.
        hnsw_m: u64 = 16, 2..=200 "neighbours", Recount, "ChromaDB's default";
        /// Candidates that a search of the graph keeps.
        hnsw_ef: u64 = 100, 1..=10_000 "candidates", Recount, "ChromaDB's default";
        /// Characters of an estimated page, where a format has none.
        page_chars: u64 = 2_000, 100..=100_000 "characters", Recount, "windowpane: source 1 says a page_size character estimate, and names none";
        /// Megabytes of a document's text that are chosen from; the rest is not read.
        max_mb: u64 = 16, 1..=256 "MB", Recount, "beyond the sources: a bound of memory";
        /// Share of the budget from the start where nothing could be chosen; the rest is from the end. 0: all from the
        /// start.
        fallback_head: Share = Share(0.0), 0..=1 "", Recount, "source 1's public code: 60 % head, 40 % tail";
    }
}

impl Chunks {
    /// Bytes of a document's text that are chosen from.
    #[must_use]
    pub fn max_bytes(&self) -> u64 {
        self.max_mb.saturating_mul(1 << 20)
    }

    /// How a document is chosen from.
    #[must_use]
    pub fn settings(&self) -> Settings {
        Settings {
            threshold: self.threshold,
            min_headings: self.min_headings,
            min_matched: self.min_matched,
            priority: self.priority.clone(),
            budget: self.budget,
            window: self.window,
            overlap: self.overlap,
            separators: self.separators,
            top: self.top,
            budget_order: self.budget_order,
            ranking: self.ranking,
            diversity: self.diversity.0,
            index: self.index,
            hnsw_m: self.hnsw_m,
            hnsw_ef: self.hnsw_ef,
            page_chars: self.page_chars,
            fallback_head: self.fallback_head.0,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_defaults_are_those_of_source_1() {
        assert_eq!(Chunks::default().settings(), Settings::default());
    }
}
