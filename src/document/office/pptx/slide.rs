//! Writes a slide: its title, then its other shapes from top to bottom, then from left to right.

use crate::content::one_line;
use crate::document::heading::heading;
use crate::document::input::Failure;
use crate::document::office::package::{Package, Relations};
use crate::document::office::{chart, diagram};
use crate::document::out::Out;
use crate::document::typed::typed;

use super::shapes::{Bullet, Paragraph, Shape, Shows, plain};

/// Levels of a list, as PowerPoint has them.
const LEVELS: usize = 9;

/// Writes all shapes of a slide.
///
/// # Errors
/// When there is enough, or its package cannot be read.
pub fn write(
    shapes: Vec<Shape>,
    package: &mut Package<'_>,
    relations: &Relations,
    out: &mut Out<'_>,
) -> Result<(), Failure> {
    let mut titled = false;
    // Groups are opened where they stand; the last is taken first.
    let mut waiting = sorted(shapes);
    // A title heads its slide: what stands above it would belong to the section of the slide before.
    if let Some(at) = waiting.iter().rposition(is_title) {
        let title = waiting.remove(at);
        waiting.push(title);
    }
    while let Some(shape) = waiting.pop() {
        match &shape.shows {
            Shows::Group(_) => {
                if let Shows::Group(inner) = shape.shows {
                    waiting.extend(sorted(inner));
                }
                continue;
            }
            Shows::Picture => picture(&shape, out)?,
            Shows::Table(table) => out.block(table)?,
            Shows::Chart(id) => {
                if let Some(relation) = relations.get(id)
                    && let Some(text) = package.small(&relation.target)?
                {
                    out.block(&chart::table(text))?;
                }
            }
            Shows::Diagram(id) => {
                if let Some(relation) = relations.get(id)
                    && let Some(text) = package.small(&relation.target)?
                {
                    out.block(&diagram(text))?;
                }
            }
            Shows::Nothing => {}
        }
        if is_title(&shape) && !titled {
            let title = one_line(&plain(&shape.paragraphs, " "));
            if !title.is_empty() {
                titled = true;
                out.block(&heading(1, &title))?;
            }
        } else {
            out.block(&text(&shape, relations))?;
        }
    }
    Ok(())
}

fn is_title(shape: &Shape) -> bool {
    matches!(shape.placeholder.as_ref().map(|(kind, _)| kind.as_str()), Some("title" | "ctrTitle"))
}

/// Shapes from the last to the first: from top to bottom, then from left to right, those without a place first.
fn sorted(mut shapes: Vec<Shape>) -> Vec<Shape> {
    shapes.sort_by_key(|shape| shape.place.unwrap_or((i64::MIN, i64::MIN)));
    shapes.reverse();
    shapes
}

/// A picture, named after its shape as `MarkItDown` does: its own file has no name that a reader could look for.
fn picture(shape: &Shape, out: &mut Out<'_>) -> Result<(), Failure> {
    let name: String = shape.name.chars().filter(|sign| sign.is_alphanumeric() || *sign == '_').collect();
    let alt = if shape.alt.trim().is_empty() { &shape.name } else { &shape.alt };
    if alt.trim().is_empty() {
        // What only stands in for an embedded file.
        return Ok(());
    }
    Ok(out.block(&crate::document::html::image(alt, &format!("{name}.jpg"), ""))?)
}

