//! What a clause denies, and of which of its words: what stands behind the word that denies, up to what is told as done.

use super::cjk;
use super::sense::is_empty;
use super::stand::is_verb_of_done;
use super::words::is_silent;

/// Words that deny: db0's list, as whole words, and those that English denies with beside them ("requires no token",
/// "without root rights"), which db0 misses.
const DENIES: &[&str] = &[
    "not",
    "never",
    "unlike",
    "cannot",
    "no longer",
    "instead of",
    "changed from",
    "no",
    "none",
    "nobody",
    "nothing",
    "nowhere",
    "neither",
    "nor",
    "without",
    "unless",
    "denied that",
    "denies that",
    "false that",
    "untrue that",
];

/// Words that deny in other languages and are none in English: of German; Dutch; French; Italian, Portuguese and
/// Spanish; Russian.
const DENIES_ABROAD: &[&str] = &[
    "kein",
    "keine",
    "keinem",
    "keinen",
    "keiner",
    "keines",
    "nicht",
    "nichts",
    "niemals",
    "nie",
    "ohne",
    "geen",
    "niemand",
    "niet",
    "niets",
    "nooit",
    "zonder",
    "aucun",
    "aucune",
    "jamais",
    "pas",
    "jamás",
    "nessun",
    "nessuna",
    "nessuno",
    "nenhum",
    "nenhuma",
    "ninguna",
    "ninguno",
    "ningún",
    "non",
    "nunca",
    "não",
    "без",
    "не",
    "нельзя",
    "нет",
    "никогда",
];

/// Words that deny in French, Spanish and Portuguese, and are others elsewhere ("sans-serif", the sine): beside words
/// that only these languages have.
const DENIES_AMONG: &[(&str, &[&str])] = &[
    (
        "sans",
        &[
            "au", "aux", "avec", "dans", "des", "du", "elle", "est", "et", "il", "la", "le", "les", "que", "qui", "un",
            "une",
        ],
    ),
    ("sin", &["al", "con", "del", "el", "es", "esta", "la", "las", "los", "para", "por", "que", "se", "un", "una"]),
    ("sem", &["ao", "com", "da", "dos", "em", "esta", "na", "os", "para", "por", "que", "um", "uma", "é"]),
];

/// Words of forbidding, `*` for any ending: what they speak of is not to be done. Of English; German and Dutch; French,
/// Italian, Portuguese and Spanish; Russian and Polish.
const FORBIDS: &[&str] = &[
    "ban",
    "banned",
    "banning",
    "bans",
    "barred",
    "disallow*",
    "forbad*",
    "forbid*",
    "outlaw*",
    "prohibit*",
    "untersag*",
    "verbiet*",
    "verboden",
    "verboten",
    "interdit*",
    "prohíb*",
    "prohib*",
    "proíb*",
    "proib*",
    "vieta*",
    "запрещ*",
    "запрет*",
    "zabron*",
    "zakazan*",
];
/// Words behind which something is told of what stands before them, and of what it is told where that is nothing yet.
const BEING: &[&str] = &[
    "are", "be", "been", "being", "è", "es", "est", "está", "están", "estão", "ist", "is", "sind", "son", "sono",
    "sont", "was", "were", "são",
];
const NOTHING_YET: &[&str] = &["es", "het", "il", "it", "il est", "è"];

/// Words before and behind one of those that tell its language.
const BESIDE: usize = 40;

/// By which Korean denies a verb that follows ("안 됩니다"); elsewhere it is the inside. And how such verbs end.
const DENIES_VERB: &str = "안";
const VERB_ENDS: &[&str] = &["고", "니까", "다", "던", "며", "면", "서", "요", "음", "죠", "지", "지만", "함"];

/// Words behind which nothing is denied: "not only".
const ONLY: &[&str] =
    &["just", "nur", "only", "seulement", "solamente", "solo", "soltanto", "somente", "só", "sólo", "только"];

/// How the words begin by which Korean denies what stands before them, and words that begin so and deny nothing:
/// "removes", "no less than".
const DENIES_BEFORE: &[&str] = &["않", "없", "아니", "아닙", "아닌", "못하", "못했", "못합", "못한"];
const DENIES_NOTHING: &[&str] = &["없애", "없앴", "없앤", "아니면"];

/// Those of them that deny only the old value, not their clause.
const OF_OLD: &[&str] = &["instead of", "changed from"];

