//! Jupyter notebooks: their Markdown, their code in fences, and what it printed.

use std::fmt;

use serde::Deserialize;
use serde::de::{DeserializeSeed, Deserializer, IgnoredAny, MapAccess, SeqAccess, Visitor};

use super::encoding::TextReader;
use super::heading;
use super::input::{Failure, Input};
use super::notebook_output::{self, Lines, Output, fenced};
use super::out::Out;
use super::piece::{Place, PlaceKind};
use super::text;

/// Bytes of a notebook that are read: pictures in it are long.
const BYTES_MAX: usize = 128 << 20;

/// A notebook as far as it has been read: what stands before a damage stays.
#[derive(Default)]
struct Notebook {
    cells: Vec<Cell>,
    metadata: Metadata,
    /// Whether it has a list of cells at all.
    is_one: bool,
}

impl Notebook {
    /// What can be read of a notebook, and why that is not all of it.
    fn read(text: &str) -> (Notebook, Option<serde_json::Error>) {
        let mut notebook = Notebook::default();
        let mut json = serde_json::Deserializer::from_str(text);
        let read = Top(&mut notebook).deserialize(&mut json).and_then(|()| json.end());
        (notebook, read.err())
    }
}

/// A notebook's object, or a worksheet's: before version 4 cells were in worksheets.
struct Top<'a>(&'a mut Notebook);

impl<'de> DeserializeSeed<'de> for Top<'_> {
    type Value = ();

    fn deserialize<D: Deserializer<'de>>(self, from: D) -> Result<(), D::Error> {
        from.deserialize_map(self)
    }
}

impl<'de> Visitor<'de> for Top<'_> {
    type Value = ();

    fn expecting(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str("a notebook")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<(), A::Error> {
        while let Some(key) = map.next_key::<String>()? {
            match key.as_str() {
                "cells" => map.next_value_seed(List { notebook: self.0, of_worksheets: false })?,
                "worksheets" => map.next_value_seed(List { notebook: self.0, of_worksheets: true })?,
                "metadata" => self.0.metadata = map.next_value()?,
                _ => _ = map.next_value::<IgnoredAny>()?,
            }
        }
        Ok(())
    }
}

/// A list of cells or, before version 4, of worksheets that hold them.
struct List<'a> {
    notebook: &'a mut Notebook,
    of_worksheets: bool,
}

impl<'de> DeserializeSeed<'de> for List<'_> {
    type Value = ();

    fn deserialize<D: Deserializer<'de>>(self, from: D) -> Result<(), D::Error> {
        from.deserialize_seq(self)
    }
}

impl<'de> Visitor<'de> for List<'_> {
    type Value = ();

    fn expecting(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str(if self.of_worksheets { "a list of worksheets" } else { "a list of cells" })
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut list: A) -> Result<(), A::Error> {
        if self.of_worksheets {
            while list.next_element_seed(Top(self.notebook))?.is_some() {}
            return Ok(());
        }
        self.notebook.is_one = true;
        while let Some(cell) = list.next_element()? {
            self.notebook.cells.push(cell);
        }
        Ok(())
    }
}

#[derive(Default, Deserialize)]
struct Metadata {
    #[serde(default)]
    kernelspec: Language,
    #[serde(default)]
    language_info: Language,
}

#[derive(Default, Deserialize)]
struct Language {
    language: Option<String>,
    name: Option<String>,
}

#[derive(Deserialize)]
struct Cell {
    #[serde(default)]
    cell_type: String,
    #[serde(default, alias = "input")]
    source: Lines,
    #[serde(default)]
    outputs: Vec<Output>,
    level: Option<usize>,
}

/// A notebook as Markdown.
///
/// # Errors
/// Where it is no notebook.
pub fn convert(input: &Input<'_>, out: &mut Out<'_>) -> Result<(), Failure> {
    let mut reader = TextReader::new(input.reader()?)?;
    let whole = reader.all(BYTES_MAX)?;
    let (notebook, damage) = Notebook::read(&whole);
    if let Some(why) = damage {
        if !notebook.is_one {
            return Err(Failure::Damaged(format!("it is no notebook: {why}")));
        }
        out.note(format!(
            "the notebook is damaged at line {}: the cells that were read before it are shown",
            why.line()
        ));
    }
    let Language { language, name } = notebook.metadata.kernelspec;
    let named = notebook.metadata.language_info.name.or(language).or(name).unwrap_or_else(|| "python".to_owned());
    let language: String =
        named.chars().filter(|sign| sign.is_alphanumeric() || "+#-".contains(*sign)).take(30).collect();
    out.fact("language", &language);
    for (number, cell) in (1u32..).zip(notebook.cells) {
        out.blank_line()?;
        out.anchor(Place::numbered(PlaceKind::Cell, number))?;
        let source = cell.source.join("");
        match cell.cell_type.as_str() {
            "code" => {
                fenced(&source, &language, out)?;
                for output in cell.outputs {
                    notebook_output::write(output, out)?;
                }
            }
            "heading" => out.block(&heading::marked(cell.level.unwrap_or(1), &source))?,
            "raw" => fenced(&source, "", out)?,
            _ => out.block(&source)?,
        }
    }
    text::say_encoding(&reader, out);
    Ok(())
}

#[cfg(test)]
mod tests {
    use crate::document::testing::converted;

    #[test]
    fn what_stands_before_a_damage_is_kept() {
        let cell = |text: &str| format!("{{\"cell_type\":\"markdown\",\"source\":[\"{text}\"]}}");
        let whole = format!("{{\"metadata\":{{}},\n\"cells\":[{},\n{}]}}", cell("first"), cell("second"));
        assert!(converted("a.ipynb", whole.as_bytes(), None).notes.is_empty());
        for (text, kept) in [(&whole[..whole.len() - 9], "first"), (&format!("{whole}\n}}"), "second")] {
            let found = converted("a.ipynb", text.as_bytes(), None);
            assert!(found.markdown.contains("first") && found.markdown.contains(kept), "{found:?}");
            assert!(found.notes[0].message.starts_with("the notebook is damaged at line "), "{:?}", found.notes);
        }
        let old = format!("{{\"worksheets\":[{{\"cells\":[{},{}]", cell("first"), cell("second"));
        assert!(converted("a.ipynb", old.as_bytes(), None).markdown.contains("second"));
    }
}
