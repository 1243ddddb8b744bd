//! Each log once: a subagent's log counts with its session, wherever the two were surveyed, and in any order.

use std::collections::{HashMap, HashSet, VecDeque};
use std::fmt::Write as _;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use xxhash_rust::xxh3::{xxh3_64, xxh3_128};

use crate::inquiry::survey::Survey;
use crate::model::{Body, SourceId, Transcript};

/// Hexadecimal digits of a mark.
const DIGITS: usize = 8;
/// Blocks at the end up to each of which a log is marked, so that two that part there are told apart.
const TAIL: usize = 32;

/// The signs of a trail, six bits each.
const SIGNS: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

/// What tells which log a line of a survey is of.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Log {
    /// The session's id; of a subagent's log that of the session which started it.
    #[serde(default)]
    pub session: Option<String>,
    /// Whether it is a subagent's log, read by itself.
    #[serde(default)]
    pub subagent: bool,
    /// The names of the subagents' logs that were read with it and count with it.
    #[serde(default)]
    pub with: Vec<String>,
    /// Its blocks, and marks of what it says up to some of them, eight hexadecimal digits each, then those up to each of
    /// its last ones, the last of all of them: a log that grew has those of what it was.
    #[serde(default)]
    pub blocks: u64,
    /// See `blocks`.
    #[serde(default)]
    pub marks: String,
    /// A sign for each of its blocks, of all that is said up to it: two logs that part have other ones from there on.
    #[serde(default)]
    pub trail: String,
}

impl Log {
    /// Marks what a log says.
    #[must_use]
    pub fn marked(self, transcript: &Transcript) -> Log {
        let (mut blocks, mut marks, mut so_far, mut next) = (0u64, String::new(), 0u64, 1u64);
        let mut trail = String::new();
        let mut last: VecDeque<u64> = VecDeque::with_capacity(TAIL);
        let mut mark = |hash: u64| {
            // As many bits as are told.
            _ = write!(marks, "{:0DIGITS$x}", hash >> 32);
        };
        for block in transcript.blocks.iter().filter(|block| block.record.source == SourceId(0)) {
            let (text, size) = match &block.body {
                Body::Text { hash, chars, .. } => (*hash, *chars),
                _ => (0, 0),
            };
            let about = format!("{so_far} {:?} {:?} {} {text} {size}", block.kind, block.role, block.label);
            so_far = xxh3_64(about.as_bytes());
            blocks += 1;
            trail.push(SIGNS.get((so_far & 63) as usize).map_or('-', |sign| char::from(*sign)));
            if blocks == next {
                mark(so_far);
                next = after(next);
            }
            if last.len() == TAIL {
                last.pop_front();
            }
            last.push_back(so_far);
        }
        if last.is_empty() {
            last.push_back(so_far);
        }
        last.into_iter().for_each(mark);
        Log { blocks, marks, trail, ..self }
    }

    /// Its signs behind some blocks, up to others; `None` where it has not so many.
    fn between(&self, from: u64, to: u64) -> Option<&str> {
        self.trail.get(usize::try_from(from).ok()?..usize::try_from(to).ok()?)
    }

    /// Its marks up to some blocks, by these; and those up to its last blocks, the one of all of them last.
    fn told(&self) -> (Vec<Mark<'_>>, Vec<Mark<'_>>) {
        let all = (0..self.marks.len() / DIGITS).filter_map(|at| self.marks.get(at * DIGITS..(at + 1) * DIGITS));
        let mut all: Vec<&str> = all.collect();
        let places = std::iter::successors(Some(1), |at| Some(after(*at))).take_while(|at| *at <= self.blocks);
        let places: Vec<u64> = places.take(all.len().saturating_sub(1)).collect();
        let last = all.split_off(places.len());
        let from = self.blocks.saturating_add(1).saturating_sub(last.len() as u64);
        let last = (0..).zip(last).map(|(at, mark)| (from.saturating_add(at), mark)).collect();
        (places.into_iter().zip(all).collect(), last)
    }
}

/// Blocks, and the mark of what is said up to them.
type Mark<'a> = (u64, &'a str);

/// The blocks of the mark after one: marks stand ever further apart, by one part in eight.
fn after(blocks: u64) -> u64 {
    blocks.saturating_add(blocks / 8 + 1)
}

/// The last part of a path.
pub fn last_name(path: &str) -> &str {
    path.rsplit(['/', '\\']).next().unwrap_or(path)
}

/// What logs that may be one have in common.
#[derive(Clone, PartialEq, Eq, Hash)]
struct Kin {
    format: Option<String>,
    session: Option<String>,
    /// A subagent's name: it has the id of its session.
    subagent: Option<String>,
}

/// A line that counts: its figures as JSON, which takes a fraction of the room.
struct Taken {
    name: String,
    place: String,
    log: Log,
    steps: u64,
    figures: String,
}

