//! Words of which one excludes the others, and what a sentence relates by them: "a before b" is not "b before a".

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use super::cjk;
use super::deed::Beside;
use super::lexer::{Word, is_number, text_at, text_before};
use super::sense::{ends_clause, is_empty, stem};
use super::words::stem_of;

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
        &[
            "deny",
            "denies",
            "denied",
            "reject*",
            "refus*",
            "forbid*",
            "prohibit*",
            "disallow*",
            "outlaw*",
            "ban",
            "bans",
            "banned",
            "banning",
        ],
    ],
    &[&["open", "opens", "opened", "opening"], &["close", "closes", "closed", "closing"]],
    &[&["start", "starts", "started", "starting"], &["stop", "stops", "stopped", "stopping"]],
    &[&["add", "adds", "added", "adding", "creat*"], &["remov*", "delet*"]],
    &[&["on"], &["off"]],
    &[&["up"], &["down"]],
    &[
        &["hourly"],
        &["daily", "nightly", "quotidien*", "täglich*", "diari*", "giornalier*"],
        &["weekly", "hebdomadaire*", "wöchentlich*", "semanal*", "settimanal*"],
        &["monthly", "mensuel*", "monatlich*", "mensual*", "mensil*"],
        &["yearly", "annually", "annual", "annuel*", "jährlich*", "anual*"],
    ],
    &[&["all", "every"], &["half"], &["few", "hardly", "barely"], &["none"]],
    &[
        &["success*", "succeed*", "pass", "passes", "passed", "works", "worked"],
        &["fail*", "broke", "broken", "crashed", "crashes"],
    ],
    &[&["complet*", "finish*"], &["abort*", "abandon*", "cancel*"]],
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
    &[
        &["monday", "lundi", "lunes", "montag", "lunedì"],
        &["tuesday", "mardi", "martes", "dienstag", "martedì"],
        &["wednesday", "mercredi", "miércoles", "mittwoch", "mercoledì"],
        &["thursday", "jeudi", "jueves", "donnerstag", "giovedì"],
        &["friday", "vendredi", "viernes", "freitag", "venerdì"],
        &["saturday", "samedi", "sábado", "samstag", "sabato"],
        &["sunday", "dimanche", "domingo", "sonntag", "domenica"],
    ],
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
    &[&["except", "exclud*"], &["includ*"]],
    &[&["show", "shows", "shown"], &["hide", "hides", "hidden"]],
    &[
        &["red"],
        &["green"],
        &["blue"],
        &["yellow"],
        &["orange"],
        &["purple"],
        &["pink"],
        &["brown"],
        &["black"],
        &["white"],
        &["grey", "gray"],
    ],
    &[
        &["half"],
        &["third", "thirds"],
        &["quarter", "quarters", "fourth"],
        &["fifth", "fifths"],
        &["sixth", "sixths"],
        &["seventh"],
        &["eighth", "eighths"],
        &["ninth"],
        &["tenth", "tenths"],
    ],
    &[&["active", "activity", "busy"], &["idle", "idles", "idling", "inactive", "inactivity"]],
    &[&["<", ">"], &["\u{2264}", "\u{2265}"]],
    &[&["second"], &["third"], &["fourth"], &["fifth"], &["sixth"], &["seventh"], &["eighth"], &["ninth"], &["tenth"]],
];

/// The side of May among the months: the word alone says more often what somebody may do.
const MAY: usize = 11;

/// What is done every so often, in the order of the row that begins with "hourly".
const SPANS: &[&[&str]] = &[
    &["hour", "heure", "hora", "stunde", "ora"],
    &["day", "night", "jour", "nuit", "día", "noche", "tag", "nacht", "giorno", "notte", "dia", "noite"],
    &["week", "semaine", "semana", "woche", "settimana"],
    &["month", "mois", "mes", "monat", "mese", "mês"],
    &["year", "année", "año", "jahr", "anno", "ano"],
];

/// Words before one of those that tell how often, or for how long.
const EACH: &[&str] = &[
    "each", "every", "per", "whole", "entire", "chaque", "par", "cada", "por", "jede", "jeden", "jedes", "pro", "ogni",
];

/// Words before "as … as" with which what stands on either side of it cannot change places.
const MULTIPLES: &[&str] = &["twice", "thrice", "times", "half", "not"];

