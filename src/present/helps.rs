//! What is said of the settings that would have kept a fact.

use std::borrow::Cow;

use super::whence::stands_in;
use super::{count, counted};
use crate::inquiry::{Bill, WhatIf};
use crate::model::{Event, Layer, Stage, rules};

/// Settings that are named one by one.
const NAMED: usize = 4;
/// Marks compactions for whose summaries something else stands in.
const STANDS_IN: char = '○';

/// What is said where there are no settings to show; `None` where there are.
#[must_use]
pub fn without_answers(found: &WhatIf) -> Option<Cow<'static, str>> {
    let step = found.step;
    Some(match found {
        WhatIf { there: true, held, .. } => {
            let held =
                held.as_ref().map_or_else(String::new, |(layer, label)| format!(", in {}", stands_in(*layer, label)));
            let change = if found.by_user.is_none() { ": nothing has to change" } else { "" };
            Cow::Owned(format!("Replayed under this policy it is there at step {step}{held}{change}."))
        }
        WhatIf { never: true, absent: true, .. } => {
            Cow::Borrowed("It is nowhere in what was recorded: no setting can help.")
        }
        WhatIf { never: true, .. } => Cow::Owned(format!("It had not come in by step {step}: no setting can help.")),
        found if !found.answers.is_empty() => return None,
        WhatIf { stopped: true, .. } => Cow::Borrowed("Stopped before a setting was found that keeps it."),
        WhatIf { prepared: true, .. } => Cow::Borrowed(
            "It was left out when its file was prepared; the settings that decide of that are not tried here: compare two policies.",
        ),
        found => Cow::Owned(format!("{}{}.", none_keeps(found.pairs), taken_by(found))),
    })
}

/// That the recording lost it by what the user asked for, or kept it by that, which replays leave out; `None` where that is
/// not so.
#[must_use]
pub fn by_user(found: &WhatIf) -> Option<String> {
    if let Some((asked, holds)) = found.kept {
        let then = if holds { "it is there" } else { "it is not there either, as the summary is another one" };
        return Some(format!(
            "In the recording it is there, in the summary that the user asked for at step {asked}. A replay leaves that \
             compaction out, unless replay.manual is set: then {then}."
        ));
    }
    let step = found.by_user?;
    if let Some(lost) = found.lost {
        return Some(format!(
            "The recording lost it at step {lost}. A replay leaves out the compaction that the user asked for at step \
             {step}, unless replay.manual is set: what comes behind that is compacted later here, or not at all."
        ));
    }
    Some(format!(
        "The recording lost it at step {step}, by a compaction that the user asked for. A replay leaves that out \
         unless replay.manual is set: with it, what-if tells what would have kept it all the same."
    ))
}

/// That some answers make requests which are refused as too long; `None` where none does.
#[must_use]
pub fn some_refused(found: &WhatIf) -> Option<String> {
    let some = found.refused() as u64;
    (some > 0).then(|| {
        format!(
            "under {} of these {} requests are refused as too long: they come last",
            count(some),
            counted(found.answers.len() as u64, "setting", "settings"),
        )
    })
}

/// That in the present run or in those of some answers a model did not write all summaries; `None` where it did in all.
#[must_use]
pub fn some_unwritten(found: &WhatIf) -> Option<String> {
    let is = |bill: &Bill| bill.unwritten() > 0;
    let (some, all) = (found.answers.iter().filter(|answer| is(&answer.bill)).count(), found.answers.len());
    let under = match some {
        0 => None,
        some if some == all && all > 1 => Some(format!("under all of these {} settings", count(all as u64))),
        some if some == all => Some("under this setting".to_owned()),
        some => Some(format!("under {} of these {} settings", count(some as u64), count(all as u64))),
    };
    let now = is(&found.bill).then(|| "as it is now".to_owned());
    let words = now.into_iter().chain(under).collect::<Vec<_>>().join(" and ");
    let apart = if some > 0 && some < all { "; these come behind the others" } else { "" };
    (!words.is_empty())
        .then(|| format!("no model wrote all summaries {words}: {} ({STANDS_IN}){apart}", Event::STANDS_IN))
}

