//! What is the matter with a session, in one sentence, from the figures of its run alone.

use crate::engine::plan::Referred;
use crate::model::{Entry, EntryId, Event, Fate, Layer, Outcome, Run, Stage, Totals, Track, Trigger, rules};

use super::{Tone, capital, counted, held_before, percent, plain_name, safe, short, times};

/// One part of the sentence, with how much it should stand out.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Clause {
    /// The words, without a capital or a stop.
    pub text: String,
    /// The same in fewer words, and in fewer still, where there are fewer.
    pub briefer: Vec<String>,
    /// How grave it is.
    pub tone: Tone,
}

/// What is said of a file that holds no request.
const NO_REQUEST: &str = "there is no request in it, so it has no window";

/// The parts of the sentence, the most telling first. What is referred to later takes a reading of every text, and may
/// be told when it is known. While counts are estimates only what was recorded is said: shares may change with every
/// count.
#[must_use]
pub fn diagnose(run: &Run, referred: Option<&Referred>) -> Vec<Clause> {
    let Some((peak_step, peak)) = fullest(run) else {
        return vec![Clause { text: NO_REQUEST.to_owned(), briefer: Vec::new(), tone: Tone::Warning }];
    };
    let is_counted = !run.provisional || run.track == Track::Simulated;
    let window = run.steps.get(peak_step - 1).map_or(0, |step| step.window_tokens);
    let mut clauses = vec![compactions(run, peak_step, peak, window)];
    let failed = run.steps.iter().filter(|step| step.is_refused()).count();
    if failed > 0 {
        // Nothing else matters as much.
        clauses.push(Clause {
            text: format!("{} refused as too long", counted(failed as u64, "request was", "requests were")),
            briefer: vec![format!("{failed} refused as too long")],
            tone: Tone::Warning,
        });
    }
    if let Some((text, brief)) = without_room(run) {
        clauses.push(Clause { text, briefer: vec![brief], tone: Tone::Warning });
    }
    let mut plain = |text: String, brief: Option<String>| {
        clauses.push(Clause { text, briefer: brief.into_iter().collect(), tone: Tone::Plain });
    };
    let missing = unlogged(run, peak, window).filter(|_| is_counted);
    let grown = match missing {
        Some(Missing::Grown(tokens)) => Some((tokens, of_fullest("not recorded", tokens, peak, None))),
        _ => None,
    };
    let most = largest_layer(peak).filter(|(_, tokens)| is_counted && tokens.saturating_mul(4) >= peak.used());
    let largest = most.map(|(layer, tokens)| {
        let unused = referred.map(|referred| never_again(run, peak_step, layer, referred)).filter(|unused| *unused > 0);
        (tokens, of_fullest(layer.info().title, tokens, peak, unused))
    });
    let mut shares: Vec<_> = largest.into_iter().chain(grown).collect();
    shares.sort_by_key(|(tokens, _)| std::cmp::Reverse(*tokens));
    for (_, (text, brief)) in shares {
        plain(text, Some(brief));
    }
    if let Some(text) = cuts(run) {
        plain(text, None);
    }
    if let Some(text) = largest_entry(run, window).filter(|_| is_counted) {
        plain(text, None);
    }
    if let Some(Missing::Prompt(what, tokens)) = missing {
        plain(format!("{what} is not recorded (about {})", short(tokens)), None);
    }
    let rewinds = run.events.iter().filter(|event| event.stage == Stage::Rewind && event.rule == rules::REWIND).count();
    if rewinds > 0 {
        plain(format!("the user went back {}", times(rewinds as u64)), None);
    }
    let stopped = run.steps.iter().filter(|step| step.outcome == Outcome::Aborted).count();
    if stopped > 0 {
        clauses.push(Clause {
            text: format!("{} stopped", counted(stopped as u64, "request was", "requests were")),
            briefer: Vec::new(),
            tone: Tone::Plain,
        });
    }
    clauses
}

/// That the reserve leaves nothing of some windows, and every request there is over the threshold, in words and in fewer;
/// `None` where it leaves something of each.
#[must_use]
pub fn without_room(run: &Run) -> Option<(String, String)> {
    // A threshold that was set to nothing is no fault of the reserve.
    let none = run.steps.iter().filter(|step| step.threshold == Some(0) && step.reserve_tokens >= step.window_tokens);
    let none = none.count() as u64;
    (none > 0).then(|| {
        let of = counted(none, "window", "windows");
        (
            format!("the reserve leaves nothing of {of}, so that all is over the threshold"),
            "no room beside the reserve".to_owned(),
        )
    })
}

