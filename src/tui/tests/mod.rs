//! The screen as a whole, without a terminal: what is asked for is done at once, in order.

mod clicks;
mod keys;
#[cfg(unix)]
mod panics;
pub mod screens;
pub mod session;
mod sizes;
mod threads;
mod traces;

use std::collections::VecDeque;
use std::sync::Arc;

use ratatui::buffer::Buffer;
use ratatui::layout::{Position, Rect};

use super::compaction::summary_lines;
use super::compare::KeepsRequest;
use super::detail::{Detail, read};
use super::documents::DocumentName;
use super::first_words::first_words;
use super::memory::{Known, arrange};
use super::message::{Begin, Effect, Message};
use super::numbered::Numbering;
use super::picker::Item;
use super::replayer::Replayed;
use super::scene::{Changes, Order, RunIndex};
use super::search::search;
use super::state::{Phase, State};
use super::sweep::{FactRow, News, SweepRequest};
use super::{draw, update};
use crate::config::{Keymap, Theme, parse_sequence};
use crate::content::{Sources, Watch};
use crate::engine::plan::referred;
use crate::engine::{
    Counting, Embedding, Given, Known as Facts, Plan, Recall, Replay, embed_words, preserves, recorded,
};
use crate::inquiry::{Fact, Kept, Memories, Ready, Subject, candidates, find, keeps, sweep};
use crate::memory::{Owners, Space, Store};
use crate::model::{Run, SourceKind, ThreadId, Transcript};
use crate::policy::{Policy, preset};
use crate::present::{measure, width};
use crate::tokens::Counts;
use crate::transcript::{Gist, Input, read as read_transcript};

/// The screen, and what stands behind it.
pub struct Stage {
    pub state: State,
    transcript: Arc<Transcript>,
    sources: Sources,
    /// The policy that sessions open with, and whether on its replay.
    begin: (String, Policy, bool),
    /// The documents that are attached to them.
    documents: Vec<DocumentName>,
    /// How many replays there were.
    replays: u64,
    /// What was asked for that nothing here does.
    pub asked: Vec<String>,
    /// Whether colours and pictures are made.
    pub makes: bool,
}

impl Stage {
    /// A screen of that size with the session of [`session`] open.
    pub fn open(width: u16, height: u16) -> Stage {
        let mut stage = Stage::empty(width, height);
        let effect = stage.state.open("/home/me/fix-login.jsonl");
        stage.carry_out(vec![effect]);
        assert!(stage.state.view().is_some(), "the session is open");
        stage
    }

    /// A screen of that size with a session open on its replay under a preset and settings over it.
    pub fn replaying(bytes: Vec<u8>, policy: &str, settings: &[&str], (width, height): (u16, u16)) -> Stage {
        let mut stage = Stage::of(bytes, width, height);
        let (mut chosen, _) = preset(policy, None).unwrap();
        for setting in settings {
            crate::policy::set(&mut chosen, setting).unwrap();
        }
        stage.begin = (policy.to_owned(), chosen, true);
        let effect = stage.state.open("/home/me/session.jsonl");
        stage.carry_out(vec![effect]);
        stage
    }

    /// A screen without a session.
    pub fn empty(width: u16, height: u16) -> Stage {
        Stage::of(session::session(), width, height)
    }

    fn of(bytes: Vec<u8>, width: u16, height: u16) -> Stage {
        let mut sources = Sources::default();
        let main = sources.add_memory("fix-login.jsonl", SourceKind::Transcript, bytes);
        let input = Input { sources: &mut sources, main, siblings: None, watch: &Watch::default() };
        let transcript = Arc::new(read_transcript(input, None).unwrap());
        let mut state = State::new(Theme::default(), Keymap::default());
        state.size = (width, height);
        state.themes = vec![Theme::default(), Theme::shipped("light").unwrap()];
        let (policy, _) = preset("internal-agent", None).unwrap();
        let begin = ("internal-agent".to_owned(), policy, false);
        Stage { state, transcript, sources, begin, documents: Vec::new(), replays: 0, asked: Vec::new(), makes: false }
    }

