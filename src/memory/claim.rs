//! What one sentence claims, and whether it follows from another that has its words: the same figures of the same
//! things, nothing turned into its opposite, nothing said of something else.

mod turned;

use std::collections::BTreeSet;

use super::admitted::Admitted;
use super::alone::Alone;
use super::amount::Amounts;
use super::beyond::Beyond;
use super::compare::each_is;
use super::counted::Counts;
use super::deed::{Deed, deeds_of, doing, is_another, is_told};
use super::exchange::Exchange;
use super::figure::Figure;
use super::guarded::Guarded;
use super::label::Labels;
use super::lexer::{Word, is_figure};
use super::marks::{Task, task};
use super::meant::meant;
use super::mood::{Mood, all};
use super::named::{is_numbered, names_of};
use super::numeral::counted;
use super::paired::Paired;
use super::part::{Part, are_bound_alike, are_in_order, parts_of};
use super::permission::Leave;
use super::quantity::Quantities;
use super::reach::Reach;
use super::roles::Roles;
use super::sense::{Sense, ends_clause, stem};
use super::sentences;
use super::sides::{Side, is_of_one_side, sides_of};
use super::slot::{Slot, slots_of};
use super::stand::{Stand, done, is_pending, ordered};
use super::undone::Undone;
use super::words::{exact, is_silent};

/// What a sentence claims.
#[derive(Clone, Debug)]
pub(super) struct Claim {
    sense: Sense,
    parts: Vec<Part>,
    mood: Mood,
    stand: Stand,
    sides: Vec<Side>,
    /// Where, when, by whom and of what it says that something holds.
    slots: Vec<Slot>,
    stems: BTreeSet<String>,
    words: BTreeSet<String>,
    /// Names of code, which are told as they are written or not at all.
    names: BTreeSet<String>,
    /// Stems of what it asks somebody to do, or only speaks of doing, and of what it says is done.
    orders: BTreeSet<String>,
    did: BTreeSet<String>,
    /// Those of them that it begins with: who did them is told by the tale.
    led: BTreeSet<String>,
    /// What it says is done to what.
    deeds: Vec<Deed>,
    /// What it says of doing what.
    doing: Vec<Deed>,
    /// Whether it says of something that it is not so yet.
    pending: bool,
    /// The first two stems of each clause: what it speaks of, and what it says first of that.
    begins: Vec<(String, String)>,
    /// How many of what, and of how many: "2 files", "11 of 12".
    counts: Counts,
    /// What its numbers are of.
    amounts: Amounts,
    /// What its clauses tell of whom.
    exchange: Exchange,
    /// What it names by a letter, and what bounds what it says.
    labels: Labels,
    /// What it permits and what it demands.
    leave: Leave,
    /// Of how many of what it speaks.
    quantities: Quantities,
    /// Who does what to whom.
    roles: Roles,
    /// What was only tried, or taken back.
    undone: Undone,
    /// What it deals out in pairs.
    paired: Paired,
    /// What of it can be overstated.
    beyond: Beyond,
    /// What bounds it, and from which side.
    reach: Reach,
    /// What it demands before something else.
    guarded: Guarded,
    /// How much it lets in.
    admitted: Admitted,
    /// Whom it says it of alone.
    alone: Alone,
}

