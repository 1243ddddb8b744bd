//! From the state to the screen. Pure: it reads the state and fills the buffer, nothing else.

use ratatui::buffer::Buffer;
use ratatui::layout::{Position, Rect};

use crate::config::{Action, Context, Role, sequence_label};
use crate::present::{bytes, percent, width};

use super::documents;
use super::fix_widths;
use super::input::Input;
use super::layout::{Room, room};
use super::line::{Line, bar, wrapped};
use super::main_screen;
use super::overlay::{Overlay, Prompt};
use super::pages;
use super::picker;
use super::state::{NoticeKind, Phase, State};
use super::style;
use super::to_ascii;

/// Draws everything; returns where the terminal's cursor goes, where text is typed. What it lays out is the buffer: a
/// terminal that is being resized may be ahead of what the state was told.
pub fn draw(state: &State, buffer: &mut Buffer) -> Option<Position> {
    let area = buffer.area;
    buffer.set_style(area, style(&state.theme, Role::Ground));
    if room(area.width, area.height) == Room::None {
        card(state, buffer, area);
        return None;
    }
    let cursor = match &state.sessions {
        Some(sessions) => {
            let cursor = picker::draw(sessions, buffer, &state.theme, &state.keymap);
            if let Some(notice) = &state.notice {
                main_screen::notice(buffer, &state.theme, notice);
            }
            cursor
        }
        None => match &state.documents {
            Some(view) => {
                let cursor = documents::draw(view, buffer, &state.theme, &state.keymap);
                if let Some(notice) = &state.notice {
                    main_screen::notice(buffer, &state.theme, notice);
                }
                cursor
            }
            None => {
                beneath(state, buffer);
                None
            }
        },
    };
    let over = overlay(state, buffer);
    fix_widths(buffer);
    if state.ascii {
        to_ascii(buffer);
    }
    if state.overlay.is_some() { over } else { cursor }
}

fn beneath(state: &State, buffer: &mut Buffer) {
    match &state.phase {
        Phase::Empty => {}
        Phase::Opening { name, done, total } => opening(state, buffer, name, *done, *total),
        Phase::Failed(why) => failed(state, buffer, why),
        Phase::Open(session) => match &session.view {
            Some(view) if session.pages.page == pages::Page::Main => main_screen::draw(buffer, state, session, view),
            Some(view) => pages::draw(buffer, state, session, view),
            None => opening(state, buffer, &session.name, 1, 1),
        },
    }
}

/// Draws what is laid over the screen; returns where the cursor goes.
fn overlay(state: &State, buffer: &mut Buffer) -> Option<Position> {
    let (theme, keymap, of) = (&state.theme, &state.keymap, state.beneath());
    match state.overlay.as_ref()? {
        Overlay::Prompt(kind, input) => prompt(state, buffer, *kind, input),
        Overlay::Help(help) => help.draw(buffer, theme, keymap, of),
        Overlay::Palette(palette) => palette.draw(buffer, theme, keymap, of),
        Overlay::Dialog(_, dialog) => {
            dialog.draw(buffer, theme, keymap);
            None
        }
        Overlay::Event(card) => {
            card.draw(buffer, theme, keymap, state.view()?);
            None
        }
        Overlay::Trace(view) => {
            view.draw(buffer, theme, keymap);
            None
        }
        Overlay::Findings(view) => {
            view.draw(buffer, theme, keymap);
            None
        }
    }
}

/// Says that the terminal is too small, in whatever room there is.
fn card(state: &State, buffer: &mut Buffer, area: Rect) {
    let texts = [format!("{}×{} is too small", area.width, area.height), "windowpane needs 20×5".to_owned()];
    let rows = u16::try_from(texts.len()).unwrap_or(0).min(area.height);
    let top = (area.height - rows) / 2;
    for (row, text) in (0..rows).zip(&texts) {
        let mut line = Line::new(buffer, &state.theme, area, top + row);
        let size = u16::try_from(width(text)).unwrap_or(0);
        line.skip(line.left().saturating_sub(size) / 2);
        line.put(text, if row == 0 { Role::Title } else { Role::Dim });
    }
}

