//! Where the parts of the tune view stand, and their drawing.

use ratatui::buffer::Buffer;
use ratatui::layout::Rect;

use crate::config::{Context, Role, Theme};
use crate::policy::{Follows, origin};
use crate::present::{allowed, count, shown_of};
use crate::tui::inspect::Inspect;
use crate::tui::layout::{Room, below, bottom, room, top};
use crate::tui::line::{Line, stacked};
use crate::tui::main_screen::{Title, layers, timeline, timeline_title, title_line, upright};
use crate::tui::policy_draft::PolicyDraft;

use super::figures::Against;
use super::row::{self, Columns};
use super::{Row, Tune, draw_figures};

/// The parts of the view. What does not show has no area.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[allow(missing_docs)]
pub struct Parts {
    pub header: Rect,
    /// With its title.
    pub timeline: Rect,
    pub figures: Rect,
    /// With its title; where there is no room beside the settings, a row of its own without one.
    pub layers: Rect,
    /// With its title.
    pub settings: Rect,
    /// Its rows.
    pub list: Rect,
    pub about: Rect,
    pub footer: Rect,
}

/// Lays the view out.
#[must_use]
pub fn parts(area: Rect) -> Parts {
    let mut parts = Parts::default();
    if room(area.width, area.height) == Room::None {
        return parts;
    }
    let mut rest = area;
    let mut take = |height: u16| top(&mut rest, height);
    parts.header = take(if area.height >= 14 { 2 } else { 1 });
    parts.timeline = take(match area.height {
        ..12 => 0,
        12..20 => 4,
        20..26 => 6,
        26..34 => 8,
        34..50 => 10,
        _ => 14,
    });
    parts.figures = take(match area.height {
        ..9 => 0,
        9..22 => 2,
        _ => 3,
    });
    let beside = area.width >= 110;
    if !beside && area.height >= 20 {
        parts.layers = take(1);
    }
    let mut foot = |height: u16| bottom(&mut rest, height);
    parts.footer = foot(1);
    parts.about = foot(match area.height {
        ..14 => 0,
        14..22 => 2,
        22..34 => 4,
        _ => 5,
    });
    if beside {
        let wide = 38.min(rest.width / 3);
        parts.layers = Rect { width: wide, ..rest };
        rest = Rect { x: rest.x + wide + 1, width: rest.width - wide - 1, ..rest };
    }
    parts.settings = rest;
    parts.list = below(rest);
    parts
}

/// What the view shows.
pub struct Tuned<'a> {
    /// The list of settings.
    pub tune: &'a Tune,
    /// The policy that is tried.
    pub draft: &'a PolicyDraft,
    /// The simulated track, once there is one.
    pub view: Option<&'a Inspect>,
    /// What its figures are seen against.
    pub against: Against<'a>,
    /// The window that shares of it refer to, in tokens.
    pub window: u64,
}

/// Draws all but header and footer.
pub fn draw(buffer: &mut Buffer, theme: &Theme, area: Rect, tuned: Tuned<'_>) {
    let Tuned { tune, draft, view, against, window } = tuned;
    let parts = parts(area);
    match view {
        Some(view) => {
            if parts.timeline.height > 1 {
                title_line(buffer, theme, parts.timeline, false, &timeline_title(parts.timeline, area.height, view));
                timeline::draw(buffer, theme, below(parts.timeline), area.height, view);
            }
            if parts.layers.height > 1 {
                title_line(buffer, theme, parts.layers, false, &layers::title(view));
                layers::draw(buffer, theme, below(parts.layers), view, false);
            } else if parts.layers.height == 1 {
                layers::strip(buffer, theme, parts.layers, view);
            }
        }
        None => {
            let mut line = Line::new(buffer, theme, parts.timeline, parts.timeline.height / 2);
            line.skip(2);
            match &draft.failed {
                Some(why) => line.put(why, Role::Error),
                None => line.put("Reading the session, so that it can be replayed …", Role::Dim),
            }
        }
    }
    if parts.layers.height > 1 {
        upright(buffer, theme, parts.layers.right(), parts.layers);
    }
    if let Some(view) = view {
        draw_figures(buffer, theme, parts.figures, &view.consequences, against);
    }
    settings(buffer, theme, &parts, tune, draft, window);
    about(buffer, theme, parts.about, tune, draft);
}

