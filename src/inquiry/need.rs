//! When a fact was needed: the user's later question that speaks of what it stands beside, a recorded answer that says it
//! although nothing in its window did, else the end of the session.

use std::collections::HashSet;

use super::asking::{beginning, names_another, only_asks, prompts};
use super::fact::{Fact, Query};
use super::find::{Found, size};
use super::life::Subject;
use super::meaning::words;
use super::paraphrase::own_sentence;
use super::question::{asks_for_one_thing, is_told_to_tell, stated, without_asking};
use super::unmarked::VALUES;
use crate::chunk::is_cjk;
use crate::content::Sources;
use crate::model::{Block, BlockId, BlockKind, Body, EntryId, Run, Transcript};
use crate::transcript::typed;

/// Words that a question and the fact's surroundings must share.
const SHARED: usize = 2;
/// Letters from which on a word is long: of the words that are shared, only one may be shorter.
const LONG: usize = 4;
/// What is in any sentence, beside the words that no comparison counts: fillers, and articles of other languages.
const FILLERS: &[&str] = &[
    "able", "again", "ago", "ai", "all", "also", "am", "any", "ask", "au", "auch", "aus", "avec", "back", "bei",
    "both", "came", "che", "come", "con", "da", "das", "day", "de", "del", "dem", "den", "der", "des", "di", "die",
    "din", "done", "du", "each", "ein", "eine", "el", "else", "en", "est", "et", "ever", "few", "für", "gave", "get",
    "give", "go", "gone", "good", "got", "het", "hey", "hi", "hier", "il", "im", "ist", "je", "know", "la", "las",
    "le", "les", "let", "like", "lo", "los", "made", "make", "many", "mit", "much", "na", "neu", "new", "nor", "now",
    "och", "off", "oh", "ok", "old", "once", "one", "only", "os", "own", "où", "par", "per", "por", "pour", "put",
    "que", "qui", "ready", "same", "say", "see", "set", "sich", "sie", "still", "such", "sur", "sure", "take", "tell",
    "too", "try", "two", "um", "und", "une", "use", "used", "van", "very", "von", "want", "way", "wie", "yes", "yet",
    "zu",
];
/// Words that say something in a short question, and in a sentence that one of them alone can be about.
const SHORT: usize = 2;
/// See `SHORT`.
const CLAUSE: usize = 8;
/// Words of a fact's own sentence from which on a question that has none of them is about what stands beside it.
const ENOUGH: usize = 3;
/// Pieces of a session that are read to learn which words are everywhere, and the largest of them in bytes.
const PIECES: usize = 64;
/// See `PIECES`.
const LARGEST: u64 = 256 << 10;
/// A word in more than one of so many pieces is everywhere.
const EVERYWHERE: usize = 5;

/// The step at which a fact was needed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Need {
    /// The user named it.
    Given(u32),
    /// A later message of the user speaks of it: the first step that holds the message.
    Asked(u32, EntryId),
    /// The answer that was recorded to this step's request says it, though no place in the window did.
    Answered(u32),
    /// Nobody asked; the last step.
    End(u32),
}

impl Need {
    /// The step.
    #[must_use]
    pub fn step(self) -> u32 {
        match self {
            Need::Given(step) | Need::Asked(step, _) | Need::Answered(step) | Need::End(step) => step,
        }
    }
}

