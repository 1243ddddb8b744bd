//! What became of a fact, in plain sentences and in the words of a table.

use std::collections::HashSet;

use crate::inquiry::{Back, Fact, Found, Loss, Need, Occurrence, Sight, Stay, Trace, Unread};
use crate::model::{BlockId, Event, Fate, Layer, Run, Stage, Transcript, file_name};

use super::came::came_in;
use super::done::{done, done_with_figures, figures, likeness};
use super::of_summaries::of_summaries;
use super::read_back::{retrievable, told_back};
use super::refused::refused;
use super::remembered::remembered;
use super::ribbon::sight_words;
use super::whence::whence;
use super::{clip, count, counted, percent};

pub use super::read_back::back;

/// Columns of a quotation.
const QUOTED: usize = 120;
/// Of what only its vendor can read.
const UNREADABLE: &str = "What stands for it cannot be read by anybody but its vendor.";
/// Tokens from which on a window has a middle that models use less than its ends.
const LONG: u64 = 8_000;

/// What became of a fact, in sentences. They may quote the transcript: untrusted.
#[must_use]
pub fn verdict(trace: &Trace, fact: &Fact, found: &Found, transcript: &Transcript, run: &Run) -> Vec<String> {
    let Some(origin) = trace.origin() else {
        if trace.is_only_remembered() {
            return remembered(trace).into_iter().chain(unread(found.unread)).collect();
        }
        return nowhere(trace, fact, found, transcript).into_iter().chain(unread(found.unread)).collect();
    };
    let mut said = vec![came_in(origin, found, transcript, run)];
    if let Some((word, _)) = found.inside.as_ref().filter(|_| !found.places.is_empty()) {
        said.push(match *word == trace.fact {
            true => "It stands nowhere by itself: its places are the numbers that tools put before lines.".to_owned(),
            false => format!(
                "It stands nowhere by itself: its places are inside of longer words, as in “{}”.",
                clip(word, QUOTED)
            ),
        });
    }
    if trace.in_window {
        present(trace, origin, found, run, &mut said);
    } else {
        lost(trace, fact, found, run, &mut said);
        said.extend(remembered(trace));
    }
    if trace.rests_on_stand_in(run) {
        let may = if trace.in_window { "leave it out" } else { "say it" };
        said.push(format!("No model wrote that summary: {}, and a model's own words may {may}.", Event::STANDS_IN));
    }
    if let Some(again) = trace.again {
        said.push(format!("It came in again at step {again}."));
    }
    said.extend(unread(found.unread));
    said
}

/// What could not be compared by meaning, so that nothing follows from its silence.
fn unread(unread: Unread) -> Option<String> {
    match unread {
        Unread { sentence: true, .. } => Some(
            "The model that compares meanings reads English: this was looked for by its words, and what says it in another language is not found."
                .to_owned(),
        ),
        Unread { passages: 0, .. } => None,
        Unread { passages, .. } => Some(format!(
            "{} in a script that the model which compares meanings does not read: what is said there was not compared.",
            counted(passages, "passage is", "passages are")
        )),
    }
}

fn nowhere(trace: &Trace, fact: &Fact, found: &Found, transcript: &Transcript) -> Vec<String> {
    if let Some(one) = trace.occurrences.first() {
        let thread = one.elsewhere.and_then(|id| Some((id, transcript.thread(id)?)));
        return vec![match thread {
            Some((id, thread)) => format!(
                "It never came into this window: it stands only in thread {}, {}.",
                id.0,
                clip(&thread.title, QUOTED)
            ),
            None => {
                let source = one.block.and_then(|id| transcript.block(id)).map(|block| block.record.source);
                let source = source.and_then(|id| transcript.sources.get(id.0 as usize));
                // What a harness keeps beside the conversation is no part of it.
                let given = source.filter(|source| source.kind.is_attached());
                let place = given
                    .map_or("the transcript".to_owned(), |source| clip(file_name(&source.name), QUOTED).into_owned());
                format!("It stands in {place}, but never came into this window.")
            }
        }];
    }
    vec![match found.ranked {
        Some((by, threshold)) if fact.by_meaning() => {
            format!("No passage says it: none reaches {threshold:.2} by {by}.")
        }
        _ => match (&found.inside, found.unsent) {
            (None, Some((source, line))) => {
                let name = transcript.sources.get(source.0 as usize).map_or("", |source| source.name.as_str());
                format!(
                    "It stands in line {} of {}, but in nothing that was ever sent.",
                    count(u64::from(line)),
                    clip(name, QUOTED)
                )
            }
            (Some((word, places)), unsent) => {
                let places = if *places == 1 { "one place".to_owned() } else { format!("{} places", count(*places)) };
                format!(
                    "It stands nowhere by itself{}, only inside of longer numbers and codes, as in “{}” ({places}); re:PATTERN finds parts of them.",
                    if unsent.is_some() { " in what was sent" } else { "" },
                    clip(word, QUOTED)
                )
            }
            (None, None) => nowhere_at_all(found),
        },
    }]
}

