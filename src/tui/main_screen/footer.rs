//! The last line: what the keys do here, or what was last said.

use ratatui::buffer::Buffer;
use ratatui::layout::Rect;

use crate::config::{Action, Context, Keymap, Role, Theme, sequence_label};
use crate::model::ThreadId;
use crate::present::{counted, safe, width};
use crate::tui::line::{Line, wrapped};
use crate::tui::memory::Tab;
use crate::tui::state::{Notice, NoticeKind, State};
use crate::tui::subagent::leads_to;
use crate::tui::sweep::Pane;
use crate::tui::threads::conversation;

/// Actions that are hinted at, by place; two of a pair share a hint.
fn hints(context: Context) -> &'static [&'static [Action]] {
    const STEPS: &[Action] = &[Action::PreviousStep, Action::NextStep];
    const EVENTS: &[Action] = &[Action::PreviousEvent, Action::NextEvent];
    const COMPACTIONS: &[Action] = &[Action::PreviousCompaction, Action::NextCompaction];
    match context {
        Context::Timeline => &[
            STEPS,
            COMPACTIONS,
            &[Action::ZoomIn, Action::ZoomOut],
            &[Action::GoToStep],
            &[Action::NextPane],
            &[Action::Help],
        ],
        Context::Layers => &[STEPS, &[Action::Open], EVENTS, &[Action::NextPane], &[Action::Search], &[Action::Help]],
        Context::Entry => {
            &[STEPS, &[Action::GoToBirth], &[Action::CopyText], &[Action::Search], &[Action::Back], &[Action::Help]]
        }
        Context::Events => &[STEPS, EVENTS, &[Action::Open], &[Action::NextPane], &[Action::Search], &[Action::Help]],
        Context::Compaction => &[
            STEPS,
            EVENTS,
            COMPACTIONS,
            &[Action::RunBack, Action::RunOn],
            &[Action::NextPane],
            &[Action::Open],
            &[Action::SwitchTrack],
            &[Action::TuneView],
            &[Action::Help],
        ],
        Context::Tune => &[
            &[Action::Less, Action::More],
            &[Action::Search],
            &[Action::Open],
            &[Action::Preset],
            &[Action::Undo],
            &[Action::ResetSetting],
            &[Action::SavePolicy],
            &[Action::StepBack, Action::StepOn],
            &[Action::CompareView],
            &[Action::Help],
        ],
        Context::Compare => &[
            STEPS,
            COMPACTIONS,
            &[Action::RunBack, Action::RunOn],
            &[Action::NextPane],
            &[Action::Preset],
            &[Action::CompareFacts],
            &[Action::Fold],
            &[Action::TuneView],
            &[Action::Help],
        ],
        Context::Sweep => &[
            &[Action::NextPane],
            &[Action::PreviousRun, Action::NextRun],
            &[Action::Open],
            &[Action::NextAxis],
            &[Action::FewerValues, Action::MoreValues],
            &[Action::Search],
            &[Action::AddFact],
            &[Action::SaveRuns],
            &[Action::Preset],
            &[Action::Help],
        ],
        Context::Memory => &[
            STEPS,
            &[Action::NextPane],
            &[Action::Open],
            &[Action::WalkGraph],
            &[Action::Search],
            &[Action::Sort],
            EVENTS,
            &[Action::TuneView],
            &[Action::Help],
        ],
        Context::Graph => &[
            &[Action::WalkBack, Action::WalkOn],
            &[Action::OpenSource],
            &[Action::RunBack, Action::RunOn],
            &[Action::Search],
            &[Action::NextPane],
            &[Action::StepBack, Action::StepOn],
            &[Action::Help],
        ],
        _ => &[
            STEPS,
            EVENTS,
            &[Action::FollowFact],
            &[Action::Search],
            &[Action::Difference],
            &[Action::LargestEntry],
            &[Action::Help],
        ],
    }
}

