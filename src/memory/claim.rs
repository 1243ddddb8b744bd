//! What one sentence claims, and whether it follows from another that has its words: the same figures of the same
//! things, nothing turned into its opposite, nothing said of something else.

use std::collections::BTreeSet;

use super::figure::Figure;
use super::lexer::{Word, is_figure, words};
use super::marks::task;
use super::mood::{Mood, all};
use super::part::{Part, are_bound_alike, are_in_order, parts_of};
use super::sense::{Sense, is_empty, stem};
use super::stand::Stand;
use super::{plain, sentences};

/// Words of which one excludes the others, row by row and side by side; `*` stands for any ending. In the rows of
/// [`RELATIONS`], what stands on either side of the word can change places with it: "a before b" is "b after a".
const SIDES: &[&[&[&str]]] = &[
    &[&["before"], &["after"]],
    &[&["above"], &["below", "beneath"]],
    &[&["over"], &["under"]],
    &[&["more"], &["less", "fewer"]],
    &[&["greater", "larger", "bigger"], &["smaller", "less"]],
    &[&["higher"], &["lower"]],
    &[&["earlier", "sooner"], &["later"]],
    &[&["newer", "younger"], &["older"]],
    &[&["faster"], &["slower"]],
    &[&["than", "instead"]],
    &[&["<", "\u{2264}"], &[">", "\u{2265}"]],
    &[&["least", "minimum"], &["most", "maximum"], &["exactly", "precisely"]],
    &[
        &["rose", "rise", "rises", "risen", "rising", "grew", "grow*", "increas*", "gained", "climb*", "rais*"],
        &[
            "fell", "fall", "falls", "fallen", "falling", "drop", "drops", "dropped", "dropping", "shrank", "shrink*",
            "shrunk", "decreas*", "declin*", "reduc*", "lowered", "sank",
        ],
    ],
    &[&["enabl*"], &["disabl*"]],
    &[
        &["allow*", "permit*", "accept*", "agree*"],
        &["deny", "denies", "denied", "forbid*", "reject*", "refus*", "prohibit*"],
    ],
    &[&["open", "opens", "opened"], &["close", "closes", "closed"]],
    &[&["start", "starts", "started"], &["stop", "stops", "stopped"]],
    &[&["add", "adds", "added", "creat*"], &["remov*", "delet*"]],
    &[&["on"], &["off"]],
    &[&["up"], &["down"]],
    &[&["hourly"], &["daily"], &["weekly"], &["monthly"], &["yearly", "annually"]],
    &[&["all", "every"], &["half"], &["few", "hardly", "barely"], &["none"]],
    &[&["success*", "succeed*", "pass", "passes", "passed"], &["fail*"]],
    &[&["true"], &["false"]],
    &[&["left"], &["right"]],
    &[&["north*"], &["south*"], &["east", "eastern"], &["west", "western"]],
    &[&["first"], &["last"]],
    &[&["inside", "internal*"], &["outside", "external*"]],
    &[&["public"], &["private"]],
    &[&["upload*"], &["download*"]],
    &[&["encrypt*"], &["decrypt*"]],
    &[&["import", "imports", "imported"], &["export", "exports", "exported"]],
    &[&["linux"], &["windows"], &["macos"]],
    &[&["production", "prod"], &["staging"], &["development", "dev"]],
    &[&["yesterday"], &["today"], &["tomorrow"]],
    &[&["monday"], &["tuesday"], &["wednesday"], &["thursday"], &["friday"], &["saturday"], &["sunday"]],
    &[
        &["january"],
        &["february"],
        &["march"],
        &["april"],
        &["june"],
        &["july"],
        &["august"],
        &["september"],
        &["october"],
        &["november"],
        &["december"],
    ],
    &[&["two"], &["three"], &["four"], &["five"], &["six"], &["seven"], &["eight"], &["nine"], &["ten"], &["twelve"]],
];

/// The first rows of [`SIDES`]: words that relate what stands before them to what stands after.
const RELATIONS: usize = 10;

/// What turns a word into its opposite, before it.
const TURNS: &[&str] = &["dis", "il", "im", "in", "ir", "non", "un"];

/// Words after which it is said where, when, by whom or of what something holds.
const SLOTS: &[&str] = &["against", "at", "by", "for", "from", "in", "of", "on", "to", "under", "via", "with"];

/// Those of them that tell who gives and who gets: what they name cannot change places.
const WAYS: &[&str] = &["by", "from", "of", "to"];

