//! Whether a text only plans, supposes or remembers what a sentence says to be so: "if the disk is full" does not say that
//! it is, "we will fix it" not that it was fixed, and "the port used to be 80" not that it is.

use std::collections::BTreeSet;

use super::irregular::verb_of;
use super::lexer::{Word, text_at, text_before};
use super::marks::{Task, task};
use super::mood::{CHANGES, LASTS};
use super::numeral::counted;
use super::sense::{ends_clause, is_empty, stem};
use super::sentences;
use super::stand::{Stand, done, is_verb_of_done};
use super::subject::subject_of;
use super::words::{exact, is_silent};

/// Share of a sentence's words that another has which speaks of it.
const SHARE: f64 = 0.6;
/// Words of a sentence, and sentences of a passage, that are read: one with more is data.
const WORDS: usize = 120;
const SENTENCES: usize = 24;
/// Words before a verb among which it stands by what it is only planned.
const BEFORE: usize = 4;

/// Words that suppose what follows, and those that do where that is not told as past.
const SUPPOSES: &[&str] = &["assuming", "if", "suppose", "supposing", "unless", "whether"];
const SUPPOSES_IN: &[&[&str]] = &[&["in", "case"], &["as", "long", "as"], &["provided", "that"]];
const WHEN: &[&str] = &["once", "when", "whenever"];
/// Words that do at the beginning, before what they speak of: "Should the disk be full, …"
const INVERTED: &[&str] = &["had", "should", "were"];
/// Forms of verbs that tell of the past.
const PAST: &[&str] = &["could", "did", "had", "was", "were"];
const PRESENT: &[&str] = &["are", "has", "have", "is", "now"];

/// Words behind which a verb is done only in somebody's mind.
const PLANS: &[&str] = &[
    "can", "could", "let", "let's", "may", "might", "must", "ought", "please", "shall", "should", "to", "will", "would",
];
/// Words before "to" by which what follows was done.
const MANAGED: &[&str] = &["able", "got", "had", "helped", "managed", "used"];
/// What is said of a thing that is still to be done.
const STILL: &[&[&str]] = &[&["still", "open"], &["still", "pending"], &["not", "yet"], &["yet", "to"], &["to", "be"]];
/// Verbs of which what was done is told by the verb as it is.
const AS_THEY_ARE: &[&str] = &["cut", "put", "reset", "set", "shut", "split"];
/// How a thing is that was done.
const RESULTS: &[&str] = &["complete", "completed", "done", "finished", "fixed", "merged", "ready", "resolved"];

/// Words by which a thing was so, and is no more, wherever they stand; and those that say it of the next word.
const ONCE_WAS: &[&str] = &["formerly", "previously"];
const ONCE_WAS_IN: &[&[&str]] = &[&["in", "the", "past"], &["at", "one", "time"], &["back", "then"]];
const OLD: &[&str] = &["ex", "former", "old", "previous"];

/// Why a text does not say that something is so.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Unsettled {
    /// It plans or supposes it.
    Open,
    /// It was so.
    Past,
}

/// What a sentence says to be so or to have been done.
#[derive(Clone, Debug, Default)]
pub(super) struct Settled {
    stems: BTreeSet<String>,
    /// Stems of the verbs of what it says was done.
    done: BTreeSet<String>,
    /// Whether something depends on something else in it.
    when: bool,
    /// Whether it says that something was done, and whether it speaks of the past at all.
    is_done: bool,
    is_past: bool,
}

