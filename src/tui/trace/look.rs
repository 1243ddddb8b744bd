//! From a fact to what the screen shows of it.

use super::{Around, Goal, Row, TraceResult};
use crate::content::{Sources, Watch};
use crate::inquiry::{
    Answer, Bill, Change, Fact, Found, Occurrence, Place, Ready, Remembering, Stay, Subject, Trials, WhatIf, locate,
    remember, trace,
};
use crate::model::{Run, Transcript};
use crate::policy::{Policy, Value};
use crate::present::helps::{
    by_user, some_left_out, some_refused, some_untried, some_unwritten, too_long, unwritten_mark, unwritten_there,
    without_answers,
};
use crate::present::verdict::{change, verdict};
use crate::present::whence::stands;
use crate::present::whence::whence;
use crate::present::{self, counted, short};
use crate::tokens::Encoding;

/// Places that are shown.
const SHOWN: usize = 200;
/// Bytes of the text that is marked.
const MARKED: usize = 80;

/// Traces a fact whose places were found through a run, which was counted with an encoding, and asks for it at a step.
#[must_use]
pub fn look(
    fact: &Fact,
    found: &Found,
    transcript: &Transcript,
    sources: &Sources,
    (run, step): (&Run, Option<u32>),
    memories: Option<&Remembering>,
    encoding: Encoding,
) -> TraceResult {
    let found = &*found.in_run(transcript, sources, run);
    let mut traced = trace(fact, found, transcript, sources, run, step);
    locate(&mut traced, fact, found, (run, transcript, sources), encoding);
    if let Some(memories) = memories.filter(|_| !traced.in_window) {
        remember(&mut traced, fact, found, transcript, memories);
    }
    let steps = run.last_step();
    let mut rows = Vec::new();
    for one in traced.occurrences.iter().take(SHOWN) {
        place(one, found, transcript, sources, run, &mut rows);
    }
    TraceResult {
        sentences: verdict(&traced, fact, found, transcript, run),
        standing: traced.standing(),
        later: traced.later.map(|loss| loss.step),
        need: traced.need.step(),
        steps,
        rows,
        more: found.more + traced.occurrences.len().saturating_sub(SHOWN) as u64,
        ranked: found.ranked,
        compared: found.compared,
        unfollowed: found.unfollowed,
        earlier: found.earlier,
        unlike: found.unlike.clone(),
        whole: true,
    }
}

/// Looks for the settings that would have kept a fact at a step; what has been found so far is told as it grows.
#[must_use]
pub fn help(
    subject: &Subject,
    ready: &Ready,
    policy: &Policy,
    step: u32,
    watch: &Watch,
    told: &dyn Fn(Vec<Row>),
) -> Vec<Row> {
    let so_far = |found: &WhatIf| {
        if !found.answers.is_empty() {
            told(helps(found, step));
        }
    };
    let mut rows = helps(&Trials::new(subject, ready, policy, step, watch).search(&so_far), step);
    if let Some(why) = ready.failed().filter(|_| !watch.is_cancelled()) {
        rows.push(Row::Note(format!("Some settings could not be tried: {why}")));
    }
    rows
}

fn helps(answers: &WhatIf, step: u32) -> Vec<Row> {
    if let Some(said) = without_answers(answers) {
        let beside = [by_user(answers), unwritten_there(answers), some_untried(answers)];
        let said = Row::Said(said.into_owned());
        return std::iter::once(said).chain(beside.into_iter().flatten().map(Row::Note)).collect();
    }
    let mut rows =
        vec![Row::Said(format!("What would have kept it at step {step}, the cheapest first{}", come_behind(answers)))];
    let before = [by_user(answers), some_refused(answers), some_unwritten(answers)];
    rows.extend(before.into_iter().flatten().map(Row::Note));
    rows.push(Row::Now(price(&answers.bill)));
    rows.extend(answers.answers.iter().map(answer));
    rows.extend([some_left_out(answers), some_untried(answers)].into_iter().flatten().map(Row::Note));
    if answers.stopped {
        rows.push(Row::Note("stopped before all settings were tried".to_owned()));
    }
    rows
}

