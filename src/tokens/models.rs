//! The table of models: windows, prices, encodings. Compiled in, dated, and overridable by the user's own rows.

use std::collections::HashMap;
use std::sync::{Arc, LazyLock};

use serde::Deserialize;
use thiserror::Error;

use super::names::{Name, normal, same_model};
use super::{Counter, Encoding, ImageRule};
use crate::model::{Cost, Tier, Usage};

/// What is known of a model.
#[derive(Clone, Debug, PartialEq)]
pub struct ModelInfo {
    /// The name of the row.
    pub name: String,
    /// Who makes it.
    pub vendor: Arc<str>,
    /// The most tokens of one request.
    pub window: u64,
    /// The most tokens of one answer.
    pub output: Option<u64>,
    /// What it costs.
    pub price: Option<Price>,
    /// What a request with a larger context costs.
    pub above: Option<Above>,
    /// What a request costs that was not served in the usual way.
    pub tiers: Tiers,
    /// How its tokens are counted.
    pub counter: Counter,
}

/// Prices in US dollars for a million tokens.
#[derive(Clone, Copy, Debug, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Price {
    /// Fresh input.
    pub input: f64,
    /// Reading from the prompt cache; where it is not said, as fresh input.
    pub cache_read: Option<f64>,
    /// Writing to a prompt cache that is kept for five minutes; where it is not said, as fresh input.
    pub cache_write: Option<f64>,
    /// Writing to a prompt cache that is kept for an hour; where it is not said, see [`Price::written_1h`].
    pub cache_write_1h: Option<f64>,
    /// Output.
    pub output: f64,
}

impl Price {
    /// Writing to a prompt cache that is kept for five minutes.
    #[must_use]
    pub fn written(&self) -> f64 {
        self.cache_write.unwrap_or(self.input)
    }

    /// Writing to a prompt cache that is kept for an hour: as said, else by Anthropic's rule where five minutes are by
    /// it (1.25 times the input's price, an hour twice: its pages on prompt caching), else as for five minutes.
    #[must_use]
    pub fn written_1h(&self) -> f64 {
        // The oldest model's price is rounded.
        let is_by_rule = self.cache_write.is_some_and(|written| (1.19..=1.26).contains(&(written / self.input)));
        let ruled = if is_by_rule { 2.0 * self.input } else { self.written() };
        self.cache_write_1h.unwrap_or(ruled)
    }
}

/// What a request with a context of more than `tokens` costs.
#[derive(Clone, Copy, Debug, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Above {
    /// The largest context that is still at the lower price.
    pub tokens: u64,
    /// The higher price.
    pub price: Price,
}

/// Shares of the price that requests cost which were served otherwise than usual; `None` where it is not known.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Tiers {
    /// Answered some time within a day.
    pub batch: Option<f64>,
    /// Answered later than others.
    pub flex: Option<f64>,
    /// Answered before others.
    pub priority: Option<f64>,
}

impl Tiers {
    /// The share of the price.
    fn share(self, tier: Option<Tier>) -> Option<f64> {
        match tier {
            None => Some(1.0),
            Some(Tier::Batch) => self.batch,
            Some(Tier::Flex) => self.flex,
            Some(Tier::Priority) => self.priority,
            Some(Tier::Other) => None,
        }
    }

    /// These, and where one is not known the other's.
    fn or(self, other: Tiers) -> Tiers {
        Tiers {
            batch: self.batch.or(other.batch),
            flex: self.flex.or(other.flex),
            priority: self.priority.or(other.priority),
        }
    }
}

/// Why a table of models is refused.
#[derive(Debug, Error)]
pub enum ModelsError {
    /// It is not TOML of the table's shape.
    #[error("{0}")]
    Shape(#[from] toml::de::Error),
    /// A row names an encoding or a rule for pictures that there is not.
    #[error("model {model:?}: there is no {what} {name:?}; known are {known}")]
    Unknown {
        /// The row, or the vendor.
        model: String,
        /// What was looked for.
        what: &'static str,
        /// The name as given.
        name: String,
        /// The names there are.
        known: String,
    },
    /// A new row does not say how large the model's window is.
    #[error("model {0:?}: `window` is missing")]
    NoWindow(String),
}

/// A model that was found by its name.
#[derive(Clone, Copy, Debug)]
pub struct Found<'a> {
    /// Its row.
    pub info: &'a ModelInfo,
    /// Its window: the row's, or a million where the name ends in `[1m]`.
    pub window: u64,
    /// Whether the name itself states the window.
    pub stated: bool,
}

