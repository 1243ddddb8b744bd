//! preserve: durable facts out of what a compaction is about to take (source 2: preserve(), strategy `rules`).

use super::marks::pieces;
use super::stand::REQUEST_VERBS;
use super::whole::holds_words;
use super::{plain, sentences};

/// Characters of a sentence that is a fact as a whole; of what is longer, the part that holds the phrase is.
const LONGEST: usize = 1_000;

/// Signal phrases in the form in which they are compared.
#[must_use]
pub fn signals(phrases: &[String]) -> Vec<String> {
    phrases.iter().map(|phrase| compared(phrase)).filter(|phrase| !phrase.is_empty()).collect()
}

/// A text in plain form, with letters that are one in some case as one: `STRASSE` is `straße`.
fn compared(text: &str) -> String {
    plain(text).replace('\u{df}', "ss").replace("i\u{307}", "i").replace('\u{3c2}', "\u{3c3}")
}

/// The byte ranges of the sentences that hold a signal phrase, with the phrase's number. `signals` are as
/// [`signals`] makes them. A sentence that ends with a colon has the items of the list below it. No model is called.
#[must_use]
pub fn facts(text: &str, signals: &[String]) -> Vec<(usize, usize, usize)> {
    let all = sentences(text);
    let holds = |(from, to): (usize, usize)| {
        let plain = compared(text.get(from..to)?);
        signals.iter().position(|signal| holds_words(&plain, signal))
    };
    let mut found: Vec<(usize, usize, usize)> = Vec::new();
    for (at, (from, to)) in all.iter().copied().enumerate() {
        if found.last().is_some_and(|(_, end, _)| *end > from) {
            continue;
        }
        let Some(signal) = holds((from, to)) else { continue };
        if signals.get(signal).is_some_and(|signal| says_nothing(text, (from, to), signal)) {
            continue;
        }
        let end = with_items(text, (from, to), all.get(at + 1..).unwrap_or_default());
        if end == to && announces(text, (from, to)) {
            continue;
        }
        if text.get(from..to).is_some_and(|sentence| sentence.chars().count() > LONGEST) {
            let parts = pieces(text, (from, to)).into_iter();
            found.extend(parts.filter_map(|(from, to)| Some((from, to, holds((from, to))?))));
        } else {
            found.push((from, end, signal));
        }
    }
    found
}

/// What a sentence ends with that tells something and asks only whether that is so: "The port is 8080, right?"
const TAGS: &[&str] = &["correct", "eh", "no", "ok", "okay", "please", "right", "yes"];

/// Words before "let me", by which somebody says what comes next.
const FIRST: &[&str] =
    &["alright", "and", "first", "good", "great", "next", "now", "ok", "okay", "perfect", "so", "then"];

/// Whether a sentence only says what comes next, and nothing of that: "Next steps:", "Let me mark it as in progress."
fn announces(text: &str, (from, to): (usize, usize)) -> bool {
    let sentence = text.get(from..to).unwrap_or_default();
    let ends = sentence.trim_end_matches(['*', '_', ' ']);
    let leads = ends.ends_with([':', '\u{ff1a}']);
    // What it leads to may be code.
    let code = text.get(to..).is_some_and(|rest| rest.trim_start_matches(['*', '_']).trim_start().starts_with("```"));
    let said = compared(sentence);
    let mut words = said.split(|sign: char| !sign.is_alphanumeric()).filter(|word| !word.is_empty());
    let mut words = words.by_ref().skip_while(|word| FIRST.contains(word));
    let lets_me = words.next() == Some("let") && words.next() == Some("me") && !ends.contains(": ");
    (leads && !code) || lets_me
}

/// Whether a sentence with a signal phrase tells nothing: it is a heading of that phrase alone, or a question. What
/// somebody is asked to do is told: "Could you remember that the port is 8080?"
fn says_nothing(text: &str, (from, to): (usize, usize), signal: &str) -> bool {
    let is_mark = |sign: char| !sign.is_alphanumeric();
    let (before, sentence) = (text.get(..from).unwrap_or_default(), text.get(from..to).unwrap_or_default());
    let line = text.get(before.rfind('\n').map_or(0, |end| end + 1)..to).unwrap_or_default().trim();
    let is_heading = line.starts_with('#') || (line.starts_with("**") && line.ends_with("**"));
    let said = compared(sentence);
    let alone = said.trim_matches(is_mark) == signal.trim_matches(is_mark);
    let asks = sentence.trim_end_matches(|sign: char| !sign.is_alphanumeric() && !"?\u{ff1f}".contains(sign));
    let asks = asks.ends_with(['?', '\u{ff1f}']);
    let words: Vec<&str> = said.split(is_mark).filter(|word| !word.is_empty()).collect();
    let is_asked = words.windows(2).any(|pair| REQUEST_VERBS.contains(&pair[0]) && pair[1] == "you");
    let is_told = said.contains(',') && words.last().is_some_and(|last| TAGS.contains(last));
    (is_heading && alone) || (asks && (alone || !(is_asked || is_told)))
}

