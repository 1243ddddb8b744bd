//! Tool results: cut when they come in (layer 1), cleared when stale (layer 2); and the reasoning of earlier turns.

use crate::policy::amount::{Amount, Unit};
use crate::policy::declare::section;
use crate::policy::listed::{Listed, Sizes};
use crate::policy::size::Size;
use crate::policy::value::{Share, choice};

choice! {
    /// Which part of a long text stays.
    Keep {
        /// Its beginning.
        Head = "head",
        /// Its end.
        Tail = "tail",
        /// Beginning and end, with what names the whole between them.
        HeadTail = "head_tail",
        /// Beginning and end, with a mark where the middle was; what names the whole comes last.
        MiddleCut = "middle_cut",
    }
}

section! {
    /// Layer 1: long results and messages are cut when they come in.
    tool_results: ToolResults {
        /// Whether long tool results are cut.
        on: bool = false, 0..=0 "", Instant, "source 5: layer 1, tool result truncation";
        /// A tool result or message longer than this is cut.
        virtual_over: Size = Size::Tokens(10_000), 0..=100_000_000 "tokens", Instant, "source 3: greater than 10,000 tokens";
        /// What stays of it.
        virtual_head: Size = Size::Tokens(1_000), 0..=100_000_000 "tokens", Recount, "source 3: only their first 1,000 tokens";
        /// Which part of it stays.
        keep: Keep = Keep::Head, 0..=0 "", Recount, "windowpane: agents keep different parts";
        /// Share of what stays that is from the beginning, where beginning and end stay.
        head_share: Share = Share(0.5), 0..=1 "", Recount, "windowpane: Claude Code's documentation says cut in the middle, not where";
        /// Whether the whole becomes a virtual file that the model can read on; else it is gone.
        virtual_files: bool = true, 0..=0 "", Instant, "source 3: exposed as a new virtual file";
        /// Whether that file is one of the workspace, and the pointer names its path; `pack --workspace` writes it out.
        workspace: bool = false, 0..=0 "", Instant, "source 4: saves result to workspace file, returns reference";
        /// Whether messages of the user are cut likewise.
        messages: bool = true, 0..=0 "", Instant, "source 3: user messages and tool responses";
        /// Results of one message together; the largest are cut until they fit. 0: any.
        message_total: Size = Size::Tokens(0), 0..=100_000_000 "tokens" endless_at 0, Instant, "windowpane: agents cap the results of a message together";
        /// Thresholds of single tools, as `NAME=SIZE`; a name may end in `*`. They win over `virtual_over` and
        /// `virtual_head`.
        per_tool: Listed<Sizes> = Listed::of(&[]), 0..=200 "", Recount, "Claude Code's documentation: Bash 30,000 characters, MCP 25,000 tokens";
        /// What stays of single tools' results that are over their threshold, as `NAME=SIZE`; without it, as much as that.
        per_tool_head: Listed<Sizes> = Listed::of(&[]), 0..=200 "", Recount, "Claude Code: a preview of 2 KB of what is over 30,000 characters";
        /// Tools whose results are never cut; a name may end in `*`.
        exclude_tools: Vec<String> = Vec::new(), 0..=200 "", Instant, "windowpane: some results must stay whole";
    }
}

section! {
    /// Layer 2: stale tool results are cleared, without a model.
    microcompact: Microcompact {
        /// Whether stale tool results are cleared.
        on: bool = false, 0..=0 "", Instant, "source 5: layer 2, microcompact";
        /// Tokens of the window from which it clears.
        at: Size = Size::Percent(60.0), 0..=100_000_000 "tokens", Instant, "windowpane: source 5 names no threshold";
        /// Whether it also clears just before a summary is made, whatever the window's size.
        at_boundary: bool = false, 0..=0 "", Instant, "source 5: remove stale tool results at compact boundaries";
        /// Results together that stay as they are where a summary is about to be made, the newest first; older ones are cut
        /// as `tool_results` cuts long ones. 0: any.
        boundary_total: Size = Size::Tokens(0), 0..=100_000_000 "tokens" endless_at 0, Instant, "Gemini CLI's public code: a budget of 50,000 for results as it compresses";
        /// The newest that are spared.
        keep: Amount = Amount::Count(3, Unit::Results), 0..=100_000_000 "", Instant, "Anthropic's context editing: keeps 3";
        /// Newest turns of the user whose results are spared beside that.
        keep_turns: u64 = 0, 0..=1_000_000 "turns", Instant, "OpenCode's public code: skips the last 2 user turns";
        /// It clears nothing unless it frees at least this much in all.
        min_freed: u64 = 0, 0..=100_000_000 "tokens", Instant, "Anthropic's context editing: clear_at_least";
        /// Whether results are measured at four characters a token, as clients without a tokenizer do.
        estimate: bool = false, 0..=0 "", Instant, "measured: Claude Code's own figures of what it cleared";
        /// Tools whose results may be cleared; empty: all. A name may end in `*`.
        tools: Vec<String> = Vec::new(), 0..=200 "", Instant, "Claude Code, measured: only Read, Bash, Grep, Glob, Edit";
        /// Tools whose results are never cleared. A name may end in `*`.
        exclude_tools: Vec<String> = Vec::new(), 0..=200 "", Instant, "Anthropic's context editing: exclude_tools";
        /// Whether the arguments of the calls are cleared too.
        clear_inputs: bool = false, 0..=0 "", Instant, "Anthropic's context editing: clear_tool_inputs";
        /// Whether a result is spared once a later message repeats a path, identifier or number that came in with it.
        spare_referenced: bool = false, 0..=0 "", Instant, "source 5: results that are no longer referenced by subsequent turns";
        /// Whether the result of a call may be cleared, however new it is, once a call asks for the same again, or for the
        /// whole of a file of which it is a part.
        superseded: bool = false, 0..=0 "", Instant, "windowpane: a newer answer to the same call";
        /// What stands for a cleared result.
        marker: String = "[Old tool result content cleared]".to_owned(), 0..=200 "", Instant, "OpenCode's and Claude Code's transcripts";
    }
}

section! {
    /// Reasoning of earlier turns.
    thinking: Thinking {
        /// Whether reasoning of earlier turns is taken out.
        clear: bool = false, 0..=0 "", Instant, "Anthropic's context editing: clear_thinking_20251015";
        /// Newest answers with reasoning that keep it.
        keep_turns: u64 = 1, 0..=1_000_000 "answers", Instant, "Anthropic's context editing: keeps 1 turn";
    }
}
