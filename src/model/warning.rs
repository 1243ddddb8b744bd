//! What could not be understood, and where.

use serde::Serialize;

use super::SourceId;

/// A located complaint about damaged or unknown input. Never fatal.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize)]
pub struct Warning {
    /// The source it is about.
    pub source: SourceId,
    /// Line, from 1; 0 when it is about the whole source.
    pub line: u32,
    /// What is the matter, in one sentence. May quote untrusted text.
    pub message: String,
}
