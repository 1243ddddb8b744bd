//! Everything that the screen shows and what is under way, in one place. Nothing here touches the world.

use std::sync::Arc;

use ratatui::layout::Rect;
use ratatui_image::picker::Picker;

use crate::config::{Context, Key, Keymap, Theme};
use crate::content::Sources;
use crate::model::{EntryId, ThreadId, Transcript};
use crate::present::Place;

use super::detail::Detail;
use super::documents::{DocumentName, Documents};
use super::inspect::Inspect;
use super::layout::{Layout, Wish, layout};
use super::main_screen::timeline;
use super::message::Effect;
use super::overlay::Overlay;
use super::pages::{Pages, REPLAYING};
use super::picker::Picker as Sessions;
use super::search::Search;

/// The program as the screen knows it.
pub struct State {
    /// The terminal's columns and rows.
    pub size: (u16, u16),
    /// How things look.
    pub theme: Theme,
    /// The looks that can be changed to.
    pub themes: Vec<Theme>,
    /// Which keys do what.
    pub keymap: Keymap,
    /// Keys of a sequence that is not complete.
    pub pressed: Vec<Key>,
    /// What is opened.
    pub phase: Phase,
    /// The session that was open before, until the one that is being opened is there.
    pub before: Option<Box<Session>>,
    /// The sessions to choose from, while one is chosen.
    pub sessions: Option<Sessions>,
    /// The documents view, while it is shown.
    pub documents: Option<Documents>,
    /// What is laid over the screen and takes the keys.
    pub overlay: Option<Overlay>,
    /// What was last said; the next key takes it away.
    pub notice: Option<Notice>,
    /// Blocks counted, of so many, while counting is under way.
    pub counting: Option<(u64, u64)>,
    /// What is being done for a replay, where that needs words.
    pub doing: Option<String>,
    /// Whether the mouse is reported.
    pub mouse: bool,
    /// Whether the mouse's button went down where something was laid over the screen: dragged on, it moves nothing.
    pub pressed_over: bool,
    /// Whether long lines are wrapped when an entry is opened.
    pub wrap: bool,
    /// How the terminal shows pictures.
    pub pictures: Option<Picker>,
    /// Whether everything is drawn in plain ASCII.
    pub ascii: bool,
    /// Where the next session opens.
    pub wanted: Place,
    /// The command that links begin with.
    pub program: String,
    /// The command that opens one session by its name alone, and that name: another session is opened by its path.
    pub built_in: Option<(String, String)>,
    /// The options that name what comes in beside a transcript, for links; each with a blank before it.
    pub beside: String,
    /// The options that say what a transcript does not, and how it is counted: whatever is shown depends on them.
    pub given: String,
}

/// How far the session is.
pub enum Phase {
    /// None has been chosen.
    Empty,
    /// It is being read: bytes done and bytes in all, where they are known.
    Opening {
        /// The file's name.
        name: String,
        /// Bytes read.
        done: u64,
        /// Bytes in all; 0 where that is not known.
        total: u64,
    },
    /// It could not be opened: why.
    Failed(String),
    /// It is there.
    Open(Box<Session>),
}

/// An open session.
pub struct Session {
    /// The file's name, without its folder.
    pub name: String,
    /// The path as the user gave it, for links.
    pub path: String,
    /// What was understood.
    pub transcript: Arc<Transcript>,
    /// Those of its threads that are conversations, in order.
    pub conversations: Vec<ThreadId>,
    /// Where its texts are.
    pub sources: Sources,
    /// The documents that are attached to it.
    pub documents: Vec<DocumentName>,
    /// The thread that is looked at; none until its windows are there.
    pub view: Option<Inspect>,
    /// The threads above it, the main one first.
    pub trail: Vec<Inspect>,
    /// The entry that is read.
    pub text: Text,
    /// How entries are shown.
    pub display: EntryDisplay,
    /// The last search.
    pub search: Option<Search>,
    /// Counts searches.
    pub searches: u64,
    /// The views beside the main screen, and the track that is not shown.
    pub pages: Pages,
    /// The thread whose windows were asked for last: one is counted at a time.
    pub asked: ThreadId,
}

