//! `trace --json`: what became of facts, as objects.

use schemars::JsonSchema;
use serde::Serialize;

use crate::cli::header::Head;
use crate::inquiry::{Back, Fact, Found, Held, Need, Occurrence, Sight, Stay, Trace};
use crate::model::{Fate, Layer, Run, Stage, Transcript};
use crate::policy::Choice;
use crate::present::verdict::verdict;

/// Occurrences that JSON lists.
pub const LISTED: usize = 2_000;

/// `trace --json`.
#[derive(Serialize, JsonSchema)]
pub struct Output {
    /// `windowpane/trace/1`
    pub schema: &'static str,
    #[serde(flatten)]
    pub head: Head,
    /// The step that `in_window` is about.
    pub step: u32,
    pub facts: Vec<FactRow>,
}

/// One fact.
#[derive(Serialize, JsonSchema)]
pub struct FactRow {
    pub fact: String,
    /// Whether the model could read it at the step: word for word, or for a sentence a passage that means it.
    pub in_window: bool,
    /// Whether it came in before, and nothing in that window says it but a question for it: it is not kept.
    pub only_in_question: bool,
    /// Whether nobody can tell if it was there when it was needed: a summary stands for it that only its vendor can read.
    /// It is neither kept nor lost.
    pub unknown: bool,
    /// What became of it, in plain words.
    pub verdict: String,
    /// Whether a summary of a replay that the verdict tells of is a stand-in: no model wrote it, though one would have, and
    /// the sentences that matter most stand in. A model's own words may say something else.
    pub stood_in: bool,
    /// The step at which it was needed: `given`, `asked` (a later question of the user), `answered` (the
    /// recorded answer to this step says it, and under the policy nothing in its window does), or `end`.
    pub needed: Needed,
    /// The step from which on it was in no window before it was needed.
    pub lost_at: Option<u32>,
    /// The step from which on it was in no window any more, where that is after it was needed.
    pub lost_later: Option<u32>,
    /// Whether a later answer repeats it.
    pub used: bool,
    pub position: Option<PositionRow>,
    /// What ranked a fact by meaning, and from which score on.
    pub ranked_by: Option<String>,
    pub threshold: Option<f32>,
    /// Passages that were compared by vectors, and how many there are.
    pub compared: Option<[u64; 2]>,
    /// Passages that are as near as its places, or say it word for word, and were not followed: there are too many.
    pub unfollowed: u64,
    /// Passages over the threshold that stand before its places, are less near and were not followed.
    pub earlier: u64,
    /// Passages that are as near and do not say it.
    pub unlike: UnlikeRow,
    /// The first longer word or number that holds it, where it nowhere stands by itself: its places are inside of words.
    pub inside: Option<String>,
    /// Memories that say it, where it is in no window at that step, and why none was packed; those that came nearest
    /// first.
    pub memories: Vec<MemoryRow>,
    /// Places beyond those that are listed.
    pub more: u64,
    pub occurrences: Vec<OccurrenceRow>,
}

/// Passages that are as near to a sentence as those that say it, by why they do not.
#[derive(Serialize, JsonSchema)]
pub struct UnlikeRow {
    /// Without a figure or name of it, and the first of those.
    pub without: u64,
    pub names: Vec<String>,
    /// Names alone.
    pub bare: u64,
    /// Denying what it affirms, or affirming what it denies.
    pub denying: u64,
    /// Planning or supposing what it says to be so.
    pub open: u64,
    /// Of what was so once.
    pub past: u64,
}

/// A memory that says it.
#[derive(Serialize, JsonSchema)]
pub struct MemoryRow {
    pub id: u32,
    pub scope: &'static str,
    /// `ingested`, `preserved`, `written`, `merged`, `unsupported`.
    pub how: &'static str,
    /// Whether it was kept from before the session.
    pub kept: bool,
    /// The first step at which it could be packed.
    pub from: u32,
    /// The step of the pack that was there at the step in question; null where nothing had been asked for.
    pub pack: Option<u32>,
    /// How relevant it was then.
    pub score: Option<f32>,
    /// What of it says the like of a fact by meaning, and how near that is.
    pub sentence: Option<String>,
    pub likeness: Option<f32>,
    /// `below_score`, `too_many`, `unlooked`, `over_budget`, `same_start`, `present`, `gone`, or `taken` (what was packed of it is
    /// another part).
    pub why: Option<&'static str>,
}

/// When it was needed.
#[derive(Serialize, JsonSchema)]
pub struct Needed {
    pub step: u32,
    pub by: &'static str,
}

/// Where it stands in the window.
#[derive(Serialize, JsonSchema)]
pub struct PositionRow {
    /// Tokens before it.
    pub from_start: u64,
    /// Tokens after it.
    pub from_end: u64,
    /// Its distance from the start as a share of what is used.
    pub share: f64,
    /// Whether these are estimates: the text that it stands in is too long to be counted up to it.
    pub estimated: bool,
}