fn opening(state: &State, buffer: &mut Buffer, name: &str, done: u64, total: u64) {
    let area = buffer.area;
    let wide = area.width.saturating_sub(4).min(60);
    let place = Rect { x: (area.width - wide) / 2, y: area.height / 2 - 1, width: wide, height: 3 };
    let mut line = Line::new(buffer, &state.theme, place, 0);
    match &state.doing {
        Some(doing) => {
            let stop = state.keymap.keys(Action::Stop).first().map(|keys| sequence_label(keys, false));
            let stop = stop.map_or_else(String::new, |key| format!("  {key} leaves it out"));
            let mut right = line.split_right(u16::try_from(width(&stop)).unwrap_or(0));
            right.put(&stop, Role::Dim);
            line.put(doing, Role::Title)
        }
        None => {
            line.put("reading ", Role::Dim);
            line.put(name, Role::Title)
        }
    };
    let mut line = Line::new(buffer, &state.theme, place, 1);
    let known = total > 0;
    let text = match known {
        true => format!(" {} of {}", percent(done.min(total), total), bytes(total)),
        false => format!(" {}", bytes(done)),
    };
    let mut right = line.split_right(18);
    right.right(&text, 18, Role::Dim);
    let columns = line.left();
    let full = bar(done.min(total), total, columns, "█");
    let empty = usize::from(columns).saturating_sub(width(&full));
    line.put(&full, Role::Gauge);
    line.put(&"·".repeat(empty), Role::Border);
    if let Some(notice) = &state.notice {
        main_screen::notice(buffer, &state.theme, notice);
    }
}

fn failed(state: &State, buffer: &mut Buffer, why: &str) {
    let area = buffer.area;
    let wide = area.width.saturating_sub(4).min(76);
    let place =
        Rect { x: (area.width - wide) / 2, y: area.height / 6, width: wide, height: area.height - area.height / 6 };
    let mut line = Line::new(buffer, &state.theme, place, 0);
    line.put("This cannot be opened", Role::Error);
    let mut row = 2;
    for said in why.lines() {
        for words in wrapped(&crate::present::safe(said), usize::from(wide)) {
            Line::new(buffer, &state.theme, place, row).put(words, Role::Text);
            row += 1;
        }
    }
    let back = state.before.as_ref().map_or_else(
        || " leads to the list of sessions".to_owned(),
        |before| format!(" leads back to {}", before.name),
    );
    let keys = [
        (Action::Back, back.as_str()),
        (Action::Sessions, " chooses another session"),
        (Action::Quit, " leaves the program"),
    ];
    // Without another session the first two are one.
    let keys = keys.into_iter().filter(|(action, _)| *action != Action::Sessions || state.before.is_some());
    for (action, does) in keys {
        if let Some(key) = state.keymap.keys_in(Context::Window, action).next() {
            row += 1;
            let mut line = Line::new(buffer, &state.theme, place, row);
            line.put(&sequence_label(key, false), Role::Key);
            line.put(does, Role::Dim);
        }
    }
}

/// The line that is typed takes the footer's place.
fn prompt(state: &State, buffer: &mut Buffer, prompt: Prompt, input: &Input) -> Option<Position> {
    let area = Rect { y: buffer.area.bottom().saturating_sub(1), height: 1, ..buffer.area };
    // What is the matter with what was typed stands over it.
    if let Some(notice) = state.notice.as_ref().filter(|notice| notice.kind == NoticeKind::Failed && area.y > 0) {
        let above = Rect { y: area.y - 1, ..area };
        let blank = " ".repeat(usize::from(area.width));
        Line::new(buffer, &state.theme, above, 0).put(&blank, Role::Text);
        let mut line = Line::new(buffer, &state.theme, above, 0);
        line.skip(1);
        line.put(&notice.text, Role::Over);
    }
    let blank = " ".repeat(usize::from(area.width));
    Line::new(buffer, &state.theme, area, 0).put(&blank, Role::Text);
    let mut line = Line::new(buffer, &state.theme, area, 0);
    line.skip(1);
    line.put(prompt.label(), Role::Key);
    // The name of a setting is written as it is.
    line.skip(u16::from(!prompt.label().ends_with([' ', '/'])));
    Some(Position { x: input.draw(&mut line, prompt.hint()), y: area.y })
}
