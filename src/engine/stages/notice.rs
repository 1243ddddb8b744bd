//! Notice: how much of the window is used and left, and the virtual files with what was read of each (source 3). Written
//! last, one per request, counting itself.

use std::borrow::Cow;

use crate::engine::plan::{NONE, index};
use crate::engine::simulate::{Content, Label, Sim};
use crate::model::{EntryId, Layer, Made, Role, Stage, Written};
use crate::policy::NoticeKeep;

/// The notice that stands in the window.
pub(in crate::engine) struct NoticeState {
    last: u32,
}

impl Default for NoticeState {
    fn default() -> Self {
        NoticeState { last: NONE }
    }
}

pub(super) fn run(sim: &mut Sim) {
    let settings = &sim.policy.notice;
    if !settings.on {
        return;
    }
    let (id, before, mut took) = (sim.next_event(), sim.used(), Vec::new());
    let last = sim.notice.last;
    if settings.keep == NoticeKeep::Last && sim.pieces.get(last as usize).is_some() {
        let stands = sim.standing_at(last);
        if stands {
            sim.hide(last, Some(id));
            took.push(EntryId(last));
        }
    }
    let files = if settings.files { index(sim.files.len()) } else { 0 };
    let listed = files.min(u32::try_from(settings.max_files).unwrap_or(u32::MAX));
    let tokens = Written::Budget { consumed: 0, available: 0, files, listed }.tokens();
    let consumed = sim.used() + tokens;
    let available = sim.size.saturating_sub(consumed);
    let mut piece = sim.make(Layer::Notices, Role::System, Label::Fixed("window usage"));
    piece.content = Content::Made(vec![Made::Written(Written::Budget { consumed, available, files, listed })]);
    (piece.tokens, piece.original, piece.made_by) = (tokens, tokens, Some(id));
    let number = sim.append(piece, NONE);
    sim.notice.last = number;
    let mut event = sim.event(Stage::Notice, "notice.on");
    event.measured = Some(consumed);
    (event.tokens_before, event.tokens_after) = (Some(before), Some(sim.used()));
    (event.took, event.made) = (took, vec![EntryId(number)]);
    event.why = Cow::Borrowed("The model is told that {measured} tokens are used.");
    sim.events.push(event);
    sim.changed = true;
}
