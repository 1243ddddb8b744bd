//! Memory: what outlives a window, and what of it is put back.

use crate::policy::declare::section;
use crate::policy::value::{Share, choice};

choice! {
    /// What becomes a memory.
    IngestMode {
        /// The whole input.
        Session = "session",
        /// Each chunk of it.
        Chunk = "chunk",
        /// Each turn of a conversation.
        TurnContext = "turn_context",
    }
}

choice! {
    /// What is done with the text around a chunk.
    Enrich {
        /// Nothing.
        None = "none",
        /// It is put beside the chunk; the original text is embedded.
        Augment = "augment",
        /// The chunk is rewritten with it; the rewritten text is embedded.
        Rewrite = "rewrite",
    }
}

choice! {
    /// How facts are taken out before a compaction.
    Preserve {
        /// Not at all.
        None = "none",
        /// By signal phrases, without a model.
        Rules = "rules",
        /// By the user.
        Manual = "manual",
        /// By a model.
        Llm = "llm",
    }
}

choice! {
    /// Who sees a memory.
    Scope {
        /// This session.
        Session = "session",
        /// This user.
        User = "user",
        /// This agent, whoever uses it.
        Agent = "agent",
    }
}

section! {
    /// Memories: ingest, pack, preserve, reconcile; and the index file that is always in context.
    memory: Memory {
        /// Whether memories are packed into the window.
        on: bool = false, 0..=0 "", Instant, "source 2";
        /// Lines of the memory index that are in the window.
        index_lines: u64 = 200, 0..=1_000_000 "lines", Recount, "source 5: memory index (200-line cap)";
        /// What becomes a memory.
        ingest: IngestMode = IngestMode::Chunk, 0..=0 "", Recount, "source 2: ingest mode";
        /// What kind of source memories say they are from.
        source_type: String = "document".to_owned(), 0..=50 "", Instant, "source 2: sourceType";
        /// Who sees what is ingested.
        scope: Scope = Scope::Session, 0..=0 "", Instant, "source 2: scope";
        /// Characters of a chunk at most.
        chunk_size: u64 = 1_000, 50..=1_000_000 "characters", Reembed, "source 2: chunkSize";
        /// Characters that neighbouring chunks share.
        chunk_overlap: u64 = 200, 0..=1_000_000 "characters", Reembed, "source 2: chunkOverlap";
        /// What is done with the text around a chunk.
        enrich: Enrich = Enrich::None, 0..=0 "", Reembed, "source 2: enrich, enrichMode";
        /// Chunks on either side that enrich one.
        enrich_window: u64 = 1, 0..=20 "chunks", Reembed, "FACTS: enrichment window 1";
        /// Whether related chunks that share few words are bridged.
        latent_bridging: bool = false, 0..=0 "", Reembed, "source 2: latentBridging";
        /// Tokens of packed memories; 0: by `budget_ratio`.
        budget_tokens: u64 = 4_000, 0..=10_000_000 "tokens", Instant, "source 2: budgetTokens";
        /// Share of the window for packed memories, where `budget_tokens` is 0.
        budget_ratio: Share = Share(0.15), 0..=1 "", Instant, "source 2: context.budgetRatio";
        /// Memories packed at most.
        max_items: u64 = 8, 0..=100_000 "memories", Instant, "source 2: context.maxPackItems";
        /// Similarity to the query that a memory needs.
        min_score: Share = Share(0.4), 0..=1 "", Instant, "FACTS: minimum score 0.4";
        /// Whether contradictions between packed memories are named.
        include_edges: bool = false, 0..=0 "", Instant, "source 2: includeEdges";
        /// How facts are taken out before a compaction.
        preserve: Preserve = Preserve::None, 0..=0 "", Instant, "source 2: preserve()";
        /// Phrases that mark a fact to preserve.
        signals: Vec<String> = ["I learned", "remember that", "my name is"].map(String::from).to_vec(), 0..=500 "", Recount, "source 2: signal-word matching";
        /// Whether memories are reconciled at their interval.
        reconcile: bool = false, 0..=0 "", Instant, "source 2: autoReconcile";
        /// Turns between two reconciliations.
        interval: u64 = 25, 1..=1_000_000 "turns", Instant, "source 2: reconciliation.reconcileInterval";
        /// Uses after which a memory is promoted.
        promote_at: u64 = 3, 1..=1_000_000 "uses", Instant, "FACTS: promotes at 3 accesses";
        /// Similarity at which equal memories are merged.
        merge_at: Share = Share(0.85), 0..=1 "", Instant, "FACTS: merges at 0.85";
    }
}
