//! Sessions as the web exports them: one JSON object that holds the records in a list.

use memchr::memmem;

use crate::content::{Sources, Watch};
use crate::model::SourceId;
use crate::transcript::document::Document;
use crate::transcript::json::{self, Json};
use crate::transcript::skim::skim;
use crate::transcript::{Line, OpenError, each_line};

use super::parse::parse;
use super::record::Parsed;

/// The list's key.
pub(super) const LIST: &str = "loglines";
/// Bytes in which the key stands.
const HEAD: u64 = 64 << 10;

/// The records of a source, be it a line each or such a list.
///
/// # Errors
/// Where the source cannot be read, or the watch is cancelled.
pub(super) fn records(sources: &Sources, source: SourceId, watch: &Watch) -> Result<Vec<Parsed>, OpenError> {
    if !is_exported(sources, source)? {
        return each_line(sources, source, watch, parse);
    }
    let document = Document::read(sources, source)?;
    let (value, fault) = json::parse(document.text());
    let list = value.get(LIST).map(Json::items).unwrap_or_default();
    let mut records: Vec<Parsed> = list
        .iter()
        .filter(|one| one.whole)
        .map(|one| {
            let record = document.record(one.raw);
            parse(Line { bytes: one.raw, record, unfinished: false, too_long: false })
        })
        .collect();
    if let (Some(fault), Some(last)) = (fault, records.last_mut()) {
        let why = || format!("The rest cannot be read: expected {} at byte {}.", fault.what, fault.at);
        last.fault.get_or_insert_with(why);
    }
    if let (true, Some(last)) = (document.cut, records.last_mut()) {
        last.fault.get_or_insert_with(|| "The file is longer than what is read of it.".to_owned());
    }
    watch.advance(document.bytes.len() as u64);
    Ok(records)
}

/// Whether the first value of a source is an object that has the list.
fn is_exported(sources: &Sources, source: SourceId) -> Result<bool, OpenError> {
    let bytes = sources.bytes(source)?;
    let head = sources.read(source, 0, bytes.len().min(HEAD))?;
    // Most sessions are not looked at any closer.
    let named = memmem::find(&head, format!("\"{LIST}\"").as_bytes()).is_some();
    Ok(named && skim(bytes.as_ref(), 0).value.get(LIST).is_some_and(serde_json::Value::is_array))
}
