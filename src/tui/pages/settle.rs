//! Brings the pages up to date, and asks for what they lack.

use std::sync::Arc;

use ratatui::layout::Rect;

use crate::config::Context;
use crate::model::EntryId;
use crate::present::{DiffRow, PairCell};
use crate::tui::compare::{Shown, Side};
use crate::tui::inspect::Inspect;
use crate::tui::message::Effect;
use crate::tui::replayer::{For, Wish};
use crate::tui::state::{Session, State};
use crate::tui::{compaction, compare, memory, sweep, tune};

use super::Page;

/// Settles the page that is shown; asks for replays that any of them needs.
pub fn settle(state: &mut State) -> Vec<Effect> {
    let (area, pictures) = (state.area(), state.pictures.clone());
    let Some(session) = state.session_mut() else { return Vec::new() };
    let Some(view) = &session.view else { return Vec::new() };
    let thread = view.thread;
    session.only_thread(thread);
    let mut effects = replays(session);
    match session.pages.page {
        Page::Main => {}
        Page::Compaction => compaction_page(session, area, pictures.as_ref(), &mut effects),
        Page::Tune => tune_page(session, area),
        Page::Compare => compare_page(session, area, &mut effects),
        Page::Sweep => sweep_page(session, area, &mut effects),
        Page::Memory => memory_page(session, area, &mut effects),
    }
    effects
}

/// Asks for the replays that are shown and not there.
fn replays(session: &mut Session) -> Vec<Effect> {
    let mut effects = Vec::new();
    let Some(view) = &session.view else { return effects };
    let (thread, shown) = (view.thread, view.is_simulated());
    let recorded = session.recorded().map(|view| Arc::clone(view.index.run()));
    let pages = &mut session.pages;
    let compares = pages.page == Page::Compare;
    let needed = pages.page == Page::Tune || compares || pages.wanted || shown;
    if needed && pages.draft.asked != Some((thread, pages.draft.version)) {
        (pages.draft.asked, pages.draft.failed) = (Some((thread, pages.draft.version)), None);
        let wish = Wish { thread, version: pages.draft.version, policy: Box::new(pages.draft.policy.clone()) };
        effects.push(Effect::Replay(For::Tried, wish));
    }
    if compares {
        pages.compare.follow(recorded.as_deref(), &pages.draft);
    }
    let version = pages.compare.version;
    for side in [0, 1] {
        if compares
            && pages.beside_asked[side] != Some((thread, version))
            && let Some(policy) = pages.compare.beside(side, &pages.draft)
        {
            pages.beside_asked[side] = Some((thread, version));
            effects.push(Effect::Replay(For::Side(side), Wish { thread, version, policy: Box::new(policy) }));
        }
    }
    effects
}

fn compaction_page(
    session: &mut Session,
    area: Rect,
    pictures: Option<&ratatui_image::picker::Picker>,
    effects: &mut Vec<Effect>,
) {
    let Some(view) = &mut session.view else { return };
    let page = &mut session.pages.compaction;
    let simulated = view.is_simulated();
    page.follow_policy(simulated.then_some(&session.pages.draft));
    // What stands above the windows depends on how many stages there are.
    page.settle(view);
    let parts = compaction::parts(area, page);
    let height = usize::from(parts.before.height.max(parts.after.height));
    page.scroll(view, height);
    if let Some(id) = page.wants(view) {
        effects.push(Effect::Summary(view.numbered(), id));
    }
    let rows = page.pairs.rows.iter().skip(page.row.top).take(height);
    let cells = rows.flat_map(|pair| [pair.left, pair.right]).flatten();
    let entries = cells.filter_map(|cell| match cell {
        PairCell::Entry(id, _) => Some(id),
        PairCell::Line(..) | PairCell::Same(..) | PairCell::Elsewhere(_) => None,
    });
    words(view, entries.chain(page.taken.named()), effects);
    let inner = parts.windows;
    if let Some(reading) = &mut page.reading {
        match &mut reading.detail {
            None => effects.push(Effect::Read(view.numbered(), reading.entry, reading.sought.is_some())),
            Some(Ok(detail)) => {
                detail.fit(inner.width.saturating_sub(2), inner.height.saturating_sub(2));
                effects.extend(detail.wants(pictures).map(Effect::Make));
            }
            Some(Err(_)) => {}
        }
    }
}