/// That a fact is nowhere; of a figure that may be read in two ways, where the other one stands.
fn nowhere_at_all(found: &Found) -> String {
    match &found.otherwise {
        Some((shown, places)) => format!(
            "Read so it is nowhere in what was recorded; read the other way the figure stands there, as “{}” ({}).",
            clip(shown, QUOTED),
            counted(*places, "place", "places")
        ),
        None => "It is nowhere in what was recorded: neither sent, nor written, nor read.".to_owned(),
    }
}

fn present(trace: &Trace, origin: &Occurrence, found: &Found, run: &Run, said: &mut Vec<String>) {
    let step = trace.need.step();
    let Some((at, stay)) = trace.best_at(step) else { return };
    let one = trace.occurrences.get(at).unwrap_or(origin);
    if let Some(now) = origin.at(step).filter(|stay| !stay.sight.is_visible()) {
        // What followed took only what was left of it.
        let gone = first_of(origin, now);
        // Where only a question names it, the reader asks for what took it.
        let (is_lost, event) = (trace.is_only_in_question(), gone.decided(run));
        let at_once =
            origin.stays.first() == Some(gone) && event.as_deref().is_some_and(|event| event.stage.takes_in());
        let (how, figures) = match is_lost {
            true if at_once => (done(gone, run), format!(": {}", cut(gone, event.as_deref(), run))),
            true => (done_with_figures(gone, run), String::new()),
            false => (done(gone, run), String::new()),
        };
        said.push(format!("There it was {how} at step {}{figures}.", gone.from));
        let is_told = is_lost || now.back.as_ref().is_some_and(Back::is_ended);
        said.extend(retrievable(now, trace, run).filter(|_| is_told));
        if at != 0 {
            // A piece may have been there long before a summary said what it did.
            let since = same_since(one, stay);
            let own = (stay.sight == Sight::Verbatim).then_some(at);
            if let Some((other, from, to)) = between(trace, own, gone.from, since) {
                let steps = if from == to { format!("at step {to}") } else { format!("from step {from} to {to}") };
                said.push(format!("It stood in {} {steps}.", whence(other)));
            }
            let place = match stay.sight {
                Sight::Verbatim => format!("in {}", whence(one)),
                sight => sight_words(sight).to_owned(),
            };
            said.push(format!("It stands {place} since step {since}."));
        }
    }
    // Of what only a summary says where it came in, and what stands elsewhere, the reader is told both.
    if let Some(now) = origin.at(step).filter(|now| at != 0 && now.sight.is_visible() && now.sight > stay.sight) {
        // A summary that brought it in was made by a compaction, and taken by the next one.
        let made = usize::from(origin.layer == Layer::Summaries);
        let gone = origin.stays.iter().skip(made).find(|gone| gone.sight != Sight::Verbatim);
        let since = |gone: &Stay| match first_of(origin, now).sight == Sight::Verbatim || gone.from == now.from {
            true => "since then".to_owned(),
            false => format!("since step {}", first_of(origin, now).from),
        };
        let holds = match now.sight {
            Sight::Line => "its line",
            Sight::Memory => "a memory",
            _ => "a summary",
        };
        said.extend(gone.or(Some(now).filter(|_| made == 0)).map(|gone| {
            format!("There it was {} at step {}; {} {holds} says it.", done(gone, run), gone.from, since(gone))
        }));
        if stay.sight == Sight::Verbatim {
            said.push(format!("It stands in {} since step {}.", whence(one), first_of(one, stay).from));
        }
    }
    said.extend(gap(trace, one, stay).map(|(gone, since)| {
        let last = since - 1;
        let steps =
            if gone.from == last { format!("At step {last}") } else { format!("From step {} to {last}", gone.from) };
        format!("{steps} it was not there, {}; since step {since} it stands there again.", done_with_figures(gone, run))
    }));
    // A passage that means the like is not the fact's own words.
    let place = one.place.and_then(|at| found.places.get(at));
    let quoted = place.is_some_and(|place| place.quoted) || (stay.sight == Sight::Summary && stay.like.is_none());
    let exact = match place.and_then(|place| place.score) {
        Some(score) if quoted => format!("word for word as it was said (by meaning, score {score:.2})"),
        Some(score) => format!("by meaning, score {score:.2}"),
        None if found.inside.as_ref().is_some_and(|(word, _)| *word == trace.fact) => {
            "as the number of a line".to_owned()
        }
        None if found.inside.is_some() && place.is_some() => "inside of a longer word".to_owned(),
        None => "word for word".to_owned(),
    };
    let how = match stay.sight {
        Sight::Summary => format!("in a summary, {exact}"),
        Sight::Line => "in the line that stands for its turn".to_owned(),
        Sight::Memory => "in a memory".to_owned(),
        _ => exact,
    };
    let place = trace.position.map_or_else(String::new, |place| {
        format!(
            ", {}{} tokens from the start and {} from the end ({})",
            if place.estimated { "about " } else { "" },
            count(place.from_start),
            count(place.from_end),
            share(place.share)
        )
    });
    said.push(match trace.need {
        Need::Asked(..) if trace.is_unknown() => {
            format!("When the question came, at step {step}, nothing that can be read named it but the question itself: {how}{place}.")
        }
        _ if trace.is_unknown() => {
            format!("At step {step} nothing that can be read names it but a question, {how}{place}.")
        }
        Need::Asked(..) if trace.is_only_in_question() => {
            format!("When the question came, at step {step}, only the question itself named it: {how}{place}.")
        }
        _ if trace.is_only_in_question() => format!("At step {step} only a question names it, {how}{place}."),
        Need::Asked(..) => format!("It was in the window when the question came, at step {step}: {how}{place}."),
        Need::Given(_) | Need::Answered(_) => format!("At step {step} it is in the window, {how}{place}."),
        Need::End(_) => format!("It is there to the end, step {step}: {how}{place}."),
    });
    if let Some(sealed) = trace.unreadable().filter(|_| trace.is_unknown()) {
        said.push(UNREADABLE.to_owned());
        said.push(format!("Whether the model still has it from step {} on, nobody else can tell.", sealed.from));
    }
    if let Some(sentence) = stay.sentence() {
        let quoted = clip(sentence, QUOTED);
        // What is quoted may end with a full stop of its own.
        let stop = if quoted.ends_with(['.', '!', '?', '…', '。', '！', '？']) { "" } else { "." };
        said.push(format!("The summary says: “{quoted}”{stop}"));
    }
    if let Some((loss, gone)) = trace.later.and_then(|loss| Some((loss, trace.lost_stay(loss)?))) {
        said.push(format!("Later it was lost: at step {} it was {}.", loss.step, done_with_figures(gone, run)));
    }
    // In a short window everything is near an end.
    let middle = trace.position.is_some_and(|place| {
        (0.25..0.75).contains(&place.share) && place.from_start.saturating_add(place.from_end) >= LONG
    });
    let own = one.by_model || trace.used;
    if !own && trace.answered && matches!(trace.need, Need::Asked(..)) {
        said.push(format!(
            "Yet no later answer repeats it.{}",
            if middle { " It stood in the middle, which models use least." } else { "" }
        ));
    }
}

