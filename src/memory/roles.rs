//! Who does it to whom: "the client calls the server" is not "the server calls the client".

use std::collections::BTreeSet;

use super::clauses::is_aside;
use super::lexer::{Word, text_at};
use super::part::is_even;
use super::quantity::is_quantity;
use super::sense::{ends_clause, is_empty, joins, stem};
use super::words::is_silent;

/// Words of a sentence that are read: one with more is data.
const READ: usize = 40;
/// Words that lead from a verb to what it is done to.
const LEADS: &[&str] =
    &["a", "against", "an", "for", "from", "her", "his", "in", "into", "its", "of", "on", "onto", "the", "their", "to"];
/// Those of them that tell which way.
const WAYS: &[&str] = &["against", "for", "from", "in", "into", "of", "on", "onto", "to"];
/// Words before a verb that tell when or how sure it is.
const HELPS: &[&str] = &["also", "can", "could", "did", "does", "may", "must", "now", "should", "will", "would"];
/// What holds of two both ways, or lists them; as does any verb with "with" behind it.
const BOTH_WAYS: &[&str] = &["borders", "joins", "married", "matches", "meets", "met", "plus", "versus", "vs"];
const BEING: &[&str] = &["are", "be", "been", "being", "is", "was", "were"];

/// One who acts, the verb, and what stands behind that, by stems.
#[derive(Clone, Debug)]
struct Act {
    who: String,
    verb: String,
    /// What leads from the verb to them: "runs in" is not "runs".
    lead: String,
    whom: BTreeSet<String>,
}

/// Who does what to whom in a sentence, as far as the order of its words can tell it.
#[derive(Clone, Debug, Default)]
pub(super) struct Roles {
    acts: Vec<Act>,
    /// Who does what, to whomever: each word with the next, and those behind "by" with the verb before it.
    doers: BTreeSet<(String, String)>,
}

impl Roles {
    /// Takes a sentence in. Any word between two may be the verb: only that another sentence has the same three in the
    /// other order tells.
    pub fn read(&mut self, words: &[Word]) {
        if words.len() > READ {
            return;
        }
        let says = |at: usize| {
            words.get(at).filter(|word| !is_silent(&word.text) && !is_empty(&word.text) && !joins(&word.text))
        };
        let is_close = |at: usize| words.get(at).is_some_and(|word| matches!(word.after, " " | "` " | " `" | "` `"));
        let text = |at: usize| text_at(words, at);
        for at in 1..words.len() {
            let Some(verb) = says(at).filter(|verb| verb.text.chars().all(char::is_alphabetic)) else { continue };
            let mutual = BOTH_WAYS.contains(&&*verb.text) || text(at + 1) == "with" || is_even(&verb.text);
            if mutual || !is_close(at - 1) || ends_clause(verb.after) {
                continue;
            }
            let mut before = at - 1;
            while before > 0 && HELPS.contains(&text(before)) && is_close(before - 1) {
                before -= 1;
            }
            let passive = BEING.contains(&text(before)) && before > 0;
            if passive {
                before -= 1;
            }
            let Some(who) = says(before) else { continue };
            let by = text(at + 1) == "by";
            if !passive && !by && !is_aside(&who.text) && ![who, verb].iter().any(|word| is_quantity(&word.text)) {
                self.doers.insert((stem(&who.text), stem(&verb.text)));
            }
            if passive != by || at + 1 == words.len() {
                continue;
            }
            let from = (at + 1..words.len()).find(|at| !LEADS.contains(&text(*at)) && text(*at) != "by");
            let Some(from) = from else { continue };
            let leads = (at + 1..from).map(text).find(|lead| WAYS.contains(lead));
            let lead = leads.unwrap_or_default().to_owned();
            let mut whom = BTreeSet::new();
            for place in from..words.len() {
                let Some(word) = says(place) else { break };
                whom.insert(stem(&word.text));
                if !is_close(place) {
                    break;
                }
            }
            let (who, verb) = (stem(&who.text), stem(&verb.text));
            if by {
                self.doers.extend(whom.iter().map(|by| (by.clone(), verb.clone())));
            }
            match by {
                true => self.acts.extend(whom.into_iter().map(|by| Act {
                    who: by,
                    verb: verb.clone(),
                    lead: lead.clone(),
                    whom: BTreeSet::from([who.clone()]),
                })),
                false => self.acts.push(Act { who, verb, lead, whom }),
            }
        }
    }

    /// Whether one acts here to whom it is done there, by the same verb.
    pub fn are_swapped(&self, other: &Roles) -> bool {
        let is_swapped = |own: &Act, one: &Act| {
            own.verb == one.verb
                && own.lead == one.lead
                && own.who != one.who
                && own.whom.contains(&one.who)
                && one.whom.contains(&own.who)
        };
        let is_same =
            |own: &Act, one: &Act| own.verb == one.verb && own.who == one.who && !own.whom.is_disjoint(&one.whom);
        let acts = || other.acts.iter();
        self.acts.iter().any(|own| acts().any(|one| is_swapped(own, one)) && !acts().any(|one| is_same(own, one)))
    }

    /// Whether two have changed what they do: "a reviews what b writes" where there b reviews what a writes.
    pub fn are_crossed(&self, other: &Roles) -> bool {
        self.taken(other).any(|(who, verb, was, does)| {
            let took = |(one, what): &&(String, String)| one == was && what == does;
            who != was && verb != does && self.doers.iter().any(|own| took(&own))
        })
    }

    /// Who does here what there only another does, and what it does itself there: who, what, the other, what else.
    fn taken<'a>(&'a self, other: &'a Roles) -> impl Iterator<Item = (&'a str, &'a str, &'a str, &'a str)> {
        let new = self.doers.iter().filter(|own| !other.doers.contains(*own));
        new.flat_map(move |(who, verb)| {
            let others = other.doers.iter().filter(move |(one, does)| does == verb && one != who);
            others.flat_map(move |(was, _)| {
                let own = other.doers.iter().filter(move |(one, does)| one == who && does != verb);
                own.map(move |(_, does)| (who.as_str(), verb.as_str(), was.as_str(), does.as_str()))
            })
        })
    }
}

#[cfg(test)]
mod tests {
    use super::super::lexer::words;
    use super::super::plain;
    use super::*;

    #[test]
    fn who_acts_and_to_whom_do_not_change_places() {
        let of = |text: &str| {
            let mut roles = Roles::default();
            roles.read(&words(&plain(text)));
            roles
        };
        for (one, other) in [
            ("The client calls the server.", "The server calls the client."),
            ("The server is called by the client.", "The server calls the client."),
            ("The queue depends on the scheduler.", "The scheduler depends on the queue."),
            ("The suite runs against PostgreSQL.", "PostgreSQL runs against the suite."),
        ] {
            assert!(of(one).are_swapped(&of(other)) && of(other).are_swapped(&of(one)), "{one} / {other}");
        }
        for (one, other) in [
            ("The client calls the server.", "The server is called by the client."),
            ("The config file path.", "The path of the file in the config."),
            ("Fixed the type and lint errors.", "Fixed lint and type errors."),
            ("Ops pairs with Finance.", "Finance pairs with Ops."),
            ("The old schema differs from the new schema.", "The new schema differs from the old schema."),
        ] {
            assert!(!of(one).are_swapped(&of(other)), "{one} / {other}");
        }
    }
}