impl Settled {
    /// Reads a sentence.
    pub fn of(sentence: &str) -> Settled {
        let plain = exact(sentence);
        let words = counted(&plain);
        let text = |at: usize| text_at(&words, at);
        let has = |list: &[&str]| words.iter().any(|word| list.contains(&&*word.text));
        let stand = Stand::of(&words, Task::None);
        let mut done: BTreeSet<String> = done(&words).collect();
        let past = |at: usize| past_of(text(at));
        // "was rewritten", "has already been sent"
        let participle = |at: usize| {
            let mut behind = (1..=2).map(|back| text_before(&words, at, back)).take_while(|text| !text.is_empty());
            let is_told = behind.any(|text| matches!(text, "been" | "was" | "were" | "had" | "has" | "have"));
            past(at).or_else(|| Some(text(at)).filter(|text| AS_THEY_ARE.contains(text))).filter(|_| is_told)
        };
        let told: Vec<String> = (1..words.len()).filter_map(participle).map(stem).collect();
        // "Ann wrote it", "We fixed it", "Fixed it": beside these, "merged" in "the list of merged branches" tells no deed.
        let is_he = |at: usize| matches!(text(at), "he" | "i" | "she" | "they" | "we" | "you");
        let at = if is_he(0) { 1 } else { words.iter().take_while(|word| past_of(&word.text).is_none()).count() };
        let is_first =
            at == 0 || is_he(0) || subject_of(sentence).is_some_and(|subject| subject.verb == stem(text(at)));
        let active = past(at).filter(|_| is_first).map(stem);
        let is_perfect = !told.is_empty() || active.is_some() || has(&["was", "were", "been"]);
        done.extend(told.into_iter().chain(active));
        let is_result = || {
            let is = |at: usize| matches!(text_before(&words, at, 1), "is" | "are") && RESULTS.contains(&text(at));
            (1..words.len()).any(is)
        };
        let settled = Settled {
            stems: stems_of(&words, (0, words.len())),
            is_done: !stand.is_planned() && ((is_perfect && !done.is_empty()) || is_result()),
            done,
            when: has(SUPPOSES) || has(WHEN) || has(&["after", "before", "until"]),
            is_past: has(PAST) || has(ONCE_WAS) || has(OLD),
        };
        // What leaves a thing open itself is said by what does.
        if settled.lack(sentence).is_some() { Settled::default() } else { settled }
    }

    /// Why each sentence of a text that speaks of it leaves it open; `None` where one does not, or none speaks of it.
    pub fn lack(&self, text: &str) -> Option<Unsettled> {
        if self.stems.is_empty() {
            return None;
        }
        let mut found = None;
        for (from, to) in sentences(text).into_iter().take(SENTENCES) {
            let (kind, written) = task(text.get(from..to)?);
            let plain = exact(written);
            let words = counted(&plain);
            if words.len() > WORDS {
                return None;
            }
            if self.share_in(&stems_of(&words, (0, words.len()))) < SHARE {
                continue;
            }
            found = Some(self.lack_in(&words, kind)?);
        }
        found
    }

    fn lack_in(&self, words: &[Word], task: Task) -> Option<Unsettled> {
        let open = (!self.when && self.is_supposed(words)) || (self.is_done && self.is_planned(words, task));
        let past = || !self.is_past && !self.is_done && self.is_over(words);
        match open {
            true => Some(Unsettled::Open),
            false => past().then_some(Unsettled::Past),
        }
    }

    #[allow(clippy::cast_precision_loss)]
    fn share_in(&self, stems: &BTreeSet<String>) -> f64 {
        self.stems.intersection(stems).count() as f64 / self.stems.len().max(1) as f64
    }

    /// Whether it stands in what is supposed, and not in what then holds.
    fn is_supposed(&self, words: &[Word]) -> bool {
        let ends = |at: usize| words.get(at).is_none_or(|word| word.after.contains([',', ';', ':']));
        let asks = words.last().is_some_and(|word| word.after.contains('?'));
        let is_in = |(from, to): (usize, usize)| {
            let inside = stems_of(words, (from, to));
            let mut outside = stems_of(words, (0, from));
            outside.extend(stems_of(words, (to, words.len())));
            let alone: BTreeSet<String> = outside.difference(&inside).cloned().collect();
            self.share_in(&inside) >= SHARE && self.share_in(&alone) < 1.0 - SHARE
        };
        let range = |at: usize| {
            let rest = words.get(at..)?;
            let leads = |phrase: &&&[&str]| phrase.iter().enumerate().all(|(nth, word)| text_at(rest, nth) == *word);
            let phrase = SUPPOSES_IN.iter().find(leads).map(|phrase| phrase.len());
            let text = text_at(words, at);
            // "It once used React" tells of the past.
            let was =
                text == "once" && (PAST.contains(&text_before(words, at, 1)) || text_at(words, at + 1).ends_with("ed"));
            let plain = (SUPPOSES.contains(&text) || (WHEN.contains(&text) && !was)).then_some(1);
            let inverted = (at == 0 && INVERTED.contains(&text) && !asks).then_some(1);
            let from = at + phrase.or(plain).or(inverted)?;
            let end = (from..words.len()).find(|at| ends(*at) || text_at(words, at + 1) == "then");
            // "If you deploy it use port 80": nobody knows where what is supposed ends.
            let to = end.map(|end| end + 1).or((at > 0).then_some(words.len()))?;
            if inverted.is_some() && to >= words.len() {
                return None;
            }
            let past = (from..to).any(|at| PAST.contains(&text_at(words, at)));
            (!WHEN.contains(&text) || !past).then_some((from, to))
        };
        (0..words.len()).filter_map(range).any(is_in)
    }