/// A word of [`SIDES`] in a sentence.
#[derive(Clone, Debug)]
struct Side {
    row: usize,
    side: usize,
    /// The stems before and after it.
    before: BTreeSet<String>,
    after: BTreeSet<String>,
}

impl Side {
    /// Whether what stands on either side of it has changed places there.
    fn flips(&self, other: &Side) -> bool {
        let meet = |(one, but): (&BTreeSet<String>, &BTreeSet<String>),
                    (there, there_but): (&BTreeSet<String>, &BTreeSet<String>)| {
            one.iter().any(|stem| !but.contains(stem) && there.contains(stem) && !there_but.contains(stem))
        };
        self.row < RELATIONS
            && meet((&self.before, &self.after), (&other.after, &other.before))
            && meet((&self.after, &self.before), (&other.before, &other.after))
    }
}

/// What a sentence claims.
#[derive(Clone, Debug)]
pub(super) struct Claim {
    sense: Sense,
    parts: Vec<Part>,
    mood: Mood,
    stand: Stand,
    sides: Vec<Side>,
    /// Words of [`SLOTS`], each with the stem of what it names.
    slots: Vec<(&'static str, String)>,
    stems: BTreeSet<String>,
    words: BTreeSet<String>,
}

impl Claim {
    /// Reads a sentence, or a statement of several.
    pub fn of(text: &str) -> Claim {
        let (mut parts, mut sides, mut slots) = (Vec::new(), Vec::new(), Vec::new());
        let (mut stems, mut all_words, mut moods) = (BTreeSet::new(), BTreeSet::new(), Vec::new());
        let (box_of, text) = task(text);
        let mut stands = Vec::new();
        for (from, to) in sentences(text) {
            let plain = plain(text.get(from..to).unwrap_or_default());
            let words = words(&plain);
            stands.push(Stand::of(&words, box_of));
            parts.extend(parts_of(&words));
            sides.extend(sides_of(&words));
            slots.extend(slots_of(&words));
            all_words.extend(words.iter().map(|word| word.text.to_string()));
            moods.push(Mood::of(&words));
            stems.extend(words.iter().map(|word| stem(&word.text)));
        }
        Claim {
            sense: Sense::of(text),
            parts,
            mood: all(&moods),
            stand: Stand::all(&stands),
            sides,
            slots,
            stems,
            words: all_words,
        }
    }

    /// Whether another, that holds its words, says them as it does: denies the same, and leaves the same open.
    pub fn says_as(&self, other: &Claim) -> bool {
        self.sense.agrees(&other.sense) && self.stand.agrees(other.stand)
    }

    /// Whether it denies, orders and relates things as another does, as surely and at the same time, and says nothing
    /// of others.
    pub fn fits(&self, other: &Claim) -> bool {
        self.says_as(other) && self.relates_as(other) && self.has_mood_of(other, false)
    }

    /// Whether it orders and relates things as another does, and says nothing of others.
    fn relates_as(&self, other: &Claim) -> bool {
        (self.is_flipped(other) || are_in_order(&self.parts, &other.parts))
            && are_bound_alike(&self.parts, &other.parts)
            && !self.is_turned(other)
            && !self.is_elsewhere(other)
    }

    /// Whether it says otherwise what another says in nearly its words: it turns that round, binds its figures to other
    /// things, or has another figure in the place of one of its. What is may be told as what was, and what was left
    /// open may have been `settled` since.
    pub fn denies(&self, other: &Claim, settled: bool) -> bool {
        let known = |claim: &Claim, figure: &Figure| claim.parts.iter().any(|part| part.holds(&figure.text));
        let lacks = |one: &Claim, other: &Claim| -> Vec<Figure> {
            one.parts.iter().flat_map(|part| &part.figures).filter(|figure| !known(other, figure)).cloned().collect()
        };
        let (own, theirs) = (lacks(self, other), lacks(other, self));
        let replaces = own.iter().any(|own| theirs.iter().any(|one| one.is_of_kind(own)));
        let unbound = own.is_empty() && !self.is_bound_in(&[other]);
        let says = self.sense.follows(&other.sense) && (settled || self.stand.agrees(other.stand));
        replaces || unbound || !says || !self.relates_as(other) || !self.has_mood_of(other, true)
    }

    /// Its figures that must stand in a source: not those by which a text counts its own parts.
    pub fn own_figures(&self) -> impl Iterator<Item = &str> {
        self.parts.iter().flat_map(|part| &part.figures).filter(|figure| !figure.counts).map(|figure| &*figure.text)
    }

    /// Whether it says what it says as another does: where that speaks of more, what it says of the same figures. A
    /// tale may tell what is as what was.
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

