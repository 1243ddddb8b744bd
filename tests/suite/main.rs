//! All tests that need the whole program, in one binary.

#![allow(clippy::unwrap_used, clippy::expect_used)]

mod base_tools;
mod claude_kept;
mod cli;
mod codex;
mod damage;
mod data;
mod detection;
mod documents;
mod export;
mod facts;
mod floors;
mod hostile_documents;
mod mechanisms;
mod memory;
mod model_server;
mod packages;
mod prepared;
mod readme;
mod real_chunks;
mod real_claude;
mod real_codex;
mod real_counts;
mod real_documents;
mod real_entries;
mod real_policies;
mod real_requests;
mod real_sessions;
mod replays;
mod requests;
mod settings;
mod story;
mod terminal;
mod views;
mod workspace;
