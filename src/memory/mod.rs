//! Memories: what outlives a window, as source 2 has it. Ingest, pack, preserve, reconcile; pure functions over data.
//!
//! Where the source is silent, its public implementation decides (db0, `packages/core`). Vectors are handed in; where
//! nobody has any, the words of a text stand for it.

mod abbreviation;
mod admitted;
mod alone;
mod amount;
mod assigned;
mod beyond;
mod cjk;
mod claim;
#[cfg(test)]
mod clause_pairs_tests;
mod clauses;
mod compare;
mod contrary;
mod counted;
mod dealt;
mod deed;
mod denied;
mod divide;
mod entry;
mod exchange;
#[cfg(test)]
mod exchanged_tests;
mod figure;
mod foreign_units;
mod fraction;
mod fragment;
mod graph;
mod guarded;
mod held;
mod implied;
mod ingest;
mod irregular;
mod joined;
mod label;
mod lexer;
mod linked;
mod marks;
mod meant;
mod measure;
#[cfg(test)]
mod measure_tests;
mod mixed;
mod mood;
mod named;
mod near;
mod notation;
mod nowhere;
mod numeral;
mod one_letter_names;
#[cfg(test)]
mod opposite_tests;
mod opposites;
mod pack;
mod paired;
#[cfg(test)]
mod pairs_tests;
mod part;
mod permission;
mod polarity;
mod preserve;
mod prompt;
#[cfg(test)]
mod properties;
mod quantity;
mod reach;
mod reading;
mod reconcile;
#[cfg(test)]
mod restated_tests;
mod rewriting;
mod roles;
mod same;
mod scan;
mod sense;
mod sentences;
#[cfg(test)]
mod settings_tests;
mod sides;
mod slot;
mod stand;
mod store;
mod subject;
mod supports;
mod taken_back;
#[cfg(test)]
mod tests;
mod told;
mod turn;
#[cfg(test)]
mod turned_tests;
mod undone;
mod unsettled;
mod vector;
mod vectors;
mod warrant;
#[cfg(test)]
mod warrant_tests;
mod whole;
mod words;
mod written;

pub use denied::forbids;
pub use divide::divide;
pub use entry::{Earlier, Edge, EdgeKind, How, Memory, MemoryId, Origin, Owners, State, nameless, of_nameless};
pub use figure::amounts;
pub use graph::{Graph, Link, Tie};
pub use held::{Lack, Needs};
pub use ingest::{Drafted, Ingested, Input, Outcome, Part, Rewrite, Skip, Skipped, drafts, ingest, write};
pub use measure::{Aligned, Kept, Summary, Support, align, align_through, facts_of};
pub use near::{Backing, share_in};
pub use numeral::{is_number_in_words, numbers_in_words};
pub use pack::{Candidate, LISTED_FROM, Line, Pack, Packed, Why, budget, pack, reaches, told_from};
pub use polarity::Assertion;
pub use preserve::{facts, signals};
pub use prompt::{Answer, BadForm, Noted, Prompt, Told, ask_summary, fitting, read_summary};
pub use reconcile::{Change, Merged, Reconciled, reconcile};
pub use rewriting::{ask_rewriting, read_rewriting};
pub use same::normal;
pub use sense::has_negation;
pub use sentences::sentences;
pub use store::Store;
pub use supports::Supports;
pub use turn::{ASSISTANT, Asked, Shown, USER};
pub use vector::{Embed, Space, Vector, by_words};
pub use words::{is_wide_end, plain, summary};