/// The entry pane's text.
#[derive(Default)]
pub struct Text {
    /// The entry that it is of, and whether it has been asked for.
    pub entry: Option<EntryId>,
    /// Its text, once read; or why it cannot be.
    pub detail: Option<Result<Detail, String>>,
}

/// How entries are shown, from one to the next.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct EntryDisplay {
    /// As they were sent, not rendered.
    pub raw: bool,
    /// With what was cut from them.
    pub cut: bool,
    /// With long lines wrapped.
    pub wrap: bool,
}

/// Something said to the user.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Notice {
    /// The sentence. May hold untrusted text.
    pub text: String,
    /// What it is about.
    pub kind: NoticeKind,
}

/// What something said is about.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum NoticeKind {
    /// What was done.
    Said,
    /// Something failed.
    Failed,
    /// A replay is waited for: it is said until that is there.
    Replaying,
}

impl Text {
    /// How often what is sought stands in the text as it is shown, what was cut off included.
    #[must_use]
    pub fn found(&self) -> usize {
        self.detail.as_ref().and_then(|detail| detail.as_ref().ok()).map_or(0, |detail| detail.hits().1)
    }

    /// The text, once it is there.
    pub fn shown(&mut self) -> Option<&mut Detail> {
        self.detail.as_mut().and_then(|detail| detail.as_mut().ok())
    }
}

impl Session {
    /// Asks for a thread's windows. What another thread's counts lack then waits.
    pub fn count(&mut self, thread: ThreadId) -> Effect {
        self.asked = thread;
        Effect::Windows(thread)
    }

    /// Once what is looked at is counted: the next thread above it that waits for its counts.
    pub fn count_on(&mut self) -> Option<Effect> {
        if self.view.as_ref().is_none_or(Inspect::waits) {
            return None;
        }
        let next = self.trail.iter().rev().find(|view| view.waits()).map(|view| view.thread)?;
        (next != self.asked).then(|| self.count(next))
    }

    /// Shows the entry's text as the user last wished, with what is sought marked in it.
    pub fn show_as_wished(&mut self) {
        let display = self.display;
        let sought = self.search.as_ref().map_or_else(String::new, |search| search.text.clone());
        let Some(detail) = self.text.shown() else { return };
        if detail.shows_cut() != display.cut {
            detail.show_cut(display.cut);
        }
        if detail.wraps() != display.wrap {
            detail.set_wrap(display.wrap);
        }
        if detail.search(&sought) > 0 {
            detail.next_hit(true);
        }
    }
}

impl State {
    /// A screen without a session.
    #[must_use]
    pub fn new(theme: Theme, keymap: Keymap) -> State {
        State {
            size: (80, 24),
            themes: vec![theme.clone()],
            theme,
            keymap,
            pressed: Vec::new(),
            phase: Phase::Empty,
            before: None,
            documents: None,
            overlay: None,
            notice: None,
            counting: None,
            doing: None,
            mouse: true,
            pressed_over: false,
            wrap: true,
            pictures: None,
            ascii: false,
            wanted: Place::default(),
            program: "windowpane".to_owned(),
            built_in: None,
            beside: String::new(),
            given: String::new(),
            sessions: None,
        }
    }

    /// The open session.
    #[must_use]
    pub fn session(&self) -> Option<&Session> {
        match &self.phase {
            Phase::Open(session) => Some(session),
            _ => None,
        }
    }

    /// The open session, to change.
    pub fn session_mut(&mut self) -> Option<&mut Session> {
        match &mut self.phase {
            Phase::Open(session) => Some(session),
            _ => None,
        }
    }

