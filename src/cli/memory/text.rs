//! What a replay remembered, for people.

use crate::cli::print::Printer;
use crate::content::one_line;
use crate::memory::How;
use crate::model::file_name;
use crate::present::memory::{beside, others};
use crate::present::{Align, Cell, Table, Tone, count, counted, least_score, score};

use super::measured::people_summaries;
use super::rows::{CandidateRow, EdgeRow, MemoryRow, PackRow, Told};

/// Says what was remembered, packed, preserved and merged.
pub fn print(told: &Told, printer: &mut Printer) -> anyhow::Result<()> {
    let head = format!(
        "step {} under {}: {}",
        told.step,
        told.policy,
        counted(told.memories.len() as u64, "memory", "memories")
    );
    printer.line(&[(&head, Tone::Title)])?;
    if let Some(by) = told.only_preserved {
        let words = format!(
            "memory.on = false: none of them comes into a window; facts are preserved before compactions ({by})."
        );
        printer.line(&[(&words, Tone::Warning)])?;
    }
    if told.embedding == "words" {
        printer.line(&[("Likeness is told by words: no embedding model was asked.", Tone::Faint)])?;
    }
    printer.table(&memories_table(told))?;
    people_skipped(told, printer)?;
    let contradicting: Vec<String> = told.edges.iter().filter(|edge| edge.kind != "supersedes").map(relation).collect();
    if !contradicting.is_empty() {
        printer.line(&[("relations: ", Tone::Title), (&contradicting.join("; "), Tone::Plain)])?;
    }
    if let Some(pack) = &told.pack {
        people_pack(told, pack, printer)?;
    }
    people_changes(told, printer)?;
    people_summaries("a replayed summary", &told.summaries, &told.summary_tokens, printer)?;
    people_summaries("a recorded summary", &told.recorded_summaries, &told.recorded_summary_tokens, printer)?;
    Ok(())
}

fn relation(edge: &EdgeRow) -> String {
    format!("{} {} {} ({:.2})", edge.from, edge.kind, edge.to, edge.score)
}

/// The relations that a reconciliation took away.
fn removed(edges: &[EdgeRow]) -> String {
    let number = counted(edges.len() as u64, "relation was", "relations were");
    let shown: Vec<String> = edges.iter().take(SHOWN).map(relation).collect();
    let more = edges.len().saturating_sub(SHOWN);
    let more = if more > 0 { format!("; and {}", others(more)) } else { String::new() };
    format!("{number} removed: {}{more}", shown.join("; "))
}

fn memories_table(told: &Told) -> Table {
    let mut table = Table::new(&[
        ("id", Align::Right),
        ("scope", Align::Left),
        ("came", Align::Left),
        ("age", Align::Right),
        ("uses", Align::Right),
        ("from", Align::Left),
        ("text", Align::Left),
    ]);
    for row in &told.memories {
        let tone = if row.merged_into.is_some() { Tone::Cut } else { Tone::Plain };
        let how = match row.merged_into {
            Some(into) => format!("{}, now {into}", row.how),
            None if row.promoted => format!("{}, promoted", row.how),
            None => row.how.to_owned(),
        };
        let how = if row.rewritten { format!("{how}, rewritten") } else { how };
        let from = row.provenance.first().map_or_else(
            || before(row),
            |place| match (place.part, place.line) {
                (Some([start, _]), _) if told.attached.contains(&place.source) => {
                    let within = match (&place.place, place.line) {
                        (Some(within), _) => format!(" {within}"),
                        (None, Some(line)) => format!(":{line}"),
                        (None, None) => String::new(),
                    };
                    format!("{}{within} @{}", file_name(&place.source), count(start))
                }
                (_, Some(line)) => format!("line {line}"),
                _ => String::new(),
            },
        );
        table.row([
            row.id.to_string().into(),
            row.scope.into(),
            how.into(),
            row.age.map_or_else(|| "before".to_owned(), |age| age.to_string()).into(),
            row.uses.to_string().into(),
            from.into(),
            Cell::new(&one_line(row.read()), tone),
        ]);
    }
    table
}

/// Where a memory of an earlier session stood.
fn before(row: &MemoryRow) -> String {
    row.earlier.first().map_or_else(String::new, |place| {
        let bytes = place.bytes.map_or_else(String::new, |[start, _]| format!(" @{}", count(start)));
        format!("{}{bytes}", file_name(&place.source))
    })
}

/// Rows of one kind that are shown.
const SHOWN: usize = 20;

/// What became no memory, and what it is like.
fn people_skipped(told: &Told, printer: &mut Printer) -> anyhow::Result<()> {
    if told.skipped.is_empty() {
        return Ok(());
    }
    let number = counted(told.skipped.len() as u64, "text", "texts");
    printer.line(&[(&format!("{number} became no memory:"), Tone::Title)])?;
    let mut table = Table::new(&[("step", Align::Right), ("why", Align::Left), ("text", Align::Left)]);
    for row in told.skipped.iter().take(SHOWN) {
        let why = match row.score {
            None => format!("memory {} has the same words", row.like),
            Some(score) => format!("memory {} says it ({score:.2})", row.like),
        };
        table.row([row.step.to_string().into(), why.into(), Cell::new(&one_line(&row.text), Tone::Faint)]);
    }
    printer.table(&table)?;
    let more = told.skipped.len().saturating_sub(SHOWN);
    if more > 0 {
        printer.line(&[(&format!("and {}", others(more)), Tone::Faint)])?;
    }
    Ok(())
}