impl Claim {
    /// Reads a sentence, or a statement of several.
    pub fn of(text: &str) -> Claim {
        let (mut parts, mut sides, mut slots) = (Vec::new(), Vec::new(), Vec::new());
        let (mut stems, mut all_words, mut moods) = (BTreeSet::new(), BTreeSet::new(), Vec::new());
        let (mut names, mut counts, mut exchange) = (BTreeSet::new(), Counts::default(), Exchange::default());
        let (mut orders, mut did, mut begins) = (BTreeSet::new(), BTreeSet::new(), Vec::new());
        let (mut led, mut deeds, mut does, mut pending) = (BTreeSet::new(), Vec::new(), Vec::new(), false);
        let (box_of, text) = task(text);
        let (mut stands, mut sense, mut labels) = (Vec::new(), Sense::default(), Labels::default());
        let (mut leave, mut amounts) = (Leave::default(), Amounts::default());
        let (mut quantities, mut roles, mut undone) = (Quantities::default(), Roles::default(), Undone::default());
        let (mut paired, mut beyond) = (Paired::default(), Beyond::default());
        let (mut reach, mut guarded) = (Reach::default(), Guarded::default());
        let (mut admitted, mut alone) = (Admitted::default(), Alone::default());
        for (from, to) in sentences(text) {
            let written = text.get(from..to).unwrap_or_default();
            let plain = exact(written);
            let words = counted(&plain);
            sense.read(&plain, &words);
            names.extend(names_of(&plain, &words).map(|word| word.text.to_string()));
            stands.push(Stand::of(&words, box_of));
            if box_of != Task::Done {
                orders.extend(ordered(&words).chain(meant(&words)));
            }
            did.extend(done(&words));
            led.extend(done(words.get(..1).unwrap_or_default()));
            deeds.extend(deeds_of(&words));
            does.extend(doing(&words));
            pending |= is_pending(&words);
            let excluding = sides_of(&words);
            counts.read(&words, &excluding);
            amounts.read(&words);
            exchange.read(written, &words);
            labels.read(written, &words);
            leave.read(&words);
            quantities.read(&words);
            roles.read(&words);
            undone.read(&words);
            paired.read(&words);
            beyond.read(&words);
            reach.read(&words);
            guarded.read(&words);
            admitted.read(&words);
            alone.read(&words);
            begins.extend(begins_of(&words));
            parts.extend(parts_of(&words));
            sides.extend(excluding);
            slots.extend(slots_of(&words));
            all_words.extend(words.iter().map(|word| word.text.to_string()));
            moods.push(Mood::of(&words));
            stems.extend(words.iter().map(|word| stem(&word.text)));
        }
        Claim {
            sense,
            parts,
            mood: all(&moods),
            stand: all(&stands),
            sides,
            slots,
            stems,
            words: all_words,
            names,
            orders,
            did,
            led,
            deeds,
            doing: does,
            pending,
            begins,
            counts,
            amounts,
            exchange,
            labels,
            leave,
            quantities,
            roles,
            undone,
            paired,
            beyond,
            reach,
            guarded,
            admitted,
            alone,
        }
    }

    /// Whether another, that holds its words, says them as it does: denies the same, and leaves the same open.
    pub fn says_as(&self, other: &Claim) -> bool {
        (self.sense.agrees(&other.sense) || self.admitted.is_as_in(&other.admitted)) && self.stand.agrees(other.stand)
    }

    /// Whether it denies, orders and relates things as another does, as surely and at the same time, and says nothing of
    /// others.
    pub fn fits(&self, other: &Claim) -> bool {
        self.says_as(other) && self.relates_as(other, true) && self.has_mood_of(other, false)
    }

    /// Whether it says that something is done which another only asks for, or thinks of: "Deleted it" of "Delete it".
    pub fn does_what_is_asked_in(&self, other: &Claim) -> bool {
        self.did.iter().any(|stem| other.orders.contains(stem) && !other.did.contains(stem))
    }

    /// Whether it says that something is done, and another speaks of nothing of the kind: "Pushed it to main" where that
    /// has "It is on main".
    pub fn does_more_than(&self, other: &Claim) -> bool {
        let is_told = |deed: &String| is_told(deed, &|stem| other.stems.contains(stem));
        !self.led.is_empty() && !self.led.iter().any(is_told)
    }

