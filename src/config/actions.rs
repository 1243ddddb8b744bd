//! Everything that a key can do. One row per action; keymap, help, palette, footer and README come from here.

use super::Context;

/// What actions are about; the help is divided by it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[allow(missing_docs)]
pub enum Group {
    Steps,
    Moving,
    Window,
    Entry,
    Search,
    Views,
    Memory,
    Documents,
    Program,
}

impl Group {
    /// All of them, in the order of the help.
    pub const ALL: &[Group] = &[
        Group::Steps,
        Group::Views,
        Group::Search,
        Group::Moving,
        Group::Window,
        Group::Entry,
        Group::Memory,
        Group::Documents,
        Group::Program,
    ];

    /// Name for people.
    #[must_use]
    pub fn title(self) -> &'static str {
        match self {
            Group::Steps => "Steps",
            Group::Moving => "Moving about",
            Group::Window => "Window",
            Group::Entry => "Entry",
            Group::Search => "Search, copy, export",
            Group::Views => "Views",
            Group::Memory => "Memory",
            Group::Documents => "Documents",
            Group::Program => "Program",
        }
    }
}

/// The declaration of one action.
#[derive(Clone, Copy, Debug)]
pub struct ActionInfo {
    /// Which one.
    pub action: Action,
    /// Name in the keys file and the palette.
    pub name: &'static str,
    /// Keys that do it unless the user says otherwise, as [`super::parse_sequence`] reads them.
    pub keys: &'static [&'static str],
    /// Where it can be done.
    pub contexts: &'static [Context],
    /// What it is about.
    pub group: Group,
    /// What it does, in a few words.
    pub meaning: &'static str,
    /// One word for the footer.
    pub short: &'static str,
}