fn tune_page(session: &mut Session, area: Rect) {
    let height = tune::height_of(area, Context::Window);
    session.pages.tune.settle(&session.pages.draft, height);
    let (columns, transcript) = (tune::chart(area).width, Arc::clone(&session.transcript));
    if let Some(view) = session.simulated_mut() {
        view.settle(&transcript, columns, |pane| tune::height_of(area, pane));
    }
}

fn sweep_page(session: &mut Session, area: Rect, effects: &mut Vec<Effect>) {
    let (window, Some(thread)) = (super::act::window(session), session.view.as_ref().map(|view| view.thread)) else {
        return;
    };
    let pages = &mut session.pages;
    let parts = sweep::parts(area, pages.sweep.pane);
    // The first row of the runs names the columns.
    let heights = [parts.list.height, parts.runs.height.saturating_sub(1), parts.facts.height].map(usize::from);
    effects
        .extend(pages.sweep.settle(&pages.draft, thread, window, heights).map(|asked| Effect::Sweep(Box::new(asked))));
}

fn compare_page(session: &mut Session, area: Rect, effects: &mut Vec<Effect>) {
    let parts = compare::parts(area);
    let recorded = session.recorded().map(|view| Shown { number: 0, index: Arc::clone(&view.index) });
    let pages = &mut session.pages;
    for at in [0, 1] {
        let shown = match &pages.compare.sides[at] {
            Side::Recorded => recorded.as_ref(),
            Side::Tried if pages.compare.beside(at, &pages.draft).is_none() => pages.simulated.as_ref(),
            Side::Tried | Side::Preset(_) => {
                let now = pages.compare.version;
                pages.beside[at].as_ref().filter(|(version, _)| *version == now).map(|(_, shown)| shown)
            }
        };
        let shown = shown.cloned();
        pages.compare.take(at, shown.as_ref());
    }
    let height = usize::from(parts.left.height);
    pages.compare.settle(&session.transcript, compare::chart(area), height);
    let compare = &mut pages.compare;
    if let [Some(one), Some(other)] = &compare.views {
        let runs = [one.index.run(), other.index.run()];
        let asked = compare.facts.wants(runs, pages.sweep.followed());
        effects.extend(asked.map(|asked| Effect::Keeps(Box::new(asked))));
    }
    for (at, view) in compare.views.iter().enumerate() {
        let Some(view) = view else { continue };
        let entries = compare.diff.rows.iter().skip(compare.row.top).take(height).filter_map(|row| match row {
            DiffRow::Entry(one, other, _) => {
                if at == 0 {
                    *one
                } else {
                    *other
                }
            }
            DiffRow::Alike(..) => None,
        });
        words(view, entries, effects);
    }
}

fn memory_page(session: &mut Session, area: Rect, effects: &mut Vec<Effect>) {
    let Some(view) = &session.view else { return };
    let pages = &mut session.pages;
    let policy = (view.is_simulated()).then_some(&pages.draft.policy);
    let parts = memory::parts(area, pages.memory.tab);
    effects.extend(pages.memory.settle(view, policy, &parts));
}

/// Asks for the first words of entries that are not there.
fn words(view: &Inspect, entries: impl Iterator<Item = EntryId>, effects: &mut Vec<Effect>) {
    let mut missing: Vec<EntryId> = entries.filter(|id| !view.previews.contains_key(id)).collect();
    missing.sort_unstable();
    missing.dedup();
    if !missing.is_empty() {
        effects.push(Effect::Words(view.numbered(), missing));
    }
}