/// The last question of the user, after a fact came in, that speaks of it: one that names it, has most of its words but
/// not its value, names something that stands only beside it, shares some of the words around it, or asks in few words
/// for what its own sentence tells.
#[must_use]
pub fn asked(subject: &Subject, found: &Found, run: &Run, sources: &Sources, came: u32, last: u32) -> Option<Need> {
    let transcript = subject.transcript;
    let mut beside: Vec<Beside> = Vec::new();
    let mut named: Vec<String> = names(&subject.fact.text);
    let own: Vec<String> = words(&subject.fact.text).collect();
    let mut sentence: Vec<String> = own.clone();
    let mut clauses: Vec<Beside> = Vec::new();
    let mut rows: Vec<Row> = Vec::new();
    for place in found.places.iter().take(8) {
        let Some(spot) = place.spot() else { continue };
        let clause = own_sentence(subject.fact, &spot.context);
        sentence.extend(clause.into_iter().flat_map(words));
        named.extend(clause.into_iter().flat_map(names));
        rows.extend(clause.and_then(|clause| Row::of(subject.fact, clause)));
        let telling: Vec<Beside> = clause.into_iter().flat_map(around).collect();
        if telling.len() <= CLAUSE {
            let new = telling.into_iter().filter(|word| word.is_long && !is_figure(&word.word));
            clauses.extend(new);
        }
        for word in around(&spot.context) {
            if !own.contains(&word.word) && !beside.iter().any(|known| known.word == word.word) {
                beside.push(word);
            }
        }
    }
    let asks_for = match subject.fact.query {
        Query::Pattern(_) => Vec::new(),
        Query::Literal(_) | Query::Meaning(_) => without_value(own),
    };
    let mut questions: Vec<Question> = Vec::new();
    for (entry, block, born) in prompts(run, transcript) {
        let Some(text) = beginning(transcript, sources, block) else { continue };
        let Some(text) = typed(&text) else { continue };
        let says = subject.fact.is_in(text);
        let is_named = says || found.asked.contains(&block);
        let said: HashSet<String> = words(text).collect();
        let is_of_another = || {
            let is_of_row = !rows.is_empty() && rows.iter().all(|row| row.is_of_another(&said));
            is_of_row || is_of_sibling(&named, &names(text))
        };
        questions.push(Question {
            entry,
            born,
            // Whoever says it himself does not ask for it.
            says: (says && !only_asks(subject.fact, text))
                || names_another(subject.fact, text)
                || (!is_named && is_of_another()),
            names: is_named,
            asks: stated(text).is_some() || is_told_to_tell(text),
            is_short: is_short(text),
            is_of: special(text),
            said,
        });
    }
    // What is in every message, or all over the session, tells nothing.
    let common = (questions.len() / 3).max(2);
    let tells =
        |word: &Beside| questions.iter().filter(|question| question.said.contains(&word.word)).count() <= common;
    beside.retain(tells);
    clauses.retain(tells);
    let open = || questions.iter().rev().filter(|one| one.born > came && one.born <= last && !one.says);
    let names = |one: &Question, beside: &[Beside]| one.is_of(beside) || one.is_for(&asks_for);
    let near = |one: &Question, beside: &[Beside], clauses: &[Beside]| {
        one.is_near(beside) && !one.is_beside(&sentence) || one.is_about(clauses, &sentence)
    };
    if !open().any(|one| names(one, &beside) || near(one, &beside, &clauses)) {
        return None;
    }
    for words in [&mut beside, &mut clauses] {
        let everywhere = everywhere(transcript, sources, words);
        words.retain(|word| !everywhere.contains(&word.word));
    }
    let found = open().find(|one| names(one, &beside) || near(one, &beside, &clauses));
    // A question is answered from the first request with it that the model got.
    let got = |born: u32| {
        let mut steps = (born..=last).zip(run.steps.iter().skip((born as usize).saturating_sub(1)));
        steps.find(|(_, step)| !step.is_refused()).map_or(born, |(step, _)| step)
    };
    found.map(|one| Need::Asked(got(one.born), one.entry))
}

/// The names in a text that are made of several parts, in small letters: `api-alpha`, `db_2`,
/// `db1.example.com`.
fn names(text: &str) -> Vec<String> {
    let goes_on = |sign: char| sign.is_alphanumeric() || matches!(sign, '-' | '_' | '.');
    let all = text.split(|sign: char| !goes_on(sign)).map(|name| name.trim_matches(['-', '_', '.']).to_lowercase());
    // Two parts with a point between are a file's name, or what a method belongs to.
    let is_made = |name: &String| name.contains(['-', '_']) || name.matches('.').count() > 1;
    all.filter(|name| is_made(name) && name.contains(char::is_alphabetic)).collect()
}

/// Whether a question names none of what a fact's sentence names, and what differs from one of those in one part: the
/// port of `api-beta` is not that of `api-alpha`.
fn is_of_sibling(named: &[String], asked: &[String]) -> bool {
    let parts = |name: &str| name.split(['-', '_', '.']).map(str::to_owned).collect::<Vec<_>>();
    let differs = |one: &String, other: &String| {
        let (one, other) = (parts(one), parts(other));
        one.len() == other.len() && one.iter().zip(&other).filter(|(one, other)| one != other).count() == 1
    };
    !asked.iter().any(|name| named.contains(name))
        && asked.iter().any(|name| named.iter().any(|own| differs(own, name)))
}

/// Words by which a part of a sentence begins, which says of what it is.
const SUBJECT: usize = 2;

/// The parts of a sentence that tell the like of several things: "The dev key is AK-1, the prod key AK-2".
struct Row {
    /// Of what the part is that has the fact.
    own: HashSet<String>,
    /// Of what the others are.
    others: Vec<HashSet<String>>,
}