/// Where a sentence ends with the items of a list that its colon leads to.
fn with_items(text: &str, (from, to): (usize, usize), next: &[(usize, usize)]) -> usize {
    let leads = text.get(from..to).is_some_and(|sentence| sentence.trim_end_matches('*').ends_with([':', '\u{ff1a}']));
    let mut end = to;
    // Whether the line that was read last is an item.
    let mut within = false;
    for (first, last) in next.iter().copied().filter(|_| leads) {
        let gap = text.get(end..first).unwrap_or_default();
        let breaks = gap.matches('\n').count();
        let mark = gap.rsplit('\n').next().unwrap_or_default().trim();
        let line = text.get(first..last).unwrap_or_default();
        let is_marked = !mark.is_empty()
            || ["- ", "* ", "+ ", "\u{2022} "].iter().any(|mark| line.starts_with(mark))
            || line.trim_start_matches(|sign: char| sign.is_ascii_digit()).starts_with(") ");
        let is_item = if breaks == 0 { within } else { is_marked && breaks <= if within { 1 } else { 2 } };
        let fits = text.get(from..last).is_some_and(|all| all.chars().count() <= LONGEST);
        if !is_item || !fits {
            break;
        }
        (end, within) = (last, true);
    }
    end
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of<'a>(text: &'a str, phrases: &[&str]) -> Vec<&'a str> {
        let phrases: Vec<String> = phrases.iter().map(|phrase| (*phrase).to_owned()).collect();
        facts(text, &signals(&phrases)).into_iter().map(|(from, to, _)| &text[from..to]).collect()
    }

    #[test]
    fn the_sentences_of_signal_phrases_are_facts() {
        let text = "Hello. Please REMEMBER  that the port is 8080. I learned a lot!\nMy name is Ledger\nThat is all.";
        assert_eq!(
            of(text, &["I learned", "remember that", "my name is"]),
            ["Please REMEMBER  that the port is 8080.", "I learned a lot!", "My name is Ledger"]
        );
    }

    #[test]
    fn headings_of_a_phrase_alone_and_questions_are_no_facts() {
        let phrases = ["next steps", "work for", "remember that"];
        let phrases = [&phrases[..], &["in progress"]].concat();
        let phrases = phrases.as_slice();
        for text in [
            "### Next Steps\n\nShip it.",
            "**Next steps:**\nShip it.",
            "Does Option A work for you?",
            "Next steps?",
            "Next steps:\nShip it.",
            "Remember that function from before?",
            "Let me mark this task as in progress:",
            "Now let me mark this as in progress.",
            "Does it work for the host in Rome, and is the rest in progress?",
        ] {
            assert!(of(text, phrases).is_empty(), "{text}");
        }
        for text in [
            "## Next steps are the tests",
            "I work for Ops.",
            "Could you remember that the port is 80?",
            "Please, could you remember that the port is 80?",
            "Remember that the port is 80, ok?",
            "Next steps: ship it.",
            "Next steps:\n- ship it",
            "Let me be clear: remember that the port is 80.",
            "Remember that this builds it:\n\n```\nmake\n```",
        ] {
            assert_eq!(of(text, phrases).len(), 1, "{text}");
        }
    }

    #[test]
    fn phrases_are_whole_words_and_can_be_others() {
        assert!(of("We misremember that often.", &["remember that"]).is_empty());
        assert_eq!(of("TODO: ship it. Todos are fine.", &["todo:"]), ["TODO: ship it."]);
        assert_eq!(of("I don’t like tabs.", &["don't like"]), ["I don’t like tabs."]);
        assert!(of("anything at all", &["", " "]).is_empty());
    }

    #[test]
    fn phrases_of_scripts_without_blanks_and_letters_of_two_cases_are_found() {
        for (text, phrase) in [
            ("请记住密钥是甲七。", "请记住"),
            ("暗証番号を覚えておいてください。", "覚えておいて"),
            ("จำไว้ว่าพอร์ตคือ5433", "จำไว้ว่า"),
            ("STRASSE merken: 5", "straße merken"),
            ("İSTANBUL unutma 5433.", "istanbul unutma"),
        ] {
            assert_eq!(of(text, &[phrase]), [text]);
        }
    }

    #[test]
    fn a_fact_is_whole_behind_what_is_cut_short_and_with_the_list_that_it_leads_to() {
        let text = "We decided to use e.g. Redis v. 7.2 for it. Next.";
        assert_eq!(of(text, &["we decided"]), ["We decided to use e.g. Redis v. 7.2 for it."]);
        let text = "Remember that:\n- item one. Really.\n- item two\nBye.";
        assert_eq!(of(text, &["remember that"]), ["Remember that:\n- item one. Really.\n- item two"]);
        let text = "Remember that:\n1. one\n2. two\n\nBye.";
        assert_eq!(of(text, &["remember that"]), ["Remember that:\n1. one\n2. two"]);
        assert!(of("Remember that:\nBye.", &["remember that"]).is_empty());
    }

    #[test]
    fn of_a_sentence_that_is_too_long_the_part_with_the_phrase_is_kept() {
        let long = format!("{} remember that the port is 9 {}.", "word ".repeat(300), "word ".repeat(300));
        let found = of(&long, &["remember that"]);
        assert!(matches!(found.as_slice(), [one] if one.len() <= 1_000 && one.contains("the port is 9")), "{found:?}");
        let wide = format!("请记住{}。", "密钥是甲七而且端口是五四三三".repeat(26));
        assert_eq!(of(&wide, &["请记住"]), [&*wide]);
    }
}
