//! Which sentence of a summary says the like of a fact, by the words that they share.

use std::borrow::Cow;
use std::cell::OnceCell;
use std::collections::{HashMap, HashSet};

use super::fact::{Fact, Query};
use super::find::Place;
use super::life::Subject;
use super::meaning::{Meaning, in_sentences, shared, words};
use super::normal::Normal;
use super::number::{joined, without_zeros};
use super::spot::Spot;
use super::stay::{Like, Stay};
use crate::content::Sources;
use crate::memory::{Assertion, amounts, is_number_in_words, numbers_in_words};
use crate::model::{BlockId, EntryId, Made, Run, Transcript};

/// A sentence that shares less with what stood around a fact does not say it.
const LIKE: f32 = 0.5;
/// Nor does one without the fact's own words that shares less than this.
const NEARLY: f32 = 0.65;
/// Bytes of a summary that are compared.
const SUMMARY: usize = 200_000;
/// Characters of a sentence that are kept.
const SENTENCE: usize = 400;
/// Words of a fact's own sentence from which on that alone is compared.
const ENOUGH: usize = 3;
/// Bytes of texts that are held, so that what many summaries are made of is read once.
const HELD: usize = 32 << 20;
/// Sentences that facts stand in of which is held what they say.
const OWN: usize = 1_000;

/// A sentence of a summary.
struct Said {
    /// Its first characters.
    sentence: String,
    /// Its words.
    words: HashSet<String>,
    /// Its amounts, in each of their forms.
    amounts: HashSet<String>,
    /// What it says, once it is held against a fact.
    assertion: OnceCell<Assertion>,
}

impl Said {
    fn of(sentence: &str) -> Option<Said> {
        let words: HashSet<String> = telling(sentence).collect();
        (words.len() >= 2).then(|| Said {
            sentence: sentence.trim().chars().take(SENTENCE).collect(),
            words,
            amounts: amounts(sentence).into_iter().flat_map(|(forms, _)| forms).collect(),
            assertion: OnceCell::new(),
        })
    }

    /// Its words, and those of amounts that it tells in another unit: 30 seconds in 30000 ms.
    fn with<'a>(&'a self, amounts: &[(Vec<String>, String)]) -> Cow<'a, HashSet<String>> {
        let told = amounts.iter().filter(|(forms, _)| forms.iter().any(|form| self.amounts.contains(form)));
        let more: Vec<String> = told.flat_map(|(_, words)| telling(words).collect::<Vec<_>>()).collect();
        match more.iter().all(|word| self.words.contains(word)) {
            true => Cow::Borrowed(&self.words),
            false => Cow::Owned(self.words.iter().cloned().chain(more).collect()),
        }
    }
}

/// Whether a text is a path or a name whose parts are words, which stand in any sentence about it: `secret/deploy-42`.
fn is_name(text: &str) -> bool {
    !text.contains(char::is_whitespace) && text.trim_matches(['/', '_']).contains(['/', '_', '@'])
}

/// The sentences of a run's summaries, each read once.
pub struct Summaries<'a> {
    run: &'a Run,
    transcript: &'a Transcript,
    sources: &'a Sources,
    said: HashMap<EntryId, Vec<Said>>,
    texts: HashMap<(BlockId, bool), String>,
    held: usize,
    /// What sentences that facts stand in say, some of them.
    own: HashMap<String, Assertion>,
}

impl<'a> Summaries<'a> {
    /// Those of a run.
    #[must_use]
    pub fn new(run: &'a Run, transcript: &'a Transcript, sources: &'a Sources) -> Self {
        let (said, texts, own) = (HashMap::new(), HashMap::new(), HashMap::new());
        Summaries { run, transcript, sources, said, texts, held: 0, own }
    }