/// The first rows of [`SIDES`]: words that relate what stands before them to what stands after.
const RELATIONS: usize = 10;

/// The row of numbers that are written in words: each excludes the others.
const NUMBERS: usize = usize::MAX;

/// The row of [`SIDES`] of what rises and falls.
const RISES: usize = 12;

/// The row of what came to its end or did not.
const ENDS: usize = 23;

/// Rows of [`SIDES`], by their first words, whose sides are states that a thing is never in at once.
const STATES: &[&str] = &["enabl*", "allow*", "open", "on", "up", "true", "public", "except"];
/// Those that tell, with these, whether a thing holds or not, as [`super::polarity`] reads it in all its words.
const POLAR: &[&str] = &["rose", "start", "add", "success*", "complet*", "show", "active", "all"];
/// Those that are states only behind what says that something is so, or is turned so: "it is on", not "on Friday".
const PARTICLES: &[&str] = &["on", "off", "up", "down"];
const IS: &[&str] = &["are", "be", "been", "is", "kept", "remain", "remains", "stay", "stays", "was", "were"];
const TURNS: &[&str] = &["switch", "switched", "switching", "turn", "turned", "turning"];
/// Words that may follow a state.
const GOES_ON: &[&str] = &[
    "again", "and", "at", "because", "but", "by", "during", "for", "if", "in", "now", "since", "until", "when", "while",
];

/// Words of [`SIDES`] in a sentence that are held against those of another: one with more is data.
const RELATED: usize = 32;

/// The first and last place of each stem of a sentence.
type Places = BTreeMap<String, (usize, usize)>;

/// A word of [`SIDES`] in a sentence.
#[derive(Clone, Debug)]
pub(super) struct Side {
    /// Its row, and its side there.
    pub row: usize,
    /// See `row`.
    pub side: usize,
    /// Its place among the words.
    pub at: usize,
    /// What stands beside it.
    beside: Beside,
    /// Where the stems of the sentence stand.
    places: Arc<Places>,
}

impl Side {
    /// Whether what stands on either side of it has changed places there.
    pub fn flips(&self, other: &Side) -> bool {
        if self.row >= RELATIONS {
            return false;
        }
        let (mut to_after, mut to_before) = (false, false);
        for (stem, place) in &*self.places {
            let Some(there) = other.places.get(stem) else { continue };
            to_after |= self.is_before(*place) && other.is_after(*there);
            to_before |= self.is_after(*place) && other.is_before(*there);
        }
        to_after && to_before
    }

    /// Whether it tells by itself whether a thing holds.
    pub fn is_polar(&self) -> bool {
        let first = SIDES.get(self.row).and_then(|row| row.first()?.first());
        first.is_some_and(|first| STATES.contains(first) || POLAR.contains(first))
    }

    /// Whether another says the opposite of the same: "deleted the table" and "created the table".
    pub fn is_against(&self, other: &Side) -> bool {
        self.row >= RELATIONS && self.row == other.row && self.side != other.side && self.beside.is_of(&other.beside)
    }

    /// Whether another says as it does of the same.
    pub fn is_with(&self, other: &Side) -> bool {
        self.row == other.row && self.side == other.side && self.beside.is_of(&other.beside)
    }

    /// Whether a stem stands only before it.
    fn is_before(&self, (first, last): (usize, usize)) -> bool {
        first < self.at && last <= self.at
    }

    /// Whether a stem stands only after it.
    fn is_after(&self, (first, last): (usize, usize)) -> bool {
        first >= self.at && last > self.at
    }
}

