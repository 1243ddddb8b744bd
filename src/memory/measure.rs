//! What a summary keeps of a text: fact by fact, literally, in other words or not at all; and where each of its own
//! sentences is from.

use std::collections::{BTreeMap, BTreeSet, HashMap};

use crate::chunk::dot;

use super::claim::Claim;
use super::figure::{figures, figures_among, is_same};
use super::lexer;
use super::sense::{holds_words, statements};
use super::words::{each_word, is_silent};
use super::{Vector, by_words, plain, sentences};

/// Share of a fact's words that a sentence needs to say the same.
const SAME: f64 = 0.6;
/// Facts of one text at most, the longest sentences left out.
const FACTS: usize = 5_000;

/// Sentences, the most alike, among which the source of one is looked for, and those that are compared for that.
const CLOSEST: usize = 8;
const COMPARED: usize = 200;

/// What became of a fact in a summary.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Kept {
    /// Its words stand there.
    Literal,
    /// A sentence has its figures and most of its words.
    Paraphrase,
    /// Nothing says it.
    Lost,
}

impl Kept {
    /// Name in JSON.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Kept::Literal => "literal",
            Kept::Paraphrase => "paraphrase",
            Kept::Lost => "lost",
        }
    }
}

/// A sentence of a summary, and where it is from.
#[derive(Clone, Debug, PartialEq)]
pub struct Aligned {
    /// Its range in the summary.
    pub range: (usize, usize),
    /// The source's number and the range in it that it is most like.
    pub from: Option<(usize, (usize, usize))>,
    /// Share of its words that stand there.
    pub score: f64,
    /// Whether that is most of them, its figures stand together in a source, and it denies, orders and relates nothing
    /// otherwise.
    pub supported: bool,
}

/// The facts of a text: its sentences that hold a figure or an identifier and say something of it, each once.
#[must_use]
pub fn facts_of(text: &str) -> Vec<(usize, usize)> {
    let mut seen = BTreeSet::new();
    let mut found = sentences(text);
    found.retain(|(from, to)| {
        let words = text.get(*from..*to).unwrap_or_default();
        words.len() <= 400 && !figures(words).is_empty() && says_something(words) && seen.insert(plain(words))
    });
    found.truncate(FACTS);
    found
}

/// Whether a text has a word: a number alone is no fact, nor is one among brackets.
fn says_something(text: &str) -> bool {
    let letters = |word: &str| word.chars().filter(|sign| sign.is_alphabetic()).count();
    let mut says = false;
    each_word(text, |word| says |= letters(word) >= 3 || !word.is_ascii());
    says
}

/// A summary made ready to be asked.
#[derive(Clone, Debug)]
pub struct Summary {
    statements: Vec<Statement>,
}

/// A statement of a summary.
#[derive(Clone, Debug)]
struct Statement {
    plain: String,
    said: Said,
    claim: Claim,
}

impl Summary {
    /// Reads a summary.
    #[must_use]
    pub fn of(text: &str) -> Self {
        let statement = |words: &str| Statement { plain: plain(words), said: Said::of(words), claim: Claim::of(words) };
        let ranges = statements(text).into_iter().filter_map(|(from, to)| text.get(from..to));
        Summary { statements: ranges.map(statement).collect() }
    }

    /// What became of a fact. What says its words and denies what it affirms, affirms what it denies, turns its figures
    /// round or says them of something else has lost it.
    #[must_use]
    pub fn keeps(&self, fact: &str) -> Kept {
        let (plain, own, claim) = (plain(fact), Said::of(fact), Claim::of(fact));
        let phrase = plain.trim_end_matches(['.', '!', '?']);
        if phrase.is_empty() {
            return Kept::Literal;
        }
        let literal = |one: &&Statement| holds_words(&one.plain, phrase) && claim.sense().agrees(one.claim.sense());
        let said = |one: &&Statement| {
            own.share_in(&one.said) >= SAME && claim.is_bound_in(&[&one.claim]) && claim.fits(&one.claim)
        };
        if self.statements.iter().any(|one| literal(&one)) {
            Kept::Literal
        } else if self.statements.iter().any(|one| said(&one)) {
            Kept::Paraphrase
        } else {
            Kept::Lost
        }
    }
}