/// The same of what is there anyway, where that is a summary; `None` where a model wrote all of them.
#[must_use]
pub fn unwritten_there(found: &WhatIf) -> Option<String> {
    let in_summary = found.held.as_ref().is_some_and(|(layer, _)| *layer == Layer::Summaries);
    (found.there && in_summary && found.bill.unwritten() > 0).then(|| {
        format!(
            "No model wrote all summaries of this replay: {}, and a model's own words may leave it out.",
            Event::STANDS_IN
        )
    })
}

/// What a run does to its summaries, in a sign: some of them no model wrote.
#[must_use]
pub fn unwritten_mark(bill: &Bill) -> String {
    stand_in_mark(bill.unwritten() > 0)
}

/// The same sign, behind what rests on such summaries.
#[must_use]
pub fn stand_in_mark(stands_in: bool) -> String {
    if stands_in { format!(" {STANDS_IN}") } else { String::new() }
}

/// The same sign with what it means.
#[must_use]
pub fn no_model_wrote() -> String {
    format!("{STANDS_IN} summaries no model wrote")
}

/// What the sign says of facts that sides keep.
#[must_use]
pub fn kept_by_stand_ins() -> String {
    format!(
        "{STANDS_IN}: a summary decides of some of these facts that no model wrote: {}, and a model's own words may keep \
         others",
        Event::STANDS_IN
    )
}

/// Of how many facts nobody can tell whether a side keeps them, behind how many it keeps.
#[must_use]
pub fn and_unknown(unknown: usize) -> String {
    if unknown > 0 { format!(", {unknown} unknown") } else { String::new() }
}

/// How many requests of a run are refused as too long; `None` where none is.
#[must_use]
pub fn too_long(bill: &Bill) -> Option<String> {
    (bill.failed > 0).then(|| counted(bill.failed, "request too long", "requests too long"))
}

/// That more pairs of settings keep a fact than are told; `None` where all are.
#[must_use]
pub fn some_left_out(found: &WhatIf) -> Option<String> {
    let more = counted(found.left_out, "more pair of settings keeps", "more pairs of settings keep");
    (found.left_out > 0).then(|| format!("{more} it, and looked to cost more than these"))
}

/// That not all values of some settings were tried which the search has reason to try; `None` where all were.
#[must_use]
pub fn some_untried(found: &WhatIf) -> Option<String> {
    let few = found.untried.iter().take(NAMED).copied().collect::<Vec<_>>().join(", ");
    let of = match found.untried.len().saturating_sub(NAMED) {
        0 => few,
        more => format!("{few} and {}", counted(more as u64, "other setting", "other settings")),
    };
    // Where something keeps it, only a nearer value can be better.
    let one = if found.answers.is_empty() { "one of them" } else { "a nearer one" };
    (!found.untried.is_empty())
        .then(|| format!("not every value of {of} was tried, which would take too long: {one} may keep it"))
}

/// That no setting keeps a fact, and none of the pairs of settings that were tried.
fn none_keeps(pairs: u64) -> String {
    match pairs {
        0 => "No setting keeps it".to_owned(),
        1 => "No setting keeps it, and neither does the likeliest pair of settings".to_owned(),
        pairs => format!("No setting keeps it, and none of the {} likeliest pairs of settings", count(pairs)),
    }
}

