//! A question with a few answers.

use ratatui::buffer::Buffer;

use crate::config::{Action, Context, Keymap, Role, Theme};
use crate::present::width;
use crate::tui::line::Line;
use crate::tui::list::Scroll;

use super::frame::{frame, hints};

/// An answer.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Choice {
    /// The answer in a word or two.
    pub name: String,
    /// What it means.
    pub meaning: String,
}

/// A question over a screen.
#[derive(Clone, Debug, Default)]
pub struct Dialog {
    title: String,
    choices: Vec<Choice>,
    scroll: Scroll,
}

impl Dialog {
    /// A question, with the first answer selected.
    #[must_use]
    pub fn new(title: impl Into<String>, choices: Vec<Choice>) -> Dialog {
        Dialog { title: title.into(), choices, scroll: Scroll::default() }
    }

    /// The same, with another answer selected.
    #[must_use]
    pub fn at(mut self, place: usize) -> Dialog {
        self.scroll.cursor = place.min(self.choices.len().saturating_sub(1));
        self
    }

    /// The place of the selected answer.
    #[must_use]
    pub fn chosen(&self) -> Option<usize> {
        (self.scroll.cursor < self.choices.len()).then_some(self.scroll.cursor)
    }

    /// Takes an action that moves; `false` where it closes the question.
    pub fn act(&mut self, action: Action) -> bool {
        self.scroll.over(action, self.choices.len())
    }

    /// Draws the question.
    pub fn draw(&self, buffer: &mut Buffer, theme: &Theme, keymap: &Keymap) {
        let name = self.choices.iter().map(|choice| width(&choice.name)).max().unwrap_or(0);
        let meaning = self.choices.iter().map(|choice| width(&choice.meaning)).max().unwrap_or(0);
        let foot = hints(
            keymap,
            Context::Dialog,
            &[(&[Action::Up, Action::Down], "choose"), (&[Action::Open], "accept"), (&[Action::Back], "leave it")],
            60,
        );
        let wide = (name + meaning + 5).max(width(&self.title) + 2).max(width(&foot) + 2);
        let size = (u16::try_from(wide).unwrap_or(80), u16::try_from(self.choices.len()).unwrap_or(10));
        let area = buffer.area;
        let inner = frame(buffer, theme, area, size, &self.title, &foot);
        let mut scroll = self.scroll;
        let height = usize::from(inner.height);
        scroll.settle(self.choices.len(), height);
        for (at, choice) in self.choices.iter().enumerate().skip(scroll.top).take(height) {
            let row = u16::try_from(at - scroll.top).unwrap_or(u16::MAX);
            let mut line = Line::new(buffer, theme, inner, row);
            if at == scroll.cursor {
                line.under(Role::Selection);
            }
            line.skip(1);
            line.field(&choice.name, u16::try_from(name + 2).unwrap_or(20), Role::Text);
            line.put(&choice.meaning, Role::Dim);
        }
    }
}
