//! The rollouts of subagents, which stand beside their parent's: each names the session that started it.

use std::collections::HashSet;

use crate::content::{Sources, Watch};
use crate::model::{Block, BlockId, BlockKind, SourceId, SourceKind, ThreadKind};
use crate::transcript::build::Builder;
use crate::transcript::claude_code::beside;
use crate::transcript::json::{Json, parse};
use crate::transcript::{OpenError, Siblings};

/// The tool that starts one; newer rollouts give it a namespace.
const SPAWN: &str = "spawn_agent";

fn is_spawn(block: &Block) -> bool {
    block.label.rsplit('.').next() == Some(SPAWN)
}

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

/// Adds the rollouts of the subagents that a session started, and of those that these did, as threads.
///
/// # Errors
/// Where a source cannot be read, or the watch is cancelled.
pub(super) fn add(
    mut builder: Builder,
    sources: &mut Sources,
    main: SourceId,
    siblings: &dyn Siblings,
    watch: &Watch,
) -> Result<Builder, OpenError> {
    if !builder.transcript.blocks.iter().any(is_spawn) {
        return Ok(builder);
    }
    let path = sources.info(main).map_or_else(String::new, |info| info.name.clone());
    let own = path.rsplit(['/', '\\']).next().unwrap_or(&path);
    let names = siblings.list("").into_iter();
    let names = names.filter(|name| name.starts_with("rollout-") && name.ends_with(".jsonl") && name != own);
    let mut children: Vec<Child> = names.take(FILES).filter_map(|name| child(siblings, name)).collect();
    let session = builder.transcript.session.clone();
    let mut known: HashSet<String> = session.id.iter().cloned().collect();
    while let Some(at) = children.iter().position(|child| known.contains(&child.parent)) {
        let child = children.remove(at);
        if !known.insert(child.id.clone()) {
            continue;
        }
        let Some(bytes) = siblings.open(&child.file) else { continue };
        let source = sources.add(beside(&path, &child.file), SourceKind::Side, bytes);
        let kind = ThreadKind::Subagent(started(&builder, sources, &child));
        builder.transcript.session = crate::model::Session::default();
        let title = child.names.first().unwrap_or(&child.id);
        builder = super::replayed(builder, sources, source, (kind, title), watch)?;
    }
    builder.transcript.session = session;
    Ok(builder)
}

fn child(siblings: &dyn Siblings, file: String) -> Option<Child> {
    let bytes = siblings.open(&file)?;
    let mut head = vec![0; HEAD.min(usize::try_from(bytes.len()).unwrap_or(HEAD))];
    let size = bytes.read_at(0, &mut head).ok()?;
    of_head(head.get(..size)?, file)
}

/// Whether the head of a rollout says that it is a subagent's.
#[must_use]
pub fn is_subagents(head: &[u8]) -> bool {
    of_head(head, String::new()).is_some()
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

/// The call that started a subagent: the one whose result names its id, or else its name.
fn started(builder: &Builder, sources: &Sources, child: &Child) -> Option<BlockId> {
    let all = || (0u32..).map(BlockId).zip(&builder.transcript.blocks).filter(|(_, block)| is_spawn(block));
    let is_result = |block: &Block| block.kind == BlockKind::ToolResult;
    let results: Vec<_> = all()
        .filter(|(_, block)| is_result(block))
        .filter_map(|(_, block)| Some((block.call?, sources.body_text(&block.body).ok()?)))
        .collect();
    // Whole values only: a name may be the beginning of another's.
    let is_named = |text: &str, name: &str| text.trim() == name || text.contains(&format!("\"{name}\""));
    let by_id = results.iter().find(|(_, text)| text.contains(&child.id));
    let by_name = || child.names.iter().find_map(|name| results.iter().find(|(_, text)| is_named(text, name)));
    let call = by_id.or_else(by_name)?.0;
    all().find(|(_, block)| block.kind == BlockKind::ToolCall && block.call == Some(call)).map(|(id, _)| id)
}
