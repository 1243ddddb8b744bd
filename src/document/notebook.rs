//! Jupyter notebooks: their Markdown, their code in fences, and what it printed.

use serde::Deserialize;
use serde::de::IgnoredAny;

use super::encoding::TextReader;
use super::heading;
use super::input::{Failure, Input};
use super::out::Out;
use super::piece::{Place, PlaceKind};
use super::text;
use super::typed::backticks;

/// Bytes of a notebook that are read: pictures in it are long.
const BYTES_MAX: usize = 128 << 20;

#[derive(Deserialize)]
struct Notebook {
    #[serde(default)]
    cells: Vec<Cell>,
    /// Before version 4 cells were in worksheets.
    #[serde(default)]
    worksheets: Vec<Worksheet>,
    #[serde(default)]
    metadata: Metadata,
}

#[derive(Deserialize)]
struct Worksheet {
    #[serde(default)]
    cells: Vec<Cell>,
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

#[derive(Deserialize)]
struct Output {
    #[serde(default)]
    text: Lines,
    #[serde(default)]
    data: Shown,
    #[serde(default)]
    traceback: Vec<IgnoredAny>,
    ename: Option<String>,
    evalue: Option<String>,
}

#[derive(Default, Deserialize)]
struct Shown {
    #[serde(default, rename = "text/plain")]
    plain: Lines,
    #[serde(default, rename = "text/markdown")]
    markdown: Lines,
}

/// A text, or its lines.
#[derive(Deserialize)]
#[serde(untagged)]
enum Lines {
    One(String),
    Many(Vec<String>),
    Other(IgnoredAny),
}

impl Default for Lines {
    fn default() -> Lines {
        Lines::One(String::new())
    }
}

impl Lines {
    fn join(&self) -> String {
        match self {
            Lines::One(text) => text.clone(),
            Lines::Many(lines) => lines.concat(),
            Lines::Other(_) => String::new(),
        }
    }
}

/// A notebook as Markdown.
///
/// # Errors
/// Where it is no notebook.
pub fn convert(input: &Input<'_>, out: &mut Out<'_>) -> Result<(), Failure> {
    let mut reader = TextReader::new(input.reader()?)?;
    let whole = reader.all(BYTES_MAX)?;
    let notebook: Notebook =
        serde_json::from_str(&whole).map_err(|why| Failure::Damaged(format!("it is no notebook: {why}")))?;
    let Language { language, name } = notebook.metadata.kernelspec;
    let named = notebook.metadata.language_info.name.or(language).or(name).unwrap_or_else(|| "python".to_owned());
    let language: String =
        named.chars().filter(|sign| sign.is_alphanumeric() || "+#-".contains(*sign)).take(30).collect();
    out.fact("language", &language);
    let worksheets = notebook.worksheets.into_iter().flat_map(|sheet| sheet.cells);
    for (number, cell) in (1u32..).zip(notebook.cells.into_iter().chain(worksheets)) {
        out.blank_line()?;
        out.anchor(Place::numbered(PlaceKind::Cell, number))?;
        let source = cell.source.join();
        match cell.cell_type.as_str() {
            "code" => {
                fenced(&source, &language, out)?;
                for output in &cell.outputs {
                    write_output(output, out)?;
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

fn write_output(output: &Output, out: &mut Out<'_>) -> Result<(), Failure> {
    let markdown = output.data.markdown.join();
    if !markdown.is_empty() {
        return Ok(out.block(&markdown)?);
    }
    fenced(&output.text.join(), "", out)?;
    fenced(&output.data.plain.join(), "", out)?;
    if !output.traceback.is_empty() || output.ename.is_some() {
        let name = output.ename.as_deref().unwrap_or("error");
        fenced(&format!("{name}: {}", output.evalue.as_deref().unwrap_or_default()), "", out)?;
    }
    Ok(())
}

fn fenced(text: &str, language: &str, out: &mut Out<'_>) -> Result<(), Failure> {
    let text = text.trim_end();
    if text.trim().is_empty() {
        return Ok(());
    }
    let fence = backticks(text, 3);
    Ok(out.block(&format!("{fence}{language}\n{text}\n{fence}"))?)
}
