//! The fields of a form: what is filled in, on the pages on which it is shown.

use std::collections::{BTreeMap, HashMap};

use lopdf::{Document, Object};
use unpdf::FormField;

use crate::content::one_line;

/// Fields of a form that are told.
pub(super) const FIELDS_MAX: usize = 10_000;
/// Fields above one another.
const PARENTS_MAX: usize = 32;

/// A form's fields that hold something.
#[derive(Debug, Default, PartialEq, Eq)]
pub struct Fields {
    /// Names and values, by page.
    pages: BTreeMap<u32, Vec<(String, String)>>,
    /// Those that no page is known to show.
    elsewhere: Vec<(String, String)>,
}

impl Fields {
    /// The fields, on their pages as `document` tells them; it is opened where a field is filled in.
    pub fn of<'a>(fields: &[FormField], document: impl FnOnce() -> Option<&'a Document>) -> Fields {
        let filled = fields.iter().map(|field| (field.name.clone(), field.display_value()));
        let filled: Vec<_> = filled.filter(|(_, value)| !value.trim().is_empty()).take(FIELDS_MAX).collect();
        let shown = if filled.is_empty() { None } else { document() };
        Fields::on_pages(filled, shown.map(pages_of).unwrap_or_default())
    }

    fn on_pages(filled: Vec<(String, String)>, mut shown: HashMap<String, Vec<u32>>) -> Fields {
        let mut fields = Fields::default();
        for (name, value) in filled {
            // A field may be shown in several places, and is told as often.
            let page = match shown.get_mut(&name) {
                Some(pages) if pages.len() > 1 => Some(pages.remove(0)),
                Some(pages) => pages.first().copied(),
                None => None,
            };
            let list = page.map_or(&mut fields.elsewhere, |page| fields.pages.entry(page).or_default());
            list.push((name, value));
        }
        fields
    }

    /// Those of a page, one on a line.
    pub fn on(&self, page: u32) -> String {
        self.pages.get(&page).map(|fields| lines(fields)).unwrap_or_default()
    }

    /// Those of no page that is known, one on a line.
    pub fn elsewhere(&self) -> String {
        lines(&self.elsewhere)
    }
}

/// Names and values, one on a line.
pub(super) fn lines(fields: &[(String, String)]) -> String {
    let line = |(name, value): &(String, String)| format!("* {}: {}", one_line(name), one_line(value));
    fields.iter().map(line).collect::<Vec<_>>().join("\n")
}

/// The pages that show a field, in order, by its full name.
fn pages_of(document: &Document) -> HashMap<String, Vec<u32>> {
    let mut found: HashMap<String, Vec<u32>> = HashMap::new();
    let resolved = |object: &Object| document.dereference(object).ok().map(|(_, object)| object.clone());
    for (number, id) in document.get_pages() {
        let page = document.get_dictionary(id).ok();
        let annotations = page.and_then(|page| page.get(b"Annots").ok()).and_then(resolved);
        let Some(Object::Array(annotations)) = annotations else { continue };
        for annotation in annotations.iter().take(FIELDS_MAX) {
            if let Some(name) = resolved(annotation).and_then(|widget| full_name(document, widget)) {
                found.entry(name).or_default().push(number);
            }
        }
    }
    found
}

/// A field's name behind those of the fields above it.
pub(super) fn full_name(document: &Document, widget: Object) -> Option<String> {
    let mut names = Vec::new();
    let mut above = Some(widget);
    for _ in 0..PARENTS_MAX {
        let Some(Object::Dictionary(field)) = above else { break };
        if let Ok(name) = field.get(b"T") {
            let name = document.dereference(name).ok().and_then(|(_, name)| lopdf::decode_text_string(name).ok());
            names.push(name?);
        }
        let parent = field.get(b"Parent").ok();
        above = parent.and_then(|parent| document.dereference(parent).ok()).map(|(_, parent)| parent.clone());
    }
    names.reverse();
    Some(names.join(".")).filter(|name| !name.is_empty())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn fields_are_told_on_the_pages_that_show_them() {
        let filled = [("name", "First\nLast"), ("name", "again"), ("agrees", "[x]"), ("hidden", "x")];
        let filled = filled.map(|(name, value)| (name.to_owned(), value.to_owned()));
        let shown = [("name".to_owned(), vec![1, 3]), ("agrees".to_owned(), vec![3])];
        let fields = Fields::on_pages(filled.into(), shown.into());
        let told = [fields.on(1), fields.on(2), fields.on(3), fields.elsewhere()];
        assert_eq!(told, ["* name: First Last", "", "* name: again\n* agrees: [x]", "* hidden: x"]);
    }
}
