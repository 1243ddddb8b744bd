//! What a sentence says without saying it: "do not merge a before b" says that b is merged first, and "only a is down,
//! b is fine" that b is not.

use super::lexer::{Word, is_figure, text_at, text_before, words};
use super::words::exact;

/// Words between which a sentence says the one of them of the other.
const BE: &[&str] = &["are", "is", "was", "were"];
/// Words by which it is told that nothing is wrong with a thing.
const FINE: &[&str] = &["fine", "good", "healthy", "ok", "okay", "unharmed", "unaffected"];
/// Words by which it is told what somebody took to be so.
const TOOK: &[&str] = &["assumed", "believed", "expected", "suspected", "thought"];
/// Words by which it is told what must or may not be.
const MODALS: &[&str] = &["can", "may", "must", "should"];
/// Words of a thing, at most.
const THING: usize = 5;

/// A sentence and what follows from it, where something does that it does not say.
pub(super) fn implied(sentence: &str) -> Option<Vec<String>> {
    let plain = exact(sentence);
    let read = words(&plain);
    let rules = [first_of_two, spared, found_out, pending, used_instead, as_it_is];
    let found = rules.iter().find_map(|rule| rule(&read))?;
    Some(vec![sentence.to_owned(), found])
}

/// What a sentence says in other words, where it says no more and no less by them.
pub(super) fn as_much(sentence: &str) -> Option<String> {
    let plain = exact(sentence);
    let read = words(&plain);
    [restricted, for_whom_only, given_up, all_or_none].iter().find_map(|rule| rule(&read))
}

/// Words as they stand, with what stands between them.
fn as_told(words: &[Word]) -> String {
    let mut told: String = words.iter().flat_map(|word| [&*word.text, word.after]).collect();
    told.truncate(told.trim_end_matches(|sign: char| !sign.is_alphanumeric()).len());
    told
}

fn is_thing(words: &[Word]) -> bool {
    (1..=THING).contains(&words.len()) && !words.iter().any(|word| BE.contains(&&*word.text))
}

/// What a sentence goes on with that is not to be done before another is.
fn first_of_two(words: &[Word]) -> Option<String> {
    let before = words.iter().position(|word| word.text == "before")?;
    let other = words.get(before + 1..)?;
    let (from, verb, told) = match (text_at(words, 0), text_at(words, 1)) {
        ("do", "not") => (3, 2, String::new()),
        ("don't" | "never", _) => (2, 1, String::new()),
        _ => {
            let not = words.iter().position(|word| word.text == "not").filter(|at| *at > 1)?;
            let is_passive = text_at(words, not + 1) == "be" && not + 3 == before;
            let modal = Some(text_at(words, not - 1)).filter(|word| is_passive && MODALS.contains(word))?;
            (0, not + 2, format!("{} be ", if modal == "should" { modal } else { "must" }))
        }
    };
    let one = words.get(from..if from == 0 { verb - 3 } else { before })?;
    let is_alike = || match (one.first(), other.first()) {
        (Some(one), Some(other)) => one.text == other.text || (is_figure(&one.text) && is_figure(&other.text)),
        _ => false,
    };
    if !is_thing(one) || !is_thing(other) || !is_alike() {
        return None;
    }
    let (verb, one, other) = (text_at(words, verb), as_told(one), as_told(other));
    Some(match told.is_empty() {
        true => format!("{verb} {other} before {one}."),
        false => format!("{other} {told}{verb} before {one}."),
    })
}

/// What is told of a thing that is fine where only another is not.
fn spared(words: &[Word]) -> Option<String> {
    let (first, end) = (words.first()?, words.iter().position(|word| word.after.contains([';', ',']))?);
    let (one, rest) = words.split_at(end + 1);
    let be = |words: &[Word]| words.iter().position(|word| BE.contains(&&*word.text));
    let (at, other) = (be(one)?, be(rest)?);
    let (who, says) = (one.get(1..at)?, one.get(at + 1..)?);
    let from = usize::from(matches!(text_at(rest, 0), "and" | "but" | "while"));
    let spared = rest.get(from..other)?;
    let is_fine = rest.len() == other + 2 && FINE.contains(&text_at(rest, other + 1));
    let tells = first.text == "only" && is_fine && is_thing(says) && is_thing(spared) && is_thing(who);
    tells.then(|| format!("{} {} not {}, only {}.", as_told(spared), text_at(rest, other), as_told(says), as_told(who)))
}