    /// Whether what it says was done is only to be done, in every place where that is told.
    fn is_planned(&self, words: &[Word], task: Task) -> bool {
        let stand = Stand::of(words, task);
        let verbs: Vec<usize> = (0..words.len()).filter(|at| self.done.contains(&verb(text_at(words, *at)))).collect();
        let has = |phrase: &&[&str]| {
            let stands = |at: usize| phrase.iter().enumerate().all(|(nth, word)| text_at(words, at + nth) == *word);
            (0..words.len()).any(stands)
        };
        let is_open = |at: &usize| is_to_be_done(words, *at);
        (!verbs.is_empty() && verbs.iter().all(is_open)) || stand.is_planned() || STILL.iter().any(has)
    }

    /// Whether what it says to be so is told as having been so once.
    fn is_over(&self, words: &[Word]) -> bool {
        let text = |at: usize| text_at(words, at);
        let says_now = (0..words.len()).any(|at| PRESENT.contains(&text(at)));
        let stands = |at: usize, phrase: &[&str]| phrase.iter().enumerate().all(|(nth, word)| text(at + nth) == *word);
        let is_past = |at: usize| {
            PAST.contains(&text(at)) || (text(at).ends_with("ed") && !text(at).ends_with("eed") && text(at).len() > 3)
        };
        let lasts = |at: usize| CHANGES.contains(&text(at)) || LASTS.contains(&text(at));
        let is_at = |at: usize| {
            let before = text_before(words, at, 1);
            match text(at) {
                "used" => text(at + 1) == "to" && !matches!(before, "are" | "be" | "is"),
                "once" => {
                    let goes_on = words.get(at).is_some_and(|word| word.after == " ");
                    goes_on && (PAST.contains(&before) || is_past(at + 1)) && before != "at"
                }
                "until" => !says_now && (0..words.len()).any(|other| other != at && is_past(other)),
                "before" => {
                    let told = |other: usize| PAST.contains(&text(other));
                    !says_now && (0..at).any(told) && !(0..at).any(lasts)
                }
                word if ONCE_WAS.contains(&word) => !says_now,
                word if OLD.contains(&word) => {
                    let told = (0..words.len()).any(|other| PAST.contains(&text(other)));
                    told && !says_now && self.stems.contains(&verb(text(at + 1)))
                }
                _ => ONCE_WAS_IN.iter().any(|phrase| stands(at, phrase)) && !says_now,
            }
        };
        (0..words.len()).any(is_at)
    }
}

/// Whether a verb tells at a place of what is yet to be done: behind "to", "will" and the like, or as an order.
fn is_to_be_done(words: &[Word], at: usize) -> bool {
    let text = |at: usize| text_at(words, at);
    let own = text(at);
    let first = at == 0 || words.get(at - 1).is_some_and(|word| ends_clause(word.after) || word.after.contains(':'));
    if first && past_of(own).is_none() && !own.ends_with("ing") {
        return true;
    }
    // "The move to Oslo is finished": of that, "to" plans nothing.
    let is_told = matches!(text_before(words, at, 1), "are" | "had" | "has" | "have" | "is" | "was" | "were");
    if is_told && past_of(own).is_some() {
        return false;
    }
    let near = at.saturating_sub(BEFORE)..at;
    let ends = |at: usize| words.get(at).is_some_and(|word| ends_clause(word.after));
    near.rev().take_while(|at| !ends(*at)).any(|before| {
        let managed = text(before) == "to" && MANAGED.contains(&text_before(words, before, 1));
        // "has to be", "had to": still to be done, unless it was.
        let word = text(before);
        (PLANS.contains(&word) || word.ends_with("'ll")) && !managed
    })
}

/// The verb of which a word tells that it was done.
fn past_of(word: &str) -> Option<&str> {
    verb_of(word).or_else(|| is_verb_of_done(word))
}

/// The stem of the verb that a word may be a form of.
fn verb(word: &str) -> String {
    stem(verb_of(word).unwrap_or(word))
}

