//! A session on the built-in example for tests of the views, with what the threads beside the screen would do.

use std::sync::{Arc, OnceLock};

use ratatui::buffer::Buffer;
use ratatui::layout::Rect;

use super::Pages;
use crate::config::{Key, Keymap, Theme};
use crate::content::{Sources, Watch};
use crate::engine::{Counting, Given, Known, Plan, Replay, recorded};
use crate::io::open_bytes;
use crate::model::{Run, ThreadId, Transcript};
use crate::policy::{Policy, preset};
use crate::tokens::Counts;
use crate::tui::compaction::summary_lines;
use crate::tui::detail::{Detail, read};
use crate::tui::first_words::first_words;
use crate::tui::message::{Begin, Effect, Message};
use crate::tui::numbered::Numbering;
use crate::tui::replayer::Replayed;
use crate::tui::scene::RunIndex;
use crate::tui::state::{Phase, State};

/// A session with what the threads beside the screen would do, done at once.
pub struct World {
    pub state: State,
    transcript: Arc<Transcript>,
    sources: Sources,
    replay: Replay,
    pub copied: Vec<String>,
    pub saved: Vec<(String, String, bool)>,
    number: u64,
}

const DEMO: &[u8] = include_bytes!(concat!(env!("CARGO_MANIFEST_DIR"), "/fixtures/demo/lost-fact.jsonl.gz"));

pub fn policy() -> Policy {
    preset("five-layer", None).expect("a preset").0
}

fn runs(transcript: &Transcript, sources: &Sources) -> (Run, Plan) {
    let (known, counts) = (Known::nothing(), Counts::default());
    let counter = known.counter(&transcript.threads[0]);
    let counting = Counting { transcript, sources, counts: &counts, counter, calibrates: known.calibrates(counter) };
    let facts = || known.facts(transcript, &transcript.threads[0]);
    let mut run = recorded(transcript, ThreadId(0), facts());
    counting.apply(&mut run);
    let mut plan = Plan::of(&counting, &run, false, facts());
    plan.read(transcript, sources, &Watch::default());
    (run, plan)
}

type Demo = (Arc<Transcript>, Sources, Arc<RunIndex>, Arc<Plan>);

/// The example, read and planned once.
fn demo() -> &'static Demo {
    static DEMO_READ: OnceLock<Demo> = OnceLock::new();
    DEMO_READ.get_or_init(|| read_demo(DEMO))
}

fn read_demo(bytes: &[u8]) -> Demo {
    let opened = open_bytes("demo.jsonl", bytes, &Watch::default()).expect("the demo");
    let (run, plan) = runs(&opened.transcript, &opened.sources);
    (Arc::new(opened.transcript), opened.sources, Arc::new(RunIndex::new(Arc::new(run))), Arc::new(plan))
}

pub fn world(at: &str) -> World {
    world_under(at, false)
}

/// The example, its first compaction asked for by the user.
pub fn world_by_user(at: &str) -> World {
    let mut text = String::new();
    std::io::Read::read_to_string(&mut flate2::read::GzDecoder::new(DEMO), &mut text).expect("the demo");
    let text = text.replacen(r#""trigger":"auto""#, r#""trigger":"manual""#, 1);
    world_of(read_demo(text.as_bytes()), at, false)
}

/// With a policy that was named when the program was started, or not.
pub fn world_under(at: &str, simulated: bool) -> World {
    world_of(demo().clone(), at, simulated)
}

fn world_of((transcript, sources, index, plan): Demo, at: &str, simulated: bool) -> World {
    let mut state = State::new(Theme::default(), Keymap::default());
    state.size = (120, 36);
    state.wanted = at.parse().expect("a place");
    state.phase = Phase::Opening { name: "demo.jsonl".to_owned(), done: 0, total: 0 };
    let replay = Replay::new(plan, Arc::new(Given::default()), policy());
    let mut world = World {
        state,
        transcript: Arc::clone(&transcript),
        sources: sources.clone(),
        replay,
        copied: Vec::new(),
        saved: Vec::new(),
        number: 0,
    };
    let name = "five-layer".to_owned();
    let begin = Begin { name, policy: policy(), file: None, simulated, documents: Vec::new() };
    world.tell(Message::Opened("demo.jsonl".to_owned(), transcript, sources, Box::new(begin)));
    world.tell(Message::Windows(ThreadId(0), index));
    world
}

impl World {
    pub fn tell(&mut self, message: Message) {
        let mut waiting = crate::tui::update(&mut self.state, message);
        for _ in 0..200 {
            if waiting.is_empty() {
                return;
            }
            let effect = waiting.remove(0);
            let Some(answer) = self.work(effect) else { continue };
            waiting.extend(crate::tui::update(&mut self.state, answer));
        }
        panic!("it never comes to rest");
    }

    fn work(&mut self, effect: Effect) -> Option<Message> {
        let (transcript, sources) = (&self.transcript, &self.sources);
        match effect {
            Effect::Words(from, wanted) => {
                let words = |id| first_words(&from.run, transcript, sources, id);
                Some(Message::Words(from.of, wanted.iter().map(|id| (*id, words(*id))).collect()))
            }
            Effect::Read(from, id, raw) => {
                let content = read(&from.run, transcript, sources, id);
                let detail = content.map(|content| Detail::new(Arc::new(content), raw)).map_err(|why| why.to_string());
                Some(Message::Read(from.of, id, Box::new(detail)))
            }
            Effect::Summary(from, id) => {
                Some(Message::Summary(from.of, id, summary_lines(&from.run, transcript, sources, id)))
            }
            Effect::Replay(of_whom, wish) => {
                self.number += 1;
                let of = Numbering { thread: wish.thread, number: self.number };
                let index = Arc::new(RunIndex::new(Arc::new(self.replay.run(&wish.policy))));
                Some(Message::Replayed(of_whom, Ok(Box::new(Replayed { of, version: wish.version, index }))))
            }
            Effect::Keeps(asked) => {
                Some(Message::Kept(asked.number, Ok(crate::tui::tests::kept(transcript, sources, &asked))))
            }
            Effect::Sweep(asked) => {
                let run = self.replay.run(&asked.policy);
                let mut told = crate::tui::tests::swept(transcript, sources, &self.replay, &run, &asked);
                let last = told.pop();
                for message in told {
                    crate::tui::update(&mut self.state, message);
                }
                last
            }
            Effect::Copy(text) => {
                self.copied.push(text);
                None
            }
            Effect::Save { path, text, force, .. } => {
                self.saved.push((path.clone(), text, force));
                (!force).then_some(Message::Exists(path))
            }
            _ => None,
        }
    }

    pub fn press(&mut self, keys: &str) {
        for key in keys.split(' ') {
            let key: Key = key.parse().expect("a key");
            self.tell(Message::Key(key));
        }
    }

    pub fn pages(&self) -> &Pages {
        &self.state.session().expect("a session").pages
    }

    pub fn screen(&self) -> Vec<String> {
        let (width, height) = self.state.size;
        let mut buffer = Buffer::empty(Rect::new(0, 0, width, height));
        crate::tui::draw(&self.state, &mut buffer);
        let line = |y| (0..width).map(|x| buffer[(x, y)].symbol()).collect::<String>().trim_end().to_owned();
        (0..height).map(line).collect()
    }

    pub fn shows(&self, words: &str) -> bool {
        self.screen().iter().any(|line| line.contains(words))
    }

    pub fn step(&self) -> u32 {
        self.state.view().expect("a view").step
    }
}
