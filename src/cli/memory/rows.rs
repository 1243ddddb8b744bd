//! What `memory --json` prints, from what a replay remembered.

use std::collections::BTreeSet;
use std::path::Path;

use schemars::JsonSchema;
use serde::Serialize;

use crate::cli::header::{Place, bytes_of};
use crate::engine::{Recall, Remembered};
use crate::inquiry::phrases;
use crate::memory::{self, Change, Memory, MemoryId, Packed, Skip, Skipped, State, Why};
use crate::model::Transcript;
use crate::policy::{self, Choice};
use crate::present::memory::least_of;

use super::measured::{SummaryRow, SummarySizes};

/// What `memory --json` prints.
#[derive(Serialize, JsonSchema)]
pub struct Told {
    /// `windowpane/memory/1`
    pub schema: &'static str,
    pub path: String,
    /// The policy that the session was replayed under.
    pub policy: String,
    /// The step that is looked at; all is as it was then.
    pub step: u32,
    /// What vectors are made with: `words` where there is no embedding model.
    pub embedding: String,
    /// Where nothing is packed, since `memory.on` is false: the setting that asks for what is preserved.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub only_preserved: Option<&'static str>,
    /// The memories there are, those that were merged included.
    pub memories: Vec<MemoryRow>,
    /// Relations between them.
    pub edges: Vec<EdgeRow>,
    /// Texts that a language model put in their context.
    pub rewritten: usize,
    /// Texts that became no memory.
    pub skipped: Vec<SkipRow>,
    /// Attached files that are too large to become memories whole.
    pub left_out: Vec<LeftOutRow>,
    /// What is packed at this step.
    pub pack: Option<PackRow>,
    /// What was taken out before each compaction.
    pub preserved: Vec<PreservedRow>,
    /// What each reconciliation did.
    pub reconciled: Vec<ReconciledRow>,
    /// What each summary of the replay keeps of what it stands for.
    pub summaries: Vec<SummaryRow>,
    /// How large they are.
    pub summary_tokens: SummarySizes,
    /// The same of the summaries that the agent recorded.
    pub recorded_summaries: Vec<SummaryRow>,
    /// How large they are.
    pub recorded_summary_tokens: SummarySizes,
    /// The names of attached files: what is from them has no line of the transcript.
    #[serde(skip)]
    pub attached: BTreeSet<String>,
}

/// One memory.
#[derive(Serialize, JsonSchema)]
pub struct MemoryRow {
    pub id: u32,
    pub scope: &'static str,
    pub owner: String,
    pub source_type: String,
    /// `ingested`, `preserved`, `written`, `merged`, or `unsupported`: a model took it
    /// out, and nothing that it read says so.
    pub how: &'static str,
    /// The step at which it came in; 0 for what was there before.
    pub born: u32,
    /// Steps since; null for what was there before.
    pub age: Option<u32>,
    /// How often it was packed, and at which step last.
    pub uses: u32,
    pub used_at: u32,
    pub promoted: bool,
    /// The memory that stands for it since it was merged.
    pub merged_into: Option<u32>,
    pub text: String,
    /// What enriches it: what stands before and after the text, or the text as a model put it in its context.
    pub around: Option<String>,
    /// Whether that is the text itself, in its context.
    pub rewritten: bool,
    /// Where its text stands in this session; empty for what is from earlier ones.
    pub provenance: Vec<Place>,
    /// Where it stood in files of earlier sessions.
    pub earlier: Vec<EarlierRow>,
}

/// A place in a file of an earlier session.
#[derive(Serialize, JsonSchema)]
pub struct EarlierRow {
    /// The file, as that session had it.
    pub source: String,
    /// First byte, and one past the last; null where that is not known.
    pub bytes: Option<[u64; 2]>,
}

impl MemoryRow {
    /// Its text as a pack shows it.
    pub fn read(&self) -> &str {
        self.around.as_deref().filter(|_| self.rewritten).unwrap_or(&self.text)
    }
}

/// A relation.
#[derive(Serialize, JsonSchema)]
pub struct EdgeRow {
    pub from: u32,
    pub to: u32,
    /// `contradicts`, `bridges` or `supersedes`.
    pub kind: &'static str,
    pub score: f32,
}

/// A text that became no memory.
#[derive(Serialize, JsonSchema)]
pub struct SkipRow {
    /// The step after whose answer it would have been there.
    pub step: u32,
    /// Its first sentence.
    pub text: String,
    /// `same_text` or `similar`.
    pub why: &'static str,
    /// The memory that it is like.
    pub like: u32,
    pub score: Option<f32>,
}

