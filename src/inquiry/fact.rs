//! A fact: a literal text, a pattern, or a sentence by meaning; and where it stands in a text.

use std::cell::OnceCell;

use memchr::memmem;
use thiserror::Error;

use super::alone::stands_alone;
use super::amount::{is_no_version, without_zeros};
use super::anchor::{anchor, any_of, run};
use super::beside::Beside;
use super::lines::marks;
use super::meaning::Meaning;
use super::no_number::{is_in_hash, numbers_line, uuid_around};
use super::normal::{Normal, normalise, through, unescape};
use super::number::{is_cut_at_blank, is_in_groups, is_lone_point, is_of_several, joined};
use super::pattern::Pattern;
use super::seams::{Seams, without as taken};
use super::tight::{sought, tight};
use super::units::{shortened, without};
use super::ways::{Told, Ways, apart, each};
use super::wrapped::{Parted, Wrapped};

/// Characters that a fact may have.
const LONGEST: usize = 4_000;
/// Signs that group digits.
const GROUPS: [char; 4] = [',', '\'', '_', ' '];
/// Layers of escapes that are undone: JSON in JSON in JSON.
pub(super) const LAYERS: usize = 3;

/// What makes a text no fact.
#[derive(Debug, Error, PartialEq, Eq)]
pub enum FactError {
    /// There is nothing in it.
    #[error("the fact is empty: give a text, re:PATTERN, or ~a sentence")]
    Empty,
    /// It is too long.
    #[error("the fact has more than {LONGEST} characters")]
    Long,
    /// The pattern has nothing in it.
    #[error("the pattern after re: is empty")]
    EmptyPattern,
    /// The pattern is none.
    #[error("the pattern cannot be read: {0}")]
    Pattern(String),
    /// The pattern needs too much memory.
    #[error("the pattern is too large: repetitions of large classes multiply")]
    Large,
    /// The pattern matches where there is nothing.
    #[error("the pattern matches the empty text, so it would be found everywhere")]
    Everywhere,
    /// The sentence has only words that are in every text.
    #[error("the sentence has no word that says something by itself")]
    NoWords,
}

/// A text or pattern whose presence is followed.
#[derive(Clone, Debug)]
pub struct Fact {
    /// As it was given.
    pub text: String,
    /// How it is looked for.
    pub query: Query,
}

/// Which places inside of longer words or numbers are taken; each takes those before it, too.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Inside {
    /// None.
    Nothing,
    /// Those inside of words, and the numbers of lines: a part of a number is another number.
    Words,
    /// All.
    All,
}

/// Where a fact stands in a text: from and to, in order.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Everywhere {
    /// By itself: what [`Inside::Nothing`] takes.
    pub alone: Vec<(u32, u32)>,
    /// Inside of words, and as the numbers of lines: what [`Inside::Words`] takes beside those.
    pub in_words: Vec<(u32, u32)>,
    /// Inside of numbers: what [`Inside::All`] takes beside both.
    pub in_numbers: Vec<(u32, u32)>,
}

/// How a fact is looked for.
#[derive(Clone, Debug)]
pub enum Query {
    /// The text itself, however it is written.
    Literal(Box<Literal>),
    /// Whatever fits a pattern.
    Pattern(Box<Pattern>),
    /// What means the like.
    Meaning(Meaning),
}

/// A literal text in the forms in which it is looked for.
#[derive(Clone, Debug)]
pub struct Literal {
    /// As it was given, and with one layer of escapes undone where it has any.
    plain: Vec<String>,
    /// Those with their numbers in one form, where one may be written otherwise.
    joined: Vec<String>,
    /// Those without blanks beside signs, where there may be some.
    tight: Vec<String>,
    /// Those with their units by their shortest names, where a number has one.
    units: Vec<String>,
    /// Those with their amounts without zeros at the end, where there is a number.
    amounts: Vec<String>,
    /// What stored bytes must hold, in ASCII letters of any case, for the text to be in them; `None` where any may.
    pub anchor: Option<regex::bytes::Regex>,
    /// The same where a line's end parts those letters.
    parted: Option<Parted>,
    /// Words of it that must follow one another.
    beside: Option<Beside>,
    /// Its letters, by which marks between them are known.
    seams: Option<Seams>,
}

