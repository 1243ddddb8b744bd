//! What a sentence deals out in pairs, each value with its place: "7 days in a and 30 days in b", "Eva (QA), Tom (PM)".
//! A sentence that gives the one the place of the other says what nobody said.

use super::figure::{figures_among, is_same};
use super::lexer::{Word, is_figure};
use super::sense::{ends_clause, is_arrow, is_empty, joins, stem};
use super::stand::is_verb_of_done;
use super::words::is_silent;

/// Parts of a sentence that are held against each other, and tokens of one: what has more is data.
const PARTS: usize = 8;
const TOKENS: usize = 24;
/// Words of one value or place, at most.
const VALUE: usize = 3;

/// Words that can stand beside a pair without being of it.
const BESIDE: &[&str] = &[
    "a", "also", "an", "e", "g", "he", "her", "his", "i", "it", "its", "just", "my", "our", "please", "s", "she", "so",
    "that", "the", "their", "then", "there", "these", "they", "this", "those", "we", "you", "your",
];
/// Words with which a part begins that only says when, why or under what the other holds, and by which one is denied.
const BOUND: &[&str] = &[
    "after", "although", "because", "before", "by", "if", "once", "since", "so", "that", "though", "to", "unless",
    "until", "when", "where", "which", "who",
];
const DENIES: &[&str] = &["instead", "neither", "never", "no", "nor", "not", "rather", "than", "without"];

/// What a token of a part is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Kind {
    Number,
    Word,
    /// It holds the others together: "for", "in", "is", a bracket, an arrow.
    Frame,
}

#[derive(Clone, Debug, PartialEq, Eq)]
struct Token {
    text: String,
    kind: Kind,
    /// Whether it is the verb of what is done: one deed is told by many of them.
    done: bool,
}

/// What stands in the one part and in the other at one place.
type Slot = (Vec<String>, Vec<String>);

/// What the sentences of a text pair.
#[derive(Clone, Debug, Default)]
pub(super) struct Paired {
    /// What each part says.
    parts: Vec<Vec<String>>,
    /// What every two parts that are built alike have at the places where they differ.
    slots: Vec<Vec<Slot>>,
}

impl Paired {
    /// Takes a sentence in.
    pub fn read(&mut self, words: &[Word]) {
        let parts = parts_of(words);
        let is_read = parts.len() <= PARTS && parts.iter().all(|part| part.len() <= TOKENS);
        if is_read {
            let pairs = parts.iter().enumerate().flat_map(|(at, one)| {
                let next = parts.get(at + 1..).unwrap_or_default();
                next.iter().filter_map(move |other| alike(one, other))
            });
            self.slots.extend(pairs);
        }
        let says = |part: Vec<Token>| {
            let said = part.into_iter().filter(|token| token.kind != Kind::Frame);
            said.map(|token| token.text).collect()
        };
        self.parts.extend(parts.into_iter().map(says));
    }

    /// Whether a part of it has at one place what stands there in the one of two parts that another has built alike, and
    /// at another place what stands in the other. What tells all four deals them out otherwise.
    pub fn mixes(&self, other: &Paired) -> bool {
        let tells = |texts: &[String]| self.parts.iter().any(|part| has_all(part, texts));
        let are_told =
            |one: &[String], two: &[String]| other.parts.iter().any(|part| has_all(part, one) && has_all(part, two));
        let is_mixed = |part: &[String], one: &Slot, two: &Slot| {
            let only = |own: &[String], not: &[String]| has_all(part, own) && !not.iter().any(|not| has(part, not));
            only(&one.0, &one.1)
                && only(&two.1, &two.0)
                && !(tells(&one.1) && tells(&two.0))
                && !are_told(&one.0, &two.1)
        };
        other.slots.iter().any(|slots| {
            let pairs = || slots.iter().flat_map(|one| slots.iter().map(move |two| (one, two)));
            self.parts.iter().any(|part| pairs().any(|(one, two)| is_mixed(part, one, two)))
        })
    }
}

fn has(part: &[String], text: &str) -> bool {
    part.iter().any(|own| own == text || (is_figure(text) && is_figure(own) && is_same(own, text)))
}

fn has_all(part: &[String], texts: &[String]) -> bool {
    texts.iter().all(|text| has(part, text))
}