/// The stay with which it began that a fact was nowhere to be seen before it was seen again where it had stood, and since
/// when it is.
fn gap<'a>(trace: &Trace, one: &'a Occurrence, now: &Stay) -> Option<(&'a Stay, u32)> {
    let since = first_of(one, now).from;
    let last = one.stays.iter().rfind(|stay| stay.from < since)?;
    let gone = first_of(one, last);
    let stood = one.stays.iter().any(|stay| stay.from < gone.from && stay.sight.is_visible());
    let elsewhere = trace.best_at(gone.from).is_some_and(|(_, stay)| stay.sight.is_visible());
    (stood && !elsewhere && !gone.is_sealed()).then_some((gone, since))
}

/// The stay with which it began that a fact is seen, or is not, as it is in this one.
fn first_of<'a>(one: &'a Occurrence, stay: &'a Stay) -> &'a Stay {
    let before: Vec<&Stay> = one.stays.iter().take_while(|other| other.from <= stay.from).collect();
    let same = before.into_iter().rev().take_while(|other| other.sight.is_visible() == stay.sight.is_visible());
    same.last().unwrap_or(stay)
}

/// The step since which a fact is seen in the way in which a stay shows it.
fn same_since(one: &Occurrence, stay: &Stay) -> u32 {
    if stay.sight == Sight::Verbatim {
        return first_of(one, stay).from;
    }
    let before = one.stays.iter().rev().skip_while(|other| other.from > stay.from);
    before.take_while(|other| other.sight == stay.sight).last().unwrap_or(stay).from
}

