//! Which preset replays what the agent did that wrote a transcript, and which of its versions' figures hold.

use crate::model::{Op, Transcript, Trigger};
use crate::policy::{Summarise, preset, preset_for};
use crate::transcript::by_name;

/// The name of the preset that replays what the agent did that wrote a transcript.
#[must_use]
pub fn own_preset(transcript: &Transcript) -> &'static str {
    by_name(transcript.format).map_or("internal-agent", |format| preset_for(format.preset))
}

/// The version of that agent: the one that first compacted by itself, where the transcript says (a session may be resumed
/// with a newer one), else the session's.
#[must_use]
pub fn agent_version(transcript: &Transcript) -> Option<&str> {
    let ops = transcript.threads.first().map(|thread| thread.ops.as_slice()).unwrap_or_default();
    let compacted = ops.iter().find_map(|op| match op {
        Op::Compact(compaction) if compaction.trigger == Some(Trigger::Auto) => Some(compaction.record),
        _ => None,
    });
    let session = &transcript.session;
    compacted.map_or(session.version.as_deref(), |record| session.version_at(record))
}

/// The same as `PRESET@VERSION`: another agent's preset has none of its versions.
#[must_use]
pub fn own_version(transcript: &Transcript) -> Option<String> {
    Some(format!("{}@{}", own_preset(transcript), agent_version(transcript)?))
}

/// How that agent makes its summaries, as the preset has it.
#[must_use]
pub fn own_summaries(transcript: &Transcript) -> Summarise {
    preset(own_preset(transcript), agent_version(transcript)).map(|(policy, _)| policy.summarise).unwrap_or_default()
}