    /// Looks for the sentence of the summary that says the like of a place.
    #[must_use]
    pub fn paraphrase(&mut self, stay: &Stay, fact: &Fact, place: &Place) -> Option<Like> {
        let (entry, spot) = (stay.entry?, place.spot()?);
        let (around, own) = around(fact, &spot.context);
        // What is left of a fact without its own words is not the fact.
        if around.len() < 2 {
            return None;
        }
        let told: Vec<String> = match fact.query {
            Query::Pattern(_) => Vec::new(),
            Query::Literal(_) | Query::Meaning(_) => telling(&fact.text).collect(),
        };
        let figures: Vec<&String> = told.iter().filter(|word| has_figure(word)).collect();
        let literal = matches!(fact.query, Query::Literal(_));
        let name = literal && is_name(&fact.text);
        let amounts = amounts(&format!("{}\n{}", fact.text, spot.context));
        let mut best: Option<(&str, f32, bool)> = None;
        let is_question = |text: &str| text.trim_end().ends_with(['?', '？', '؟']);
        self.read(entry);
        let Summaries { said, own: known, .. } = self;
        if known.len() >= OWN {
            known.clear();
        }
        for one in said.get(&entry).into_iter().flatten() {
            // Who asks whether it is so does not say it.
            if is_question(&one.sentence) && !is_question(&own) {
                continue;
            }
            let has = one.with(&amounts);
            // What shares only what stands around a fact speaks of the same, where that is nearly all, and does not say it.
            let shares = told.iter().filter(|word| has.contains(*word)).count() * 2 >= told.len();
            let least = if literal && !shares { NEARLY } else { LIKE };
            // With other figures, it is something else; without any, it is less exact.
            let lacks = figures.iter().any(|figure| !has.contains(*figure));
            if lacks && has.iter().any(|word| has_figure(word)) {
                continue;
            }
            // Words that only a name is made of do not say the name.
            if name && !told.iter().all(|word| has.contains(word)) {
                continue;
            }
            let score = shared(&around, &has);
            let without = literal && (lacks || !shares);
            let better = score >= least && best.is_none_or(|(_, most, other)| (!without, score) > (!other, most));
            // What shares its words may say the opposite.
            let mut is_opposite = || {
                let sought = known.entry(own.clone()).or_insert_with(|| Assertion::of(&own));
                one.assertion.get_or_init(|| Assertion::of(&one.sentence)).is_opposite_of(sought)
            };
            // Another name that holds it is not it.
            let is_another = || {
                let places = fact.everywhere(&one.sentence);
                places.alone.is_empty() && !places.in_words.is_empty()
            };
            if better && !is_another() && !is_opposite() {
                best = Some((&one.sentence, score, without));
            }
        }
        best.map(|(sentence, score, without)| Like { sentence: sentence.to_owned(), score, by_meaning: false, without })
    }

    /// Looks for the sentence of a summary that says a fact word for word: at the fact's own place in it, else in what
    /// was written for it.
    pub(super) fn quote(&mut self, stay: &Stay, subject: &Subject) -> Option<String> {
        let entry = stay.entry?;
        // Of a text that it shows in part, what it leaves out is no word of its own.
        let mut placed = None;
        self.run.entry(entry)?.content.each(|made| {
            let (block, range, original) = match made {
                Made::Block(block) => (*block, (0, u64::MAX), false),
                Made::Part(block, from, to, original) => (*block, (*from, *to), *original),
                Made::Text(_) | Made::Written(_) => return,
            };
            let mut spots = subject.seen_in(block).filter_map(|place| subject.spot(place, original));
            let shows = |spot: &&Spot| range.0 <= u64::from(spot.range.0) && u64::from(spot.range.1) <= range.1;
            placed = placed.or_else(|| spots.find(shows));
        });
        let own = placed.map(|spot| {
            let sentence = own_sentence(subject.fact, &spot.context).unwrap_or(&spot.context);
            let before = spot.context.split_once(sentence).map_or("", |(before, _)| before);
            without_next_number(before, sentence)
        });
        let holds = |said: &&Said| subject.is_in(&said.sentence);
        match own {
            // Of places that are too many, what stands around them was not read.
            Some(sentence) => {
                Some(sentence.trim().chars().take(SENTENCE).collect()).filter(|own: &String| !own.is_empty())
            }
            None => self.said(entry).iter().find(holds).map(|said| said.sentence.clone()),
        }
    }

