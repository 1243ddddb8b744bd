//! A question with a few answers.

use ratatui::buffer::Buffer;
use ratatui::layout::Rect;

use crate::config::{Action, Context, Keymap, Role, Theme};
use crate::present::width;
use crate::tui::line::{Line, wrapped};
use crate::tui::list::Scroll;

use super::frame::{Framed, frame, framed, hints};
use super::region::Region;

/// Lines of what an answer means below the answers, at most.
const MEANING: usize = 4;
/// Rows of answers that are shown at the least.
const LEAST: u16 = 5;

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
    /// Columns of the longest answer.
    name: usize,
    /// Columns of what each means.
    meanings: Vec<usize>,
    scroll: Scroll,
    /// Whether nothing is asked: it is a list to look through.
    told: bool,
}

impl Dialog {
    /// A question, with the first answer selected.
    #[must_use]
    pub fn new(title: impl Into<String>, choices: Vec<Choice>) -> Dialog {
        let name = choices.iter().map(|choice| width(&choice.name)).max().unwrap_or(0);
        let meanings = choices.iter().map(|choice| width(&choice.meaning)).collect();
        Dialog { title: title.into(), choices, name, meanings, ..Dialog::default() }
    }

    /// The same, with another answer selected.
    #[must_use]
    pub fn at(mut self, place: usize) -> Dialog {
        self.scroll.cursor = place.min(self.choices.len().saturating_sub(1));
        self
    }

    /// The same as a list to look through, of which nothing is accepted.
    #[must_use]
    pub fn told(mut self) -> Dialog {
        self.told = true;
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

    /// The rows, and which is selected.
    pub fn scroll_mut(&mut self) -> &mut Scroll {
        &mut self.scroll
    }

    /// Where it stands on a screen, and its rows.
    #[must_use]
    pub fn region(&self, area: Rect, keymap: &Keymap) -> Region {
        let framed = self.framed(area, keymap);
        self.region_in(&framed, self.below(framed.inner))
    }

    fn region_in(&self, framed: &Framed, below: u16) -> Region {
        let list = Rect { height: framed.inner.height - below, ..framed.inner };
        Region::over(framed.outer, list, self.scroll, self.choices.len())
    }

    /// Rows below the answers, where some of what they mean has no room beside them: a blank, and the selected one's.
    fn below(&self, inner: Rect) -> u16 {
        let room = usize::from(inner.width).saturating_sub(self.name + 3);
        let columns = usize::from(inner.width).max(1);
        let cut = self.choices.iter().zip(&self.meanings).filter(|(_, meaning)| **meaning > room);
        let lines = cut.map(|(choice, _)| wrapped(&choice.meaning, columns).take(MEANING).count()).max();
        let wanted = lines.and_then(|lines| u16::try_from(lines + 1).ok()).unwrap_or(0);
        // The answers matter most.
        let least = u16::try_from(self.choices.len()).unwrap_or(LEAST).min(LEAST);
        if inner.height >= wanted + least { wanted } else { 0 }
    }

    fn framed(&self, area: Rect, keymap: &Keymap) -> Framed {
        let meaning = self.meanings.iter().copied().max().unwrap_or(0);
        let wide = (self.name + meaning + 5).max(width(&self.title) + 2).max(width(&self.foot(keymap)) + 2);
        let wide = u16::try_from(wide).unwrap_or(80);
        let rows = u16::try_from(self.choices.len()).unwrap_or(10);
        let most = framed(area, (wide, u16::MAX)).inner;
        framed(area, (wide, rows.saturating_add(self.below(most))))
    }

    fn foot(&self, keymap: &Keymap) -> String {
        let asks: &[(&[Action], &str)] =
            &[(&[Action::Up, Action::Down], "choose"), (&[Action::Open], "accept"), (&[Action::Back], "leave it")];
        let told: &[(&[Action], &str)] = &[(&[Action::Up, Action::Down], "move"), (&[Action::Back], "close")];
        hints(keymap, Context::Dialog, if self.told { told } else { asks }, 60)
    }

    /// Draws the question.
    pub fn draw(&self, buffer: &mut Buffer, theme: &Theme, keymap: &Keymap) {
        let framed = self.framed(buffer.area, keymap);
        let below = self.below(framed.inner);
        let region = self.region_in(&framed, below);
        frame(buffer, theme, framed, &self.title, &self.foot(keymap));
        for (row, at) in region.shown() {
            let Some(choice) = self.choices.get(at) else { break };
            let mut line = Line::new(buffer, theme, region.list, row);
            if at == self.scroll.cursor {
                line.under(Role::Selection);
            }
            line.skip(1);
            line.field(&choice.name, u16::try_from(self.name + 2).unwrap_or(20), Role::Text);
            line.put(&choice.meaning, Role::Dim);
        }
        let Some(choice) = self.choices.get(self.scroll.cursor) else { return };
        let below = Rect { y: region.list.bottom(), height: below, ..region.list };
        let lines = wrapped(&choice.meaning, usize::from(below.width).max(1));
        for (row, words) in (1..below.height).zip(lines) {
            Line::new(buffer, theme, below, row).put(words, Role::Text);
        }
    }
}