    /// Whether it says of something else what another says, or something else of the same: "the backend listens" where
    /// that has "the frontend listens", "rejected the plan" where that has "drafted the plan". It may be another name of
    /// the same thing: a text cannot tell.
    pub fn speaks_of_another_than(&self, other: &Claim) -> bool {
        if is_numbered(&self.words, &other.words) {
            return true;
        }
        if self.does_another(&self.deeds, other, &other.deeds) {
            return true;
        }
        let is_other = |(own, says): &(String, String)| {
            let theirs = other.begins.iter().filter(|(_, also)| also == says);
            !other.stems.contains(own)
                && each_is(theirs, |(there, _)| !self.stems.contains(there) && !is_of_one_side(own, there))
        };
        self.begins.iter().any(is_other)
    }

    /// Whether one of its deeds is another than that of another in its place.
    fn does_another(&self, own: &[Deed], other: &Claim, theirs: &[Deed]) -> bool {
        let has = |claim: &Claim, stem: &str| claim.stems.contains(stem);
        is_another(own, &|stem| has(self, stem), theirs, &|stem| has(other, stem))
    }

    /// Whether it affirms what another denies, or denies what that affirms.
    pub fn contradicts(&self, other: &Claim) -> bool {
        !self.sense.follows(&other.sense) && !self.admitted.is_as_in(&other.admitted)
    }

    /// Whether it says the opposite in the same words, or who is done something to does it there.
    pub fn turns(&self, other: &Claim) -> bool {
        self.contradicts(other) || self.roles.are_swapped(&other.roles)
    }

    /// Whether it says the opposite of what another says: it affirms what that denies, or turns it round.
    pub fn is_against(&self, other: &Claim) -> bool {
        self.contradicts(other) || !self.relates_as(other, false)
    }

    /// Whether it says that something is done which another says was only tried, or taken back.
    pub fn is_undone_in(&self, other: &Claim) -> bool {
        self.undone.is_done_in_spite_of(&other.undone, &self.did, &other.did, &self.stems)
    }

    /// What it says was only tried, taken back or given up.
    pub fn undone(&self) -> &Undone {
        &self.undone
    }

    /// Whether it orders and relates things as another does, and says nothing of others: `surely`, or as far as can be
    /// told.
    fn relates_as(&self, other: &Claim, surely: bool) -> bool {
        self.relates(other, surely, true)
    }

    /// The same; `polar`: words by which a thing is said to hold or not are held against each other, too.
    fn relates(&self, other: &Claim, surely: bool, polar: bool) -> bool {
        let is_flipped = self.is_flipped(other);
        (is_flipped || self.exchange.has_times_of(&other.exchange) || are_in_order(&self.parts, &other.parts))
            && are_bound_alike(&self.parts, &other.parts)
            && (!self.is_turned(other, polar) || self.admitted.is_as_in(&other.admitted))
            && !self.is_elsewhere(other, surely)
            && !self.counts.differ(&other.counts)
            && !self.amounts.exchange_names(&other.amounts)
            && !self.labels.differ(&other.labels)
            && !self.leave.is_against(&other.leave)
            && !self.quantities.differ(&other.quantities)
            && !self.roles.are_swapped(&other.roles)
            && !self.roles.are_crossed(&other.roles)
            && !self.is_undone_in(other)
            && !self.exchange.is_crossed(&other.exchange)
            && !self.paired.mixes(&other.paired)
            && !self.beyond.differs(&other.beyond)
            && !self.reach.is_against(&other.reach)
            && !self.admitted.is_against(&other.admitted)
            && !self.alone.is_against(&other.alone)
            && !self.guarded.leaves_out_what_is_first(&self.stems, &other.guarded)
            && !self.does_another(&self.doing, other, &other.doing)
            && !self.exchange.swaps_times(&other.exchange, is_flipped)
    }

