//! What of a memory's text stands in a pack: all of it, its first sentence, or, where it is a turn, what was asked and what
//! was answered (source 2 is silent of turns: the first sentence of one is always the user's).

use std::collections::BTreeSet;

use super::words::{CUT_OFF, LONGEST_SUMMARY, cut_to, each_word, first_sentence, stem_of};
use super::{sentences, summary};

/// Who says a part of a turn, as it stands before that: the user.
pub const USER: &str = "user";
/// The agent.
pub const ASSISTANT: &str = "assistant";
/// Characters of a sentence that says something.
const SAYS: usize = 10;
/// What stands for what is left out before a sentence.
const LEFT_OUT: &str = "\u{2026} ";

/// A range of a text, and what stands before it.
pub type Shown = (String, (usize, usize));

/// What stands for a text that is no turn.
pub(super) fn first_shown(text: &str) -> Vec<Shown> {
    let (range, end) = (summary(text), first_sentence(text).1);
    if range.1 < end {
        return vec![(String::new(), range), cut_off(range.1)];
    }
    let led = led_to(text, range);
    std::iter::once((String::new(), range)).chain(led.into_iter().flatten()).collect()
}

/// The words of a query.
#[derive(Debug)]
pub struct Asked(BTreeSet<String>);

impl Asked {
    /// Reads it.
    #[must_use]
    pub fn of(text: &str) -> Asked {
        Asked(stems(text))
    }
}

/// What a first sentence leads to that says nothing by itself: "I see that:".
fn led_to(text: &str, (from, to): (usize, usize)) -> Option<Vec<Shown>> {
    let leads = text.get(from..to)?.trim_end_matches(['*', '_']).ends_with([':', '\u{ff1a}']);
    let (first, last) = sentences(text).into_iter().find(|(first, _)| leads && *first >= to)?;
    let end = first + cut_to(text.get(first..last)?, LONGEST_SUMMARY);
    let cut = (end < last).then(|| cut_off(end));
    Some(std::iter::once((" ".to_owned(), (first, end))).chain(cut).collect())
}

/// Says that a text goes on behind a place.
fn cut_off(at: usize) -> Shown {
    (CUT_OFF.to_owned(), (at, at))
}

/// A sentence of a turn: where what it is of begins, with who says it, and its own range.
#[derive(Clone, Copy, Debug)]
struct Sentence {
    label: usize,
    begins: bool,
    range: (usize, usize),
}

/// What either side of a turn says: its sentences, each with its words and whether it says something.
#[derive(Debug)]
pub(super) struct Sides([Vec<(Sentence, BTreeSet<String>, bool)>; 2]);

impl Sides {
    /// Reads a text; `None` where it is no turn.
    pub fn of(text: &str) -> Option<Sides> {
        let read = |one: Sentence| {
            let words = text.get(one.range.0..one.range.1).unwrap_or_default();
            (one, stems(words), words.chars().count() >= SAYS)
        };
        let sides = [USER, ASSISTANT].map(|speaker| said_by(text, speaker));
        let is_turn = sides.iter().all(|side| !side.is_empty());
        is_turn.then(|| Sides(sides.map(|side| side.into_iter().map(read).collect())))
    }

    /// One sentence of what the user says and one of what the assistant does, together as long as a summary may be.
    pub fn shown(&self, text: &str, asked: &Asked) -> Vec<Shown> {
        let [Some(question), Some(answer)] = self.0.each_ref().map(|side| nearest(side, &asked.0)) else {
            return first_shown(text);
        };
        let length = |one: Sentence| text.get(one.range.0..one.range.1).unwrap_or_default().chars().count();
        // Neither takes the room of the other.
        let most = length(question).min((LONGEST_SUMMARY / 2).max(LONGEST_SUMMARY.saturating_sub(length(answer))));
        let mut shown = shown_of(text, question, USER, most);
        let mut of_answer = shown_of(text, answer, ASSISTANT, LONGEST_SUMMARY - most);
        if let Some((joint, _)) = of_answer.first_mut() {
            joint.insert(0, ' ');
        }
        shown.extend(of_answer);
        shown
    }
}

/// So many characters of a sentence, behind who says it.
fn shown_of(text: &str, one: Sentence, speaker: &str, most: usize) -> Vec<Shown> {
    let (from, end) = one.range;
    let to = from + cut_to(text.get(from..end).unwrap_or_default(), most);
    let shown = match one.begins {
        true => (String::new(), (one.label, to)),
        false => (format!("{speaker}: {LEFT_OUT}"), (from, to)),
    };
    std::iter::once(shown).chain((to < end).then(|| cut_off(to))).collect()
}

