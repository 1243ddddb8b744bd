//! What a message's `usage` reports.

use crate::model::{Aside, Tier, Usage};

use super::super::anthropic_messages::{of_input, sampled};
use super::super::figure::{Figures, figure};
use super::super::scan::Value;

/// Reported tokens, and those of reasoning. `None` where a figure
/// of the input is none, so that the context is not known; another that is none is left out. `figures` says which.
///
/// Where the server ran a tool of its own, one request is sampled several times and the figures are sums over all
/// samplings (`iterations`); the context is then that of the first one of the answering model.
pub(super) fn usage(value: Value<'_>, figures: &mut Figures) -> Option<Usage> {
    if !value.is_object() {
        return None;
    }
    let all = figures.together(|figures| parts(value, figures));
    let output = figures.read("usage.output_tokens", value.get("output_tokens").map(|tokens| tokens.raw()));
    let reasoning = value.at(&["output_tokens_details", "thinking_tokens"]);
    let reasoning = figures.read("usage.output_tokens_details.thinking_tokens", reasoning.map(|tokens| tokens.raw()));
    let samplings = figures.together(|figures| of_kind(value, "message").map(|one| parts(one, figures)).collect());
    let (all, samplings): (Usage, Vec<Usage>) = (all?, samplings?);
    let tier = value.get("service_tier").and_then(|name| name.string()).and_then(|name| Tier::named(&name));
    Some(Usage { output, reasoning, tier, ..sampled(all, &samplings) })
}

/// What other models were asked on the way: samplings that name one of their own.
pub(super) fn asides(value: Value<'_>) -> Vec<Aside> {
    // What is wrong with a sampling is wrong with the sums, which tell of it.
    let mut figures = Figures::default();
    let of = |one: Value<'_>| {
        let model = one.get("model")?.string()?;
        let output = figures.read("", one.get("output_tokens").map(|tokens| tokens.raw()));
        Some(Aside { model: model.as_ref().into(), usage: Usage { output, ..parts(one, &mut figures) } })
    };
    of_kind(value, "advisor_message").filter_map(of).collect()
}

fn of_kind<'a>(value: Value<'a>, kind: &'static str) -> impl Iterator<Item = Value<'a>> {
    let all: Vec<Value<'a>> = value.get("iterations").map(|all| all.items()).unwrap_or_default();
    all.into_iter().filter(move |one| one.get("type").and_then(|name| name.string()).as_deref() == Some(kind))
}

/// The parts of the input, of one sampling or of all.
fn parts(value: Value<'_>, figures: &mut Figures) -> Usage {
    of_input(&mut |path| {
        let held = value.at(path)?.raw();
        figure(held).or_else(|| figures.read(&format!("usage.{}", path.last()?), Some(held)))
    })
}
