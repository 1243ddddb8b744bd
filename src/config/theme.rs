//! Themes: a look for every role, read from TOML.

use toml::Spanned;
use toml::de::{DeTable, DeValue};

use crate::model::{ALL_LAYERS, Layer};

use super::fault::unknown;
use super::{Colour, Emphasis, Fault, ROLES, Role, Style};

/// The themes that come with the program: name and TOML. The first is the one that others inherit from.
pub const SHIPPED: &[(&str, &str)] = &[
    ("dark", include_str!("../../themes/dark.toml")),
    ("light", include_str!("../../themes/light.toml")),
    ("high-contrast", include_str!("../../themes/high-contrast.toml")),
    ("no-color", include_str!("../../themes/no-color.toml")),
];

/// A look for every role.
#[derive(Clone, Debug, PartialEq)]
pub struct Theme {
    /// Its name, from the name of its file.
    pub name: String,
    /// By [`Role::index`].
    styles: Vec<Style>,
    /// By layer: what its bars are made of; one column wide.
    fills: Vec<String>,
}

/// A place in the file with its key.
type Row<'a> = (&'a Spanned<std::borrow::Cow<'a, str>>, &'a Spanned<DeValue<'a>>);

impl Default for Theme {
    fn default() -> Theme {
        Theme::shipped("dark").unwrap_or_else(|| Theme::plain("plain"))
    }
}

impl Theme {
    /// The shipped theme of that name.
    #[must_use]
    pub fn shipped(name: &str) -> Option<Theme> {
        let (name, text) = SHIPPED.iter().find(|(known, _)| *known == name)?;
        Theme::parse(name, text).ok()
    }

    /// No colours and no emphasis anywhere.
    fn plain(name: &str) -> Theme {
        let fill = |layer| match layer {
            Layer::Free => " ",
            Layer::Reserve => "░",
            _ => "█",
        };
        Theme {
            name: name.to_owned(),
            styles: vec![Style::default(); Role::COUNT],
            fills: ALL_LAYERS.iter().map(|info| fill(info.layer).to_owned()).collect(),
        }
    }

    /// Reads a theme: `inherits = "dark"`, a `[palette]` of names, `[roles]` and `[layers]`. A look is a colour or
    /// `{ fg, bg, emphasis = ["bold", …] }`; a layer may have a `fill`. What is not given is inherited; a theme that
    /// inherits from none must give every role.
    ///
    /// # Errors
    /// Everything that is wrong with it, located.
    pub fn parse(name: &str, text: &str) -> Result<Theme, Vec<Fault>> {
        let table = DeTable::parse(text).map_err(|error| vec![Fault::syntax(text, &error)])?;
        let mut reader = Reader { text, palette: Vec::new(), faults: Vec::new() };
        let table = table.get_ref();
        let mut theme = reader.base(name, table);
        let mut given = vec![false; Role::COUNT];
        reader.palette(table);
        for (key, value) in table {
            match key.get_ref().as_ref() {
                "inherits" | "palette" => {}
                "roles" => reader.rows("roles", value, |reader, row| {
                    let known = ROLES.iter().find(|(_, known, _)| *known == row.0.get_ref());
                    match known {
                        Some((role, ..)) => reader.look(&mut theme, &mut given, *role, "roles", row),
                        None => reader.refuse(row.0, "roles", "role", ROLES.iter().map(|(_, known, _)| *known)),
                    }
                }),
                "layers" => reader.rows("layers", value, |reader, row| match Layer::named(row.0.get_ref()) {
                    Some(layer) => reader.look(&mut theme, &mut given, Role::Layer(layer), "layers", row),
                    None => reader.refuse(row.0, "layers", "layer", ALL_LAYERS.iter().map(|info| info.name)),
                }),
                _ => reader.refuse(key, "", "key", ["inherits", "palette", "roles", "layers"]),
            }
        }
        if table.get("inherits").is_none() {
            for role in Role::all().filter(|role| !given[role.index()]) {
                let message = format!("{} is missing (or say inherits = \"dark\")", role.name());
                reader.faults.push(Fault { line: 0, path: String::new(), message });
            }
        }
        reader.faults.sort_by_key(|fault| fault.line);
        if reader.faults.is_empty() { Ok(theme) } else { Err(reader.faults) }
    }

    /// How a role looks.
    #[must_use]
    pub fn style(&self, role: Role) -> Style {
        self.styles.get(role.index()).copied().unwrap_or_default()
    }

    /// What a layer's bar is made of, one column wide.
    #[must_use]
    pub fn fill(&self, layer: Layer) -> &str {
        self.fills.get(layer as usize).map_or("█", String::as_str)
    }
}

struct Reader<'a> {
    text: &'a str,
    palette: Vec<(String, Colour)>,
    faults: Vec<Fault>,
}