/// The sentence: as many clauses as have room in so many columns, whole ones only. The first two say most: where both
/// have no room, they are said in fewer words.
#[must_use]
pub fn sentence(clauses: &[Clause], columns: usize) -> Vec<(String, Tone)> {
    let mut pieces: Vec<(String, Tone)> = Vec::new();
    let mut used = 1;
    let tight = clauses.iter().take(2).map(|clause| super::width(&clause.text) + 2).sum::<usize>() > columns + 1;
    for (at, clause) in clauses.iter().enumerate() {
        let joint = if pieces.is_empty() { 0 } else { 2 };
        let fits = |words: &&String| used + joint + super::width(words) <= columns;
        let whole = Some(&clause.text).filter(|_| !tight || at >= 2 || clause.briefer.is_empty());
        let mut ways = whole.into_iter().chain(clause.briefer.iter().filter(|_| tight && at < 2));
        let found = ways.find(fits);
        // Something is said even where nothing has room: the fewest words.
        let least = || clause.briefer.last().or(Some(&clause.text)).filter(|_| pieces.is_empty());
        let Some(words) = found.or_else(least) else { continue };
        let text = if pieces.is_empty() { capital(words) } else { words.clone() };
        let size = super::width(&text) + joint;
        if joint > 0 {
            pieces.push(("; ".to_owned(), Tone::Faint));
        }
        used += size;
        pieces.push((text, clause.tone));
    }
    if !pieces.is_empty() {
        pieces.push((".".to_owned(), Tone::Plain));
    }
    pieces
}

fn fullest(run: &Run) -> Option<(usize, &Totals)> {
    run.totals.iter().enumerate().rev().max_by_key(|(_, totals)| totals.used()).map(|(at, totals)| (at + 1, totals))
}

fn compactions(run: &Run, peak_step: usize, peak: &Totals, window: u64) -> Clause {
    let found: Vec<_> = run.events.iter().filter(|event| event.compacts()).collect();
    if found.is_empty() {
        let over = peak.over > 0;
        let about = if run.provisional && peak.reported.is_none() { "about " } else { "" };
        let used = format!("{about}{}", short(peak.used()));
        let text = format!(
            "never compacted; at its fullest {used} of {}, {} (step {peak_step})",
            short(window),
            percent(peak.used(), window)
        );
        let briefer =
            vec![format!("never compacted; at most {used} of {}", short(window)), "never compacted".to_owned()];
        return Clause { text, briefer, tone: if over { Tone::Warning } else { Tone::Plain } };
    }
    let times = times(found.len() as u64);
    let by = |wanted| found.iter().filter(|event| event.trigger == Some(wanted)).count();
    let who = match (by(Trigger::Auto), by(Trigger::Manual)) {
        (0, 0) => String::new(),
        (_, 0) => "auto, ".to_owned(),
        (0, _) => "by the user, ".to_owned(),
        (auto, manual) => format!("{auto} auto, {manual} by the user, "),
    };
    // What was held against the threshold: a client may measure more than is left.
    let measured = |event: &&&Event| event.measured.filter(|_| event.rule != "summarise.at_events");
    let in_order: Vec<u64> = found.iter().filter_map(|event| measured(&event).or(event.tokens_before)).collect();
    let sizes = (in_order.iter().min(), in_order.iter().max());
    let at = match (sizes.0, sizes.1, in_order.as_slice()) {
        (_, _, [one, other]) => format!("at {} and {}", short(*one), short(*other)),
        (Some(least), Some(most), _) if short(*least) != short(*most) => {
            format!("at {} to {}", short(*least), short(*most))
        }
        (Some(one), ..) => format!("at {}", short(*one)),
        _ if found.iter().all(|event| run.is_after(event)) => "after the last step".to_owned(),
        _ => format!("at step {}", found.iter().map(|event| event.step.to_string()).collect::<Vec<_>>().join(", ")),
    };
    // Beside the windows that were sent, a larger figure needs its reason.
    let is_more = |event: &&Event| {
        let found = measured(&event).zip(held_before(run, event).or(event.tokens_before));
        found.is_some_and(|(measured, held)| measured > held && short(measured) != short(held))
    };
    let by = match (found.iter().any(is_more), run.track) {
        (false, _) => "",
        (true, Track::Recorded) => " by the agent's measure",
        (true, Track::Simulated) => ", measured as the agent does",
    };
    let at = format!("{at}{by}");
    let briefer = vec![format!("compacted {times} {at}"), format!("compacted {times}")];
    Clause { text: format!("compacted {times} ({who}{at})"), briefer, tone: Tone::Plain }
}

/// What a part of the fullest window is, at length and in fewer words; of what is brought in to be used, how much never
/// was.
fn of_fullest(what: &str, tokens: u64, peak: &Totals, unused: Option<u64>) -> (String, String) {
    let share = percent(tokens, peak.used());
    match unused.map(|unused| percent(unused, tokens)) {
        Some(unused) => (
            format!("{share} of its fullest window is {what}, {unused} of them never referred to again"),
            format!("at its peak {share} is {what}, {unused} of them never used again"),
        ),
        None => (format!("{share} of its fullest window is {what}"), format!("at its peak {share} is {what}")),
    }
}

