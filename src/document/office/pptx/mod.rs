//! PPTX: slides with their titles, text, tables, charts, pictures and notes, in reading order.

mod shapes;
mod slide;

use std::collections::HashMap;

use crate::document::input::{Failure, Input};
use crate::document::markup::{self, Event};
use crate::document::out::Out;
use crate::document::piece::{Place, PlaceKind};

use super::package::Package;
use shapes::{Shape, Shapes};

/// Bytes in which a slide begins.
const HEAD: usize = 8 << 10;
/// Slides of one presentation.
const SLIDES_MAX: usize = 20_000;

/// What was found for a slide that others need, too.
#[derive(Default)]
struct Known {
    layouts: HashMap<String, Vec<Shape>>,
    /// Notes by their slides, once a slide was lost.
    notes: Option<HashMap<String, String>>,
}

/// A presentation as Markdown.
///
/// # Errors
/// Where its package cannot be read.
pub fn convert(input: &Input<'_>, out: &mut Out<'_>) -> Result<(), Failure> {
    let mut package = Package::open(input, out)?;
    package.facts(out)?;
    let main = package.main("ppt/presentation.xml")?;
    let relations = package.relations(&main)?;
    let ids = slide_ids(&mut package, &main)?;
    let mut slides: Vec<String> = ids
        .iter()
        .filter_map(|id| relations.get(id))
        .map(|relation| relation.target.clone())
        .take(SLIDES_MAX)
        .collect();
    let is_damaged = package.is_damaged(&main) || package.lacks_relations(&main);
    if is_damaged || slides.is_empty() && package.lacks_parts() {
        let mut others = by_number(package.names());
        others.retain(|name| !slides.contains(name));
        if !others.is_empty() {
            out.note("what orders the slides is lost; they follow by the numbers of their parts");
        }
        slides.extend(others);
    }
    package.say_damaged(out);
    if slides.is_empty() {
        let has_main = package.has(&main) || package.lacks_parts();
        return Err(Failure::Damaged(if has_main { "it has no slides" } else { "it has no main part" }.to_owned()));
    }
    out.fact("slides", slides.len());
    let mut known = Known::default();
    for (number, part) in (1u32..).zip(&slides) {
        out.blank_line()?;
        out.anchor(Place::numbered(PlaceKind::Slide, number))?;
        out.block(&format!("<!-- Slide number: {number} -->"))?;
        match one(&mut package, part, &mut known, out) {
            Err(Failure::Stop(stop)) => return Err(stop.into()),
            Err(why) => out.note(format!("the slide cannot be read: {why}")),
            Ok(()) => package.say_cut(part, "slide", out),
        }
        package.say_damaged(out);
        out.progress(u64::from(number), slides.len() as u64)?;
    }
    Ok(())
}

/// The parts that are slides, in the order of their numbers.
fn by_number(names: &[String]) -> Vec<String> {
    let number = |name: &String| name.strip_prefix("ppt/slides/slide")?.strip_suffix(".xml")?.parse::<u32>().ok();
    let mut slides: Vec<(u32, &String)> = names.iter().filter_map(|name| Some((number(name)?, name))).collect();
    slides.sort();
    slides.into_iter().map(|(_, name)| name.clone()).take(SLIDES_MAX).collect()
}

/// One slide and its notes.
fn one(package: &mut Package<'_>, part: &str, known: &mut Known, out: &mut Out<'_>) -> Result<(), Failure> {
    let relations = package.relations(part)?;
    let related =
        |kind: &str| relations.values().find(|relation| relation.kind == kind).map(|relation| relation.target.clone());
    let mut text = package.small(part)?;
    let (is_there, holds) = match &mut text {
        Some(text) => (true, !text.ahead(1)?.is_empty()),
        None => (false, false),
    };
    let Some(mut text) = text.filter(|_| holds) else {
        if known.notes.is_none() {
            known.notes = Some(all_notes(package)?);
        }
        if let Some(left) = known.notes.as_ref().and_then(|all| all.get(part)) {
            notes(package, left, out)?;
        }
        let why = if is_there { "its part holds nothing" } else { "there is no such part" };
        return Err(Failure::Damaged(why.to_owned()));
    };
    if is_hidden(text.ahead(HEAD)?) {
        out.block("*Hidden slide*")?;
    }
    let mut shapes = Shapes::read(text, out)?;
    if let Some(layout) = related("slideLayout") {
        if !known.layouts.contains_key(&layout) {
            let found = placeholders(package, &layout, out)?;
            known.layouts.insert(layout.clone(), found);
        }
        shapes::inherit(&mut shapes, known.layouts.get(&layout).map_or(&[], Vec::as_slice));
    }
    slide::write(shapes, package, &relations, out)?;
    if let Some(part) = related("notesSlide") {
        notes(package, &part, out)?;
    }
    for kind in ["comments", "comment"] {
        if let Some(part) = related(kind)
            && let Some(text) = package.small(&part)?
        {
            let texts = markup::texts(text);
            for (_, text) in texts.iter().filter(|(name, _)| name == "text" || name == "t") {
                out.block(&format!("> {}", text.replace('\n', "\n> ")))?;
            }
        }
    }
    Ok(())
}

