//! What the harness puts in front of and between a person's messages, told by how it begins.

use crate::model::{BlockKind, Layer, Record, Role, SKILLS};
use crate::transcript::harness::{Behind, is_whole};
use crate::transcript::parts::Piece;

use super::record::{Entry, What};

/// How a text begins, and what it is then.
struct Mark {
    begins: &'static str,
    layer: Layer,
    label: &'static str,
}

const fn mark(begins: &'static str, layer: Layer, label: &'static str) -> Mark {
    Mark { begins, layer, label }
}

/// The summary's first words, as the agent writes them.
pub(super) const SUMMARY: &str = "Another language model started to solve this problem";

/// Texts of the user's role that no person wrote.
const USER: &[Mark] = &[
    mark("# AGENTS.md instructions", Layer::Instructions, "AGENTS.md"),
    mark("<user_instructions>", Layer::Instructions, "user_instructions"),
    mark("<INSTRUCTIONS>", Layer::Instructions, "instructions"),
    mark("<environment_context>", Layer::Notices, "environment_context"),
    mark("<ENVIRONMENT_CONTEXT>", Layer::Notices, "environment_context"),
    mark("<skill>", Layer::Skills, "skill"),
    mark("<skills_instructions>", Layer::Skills, SKILLS),
    mark("<recommended_plugins>", Layer::Notices, "recommended_plugins"),
    mark("<user_shell_command>", Layer::Notices, "user_shell_command"),
    mark("<user_action>", Layer::Notices, "user_action"),
    mark("<turn_aborted>", Layer::Notices, "turn_aborted"),
    mark("<subagent_notification>", Layer::Notices, "subagent_notification"),
    mark("<hook_prompt", Layer::Notices, "hook"),
    mark("<goal_context>", Layer::Notices, "goal"),
    mark("<codex_internal_context", Layer::Notices, "internal context"),
    mark(SUMMARY, Layer::Summaries, "summary"),
];

/// Texts of the developer's role; whatever else there is are instructions.
const DEVELOPER: &[Mark] = &[
    mark("<skills_instructions>", Layer::Skills, SKILLS),
    mark("<skill>", Layer::Skills, "skill"),
    mark("## Memory", Layer::Memory, "memory"),
    mark("<memory", Layer::Memory, "memory"),
    mark("<environment_context>", Layer::Notices, "environment_context"),
    mark("<token_budget>", Layer::Notices, "token_budget"),
    mark("<context_window", Layer::Notices, "context_window"),
    mark("<turn_aborted>", Layer::Notices, "turn_aborted"),
    mark("<model_switch>", Layer::Notices, "model_switch"),
];

/// Puts a message's text into its layer; `begins` are its stored bytes.
pub(super) fn classify(piece: &mut Piece, role: Role, begins: &[u8]) {
    if piece.draft.kind != BlockKind::Text {
        return;
    }
    let marks = match role {
        Role::User => USER,
        Role::Developer | Role::System => DEVELOPER,
        Role::Assistant | Role::Tool => return,
    };
    // Leading line breaks are escapes as stored.
    let mut begins = begins;
    while let Some(rest) = begins.strip_prefix(br"\n").or_else(|| begins.strip_prefix(b" ")) {
        begins = rest;
    }
    let draft = &mut piece.draft;
    // A person may begin with a tag, too; the agent closes its own.
    let is = |mark: &&Mark| match role {
        Role::User => is_whole(begins, mark.begins, Behind::Person),
        _ => begins.starts_with(mark.begins.as_bytes()),
    };
    if let Some(mark) = marks.iter().find(is) {
        draft.layer = mark.layer;
        mark.label.clone_into(&mut draft.label);
        if mark.layer == Layer::Summaries {
            draft.kind = BlockKind::Summary;
        }
    } else if role != Role::User {
        draft.layer = Layer::Instructions;
        draft.label = tag(begins).unwrap_or_else(|| "developer".to_owned());
    }
}

/// The name of the tag that a text begins with.
fn tag(begins: &[u8]) -> Option<String> {
    let inner = begins.strip_prefix(b"<")?;
    let end = inner.iter().take(40).position(|byte| *byte == b'>')?;
    let name = inner.get(..end)?;
    let plain = |byte: &u8| byte.is_ascii_alphanumeric() || b"_- ".contains(byte);
    name.iter().all(plain).then(|| String::from_utf8_lossy(name).into_owned())
}

/// Whether the initial context stands among the messages before the first answer.
pub(super) fn logs_instructions(entries: &[(Record, Entry)]) -> bool {
    let items = entries.iter().filter_map(|(_, entry)| match &entry.what {
        What::Item(item) => Some(item),
        _ => None,
    });
    items.take_while(|item| !item.by_model).any(|item| {
        item.role == Role::Developer || item.pieces.iter().any(|piece| piece.draft.layer == Layer::Instructions)
    })
}