/// The parts of a sentence that commas, semicolons and "and" leave apart; what is in brackets belongs to what is before.
fn parts_of(words: &[Word]) -> Vec<Vec<Token>> {
    let figures = figures_among(words);
    let (mut parts, mut part, mut depth, mut at) = (Vec::new(), Vec::new(), 0_usize, 0);
    while let Some(word) = words.get(at) {
        let figure = figures.iter().find(|figure| figure.place.0 == at);
        let joined = words.get(at..).unwrap_or_default().iter().take_while(|word| word.after == "-").count();
        let end = match figure {
            Some(figure) => figure.place.1,
            None => (at + 1 + joined).min(words.len()),
        };
        let after = words.get(end - 1).map_or("", |word| word.after);
        if joins(&word.text) && end == at + 1 {
            parts.push(std::mem::take(&mut part));
        } else {
            let text = || words.get(at..end).unwrap_or_default().iter().map(|word| &*word.text).collect::<Vec<_>>();
            let (text, kind) = match figure {
                Some(figure) if figure.is_number => (figure.text.clone(), Kind::Number),
                Some(figure) => (figure.text.clone(), Kind::Word),
                None if end > at + 1 => (text().join("-"), Kind::Word),
                None if is_silent(&word.text) || is_empty(&word.text) => (word.text.to_string(), Kind::Frame),
                None => (stem(&word.text), Kind::Word),
            };
            let done = kind == Kind::Word && figure.is_none() && is_verb_of_done(&word.text).is_some();
            if !(kind == Kind::Frame && BESIDE.contains(&&*text)) {
                part.push(Token { text, kind, done });
            }
        }
        for (sign, names) in [('(', "("), (':', ":"), ('=', "=")] {
            let is_there = after.contains(sign) && !is_arrow(after);
            part.extend(is_there.then(|| Token { text: names.to_owned(), kind: Kind::Frame, done: false }));
        }
        part.extend(is_arrow(after).then(|| Token { text: "->".to_owned(), kind: Kind::Frame, done: false }));
        depth = (depth + after.matches('(').count()).saturating_sub(after.matches(')').count());
        let ends = ends_clause(after) || after.contains(',');
        if depth == 0 && ends && !after.contains('(') && after.contains([',', ';', '|', '\u{2014}', '.']) {
            parts.push(std::mem::take(&mut part));
        }
        at = end;
    }
    parts.push(part);
    parts.retain(|part: &Vec<Token>| part.iter().any(|token| token.kind != Kind::Frame));
    parts
}

/// The places at which two parts differ that are built alike, where they are more than one; the first may begin with
/// what is said of both.
fn alike(one: &[Token], other: &[Token]) -> Option<Vec<Slot>> {
    let is_bound = |part: &[Token]| {
        part.first().is_some_and(|first| BOUND.contains(&&*first.text))
            || part.iter().any(|token| DENIES.contains(&&*token.text))
    };
    if is_bound(one) || is_bound(other) {
        return None;
    }
    let anchors = anchors(one, other);
    let slots = if anchors.is_empty() { by_number(one, other)? } else { by_anchors(one, other, &anchors)? };
    (slots.len() > 1).then_some(slots)
}

/// The tokens that both have, in one order: their places, the last ones of the first part where it has several.
fn anchors(one: &[Token], other: &[Token]) -> Vec<(usize, usize)> {
    let is_same = |at: usize, there: usize| one.get(at).is_some_and(|token| other.get(there) == Some(token));
    let width = other.len() + 1;
    let mut longest = vec![0_usize; (one.len() + 1) * width];
    let get = |longest: &[usize], at: usize, there: usize| longest.get(at * width + there).copied().unwrap_or(0);
    for at in 1..=one.len() {
        for there in 1..=other.len() {
            let value = match is_same(at - 1, there - 1) {
                true => get(&longest, at - 1, there - 1) + 1,
                false => get(&longest, at - 1, there).max(get(&longest, at, there - 1)),
            };
            if let Some(place) = longest.get_mut(at * width + there) {
                *place = value;
            }
        }
    }
    let (mut found, mut at, mut there) = (Vec::new(), one.len(), other.len());
    while at > 0 && there > 0 {
        if is_same(at - 1, there - 1) {
            (at, there) = (at - 1, there - 1);
            found.push((at, there));
        } else if get(&longest, at - 1, there) >= get(&longest, at, there - 1) {
            at -= 1;
        } else {
            there -= 1;
        }
    }
    found.reverse();
    found
}

/// The tokens of a run that say something.
fn said(run: Option<&[Token]>) -> Vec<&Token> {
    run.unwrap_or_default().iter().filter(|token| token.kind != Kind::Frame).collect()
}

fn slot(one: &[&Token], two: &[&Token]) -> Slot {
    let texts = |tokens: &[&Token]| tokens.iter().map(|token| token.text.clone()).collect();
    (texts(one), texts(two))
}

/// The places between what both parts have.
fn by_anchors(one: &[Token], other: &[Token], anchors: &[(usize, usize)]) -> Option<Vec<Slot>> {
    let (mut slots, mut from, mut there) = (Vec::new(), 0, 0);
    for (number, (at, to)) in anchors.iter().copied().chain([(one.len(), other.len())]).enumerate() {
        let (mine, theirs) = (said(one.get(from..at)), said(other.get(there..to)));
        (from, there) = (at + 1, to + 1);
        if theirs.is_empty() {
            continue;
        }
        if mine.is_empty() || theirs.len() > VALUE {
            return None;
        }
        // What the first part begins with is said of both.
        let mine = match theirs.as_slice() {
            [only] => vec![*mine.iter().rev().find(|token| token.kind == only.kind).or(mine.last())?],
            _ if number == 0 => mine.get(mine.len().checked_sub(theirs.len())?..)?.to_vec(),
            _ => mine,
        };
        if mine.len() == theirs.len() {
            let each = mine.iter().zip(&theirs).filter(|(one, two)| !(one.done && two.done) && one.kind == two.kind);
            slots.extend(each.map(|(one, two)| slot(&[*one], &[*two])));
        } else if mine.len() <= VALUE {
            slots.push(slot(&mine, &theirs));
        } else {
            return None;
        }
    }
    Some(slots)
}

