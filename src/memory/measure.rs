//! What a summary keeps of a text: fact by fact, literally, in other words or not at all; and where each of its own
//! sentences is from.

use std::cell::LazyCell;
use std::collections::BTreeSet;

use memchr::memmem::Finder;
use rayon::prelude::*;

use super::claim::Claim;
use super::figure::figures;
use super::marks::{bare, claims_nothing, said, task};
use super::near::{Backing, Said, Shared, Sources};
use super::sense::{holds_words, statements};
use super::words::each_word;

/// Share of a fact's words that a sentence needs to say the same.
const SAME: f64 = 0.6;
/// Facts of one text at most, and the characters of one: what is longer is data.
const FACTS: usize = 5_000;
const LONGEST: usize = 400;

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

/// Whether what a summary stands for supports a sentence of it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Support {
    /// Nothing says it: a figure of it stands nowhere, what comes nearest says otherwise, or no text has a word of it.
    None,
    /// No sentence says it, and none says otherwise: it may be drawn from several.
    Open,
    /// A sentence has most of its words, its figures stand together in a source, and it denies, orders and relates
    /// nothing otherwise.
    Stands,
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
    /// Whether anything supports it.
    pub support: Support,
}

/// The facts of a text: its sentences that hold a figure or an identifier and say something of it, each once.
#[must_use]
pub fn facts_of(text: &str) -> Vec<(usize, usize)> {
    let mut seen = BTreeSet::new();
    let mut found = said(text);
    found.retain(|(from, to)| {
        let words = text.get(*from..*to).unwrap_or_default();
        let short = words.len() <= LONGEST || words.chars().nth(LONGEST).is_none();
        short && !figures(words).is_empty() && says_something(words) && seen.insert(bare(words))
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
    shared: Shared,
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
        let statement = |words: &str| Statement { plain: bare(words), said: Said::of(words), claim: Claim::of(words) };
        let ranges = statements(text).into_iter().filter_map(|(from, to)| text.get(from..to));
        let statements: Vec<Statement> = ranges.map(statement).collect();
        Summary { shared: Shared::of(statements.iter().map(|one| &one.said)), statements }
    }

    /// What became of a fact. What says its words and denies what it affirms, affirms what it denies, turns its figures
    /// round or says them of something else has lost it.
    #[must_use]
    pub fn keeps(&self, fact: &str) -> Kept {
        // Few facts are near enough to a sentence that it matters what they claim.
        let (plain, own, claim) = (bare(fact), Said::of(fact), LazyCell::new(|| Claim::of(fact)));
        let phrase = plain.trim_end_matches(['.', '!', '?', ',', ';', '\u{3002}', '\u{ff01}', '\u{ff1f}']);
        if phrase.is_empty() {
            return Kept::Literal;
        }
        let finder = Finder::new(phrase);
        let literal = |one: &Statement| {
            let found = finder.find(one.plain.as_bytes()).is_some();
            found && holds_words(&one.plain, phrase) && claim.says_as(&one.claim)
        };
        let said = |one: &Statement| {
            own.share_in(&one.said) >= SAME && claim.is_bound_in(&[&one.claim]) && claim.fits(&one.claim)
        };
        if self.statements.iter().any(literal) {
            Kept::Literal
        } else if self.shared.may_hold(&own, SAME).filter_map(|at| self.statements.get(at)).any(said) {
            Kept::Paraphrase
        } else {
            Kept::Lost
        }
    }
}

/// Says of each sentence of a summary where it is from, and marks those that nothing supports.
#[must_use]
pub fn align(summary: &str, sources: &[&str]) -> Vec<Aligned> {
    let sources: Vec<Backing> = sources.iter().map(|text| Backing::said(text)).collect();
    align_through(summary, &sources, &|_, _| Support::Stands)
}

/// The same, where some of the sources are summaries themselves: `trust` tells, from a source's number and a sentence
/// of it, what supports that. What stands on a sentence without support has none. Headings and what a summary says of
/// itself claim nothing and are left out.
#[must_use]
pub fn align_through(summary: &str, sources: &[Backing], trust: &dyn Fn(usize, &str) -> Support) -> Vec<Aligned> {
    let read = Sources::of(sources, trust);
    let mut ranges = said(summary);
    ranges.retain(|range| !claims_nothing(summary, *range));
    ranges
        .into_par_iter()
        .map(|range| align_one(summary.get(range.0..range.1).unwrap_or_default(), range, &read))
        .collect()
}

fn align_one(words: &str, range: (usize, usize), read: &Sources) -> Aligned {
    let (own, claim) = (Said::of(words), Claim::of(words));
    let near = read.near(task(words).1);
    let near: Vec<_> = near.into_iter().filter_map(|at| read.sentences.get(at)).collect();
    let shares: Vec<f64> = near.iter().map(|one| own.share_in(one.said())).collect();
    let is_bound = || {
        let trusted = near.iter().filter(|one| one.trust != Support::None);
        claim.is_bound_in(&trusted.map(|one| one.claim()).collect::<Vec<&Claim>>())
    };
    // A sentence may deny what an earlier one said: the one that says the same is its source, best with its figures.
    let alike: Vec<usize> =
        (0..near.len()).filter(|at| near[*at].trust != Support::None && shares[*at] >= SAME).collect();
    let says: Vec<usize> = alike.iter().copied().filter(|at| claim.fits(near[*at].claim())).collect();
    let whole = says.iter().copied().find(|at| claim.is_bound_in(&[near[*at].claim()]));
    let bound = says.first().copied().filter(|_| is_bound());
    let best = whole.or(bound).or(alike.first().copied()).or((!near.is_empty()).then_some(0));
    let support = match whole.or(bound).and_then(|at| near.get(at)) {
        _ if own.is_empty() => Support::Stands,
        Some(one) => one.trust,
        None if near.is_empty() && own.number() > 1 => Support::None,
        None if !alike.is_empty()
            && alike.iter().all(|at| claim.denies(near[*at].claim(), read.may_be_settled(near[*at], words))) =>
        {
            Support::None
        }
        None if near.iter().zip(&shares).any(|(one, share)| one.trust == Support::None && *share >= SAME) => {
            Support::None
        }
        None if claim.own_figures().all(|figure| read.has(figure)) => Support::Open,
        None => Support::None,
    };
    let score = best.and_then(|at| shares.get(at)).copied().unwrap_or(0.0);
    let from = best.and_then(|at| near.get(at)).map(|one| (one.source, one.range));
    Aligned { range, from, score, support }
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
        let found: Vec<bool> = align(told, &[source]).iter().map(|one| one.support == Support::Stands).collect();
        assert_eq!(found, [false, false, false, true]);
        let both = align("The vault is sealed.", &["The vault is not sealed.", "The vault is sealed."]);
        assert_eq!((both[0].support, both[0].from), (Support::Stands, Some((1, (0, 20)))));
    }

    #[test]
    fn what_a_source_says_of_another_supports_nothing() {
        let sources = ["The port of host_0 is 8000. The port of host_1 is 8001.", "The limit is 5 MB. It needs 3.10."];
        let told = "The port of host_1 is 8000. The port of host_1 is 8001. The limit is 5 GB. It needs 3.1.";
        let found: Vec<bool> = align(told, &sources).iter().map(|one| one.support == Support::Stands).collect();
        assert_eq!(found, [false, true, false, false]);
        // What two sentences say may be said in one.
        assert_eq!(align("The ports of host_0 and host_1 are 8000 and 8001.", &sources)[0].support, Support::Stands);
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
            assert_eq!(align(told, &[fact])[0].support, Support::None, "{fact} / {told}");
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
            assert_eq!(align(told, &[fact])[0].support, Support::Stands, "{fact} / {told}");
        }
    }

    #[test]
    fn what_stands_on_a_sentence_without_support_has_none() {
        let sources = ["We chose tabs. The port is 9000. Cats purr.", "The port is 8443."];
        let invented = |source: usize, sentence: &str| match source {
            0 if ["The port is 9000.", "Cats purr."].contains(&sentence) => Support::None,
            _ => Support::Stands,
        };
        let found = align_through(
            "The port is 9000. We chose tabs. The port is 8443. Cats purr.",
            &sources.map(Backing::said),
            &invented,
        );
        assert_eq!(
            found.iter().map(|one| one.support == Support::Stands).collect::<Vec<_>>(),
            [false, true, true, false]
        );
        assert_eq!(found[0].from, Some((0, (15, 32))), "it is told what it stands on");
    }

    #[test]
    fn what_is_drawn_from_several_sentences_is_left_open() {
        let talk = Backing::said("I need to update the tests of parser_1. The file lexer_2 has 97 lines of 100.");
        let act = Backing { text: "Edit src/parser_1.rs", acts: true };
        let other = Backing { text: "Edit src/lexer_2.rs", acts: true };
        let of = |told: &str, sources: &[Backing]| align_through(told, sources, &|_, _| Support::Stands)[0].support;
        // Nobody did it, or somebody may have.
        assert_eq!(of("Updated the tests of parser_1.", &[talk]), Support::None);
        assert_eq!(of("Updated the tests of parser_1.", &[talk, other]), Support::None);
        assert_eq!(of("Updated the tests of parser_1.", &[talk, act]), Support::Open);
        assert_eq!(of("Work on parser_1 and lexer_2 went on nicely in the end.", &[talk]), Support::Open);
        assert_eq!(of("Work on parser_1 and lexer_3 went on nicely in the end.", &[talk]), Support::None);
        let told = "# Files of 2026\n- `lexer_2` (step 4):\nWrite/Read helped with lexer_2 while much else went on.";
        let found = align_through(told, &[talk], &|_, _| Support::Stands);
        assert_eq!(found.iter().map(|one| one.support).collect::<Vec<_>>(), [Support::Open]);
    }

    #[test]
    fn lines_of_files_and_tasks_are_kept_as_they_are_said() {
        let file = "     1\u{2192}Welcome to it\n     2\u{2192}Timeout is 30 seconds";
        let facts: Vec<&str> = facts_of(file).into_iter().map(|(from, to)| &file[from..to]).collect();
        assert_eq!(facts, ["Timeout is 30 seconds"]);
        for (fact, told, kept) in [
            ("Timeout is 30 seconds", "- **Timeout** is `30` seconds", Kept::Literal),
            ("[ ] Rotate key_4 on host_2", "- [x] Rotate key_4 on host_2", Kept::Lost),
            ("Should I delete bucket_9?", "Delete bucket_9.", Kept::Lost),
            ("Delete bucket_9.", "Should I delete bucket_9?", Kept::Lost),
            ("Please open port 8443.", "The user asked to open port 8443.", Kept::Paraphrase),
            ("If queue_7 is full, restart host_1.", "queue_7 is full; restart host_1.", Kept::Lost),
            (
                "The timeout is 30 seconds instead of 10.",
                "The timeout changed from 10 to 30 seconds.",
                Kept::Paraphrase,
            ),
            ("Numbers (94, 17, 68) with sum 307", "Numbers [94, 17, 68] with sum 307", Kept::Paraphrase),
            ("ABC-123 is blocked by ABC-99.", "ABC-99 blocks ABC-123.", Kept::Paraphrase),
            ("ABC-123 is blocked by ABC-99.", "ABC-123 blocks ABC-99.", Kept::Lost),
            ("It was built at 9fceb02d0ae598e95dc970b74767f19372d61af8.", "Built at 9fceb02.", Kept::Paraphrase),
        ] {
            assert_eq!(Summary::of(told).keeps(fact), kept, "{fact} / {told}");
        }
        let wide = "\u{7aef}\u{53e3}".repeat(90) + "8443\u{3002}";
        assert_eq!(facts_of(&wide).len(), 1, "400 characters, not bytes");
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
        assert_eq!((found[0].score, found[0].support), (1.0, Support::Stands));
        // port stands there, 9000 nowhere.
        assert_eq!((found[1].score, found[1].support), (0.5, Support::None));
        assert_eq!((found[2].from, found[2].support), (None, Support::None));
    }

    #[test]
    fn percentiles_are_by_nearest_rank() {
        let numbers: Vec<u64> = (1..=10).collect();
        assert_eq!([0.0, 50.0, 90.0, 99.0, 100.0].map(|at| percentile(&numbers, at)), [1, 5, 9, 10, 10].map(Some));
        assert_eq!(percentile(&[], 50.0), None);
    }
}