/// The views beside the main screen, for where a line has room for them.
const VIEWS: &[&[Action]] = &[
    &[Action::CompactionView],
    &[Action::TuneView],
    &[Action::CompareView],
    &[Action::SweepView],
    &[Action::MemoryView],
    &[Action::Documents],
    &[Action::Findings],
    &[Action::FollowFact],
];

/// Whether a key does nothing where one is now, though it does elsewhere in the same place.
fn is_idle(state: &State, context: Context, action: Action) -> bool {
    let is_of_memory = matches!(context, Context::Memory | Context::Graph);
    let Some(page) = state.session().map(|session| &session.pages.memory).filter(|_| is_of_memory) else {
        return false;
    };
    // Without memories there is nothing to walk through or to sort; what a summary keeps can be opened all the same.
    let is_empty = page.memories().is_none() && !page.tab.is_of_summary();
    match action {
        Action::Sort => is_empty || !matches!(page.tab, Tab::Memories | Tab::Events),
        Action::WalkGraph => page.memories().is_none(),
        Action::Search => is_empty,
        _ => false,
    }
}

/// The word for what an action does where one is now.
fn word(state: &State, context: Context, action: Action) -> &'static str {
    let page = state.session().map(|session| &session.pages.memory);
    match (context, action, page) {
        (Context::Memory, Action::Sort, Some(page)) if page.tab == Tab::Events => match page.rare {
            true => "show all",
            false => "show less",
        },
        (Context::Sweep, Action::Open, _) => match state.session().map(|session| &session.pages.sweep) {
            Some(sweep) if sweep.pane == Pane::Settings => match sweep.list.current() {
                Some(setting) if sweep.values_of(setting.key).is_some() => "type its values",
                _ => "move it",
            },
            _ => action.info().short,
        },
        _ => action.info().short,
    }
}

/// The same, after what matters only now: places found, a subagent to open or to leave.
fn hints_now(state: &State, context: Context) -> Vec<&'static [Action]> {
    const HITS: &[Action] = &[Action::PreviousHit, Action::NextHit];
    let session = state.session();
    // Where nothing else leads to the others, they are easily overlooked.
    let several = session.zip(state.view()).is_some_and(|(session, view)| conversation(session, view).is_some());
    let now = [
        (session.is_some_and(|session| session.search.is_some()), HITS),
        (session.is_some_and(|session| !session.trail.is_empty()), &[Action::LeaveSubagent] as &[Action]),
        (leads_to(state).is_some(), &[Action::OpenSubagent]),
        (several, &[Action::Threads]),
    ];
    let now = now.into_iter().filter_map(|(matters, actions)| matters.then_some(actions));
    let own = hints(context);
    // The last leads to all others, and stays.
    let (last, own) = own.split_last().map_or((None, own), |(last, own)| (Some(*last), own));
    let views = if context.is_main() { VIEWS } else { &[] };
    let views = views.iter().filter(|view| !own.contains(view));
    now.chain(own.iter().chain(views).copied())
        .chain(last)
        .filter(|actions| !actions.iter().all(|action| is_idle(state, context, *action)))
        .collect()
}

/// Draws the line.
pub fn draw(buffer: &mut Buffer, theme: &Theme, area: Rect, state: &State) {
    if let Some(said) = &state.notice {
        notice(buffer, theme, said);
        return;
    }
    let mut line = Line::new(buffer, theme, area, 0);
    line.skip(1);
    if let Some(text) = found(state) {
        let mut right = line.split_right(u16::try_from(width(&text)).unwrap_or(0) + 2);
        right.skip(1);
        right.put(&text, Role::Hit);
    }
    let context = state.context();
    let wanted: Vec<(&[Action], &str)> = hints_now(state, context)
        .into_iter()
        .filter_map(|actions| actions.last().map(|last| (actions, word(state, context, *last))))
        .collect();
    keys(&mut line, &state.keymap, context, &wanted);
}

