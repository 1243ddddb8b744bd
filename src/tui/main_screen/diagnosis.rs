//! The sentence that says what is the matter with the session.

use crate::config::Role;
use crate::present::{Tone, sentence};
use crate::tui::inspect::Inspect;
use crate::tui::line::Line;

/// Draws as many of its clauses as have room.
pub fn draw(line: &mut Line<'_>, view: &Inspect) {
    for (text, tone) in sentence(&view.diagnosis, usize::from(line.left())) {
        let role = match tone {
            Tone::Warning => Role::Warning,
            Tone::Faint => Role::Dim,
            _ => Role::Text,
        };
        line.put(&text, role);
    }
}
