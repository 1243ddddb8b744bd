//! What the beginning of an element means: of paragraphs and tables, of what the text refers to, of runs.

use quick_xml::events::BytesStart;

use crate::document::markup;
use crate::document::office::docx::field::{Field, link_of, linked};
use crate::document::office::docx::part::{Note, Paragraph, is_former, on, sign};
use crate::document::office::docx::run::{BREAK, Marks};
use crate::document::office::docx::write::Table;
use crate::document::office::math::Math;
use crate::document::script::Script;

use super::{Body, PARAGRAPHS_MAX};

/// Elements that are not part of the text: what was deleted or moved, and second versions of drawings.
const SKIPPED: &[&str] = &["del", "moveFrom", "Fallback", "sdtPr", "tblPrEx"];

impl Body<'_> {
    /// An element begins.
    pub(super) fn begin(&mut self, element: &BytesStart<'_>) {
        let name = element.local_name();
        let name = name.into_inner();
        if self.skipped > 0 {
            self.skipped += 1;
            return;
        }
        if let Some((math, depth, _)) = &mut self.math {
            *depth += 1;
            self.in_text = name == "t";
            math.begin(name, markup::attribute(element, "val"));
            return;
        }
        if self.property(name, element) {
            return;
        }
        if SKIPPED.contains(&name) || is_former(name) {
            self.skipped = 1;
            return;
        }
        let taken = self.paragraph_or_table(name, element)
            || self.fields.last_mut().is_some_and(|field| field.form(name, element))
            || self.reference(name, element);
        if !taken && self.in_run {
            self.run(name, element);
        }
    }

    /// What is said of a paragraph, a row or a section; whether the element was such.
    fn property(&mut self, name: &str, element: &BytesStart<'_>) -> bool {
        let value = || markup::attribute(element, "val");
        match name {
            "pPr" => self.in_properties.0 = true,
            "trPr" => self.in_properties.1 = true,
            "del" | "moveFrom" if self.in_properties != (false, false) => {
                if self.in_properties.1 {
                    self.writer.with_table(Table::delete_row);
                } else if let Some(paragraph) = self.paragraphs.last_mut() {
                    paragraph.joined = true;
                }
            }
            "sectPr" => {
                self.section += 1;
                self.skipped = 1;
                if let Some(paragraph) = self.paragraphs.last_mut() {
                    paragraph.ends_section = true;
                }
            }
            "pageBreakBefore" => {
                if let Some(paragraph) = self.paragraphs.last_mut() {
                    paragraph.page_before = Some(on(element));
                }
            }
            // A large first letter stands in a frame beside the words that it begins.
            "framePr" => {
                let drops = markup::attribute(element, "dropCap").is_some_and(|kind| kind != "none");
                if let Some(paragraph) = self.paragraphs.last_mut() {
                    paragraph.joined |= drops;
                }
            }
            "pStyle" | "numId" | "ilvl" | "outlineLvl" => {
                if let (Some(paragraph), Some(value)) = (self.paragraphs.last_mut(), value()) {
                    paragraph.property(name, value);
                }
            }
            "gridSpan" | "gridBefore" => {
                let span = value().and_then(|value| value.parse().ok()).unwrap_or(1);
                self.writer.with_table(|table| if name == "gridSpan" { table.span(span) } else { table.before(span) });
            }
            _ => return false,
        }
        true
    }

    /// What holds text; whether the element was such.
    fn paragraph_or_table(&mut self, name: &str, element: &BytesStart<'_>) -> bool {
        match name {
            "p" if self.paragraphs.len() >= PARAGRAPHS_MAX => self.too_many += 1,
            "p" => {
                let depth = self.paragraphs.len();
                let before = self.joined.take_if(|(_, around)| *around == depth);
                let Paragraph { pieces, boxed, .. } = before.map(|(before, _)| before).unwrap_or_default();
                self.paragraphs.push(Paragraph { pieces, boxed, ..Paragraph::default() });
            }
            "r" => {
                self.in_run = true;
                self.font.clear();
                self.script = None;
                self.marks = Marks { link: self.links.iter().rev().flatten().next().cloned(), ..Marks::default() };
            }
            "t" => self.in_text = true,
            "rt" => self.reading = (true, String::new()),
            "instrText" => self.in_code = true,
            "oMathPara" => self.display = true,
            "oMath" => {
                let mut math = Math::default();
                math.begin("oMath", None);
                self.math = Some((math, 1, self.display));
            }
            "footnote" | "endnote" | "comment" => {
                // Separators have a type; real notes have none.
                let real = markup::attribute(element, "type").is_none_or(|kind| kind == "normal");
                self.writer.begin_note(Note::begin(element), real);
            }
            "txbxContent" => self.around.push(false),
            "tbl" => {
                self.around.push(true);
                self.writer.begin_table();
            }
            "tr" => self.writer.with_table(Table::row),
            "tc" => self.writer.with_table(Table::cell),
            _ => return false,
        }
        true
    }

    /// What stands elsewhere and is shown or referred to here; whether the element was such.
    fn reference(&mut self, name: &str, element: &BytesStart<'_>) -> bool {
        match name {
            "hyperlink" => {
                let target = markup::prefixed(element, "id").and_then(|id| self.relations.get(&id));
                let target = target.map(|relation| relation.target.clone());
                let place = ["anchor", "docLocation"].iter().find_map(|name| markup::attribute(element, name));
                self.links.push(linked(target, place));
            }
            "fldSimple" => {
                let code = markup::attribute(element, "instr").unwrap_or_default();
                self.links.push(link_of(&code));
                // What it holds is its result, whatever field's code it stands in.
                self.fields.push(Field::simple(code));
            }
            "fldChar" => self.field(markup::attribute(element, "fldCharType").as_deref()),
            "docPr" => {
                let get = |name| markup::attribute(element, name).filter(|text| !text.trim().is_empty());
                self.alt = get("descr").or_else(|| get("title")).unwrap_or_default();
            }
            "blip" => self.image(markup::prefixed(element, "embed").or_else(|| markup::prefixed(element, "link"))),
            "imagedata" => {
                self.alt = markup::attribute(element, "title").unwrap_or_default();
                self.image(markup::prefixed(element, "id"));
            }
            "chart" => self.drawn(markup::prefixed(element, "id")),
            "relIds" => self.drawn(markup::prefixed(element, "dm")),
            "altChunk" => self.imported = markup::prefixed(element, "id"),
            "footnoteReference" | "endnoteReference" => {
                let mark = if name == "endnoteReference" { "e" } else { "" };
                if let Some(id) = markup::attribute(element, "id") {
                    self.raw(format!("[^{mark}{id}]"));
                    self.refer(format!("{mark}{id}"));
                }
            }
            "commentReference" => {
                let id = markup::attribute(element, "id").unwrap_or_default();
                self.refer(format!("c{id}"));
            }
            _ => return false,
        }
        true
    }

    /// What a run holds beside its text.
    fn run(&mut self, name: &str, element: &BytesStart<'_>) {
        let value = || markup::attribute(element, "val");
        let on = || on(element);
        match name {
            "rFonts" => self.font = markup::attribute(element, "ascii").unwrap_or_default(),
            "b" => self.marks.bold = on(),
            "i" => self.marks.italic = on(),
            "strike" | "dstrike" => self.marks.struck = on(),
            "vertAlign" => self.script = Script::named(value().as_deref()),
            "rStyle" => {
                let style = value().unwrap_or_default();
                self.writer.styles.mark(&style, &mut self.marks);
                self.script = self.writer.styles.script(&style);
            }
            "tab" | "ptab" => self.add("\t"),
            "noBreakHyphen" => self.add("-"),
            "cr" => self.raw(BREAK.to_owned()),
            "br" if markup::attribute(element, "type").as_deref() == Some("page") => self.page_wished(),
            "br" => self.raw(BREAK.to_owned()),
            "lastRenderedPageBreak" if !std::mem::take(&mut self.fresh_page) => self.page(false),
            "sym" => self.add(sign(element).encode_utf8(&mut [0; 4])),
            _ => {}
        }
    }
}

