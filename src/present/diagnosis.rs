//! What is the matter with a session, in one sentence, from the figures of its run alone.

use crate::engine::plan::Referred;
use crate::model::{Event, Fate, Layer, Outcome, Run, Stage, Totals, Track, Trigger};

use super::{Tone, counted, percent, safe, short, times};

/// One part of the sentence, with how much it should stand out.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Clause {
    /// The words, without a capital or a stop.
    pub text: String,
    /// The same in fewer words, where there are fewer.
    pub brief: Option<String>,
    /// How grave it is.
    pub tone: Tone,
}

/// What is said of a file that holds no request.
const NO_REQUEST: &str = "there is no request in it, so it has no window";

/// The parts of the sentence, the most telling first. What is referred to later takes a reading of every text, and may be
/// told when it is known. While counts are estimates only what was recorded is said: shares may change with every count.
#[must_use]
pub fn diagnose(run: &Run, referred: Option<&Referred>) -> Vec<Clause> {
    let Some((peak_step, peak)) = fullest(run) else {
        return vec![Clause { text: NO_REQUEST.to_owned(), brief: None, tone: Tone::Warning }];
    };
    let is_counted = !run.provisional || run.track == Track::Simulated;
    let window = run.steps.get(peak_step - 1).map_or(0, |step| step.window_tokens);
    let mut clauses = vec![compactions(run, peak_step, peak, window)];
    let mut plain = |text: String, brief: Option<String>| clauses.push(Clause { text, brief, tone: Tone::Plain });
    if let Some((layer, tokens)) = largest_layer(peak).filter(|_| is_counted)
        && tokens.saturating_mul(4) >= peak.used()
    {
        let (share, what) = (percent(tokens, peak.used()), layer.info().title);
        let unused = referred.map(|referred| never_again(run, peak_step, layer, referred)).filter(|unused| *unused > 0);
        match unused.map(|unused| percent(unused, tokens)) {
            Some(unused) => plain(
                format!("{share} of its fullest window is {what}, {unused} of them never referred to again"),
                Some(format!("at its peak {share} is {what}, {unused} of them never used again")),
            ),
            None => plain(
                format!("{share} of its fullest window is {what}"),
                Some(format!("at its peak {share} is {what}")),
            ),
        }
    }
    if let Some(text) = cuts(run) {
        plain(text, None);
    }
    if let Some(text) = largest_entry(run, window).filter(|_| is_counted) {
        plain(text, None);
    }
    let first = run.totals.first().copied().unwrap_or_default();
    let unlogged = first.layers[Layer::Unlogged as usize];
    let recorded = first.entries[Layer::System as usize] > 0;
    if is_counted && unlogged > 0 && unlogged.saturating_mul(100) >= window {
        let what = if recorded { "a part of the prompt" } else { "the system prompt" };
        plain(format!("{what} is not recorded (about {})", short(unlogged)), None);
    }
    let rewinds =
        run.events.iter().filter(|event| event.stage == Stage::Rewind && event.rule == "recorded.rewind").count();
    if rewinds > 0 {
        plain(format!("the user went back {}", times(rewinds as u64)), None);
    }
    let failed = run.steps.iter().filter(|step| step.outcome == Outcome::TooLong).count();
    if failed > 0 {
        clauses.push(Clause {
            text: format!("{} refused as too long", counted(failed as u64, "request was", "requests were")),
            brief: None,
            tone: Tone::Warning,
        });
    }
    let stopped = run.steps.iter().filter(|step| step.outcome == Outcome::Aborted).count();
    if stopped > 0 {
        clauses.push(Clause {
            text: format!("{} stopped", counted(stopped as u64, "request was", "requests were")),
            brief: None,
            tone: Tone::Plain,
        });
    }
    clauses
}

/// The sentence: as many clauses as have room in so many columns, whole ones only. The first two say most: where both
/// have no room, they are said in fewer words.
#[must_use]
pub fn sentence(clauses: &[Clause], columns: usize) -> Vec<(String, Tone)> {
    let mut pieces: Vec<(String, Tone)> = Vec::new();
    let mut used = 1;
    let tight = clauses.iter().take(2).map(|clause| super::width(&clause.text) + 2).sum::<usize>() > columns + 1;
    for (at, clause) in clauses.iter().enumerate() {
        let words = clause.brief.as_ref().filter(|_| tight && at < 2).unwrap_or(&clause.text);
        let text = if pieces.is_empty() { capital(words) } else { words.clone() };
        let joint = if pieces.is_empty() { 0 } else { 2 };
        let size = super::width(&text) + joint;
        if used + size > columns && !pieces.is_empty() {
            continue;
        }
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

fn capital(text: &str) -> String {
    let mut signs = text.chars();
    signs.next().map_or_else(String::new, |first| first.to_uppercase().chain(signs).collect())
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
        let brief = format!("never compacted; at most {used} of {}", short(window));
        return Clause { text, brief: Some(brief), tone: if over { Tone::Warning } else { Tone::Plain } };
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
        _ => format!("at step {}", found.iter().map(|event| event.step.to_string()).collect::<Vec<_>>().join(", ")),
    };
    let brief = Some(format!("compacted {times} {at}"));
    Clause { text: format!("compacted {times} ({who}{at})"), brief, tone: Tone::Plain }
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
    let of = |wanted: &[Fate]| run.entries.iter().filter(|entry| wanted.contains(&entry.fate)).count();
    let cut = of(&[Fate::Truncated, Fate::Virtual]);
    let cleared = of(&[Fate::Cleared]);
    let pieces = |number| counted(number as u64, "piece was", "pieces were");
    match (cut, cleared) {
        (0, 0) => None,
        (_, 0) => Some(format!("{} cut", pieces(cut))),
        (0, _) => Some(format!("{} cleared later", pieces(cleared))),
        _ => Some(format!("{} cut, {} cleared later", pieces(cut), counted(cleared as u64, "was", "were"))),
    }
}

fn largest_entry(run: &Run, window: u64) -> Option<String> {
    let entry = run.entries.iter().rev().max_by_key(|entry| entry.tokens)?;
    if entry.tokens.saturating_mul(20) < window {
        return None;
    }
    let what = match entry.label.is_empty() {
        true => entry.layer.info().tag.to_owned(),
        false => format!("{} {}", safe(&entry.label), entry.layer.info().tag),
    };
    Some(format!("the largest entry, {} of {what}, came in at step {}", short(entry.tokens), entry.born()))
}
