//! Whether a sentence says no more than the one that it is from: that has each of its words or another for it, no
//! condition of it is left out, and nothing is sure that was doubted there, nor done that was only to be done.

use std::collections::BTreeSet;

use super::deed::is_told;
use super::lexer::{Word, text_at, text_before};
use super::meant::meant;
use super::mood::CHANGES;
use super::near::Said;
use super::nowhere::is_of_any_work;
use super::numeral::counted;
use super::sense::{clauses, stem};
use super::stand::{is_awaited, is_verb_of_done};
use super::words::{exact, is_silent};

/// Words behind which it stands on what a thing depends, in several languages.
const CONDITIONS: &[&str] = &[
    "if",
    "unless",
    "provided",
    "providing",
    "until",
    "once",
    "when",
    "whenever",
    "assuming",
    "wenn",
    "falls",
    "sofern",
    "sobald",
    "solange",
    "lorsque",
    "quand",
    "cuando",
    "hasta",
    "quando",
    "finché",
    "se",
    "si",
    "если",
    "когда",
    "пока",
    "als",
    "tenzij",
    "zodra",
];
/// Those of them that may as well tell when a thing was.
const TIMES: &[&str] = &["once", "until", "when", "whenever"];
/// The same of two words, and of signs.
const CONDITIONS_IN: &[[&str; 2]] =
    &[["as", "long"], ["so", "long"], ["in", "case"], ["only", "after"], ["à", "moins"], ["tant", "que"]];
const CONDITION_SIGNS: &[&str] = &["如果", "除非", "只要", "直到", "もし", "場合", "の時", "당하면", "경우"];
/// Words by which a sentence may tell of a condition in its own way.
const DEPENDS: &[&str] =
    &["after", "case", "conditional", "conditionally", "depend", "depends", "depending", "only", "without"];

/// Words by which it is told that something is not known, or is so for somebody only.
const DOUBTS: &[&str] = &[
    "allegedly",
    "apparently",
    "assume",
    "assumed",
    "assumes",
    "assuming",
    "believe",
    "believed",
    "believes",
    "doubt",
    "doubts",
    "fears",
    "guess",
    "guesses",
    "likely",
    "maybe",
    "might",
    "perhaps",
    "possibly",
    "presumably",
    "probably",
    "seem",
    "seemed",
    "seems",
    "seemingly",
    "suspect",
    "suspected",
    "suspects",
    "think",
    "thinks",
    "thought",
    "unclear",
    "unsure",
    "whether",
    "wonders",
    "wondered",
    "glaubt",
    "vermutet",
    "vielleicht",
    "vermutlich",
    "wahrscheinlich",
    "croit",
    "probablement",
    "cree",
    "probablemente",
    "quizás",
    "возможно",
    "вероятно",
    "думает",
    "forse",
    "talvez",
];
const DOUBT_SIGNS: &[&str] = &["可能", "也许", "大概", "认为", "かもしれ", "たぶん", "おそらく", "아마"];
/// Words behind which "if" asks.
const ASKS: &[&str] = &["ask", "asked", "asks", "wonder", "wondered", "wonders", "know", "unclear", "unsure"];

