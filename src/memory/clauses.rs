//! What a sentence of several clauses says by each of them: with whom a clause without one speaks of, and with what a
//! short answer leaves unsaid ("admins do").

use super::joined::clauses;
use super::lexer::{Word, text_at, words};
use super::permission::MAY;
use super::quantity::is_quantity;
use super::sense::is_empty;
use super::stand::is_verb_of_done;
use super::words::{exact, is_silent};

/// What a short answer ends with, and what of its kind may stand before what it leaves unsaid.
const ANSWERS: &[(&str, &[&str])] = &[
    ("are", &["are", "is"]),
    ("can", &["can", "cannot"]),
    ("could", &["could"]),
    ("did", &["did", "didn't"]),
    ("do", &["do", "don't", "does", "doesn't"]),
    ("does", &["do", "don't", "does", "doesn't"]),
    ("had", &["had"]),
    ("has", &["has", "have"]),
    ("have", &["has", "have"]),
    ("is", &["are", "is"]),
    ("must", &["must"]),
    ("should", &["should"]),
    ("was", &["was", "were"]),
    ("were", &["was", "were"]),
    ("will", &["will"]),
];
/// Words of who is spoken of in a short answer, at most.
const WHO: usize = 5;

/// The clauses of a sentence, each with what it leaves unsaid; `None` where none leaves that to the one before it.
pub(super) fn answered(sentence: &str) -> Option<Vec<String>> {
    let joints = [", but ", " but ", "; ", ", while ", " while ", ", and ", ", whereas ", ", "];
    let mut parted: Vec<(&str, &str)> = joints.iter().filter_map(|joint| sentence.rsplit_once(joint)).collect();
    parted.sort_by_key(|(_, answer)| answer.len());
    parted.into_iter().find_map(|(before, answer)| with_unsaid(before, answer))
}

/// A clause, and the one behind it with what it leaves unsaid.
fn with_unsaid(before: &str, answer: &str) -> Option<Vec<String>> {
    let (plain, told) = (exact(answer), exact(before));
    let (plain, told) = (words(&plain), words(&told));
    if let Some(denied) = forbidden(&told, &plain) {
        return Some(vec![format!("{before}."), denied]);
    }
    let mut own: Vec<&str> = plain.iter().map(|word| &*word.text).collect();
    while matches!(own.last(), Some(&("too" | "either" | "already"))) {
        own.pop();
    }
    let (mut verb, mut denies) = (own.pop()?, false);
    if verb == "not" {
        (verb, denies) = (own.pop()?, true);
    }
    if let Some(plain) = verb.strip_suffix("n't") {
        (verb, denies) = (plain, true);
    }
    let (_, kind) = ANSWERS.iter().find(|(answer, _)| *answer == verb)?;
    if own.is_empty() || own.len() > WHO {
        return None;
    }
    let rest = unsaid(&told, kind)?;
    let says = match (verb, denies) {
        ("do" | "does", false) => String::new(),
        (verb, true) => format!("{verb} not "),
        (verb, false) => format!("{verb} "),
    };
    Some(vec![before.to_owned(), format!("{} {says}{}.", own.join(" "), rest.join(" "))])
}

/// Words that lead to where, when or to whom something is done, and such of which one is the opposite of the other.
const LEADS: &[&str] = &["at", "during", "for", "from", "in", "into", "on", "onto", "to", "under", "via", "with"];
const OPPOSITES: &[(&str, &str)] = &[("after", "before"), ("before", "after"), ("above", "below"), ("below", "above")];

/// What a clause that permits something leaves unsaid of what it excludes: "Guests may read the logs, but not the keys."
fn forbidden(told: &[Word], answer: &[Word]) -> Option<String> {
    let texts = |words: &[Word]| words.iter().map(|word| word.text.to_string()).collect::<Vec<_>>();
    let (told, answer) = (texts(told), texts(answer));
    let is = |at: usize, phrase: &[&str]| {
        told.get(at..at + phrase.len()).is_some_and(|held| held.iter().zip(phrase).all(|(one, word)| one == word))
    };
    let (at, may) = (0..told.len()).find_map(|at| Some((at, MAY.iter().find(|may| is(at, may))?)))?;
    let (verb, rest) = (told.get(at + may.len()..)?, answer.split_first().filter(|(first, _)| *first == "not")?.1);
    // "be deleted" is one verb.
    let length = if verb.first()? == "be" { 2 } else { 1 };
    let (verb, object) = verb.split_at_checked(length)?;
    let first = rest.first()?.as_str();
    let opposite = OPPOSITES.iter().find(|(word, _)| *word == first && rest.len() == 1).map(|(_, other)| *other);
    let place = |word: &str| object.iter().position(|own| own == word);
    let does: Vec<String> = match (opposite.and_then(place), LEADS.contains(&first).then(|| place(first)).flatten()) {
        (Some(at), _) => [verb, &object[..at], rest, &object[at + 1..]].concat(),
        (None, Some(at)) => [verb, &object[..at], rest].concat(),
        // "not to edit it": what it is, is told before.
        (None, None) if first == "to" => match rest {
            [_, does, it] if matches!(it.as_str(), "it" | "them") => [&[does.clone()][..], object].concat(),
            _ => rest.get(1..)?.to_vec(),
        },
        _ if opposite.is_some() || LEADS.contains(&first) => return None,
        _ => [verb, rest].concat(),
    };
    let (who, may) = (told.get(..at)?.join(" "), may.join(" "));
    let denied = if may.ends_with(" to") { format!("not {may}") } else { format!("{may} not") };
    Some(format!("{who} {denied} {}.", does.join(" ")))
}

