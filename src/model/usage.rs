//! What an API reported about a request, in one meaning for all vendors.

use std::sync::Arc;

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
    /// The part of `cache_write` that is kept for an hour and not for five minutes, which costs more.
    pub cache_write_1h: u64,
    /// Tokens the model produced, reasoning included; `None` where only a streaming placeholder is known.
    pub output: Option<u64>,
    /// The part of `output` that was reasoning, where it is said.
    pub reasoning: Option<u64>,
    /// What the first sampling was sent, where the figures above are sums over several samplings of one request (a
    /// tool that the server ran in between).
    pub sent: Option<Sent>,
    /// How the request was served, where that was not the usual way.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub tier: Option<Tier>,
}

/// How a request was served, which decides its price.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Tier {
    /// Answered some time within a day.
    Batch,
    /// Answered later than others.
    Flex,
    /// Answered before others.
    Priority,
    /// Otherwise: its price is not known.
    Other,
}

impl Tier {
    /// What vendors call it (`service_tier`); `None` for the usual way.
    #[must_use]
    pub fn named(name: &str) -> Option<Tier> {
        match name {
            "" | "auto" | "default" | "standard" | "on_demand" => None,
            "batch" => Some(Tier::Batch),
            "flex" => Some(Tier::Flex),
            "priority" => Some(Tier::Priority),
            _ => Some(Tier::Other),
        }
    }
}

/// What one sampling was sent.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Sent {
    /// Its context in tokens.
    pub tokens: u64,
    /// How many of them were read from the prompt cache.
    pub cache_read: u64,
}

/// The parts of a request's context; they are the whole of it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ContextParts {
    /// Read from the prompt cache.
    pub read: u64,
    /// Written to it.
    pub written: u64,
    /// Neither.
    pub fresh: u64,
}

/// Tokens of another model that the server asked on the way (an advisor). They stand in no window here, are in none of
/// the request's own figures, and are billed beside them.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Aside {
    /// The model's name as recorded. Untrusted.
    pub model: Arc<str>,
    /// What was reported of it.
    pub usage: Usage,
}

impl Usage {
    /// From a report in which what was read from a cache and written to it are parts of the input.
    #[must_use]
    pub fn within(input: u64, cache_read: u64, cache_write: u64) -> Usage {
        let cache_read = cache_read.min(input);
        let cache_write = cache_write.min(input - cache_read);
        Usage { input: input - cache_read - cache_write, cache_read, cache_write, ..Usage::default() }
    }

    /// The size of the request's context: everything that the model was sent.
    #[must_use]
    pub fn context(&self) -> u64 {
        let sum = self.input.saturating_add(self.cache_read).saturating_add(self.cache_write);
        self.sent.map_or(sum, |sent| sent.tokens)
    }

    /// How much of the context was read from the prompt cache.
    #[must_use]
    pub fn context_read(&self) -> u64 {
        self.sent.map_or(self.cache_read, |sent| sent.cache_read)
    }

    /// How much of the context was read from the prompt cache, written to it, and neither. Where the figures are sums over
    /// several samplings, nothing says which of them wrote: what was sent fresh is taken to be in the context.
    #[must_use]
    pub fn context_parts(&self) -> ContextParts {
        let read = self.context_read();
        let new = self.context().saturating_sub(read);
        let fresh = if self.sent.is_some() { self.input.min(new) } else { self.input };
        ContextParts { read, written: if self.sent.is_some() { new - fresh } else { self.cache_write }, fresh }
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
    /// Both together, part by part.
    #[must_use]
    pub fn and(self, other: Cost) -> Cost {
        Cost {
            input: self.input + other.input,
            cache_read: self.cache_read + other.cache_read,
            cache_write: self.cache_write + other.cache_write,
            output: self.output + other.output,
        }
    }

    /// Sum of the parts.
    #[must_use]
    pub fn total(&self) -> f64 {
        self.input + self.cache_read + self.cache_write + self.output
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_parts_of_a_context_are_the_whole_of_it() {
        let plain = Usage { input: 12, cache_read: 300, cache_write: 40, ..Usage::default() };
        // Of three samplings, of which the first was sent 340 tokens.
        let again = Usage {
            input: 15,
            cache_read: 1_000,
            cache_write: 60,
            sent: Some(Sent { tokens: 340, cache_read: 300 }),
            ..Usage::default()
        };
        for (usage, (written, fresh)) in [(plain, (40, 12)), (again, (25, 15))] {
            assert_eq!(usage.context_parts(), ContextParts { read: 300, written, fresh });
            assert_eq!(usage.context_read() + written + fresh, usage.context());
        }
    }
}
