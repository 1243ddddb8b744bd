//! Questions put to runs: what became of a fact, which settings would have kept it, what is wrong with a session.
//!
//! A fact's places are found once, in the contents of the transcript; its life in a run is then read off the table of
//! lifetimes by provenance.

mod answer;
mod axis;
mod bill;
mod both;
mod by_meaning;
mod candidates;
mod crowd;
mod dial;
mod distinctive;
mod fact;
mod find;
mod instructs;
mod keeps;
mod life;
mod likened;
mod lines;
pub mod lint;
mod meaning;
mod memories;
mod moved;
mod names;
mod need;
mod normal;
mod number;
mod paraphrase;
mod pattern;
mod question;
mod ready;
mod script;
mod spot;
mod stay;
pub mod survey;
mod sweep;
mod trace;
mod units;
mod unpacked;
mod values;
mod whatif;
mod which;
mod whole;

pub use answer::{Answer, Change, WhatIf};
pub use axis::Axis;
pub use bill::Bill;
pub use by_meaning::ByVectors;
pub use candidates::{Candidate, FactKind, PROPOSED, Proposed, candidates};
pub use dial::{Dial, with};
pub use fact::{Fact, FactError, Literal, Query};
pub use find::{Found, Place, find, find_told};
pub use keeps::{Kept, Known as KnownFact, keeps, needed_at};
pub use life::{Reading, Subject};
pub use memories::{Deed, Doer, Happened, Memories, phrases};
pub use names::called;
pub use need::Need;
pub use ready::{Ready, Remake};
pub use script::{Unread, is_foreign};
pub use spot::Spot;
pub use stay::{Back, Like, Sight, Stay};
pub use sweep::{Point, Wanted, combinations, front, front_by, is_mixed, sweep};
pub use trace::{Loss, Occurrence, Position, Trace, trace};
pub use unpacked::{Held, KEPT, Looked, Remembering, remember};
pub use values::{Vary, VaryError};
pub use whatif::Trials;