/// What keys do here: the keys of the actions, and what they do in a word. Where there is no room for all, the last of
/// them, which leads to the others, stays.
pub fn keys(line: &mut Line<'_>, keymap: &Keymap, context: Context, wanted: &[(&[Action], &str)]) {
    const GAP: usize = 3;
    let label = |actions: &[Action]| -> String {
        let first = |action: &Action| keymap.keys_in(context, *action).next().map(|keys| sequence_label(keys, false));
        actions.iter().filter_map(first).collect()
    };
    let mut shown: Vec<(String, &str)> =
        wanted.iter().map(|(actions, word)| (label(actions), *word)).filter(|(keys, _)| !keys.is_empty()).collect();
    let columns = |(keys, word): &(String, &str)| width(keys) + 1 + width(word) + GAP;
    let mut needed: usize = shown.iter().map(columns).sum();
    while needed > usize::from(line.left()) + GAP && shown.len() > 1 {
        needed -= columns(&shown.remove(shown.len() - 2));
    }
    for (index, (keys, word)) in shown.iter().enumerate() {
        line.put(if index > 0 { "   " } else { "" }, Role::Dim);
        line.put(keys, Role::Key);
        line.put(" ", Role::Dim);
        line.put(word, Role::Dim);
    }
}

/// Rows that what is said may take.
const NOTICE: usize = 3;

/// What was last said, over the screen's last line, or its last lines where it is long.
pub fn notice(buffer: &mut Buffer, theme: &Theme, notice: &Notice) {
    let area = buffer.area;
    let text = safe(&notice.text);
    let room = usize::from(area.width).saturating_sub(2).max(1);
    let rows = NOTICE.min(usize::from(area.height / 4)).max(1);
    let mut lines: Vec<String> = wrapped(&text, room).map(str::to_owned).collect();
    if lines.len() > rows {
        // What has no room at all is cut in the last row.
        let rest = lines.split_off(rows - 1).join(" ");
        lines.push(rest);
    }
    let high = u16::try_from(lines.len().max(1)).unwrap_or(1).min(area.height);
    let place = Rect { y: area.bottom() - high, height: high, ..area };
    let blank = " ".repeat(usize::from(area.width));
    for (row, text) in (0..high).zip(lines.iter().map(String::as_str).chain(std::iter::repeat(""))) {
        Line::new(buffer, theme, place, row).put(&blank, Role::Text);
        let mut line = Line::new(buffer, theme, place, row);
        line.skip(1);
        line.put(text, if notice.kind == NoticeKind::Failed { Role::Error } else { Role::Good });
    }
}

/// How many places the search has found, and which of them one is at.
fn found(state: &State) -> Option<String> {
    let search = state.session()?.search.as_ref()?;
    let place = search.at.map_or_else(String::new, |at| format!("{} of ", at + 1));
    let more = if search.complete { "" } else { "…" };
    let (entries, times) = (search.hits.len() as u64, search.times());
    let others = others(&search.elsewhere);
    let here = state.session()?.text.found() > 0;
    Some(match entries {
        0 if search.complete && here && others.is_empty() => {
            format!(" {:?} is in no window: it was left out of what was sent ", search.text)
        }
        0 if search.complete && others.is_empty() => format!(" {:?} is nowhere in this transcript ", search.text),
        0 if search.complete => format!(" {:?} is not here;{others} ", search.text),
        0 => " searching … ".to_owned(),
        _ => {
            let (entries, times) = (counted(entries, "entry", "entries"), counted(times, "time", "times"));
            let others = if others.is_empty() { others } else { format!(";{others}") };
            format!(" {place}{entries}, {times}{more}{others} ")
        }
    })
}

/// Where else a text stands: ` 3 times in subagent 2`.
fn others(elsewhere: &[(ThreadId, u64)]) -> String {
    let times = counted(elsewhere.iter().map(|(_, times)| times).sum(), "time", "times");
    match elsewhere {
        [] => String::new(),
        [(thread, _)] => format!(" {times} in thread {}", thread.0),
        several => format!(" {times} in {} other threads", several.len()),
    }
}
