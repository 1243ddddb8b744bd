//! The sessions of this machine, found beside the screen: the list at once, what is in each as it is found out.

use std::sync::mpsc::Sender;
use std::sync::{Arc, Mutex, PoisonError};
use std::thread;
use std::time::{SystemTime, UNIX_EPOCH};

use crate::io::{Gists, OpenFileError, SessionFile, find_sessions, own_roots};
use crate::transcript::{FORMATS, Gist};

use super::message::Message;
use super::picker::Item;
use super::runner::News;

/// Finds sessions.
pub struct Sessions {
    sender: Sender<News>,
    /// What finds out what is in them, while that is under way.
    gists: Arc<Mutex<Option<Gists>>>,
}

impl Sessions {
    /// Finds nothing yet.
    #[must_use]
    pub fn new(sender: Sender<News>) -> Sessions {
        Sessions { sender, gists: Arc::default() }
    }

    /// Begins to list the sessions, and to find out what is in them.
    pub fn list(&self) {
        let (sender, gists) = (self.sender.clone(), Arc::clone(&self.gists));
        let find = move || {
            let files = Arc::new(find_sessions(FORMATS, &own_roots()));
            let since = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
            let now = i64::try_from(since.as_millis()).unwrap_or(i64::MAX);
            let items = files.iter().map(item).collect();
            if sender.send(News::Message(Message::Sessions(items, now))).is_err() {
                return;
            }
            let told = move |at, found: Result<Gist, OpenFileError>| {
                let found = found.map_err(|why| why.to_string());
                let _ = sender.send(News::Message(Message::Learned(at, found)));
            };
            let begun = Gists::begin(files, told);
            *gists.lock().unwrap_or_else(PoisonError::into_inner) = Some(begun);
        };
        if let Err(why) = thread::Builder::new().name("sessions".to_owned()).spawn(find) {
            let _ = self.sender.send(News::Message(Message::Done(Err(why.to_string()))));
        }
    }

    /// Finds out next what is in these.
    pub fn prefer(&self, first: &[usize]) {
        if let Some(gists) = &*self.gists.lock().unwrap_or_else(PoisonError::into_inner) {
            gists.prefer(first);
        }
    }

    /// Ends the finding out.
    pub fn stop(&self) {
        *self.gists.lock().unwrap_or_else(PoisonError::into_inner) = None;
    }
}

fn item(file: &SessionFile) -> Item {
    Item {
        path: file.path.to_string_lossy().into_owned(),
        agent: file.format,
        bytes: file.bytes,
        modified: file.modified,
        found: None,
    }
}
