//! Each log once: a subagent's log counts with its session, wherever the two were surveyed, and in any order.

use std::collections::{HashMap, HashSet};

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::inquiry::survey::Survey;

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
}

/// The last part of a path.
pub fn last_name(path: &str) -> &str {
    path.rsplit(['/', '\\']).next().unwrap_or(path)
}

/// What a log is known again by.
#[derive(PartialEq, Eq, Hash)]
enum Known {
    /// A session's log, wherever it lies; a subagent's has its name beside that.
    Session { format: Option<String>, id: String, subagent: Option<String> },
    /// One without an id: where it lies, and what was found in it, as another may have lain there.
    Found { format: Option<String>, path: String, figures: String },
}

/// A line that counts: its figures as JSON, which takes a fraction of the room.
struct Taken {
    name: String,
    log: Log,
    steps: u64,
    figures: String,
}

impl Taken {
    /// Of two lines of one log, the later one counts, which has more; where they differ in something else, always the
    /// same one.
    fn rank(&self) -> (u64, usize, &str) {
        (self.steps, self.figures.len(), &self.figures)
    }
}

/// The sum of lines, each log taken once.
#[derive(Default)]
pub struct Sum {
    /// The lines that are sums themselves.
    all: Survey,
    /// The logs, in the order in which they came.
    taken: Vec<Taken>,
    /// Which of them a log is.
    known: HashMap<Known, usize>,
}

impl Sum {
    /// Takes a line in; one without a path is a sum itself.
    pub fn take(&mut self, path: Option<&str>, format: Option<&str>, log: &Log, survey: &Survey) {
        // What cannot be told again counts by itself.
        let (Some(path), Ok(figures)) = (path, serde_json::to_string(survey)) else { return self.all.merge(survey) };
        let (name, format) = (last_name(path).to_owned(), format.map(str::to_owned));
        let known = match log.session.clone() {
            Some(id) => Known::Session { format, id, subagent: log.subagent.then(|| name.clone()) },
            None => Known::Found { format, path: one_spelling(path), figures: figures.clone() },
        };
        let taken = Taken { name, log: log.clone(), steps: survey.steps, figures };
        let at = *self.known.entry(known).or_insert(self.taken.len());
        match self.taken.get_mut(at) {
            Some(before) if before.rank() < taken.rank() => *before = taken,
            Some(_) => {}
            None => self.taken.push(taken),
        }
    }

    /// The sum, once everything has come.
    #[must_use]
    pub fn done(self) -> Survey {
        let Sum { mut all, taken, .. } = self;
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
