//! The rollouts of subagents, which stand beside their parent's: each names the session that started it.

use std::cmp::Ordering;
use std::collections::{HashMap, HashSet};

use crate::content::{Sources, Watch};
use crate::model::{Block, BlockId, BlockKind, CallKey, SourceId, SourceKind, ThreadKind, beside, file_name};
use crate::transcript::build::Builder;
use crate::transcript::json::{Json, parse};
use crate::transcript::{OpenError, Siblings};

use super::ENDINGS;

/// The tool that starts one; newer rollouts give it a namespace.
const SPAWN: &str = "spawn_agent";

fn is_spawn(block: &Block) -> bool {
    block.label.rsplit('.').next() == Some(SPAWN)
}

/// Bytes of a session's id.
const ID: usize = 36;
/// Rollouts beside one that are looked at.
const FILES: usize = 2_000;
/// Bytes of a rollout in which its first line ends.
pub const HEAD: usize = 1 << 20;

/// What a rollout says of the subagent whose it is.
struct Child {
    /// Name below the folder.
    file: String,
    parent: String,
    id: String,
    /// The names by which its parent knows it.
    names: Vec<String>,
}

/// The calls that began subagents, by the subagents' sessions.
pub(super) type Began = HashMap<String, CallKey>;

/// Adds the rollouts of the subagents that a session started, and of those that these did, as threads.
///
/// # Errors
/// Where a source cannot be read, or the watch is cancelled.
pub(super) fn add(
    mut builder: Builder,
    sources: &mut Sources,
    main: SourceId,
    siblings: &dyn Siblings,
    (mut began, watch): (Began, &Watch),
) -> Result<Builder, OpenError> {
    if began.is_empty() && !builder.transcript.blocks.iter().any(is_spawn) {
        return Ok(builder);
    }
    let path = sources.info(main).map_or_else(String::new, |info| info.name.clone());
    let own = file_name(&path);
    let names = siblings.list("").into_iter().filter(|name| is_rollout(name) && name != own);
    let mut children: Vec<Child> = names.take(FILES).filter_map(|name| child(siblings, name)).collect();
    let mut others: Option<Vec<String>> = None;
    let session = builder.transcript.session.clone();
    let mut known: HashSet<String> = session.id.iter().cloned().collect();
    loop {
        let Some(at) = children.iter().position(|child| known.contains(&child.parent)) else {
            // A day has a folder of its own, and a session may be gone on with on any later one.
            let ids = sessions(&builder, sources, &began);
            let others = others.get_or_insert_with(|| siblings.other_days(Ordering::Greater));
            let wanted = |name: &String| is_rollout(name) && session_of(name).is_some_and(|id| ids.contains(id));
            let found: Vec<String> = others.extract_if(.., |name| wanted(name)).take(FILES).collect();
            if found.is_empty() {
                break;
            }
            children.extend(found.into_iter().filter_map(|name| child(siblings, name)));
            continue;
        };
        let child = children.remove(at);
        if !known.insert(child.id.clone()) {
            continue;
        }
        let Some(bytes) = siblings.open(&child.file) else { continue };
        let source = sources.add(beside(&path, &child.file), SourceKind::Side, bytes);
        let kind = ThreadKind::Subagent(started(&builder, sources, &began, &child));
        builder.transcript.session = crate::model::Session::default();
        let title = child.names.first().unwrap_or(&child.id);
        builder = super::replayed(builder, sources, Some(siblings), (source, kind, title), (&mut began, watch))?;
    }
    builder.transcript.session = session;
    Ok(builder)
}

pub(super) fn is_rollout(name: &str) -> bool {
    let file = name.rsplit('/').next().unwrap_or(name);
    file.starts_with("rollout-") && ENDINGS.iter().any(|end| file.ends_with(end))
}

/// The session that a rollout's name ends in.
pub(super) fn session_of(name: &str) -> Option<&str> {
    let stem = ENDINGS.iter().find_map(|end| name.strip_suffix(end))?;
    stem.get(stem.len().checked_sub(ID)?..)
}

/// The sessions that are said to be of subagents: by the calls that began them, or by their results.
fn sessions(builder: &Builder, sources: &Sources, began: &Began) -> HashSet<String> {
    let mut ids: HashSet<String> = began.keys().cloned().collect();
    let is_id = |word: &&str| word.len() == ID;
    for (_, text) in results(builder, sources) {
        let words = text.split(|sign: char| !sign.is_ascii_hexdigit() && sign != '-');
        ids.extend(words.filter(is_id).map(str::to_owned));
    }
    ids
}

/// The results of calls that start subagents, with the calls.
fn results(builder: &Builder, sources: &Sources) -> Vec<(CallKey, String)> {
    let blocks = builder.transcript.blocks.iter().filter(|block| is_spawn(block));
    blocks
        .filter(|block| block.kind == BlockKind::ToolResult)
        .filter_map(|block| Some((block.call?, sources.body_text(&block.body).ok()?)))
        .collect()
}

fn child(siblings: &dyn Siblings, file: String) -> Option<Child> {
    of_head(&siblings.head(&file, HEAD)?, file)
}

/// Whether the head of a rollout says that it is a subagent's.
#[must_use]
pub fn is_subagents(head: &[u8]) -> bool {
    of_head(head, String::new()).is_some()
}

/// The session that started the subagent whose rollout has that head.
#[must_use]
pub fn started_by(head: &[u8]) -> Option<String> {
    of_head(head, String::new()).map(|child| child.parent)
}

/// What the first line of a rollout says, where it is a subagent's.
fn of_head(head: &[u8], file: String) -> Option<Child> {
    let line = head.split(|byte| *byte == b'\n').next()?;
    let (value, _) = parse(line);
    let meta = value.some("payload")?;
    let spawn = meta.some("source").and_then(|source| source.some("subagent")?.some("thread_spawn"));
    let string = |held: Option<&Json<'_>>, name: &str| {
        let text = held?.some(name)?.str()?;
        Some(text.chars().take(200).collect::<String>()).filter(|text| !text.is_empty())
    };
    let parent = string(spawn, "parent_thread_id").or_else(|| string(Some(meta), "parent_thread_id"))?;
    let names = ["agent_nickname", "agent_path", "agent_role"];
    let names = names.iter().filter_map(|name| string(spawn, name).or_else(|| string(Some(meta), name)));
    Some(Child { parent, id: string(Some(meta), "id")?, names: names.collect(), file })
}

/// The call that started a subagent: the one that is said to have begun it, or whose result names its id, or else its
/// name.
fn started(builder: &Builder, sources: &Sources, began: &Began, child: &Child) -> Option<BlockId> {
    // Whole values only: a name may be the beginning of another's.
    let is_named = |text: &str, name: &str| text.trim() == name || text.contains(&format!("\"{name}\""));
    let by_result = || {
        let results = results(builder, sources);
        let by_id = results.iter().find(|(_, text)| text.contains(&child.id));
        let by_name = || child.names.iter().find_map(|name| results.iter().find(|(_, text)| is_named(text, name)));
        by_id.or_else(by_name).map(|(call, _)| *call)
    };
    let call = began.get(&child.id).copied().or_else(by_result)?;
    let mut all = (0u32..).map(BlockId).zip(&builder.transcript.blocks);
    all.find(|(_, block)| block.kind == BlockKind::ToolCall && block.call == Some(call)).map(|(id, _)| id)
}