impl Fact {
    /// Reads a fact as it is given on a command line: literal text, `re:PATTERN`, or `~a sentence`.
    ///
    /// # Errors
    /// What is the matter with it.
    pub fn parse(text: &str) -> Result<Fact, FactError> {
        let trimmed = text.trim();
        if trimmed.is_empty() {
            return Err(FactError::Empty);
        }
        if trimmed.chars().count() > LONGEST {
            return Err(FactError::Long);
        }
        let query = if let Some(pattern) = trimmed.strip_prefix("re:") {
            Query::Pattern(Box::new(Pattern::of(pattern)?))
        } else if let Some(sentence) = trimmed.strip_prefix('~') {
            Query::Meaning(Meaning::of(sentence).ok_or(FactError::NoWords)?)
        } else {
            Query::Literal(Box::new(Literal::of(trimmed)?))
        };
        Ok(Fact { text: trimmed.to_owned(), query })
    }

    /// A text as it stands, whatever sign it begins with; `None` where it is no fact.
    #[must_use]
    pub fn literal(text: &str) -> Option<Fact> {
        let query = Query::Literal(Box::new(Literal::of(text).ok()?));
        Some(Fact { text: text.to_owned(), query })
    }

    /// Every place of the fact in a text, in order, not overlapping; for meaning none.
    #[must_use]
    pub fn places(&self, text: &str, inside: Inside) -> Vec<(u32, u32)> {
        match &self.query {
            Query::Literal(literal) => apart(literal.told(text, inside).concat()),
            Query::Pattern(pattern) => pattern.places(text),
            Query::Meaning(_) => Vec::new(),
        }
    }

    /// The same with those that overlap, as where a line that is repeated ends one place and begins the next.
    #[must_use]
    pub fn everywhere(&self, text: &str) -> Everywhere {
        match &self.query {
            Query::Literal(literal) => {
                let [alone, in_words, in_numbers] = literal.told(text, Inside::All).map(each);
                Everywhere { alone, in_words, in_numbers }
            }
            Query::Pattern(pattern) => Everywhere { alone: pattern.everywhere(text), ..Everywhere::default() },
            Query::Meaning(_) => Everywhere::default(),
        }
    }

    /// Whether a short text holds it.
    #[must_use]
    pub fn is_in(&self, text: &str) -> bool {
        !self.places(text, Inside::Nothing).is_empty()
    }

    /// Whether it is looked for by meaning.
    #[must_use]
    pub fn by_meaning(&self) -> bool {
        matches!(self.query, Query::Meaning(_))
    }
}

impl Literal {
    fn of(text: &str) -> Result<Literal, FactError> {
        let forms = std::iter::once(text.to_owned()).chain(unescape(text).map(|(once, _)| once));
        let mut plain: Vec<Normal> = forms.map(|form| normalise(form.trim())).collect();
        plain.retain(|form| !form.text.trim().is_empty());
        let simplest = plain.last().ok_or(FactError::Empty)?;
        let even = |form: &Normal| joined(form).unwrap_or_else(|| form.clone());
        let round = |form: &Normal| without_zeros(&even(form));
        let powered =
            (!has_long_number(&simplest.text)).then(|| even(simplest)).filter(|form| has_long_number(&form.text));
        let simplest = &round(simplest).or(powered).unwrap_or_else(|| simplest.clone());
        let amounts: Vec<Normal> = plain.iter().map(|form| round(form).unwrap_or_else(|| even(form))).collect();
        let units: Vec<String> = amounts.iter().filter_map(|form| Some(shortened(form)?.text)).collect();
        let has_digits = |form: &String| form.bytes().any(|byte| byte.is_ascii_digit());
        let amounts: Vec<String> = amounts.into_iter().map(|form| form.text).filter(has_digits).collect();
        let (anchor, parted) = match without(&simplest.text) {
            Some((rest, names)) => (anchor(&rest).or_else(|| any_of(names)), run(&rest).and_then(Parted::of)),
            None => (anchor(&simplest.text), run(&simplest.text).and_then(Parted::of)),
        };
        let beside = Beside::of(&simplest.text);
        let tight: Vec<String> = plain.iter().filter_map(sought).collect();
        let even: Vec<Normal> = plain.iter().map(even).collect();
        let joined: Vec<String> =
            even.into_iter().map(|form| form.text).filter(|form| has_long_number(form) || has_fraction(form)).collect();
        let plain: Vec<String> = plain.into_iter().map(|form| form.text).collect();
        let seams = Seams::of(plain.iter().chain(&tight).chain(&units).chain(&joined).chain(&amounts));
        Ok(Literal { plain, joined, tight, units, amounts, anchor, parted, beside, seams })
    }