    /// Whether it says otherwise what another says in nearly its words: it turns that round, binds its figures to other
    /// things, or has another figure in the place of one of its. What is may be told as what was, and what was left open
    /// may have been `settled` since. What name is `there` at all may come from elsewhere.
    pub fn denies(&self, other: &Claim, settled: bool, there: &dyn Fn(&str) -> bool) -> bool {
        let own = self.lacks(other);
        // Another name may have come later.
        let replaces = self.replaces(other, |figure| figure.is_number || !settled);
        let renames = self.names.iter().any(|name| !other.words.contains(name) && !there(name))
            && other.names.iter().any(|name| !self.words.contains(name));
        let unbound = own.is_empty() && !self.has_figures_bound_in(&[other], false);
        let is_done = self.stand.agrees(other.stand) && !self.does_what_is_asked_in(other);
        let says = !self.contradicts(other) && (settled || is_done);
        // What was not so yet may be so now, and what was to be looked into may have been found otherwise.
        if settled && (other.pending || other.stand.is_planned()) {
            return replaces || renames;
        }
        replaces || renames || unbound || !says || !self.relates_as(other, false) || !self.has_mood_of(other, true)
    }

    /// Its figures that stand not there.
    fn lacks<'a>(&'a self, other: &Claim) -> Vec<&'a Figure> {
        let known = |figure: &&Figure| !other.parts.iter().any(|part| part.holds(&figure.text));
        self.parts.iter().flat_map(|part| &part.figures).filter(known).collect()
    }

    /// Whether it has a figure in the place of another, of those that `counts` tells of.
    pub fn replaces(&self, other: &Claim, counts: impl Fn(&Figure) -> bool) -> bool {
        let theirs = other.lacks(self);
        self.lacks(other).iter().any(|own| counts(own) && theirs.iter().any(|one| one.is_of_kind(own)))
    }

    /// Its figures that must stand in a source: not those by which a text counts its own parts.
    pub fn own_figures(&self) -> impl Iterator<Item = &str> {
        self.parts.iter().flat_map(|part| &part.figures).filter(|figure| !figure.counts).map(|figure| &*figure.text)
    }

    /// What of it is looked up anywhere: its figures, and names of code.
    pub fn looked_up(&self) -> impl Iterator<Item = &str> {
        self.own_figures().chain(self.names.iter().map(String::as_str))
    }

    /// Whether it says what it says as another does: where that speaks of more, what it says of the same figures. A tale
    /// may tell what is as what was.
    fn has_mood_of(&self, other: &Claim, tale: bool) -> bool {
        let about = |one: &Claim, figures: &Claim| {
            let holds =
                |part: &&Part| part.figures.iter().any(|own| figures.parts.iter().any(|one| one.holds(&own.text)));
            let moods: Vec<Mood> = one.parts.iter().filter(holds).map(|part| part.mood.clone()).collect();
            if moods.is_empty() { one.mood.clone() } else { all(&moods) }
        };
        let (mine, theirs) = (about(self, other), about(other, self));
        match tale {
            true => {
                mine.is_no_surer_in(&other.mood)
                    && theirs.is_no_surer_in(&self.mood)
                    && !theirs.was_only(&self.mood)
                    && !other.mood.was_only(&mine)
            }
            false => mine.holds_in(&other.mood) && theirs.holds_in(&self.mood),
        }
    }

    /// Whether its figures belong together there too: those of each part stand in one part of one of these sentences, or
    /// in several that hold nothing else. Its names, also those of one letter, stand in one of them.
    pub fn is_bound_in(&self, others: &[&Claim]) -> bool {
        self.names.iter().all(|name| others.iter().any(|other| other.words.contains(name)))
            && self.labels.are_in(others.iter().map(|other| &other.labels))
            && self.has_figures_bound_in(others, true)
    }

    fn has_figures_bound_in(&self, others: &[&Claim], surely: bool) -> bool {
        let is_held = |part: &Part| {
            let covers = |parts: &mut dyn Iterator<Item = &Part>| {
                let held: Vec<&Part> = parts.filter(|other| other.is_within(part)).collect();
                part.figures.iter().all(|figure| held.iter().any(|other| other.holds(&figure.text)))
            };
            let within = |other: &&Claim| {
                other.parts.iter().any(|other| part.is_within(other)) || covers(&mut other.parts.iter())
            };
            // A figure that stands alone belongs to nothing that another sentence says.
            let pairs = others.iter().flat_map(|other| &other.parts).filter(|part| part.figures.len() > 1);
            others.iter().any(within) || covers(&mut pairs.into_iter())
        };
        let of: Vec<_> = others.iter().map(|other| (&other.amounts, &other.stems)).collect();
        self.parts.iter().all(is_held) && self.amounts.are_in(&self.stems, &of, surely)
    }

    /// Whether what it counts is counted there, whether in words or in digits.
    pub fn counts_as(&self, other: &Claim) -> bool {
        self.amounts.are_told_in(&other.amounts)
    }
}

