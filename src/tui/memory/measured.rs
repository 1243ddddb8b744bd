//! The summary in force: each of its sentences beside the text that it came from; the facts that it keeps and loses.

use ratatui::buffer::Buffer;
use ratatui::layout::Rect;

use crate::config::{Role, Theme};
use crate::memory::{Kept, Support};
use crate::present::{
    IN_PLACE, Measured, count, counted, first_words, percent, percentile, plain_name, short, summaries, width,
};
use crate::tui::inspect::Inspect;
use crate::tui::line::{Line, wrapped};
use crate::tui::state::Session;

use super::card::text;
use super::draw::{Parts, frame, hint, inside, says};
use super::list::WORDS;
use super::{MemoryView, Tab};

/// Columns of the bar of what is kept, at least.
const BAR: u16 = 6;

/// How a fact is kept, in words.
type Says = fn(Kept) -> &'static str;

/// How a fact is kept: sign, colour, words.
fn kept(kept: Kept) -> (&'static str, Role, &'static str) {
    match kept {
        Kept::Literal => ("=", Role::Good, "in its own words"),
        Kept::Paraphrase => ("≈", Role::Summarised, "in other words"),
        Kept::Lost => ("×", Role::Removed, "lost"),
    }
}

/// Draws either tab.
pub fn draw(buffer: &mut Buffer, theme: &Theme, parts: &Parts, page: &MemoryView, session: &Session, view: &Inspect) {
    let found = match (page.summary(), &page.measured) {
        (Some(found), _) => found,
        (None, measured) => {
            let wanted = page.summary.and_then(|(.., wanted)| wanted);
            let failed = measured.as_ref().filter(|(event, _)| Some(*event) == wanted);
            let why = failed.and_then(|(_, found)| found.as_ref().err().cloned());
            absent(buffer, theme, parts, wanted.is_some(), why, view);
            return;
        }
    };
    head(buffer, theme, parts.head, page, found, view);
    frame(buffer, theme, parts);
    if found.sealed {
        sealed(buffer, theme, parts);
        return;
    }
    match page.tab {
        Tab::Facts => facts(buffer, theme, parts, page, found),
        _ => sentences(buffer, theme, parts, page, found),
    }
    card(buffer, theme, parts, page, session, view);
}

/// A summary whose words its vendor keeps encrypted.
fn sealed(buffer: &mut Buffer, theme: &Theme, parts: &Parts) {
    let words = ["This summary is encrypted: what it says, and what it keeps,", "nobody but its vendor can read."];
    for (y, words) in (0..parts.list.height).zip(words) {
        let mut line = Line::new(buffer, theme, parts.list, y);
        line.skip(2);
        line.put(words, Role::Dim);
    }
}

fn absent(buffer: &mut Buffer, theme: &Theme, parts: &Parts, there: bool, failed: Option<String>, view: &Inspect) {
    let area = Rect { y: parts.body.y + u16::from(parts.body.height > 4), ..parts.body };
    let mut line = Line::new(buffer, theme, area, 0);
    line.skip(2);
    match (failed, there) {
        (Some(why), _) => line.put(&why, Role::Error),
        (None, true) => line.put("The summary is held against what it stands for …", Role::Dim),
        (None, false) => {
            line.put(&format!("No summary stands in the window of step {}.", view.step), Role::Text);
            let all: Vec<u32> = summaries(view.index.run())
                .filter_map(|(event, _)| view.index.run().event(event))
                .map(|event| event.step)
                .collect();
            let text = match all.as_slice() {
                [] => {
                    "No compaction of this track made one. R shows the other track, t moves the threshold.".to_owned()
                }
                [one] => format!("One was made at step {one}: {{ and }} go there."),
                [first, .., last] => {
                    format!("{} were made, from step {first} to {last}: {{ and }} go there.", all.len())
                }
            };
            let inner = Rect { x: area.x + 2.min(area.width), width: area.width.saturating_sub(4), ..area };
            for (row, words) in (1..inner.height).zip(wrapped(&text, usize::from(inner.width).max(1))) {
                Line::new(buffer, theme, inner, row).put(words, Role::Dim);
            }
        }
    }
}