/// Words that stand for the same, beside those of [`super::deed`].
const SAME: &[&[&str]] = &[
    &["read", "load", "fetch", "parse"],
    &["write", "save", "store", "record"],
    &["directory", "folder", "dir"],
    &["repository", "repo"],
    &["config", "configuration", "setting", "settings"],
    &["big", "large", "long", "huge"],
    &["short", "concise", "brief"],
    &["bug", "defect", "issue", "problem", "error"],
    &["want", "prefer", "ask", "request", "wish", "like"],
    &["show", "display", "print"],
    &["require", "need", "must"],
    &["allow", "permit", "let", "may", "can"],
    &["job", "task"],
    &["host", "machine", "server"],
    &["function", "method", "fn", "func"],
    &["parameter", "argument", "param", "arg"],
    &["contain", "hold", "include"],
    &["suspend", "defer", "postpone"],
    &["ok", "green", "pass", "succeed", "successful"],
    &["red", "fail", "break"],
    &["daily", "day"],
    &["weekly", "week"],
    &["monthly", "month"],
    &["hourly", "hour"],
    &["roughly", "about", "approximately", "around"],
    &["speak", "talk", "discuss"],
    &["because", "since", "due"],
    &["database", "db"],
    &["authentication", "auth"],
    &["documentation", "docs", "doc"],
    &["specification", "spec"],
    &["environment", "env"],
    &["choose", "chose", "pick", "select", "decide", "opt"],
    &["keep", "retain", "stay", "remain"],
    &["begin", "start"],
    &["end", "finish", "stop"],
    &["think", "believe", "suspect", "assume", "guess"],
    &["gave", "give", "abandon", "cancel"],
    &["elsewhere", "outside"],
];
/// Words that tell who speaks, or of what kind a name is: they say nothing of their own.
const KINDS: &[&str] = &[
    "user",
    "assistant",
    "agent",
    "file",
    "function",
    "method",
    "variable",
    "command",
    "directory",
    "folder",
    "module",
    "option",
    "flag",
    "field",
    "key",
    "line",
    "value",
    "type",
    "string",
    "code",
    "project",
    "current",
    "currently",
    "now",
    "both",
    "same",
    "each",
    "other",
    "namely",
    "explicitly",
    "specifically",
    "particular",
    "via",
    "named",
    "called",
    "use",
    "using",
    "because",
    "since",
    "instead",
    "rather",
    "must",
    "cannot",
    "not",
    "no",
    "never",
    "only",
    "shall",
    "however",
    "already",
    "then",
    "still",
    "there",
    "say",
    "said",
    "report",
    "reported",
    "note",
    "noted",
    "tell",
    "told",
    "mention",
    "mentioned",
    "state",
    "stated",
    "explain",
    "explained",
    "get",
    "got",
    "its",
    "most",
    "least",
    "than",
    "within",
    "under",
    "over",
    "below",
    "above",
    "less",
    "more",
    "fewer",
    "every",
    "twice",
    "time",
    "later",
    "next",
    "we",
    "asked",
    "wanted",
    "requested",
    "instructed",
    "pointed",
    "out",
    "off",
    "onto",
    "back",
    "until",
    "against",
    "through",
    "upon",
    "during",
    "while",
    "before",
    "per",
    "between",
    "due",
    "thus",
    "therefore",
];
/// Deeds that a call shows without saying so.
const SHOWN: &[&str] =
    &["add", "added", "create", "change", "update", "edit", "modify", "read", "run", "call", "view", "write"];
/// Words by which it is told that a figure is another now: whither is told by the figures.
const MOVES: &[&str] = &[
    "brought", "cut", "drop", "fall", "fell", "go", "goes", "grew", "grow", "halved", "increase", "decrease", "lower",
    "raise", "reduce", "rise", "rose", "shrink", "slash", "went", "less", "more", "fewer",
];
/// Words that tell how it came out: no sentence is too long for one that stands nowhere.
const OUTCOMES: &[&str] = &[
    "accept",
    "block",
    "break",
    "complete",
    "correct",
    "delete",
    "done",
    "error",
    "fail",
    "failure",
    "finish",
    "fix",
    "hold",
    "incorrect",
    "loss",
    "miss",
    "reject",
    "remove",
    "resolve",
    "save",
    "solve",
    "stop",
    "succeed",
    "success",
    "test",
    "valid",
    "verify",
    "wrong",
];
/// Words of a sentence, at least, in which one of so many may be a word with which any work is told.
const LONG: usize = 9;
const ONE_OF: usize = 4;
/// What a verb is joined with to a noun: "timed out", "a timeout".
const JOINED: &[&str] = &["back", "down", "in", "off", "out", "up"];
/// What so much is told for each of, which stands in the figure itself: "twice a day".
const SPANS: &[&str] = &["second", "minute", "hour", "day", "week", "month", "year"];
/// Letters that two forms of a word begin with, at least.
const BEGINS: usize = 5;

/// Whether a sentence says no more than another. `acts`: something is done there.
pub(super) fn says_no_more(told: &str, source: &str, acts: bool) -> bool {
    let (own, theirs) = (exact(label(told).1), exact(source));
    let (own, theirs) = (counted(&own), counted(&theirs));
    let said = Said::of(label(told).1);
    has_each(&said, &Said::of(source), label(told).0, acts) && holds_so(&own, &theirs, &said)
}

/// What a line is headed by, and what stands behind that.
fn label(told: &str) -> (&str, &str) {
    let cut = told.find(": ").filter(|at| told[..*at].split_whitespace().count() <= LABEL && told.contains("**"));
    cut.map_or(("", told), |at| (&told[..at], &told[at + 2..]))
}

/// Words of a label at most.
const LABEL: usize = 4;

