//! Of a fact that no window holds, what memories say it, and why they were not packed.

use crate::inquiry::{Held, KEPT, Looked, Occurrence, Trace};
use crate::memory::Why;
use crate::policy::{PackedText, Scope};

use super::memory::{least_of, left_with};
use super::{clip, counted, score};

/// Columns of a quotation.
const QUOTED: usize = 120;

/// What memories hold of a fact at the step in question, in sentences; none where they do not.
#[must_use]
pub fn remembered(trace: &Trace) -> Vec<String> {
    let Some((first, others)) = trace.held.split_first() else { return Vec::new() };
    let mut said = vec![match trace.is_only_remembered() {
        true => format!("It stands only in {}.", named(first)),
        false => format!("A memory still says it: {}.", named(first)),
    }];
    if let Some(like) = &first.like {
        said.push(format!(
            "It says the like, by meaning (score {:.2}): “{}”.",
            like.score,
            clip(&like.sentence, QUOTED)
        ));
    }
    said.push(why(first));
    if !others.is_empty() {
        let verb = if others.len() == 1 { "says" } else { "say" };
        said.push(format!("{} {verb} it too.", counted(others.len() as u64, "other memory", "other memories")));
    }
    said
}

/// Whether a place is in a memory of an earlier session that no window held.
#[must_use]
pub fn is_kept(one: &Occurrence) -> bool {
    one.first.is_none() && *one.label == *KEPT
}

/// A memory by its number, and where it is from.
fn named(held: &Held) -> String {
    let id = held.id.0;
    let scope = match held.scope {
        Scope::Session => "session",
        Scope::User => "user",
        Scope::Agent => "agent",
    };
    match held.kept {
        true => format!("memory {id} of the {scope}, kept from before this session"),
        false => format!("memory {id}, {} at step {}", held.how.name(), held.from),
    }
}

/// Why it was not packed, and how it would be.
fn why(held: &Held) -> String {
    let settings = &held.settings;
    let Some(Looked { step, candidate, room }) = &held.pack else {
        return match settings.on {
            true => "It was not packed: since it is there nothing was asked that memories are packed for.".to_owned(),
            false => "It was not packed: memory.on is false, so none is.".to_owned(),
        };
    };
    let least = settings.min_score.0;
    let not = format!("At step {step} it was not packed");
    match candidate {
        one if one.why == Why::BelowScore => {
            // What is told as the value that lets it in must not be rounded past it.
            let (enough, score) = ((one.score * 100.0).floor() / 100.0, score(one.score, least_of(settings)));
            format!(
                "{not}: its score was {score}, and memory.min_score = {least} is the least; from {enough:.2} down it is similar enough."
            )
        }
        one if matches!(one.why, Why::Taken(_)) && settings.show == PackedText::Summary && !held.begins => {
            format!("At step {step} it was packed, but of it only a part, without the fact (memory.show).")
        }
        one if matches!(one.why, Why::Taken(_)) => format!("At step {step} it was packed."),
        one => match left_with(one, *room, settings) {
            (Some(key), why) => format!("{not}: {why} ({key})."),
            (None, why) => format!("{not}: {why}."),
        },
    }
}