/// Where else a fact was seen between two steps, the later excluded: the place that showed it last, with its first and
/// its last step there. `own`: an occurrence that is no other.
fn between(trace: &Trace, own: Option<usize>, from: u32, to: u32) -> Option<(&Occurrence, u32, u32)> {
    let others = trace.occurrences.iter().enumerate().skip(1).filter(|(other, _)| Some(*other) != own);
    let stays = others.flat_map(|(_, one)| one.stays.iter().map(move |stay| (one, stay)));
    let within = stays.filter(|(_, stay)| stay.sight == Sight::Verbatim).filter_map(|(one, stay)| {
        let last = stay.to.unwrap_or(u32::MAX).min(to.saturating_sub(1));
        (last >= from && stay.from <= last).then_some((one, stay.from, last))
    });
    // Of several that end together, the one that began first.
    within.min_by_key(|(_, from, last)| (std::cmp::Reverse(*last), *from))
}

fn lost(trace: &Trace, fact: &Fact, found: &Found, run: &Run, said: &mut Vec<String>) {
    let step = trace.need.step();
    let row = |loss: Loss| Some((trace.occurrences.get(loss.occurrence)?, loss, trace.lost_stay(loss)?));
    let Some((one, loss, stay)) = trace.loss.and_then(row) else {
        if trace.is_sealed() {
            said.push(format!(
                "That is a summary for people: what the model is sent in its place, at step {step} too, can be read only by its vendor."
            ));
        } else if trace.is_to_come() {
            said.push(format!("At step {step} it had not come in yet."));
        }
        return;
    };
    if loss.occurrence != 0 {
        let others = with_it(trace, loss);
        said.push(format!(
            "It was seen last in {}, which came in at step {}{others}.",
            whence(one),
            one.first.unwrap_or(0)
        ));
    }
    let event = stay.decided(run);
    let event = event.as_deref();
    if stay.sight == Sight::Refused {
        refused(trace, loss, stay, run, said);
        return;
    }
    if loss.stay == 0 && event.is_none() && one.layer == Layer::Thinking {
        said.push("It was never sent: the reasoning of earlier turns is left out of requests.".to_owned());
    } else if loss.stay == 0 && event.is_none_or(|event| event.stage.takes_in()) {
        said.push(format!("Cut at once: {}.", cut(stay, event, run)));
        // Several limits may have cut a file: what each left is told.
        if let Some(event) = event.filter(|event| event.stage == Stage::Limit && event.rule.starts_with("files.")) {
            said.push(event.sentence().into_owned());
        }
    } else if loss.stay == 0 {
        let (step, done) = (loss.step, done_with_figures(stay, run));
        said.push(format!("It was never sent: before the request of step {step} it was {done}."));
    } else {
        said.push(format!("At step {} it was {}.", loss.step, done_with_figures(stay, run)));
    }
    let now = trace.best_at(step).map_or(stay, |(_, stay)| stay);
    match now.sight {
        Sight::Part => said.push("The cut goes through it: a part is still there.".to_owned()),
        Sight::Hidden => said.push(UNREADABLE.to_owned()),
        _ => {}
    }
    said.extend(of_summaries(trace, fact, found, run, (one, loss, stay)));
    said.extend(retrievable(now, trace, run));
    let after = step.saturating_sub(loss.step);
    said.push(match trace.need {
        Need::Asked(..) | Need::End(_) if trace.is_unknown() => {
            format!("Whether the model still has it from step {} on, nobody else can tell.", loss.step)
        }
        Need::Asked(..) | Need::End(_) if trace.read_anew().is_some() => {
            format!("Whether the model had it from step {} on is not recorded.", loss.step)
        }
        Need::Asked(..) if after > 0 => {
            let steps = counted(after.into(), "step", "steps");
            format!("Lost from step {} on; the question came at step {step}, {steps} later.", loss.step)
        }
        Need::Asked(..) => format!("Lost from step {} on, the very step at which the question came.", loss.step),
        Need::Answered(_) => {
            let later = match after {
                0 => String::new(),
                after => format!(", {} later", counted(after.into(), "step", "steps")),
            };
            format!(
                "Lost from step {} on; the recorded answer to step {step}{later} says it, and under this policy the model could read it nowhere.",
                loss.step
            )
        }
        Need::Given(_) if trace.is_unknown() => {
            format!("Whether the model still has it at step {step}, nobody else can tell.")
        }
        Need::Given(_) if trace.read_anew().is_some() => {
            format!("Whether the model had it at step {step} is not recorded.")
        }
        Need::Given(_) => format!("At step {step} it is not in the window."),
        Need::End(_) => format!("Lost from step {} to the end, step {step}.", loss.step),
    });
}