impl Row {
    /// Of the sentence that a fact stands in; `None` where that has no other part with a word of the same.
    fn of(fact: &Fact, sentence: &str) -> Option<Row> {
        let parts = sentence.split([',', ';', '|', '\n']).flat_map(|part| part.split(" and "));
        let (own, others): (Vec<&str>, Vec<&str>) = parts.partition(|part| fact.is_in(part));
        let of = |part: &str| words(part).take(SUBJECT).collect::<HashSet<String>>();
        let own = own.first().map(|part| of(part))?;
        let others: Vec<_> = others.into_iter().map(of).filter(|other| !other.is_disjoint(&own)).collect();
        (!others.is_empty()).then_some(Row { own, others })
    }

    /// Whether a question asks for another of them: it has all that it has of this one, and more of that.
    fn is_of_another(&self, said: &HashSet<String>) -> bool {
        let shared = |of: &HashSet<String>| of.intersection(said).cloned().collect::<HashSet<String>>();
        let own = shared(&self.own);
        self.others.iter().map(shared).any(|other| own.is_subset(&other) && own.len() < other.len())
    }
}

/// Whether a text asks for one thing in few words, without those that only ask.
fn is_short(text: &str) -> bool {
    asks_for_one_thing(text) && without_asking(text).split(' ').flat_map(around).count() <= SHORT
}

/// Of what a question asks for what has a value: "mail" of "the mail host", and of "the host of the mail".
fn special(text: &str) -> Vec<String> {
    let asked = without_asking(text);
    let parts: Vec<&str> = asked.split(|sign: char| !sign.is_alphanumeric()).filter(|part| !part.is_empty()).collect();
    let of = |at: usize| {
        let before = at.checked_sub(1).and_then(|before| parts.get(before));
        let behind = parts.get(at + 1..).unwrap_or_default();
        let links = behind.first().is_some_and(|link| ["for", "of"].contains(link));
        before.into_iter().chain(behind.iter().skip(1).filter(move |_| links)).copied()
    };
    let values = (0..parts.len()).filter(|at| VALUES.contains(&parts[*at])).flat_map(of);
    values.filter(|part| !VALUES.contains(part)).flat_map(around).map(|one| one.word).collect()
}

/// The words of a fact without its figures and names, of which a question is what they are: each once.
fn without_value(own: Vec<String>) -> Vec<String> {
    let mut found: Vec<String> = Vec::new();
    for word in own {
        if !is_figure(&word) && !found.contains(&word) {
            found.push(word);
        }
    }
    found
}

fn is_figure(word: &str) -> bool {
    word.bytes().any(|byte| byte.is_ascii_digit() || byte == b'_')
}

/// Twice the number of words; two pairs of signs of a script without blanks are as much as one word.
fn weight<'w>(words: impl Iterator<Item = &'w String>) -> usize {
    words.map(|word| if word.starts_with(is_cjk) { 1 } else { 2 }).sum()
}

/// A word that stands beside a fact.
struct Beside {
    /// In the form in which it is compared.
    word: String,
    /// Whether it is a long one.
    is_long: bool,
}

/// The words of what stands around a fact, short ones too unless they are in any sentence. How long a word is shows
/// before its ending is taken off; short figures are no names.
fn around(text: &str) -> impl Iterator<Item = Beside> + '_ {
    let parts = text.split(|sign: char| !sign.is_alphanumeric() && sign != '_');
    let tells = |part: &&str| FILLERS.binary_search(&part.to_lowercase().as_str()).is_err();
    parts.filter(tells).flat_map(|part| {
        words(part).filter_map(move |word| {
            let is_whole = !part.contains(is_cjk);
            let is_long = word.len() >= LONG || (is_whole && part.chars().count() >= LONG);
            (is_long || (is_whole && !is_figure(&word))).then_some(Beside { word, is_long })
        })
    })
}

/// A message of the user.
struct Question {
    entry: EntryId,
    /// The first step that holds it.
    born: u32,
    /// Whether it states the fact.
    says: bool,
    /// Whether it names the fact.
    names: bool,
    /// Whether anything in it is a question.
    asks: bool,
    /// Whether it asks for one thing, in few words.
    is_short: bool,
    /// Its words that say of what it asks, where it does so in two: the "mail" of "mail host".
    is_of: Vec<String>,
    /// Its words.
    said: HashSet<String>,
}

impl Question {
    /// Whether it names the fact, or a name or number that stands beside it.
    fn is_of(&self, beside: &[Beside]) -> bool {
        self.names || beside.iter().map(|one| &one.word).any(|word| is_figure(word) && self.said.contains(word))
    }