fn head(buffer: &mut Buffer, theme: &Theme, area: Rect, page: &MemoryView, found: &Measured, view: &Inspect) {
    let run = view.index.run();
    let mut bars = area;
    if area.height >= 3 {
        let mut line = Line::new(buffer, theme, area, 0);
        line.skip(1);
        let tokens = run.entry(found.summary).map_or(found.tokens, |entry| entry.tokens);
        line.put(&format!("summary of step {}", found.step), Role::Summarised);
        if found.sealed && tokens == 0 {
            line.put(&format!("  of unknown size for {}", short(found.of_tokens)), Role::Text);
        } else {
            line.put(&format!("  {} for {}", counted(tokens, "token", "tokens"), short(found.of_tokens)), Role::Text);
            line.put(&format!(" ({})", percent(tokens, found.of_tokens)), Role::Dim);
        }
        // That a model did not write it comes before its figures.
        let instead = found.by.filter(|by| by.starts_with(IN_PLACE));
        if let Some(by) = instead {
            let short = by.split(':').next().unwrap_or(by);
            line.put(&format!("  {short}"), Role::Warning);
        }
        let bad = found.supports().none;
        if bad > 0 {
            line.put(&format!("  {bad} ✗ without support"), Role::Error);
        }
        let (sizes, at) = &page.summary_sizes;
        if let (Some(half), Some(most), true) = (percentile(sizes, 50.0), percentile(sizes, 90.0), sizes.len() > 1) {
            let words = format!(
                "  summary {at} of {}; half have up to {} tokens, 90 % up to {}",
                sizes.len(),
                short(half),
                short(most)
            );
            line.whole(&words, Role::Dim);
        }
        if let Some(by) = found.by.filter(|_| instead.is_none()) {
            line.whole(&format!("  {by}"), Role::Dim);
        }
        bars = Rect { y: area.y + 1, height: 1, ..area };
    }
    let mut line = Line::new(buffer, theme, bars, 0);
    line.skip(1);
    let all = found.facts.len() as u64;
    if !found.is_known() {
        let words = match found.sealed {
            true => format!("what it keeps of {} is unknown", counted(all, "fact", "facts")),
            false => "what it stands for is not in the file: what it keeps is unknown".to_owned(),
        };
        line.put(&words, Role::Dim);
        return;
    }
    let kinds = [(Kept::Literal, "█"), (Kept::Paraphrase, "▓"), (Kept::Lost, "░")];
    let number = |kind: Kept| count(found.numbers[kind as usize] as u64);
    let of = format!("  of {} ", counted(all, "fact", "facts"));
    let sign = |kind: Kept| format!(" {} {}", kept(kind).0, number(kind));
    let size =
        |says: Says| -> usize { kinds.iter().map(|(kind, _)| width(&sign(*kind)) + width(says(*kind)) + 2).sum() };
    let whole: Says = |kind| kept(kind).2;
    let short: Says = |kind| kept(kind).2.trim_start_matches("in ").trim_start_matches("its ");
    let fits = size(whole) + width(&of) + usize::from(BAR) <= usize::from(line.left());
    let says = if fits { whole } else { short };
    let said = size(says);
    // The figures first: the bar has what they leave.
    let left = usize::from(line.left()).saturating_sub(said + width(&of));
    let columns = u16::try_from(left.clamp(usize::from(BAR), 60)).unwrap_or(60);
    let (mut drawn, mut sum) = (0, 0);
    for (kind, sign) in kinds {
        let number = found.numbers[kind as usize] as u64;
        sum += number;
        let end = u16::try_from(sum * u64::from(columns) / all.max(1)).unwrap_or(columns);
        // What is there at all shows.
        let end = if number > 0 { end.max(drawn + 1).min(columns) } else { end.max(drawn) };
        line.put(&sign.repeat(usize::from(end - drawn)), kept(kind).1);
        drawn = end;
    }
    line.put(&of, Role::Dim);
    for (kind, _) in kinds {
        line.put(&sign(kind), kept(kind).1);
        line.put(&format!(" {} ", says(kind)), Role::Dim);
    }
}