impl Taken {
    /// Of two lines of one log, the later one counts, which has more; where they differ in something else, always the
    /// same one.
    fn rank(&self) -> (u64, u64, usize, &str, &str) {
        (self.log.blocks, self.steps, self.figures.len(), &self.figures, &self.place)
    }

    fn kin(&self, format: Option<&str>) -> Kin {
        Kin {
            format: format.map(str::to_owned),
            session: self.log.session.clone(),
            subagent: self.log.subagent.then(|| self.name.clone()),
        }
    }
}

/// The sum of lines, each log taken once.
#[derive(Default)]
pub struct Sum {
    /// The lines that are sums themselves.
    all: Survey,
    /// The logs.
    taken: HashMap<Kin, Vec<Taken>>,
    /// Hashes of what came, so that what comes again takes no room.
    known: HashSet<u128>,
}

impl Sum {
    /// Takes a line in; one without a path is a sum itself.
    pub fn take(&mut self, path: Option<&str>, format: Option<&str>, log: &Log, survey: &Survey) {
        // What cannot be told again counts by itself.
        let (Some(path), Ok(figures)) = (path, serde_json::to_string(survey)) else { return self.all.merge(survey) };
        let (name, place) = (last_name(path).to_owned(), one_spelling(path));
        let taken = Taken { name, place, log: log.clone(), steps: survey.steps, figures };
        let kin = taken.kin(format);
        let said = [format.unwrap_or_default(), &taken.place, &taken.log.marks, &taken.figures].join("\0");
        let said = said + log.session.as_deref().unwrap_or("\0");
        if self.known.insert(xxh3_128(said.as_bytes())) {
            self.taken.entry(kin).or_default().push(taken);
        }
    }

    /// The sum, once everything has come.
    #[must_use]
    pub fn done(self) -> Survey {
        let Sum { mut all, taken, .. } = self;
        let taken: Vec<Taken> = taken.into_values().flat_map(each_once).collect();
        // Names of logs that count with a session, and the sessions.
        let mut held: HashMap<&str, HashSet<Option<&str>>> = HashMap::new();
        for one in taken.iter().filter(|one| !one.log.subagent) {
            for name in &one.log.with {
                held.entry(name).or_default().insert(one.log.session.as_deref());
            }
        }
        for one in &taken {
            // A rollout is named by its own id, and may be of a subagent's subagent; other names may come again.
            let is_unique = one.name.starts_with("rollout-");
            let is_held = |sessions: &HashSet<_>| is_unique || sessions.contains(&one.log.session.as_deref());
            if one.log.subagent && held.get(one.name.as_str()).is_some_and(is_held) {
                continue;
            }
            if let Ok(survey) = serde_json::from_str(&one.figures) {
                all.merge(&survey);
            }
        }
        all
    }
}

/// Of lines whose logs may be one, one for each log, the fullest. A session's log that lies at the same place is the
/// same, and one that says what another does from its beginning on, wherever it lies: it is a copy, or what grew from
/// it. Two that part are two. A log of no session is the same where it says the same, or lies where what it grew from
/// did: others may begin alike.
fn each_once(mut all: Vec<Taken>) -> Vec<Taken> {
    all.sort_by(|one, other| other.rank().cmp(&one.rank()));
    let mut known: HashSet<(Option<String>, u64, String)> = HashSet::new();
    // The logs that begin with something.
    let mut begun: HashMap<(u64, String), Vec<usize>> = HashMap::new();
    let is_new: Vec<bool> = (0..)
        .zip(&all)
        .map(|(number, one)| {
            let (some, last) = one.log.told();
            let has_id = one.log.session.is_some();
            let key = |place: bool, at: u64, mark: &str| (place.then(|| one.place.clone()), at, mark.to_owned());
            // A line of before logs were marked is told by its session, or by its place and figures.
            let own = match (has_id, last.last(), some.last()) {
                (true, None, _) => vec![key(false, 0, "")],
                (false, None, _) => vec![key(true, 0, &one.figures)],
                (true, Some(_), _) => vec![key(true, 0, "")],
                (false, Some((_, whole)), last) => {
                    let grew = last.map(|(at, mark)| key(true, *at, mark));
                    grew.into_iter().chain([key(false, one.log.blocks, whole)]).collect()
                }
            };
            // One that says what it does is the same, or grew from it; so is one that begins alike and goes on alike, and one
            // of before each block had its sign, where no mark tells whether it parts.
            let grew = last.last().filter(|_| has_id).is_some_and(|(at, whole)| {
                let alike =
                    |(from, other): (u64, &Taken)| match (one.log.between(from, *at), other.log.between(from, *at)) {
                        (Some(own), Some(its)) => own == its,
                        _ => other.log.told().1.first().is_some_and(|(first, _)| first > at),
                    };
                let begins = some.last().and_then(|(at, mark)| Some((*at, begun.get(&(*at, (*mark).to_owned()))?)));
                let mut begins = begins.into_iter().flat_map(|(from, all)| all.iter().map(move |other| (from, *other)));
                known.contains(&key(false, *at, whole))
                    || begins.any(|(from, other)| all.get(other).is_some_and(|other| alike((from, other))))
            });
            let is_known = grew || own.iter().any(|key| known.contains(key));
            known.extend(own);
            known.extend(some.iter().map(|(at, mark)| key(!has_id, *at, mark)));
            if has_id {
                known.insert(key(false, 0, ""));
                known.extend(last.iter().map(|(at, mark)| key(false, *at, mark)));
                // What it is the same as, or grew into, stands for it.
                for (at, mark) in some.into_iter().filter(|_| !is_known) {
                    begun.entry((at, mark.to_owned())).or_default().push(number);
                }
            }
            !is_known
        })
        .collect();
    let mut is_new = is_new.into_iter();
    all.retain(|_| is_new.next().unwrap_or(true));
    all
}