/// What is told of a thing that was taken to be otherwise.
fn found_out(words: &[Word]) -> Option<String> {
    let took = words.iter().position(|word| TOOK.contains(&&*word.text)).filter(|at| *at < 3)?;
    let but = words.iter().position(|word| word.text == "but")?;
    let from = took + 1 + usize::from(text_at(words, took + 1) == "that");
    let be = (from..but).find(|at| BE.contains(&text_at(words, *at)))?;
    let out = |at: usize| text_at(words, at) == "turned" && text_at(words, at + 1) == "out";
    let turned = (but + 1..words.len().min(but + 3)).find(|at| out(*at))?;
    let end = turned + 2 + if text_at(words, turned + 2) == "to" { 2 } else { 0 };
    let (thing, was, is) = (words.get(from..be)?, words.get(be + 1..but)?, words.get(end..)?);
    let tells = is_thing(thing) && !was.is_empty() && !is.is_empty();
    tells.then(|| format!("{} turned out to be {}, not {}.", as_told(thing), as_told(is), as_told(was)))
}

/// What is still to be done of what has not been done yet.
fn pending(words: &[Word]) -> Option<String> {
    let has = words.iter().position(|word| matches!(&*word.text, "has" | "have"))?;
    let is_not = text_at(words, has + 1) == "not" && text_at(words, has + 2) == "been";
    let tells = is_not && has > 0 && words.len() > has + 4 && words.last().is_some_and(|last| last.text == "yet");
    let (who, rest) = (words.get(..has)?, words.get(has + 3..words.len() - 1)?);
    let be = if text_at(words, has) == "has" { "is" } else { "are" };
    tells.then(|| format!("{} {be} still to be {}.", as_told(who), as_told(rest)))
}

/// What is to be used for a thing where another is not, and why: "do not use a for b because ops cannot run it; use c
/// instead".
fn used_instead(words: &[Word]) -> Option<String> {
    let is = |at: usize, phrase: &[&str]| phrase.iter().enumerate().all(|(by, word)| text_at(words, at + by) == *word);
    let not = (0..words.len()).find(|at| is(*at, &["not", "use"]) || is(*at, &["not", "to", "use"]))?;
    let from = not + if text_at(words, not + 1) == "to" { 3 } else { 2 };
    let end = (from..words.len()).find(|at| words.get(*at).is_some_and(|word| word.after.contains([';', ',', '.'])))?;
    let leads = |word: &str| (from..=end).find(|at| text_at(words, *at) == word);
    let lead = leads("for")?;
    let reason = leads("because").or_else(|| leads("since"));
    let of = (end + 1..words.len()).find(|at| text_at(words, *at) == "use")? + 1;
    let instead = words.len() - 1;
    let (thing, whom, other) =
        (words.get(from..lead)?, words.get(lead + 1..reason.unwrap_or(end + 1))?, words.get(of..instead)?);
    if text_at(words, instead) != "instead" || !is_thing(thing) || !is_thing(whom) || !is_thing(other) {
        return None;
    }
    let thing = as_told(thing);
    let why = reason.and_then(|reason| words.get(reason..=end)).map(|why| {
        let named = |word: &Word| if word.text == "it" { thing.clone() } else { word.text.to_string() };
        format!(", {}", why.iter().map(named).collect::<Vec<_>>().join(" "))
    });
    Some(format!("use {} for {}{}.", as_told(other), as_told(whom), why.unwrap_or_default()))
}

