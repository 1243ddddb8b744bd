//! Messages that are taken back: a model refused in the middle of an answer, and another was asked instead.

use crate::model::{Record, RewindCause};
use crate::transcript::scan::Value;

use super::boundary::key;
use super::record::Key;

use super::weave::Weaver;

/// The records that a system record takes back; none where it takes nothing back.
pub(super) fn retracted<'a>(field: impl Fn(&str) -> Option<Value<'a>>) -> Vec<Key> {
    let names = ["retractedMessageUuids", "retracted_message_uuids"];
    let list = names.iter().find_map(|name| field(name));
    list.map(|list| list.items()).unwrap_or_default().into_iter().filter_map(|id| key(Some(id))).collect()
}

impl Weaver<'_> {
    /// Takes records out of the window, as far as it holds them.
    pub(super) fn retract(&mut self, records: &[Key], record: Record) {
        if let Some(window) = self.tree.retract(records) {
            self.rewind(window, RewindCause::Edited, record);
        }
    }
}