/// What of an attached file became memories.
#[derive(Serialize, JsonSchema)]
pub struct LeftOutRow {
    pub file: String,
    /// Bytes of its text that did: the first.
    pub taken: u64,
    /// Bytes of its text that is sent.
    pub of: u64,
}

/// A pack.
#[derive(Serialize, JsonSchema)]
pub struct PackRow {
    /// The step at which it was made.
    pub step: u32,
    pub query: String,
    pub budget_tokens: u64,
    pub estimated_tokens: u64,
    pub count: usize,
    pub text: String,
    pub candidates: Vec<CandidateRow>,
    /// Memories that are similar enough to be told of, and are not.
    pub others: usize,
    /// The least score of a memory that is packed.
    pub min_score: f32,
    /// The least score of a memory that is told of.
    pub told_from: f32,
    /// Memories of a lower score.
    pub below: usize,
    /// The best score among those.
    pub best_below: Option<f32>,
}

/// A memory that was looked at.
#[derive(Serialize, JsonSchema)]
pub struct CandidateRow {
    pub id: u32,
    pub score: f32,
    pub taken: bool,
    /// `taken`, `present`, `gone` (it stood in the window until a later stage of this step), `same_start`, `too_many`, `unlooked`,
    /// `over_budget` or `below_score`.
    pub why: &'static str,
    /// The memory that it begins as, or was found through.
    pub other: Option<u32>,
    /// The tokens that its line needs, where the budget left it out.
    pub needs_tokens: Option<u64>,
}

/// What was taken out before a compaction.
#[derive(Serialize, JsonSchema)]
pub struct PreservedRow {
    pub step: u32,
    pub memories: Vec<u32>,
    /// The signal phrase that each of them holds; null where a model took it out without one.
    pub phrases: Vec<Option<String>>,
    /// Facts that were known already.
    pub known: u32,
}

/// What a reconciliation did.
#[derive(Serialize, JsonSchema)]
pub struct ReconciledRow {
    pub step: u32,
    pub looked_at: u32,
    pub changes: Vec<ChangeRow>,
    pub edges_removed: usize,
    /// They as they were: an end of theirs is gone, or both are one now, or another relates the same.
    pub removed: Vec<EdgeRow>,
}

/// One decision of a reconciliation.
#[derive(Serialize, JsonSchema)]
pub struct ChangeRow {
    /// `promoted`, `merged` or `consolidated`.
    pub change: &'static str,
    pub id: u32,
    /// The memories that were merged into it.
    pub of: Vec<u32>,
    pub uses: Option<u32>,
    pub score: Option<f32>,
    /// Sentences of the others that were added to the longest.
    pub kept: Option<u32>,
}

/// Puts together what is told of a step; of what was skipped, up to `last`.
pub fn told(
    transcript: &Transcript,
    path: &Path,
    policy: &str,
    (step, last): (u32, u32),
    recall: &Recall,
    remembered: &Remembered,
    settings: &policy::Memory,
) -> Told {
    let (store, phrase) = (&remembered.store, phrases(settings));
    let said = |id: &MemoryId| Some(phrase(store.get(*id)?)?.to_string());
    let ids = |ids: &[MemoryId]| ids.iter().map(|id| id.0).collect();
    let row = |(id, memory, state): (MemoryId, &Memory, State)| MemoryRow {
        id: id.0,
        scope: memory.scope.name(),
        owner: memory.owner.to_string(),
        source_type: memory.source_type.to_string(),
        how: memory.how.name(),
        born: memory.born,
        age: (memory.born > 0).then(|| step.saturating_sub(memory.born)),
        uses: state.uses,
        used_at: state.used_at,
        promoted: state.promoted,
        merged_into: state.into.map(|id| id.0),
        text: memory.text.to_string(),
        around: memory.around.as_deref().map(str::to_owned),
        rewritten: memory.rewritten,
        provenance: places(transcript, recall, memory),
        earlier: memory
            .earlier
            .iter()
            .map(|one| EarlierRow { source: one.source.to_string(), bytes: one.bytes })
            .collect(),
    };
    let number = |id: MemoryId| remembered.number(recall.seed.len(), id).unwrap_or(id).0;
    let skip = |skipped: &Skipped| {
        let (why, like, score) = match skipped.why {
            Skip::SameText(like) => ("same_text", number(like), None),
            Skip::Similar(like, score) => ("similar", number(like), Some(score)),
        };
        SkipRow { step: skipped.born, text: skipped.text.clone(), why, like, score }
    };
    Told {
        schema: "windowpane/memory/1",
        path: path.to_string_lossy().into_owned(),
        policy: policy.to_owned(),
        step,
        embedding: store.space().name.to_string(),
        only_preserved: None,
        memories: store.all().map(row).collect(),
        edges: store.edges().iter().map(edge_row).collect(),
        rewritten: recall.report.rewritten,
        skipped: recall.report.skipped.iter().filter(|skipped| skipped.born <= last).map(skip).collect(),
        left_out: recall
            .left_out
            .iter()
            .map(|one| LeftOutRow { file: one.name.to_string(), taken: one.taken, of: one.of })
            .collect(),
        pack: remembered.packs.last().map(|(at, query, packed)| pack_row((*at, query, packed), remembered, settings)),
        preserved: remembered
            .preserved
            .iter()
            .map(|(step, made, known)| PreservedRow {
                step: *step,
                memories: ids(made),
                phrases: made.iter().map(said).collect(),
                known: *known,
            })
            .collect(),
        reconciled: remembered
            .reconciled
            .iter()
            .map(|(step, report)| ReconciledRow {
                step: *step,
                looked_at: report.looked_at,
                changes: report.changes.iter().map(change_row).collect(),
                edges_removed: report.edges_removed.len(),
                removed: report.edges_removed.iter().map(edge_row).collect(),
            })
            .collect(),
        summaries: Vec::new(),
        summary_tokens: SummarySizes::default(),
        recorded_summaries: Vec::new(),
        recorded_summary_tokens: SummarySizes::default(),
        attached: transcript
            .sources
            .iter()
            .filter(|source| source.kind.is_attached())
            .map(|source| source.name.clone())
            .collect(),
    }
}