/// What is so of a thing of which it is told what used to be: "it used to run on a; since March it runs on b".
fn as_it_is(words: &[Word]) -> Option<String> {
    let used = (1..words.len()).find(|at| used_to(words, *at))?;
    let end = (used..words.len()).find(|at| words.get(*at).is_some_and(|word| word.after.contains([';', ',', '.'])))?;
    let rest = words.get(end + 1..)?;
    let it = rest.iter().position(|word| matches!(&*word.text, "he" | "it" | "she" | "they"))?;
    let (when, says, thing) = (rest.get(..it)?, rest.get(it + 1..)?, words.get(..used)?);
    let when: Vec<Word> = when.iter().filter(|word| !matches!(&*word.text, "and" | "but")).cloned().collect();
    let tells = !says.is_empty() && is_thing(thing) && when.len() <= THING;
    tells.then(|| format!("{} {} {}.", as_told(thing), as_told(says), as_told(&when)).replace(" .", "."))
}

/// What only some may do is restricted to them.
fn restricted(words: &[Word]) -> Option<String> {
    let (first, may) = (words.first()?, words.iter().position(|word| MODALS.contains(&&*word.text))?);
    let (who, does) = (words.get(1..may)?, words.get(may + 1..)?);
    // What they may use is restricted, as is using it.
    let from = usize::from(does.len() > 1 && matches!(text_at(does, 0), "access" | "call" | "open" | "see" | "use"));
    let tells = first.text == "only" && is_thing(who) && !does.is_empty() && text_at(does, 0) != "be";
    tells.then(|| format!("{} is restricted to {}.", as_told(does.get(from..).unwrap_or_default()), as_told(who)))
}

/// Only those to whom something is restricted may do it.
fn for_whom_only(words: &[Word]) -> Option<String> {
    let to = |at: usize| matches!(text_at(words, at), "for" | "to");
    let bounds = |at: usize| matches!(text_at(words, at), "limited" | "reserved" | "restricted") && to(at + 1);
    let at = (2..words.len()).find(|at| bounds(*at) && BE.contains(&text_before(words, *at, 1)))?;
    let (thing, who) = (words.get(..at - 1)?, words.get(at + 2..)?);
    let is_number = who.iter().any(|word| is_figure(&word.text));
    let tells = is_thing(thing) && is_thing(who) && !is_number;
    tells.then(|| format!("only {} may {}.", as_told(who), as_told(thing)))
}

/// What is no longer supported where its support was dropped, and the other way round.
fn given_up(words: &[Word]) -> Option<String> {
    const ENDS: &[&str] = &["discontinued", "dropped", "ended", "removed"];
    let is = |at: usize, word: &str| text_at(words, at) == word;
    let dropped = (0..words.len()).find(|at| {
        let ends = ENDS.contains(&text_at(words, *at));
        ends && is(at + 1, "support") && (is(at + 2, "for") || is(at + 2, "of"))
    });
    if let Some(thing) = dropped.and_then(|at| words.get(at + 3..)).filter(|thing| is_thing(thing)) {
        return Some(format!("{} is no longer supported.", as_told(thing)));
    }
    // "We will no longer support a", "the tool no longer supports a".
    let drops =
        |at: &usize| is(*at, "no") && is(at + 1, "longer") && matches!(text_at(words, at + 2), "support" | "supports");
    let active = (1..words.len()).find(drops);
    if let Some(thing) = active.and_then(|at| words.get(at + 3..)).filter(|thing| is_thing(thing)) {
        return Some(format!("support for {} is dropped.", as_told(thing)));
    }
    let be = words.iter().position(|word| BE.contains(&&*word.text))?;
    let no_more = is(be + 1, "no") && is(be + 2, "longer") && is(be + 3, "supported");
    let thing = words.get(..be).filter(|thing| no_more && is_thing(thing))?;
    Some(format!("support for {} was dropped.", as_told(thing)))
}

