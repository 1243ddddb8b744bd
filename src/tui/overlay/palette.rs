//! Every action of a place by its name, with its key beside it.

use ratatui::buffer::Buffer;
use ratatui::layout::Position;

use crate::config::{ACTIONS, Action, ActionInfo, Context, Key, Keymap, Role, Theme, sequence_label};
use crate::present::width;
use crate::tui::input::Input;
use crate::tui::line::Line;
use crate::tui::list::Scroll;

use super::frame::{frame, hints};
use super::matching::{Words, fuzzy};

/// Rows of actions that are shown at once.
const ROWS: u16 = 14;

/// The palette over a screen.
#[derive(Clone, Debug, Default)]
pub struct Palette {
    input: Input,
    scroll: Scroll,
}

/// What was chosen.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Chosen {
    /// An action.
    Action(Action),
    /// A step, whose number was typed.
    Step(u32),
}

/// An action that fits, and the bytes of its name that were typed.
type Fit = (&'static ActionInfo, Vec<usize>);

impl Palette {
    /// The actions of a place that fit what is typed, best first.
    fn fits(&self, of: Context) -> Vec<Fit> {
        let typed = self.input.text().trim();
        let words = Words::new(typed);
        let here = ACTIONS.iter().filter(|info| info.contexts.contains(&of) && info.action != Action::Palette);
        let mut fitting: Vec<(usize, Fit)> = here
            .filter_map(|info| match fuzzy(info.name, typed) {
                Some((score, bytes)) => Some((score, (info, bytes))),
                // What it does can be asked for too, after all names that fit.
                None => words.fit([info.meaning]).then(|| (usize::MAX, (info, Vec::new()))),
            })
            .collect();
        if !typed.is_empty() {
            fitting.sort_by_key(|(score, _)| *score);
        }
        fitting.into_iter().map(|(_, fit)| fit).collect()
    }

    /// What Enter does now.
    #[must_use]
    pub fn chosen(&self, of: Context) -> Option<Chosen> {
        if let Ok(step) = self.input.text().trim().parse() {
            return Some(Chosen::Step(step));
        }
        self.fits(of).get(self.scroll.cursor).map(|(info, _)| Chosen::Action(info.action))
    }

    /// Takes an action that moves; `false` where it closes the palette.
    pub fn act(&mut self, action: Action, of: Context) -> bool {
        let by = match action {
            Action::Down => 1,
            Action::Up => -1,
            Action::PageDown => 10,
            Action::PageUp => -10,
            Action::Top => isize::MIN,
            Action::Bottom => isize::MAX,
            Action::Back => return false,
            _ => 0,
        };
        let rows = self.fits(of).len();
        self.scroll.step(by, rows);
        self.scroll.settle(rows, usize::from(ROWS));
        true
    }

    /// Takes a key that is no action: it is typed.
    pub fn key(&mut self, key: Key) {
        if self.input.key(key) {
            self.scroll = Scroll::default();
        }
    }

    /// Takes pasted text.
    pub fn paste(&mut self, text: &str) {
        self.input.insert(text);
        self.scroll = Scroll::default();
    }

    /// Draws the palette of a place; returns where the cursor goes.
    pub fn draw(&self, buffer: &mut Buffer, theme: &Theme, keymap: &Keymap, of: Context) -> Option<Position> {
        let fits = self.fits(of);
        let foot = hints(
            keymap,
            Context::Palette,
            &[(&[Action::Up, Action::Down], "choose"), (&[Action::Open], "do it"), (&[Action::Back], "close")],
            60,
        );
        let area = buffer.area;
        let inner = frame(buffer, theme, area, (76, ROWS + 2), "Actions", &foot);
        let mut line = Line::new(buffer, theme, inner, 0);
        line.put(": ", Role::Accent);
        let before = u16::try_from(width(self.input.before())).unwrap_or(u16::MAX);
        let cursor =
            Position { x: line.column().saturating_add(before).min(inner.right().saturating_sub(1)), y: inner.y };
        line.put(self.input.text(), Role::Text);
        if self.input.text().is_empty() {
            line.skip(1);
            line.put("an action, or the number of a step", Role::Dim);
        }
        let height = usize::from(inner.height.saturating_sub(2));
        if let Some(Chosen::Step(step)) = self.chosen(of) {
            let mut line = Line::new(buffer, theme, inner, 2);
            line.under(Role::Selection);
            line.put(&format!(" go to step {step}"), Role::Text);
            return Some(cursor);
        }
        let mut scroll = self.scroll;
        scroll.settle(fits.len(), height);
        for (at, (info, bytes)) in fits.iter().enumerate().skip(scroll.top).take(height) {
            let row = u16::try_from(at - scroll.top).unwrap_or(u16::MAX).saturating_add(2);
            let mut line = Line::new(buffer, theme, inner, row);
            if at == scroll.cursor {
                line.under(Role::Selection);
            }
            let keys = keymap.keys_in(of, info.action).next().map(|keys| sequence_label(keys, false));
            if let Some(keys) = keys {
                let wide = u16::try_from(width(&keys)).unwrap_or(0) + 2;
                let mut right = line.split_right(wide);
                right.skip(1);
                right.put(&keys, Role::Key);
            }
            line.skip(1);
            let name = line.column();
            for (byte, sign) in info.name.char_indices() {
                let role = if bytes.contains(&byte) { Role::Accent } else { Role::Text };
                line.put(sign.encode_utf8(&mut [0; 4]), role);
            }
            let used = line.column() - name;
            if inner.width >= 50 {
                line.skip(20u16.saturating_sub(used).max(1));
                line.put(info.meaning, Role::Dim);
            }
        }
        if fits.is_empty() {
            Line::new(buffer, theme, inner, 2).put(" No action is called that.", Role::Dim);
        }
        Some(cursor)
    }
}