    /// Whether its figures belong together there too: those of each part stand in one part of one of these sentences,
    /// or in several that hold nothing else.
    pub fn is_bound_in(&self, others: &[&Claim]) -> bool {
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
        self.parts.iter().all(is_held)
    }

    /// Whether a word of it stands there as its opposite.
    fn is_turned(&self, other: &Claim) -> bool {
        let by_side = |own: &Side| {
            let mut theirs = other.sides.iter().filter(|side| side.row == own.row).peekable();
            let mut mine = self.sides.iter().filter(|side| side.row == own.row);
            theirs.peek().is_some()
                && theirs.all(|side| side.side != own.side && !own.flips(side) && mine.all(|own| own.side != side.side))
        };
        let by_start = |one: &Claim, other: &Claim| {
            let turned = |word: &String| {
                let plain = TURNS.iter().filter_map(|start| word.strip_prefix(start)).find(|rest| rest.len() > 3);
                plain.is_some_and(|plain| other.words.contains(plain) && !one.words.contains(plain))
            };
            one.words.iter().any(|word| turned(word) && !other.words.contains(word))
        };
        self.sides.iter().any(by_side)
            || by_start(self, other)
            || by_start(other, self)
            || (!self.is_flipped(other)
                && self.pairs(other).any(|(own, side)| own.side == side.side && own.flips(side)))
    }

    /// Whether it relates the same things by the opposite word: "a before b" is "b after a".
    fn is_flipped(&self, other: &Claim) -> bool {
        self.pairs(other).any(|(own, side)| own.side != side.side && own.flips(side))
    }

    /// Words of one row in both.
    fn pairs<'a>(&'a self, other: &'a Claim) -> impl Iterator<Item = (&'a Side, &'a Side)> {
        self.sides
            .iter()
            .flat_map(|own| other.sides.iter().filter(|side| side.row == own.row).map(move |side| (own, side)))
    }

    /// Whether it says of something else what the other says.
    fn is_elsewhere(&self, other: &Claim) -> bool {
        let only = |claim: &Claim, stems: &BTreeSet<String>| -> BTreeSet<&'static str> {
            claim.slots.iter().filter(|(_, stem)| !stems.contains(stem)).map(|(slot, _)| *slot).collect()
        };
        // "from A to B" turned round names the same things.
        let turned = WAYS.iter().any(|way| {
            let named = |claim: &Claim| -> BTreeSet<String> {
                claim.slots.iter().filter(|(slot, _)| slot == way).map(|(_, stem)| stem.clone()).collect()
            };
            let (mine, theirs) = (named(self), named(other));
            mine.is_disjoint(&theirs)
                && mine.iter().any(|stem| other.stems.contains(stem))
                && theirs.iter().any(|stem| self.stems.contains(stem))
        });
        turned || !only(self, &other.stems).is_disjoint(&only(other, &self.stems))
    }
}

fn sides_of(words: &[Word]) -> Vec<Side> {
    let is = |word: &str, name: &&str| match name.strip_suffix('*') {
        Some(start) => word.starts_with(start),
        None => word == *name,
    };
    let stems =
        |words: &[Word]| words.iter().filter(|word| !is_empty(&word.text)).map(|word| stem(&word.text)).collect();
    let mut found = Vec::new();
    for (at, word) in words.iter().enumerate() {
        for (row, sides) in SIDES.iter().enumerate() {
            let sides = sides.iter().enumerate().filter(|(_, names)| names.iter().any(|name| is(&word.text, name)));
            found.extend(sides.map(|(side, _)| {
                let (before, after) = (stems(&words[..at]), stems(&words[at + 1..]));
                Side { row, side, before, after }
            }));
        }
    }
    found
}

fn slots_of(words: &[Word]) -> Vec<(&'static str, String)> {
    let named = |(at, word): (usize, &Word)| {
        let slot = SLOTS.iter().find(|slot| **slot == word.text)?;
        let mut rest = words.get(at + 1..)?.iter().skip_while(|word| is_empty(&word.text));
        let (name, next) = (rest.next()?, rest.next());
        // A figure is told by itself, also where a word stands before it.
        let by_figure = is_figure(&name.text) || next.is_some_and(|next| is_figure(&next.text));
        (!by_figure && !SLOTS.contains(&&*name.text)).then(|| (*slot, stem(&name.text)))
    };
    words.iter().enumerate().filter_map(named).collect()
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
        ] {
            assert!(follows(one, other), "{one} / {other}");
        }
    }
}