/// What was preserved before compactions, promoted and merged.
fn people_changes(told: &Told, printer: &mut Printer) -> anyhow::Result<()> {
    for row in &told.preserved {
        let is_unsupported =
            |id: &&u32| told.memories.iter().any(|memory| memory.id == **id && memory.how == How::Unsupported.name());
        let unsupported = match row.memories.iter().filter(is_unsupported).count() {
            0 => String::new(),
            some => format!(" ({} no support in what the model read)", counted(some as u64, "has", "have")),
        };
        let words = format!(
            "step {}: {} preserved before the compaction{unsupported}, {} known already",
            row.step,
            counted(row.memories.len() as u64, "fact was", "facts were"),
            counted(row.known as u64, "was", "were")
        );
        printer.line(&[(&words, Tone::Kept)])?;
    }
    for row in &told.reconciled {
        for change in &row.changes {
            let words = match change.uses {
                Some(uses) => {
                    let uses = counted(uses.into(), "use", "uses");
                    format!("step {}: memory {} was promoted after {uses}", row.step, change.id)
                }
                None => {
                    let added = change.kept.filter(|kept| *kept > 0);
                    let added =
                        added.map(|kept| format!(", with {} added", counted(u64::from(kept), "sentence", "sentences")));
                    format!("step {}: {:?} became {}{}", row.step, change.of, change.id, added.unwrap_or_default())
                }
            };
            printer.line(&[(&words, Tone::Accent)])?;
        }
        if !row.removed.is_empty() {
            printer.line(&[(&format!("step {}: {}", row.step, removed(&row.removed)), Tone::Accent)])?;
        }
    }
    Ok(())
}

fn people_pack(told: &Told, pack: &PackRow, printer: &mut Printer) -> anyhow::Result<()> {
    let head = format!(
        "packed at step {}: {}, about {} of {} tokens, for \u{201C}{}\u{201D}",
        pack.step,
        counted(pack.count as u64, "memory", "memories"),
        count(pack.estimated_tokens),
        count(pack.budget_tokens),
        one_line(&pack.query).chars().take(80).collect::<String>()
    );
    printer.line(&[(&head, Tone::Title)])?;
    let mut table =
        Table::new(&[("score", Align::Right), ("id", Align::Right), ("why", Align::Left), ("text", Align::Left)]);
    // What was taken is told of, however many that is.
    let shown: Vec<&CandidateRow> =
        (0usize..).zip(&pack.candidates).filter(|(at, row)| *at < SHOWN || row.taken).map(|(_, row)| row).collect();
    for row in &shown {
        let why = match (row.why, row.other) {
            ("taken", None) => "taken".to_owned(),
            ("taken", Some(other)) => format!("taken, by its bridge to {other}"),
            ("present", _) => "it stands in the window".to_owned(),
            ("gone", _) => "a later stage of this step took it out of the window".to_owned(),
            ("same_start", Some(other)) => format!("it begins as {other} does"),
            ("too_many", _) if pack.count == 0 => "none may be taken".to_owned(),
            ("too_many", _) if pack.candidates.iter().any(|one| one.why == "over_budget") => {
                "as many as may be taken were better, though not all had room".to_owned()
            }
            ("too_many", _) => "as many as may be taken were better".to_owned(),
            ("unlooked", _) => "as many as are looked at were better, and began alike".to_owned(),
            ("over_budget", _) => {
                let needs = row.needs_tokens.unwrap_or_default();
                let tokens = counted(needs, "token", "tokens");
                match pack.estimated_tokens.saturating_add(needs) <= pack.budget_tokens {
                    true => format!("packing ended before it; it needs {tokens}"),
                    false => format!("no room was left for its {tokens}"),
                }
            }
            _ => format!("not similar enough: {} is the least", least_score(pack.min_score)),
        };
        let text = told.memories.iter().find(|memory| memory.id == row.id).map_or("", MemoryRow::read);
        let tone = if row.taken { Tone::Kept } else { Tone::Faint };
        table.row([
            score(row.score, pack.min_score).into(),
            row.id.to_string().into(),
            Cell::new(&why, tone),
            one_line(text).into(),
        ]);
    }
    printer.table(&table)?;
    let more = pack.others + pack.candidates.len() - shown.len();
    if let Some(further) = beside(more, (pack.below, pack.best_below), pack.told_from) {
        printer.line(&[(&further, Tone::Faint)])?;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn relations_that_were_removed_are_named() {
        let edge = |from| EdgeRow { from, to: 1, kind: "contradicts", score: 0.9 };
        assert_eq!(removed(&[edge(2)]), "1 relation was removed: 2 contradicts 1 (0.90)");
        assert_eq!(
            removed(&[edge(2), edge(3)]),
            "2 relations were removed: 2 contradicts 1 (0.90); 3 contradicts 1 (0.90)"
        );
        assert!(removed(&(0..22).map(edge).collect::<Vec<_>>()).ends_with("; and 2 others"));
    }
}