fn pack_row(
    (step, query, packed): (u32, &str, &Packed),
    remembered: &Remembered,
    settings: &policy::Memory,
) -> PackRow {
    let candidate = |one: &memory::Candidate| CandidateRow {
        id: one.id.0,
        score: one.score,
        taken: matches!(one.why, Why::Taken(_)),
        why: one.why.name(),
        other: match one.why {
            Why::SameStart(other) => Some(other.0),
            _ => one.through.map(|other| other.0),
        },
        needs_tokens: match one.why {
            Why::OverBudget(needs) => Some(needs),
            _ => None,
        },
    };
    PackRow {
        step,
        query: query.to_owned(),
        budget_tokens: packed.budget,
        estimated_tokens: packed.tokens,
        count: packed.lines.len(),
        text: packed.text(&remembered.store),
        candidates: packed.candidates.iter().map(candidate).collect(),
        others: packed.others,
        min_score: least_of(settings),
        told_from: memory::told_from(settings),
        below: packed.below,
        best_below: packed.best_below,
    }
}

fn edge_row(edge: &memory::Edge) -> EdgeRow {
    EdgeRow { from: edge.from.0, to: edge.to.0, kind: edge.kind.name(), score: edge.score }
}

fn change_row(change: &Change) -> ChangeRow {
    let merged = |change, merged: &memory::Merged| ChangeRow {
        change,
        id: merged.into.0,
        of: merged.of.iter().map(|id| id.0).collect(),
        uses: None,
        score: Some(merged.score),
        kept: Some(merged.kept),
    };
    match change {
        Change::Promoted { id, uses } => {
            ChangeRow { change: "promoted", id: id.0, of: Vec::new(), uses: Some(*uses), score: None, kept: None }
        }
        Change::Merged(one) => merged("merged", one),
        Change::Consolidated(one) => merged("consolidated", one),
    }
}

/// Where a memory's text stands.
fn places(transcript: &Transcript, recall: &Recall, memory: &Memory) -> Vec<Place> {
    let told = |origin: &memory::Origin| {
        let mut found = places_of(transcript, origin);
        if let Some(lines) = recall.lines_of.get(&(origin.block, origin.whole)) {
            for place in &mut found {
                (place.line, place.place) = (Some(lines.line(origin.start)), lines.place(origin.start));
            }
        }
        found
    };
    memory.origins.iter().flat_map(told).collect()
}

/// Where the bytes of a block stand.
pub fn places_of(transcript: &Transcript, origin: &memory::Origin) -> Vec<Place> {
    let mut found = Vec::new();
    let Some(block) = transcript.block(origin.block) else { return found };
    let body = block.original.as_deref().filter(|_| origin.whole).unwrap_or(&block.body);
    for span in body.spans() {
        let source = transcript.sources.get(span.source.0 as usize);
        found.push(Place {
            source: source.map_or_else(String::new, |source| source.name.clone()),
            line: (span.source == block.record.source).then_some(block.record.line),
            bytes: [span.start, span.end],
            of: bytes_of(transcript, span.source),
            part: Some([origin.start, origin.end]),
            place: None,
        });
    }
    found
}