macro_rules! actions {
    ($( $group:ident { $( $variant:ident, $name:literal, $keys:expr, $contexts:expr, $meaning:literal, $short:literal; )* } )*) => {
        /// Everything that a key can do.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
        pub enum Action { $( $( #[doc = $meaning] $variant, )* )* }

        /// Every action with its declaration, in the order of the help.
        pub const ACTIONS: &[ActionInfo] = &[ $( $( ActionInfo {
            action: Action::$variant,
            name: $name,
            keys: &$keys,
            contexts: $contexts,
            group: Group::$group,
            meaning: $meaning,
            short: $short,
        }, )* )* ];
    };
}

use Context as C;
/// The panes of the main screen, and other screens.
macro_rules! main_and {
    ($($other:ident),*) => { &[C::Timeline, C::Layers, C::Window, C::Entry, C::Events, $(C::$other),*] };
}
/// The panes of the main screen.
const MAIN: &[Context] = main_and![];
/// The main screen and the views beside it.
const VIEWS: &[Context] = main_and![Compaction, Tune, Compare, Sweep, Memory, Graph];
/// Whatever a link can lead to.
const LINKED: &[Context] = main_and![Compaction, Tune, Compare, Sweep, Memory, Graph, Documents, Trace, Findings];
/// Where one is at a step.
const AT_STEP: &[Context] = main_and![Compaction, Tune, Compare, Memory, Graph, Trace];
/// Where left and right go from step to step; over a trace, the step at which the fact is asked for.
const STEPPED: &[Context] = main_and![Compaction, Compare, Memory, Trace];
/// Where messages are folded.
const FOLDED: &[Context] = main_and![Compaction, Compare];
/// Where the other track can be shown.
const TRACKS: &[Context] = main_and![Compaction, Compare, Memory, Graph];
/// Screens that are divided into panes.
const PANED: &[Context] = main_and![Compaction, Tune, Compare, Sweep, Memory, Graph, Documents];
/// Where memories are looked at.
const MEMORIES: &[Context] = &[C::Memory, C::Graph];
/// The main screen, and the list of memories.
const SORTED: &[Context] = main_and![Memory];
/// Where a text is scrolled beside what is selected.
const READ: &[Context] = main_and![Memory, Graph];
/// Screens, with nothing laid over them.
const SCREENS: &[Context] = main_and![Documents, Compaction, Tune, Compare, Sweep, Memory, Graph, Picker];
/// Wherever something is selected in a list, or scrolled.
const LISTS: &[Context] = main_and![
    Documents, Compaction, Tune, Compare, Sweep, Memory, Graph, Picker, Help, Palette, Dialog, Trace, Findings
];
/// Lists over which no text is typed.
const PLAIN: &[Context] =
    main_and![Documents, Compaction, Tune, Compare, Sweep, Memory, Graph, Dialog, Trace, Findings];
/// The main screen, and what tells of a fact over it.
const FACTS: &[Context] = main_and![Trace, Findings];
/// Screens with a cursor that runs on to what matters next.
const RUN: &[Context] = &[C::Compaction, C::Compare, C::Memory, C::Graph];
/// Where left and right change something instead of going from step to step.
const CHANGED: &[Context] = &[C::Tune, C::Graph];

actions! {
    Steps {
        NextStep, "next-step", ["right", "l"], STEPPED, "go to the next step", "step";
        PreviousStep, "previous-step", ["left", "h"], STEPPED, "go to the step before", "step";
        NextSteps, "next-10-steps", ["shift-right", "L"], STEPPED, "go 10 steps on", "10 steps";
        PreviousSteps, "previous-10-steps", ["shift-left", "H"], STEPPED, "go 10 steps back", "10 steps";
        FirstStep, "first-step", ["0"], AT_STEP, "go to the first step", "first";
        LastStep, "last-step", ["$"], AT_STEP, "go to the last step", "last";
        GoToStep, "go-to-step", ["#"], MAIN, "go to the step whose number you type", "go to";
        NextEvent, "next-event", ["]"], AT_STEP, "go to the next step with an event", "event";
        PreviousEvent, "previous-event", ["["], AT_STEP, "go to the last step before with an event", "event";
        NextCompaction, "next-compaction", ["}"], AT_STEP, "go to the next compaction", "compaction";
        PreviousCompaction, "previous-compaction", ["{"], AT_STEP, "go to the compaction before", "compaction";
        NextTurn, "next-turn", [")"], STEPPED, "go to the next step that a person wrote before", "turn";
        PreviousTurn, "previous-turn", ["("], STEPPED, "go to the last step that a person wrote before", "turn";
        ZoomIn, "zoom-in", ["+", "="], MAIN, "show fewer steps in the timeline, wider", "zoom";
        ZoomOut, "zoom-out", ["-"], MAIN, "show more steps in the timeline, narrower", "zoom";
        OpenSubagent, "open-subagent", ["o"], MAIN, "open what the selected call or compaction started", "thread";
        Threads, "threads", ["O"], MAIN, "choose among the conversations, subagents and summarisers", "threads";
        LeaveSubagent, "leave-subagent", ["backspace"], MAIN, "go back from a subagent to its call", "back";
    }
    Views {
        CompactionView, "compaction-view", ["c"], VIEWS, "see what each stage did at this step, and back", "compaction";
        TuneView, "tune-view", ["t"], VIEWS, "move the policy's settings and see what follows, and back", "tune";
        CompareView, "compare-view", ["v"], VIEWS, "set two tracks or policies side by side, and back", "compare";
        SweepView, "sweep-view", ["V"], VIEWS, "put settings to many values and see which facts stay, and back", "sweep";
        SwitchTrack, "switch-track", ["R"], TRACKS, "show the recorded track, or the simulated one", "track";
        RunOn, "run-on", ["n"], RUN,
            "run on until the chosen stage acts; the next difference, or relation", "seek";
        RunBack, "run-back", ["N"], RUN,
            "run back until the chosen stage acts; the last difference, or relation", "seek";
        More, "more", ["right", "l", "+"], &[C::Tune], "move the setting up", "move";
        Less, "less", ["left", "h", "-"], &[C::Tune], "move the setting down", "move";
        MuchMore, "much-more", ["shift-right", "L"], &[C::Tune], "move the setting far up", "far";
        MuchLess, "much-less", ["shift-left", "H"], &[C::Tune], "move the setting far down", "far";
        StepOn, "step-on", [">", "."], CHANGED, "go to the next step while left and right do something else", "step";
        StepBack, "step-back", ["<", ","], CHANGED, "go to the step before while left and right do something else", "step";
        CompareFacts, "compare-facts", ["f"], &[C::Compare], "show which facts each side keeps, or the windows", "facts";
        Preset, "preset", ["p"], &[C::Tune, C::Compare, C::Sweep, C::Memory, C::Graph], "choose a preset", "preset";
        Undo, "undo", ["u"], &[C::Tune], "take the last change back", "undo";
        Redo, "redo", ["U", "ctrl-r"], &[C::Tune], "do again what was taken back", "redo";
        ResetSetting, "reset-setting", ["backspace", "r"], &[C::Tune], "put the setting back to the preset's value", "reset";
        ResetAll, "reset-all", ["X"], &[C::Tune], "put all settings back to the preset's values", "reset all";
        OnlyChanged, "only-changed", ["i"], &[C::Tune], "show only settings that differ from the preset", "changes";
        SavePolicy, "save-policy", ["s"], &[C::Tune], "save the policy as a file", "save";
        NextRun, "next-run", ["right", "l"], &[C::Sweep], "go to the next run", "run";
        PreviousRun, "previous-run", ["left", "h"], &[C::Sweep], "go to the run before", "run";
        NextAxis, "next-axis", ["x"], &[C::Sweep], "set facts against tokens, compactions, cost or peak", "against";
        MoreValues, "more-values", ["+", "="], &[C::Sweep], "more values of the setting, closer together", "finer";
        FewerValues, "fewer-values", ["-"], &[C::Sweep], "fewer values of the setting, further apart", "coarser";
        AddFact, "add-fact", ["a"], &[C::Sweep], "add a fact to be followed", "add fact";
        SaveRuns, "save-runs", ["s"], &[C::Sweep], "save the runs as CSV or JSON", "save";
    }
    Search {
        Search, "search", ["/"], main_and![Tune, Sweep, Memory, Graph],
            "search the transcript, the settings or the memories", "search";
        NextHit, "next-hit", ["n"], MAIN, "go to the next place found", "next";
        PreviousHit, "previous-hit", ["N"], MAIN, "go to the place found before", "previous";
        FollowFact, "follow-fact", ["f"], FACTS, "follow a fact: where it came in, what took it, was it needed", "fact";
        WhatIf, "what-if", ["w"], &[C::Trace], "find the settings that would have kept the fact", "what if";
        Findings, "findings", ["!"], VIEWS, "look for what costs tokens or loses facts in what is shown", "findings";
        CopyText, "copy-text", ["y"], MAIN, "copy the entry's text", "copy";
        CopyLink, "copy-link", ["Y"], LINKED, "copy the command that opens this very place", "link";
        Export, "export", ["e"], MAIN, "export the prompt of this step", "export";
    }
    Moving {
        NextPane, "next-pane", ["tab"], PANED, "go to the next pane", "pane";
        PreviousPane, "previous-pane", ["shift-tab"], PANED, "go to the pane before", "pane";
        PaneTimeline, "pane-timeline", ["1"], MAIN, "go to the timeline", "timeline";
        PaneLayers, "pane-layers", ["2"], MAIN, "go to the layers", "layers";
        PaneWindow, "pane-window", ["3"], MAIN, "go to the window", "window";
        PaneEntry, "pane-entry", ["4"], MAIN, "go to the entry", "entry";
        PaneEvents, "pane-events", ["5"], MAIN, "go to the events", "events";
        ZoomPane, "zoom-pane", ["z"], MAIN, "give the whole screen to this pane, and back", "zoom";
        Down, "down", ["down", "j", "ctrl-n"], LISTS, "go down", "down";
        Up, "up", ["up", "k", "ctrl-p"], LISTS, "go up", "up";
        HalfPageDown, "half-page-down", ["ctrl-d"], PLAIN, "go half a page down", "half page";
        HalfPageUp, "half-page-up", ["ctrl-u"], PLAIN, "go half a page up", "half page";
        PageDown, "page-down", ["pgdn", "ctrl-f"], LISTS, "go a page down", "page";
        PageUp, "page-up", ["pgup", "ctrl-b"], LISTS, "go a page up", "page";
        Top, "top", ["home", "g"], LISTS, "go to the top", "top";
        Bottom, "bottom", ["end", "G"], LISTS, "go to the bottom", "bottom";
        Open, "open", ["enter"],
            &[C::Layers, C::Window, C::Entry, C::Events, C::Documents, C::Task, C::Compaction, C::Tune, C::Compare, C::Sweep, C::Memory, C::Graph, C::Picker, C::Palette, C::Prompt, C::Dialog, C::Trace, C::Findings],
            "open or accept what is selected", "open";
        Back, "back", ["esc"], Context::ALL, "go back one level", "back";
    }
    Window {
        Fold, "fold", ["space"], &[C::Layers, C::Window, C::Entry, C::Events, C::Compaction, C::Tune, C::Compare, C::Sweep, C::Memory], "fold or unfold what is selected, or switch it", "fold";
        FoldAll, "fold-all", ["Z"], FOLDED, "fold or unfold all messages", "fold all";
        Sort, "sort", ["s"], SORTED, "sort the window by place, size or age; sort memories", "sort";
        FilterLayer, "filter-layer", ["i"], MAIN, "show only the entries of the selected layer, or all again", "only layer";
        Difference, "difference", ["x"], MAIN, "show what came and what went since the step before", "difference";
        LargestEntry, "largest-entry", ["b"], MAIN, "select the largest entry, then the next in size", "largest";
        GoToBirth, "go-to-birth", [","], MAIN, "go to the step at which the entry came in", "came in";
        GoToDeath, "go-to-death", ["."], MAIN, "go to the step at which the entry was gone", "went";
    }
    Entry {
        EntryDown, "entry-down", ["J", "alt-down"], READ, "scroll the text of what is selected down from any pane", "scroll";
        EntryUp, "entry-up", ["K", "alt-up"], READ, "scroll the text of what is selected up from any pane", "scroll";
        ShowOriginal, "show-original", ["u"], MAIN, "show or hide what was cut from the entry", "uncut";
        Raw, "raw", ["r"], MAIN, "show the text as it was sent, or rendered", "raw";
        Wrap, "wrap", ["w"], MAIN, "wrap long lines, or let them run on", "wrap";
        ScrollRight, "scroll-right", [">"], MAIN, "show what is to the right of long lines", "right";
        ScrollLeft, "scroll-left", ["<"], MAIN, "show what is to the left of long lines", "left";
    }
    Memory {
        MemoryView, "memory-view", ["m"], VIEWS, "see what is remembered, packed and lost at this step, and back", "memory";
        OpenSource, "open-source", ["o"], MEMORIES, "go to the text that it came from; Back leads here again", "source";
        WalkGraph, "walk-graph", ["w"], &[C::Memory], "walk the relations of the selected memory", "walk";
        WalkOn, "walk-on", ["right", "l"], &[C::Graph], "go to the selected neighbour", "walk";
        WalkBack, "walk-back", ["left", "h", "backspace"], &[C::Graph], "go back to the memory that one came from", "back";
    }
    Documents {
        Documents, "documents", ["d"], main_and![Tune, Documents],
            "see the attached documents and what is chosen of them, and back", "documents";
        NextPassage, "next-passage", ["n", "right", "l"], &[C::Documents], "go to the next passage that is taken", "passage";
        PreviousPassage, "previous-passage", ["N", "left", "h"], &[C::Documents], "go to the taken passage before", "passage";
        FillOn, "fill-on", ["."], &[C::Documents], "take one more passage, the best that is left, and see the budget fill", "fill";
        FillBack, "fill-back", [","], &[C::Documents], "take the last passage back", "fill";
        EditTask, "edit-task", ["t", "/"], &[C::Documents], "change the task; everything follows", "task";
        MorePassages, "more-passages", ["+", "="], &[C::Documents], "take one window more", "more";
        FewerPassages, "fewer-passages", ["-"], &[C::Documents], "take one window less", "fewer";
        LargerBudget, "larger-budget", ["]"], &[C::Documents], "choose 500 characters more", "larger";
        SmallerBudget, "smaller-budget", ["["], &[C::Documents], "choose 500 characters less", "smaller";
        NextDocument, "next-document", ["f"], &[C::Documents], "go to the next attached document", "next file";
    }
    Program {
        Help, "help", ["?", "F1"], SCREENS, "explain what is selected, and show the keys that work here", "help";
        Palette, "palette", [":", "F2"], SCREENS, "find an action by its name", "palette";
        Sessions, "sessions", ["S"], VIEWS, "choose another session", "sessions";
        Warnings, "warnings", ["W"], VIEWS, "show what could not be understood in the file", "warnings";
        Theme, "theme", ["T", "F3"], SCREENS, "change to the next theme", "theme";
        Mouse, "mouse", ["M", "F4"], SCREENS, "switch the mouse off, to select text with it, or on", "mouse";
        Stop, "stop", ["ctrl-x"], SCREENS, "stop the work under way", "stop";
        Redraw, "redraw", ["ctrl-l"], Context::ALL, "draw the screen anew", "redraw";
        Suspend, "suspend", ["ctrl-z"], Context::ALL, "suspend the program", "suspend";
        Quit, "quit", ["q", "ctrl-c"], Context::ALL, "leave the program", "quit";
    }
}

impl Action {
    /// This action's declaration.
    #[must_use]
    pub fn info(self) -> &'static ActionInfo {
        &ACTIONS[self as usize]
    }

    /// Name in the keys file and the palette.
    #[must_use]
    pub fn name(self) -> &'static str {
        self.info().name
    }

    /// The action of that name.
    #[must_use]
    pub fn named(name: &str) -> Option<Action> {
        ACTIONS.iter().find(|info| info.name == name).map(|info| info.action)
    }
}

#[cfg(test)]
mod tests {
    use std::collections::HashSet;

    use super::*;

    #[test]
    fn rows_stand_where_their_action_says_and_names_are_one_each() {
        let mut names = HashSet::new();
        for (at, info) in ACTIONS.iter().enumerate() {
            assert_eq!(info.action as usize, at);
            assert!(names.insert(info.name), "{} twice", info.name);
            assert!(info.name.bytes().all(|byte| byte.is_ascii_lowercase() || byte.is_ascii_digit() || byte == b'-'));
            assert_eq!(Action::named(info.name), Some(info.action));
            assert!(!info.meaning.is_empty() && info.meaning.len() <= 72, "{}", info.name);
            assert!(!info.contexts.is_empty() && !info.short.contains('-'), "{}", info.name);
        }
    }

    #[test]
    fn groups_are_not_scattered() {
        let mut seen: Vec<Group> = ACTIONS.iter().map(|info| info.group).collect();
        seen.dedup();
        assert_eq!(seen, Group::ALL);
    }
}
