//! Sentences of a session that ask for something or tell what was chosen.

use std::borrow::Cow;

use super::candidates::FactKind;
use super::decided::{CHOSEN, labelled, names_choice, only_intends, person_chooses, tells_choice};
use super::lasting::{Counts, counts, suggests};
use super::meaning::{in_sentences, words};
use super::question::opens_as_question;
use super::said::{chooses, without_label};
use super::spoken::{at_marks, spoken, without_marks, without_numbered};
use crate::model::Layer;
use crate::transcript::typed;

/// Bytes of a message that a person typed and did not paste, at most.
const TYPED: usize = 600;
/// Words that such a message says at least.
const TELLING: usize = 3;
/// Characters from which a line may have been broken for width.
const WRAPPED: usize = 50;
/// Bytes of a sentence at most, and how many of one text are taken.
const LONGEST: usize = 240;
const MOST: usize = 10;

/// A sentence that asks or states something.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Sentence {
    /// What it is.
    pub kind: FactKind,
    /// Its words, as they stand. Untrusted.
    pub text: String,
    /// How much it counts.
    pub weight: u64,
    /// For how long.
    pub counts: Counts,
}

const ASKED: &[&str] = &[
    "must ",
    "never ",
    "always ",
    "don't ",
    "do not ",
    "only ",
    "make sure",
    "keep in mind",
    "please use",
    "instead of",
    "please ",
    "should ",
    "ensure ",
    "avoid ",
    "i want",
    "we want",
    "rather than",
];

/// Verbs with which an order begins.
pub(super) const ORDERS: &[&str] = &[
    "add", "apply", "build", "call", "change", "check", "commit", "copy", "create", "delete", "deploy", "drop",
    "exclude", "fix", "follow", "ignore", "include", "install", "keep", "leave", "limit", "log", "make", "move",
    "name", "open", "pin", "point", "publish", "push", "put", "read", "remember", "remove", "rename", "replace",
    "restart", "return", "run", "save", "send", "set", "skip", "split", "start", "stick", "stop", "store", "switch",
    "test", "treat", "update", "use", "write",
];

/// How questions begin by which somebody is asked to do something, and what such questions hold in other languages.
const REQUESTS: &[&str] = &[
    "can you ",
    "could you ",
    "would you ",
    "will you ",
    "can we ",
    "could we ",
    "can u ",
    "pls ",
    "please ",
    "请",
    "能不能",
    "能否",
    "可以帮",
    "麻烦",
];
const REQUESTED: &[&str] = &["してください", "もらえますか", "くれますか", "주시겠", "주실", "줄래", "해줘", "해 줘"];

/// Questions behind an order that ask whether it was heard.
const TAGS: &[&str] = &[
    "is that clear",
    "is this clear",
    "is it clear",
    "does that make sense",
    "does this make sense",
    "do you understand",
    "is that ok",
    "is that okay",
    "sounds good",
    "all right",
    "alright",
    "understood",
    "got it",
    "okay",
    "right",
    "clear",
    "please",
    "will you",
    "would you",
    "can you",
    "could you",
    "yes",
    "ok",
    "明白了吗",
    "清楚了吗",
    "好吗",
    "可以吗",
    "いいですか",
    "알겠지",
];

/// What of a sentence instructs: all of it, or what stands before a question whether it was heard; `None` of a question
/// that asks something else.
fn instruction(sentence: &str) -> Option<&str> {
    let Some(asked) = sentence.strip_suffix(['?', '？']) else { return Some(sentence) };
    let lower = asked.to_lowercase();
    // What small letters make longer has other places.
    let behind = |tag: &&str| {
        let before = lower.strip_suffix(*tag).filter(|_| lower.len() == asked.len())?;
        let parted = !tag.is_ascii() || before.ends_with([' ', ',', '(', '\u{2013}', '\u{2014}']);
        asked.get(..before.len()).filter(|_| parted)
    };
    let before = TAGS.iter().find_map(behind).map(|before| {
        before.trim_end_matches([' ', ',', ';', ':', '.', '(', '-', '\u{2013}', '\u{2014}', '\u{ff0c}', '\u{3002}'])
    });
    // "Is it right?" is no order.
    if let Some(before) = before.filter(|before| telling(before) >= 2 && !opens_as_question(before)) {
        return Some(before);
    }
    let asks = requests(&lower) || suggests(&lower) || REQUESTED.iter().any(|request| lower.contains(request));
    asks.then_some(asked)
}