    /// Whether it asks for the value of a fact, by most of the words that it stands with, or by nothing but some of them:
    /// "Which port has the gateway?", "What was MAX_PORT?"
    fn is_for(&self, asks_for: &[String]) -> bool {
        let shared = weight(asks_for.iter().filter(|word| self.said.contains(*word)));
        let is_most = shared >= 2 * SHARED && 2 * shared > weight(asks_for.iter());
        self.asks && (is_most || (shared > 0 && shared == weight(self.said.iter())))
    }

    /// Whether it has no word of the sentence that a fact stands in, though that has enough of them.
    fn is_beside(&self, sentence: &[String]) -> bool {
        weight(sentence.iter()) >= 2 * ENOUGH && !sentence.iter().any(|word| self.said.contains(word))
    }

    /// Whether it asks in few words for what short sentences tell with the fact: "How large is the budget?"
    fn is_about(&self, clauses: &[Beside], sentence: &[String]) -> bool {
        let is_named = || clauses.iter().any(|one| self.said.contains(&one.word));
        // "Rotation" is of what "rotates" tells.
        let begins = |word: &String| word.chars().take(LONG).collect::<String>();
        let has = |word: &String| sentence.iter().any(|own| begins(own) == begins(word));
        self.is_short && is_named() && self.is_of.iter().all(has)
    }

    /// Whether it shares words with what stands around the fact: a task has to share more than a question does.
    fn is_near(&self, beside: &[Beside]) -> bool {
        let both = || beside.iter().filter(|one| self.said.contains(&one.word));
        let shared = weight(both().map(|one| &one.word));
        let long = weight(both().filter(|one| one.is_long).map(|one| &one.word));
        let least = if self.asks { 2 * SHARED } else { 2 * (SHARED + 1) };
        (shared >= least && long + 2 >= least) || (self.asks && shared > 0 && shared == weight(self.said.iter()))
    }
}

