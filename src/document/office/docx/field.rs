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
    /// A field that holds only its result.
    pub fn simple(code: String) -> Field {
        Field { code, in_result: true, ..Field::default() }
    }

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

/// The address of a `HYPERLINK` field, with the place in it that `\l` names.
pub fn link_of(code: &str) -> Option<String> {
    let mut words = words(code).into_iter();
    if !words.next()?.eq_ignore_ascii_case("HYPERLINK") {
        return None;
    }
    let (mut target, mut place) = (None, None);
    while let Some(word) = words.next() {
        match word.to_lowercase().as_str() {
            "\\l" => place = words.next(),
            // A tip, and the window that it opens in.
            "\\o" | "\\t" => drop(words.next()),
            switch if switch.starts_with('\\') && switch.len() == 2 => {}
            _ => target = target.or(Some(word)),
        }
    }
    linked(target, place)
}

/// An address, and a place in it.
pub fn linked(target: Option<String>, place: Option<String>) -> Option<String> {
    let filled = |text: &String| !text.trim().is_empty();
    match (target.filter(filled), place.filter(filled)) {
        (Some(target), Some(place)) if !target.contains('#') => Some(format!("{target}#{place}")),
        (None, Some(place)) => Some(format!("#{place}")),
        (target, _) => target,
    }
}

/// The words of a field's code; between quotes, blanks are part of a word.
fn words(code: &str) -> Vec<String> {
    let mut words = Vec::new();
    let mut rest = code.trim_start();
    while let Some(first) = rest.chars().next() {
        let mut word = String::new();
        let mut signs = rest.char_indices().skip(usize::from(first == '"')).peekable();
        let mut end = rest.len();
        while let Some((at, sign)) = signs.next() {
            match sign {
                '"' if first == '"' => {
                    end = at + 1;
                    break;
                }
                _ if sign.is_whitespace() && first != '"' => {
                    end = at;
                    break;
                }
                '\\' if first == '"' => {
                    let escaped = signs.next_if(|(_, next)| matches!(next, '\\' | '"'));
                    word.push(escaped.map_or(sign, |(_, next)| next));
                }
                _ => word.push(sign),
            }
        }
        words.push(word);
        rest = rest[end..].trim_start();
    }
    words
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn links_keep_the_place_in_their_target() {
        let link = |code: &str| link_of(code).unwrap_or_default();
        assert_eq!(link(r#" HYPERLINK "https://a.b/c d" \l "sec" \o "A tip" "#), "https://a.b/c d#sec");
        assert_eq!(link(r#"HYPERLINK \l "sec""#), "#sec");
        assert_eq!(link(r#"hyperlink \h https://a.b \t "_blank""#), "https://a.b");
        assert_eq!(link(r#"HYPERLINK "\\\\server\\it\"s" "#), r#"\\server\it"s"#);
        assert_eq!(link(r#"HYPERLINK "https://a.b/#x" \l "y""#), "https://a.b/#x");
        assert_eq!((link_of("PAGE"), link_of("HYPERLINK \"")), (None, None));
    }
}
