//! Where in a window something stands, in words.

use super::remembered::is_kept;
use super::{clip, name_in};
use crate::inquiry::{Occurrence, Place, Spot};
use crate::model::{Layer, Source, Transcript, file_name};
use crate::transcript::RESPONSE_FORMAT;

/// Characters of the name of a page, slide, sheet or chapter.
const LANDMARK: usize = 60;

/// Where something stood when it came in.
#[must_use]
pub fn whence(one: &Occurrence) -> String {
    match one.layer {
        Layer::Memory if is_kept(one) => "a kept memory".to_owned(),
        layer => stands_in(layer, &one.label),
    }
}

/// The page, slide, sheet or chapter of the original in which a place stands. Untrusted.
pub(super) fn landmark(source: Option<&Source>, spot: Option<&Spot>) -> String {
    let name = source.zip(spot).and_then(|(source, spot)| source.landmark(spot.stored.1));
    name.map_or_else(String::new, |name| format!(", {}", clip(name, LANDMARK)))
}

/// What holds it, by its layer and its label, which is untrusted.
#[must_use]
pub fn stands_in(layer: Layer, label: &str) -> String {
    let name = name_in(label, 40);
    let label = clip(&name, 40);
    // A label that only says what it is adds nothing: "the skill skill".
    let bare = |what: &str| label.is_empty() || what.ends_with(&format!(" {label}"));
    let named = |what: &str| if bare(what) { what.to_owned() } else { format!("{what} {label}") };
    match layer {
        Layer::System if label == RESPONSE_FORMAT => "the form that answers must have".to_owned(),
        Layer::System => "the system prompt".to_owned(),
        Layer::Tools => "the definitions of tools".to_owned(),
        Layer::Instructions => named("the instructions"),
        Layer::Skills => named("the skill"),
        Layer::Memory => "a memory".to_owned(),
        Layer::Files => named("the file"),
        Layer::Chunks => named("a passage of"),
        Layer::User => "a message of the user".to_owned(),
        Layer::Assistant => "an answer of the model".to_owned(),
        Layer::Thinking => "the model's reasoning".to_owned(),
        Layer::ToolCalls => named("a call of"),
        Layer::ToolResults => named("the output of"),
        Layer::Summaries => "a summary".to_owned(),
        Layer::Notices => "a notice of the harness".to_owned(),
        Layer::Unlogged | Layer::Reserve | Layer::Free => "the window".to_owned(),
    }
}

/// File, line and byte of a place. Untrusted.
#[must_use]
pub fn stands(place: &Place, transcript: &Transcript) -> String {
    let Some(spot) = place.told(transcript) else { return String::new() };
    let source = transcript.sources.get(spot.stored.0.0 as usize);
    let name = file_name(source.map_or("", |source| source.name.as_str()));
    // Who looks there in the file itself must not seek its Markdown's lines and bytes.
    let of = source.and_then(|source| source.kind.place_of()).map_or_else(String::new, |of| format!(" {of}"));
    let of = format!("{of}{}", landmark(source, Some(spot)));
    match spot.line_of_source(place.block, transcript) {
        Some(line) => format!("{}:{line} @{}{of}", clip(name, 18), spot.stored.1),
        None => format!("{} @{}{of}", clip(name, 24), spot.stored.1),
    }
}