/// Where none fails all pass, and where all pass none fails.
fn all_or_none(words: &[Word]) -> Option<String> {
    const FORMS: &[(&str, &str)] =
        &[("fail", "pass"), ("fails", "pass"), ("failed", "passed"), ("failing", "passing"), ("fail", "passes")];
    let (none, all) = (text_at(words, 0) == "no", text_at(words, 0) == "all");
    let (last, thing) = (words.last()?, words.get(1..words.len() - 1)?);
    let verb = FORMS.iter().find(|(fail, pass)| if none { last.text == *fail } else { last.text == *pass });
    let (fail, pass) = verb.filter(|_| (none || all) && is_thing(thing))?;
    let thing = as_told(thing);
    Some(if none { format!("all {thing} {pass}.") } else { format!("no {thing} {fail}.") })
}

/// Whether a word and the next say that something was so and is no more: not that it is used to do something, nor that
/// somebody is used to it.
pub(super) fn used_to(words: &[Word], at: usize) -> bool {
    const BEING: &[&str] = &["am", "are", "be", "been", "being", "get", "got", "is", "was", "were"];
    let joined = words.get(at).is_some_and(|word| word.after == " ");
    text_at(words, at) == "used"
        && joined
        && text_at(words, at + 1) == "to"
        && !BEING.contains(&text_before(words, at, 1))
}

#[cfg(test)]
mod tests {
    use super::super::measure::{Support, align};
    use super::*;

    #[test]
    fn what_is_said_in_other_words_has_support() {
        for (told, source) in [
            ("Exports are restricted to admins.", "Only admins may export."),
            ("The export is restricted to admins.", "Only admins can use the export."),
            ("Only admins may delete projects.", "Deleting projects is restricted to admins."),
            ("Python 3.8 is no longer supported.", "We dropped support for Python 3.8."),
            ("Support for Python 3.8 was dropped.", "Python 3.8 is no longer supported."),
            ("Support for Python 3.8 is dropped.", "We will no longer support Python 3.8."),
            ("Support for Python 3.8 is dropped.", "The tool no longer supports Python 3.8."),
            ("All tests pass.", "No test fails."),
            ("No tests fail.", "All tests pass."),
        ] {
            assert_eq!(align(told, &[source])[0].support, Support::Stands, "{told} / {source}");
        }
        for (told, source) in [
            ("Exports are restricted to guests.", "Only admins may export."),
            ("Everyone may export.", "Only admins may export."),
            ("Python 3.9 is no longer supported.", "We dropped support for Python 3.8."),
            ("Support for Python 3.9 is dropped.", "We will no longer support Python 3.8."),
            ("Some tests fail.", "All tests pass."),
        ] {
            assert_ne!(align(told, &[source])[0].support, Support::Stands, "{told} / {source}");
        }
    }

    #[test]
    fn what_a_sentence_leaves_unsaid_follows_from_it() {
        for (text, told) in [
            ("Do not merge PR 91 before PR 88.", Some("merge pr 88 before pr 91.")),
            ("PR 91 must not be merged before PR 88.", Some("pr 88 must be merged before pr 91.")),
            ("Only the eu cluster is affected; us is fine.", Some("us is not affected, only the eu cluster.")),
            (
                "I thought the leak was in ws_pool.py but it turned out to be in http_cache.py.",
                Some("the leak turned out to be in http_cache.py, not in ws_pool.py."),
            ),
            ("0042.sql has not been applied to db_1 yet.", Some("0042.sql is still to be applied to db_1.")),
            (
                "Do not use Redis for sessions because ops can't run it; use Postgres 15 instead.",
                Some("use postgres 15 for sessions, because ops can't run redis."),
            ),
            (
                "Deploys used to run on Jenkins; since March they run on GitHub Actions.",
                Some("deploys run on github actions since march."),
            ),
            ("Do not merge PR 91 before the tests pass.", None),
            ("The key is used to sign the releases; it is kept offline.", None),
            ("Only the eu cluster is affected; us is slow.", None),
            ("I thought it was late.", None),
            ("The service has not been down.", None),
        ] {
            let found = implied(text).and_then(|mut all| all.pop());
            assert_eq!(found.as_deref().map(str::to_lowercase).as_deref(), told, "{text}");
        }
    }
}