/// Whether a sentence in small letters begins as a request does: "can you", also where a clause goes between.
pub(super) fn requests(lower: &str) -> bool {
    let begins = |request: &&str| match request.strip_suffix(' ') {
        Some(word) => lower.strip_prefix(word).is_some_and(|rest| rest.starts_with([' ', ','])),
        None => lower.starts_with(*request),
    };
    REQUESTS.iter().any(begins)
}

/// Whether a sentence begins with an order.
pub(super) fn orders(lower: &str) -> bool {
    const BEFORE: &[&str] = &["and", "also", "then", "first", "finally", "next", "now", "so", "just"];
    let mut words = lower.split(|sign: char| !sign.is_alphanumeric()).filter(|word| !word.is_empty());
    words.find(|word| !BEFORE.contains(word)).is_some_and(|word| ORDERS.binary_search(&word).is_ok())
}

/// Whether a sentence is nothing but an address.
fn is_address(sentence: &str) -> bool {
    let bare = sentence.trim().trim_matches(['<', '>', '(', ')', '"', '`']);
    let begins = ["https://", "http://", "www."].iter().any(|scheme| bare.starts_with(scheme));
    begins && !bare.contains(char::is_whitespace)
}

/// Whether a sentence is nothing but a path or a piece of JSON, as it is dropped into a message.
fn says_nothing(sentence: &str) -> bool {
    let bare = sentence.trim();
    let quoted = bare.strip_prefix(['\'', '"', '`']).and_then(|inner| inner.strip_suffix(['\'', '"', '`']));
    let path = quoted.or_else(|| Some(bare).filter(|bare| !bare.contains(char::is_whitespace)));
    let is_path = |path: &str| {
        let drive = path.get(1..3).is_some_and(|part| part == ":\\" || part == ":/");
        (path.starts_with(['/', '~', '.']) && path.contains('/')) || (drive && path.starts_with(char::is_alphabetic))
    };
    path.is_some_and(is_path) || bare.starts_with("{\"") || bare.starts_with("[{\"")
}

/// Sentences, an address that stands alone with the one before it, which says what it is for, or with the one behind.
fn with_addresses<'a>(all: impl Iterator<Item = &'a str>) -> Vec<Cow<'a, str>> {
    let (mut found, mut alone): (Vec<Cow<'a, str>>, bool) = (Vec::new(), false);
    for sentence in all.filter(|sentence| !sentence.trim().is_empty()) {
        let (own, is_first) = (is_address(sentence), found.is_empty());
        match found.last_mut().filter(|last| (own || alone) && last.len() + sentence.len() < LONGEST) {
            Some(last) => {
                let joined = format!("{} {}", last.trim_end(), sentence.trim());
                *last = Cow::Owned(joined);
                alone &= own;
            }
            // What it would be for is too long to be told.
            None if own && !is_first => {}
            None => {
                alone = own;
                found.push(Cow::Borrowed(sentence));
            }
        }
    }
    found
}

