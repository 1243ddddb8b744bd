//! Whether a sentence says that a thing is done, or asks for it, plans it, or says it on a condition: what was asked is
//! not what was done.

use super::compare::either_way;
use super::lexer::{Word, text_at, text_before};
use super::marks::Task;
use super::mood::Signs;
use super::sense::{joins, stem};
use super::words::is_silent;

/// Words by which a thing is asked for or planned.
const WANTS: &[&str] = &[
    "asked",
    "asks",
    "need",
    "needed",
    "needs",
    "pending",
    "plan",
    "planned",
    "planning",
    "plans",
    "please",
    "proposed",
    "proposes",
    "recommended",
    "recommends",
    "remaining",
    "remains",
    "requested",
    "requests",
    "scheduled",
    "shall",
    "should",
    "suggested",
    "suggesting",
    "suggests",
    "todo",
    "tomorrow",
    "upcoming",
    "wanted",
    "wants",
    "will",
];
/// The same, of several words.
const WANTS_IN: &[[&str; 2]] = &[
    ["about", "to"],
    ["going", "to"],
    ["have", "to"],
    ["has", "to"],
    ["let", "me"],
    ["let", "us"],
    ["next", "step"],
    ["not", "yet"],
    ["to", "do"],
    ["want", "to"],
];
/// Words before "you" with which somebody is asked to do something.
pub(super) const REQUEST_VERBS: &[&str] = &["can", "could", "will", "would"];
/// Words that ask, and by which it is told that somebody did.
const ASKS: &[&str] = &[
    "ask",
    "asked",
    "asking",
    "asks",
    "consider",
    "considered",
    "considering",
    "decide",
    "open",
    "question",
    "questioned",
    "suggest",
    "suggested",
    "unclear",
    "undecided",
    "unsure",
    "whether",
    "wondered",
];
/// Words that make the rest of their sentence depend on something, and further ones by which that can be told.
const WHEN: &[&str] = &["if", "unless", "whether"];
const ALSO_WHEN: &[&str] = &[
    "after",
    "case",
    "conditional",
    "conditionally",
    "depending",
    "depends",
    "for",
    "fails",
    "only",
    "on",
    "once",
    "otherwise",
    "provided",
    "should",
    "until",
    "upon",
    "when",
    "whenever",
    "where",
    "while",
    "would",
];
/// Words that end like a verb of what is done, and are none.
const NO_VERBS: &[&str] = &[
    "based",
    "exceed",
    "indeed",
    "named",
    "nested",
    "proceed",
    "related",
    "speed",
    "succeed",
    "supposed",
    "unfinished",
    "unused",
    "expected",
    "intended",
    "required",
];
/// Forms of verbs of what is done that do not end so, each with the stem of the verb, where it has another.
const DONE: &[(&str, &str)] = &[
    ("built", "build"),
    ("complete", ""),
    ("done", "do"),
    ("made", "make"),
    ("ran", "run"),
    ("sent", "send"),
    ("successfully", ""),
    ("wrote", "write"),
    ("written", "write"),
];
/// Who does it, or what stands between them and the verb.
const BY: &[&str] = &[
    "already",
    "and",
    "assistant",
    "been",
    "completely",
    "had",
    "has",
    "have",
    "i",
    "is",
    "just",
    "now",
    "successfully",
    "they",
    "user",
    "was",
    "we",
    "were",
    "are",
];

/// How sure it is that what a sentence says has been done.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Stand {
    /// It asks something, and it may tell of that.
    asks: bool,
    may_ask: bool,
    /// It asks for something, or plans it.
    wants: bool,
    /// It says that something is done.
    done: bool,
    /// It depends on something, and it may tell of that.
    when: bool,
    may_when: bool,
}

impl Signs<6> for Stand {
    fn signs(&mut self) -> [&mut bool; 6] {
        let Stand { asks, may_ask, wants, done, when, may_when } = self;
        [asks, may_ask, wants, done, when, may_when]
    }
}

impl Stand {
    /// Of the words of a sentence, and of the box before them.
    pub fn of(words: &[Word], task: Task) -> Stand {
        let text = |at: usize| text_at(words, at);
        let has = |list: &[&str]| words.iter().any(|word| list.contains(&&*word.text));
        let pair = |at: usize| WANTS_IN.iter().any(|[one, next]| text(at) == *one && text(at + 1) == *next);
        // The "?" of an address asks nothing.
        let question = words.last().is_some_and(|word| word.after.contains(['?', '\u{ff1f}']));
        let wants = has(WANTS) || (0..words.len()).any(pair) || words.iter().any(|word| word.text.ends_with("'ll"));
        let done_at = |at: usize| {
            is_done_at(words, at) || DONE.iter().any(|(done, _)| *done == text(at) && text(at) != "complete")
        };
        let asked_for = pair_of_request(words);
        Stand {
            asks: question && !asked_for,
            may_ask: question || has(ASKS),
            wants: task == Task::Open || (task != Task::Done && (wants || asked_for)),
            done: task == Task::Done || (task != Task::Open && !question && (0..words.len()).any(done_at)),
            when: has(WHEN),
            may_when: has(WHEN) || has(ALSO_WHEN) || question,
        }
    }

    /// Whether it only asks for something, or plans it.
    pub fn is_planned(self) -> bool {
        self.wants && !self.done
    }