/// Whether a word begins what denies: a word of [`DENIES`], the first of a phrase there, or "isn't".
pub(super) fn denies_at(words: &[&str], at: usize) -> bool {
    let word = words.get(at).copied().unwrap_or_default();
    let stands = |phrase: &str| phrase.split(' ').enumerate().all(|(nth, word)| words.get(at + nth) == Some(&word));
    let begins = |phrase: &&str| phrase.starts_with(word) && stands(phrase);
    // "not only" denies nothing.
    let only = words.get(at + 1).is_some_and(|next| ONLY.contains(next));
    let among = || denies_among(words, at) || is_no_more(words, at) || is_out_of(words, at);
    !only && (word.ends_with("n't") || DENIES.iter().any(begins) || denies_abroad(word) || among())
}

/// Whether a word denies among those that stand there.
fn denies_among(words: &[&str], at: usize) -> bool {
    let (Some(word), next) = (words.get(at), words.get(at + 1).copied().unwrap_or_default()) else { return false };
    if *word == DENIES_VERB {
        return VERB_ENDS.iter().any(|end| next.ends_with(end));
    }
    let of = DENIES_AMONG.iter().find(|(denial, _)| denial == word);
    let beside = words.get(at.saturating_sub(BESIDE)..words.len().min(at + BESIDE)).unwrap_or_default();
    of.is_some_and(|(_, others)| next != "serif" && beside.iter().any(|word| others.contains(word)))
}

/// Whether French says at a place that something is so no more: "n'utilise plus". Without "ne", "plus" is more.
fn is_no_more(words: &[&str], at: usize) -> bool {
    let before = words.get(at.saturating_sub(4)..at).unwrap_or_default();
    words.get(at) == Some(&"plus") && before.iter().any(|word| *word == "ne" || word.starts_with("n'"))
}

/// Words between which and a noun "out of" denies that: "is out of scope", but not "moved out of scope.rs".
const BEING_OUT: &[&str] = &[
    "are",
    "as",
    "be",
    "been",
    "being",
    "clearly",
    "completely",
    "considered",
    "currently",
    "explicitly",
    "is",
    "it's",
    "now",
    "still",
    "that's",
    "was",
    "were",
];

/// Whether a place says that something is not in what follows: "out of scope", and not "3 out of 5" nor "out of a file".
fn is_out_of(words: &[&str], at: usize) -> bool {
    let is = |at: usize, word: &str| words.get(at) == Some(&word);
    let noun = words.get(at + 2).filter(|noun| noun.chars().all(char::is_alphabetic) && !is_silent(noun));
    let is_told = at.checked_sub(1).and_then(|at| words.get(at)).is_none_or(|before| BEING_OUT.contains(before));
    is(at, "out") && is(at + 1, "of") && noun.is_some() && is_told
}

fn denies_abroad(word: &str) -> bool {
    let begins = |with: &[&str]| with.iter().any(|start| word.starts_with(start));
    DENIES_ABROAD.contains(&word) || (begins(DENIES_BEFORE) && !begins(DENIES_NOTHING))
}

/// Labels of tasks that say no more than that they were closed so, and what stands before one.
const LABELS: &[&[&str]] = &[
    &["won't", "fix"],
    &["won't", "do"],
    &["not", "planned"],
    &["not", "reproducible"],
    &["cannot", "reproduce"],
    &["can't", "reproduce"],
    &["not", "a", "bug"],
    &["no", "repro"],
];
const LABELLED: &[&str] = &[
    "a",
    "an",
    "as",
    "closed",
    "label",
    "labeled",
    "labelled",
    "marked",
    "reason",
    "resolution",
    "status",
    "tagged",
    "the",
    "with",
];

/// The length of the label that stands at a place: told as one, or with nothing else said of it.
fn label_at(words: &[&str], at: usize) -> Option<usize> {
    let label = LABELS.iter().find(|label| words.get(at..).is_some_and(|rest| rest.starts_with(label)))?;
    let before = at.checked_sub(1).and_then(|at| words.get(at));
    let next = words.get(at + label.len());
    // "they won't fix the bug"
    let ends = next.is_none_or(|next| {
        matches!(
            *next,
            "and" | "answer" | "comment" | "label" | "or" | "reply" | "response" | "status" | "then" | "with"
        )
    });
    let told =
        before.is_none_or(|before| LABELLED.contains(before) || before.bytes().all(|byte| byte.is_ascii_digit()));
    (told && ends).then_some(label.len())
}

/// What a clause denies of its own words.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Denied {
    Nothing,
    /// What stands in these ranges: of what stands before one, only that is denied ("the lock does not hold"). Labels
    /// deny only their own words. What is said `aside` is told of a thing, and may be so or not.
    Ranges {
        denied: Vec<(usize, usize)>,
        labels: Vec<(usize, usize)>,
        aside: Vec<(usize, usize)>,
    },
    All,
    /// It says of something that something left out is not so: "Claude does not".
    Open,
}

