//! What leaves the program: copies, exported prompts, saved policies.

use std::io;
use std::path::PathBuf;
use std::sync::Arc;

use directories::BaseDirs;

use crate::content::Watch;
use crate::export::{Form, pack};
use crate::io::write_whole;
use crate::model::EntryId;
use crate::present::bytes;
use crate::tui::clipboard;
use crate::tui::detail::read;
use crate::tui::message::Message;
use crate::tui::numbered::Numbered;
use crate::tui::runner::News;

use super::shared::Shared;

/// A text to be copied by the terminal, and what is said of it.
pub struct Clip {
    /// The text.
    pub text: String,
    /// What is said.
    pub outcome: Result<String, String>,
}

/// What leaves the program.
pub(super) enum Writing {
    CopyEntry(Numbered, EntryId),
    CopyText(String),
    Export(Numbered, u32, Form, String),
    Save { path: String, text: String, force: bool, said: String },
}

enum Written {
    Clip(Clip),
    File(String),
    Exists(String),
}

/// Copies, exports or saves, and tells what came of it.
pub(super) fn write(shared: &Shared, what: Writing, _: &Arc<Watch>) {
    shared.send(match written(shared, what) {
        Ok(Written::Clip(clip)) => News::Clip(clip),
        Ok(Written::File(said)) => News::Message(Message::Done(Ok(said))),
        Ok(Written::Exists(path)) => News::Message(Message::Exists(path)),
        Err(why) => News::Message(Message::Done(Err(why))),
    });
}

fn written(shared: &Shared, what: Writing) -> Result<Written, String> {
    let session = || shared.session().ok_or_else(|| "the session is not open yet".to_owned());
    let text = match what {
        Writing::CopyText(text) => text,
        Writing::CopyEntry(from, id) => {
            let session = session()?;
            read(&from.run, &session.transcript, &session.sources, id).map_err(|why| why.to_string())?.kept_text()
        }
        Writing::Save { path, text, force, said } => {
            return match write_whole(&at_home(&path), text.as_bytes(), force) {
                Ok(()) => Ok(Written::File(format!("saved {path}{said}"))),
                Err(why) if why.kind() == io::ErrorKind::AlreadyExists => Ok(Written::Exists(path)),
                Err(why) => Err(format!("{path}: {why}")),
            };
        }
        Writing::Export(from, step, form, path) => {
            let session = session()?;
            let packed = pack(&session.transcript, &session.sources, &from.run, step, None, form);
            let packed = packed.map_err(|why| why.to_string())?;
            let target = at_home(&path);
            write_whole(&target, packed.text.as_bytes(), false).map_err(|why| format!("{path}: {why}"))?;
            let notes = match packed.notes.as_slice() {
                [] => String::new(),
                [one] => format!("; {}", one.note),
                [one, more @ ..] => format!("; {} ({} more: windowpane pack tells them)", one.note, more.len()),
            };
            return Ok(Written::File(format!("wrote {path}, {}{notes}", bytes(packed.text.len() as u64))));
        }
    };
    let outcome = clipboard::outcome(&text, clipboard::native(&text));
    Ok(Written::Clip(Clip { text, outcome }))
}

/// A path as a shell would read its beginning.
fn at_home(path: &str) -> PathBuf {
    let home = path.strip_prefix("~/").and_then(|rest| Some(BaseDirs::new()?.home_dir().join(rest)));
    home.unwrap_or_else(|| PathBuf::from(path))
}
