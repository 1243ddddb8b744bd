//! What a response's `usage` reports: input, cache reads and cache writes are disjoint.

use crate::model::{Aside, Sent, Usage};
use crate::transcript::figure::Figures;
use crate::transcript::json::Json;

const OUTPUT: &[&str] = &["output_tokens"];
const REASONING: &[&str] = &["output_tokens_details", "thinking_tokens"];

/// The answer's tokens; `None` where a figure of the input is none, so that the context is not known.
///
/// Where the server ran tools of its own, one request is sampled several times and the figures are sums over all
/// samplings (`iterations`); the context is then that of the first one.
pub(super) fn usage(value: &Json<'_>, figures: &mut Figures) -> Option<Usage> {
    let all = figures.together(|figures| of_input(&mut |path| value.figure(path, figures)));
    let mut of = |path: &[&str]| value.figure(path, figures);
    let (output, reasoning) = (of(OUTPUT), of(REASONING));
    let of = |sampling: &Json<'_>, figures: &mut Figures| of_input(&mut |path| sampling.figure(path, figures));
    let all_of = |figures: &mut Figures| iterations(value, "message").map(|sampling| of(sampling, figures)).collect();
    let (all, samplings): (Usage, Vec<Usage>) = (all?, figures.together(all_of)?);
    Some(Usage { output, reasoning, ..sampled(all, &samplings) })
}

/// The sums of an input that was sampled several times: the context is that of the first one.
pub fn sampled(all: Usage, samplings: &[Usage]) -> Usage {
    let sent = samplings.first().filter(|_| samplings.len() > 1);
    let sent = sent.map(|first| Sent { tokens: first.context(), cache_read: first.cache_read });
    // The sums tell of the hour's cache what the first sampling wrote to it.
    let hour = samplings.iter().map(|one| one.cache_write_1h).reduce(u64::saturating_add);
    let cache_write_1h = hour.unwrap_or(0).max(all.cache_write_1h).min(all.cache_write);
    Usage { sent, cache_write_1h, ..all }
}

/// The tokens of the call that wrote a summary on the way.
pub(super) fn summary(value: &Json<'_>) -> Option<Usage> {
    iterations(value, "compaction").next().map(one)
}

/// What other models were asked on the way: samplings that name one of their own.
pub(super) fn asides(value: &Json<'_>) -> Vec<Aside> {
    let of = |sampling: &Json<'_>| {
        let model = sampling.str_of("model");
        (!model.is_empty()).then(|| Aside { model: model.into(), usage: one(sampling) })
    };
    iterations(value, "advisor_message").filter_map(of).collect()
}

fn iterations<'j, 'b>(value: &'j Json<'b>, kind: &'static str) -> impl Iterator<Item = &'j Json<'b>> {
    let all = value.get("iterations").map(Json::items).unwrap_or_default();
    all.iter().filter(move |sampling| sampling.str_of("type") == kind)
}

/// A sampling's figures; those that are none are left out.
fn one(value: &Json<'_>) -> Usage {
    let mut of = |path: &[&str]| value.figure(path, &mut Figures::default());
    Usage { output: of(OUTPUT), reasoning: of(REASONING), ..of_input(&mut of) }
}

/// The parts of the input, of one sampling or of all, from the figures at some paths. They are disjoint here as they are
/// in the file.
pub fn of_input(of: &mut dyn FnMut(&[&str]) -> Option<u64>) -> Usage {
    let cache_write = of(&["cache_creation_input_tokens"]).unwrap_or(0);
    Usage {
        input: of(&["input_tokens"]).unwrap_or(0),
        cache_read: of(&["cache_read_input_tokens"]).unwrap_or(0),
        cache_write,
        cache_write_1h: of(&["cache_creation", "ephemeral_1h_input_tokens"]).unwrap_or(0).min(cache_write),
        ..Usage::default()
    }
}
