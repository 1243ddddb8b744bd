//! Every action of a place by its name, with its key beside it.

use ratatui::buffer::Buffer;
use ratatui::layout::{Position, Rect};

use crate::config::{ACTIONS, Action, ActionInfo, Context, Key, Keymap, Role, Theme, sequence_label};
use crate::present::{clip, width};
use crate::tui::input::Input;
use crate::tui::line::Line;
use crate::tui::list::Scroll;

use super::frame::{frame, framed, hints};
use super::matching::{Words, fuzzy};
use super::region::Region;

/// Rows of actions that are shown at once.
const ROWS: u16 = 14;
/// Columns that it takes where there is room.
const WIDE: u16 = 76;
/// Rows above them: what is typed, and a blank.
const HEAD: u16 = 2;

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
        let rows = self.fits(of).len();
        self.scroll.over(action, rows)
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

    /// The rows, and which is selected.
    pub fn scroll_mut(&mut self) -> &mut Scroll {
        &mut self.scroll
    }

    /// Whether something is typed.
    #[must_use]
    pub fn is_typed(&self) -> bool {
        !self.input.text().is_empty()
    }

    /// Where it stands on a screen, and its rows.
    #[must_use]
    pub fn region(&self, area: Rect, of: Context) -> Region {
        let rows = if matches!(self.chosen(of), Some(Chosen::Step(_))) { 1 } else { self.fits(of).len() };
        Region::of(framed(area, (WIDE, ROWS + HEAD)), HEAD, self.scroll, rows)
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
        let place = framed(buffer.area, (WIDE, ROWS + HEAD));
        frame(buffer, theme, place, "Actions", &foot);
        let (inner, region) = (place.inner, self.region(buffer.area, of));
        let mut line = Line::new(buffer, theme, inner, 0);
        line.put(": ", Role::Accent);
        let cursor = Position { x: self.input.draw(&mut line, "an action, or the number of a step"), y: inner.y };
        if let Some(Chosen::Step(step)) = self.chosen(of) {
            let mut line = Line::new(buffer, theme, region.list, 0);
            line.under(Role::Selection);
            line.put(&format!(" go to step {step}"), Role::Text);
            return Some(cursor);
        }
        for (row, at) in region.shown() {
            let Some((info, bytes)) = fits.get(at) else { break };
            let mut line = Line::new(buffer, theme, region.list, row);
            if at == self.scroll.cursor {
                line.under(Role::Selection);
            }
            let keys = keymap.keys_in(of, info.action).next().map(|keys| sequence_label(keys, false));
            if let Some(keys) = keys {
                let wide = u16::try_from(width(&keys)).unwrap_or(0) + 2;
                let mut right = line.split_right(if inner.width >= 32 { wide } else { 0 });
                right.skip(1);
                right.put(&keys, Role::Key);
            }
            line.skip(1);
            let name = line.column();
            let shown = clip(info.name, usize::from(line.left()));
            for (byte, sign) in shown.char_indices() {
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
            Line::new(buffer, theme, inner, HEAD).put(" No action is called that.", Role::Dim);
        }
        Some(cursor)
    }
}
