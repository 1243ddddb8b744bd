//! Comments on the cells of a workbook.

use std::collections::HashSet;

use crate::document::input::Failure;
use crate::document::markup::{self, Event};
use crate::document::out::Out;
use crate::document::typed::typed;

use super::binary;
use super::package::Package;

/// Bytes of a part in binary form.
const BYTES_MAX: u64 = 64 << 20;
/// Comments that are kept of one part.
pub const MOST: usize = 10_000;

/// A cell and what is said of it, in the order of cells.
pub type Comments = Vec<(String, String)>;

/// Writes the comments on the cells of a sheet.
///
/// # Errors
/// As [`Out::text`].
pub fn write(comments: &Comments, out: &mut Out<'_>) -> Result<(), Failure> {
    out.block("**Comments**")?;
    out.blank_line()?;
    for (cell, words) in comments {
        let lines = words.lines().map(str::trim).filter(|line| !line.is_empty());
        let lines: Vec<_> = lines.map(|line| typed("", line)).collect();
        out.text(&format!("- {cell}: {}\n", lines.join("\n  ")))?;
    }
    Ok(())
}

/// The comments of a sheet. What stands in a conversation stands beside it once more, for programs that know none.
///
/// # Errors
/// Where the package cannot be read.
pub fn of_sheet(package: &mut Package<'_>, part: &str) -> Result<Comments, Failure> {
    let relations = package.relations(part)?;
    let mut read = |kind: &str, says: &str| {
        let part = relations.values().find(|relation| relation.kind == kind && !relation.external);
        if let Some(relation) = part.filter(|relation| relation.target.ends_with(".bin")) {
            let bytes = package.bytes(&relation.target, BYTES_MAX)?;
            return Ok(bytes.map(|bytes| binary::comments(&bytes)).unwrap_or_default());
        }
        let text = part.map(|relation| package.small(&relation.target)).transpose()?.flatten();
        Ok::<_, Failure>(text.map(|text| said(text, says)).unwrap_or_default())
    };
    let mut comments = read("threadedComment", "text")?;
    let told: HashSet<String> = comments.iter().map(|(cell, _)| cell.clone()).collect();
    comments.extend(read("comments", "t")?.into_iter().filter(|(cell, _)| !told.contains(cell)));
    comments.sort_by_key(|(cell, _)| place(cell));
    Ok(comments)
}

/// Row and column of a cell, to be sorted by: shorter columns come first.
fn place(cell: &str) -> (u32, usize, String) {
    let column: String = cell.chars().take_while(char::is_ascii_alphabetic).collect();
    (cell.get(column.len()..).and_then(|row| row.parse().ok()).unwrap_or(u32::MAX), column.len(), column)
}

/// The comments of a part, whose texts stand in elements of a name.
fn said(text: impl std::io::BufRead, says: &str) -> Comments {
    let (mut events, mut buffer) = (markup::reader(text), Vec::new());
    let mut found = Comments::new();
    // The cell that is spoken of, whether its text has begun, and whether that says how signs are read.
    let (mut cell, mut is_text, mut is_sound) = (None, false, false);
    let mut words = String::new();
    loop {
        buffer.clear();
        match events.read_event_into(&mut buffer) {
            Ok(Event::Start(element)) => match element.local_name().into_inner() {
                "comment" | "threadedComment" => (cell, words) = (markup::attribute(&element, "ref"), String::new()),
                "rPh" => is_sound = true,
                name => is_text = name == says && !is_sound,
            },
            Ok(Event::End(element)) => match element.local_name().into_inner() {
                "comment" | "threadedComment" => {
                    let words = std::mem::take(&mut words);
                    found.extend(cell.take().filter(|_| !words.trim().is_empty()).map(|cell| (cell, words)));
                    if found.len() >= MOST {
                        return found;
                    }
                }
                "rPh" => is_sound = false,
                _ => is_text = false,
            },
            Ok(Event::Text(more)) if is_text => words.push_str(&more.xml10_content()),
            Ok(Event::CData(more)) if is_text => words.push_str(&more.xml10_content()),
            Ok(Event::GeneralRef(reference)) if is_text => words.push_str(&markup::entity(&reference)),
            Ok(Event::Eof) | Err(_) => return found,
            Ok(_) => {}
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn cells_are_in_the_order_of_rows_and_columns() {
        let mut cells = ["AA1", "B10", "B2", "A2", "Z1", "?"];
        cells.sort_by_key(|cell| place(cell));
        assert_eq!(cells, ["Z1", "AA1", "A2", "B2", "B10", "?"]);
    }
}