fn settings(buffer: &mut Buffer, theme: &Theme, parts: &Parts, tune: &Tune, draft: &PolicyDraft, window: u64) {
    let mut title = Title { name: "Policy", ..Title::default() };
    title.facts.push((draft.name.clone(), Role::Text));
    match draft.changes() {
        0 => {}
        1 => title.facts.push(("1 change".to_owned(), Role::Accent)),
        many => title.facts.push((format!("{} changes", count(many as u64)), Role::Accent)),
    }
    let (undone, redone) = draft.depth();
    if undone + redone > 0 {
        title.signs.push((format!("↶ {undone} ↷ {redone}"), Role::Dim));
    }
    if tune.changed {
        title.signs.push(("only changes".to_owned(), Role::Accent));
    }
    if !tune.filter.is_empty() {
        title.signs.push((format!("/{}", tune.filter), Role::Hit));
    }
    title_line(buffer, theme, parts.settings, true, &title);
    let columns = Columns::of(parts.list.width);
    for (y, (at, row)) in (0..parts.list.height).zip(tune.rows.iter().enumerate().skip(tune.scroll.top)) {
        let chosen = at == tune.scroll.cursor;
        let mut line = Line::new(buffer, theme, parts.list, y);
        if chosen {
            line.under(Role::Selection);
        }
        match row {
            Row::Section(name, about) => {
                line.skip(1);
                line.put(name, Role::Title);
                line.put("  ", Role::Dim);
                line.put(about, Role::Dim);
            }
            Row::Setting(setting) => row::draw(&mut line, draft, setting, window, &columns, chosen),
        }
    }
    if tune.rows.is_empty() {
        let mut line = Line::new(buffer, theme, parts.list, 0);
        line.skip(2);
        let text = match (tune.filter.is_empty(), tune.changed) {
            (true, _) => "Nothing differs from the preset; Esc shows all settings.",
            (false, false) => "No setting holds these words; Esc shows all, / seeks others.",
            (false, true) => "No setting that differs holds these words; Esc shows all, / seeks others.",
        };
        line.put(text, Role::Dim);
    }
}

/// The setting under the cursor: what it does, what it may be, where its rule and its figure are from.
fn about(buffer: &mut Buffer, theme: &Theme, area: Rect, tune: &Tune, draft: &PolicyDraft) {
    if area.height == 0 {
        return;
    }
    title_line(
        buffer,
        theme,
        area,
        false,
        &Title { name: tune.current().map_or("", |setting| setting.key), ..Title::default() },
    );
    let Some(setting) = tune.current() else { return };
    let inner = below(area);
    let inner = Rect { x: inner.x + 1, width: inner.width.saturating_sub(2), ..inner };
    let mut texts = vec![(setting.meaning.trim().to_owned(), Role::Text)];
    let follows = match setting.follows {
        Follows::Instant => "",
        Follows::Recount => " · text is cut or counted anew",
        Follows::Reembed => " · vectors are made anew",
    };
    let preset = match draft.differs(setting) {
        true => format!("{} has {} · ", draft.name, shown_of(setting, &(setting.get)(&draft.base))),
        false => String::new(),
    };
    let allowed = format!("{preset}default {} · {}{follows}", shown_of(setting, &setting.default()), allowed(setting));
    if let Some(by) = setting.overruled_by(&draft.policy) {
        texts.push((format!("without effect: {by} decides"), Role::Warning));
    }
    texts.push((allowed, Role::Dim));
    let mut source = format!("rule: {}", setting.source);
    if let Some(own) = draft.origins.get(setting.key) {
        source.push_str(&format!(" · {}'s figure: {}, {}", draft.name, own.evidence.name(), own.from));
    } else if let Some(of_default) = origin(setting, &draft.base, &draft.origins) {
        source.push_str(&format!(" · {} leaves the default: {}", draft.name, of_default.evidence.name()));
    }
    texts.push((source, Role::Dim));
    // The help has all of it.
    for (y, (text, role)) in (0..).zip(stacked(&texts, usize::from(inner.width), inner.height)) {
        Line::new(buffer, theme, inner, y).put(&text, role);
    }
}

/// Where the timeline's chart stands.
#[must_use]
pub fn chart(area: Rect) -> Rect {
    timeline::chart(below(parts(area).timeline), area.height)
}

/// Rows of a pane of the view.
#[must_use]
pub fn height_of(area: Rect, pane: Context) -> usize {
    let parts = parts(area);
    match pane {
        Context::Layers => usize::from(below(parts.layers).height),
        _ => usize::from(parts.list.height),
    }
}
