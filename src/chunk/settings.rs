//! How a document is chosen from. The policy's section `chunks` gives these; the defaults are source 1's.

/// The order in which chosen windows fill the budget.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum BudgetOrder {
    /// As they stand in the document.
    Reading,
    /// The best first.
    Rank,
}

/// How windows are ranked.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Ranking {
    /// By the similarity of embeddings.
    Embed,
    /// By words (BM25).
    Lexical,
    /// By both, their ranks fused.
    Hybrid,
}

impl Ranking {
    /// Whether it needs vectors.
    #[must_use]
    pub fn embeds(self) -> bool {
        self != Ranking::Lexical
    }
}

/// How the nearest vectors are found.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Index {
    /// By comparing all.
    Exact,
    /// By a graph, as vector stores do; it may miss some.
    Hnsw,
}

/// How a document is chosen from.
#[derive(Clone, Debug, PartialEq)]
pub struct Settings {
    /// Characters below which a document goes in whole. Source 1: `CHUNK_THRESHOLD`.
    pub threshold: u64,
    /// Headings from which it is chosen from by sections. Source 1: 3 or more.
    pub min_headings: u64,
    /// Sections named in `priority` that are needed for that.
    pub min_matched: u64,
    /// Words of headings whose sections come first, in this order. Source 1: `SECTION_PRIORITY`.
    pub priority: Vec<String>,
    /// Characters chosen in all. Source 1: `char_budget`.
    pub budget: u64,
    /// Characters of a window. Source 1: `window_size`.
    pub window: u64,
    /// Characters that neighbouring windows share. Source 1: `overlap`.
    pub overlap: u64,
    /// Whether a window ends at a blank line, a sentence or a line where one is past its middle.
    pub separators: bool,
    /// Windows nearest to the task that are taken. Source 1: `n_results`.
    pub top: u64,
    /// The order in which chosen windows fill the budget.
    pub budget_order: BudgetOrder,
    /// How windows are ranked.
    pub ranking: Ranking,
    /// How much likeness to windows already taken counts against one, 0 to 1 (maximal marginal relevance).
    pub diversity: f64,
    /// How the nearest vectors are found.
    pub index: Index,
    /// Neighbours per node of the graph.
    pub hnsw_m: u64,
    /// Candidates that building and searching the graph keep.
    pub hnsw_ef: u64,
    /// Characters of an estimated page.
    pub page_chars: u64,
    /// Share of the budget from the start where nothing could be chosen; 0 for all of it.
    pub fallback_head: f64,
}

impl Settings {
    /// Characters that neighbouring windows really share: `overlap`, at most nine tenths of a window. Windows that
    /// differ by less say the same over and over, and their number and the time they take grow without bound.
    #[must_use]
    pub fn shared(&self) -> u64 {
        self.overlap.min(self.window - self.window.div_ceil(10))
    }
}

impl Default for Settings {
    fn default() -> Settings {
        let priority =
            ["Abstract", "Summary", "Conclusion", "Results", "Introduction", "Discussion", "Methods", "Background"];
        Settings {
            threshold: 12_000,
            min_headings: 3,
            min_matched: 0,
            priority: priority.map(String::from).to_vec(),
            budget: 8_000,
            window: 500,
            overlap: 100,
            separators: false,
            top: 10,
            budget_order: BudgetOrder::Reading,
            ranking: Ranking::Embed,
            diversity: 0.0,
            index: Index::Exact,
            hnsw_m: 16,
            hnsw_ef: 100,
            page_chars: 2_000,
            fallback_head: 0.0,
        }
    }
}
