//! Lines of Codex's rollouts.

use super::{Sign, first_words, shortened};
use crate::content::hash;
use crate::model::Coding;
use crate::transcript::json::{Json, parse};

/// What a line of a Codex rollout tells.
#[must_use]
pub fn codex(line: &[u8]) -> Vec<Sign> {
    let (record, _) = parse(line);
    let Some(payload) = record.get("payload") else { return Vec::new() };
    let kind = payload.str_of("type");
    match &*record.str_of("type") {
        "session_meta" => {
            payload.get("cwd").and_then(Json::str).map(|cwd| Sign::Folder(shortened(&cwd))).into_iter().collect()
        }
        "compacted" => vec![Sign::Compaction],
        // Totals only grow; a report that is repeated is no further request.
        "event_msg" if kind == "token_count" => step(payload).into_iter().collect(),
        "response_item" if kind == "message" && payload.str_of("role") == "user" => {
            payload.get("content").and_then(first_words).map(Sign::Prompt).into_iter().collect()
        }
        _ => Vec::new(),
    }
}

fn step(payload: &Json<'_>) -> Option<Sign> {
    let info = payload.some("info")?;
    let total = info.get("total_token_usage")?.get("total_tokens")?;
    // After a compaction an estimate is reported that belongs to no request: nothing was sent.
    let sent = info.get("last_token_usage")?.count_of("input_tokens")?;
    (sent > 0).then(|| Sign::Step(hash(total.raw, Coding::Plain)))
}
