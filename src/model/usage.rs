//! What an API reported about a request, in one meaning for all vendors.

use serde::Serialize;

/// Reported tokens of one request. `input`, `cache_read` and `cache_write` are disjoint here,
/// whatever the vendor's own meaning (Codex and OpenAI report cached tokens as a part of input).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Usage {
    /// Tokens sent fresh: neither read from nor written to a cache.
    pub input: u64,
    /// Tokens read from the prompt cache.
    pub cache_read: u64,
    /// Tokens written to the prompt cache.
    pub cache_write: u64,
    /// Tokens the model produced, reasoning included; `None` where only a streaming placeholder is known.
    pub output: Option<u64>,
    /// The part of `output` that was reasoning, where it is said.
    pub reasoning: Option<u64>,
    /// The context alone, where the figures above are sums over several samplings of one request (a tool that the
    /// server ran in between): what the first sampling was sent.
    pub sent: Option<u64>,
}

impl Usage {
    /// The size of the request's context: everything that the model was sent.
    #[must_use]
    pub fn context(&self) -> u64 {
        let sum = self.input.saturating_add(self.cache_read).saturating_add(self.cache_write);
        self.sent.unwrap_or(sum)
    }
}

/// Price of one request in US dollars, by part.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize)]
pub struct Cost {
    /// Fresh input.
    pub input: f64,
    /// Cache reads.
    pub cache_read: f64,
    /// Cache writes.
    pub cache_write: f64,
    /// Output.
    pub output: f64,
}

impl Cost {
    /// Sum of the parts.
    #[must_use]
    pub fn total(&self) -> f64 {
        self.input + self.cache_read + self.cache_write + self.output
    }
}
