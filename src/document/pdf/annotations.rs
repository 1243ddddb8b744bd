//! What annotations put on a page: text that is typed over it, the fields of a form that is listed nowhere, and comments.

use std::collections::BTreeMap;

use lopdf::{Document, Object};
use memchr::memmem::find_iter;

use crate::content::one_line;
use crate::document::typed::typed;

use super::fields::{FIELDS_MAX, full_name, lines, text, value};
use super::packed::Searched;

/// Flags of an annotation that is not seen: hidden, not to be viewed.
const UNSEEN: i64 = 0b10_0010;

/// Kinds of annotations that comment on what they mark.
const COMMENTS: [&[u8]; 15] = [
    b"Text",
    b"Highlight",
    b"Underline",
    b"Squiggly",
    b"StrikeOut",
    b"Caret",
    b"Stamp",
    b"Ink",
    b"Line",
    b"Square",
    b"Circle",
    b"Polygon",
    b"PolyLine",
    b"FileAttachment",
    b"Redact",
];
/// Comments of a document that are shown, and their bytes.
const COMMENTS_MAX: usize = 10_000;
const COMMENT_BYTES_MAX: usize = 1 << 20;

/// What a page holds beside its content.
#[derive(Debug, Default, PartialEq, Eq)]
struct Beside {
    typed: Vec<String>,
    /// Names and values.
    filled: Vec<(String, String)>,
    /// Who says it, where that is told, and what.
    comments: Vec<(Option<String>, String)>,
}

/// What annotations put on pages, by page.
#[derive(Debug, Default)]
pub struct Annotations {
    pages: BTreeMap<u32, Beside>,
    /// Comments that are not shown.
    left_out: usize,
}

impl Annotations {
    /// Those of a document, which is opened where what it says tells of any. `unlisted`: no form of it lists fields.
    pub fn of<'a>(
        searched: &Searched<'_>,
        unlisted: bool,
        document: impl FnOnce() -> Option<&'a Document>,
    ) -> Annotations {
        let is_filled = unlisted && searched.says(b"/Widget");
        let told = is_filled || searched.says(b"/FreeText") || searched.any(has_comments);
        let Some(document) = told.then(document).flatten() else { return Annotations::default() };
        let (mut pages, mut left_out) = (BTreeMap::new(), 0);
        let (mut count, mut size) = (0, 0);
        for (number, id) in document.get_pages() {
            let mut beside = Beside::default();
            for one in document.get_page_annotations(id).unwrap_or_default().into_iter().take(FIELDS_MAX) {
                let is = |kind: &[u8]| one.get(b"Subtype").and_then(Object::as_name).is_ok_and(|name| name == kind);
                if one.get(b"F").and_then(Object::as_i64).is_ok_and(|flags| flags & UNSEEN != 0) {
                    continue;
                }
                if is(b"FreeText") {
                    beside.typed.extend(text(document, one.get(b"Contents").ok()));
                } else if unlisted && is(b"Widget") {
                    let name = full_name(document, Object::Dictionary(one.clone()));
                    beside.filled.extend(name.zip(value(document, one)));
                } else if COMMENTS.iter().any(|kind| is(kind))
                    && !one.has(b"StateModel")
                    && let Some(words) = text(document, one.get(b"Contents").ok())
                {
                    (count, size) = (count + 1, size + words.len());
                    if count > COMMENTS_MAX || size > COMMENT_BYTES_MAX {
                        left_out += 1;
                        continue;
                    }
                    beside.comments.push((text(document, one.get(b"T").ok()), words));
                }
            }
            if beside != Beside::default() {
                pages.insert(number, beside);
            }
        }
        Annotations { pages, left_out }
    }

    /// What is to be said of comments that are not shown.
    pub fn left_out(&self) -> Option<String> {
        (self.left_out > 0).then(|| format!("comments that are not shown: {}", self.left_out))
    }

    /// What they put on a page.
    pub fn on(&self, page: u32) -> String {
        let Some(Beside { typed, filled, comments }) = self.pages.get(&page) else { return String::new() };
        let filled = Some(lines(filled)).filter(|lines| !lines.is_empty());
        let comments = Some(written(comments)).filter(|_| !comments.is_empty());
        typed.iter().cloned().chain(filled).chain(comments).collect::<Vec<_>>().join("\n\n")
    }
}

