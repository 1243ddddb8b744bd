//! Pieces: the entries of the run to be, while stages decide about them. A long session has tens of thousands, made anew
//! each time that a threshold moves: what few of them have is kept beside them.

use std::sync::Arc;

use crate::engine::plan::{Item, NONE, Plan, signed};
use crate::model::{Contents, EntryIds, EventId, Fate, Layer, Life, Made, Role};

use super::given::Given;

/// What a piece is called.
#[derive(Clone, Copy, Debug)]
pub(in crate::engine) enum Label {
    /// As its item.
    Item(u32),
    /// By windowpane.
    Fixed(Named),
    /// As what was prepared outside, see [`Given::prepared`].
    Given(u32),
}

/// What windowpane names itself.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::engine) enum Named {
    Usage,
    Turn,
    Summary,
    Memories,
}

impl Named {
    const ALL: [Named; 4] = [Named::Usage, Named::Turn, Named::Summary, Named::Memories];

    fn text(self) -> &'static str {
        match self {
            Named::Usage => "window usage",
            Named::Turn => "collapsed turn",
            Named::Summary => "summary",
            Named::Memories => "packed memories",
        }
    }
}

/// Labels as text, each text once.
pub(in crate::engine) struct Names<'a> {
    plan: &'a Plan,
    given: &'a Given,
    fixed: [Arc<str>; Named::ALL.len()],
    none: Arc<str>,
}

impl<'a> Names<'a> {
    pub fn of(plan: &'a Plan, given: &'a Given) -> Self {
        Names { plan, given, fixed: Named::ALL.map(|name| Arc::from(name.text())), none: Arc::from("") }
    }

    /// The name itself. A file that came back goes by its path, not by the tool that read it.
    pub fn of_piece(&self, piece: &Piece) -> Arc<str> {
        let file = match piece.label {
            Label::Item(item) if piece.layer == Layer::Files => {
                self.plan.texts.as_ref().and_then(|texts| texts.file_of(item)).map(|file| &file.name)
            }
            _ => None,
        };
        let known = file.or_else(|| match piece.label {
            Label::Item(item) => self.plan.items.get(item as usize).map(|item| &item.label),
            Label::Given(at) => self.given.prepared.get(at as usize).map(|given| &given.label),
            Label::Fixed(name) => self.fixed.get(name as usize),
        });
        Arc::clone(known.unwrap_or(&self.none))
    }
}

/// What a piece holds.
#[derive(Clone, Debug)]
pub(in crate::engine) enum Content {
    /// Its item, whole.
    Item,
    /// Something made.
    Made(Contents),
}

impl Content {
    /// What it consists of, where it is that of an item.
    pub fn made(self, item: Option<&Item>) -> Contents {
        match (self, item) {
            (Content::Made(made), _) => made,
            (Content::Item, Some(item)) if item.whole => Made::Part(item.block, 0, u64::MAX, true).into(),
            (Content::Item, Some(item)) => Made::Block(item.block).into(),
            (Content::Item, None) => Made::Text(std::borrow::Cow::Borrowed("")).into(),
        }
    }
}

/// An entry of the run to be.
#[derive(Clone, Debug)]
pub(in crate::engine) struct Piece {
    pub layer: Layer,
    pub role: Role,
    pub fate: Fate,
    pub estimated: bool,
    /// Whether it is a static part of the prompt, which is no history.
    pub fixed: bool,
    /// Whether the recorded requests held it too, though no record says so.
    pub held: bool,
    /// Whether it had a stay before the one that it is in, or was in last.
    pub stood: bool,
    pub label: Label,
    pub content: Content,
    /// The item that it is, or that it stands for alone.
    pub item: u32,
    /// What was prepared outside that it is, see [`Given::prepared`].
    pub prepared: u32,
    pub tokens: u64,
    pub original: u64,
    /// Tokens that the reports show beyond the count.
    pub extra: i64,
    pub made_by: Option<EventId>,
    pub from: EntryIds,
    /// The stay that it is in, or was in last; those before it stand beside.
    pub life: Life,
}

// An entry of a run is made where its piece was, and no longer than that is.
const _: () = assert!(size_of::<Piece>() <= size_of::<crate::model::Entry>());

impl Piece {
    /// Its tokens, with what the reports show beyond the count.
    pub fn size(&self) -> i64 {
        signed(self.tokens).saturating_add(self.extra)
    }

    /// The place where it stands, or stood last; none where it never did.
    pub fn slot(&self) -> u32 {
        self.life.place
    }
}

/// A place in the window.
#[derive(Clone, Copy, Debug)]
pub(in crate::engine) struct Slot {
    /// What stands there.
    pub piece: u32,
    /// What stands there once its turn is no longer collapsed.
    pub hidden: u32,
    /// The unit that it belongs to.
    pub unit: u32,
    /// The step at which something of the history came in here, between others; 0 where nothing did.
    pub room: u32,
}

impl Slot {
    /// A place where nothing stands yet.
    pub fn of(unit: u32) -> Slot {
        Slot { piece: NONE, hidden: NONE, unit, room: 0 }
    }
}
