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

/// The sum of lines, each log taken once.
#[derive(Default)]
pub struct Sum {
    /// All that counts so far.
    all: Survey,
    /// Logs that came, by path and session.
    seen: HashSet<(String, Option<String>)>,
    /// Names of logs that count with a session, and the sessions.
    held: HashMap<String, HashSet<Option<String>>>,
    /// Subagents' logs of which no session has come yet.
    open: Vec<(String, Option<String>, Survey)>,
}

impl Sum {
    /// Takes a line in; one without a path is a sum itself.
    pub fn take(&mut self, path: Option<&str>, log: &Log, survey: &Survey) {
        let Some(path) = path else { return self.all.merge(survey) };
        if !self.seen.insert((path.to_owned(), log.session.clone())) {
            return;
        }
        if log.subagent {
            self.open.push((last_name(path).to_owned(), log.session.clone(), survey.clone()));
            return;
        }
        for name in &log.with {
            self.held.entry(name.clone()).or_default().insert(log.session.clone());
        }
        self.all.merge(survey);
    }

    /// The sum, once everything has come.
    pub fn done(mut self) -> Survey {
        for (name, session, survey) in &self.open {
            // A rollout is named by its own id, and may be of a subagent's subagent; other names may come again.
            let is_unique = name.starts_with("rollout-");
            let held = self.held.get(name).is_some_and(|sessions| is_unique || sessions.contains(session));
            if !held {
                self.all.merge(survey);
            }
        }
        self.all
    }
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
                sum.take(Some(path), log, survey);
            });
            let all = sum.done();
            assert_eq!((all.sessions, all.steps), (2, 110), "{turn}");
        }
    }
}
