//! Names in the file of memories that stand for several things at once, so that no two of these have one name.

/// A name as a part of a longer one: without the signs that part those.
fn escaped(name: &str) -> String {
    name.replace('%', "%25").replace('/', "%2F").replace('#', "%23")
}

/// The owner of the memories of a user's session. Users and sessions may be named with slashes.
#[must_use]
pub fn session_of(user: &str, name: &str) -> String {
    format!("{}/{name}", escaped(user))
}

/// A part of a session as one user keeps it: what it said, used, merged and related belongs together.
#[derive(Clone, Copy, Debug)]
pub struct Layer<'a> {
    /// The session.
    pub session: &'a str,
    /// Which part of it.
    pub part: &'a str,
    /// Who keeps it.
    pub user: &'a str,
    /// For which agent, where its memories are an agent's.
    pub agent: Option<&'a str>,
    /// The agent at work, whosever its memories are.
    pub at_work: &'a str,
}

impl Layer<'_> {
    /// Its name in the file.
    pub(super) fn name(self) -> String {
        self.named(self.agent.unwrap_or_default())
    }

    /// The name of the same part as it is kept under another scope: an agent's for a user's, and a user's for an
    /// agent's. One takes the place of the other.
    pub(super) fn of_other_scope(self) -> String {
        self.named(if self.agent.is_some() { "" } else { self.at_work })
    }

    fn named(self, agent: &str) -> String {
        [self.session, self.part, self.user, agent].map(escaped).join("#")
    }
}

/// Whether a layer is one of a session, whoever kept it.
pub(super) fn is_of(layer: &str, session: &str) -> bool {
    layer.split('#').next() == Some(&*escaped(session))
}
