//! The history as a whole: collapsed for reading, summarised, compacted in need, dropped; and what the model is told.

use crate::policy::Reserve;
use crate::policy::amount::{Amount, Unit};
use crate::policy::declare::section;
use crate::policy::listed::{Layers, Listed, Roles};
use crate::policy::size::Size;
use crate::policy::value::{Share, choice};

choice! {
    /// When old turns are collapsed, seen from the other stages.
    CollapseOrder {
        /// Before a summary is made, so that it may make one unnecessary.
        Early = "early",
        /// After all others.
        Last = "last",
    }
}

section! {
    /// Layer 5: old turns are shown as one line each when the window is read. The originals stay.
    collapse: Collapse {
        /// Whether old turns are collapsed.
        on: bool = false, 0..=0 "", Instant, "source 5: layer 5, context collapse";
        /// Tokens of the window, nothing collapsed, over which it shows old turns as lines.
        at: Size = Size::Percent(60.0), 0..=100_000_000 "tokens", Instant, "windowpane: source 5 names no threshold";
        /// The newest that are shown in full. A turn that a later message refers to again counts as new.
        keep: Amount = Amount::Count(20, Unit::Rounds), 0..=100_000_000 "", Instant, "windowpane: source 5 names no number";
        /// It collapses further turns only where that saves at least this much in all.
        min_freed: u64 = 2_000, 0..=100_000_000 "tokens", Instant, "beyond the sources: each change costs the cached prefix";
        /// Whether it comes before the summary or last.
        order: CollapseOrder = CollapseOrder::Early, 0..=0 "", Instant, "windowpane: source 5 orders it last, others early";
    }
}

choice! {
    /// The window that a share refers to.
    Of {
        /// All of it.
        Raw = "raw",
        /// What is left of it after `reserve.output` and `reserve.summary`.
        Effective = "effective",
        /// All of it, where Codex states 95 % of its window: a multiple of 19.
        Codex = "codex",
    }
}

choice! {
    /// What is compared with the threshold.
    MeasureOf {
        /// The window as the stages before have left it.
        AfterStages = "after_stages",
        /// What a client can know: the last request's context and output, and what was admitted since.
        LastUsagePlusNew = "last_usage_plus_new",
        /// The same, and the reasoning of earlier turns, which reports leave out and Codex counts by itself. As Codex
        /// has it, it is due at the threshold itself; any other measure has to exceed it.
        LastUsagePlusNewAndReasoning = "last_usage_plus_new_and_reasoning",
        /// The same, but of what was admitted since only the tool results (and the harness's own words among them) that
        /// nothing of the user's comes after.
        LastUsagePlusResultsAndReasoning = "last_usage_plus_results_and_reasoning",
        /// The last request's context and output and the reasoning of earlier turns, nothing of what was admitted since.
        LastUsageAndReasoning = "last_usage_and_reasoning",
        /// The last request's context and output alone.
        LastUsage = "last_usage",
        /// What a summary may stand for, as the stages before have left it: neither the prompt's own parts nor what no
        /// record holds.
        History = "history",
    }
}

choice! {
    /// Who writes the summary.
    Summariser {
        /// The summary that the transcript holds, where one was made near; else the sentences that matter most.
        Recorded = "recorded",
        /// The sentences that matter most, chosen without a model.
        Extractive = "extractive",
        /// Nobody: start and end are kept.
        Truncate = "truncate",
        /// A model that was asked for it.
        Model = "model",
    }
}

choice! {
    /// What comes back of a file that is larger than what may come back of one.
    FileOver {
        /// Its beginning.
        Head = "head",
        /// A line that names it.
        Name = "name",
    }
}