/// What of the requests is not in the transcript.
enum Missing {
    /// Something that was there from the first request on: what it can be, and its tokens.
    Prompt(&'static str, u64),
    /// Far more than at first, in the fullest window: its tokens.
    Grown(u64),
}

/// The most tokens that a system prompt with its tools is taken to have.
const PROMPT_MOST: u64 = 64_000;

fn unlogged(run: &Run, peak: &Totals, window: u64) -> Option<Missing> {
    let first = run.totals.first()?;
    let of = |totals: &Totals| totals.layers[Layer::Unlogged as usize];
    let (at_first, at_peak) = (of(first), of(peak));
    // A prompt stays what it is: what grows is something else.
    let grown = at_peak.saturating_sub(at_first);
    if at_peak >= at_first.saturating_mul(2) && grown.saturating_mul(4) >= peak.used() && grown > 0 {
        return Some(Missing::Grown(at_peak));
    }
    let what = match first.entries {
        entries if entries.iter().all(|entries| *entries == 0) => "what was sent",
        entries if entries[Layer::System as usize] > 0 || at_first > PROMPT_MOST => "a part of the prompt",
        _ => "the system prompt",
    };
    (at_first > 0 && at_first.saturating_mul(100) >= window).then_some(Missing::Prompt(what, at_first))
}

fn largest_layer(totals: &Totals) -> Option<(Layer, u64)> {
    let content = crate::model::ALL_LAYERS.iter().map(|info| info.layer).filter(|layer| *layer < Layer::Unlogged);
    content.map(|layer| (layer, totals.layers[layer as usize])).rev().max_by_key(|(_, tokens)| *tokens)
}

/// Tokens of a layer in the window of a step that no later answer refers to: none of their names, paths and numbers
/// comes up again. Only what is brought in to be used is asked for.
fn never_again(run: &Run, step: usize, layer: Layer, referred: &Referred) -> u64 {
    if !matches!(layer, Layer::ToolResults | Layer::Files | Layer::Chunks | Layer::Skills) {
        return 0;
    }
    let step = u32::try_from(step).unwrap_or(u32::MAX);
    let held = run.entries.iter().filter(|entry| entry.layer == layer && entry.life_at(step).is_some());
    held.filter(|entry| entry.block().and_then(|block| referred.again(block)) == Some(false))
        .map(|entry| entry.tokens)
        .sum()
}

fn cuts(run: &Run) -> Option<String> {
    // What a compaction puts back in part was whole before it.
    let is_back = |entry: &Entry| entry.made_by.and_then(|id| run.event(id)).is_some_and(Event::compacts);
    let of = |wanted: &[Fate]| {
        let entries = (0u32..).map(EntryId).zip(&run.entries);
        // A passage of a file was chosen, not cut.
        let is_chosen = |entry: &Entry| entry.layer == Layer::Chunks;
        let found = entries.filter(|(_, entry)| wanted.contains(&entry.fate) && !is_back(entry) && !is_chosen(entry));
        run.pieces(found.map(|(id, _)| id))
    };
    let cut = of(&[Fate::Truncated, Fate::Virtual]);
    let cleared = of(&[Fate::Cleared]);
    let dropped = run.events.iter().filter(|event| event.stage == Stage::Drop);
    let dropped = run.pieces(dropped.flat_map(|event| event.took.iter().copied()));
    let all = [(cut, "cut"), (cleared, "cleared later"), (dropped, "dropped")];
    let all = all.into_iter().filter(|(number, _)| *number > 0).enumerate();
    let said = all.map(|(at, (number, fate))| {
        let (one, many) = if at == 0 { ("piece was", "pieces were") } else { ("was", "were") };
        format!("{} {fate}", counted(number as u64, one, many))
    });
    Some(said.collect::<Vec<_>>().join(", ")).filter(|said| !said.is_empty())
}

fn largest_entry(run: &Run, window: u64) -> Option<String> {
    let entry = run.entries.iter().rev().max_by_key(|entry| entry.tokens)?;
    if entry.tokens.saturating_mul(20) < window {
        return None;
    }
    let what = match entry.label.is_empty() {
        true => entry.layer.info().tag.to_owned(),
        false => format!("{} {}", safe(&plain_name(&entry.label)), entry.layer.info().tag),
    };
    Some(format!("the largest entry, {} of {what}, came in at step {}", short(entry.tokens), entry.born()))
}

#[cfg(test)]
#[path = "diagnosis_tests.rs"]
mod tests;
