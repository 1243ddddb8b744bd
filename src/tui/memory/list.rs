//! The list of memories: only the rows in sight are looked at.

use ratatui::buffer::Buffer;

use crate::config::{Role, Theme};
use crate::inquiry::Memories;
use crate::memory::{MemoryId, State};
use crate::model::Layer;
use crate::policy::Choice;
use crate::present::memory::cut_short;
use crate::present::{count, first_words};
use crate::tui::line::Line;

use super::MemoryView;
use super::draw::{Parts, says};

/// Characters of a memory that a row may need.
pub(super) const WORDS: usize = 240;

/// The sign of what became of a memory, and its colour.
pub(super) fn sign(memories: &Memories, id: MemoryId) -> (&'static str, Role) {
    let state = memories.store.state(id);
    match state {
        State { into: Some(_), .. } => ("→", Role::Cleared),
        State { removed: true, .. } => ("×", Role::Removed),
        _ if memories.graph.is_contradicted(id) => ("≠", Role::Warning),
        State { promoted: true, .. } => ("▲", Role::Human),
        _ => ("●", Role::Layer(Layer::Memory)),
    }
}

/// Columns that a list has room for, beside the text.
struct Columns {
    scope: bool,
    age: bool,
    uses: bool,
}

fn columns(width: u16) -> Columns {
    Columns { scope: width >= 56, age: width >= 40, uses: width >= 30 }
}

/// Draws the list.
pub fn draw(buffer: &mut Buffer, theme: &Theme, parts: &Parts, page: &MemoryView, memories: &Memories) {
    let shows = columns(parts.list.width);
    let mut line = Line::new(buffer, theme, parts.columns, 0);
    line.skip(3);
    line.right("id", 6, Role::Dim);
    if shows.scope {
        line.skip(1);
        line.field("scope", 8, Role::Dim);
    }
    if shows.age {
        line.right("age", 5, Role::Dim);
    }
    if shows.uses {
        line.right("uses", 5, Role::Dim);
    }
    line.skip(1);
    line.put("memory", Role::Dim);
    for (y, (at, id)) in (0..parts.list.height).zip(page.rows.iter().enumerate().skip(page.list.top)) {
        let Some(memory) = memories.store.get(*id) else { continue };
        let state = memories.store.state(*id);
        let mut line = Line::new(buffer, theme, parts.list, y);
        if at == page.list.cursor {
            line.under(Role::Selection);
        }
        let (mark, role) = sign(memories, *id);
        line.put("▎", Role::Layer(Layer::Memory));
        line.put(mark, role);
        line.skip(1);
        let quiet = if state.is_live() { Role::Text } else { Role::Cleared };
        line.right(&id.0.to_string(), 6, Role::Dim);
        if shows.scope {
            line.skip(1);
            line.field(memory.scope.name(), 8, Role::Dim);
        }
        if shows.age {
            line.right(&count(u64::from(memories.step.saturating_sub(memory.born))), 5, Role::Dim);
        }
        if shows.uses {
            let uses = if state.uses == 0 { "–".to_owned() } else { count(u64::from(state.uses)) };
            line.right(&uses, 5, if state.uses == 0 { Role::Dim } else { Role::Accent });
        }
        line.skip(1);
        line.put(&first_words(memory.read(), WORDS), quiet);
    }
    if page.rows.is_empty() {
        let mut line = Line::new(buffer, theme, parts.list, 0);
        line.skip(2);
        let text = match (memories.store.is_empty(), page.filter.is_empty()) {
            (true, _) => "Nothing is remembered yet at this step.".to_owned(),
            (false, true) => "…".to_owned(),
            (false, false) => format!("No memory holds {:?}. Esc shows all again.", page.filter),
        };
        line.put(&text, Role::Dim);
    }
    legend(buffer, theme, parts, memories);
}

fn legend(buffer: &mut Buffer, theme: &Theme, parts: &Parts, memories: &Memories) {
    let mut cut_short = cut_short(&memories.recall).join("; ");
    if !cut_short.is_empty() {
        cut_short.push_str("  ");
    }
    says(
        buffer,
        theme,
        parts,
        &[
            (cut_short.as_str(), Role::Warning),
            ("●", Role::Layer(Layer::Memory)),
            (" live  ", Role::Dim),
            ("▲", Role::Human),
            (" promoted  ", Role::Dim),
            ("≠", Role::Warning),
            (" contradicted  ", Role::Dim),
            ("→", Role::Cleared),
            (" merged into another  ", Role::Dim),
            ("age in steps", Role::Dim),
        ],
    );
}