/// Whether each word stands there, or another for it.
fn has_each(own: &Said, theirs: &Said, label: &str, acts: bool) -> bool {
    let has = |stem: &str| theirs.stems.contains(stem);
    let is = |words: &[&str], one: &str| words.iter().any(|word| stem(word) == *one);
    let is_same = |one: &str| {
        SAME.iter().any(|row| is(row, one) && row.iter().any(|word| has(&stem(word)))) || is_told(one, &has)
    };
    let is_form = |one: &str| {
        let begins = |other: &String| {
            let shared = one.bytes().zip(other.bytes()).take_while(|(one, other)| one == other).count();
            shared >= BEGINS && shared + 1 >= one.len().min(other.len())
        };
        theirs.stems.iter().any(begins)
    };
    let moves = is_moved(theirs);
    // "add/update", "session/state.go"
    let words = theirs.figures.iter().flat_map(|figure| figure.split(|sign: char| !sign.is_alphanumeric()));
    let parts: BTreeSet<String> = words.map(stem).collect();
    let has_rate = own.figures.iter().any(|figure| figure.contains('/'));
    let is_joined = |one: &str| {
        let verb = JOINED.iter().find_map(|end| one.strip_suffix(end)).filter(|verb| verb.len() + 1 >= BEGINS);
        verb.is_some_and(|verb| has(&stem(verb)))
    };
    let is_excused = |one: &String| {
        !one.bytes().all(|byte| byte.is_ascii_lowercase())
            || is(KINDS, one)
            || (acts && is(SHOWN, one))
            || is_same(one)
            || is_form(one)
            || is_joined(one)
            || (has_rate && is(SPANS, one))
            || parts.contains(one)
            || (moves && is(MOVES, one))
    };
    let is_headed = |word: &str| is_silent(word) || is_of_any_work(word) || has(&stem(word));
    let missing: Vec<&String> = own.missing_in(theirs).into_iter().filter(|one| !is_excused(one)).collect();
    let is_idle = |one: &&String| is_of_any_work(one) && !is(OUTCOMES, one);
    let is_long = own.number() >= LONG && missing.len() * ONE_OF <= own.number();
    (missing.is_empty() || (is_long && missing.iter().all(is_idle)))
        && counted(&exact(label))
            .iter()
            .all(|word| !word.text.bytes().all(|byte| byte.is_ascii_lowercase()) || is_headed(&word.text))
}

/// Whether a sentence tells of a figure that it is another now.
fn is_moved(said: &Said) -> bool {
    MOVES.iter().any(|word| said.stems.contains(&stem(word)))
        || CHANGES.iter().any(|word| said.stems.contains(&stem(word)))
}

/// Whether what is said so stands there without a condition or a doubt that is left out, and as done.
fn holds_so(own: &[Word], theirs: &[Word], said: &Said) -> bool {
    let all = clauses(theirs);
    let stems: Vec<BTreeSet<String>> = all.iter().map(|clause| stems_of(theirs, clause)).collect();
    let told = told_in(&stems, said);
    let is_told = |clause: &usize| told.contains(clause);
    let in_doubt = all.iter().enumerate().filter(|(at, _)| is_told(at)).any(|(_, clause)| doubts(theirs, clause));
    let whole: Vec<usize> = (0..own.len()).collect();
    let own_doubts = doubts(own, &whole) || own.iter().any(|word| word.text == "if");
    if in_doubt != doubts(own, &whole) && !(in_doubt && own_doubts) {
        return false;
    }
    let is_bound = own.iter().enumerate().any(|(at, word)| is_condition(own, at) || DEPENDS.contains(&&*word.text));
    let left_out = |at: usize, clause: &[usize]| {
        let place = clause.iter().position(|word| is_condition(theirs, *word))?;
        let (governed, condition) = match place {
            // "If a, b", and "b, if a".
            0 | 1 if all.len() > 1 => {
                let is_last = at + 1 == all.len();
                (if is_last { at - 1 } else { at + 1 }, stems.get(at)?.clone())
            }
            _ => (at, stems_of(theirs, clause.get(place..)?)),
        };
        let elsewhere: BTreeSet<String> = all
            .iter()
            .enumerate()
            .flat_map(|(other, words)| match (other == at, governed == at) {
                (true, true) => stems_of(theirs, words.get(..place).unwrap_or_default()),
                (true, false) => BTreeSet::new(),
                (false, _) => stems_of(theirs, words),
            })
            .collect();
        let is_time = clause.get(place).is_some_and(|word| TIMES.contains(&text_at(theirs, *word)));
        let is_past = || all.get(governed).is_some_and(|clause| clause.iter().any(|word| is_past(theirs, *word)));
        let says_it = condition.iter().any(|stem| said.stems.contains(stem) && !elsewhere.contains(stem));
        let is_it = is_told(&governed) && !says_it && condition.len() > 1 && !(is_time && is_past());
        Some(is_it)
    };
    if !is_bound && all.iter().enumerate().any(|(at, clause)| left_out(at, clause) == Some(true)) {
        return false;
    }
    is_done_as(own, theirs)
}