fn sentences(buffer: &mut Buffer, theme: &Theme, parts: &Parts, page: &MemoryView, found: &Measured) {
    let mut line = Line::new(buffer, theme, parts.columns, 0);
    line.skip(3);
    line.field("score", 6, Role::Dim);
    line.put("the summary says", Role::Dim);
    for (y, (at, one)) in (0..parts.list.height).zip(found.sentences.iter().enumerate().skip(page.sentences.top)) {
        let mut line = Line::new(buffer, theme, parts.list, y);
        if at == page.sentences.cursor {
            line.under(Role::Selection);
        }
        let says = one.text.chars().any(char::is_alphabetic);
        let (mark, role) = match (one.support, one.score >= 1.0) {
            _ if !says => (" ", Role::Dim),
            (Support::Stands, true) => ("✓", Role::Good),
            (Support::Stands, false) => ("≈", Role::Summarised),
            (Support::Open, _) => ("·", Role::Dim),
            (Support::None, _) => ("✗", Role::Error),
        };
        line.put("▎", role);
        line.put(mark, role);
        line.skip(1);
        let score = if says { format!("{:.2}", one.score) } else { String::new() };
        line.field(&score, 6, role);
        line.put(&first_words(&one.text, WORDS), if one.support == Support::None { Role::Error } else { Role::Text });
    }
    let texts = [
        ("✓", Role::Good),
        (" one says it all   ", Role::Dim),
        ("≈", Role::Summarised),
        (" most  ", Role::Dim),
        ("·", Role::Dim),
        (" open  ", Role::Dim),
        ("✗", Role::Error),
        (" no support  ", Role::Dim),
        ("n goes to the next of these", Role::Dim),
    ];
    says(buffer, theme, parts, &texts);
}

fn facts(buffer: &mut Buffer, theme: &Theme, parts: &Parts, page: &MemoryView, found: &Measured) {
    let mut line = Line::new(buffer, theme, parts.columns, 0);
    line.skip(3);
    line.put("a fact of what the summary stands for: kept first, then lost", Role::Dim);
    for (y, (at, fact)) in (0..parts.list.height).zip(page.fact_rows.iter().enumerate().skip(page.facts.top)) {
        let Some(fact) = found.facts.get(*fact) else { continue };
        let mut line = Line::new(buffer, theme, parts.list, y);
        if at == page.facts.cursor {
            line.under(Role::Selection);
        }
        let (mark, role, _) = kept(fact.kept);
        line.put("▎", role);
        line.put(mark, role);
        line.skip(1);
        line.put(&first_words(&fact.text, WORDS), if fact.kept == Kept::Lost { Role::Dim } else { Role::Text });
    }
    if page.fact_rows.is_empty() {
        let mut line = Line::new(buffer, theme, parts.list, 0);
        line.skip(2);
        let text = match page.filter.is_empty() {
            true => "No sentence of what it stands for holds a figure or an identifier.".to_owned(),
            false => format!("No fact holds {:?}. Esc shows all again.", page.filter),
        };
        line.put(&text, Role::Dim);
    }
    let pieces = ["/ seeks", "Enter to its text", "a fact is a sentence with a figure or an identifier"];
    hint(buffer, theme, parts, &pieces);
}