/// Whether a document names a comment where its bytes can be searched.
fn has_comments(bytes: &[u8]) -> bool {
    const KIND: &[u8] = b"/Subtype";
    find_iter(bytes, KIND).any(|at| {
        let rest = bytes.get(at + KIND.len()..).unwrap_or_default().trim_ascii_start();
        let is_end = |sign: Option<&u8>| sign.is_none_or(|sign| !sign.is_ascii_alphanumeric());
        let name = rest.strip_prefix(b"/").unwrap_or_default();
        COMMENTS.iter().any(|kind| name.starts_with(kind) && is_end(name.get(kind.len())))
    })
}

/// Comments as a list.
fn written(comments: &[(Option<String>, String)]) -> String {
    let item = |(who, words): &(Option<String>, String)| {
        let words = words.lines().map(str::trim).filter(|line| !line.is_empty());
        let words: Vec<String> = words.map(|line| typed("", line)).collect();
        let who = who.as_ref().map_or(String::new(), |who| format!("{}: ", one_line(who)));
        format!("- {who}{}", words.join("\n  "))
    };
    let items: Vec<String> = comments.iter().map(item).collect();
    format!("**Comments**\n\n{}", items.join("\n"))
}

#[cfg(test)]
mod tests {
    use crate::document::testing::converted;

    use lopdf::{StringFormat, dictionary};

    use super::*;

    #[test]
    fn typed_text_and_fields_that_no_form_lists_stand_on_their_page() {
        let string = |text: &str| Object::String(text.as_bytes().to_vec(), StringFormat::Literal);
        let mut document = Document::with_version("1.5");
        let pages = document.new_object_id();
        let above = document.add_object(dictionary! { "T" => string("who"), "V" => string("A name") });
        let annotations = vec![
            dictionary! { "Subtype" => "FreeText", "Contents" => string("Typed\rover it") },
            dictionary! { "Subtype" => "FreeText", "Contents" => string("hidden"), "F" => 2 },
            dictionary! { "Subtype" => "Text", "Contents" => string("a remark\rthat is folded away"), "T" => string("Me") },
            dictionary! { "Subtype" => "Highlight", "Contents" => string("# of it") },
            dictionary! { "Subtype" => "Text", "Contents" => string("Accepted"), "StateModel" => string("Review") },
            dictionary! { "Subtype" => "Popup", "Contents" => string("the same") },
            dictionary! { "Subtype" => "Widget", "T" => string("first"), "Parent" => above },
            dictionary! { "Subtype" => "Widget", "T" => string("agrees"), "V" => "Yes" },
            dictionary! { "Subtype" => "Widget", "T" => string("objects"), "V" => "Off" },
        ];
        let annotations: Vec<Object> = annotations.into_iter().map(Object::Dictionary).collect();
        let page = dictionary! { "Type" => "Page", "Parent" => pages, "Annots" => annotations };
        let page = document.add_object(page);
        let kids = vec![Object::Reference(page)];
        document.objects.insert(pages, dictionary! { "Type" => "Pages", "Kids" => kids, "Count" => 1 }.into());
        let catalog = document.add_object(dictionary! { "Type" => "Catalog", "Pages" => pages });
        document.trailer.set("Root", catalog);
        let on = |bytes: &[u8], unlisted| Annotations::of(&Searched::of(bytes), unlisted, || Some(&document)).on(1);
        let comments = "**Comments**\n\n- Me: a remark\n  that is folded away\n- \\# of it";
        let typed = "Typed\nover it";
        let fields = "* who.first: A name\n* agrees: [x]";
        assert_eq!(on(b"/FreeText /Widget", true), format!("{typed}\n\n{fields}\n\n{comments}"));
        assert_eq!(on(b"/Subtype /Text", false), format!("{typed}\n\n{comments}"));
        assert_eq!(on(b"/PDF /Text /Subtype /TextBox", true), "");
    }

    #[test]
    fn what_is_typed_over_a_page_is_found_in_object_streams() {
        let mut document = Document::with_version("1.5");
        let pages = document.new_object_id();
        let typed = dictionary! { "Subtype" => "FreeText", "Contents" => Object::string_literal("abc123") };
        let typed: Object = document.add_object(typed).into();
        let page = dictionary! { "Type" => "Page", "Parent" => pages, "Annots" => vec![typed] };
        let kids = vec![document.add_object(page).into()];
        document.objects.insert(pages, dictionary! { "Type" => "Pages", "Kids" => kids, "Count" => 1 }.into());
        let catalog = document.add_object(dictionary! { "Type" => "Catalog", "Pages" => pages });
        document.trailer.set("Root", catalog);
        let mut bytes = Vec::new();
        document.save_modern(&mut bytes).unwrap();
        assert_eq!(converted("a.pdf", &bytes, None).markdown.trim(), "abc123");
    }
}