/// Which answers come behind the others, whatever they cost: see [`crate::inquiry::Bill::order`].
fn come_behind(found: &WhatIf) -> &'static str {
    let all = || found.answers.iter().map(|answer| &answer.bill);
    let some = |is: &dyn Fn(&Bill) -> bool| all().any(is) && !all().all(is);
    let refused = some(&|bill| bill.failed > 0);
    let went = || all().filter(|bill| bill.failed == 0);
    let stands_in = went().any(|bill| bill.unwritten() > 0) && went().any(|bill| bill.unwritten() == 0);
    match (stands_in, refused) {
        (true, true) => ", behind them those with ○, then the refused",
        (true, false) => ", behind them those with ○",
        (false, true) => ", behind them the refused",
        (false, false) => "",
    }
}

fn answer(answer: &Answer) -> Row {
    let words = answer.changes.iter().map(|change| format!("{} = {} (now {})", change.key, change.to, change.from));
    Row::Answer {
        words: words.collect::<Vec<_>>().join(" and "),
        short: answer.changes.iter().map(in_short).collect::<Vec<_>>().join(" and "),
        price: price(&answer.bill),
        sets: answer.changes.iter().map(|change| (change.key, change.to.clone())).collect(),
    }
}

/// A setting with its new value; of a list only what is new in it, or gone.
fn in_short(change: &Change) -> String {
    let key = change.key;
    let (Value::List(from), Value::List(to)) = (&change.from, &change.to) else {
        return format!("{key} = {}", change.to.plain());
    };
    let more = |of: &[String], than: &[String]| {
        let more: Vec<&str> = of.iter().filter(|item| !than.contains(item)).map(String::as_str).collect();
        more.join(", ")
    };
    match (more(to, from), more(from, to)) {
        (with, without) if without.is_empty() => format!("{key} with {with}"),
        (with, without) if with.is_empty() => format!("{key} without {without}"),
        _ => format!("{key} = {}", change.to.plain()),
    }
}

/// What a run costs, the most telling first: narrow screens leave the last ones out. The first has the sign of summaries
/// that no model wrote, by which answers are ordered.
fn price(bill: &Bill) -> Vec<String> {
    let cost = bill.dollars.map(|cost| present::price(cost, bill.costs_more));
    let figures = [
        format!("{} sent", short(bill.sent)),
        counted(bill.compactions, "compaction", "compactions"),
        format!("peak {}", short(bill.peak)),
        format!("{} from cache", short(bill.cached)),
    ];
    let mut all: Vec<String> = too_long(bill).into_iter().chain(cost).chain(figures).collect();
    all.iter_mut().take(1).for_each(|first| first.push_str(&unwritten_mark(bill)));
    all
}

fn place(one: &Occurrence, found: &Found, transcript: &Transcript, sources: &Sources, run: &Run, rows: &mut Vec<Row>) {
    let steps = run.last_step();
    let at = one.place.and_then(|at| found.places.get(at));
    let (around, marked) = at.and_then(|place| text_of(place, transcript, sources)).unwrap_or_default();
    let shows = one.stays.iter().find(|stay| stay.sight.is_visible()).or(one.stays.first());
    let goal = |stay: &Stay| Goal {
        step: stay.from.min(steps),
        entry: stay.entry,
        text: marked.clone(),
        gone: !stay.sight.is_visible(),
    };
    rows.push(Row::Place {
        step: one.first,
        whence: match one.elsewhere {
            Some(id) => format!("{}, only in thread {}", whence(one), id.0),
            None => whence(one),
        },
        place: at
            .map(|place| {
                let score = place.score.map_or_else(String::new, |score| format!("{score:.2} "));
                score + &stands(place, transcript)
            })
            .unwrap_or_default(),
        life: one.stays.iter().map(|stay| (stay.from, stay.to, stay.sight)).collect(),
        around,
        goal: shows.map_or_else(Goal::default, goal),
    });
    for (stay, words) in one.stays.iter().filter_map(|stay| Some((stay, change(stay, run, true)?))) {
        rows.push(Row::Change { step: stay.from, sight: stay.sight, words, goal: goal(stay) });
    }
}

