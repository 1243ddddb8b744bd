//! Fields: links, and the boxes and lists of forms, which show a result that is no text of the document.

use quick_xml::events::BytesStart;

use crate::document::markup;

/// A field that is open: `{ HYPERLINK "…" }`.
#[derive(Default)]
pub struct Field {
    /// What it does.
    pub code: String,
    /// Whether its result has begun.
    pub in_result: bool,
    /// Whether its result is told in words.
    pub answered: bool,
    form: Option<Form>,
}

/// What a form's field holds.
enum Form {
    /// A box, ticked or not, and whether that was set and not only the default.
    Check(bool, bool),
    /// A list: the number of the entry that is chosen, from 0, whether that was set, and the entries.
    List(usize, bool, Vec<String>),
}

impl Field {
    /// Takes in an element of a form's field; whether it was one.
    pub fn form(&mut self, name: &str, element: &BytesStart<'_>) -> bool {
        let value = markup::attribute(element, "val");
        let on = !value.as_deref().is_some_and(|value| ["0", "false", "off"].contains(&value));
        let number = || value.as_deref().and_then(|value| value.parse().ok()).unwrap_or(0);
        match (name, &mut self.form) {
            _ if self.in_result => return false,
            ("checkBox", form) => *form = Some(Form::Check(false, false)),
            ("ddList", form) => *form = Some(Form::List(0, false, Vec::new())),
            ("default", Some(Form::Check(ticked, false))) => *ticked = on,
            ("checked", Some(Form::Check(ticked, set))) => (*ticked, *set) = (on, true),
            ("default", Some(Form::List(chosen, false, _))) => *chosen = number(),
            ("result", Some(Form::List(chosen, set, _))) => (*chosen, *set) = (number(), true),
            ("listEntry", Some(Form::List(.., entries))) => entries.extend(value),
            _ => return false,
        }
        true
    }

    /// What a form's field shows and does not tell in words; empty for others.
    pub fn shown(self) -> String {
        match self.form {
            _ if self.answered => String::new(),
            Some(Form::Check(ticked, _)) => if ticked { "☒" } else { "☐" }.to_owned(),
            Some(Form::List(chosen, _, mut entries)) if chosen < entries.len() => entries.swap_remove(chosen),
            _ => String::new(),
        }
    }
}

/// The address of a `HYPERLINK` field.
pub fn link_of(code: &str) -> Option<String> {
    let rest = code.trim().strip_prefix("HYPERLINK")?.trim();
    let (before, quoted) = rest.split_once('"')?;
    let target = quoted.split('"').next()?;
    Some(if before.contains("\\l") { format!("#{target}") } else { target.to_owned() })
}
