//! What the user knows and the transcript doesn't: the system prompt and the tools' definitions.

use std::collections::HashSet;

use thiserror::Error;

use crate::content::{ContentError, Sources, count_chars, hash, mark_length};
use crate::model::{Block, BlockId, BlockKind, Body, Coding, Layer, Op, Record, Role, SourceId, Span, Transcript};

use super::build::{Builder, Draft};
use super::format::row;
use super::json;
use super::stored::Stored;

/// What a file of tools holds.
const TOOLS: &str = "a JSON list of tool definitions, or an object with such a list under \"tools\"";

/// Where a system prompt says that what follows changes from request to request (source 5).
pub const DYNAMIC_BOUNDARY: &str = "__SYSTEM_PROMPT_DYNAMIC_BOUNDARY__";

/// The label of what stands before that marker: the same in every request, so that a cache holds it.
pub const STATIC_PROMPT: &str = "system prompt, static";

/// The label of what stands after it.
pub const DYNAMIC_PROMPT: &str = "system prompt, dynamic";

/// Why a file that the user gives is not taken.
#[derive(Debug, Error)]
pub enum GiveError {
    /// It could not be read.
    #[error(transparent)]
    Content(#[from] ContentError),
    /// It is not what it is given as.
    #[error("line {line}, column {column}: {what}")]
    Fault {
        /// Line, from 1.
        line: usize,
        /// Character of the line, from 1.
        column: usize,
        /// What is the matter, and what was expected.
        what: String,
    },
}

impl GiveError {
    fn at(bytes: &[u8], at: usize, what: impl Into<String>) -> GiveError {
        let before = bytes.get(..at).unwrap_or(bytes);
        let start = memchr::memrchr(b'\n', before).map_or(0, |end| end + 1);
        let line = memchr::memchr_iter(b'\n', before).count() + 1;
        let column = String::from_utf8_lossy(before.get(start..).unwrap_or_default()).chars().count() + 1;
        GiveError::Fault { line, column, what: what.into() }
    }
}

/// Whether the main thread holds a system prompt already, so that none is to be given.
#[must_use]
pub fn holds_system(transcript: &Transcript) -> bool {
    held(transcript).any(|block| block.layer == Layer::System && block.kind != BlockKind::Definition)
}

/// Whether it holds the tools' definitions. Agents' logs may tell of some alone; requests tell of all that there were.
#[must_use]
pub fn holds_tools(transcript: &Transcript) -> bool {
    let requests = row(transcript.format).is_some_and(|format| format.requests);
    requests && held(transcript).any(is_tool)
}

fn is_tool(block: &Block) -> bool {
    block.kind == BlockKind::Definition && block.layer == Layer::Tools
}

/// The blocks that come into the main thread.
fn held(transcript: &Transcript) -> impl Iterator<Item = &Block> {
    let ops = transcript.threads.first().map(|main| main.ops.as_slice()).unwrap_or_default();
    ops.iter().filter_map(|op| if let Op::Add(id) = op { transcript.block(*id) } else { None })
}

/// Puts a system prompt (a text file) into every window of the main thread. The marker ([`DYNAMIC_BOUNDARY`], where the
/// policy sets no other) splits it; an empty one doesn't.
///
/// # Errors
/// Where the source cannot be read, or is no text.
pub fn give_system(
    transcript: Transcript,
    sources: &Sources,
    id: SourceId,
    marker: &str,
) -> Result<Transcript, GiveError> {
    let (bytes, record) = whole(sources, id)?;
    if let Err(error) = std::str::from_utf8(&bytes) {
        let what = "no UTF-8 text; expected a system prompt as a text file";
        return Err(GiveError::at(&bytes, error.valid_up_to(), what));
    }
    if let Some(at) = memchr::memchr(0, &bytes) {
        return Err(GiveError::at(&bytes, at, "a zero byte; expected a system prompt as a text file"));
    }
    if bytes.trim_ascii().is_empty() {
        return Err(GiveError::at(&bytes, 0, "nothing but white space; expected a system prompt"));
    }
    let stored = Stored { bytes: &bytes, record };
    let part =
        |label: &str, part| Draft::new(BlockKind::Text, Layer::System, stored.text(part, Coding::Plain)).label(label);
    let found = memchr::memmem::find(&bytes, marker.as_bytes()).filter(|_| !marker.is_empty());
    let drafts = match found {
        Some(at) => {
            let (before, after) = bytes.split_at(at);
            // The harness splits the prompt at the marker and does not send it.
            let after = after.get(marker.len()..).unwrap_or_default();
            let parts = [(STATIC_PROMPT, before), (DYNAMIC_PROMPT, after)];
            let said = parts.into_iter().filter(|(_, part)| !part.trim_ascii().is_empty());
            said.map(|(label, text)| part(label, text)).collect()
        }
        None => vec![part("system prompt", &bytes)],
    };
    Ok(give(transcript, sources, record, drafts))
}

/// Puts the definitions of tools (a JSON array, or an object with `tools`) into every window of the main thread, but for
/// those of tools that it defines itself.
///
/// # Errors
/// Where the source cannot be read, or is no such JSON.
pub fn give_tools(transcript: Transcript, sources: &Sources, id: SourceId) -> Result<Transcript, GiveError> {
    let (bytes, record) = whole(sources, id)?;
    let stored = Stored { bytes: &bytes, record };
    let mark = mark_length(&bytes);
    let (value, fault) = json::parse(bytes.get(mark..).unwrap_or_default());
    if let Some(fault) = fault {
        let what = format!("{}; expected {TOOLS}", fault.what);
        return Err(GiveError::at(&bytes, mark + fault.at, what));
    }
    let list = value.some("tools").unwrap_or(&value);
    let at = |part: &[u8]| (part.as_ptr() as usize).saturating_sub(bytes.as_ptr() as usize);
    if !list.is_list() {
        let found = if list.is_object() { "an object without such a list" } else { "a value that is no list" };
        return Err(GiveError::at(&bytes, at(list.raw), format!("{found}; expected {TOOLS}")));
    }
    for (index, tool) in list.items().iter().enumerate() {
        let inner = ["function", "custom"].iter().find_map(|key| tool.some(key)).unwrap_or(tool);
        // Tools that a provider runs may have a type alone.
        let named = ["name", "type", "server_label"].iter().any(|key| !inner.str_of(key).is_empty());
        if !tool.is_object() || !named {
            let what = format!("tool {} is no definition: expected an object with a name", index + 1);
            return Err(GiveError::at(&bytes, at(tool.raw), what));
        }
    }
    let definition = |part, label: &str| {
        Draft::new(BlockKind::Definition, Layer::Tools, stored.text(part, Coding::Value)).label(label)
    };
    let name = |tool: &json::Json<'_>| tool.some("function").unwrap_or(tool).str_of("name").into_owned();
    let known: HashSet<&str> = held(&transcript).filter(|block| is_tool(block)).map(|block| &*block.label).collect();
    let new = list.items().iter().filter(|tool| !known.contains(name(tool).as_str()));
    let drafts = new.map(|tool| definition(tool.raw, &name(tool))).collect();
    Ok(give(transcript, sources, record, drafts))
}

/// Takes in texts that a harness would load beside the conversation, each as a block that no recorded window holds, with
/// its layer and label. What is made of them can say where it came from.
///
/// # Errors
/// Where a source cannot be read.
pub fn give_project_files(
    transcript: Transcript,
    sources: &Sources,
    texts: &[(SourceId, Layer, String)],
) -> Result<(Transcript, Vec<BlockId>), ContentError> {
    let mut builder = Builder::of(transcript);
    let mut blocks = Vec::with_capacity(texts.len());
    for (id, layer, label) in texts {
        let (bytes, record) = whole(sources, *id)?;
        let body = Stored { bytes: &bytes, record }.text(&bytes, Coding::Plain);
        let message = builder.message(Role::System, record, None, None);
        blocks.push(builder.block(message, Draft::new(BlockKind::Text, *layer, body).label(label.as_str())));
    }
    Ok((builder.finish(sources), blocks))
}

/// Takes in an attached document's text, all that its source holds but for carriage returns at the end of lines, as a block that stands in no window by itself: a
/// policy decides what of it does. `cut_from`: the block of the whole text, where this is what limits leave of it.
#[must_use]
pub fn give_document(
    transcript: Transcript,
    sources: &Sources,
    (id, text): (SourceId, &str),
    label: &str,
    cut_from: Option<BlockId>,
) -> (Transcript, BlockId) {
    let end = sources.bytes(id).map_or(text.len() as u64, |bytes| bytes.len());
    let record = Record { source: id, line: 1, start: 0, end };
    // The breaks of a file may be of two characters, which are one in its text.
    let coding = if end == text.len() as u64 { Coding::Plain } else { Coding::Lines };
    let body = Body::Text {
        spans: smallvec::smallvec![Span { source: id, start: 0, end, coding }],
        chars: count_chars(text.as_bytes(), Coding::Plain),
        hash: hash(text.as_bytes(), Coding::Plain),
    };
    let original = cut_from.and_then(|id| transcript.block(id)).map(|block| Box::new(block.body.clone()));
    let mut builder = Builder::of(transcript);
    let message = builder.message(Role::User, record, None, None);
    let draft = Draft::new(BlockKind::Text, Layer::Files, body).label(label);
    let block = builder.block(message, Draft { original, ..draft });
    (builder.finish(sources), block)
}

/// Takes in an attached picture, its source being its base64: a block that stands in no window by itself.
///
/// # Errors
/// Where the source cannot be read.
pub fn give_picture(
    transcript: Transcript,
    sources: &Sources,
    id: SourceId,
    mime: &str,
    label: &str,
) -> Result<(Transcript, BlockId), ContentError> {
    let (bytes, record) = whole(sources, id)?;
    let body = Stored { bytes: &bytes, record }.base64(mime, &bytes);
    let mut builder = Builder::of(transcript);
    let message = builder.message(Role::User, record, None, None);
    let block = builder.block(message, Draft::new(BlockKind::Image, Layer::Files, body).label(label));
    Ok((builder.finish(sources), block))
}

fn whole(sources: &Sources, id: SourceId) -> Result<(Vec<u8>, Record), ContentError> {
    let end = sources.bytes(id)?.len();
    Ok((sources.read(id, 0, end)?, Record { source: id, line: 1, start: 0, end }))
}

/// Adds blocks at the head of the main thread's windows, where no compaction takes them away.
fn give(transcript: Transcript, sources: &Sources, record: Record, drafts: Vec<Draft>) -> Transcript {
    let mut builder = Builder::of(transcript);
    let message = builder.message(Role::System, record, None, None);
    let ids: Vec<BlockId> = drafts.into_iter().map(|draft| builder.block(message, draft)).collect();
    if let Some(main) = builder.transcript.threads.first_mut() {
        for op in &mut main.ops {
            let window = match op {
                Op::Compact(compaction) => &mut compaction.window,
                Op::Rewind(rewind) => &mut rewind.window,
                Op::Add(_) | Op::Request(_) | Op::Clear(_) | Op::Shorten(_) => continue,
            };
            window.splice(0..0, ids.iter().copied());
        }
        main.ops.splice(0..0, ids.iter().map(|id| Op::Add(*id)));
    }
    builder.finish(sources)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::{SourceKind, Thread, ThreadKind};

    #[test]
    fn a_given_prompt_is_split_and_tools_are_named() {
        let mut sources = Sources::default();
        let main = sources.add_memory("chat.json", SourceKind::Transcript, b"{}".to_vec());
        let mut builder = Builder::new("test");
        builder.transcript.threads.push(Thread {
            kind: ThreadKind::Main,
            title: String::new(),
            source: main,
            requests: Vec::new(),
            ops: Vec::new(),
            breakpoints: std::collections::BTreeMap::new(),
        });
        let transcript = builder.transcript;
        let prompt = format!("always\n{DYNAMIC_BOUNDARY}\nnow").into_bytes();
        let system = sources.add_memory("system.txt", SourceKind::Attached, prompt);
        let tools = br#"{"tools":[{"type":"function","function":{"name":"look"}},{"name":"find"}]}"#.to_vec();
        let tools = sources.add_memory("tools.json", SourceKind::Attached, tools);
        let transcript = give_system(transcript, &sources, system, DYNAMIC_BOUNDARY).expect("readable");
        let transcript = give_tools(transcript, &sources, tools).expect("readable");
        let window: Vec<&str> = transcript.threads[0]
            .ops
            .iter()
            .map_while(|op| match op {
                Op::Add(id) => transcript.block(*id).map(|block| &*block.label),
                _ => None,
            })
            .collect();
        assert_eq!(window, ["look", "find", "system prompt, static", "system prompt, dynamic"]);
        assert_eq!(transcript.sources.len(), 3);
    }

    #[test]
    fn what_is_no_list_of_tools_and_no_text_is_refused_where_it_is_wrong() {
        let refused = |text: &[u8], tools: bool| {
            let mut sources = Sources::default();
            let id = sources.add_memory("given", SourceKind::Attached, text.to_vec());
            let transcript = Builder::new("test").transcript;
            let done = match tools {
                true => give_tools(transcript, &sources, id),
                false => give_system(transcript, &sources, id, ""),
            };
            done.err().map(|error| error.to_string())
        };
        for (text, place, words) in [
            ("be brief", "line 1, column 3", "expected a JSON list"),
            ("[{\"name\": \"a\"},\n {\"name\": }]", "line 2, column ", "expected a JSON list"),
            ("{\"model\": 1}", "line 1, column 1", "an object without such a list"),
            ("{\"tools\": 3}", "line 1, column 11", "no list"),
            ("[\n{\"name\": \"a\"},\n  {\"description\": \"b\"}]", "line 3, column 3", "tool 2 is no definition"),
            ("[\"Bash\"]", "line 1, column 2", "tool 1 is no definition"),
        ] {
            let said = refused(text.as_bytes(), true).expect(text);
            assert!(said.contains(place) && said.contains(words), "{text}: {said}");
        }
        assert_eq!(
            refused(b"[{\"type\": \"web_search\"}, {\"type\": \"function\", \"function\": {\"name\": \"f\"}}]", true),
            None
        );
        assert!(refused(b"a\nb\xFF", false).is_some_and(|said| said.starts_with("line 2, column 2: no UTF-8")));
        assert!(refused(b"a\0b", false).is_some_and(|said| said.starts_with("line 1, column 2")));
        assert!(refused(b" \n", false).is_some());
        assert_eq!(refused(b"be brief", false), None);
    }
}