/// The sentences of a message that ask for something, or of an answer that say what was chosen; of a short message that
/// a person typed, all that state something. Each with its weight; and whether there are more.
pub(super) fn sentences(text: &str, layer: Layer) -> (Vec<Sentence>, bool) {
    let kind = match layer {
        Layer::User => FactKind::Instruction,
        Layer::Assistant => FactKind::Decision,
        _ => return Default::default(),
    };
    let person = kind == FactKind::Instruction;
    let parts = match person {
        true => typed(text).map(spoken).unwrap_or_default(),
        false => vec![text],
    };
    let is_typed = person && parts.iter().map(|part| part.len()).sum::<usize>() <= TYPED;
    let (mut found, mut more) = (Vec::new(), false);
    let lines: Vec<Cow<str>> = parts.into_iter().flat_map(unwrapped).collect();
    let read: Vec<&Cow<str>> = if is_typed { lines.iter().collect() } else { without_numbered(&lines).collect() };
    let lines = read.into_iter().filter(|line| !line.trim_start().starts_with('|'));
    let all = lines.flat_map(|line| at_marks(line)).flat_map(in_sentences);
    let all = if is_typed { with_addresses(all) } else { all.map(Cow::Borrowed).collect() };
    for whole in &all {
        let named = labelled(whole).filter(|_| !person).map(plain);
        let sentence = named.unwrap_or_else(|| plain(whole));
        // Who asks whether to do something has not chosen it.
        let is_told = |said: &&str| !said.ends_with(['?', '？']) && !opens_as_question(said) && chooses(said, CHOSEN);
        let chosen = || Some(sentence).filter(is_told);
        let Some(sentence) = (if person { instruction(sentence) } else { chosen() }) else { continue };
        if person && says_nothing(sentence) {
            continue;
        }
        let lower = sentence.to_lowercase();
        let requests = person && requests(&lower);
        let asks = match person {
            true => {
                let typed = || is_typed && (orders(&lower) || person_chooses(&lower));
                requests || ASKED.iter().any(|word| lower.contains(word)) || typed()
            }
            // What ends in a colon tells what comes next.
            false => {
                named.is_some() || tells_choice(&lower) && names_choice(&lower) && !sentence.ends_with([':', '：'])
            }
        };
        // Who names himself does so in few words.
        let names = || lower.starts_with("my name is ") || lower.starts_with("call me ");
        let tells = || telling(sentence) >= TELLING || names();
        let states = || is_typed && !sentence.ends_with([':', '：']) && tells();
        let least = if is_typed { 12 } else { 20 };
        if more || !(least..=LONGEST).contains(&sentence.len()) || !(asks || states()) {
            continue;
        }
        if found.len() >= MOST {
            more = true;
            continue;
        }
        // What is typed is what a person means; what is long was pasted as a rule.
        let weight = match (person, is_typed, asks) {
            (true, true, true) => 48,
            (true, true, false) => 32,
            _ => 8,
        };
        let counts = match person {
            true if is_typed => counts(sentence),
            false if named.is_none() && only_intends(&lower) => Counts::Chosen,
            _ => Counts::Always,
        };
        found.push(Sentence { kind, text: sentence.to_owned(), weight, counts });
    }
    (found, more)
}

/// The lines of a text, those joined that were only broken for width.
fn unwrapped(text: &str) -> Vec<Cow<'_, str>> {
    let marks = |line: &str| {
        let number = line.trim_start_matches(|sign: char| sign.is_ascii_digit());
        line.starts_with(['-', '*', '+', '#', '>', '•', '|', '<', '`'])
            || number.len() < line.len() && (number.starts_with(". ") || number.starts_with(") "))
    };
    let mut found: Vec<Cow<'_, str>> = Vec::new();
    let mut wide = false;
    for line in text.lines() {
        let begins = line.trim_start();
        match found.last_mut().filter(|_| wide && !begins.is_empty() && !marks(begins)) {
            Some(last) => {
                let last = last.to_mut();
                last.truncate(last.trim_end().len());
                last.push(' ');
                last.push_str(begins);
            }
            None => found.push(Cow::Borrowed(line)),
        }
        let ends = line.trim_end();
        wide = ends.chars().count() >= WRAPPED && !ends.ends_with(['.', '!', '?', ':', ';', '|']);
    }
    found
}

/// A sentence without the marks of Markdown and HTML around it; of one with marks inside, its longest part.
fn plain(sentence: &str) -> &str {
    let sentence = without_marks(sentence);
    let part = sentence.split("**").max_by_key(|part| part.len()).unwrap_or_default().trim();
    let part = part.trim_start_matches(['-', '*', '+', '#', '>', '•', ' ']).trim_end_matches(['*', ' ']);
    let part = part.trim_end_matches(['.', '\u{2026}', '。']);
    let part = part.strip_prefix('`').and_then(|inner| inner.strip_suffix('`')).unwrap_or(part).trim();
    without_label(part)
}