    /// Presses keys, given by their names: `j shift-tab text:words enter`; `size:60x24` is another size.
    pub fn press(&mut self, keys: &str) {
        for name in keys.split_whitespace() {
            match name.split_once(':').filter(|(kind, _)| !kind.is_empty()) {
                Some(("text", words)) => self.tell(Message::Paste(words.replace('_', " "))),
                Some((_, size)) => {
                    let (width, height) = size.split_once('x').unwrap();
                    self.resize(width.parse().unwrap(), height.parse().unwrap());
                }
                None => {
                    for key in parse_sequence(name).unwrap() {
                        self.tell(Message::Key(key));
                    }
                }
            }
        }
    }

    /// Tells the screen something, and does what it asks for.
    pub fn tell(&mut self, message: Message) {
        let effects = update(&mut self.state, message);
        self.carry_out(effects);
    }

    fn carry_out(&mut self, effects: Vec<Effect>) {
        let mut waiting: VecDeque<Effect> = effects.into();
        while let Some(effect) = waiting.pop_front() {
            for message in self.answers(effect) {
                waiting.extend(update(&mut self.state, message));
            }
        }
    }

    fn answers(&mut self, effect: Effect) -> Vec<Message> {
        match effect {
            Effect::Open(name) => {
                let (named, policy, simulated) = self.begin.clone();
                let begin = Begin { name: named, policy, file: None, simulated, documents: self.documents.clone() };
                vec![Message::Opened(name, Arc::clone(&self.transcript), self.sources.clone(), Box::new(begin))]
            }
            Effect::Windows(thread) => {
                let run = Arc::new(self.counted(thread));
                let found = referred(&self.transcript, &self.sources, thread, &Watch::default()).unwrap();
                vec![Message::Windows(thread, Arc::new(RunIndex::new(run))), Message::Referred(thread, Arc::new(found))]
            }
            Effect::Words(from, wanted) => {
                let words = |id| (id, first_words(&from.run, &self.transcript, &self.sources, id));
                vec![Message::Words(from.of, wanted.into_iter().map(words).collect())]
            }
            Effect::Read(from, id, raw) => {
                let content = read(&from.run, &self.transcript, &self.sources, id);
                let laid_out = content.map(|content| Detail::new(Arc::new(content), raw));
                vec![Message::Read(from.of, id, Box::new(laid_out.map_err(|why| why.to_string())))]
            }
            Effect::Make(job) if self.makes => vec![Message::Made(job.run())],
            Effect::Make(_) | Effect::Learn(_) => Vec::new(),
            Effect::Search(number, from, text) => {
                let (mut hits, watch) = (Vec::new(), Watch::default());
                search(&from.run, &self.transcript, &self.sources, &text, &watch, |more| hits.extend(more));
                vec![Message::Found(number, hits, true)]
            }
            Effect::Summary(from, id) => {
                let lines = summary_lines(&from.run, &self.transcript, &self.sources, id);
                vec![Message::Summary(from.of, id, lines)]
            }
            Effect::Replay(of_whom, wish) => {
                self.replays += 1;
                let of = Numbering { thread: wish.thread, number: self.replays };
                let index = Arc::new(RunIndex::new(Arc::new(self.replayed(wish.thread, &wish.policy))));
                vec![Message::Replayed(of_whom, Ok(Box::new(Replayed { of, version: wish.version, index })))]
            }
            Effect::Keeps(asked) => {
                vec![Message::Kept(asked.number, Ok(kept(&self.transcript, &self.sources, &asked)))]
            }
            Effect::Sweep(asked) => {
                let replay = self.replay(asked.thread, &asked.policy);
                let run = replay.run(&asked.policy);
                swept(&self.transcript, &self.sources, &replay, &run, &asked)
            }
            Effect::Remember(wish) => {
                let replay = self.replay(wish.of.thread, &wish.policy);
                let found = Memories::at(&replay, &wish.policy, wish.step, &Watch::default());
                let known = found.map_or(Known::Off, |found| Known::There(Arc::new(found)));
                vec![Message::Remembered(wish.of, wish.step, known)]
            }
            Effect::Arrange(wish) => {
                let rows = arrange(&wish, &Watch::default()).unwrap();
                vec![Message::Arranged(wish.number, rows)]
            }
            Effect::Measure((from, event)) => {
                let found = measure(&self.transcript, &self.sources, &from.run, event).unwrap().unwrap();
                vec![Message::Measured(from.of, event, Ok(Arc::new(found)))]
            }
            Effect::Sessions => vec![Message::Sessions(items(), 1_000_000_000)],
            other => {
                self.asked.push(name(&other));
                Vec::new()
            }
        }
    }

