//! preserve: durable facts out of what a compaction is about to take (source 2: preserve(), strategy `rules`).

use super::sense::holds_words;
use super::{plain, sentences};

/// Bytes of a sentence that can be a fact; what is longer is data.
const LONGEST: usize = 1_000;

/// Signal phrases in the form in which they are compared.
#[must_use]
pub fn signals(phrases: &[String]) -> Vec<String> {
    phrases.iter().map(|phrase| plain(phrase)).filter(|phrase| !phrase.is_empty()).collect()
}

/// The byte ranges of the sentences that hold a signal phrase, with the phrase's number. `signals` are as
/// [`signals`] makes them. No model is called.
#[must_use]
pub fn facts(text: &str, signals: &[String]) -> Vec<(usize, usize, usize)> {
    let holds = |(from, to): (usize, usize)| {
        let sentence = text.get(from..to).filter(|sentence| sentence.len() <= LONGEST)?;
        let plain = plain(sentence);
        let signal = signals.iter().position(|signal| holds_words(&plain, signal))?;
        Some((from, to, signal))
    };
    sentences(text).into_iter().filter_map(holds).collect()
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
    fn phrases_are_whole_words_and_can_be_others() {
        assert!(of("We misremember that often.", &["remember that"]).is_empty());
        assert_eq!(of("TODO: ship it. Todos are fine.", &["todo:"]), ["TODO: ship it."]);
        assert_eq!(of("I don’t like tabs.", &["don't like"]), ["I don’t like tabs."]);
        assert!(of("anything at all", &["", " "]).is_empty());
    }
}
