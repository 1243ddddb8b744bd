//! What summaries say of a fact that they took, in sentences.

use super::beside::not_near;
use super::clip;
use super::done::{done_with_figures, likeness};
use crate::inquiry::{Fact, Found, Like, Loss, Occurrence, Place, Sight, Stay, Trace, is_foreign};
use crate::model::{Fate, Run};

/// Columns of a quotation.
const QUOTED: usize = 120;

/// What the summary says that stands for a fact at the step in question, and what one before said. `lost`: where the fact
/// was lost, and with which of its stays.
pub(super) fn of_summaries(
    trace: &Trace,
    fact: &Fact,
    found: &Found,
    run: &Run,
    lost: (&Occurrence, Loss, &Stay),
) -> Vec<String> {
    let (one, loss, stay) = lost;
    let now = trace.best_at(trace.need.step()).map_or(stay, |(_, stay)| stay);
    let mut said: Vec<String> = before(one, loss, now, run).into_iter().collect();
    if let Some(like) = &now.like {
        said.push(format!("The summary {}.", quoted(like, false)));
    } else if (stay.fate == Fate::Summarised || !said.is_empty()) && now.sight != Sight::Hidden {
        let place = one.place.and_then(|at| found.places.get(at)).and_then(Place::spot);
        // In another language it may, and nothing here would notice.
        let foreign = is_foreign(&trace.fact) || place.is_some_and(|spot| is_foreign(&spot.context));
        said.push(match foreign {
            true => "The summary does not say it in these words; what it says in another language is not compared."
                .to_owned(),
            // A sentence may be said in words that share too few with it to be told.
            false if fact.by_meaning() => not_near(now, found, run),
            false if is_sentence(&trace.fact) => "The summary does not say it in these words.".to_owned(),
            false => "The summary does not say it.".to_owned(),
        });
    }
    said
}

/// What a summary said of it since the loss that another one took before the step in question, and what did that.
fn before(one: &Occurrence, loss: Loss, now: &Stay, run: &Run) -> Option<String> {
    let since = one.stays.iter().enumerate().skip(loss.stay).take_while(|(_, stay)| stay.from < now.from);
    let (at, stay) = since.filter(|(_, stay)| stay.like.is_some() && stay.like != now.like).last()?;
    let (like, ended) = (stay.like.as_ref()?, one.stays.get(at + 1)?);
    let took = format!("at step {} it was {}", ended.from, done_with_figures(ended, run));
    Some(format!("Up to step {} the summary {}; {took}.", ended.from.saturating_sub(1), quoted(like, true)))
}

/// What a sentence of a summary does for a fact, with the sentence.
fn quoted(like: &Like, is_over: bool) -> String {
    let says = match (like.without, is_over) {
        (true, true) => "spoke of it without saying it",
        (true, false) => "speaks of it without saying it",
        (false, true) => "said the like",
        (false, false) => "says the like",
    };
    format!("{says}: “{}” ({})", clip(&like.sentence, QUOTED), likeness(like))
}

/// Whether a fact is a literal text of several words: what says it may have others.
fn is_sentence(fact: &str) -> bool {
    !fact.starts_with("re:") && fact.split_whitespace().count() > 2
}