    /// Whether a text may hold it, by the bytes that it is stored as. `whole`: whether these are all of them, so that no
    /// other bytes hold its other words.
    pub fn may_be_in(&self, stored: &[u8], whole: bool) -> bool {
        let in_row = || !whole || self.beside.as_ref().is_none_or(|beside| beside.is_in(stored));
        (self.anchor.as_ref().is_none_or(|anchor| anchor.is_match(stored)) && in_row())
            || self.parted.as_ref().is_some_and(|parted| parted.is_in(stored))
    }

    /// Everywhere that one of its forms stands, in one way of reading the text or in several: each in the first of
    /// [`Inside`] by which it is taken, up to `inside`.
    fn told(&self, text: &str, inside: Inside) -> [Vec<Told>; 3] {
        let mut found = Ways::default();
        self.search(text, &normalise(text), inside, &mut found);
        self.search_bare(text, text, |normal| normal, inside, &mut found);
        let mut level = unescape(text);
        for _ in 0..LAYERS {
            let Some((once, starts)) = level else { break };
            self.search(text, &through(normalise(&once), &starts), inside, &mut found);
            self.search_bare(text, &once, |normal| through(normal, &starts), inside, &mut found);
            level = unescape(&once).map(|(twice, deeper)| {
                let back = |at: u32| starts.get(at as usize).or(starts.last()).copied().unwrap_or(at);
                (twice, deeper.into_iter().map(back).collect())
            });
        }
        found.told
    }

    /// The same in a text without what stands before its lines, and as it is drawn. `back`: the way from what was
    /// unescaped to the text itself.
    fn search_bare(&self, text: &str, once: &str, back: impl Fn(Normal) -> Normal, inside: Inside, found: &mut Ways) {
        for gone in marks(once, &self.plain) {
            let parts = match &self.seams {
                Some(seams) => seams.around(once, &gone),
                None => vec![taken(once, &gone, (0, once.len()))],
            };
            // They are one reading.
            let (way, mut last) = (found.way, found.way);
            for (shown, starts) in parts {
                found.way = way;
                self.search(text, &back(through(normalise(&shown), &starts)), inside, found);
                last = last.max(found.way);
            }
            found.way = last;
        }
    }