/// The notes of a slide.
fn notes(package: &mut Package<'_>, part: &str, out: &mut Out<'_>) -> Result<(), Failure> {
    let Some(text) = package.small(part)? else { return Ok(()) };
    let relations = package.relations(part)?;
    let shapes = Shapes::read(text, out)?;
    let text = slide::notes(&shapes, &relations);
    if !text.is_empty() {
        out.block("### Notes:")?;
        out.text(&text)?;
        out.text("\n")?;
    }
    Ok(())
}

/// The notes by the slides that they say they are of, which may be lost.
fn all_notes(package: &mut Package<'_>) -> Result<HashMap<String, String>, Failure> {
    let are_notes = |name: &&String| name.starts_with("ppt/notesSlides/") && name.ends_with(".xml");
    let all: Vec<String> = package.names().iter().filter(are_notes).take(SLIDES_MAX).cloned().collect();
    let mut found = HashMap::new();
    for part in all {
        let relations = package.relations(&part)?;
        let slide = relations.values().find(|relation| relation.kind == "slide");
        found.extend(slide.map(|slide| (slide.target.clone(), part)));
    }
    Ok(found)
}

/// Whether a slide says of itself that it is passed over when all are shown.
fn is_hidden(head: &[u8]) -> bool {
    let (mut events, mut buffer) = (markup::reader(head), Vec::new());
    loop {
        buffer.clear();
        match events.read_event_into(&mut buffer) {
            Ok(Event::Start(slide)) => {
                return markup::attribute(&slide, "show").is_some_and(|show| show == "0" || show == "false");
            }
            Ok(Event::Eof) | Err(_) => return false,
            Ok(_) => {}
        }
    }
}

/// Writes what a drawing beside cells shows: charts, diagrams, pictures and text boxes, in their order.
///
/// # Errors
/// When there is enough, or the package cannot be read.
pub fn drawing(package: &mut Package<'_>, part: &str, out: &mut Out<'_>) -> Result<(), Failure> {
    let Some(text) = package.small(part)? else { return Ok(()) };
    let relations = package.relations(part)?;
    let mut shapes = Shapes::read(text, out)?;
    // The cells that they stand on say where; what they say themselves is often nothing.
    shapes.iter_mut().for_each(|shape| shape.place = None);
    slide::write(shapes, package, &relations, out)
}

/// The placeholders of a layout, and behind them those of its master.
fn placeholders(package: &mut Package<'_>, layout: &str, out: &mut Out<'_>) -> Result<Vec<Shape>, Failure> {
    let mut found = match package.small(layout)? {
        Some(text) => Shapes::read(text, out)?,
        None => Vec::new(),
    };
    let relations = package.relations(layout)?;
    let master =
        relations.values().find(|relation| relation.kind == "slideMaster").map(|relation| relation.target.clone());
    if let Some(master) = master
        && let Some(text) = package.small(&master)?
    {
        found.extend(Shapes::read(text, out)?);
    }
    Ok(found)
}

/// The relations of the slides, in their order.
fn slide_ids(package: &mut Package<'_>, main: &str) -> Result<Vec<String>, Failure> {
    let mut ids = Vec::new();
    let Some(text) = package.small(main)? else {
        return Ok(ids);
    };
    let mut events = markup::reader(text);
    let mut buffer = Vec::new();
    loop {
        buffer.clear();
        match events.read_event_into(&mut buffer) {
            Ok(Event::Start(element) | Event::Empty(element)) if element.local_name().into_inner() == "sldId" => {
                ids.extend(markup::prefixed(&element, "id"));
            }
            Ok(Event::Eof) | Err(_) => return Ok(ids),
            Ok(_) => {}
        }
    }
}
