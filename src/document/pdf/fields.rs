//! The fields of a form: what is filled in, on the pages on which it is shown.

use std::collections::{BTreeMap, HashMap, HashSet};

use lopdf::{Dictionary, Document, Object};
use memchr::memmem;
use unpdf::FormField;

use crate::content::one_line;

use super::packed::Searched;

/// Fields of a form that are told.
pub(super) const FIELDS_MAX: usize = 10_000;
/// Fields above one another.
const PARENTS_MAX: usize = 32;
/// The flag of buttons of which one is chosen.
const RADIO: i64 = 1 << 15;

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
    pub fn of<'a>(
        fields: &[FormField],
        searched: &Searched<'_>,
        document: impl FnOnce() -> Option<&'a Document>,
    ) -> Fields {
        let told = fields.iter().map(|field| (field.name.clone(), field.display_value()));
        let (filled, empty): (Vec<_>, Vec<_>) = told.partition(|(_, value)| !value.trim().is_empty());
        let filled: Vec<_> = filled.into_iter().take(FIELDS_MAX).collect();
        let is_open = !filled.is_empty() || (!empty.is_empty() && searched.any(holds_value));
        let shown = if is_open { document() } else { None };
        let known: HashSet<String> = filled.iter().map(|(name, _)| name.clone()).collect();
        let (pages, above) = shown.map(|document| shown_on(document, &known)).unwrap_or_default();
        let mut fields = Fields::on_pages(filled, pages);
        for (page, name, value) in above {
            fields.pages.entry(page).or_default().push((name, value));
        }
        fields
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

/// Whether something holds a value of a field, with text or a name.
fn holds_value(text: &[u8]) -> bool {
    memmem::find_iter(text, b"/V").any(|at| {
        let value = text.get(at + b"/V".len()..).unwrap_or_default().trim_ascii_start();
        let is_text = |rest: &[u8], end: u8| rest.trim_ascii_start().first().is_some_and(|first| *first != end);
        match value.first() {
            Some(b'(') => is_text(value.get(1..).unwrap_or_default(), b')'),
            Some(b'<') => !value.starts_with(b"<<") && is_text(value.get(1..).unwrap_or_default(), b'>'),
            Some(b'/') => !value.starts_with(b"/Off"),
            Some(b'[') => is_text(value.get(1..).unwrap_or_default(), b']'),
            // What stands in an object of its own.
            Some(first) => first.is_ascii_digit() && refers(value),
            None => false,
        }
    })
}

/// Whether two numbers and an `R` stand first.
fn refers(text: &[u8]) -> bool {
    let mut words = text.split(|byte| byte.is_ascii_whitespace()).filter(|word| !word.is_empty());
    let is_number = |word: Option<&[u8]>| word.is_some_and(|word| word.iter().all(u8::is_ascii_digit));
    is_number(words.next()) && is_number(words.next()) && words.next().is_some_and(|word| word.starts_with(b"R"))
}

/// The pages that show a field, in order, by its full name.
type Shown = HashMap<String, Vec<u32>>;
/// A page, the name of a field that it shows, and what the field holds.
type Above = (u32, String, String);

/// The pages that show fields; and fields other than those `known`, of which a node above the shown one holds the value.
fn shown_on(document: &Document, known: &HashSet<String>) -> (Shown, Vec<Above>) {
    let (mut found, mut above) = (Shown::new(), Vec::new());
    let resolved = |object: &Object| document.dereference(object).ok().map(|(_, object)| object.clone());
    for (number, id) in document.get_pages() {
        let page = document.get_dictionary(id).ok();
        let annotations = page.and_then(|page| page.get(b"Annots").ok()).and_then(resolved);
        let Some(Object::Array(annotations)) = annotations else { continue };
        for annotation in annotations.iter().take(FIELDS_MAX) {
            let Some(widget) = resolved(annotation) else { continue };
            let held = widget.as_dict().ok().filter(|widget| !widget.has(b"V") && above.len() < FIELDS_MAX);
            let held = held.and_then(|widget| value(document, widget));
            let Some(name) = full_name(document, widget) else { continue };
            if let Some(held) = held.filter(|_| !known.contains(&name)) {
                above.push((number, name.clone(), held));
            }
            found.entry(name).or_default().push(number);
        }
    }
    (found, above)
}

/// What a field holds, or the one above it: a text, a choice, or that it is ticked.
pub(super) fn value(document: &Document, widget: &Dictionary) -> Option<String> {
    let kind = inherited(document, widget, b"FT").and_then(|kind| kind.as_name().ok());
    match inherited(document, widget, b"V")? {
        Object::Name(name) => state(document, widget, name),
        // Some programs write the state of a button as text.
        Object::String(name, _) if kind == Some(b"Btn") => state(document, widget, name),
        Object::Array(choices) => {
            let choices = choices.iter().take(FIELDS_MAX).filter_map(|choice| text(document, Some(choice)));
            Some(choices.collect::<Vec<_>>().join(", ")).filter(|choices| !choices.is_empty())
        }
        held => text(document, Some(held)),
    }
}

/// What is said of a button that is in a state: that it is ticked, or which of several it is.
fn state(document: &Document, widget: &Dictionary, name: &[u8]) -> Option<String> {
    if name == b"Off" || !(widget.has(b"V") || shows(document, widget, name)) {
        return None;
    }
    let flags = inherited(document, widget, b"Ff").and_then(|flags| flags.as_i64().ok()).unwrap_or_default();
    let said = if flags & RADIO == 0 { None } else { option(document, widget, name) };
    Some(said.unwrap_or_else(|| "[x]".to_owned()))
}

/// A field's entry, or that of the nearest one above it that has one.
fn inherited<'a>(document: &'a Document, widget: &'a Dictionary, key: &[u8]) -> Option<&'a Object> {
    let mut node = widget;
    for _ in 0..PARENTS_MAX {
        match node.get_deref(key, document) {
            Ok(held) => return Some(held),
            Err(_) => node = node.get_deref(b"Parent", document).ok()?.as_dict().ok()?,
        }
    }
    None
}

/// Whether a button looks as a value says: of those that share a field, one does.
fn shows(document: &Document, widget: &Dictionary, state: &[u8]) -> bool {
    if let Ok(now) = widget.get_deref(b"AS", document).and_then(Object::as_name) {
        return now == state;
    }
    let looks = widget.get_deref(b"AP", document).and_then(Object::as_dict);
    let looks = looks.and_then(|looks| looks.get_deref(b"N", document)).and_then(Object::as_dict);
    looks.is_ok_and(|looks| looks.has(state))
}

/// What is said of the choice among buttons: a name, or the number of an option that is listed.
fn option(document: &Document, widget: &Dictionary, state: &[u8]) -> Option<String> {
    let state = String::from_utf8_lossy(state);
    let listed = inherited(document, widget, b"Opt").and_then(|options| options.as_array().ok());
    let listed = listed.zip(state.parse::<usize>().ok()).and_then(|(options, at)| text(document, options.get(at)));
    listed.or(Some(state.trim().to_owned())).filter(|state| !state.is_empty())
}

/// A text that says something, in lines.
pub(super) fn text(document: &Document, held: Option<&Object>) -> Option<String> {
    let (_, held) = document.dereference(held?).ok()?;
    let text = lopdf::decode_text_string(held).ok()?.replace("\r\n", "\n").replace('\r', "\n");
    Some(text.trim().to_owned()).filter(|text| !text.is_empty())
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
    use lopdf::dictionary;

    use crate::document::testing::converted;

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

    fn name(text: &str) -> Object {
        Object::string_literal(text)
    }

    /// A page with a form of nodes, each with those below it that the page shows.
    fn form(fields: Vec<(Dictionary, Vec<Dictionary>)>) -> Vec<u8> {
        let mut document = Document::with_version("1.5");
        let (mut shown, mut listed) = (Vec::new(), Vec::new());
        for (mut field, kids) in fields {
            let id = document.new_object_id();
            let kids: Vec<Object> = kids
                .into_iter()
                .map(|mut kid| {
                    kid.set("Subtype", "Widget");
                    kid.set("Parent", id);
                    document.add_object(kid).into()
                })
                .collect();
            shown.extend(kids.clone());
            field.set("Kids", kids);
            document.objects.insert(id, field.into());
            listed.push(id.into());
        }
        let pages = document.new_object_id();
        let page = dictionary! { "Type" => "Page", "Parent" => pages, "Annots" => shown };
        let kids = vec![document.add_object(page).into()];
        document.objects.insert(pages, dictionary! { "Type" => "Pages", "Kids" => kids, "Count" => 1 }.into());
        let form = dictionary! { "Fields" => Object::Array(listed) };
        let catalog = dictionary! { "Type" => "Catalog", "Pages" => pages, "AcroForm" => form };
        let catalog = document.add_object(catalog);
        document.trailer.set("Root", catalog);
        let mut bytes = Vec::new();
        document.save_modern(&mut bytes).unwrap();
        bytes
    }

    #[test]
    fn a_value_above_the_widgets_that_show_it_is_told() {
        let field = |kind: &str, called: &str| dictionary! { "FT" => kind, "T" => name(called) };
        let with = |mut field: Dictionary, value: Object| {
            field.set("V", value);
            field
        };
        let state = |state: &str| dictionary! { "AS" => state };
        let mut radio = with(field("Btn", "status"), "single".into());
        radio.set("Ff", 1 << 15);
        let bytes = form(vec![
            (with(field("Tx", "who"), name("Alice")), vec![dictionary! {}]),
            (with(field("Tx", "nobody"), name("")), vec![dictionary! {}]),
            (with(field("Ch", "tongues"), vec![name("one"), name("two")].into()), vec![dictionary! {}]),
            (with(field("Btn", "agrees"), "Yes".into()), vec![state("Yes")]),
            (with(field("Btn", "objects"), "Off".into()), vec![state("Off")]),
            (with(field("Btn", "written"), name("Yes")), vec![state("Yes")]),
            (with(field("Btn", "unset"), name("Off")), vec![state("Off")]),
            (radio, vec![state("Off"), state("single")]),
        ]);
        let told = "* who: Alice\n* tongues: one, two\n* agrees: [x]\n* written: [x]\n* status: single";
        assert_eq!(converted("a.pdf", &bytes, None).markdown.trim(), told);
    }

    #[test]
    fn a_form_that_holds_nothing_is_not_looked_through() {
        for (text, holds) in [
            (&b"<</V (a)>>"[..], true),
            (b"<</V ( )/Kids[]>>", false),
            (b"/V/Off /V<> /V <</A 1>> /V []", false),
            (b"/V<FEFF>", true),
            (b"/V/Yes", true),
            (b"/V 12 0 R", true),
            (b"/V 2/R 3", false),
            (b"/View", false),
        ] {
            assert_eq!(holds_value(text), holds, "{}", String::from_utf8_lossy(text));
        }
    }
}