/// A path as every spelling of it ends up, where there is still something.
fn one_spelling(path: &str) -> String {
    std::fs::canonicalize(path).map_or_else(|_| path.to_owned(), |path| path.to_string_lossy().into_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_log_counts_once_in_any_order() {
        let survey = |steps| Survey { sessions: 1, steps, ..Survey::default() };
        let log = |session: &str, subagent, with: &[&str]| Log {
            session: Some(session.to_owned()),
            subagent,
            with: with.iter().map(ToString::to_string).collect(),
            ..Log::default()
        };
        let lines = [
            ("p/S.jsonl", log("S", false, &["agent-1.jsonl", "rollout-2.jsonl"]), survey(10)),
            ("p/S/subagents/agent-1.jsonl", log("S", true, &[]), survey(3)),
            ("q/agent-1.jsonl", log("T", true, &[]), survey(100)),
            ("p/rollout-2.jsonl", log("R", true, &[]), survey(5)),
            ("p/S.jsonl", log("S", false, &["agent-1.jsonl", "rollout-2.jsonl"]), survey(10)),
        ];
        for turn in 0..lines.len() {
            let mut sum = Sum::default();
            lines.iter().cycle().skip(turn).take(lines.len()).for_each(|(path, log, survey)| {
                sum.take(Some(path), Some("f"), log, survey);
            });
            let all = sum.done();
            assert_eq!((all.sessions, all.steps), (2, 110), "{turn}");
        }
    }

    /// The sessions and requests of lines, in this order and the other.
    fn both_ways(lines: &[(&str, &str, Option<&str>, u64)]) -> [(u64, u64); 2] {
        let all = |turned: bool| {
            let mut sum = Sum::default();
            let mut lines = lines.to_vec();
            if turned {
                lines.reverse();
            }
            for (path, format, id, steps) in lines {
                let log = Log { session: id.map(str::to_owned), ..Log::default() };
                sum.take(Some(path), Some(format), &log, &Survey { sessions: 1, steps, ..Survey::default() });
            }
            let all = sum.done();
            (all.sessions, all.steps)
        };
        [all(false), all(true)]
    }

    #[test]
    fn a_path_alone_tells_no_log() {
        let two = [("log.json", "a", None, 2), ("log.json", "b", None, 1), ("log.json", "a", None, 2)];
        assert_eq!(both_ways(&two), [(2, 3); 2]);
        assert_eq!(both_ways(&[("log.json", "a", None, 2), ("log.json", "a", None, 5)]), [(2, 7); 2]);
        assert_eq!(both_ways(&[("p/log.json", "a", None, 2), ("q/log.json", "a", None, 2)]), [(2, 4); 2]);
    }

    #[test]
    fn of_a_session_that_grew_the_fuller_line_counts() {
        let lines = [("s.jsonl", "a", Some("S"), 4), ("s.jsonl", "a", Some("S"), 15), ("s.jsonl", "a", Some("T"), 1)];
        assert_eq!(both_ways(&lines), [(2, 16); 2]);
    }

    #[test]
    fn a_log_counts_once_however_its_path_is_spelled() {
        let sessions = [("s.jsonl", "a", Some("S"), 5), ("/gone/s.jsonl", "a", Some("S"), 5)];
        assert_eq!(both_ways(&sessions), [(1, 5); 2]);
        let here = concat!(env!("CARGO_MANIFEST_DIR"), "/src/main.rs");
        let there = concat!(env!("CARGO_MANIFEST_DIR"), "/src/../src/main.rs");
        assert_eq!(both_ways(&[(here, "a", None, 5), (there, "a", None, 5)]), [(1, 5); 2]);
    }
}
