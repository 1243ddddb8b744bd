//! What the user knows and the transcript doesn't: the system prompt and the tools' definitions.

use crate::content::{ContentError, Sources};
use crate::model::{BlockId, BlockKind, Coding, Layer, Op, Record, Role, SourceId, Transcript};

use super::build::{Builder, Draft};
use super::json;
use super::stored::Stored;

/// Where a system prompt says that what follows changes from request to request (source 5).
pub const DYNAMIC_BOUNDARY: &str = "__SYSTEM_PROMPT_DYNAMIC_BOUNDARY__";

/// Puts a system prompt (a text file) into every window of the main thread. The marker ([`DYNAMIC_BOUNDARY`], where the
/// policy sets no other) splits it; an empty one doesn't.
///
/// # Errors
/// Where the source cannot be read.
pub fn give_system(
    transcript: Transcript,
    sources: &Sources,
    id: SourceId,
    marker: &str,
) -> Result<Transcript, ContentError> {
    let (bytes, record) = whole(sources, id)?;
    let stored = Stored { bytes: &bytes, record };
    let part =
        |label: &str, part| Draft::new(BlockKind::Text, Layer::System, stored.text(part, Coding::Plain)).label(label);
    let found = memchr::memmem::find(&bytes, marker.as_bytes()).filter(|_| !marker.is_empty());
    let drafts = match found {
        Some(at) => {
            let (before, after) = bytes.split_at(at);
            vec![part("system prompt, static", before), part("system prompt, dynamic", after)]
        }
        None => vec![part("system prompt", &bytes)],
    };
    Ok(give(transcript, sources, record, drafts))
}

/// Puts the definitions of tools (a JSON array, or an object with `tools`) into every window of the main thread.
///
/// # Errors
/// Where the source cannot be read. A file that is no such JSON is one block of text.
pub fn give_tools(transcript: Transcript, sources: &Sources, id: SourceId) -> Result<Transcript, ContentError> {
    let (bytes, record) = whole(sources, id)?;
    let stored = Stored { bytes: &bytes, record };
    let (value, _) = json::parse(&bytes);
    let list = value.some("tools").unwrap_or(&value);
    let definition = |part, label: &str| {
        Draft::new(BlockKind::Definition, Layer::Tools, stored.text(part, Coding::Plain)).label(label)
    };
    let mut drafts: Vec<Draft> = list
        .items()
        .iter()
        .map(|tool| definition(tool.raw, &tool.some("function").unwrap_or(tool).str_of("name")))
        .collect();
    if drafts.is_empty() {
        drafts.push(definition(&bytes, "tools"));
    }
    Ok(give(transcript, sources, record, drafts))
}

/// Takes in texts that a harness would load beside the conversation, each as a block that no recorded window holds, with
/// its layer and label. What is made of them can say where it came from.
///
/// # Errors
/// Where a source cannot be read.
pub fn give_beside(
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

/// Takes in an attached document's text as a block that stands in no window by itself: a policy decides what of it does.
///
/// # Errors
/// Where the source cannot be read.
pub fn give_document(
    transcript: Transcript,
    sources: &Sources,
    id: SourceId,
    label: &str,
) -> Result<(Transcript, BlockId), ContentError> {
    let (bytes, record) = whole(sources, id)?;
    let body = Stored { bytes: &bytes, record }.text(&bytes, Coding::Plain);
    let mut builder = Builder::of(transcript);
    let message = builder.message(Role::User, record, None, None);
    let block = builder.block(message, Draft::new(BlockKind::Text, Layer::Files, body).label(label));
    Ok((builder.finish(sources), block))
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
                Op::Add(_) | Op::Request(_) | Op::Clear(_) => continue,
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
}