    fn search(&self, text: &str, normal: &Normal, inside: Inside, found: &mut Ways) {
        let even = OnceCell::new();
        let even = || -> &Normal { even.get_or_init(|| joined(normal).unwrap_or_else(|| normal.clone())) };
        let wrapped = Wrapped::of(normal, text);
        let mut look = |needles: &[String], hay: &Normal| {
            for needle in needles {
                let number = number_of(needle);
                // Without its zeros, 3.10 is not every 3.1.
                let is_rounded = number.is_some() && !self.plain.contains(needle) && !self.joined.contains(needle);
                found.way += 1;
                let mut take = |at: usize, end: usize| {
                    let (from, to) = without_blanks(text, hay.origin(at, end));
                    if is_rounded && !is_no_version(&hay.text, (at, end)) {
                        return;
                    }
                    let goes_on = !self.joined.is_empty()
                        && needle.ends_with(|sign: char| sign.is_ascii_digit())
                        && groups_on(&hay.text, end);
                    let part = match &number {
                        Some(number) => {
                            goes_on
                                || is_fraction(&hay.text, at, end, number)
                                || is_in_hash(text, (from, to))
                                || match needle.contains(GROUPS) {
                                    true => {
                                        goes_beyond(even(), (from, to)) != (false, false)
                                            && !is_of_several(text, even(), (from, to))
                                    }
                                    false => is_in_groups(text, even(), (from, to)),
                                }
                        }
                        None => {
                            let edges = [needle.as_bytes().first(), needle.as_bytes().last()];
                            let has_number = edges.into_iter().flatten().any(u8::is_ascii_digit);
                            goes_on
                                || is_cut(&hay.text, (at, end), even, (from, to))
                                || (has_number && is_cut_at_blank(text, even, (from, to)))
                        }
                    };
                    let is_whole = || {
                        stands_alone(&hay.text, (at, end), text, (from, to))
                            && match &number {
                                Some(_) => !numbers_line(text, (from, to)),
                                None => uuid_around(text, (from, to)).is_none(),
                            }
                    };
                    let taken = match part {
                        true => Inside::All,
                        false if is_whole() => Inside::Nothing,
                        false if is_in_number(&hay.text, at, end) => Inside::All,
                        false => Inside::Words,
                    };
                    if taken <= inside {
                        found.told[taken as usize].push((from, to, found.way));
                    }
                };
                let finder = memmem::Finder::new(needle);
                let (mut next, mut apart) = (0, None);
                while let Some(at) = hay.text.as_bytes().get(next..).and_then(|rest| finder.find(rest)) {
                    let at = next + at;
                    let end = at + needle.len();
                    next = at + *apart.get_or_insert_with(|| period(needle.as_bytes()));
                    take(at, end);
                }
                if let Some(wrapped) = wrapped.as_ref().filter(|_| std::ptr::eq(hay, normal) && number.is_none()) {
                    wrapped.places(needle).into_iter().for_each(|(at, end)| take(at, end));
                }
            }
        };
        look(&self.plain, normal);
        if !self.tight.is_empty() {
            let tight = tight(normal);
            if tight.is_some() || self.tight.iter().any(|form| !self.plain.contains(form)) {
                look(&self.tight, tight.as_ref().unwrap_or(normal));
            }
        }
        if !self.joined.is_empty() {
            look(&self.joined, even());
        }
        if !self.amounts.is_empty() {
            let is_new = |form: &String| !self.plain.contains(form) && !self.joined.contains(form);
            let round = without_zeros(even());
            if round.is_some() || self.amounts.iter().any(is_new) {
                look(&self.amounts, round.as_ref().unwrap_or(even()));
            }
            if !self.units.is_empty()
                && let Some(short) = shortened(round.as_ref().unwrap_or(even()))
            {
                look(&self.units, &short);
            }
        }
    }
}

/// A range without the blanks at its end: no fact ends with one, and where some are left out they stand there.
fn without_blanks(text: &str, (from, to): (u32, u32)) -> (u32, u32) {
    let said = text.get(from as usize..to as usize).unwrap_or_default();
    let blanks = said.len() - said.trim_end().len();
    (from, to.saturating_sub(u32::try_from(blanks).unwrap_or(0)))
}

/// How far apart two places of a text are at least: all of its length, but where its beginning is its end, too.
fn period(needle: &[u8]) -> usize {
    let mut borders = vec![0usize; needle.len()];
    for at in 1..needle.len() {
        let mut border = borders[at - 1];
        while border > 0 && needle[border] != needle[at] {
            border = borders[border - 1];
        }
        borders[at] = border + usize::from(needle[border] == needle[at]);
    }
    (needle.len() - borders.last().copied().unwrap_or(0)).max(1)
}

/// Whether a place begins or ends among digits.
fn is_in_number(hay: &str, from: usize, to: usize) -> bool {
    let digit = |at: Option<usize>| at.and_then(|at| hay.as_bytes().get(at)).is_some_and(u8::is_ascii_digit);
    (digit(from.checked_sub(1)) && digit(Some(from))) || (digit(to.checked_sub(1)) && digit(Some(to)))
}

/// Whether words end with a time of day that tells seconds: a fraction behind it only tells it more exactly.
fn is_time(words: &[u8]) -> bool {
    let digits = |pair: &[u8]| pair.iter().all(u8::is_ascii_digit);
    matches!(words, [.., a, b, b':', c, d, b':', e, f] if digits(&[*a, *b, *c, *d, *e, *f]))
}

/// Whether a number goes on with another group of three digits.
fn groups_on(hay: &str, end: usize) -> bool {
    let rest = hay.as_bytes().get(end..).unwrap_or_default();
    let [b',' | b'\'' | b'_', digits @ ..] = rest else { return false };
    digits.iter().take_while(|byte| byte.is_ascii_digit()).count() == 3
}

