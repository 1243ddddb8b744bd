//! DOCX: headings, lists, tables, footnotes, comments, equations; pages where Word last laid them out.

mod body;
mod embedded;
mod field;
mod layout;
mod margins;
mod numbering;
mod part;
pub mod run;
mod styles;
mod write;

use crate::document::input::{Failure, Input};
use crate::document::out::{Out, Stop};
use crate::document::piece::{Place, PlaceKind};

use super::package::{Package, Relations, resolve};
use body::Body;
use embedded::Embedded;
use layout::Layout;
use numbering::Numbering;
use part::Note;
use styles::Styles;

/// A Word document as Markdown.
///
/// # Errors
/// Where its package or its main part cannot be read.
pub fn convert(input: &Input<'_>, out: &mut Out<'_>) -> Result<(), Failure> {
    let mut package = Package::open(input, out)?;
    package.facts(out)?;
    let main = package.main("word/document.xml")?;
    let relations = package.relations(&main)?;
    let styles = match part(&package, &main, &relations, "styles") {
        Some(name) => Styles::read(package.small(&name)?),
        None => Styles::default(),
    };
    let numbering = match part(&package, &main, &relations, "numbering") {
        Some(name) => Numbering::read(package.small(&name)?),
        None => Numbering::default(),
    };
    let embedded = embedded::read(&mut package, &relations, input, out)?;
    package.say_damaged(out);
    let layout = package.text(&main)?.map(Layout::read).unwrap_or_default();
    let Some(text) = package.text(&main)? else {
        return Err(Failure::Damaged("it has no main part".to_owned()));
    };
    let mut body = Body::new((&styles, &numbering), (&relations, &embedded), &layout);
    let read = body.read(text, out);
    let ended = body.finish();
    if layout.rendered {
        out.fact("pages", ended.pages);
    }
    read?;
    package.say_cut(&main, "text", out);
    let mut page = ended.pages;
    let mut refer = |id: &str, out: &mut Out<'_>| match ended.notes.get(id) {
        Some(at) if layout.rendered && ended.told => on_page(*at, &mut page, out),
        _ => Ok(()),
    };
    for (kind, mark) in [("footnotes", ""), ("endnotes", "e")] {
        if let Some(name) = part(&package, &main, &relations, kind) {
            let relations = package.relations(&name)?;
            let found = read_notes(&mut package, &name, &styles, &numbering, &relations)?;
            for note in found.iter().filter(|note| ended.notes.contains_key(&format!("{mark}{}", note.id))) {
                refer(&format!("{mark}{}", note.id), out)?;
                out.block(&format!("[^{mark}{}]: {}", note.id, note.text))?;
            }
        }
    }
    if let Some(name) = part(&package, &main, &relations, "comments") {
        let relations = package.relations(&name)?;
        let found = read_notes(&mut package, &name, &styles, &numbering, &relations)?;
        if !found.is_empty() {
            out.block("**Comments**")?;
        }
        for note in found {
            refer(&format!("c{}", note.id), out)?;
            let by = if note.author.is_empty() { String::new() } else { format!("{}: ", note.author) };
            out.block(&format!("* {by}{}", note.text))?;
        }
    }
    margins::say(&mut package, &relations, (&styles, &numbering), out);
    package.say_damaged(out);
    Ok(())
}

/// The part of a kind beside the main one; where what leads to it is lost, the one that is usually called so.
fn part(package: &Package<'_>, main: &str, relations: &Relations, kind: &str) -> Option<String> {
    let known = relations.values().find(|relation| relation.kind == kind).map(|relation| relation.target.clone());
    let folder = main.rsplit_once('/').map_or("", |(folder, _)| folder);
    let usual = || Some(resolve(folder, &format!("{kind}.xml"))).filter(|name| package.has(name));
    known.or_else(|| usual().filter(|_| package.lacks_relations(main)))
}

/// What follows belongs to a page before the newest: there it is referred to.
fn on_page(number: u32, newest: &mut u32, out: &mut Out<'_>) -> Result<(), Stop> {
    if std::mem::replace(newest, number) == number {
        return Ok(());
    }
    out.blank_line()?;
    out.anchor(Place::numbered(PlaceKind::Page, number))
}

/// Footnotes, endnotes or comments.
fn read_notes(
    package: &mut Package<'_>,
    name: &str,
    styles: &Styles,
    numbering: &Numbering,
    relations: &Relations,
) -> Result<Vec<Note>, Failure> {
    let Some(text) = package.small(name)? else {
        return Ok(Vec::new());
    };
    let (layout, embedded) = (Layout::default(), Embedded::new());
    let mut body = Body::new((styles, numbering), (relations, &embedded), &layout);
    // All text of such a part belongs to a note, so nothing is written.
    let mut nowhere = |_| Ok(());
    let mut out = Out::new(u64::MAX, &mut nowhere);
    let _ = body.read(text, &mut out);
    Ok(body.into_notes())
}