    fn counted(&self, id: ThreadId) -> Run {
        let (known, counts) = (Facts::nothing(), Counts::default());
        let thread = self.transcript.thread(id).unwrap();
        let mut run = recorded(&self.transcript, id, known.facts(&self.transcript, thread));
        let counter = known.counter(thread);
        let (transcript, sources) = (&*self.transcript, &self.sources);
        let counting = Counting { transcript, sources, counts: &counts, counter, calibrates: false };
        counts.count_blocks(sources, &counting.all_bodies(&run), counter, &Watch::default(), |_, _| {});
        counting.apply(&mut run);
        run
    }

    fn replayed(&self, id: ThreadId, policy: &Policy) -> Run {
        self.replay(id, policy).run(policy)
    }

    /// A thread made ready for a policy, at four characters a token.
    fn replay(&self, id: ThreadId, policy: &Policy) -> Replay {
        let (known, counts) = (Facts::nothing(), Counts::default());
        let thread = self.transcript.thread(id).unwrap();
        let (transcript, sources, counter) = (&*self.transcript, &self.sources, known.counter(thread));
        let counting = Counting { transcript, sources, counts: &counts, counter, calibrates: false };
        let mut run = recorded(transcript, id, known.facts(transcript, thread));
        counting.apply(&mut run);
        let mut plan = Plan::of(&counting, &run, false, known.facts(transcript, thread));
        plan.read(transcript, sources, &Watch::default());
        let space = Space::words();
        let embedding = Embedding { space: &space, embed: &embed_words, rewrite: &|_, _| None, before: None };
        let (texts, watch) = ((transcript, sources), Watch::default());
        let read = || {
            let seed = Store::new(space.clone());
            Recall::read((&plan, &[]), texts, &policy.memory, Owners::default(), seed, embedding, &watch)
        };
        let recall = if policy.memory.on || preserves(policy) { read().map(Arc::new) } else { None };
        Replay::new(Arc::new(plan), Arc::new(Given { recall, ..Given::default() }), policy.clone())
    }

    /// Another size of the terminal.
    pub fn resize(&mut self, width: u16, height: u16) {
        self.tell(Message::Resize(width, height));
    }

    /// Draws the screen.
    pub fn draw(&self) -> (Buffer, Option<Position>) {
        let (width, height) = self.state.size;
        let mut buffer = Buffer::empty(Rect::new(0, 0, width, height));
        let cursor = draw(&self.state, &mut buffer);
        (buffer, cursor)
    }

    /// The rows of the screen.
    pub fn rows(&self) -> Vec<String> {
        let (buffer, _) = self.draw();
        // What a wide sign covers is a cell of its own.
        let row = |y| {
            let (mut text, mut covered) = (String::new(), 0);
            for x in 0..buffer.area.width {
                let symbol = buffer[(x, y)].symbol();
                if covered == 0 {
                    text.push_str(symbol);
                    covered = width(symbol);
                }
                covered = covered.saturating_sub(1);
            }
            text
        };
        (0..buffer.area.height).map(row).collect()
    }

