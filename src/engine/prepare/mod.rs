//! What a harness loads beside the conversation, made into pieces of the window: instructions, skills, the memory
//! index, the base tools' definitions.

mod front;
mod instructions;
mod skills;
mod touched;

use std::borrow::Cow;
use std::sync::Arc;

pub use front::{front_matter, is_unclosed};
pub use instructions::{InstructionFile, Scope, WasLoaded, follows_paths, instructions};
pub use skills::{Skill, barred_skills, offered, skills, unknown_skills};
pub use touched::touched;

use crate::model::{BlockId, Contents, Event, Fate, Layer, Made, Role, Stage};
use crate::policy::Policy;

use super::base_tools::{BASE_TOOLS, BaseTool};
use super::{Plan, Prepared};

/// A text that was read beside the transcript, and the block that stands for it there.
#[derive(Clone, Debug)]
pub struct ProjectText {
    /// Its name. Untrusted.
    pub name: Arc<str>,
    /// Its text.
    pub text: Arc<str>,
    /// The block that holds it.
    pub block: BlockId,
}

/// What was read beside the transcript.
#[derive(Clone, Debug, Default)]
pub struct Loaded {
    /// Instruction files, outermost first.
    pub instructions: Vec<InstructionFile>,
    /// Skills, by name.
    pub skills: Vec<Skill>,
    /// The memory index.
    pub memory_index: Option<ProjectText>,
    /// Files that the history touches, with the step, where instructions depend on it.
    pub touched: Vec<(u32, String)>,
}

/// Everything that was loaded as pieces of the window, by the step at which each comes in.
#[must_use]
pub fn prepare(loaded: &Loaded, plan: &Plan, policy: &Policy) -> Vec<Prepared> {
    let mut pieces = base_tools(plan, policy);
    pieces.extend(skills(loaded, plan, policy));
    pieces.extend(instructions(loaded, plan, policy));
    pieces.extend(loaded.memory_index.as_ref().and_then(|index| memory_index(index, plan, policy)));
    pieces.sort_by_key(|piece| piece.step);
    pieces
}

/// Definitions of the base tools that are always there (source 3).
fn base_tools(plan: &Plan, policy: &Policy) -> Vec<Prepared> {
    let wanted = BASE_TOOLS.iter().filter(|_| policy.limits.base_tools);
    let definition = |tool: &BaseTool| {
        let text = tool.definition();
        piece(plan, Layer::Tools, tool.name, Made::Text(Cow::Owned(text.clone())).into(), &text)
    };
    wanted.map(definition).collect()
}

/// The first lines of the memory index; topic files load on demand (source 5: tiered memory).
fn memory_index(index: &ProjectText, plan: &Plan, policy: &Policy) -> Option<Prepared> {
    let most = policy.memory.index_lines;
    if most == 0 || index.text.is_empty() {
        return None;
    }
    let mut ends = index.text.match_indices('\n').map(|(at, _)| at + 1);
    let end = usize::try_from(most - 1).ok().and_then(|last| ends.nth(last)).unwrap_or(index.text.len());
    let shown = index.text.get(..end).unwrap_or_default();
    let content = Contents::from(Made::Part(index.block, 0, end as u64, false));
    let mut made = piece(plan, Layer::Memory, &index.name, content, shown);
    if end < index.text.len() {
        let lines = index.text.lines().count() as u64;
        cut(&mut made, plan, &index.text, "memory.index_lines", most, lines);
        if let Some(event) = &mut made.decided {
            event.why =
                Cow::Borrowed("The memory index has {measured lines}: the first {threshold} are in the window.");
        }
    }
    Some(made)
}

/// A piece that stands before the history, or comes in with a step.
fn piece(plan: &Plan, layer: Layer, label: &str, content: Contents, text: &str) -> Prepared {
    let tokens = plan.tokens_of(text);
    let estimated = !plan.encoding.is_exact() || plan.factor != 1.0;
    let whole = Prepared::whole(1, layer, label, content, tokens);
    Prepared { front: true, fixed: true, role: Role::System, estimated, ..whole }
}

/// Says of a piece that a limit cut it, and of how much.
fn cut(piece: &mut Prepared, plan: &Plan, whole: &str, rule: &'static str, threshold: u64, measured: u64) {
    piece.original = piece.tokens.max(plan.tokens_of(whole));
    piece.fate = Fate::Truncated;
    let mut event = Event::new(piece.step, Stage::Limit, rule);
    (event.threshold, event.measured) = (Some(threshold), Some(measured));
    piece.decided = Some(event);
}