/// One place that it stands at.
#[derive(Serialize, JsonSchema)]
pub struct OccurrenceRow {
    pub source: String,
    /// Line of the record; in an attached file, of its text.
    pub line: Option<u32>,
    /// Bytes in the source, escapes included.
    pub bytes: Option<[u64; 2]>,
    /// `markdown` where `line` and `bytes` are those of the Markdown that an attached file was converted to, and none of
    /// the file's; `limited_markdown` where they are those of what the policy's limits left of that, which alone says it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub of: Option<&'static str>,
    /// The page, slide, sheet or chapter of an attached file in which it stands: `page 3`. Untrusted.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub place: Option<String>,
    pub layer: Layer,
    pub label: String,
    /// Line of the text that it stands in, and how many the text has.
    pub text_line: Option<[u32; 2]>,
    /// The line around it.
    pub context: Option<String>,
    /// Whether the model wrote it.
    pub by_model: bool,
    /// How near it is, for facts by meaning.
    pub score: Option<f32>,
    /// The thread that it came in by, where it is not the one that is traced.
    pub thread: Option<u32>,
    /// The first step whose window held the piece; null where none did.
    pub first_step: Option<u32>,
    pub fates: Vec<FateRow>,
}

/// What held of it for some steps.
#[derive(Serialize, JsonSchema)]
pub struct FateRow {
    /// The first step.
    pub from: u32,
    /// The last step; null to the end.
    pub to: Option<u32>,
    pub fate: Fate,
    /// How it is seen: verbatim, line, summary, memory, refused (in a request that was too long: the model never got it), part, paraphrase, hidden, anew (it was written to a file that the agent is known to read again after a compaction, which nothing records), pointer, unpacked (a memory says it, and is not packed), marker, gone.
    pub seen: &'static str,
    pub entry: Option<u32>,
    pub stage: Option<Stage>,
    pub rule: Option<String>,
    /// What was measured against which threshold; of a refused request its tokens, and the window's size.
    pub threshold: Option<u64>,
    pub measured: Option<u64>,
    /// A virtual file, a path (several where they were shown together and one of them says it), `memory N` (once that is packed), or `referring` (its turn comes back once a later one refers to it).
    pub retrievable: Option<String>,
    /// A file that said it, where nobody can tell whether it still does; or those of several that were shown together, one
    /// of which says it, that the window names. Only where there is one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub perhaps: Option<String>,
    /// The file that it could be read back from before, where something ended that at `from`.
    pub ended: Option<String>,
    /// What did: the file was `removed` (or moved), `changed`, or is `unnamed` in the window from then on.
    pub ended_by: Option<&'static str>,
    /// `literal`, `paraphrase` or `no`; null where nobody can tell.
    pub survives: Option<&'static str>,
    /// How near the sentence is that says the like, or speaks of it.
    pub score: Option<f32>,
    /// The sentence of a summary, or of a memory that is not packed, that says it, word for word or alike; where it
    /// survives as `no`, one that speaks of it without saying it.
    pub sentence: Option<String>,
}

/// What became of a fact.
pub fn fact_row(fact: &Fact, found: &Found, trace: &Trace, transcript: &Transcript, run: &Run) -> FactRow {
    let listed = trace.occurrences.iter().take(LISTED);
    FactRow {
        fact: trace.fact.clone(),
        in_window: trace.in_window,
        only_in_question: trace.is_only_in_question(),
        unknown: trace.is_unknown(),
        verdict: verdict(trace, fact, found, transcript, run).join(" "),
        stood_in: trace.rests_on_stand_in(run),
        needed: Needed {
            step: trace.need.step(),
            by: match trace.need {
                Need::Given(_) => "given",
                Need::Asked(..) => "asked",
                Need::Answered(_) => "answered",
                Need::End(_) => "end",
            },
        },
        lost_at: trace.loss.filter(|_| !trace.is_unknown()).map(|loss| loss.step),
        lost_later: trace.later.map(|loss| loss.step),
        used: trace.used,
        position: trace.position.map(|place| PositionRow {
            from_start: place.from_start,
            from_end: place.from_end,
            share: place.share,
            estimated: place.estimated,
        }),
        ranked_by: found.ranked.map(|(by, _)| by.to_owned()),
        threshold: found.ranked.map(|(_, threshold)| threshold),
        compared: found.compared.map(|(done, all)| [done, all]),
        unfollowed: found.unfollowed,
        earlier: found.earlier,
        unlike: UnlikeRow {
            without: found.unlike.without,
            names: found.unlike.names.clone(),
            bare: found.unlike.bare,
            denying: found.unlike.denying,
            open: found.unlike.open,
            past: found.unlike.past,
        },
        inside: found.inside.as_ref().map(|(word, _)| word.clone()),
        memories: trace.held.iter().map(memory_row).collect(),
        more: found.more + trace.occurrences.len().saturating_sub(LISTED) as u64,
        occurrences: listed.map(|one| occurrence_row(one, found, transcript, run)).collect(),
    }
}