section! {
    /// Layer 3: the history is replaced by a summary.
    summarise: Summarise {
        /// Whether the history is summarised.
        on: bool = false, 0..=0 "", Instant, "source 5: layer 3, auto-compact";
        /// The measure over which a summary is made.
        at: Size = Size::Percent(80.0), 0..=100_000_000 "tokens", Instant, "source 3: over 80% of the available context window";
        /// The window that `at` refers to.
        of: Of = Of::Raw, 0..=0 "", Instant, "windowpane: agents differ in what they measure";
        /// What is compared with `at`.
        measure: MeasureOf = MeasureOf::AfterStages, 0..=0 "", Instant, "windowpane: agents differ in when they measure";
        /// Pieces of the window from which a summary is made, whatever their size; 0: by size only.
        at_events: u64 = 0, 0..=100_000_000 "events" endless_at 0, Instant, "OpenHands' public code: at most 240 events";
        /// The least that `at` comes to, whatever the window.
        at_least: u64 = 0, 0..=100_000_000 "tokens", Instant, "Aider's public code: at least 1,024";
        /// The most that `at` comes to, whatever the window; 0: any.
        at_most: u64 = 0, 0..=100_000_000 "tokens" endless_at 0, Instant, "Aider's public code: at most 8,192";
        /// What is kept of the beginning.
        keep_head: Amount = Amount::NONE, 0..=100_000_000 "", Instant, "OpenHands' public code: keeps the first events";
        /// What is kept of the end.
        keep_tail: Amount = Amount::NONE, 0..=100_000_000 "", Instant, "Gemini CLI's public code: keeps the last 30 %";
        /// Whether what is kept of the end begins with a message of the user.
        split_at_turns: bool = false, 0..=0 "", Instant, "Gemini CLI's public code: splits at user turns";
        /// Roles whose messages may be kept; empty: all.
        keep_roles: Listed<Roles> = Listed::of(&[]), 0..=10 "", Instant, "Codex's public code: keeps user messages";
        /// Layers that a summary never takes away.
        keep_layers: Listed<Layers> = Listed::of(&["system", "tools", "instructions", "memory"]), 0..=20 "", Instant, "Claude Code's documentation: what survives";
        /// Whether `keep_layers` with `skills` keeps the skills that were loaded; else their listing alone.
        keep_loaded_skills: bool = true, 0..=0 "", Instant, "Codex's public code: a compaction leaves loaded skills out, and lists them anew";
        /// Tokens of the summary at most; where a model writes more, up to twice as many are taken.
        target: u64 = 20_000, 0..=10_000_000 "tokens", Instant, "source 5: 20,000 tokens; source 4: 40,000";
        /// Tokens that a summary is taken to have where it is not recorded and no model writes it, within the target; 0: all of the target.
        expected: u64 = 0, 0..=10_000_000 "tokens", Instant, "Claude Code's transcripts: eight summaries of 2,425 to 4,197 tokens, under a reserve of 20,000";
        /// Who writes the summary.
        by: Summariser = Summariser::Recorded, 0..=0 "", Instant, "windowpane: the summariser is handed in";
        /// Share of the target that is kept from the start where nobody writes a summary; the rest is from the end.
        fallback_head: Share = Share(0.25), 0..=1 "", Instant, "source 4: keeps 25% from start and 75% from the end";
        /// Tokens that the summariser is given at most; more is cut first.
        input_max: u64 = 180_000, 1..=100_000_000 "tokens", Instant, "source 4: SUMMARIZER_INPUT_MAX_TOKENS";
        /// Whether the call that writes the summary is the conversation with one more message: it sends the whole window, most of which the prompt cache holds. Else it sends what the summariser is given, by itself.
        whole_window: bool = false, 0..=0 "", Instant, "Claude Code's transcripts: two logged calls sent the whole window and read what the cache held of it";
        /// Newest files (attached or read by a tool) that come back after the summary.
        reinject_files: u64 = 0, 0..=1_000 "files", Instant, "Claude Code's transcripts: attachments after a boundary";
        /// Tokens of each file that comes back.
        reinject_file_tokens: u64 = 5_000, 0..=10_000_000 "tokens", Recount, "estimated after the limit of skills";
        /// What comes back of a larger file.
        reinject_file_over: FileOver = FileOver::Head, 0..=0 "", Instant, "Claude Code's transcripts: large files come back as a reference";
        /// Whether loaded skills come back.
        reinject_skills: bool = false, 0..=0 "", Instant, "Claude Code's documentation: skills survive";
        /// Tokens of each skill that comes back.
        reinject_skill_tokens: u64 = 5_000, 0..=10_000_000 "tokens", Recount, "Claude Code's documentation: at most 5,000 tokens each";
        /// Tokens of all skills that come back.
        reinject_skills_total: u64 = 25_000, 0..=10_000_000 "tokens", Instant, "Claude Code's documentation: 25,000 in all";
        /// Whether the window before becomes a virtual file.
        prior_window_file: bool = false, 0..=0 "", Instant, "source 3: add the prior context window as a virtual file";
        /// Whether facts are extracted in the same pass.
        remember: bool = false, 0..=0 "", Instant, "source 5: extract memories in the same summarization call";
    }
}

