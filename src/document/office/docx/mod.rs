//! DOCX: headings, lists, tables, footnotes, comments, equations; pages where Word last laid them out.

mod body;
mod numbering;
mod run;
mod styles;
mod write;

use crate::document::input::{Failure, Input};
use crate::document::out::Out;

use super::package::{Package, Relations};
use body::{Body, Note};
use numbering::Numbering;
use styles::Styles;

/// A Word document as Markdown.
///
/// # Errors
/// Where its package or its main part cannot be read.
pub fn convert(input: &Input<'_>, out: &mut Out<'_>) -> Result<(), Failure> {
    let mut package = Package::open(input)?;
    package.facts(out)?;
    let main = package.main("word/document.xml")?;
    let relations = package.relations(&main)?;
    let part =
        |kind: &str| relations.values().find(|relation| relation.kind == kind).map(|relation| relation.target.clone());
    let styles = match part("styles") {
        Some(name) => Styles::read(package.small(&name)?),
        None => Styles::default(),
    };
    let numbering = match part("numbering") {
        Some(name) => Numbering::read(package.small(&name)?),
        None => Numbering::default(),
    };
    let Some(text) = package.text(&main)? else {
        return Err(Failure::Damaged("it has no main part".to_owned()));
    };
    let mut body = Body::new(&styles, &numbering, &relations);
    let read = body.read(text, out);
    let (notes, pages) = body.finish();
    if pages > 1 {
        out.fact("pages", pages);
    }
    read?;
    for (kind, mark) in [("footnotes", ""), ("endnotes", "e")] {
        if let Some(name) = part(kind) {
            let relations = package.relations(&name)?;
            let found = read_notes(&mut package, &name, &styles, &numbering, &relations)?;
            for note in found.iter().filter(|note| notes.contains(&format!("{mark}{}", note.id))) {
                out.block(&format!("[^{mark}{}]: {}", note.id, note.text))?;
            }
        }
    }
    if let Some(name) = part("comments") {
        let relations = package.relations(&name)?;
        let found = read_notes(&mut package, &name, &styles, &numbering, &relations)?;
        if !found.is_empty() {
            out.block("**Comments**")?;
        }
        for note in found {
            let by = if note.author.is_empty() { String::new() } else { format!("{}: ", note.author) };
            out.block(&format!("* {by}{}", note.text))?;
        }
    }
    Ok(())
}

/// Footnotes, endnotes or comments.
fn read_notes(
    package: &mut Package<'_>,
    name: &str,
    styles: &Styles,
    numbering: &Numbering,
    relations: &Relations,
) -> Result<Vec<Note>, Failure> {
    match package.small(name)? {
        Some(text) => Ok(body::notes(text, styles, numbering, relations)),
        None => Ok(Vec::new()),
    }
}
