//! The program itself, run as a process: nothing of this machine's environment reaches it.

pub mod chunks;
mod commands;
mod edges;
mod given;
mod helped;
mod inquiry;
#[cfg(unix)]
mod killed;
mod lint;
mod losses;
mod measured;
mod memory;
mod memory_by_hand;
mod memory_files;
mod memory_kept;
mod only_asked;
mod output;
mod places;
mod proposed;
mod readme;
mod real;
pub mod runner;
mod schema;
mod simulated;
mod sizes;
mod stand_ins;
mod steps;
mod survey_logs;
mod unreadable;

pub use runner::fixture;