/// The words of [`SIDES`] in a sentence.
pub(super) fn sides_of(words: &[Word]) -> Vec<Side> {
    let is = |word: &str, name: &&str| match name.strip_suffix('*') {
        Some(start) => word.starts_with(start),
        None => word == *name,
    };
    let mut found: Vec<(usize, usize, usize)> = Vec::new();
    for (at, word) in words.iter().enumerate() {
        for (row, sides) in SIDES.iter().enumerate() {
            if row == ENDS && describes(words, at) {
                continue;
            }
            let sides = sides.iter().enumerate().filter(|(_, names)| names.iter().any(|name| is(&word.text, name)));
            found.extend(sides.map(|(side, _)| (row, side, at)));
        }
        found.extend(in_time(words, at));
        found.extend(bound_of(words, at));
        let number = word.text.parse::<usize>().ok().filter(|number| word.in_words && *number > 1);
        found.extend(number.map(|number| (NUMBERS, number, at)));
        if found.len() >= RELATED {
            break;
        }
    }
    let of_signs = opposites_of(words).into_iter().map(|(row, side, at)| (SIDES.len() + row, side, at));
    found.extend(of_signs.take(RELATED.saturating_sub(found.len())));
    if found.is_empty() {
        return Vec::new();
    }
    let mut places = Places::new();
    for (at, word) in words.iter().enumerate().filter(|(_, word)| !is_empty(&word.text)) {
        places.entry(stem(&word.text)).or_insert((at, at)).1 = at;
    }
    let places = Arc::new(places);
    let side = |(row, side, at)| Side { row, side, at, beside: Beside::of(words, at), places: Arc::clone(&places) };
    found.into_iter().map(side).collect()
}

/// The row of bounds in [`SIDES`].
const BOUNDS: usize = 11;

/// A bound of several words: "up to 5", "no more than 5", "no fewer than 5", "5 days or more".
fn bound_of(words: &[Word], at: usize) -> Option<(usize, usize, usize)> {
    let text = |at: usize| words.get(at).map_or("", |word| &*word.text);
    let (before, next, number) = (at.checked_sub(1).map_or("", text), text(at + 1), is_number(text(at + 2)));
    let behind = (2..=3).any(|back| is_number(text_before(words, at, back)));
    let side = match text(at) {
        "more" if before == "or" && behind => 0,
        "fewer" | "less" if before == "or" && behind => 1,
        "up" if next == "to" && number => 1,
        "more" if before == "no" && next == "than" && number => 1,
        "fewer" | "less" if before == "no" && next == "than" && number => 0,
        _ => return None,
    };
    Some((BOUNDS, side, at))
}

/// The words of a sentence that name a state, by row, side and place.
pub(super) fn states_of(words: &[Word]) -> Vec<(usize, usize, usize)> {
    let text = |at: usize| text_at(words, at);
    let is_state = |at: usize| {
        let (before, next) = (text_before(words, at, 1), text(at + 1));
        let ends = next.is_empty() || words.get(at).is_some_and(|word| ends_clause(word.after));
        // Who refuses denies.
        !text(at).starts_with("refus")
            && (!PARTICLES.contains(&text(at))
                || TURNS.contains(&before)
                || (IS.contains(&before) && (ends || GOES_ON.contains(&next))))
    };
    let is = |word: &str, name: &&str| name.strip_suffix('*').map_or(word == *name, |start| word.starts_with(start));
    let rows = SIDES.iter().enumerate();
    let rows =
        rows.filter(|(_, row)| row.first().and_then(|side| side.first()).is_some_and(|one| STATES.contains(one)));
    let sides = rows.flat_map(|(row, sides)| sides.iter().enumerate().map(move |(side, names)| (row, side, *names)));
    let named = |(row, side, names): (usize, usize, &[&str])| {
        let places = (0..words.len()).filter(|at| names.iter().any(|name| is(text(*at), name)) && is_state(*at));
        places.map(|at| (row, side, at)).collect::<Vec<_>>()
    };
    sides.flat_map(named).collect()
}

/// Whether a word only says which one is meant: "the aborted run".
pub(super) fn describes(words: &[Word], at: usize) -> bool {
    let before = text_before(words, at, 1);
    let next =
        words.get(at + 1).is_some_and(|next| next.text.starts_with(char::is_alphabetic) && !is_empty(&next.text));
    matches!(before, "a" | "an" | "the" | "this" | "that")
        && next
        && words.get(at).is_some_and(|word| word.after == " ")
}

/// A month that is no other word, how often something is, and what is more than another: "every hour", "twice as fast as".
fn in_time(words: &[Word], at: usize) -> Option<(usize, usize, usize)> {
    let row = |first: &str| SIDES.iter().position(|row| row.iter().any(|names| names.first() == Some(&first)));
    let before = text_before(words, at, 1);
    let (word, next) = (words.get(at)?, text_at(words, at + 1));
    if word.text == "may" {
        let leads = matches!(before, "by" | "during" | "in" | "of" | "on" | "since" | "until");
        let ends = next.is_empty() || ends_clause(word.after) || word.after.contains(['.', ',']);
        let is_day = |text: &str| text.parse::<u32>().is_ok_and(|day| (1..=31).contains(&day));
        let is_month = is_day(before) || (leads && (ends || is_number(next))) || (before.is_empty() && is_day(next));
        return is_month.then_some((row("january")?, MAY, at));
    }
    let text = |back: usize| text_before(words, at, back);
    if word.text == "as" && text(2) == "as" && (MULTIPLES.contains(&text(3)) || is_number(text(3))) {
        return Some((row("than")?, 0, at));
    }
    let side = SPANS.iter().position(|spans| spans.contains(&&*word.text))?;
    EACH.contains(&before).then_some((row("hourly")?, side, at))
}

