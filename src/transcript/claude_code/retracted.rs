//! Messages that are taken back: a model refused in the middle of an answer, and another was asked instead.

use crate::model::{Record, RewindCause};
use crate::transcript::scan::Value;

use super::boundary::key;
use super::record::Key;

use super::weave::Weaver;

/// Names under which a system record lists what it takes back.
pub(super) const TAKEN_BACK: &[&str] = &["retractedMessageUuids", "retracted_message_uuids"];
/// Names under which an answer lists those in whose place it stands.
pub(super) const REPLACES: &[&str] = &["supersedesUuids", "supersedes"];

/// The records that a record takes back, under one of these names; none where it takes nothing back.
pub(super) fn retracted<'a>(names: &[&str], field: impl Fn(&str) -> Option<Value<'a>>) -> Vec<Key> {
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