/// The different words of a text that say something, by their first letters, and its figures.
#[derive(Clone, Debug, Default)]
struct Said {
    starts: BTreeSet<String>,
    figures: BTreeSet<String>,
}

/// The letters by which words of one stem are told.
fn start(word: &str) -> &str {
    word.char_indices().nth(4).map_or(word, |(at, _)| &word[..at])
}

impl Said {
    fn of(text: &str) -> Said {
        let plain = plain(text);
        let words = lexer::words(&plain);
        let (mut said, mut at) = (Said::default(), 0);
        for figure in figures_among(&words).into_iter().map(Some).chain([None]) {
            let (from, to) = figure.as_ref().map_or((words.len(), words.len()), |figure| figure.place);
            for word in words.get(at..from).unwrap_or_default() {
                if word.text.contains(char::is_alphanumeric) && !is_silent(&word.text) {
                    said.starts.insert(start(&word.text).to_owned());
                }
            }
            said.figures.extend(figure.map(|figure| figure.text));
            at = to;
        }
        said
    }

    /// The share of it that stands in another text.
    #[allow(clippy::cast_precision_loss)]
    fn share_in(&self, other: &Said) -> f64 {
        let number = self.starts.len() + self.figures.len();
        let held =
            |figure: &&String| other.figures.contains(*figure) || other.figures.iter().any(|one| is_same(figure, one));
        let held = self.starts.intersection(&other.starts).count() + self.figures.iter().filter(held).count();
        if number == 0 { 1.0 } else { held as f64 / number as f64 }
    }

    fn is_empty(&self) -> bool {
        self.starts.is_empty() && self.figures.is_empty()
    }
}

/// The share of a sentence's words that stand in another.
#[must_use]
pub fn share_in(sentence: &str, other: &str) -> f64 {
    Said::of(sentence).share_in(&Said::of(other))
}

/// Says of each sentence of a summary where it is from, and marks those that nothing supports.
#[must_use]
pub fn align(summary: &str, sources: &[&str]) -> Vec<Aligned> {
    align_through(summary, sources, &|_, _| true)
}

/// The same, where some of the sources are summaries themselves: `supported` tells, from a source's number and a
/// sentence of it, whether that has support. What stands on a sentence without has none.
#[must_use]
pub fn align_through(summary: &str, sources: &[&str], supported: &dyn Fn(usize, &str) -> bool) -> Vec<Aligned> {
    let mut said = Sources::of(sources, supported);
    let mut of = |range: (usize, usize)| {
        let words = summary.get(range.0..range.1).unwrap_or_default();
        let (own, claim) = (Said::of(words), Claim::of(words));
        let near = said.near(words);
        let near: Vec<&Sentence> = near.into_iter().filter_map(|at| said.sentences.get(at)).collect();
        let claims: Vec<Claim> = near.iter().map(|one| Claim::of(one.text)).collect();
        let shares: Vec<f64> = near.iter().map(|one| own.share_in(&Said::of(one.text))).collect();
        let trusted: Vec<&Claim> =
            near.iter().zip(&claims).filter(|(one, _)| one.trusted).map(|(_, claim)| claim).collect();
        // A sentence may deny what an earlier one said: the one that says the same is its source, best with its figures.
        let says = |at: &usize| near[*at].trusted && shares[*at] >= SAME && claim.fits(&claims[*at]);
        let says: Vec<usize> = (0..near.len()).filter(says).collect();
        let whole = says.iter().copied().find(|at| claim.is_bound_in(&[&claims[*at]]));
        let supported = whole.is_some() || (!says.is_empty() && claim.is_bound_in(&trusted));
        let best = whole.or(says.first().copied()).or((!near.is_empty()).then_some(0));
        let score = best.and_then(|at| shares.get(at)).copied().unwrap_or(0.0);
        let from = best.and_then(|at| near.get(at)).map(|one| (one.source, one.range));
        Aligned { range, from, score, supported: own.is_empty() || supported }
    };
    sentences(summary).into_iter().map(&mut of).collect()
}

