//! Whose memories are meant, where the command line names a user, an agent or a session.

use crate::cli::args::Look;
use crate::cli::load::settings_of;
use crate::config::Settings;
use crate::io::{KeptMemory, session_of};
use crate::memory::of_nameless;
use crate::policy::{Choice, Scope};
use crate::present::counted;

/// The owners that the command line names; where it names none, all are meant.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Whose {
    user: Option<String>,
    session: Option<String>,
    agent: Option<String>,
}

impl Whose {
    /// Those that `--set` names: what a config file says is who somebody is, not what they ask for.
    pub fn of(look: &Look, settings: &Settings) -> Whose {
        let given = settings_of(look);
        let is_given = |name: &str| given.iter().any(|(key, _)| *key == name);
        Whose {
            user: is_given("user").then(|| settings.user.clone()),
            session: settings.session.clone().filter(|_| is_given("session")),
            agent: settings.agent.clone().filter(|_| is_given("agent")),
        }
    }

    /// Whether a memory is of one of them. A user's sessions are the user's.
    pub fn holds(&self, memory: &KeptMemory) -> bool {
        if *self == Whose::default() {
            return true;
        }
        let is = |wanted: &Option<String>| wanted.as_deref() == Some(&memory.owner);
        let of_agent =
            || is(&self.agent) || of_nameless(&memory.owner).is_some_and(|session| self.holds_session(session));
        match memory.scope.as_str() {
            scope if scope == Scope::User.name() => is(&self.user),
            scope if scope == Scope::Agent.name() => of_agent(),
            _ => self.holds_session(&memory.owner),
        }
    }

    /// Whether a session is one of them, by its name in the file.
    fn holds_session(&self, owner: &str) -> bool {
        let name = owner.split_once('/').map_or(owner, |(_, name)| name);
        let of_user = |user: &String| owner.starts_with(&session_of(user, ""));
        (self.user.is_some() || self.session.is_some())
            && self.user.as_ref().is_none_or(of_user)
            && self.session.as_deref().is_none_or(|session| session == name || session == owner)
    }

    /// What is said of memories of others.
    pub fn left_out(&self, number: usize) -> Option<String> {
        let named = [("user", &self.user), ("agent", &self.agent), ("session", &self.session)];
        let named = named.iter().filter_map(|(key, value)| Some(format!("{key} = {:?}", value.as_deref()?)));
        let left = counted(number as u64, "memory is", "memories are");
        (number > 0).then(|| format!("note: {left} left out: of others than {}", named.collect::<Vec<_>>().join(", ")))
    }

    /// The settings that name somebody of another scope than this, which they say nothing of.
    pub fn beside(&self, scope: &str) -> Vec<&'static str> {
        let named = [("session", &self.session), ("agent", &self.agent)];
        named.into_iter().filter(|(key, value)| value.is_some() && *key != scope).map(|(key, _)| key).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_memory_is_of_those_that_are_named() {
        let rows = [
            ("user", "bob"),
            ("user", "alice"),
            ("session", "bob/fix"),
            ("session", "bob/other"),
            ("session", "alice/fix"),
            ("agent", "codex"),
            ("agent", "the agent of bob/fix"),
        ];
        let held = |user: Option<&str>, session: Option<&str>, agent: Option<&str>| -> Vec<usize> {
            let [user, session, agent] = [user, session, agent].map(|name| name.map(str::to_owned));
            let whose = Whose { user, session, agent };
            let row = |(scope, owner): (&str, &str)| KeptMemory {
                scope: scope.to_owned(),
                owner: owner.to_owned(),
                ..KeptMemory::default()
            };
            (0..rows.len()).filter(|at| whose.holds(&row(rows[*at]))).collect()
        };
        assert_eq!(held(None, None, None).len(), rows.len());
        assert_eq!(held(Some("bob"), None, None), [0, 2, 3, 6]);
        assert_eq!(held(Some("bob"), Some("fix"), None), [0, 2, 6]);
        assert_eq!(held(None, Some("fix"), None), [2, 4, 6]);
        assert_eq!(held(None, None, Some("codex")), [5]);
        assert_eq!(held(Some("bo"), None, None), [] as [usize; 0]);
    }
}
