//! Which files a history touches, by the arguments of its tool calls.

use crate::content::Sources;
use crate::engine::plan::touched_path;
use crate::model::{BlockKind, Transcript};

use super::Plan;

/// Paths in tool calls with the step from which the call stands in the window, in order. Paths are as the agent wrote
/// them; those below `folder` (the agent's working folder, where it is known) are made relative to it.
#[must_use]
pub fn touched(plan: &Plan, transcript: &Transcript, sources: &Sources) -> Vec<(u32, String)> {
    let folder = transcript.session.folder.as_deref().map(|folder| folder.trim_end_matches(['/', '\\']));
    let mut found = Vec::new();
    for item in plan.items.iter().filter(|item| item.kind == BlockKind::ToolCall) {
        let Some(block) = transcript.block(item.block) else { continue };
        let Some(path) = sources.body_text(&block.body).ok().and_then(|text| touched_path(&text)) else { continue };
        let path = path.replace('\\', "/");
        let inner = folder.and_then(|folder| path.strip_prefix(&folder.replace('\\', "/")));
        found.push((item.born, inner.map_or(path.as_str(), |inner| inner.trim_start_matches('/')).to_owned()));
    }
    found
}
