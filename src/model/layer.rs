//! The layers of a window: what kind of thing a piece of it is.
//!
//! One row per layer; names, colours' roles, order and explanations on every surface come from here.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

macro_rules! layers {
    ($( $variant:ident, $name:literal, $title:literal, $tag:literal, $explain:literal, $source:literal; )*) => {
        /// What kind of thing a piece of the window is. The order is the order of the window's bars.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, JsonSchema)]
        #[serde(rename_all = "snake_case")]
        pub enum Layer { $( #[doc = $explain] $variant, )* }

        /// Every layer with its declaration, in order.
        pub const ALL_LAYERS: &[LayerInfo] = &[
            $( LayerInfo { layer: Layer::$variant, name: $name, title: $title, tag: $tag, explain: $explain, source: $source }, )*
        ];
    };
}

/// The declaration of one layer.
#[derive(Clone, Copy, Debug)]
pub struct LayerInfo {
    /// Which one.
    pub layer: Layer,
    /// Name in JSON, settings and themes.
    pub name: &'static str,
    /// Name on the screen.
    pub title: &'static str,
    /// What a piece of it is called on one row: at most seven letters.
    pub tag: &'static str,
    /// What it holds, and what to know of it: two sentences.
    pub explain: &'static str,
    /// Where its rule is from.
    pub source: &'static str,
}

layers! {
    System, "system", "system", "system", "The system prompt and developer messages. Static text belongs at its start, before the dynamic boundary, so that a prompt cache can reuse it.",
        "source 5: the static part before the dynamic boundary";
    Tools, "tools", "tools", "tools", "Definitions of the tools that the model may call. They are sent with every request, used or not.",
        "source 3: a set of base tools that are always available";
    Instructions, "instructions", "instructions", "instr", "Instruction files of user and project (CLAUDE.md, AGENTS.md). Each has a budget, and equal texts are loaded once.",
        "source 5: persistent instruction files, 4,000 characters each, 12,000 in all";
    Skills, "skills", "skills", "skill", "The listing of skills and the bodies of those that were loaded. Only names and descriptions need to be there before one is used.",
        "source 3: the list of available skills is injected into the system prompt";
    Memory, "memory", "memory", "memory", "Memories packed for this request. They come from a store that outlives the window.",
        "source 2: packed memories; source 5: the memory index";
    Files, "files", "files", "file", "Attached files and references to them. A large one should be a reference or chunks, not its whole text.",
        "source 4: limits per format; source 3: preloading and references";
    Chunks, "chunks", "chunks", "chunk", "Passages chosen from attached documents for the task at hand, each with a tag that says where it came from. What was not chosen of a document is nowhere in the window.",
        "source 1: sections or the chunks nearest to the task, each with its tag";
    User, "user", "user", "user", "What a person wrote. It is the least of the window and the last that should be lost.",
        "the transcript";
    Assistant, "assistant", "assistant", "answer", "What the model wrote for a person to read. Clearing tool results never takes it; a summary does, and so does dropping turns.",
        "the transcript";
    Thinking, "thinking", "thinking", "think", "The model's reasoning. Some providers drop that of earlier turns from the window; some record only a signature of it.",
        "the transcript; Anthropic's clear_thinking drops that of earlier turns";
    ToolCalls, "tool_calls", "tool calls", "call", "Calls of tools with their arguments. Writing a file puts the whole file here.",
        "the transcript; Anthropic's clear_tool_inputs clears their arguments";
    ToolResults, "tool_results", "tool results", "result", "What tools answered. In most sessions it is the largest layer and the first to truncate and clear.",
        "source 5: layers 1 and 2 begin with them; source 3: over 10,000 tokens they become virtual files";
    Summaries, "summaries", "summaries", "summary", "What a compaction wrote in place of the history before it. Whatever a summary leaves out is gone from the window.",
        "source 5: layer 3, auto-compact; source 3: compaction";
    Notices, "notices", "notices", "notice", "What the harness wrote into the window: reminders, hooks' output, environment, token budgets. Each is small, but those that stay add up turn by turn.",
        "source 3: consumed and available tokens; source 5: reminders";
    Unlogged, "unlogged", "unlogged", "rest", "What the request held beyond what the transcript records: reported minus counted. Usually the system prompt and tool definitions, and the difference between tokenizers.",
        "the usage that the API reports";
    Reserve, "reserve", "reserve", "reserve", "Room kept free for the answer and for a summary. It holds no content.",
        "source 5: 20,000 tokens for the summary, of a measured p99.99 of 17,387";
    Free, "free", "free", "free", "Room that is left before the window is full. It holds no content.",
        "the window's size: the transcript, the policy or the table of models";
}

/// The layers that hold content of a transcript, `unlogged`, `reserve` and `free` left out.
pub const CONTENT_LAYERS: &[LayerInfo] = ALL_LAYERS.split_at(Layer::Unlogged as usize).0;

/// What Claude Code calls the listing of skills.
pub const SKILL_LISTING: &str = "skill_listing";

/// What a client's note is called that says that something of the history was left out, and not what.
pub const LEFT_OUT: &str = "left out";

/// What the listing of skills is called where the agent has no name for it.
pub const SKILLS: &str = "skills";

impl Layer {
    /// How many there are.
    pub const COUNT: usize = ALL_LAYERS.len();

    /// This layer's declaration.
    #[must_use]
    pub fn info(self) -> &'static LayerInfo {
        &ALL_LAYERS[self as usize]
    }

    /// Whether it is sent with every request whatever was said: the system prompt and the tools.
    #[must_use]
    pub fn is_prompt(self) -> bool {
        matches!(self, Layer::System | Layer::Tools)
    }

    /// Name in JSON, settings and themes.
    #[must_use]
    pub fn name(self) -> &'static str {
        self.info().name
    }

    /// Whether a piece of this layer is the listing of the skills that there are, by the name that agents' formats and a
    /// replay's own listing give it, and no skill that was loaded.
    #[must_use]
    pub fn lists_skills(self, label: &str) -> bool {
        self == Layer::Skills && matches!(label, SKILL_LISTING | SKILLS)
    }

    /// The layer of that name.
    #[must_use]
    pub fn named(name: &str) -> Option<Layer> {
        ALL_LAYERS.iter().find(|info| info.name == name).map(|info| info.layer)
    }
}