/// The sentences of what one side says in a turn; nothing where a text is none.
fn said_by(text: &str, speaker: &str) -> Vec<Sentence> {
    let label = |rest: &str| {
        let who =
            [USER, ASSISTANT].into_iter().find(|who| rest.strip_prefix(who).is_some_and(|it| it.starts_with(": ")));
        who.map(|who| (who, who.len() + 2))
    };
    if label(text).is_none() {
        return Vec::new();
    }
    let lines = std::iter::once(0).chain(memchr::memchr_iter(b'\n', text.as_bytes()).map(|at| at + 1));
    let starts: Vec<(usize, &str, usize)> =
        lines.filter_map(|at| label(text.get(at..)?).map(|(who, length)| (at, who, at + length))).collect();
    let ends = starts.iter().skip(1).map(|(at, ..)| *at).chain([text.len()]);
    let parts = starts.iter().zip(ends).filter(|((_, who, _), _)| *who == speaker);
    parts
        .flat_map(|((label, _, from), end)| {
            let found = sentences(text.get(*from..end).unwrap_or_default());
            let of = |(at, (low, high)): (usize, (usize, usize))| Sentence {
                label: *label,
                begins: at == 0,
                range: (from + low, from + high),
            };
            found.into_iter().enumerate().map(of).collect::<Vec<_>>()
        })
        .collect()
}

/// The sentence that has the most words of the query; of several the first.
fn nearest(side: &[(Sentence, BTreeSet<String>, bool)], wanted: &BTreeSet<String>) -> Option<Sentence> {
    let rank = |(_, words, says): &(Sentence, BTreeSet<String>, bool)| (words.intersection(wanted).count(), *says);
    let ranked = side.iter().enumerate().map(|(at, one)| ((rank(one), std::cmp::Reverse(at)), one.0));
    ranked.max_by_key(|(rank, _)| *rank).map(|(_, one)| one)
}

fn stems(text: &str) -> BTreeSet<String> {
    let mut found = BTreeSet::new();
    each_word(text, |word| _ = found.insert(stem_of(word).into_owned()));
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(text: &str, asked: &str) -> String {
        let shown = super::super::reading::Reading::of(text.into()).shown_for(&Asked::of(asked));
        shown.iter().map(|(before, (from, to))| format!("{before}{}", &text[*from..*to])).collect()
    }

    #[test]
    fn a_turn_is_shown_with_a_sentence_of_its_answer() {
        let text = "user: Which port does the staging database listen on?\nassistant: Let me look it up.\n\
                    assistant: The config is long. The staging database listens on port 5433.";
        let asked = "On which port is the staging database?";
        let shown = "user: Which port does the staging database listen on? \
                     assistant: \u{2026} The staging database listens on port 5433.";
        assert_eq!(read(text, asked), shown);
        // Without a query the first stands for each side.
        assert!(read(text, "").ends_with("listen on? assistant: Let me look it up."));
    }

    #[test]
    fn neither_side_takes_the_room_of_the_other() {
        let (long, short) = ("word ".repeat(60), "The port is 5433.");
        let chars = |text: &str| read(text, "port").chars().count();
        let labels = "user: assistant: ".len() + 1;
        for (question, answer) in [(&*long, short), (short, &long), (&long, &long)] {
            let text = format!("user: {question}\nassistant: {answer}");
            assert!(chars(&text) <= LONGEST_SUMMARY + labels, "{}", read(&text, "port"));
            assert!(chars(&text) > LONGEST_SUMMARY, "{}", read(&text, "port"));
        }
        assert!(read(&format!("user: {long}\nassistant: {short}"), "port").ends_with(short));
        // What goes on is told to, and no word is cut through.
        let cut = read(&format!("user: {short}\nassistant: {long}"), "port");
        assert!(cut.ends_with(" word..."), "{cut}");
    }

    #[test]
    fn what_a_sentence_leads_to_is_shown_with_it() {
        let text = "I see that:\n- **Gemini** has a hook.\n- **Claude** has none.";
        assert_eq!(read(text, ""), "I see that: - **Gemini** has a hook.");
        assert_eq!(read("The plan is this:", ""), "The plan is this:");
    }

    #[test]
    fn what_is_no_turn_is_shown_by_its_first_sentence() {
        for text in
            ["user: Which port?", "The port is 8080. More.", "He said:\nuser: a\nassistant: b", "assistant: So it is."]
        {
            let (from, to) = summary(text);
            assert_eq!(read(text, "port"), text[from..to]);
        }
    }
}
