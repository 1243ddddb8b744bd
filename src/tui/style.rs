//! From a theme's looks to the terminal's.

use ratatui::style::{Color, Modifier, Style};

use crate::config::{Colour, Emphasis, Role, Theme};

/// How a role looks in this theme.
#[must_use]
pub fn style(theme: &Theme, role: Role) -> Style {
    let look = theme.style(role);
    let mut style = Style::new().add_modifier(modifier(look.emphasis));
    style.fg = look.fg.map(color);
    style.bg = look.bg.map(color);
    style
}

/// The same over what is drawn already: a role without a colour of its own has the ground's, not that of a line
/// beneath.
#[must_use]
pub fn over(theme: &Theme, role: Role) -> Style {
    let look = style(theme, role);
    let ink = look.fg.or_else(|| style(theme, Role::Ground).fg).unwrap_or(Color::Reset);
    look.fg(ink)
}

/// Lets colours through where the environment asks for none (`NO_COLOR`): the user asked for them by name.
pub fn always_colour() {
    ratatui::crossterm::style::force_color_output(true);
}

/// A colour in the terminal library's words.
#[must_use]
pub fn color(colour: Colour) -> Color {
    match colour {
        Colour::Default => Color::Reset,
        Colour::Index(index) => Color::Indexed(index),
        Colour::Rgb(red, green, blue) => Color::Rgb(red, green, blue),
    }
}

fn modifier(emphasis: Emphasis) -> Modifier {
    [
        (emphasis.bold, Modifier::BOLD),
        (emphasis.dim, Modifier::DIM),
        (emphasis.italic, Modifier::ITALIC),
        (emphasis.underline, Modifier::UNDERLINED),
        (emphasis.reverse, Modifier::REVERSED),
        (emphasis.strike, Modifier::CROSSED_OUT),
    ]
    .into_iter()
    .filter_map(|(wanted, modifier)| wanted.then_some(modifier))
    .fold(Modifier::empty(), Modifier::union)
}