impl Denied {
    /// Of the words of a clause; those that `counts` leaves out deny nothing.
    pub fn of(words: &[&str], counts: impl Fn(usize) -> bool) -> Denied {
        let of_old = |at: usize| OF_OLD.iter().any(|phrase| phrase.split(' ').next() == words.get(at).copied());
        let (mut denied, mut labels, mut aside, mut at) = (Vec::new(), Vec::new(), Vec::new(), 0);
        while at < words.len() {
            let begins = counts(at) && !of_old(at);
            if let Some(length) = label_at(words, at).filter(|_| begins) {
                labels.push((at, at + length));
                at += length;
            } else if let Some((from, to)) = left_out(words, at).filter(|_| begins) {
                denied.push((from, to));
                at += 1;
            } else if let Some(found) = cjk::denied_from(words, at).filter(|_| begins) {
                let to = found.to.unwrap_or(words.len());
                if found.aside { &mut aside } else { &mut denied }.push((found.from, to));
                at = found.from.max(to).max(at + 1);
            } else if let Some((from, to)) = forbidden(words, at).filter(|_| begins) {
                denied.push((from, to));
                at = to.max(at + 1);
            } else if begins && denies_at(words, at) {
                let says = |word: &&str| !is_empty(word) && word.contains(char::is_alphanumeric);
                let own = words[at];
                if !words[at + 1..].iter().any(says) && denied.is_empty() {
                    let open = matches!(own, "not" | "cannot") || own.ends_with("n't");
                    return if open { Denied::Open } else { Denied::All };
                }
                let end = ends_at(words, at);
                denied.push((at, end));
                at = end;
            } else {
                at += 1;
            }
        }
        match denied.is_empty() && labels.is_empty() && aside.is_empty() {
            true => Denied::Nothing,
            false => Denied::Ranges { denied, labels, aside },
        }
    }

    /// Whether a word of the clause may be affirmed, and whether it may be denied.
    pub fn at(&self, at: usize) -> (bool, bool) {
        let is_in = |ranges: &[(usize, usize)]| ranges.iter().any(|(from, to)| (*from..*to).contains(&at));
        match self {
            Denied::Nothing => (true, false),
            Denied::Ranges { denied, labels, .. } if is_in(denied) || is_in(labels) => (false, true),
            Denied::Ranges { aside, .. } if is_in(aside) => (true, true),
            Denied::Ranges { denied, .. } => (true, denied.iter().any(|(from, _)| at < *from)),
            Denied::All => (false, true),
            Denied::Open => (true, true),
        }
    }
}

/// Whether a word forbids.
#[must_use]
pub fn forbids(word: &str) -> bool {
    FORBIDS.iter().any(|known| match known.strip_suffix('*') {
        Some(start) => word.starts_with(start),
        None => word == *known,
    })
}

/// Whether a word of a clause forbids what it speaks of: not as the name of a status ("403 Forbidden"), nor as that of a
/// kind ("the banned users").
pub(super) fn forbids_at(words: &[&str], at: usize) -> bool {
    const KINDS: &[&str] = &["a", "all", "an", "any", "every", "of", "the", "these", "those"];
    let before = at.checked_sub(1).and_then(|at| words.get(at)).copied().unwrap_or_default();
    let is_status = !before.is_empty() && before.bytes().all(|byte| byte.is_ascii_digit());
    words.get(at).is_some_and(|word| forbids(word)) && !is_status && !KINDS.contains(&before)
}

/// What a word of forbidding denies: what stands behind it ("forbids pushes", "are forbidden to push"), else all that is
/// told of what stands before ("pushes to main are forbidden").
fn forbidden(words: &[&str], at: usize) -> Option<(usize, usize)> {
    let word = |at: usize| words.get(at).copied().unwrap_or_default();
    if !forbids_at(words, at) {
        return None;
    }
    let being = (at.saturating_sub(2)..at).find(|at| BEING.contains(&word(*at)));
    let leads = matches!(word(at + 1), "to" | "from" | "de" | "di" | "zu" | "te");
    match being.filter(|being| *being > 0 && !leads && !words[..*being].iter().all(|word| NOTHING_YET.contains(word))) {
        Some(_) => Some((0, words.len())),
        None => Some((at, words.len())),
    }
}