    /// What keys can change, by name.
    pub fn facts(&self) -> Vec<(&'static str, String)> {
        let state = &self.state;
        let phase = match &state.phase {
            Phase::Empty => "empty",
            Phase::Opening { .. } => "opening",
            Phase::Failed(_) => "failed",
            Phase::Open(_) => "open",
        };
        let mut facts = vec![
            ("phase", phase.to_owned()),
            ("keys go to", state.context().title().to_owned()),
            ("theme", state.theme.name.clone()),
            ("mouse", state.mouse.to_string()),
            ("asked", self.asked.join(", ")),
            ("says", state.notice.as_ref().map_or_else(String::new, |notice| notice.text.clone())),
            (
                "chosen",
                state
                    .sessions
                    .as_ref()
                    .and_then(|list| list.chosen())
                    .map_or_else(String::new, |(at, _)| at.to_string()),
            ),
        ];
        let (Some(session), Some(view)) = (state.session(), state.view()) else { return facts };
        let index = &view.index;
        let scale = view.timeline.scale(index.steps(), state.chart().width);
        let order = match view.settings.order {
            Order::Window => "place",
            Order::Size => "size",
            Order::Age => "age",
        };
        let text = session.text.detail.as_ref().and_then(|detail| detail.as_ref().ok());
        facts.extend([
            ("session", session.path.clone()),
            ("policy", session.pages.draft.title()),
            ("setting", session.pages.tune.current().map_or("", |setting| setting.key).to_owned()),
            ("pane", format!("{:?}", session.pages.sweep.pane)),
            ("run", session.pages.sweep.chosen.to_string()),
            ("runs", session.pages.sweep.points.len().to_string()),
            ("against", session.pages.sweep.axis.name().to_owned()),
            ("facts shown", session.pages.compare.facts.shown.to_string()),
            ("memory", memory_facts(session)),
            ("only changed", session.pages.tune.changed.to_string()),
            (
                "other track's step",
                session.pages.other.as_ref().map_or_else(String::new, |other| other.step.to_string()),
            ),
            ("track", format!("{:?}", index.run().track)),
            ("found in text", text.map_or_else(String::new, |text| text.hits().0.to_string())),
            ("slid", text.map_or_else(String::new, |text| text.slid().to_string())),
            ("thread", view.thread.0.to_string()),
            ("step", view.step.to_string()),
            ("row", view.row.cursor.to_string()),
            ("entry", view.selected.map_or_else(String::new, |id| id.0.to_string())),
            ("layer", view.layers.get(view.layer.cursor).map_or("", |layer| layer.info().name).to_owned()),
            ("event", view.event.cursor.to_string()),
            ("columns", scale.total(index.steps()).to_string()),
            ("zoomed", view.zoomed.to_string()),
            ("order", order.to_owned()),
            ("only", view.settings.layer.map_or("", |layer| layer.info().name).to_owned()),
            ("difference", (view.settings.changes == Changes::Only).to_string()),
            ("rows", view.shown.rows.len().to_string()),
            ("text at", text.map_or_else(String::new, |text| text.position().0.to_string())),
            ("raw", session.display.raw.to_string()),
            ("cut shown", session.display.cut.to_string()),
            ("wrap", session.display.wrap.to_string()),
            ("find", session.search.as_ref().map_or_else(String::new, |search| format!("{:?}", search.at))),
        ]);
        facts
    }
}

/// Which facts two runs keep, at once.
pub fn kept(transcript: &Transcript, sources: &Sources, asked: &KeepsRequest) -> Vec<Kept> {
    let watch = Watch::default();
    let proposed = || {
        let found = candidates(transcript, sources, (asked.runs[0].thread, &[]), 12, &watch).facts.into_iter();
        found.map(|found| (found.text, Some(found.needed))).collect()
    };
    let parsed = |(text, step): &(String, Option<u32>)| (Fact::parse(text).unwrap(), *step);
    let facts: Vec<(Fact, Option<u32>)> = asked.all(proposed).iter().map(parsed).collect();
    let found: Vec<_> = facts.iter().map(|(fact, _)| find(fact, transcript, sources, None, &watch)).collect();
    let known: Vec<_> = facts.iter().zip(&found).map(|((fact, step), found)| (fact, found, *step)).collect();
    keeps(&known, transcript, sources, &[&*asked.runs[0], &*asked.runs[1]])
}

