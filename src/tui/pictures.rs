//! How this terminal shows pictures, as far as its environment says. Asking the terminal itself would hold the first
//! frame up until it answers.

use ratatui::crossterm::terminal::window_size;
use ratatui_image::FontSize;
use ratatui_image::picker::{Picker, ProtocolType};

use crate::config::Pictures;

/// What makes pictures for this terminal; `None` where they are only described.
#[must_use]
pub fn picker(wish: Pictures) -> Option<Picker> {
    let protocol = match wish {
        Pictures::Off => return None,
        Pictures::Blocks => return Some(Picker::halfblocks()),
        Pictures::Kitty => ProtocolType::Kitty,
        Pictures::Sixel => ProtocolType::Sixel,
        Pictures::Iterm2 => ProtocolType::Iterm2,
        Pictures::Auto => match by_environment(|name| std::env::var(name).ok().filter(|value| !value.is_empty())) {
            Some(protocol) => protocol,
            None => return Some(Picker::halfblocks()),
        },
    };
    // A picture in pixels needs the size of a cell; without it, half blocks do.
    let Some(cell) = cell() else { return Some(Picker::halfblocks()) };
    #[allow(deprecated)] // Its successor asks the terminal and waits.
    let mut picker = Picker::from_fontsize(cell);
    picker.set_protocol_type(protocol);
    Some(picker)
}

/// Pixels of a cell, as the system knows them.
fn cell() -> Option<FontSize> {
    let size = window_size().ok()?;
    let (wide, high) = (size.width.checked_div(size.columns)?, size.height.checked_div(size.rows)?);
    (wide > 0 && high > 0).then(|| FontSize::new(wide, high))
}

fn by_environment(get: impl Fn(&str) -> Option<String>) -> Option<ProtocolType> {
    // What runs between may not pass pictures on.
    if get("TMUX").is_some() || get("STY").is_some() || get("ZELLIJ").is_some() {
        return None;
    }
    let (term, program) = (get("TERM").unwrap_or_default(), get("TERM_PROGRAM").unwrap_or_default());
    match (program.as_str(), term.as_str()) {
        ("iTerm.app" | "WezTerm", _) => Some(ProtocolType::Iterm2),
        ("ghostty", _) | (_, "xterm-kitty" | "xterm-ghostty") => Some(ProtocolType::Kitty),
        (_, "foot" | "foot-extra" | "mlterm") => Some(ProtocolType::Sixel),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_environment_tells_the_terminal() {
        let of = |pairs: &'static [(&str, &str)]| {
            by_environment(move |name| {
                pairs.iter().find(|(known, _)| *known == name).map(|(_, value)| (*value).to_owned())
            })
        };
        assert_eq!(of(&[("TERM", "xterm-kitty")]), Some(ProtocolType::Kitty));
        assert_eq!(of(&[("TERM", "xterm-256color"), ("TERM_PROGRAM", "WezTerm")]), Some(ProtocolType::Iterm2));
        assert_eq!(of(&[("TERM", "foot")]), Some(ProtocolType::Sixel));
        assert_eq!(of(&[("TERM", "xterm-kitty"), ("TMUX", "/tmp/tmux")]), None);
        assert_eq!(of(&[]), None);
    }
}
