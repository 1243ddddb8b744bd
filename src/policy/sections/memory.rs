//! Memory: what outlives a window, and what of it is put back.

use crate::policy::declare::section;
use crate::policy::listed::{Layers, Listed};
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
        /// Not for this section; summarise.remember asks for it too.
        None = "none",
        /// By signal phrases, without a model.
        Rules = "rules",
        /// By the user.
        Manual = "manual",
        /// By a model, in the same pass as its summary; without one, by the rules.
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

choice! {
    /// What of a memory is packed.
    PackedText {
        /// Its first sentence; of a turn, one of the question and one of the answer, those nearest to what is asked.
        Summary = "summary",
        /// All of it.
        Whole = "whole",
    }
}

choice! {
    /// Where packed memories stand.
    PackedPlace {
        /// Before the conversation, after what never changes.
        Front = "front",
        /// After what is new.
        End = "end",
    }
}

section! {
    /// Memories: ingest, pack, preserve, reconcile; and the index file that is always in context.
    memory: Memory {
        /// Whether memories are packed into the window.
        on: bool = false, 0..=0 "", Instant, "source 2";
        /// Lines of the memory index that are in the window.
        index_lines: u64 = 200, 0..=1_000_000 "lines", Recount, "source 5: memory index (200-line cap)";
        /// The embedding model that tells likeness; empty: words do.
        model: String = String::new(), 0..=100 "", Reembed, "source 2 is handed vectors";
        /// What becomes a memory.
        ingest: IngestMode = IngestMode::Chunk, 0..=0 "", Recount, "source 2: ingest mode";
        /// Layers whose texts become memories.
        ingest_layers: Listed<Layers> = Listed::of(&["user", "assistant", "files", "chunks"]), 0..=20 "", Recount, "beyond source 2: it is handed texts";
        /// What kind of source memories say they are from.
        source_type: String = "document".to_owned(), 0..=50 "", Recount, "source 2: sourceType";
        /// Who sees what is ingested.
        scope: Scope = Scope::Session, 0..=0 "", Recount, "source 2: scope";
        /// Characters of a chunk at most.
        chunk_size: u64 = 1_000, 50..=1_000_000 "characters", Reembed, "source 2's public code: chunkSize of 1,000";
        /// Characters that neighbouring chunks share.
        chunk_overlap: u64 = 200, 0..=1_000_000 "characters", Reembed, "source 2's public code: chunkOverlap of 200";
        /// What is done with the text around a chunk.
        enrich: Enrich = Enrich::None, 0..=0 "", Reembed, "source 2: enrich, enrichMode";
        /// Chunks on either side that enrich one.
        enrich_window: u64 = 1, 0..=20 "chunks", Reembed, "source 2's public code: window 1";
        /// Whether related chunks that share few words are bridged.
        latent_bridging: bool = false, 0..=0 "", Reembed, "source 2: latentBridging";
        /// Similarity of chunks that are bridged.
        bridge_at: Share = Share(0.4), 0..=1 "", Reembed, "source 2 is silent";
        /// Share of their words that bridged chunks have in common at most.
        bridge_words: Share = Share(0.1), 0..=1 "", Reembed, "source 2 is silent";
        /// Similarity from which a new memory is compared with one that is there.
        similar_at: Share = Share(0.78), 0..=1 "", Reembed, "source 2's public code: neighbours of 0.78";
        /// Similarity from which a text that brings no new word or figure is left out.
        dedupe_at: Share = Share(0.95), 0..=1 "", Reembed, "windowpane: source 2's public code skips equal texts only";
        /// Similarity above which two texts contradict each other when only one of them denies.
        contradict_at: Share = Share(0.7), 0..=1 "", Reembed, "source 2's public code: above 0.7";
        /// Tokens of packed memories; 0: by `budget_ratio`.
        budget_tokens: u64 = 4_000, 0..=10_000_000 "tokens", Instant, "source 2: budgetTokens";
        /// Share of the window for packed memories, where `budget_tokens` is 0.
        budget_ratio: Share = Share(0.15), 0..=1 "", Instant, "source 2's public code: budgetRatio of 0.15";
        /// Memories packed at most.
        max_items: u64 = 8, 0..=100_000 "memories", Instant, "source 2's public code: maxPackItems of 8";
        /// Similarity to the query that a memory needs.
        min_score: Share = Share(0.4), 0..=1 "", Instant, "source 2's public code: 0.4";
        /// What of a memory is packed.
        show: PackedText = PackedText::Summary, 0..=0 "", Instant, "source 2's public code: lines of summaries";
        /// Where packed memories stand.
        place: PackedPlace = PackedPlace::Front, 0..=0 "", Instant, "source 2 is silent; db0 adds to the system prompt";
        /// Whether a memory is left out whose text still stands in the window.
        skip_present: bool = true, 0..=0 "", Instant, "beyond source 2: it would be sent twice";
        /// Whether contradictions between packed memories are named.
        include_edges: bool = false, 0..=0 "", Instant, "source 2: includeEdges";
        /// How facts are taken out before a compaction; `none` leaves that to `summarise.remember`.
        preserve: Preserve = Preserve::None, 0..=0 "", Instant, "source 2: preserve()";
        /// Who sees what is preserved.
        preserve_scope: Scope = Scope::User, 0..=0 "", Instant, "source 2's public code: preserved for the user";
        /// Phrases that mark a fact to preserve.
        signals: Vec<String> = ["I learned", "remember that", "my name is"].map(String::from).to_vec(), 0..=500 "", Recount, "source 2: signal-word matching";
        /// Whether memories are reconciled at their interval.
        reconcile: bool = false, 0..=0 "", Instant, "source 2: autoReconcile";
        /// Turns between two reconciliations.
        interval: u64 = 25, 1..=1_000_000 "turns", Instant, "source 2: reconciliation.reconcileInterval";
        /// Uses after which a memory is promoted.
        promote_at: u64 = 3, 1..=1_000_000 "uses", Instant, "source 2's public code: 3 accesses";
        /// What promotion adds to a memory's score when memories are ranked.
        promote_boost: Share = Share(0.1), 0..=1 "", Instant, "windowpane: source 2 increases their retrieval priority, and does not say by how much";
        /// Memories promoted at once.
        promote_max: u64 = 20, 1..=100_000 "memories", Instant, "source 2's public code: 20 a run";
        /// Similarity at which equal memories are merged.
        merge_at: Share = Share(0.85), 0..=1 "", Instant, "source 2's public code: 0.85";
        /// Whether memories about the same are made one, with all that they say.
        consolidate: bool = false, 0..=0 "", Instant, "source 2's public code: only with a model";
        /// Similarity of memories that are about the same.
        consolidate_at: Share = Share(0.75), 0..=1 "", Instant, "source 2's public code: clusters of 0.75";
        /// Memories made one at most.
        consolidate_max: u64 = 10, 2..=1_000 "memories", Instant, "source 2's public code: clusters of 2 to 10";
    }
}
