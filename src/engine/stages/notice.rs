//! Notice: how much of the window is used and left, and the files with what was read of each (source 3). Written
//! last, one per request, counting itself.

use std::borrow::Cow;

use smallvec::smallvec;

use crate::engine::plan::{NONE, index};
use crate::engine::simulate::{Content, Label, Named, Sim};
use crate::model::{EntryId, EntryIds, Layer, Listed, Made, Role, Stage, Use, Written};
use crate::policy::NoticeKeep;

/// The notice that stands in the window.
pub(in crate::engine) struct NoticeState {
    pub last: u32,
}

impl Default for NoticeState {
    fn default() -> Self {
        NoticeState { last: NONE }
    }
}

/// Notes the files that came in at this step: those that are given beside the history, and those in it, which were sent
/// whole.
fn attach(sim: &mut Sim) {
    let (given, step) = (sim.given, sim.step);
    let from = given.files.partition_point(|file| file.born < step);
    let come = given.files.iter().skip(from).take_while(|file| file.born == step);
    let mut found: Vec<Listed> = come.cloned().collect();
    for number in &sim.new {
        let Some(item) = sim.item(*number).filter(|item| item.layer == Layer::Files && item.chars > 0) else {
            continue;
        };
        // The base tools name it so, too.
        let id: std::sync::Arc<str> = format!("f_{number}").into();
        if sim.went_back && sim.attached.iter().any(|known| known.id == id) {
            continue;
        }
        found.push(Listed {
            id,
            name: item.label.clone(),
            size: item.tokens,
            unit: "tokens",
            born: step,
            uses: vec![Use::Whole],
        });
    }
    sim.attached.extend(found);
}

pub(super) fn run(sim: &mut Sim) {
    let settings = &sim.policy.notice;
    if !settings.on {
        return;
    }
    let (id, before, mut took) = (sim.next_event(), sim.used(), EntryIds::new());
    let last = sim.notice.last;
    if settings.keep == NoticeKeep::Last && sim.pieces.get(last as usize).is_some() {
        let stands = sim.standing_at(last);
        if stands {
            sim.hide(last, Some(id));
            took.push(EntryId(last));
        }
    }
    let (mut files, mut attached) = (0, 0);
    if settings.files {
        attach(sim);
        (files, attached) = (index(sim.files.len()), index(sim.attached.len()));
    }
    let most = u32::try_from(settings.max_files).unwrap_or(u32::MAX);
    // The newest of both: what the policy made came after what was attached.
    let files_listed = files.min(most);
    let attached_listed = attached.min(most - files_listed);
    let read: u32 = sim.attached.iter().rev().take(attached_listed as usize).map(|file| index(file.uses.len())).sum();
    let shown: usize = sim.files.iter().rev().take(files_listed as usize).map(|file| file.ranges().count()).sum();
    let uses = read + index(shown);
    let budget = |consumed, available| Written::Budget {
        consumed,
        available,
        files,
        files_listed,
        attached,
        attached_listed,
        uses,
    };
    let tokens = budget(0, 0).tokens();
    let consumed = sim.used() + tokens;
    let available = sim.size.saturating_sub(consumed);
    let mut piece = sim.make(Layer::Notices, Role::System, Label::Fixed(Named::Usage));
    piece.content = Content::Made(Made::Written(budget(consumed, available)).into());
    (piece.tokens, piece.original, piece.made_by) = (tokens, tokens, Some(id));
    let number = sim.append(piece, NONE);
    sim.notice.last = number;
    let mut event = sim.event(Stage::Notice, "notice.on");
    event.measured = Some(consumed);
    (event.tokens_before, event.tokens_after) = (Some(before), Some(sim.used()));
    (event.took, event.made) = (took, smallvec![EntryId(number)]);
    event.why = Cow::Borrowed("The model is told that {measured tokens are} used.");
    sim.events.push(event);
    sim.changed = true;
}