/// Words and figures that say something.
fn telling(sentence: &str) -> usize {
    let figures = sentence.split(|sign: char| !sign.is_alphanumeric());
    words(sentence).count() + figures.filter(|word| word.len() == 1 && word.as_bytes()[0].is_ascii_digit()).count()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_a_person_typed_is_proposed_and_what_a_harness_wrapped_is_not() {
        let told = |text: &str| -> Vec<(String, u64)> {
            sentences(text, Layer::User).0.into_iter().map(|found| (found.text, found.weight)).collect()
        };
        assert_eq!(
            told("leave out 2, 4 and 9, mend the rest"),
            [("leave out 2, 4 and 9, mend the rest".to_owned(), 48)]
        );
        assert_eq!(told("the cache holds 9 entries"), [("the cache holds 9 entries".to_owned(), 32)]);
        assert_eq!(told("Never touch the lock file."), [("Never touch the lock file".to_owned(), 48)]);
        let chinese = told("部署在上海节点。端口是8443。日志保留三十天！可以吗？");
        let texts: Vec<&str> = chinese.iter().map(|(text, _)| text.as_str()).collect();
        assert_eq!(texts, ["部署在上海节点", "端口是8443", "日志保留三十天！"]);
        let pasted = format!(
            "| row | must never be taken |\n- **Note:** you should mend the parser of dates\n{}",
            "x ".repeat(400)
        );
        assert_eq!(told(&pasted), [("you should mend the parser of dates".to_owned(), 8)]);
        let command = |typed: &str| {
            told(&format!(
                "<command-message>plan</command-message>\n<command-name>/plan</command-name>\n<command-args>{typed}</command-args>"
            ))
        };
        assert_eq!(command("Never touch the lock file."), [("Never touch the lock file".to_owned(), 48)]);
        assert_eq!(command(""), []);
        let editor = "# Context from my IDE setup:\n\n## Open tabs:\n- never.rs: src/always/never.rs\n\n## My request for Codex:\n";
        let wrapped =
            "Never touch the lock file of the package that is always built by\n2.38 Rs\n- always run the tests of it";
        assert_eq!(
            told(&format!("{editor}{wrapped}")).into_iter().map(|(text, _)| text).collect::<Vec<_>>(),
            ["Never touch the lock file of the package that is always built by 2.38 Rs", "always run the tests of it"]
        );
        assert_eq!(told(editor), []);
        for nothing in
            ["yes", "go on", "<bash-input>git commit -m 'never again'</bash-input>", "what should we do next?"]
        {
            assert_eq!(told(nothing), [], "{nothing}");
        }
    }

    #[test]
    fn what_stands_beside_an_element_of_a_client_is_proposed() {
        let told = ["Never push to main", "The release uses node 22"];
        for text in [
            "<current_time>2026</current_time>\n\nNever push to main. The release uses node 22.",
            "<task>\nNever push to main. The release uses node 22.\n</task>",
            "<b>Never push to main.</b> The release uses node 22.",
        ] {
            assert_eq!(of(text), told, "{text}");
        }
        assert_eq!(of("<current_time>You must never see this</current_time>"), [""; 0]);
        assert_eq!(
            of("Can you, without the network, mend the tests?"),
            ["Can you, without the network, mend the tests"]
        );
        let pasted = format!("47:  a();\n48:  // You must never call b here\n{}", "49 words of it ".repeat(60));
        assert!(!of(&pasted).iter().any(|text| text.contains("48")));
    }

    fn of(text: &str) -> Vec<String> {
        sentences(text, Layer::User).0.into_iter().map(|found| found.text).collect()
    }

    #[test]
    fn what_stands_before_a_question_whether_it_was_heard_instructs() {
        for text in [
            "Use the staging prefix QX-77. Is that clear?",
            "Use the staging prefix QX-77, is that clear?",
            "Use the staging prefix QX-77 \u{2014} ok?",
            "Use the staging prefix QX-77 (got it?",
            "Is that clear? Use the staging prefix QX-77.",
            "Use the staging prefix QX-77\nis that clear?",
        ] {
            assert_eq!(of(text), ["Use the staging prefix QX-77"], "{text}");
        }
        let broken = "Use the staging prefix QX-77 for whatever you make in the cloud\nIs that clear?";
        assert_eq!(of(broken), ["Use the staging prefix QX-77 for whatever you make in the cloud"]);
        assert_eq!(of("Could you deploy it to host_42 only?"), ["Could you deploy it to host_42 only"]);
        assert_eq!(of("请把日志保留三十天，好吗？"), ["请把日志保留三十天"]);
        for question in ["Is the staging prefix of it QX-77, right?", "Why does build 88213 fail?", "Is it all right?"]
        {
            assert_eq!(of(question), [""; 0], "{question}");
        }
    }

    #[test]
    fn an_address_is_told_with_what_it_is_for() {
        const URL: &str = "https://git.example/acme/widget/pull/1142";
        for (text, told) in [
            (format!("Please follow\n{URL}"), format!("Please follow {URL}")),
            (
                format!("Look at what the team wrote here:\n\n{URL}\n"),
                format!("Look at what the team wrote here: {URL}"),
            ),
            (format!("{URL}\n\nFix what is said there."), format!("{URL} Fix what is said there")),
            (format!("Can you mend this? {URL}"), format!("Can you mend this? {URL}")),
            (URL.to_owned(), URL.to_owned()),
        ] {
            assert_eq!(of(&text), [told], "{text}");
        }
    }

    #[test]
    fn what_is_only_dropped_into_a_message_instructs_nothing() {
        for text in [
            "'/Users/me/Desktop/Screenshot 2025-09-24 at 2.38.50 PM.png'",
            "~/work/port/src/main.rs",
            "{\"type\":\"input_image\",\"image_url\":null}",
        ] {
            assert_eq!(of(text), [""; 0], "{text}");
        }
        let told = "Read ~/work/port/src/main.rs first";
        assert_eq!(of(told), [told]);
        let chosen = |text: &str| sentences(text, Layer::Assistant).0.len();
        assert_eq!(chosen("Expected, so I'll use that alias in the next edits."), 0);
        assert_eq!(chosen("Since this is a flake, I'll use the expert for it:"), 0);
        assert_eq!(chosen("I'll use the alias of the harbour in the next edits."), 1);
    }

    #[test]
    fn lists_are_sorted() {
        assert!(ORDERS.is_sorted());
    }

    #[test]
    fn what_is_labelled_as_a_choice_is_proposed_without_its_label() {
        let chosen = |text: &str| -> Vec<String> {
            sentences(text, Layer::Assistant).0.into_iter().map(|one| one.text).collect()
        };
        assert_eq!(chosen("**Decision:** logs are kept for thirty days."), ["logs are kept for thirty days"]);
        assert_eq!(chosen("We settled on thirty days for the logs."), ["We settled on thirty days for the logs"]);
        assert_eq!(chosen("Have we settled on thirty days for the logs?"), [""; 0]);
        assert_eq!(of("Decision: logs are kept for thirty days."), ["Decision: logs are kept for thirty days"]);
    }

    #[test]
    fn what_a_person_chose_counts_always_wherever_it_is_typed() {
        let of = |text: &str| sentences(text, Layer::User).0.into_iter().map(|one| (one.text, one.counts));
        for text in ["We decided to drop Windows support.", "Go with the blue header.", "Let us stick with tokio 1.38."]
        {
            let told = (text.trim_end_matches('.').to_owned(), Counts::Always);
            assert_eq!(of(text).collect::<Vec<_>>(), [told], "{text}");
        }
        for text in
            ["Have we settled on Redis streams?", "ok, let's go with that", "What did we decide on for the queue?"]
        {
            assert!(of(text).all(|(_, counts)| counts != Counts::Always), "{text}");
        }
    }

    #[test]
    fn who_asks_whether_to_do_a_thing_has_not_chosen_it() {
        let decided =
            sentences("I decided to use a queue. Should I also note that we decided on ten workers?", Layer::Assistant)
                .0;
        assert_eq!(decided.into_iter().map(|one| one.text).collect::<Vec<_>>(), ["I decided to use a queue"]);
    }
}