    /// The sentences of a summary, and their words.
    fn said(&mut self, entry: EntryId) -> &[Said] {
        self.read(entry);
        self.said.get(&entry).map(Vec::as_slice).unwrap_or_default()
    }

    /// Reads a summary's sentences, once.
    fn read(&mut self, entry: EntryId) {
        if !self.said.contains_key(&entry) {
            let mut said = Vec::new();
            let content = self.run.entry(entry).map(|entry| &entry.content[..]).unwrap_or_default();
            for made in content {
                let text = match made {
                    Made::Block(id) => self.text(*id, false),
                    Made::Part(id, from, to, original) => {
                        let text = self.text(*id, *original);
                        let at = |at: u64| usize::try_from(at).unwrap_or(usize::MAX).min(text.len());
                        text.get(at(*from)..at(*to)).unwrap_or_default()
                    }
                    // What a model was asked to write, or a line between two sentences.
                    Made::Text(words) => words.as_ref(),
                    Made::Written(_) => continue,
                };
                let read = &text[..text.floor_char_boundary(SUMMARY)];
                said.extend(in_sentences(read).filter_map(Said::of));
            }
            self.said.insert(entry, said);
        }
    }

    /// The text of a block, or of its original where it was cut.
    fn text(&mut self, id: BlockId, original: bool) -> &str {
        if !self.texts.contains_key(&(id, original)) {
            let block = self.transcript.block(id);
            let body = block.map(|block| block.original.as_deref().filter(|_| original).unwrap_or(&block.body));
            let text = body.and_then(|body| self.sources.body_text(body).ok()).unwrap_or_default();
            if self.held + text.len() > HELD {
                self.texts.clear();
                self.held = 0;
            }
            self.held += text.len();
            self.texts.insert((id, original), text);
        }
        self.texts.get(&(id, original)).map(String::as_str).unwrap_or_default()
    }
}

/// The sentence of a passage that shares the most words with a sentence; the whole where none does.
#[must_use]
pub fn nearest<'a>(meaning: &Meaning, passage: &'a str) -> &'a str {
    let score = |sentence: &str| shared(&meaning.words, &words(sentence).collect());
    let scored = in_sentences(passage).map(|sentence| (sentence.trim(), score(sentence)));
    let best = scored.filter(|(_, score)| *score > 0.0).max_by(|one, other| one.1.total_cmp(&other.1));
    best.map_or(passage, |(sentence, _)| sentence)
}

/// The words of a text that say something, single digits among them, numbers in one form and in digits.
fn telling(text: &str) -> impl Iterator<Item = String> {
    let in_words = numbers_in_words(text);
    let normal = Normal::of(text);
    let even = joined(&normal).unwrap_or(normal);
    let text = without_zeros(&even).map_or(even.text, |round| round.text);
    let parts = || text.split(|sign: char| !sign.is_alphanumeric() && sign != '_');
    let signs = parts().filter(|sign| sign.len() == 1 && has_figure(sign)).map(str::to_owned);
    let numbers = parts().filter(|word| !in_words.is_empty() && is_number_in_words(&word.to_lowercase()));
    let named: HashSet<String> = numbers.flat_map(words).collect();
    let all: Vec<String> = words(&text).filter(|word| !named.contains(word)).chain(signs).chain(in_words).collect();
    all.into_iter()
}

fn has_figure(word: &str) -> bool {
    word.bytes().any(|byte| byte.is_ascii_digit())
}

/// The words of the sentence that a fact stands in, where those are few, of what stands around it; and that sentence.
fn around(fact: &Fact, context: &str) -> (Vec<String>, String) {
    let distinct = |text: &str| {
        let mut all: Vec<String> = telling(text).collect();
        all.sort_unstable();
        all.dedup();
        all
    };
    let own = own_sentence(fact, context);
    let said = own.map(distinct).filter(|own| own.len() >= ENOUGH).unwrap_or_else(|| distinct(context));
    // A fact of several sentences is its own.
    let own = own.map_or_else(|| fact.text.trim_start_matches('~').to_owned(), |own| own.trim().to_owned());
    (said, own)
}