fn memory_row(held: &Held) -> MemoryRow {
    let candidate = held.pack.as_ref().map(|pack| pack.candidate);
    MemoryRow {
        id: held.id.0,
        scope: held.scope.name(),
        how: held.how.name(),
        kept: held.kept,
        from: held.from,
        pack: held.pack.as_ref().map(|pack| pack.step),
        score: candidate.map(|one| one.score),
        sentence: held.like.as_ref().map(|like| like.sentence.clone()),
        likeness: held.like.as_ref().map(|like| like.score),
        why: candidate.map(|one| one.why.name()),
    }
}

fn occurrence_row(one: &Occurrence, found: &Found, transcript: &Transcript, run: &Run) -> OccurrenceRow {
    let place = one.place.and_then(|at| found.places.get(at));
    let spot = place.and_then(|place| place.told(transcript));
    let source = spot.and_then(|spot| transcript.sources.get(spot.stored.0.0 as usize));
    OccurrenceRow {
        source: source.map_or_else(String::new, |source| source.name.clone()),
        line: one.block.zip(spot).and_then(|(block, spot)| spot.line_of_source(block, transcript)),
        bytes: spot.map(|spot| [spot.stored.1, spot.stored.2]),
        of: source.and_then(|source| source.kind.bytes_of()),
        place: source.zip(spot).and_then(|(source, spot)| source.landmark(spot.stored.1)).map(str::to_owned),
        layer: one.layer,
        label: one.label.to_string(),
        text_line: spot.map(|spot| [spot.line, spot.lines]),
        context: spot.map(|spot| spot.context.clone()),
        by_model: one.by_model,
        score: place.and_then(|place| place.score).or_else(|| in_memory(one)),
        thread: one.elsewhere.map(|id| id.0),
        first_step: one.first,
        fates: one.stays.iter().map(|stay| fate_row(stay, run)).collect(),
    }
}

/// How near what a memory says is that no window held.
pub fn in_memory(one: &Occurrence) -> Option<f32> {
    let stay = one.stays.first().filter(|stay| one.place.is_none() && stay.sight == Sight::Unpacked)?;
    stay.like.as_ref().map(|like| like.score)
}

fn fate_row(stay: &Stay, run: &Run) -> FateRow {
    let event = stay.decided(run).filter(|_| !stay.is_of_file(run));
    let event = event.as_deref();
    FateRow {
        from: stay.from,
        to: stay.to,
        fate: stay.fate,
        seen: stay.sight.name(),
        entry: stay.entry.map(|id| id.0),
        stage: event.map(|event| event.stage),
        rule: event.map(|event| event.rule.to_string()),
        threshold: event.and_then(|event| event.threshold).or_else(|| Some(stay.refusal(run)?.1)),
        measured: event.and_then(|event| event.measured).or_else(|| Some(stay.refusal(run)?.0)),
        retrievable: stay.back.as_ref().and_then(|back| match back {
            Back::File(file) => Some(file.to_string()),
            Back::Path(path) | Back::Anew { path, .. } => Some(path.clone()),
            Back::Attached(name) => Some(name.clone()),
            Back::Referring => Some("referring".to_owned()),
            Back::Memory(id) => Some(format!("memory {}", id.0)),
            Back::Among { paths, all: true } => Some(paths.join(", ")),
            Back::Perhaps { .. } | Back::Among { all: false, .. } | Back::Ended { .. } => None,
        }),
        perhaps: stay.back.as_ref().and_then(|back| match back {
            Back::Perhaps { path, .. } => Some(path.clone()),
            Back::Among { paths, all: false } => Some(paths.join(", ")),
            _ => None,
        }),
        ended: stay.back.as_ref().and_then(|back| match back {
            Back::Ended { path, .. } => Some(path.clone()),
            _ => None,
        }),
        ended_by: stay.back.as_ref().and_then(|back| match back {
            Back::Ended { by, .. } => Some(by.name()),
            _ => None,
        }),
        survives: match stay.sight {
            Sight::Hidden | Sight::Anew => None,
            Sight::Paraphrase => Some("paraphrase"),
            Sight::Unpacked => Some("no"),
            _ if stay.like.as_ref().is_some_and(|like| !like.without) => Some("paraphrase"),
            sight if sight.is_visible() => Some("literal"),
            _ => Some("no"),
        },
        score: stay.like.as_ref().map(|like| like.score),
        sentence: stay.sentence().map(str::to_owned),
    }
}