/// What a sweep tells, at once.
pub fn swept(
    transcript: &Transcript,
    sources: &Sources,
    replay: &Replay,
    run: &Run,
    asked: &SweepRequest,
) -> Vec<Message> {
    let watch = Watch::default();
    let proposed = || {
        let found = candidates(transcript, sources, (asked.thread, &[]), 12, &watch).facts.into_iter();
        found.map(|found| (found.text, Some(found.needed))).collect()
    };
    let facts: Vec<(String, Option<u32>)> = asked.facts.clone().unwrap_or_else(proposed);
    let parsed: Vec<Fact> = facts.iter().map(|(text, _)| Fact::parse(text).unwrap()).collect();
    let found: Vec<_> = parsed.iter().map(|fact| find(fact, transcript, sources, None, &watch)).collect();
    let last = run.last_step();
    let rows: Vec<FactRow> = facts
        .iter()
        .zip(&found)
        .map(|((text, step), found)| FactRow {
            text: text.clone(),
            needed: step.unwrap_or(last),
            proposed: asked.facts.is_none(),
            found: !found.places.is_empty(),
            on: true,
        })
        .collect();
    let subjects: Vec<Subject> =
        parsed.iter().zip(&found).map(|(fact, found)| Subject::new(fact, found, transcript)).collect();
    let wanted: Vec<_> = subjects.iter().zip(&rows).map(|(subject, row)| (subject, row.needed)).collect();
    let ready = Ready::new(replay.clone(), None);
    let points = sweep(&ready, &asked.policy, &asked.vary, &wanted, &watch, &|_| {});
    let half = points.len() / 2;
    let told = |news| Message::Swept(asked.number, news);
    vec![
        told(News::Facts(rows)),
        told(News::Points(points[half..].to_vec())),
        told(News::Points(points[..half].to_vec())),
        told(News::Done(false)),
    ]
}

/// What keys can change in the memory view.
fn memory_facts(session: &super::state::Session) -> String {
    let page = &session.pages.memory;
    let id = |id: Option<crate::memory::MemoryId>| id.map_or_else(String::new, |id| id.0.to_string());
    let (shown, trail) = (id(page.shown()), page.trail.len());
    format!("{} {shown} of {} by {} way {trail}", page.tab.name(), id(page.selected), page.order.name())
}

/// Effects that reach beyond the screen, in words.
fn name(effect: &Effect) -> String {
    match effect {
        Effect::CopyEntry(from, id) => format!("copy {} of {}", id.0, from.of.thread.0),
        Effect::Copy(text) => format!("copy {text:?}"),
        Effect::Export(from, step, form, path) => {
            format!("export {} {step} {} {path}", from.of.thread.0, form.name())
        }
        Effect::Stop => "stop".to_owned(),
        Effect::Lint(asked) => format!("lint {} {}", asked.number, asked.is_simulated()),
        Effect::Trace(asked) => format!("trace {} {}", asked.number, asked.fact),
        Effect::Save { path, force, .. } => format!("save {path} {force}"),
        Effect::StopSearch => "stop search".to_owned(),
        Effect::Mouse(on) => format!("mouse {on}"),
        Effect::Redraw => "redraw".to_owned(),
        Effect::Suspend => "suspend".to_owned(),
        Effect::Quit => "quit".to_owned(),
        _ => "something".to_owned(),
    }
}

fn items() -> Vec<Item> {
    (0..30u32)
        .map(|number| Item {
            path: format!("/home/me/.claude/projects/-w-{number}/{number}.jsonl"),
            agent: "claude_code",
            bytes: 1u64 << (number % 24),
            modified: 1_000_000_000 - i64::from(number) * 7_000_000,
            found: (number % 3 > 0).then(|| {
                Ok(Gist {
                    folder: Some(format!("/w/project-{number}")),
                    title: None,
                    prompt: Some(format!("{} 日本語 👩‍👧 prompt {number}", session::HOSTILE)),
                    steps: u64::from(number) * 3,
                    compactions: u64::from(number % 4),
                })
            }),
        })
        .collect()
}