/// What is told to have been left as it was, or to be the only thing that something does not hold of: "left a alone",
/// "everything but a was moved".
fn left_out(words: &[&str], at: usize) -> Option<(usize, usize)> {
    let word = |at: usize| words.get(at).copied().unwrap_or_default();
    match word(at) {
        "left" | "leave" | "leaves" | "leaving" | "kept" => {
            let is_left = |at: &usize| matches!(word(*at), "alone" | "untouched" | "unchanged" | "intact");
            let end = (at + 1..words.len().min(at + 12)).find(is_left)?;
            // "a was left alone"
            Some(if end == at + 1 { (0, at) } else { (at + 1, end) })
        }
        "except" | "excluding" | "but" => {
            let all = |back: usize| at.checked_sub(back).is_some_and(|at| is_all(word(at)));
            (1..=3).find(|back| all(*back))?;
            let is_be = |at: &usize| matches!(word(*at), "are" | "had" | "has" | "have" | "is" | "was" | "were");
            Some((at + 1, (at + 1..words.len()).find(is_be).unwrap_or(words.len())))
        }
        _ => None,
    }
}

/// Whether a word speaks of all there is.
pub(super) fn is_all(word: &str) -> bool {
    matches!(word, "all" | "any" | "anything" | "each" | "every" | "everybody" | "everyone" | "everything")
}

/// Where what a word denies ends: "did not touch a and fixed b" says that b was fixed, as nobody says "did fixed".
fn ends_at(words: &[&str], at: usize) -> usize {
    let helps = |word: &&str| {
        matches!(*word, "can" | "could" | "did" | "do" | "does" | "should" | "will" | "would") && words[at] == "not"
    };
    let base = words[at] == "cannot"
        || (words[at].ends_with("n't")
            && !matches!(words[at], "isn't" | "wasn't" | "aren't" | "weren't" | "hasn't" | "haven't" | "hadn't"))
        || at.checked_sub(1).and_then(|at| words.get(at)).is_some_and(helps);
    if !base || words.get(at + 1).is_none_or(|verb| is_verb_of_done(verb).is_some()) {
        return words.len();
    }
    let joins = |at: &usize| {
        let next = words.get(at + 1).filter(|next| !matches!(**next, "then" | "also" | "only")).or(words.get(at + 2));
        matches!(words[*at], "and" | "then") && next.is_some_and(|next| is_verb_of_done(next).is_some())
    };
    (at + 1..words.len()).find(joins).unwrap_or(words.len())
}

/// Whether a word is one that denies.
pub(super) fn is_denial(word: &str) -> bool {
    DENIES.contains(&word) || denies_abroad(word)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn denied(text: &str) -> Vec<&str> {
        let words: Vec<&str> = text.split(' ').collect();
        let found = Denied::of(&words, |_| true);
        (0..words.len()).filter(|at| found.at(*at) == (false, true)).map(|at| words[at]).collect()
    }

    #[test]
    fn a_denial_ends_where_something_was_done() {
        assert_eq!(denied("i did not touch auth and fixed parser"), ["not", "touch", "auth"]);
        assert_eq!(denied("it was not built and deployed"), ["not", "built", "and", "deployed"]);
        assert_eq!(denied("i didn't build and deploy it"), ["didn't", "build", "and", "deploy", "it"]);
    }

    #[test]
    fn what_is_forbidden_is_denied() {
        assert_eq!(denied("pushes to main are forbidden"), ["pushes", "to", "main", "are", "forbidden"]);
        assert_eq!(denied("the policy forbids pushes"), ["forbids", "pushes"]);
        assert_eq!(denied("guests are prohibited from pushing"), ["prohibited", "from", "pushing"]);
        assert_eq!(denied("it is forbidden to push"), ["forbidden", "to", "push"]);
        assert_eq!(denied("we ban tabs"), ["ban", "tabs"]);
        assert_eq!(denied("the band is disallowed"), ["the", "band", "is", "disallowed"]);
        assert_eq!(denied("pushes are not forbidden"), ["not", "forbidden"]);
        for none in ["the bandwidth is high", "it says 403 forbidden", "the banned users see it"] {
            assert_eq!(denied(none), [""; 0], "{none}");
        }
    }

    #[test]
    fn what_was_left_out_is_denied() {
        assert_eq!(denied("fixed lexer and left parser alone"), ["parser"]);
        assert_eq!(denied("the parser was left untouched"), ["the", "parser", "was"]);
        assert_eq!(denied("everything but auth was moved"), ["auth"]);
        assert_eq!(denied("we left the office alone_1 then"), [""; 0]);
    }

    #[test]
    fn a_label_denies_but_its_own_words() {
        assert_eq!(denied("labelled issue 12 as won't fix and closed it"), ["won't", "fix"]);
        assert_eq!(denied("we won't fix issue 12"), ["won't", "fix", "issue", "12"]);
        assert_eq!(denied("closed 12 as not planned"), ["not", "planned"]);
        assert_eq!(denied("skip 12 with won't fix reply"), ["won't", "fix"]);
    }
}