/// Words that stand for what the sentence began with, and such that lead a clause of it in.
const STANDS: &[&str] = &["he", "it", "she", "they"];
const LEADS: &[&str] = &["after", "and", "because", "before", "but", "if", "so", "then", "until", "when", "while"];

/// The first two stems of each clause that begins with a word; what a clause says of "it" is said of what comes first.
fn begins_of(words: &[Word]) -> Vec<(String, String)> {
    let (mut found, mut start) = (Vec::new(), 0);
    for (at, word) in words.iter().enumerate() {
        let joins = matches!(&*word.text, "and" | "but" | "while" | "whereas");
        if joins || ends_clause(word.after) || at + 1 == words.len() {
            let clause = words.get(start..=at).unwrap_or_default();
            let mut said =
                clause.iter().filter(|word| !is_silent(&word.text) && word.text.contains(char::is_alphanumeric));
            if let (Some(first), Some(next)) = (said.next().filter(|word| !is_figure(&word.text)), said.next()) {
                found.push((stem(&first.text), stem(&next.text)));
            }
            start = at + 1;
        }
    }
    let says = |word: &&Word| !is_silent(&word.text) && word.text.contains(char::is_alphanumeric);
    if let Some((subject, _)) = found.first().cloned() {
        let leads = words.windows(2).enumerate();
        let leads = leads.filter(|(_, pair)| LEADS.contains(&&*pair[0].text) && STANDS.contains(&&*pair[1].text));
        let verbs = leads.filter_map(|(at, _)| words.get(at + 2..)?.iter().find(says));
        found.extend(verbs.map(|verb| (subject.clone(), stem(&verb.text))).collect::<Vec<_>>());
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    fn follows(one: &str, other: &str) -> bool {
        let (one, other) = (Claim::of(one), Claim::of(other));
        one.fits(&other) && one.is_bound_in(&[&other])
    }

    #[test]
    fn figures_belong_to_what_they_are_said_of() {
        for source in [
            "host_0 is 8000, host_1 is 8001.",
            "host_0 is 8000 and host_1 is 8001.",
            "The port of host_0 is 8000; that of host_1 is 8001.",
        ] {
            assert!(follows("The port of host_1 is 8001.", source), "{source}");
            assert!(!follows("The port of host_1 is 8000.", source), "{source}");
            assert!(follows("host_0 and host_1 listen on 8000 and 8001.", source), "{source}");
        }
        assert!(follows("host_7 uses port 8443.", "We moved to host_7, port 8443."));
        assert!(follows("host_1 has ports 80, 443 and 8080.", "Ports 80, 443 and 8080 are open on host_1."));
        assert!(follows("host_c listens on 80.", "host_a, host_b and host_c listen on 80."));
        let (one, other) = (Claim::of("host_0 is 8000."), Claim::of("host_1 is 8001."));
        assert!(!Claim::of("host_1 is 8000.").is_bound_in(&[&one, &other]));
        assert!(Claim::of("host_0 is 8000 and host_1 is 8001.").is_bound_in(&[&one, &other]));
    }

    #[test]
    fn units_signs_and_opposites_are_no_paraphrase() {
        for (one, other) in [
            ("The limit is 5 GB.", "The limit is 5 MB."),
            ("The freezer runs at 20 degrees.", "The freezer runs at -20 degrees."),
            ("The price of item_9 fell by 15 percent.", "The price of item_9 rose by 15 percent."),
            ("Builds on windows take 40 minutes.", "Builds on linux take 40 minutes."),
            ("Windows builds take 40 minutes.", "Linux builds take 40 minutes."),
            ("Retry job_77 after deleting the volume.", "Retry job_77 before deleting the volume."),
            ("The quorum is at most 3 nodes.", "The quorum is at least 3 nodes."),
            ("The server in Paris has port 80.", "The server in Berlin has port 80."),
            ("Version 2 is slower than version 3.", "Version 3 is slower than version 2."),
            ("Use ripgrep for job_7 rather than grep.", "Use grep for job_7 rather than ripgrep."),
            ("The endpoint api_1 is unsafe.", "The endpoint api_1 is safe."),
            ("The flag flag_x is off by default.", "The flag flag_x is on by default."),
            ("Backups of db_1 run daily.", "Backups of db_1 run weekly."),
            ("The parser needs version 3.1.", "The parser needs version 3.10."),
            ("12 of 12 tests of mod_3 pass.", "11 of 12 tests of mod_3 pass."),
            ("2 files were changed, with 1 insertion.", "1 file changed, 2 insertions, 1 deletion."),
            ("41 tests failed and 3 passed.", "41 passed, 3 failed, 2 ignored."),
            ("All 12 tests of mod_3 pass.", "11 of 12 tests of mod_3 pass."),
            ("Coverage is now 71% (was 84%).", "Coverage rose from 71% to 84%."),
            ("Coverage is now 71%, up from 84%.", "Coverage rose from 71% to 84%."),
            ("The retry limit is now 10 (previously 20).", "The retry limit was raised from 10 to 20."),
            ("The cache has 512 MB, down from 96 MB.", "The cache fell from 512 MB to 96 MB."),
            ("Run img_7 as root user.", "Run img_7 as non-root user."),
            ("The parser_2 is blocking.", "The parser_2 is non-blocking."),
            ("The bug is in getUserById of svc_3.", "The bug is in getUserByName of svc_3."),
            ("Run img_7 with --verbose on.", "Run img_7 with --version on."),
            ("Limits of svc_3 are in `retry-budget` now.", "Limits of svc_3 are in `retry-policy` now."),
        ] {
            assert!(!follows(one, other), "{one} / {other}");
            assert!(!follows(other, one), "{other} / {one}");
        }
        for (one, other) in [
            ("It costs 1500 dollars.", "It costs $1,500."),
            ("Delete the volume after retrying job_77.", "Retry job_77 before deleting the volume."),
            ("Port 9443 is where the daemon listens.", "The daemon listens on port 9443."),
            ("Staging was moved to host_7 yesterday.", "We moved staging to host_7 on Monday."),
            ("Deploy svc_3 before svc_4.", "Deploy svc_4 after svc_3."),
            ("Version 2 is slower than version 3.", "Version 3 is faster than version 2."),
            ("Writes use port 5000.", "Reads use port 3000, writes 5000."),
            ("It runs on host alpha7.", "It runs on machine alpha7."),
            ("11 of 12 tests of mod_3 pass.", "11/12 tests of mod_3 pass."),
            ("Coverage is now 84% (was 71%).", "Coverage rose from 71% to 84%."),
            ("Coverage is now 84%, up from 71%.", "Coverage rose from 71% to 84%."),
            ("The retry limit is now 20 (previously 10).", "The retry limit was raised from 10 to 20."),
            ("GitHub has 3 runs.", "github has 3 runs."),
            ("The `retries` of svc_3 are 5.", "Retries of svc_3 are 5."),
        ] {
            assert!(follows(one, other), "{one} / {other}");
        }
    }
}
