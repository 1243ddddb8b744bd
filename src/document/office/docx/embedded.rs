//! What a Word document shows out of other parts: charts, diagrams, and documents that stand in its text.

use std::collections::HashMap;

use crate::content::MemoryBytes;
use crate::document::convert::detect_bytes;
use crate::document::inner;
use crate::document::input::{Failure, Input, Packing};
use crate::document::office::package::{Package, Relation, Relations};
use crate::document::office::{chart, diagram};
use crate::document::out::{Out, Stop};
use crate::document::piece::Piece;
use crate::document::unpacking::Damage;
use crate::model::file_name;

/// Charts and diagrams that are read.
const DRAWN_MAX: usize = 500;
/// Documents that are read.
const IMPORTED_MAX: usize = 100;
/// Bytes of one such document, and of the Markdown that it gives.
const IMPORTED_SIZE: u64 = 16 << 20;
/// Documents within each other.
const DEPTH_MAX: u32 = 2;

/// The Markdown of other parts, by the ids of the relations to them.
pub type Embedded = HashMap<String, String>;

/// Reads what a part may show.
///
/// # Errors
/// When there is enough, or its package cannot be read. What cannot be read of them is told as a note.
pub fn read(
    package: &mut Package<'_>,
    relations: &Relations,
    input: &Input<'_>,
    out: &mut Out<'_>,
) -> Result<Embedded, Failure> {
    let mut found = Embedded::new();
    let mut inside: Vec<(&String, &Relation)> = relations.iter().filter(|(_, relation)| !relation.external).collect();
    inside.sort_by_key(|(id, _)| *id);
    let of = |kinds: &'static [&str]| inside.iter().filter(|(_, relation)| kinds.contains(&relation.kind.as_str()));
    for (id, relation) in of(&["chart", "chartEx", "diagramData"]).take(DRAWN_MAX) {
        if let Some(text) = package.small(&relation.target)? {
            let drawn = if relation.kind == "diagramData" { diagram(text) } else { chart::table(text) };
            found.insert((*id).clone(), drawn);
        }
    }
    for (id, relation) in of(&["aFChunk"]).take(IMPORTED_MAX) {
        if let Some(bytes) = package.bytes(&relation.target, IMPORTED_SIZE + 1)? {
            found.insert((*id).clone(), imported(file_name(&relation.target), bytes, input, out)?);
        }
    }
    Ok(found)
}

/// A document of any format, by its own reader.
fn imported(name: &str, bytes: Vec<u8>, input: &Input<'_>, out: &mut Out<'_>) -> Result<String, Failure> {
    let too_large = bytes.len() as u64 > IMPORTED_SIZE;
    let bytes = MemoryBytes(bytes);
    let detected = detect_bytes(name, &bytes);
    let Some(format) = detected.format.filter(|_| !too_large && input.depth + 1 < DEPTH_MAX) else {
        let why = match detected.format {
            None => detected.refusal(),
            Some(_) if too_large => format!("it is larger than {} MB", IMPORTED_SIZE >> 20),
            Some(_) => "it stands within others".to_owned(),
        };
        out.note(format!("the document {name} that stands in it is left out: {why}"));
        return Ok(String::new());
    };
    let inner_name = if detected.packing == Packing::None { name } else { Packing::strip(name) };
    let (packing, depth, damage) = (detected.packing, input.depth + 1, &Damage::default());
    let inner = Input { name: inner_name, bytes: &bytes, packing, depth, damage, ..*input };
    let (mut text, mut notes) = (String::new(), Vec::new());
    let mut sink = |piece| {
        match piece {
            Piece::Text(more) => text.push_str(&more),
            Piece::Note(note) => notes.push(note.message),
            _ => {}
        }
        Ok(())
    };
    let mut write = Out::new(IMPORTED_SIZE, &mut sink);
    let done = inner::convert(format, &inner, &mut write);
    damage.say(&mut write);
    let _ = write.finish();
    match done {
        Err(Failure::Stop(Stop::Cancelled)) => return Err(Stop::Cancelled.into()),
        Err(Failure::Stop(Stop::Full)) => notes.push(format!("only {} MB of it are shown", IMPORTED_SIZE >> 20)),
        Err(why) => notes.push(format!("it cannot be read as {}: {why}", format.title)),
        Ok(()) => {}
    }
    for note in notes {
        out.note(format!("the document {name} that stands in it: {note}"));
    }
    Ok(text)
}
