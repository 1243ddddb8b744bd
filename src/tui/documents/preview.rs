//! The picture of a document on its way to the screen.

use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};

use ratatui::layout::Rect;
use ratatui_image::picker::Picker;
use ratatui_image::sliced::SlicedProtocol;

use crate::tui::detail::{Job, Media, Owner, PictureJob};
use crate::tui::message::Effect;

use super::{Documents, medium};

/// How many times its own size a small picture is shown at most.
const GROW: u16 = 4;

/// What was asked for last, and what came of it.
#[derive(Default)]
pub struct Preview {
    /// Tells what was asked for from what was before.
    number: u32,
    /// The picture, and the columns and rows for it.
    asked: Option<(Arc<Media>, (u16, u16))>,
    /// It, or why it cannot be shown.
    pub shown: Option<Result<SlicedProtocol, String>>,
}

impl Documents {
    /// Asks for the picture that is looked at, where the terminal can show it and has not yet.
    pub fn preview(&mut self, area: Rect, picker: Option<&Picker>) -> Option<Effect> {
        let medium = self.medium()?;
        let (media, place) = (medium.picture.clone()?, medium::parts(medium, area).picture);
        let room = (place.width, place.height);
        let known = |(old, size): &(Arc<Media>, _)| Arc::ptr_eq(old, &media) && *size == room;
        if place.is_empty() || self.preview.asked.as_ref().is_some_and(known) {
            return None;
        }
        let picker = picker?.clone();
        static NEXT: AtomicU32 = AtomicU32::new(1);
        let number = NEXT.fetch_add(1, Ordering::Relaxed);
        self.preview = Preview { number, asked: Some((media.clone(), room)), shown: None };
        let key = (Owner::Document, number);
        Some(Effect::Make(Job::Picture(PictureJob { key, media, picker, room, grow: GROW })))
    }

    /// Takes the picture that was asked for with a number.
    pub fn pictured(&mut self, number: u32, made: Result<SlicedProtocol, String>) {
        if number == self.preview.number {
            self.preview.shown = Some(made);
        }
    }
}