#[cfg(test)]
mod tests {
    use crate::document::testing::{converted, zip};

    #[test]
    fn a_style_may_raise_or_lower_what_it_marks() {
        let style = |id: &str, rest: &str| format!("<w:style w:type='character' w:styleId='{id}'>{rest}</w:style>");
        let styles = [
            style("Up", "<w:name w:val='Up'/><w:rPr><w:vertAlign w:val='superscript'/></w:rPr>"),
            style("Higher", "<w:name w:val='Higher'/><w:basedOn w:val='Up'/>"),
            style("Down", "<w:name w:val='Down'/><w:rPr><w:vertAlign w:val='subscript'/></w:rPr>"),
            style(
                "Back",
                "<w:name w:val='Back'/><w:basedOn w:val='Up'/><w:rPr><w:vertAlign w:val='baseline'/></w:rPr>",
            ),
        ];
        let run = |look: &str, text: &str| format!("<w:r><w:rPr>{look}</w:rPr><w:t>{text}</w:t></w:r>");
        let styled = |style: &str, text: &str| run(&format!("<w:rStyle w:val='{style}'/>"), text);
        let body = [
            run("", "10"),
            styled("Up", "6"),
            run("", " m"),
            styled("Higher", "2"),
            run("", " H"),
            styled("Down", "2"),
            run("", "O 1"),
            styled("Back", "0"),
            run("<w:rStyle w:val='Up'/><w:vertAlign w:val='baseline'/>", "5"),
        ];
        let document = format!("<w:document><w:body><w:p>{}</w:p></w:body></w:document>", body.concat());
        let styles = format!("<w:styles>{}</w:styles>", styles.concat());
        let links = "<Relationships><Relationship Id='s' Type='x/styles' Target='styles.xml'/></Relationships>";
        let parts = [
            ("word/document.xml", document.as_str()),
            ("word/styles.xml", &styles),
            ("word/_rels/document.xml.rels", links),
        ];
        assert_eq!(converted("a.docx", &zip(&parts), None).markdown, "10⁶ m² H₂O 105\n");
    }

    #[test]
    fn a_large_first_letter_begins_the_words_beside_it() {
        let paragraph =
            |frame: &str, text: &str| format!("<w:p><w:pPr>{frame}</w:pPr><w:r><w:t>{text}</w:t></w:r></w:p>");
        let body = [
            paragraph("<w:framePr w:dropCap='drop' w:lines='3'/>", "D"),
            paragraph("", "rop cap."),
            paragraph("<w:framePr w:dropCap='margin'/>", "N"),
            paragraph("", "ext."),
            paragraph("<w:framePr w:dropCap='none'/>", "A frame"),
            paragraph("<w:framePr/>", "Another"),
            paragraph("<w:framePr w:dropCap='drop'/>", "L"),
        ];
        let document = format!("<w:document><w:body>{}</w:body></w:document>", body.concat());
        let found = converted("a.docx", &zip(&[("word/document.xml", &document)]), None);
        assert_eq!(found.markdown, "Drop cap.\n\nNext.\n\nA frame\n\nAnother\n\nL\n");
    }
}
