//! The window: its size, how it is counted, and what is kept free of it.

use crate::policy::declare::section;
use crate::policy::value::choice;

choice! {
    /// What tokens are counted with.
    Encoding {
        /// By the model's name.
        Auto = "auto",
        /// OpenAI's encoding of GPT-4o and later.
        O200k = "o200k_base",
        /// OpenAI's encoding of GPT-4 and GPT-3.5.
        Cl100k = "cl100k_base",
        /// OpenAI's encoding of early code models.
        P50k = "p50k_base",
        /// OpenAI's encoding of GPT-3.
        R50k = "r50k_base",
        /// Four characters a token.
        Estimate = "estimate",
    }
}

choice! {
    /// What of a message is counted.
    Count {
        /// Its text.
        Text = "text",
        /// The JSON as sent.
        Json = "json",
    }
}

section! {
    /// The model's window, and how tokens are counted.
    window: Window {
        /// The model whose window, prices and encoding are used; empty: the one that the transcript names.
        model: String = String::new(), 0..=100 "", Recount, "windowpane: another model may be asked for";
        /// Size of the window in tokens; 0: what the transcript says, then the table of models, then 200,000.
        size: u64 = 0, 0..=100_000_000 "tokens", Instant, "windowpane: a smaller window may be asked for";
        /// The encoding that tokens are counted with.
        encoding: Encoding = Encoding::Auto, 0..=0 "", Recount, "windowpane: as the model's provider counts; source 4 names cl100k_base";
        /// Whether the text is counted, or the JSON as sent.
        count: Count = Count::Text, 0..=0 "", Recount, "windowpane: what is read; source 4 serializes messages to JSON and counts that";
        /// Whether counts are scaled to the reported usage, since no public tokenizer counts Claude's tokens.
        calibrate: bool = true, 0..=0 "", Recount, "windowpane: totals that equal what the API reports";
    }
}

section! {
    /// Room of the window that is kept free.
    reserve: Reserve {
        /// Tokens kept free for the answer.
        output: u64 = 0, 0..=10_000_000 "tokens", Instant, "windowpane: room for the answer";
        /// Tokens kept free for a summary (source 5 reports a measured p99.99 of 17,387).
        summary: u64 = 0, 0..=10_000_000 "tokens", Instant, "source 5: 20,000 tokens reserved for compact summary output";
        /// Tokens kept free beside these.
        headroom: u64 = 0, 0..=10_000_000 "tokens", Instant, "windowpane: room beside the answer";
    }
}

section! {
    /// Caps on what a task may use.
    limits: Limits {
        /// Tool calls that one task may make before the agent is stopped; 0: no cap. A replay marks where it would strike.
        tool_calls: u64 = 0, 0..=1_000_000 "calls" endless_at 0, Instant, "source 3: a configurable cap on the number of tools that can be called";
        /// Tokens of tool definitions that are sent; 0: no cap.
        tool_definitions: u64 = 0, 0..=10_000_000 "tokens" endless_at 0, Instant, "windowpane: definitions take room too";
        /// Whether the base tools (file_read, file_regex, load_file, …) are defined in the window.
        base_tools: bool = false, 0..=0 "", Instant, "source 3: a set of base tools that are always available";
    }
}