/// The table of models.
#[derive(Clone, Debug, Default)]
pub struct Models {
    rows: HashMap<String, ModelInfo>,
    vendors: Vec<Vendor>,
    date: Option<String>,
}

#[derive(Clone, Debug)]
struct Vendor {
    name: Arc<str>,
    prefixes: Vec<String>,
    counter: Counter,
    tiers: Tiers,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct File {
    date: Option<String>,
    #[serde(default)]
    vendor: Vec<VendorRows>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct VendorRows {
    name: String,
    encoding: Option<String>,
    exact: Option<bool>,
    images: Option<String>,
    batch: Option<f64>,
    flex: Option<f64>,
    priority: Option<f64>,
    #[serde(default)]
    prefixes: Vec<String>,
    #[serde(default)]
    models: Vec<Row>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Row {
    name: String,
    window: Option<u64>,
    output: Option<u64>,
    price: Option<Price>,
    above: Option<Above>,
    batch: Option<f64>,
    flex: Option<f64>,
    priority: Option<f64>,
    encoding: Option<String>,
    exact: Option<bool>,
    images: Option<String>,
}

/// How a model counts of which nothing is known.
pub(super) const UNKNOWN: Counter =
    Counter { encoding: Encoding::O200kBase, images: ImageRule::Guess(1_000), exact: false };

static BUILT_IN: LazyLock<Models> =
    LazyLock::new(|| Models::default().with(include_str!("models.toml")).unwrap_or_default());

impl Models {
    /// The table that comes with the program.
    #[must_use]
    pub fn built_in() -> &'static Models {
        &BUILT_IN
    }

    /// This table with the rows of another, given as TOML of the same shape. A row of a known name replaces what it
    /// says and keeps the rest.
    ///
    /// # Errors
    /// Where the text is not of the table's shape, or names an encoding or rule that there is not.
    pub fn with(&self, text: &str) -> Result<Models, ModelsError> {
        let file: File = toml::from_str(text)?;
        let mut table = self.clone();
        table.date = file.date.or(table.date);
        for vendor in file.vendor {
            let name: Arc<str> = vendor.name.as_str().into();
            let old = self.vendors.iter().find(|old| old.name == name);
            let known = old.map_or(UNKNOWN, |old| old.counter);
            let base =
                counter(known, &vendor.name, vendor.encoding.as_deref(), vendor.exact, vendor.images.as_deref())?;
            let said = Tiers { batch: vendor.batch, flex: vendor.flex, priority: vendor.priority };
            let tiers = said.or(old.map(|old| old.tiers).unwrap_or_default());
            for row in vendor.models {
                let key = normal(&row.name).text;
                let old = table.rows.get(&key);
                let start = old.map_or(base, |old| old.counter);
                let counter = counter(start, &row.name, row.encoding.as_deref(), row.exact, row.images.as_deref())?;
                let window = row.window.or(old.map(|old| old.window));
                let info = ModelInfo {
                    vendor: Arc::clone(&name),
                    window: window.ok_or_else(|| ModelsError::NoWindow(row.name.clone()))?,
                    output: row.output.or(old.and_then(|old| old.output)),
                    above: row.above.or(old.and_then(|old| old.above.filter(|_| row.price.is_none()))),
                    price: row.price.or(old.and_then(|old| old.price)),
                    tiers: Tiers { batch: row.batch, flex: row.flex, priority: row.priority }
                        .or(old.map_or(tiers, |old| old.tiers)),
                    name: row.name,
                    counter,
                };
                table.rows.insert(key, info);
            }
            // The user's come first.
            table.vendors.insert(0, Vendor { name, prefixes: vendor.prefixes, counter: base, tiers });
        }
        Ok(table)
    }

    /// When the table was made, as it says itself.
    #[must_use]
    pub fn date(&self) -> Option<&str> {
        self.date.as_deref()
    }

    /// The rows, by name.
    #[must_use]
    pub fn rows(&self) -> Vec<&ModelInfo> {
        let mut rows: Vec<&ModelInfo> = self.rows.values().collect();
        rows.sort_unstable_by(|one, other| one.name.cmp(&other.name));
        rows
    }

    /// The model of a name as transcripts give it: with a provider's prefix, a region, a date, a revision. The longest
    /// row that the name begins with, up to a word's end, wins, where what follows names no other model.
    #[must_use]
    pub fn find(&self, name: &str) -> Option<Found<'_>> {
        let Name { text, million, .. } = normal(name);
        let ends = text.match_indices(['-', ':', '_', ' ']).map(|(at, _)| at).chain([text.len()]);
        let mut ends: Vec<usize> = ends.collect();
        ends.reverse();
        let (end, info) = ends.into_iter().find_map(|end| Some((end, self.rows.get(text.get(..end)?)?)))?;
        if !same_model(text.get(end..)?) {
            return None;
        }
        Some(Found { info, window: if million { info.window.max(1_000_000) } else { info.window }, stated: million })
    }

    /// How a model's tokens are counted: by its row, else as tiktoken says of its name, else as an estimate: as its
    /// vendor's are, else with `o200k_base`.
    #[must_use]
    pub fn counter(&self, name: &str) -> Counter {
        if let Some(found) = self.find(name) {
            return found.info.counter;
        }
        let Name { text, dotted, .. } = normal(name);
        let bare = text.strip_prefix("ft:").unwrap_or(&text);
        let vendor = self.vendors.iter().find(|vendor| vendor.prefixes.iter().any(|start| bare.starts_with(start)));
        let guess = vendor.map_or(UNKNOWN, |vendor| Counter { exact: false, ..vendor.counter });
        Encoding::of_model(&dotted).map_or(guess, |encoding| Counter { encoding, exact: true, ..guess })
    }
}

fn counter(
    base: Counter,
    model: &str,
    encoding: Option<&str>,
    exact: Option<bool>,
    images: Option<&str>,
) -> Result<Counter, ModelsError> {
    let unknown = |what, name: &str, known: Vec<&str>| ModelsError::Unknown {
        model: model.to_owned(),
        what,
        name: name.to_owned(),
        known: known.join(", "),
    };
    let encoding = encoding.map(|name| {
        let known = || Encoding::ALL.iter().map(|encoding| encoding.name()).collect();
        Encoding::named(name).ok_or_else(|| unknown("encoding", name, known()))
    });
    let images = images.map(|name| {
        let known = || super::IMAGE_RULES.iter().map(|(name, ..)| *name).collect();
        ImageRule::named(name).ok_or_else(|| unknown("rule for pictures", name, known()))
    });
    Ok(Counter {
        encoding: encoding.transpose()?.unwrap_or(base.encoding),
        images: images.transpose()?.unwrap_or(base.images),
        exact: exact.unwrap_or(base.exact),
    })
}

/// What a request cost; `None` where the model has no price, or none for how the request was served. Cache writes of
/// which a report does not say that they are kept for an hour are taken to be kept for five minutes.
#[must_use]
#[allow(clippy::cast_precision_loss)]
pub fn cost(usage: &Usage, model: &ModelInfo) -> Option<Cost> {
    let price = match model.above {
        Some(above) if usage.context() > above.tokens => above.price,
        _ => model.price?,
    };
    let share = model.tiers.share(usage.tier)?;
    let part = |tokens: u64, price: f64| tokens as f64 * price * share / 1e6;
    let short = usage.cache_write.saturating_sub(usage.cache_write_1h);
    Some(Cost {
        input: part(usage.input, price.input),
        cache_read: part(usage.cache_read, price.cache_read.unwrap_or(price.input)),
        cache_write: part(short, price.written()) + part(usage.cache_write_1h, price.written_1h()),
        output: part(usage.output.unwrap_or(0), price.output),
    })
}