/// A shape's text, with bullets and links.
fn text(shape: &Shape, relations: &Relations) -> String {
    let kind = shape.placeholder.as_ref().map(|(kind, _)| kind.as_str());
    let decoration = matches!(kind, Some("sldNum" | "dt" | "ftr"));
    let many = shape.paragraphs.iter().filter(|paragraph| !is_blank(paragraph)).count() > 1;
    let bulleted = matches!(kind, Some("body" | "obj")) && many;
    let (mut written, mut marks) = (String::new(), Marks::default());
    for paragraph in shape.paragraphs.iter().filter(|paragraph| !is_blank(paragraph)) {
        let text = with_links(paragraph, relations);
        let text = text.trim().replace(['\n', '\u{b}'], if decoration { " " } else { "\n" });
        let own = if bulleted { Bullet::Sign } else { Bullet::None };
        let mark = marks.before(paragraph.level, paragraph.bullet.unwrap_or(own));
        if !written.is_empty() {
            written.push('\n');
        }
        // What is typed behind a mark begins there.
        let text = typed(if mark.is_empty() { &written } else { "" }, &text);
        written.push_str(&mark);
        written.push_str(&text.replace('\n', &format!("\n{}", " ".repeat(mark.len()))));
    }
    written
}

/// Bullets and numbers of a shape's paragraphs.
#[derive(Default)]
struct Marks {
    /// Of each level, where its numbers begin, and the next one.
    next: [Option<(u32, u32)>; LEVELS],
    /// Of each level, how wide its newest mark is: what belongs to it stands behind that.
    widths: [usize; LEVELS],
}

impl Marks {
    /// What stands before the next paragraph, with its indentation; nothing without a bullet.
    fn before(&mut self, level: usize, bullet: Bullet) -> String {
        let level = level.min(LEVELS - 1);
        self.next.iter_mut().skip(level + 1).for_each(|deeper| *deeper = None);
        let Some(slot) = self.next.get_mut(level) else { return String::new() };
        let mark = match bullet {
            Bullet::Number(start) => {
                let number = slot.filter(|(from, _)| *from == start).map_or(start, |(_, next)| next);
                *slot = Some((start, number.saturating_add(1)));
                format!("{number}. ")
            }
            _ => {
                *slot = None;
                if bullet == Bullet::None { String::new() } else { "* ".to_owned() }
            }
        };
        if mark.is_empty() {
            return mark;
        }
        let indent: usize = self.widths.iter().take(level).map(|width| (*width).max(2)).sum();
        if let Some(width) = self.widths.get_mut(level) {
            *width = mark.len();
        }
        format!("{}{mark}", " ".repeat(indent))
    }
}

fn is_blank(paragraph: &Paragraph) -> bool {
    paragraph.runs.iter().all(|(text, _)| text.trim().is_empty())
}

fn with_links(paragraph: &Paragraph, relations: &Relations) -> String {
    let mut line = String::new();
    for (text, link) in &paragraph.runs {
        let target = link.as_ref().and_then(|id| relations.get(id)).filter(|relation| relation.external);
        match target {
            Some(relation) if !text.trim().is_empty() => {
                let words = text.trim();
                let before = text.len() - text.trim_start().len();
                line.push_str(&text[..before]);
                line.push_str(&format!("[{words}]({})", relation.target.replace(' ', "%20")));
                line.push_str(&text[before + words.len()..]);
            }
            _ => line.push_str(text),
        }
    }
    line
}

/// The text of a slide's notes.
pub fn notes(shapes: &[Shape], relations: &Relations) -> String {
    let body = |shape: &&Shape| matches!(&shape.placeholder, Some((kind, _)) if kind == "body");
    let lines = shapes.iter().filter(body).flat_map(|shape| &shape.paragraphs);
    let text = lines.map(|paragraph| with_links(paragraph, relations)).collect::<Vec<_>>().join("\n");
    typed("", text.trim())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_go_on_behind_what_is_deeper_and_begin_where_they_say() {
        use Bullet::{None, Number, Sign};
        let mut marks = Marks::default();
        let steps =
            [(0, Number(1)), (1, Sign), (1, Number(3)), (0, Number(1)), (1, Number(3)), (0, None), (0, Number(1))];
        let found = steps.map(|(level, bullet)| marks.before(level, bullet));
        assert_eq!(found, ["1. ", "   * ", "   3. ", "2. ", "   3. ", "", "1. "]);
    }
}
