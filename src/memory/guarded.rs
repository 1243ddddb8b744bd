//! What may be done only once something else was: who is told to ask before touching a thing is not told to touch it, and
//! nobody touched it.

use std::collections::BTreeSet;

use super::denied::denies_at;
use super::lexer::{Word, text_at};
use super::sense::{ends_clause, is_empty, joins, stem};
use super::stand::{is_verb_of_done, ordered};
use super::words::is_silent;

/// Words behind which it stands what is to be done first.
const MUST: &[&str] = &["must", "shall", "should", "need", "needs", "has", "have"];
/// Words with which somebody is named that the verb of a clause follows.
const WHO: &[&str] =
    &["anybody", "anyone", "anything", "he", "i", "it", "she", "somebody", "someone", "they", "we", "you"];
/// Stems of words by which it is told that somebody is asked.
const ASKS: &[&str] = &["approv", "ask", "check", "clear", "confirm", "consent", "consult", "leav", "permiss", "sign"];
const BEING: &[&str] = &["are", "be", "been", "being", "is"];

/// What a sentence demands before something else.
#[derive(Clone, Debug, Default)]
pub(super) struct Guarded {
    /// Stems of the verbs of what may be done then.
    verbs: BTreeSet<String>,
    /// Stems of what is to be done first.
    first: BTreeSet<String>,
}

impl Guarded {
    /// Takes a sentence in.
    pub fn read(&mut self, words: &[Word]) {
        for at in (1..words.len()).filter(|at| text_at(words, *at) == "before") {
            let ends = |at: &usize| words.get(*at).is_some_and(|word| ends_clause(word.after));
            let start = (0..at - 1).rev().find(ends).map_or(0, |at| at + 1);
            let Some(demand) = words.get(start..at) else { continue };
            let texts: Vec<&str> = demand.iter().map(|word| &*word.text).collect();
            if (0..texts.len()).any(|at| denies_at(&texts, at)) {
                continue;
            }
            let must = texts.iter().position(|text| MUST.contains(text));
            let verb = |must: usize| {
                let says = |word: &&Word| !is_silent(&word.text) && !is_empty(&word.text);
                demand.iter().skip(must + 1).find(says).map(|word| stem(&word.text))
            };
            let first: BTreeSet<String> = match must {
                Some(must) => verb(must).into_iter().collect(),
                None => ordered(demand).collect(),
            };
            let Some(then) = done_then(words, at + 1).filter(|_| !first.is_empty()) else { continue };
            self.verbs.insert(then);
            self.first.extend(first);
        }
    }

    /// Whether it tells without more, of what another lets nobody do before something else, that it is done or may be.
    /// `stems`: all that it says.
    pub fn leaves_out_what_is_first(&self, stems: &BTreeSet<String>, other: &Guarded) -> bool {
        let asks = || ASKS.iter().any(|start| stems.iter().any(|stem| stem.starts_with(start)));
        other.verbs.iter().any(|verb| stems.contains(verb) && !self.verbs.contains(verb))
            && stems.is_disjoint(&other.first)
            && !asks()
    }
}

/// The stem of the verb of a clause that begins at a place: "you touch it", "touching it", "it is touched".
fn done_then(words: &[Word], from: usize) -> Option<String> {
    let named = usize::from(WHO.contains(&text_at(words, from)));
    let first = words.get(from + named)?;
    let to = (from..words.len())
        .find(|at| words.get(*at).is_some_and(|word| ends_clause(word.after) || joins(&word.text)))
        .map_or(words.len(), |at| at + 1);
    let is_passive =
        |at: &usize| BEING.contains(&text_at(words, at - 1)) && is_verb_of_done(text_at(words, *at)).is_some();
    if let Some(verb) = (from + 1..to).find(is_passive).and_then(|at| is_verb_of_done(text_at(words, at))) {
        return Some(stem(verb));
    }
    let is_base = named > 0 && is_verb_of_done(&first.text).is_none();
    let is_doing = first.text.len() > 4 && first.text.ends_with("ing");
    (is_base || is_doing).then(|| stem(&first.text)).filter(|_| !is_silent(&first.text))
}

#[cfg(test)]
mod tests {
    use super::super::measure::{Support, align};

    #[test]
    fn who_is_told_to_ask_before_doing_a_thing_has_not_done_it() {
        let said = "Ask Dana before you touch the migrations.";
        for (told, source) in [
            ("Dana touched the migrations.", said),
            ("The migrations were touched.", said),
            ("Touch the migrations.", said),
            ("You may touch the migrations.", said),
            ("Ops deploys to production.", "Check with ops before deploying to production."),
            ("Ann merged the branch.", "Ann must review the branch before it is merged."),
        ] {
            assert_ne!(align(told, &[source])[0].support, Support::Stands, "{told} / {source}");
        }
        for (told, source) in [
            ("Ask Dana before touching the migrations.", said),
            ("Dana must be asked before the migrations are touched.", said),
            ("We deployed to production.", "We ran the tests before deploying to production."),
            ("Run the linter before committing.", "Run the linter before you commit."),
            ("Ann must review the branch before the merge.", "Ann must review the branch before it is merged."),
        ] {
            assert_eq!(align(told, &[source])[0].support, Support::Stands, "{told} / {source}");
        }
    }
}