/// What stands around a place, and the text at it as it stands there, its first line only.
fn text_of(place: &Place, transcript: &Transcript, sources: &Sources) -> Option<(Around, String)> {
    let block = transcript.block(place.block)?;
    let (body, spot) = match (&place.seen, &place.whole) {
        (Some(spot), _) => (Some(&block.body), spot),
        (None, Some(spot)) => (block.original.as_deref(), spot),
        (None, None) => return None,
    };
    let text = if place.is_name { block.label.to_string() } else { sources.body_text(body?).ok()? };
    let range = spot.range.0 as usize..spot.range.1 as usize;
    let line = text.get(range.clone()).unwrap_or_default().lines().next().unwrap_or_default();
    Some((Around::of(&text, range), line[..line.floor_char_boundary(MARKED)].to_owned()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_the_user_compacted_and_a_replay_leaves_out_is_noted_with_and_without_answers() {
        let found = |by_user, there| WhatIf { step: 9, there, by_user, ..WhatIf::default() };
        let noted = |found: &WhatIf| {
            let rows = helps(found, 9);
            let words =
                rows.iter().filter_map(|row| if let Row::Note(words) = row { Some(words.as_str()) } else { None });
            words.collect::<Vec<_>>().join(" ").contains("replay.manual is set")
        };
        let answered =
            WhatIf { answers: vec![Answer { changes: Vec::new(), bill: Bill::default() }], ..found(Some(4), false) };
        assert!(noted(&found(Some(4), true)) && noted(&found(Some(4), false)) && noted(&answered));
        assert!(!noted(&found(None, true)));
    }

    #[test]
    fn the_heading_tells_the_order_and_the_sign_stands_where_narrow_screens_show_it() {
        let of = |bills: &[(u64, u64, f64)]| {
            let bill = |&(stood_in, failed, cost): &(u64, u64, f64)| Bill {
                stood_in,
                failed,
                dollars: Some(cost),
                ..Bill::default()
            };
            let answers = bills.iter().map(|one| Answer { changes: Vec::new(), bill: bill(one) }).collect();
            helps(&WhatIf { answers, ..WhatIf::default() }, 7)
        };
        for (bills, wanted) in [
            (&[(0, 0, 1.0), (0, 0, 2.0)][..], "the cheapest first"),
            (&[(1, 0, 1.0), (1, 0, 2.0)], "the cheapest first"),
            (&[(0, 0, 3.0), (1, 0, 2.0)], "the cheapest first, behind them those with ○"),
            (&[(0, 0, 3.0), (0, 2, 1.0)], "the cheapest first, behind them the refused"),
            (
                &[(0, 0, 3.0), (1, 0, 2.0), (1, 1, 1.0)],
                "the cheapest first, behind them those with ○, then the refused",
            ),
        ] {
            let rows = of(bills);
            assert_eq!(rows.first(), Some(&Row::Said(format!("What would have kept it at step 7, {wanted}"))));
            let marks = rows.iter().filter_map(|row| match row {
                Row::Answer { price, .. } => Some(price.first().is_some_and(|first| first.ends_with('○'))),
                _ => None,
            });
            assert!(marks.eq(bills.iter().map(|(stood_in, ..)| *stood_in > 0)), "{rows:?}");
        }
    }

    #[test]
    fn a_change_in_short_names_the_setting_and_what_is_new_of_its_value() {
        let told = |from: Value, to: Value| in_short(&Change { key: "a.b", from, to, back: None });
        let list = |items: &[&str]| Value::List(items.iter().map(|item| (*item).to_owned()).collect());
        let text = |text: &str| Value::Text(text.to_owned());
        assert_eq!(told(Value::Int(0), Value::Int(500)), "a.b = 500");
        assert_eq!(told(text("none"), text("3 turns")), "a.b = 3 turns");
        assert_eq!(told(list(&["x", "y"]), list(&["x", "y", "z"])), "a.b with z");
        assert_eq!(told(list(&["x", "y"]), list(&["y"])), "a.b without x");
        assert_eq!(told(list(&["x"]), list(&["y"])), "a.b = y");
    }
}