/// A sentence without the number of the item behind it, where it is an item of a list within a line: "1. One thing 2.
/// Another"; `before` is what stands before it.
fn without_next_number<'a>(before: &str, sentence: &'a str) -> &'a str {
    let number = |text: &str| -> Option<u32> {
        let text = text.trim_end().strip_suffix('.')?;
        let digits = text.len() - text.trim_end_matches(|sign: char| sign.is_ascii_digit()).len();
        // Three digits are no number of an item, and none is part of a word.
        let (rest, digits) = text.split_at(text.len() - digits);
        let apart = !rest.ends_with(|sign: char| sign.is_alphanumeric() || matches!(sign, '.' | ',' | '-' | '$' | '#'));
        digits.parse().ok().filter(|_| apart && digits.len() < 3)
    };
    match (number(before), number(sentence)) {
        (Some(own), Some(next)) if next == own + 1 => {
            sentence.trim_end().trim_end_matches('.').trim_end_matches(|sign: char| sign.is_ascii_digit())
        }
        _ => sentence,
    }
}

/// The sentence that a fact stands in; `None` where it takes several.
pub(super) fn own_sentence<'a>(fact: &Fact, context: &'a str) -> Option<&'a str> {
    match &fact.query {
        Query::Meaning(meaning) => Some(nearest(meaning, context)),
        _ => in_sentences(context).find(|sentence| fact.is_in(sentence)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn of_a_passage_the_sentence_that_speaks_of_a_fact_is_quoted() {
        let fact = Meaning::of("the budget of the tenant in euro").unwrap();
        let passage = "It goes on. The tenant's limit is about 73 thousand euros. All done.";
        assert_eq!(nearest(&fact, passage), "The tenant's limit is about 73 thousand euros.");
        assert_eq!(nearest(&fact, "It costs little. So be it."), "It costs little. So be it.");
    }

    #[test]
    fn an_item_of_a_list_in_a_line_is_quoted_without_the_number_of_the_next() {
        let quoted = |line: &str| {
            let mut before = String::new();
            let mut found = Vec::new();
            for sentence in in_sentences(line) {
                found.push(without_next_number(&before, sentence).trim().to_owned());
                before.push_str(sentence);
            }
            found
        };
        assert_eq!(
            quoted("Asked: 1. lint fails 2. update it 3. new notes"),
            ["Asked: 1.", "lint fails", "update it", "new notes"]
        );
        assert_eq!(
            quoted("It took 4. The port is 5000. The limit is 30. All good"),
            ["It took 4.", "The port is 5000.", "The limit is 30.", "All good"]
        );
    }

    #[test]
    fn figures_are_words_however_they_are_written() {
        let all: Vec<String> = telling("Skip 5, 7 and 1,250,000.").collect();
        assert_eq!(all, ["skip", "1250000", "5", "7"]);
        let sorted = |text: &str| {
            let mut all: Vec<String> = telling(text).collect();
            all.sort_unstable();
            all
        };
        assert_eq!(sorted("It retries three times, twenty-five in all"), sorted("It retried 3 times, 25 in all"));
        // What counts nothing stays a word.
        assert!(telling("two-factor login").all(|word| !has_figure(&word)));
    }

    #[test]
    fn the_sentence_of_a_fact_is_compared_and_not_what_stands_beside_it() {
        let context = "This session is being continued from a previous conversation. Summary: bucket GB-7001.";
        let fact = Fact::parse("GB-7001").unwrap();
        let (around, _) = around(&fact, context);
        let said = |text: &str| shared(&around, &words(text).collect());
        assert!(said("This session is being continued from a previous conversation.") < LIKE);
        assert!(said("The bucket is GB-7001.") >= LIKE);
        assert_eq!(super::around(&fact, "Deploy now. GB-7001. To prod.").0, ["7001", "deplo", "gb", "now", "prod"]);
    }
}
