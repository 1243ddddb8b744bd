//! Context editing: results that the provider cleared before it asked the model, as its answer says.

use crate::model::{Clearing, Op, Record, Trigger};
use crate::transcript::history::oldest_calls;
use crate::transcript::scan::Value;

use super::weave::Weaver;

/// What the model sees in place of such a result.
const CLEARED: &str = "[cleared to save context]";

/// What an answer's `context_management` says was cleared of the request that it answers.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Managed {
    /// Calls whose results are gone, the oldest ones.
    pub calls: u64,
    /// Tokens saved, as far as that is told.
    pub saved: Option<u64>,
}

/// Reads an answer's `context_management`.
pub(super) fn managed(value: Option<Value<'_>>) -> Managed {
    let edits = value.and_then(|value| value.get("applied_edits")).map(|edits| edits.items()).unwrap_or_default();
    let mut managed = Managed::default();
    for edit in edits {
        let number = |name| edit.get(name).and_then(|number| number.number());
        let calls = number("cleared_tool_uses").unwrap_or(0);
        managed.calls = managed.calls.saturating_add(calls);
        if let Some(saved) = number("cleared_input_tokens").filter(|_| calls > 0) {
            managed.saved = Some(managed.saved.unwrap_or(0).saturating_add(saved));
        }
    }
    managed
}

impl Weaver<'_> {
    /// Clears what the request that is about to be made was sent without.
    pub(super) fn manage(&mut self, managed: Managed, record: Record) {
        if managed.calls == 0 {
            return;
        }
        let mut blocks =
            oldest_calls(&self.store.builder.transcript, &self.tree.window(), managed.calls, |_| false).results;
        blocks.retain(|id| self.gone.insert(*id));
        if !blocks.is_empty() {
            self.thread.ops.push(Op::Clear(Box::new(Clearing {
                record,
                trigger: Some(Trigger::Auto),
                tokens_before: None,
                tokens_saved: managed.saved,
                blocks,
                marker: CLEARED,
            })));
        }
    }
}