    /// The thread that is looked at.
    #[must_use]
    pub fn view(&self) -> Option<&Inspect> {
        self.session()?.view.as_ref()
    }

    /// The thread that is looked at, to change.
    pub fn view_mut(&mut self) -> Option<&mut Inspect> {
        self.session_mut()?.view.as_mut()
    }

    /// The whole screen.
    #[must_use]
    pub fn area(&self) -> Rect {
        Rect::new(0, 0, self.size.0, self.size.1)
    }

    /// Where the parts of the main screen stand.
    #[must_use]
    pub fn layout(&self) -> Layout {
        self.view().map_or_else(Layout::default, |view| layout(self.area(), wish(view)))
    }

    /// Where the timeline's chart stands.
    #[must_use]
    pub fn chart(&self) -> Rect {
        timeline::chart(self.layout().inner(Context::Timeline), self.size.1)
    }

    /// Where keys go.
    #[must_use]
    pub fn context(&self) -> Context {
        self.overlay.as_ref().map_or_else(|| self.beneath(), Overlay::context)
    }

    /// Where keys go when nothing is laid over the screen.
    #[must_use]
    pub fn beneath(&self) -> Context {
        if let (None, Some(documents)) = (&self.sessions, &self.documents) {
            return documents.context();
        }
        match (&self.sessions, self.view()) {
            (Some(_), _) => Context::Picker,
            (None, Some(view)) => self.session().and_then(|session| session.pages.context()).unwrap_or(view.focus),
            (None, None) => Context::Window,
        }
    }

    /// Begins to open a session: the effect does it.
    pub fn open(&mut self, name: &str) -> Effect {
        let opening = Phase::Opening { name: name.to_owned(), done: 0, total: 0 };
        if let Phase::Open(session) = std::mem::replace(&mut self.phase, opening) {
            self.before = Some(session);
        }
        (self.sessions, self.documents, self.overlay, self.counting) = (None, None, None, None);
        self.doing = None;
        Effect::Open(name.to_owned())
    }

    /// Why what was to be opened could not be, where nothing else is open.
    #[must_use]
    pub fn unopened(&self) -> Option<String> {
        match &self.phase {
            Phase::Failed(why) if self.before.is_none() => Some(why.clone()),
            _ => None,
        }
    }

    /// Goes back to the session that was open before, where there was one: `None` where there was none. What was under
    /// way for it was stopped, and is asked for again.
    pub fn back_to_session(&mut self) -> Option<Vec<Effect>> {
        let mut session = self.before.take()?;
        session.text = Text::default();
        session.pages.draft.asked = None;
        session.pages.beside_asked = [None, None];
        let waiting = session.view.as_ref().filter(|view| view.waits()).map(|view| view.thread);
        let effects = match (waiting, &session.view) {
            (Some(thread), _) => vec![session.count(thread)],
            (None, None) => vec![session.count(ThreadId(0))],
            (None, Some(_)) => session.count_on().into_iter().collect(),
        };
        self.phase = Phase::Open(session);
        Some(effects)
    }

    /// Says something to the user.
    pub fn say(&mut self, text: impl Into<String>) {
        self.notice = Some(Notice { text: text.into(), kind: NoticeKind::Said });
    }

    /// Says that something failed.
    pub fn complain(&mut self, text: impl Into<String>) {
        self.notice = Some(Notice { text: text.into(), kind: NoticeKind::Failed });
    }

    /// Says that a replay is waited for.
    pub fn say_replaying(&mut self) {
        self.notice = Some(Notice { text: REPLAYING.to_owned(), kind: NoticeKind::Replaying });
    }
}

/// What a view asks of the layout.
#[must_use]
pub fn wish(view: &Inspect) -> Wish {
    Wish {
        focus: view.focus,
        zoomed: view.zoomed,
        layers: u16::try_from(view.present()).unwrap_or(u16::MAX),
        events: u16::try_from(view.events.len()).unwrap_or(u16::MAX),
    }
}