    /// Whether neither says of a thing what the other leaves open.
    pub fn agrees(self, other: Stand) -> bool {
        let open = |one: &Stand, other: &Stand| {
            (one.asks && !other.may_ask)
                || (one.wants && !one.done && other.done && !other.wants)
                || (one.when && !other.may_when)
        };
        !either_way(&self, &other, open)
    }
}

/// Whether a word ends like the verb of what is done.
fn is_done(word: &str) -> bool {
    word.len() > 4 && word.ends_with("ed") && !NO_VERBS.contains(&word) && !WANTS.contains(&word)
}

/// The verb of what is done that a word is a form of, wherever it stands.
pub(super) fn is_verb_of_done(word: &str) -> Option<&str> {
    let other = DONE.iter().find(|(done, verb)| *done == word && !verb.is_empty());
    other.map(|(_, verb)| *verb).or_else(|| is_done(word).then_some(word))
}

/// Whether a word is the verb of what is done: it ends so, and stands first or behind who does it.
fn is_done_at(words: &[Word], at: usize) -> bool {
    let verb = is_done(text_at(words, at));
    let first = at == 0 || words.get(at - 1).is_some_and(|word| word.after.contains([':', '\n', ';']));
    verb && (first || BY.contains(&text_before(words, at, 1)))
}

/// The stems of the verbs of what a sentence says is done.
pub(super) fn done(words: &[Word]) -> impl Iterator<Item = String> {
    (0..words.len()).filter_map(|at| {
        let word = &*words.get(at)?.text;
        let says = (!is_done(word) || is_done_at(words, at)) && !is_awaited(words, at);
        is_verb_of_done(word).filter(|_| says).map(stem)
    })
}

/// Whether a word stands in a clause of what something else is done before: "move to b before a is removed".
pub(super) fn is_awaited(words: &[Word], at: usize) -> bool {
    let mut before = words.get(..at).unwrap_or_default().iter().rev();
    let mut before = before.by_ref().take_while(|word| !word.after.contains([',', ';', ':']) && !joins(&word.text));
    before.any(|word| matches!(&*word.text, "before" | "until" | "unless"))
}

/// The stems of the words with which a sentence may ask somebody to do something: those that begin a clause of it and
/// are no form of a verb but the one of orders.
pub(super) fn ordered(words: &[Word]) -> impl Iterator<Item = String> {
    let begins = |at: usize| {
        at.checked_sub(1).and_then(|at| words.get(at)).is_none_or(|before| {
            matches!(&*before.text, "and" | "then" | "please") || before.after.contains([',', ';', ':', '\n', '.'])
        })
    };
    let is_base =
        |word: &str| !is_silent(word) && !word.ends_with("ed") && !word.ends_with("ing") && !word.ends_with('s');
    // "Consider adding a test"
    let advised = move |at: usize, word: &str| {
        let before = text_before(words, at, 1);
        word.ends_with("ing") && matches!(before, "consider" | "suggest" | "recommend" | "propose")
    };
    let orders = move |at: usize, word: &str| (begins(at) && is_base(word)) || advised(at, word);
    let found = words.iter().enumerate().filter(move |(at, word)| orders(*at, &word.text));
    found.map(|(_, word)| stem(&word.text))
}

/// Whether a question asks somebody to do something.
fn pair_of_request(words: &[Word]) -> bool {
    words.windows(2).any(|pair| REQUEST_VERBS.contains(&&*pair[0].text) && pair[1].text == "you")
}

/// Whether a sentence says that something is not so yet.
pub(super) fn is_pending(words: &[Word]) -> bool {
    let denied = |word: &Word| matches!(&*word.text, "not" | "no") || word.text.ends_with("n't");
    let mut denied = words.iter().skip_while(|word| !denied(word)).peekable();
    denied.peek().is_some() && denied.any(|word| word.text == "yet")
}

#[cfg(test)]
mod tests {
    use super::super::lexer::words;
    use super::super::marks::task;
    use super::super::plain;
    use super::*;

    #[test]
    fn what_is_asked_planned_or_conditional_is_not_what_is_done() {
        let of = |text: &str| {
            let (task, rest) = task(text);
            Stand::of(&words(&plain(rest)), task)
        };
        for (one, other) in [
            ("[ ] Add retry_5", "[x] Add retry_5"),
            ("Should I delete bucket_9?", "Delete bucket_9."),
            ("I'll migrate db_2 to the new host tomorrow.", "db_2 was migrated to the new host."),
            ("TODO: add retry_5", "Added retry_5"),
            ("Can you deploy svc_3?", "Deployed svc_3"),
            ("If queue_7 is full, restart host_1.", "queue_7 is full; restart host_1."),
            ("We still need to rotate key_4.", "Key_4 has been rotated."),
        ] {
            assert!(!of(one).agrees(of(other)) && !of(other).agrees(of(one)), "{one} / {other}");
        }
        for (one, other) in [
            ("Please open port 8443.", "The user asked to open port 8443."),
            ("Can you deploy svc_3?", "The user asked to deploy svc_3."),
            ("Should I delete bucket_9?", "It was asked whether to delete bucket_9."),
            ("If queue_7 is full, restart host_1.", "Restart host_1 when queue_7 is full."),
            ("I'll migrate db_2.", "The plan is to migrate db_2."),
            ("I have added retry_5.", "Added retry_5"),
            ("Please open port 8443.", "Open port 8443."),
            ("We moved staging to host_7.", "Staging is on host_7."),
        ] {
            assert!(of(one).agrees(of(other)) && of(other).agrees(of(one)), "{one} / {other}");
        }
    }
}
