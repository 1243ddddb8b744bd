//! The manifest of an export: for every byte of the output, where it came from.

use std::collections::BTreeSet;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::model::{Coding, Layer, Run, SourceKind, Transcript};

use super::notes::Note;
use super::output::Range;
use super::quote::Origin;
use super::{Form, Packed};

/// The whole manifest. Its ranges cover the output without gaps or overlaps.
#[derive(Debug, Serialize, Deserialize, JsonSchema)]
pub struct Manifest {
    /// `windowpane/manifest/1`
    pub schema: String,
    /// The form of the output.
    pub form: String,
    /// `recorded` or `simulated`
    pub track: String,
    /// The step, from 1.
    pub step: u32,
    /// Length of the output in bytes.
    pub bytes: u64,
    /// What was read.
    pub sources: Vec<ManifestSource>,
    /// Tokens that the request held and the transcript does not: they are not in the output.
    pub unlogged_tokens: u64,
    /// What the output leaves out or stands in for, in sentences.
    pub comment: Vec<Note>,
    /// Every byte of the output.
    pub ranges: Vec<ManifestRange>,
}

/// One source.
#[derive(Debug, Serialize, Deserialize, JsonSchema)]
pub struct ManifestSource {
    /// Its name, as given.
    pub name: String,
    /// Its length in bytes.
    pub bytes: u64,
    /// Where its bytes are not those of the file of that name: `markdown`, those of what it was converted to, whole;
    /// `limited_markdown`, those of what the policy's limits left of that; `base64`, those of a picture as it is sent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub of: Option<String>,
}

/// A range of the output.
#[derive(Debug, Serialize, Deserialize, JsonSchema)]
pub struct ManifestRange {
    /// First byte, and one past the last.
    pub output: [u64; 2],
    /// Where it came from.
    #[serde(flatten)]
    pub from: From,
}

/// Where a range came from.
#[derive(Debug, Serialize, Deserialize, JsonSchema)]
#[serde(tag = "from", rename_all = "snake_case")]
pub enum From {
    /// Windowpane wrote it.
    Windowpane,
    /// It was read from a source.
    Source {
        /// Index into `sources`.
        source: u32,
        /// Line of the record that holds it.
        line: Option<u32>,
        /// First byte in the source, and one past the last.
        bytes: [u64; 2],
        /// How those bytes were read: as they are, without the carriage returns that end lines, with JSON's escapes undone once or twice, or as a JSON value.
        read: Written,
        /// The bytes of the decoded text that were taken, where not all of it was.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        part: Option<[u64; 2]>,
        /// How the text was written: as it is, or escaped for a JSON string once or twice.
        written: Written,
        /// The entry that shows it.
        entry: u32,
    },
}

/// Text as stored or written.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Written {
    /// As it is.
    Plain,
    /// The same, but for a carriage return before a line feed, which is left out.
    Lines,
    /// Inside a JSON string.
    Json,
    /// Inside a JSON string inside a JSON string.
    JsonTwice,
    /// A JSON value, without the blanks between its parts and without escapes of what needs none.
    Value,
    /// Base64 inside a JSON string.
    Base64,
}

fn written(coding: Coding) -> Written {
    match coding {
        Coding::Plain => Written::Plain,
        Coding::Lines => Written::Lines,
        Coding::Json => Written::Json,
        Coding::JsonTwice => Written::JsonTwice,
        Coding::Value => Written::Value,
        Coding::Base64 => Written::Base64,
    }
}

/// The manifest of an output.
#[must_use]
pub fn manifest(packed: &Packed, transcript: &Transcript, run: &Run, step: u32, form: Form) -> Manifest {
    let totals = run.totals_at(step);
    // What limits left of a file is nobody's source where the policy takes none of it.
    let used: BTreeSet<u32> = packed.ranges.iter().filter_map(|range| source_of(range.origin)).collect();
    let sources = transcript.sources.iter().zip(0u32..);
    let (listed, numbers): (Vec<_>, Vec<_>) =
        sources.filter(|(source, number)| source.kind != SourceKind::Limited || used.contains(number)).unzip();
    let source = |source: &crate::model::Source| ManifestSource {
        name: source.name.clone(),
        bytes: source.bytes,
        of: source.kind.bytes_of().map(str::to_owned),
    };
    Manifest {
        schema: "windowpane/manifest/1".to_owned(),
        form: form.name().to_owned(),
        track: super::track_name(run.track).to_owned(),
        step,
        bytes: packed.text.len() as u64,
        sources: listed.into_iter().map(source).collect(),
        unlogged_tokens: totals.map_or(0, |totals| totals.layers[Layer::Unlogged as usize]),
        comment: packed.notes.clone(),
        ranges: packed.ranges.iter().map(|one| range(one, &numbers)).collect(),
    }
}

fn source_of(origin: Origin) -> Option<u32> {
    match origin {
        Origin::Made => None,
        Origin::Source(quote) => Some(quote.span.source.0),
    }
}

/// `numbers`: those of the sources that are listed, in order.
fn range(range: &Range, numbers: &[u32]) -> ManifestRange {
    let from = match range.origin {
        Origin::Made => From::Windowpane,
        Origin::Source(quote) => From::Source {
            source: u32::try_from(numbers.partition_point(|number| *number < quote.span.source.0)).unwrap_or(u32::MAX),
            line: quote.line,
            bytes: [quote.span.start, quote.span.end],
            read: written(quote.span.coding),
            part: quote.part.map(|(from, to)| [from, to]),
            written: written(range.written),
            entry: quote.entry.0,
        },
    };
    ManifestRange { output: [range.start as u64, range.end as u64], from }
}