/// The stems of the words in a range that say something.
fn stems_of(words: &[Word], (from, to): (usize, usize)) -> BTreeSet<String> {
    let says =
        |word: &&Word| word.text.contains(char::is_alphanumeric) && !is_silent(&word.text) && !is_empty(&word.text);
    words.get(from..to).unwrap_or_default().iter().filter(says).map(|word| verb(&word.text)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn lack(sentence: &str, text: &str) -> Option<Unsettled> {
        Settled::of(sentence).lack(text)
    }

    #[test]
    fn what_is_planned_was_not_done() {
        for (sentence, text) in [
            ("the migration to Postgres is finished", "We will finish the migration to Postgres next week."),
            ("the parser has been rewritten", "I am going to rewrite the parser."),
            ("the server was moved to Dublin", "The server is to be moved to Dublin in June."),
            ("the docs were updated", "The docs should be updated."),
            ("logging was added to the worker", "Let me add logging to the worker."),
            ("the build was repaired", "Please repair the build."),
            ("the table was split in two", "The plan is to split the table in two."),
            ("the queue was drained", "Remember to drain the queue."),
            ("the report was reviewed", "Ask Tom to review the report."),
            ("the logo was replaced", "- [ ] replace the logo"),
            ("the index was rebuilt", "Rebuilding the index is still open."),
            ("Olga approved the design", "Olga has to approve the design."),
        ] {
            assert_eq!(lack(sentence, text), Some(Unsettled::Open), "{sentence} / {text}");
        }
        for (sentence, text) in [
            ("the meeting was moved to Monday", "The meeting has been moved to Monday, please tell the others."),
            ("the index was dropped", "We planned to drop the index. Yesterday the index was dropped."),
            ("the index was dropped", "Tom managed to drop the index."),
            ("use tabs in the sources", "We should use tabs in the sources."),
            ("use the shared cache for merged branches", "Please use the shared cache for merged branches."),
            ("use the image built by CI", "We should use the image built by CI."),
            ("Made the test hermetic", "- Made the test hermetic"),
            ("we found three errors", "Found three errors."),
            ("All files appear to have restricted permissions", "All files appear to have restricted permissions."),
            ("the cache is disabled", "The cache must be disabled."),
            ("the relay goes to port 2525", "The relay has to be moved to port 2525."),
        ] {
            assert_eq!(lack(sentence, text), None, "{sentence} / {text}");
        }
    }

    #[test]
    fn what_is_supposed_is_not_so() {
        for (sentence, text) in [
            ("the cache is disabled", "If the cache is disabled, the tests pass."),
            ("the fee is waived", "The trip is free if the fee is waived."),
            ("the token is expired", "When the token is expired, a new one is fetched."),
            ("the flag is set", "In case the flag is set, skip the step."),
            ("the disk is full", "Should the disk be full, delete the logs."),
            ("the migration failed", "Had the migration failed, we would know."),
        ] {
            assert_eq!(lack(sentence, text), Some(Unsettled::Open), "{sentence} / {text}");
        }
        for (sentence, text) in [
            ("the tests pass", "If the cache is disabled, the tests pass."),
            ("use port 8443 for the gateway", "When you deploy, use port 8443 for the gateway."),
            ("use port 8443 for the gateway", "If you deploy use port 8443 for the gateway."),
            ("the worker sleeps when the queue is empty", "If the queue is empty, the worker sleeps."),
            ("the cache was disabled", "When the cache was disabled, the tests passed."),
            ("the cache is disabled", "If the cache is disabled, wait. The cache is disabled."),
        ] {
            assert_eq!(lack(sentence, text), None, "{sentence} / {text}");
        }
    }

    #[test]
    fn what_was_so_once_is_so_no_more() {
        for (sentence, text) in [
            ("the port is 8443", "The port used to be 8443."),
            ("the cluster is in Frankfurt", "The cluster was formerly in Frankfurt."),
            ("the frontend uses React", "The frontend once used React."),
            ("the licence is MIT", "The licence was MIT until version 2."),
            ("the price is 19 dollars", "The old price was 19 dollars."),
            ("the key is rotated weekly", "In the past the key was rotated weekly."),
            ("the cluster has three nodes", "The cluster had three nodes before the upgrade."),
        ] {
            assert_eq!(lack(sentence, text), Some(Unsettled::Past), "{sentence} / {text}");
        }
        for (sentence, text) in [
            ("deploys are frozen", "Deploys are frozen until Friday."),
            ("the timeout is 30 seconds", "Now the timeout is 30 seconds, it was 10 before."),
            ("the worker is slow", "I found that the worker was slow."),
            ("the index is kept", "The old index is kept."),
            ("fetch the branch once (used for prompts)", "Fetch the branch once (used for prompts)"),
            ("the port was 8443", "The port used to be 8443."),
            ("the limit is 20", "The limit was raised to 20 before the release."),
            ("the key is used to sign the builds", "The key is used to sign the builds."),
        ] {
            assert_eq!(lack(sentence, text), None, "{sentence} / {text}");
        }
    }
}