/// The stems of words of which another sentence has an opposite and not the like; each once.
pub(super) fn opposed<'a>(own: &'a [Side], other: &'a [Side]) -> impl Iterator<Item = &'a str> {
    let stem = |side: &'a Side| {
        side.places.iter().find(|(_, (first, last))| *first == side.at || *last == side.at).map(|(stem, _)| &**stem)
    };
    let is_opposed = |side: &&Side| {
        let mut row = other.iter().filter(|there| there.row == side.row && side.row >= RELATIONS).peekable();
        row.peek().is_some() && row.all(|there| there.side != side.side)
    };
    own.iter().filter(is_opposed).filter_map(stem).collect::<BTreeSet<_>>().into_iter()
}

/// The opposites of Chinese and Japanese in a sentence, by row, side and place. A row of which one may be denied or not
/// tells nothing.
fn opposites_of(words: &[Word]) -> Vec<(usize, usize, usize)> {
    if !words.iter().any(|word| cjk::is_sign(&word.text)) {
        return Vec::new();
    }
    let texts: Vec<&str> = words.iter().map(|word| &*word.text).collect();
    let ends = |at: usize| {
        let ended = words.get(at).is_none_or(|word| ends_clause(word.after) || word.after.contains([',', ':']));
        ended || texts.get(at + 1).is_none_or(|next| cjk::begins_besides(next))
    };
    let (mut found, mut unsure, mut start) = (Vec::new(), Vec::new(), 0);
    for at in (0..words.len()).filter(|at| ends(*at)) {
        for opposite in cjk::opposites(texts.get(start..=at).unwrap_or_default()) {
            match opposite.side {
                Some(side) => found.push((opposite.row, side, start + opposite.at)),
                None => unsure.push(opposite.row),
            }
        }
        start = at + 1;
    }
    found.retain(|(row, ..)| !unsure.contains(row));
    found
}

/// Whether two stems are of words of one side of a row of [`SIDES`].
pub(super) fn is_of_one_side(one: &str, other: &str) -> bool {
    let has = |names: &[&str], stem: &str| {
        names.iter().any(|name| match name.strip_suffix('*') {
            Some(start) => stem.starts_with(start) || start.starts_with(stem),
            None => *stem == *stem_of(name),
        })
    };
    SIDES.iter().flat_map(|row| row.iter()).any(|side| has(side, one) && has(side, other))
}

/// Whether one word excludes what another says of the same, which is no relation.
pub(super) fn excludes(one: &str, other: &str) -> bool {
    let is = |word: &str, names: &&&[&str]| {
        names.iter().any(|name| name.strip_suffix('*').map_or(word == *name, |start| word.starts_with(start)))
    };
    SIDES.iter().skip(RELATIONS).any(|row| {
        let side = |word: &str| row.iter().position(|names| is(word, &names));
        side(one).zip(side(other)).is_some_and(|(one, other)| one != other)
    })
}

/// Whether a word says that a figure rises or falls.
pub(super) fn rises_or_falls(word: &str) -> bool {
    let is = |name: &&str| name.strip_suffix('*').map_or(*name == word, |start| word.starts_with(start));
    SIDES.get(RISES).is_some_and(|row| row.iter().any(|names| names.iter().any(&is)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_are_where_they_are_said_to_be() {
        assert!(SIDES.get(ENDS).is_some_and(|row| row.iter().any(|names| names.contains(&"abort*"))));
        let is_first = |word: &&&str| SIDES.iter().any(|row| row[0].first() == Some(*word));
        assert!(STATES.iter().chain(POLAR).all(|word| is_first(&word)));
        assert!(rises_or_falls("rose") && rises_or_falls("dropped") && !rises_or_falls("enabled"));
    }
}