/// The other pieces that were seen as long as the one that a loss names, in words.
fn with_it(trace: &Trace, loss: Loss) -> String {
    let ends = |one: &Occurrence| {
        one.stays.windows(2).any(|pair| match pair {
            [before, after] => after.from == loss.step && before.sight.is_visible() && !after.sight.is_visible(),
            _ => false,
        })
    };
    // A piece may say it several times.
    let mut known: HashSet<Option<BlockId>> =
        trace.occurrences.get(loss.occurrence).map(|one| one.block).into_iter().collect();
    let others: Vec<&Occurrence> =
        trace.occurrences.iter().filter(|one| ends(one) && known.insert(one.block)).collect();
    match others.as_slice() {
        [] => String::new(),
        [one] => format!(", and in {}, which came in at step {}", whence(one), one.first.unwrap_or(0)),
        others => format!(", and in {} other pieces", count(others.len() as u64)),
    }
}

/// What was kept of a text that was cut when it came in.
fn cut(stay: &Stay, event: Option<&Event>, run: &Run) -> String {
    let entry = stay.entry.and_then(|id| run.entry(id));
    let rule = event.map(|event| format!(" ({})", event.rule)).unwrap_or_default();
    match entry {
        Some(_) if event.is_some_and(|event| event.listed.is_some()) => {
            format!("only its id, name and size were sent{rule}")
        }
        Some(_) if stay.fate == Fate::Deduplicated => format!("{}{rule}", done(stay, run)),
        Some(entry) if stay.fate == Fate::Virtual => {
            format!("only a preview of {} tokens and a pointer were sent{rule}", count(entry.tokens))
        }
        Some(_) if event.is_some_and(|event| event.stage == Stage::Select) => {
            let figures = event.and_then(|event| figures(event, stay)).unwrap_or_default();
            format!("{} ({figures})", done(stay, run))
        }
        Some(entry) if entry.original_tokens > entry.tokens => {
            format!("only {} of {} tokens were kept{rule}", count(entry.tokens), count(entry.original_tokens))
        }
        Some(_) => format!("only a part was sent{rule}"),
        None => format!("{}{rule}", done(stay, run)),
    }
}

/// What changed a fact: the stage's sign, what was done and by which rule; `None` where it stands as it came in.
/// `quotes`: with the sentence of a summary that says the like. Untrusted.
#[must_use]
pub fn change(stay: &Stay, run: &Run, quotes: bool) -> Option<String> {
    if stay.sight == Sight::Verbatim {
        return None;
    }
    if let Some(told) = stay.back.as_ref().filter(|_| stay.is_of_file(run)) {
        return Some(told_back(told));
    }
    let event = stay.decided(run);
    let event = event.as_deref();
    let mut words = event.map(|event| format!("{} ", event.stage.mark())).unwrap_or_default();
    words.push_str(&match stay.sight {
        Sight::Summary | Sight::Line | Sight::Memory | Sight::Part => sight_words(stay.sight).to_owned(),
        Sight::Refused => done_with_figures(stay, run),
        Sight::Unpacked if event.is_none() => sight_words(stay.sight).to_owned(),
        _ if stay.is_sealed() => "sealed: the model is sent what only its vendor can read".to_owned(),
        _ => done(stay, run),
    });
    if let Some(figures) = event.and_then(|event| figures(event, stay)) {
        words.push_str(&format!(" ({figures})"));
    }
    let who = if stay.sight == Sight::Unpacked { "it" } else { "the summary" };
    match &stay.like {
        Some(like) if quotes => {
            let says = if like.without { "speaks of it without saying it" } else { "says" };
            words.push_str(&format!(", {who} {says}: “{}” ({})", like.sentence, likeness(like)));
        }
        Some(like) if like.without => words.push_str(&format!(", {who} speaks of it without saying it")),
        Some(like) => words.push_str(&format!(", {who} says the like ({})", likeness(like))),
        None => words.extend(stay.said.as_ref().filter(|_| quotes).map(|said| format!(": “{said}”"))),
    }
    if let Some(path) = &stay.back {
        words.push_str(&format!(", {}", told_back(path)));
    }
    Some(words)
}

/// A share of 1 in percent.
#[must_use]
#[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss)]
pub fn share(share: f64) -> String {
    percent((share.clamp(0.0, 1.0) * 1e6).round() as u64, 1_000_000)
}
