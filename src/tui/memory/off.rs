//! Where there are no memories: why, and what turns them on.

use ratatui::buffer::Buffer;
use ratatui::layout::Rect;

use crate::config::{Action, Context, Keymap, Role, Theme, sequence_label};
use crate::tui::inspect::Inspect;
use crate::tui::line::{Line, wrapped};
use crate::tui::state::Session;

use super::{Known, MemoryView};

/// Draws the explanation.
pub fn draw(
    buffer: &mut Buffer,
    theme: &Theme,
    keymap: &Keymap,
    area: Rect,
    page: &MemoryView,
    session: &Session,
    view: &Inspect,
) {
    let recorded = !view.is_simulated();
    if !recorded && !matches!(page.known, Known::Off) {
        let mut line = Line::new(buffer, theme, area, u16::from(area.height > 4));
        line.skip(2);
        match &session.pages.draft.failed {
            Some(why) => line.put(why, Role::Error),
            None => line.put("The session is being read and replayed …", Role::Dim),
        }
        return;
    }
    let title = match recorded {
        true => "This is the recorded track: a transcript does not say what was remembered.",
        false => "This policy has no memory: memory.on = false.",
    };
    let what = "A replay under a policy with a memory shows which memories the session's texts would have become, which of \
                them it would have packed into each window and why not the others, what it would have preserved from a \
                compaction, and what it would have merged.";
    let wide = area.width.saturating_sub(4).min(88);
    let columns = usize::from(wide).max(1);
    let mut lines: Vec<(String, String, Role)> = Vec::new();
    let mut put =
        |text: &str, role| lines.extend(wrapped(text, columns).map(|line| (String::new(), line.to_owned(), role)));
    put(title, Role::Title);
    let roomy = area.height >= 14;
    if roomy {
        lines.push((String::new(), String::new(), Role::Dim));
        lines.extend(wrapped(what, columns).map(|line| (String::new(), line.to_owned(), Role::Text)));
        lines.push((String::new(), String::new(), Role::Dim));
    }
    for (key, words) in ways(keymap, session, recorded) {
        let indent = crate::present::width(&key);
        let rest = wrapped(words.trim_start(), columns.saturating_sub(indent + 1).max(1));
        for (number, line) in rest.enumerate() {
            let lead = if number == 0 { key.clone() } else { " ".repeat(indent) };
            lines.push((lead, line.to_owned(), Role::Text));
        }
    }
    if roomy {
        lines.push((String::new(), String::new(), Role::Dim));
        let text = "Summary and Facts (Tab) hold the summary in force against what it stands for, on either track.";
        lines.extend(wrapped(text, columns).map(|line| (String::new(), line.to_owned(), Role::Dim)));
    }
    let shift = usize::from(area.height).saturating_sub(lines.len()) / 3;
    for (y, (key, text, role)) in (u16::try_from(shift).unwrap_or(0)..area.height).zip(lines) {
        let mut line = Line::new(buffer, theme, area, y);
        line.skip(2);
        if !key.is_empty() {
            line.put(&key, Role::Key);
            line.skip(1);
        }
        line.put(&text, role);
    }
}

/// The ways to a memory: a key and what it does; without a key, a command.
fn ways(keymap: &Keymap, session: &Session, recorded: bool) -> [(String, String); 4] {
    let key = |action: Action| {
        let keys = keymap.keys_in(Context::Memory, action).next();
        keys.map_or_else(|| action.name().to_owned(), |keys| sequence_label(keys, false))
    };
    let name = session.pages.draft.title();
    let turn_on = match (recorded, session.pages.draft.policy.memory.on) {
        (true, true) => format!(" shows the replay under {name}, which has a memory"),
        (true, false) => format!(" replays under {name} with memory.on = true"),
        (false, _) => " sets memory.on = true and replays".to_owned(),
    };
    [
        (key(Action::Open), turn_on),
        (key(Action::Preset), " chooses a preset: memory-harness is the one that is about memory".to_owned()),
        (key(Action::TuneView), " moves the settings of a memory: there, / memory".to_owned()),
        (String::new(), "windowpane FILE --policy memory-harness opens with one".to_owned()),
    ]
}