/// The clauses that a sentence is told from: each has a word of it that those with more have not.
fn told_in(clauses: &[BTreeSet<String>], said: &Said) -> BTreeSet<usize> {
    let (mut told, mut left) = (BTreeSet::new(), said.stems.clone());
    loop {
        let shared = |at: &usize| clauses.get(*at).map_or(0, |clause| clause.intersection(&left).count());
        let best = (0..clauses.len()).max_by(|one, other| shared(one).cmp(&shared(other)).then(other.cmp(one)));
        let Some(best) = best.filter(|at| shared(at) > 0) else { return told };
        left.retain(|stem| !clauses.get(best).is_some_and(|clause| clause.contains(stem)));
        told.insert(best);
    }
}

fn stems_of(words: &[Word], clause: &[usize]) -> BTreeSet<String> {
    let texts = clause.iter().map(|at| text_at(words, *at)).filter(|text| !is_silent(text));
    texts.filter(|text| !CONDITIONS.contains(text)).map(stem).collect()
}

/// Whether it is told from a word on what a thing depends.
fn is_condition(words: &[Word], at: usize) -> bool {
    let (text, next, before) = (text_at(words, at), text_at(words, at + 1), text_before(words, at, 1));
    let signs = || words.get(at..at + 2).map_or(String::new(), |pair| pair.iter().map(|word| &*word.text).collect());
    // "once a day", "check if"
    let is_none = (text == "once" && matches!(next, "" | "a" | "again" | "an" | "every" | "more" | "per"))
        || (text == "if" && (ASKS.contains(&before) || is_of_any_work(before)))
        || (text == "provided" && matches!(next, "" | "by" | "in" | "the" | "a" | "as"))
        || (matches!(text, "se" | "si" | "als" | "falls") && at > 0);
    (CONDITIONS.contains(&text) && !is_none)
        || CONDITIONS_IN.iter().any(|[one, two]| text == *one && next == *two)
        || (!text.is_ascii() && CONDITION_SIGNS.contains(&&*signs()))
}

/// Whether a clause leaves open whether it is so.
fn doubts(words: &[Word], clause: &[usize]) -> bool {
    let signs: String = clause.iter().map(|at| text_at(words, *at)).filter(|text| !text.is_ascii()).collect();
    clause.iter().any(|at| {
        let (text, next, before) = (text_at(words, *at), text_at(words, at + 1), text_before(words, *at, 1));
        // "thought about doing it" is no doubt.
        (DOUBTS.contains(&text) && !matches!(next, "about" | "of"))
            || (matches!(text, "may" | "could") && matches!(next, "be" | "have"))
            || (text == "if" && ASKS.contains(&before))
    }) || DOUBT_SIGNS.iter().any(|sign| signs.contains(sign))
}

/// Whether a word tells what was: "is rotated" does not.
fn is_past(words: &[Word], at: usize) -> bool {
    let (word, before) = (text_at(words, at), text_before(words, at, 1));
    let is_present = matches!(before, "are" | "as" | "be" | "being" | "get" | "gets" | "is" | "to");
    matches!(word, "did" | "had" | "was" | "were") || (!is_present && word != "need" && is_verb_of_done(word).is_some())
}

/// Whether nothing is told as done that somebody is only said to mean to do.
fn is_done_as(own: &[Word], theirs: &[Word]) -> bool {
    let done = |words: &[Word]| -> BTreeSet<String> {
        let says = |at: &usize| !matches!(text_before(words, *at, 1), "be" | "to" | "get") && !is_awaited(words, *at);
        let verbs = (0..words.len()).filter(says).filter_map(|at| is_verb_of_done(text_at(words, at)).map(stem));
        verbs.collect()
    };
    let meant_here: BTreeSet<String> = meant(own).collect();
    let (did, there) = (done(own), done(theirs));
    !meant(theirs).any(|verb| did.contains(&verb) && !there.contains(&verb) && !meant_here.contains(&verb))
}