/// Whether words that begin or end with a number take but a part of it: `200 ms` of 1,200 ms, `limit is 3` of limit is
/// 3.5. `place`: in evened-out text; `origin`: in the text itself; `even`: the same with its numbers in one form.
fn is_cut<'a>(hay: &str, place: (usize, usize), even: impl Fn() -> &'a Normal, origin: (u32, u32)) -> bool {
    let digit = |bytes: &[u8], at: Option<usize>| at.and_then(|at| bytes.get(at)).is_some_and(u8::is_ascii_digit);
    let sign = |at: Option<usize>| at.and_then(|at| hay.as_bytes().get(at)).is_some_and(|byte| b".,'_".contains(byte));
    let bytes = hay.as_bytes();
    let (from, to) = place;
    // A blank parts two numbers, unless one groups the digits of what follows, too.
    let blank = |at: Option<usize>| {
        let is_blank = at.and_then(|at| bytes.get(at)) == Some(&b' ');
        is_blank
            && matches!(bytes.get(from..to), Some([_, _, _, b' ', a, b, c, ..]) if [a, b, c].iter().all(|byte| byte.is_ascii_digit()))
    };
    let ahead = from.checked_sub(1);
    let before = digit(bytes, Some(from)) && (sign(ahead) || blank(ahead)) && digit(bytes, from.checked_sub(2));
    let behind = digit(bytes, to.checked_sub(1))
        && sign(Some(to))
        && digit(bytes, Some(to + 1))
        && !is_time(bytes.get(from..to).unwrap_or_default());
    if !before && !behind {
        return false;
    }
    let (longer, goes_on) = goes_beyond(even(), origin);
    (before && longer) || (behind && goes_on)
}

/// Whether a number begins before a place, and whether one goes on behind it: what groups digits is gone in `even`, and a
/// point stands before a fraction.
fn goes_beyond(even: &Normal, origin: (u32, u32)) -> (bool, bool) {
    let bytes = even.text.as_bytes();
    let at = |origin: u32| even.starts.partition_point(|start| *start < origin);
    let (from, to) = (at(origin.0), at(origin.1));
    let is = |at: Option<usize>| at.and_then(|at| bytes.get(at)).is_some_and(u8::is_ascii_digit);
    let number =
        |at: Option<usize>, next: Option<usize>| is(at) || (at.and_then(|at| bytes.get(at)) == Some(&b'.') && is(next));
    (number(from.checked_sub(1), from.checked_sub(2)), number(Some(to), Some(to + 1)))
}

/// A text in the form of numbers, where it is nothing but one.
fn number_of(text: &str) -> Option<String> {
    let number = joined(&Normal::of(text)).map_or_else(|| text.to_owned(), |joined| joined.text);
    let mut parts = number.split('.');
    let digits = |part: Option<&str>| part.is_some_and(|part| part.bytes().all(|byte| byte.is_ascii_digit()));
    let only = !number.is_empty()
        && digits(parts.next())
        && parts.next().is_none_or(|part| digits(Some(part)))
        && parts.next().is_none();
    only.then_some(number)
}

/// Whether a number goes on before or behind a point: 42 in 42.5, in 0.42, in 10.0.42.1; or behind a comma, where its
/// digits are grouped by points: 1.234 in 1.234,5.
fn is_fraction(hay: &str, from: usize, to: usize, number: &str) -> bool {
    let bytes = hay.as_bytes();
    let digit = |at: Option<usize>| at.and_then(|at| bytes.get(at)).is_some_and(u8::is_ascii_digit);
    let is = |at: Option<usize>, sign: u8| at.and_then(|at| bytes.get(at)) == Some(&sign);
    let within = hay.get(from..to).unwrap_or_default();
    let grouped = within.contains(['.', ' ', '_']) && within != number;
    (is(from.checked_sub(1), b'.')
        && (digit(from.checked_sub(2)) || from.checked_sub(1).is_some_and(|at| is_lone_point(bytes, at))))
        || ((is(Some(to), b'.') || (grouped && is(Some(to), b','))) && digit(Some(to + 1)))
}

fn has_long_number(text: &str) -> bool {
    text.as_bytes().windows(4).any(|four| four.iter().all(u8::is_ascii_digit))
}

fn has_fraction(text: &str) -> bool {
    text.as_bytes().windows(3).any(|three| three[1] == b'.' && three[0].is_ascii_digit() && three[2].is_ascii_digit())
}

#[cfg(test)]
#[path = "fact_tests.rs"]
mod tests;
