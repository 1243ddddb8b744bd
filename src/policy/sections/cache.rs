//! The prompt cache: what of a request is read from it, written to it, and sent fresh.

use crate::policy::declare::section;
use crate::policy::value::{Field, Kind, Range, Value, choice};

choice! {
    /// How the provider caches prompts.
    CacheMode {
        /// Not at all.
        Off = "off",
        /// By itself; what is new is sent fresh.
        Automatic = "automatic",
        /// Where the client asks for it; what is new is written to the cache.
        Explicit = "explicit",
        /// As the provider of the model that answers does it: where the table of models has a price of its own for
        /// writes, as explicit, else as automatic.
        Provider = "provider",
    }
}

choice! {
    /// When what stands behind the dynamic boundary changes.
    Dynamic {
        /// Never within a session.
        Session = "session",
        /// With each message of the user.
        Turn = "turn",
        /// With each request.
        Request = "request",
    }
}

/// For how long a provider keeps an unused prefix.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Lifetime {
    /// As the usage of each request tells: five minutes, or an hour.
    Reported,
    /// So many minutes; 0: for ever.
    Minutes(u64),
}

impl Field for Lifetime {
    const KIND: Kind = Kind::Minutes;

    fn value(&self) -> Value {
        match self {
            Lifetime::Reported => Value::Text("reported".to_owned()),
            Lifetime::Minutes(minutes) => minutes.value(),
        }
    }

    fn read(value: &Value, range: Range) -> Result<Self, String> {
        match value {
            Value::Text(text) if text.trim() == "reported" => Ok(Lifetime::Reported),
            Value::Text(_) => u64::read(value, range)
                .map(Lifetime::Minutes)
                .map_err(|_| format!("a whole number from {range} is expected, or reported")),
            other => u64::read(other, range).map(Lifetime::Minutes),
        }
    }
}

section! {
    /// The prompt cache and its prices.
    cache: Cache {
        /// How the provider caches prompts. provider: what is new is written where the model that answers has a price for
        /// that, else sent fresh.
        mode: CacheMode = CacheMode::Provider, 0..=0 "", Instant, "source 5: dynamic boundary marker for prompt caching";
        /// Whether all that changes from request to request stands after what does not. Without it nothing can be reused.
        boundary: bool = true, 0..=0 "", Instant, "source 5: everything before the boundary is static across turns";
        /// The text in the system prompt that ends its static part.
        marker: String = "__SYSTEM_PROMPT_DYNAMIC_BOUNDARY__".to_owned(), 0..=200 "", Recount, "source 5: __SYSTEM_PROMPT_DYNAMIC_BOUNDARY__";
        /// When the text behind that marker changes: nothing from there on can be reused then. A prompt without a
        /// marker has no such text.
        dynamic: Dynamic = Dynamic::Turn, 0..=0 "", Instant, "source 5: everything after the boundary changes per turn";
        /// Minutes after which an unused prefix is forgotten; 0: never. Writes that are kept for an hour or longer have
        /// a price of their own. reported: five, or an hour where the transcript's usage tells of that.
        minutes: Lifetime = Lifetime::Minutes(5), 0..=100_000 "minutes", Instant, "Anthropic's prompt caching: 5 minutes or 1 hour";
        /// A shorter prefix is not cached: it is not read, and a request that is shorter as a whole is billed as fresh
        /// input.
        min_tokens: u64 = 1_024, 0..=1_000_000 "tokens", Instant, "documented by Anthropic and OpenAI for most models";
        /// Dollars per million tokens read from the cache; 0: from the table of models.
        price_read: f64 = 0.0, 0..=1_000_000 "$/M", Instant, "windowpane: prices of another contract";
        /// Dollars per million tokens written to the cache; 0: from the table of models.
        price_write: f64 = 0.0, 0..=1_000_000 "$/M", Instant, "windowpane: prices of another contract";
        /// Dollars per million tokens sent fresh; 0: from the table of models.
        price_fresh: f64 = 0.0, 0..=1_000_000 "$/M", Instant, "windowpane: prices of another contract";
        /// Dollars per million tokens of output; 0: from the table of models.
        price_output: f64 = 0.0, 0..=1_000_000 "$/M", Instant, "windowpane: prices of another contract";
    }
}
