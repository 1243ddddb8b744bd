//! Which facts each side keeps: worked out beside the screen, shown in the place of the windows.

use std::sync::Arc;

use ratatui::buffer::Buffer;
use ratatui::layout::Rect;

use crate::config::{Role, Theme};
use crate::inquiry::Kept;
use crate::model::Run;
use crate::present::helps::no_model_wrote;
use crate::present::{clip, count, width};
use crate::tui::layout::below;
use crate::tui::line::Line;
use crate::tui::list::Scroll;
use crate::tui::main_screen::{Title, title_line};

/// What is asked of the threads.
pub struct KeepsRequest {
    /// Tells this answer from those before it.
    pub number: u64,
    /// The runs.
    pub runs: [Arc<Run>; 2],
    /// The facts.
    pub facts: Followed,
    /// Those that the user traced, beside them.
    pub traced: Vec<String>,
}

/// Facts that the user follows, each with the step where that is known; `None`: those that the session proposes.
type Followed = Option<Vec<(String, Option<u32>)>>;

/// Traced facts that are remembered.
const TRACED: usize = 16;

impl KeepsRequest {
    /// The facts, the traced ones first, each once.
    pub fn all(&self, proposed: impl FnOnce() -> Vec<(String, Option<u32>)>) -> Vec<(String, Option<u32>)> {
        let followed = self.facts.clone().unwrap_or_else(proposed);
        let traced = self.traced.iter().filter(|text| !followed.iter().any(|(known, _)| known == *text));
        let mut all: Vec<_> = traced.map(|text| (text.clone(), None)).collect();
        all.extend(followed);
        all
    }
}

/// The facts of a comparison.
#[derive(Default)]
pub struct Facts {
    /// Whether they stand in the place of the windows.
    pub shown: bool,
    /// What each side keeps, or why that is not known; nothing until it is there.
    pub told: Option<Result<Vec<Kept>, String>>,
    /// The cursor among them.
    pub scroll: Scroll,
    /// Tells the newest answer from those before it.
    pub number: u64,
    /// Facts that were traced in this session, the last one first.
    traced: Vec<String>,
    /// The runs, what was followed, and what was traced.
    made_for: Option<([usize; 2], Followed, Vec<String>)>,
}

impl Facts {
    /// The rows that are there.
    #[must_use]
    pub fn rows(&self) -> &[Kept] {
        self.told.as_ref().and_then(|told| told.as_deref().ok()).unwrap_or_default()
    }

    /// Remembers a fact that is traced.
    pub fn trace(&mut self, text: &str) {
        self.traced.retain(|known| known != text);
        self.traced.insert(0, text.to_owned());
        self.traced.truncate(TRACED);
    }

    /// Asks for what two runs keep, where that is not known.
    pub fn wants(&mut self, runs: [&Arc<Run>; 2], facts: Followed) -> Option<KeepsRequest> {
        let wanted = (runs.map(|run| Arc::as_ptr(run).addr()), facts, self.traced.clone());
        // What is still being counted would be looked through again and again.
        if self.made_for.as_ref() == Some(&wanted) || runs.iter().any(|run| run.provisional) {
            return None;
        }
        self.number += 1;
        self.told = None;
        let (_, facts, traced) = self.made_for.insert(wanted).clone();
        Some(KeepsRequest { number: self.number, runs: runs.map(Arc::clone), facts, traced })
    }

    /// How many each side keeps, in words.
    #[must_use]
    pub fn summary(&self, names: [&str; 2]) -> Option<String> {
        let rows = self.rows();
        let kept = |side: usize| rows.iter().filter(|row| row.kept.get(side) == Some(&true)).count();
        (!rows.is_empty()).then(|| {
            let all = rows.len();
            let told = |side: usize| {
                let unknown = rows.iter().filter(|row| row.unknown.get(side) == Some(&true)).count();
                let unknown = if unknown > 0 { format!(" ({unknown} unknown)") } else { String::new() };
                format!("{} {} of {all}{unknown}", names[side], kept(side))
            };
            format!("facts kept: {}, {}", told(0), told(1))
        })
    }

    /// Draws the facts with their title.
    pub fn draw(&self, buffer: &mut Buffer, theme: &Theme, area: Rect, names: [&str; 2]) {
        let rows = self.rows();
        let apart = rows.iter().filter(|row| row.differs()).count();
        let mut title = Title { name: "Facts", ..Title::default() };
        title.facts.push((count(rows.len() as u64), Role::Text));
        if !rows.is_empty() {
            // Of what nobody can tell, it is not known either whether both keep it.
            let is_open = rows.iter().any(|row| row.differs() && row.unknown.contains(&true));
            let words = if is_open { "differ" } else { "kept by one side only" };
            title.facts.push((format!("{} {words}", count(apart as u64)), Role::Accent));
        }
        let rests = rows.iter().any(|row| row.stood_in.contains(&true));
        title.signs.extend(rests.then(|| (no_model_wrote(), Role::Dim)));
        title_line(buffer, theme, area, true, &title);
        let inner = below(area);
        let said = match &self.told {
            None => Some(("Looking for the facts that the session proposes …", Role::Dim)),
            Some(Err(why)) => Some((why.as_str(), Role::Error)),
            Some(Ok(rows)) if rows.is_empty() => Some(("The session proposes no facts.", Role::Dim)),
            Some(Ok(_)) => None,
        };
        if let Some((words, role)) = said {
            let mut line = Line::new(buffer, theme, inner, 0);
            line.skip(2);
            line.put(words, role);
            return;
        }
        let side = |name: &str| u16::try_from(width(name)).unwrap_or(12).clamp(4, (inner.width / 5).clamp(4, 24)) + 2;
        let mut head = Line::new(buffer, theme, inner, 0);
        head.right("needed", 7, Role::Dim);
        head.skip(3);
        for name in names {
            let columns = side(name);
            head.field(&clip(name, usize::from(columns - 1)), columns, Role::Text);
        }
        head.put("fact", Role::Dim);
        for (y, (at, row)) in (1..inner.height).zip(rows.iter().enumerate().skip(self.scroll.top)) {
            let mut line = Line::new(buffer, theme, inner, y);
            if at == self.scroll.cursor {
                line.under(Role::Selection);
            }
            line.right(&row.step.to_string(), 7, Role::Dim);
            line.put(if row.differs() { " ≠ " } else { "   " }, Role::Warning);
            for (name, (kept, unknown)) in names.iter().zip(row.kept.iter().zip(&row.unknown)) {
                let (text, look) = match (kept, unknown) {
                    (true, _) => ("✓", Role::Good),
                    (false, true) => ("?", Role::Warning),
                    (false, false) => ("✗", Role::Over),
                };
                line.field(text, side(name), look);
            }
            let plain = row.fact.replace(['\n', '\t'], " ");
            line.put(&plain, if row.differs() { Role::Text } else { Role::Dim });
        }
    }
}