/// What is selected at length, and the text that it came from.
fn card(buffer: &mut Buffer, theme: &Theme, parts: &Parts, page: &MemoryView, session: &Session, view: &Inspect) {
    let area = inside(parts);
    let whence = |id| named(session, view, id);
    match page.tab {
        Tab::Facts => {
            let Some(fact) = page.fact() else { return };
            let (mark, role, words) = kept(fact.kept);
            let mut line = Line::new(buffer, theme, area, 0);
            line.put(&format!("{mark} {words}"), role);
            Line::new(buffer, theme, area, 1).put(&whence(fact.entry), Role::Link);
            let rest = Rect { y: area.y + 3.min(area.height), height: area.height.saturating_sub(3), ..area };
            text(buffer, theme, rest, page.read, &[(&fact.text, Role::Text)]);
        }
        _ => {
            let Some(one) = page.sentence() else { return };
            let mut line = Line::new(buffer, theme, area, 0);
            let (words, role) = supported(one.support, one.score);
            line.put(&format!("{:.2} ", one.score), Role::Accent);
            let why = one.why_not();
            let words = why.as_deref().unwrap_or(words);
            let words = if one.from.is_some() { words } else { "no text shares a word with it" };
            // What explains the score is said whole.
            let mut said = wrapped(words, usize::from(line.left().max(1)));
            line.put(said.next().unwrap_or_default(), role);
            let mut row = 1;
            for more in said.take(2) {
                let mut line = Line::new(buffer, theme, area, row);
                line.skip(5);
                line.put(more, role);
                row += 1;
            }
            let from = one.from.as_ref();
            if let Some(from) = from {
                Line::new(buffer, theme, area, row).put(&whence(from.entry), Role::Link);
            }
            let gap = (row + 2).min(area.height);
            let rest = Rect { y: area.y + gap, height: area.height.saturating_sub(gap), ..area };
            let source = from.map_or("", |from| &*from.text);
            text(
                buffer,
                theme,
                rest,
                page.read,
                &[(source, Role::Quote), ("\nthe summary says:", Role::Dim), (&one.text, Role::Text)],
            );
        }
    }
}

/// What a sentence of a summary has to do with the one that it is most like. The score is the share of its words there:
/// all of them may stand in what does not say it.
fn supported(support: Support, score: f64) -> (&'static str, Role) {
    match (support, score >= 1.0) {
        (Support::Stands, true) => ("all of its words stand in this sentence", Role::Good),
        (Support::Stands, false) => ("most of its words stand in this sentence", Role::Summarised),
        (Support::Open, true) => ("its words stand here; whether they say the same is open", Role::Dim),
        (Support::Open, false) => ("no one sentence says it, and none says otherwise", Role::Dim),
        (Support::None, true) => ("its words stand here, but otherwise or without support", Role::Error),
        (Support::None, false) => ("nothing supports it; this comes nearest", Role::Error),
    }
}

/// An entry in words: what it is, when it came in, whether it is still there.
fn named(session: &Session, view: &Inspect, id: crate::model::EntryId) -> String {
    let Some(entry) = view.index.run().entry(id) else { return String::new() };
    let line = entry.block().and_then(|block| session.transcript.block(block)).map(|block| block.record.line);
    let line = line.map_or_else(String::new, |line| format!(", line {}", count(u64::from(line))));
    let gone = if entry.life_at(view.step).is_none() { ", no longer in the window" } else { "" };
    let info = entry.layer.info();
    let tells = !entry.label.is_empty() && ![info.tag, info.name, info.title, "text"].contains(&&*entry.label);
    let label = if tells { format!(" {}", plain_name(&entry.label)) } else { String::new() };
    format!("{}{label} of step {}{line}{gone}", info.tag, entry.born())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_has_all_words_of_a_sentence_is_not_said_to_lack_one() {
        for support in [Support::Stands, Support::Open, Support::None] {
            let (whole, part) = (supported(support, 1.0).0, supported(support, 0.8).0);
            assert!(whole != part && !whole.contains("no one sentence") && !whole.contains("nothing"), "{whole}");
        }
    }
}