impl Reader<'_> {
    fn fault(&mut self, span: std::ops::Range<usize>, path: String, message: impl Into<String>) {
        self.faults.push(Fault::at(self.text, span, path, message));
    }

    fn refuse<'n>(
        &mut self,
        key: &Spanned<std::borrow::Cow<'_, str>>,
        under: &str,
        what: &str,
        known: impl IntoIterator<Item = &'n str>,
    ) {
        let path = if under.is_empty() { key.get_ref().to_string() } else { format!("{under}.{}", key.get_ref()) };
        self.fault(key.span(), path, unknown(what, key.get_ref(), known));
    }

    /// The theme that this one inherits from, renamed.
    fn base(&mut self, name: &str, table: &DeTable<'_>) -> Theme {
        let Some(value) = table.get("inherits") else { return Theme::plain(name) };
        let wanted = value.get_ref().as_str().unwrap_or_default();
        let found = Theme::shipped(wanted);
        if found.is_none() {
            let message = unknown("shipped theme", wanted, SHIPPED.iter().map(|(name, _)| *name));
            self.fault(value.span(), "inherits".to_owned(), message);
        }
        Theme { name: name.to_owned(), ..found.unwrap_or_else(|| Theme::plain(name)) }
    }

    fn palette(&mut self, table: &DeTable<'_>) {
        if let Some(value) = table.get("palette") {
            self.rows("palette", value, |reader, (key, value)| {
                let path = format!("palette.{}", key.get_ref());
                if let Some(colour) = reader.colour(value, &path) {
                    reader.palette.push((key.get_ref().to_string(), colour));
                }
            });
        }
    }

    fn rows(&mut self, path: &str, value: &Spanned<DeValue<'_>>, mut each: impl FnMut(&mut Self, Row<'_>)) {
        match value.get_ref() {
            DeValue::Table(table) => table.iter().for_each(|row| each(self, row)),
            _ => self.fault(value.span(), path.to_owned(), "expected a table"),
        }
    }

    fn look(&mut self, theme: &mut Theme, given: &mut [bool], role: Role, under: &str, (key, value): Row<'_>) {
        let path = format!("{under}.{}", key.get_ref());
        let mut style = Style::default();
        match value.get_ref() {
            DeValue::Table(table) => {
                for (name, value) in table {
                    let path = format!("{path}.{}", name.get_ref());
                    match (name.get_ref().as_ref(), role) {
                        ("fg", _) => style.fg = self.colour(value, &path),
                        ("bg", _) => style.bg = self.colour(value, &path),
                        ("emphasis", _) => style.emphasis = self.emphasis(value, &path),
                        ("fill", Role::Layer(layer)) => {
                            if let (Some(fill), Some(place)) =
                                (self.fill(value, &path), theme.fills.get_mut(layer as usize))
                            {
                                *place = fill;
                            }
                        }
                        _ => self.fault(name.span(), path, "expected fg, bg, emphasis, or for a layer fill"),
                    }
                }
            }
            _ => style.fg = self.colour(value, &path),
        }
        if let (Some(place), Some(given)) = (theme.styles.get_mut(role.index()), given.get_mut(role.index())) {
            (*place, *given) = (style, true);
        }
    }

    fn colour(&mut self, value: &Spanned<DeValue<'_>>, path: &str) -> Option<Colour> {
        let parsed = match value.get_ref() {
            DeValue::String(name) => match self.palette.iter().find(|(known, _)| known == name.as_ref()) {
                Some((_, colour)) => Ok(*colour),
                None => name.parse(),
            },
            DeValue::Integer(index) => index
                .as_str()
                .parse()
                .map(Colour::Index)
                .map_err(|_| "a colour of the terminal's palette is from 0 to 255".to_owned()),
            _ => Err("expected a colour: a name, 0 to 255, or \"#rrggbb\"".to_owned()),
        };
        parsed.map_err(|why| self.fault(value.span(), path.to_owned(), why)).ok()
    }

    fn emphasis(&mut self, value: &Spanned<DeValue<'_>>, path: &str) -> Emphasis {
        let mut emphasis = Emphasis::default();
        let one = std::slice::from_ref(value);
        let names = match value.get_ref() {
            DeValue::Array(list) => &list[..],
            _ => one,
        };
        for name in names {
            let word = name.get_ref().as_str().unwrap_or_default();
            match emphasis.flag(word) {
                Some(flag) => *flag = true,
                None => {
                    let message = unknown("emphasis", word, Emphasis::NAMES.iter().copied());
                    self.fault(name.span(), path.to_owned(), message);
                }
            }
        }
        emphasis
    }

    fn fill(&mut self, value: &Spanned<DeValue<'_>>, path: &str) -> Option<String> {
        let fill = value.get_ref().as_str().unwrap_or_default();
        let narrow = unicode_width::UnicodeWidthStr::width(fill) == 1 && fill.chars().count() == 1;
        if !narrow || fill.chars().any(char::is_control) {
            self.fault(value.span(), path.to_owned(), "expected one character, one column wide");
            return None;
        }
        Some(fill.to_owned())
    }
}

#[cfg(test)]
#[path = "theme_tests.rs"]
mod tests;
