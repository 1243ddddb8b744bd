//! What was done to a fact, in the words of a sentence: the means, the rule, its figures.

use super::count;
use super::refused::refusal;
use super::verdict::share;
use crate::inquiry::{Like, Sight, Stay};
use crate::model::{Event, Fate, Run, Stage, Track, Trigger, number, rules};

/// What was done to a fact, as a participle with its means.
pub(super) fn done(stay: &Stay, run: &Run) -> String {
    if stay.sight == Sight::Refused {
        return "refused as too long with its whole request".to_owned();
    }
    let event = stay.decided(run);
    let event = event.as_deref();
    let by = |trigger: Option<Trigger>| match trigger {
        Some(Trigger::Auto) => " by the agent itself",
        Some(Trigger::Manual) => " because the user asked",
        None => "",
    };
    match (event.map(|event| event.stage), stay.fate) {
        (Some(Stage::Rewind), _) => match event.map(|event| &*event.rule) {
            Some(rules::EDIT) => "left out: the client sent another history".to_owned(),
            _ => "left on another branch: the user went back".to_owned(),
        },
        (Some(Stage::Reasoning), _) => "dropped with the reasoning of earlier turns".to_owned(),
        (Some(Stage::Session), _) => "left behind: another session began".to_owned(),
        (Some(Stage::Summarise), _) => {
            format!("compacted away{}", by(event.and_then(|event| event.trigger)))
        }
        (Some(Stage::Reactive), _) => "compacted away after the prompt was too long".to_owned(),
        // What a client cleared may leave nothing behind, not even a marker.
        (Some(Stage::Microcompact), Fate::Dropped) if run.track == Track::Simulated => {
            "taken out with old reasoning".to_owned()
        }
        (Some(Stage::Microcompact), Fate::Truncated | Fate::Virtual) => "cut short before a compaction".to_owned(),
        (Some(Stage::Microcompact), _) => "cleared as a stale result".to_owned(),
        (Some(Stage::Collapse), _) => "collapsed with its turn into one line".to_owned(),
        (Some(Stage::Drop), _) => "dropped with the oldest".to_owned(),
        (Some(Stage::Truncate), _) => "cut off".to_owned(),
        (_, Fate::Deduplicated) => "left out: the same text is there from another place".to_owned(),
        (Some(Stage::Limit), _) => "cut by a limit".to_owned(),
        (Some(Stage::Select), _) => "not chosen".to_owned(),
        (_, Fate::Cleared) => "cleared".to_owned(),
        (_, Fate::Truncated | Fate::Virtual) => "cut off".to_owned(),
        _ => "taken out".to_owned(),
    }
}

/// The same, with the rule that did it and its figures.
pub(super) fn done_with_figures(stay: &Stay, run: &Run) -> String {
    let figures = stay
        .decided(run)
        .and_then(|event| figures(&event, stay))
        .map(|figures| format!(" ({figures})"))
        .unwrap_or_default();
    done(stay, run) + &figures + &refusal(stay, run)
}

/// How near a sentence of a summary is.
pub(super) fn likeness(like: &Like) -> String {
    match like.by_meaning {
        true => format!("score {:.2}", like.score),
        false => format!("{} of its words", share(f64::from(like.score))),
    }
}

/// The rule of an event, what it measured and against what.
pub(super) fn figures(event: &Event, stay: &Stay) -> Option<String> {
    // What left out a part of a file has figures of its own.
    let unit = Some(event).filter(|_| stay.left.is_none()).and_then(unit);
    let measured = event.measured.map(|figure| with_unit(figure, unit));
    let threshold = event.threshold.map(count);
    // An agent measures what its last request held; what came since carried it over the threshold.
    let recorded = event.compacts() && event.rule.starts_with("recorded.") && event.measured < event.threshold;
    Some(match (measured, threshold) {
        (Some(measured), Some(threshold)) if recorded => {
            format!("{}: {measured} at the last request before, threshold {threshold}", event.rule)
        }
        (Some(measured), Some(threshold)) => format!("{}: {measured} measured, threshold {threshold}", event.rule),
        (Some(measured), None) => format!("{}: {measured} measured", event.rule),
        (None, Some(_)) => {
            let threshold = event.threshold.map_or_else(String::new, |figure| with_unit(figure, unit));
            format!("{}: threshold {threshold}", event.rule)
        }
        (None, None) => event.rule.to_string(),
    })
}

/// What an event measured, with its unit.
#[must_use]
pub fn measured(event: &Event) -> Option<String> {
    event.measured.map(|figure| with_unit(figure, unit(event)))
}

fn with_unit(figure: u64, unit: Option<&str>) -> String {
    unit.map_or_else(|| count(figure), |unit| number(figure, unit))
}

/// What the figures of an event are counts of, where its sentence says so: its window is counted in tokens.
fn unit(event: &Event) -> Option<&str> {
    let named = |figure: &str| {
        let (_, behind) = event.why.split_once(figure)?;
        let words = match behind.strip_prefix('}') {
            Some(behind) => behind.strip_prefix(" pieces").map(|_| "pieces")?,
            None => behind.strip_prefix(' ')?.split_once('}')?.0,
        };
        Some(words.trim_end_matches(" are").trim_end_matches(" were"))
    };
    named("{measured").or_else(|| named("{threshold")).or_else(|| event.compacts().then_some("tokens"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn figures_have_the_unit_that_their_sentence_names() {
        let told = |rule: &'static str, why: &'static str| {
            let event = Event { measured: Some(1_250), why: why.into(), ..Event::new(3, Stage::Truncate, rule) };
            measured(&event).unwrap()
        };
        assert_eq!(told("a.b", "the largest had {measured characters}, over {threshold}"), "1,250 characters");
        assert_eq!(told("a.b", "The model is told that {measured tokens are} used."), "1,250 tokens");
        assert_eq!(told("a.b", "The history had {measured} pieces, over {threshold}"), "1,250 pieces");
        assert_eq!(told("a.b", "may have {threshold characters}: they have {measured}."), "1,250 characters");
        assert_eq!(told("a.b", "It was {measured}."), "1,250");
    }
}