/// Which of some words are in many pieces of the session: those are its subject, or nothing at all.
fn everywhere(transcript: &Transcript, sources: &Sources, beside: &[Beside]) -> HashSet<String> {
    let readable = |block: &Block| {
        let said = matches!(block.kind, BlockKind::Text | BlockKind::ToolResult);
        said && matches!(block.body, Body::Text { chars: 1.., .. }) && size(&block.body) <= LARGEST
    };
    let all: Vec<u32> =
        (0u32..).zip(&transcript.blocks).filter(|(_, block)| readable(block)).map(|(id, _)| id).collect();
    let read = all.iter().step_by(all.len().div_ceil(PIECES).max(1));
    let mut times = vec![0usize; beside.len()];
    let mut pieces = 0;
    for id in read {
        let Some(text) = beginning(transcript, sources, BlockId(*id)) else { continue };
        let said: HashSet<String> = words(&text).collect();
        pieces += 1;
        beside.iter().zip(&mut times).filter(|(one, _)| said.contains(&one.word)).for_each(|(_, times)| *times += 1);
    }
    let many = (pieces / EVERYWHERE).max(3);
    beside.iter().zip(times).filter(|(_, times)| *times > many).map(|(one, _)| one.word.clone()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn question(text: &str) -> Question {
        Question {
            entry: EntryId(0),
            born: 1,
            says: false,
            names: false,
            asks: text.contains(['?', '？']) || is_told_to_tell(text),
            is_short: is_short(text),
            is_of: special(text),
            said: words(text).collect(),
        }
    }

    #[test]
    fn who_has_the_words_of_a_fact_asks_for_its_value() {
        let of = |fact: &str, text: &str| question(text).is_for(&without_value(words(fact).collect()));
        assert!(of("The rollback port is 9443.", "Which port does the rollback use?"));
        assert!(of("The package manager is pnpm.", "Which package manager do we use?"));
        assert!(of("部署端口是8443。", "部署端口是多少？"));
        assert!(!of("The rollback port is 9443.", "Which port does the gateway use?"));
        assert!(!of("The rollback port is 9443.", "Tidy the rollback port."));
        assert!(!of("9443", "Which port does the rollback use?"));
        assert!(of("MID=8842", "what was MID?") && !of("MID=8842", "what was MID of the gateway?"));
        let sentence: Vec<String> = words("The canary script is broken.").collect();
        assert!(question("Which port does the rollback use?").is_beside(&sentence));
        assert!(!question("What is wrong with the script?").is_beside(&sentence));
    }

    #[test]
    fn who_asks_for_another_of_its_kind_does_not_ask_for_it() {
        let of = |fact_in: &str, text: &str| is_of_sibling(&names(fact_in), &names(text));
        assert!(of("The port of api-alpha is 8443.", "What is the port of api-beta?"));
        assert!(of("db1.example.com has 64 GB", "how much has db2.example.com?"));
        assert!(!of("The port of api-alpha is 8443.", "What is the port of api-alpha, and of api-beta?"));
        assert!(!of("The port of api-alpha is 8443.", "Which port has the api, pre-release?"));
        let of = |fact: &str, fact_in: &str, text: &str| {
            let row = Row::of(&Fact::parse(fact).unwrap(), fact_in);
            row.is_some_and(|row| row.is_of_another(&words(text).collect()))
        };
        assert!(of("AK-1", "The dev key is AK-1, the prod key AK-2.", "What is the prod key?"));
        assert!(of("7101", "api-alpha listens on 7101, api-beta on 7102", "Which port does api-beta listen on?"));
        assert!(!of("AK-2", "The dev key is AK-1, the prod key AK-2.", "What is the prod key?"));
        assert!(!of("AK-1", "The dev key is AK-1, the prod key AK-2.", "What were the keys?"));
        assert!(!of("7101", "The port is 7101, which the gateway uses.", "Which port does the gateway use?"));
    }

    #[test]
    fn a_task_shares_more_with_a_fact_than_a_question() {
        let beside: Vec<Beside> = around("Set the retry limit to 17 for the uploader service, build_88").collect();
        let of = |text: &str| (question(text).is_of(&beside), question(text).is_near(&beside));
        assert_eq!(of("Add a README for the uploader service."), (false, false));
        assert_eq!(of("Raise the retry limit of the uploader."), (false, true));
        assert_eq!(of("What limit has the uploader?"), (false, true));
        assert_eq!(of("And the limit?"), (false, true));
        assert_eq!(of("Is the limit of the disk reached?"), (false, false));
        assert_eq!(of("Ship build_88."), (true, false));
    }

    #[test]
    fn a_short_question_is_about_the_sentence_that_tells_what_it_asks_for() {
        for (fact_in, text, is_about) in [
            ("budget is …", "How large is the budget?", true),
            ("Das Budget beträgt …", "Wie hoch ist das Budget?", true),
            ("The database password rotates …", "Remind me who told us about password rotation.", true),
            ("budget is …", "Is the budget ready?", false),
            ("budget is …", "How large is the team?", false),
            ("budget is …", "How large is the test suite of the budget page?", false),
            ("budget is …", "Tidy the budget.", false),
            ("database host is …", "What is the weather host?", false),
            ("database host is …", "What was the database host?", true),
            ("I name it …", "Which name did you pick?", true),
        ] {
            let clauses: Vec<Beside> = around(fact_in).collect();
            let sentence: Vec<String> = words(fact_in).collect();
            assert_eq!(question(text).is_about(&clauses, &sentence), is_about, "{fact_in} / {text}");
        }
        let beside: Vec<Beside> = around("The deploy key lives in … on the bastion.").collect();
        assert!(question("Tell me where the deploy key is.").is_near(&beside));
        assert!(!question("Deploy the new key.").is_near(&beside));
    }

    #[test]
    fn short_words_tell_a_question_beside_a_long_one() {
        assert!(FILLERS.windows(2).all(|pair| pair[0] < pair[1]));
        for (fact_in, text, is_near) in [
            ("The calibration code is …", "What is the calibration code?", true),
            ("The calibration value is …", "What is the calibration value?", true),
            ("the build id is …", "what was the build id?", true),
            ("API key: …", "What's the API key?", true),
            ("The pin of the safe is …", "And the pin?", true),
            ("la clé du serveur est …", "Quelle est la clé du serveur ?", true),
            ("校准代码是…", "校准代码是什么？", true),
            ("The calibration code is …", "The code is ready", false),
            ("The calibration code is …", "Is the code ready?", false),
            ("The calibration code is …", "What is it?", false),
            ("The calibration code is …", "Run the calibration and commit the code", false),
            ("the build id is …", "Did the build pass?", false),
            ("the build id is 12, now ok", "Is step 12 ok now?", false),
            ("the pin and the key of the safe are …", "Which key did you pin there to sort by?", false),
            ("la clé de la base est …", "Quelle est la version de la porte ?", false),
            ("you can use the same one here", "Can you make the same one here?", false),
        ] {
            let beside: Vec<Beside> = around(fact_in).collect();
            let asked = question(text);
            assert_eq!(asked.is_near(&beside) || asked.is_of(&beside), is_near, "{fact_in} / {text}");
        }
    }
}