/// The places of two parts that have nothing in common but that each tells a number and what it is of, or what has it.
fn by_number(one: &[Token], other: &[Token]) -> Option<Vec<Slot>> {
    let (mine, theirs) = (said(Some(one)), said(Some(other)));
    let is_number = |token: &&Token| token.kind == Kind::Number;
    if theirs.iter().filter(|token| is_number(token)).count() != 1 {
        return None;
    }
    let at = mine.iter().rposition(is_number)?;
    match (theirs.iter().position(is_number)?, theirs.len()) {
        (0, length) if (2..=VALUE + 1).contains(&length) => {
            let (own, there) = (mine.get(at + 1..)?, theirs.get(1..)?);
            let fits = (1..=VALUE).contains(&own.len()) && !own.iter().chain(there).any(|token| token.done);
            fits.then(|| vec![slot(&[mine[at]], &[theirs[0]]), slot(own, there)])
        }
        (1, 2) if at + 1 == mine.len() && at > 0 && !mine[at - 1].done && !theirs[0].done => {
            Some(vec![slot(&[mine[at - 1]], &[theirs[0]]), slot(&[mine[at]], &[theirs[1]])])
        }
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::super::numeral::counted;
    use super::super::words::exact;
    use super::*;

    fn of(text: &str) -> Paired {
        let (mut paired, plain) = (Paired::default(), exact(text));
        paired.read(&counted(&plain));
        paired
    }

    /// What was said, what gives a value the place of another, and what does not.
    const PAIRS: &[(&str, &[&str], &[&str])] = &[
        (
            "Backups are kept 7 days in eu-west-1 and 30 days in us-east-1.",
            &["Backups are kept 30 days in eu-west-1.", "In us-east-1 backups are kept 7 days."],
            &[
                "Backups are kept 7 days in eu-west-1.",
                "In us-east-1 backups are kept for 30 days.",
                "Backups: 7 days (eu-west-1), 30 days (us-east-1).",
            ],
        ),
        (
            "Max upload size is 25 MB for free users and 2 GB for paid users.",
            &["The max upload size is 2 GB for free users.", "Free users can upload up to 2 GB."],
            &["Free users can upload up to 25 MB, paid users up to 2 GB.", "Paid users: 2 GB."],
        ),
        (
            "The cron runs at 03:15 UTC, i.e. 05:15 in Berlin.",
            &["The cron runs at 05:15 UTC."],
            &["The cron runs at 03:15 UTC (5:15 am in Berlin).", "In Berlin the cron runs at 05:15."],
        ),
        (
            "Team members: Eva (QA), Tom (DevOps), Lin (PM).",
            &["Tom is the PM.", "Eva does DevOps.", "Lin does QA."],
            &["Tom does DevOps.", "Lin is the PM, Eva does QA.", "The team is Eva, Tom and Lin."],
        ),
        ("Owners: api -> Raj, web -> Lea, infra -> Max.", &["Lea owns the api."], &["Lea owns the web."]),
        ("Contacts: billing is Mia, support is Noah.", &["Support is Mia."], &["Support is Noah."]),
        (
            "Line 42 of auth.py raises KeyError, line 57 raises ValueError.",
            &["Line 57 of auth.py raises KeyError."],
            &["Line 57 of auth.py raises ValueError.", "auth.py raises KeyError in line 42."],
        ),
        (
            "I added tests for the parser and docs for the lexer.",
            &["Added docs for the parser."],
            &["Added docs for the lexer.", "Docs and tests were added for the parser and the lexer."],
        ),
        (
            "I updated the parser in src/a.rs and added tests in tests/b.rs.",
            &[],
            &["Updated tests/b.rs with tests.", "Added parser tests in tests/b.rs."],
        ),
        (
            "After the fix in parser.rs, tests in lexer.rs fail.",
            &[],
            &["The lexer.rs tests fail after the fix.", "lexer.rs fails after the fix."],
        ),
        ("Tests: 3 failed, 41 passed, 44 total", &[], &["3 of 44 tests failed.", "44 tests, 41 passed."]),
        ("Keep it 7 days in a_1 and 30 days in b_1; in a_1 the logs stay 30 days.", &[], &["30 days in a_1"]),
    ];

    #[test]
    fn a_value_keeps_its_place() {
        for (said, mixed, told) in PAIRS {
            for text in *mixed {
                assert!(of(text).mixes(&of(said)), "{text} / {said}");
            }
            for text in *told {
                assert!(!of(text).mixes(&of(said)), "{text} / {said}");
            }
        }
    }
}