/// A sentence of a source.
struct Sentence<'a> {
    trusted: bool,
    source: usize,
    range: (usize, usize),
    text: &'a str,
    /// How many of its words say something.
    words: usize,
    /// Made when it is first compared: few are.
    vector: Option<Vector>,
}

/// The sentences of sources, by the words in them.
struct Sources<'a> {
    sentences: Vec<Sentence<'a>>,
    places: HashMap<String, Vec<usize>>,
}

impl<'a> Sources<'a> {
    fn of(sources: &[&'a str], supported: &dyn Fn(usize, &str) -> bool) -> Self {
        let mut all = Sources { sentences: Vec::new(), places: HashMap::new() };
        for (source, text) in sources.iter().enumerate() {
            for range in sentences(text) {
                let Some(text) = text.get(range.0..range.1) else { continue };
                let (number, mut words) = (all.sentences.len(), 0);
                each_word(text, |word| {
                    words += 1;
                    let start = start(word);
                    let at = match all.places.get_mut(start) {
                        Some(at) => at,
                        None => all.places.entry(start.to_owned()).or_default(),
                    };
                    if at.last() != Some(&number) {
                        at.push(number);
                    }
                });
                let trusted = supported(source, text);
                all.sentences.push(Sentence { trusted, source, range, text, words, vector: None });
            }
        }
        all
    }

    /// The sentences that are most like some words, the most alike first. Those that share the rarest of them are
    /// compared: only what shares a word can be the source of another.
    #[allow(clippy::cast_precision_loss)]
    fn near(&mut self, words: &str) -> Vec<usize> {
        let (mut starts, mut shared) = (BTreeSet::new(), BTreeMap::<usize, f32>::new());
        each_word(words, |word| {
            starts.insert(start(word).to_owned());
        });
        for at in starts.iter().filter_map(|start| self.places.get(start)) {
            let rare = (1.0 + self.sentences.len() as f32 / at.len() as f32).ln();
            at.iter().for_each(|at| *shared.entry(*at).or_default() += rare);
        }
        let weigh = |(at, shared): (usize, f32)| {
            (at, shared / self.sentences.get(at).map_or(1.0, |one| one.words.max(1) as f32).sqrt())
        };
        let mut near: Vec<(usize, f32)> = shared.into_iter().map(weigh).collect();
        let order = |one: &(usize, f32), other: &(usize, f32)| other.1.total_cmp(&one.1).then(one.0.cmp(&other.0));
        if near.len() > COMPARED {
            near.select_nth_unstable_by(COMPARED, order);
            near.truncate(COMPARED);
        }
        let own = by_words(words);
        for (at, score) in &mut near {
            if let Some(one) = self.sentences.get_mut(*at) {
                *score = dot(&own, one.vector.get_or_insert_with(|| by_words(one.text)));
            }
        }
        near.sort_by(order);
        near.truncate(CLOSEST);
        near.into_iter().map(|(at, _)| at).collect()
    }
}

/// The number below which a share of numbers lies (nearest rank); `None` of none.
#[must_use]
#[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss, clippy::cast_precision_loss)]
pub fn percentile(numbers: &[u64], percent: f64) -> Option<u64> {
    let mut sorted = numbers.to_vec();
    sorted.sort_unstable();
    let rank = (percent.clamp(0.0, 100.0) / 100.0 * sorted.len() as f64).ceil() as usize;
    sorted.get(rank.saturating_sub(1)).copied()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_fact_is_kept_literally_in_other_words_or_not() {
        let summary = Summary::of("The server listens on port 8443. Staging was moved to host_7 yesterday.");
        assert_eq!(summary.keeps("the  server listens on PORT 8443"), Kept::Literal);
        // Three of four words: moved, staging, host_7, and not Monday.
        assert_eq!(summary.keeps("We moved staging to host_7 on Monday."), Kept::Paraphrase);
        assert_eq!(summary.keeps("We moved staging to host_8 on Monday."), Kept::Lost);
        assert_eq!(summary.keeps("Lunch is at 12."), Kept::Lost);
    }

    #[test]
    fn a_summary_that_turns_a_fact_round_has_lost_it() {
        let summary = Summary::of(
            "The port is 8080. The vault is sealed on host alpha7, not open. Delete table users_v2. The retry limit was \
             raised from 20 to 10.",
        );
        for fact in [
            "The port is 80.",
            "The vault is not sealed on host alpha7.",
            "Never delete table users_v2.",
            "Retry limit was raised from 10 to 20.",
        ] {
            assert_eq!(summary.keeps(fact), Kept::Lost, "{fact}");
        }
        // The other way: what is denied now was affirmed.
        let summary = Summary::of("Never delete table users_v2, and the port is 80.");
        assert_eq!(summary.keeps("Delete table users_v2."), Kept::Lost);
        assert_eq!(summary.keeps("The port is 80."), Kept::Literal);
    }

    #[test]
    fn a_sentence_that_turns_its_source_round_has_no_support() {
        let source = "The vault is not sealed on host alpha7. Never delete table users_v2. It rose from 10 to 20.";
        let told =
            "The vault is sealed on host alpha7. Delete table users_v2. It rose from 20 to 10. It rose from 10 to 20.";
        let found: Vec<bool> = align(told, &[source]).iter().map(|one| one.supported).collect();
        assert_eq!(found, [false, false, false, true]);
        let both = align("The vault is sealed.", &["The vault is not sealed.", "The vault is sealed."]);
        assert_eq!((both[0].supported, both[0].from), (true, Some((1, (0, 20)))));
    }

    #[test]
    fn what_a_source_says_of_another_supports_nothing() {
        let sources = ["The port of host_0 is 8000. The port of host_1 is 8001.", "The limit is 5 MB. It needs 3.10."];
        let told = "The port of host_1 is 8000. The port of host_1 is 8001. The limit is 5 GB. It needs 3.1.";
        let found: Vec<bool> = align(told, &sources).iter().map(|one| one.supported).collect();
        assert_eq!(found, [false, true, false, false]);
        // What two sentences say may be said in one.
        assert!(align("The ports of host_0 and host_1 are 8000 and 8001.", &sources)[0].supported);
    }

    #[test]
    fn a_summary_with_other_units_signs_or_names_has_lost_a_fact() {
        for (fact, told, kept) in [
            ("The upload limit of the gateway is 5 MB.", "The upload limit of the gateway is 5 GB.", Kept::Lost),
            ("Dividend of acme_1 grew 10\u{b2} fold.", "Dividend of acme_1 grew 102 fold.", Kept::Lost),
            ("Access code of the vault is Qx7rT.", "Access code of the vault is qX7Rt.", Kept::Lost),
            (
                "The build of module_x costs 1,500 dollars.",
                "The build of module_x costs 1500 dollars.",
                Kept::Paraphrase,
            ),
            ("The timeout of the proxy is 30 ms.", "The timeout of the proxy is 30 milliseconds.", Kept::Paraphrase),
        ] {
            assert_eq!(Summary::of(told).keeps(fact), kept, "{fact}");
        }
    }

    #[test]
    fn who_does_what_when_and_where_is_a_part_of_a_fact() {
        for (fact, told) in [
            ("Billing reviews pr_12 and ledger reviews pr_13.", "Ledger reviews pr_12 and billing reviews pr_13."),
            ("Prod uses db_7 and staging uses db_8.", "Staging uses db_7 and prod uses db_8."),
            ("Writes go to port 5000 and reads go to port 3000.", "Reads go to port 5000 and writes go to port 3000."),
            ("The limit is 3 for reads and 5 for writes.", "The limit is 5 for reads and 3 for writes."),
            ("Move the data of job_8 from Paris to Oslo.", "Move the data of job_8 from Oslo to Paris."),
            ("host_1 is up and host_2 is down.", "host_1 is down and host_2 is up."),
            ("The config is in /etc/app/main.conf since 2024.", "The config is in /etc/dev/main.conf since 2024."),
            ("Use branch feature/login for pr_12.", "Use branch feature/logout for pr_12."),
            ("The pilot fee is $5 million for plan_1.", "The pilot fee is $5 billion for plan_1."),
            ("Start at 9 am on host_1.", "Start at 9 pm on host_1."),
            ("Ops was admin of host_1.", "Ops is admin of host_1."),
            ("The password of db_1 might be hunter2.", "The password of db_1 is hunter2."),
            ("Only admins may delete index_7.", "Users may delete index_7."),
            ("At least 3 replicas of svc_9 are required.", "Exactly 3 replicas of svc_9 are required."),
        ] {
            assert_eq!(Summary::of(told).keeps(fact), Kept::Lost, "{fact} / {told}");
            assert!(!align(told, &[fact])[0].supported, "{fact} / {told}");
        }
        for (fact, told) in [
            ("Prod uses db_7 and staging uses db_8.", "Staging uses db_8 and prod uses db_7."),
            ("Reads use port 3000, writes use port 5000.", "Writes use port 5000, reads use port 3000."),
            ("The limit is 3 for reads and 5 for writes.", "The limit is 5 for writes and 3 for reads."),
            ("Only admins may delete index_7.", "Deleting index_7 is allowed for admins only."),
            ("We fixed the bug in /srv/app/src/parser.rs.", "The bug in src/parser.rs was fixed."),
            ("The fee is $5 million for plan_1.", "The fee for plan_1 is 5,000,000 dollars."),
        ] {
            assert_eq!(Summary::of(told).keeps(fact), Kept::Paraphrase, "{fact} / {told}");
            assert!(align(told, &[fact])[0].supported, "{fact} / {told}");
        }
    }

    #[test]
    fn what_stands_on_a_sentence_without_support_has_none() {
        let sources = ["We chose tabs. The port is 9000. Cats purr.", "The port is 8443."];
        let invented =
            |source: usize, sentence: &str| source != 0 || !["The port is 9000.", "Cats purr."].contains(&sentence);
        let found = align_through("The port is 9000. We chose tabs. The port is 8443. Cats purr.", &sources, &invented);
        assert_eq!(found.iter().map(|one| one.supported).collect::<Vec<_>>(), [false, true, true, false]);
        assert_eq!(found[0].from, Some((0, (15, 32))), "it is told what it stands on");
    }

    #[test]
    fn facts_are_sentences_with_figures() {
        let text = "All is well. The port is 8443. The port is 8443! see file_7\nok";
        let words: Vec<&str> = facts_of(text).into_iter().map(|(from, to)| &text[from..to]).collect();
        assert_eq!(words, ["The port is 8443.", "The port is 8443!", "see file_7"]);
        assert!(facts_of("1. 204 }; a 41").is_empty() && facts_of("港口 8443").len() == 1);
    }

    #[test]
    fn a_sentence_leads_to_its_source_and_one_without_is_marked() {
        let sources = ["Nothing here.", "We chose tabs. The port is 8443 on staging."];
        let found = align("On staging the port is 8443. The port is 9000. Cats purr.", &sources);
        assert_eq!(found[0].from, Some((1, (15, 43))));
        assert_eq!((found[0].score, found[0].supported), (1.0, true));
        // port stands there, 9000 nowhere.
        assert_eq!((found[1].score, found[1].supported), (0.5, false));
        assert_eq!((found[2].from, found[2].supported), (None, false));
    }

    #[test]
    fn percentiles_are_by_nearest_rank() {
        let numbers: Vec<u64> = (1..=10).collect();
        assert_eq!([0.0, 50.0, 90.0, 99.0, 100.0].map(|at| percentile(&numbers, at)), [1, 5, 9, 10, 10].map(Some));
        assert_eq!(percentile(&[], 50.0), None);
    }
}