/// What stands in a clause behind a word of some kind, and behind what denies it; else behind whom it speaks of.
fn unsaid<'a>(told: &'a [Word<'a>], kind: &[&str]) -> Option<Vec<&'a str>> {
    let text = |at: usize| text_at(told, at);
    let helped = (0..told.len()).find(|at| kind.contains(&text(*at))).map(|at| at + 1);
    let by_verb = || {
        let says =
            |at: &usize| !is_silent(text(*at)) && !is_empty(text(*at)) && !is_quantity(text(*at)) && text(*at) != "not";
        kind.contains(&"do").then(|| (0..told.len()).find(says).map(|at| at + 1))?
    };
    let mut from = helped.or_else(by_verb)?;
    while matches!(text(from), "not" | "never" | "yet") {
        from += 1;
    }
    let rest: Vec<&str> = told.get(from..)?.iter().map(|word| &*word.text).collect();
    (!rest.is_empty()).then_some(rest)
}

/// The clauses of a sentence that says several; one without whom it speaks of has those of the first. Empty where there
/// is one only.
pub(super) fn completed(sentence: &str) -> Vec<String> {
    let found = clauses(sentence);
    if found.len() < 2 {
        return Vec::new();
    }
    let first = found.first().map(|first| exact(first)).unwrap_or_default();
    let first = words(&first);
    let is_done = |word: &Word| is_verb_of_done(&word.text).is_some();
    let who: Vec<&str> = first.iter().take_while(|word| !is_done(word)).map(|word| &*word.text).collect();
    let complete = |clause: &str| {
        let plain = exact(clause);
        let words = words(&plain);
        let mut said = words.iter().skip_while(|word| is_aside(&word.text));
        match said.next() {
            Some(word) if is_done(word) && who.len() < first.len() => format!("{} {clause}", who.join(" ")),
            _ => clause.to_owned(),
        }
    };
    found.iter().enumerate().map(|(at, clause)| if at == 0 { (*clause).to_owned() } else { complete(clause) }).collect()
}

/// Whether a word tells when or how something is done, and not who does it.
pub(super) fn is_aside(word: &str) -> bool {
    const ASIDE: &[&str] =
        &["afterwards", "again", "also", "finally", "later", "now", "once", "soon", "then", "today", "yesterday"];
    ASIDE.contains(&word) || (word.len() > 4 && word.ends_with("ly")) || is_empty(word) || is_silent(word)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_short_answer_says_what_was_said_before() {
        for (text, told) in [
            ("Not all users have a token, but admins do.", "admins have a token."),
            ("Most endpoints need a key, but the health check does not.", "the health check does not need a key."),
            ("The parser is not finished, but the lexer is.", "the lexer is finished."),
            ("Guests cannot delete files, but owners can.", "owners can delete files."),
            (
                "The cache may be deleted after the migration, but not before.",
                "the cache may not be deleted before the migration.",
            ),
            ("Interns may read the logs, but not the keys.", "interns may not read the keys."),
            ("Guests are allowed to view the board, but not to edit it.", "guests are not allowed to edit the board."),
            ("Ops can deploy to staging but not to production.", "ops can not deploy to production."),
            ("The web was restarted, while the worker wasn't.", "the worker was not restarted."),
            ("The total must include VAT, shipping must not.", "shipping must not include vat."),
        ] {
            assert_eq!(answered(text).and_then(|mut all| all.pop()).as_deref(), Some(told), "{text}");
        }
        for text in ["Admins do.", "The parser is done, and the lexer is slow.", "It is what it is."] {
            assert_eq!(answered(text), None, "{text}");
        }
    }

    #[test]
    fn a_clause_without_whom_it_speaks_of_has_those_of_the_first() {
        let of = |text| completed(text).join(" | ");
        assert_eq!(
            of("The parser was fixed by Ops and later reviewed by Finance"),
            "The parser was fixed by Ops | the parser was later reviewed by Finance"
        );
        assert_eq!(
            of("Ops owns the parser and Finance owns the lexer"),
            "Ops owns the parser | Finance owns the lexer"
        );
        assert_eq!(of("Ops owns the parser"), "");
    }
}