impl MeasureOf {
    /// Whether so many tokens make a summary due, by a threshold.
    #[must_use]
    pub fn is_due(self, measured: u64, at: u64) -> bool {
        measured > at || (measured == at && self.adds_reasoning())
    }

    /// Whether it adds the reasoning of earlier turns, as Codex does.
    #[must_use]
    pub fn adds_reasoning(self) -> bool {
        use MeasureOf::{LastUsageAndReasoning, LastUsagePlusNewAndReasoning, LastUsagePlusResultsAndReasoning};
        matches!(self, LastUsagePlusNewAndReasoning | LastUsagePlusResultsAndReasoning | LastUsageAndReasoning)
    }
}

impl Summarise {
    /// The window that `at` refers to, of a window so large.
    #[must_use]
    pub fn window(&self, size: u64, reserve: &Reserve) -> u64 {
        match self.of {
            Of::Raw => size,
            Of::Codex => crate::transcript::codex_raw(size),
            Of::Effective => size.saturating_sub(reserve.output.saturating_add(reserve.summary)),
        }
    }

    /// The tokens that a threshold comes to in that window, between `at_least` and `at_most`.
    #[must_use]
    pub fn due(&self, at: Size, window: u64) -> u64 {
        let most = if self.at_most == 0 { u64::MAX } else { self.at_most };
        at.of(window).max(self.at_least).min(most)
    }
}

section! {
    /// Layer 4: one harder compaction when the window is full, or the model refused the prompt as too long.
    reactive: Reactive {
        /// Whether there is one.
        on: bool = false, 0..=0 "", Instant, "source 5: layer 4, reactive compact";
        /// Share of the rounds, the oldest, that are dropped before the rest is summarised.
        drop_share: Share = Share(0.2), 0..=1 "", Instant, "windowpane: source 5 names no share";
        /// Share of `summarise.target` that its summary may have.
        target_share: Share = Share(0.5), 0..=1 "", Instant, "windowpane: source 5 says harder, not how much";
        /// Tokens of the end that it keeps where they fit.
        keep_tail: Amount = Amount::Count(10_000, Unit::Tokens), 0..=100_000_000 "", Instant, "windowpane: source 5 names no tail";
    }
}

section! {
    /// What naive systems do: drop the oldest, with nothing in its place.
    drop: Drop {
        /// Whether the oldest tool results are dropped.
        oldest_tool_results: bool = false, 0..=0 "", Instant, "source 3: discarded older tool responses until we had more space";
        /// Whether the oldest turns are dropped.
        oldest_turns: bool = false, 0..=0 "", Instant, "source 5: anti-pattern 1, fixed-size history trimming";
        /// Tokens of the window over which it drops.
        at: Size = Size::Percent(100.0), 0..=100_000_000 "tokens", Instant, "source 3: if we ever ran out of tokens";
        /// Tokens to which it drops.
        to: Size = Size::Percent(90.0), 0..=100_000_000 "tokens", Instant, "windowpane: source 3 says more space; inspect_ai's public code trims to 0.8";
    }
}

choice! {
    /// Which notices stay in the window.
    NoticeKeep {
        /// The newest.
        Last = "last",
        /// All of them, as messages of the history.
        All = "all",
    }
}

section! {
    /// What the model is told about its window, at the end of each request.
    notice: Notice {
        /// Whether it is told.
        on: bool = false, 0..=0 "", Instant, "source 3: a system message with the consumed and available tokens";
        /// Whether the virtual files are listed, with what has been read of each.
        files: bool = true, 0..=0 "", Instant, "source 3: every use of a file is recorded in the files data";
        /// Files listed at most, the newest.
        max_files: u64 = 20, 0..=10_000 "files", Instant, "beyond the source: it lists all";
        /// Whether earlier notices stay. The source is silent; one that stays is out of date.
        keep: NoticeKeep = NoticeKeep::Last, 0..=0 "", Instant, "source 3 is silent";
    }
}

section! {
    /// How a history is replayed.
    replay: Replay {
        /// Whether texts that the agent had cut are admitted whole, where the transcript still holds them.
        originals: bool = false, 0..=0 "", Recount, "windowpane: what the transcript still holds";
        /// Whether compactions that the user asked for happen in the replay too.
        manual: bool = false, 0..=0 "", Instant, "windowpane: a user's own act";
    }
}
