//! Where keys are pressed.

use crate::present::View;

/// Where keys are pressed: a pane of the main screen, another screen, or something laid over it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Context {
    /// The steps of the session.
    Timeline,
    /// The budget by layers.
    Layers,
    /// The entries of a step.
    Window,
    /// One entry's text.
    Entry,
    /// What happened at a step.
    Events,
    /// What each stage did at a step.
    Compaction,
    /// The settings of a policy.
    Tune,
    /// Two tracks side by side.
    Compare,
    /// Settings moved over their values, against the facts that are kept.
    Sweep,
    /// What a replay remembers, packs and loses.
    Memory,
    /// The relations of one memory.
    Graph,
    /// An attached document, and what is chosen of it.
    Documents,
    /// The task of a document, while it is typed.
    Task,
    /// The sessions found on this machine.
    Picker,
    /// The help, over a screen.
    Help,
    /// The palette of actions.
    Palette,
    /// A line that is being typed: a search, a step, a file name.
    Prompt,
    /// A question with a few answers.
    Dialog,
    /// The trace of a fact.
    Trace,
    /// What lint finds.
    Findings,
}

impl Context {
    /// All of them.
    pub const ALL: &[Context] = &[
        Context::Timeline,
        Context::Layers,
        Context::Window,
        Context::Entry,
        Context::Events,
        Context::Compaction,
        Context::Tune,
        Context::Compare,
        Context::Sweep,
        Context::Memory,
        Context::Graph,
        Context::Documents,
        Context::Task,
        Context::Picker,
        Context::Help,
        Context::Palette,
        Context::Prompt,
        Context::Dialog,
        Context::Trace,
        Context::Findings,
    ];

    /// Name for people.
    #[must_use]
    pub fn title(self) -> &'static str {
        match self {
            Context::Graph => "memory graph",
            Context::Task => "task",
            Context::Picker => "sessions",
            Context::Help => "help",
            Context::Palette => "palette",
            Context::Prompt => "prompt",
            Context::Dialog => "question",
            _ => self.view().map_or("", View::name),
        }
    }

    /// The view that a link to it names; `None` where there is nothing to link to.
    #[must_use]
    pub fn view(self) -> Option<View> {
        Some(match self {
            Context::Timeline => View::Timeline,
            Context::Layers => View::Layers,
            Context::Window => View::Window,
            Context::Entry => View::Entry,
            Context::Events => View::Events,
            Context::Compaction => View::Compaction,
            Context::Tune => View::Tune,
            Context::Compare => View::Compare,
            Context::Sweep => View::Sweep,
            Context::Memory | Context::Graph => View::Memory,
            Context::Documents | Context::Task => View::Documents,
            Context::Trace => View::Trace,
            Context::Findings => View::Findings,
            Context::Picker | Context::Help | Context::Palette | Context::Prompt | Context::Dialog => return None,
        })
    }

    /// Whether it is a pane of the main screen.
    #[must_use]
    pub fn is_main(self) -> bool {
        matches!(self, Context::Timeline | Context::Layers | Context::Window | Context::Entry | Context::Events)
    }

    /// Whether typed characters become text there. Keys that type a character then mean nothing else.
    #[must_use]
    pub fn takes_text(self) -> bool {
        matches!(self, Context::Task | Context::Picker | Context::Help | Context::Palette | Context::Prompt)
    }
}
