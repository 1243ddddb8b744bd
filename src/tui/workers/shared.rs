//! What the threads share, and how one of them is started.

use std::io;
use std::sync::mpsc::Sender;
use std::sync::{Arc, Mutex, PoisonError};

use crate::content::Watch;
use crate::tui::job::Job;
use crate::tui::message::Message;
use crate::tui::runner::News;
use crate::tui::services::Opened;
use crate::tui::under_way::UnderWay;

/// The open session, what the threads work at, and whom they tell.
pub(super) struct Shared {
    session: Mutex<Option<Arc<Opened>>>,
    pub under_way: UnderWay,
    sender: Sender<News>,
}

impl Shared {
    /// Without a session.
    pub fn new(sender: Sender<News>) -> Shared {
        Shared { session: Mutex::default(), under_way: UnderWay::new(sender.clone()), sender }
    }

    /// The open session.
    pub fn session(&self) -> Option<Arc<Opened>> {
        self.session.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// Takes the session that was opened, in the place of the one before.
    pub fn set_session(&self, opened: Opened) {
        *self.session.lock().unwrap_or_else(PoisonError::into_inner) = Some(Arc::new(opened));
    }

    /// Tells the screen something.
    pub fn tell(&self, message: Message) {
        self.send(News::Message(message));
    }

    /// Tells the loop something.
    pub fn send(&self, news: News) {
        // Nobody listens any more only when the program ends.
        let _ = self.sender.send(news);
    }

    /// Starts a thread that does one kind of work. Where that panics, the screen says so and the thread goes on.
    pub fn start<R: Send + 'static>(
        self: &Arc<Self>,
        name: &str,
        work: impl Fn(&Shared, R, &Arc<Watch>) + Send + 'static,
    ) -> io::Result<Job<R>> {
        let (shared, told) = (Arc::clone(self), Arc::clone(self));
        let fault = move || {
            told.tell(Message::Done(Err("a fault inside windowpane: this could not be worked out".to_owned())));
        };
        Job::start(name, move |request, watch| work(&shared, request, watch), fault)
    }

    /// Starts a thread whose work is about the open session; as long as none is open it does nothing.
    pub fn with_session<R: Send + 'static>(
        self: &Arc<Self>,
        name: &str,
        work: impl Fn(&Shared, &Arc<Opened>, R, &Arc<Watch>) + Send + 'static,
    ) -> io::Result<Job<R>> {
        self.start(name, move |shared, request, watch| {
            if let Some(session) = shared.session() {
                work(shared, &session, request, watch);
            }
        })
    }
}