/// Why no setting does, where what took it is none of a policy's decisions.
fn taken_by(found: &WhatIf) -> &'static str {
    match found.taken_by.as_ref().map(|(stage, rule)| (*stage, &**rule)) {
        Some((Stage::Rewind, rules::EDIT)) => ": the client sent another history, without it",
        Some((Stage::Rewind, _)) => ": the user went back behind it, to another branch",
        Some((Stage::Reasoning, _)) => ": the provider drops the reasoning of earlier turns",
        Some((Stage::Session, _)) => ": another session began behind it",
        _ => "",
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::inquiry::Answer;

    #[test]
    fn what_is_refused_is_said() {
        let answer = |failed| Answer { changes: Vec::new(), bill: Bill { failed, ..Bill::default() } };
        let found = |answers| WhatIf { step: 3, answers, replays: 1, ..WhatIf::default() };
        assert_eq!(some_refused(&found(vec![answer(0)])), None);
        let said = some_refused(&found(vec![answer(0), answer(125)])).unwrap();
        assert!(said.starts_with("under 1 of these 2 settings") && said.contains("too long"), "{said}");
        assert_eq!(some_left_out(&found(vec![])), None);
        let unwritten = |stood_in| Answer { bill: Bill { stood_in, ..Bill::default() }, ..answer(0) };
        let under = |answers: Vec<u64>| some_unwritten(&found(answers.into_iter().map(unwritten).collect()));
        assert_eq!(under(vec![0, 0]), None);
        for (answers, words) in [
            (vec![1], "under this setting:"),
            (vec![1, 0], "under 1 of these 2 settings: the sentences that matter most stand in (○); these come behind"),
            (vec![1, 2], "under all of these 2 settings:"),
        ] {
            assert!(under(answers).is_some_and(|said| said.contains(words)), "{words}");
        }
        let now = WhatIf { bill: unwritten(1).bill, ..found(vec![answer(0)]) };
        assert!(some_unwritten(&now).is_some_and(|said| said.contains("summaries as it is now:")));
        let more = WhatIf { left_out: 3, ..found(vec![answer(0)]) };
        assert!(some_left_out(&more).unwrap().starts_with("3 more pairs of settings keep it"));
        assert_eq!(some_untried(&more), None);
        let more = WhatIf { untried: vec!["a.b", "c.d"], ..more };
        assert!(some_untried(&more).unwrap().starts_with("not every value of a.b, c.d was tried"));
        assert_eq!(too_long(&Bill { failed: 125, ..Bill::default() }).as_deref(), Some("125 requests too long"));
        let there = WhatIf { there: true, held: Some((Layer::Files, "notes.txt".into())), ..found(vec![]) };
        let said = "Replayed under this policy it is there at step 3, in the file notes.txt: nothing has to change.";
        assert_eq!(without_answers(&there).as_deref(), Some(said));
        assert_eq!(by_user(&there), None);
        let kept = |holds| by_user(&WhatIf { kept: Some((4, holds)), ..found(vec![]) }).unwrap();
        assert!(kept(true).contains("asked for at step 4") && kept(true).ends_with("then it is there."));
        assert!(kept(false).ends_with("as the summary is another one."));
        let nowhere = WhatIf { never: true, absent: true, ..found(vec![]) };
        assert!(without_answers(&nowhere).is_some_and(|said| said.starts_with("It is nowhere in what was recorded")));
        let there = WhatIf { by_user: Some(2), ..there };
        assert!(without_answers(&there).is_some_and(|said| said.ends_with("in the file notes.txt.")));
        assert!(
            by_user(&there).is_some_and(|said| said.contains("at step 2, by a compaction that the user asked for"))
        );
        let lost = WhatIf { lost: Some(3), ..there };
        assert!(by_user(&lost).is_some_and(|said| said.contains("lost it at step 3. A replay leaves out")));
        let summed =
            |stood_in, held| WhatIf { held: Some((held, "".into())), bill: unwritten(stood_in).bill, ..lost.clone() };
        assert!(unwritten_there(&summed(1, Layer::Summaries)).is_some_and(|said| said.contains("stand in")));
        assert_eq!(unwritten_there(&summed(0, Layer::Summaries)).or(unwritten_there(&summed(1, Layer::User))), None);
        assert!(without_answers(&found(vec![])).is_some_and(|said| said == "No setting keeps it."));
        let why = |stage, rule: &'static str| {
            without_answers(&WhatIf { taken_by: Some((stage, rule.into())), ..found(vec![]) }).unwrap_or_default()
        };
        assert!(
            why(Stage::Rewind, rules::REWIND).ends_with("keeps it: the user went back behind it, to another branch.")
        );
        assert!(why(Stage::Rewind, rules::EDIT).contains(": the client sent another history"));
        assert!(why(Stage::Reasoning, rules::THINKING_DROPPED).contains(": the provider drops the reasoning"));
        assert!(why(Stage::Session, "").contains(": another session began"));
    }
}
