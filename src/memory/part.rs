//! What a sentence says of its figures: its parts that speak of things of their own, each with its figures in order and
//! the words that stand with them.

use std::collections::{BTreeMap, BTreeSet};

use super::amount::{Told, may_change_places, told_in};
use super::counted::is_count;
use super::figure::{Figure, figures_among, is_same};
use super::lexer::{Word, is_number, text_at};
use super::mood::Mood;
use super::sense::{ends_clause, is_arrow, is_empty, joins, stem};
use super::words::is_silent;

/// A part that speaks of its own things.
#[derive(Clone, Debug)]
pub(super) struct Part {
    /// Its figures, in the order of [`in_order`].
    pub figures: Vec<Figure>,
    /// The same as they stand, where a share ("3 of 5") is told.
    spoken: Option<Vec<Figure>>,
    /// Whether its figures of one kind are a list, which has no order.
    list: Option<List>,
    /// How its numbers are told.
    told: Vec<Told>,
    /// Whether it says of two what could be said the other way round: "a differs from b".
    even: bool,
    /// The stems of its words, but for figures and what belongs to them.
    pub words: BTreeSet<String>,
    /// How it says what it says.
    pub mood: Mood,
}

impl Part {
    fn of(words: &[Word]) -> Part {
        let stand = figures_among(words);
        let tells_share = shares_of(words, &stand).next().is_some();
        let spoken = tells_share.then(|| stand.clone());
        let (list, even) = (List::of(words, &stand), words.iter().any(|word| is_even(&word.text)));
        let figures = in_order(words, stand);
        let own = |at: usize| figures.iter().any(|figure| (figure.place.0..figure.place.1).contains(&at));
        // "up" says something of what is.
        let silent = |word: &str| is_empty(word) || (is_silent(word) && word != "up");
        let says = |(at, word): &(usize, &Word)| !own(*at) && !silent(&word.text);
        let said = words.iter().enumerate().filter(says).map(|(_, word)| stem(&word.text)).collect();
        let told = if figures.len() > 1 { told_in(words) } else { Vec::new() };
        Part { words: said, mood: Mood::of(words), figures, spoken, list, told, even }
    }

    /// Whether it holds a figure.
    pub fn holds(&self, figure: &str) -> bool {
        self.figures.iter().any(|own| is_same(&own.text, figure))
    }

    /// Whether all of its figures stand in another part.
    pub fn is_within(&self, other: &Part) -> bool {
        self.figures.iter().all(|figure| other.holds(&figure.text))
    }

    /// Whether it has figures of the kinds that another has.
    fn is_like(&self, other: &Part) -> bool {
        let kinds = |part: &Part| [true, false].map(|number| part.figures.iter().any(|one| one.is_number == number));
        kinds(self) == kinds(other)
    }

    /// Figures of it of one kind that another part holds too, in order.
    fn shared<'a>(figures: &'a [Figure], other: &Part, kind: Kind) -> Vec<&'a str> {
        let own = figures.iter().filter(|figure| Kind::of(figure) == kind).map(|figure| &*figure.text);
        own.filter(|figure| other.holds(figure)).collect()
    }

    /// Whether numbers that both hold stand in one order in both, and so two names, and two paths.
    fn has_order_of(&self, other: &Part) -> bool {
        // Who tells a part and the whole without "of" puts either first: "3 failed, 44 in all".
        let as_spoken = |one: &Part, other: &Part| match (&one.spoken, &other.spoken) {
            (Some(spoken), None) => is_in_order((one, spoken), (other, &other.figures)),
            _ => false,
        };
        is_in_order((self, &self.figures), (other, &other.figures)) || as_spoken(self, other) || as_spoken(other, self)
    }
}

/// Whether numbers, two names and two paths of two parts that both hold stand in one order in both.
fn is_in_order((one, figures): (&Part, &[Figure]), (other, others): (&Part, &[Figure])) -> bool {
    let (mine, theirs) = (one, other);
    let has_no_order = |kind: Kind| {
        let is_list = |part: &Part| part.list.filter(|list| list.numbers == (kind == Kind::Number));
        let joined = is_list(mine).zip(is_list(theirs)).is_some_and(|(one, other)| one.joined || other.joined);
        joined || (mine.even && theirs.even)
    };
    [Kind::Number, Kind::Name, Kind::Dotted, Kind::Path].into_iter().all(|kind| {
        let (one, other) = (Part::shared(figures, other, kind), Part::shared(others, one, kind));
        // A list of several names has no order.
        (kind != Kind::Number && one.len() > 2)
            || has_no_order(kind)
            || goes_on_in(&one, &other)
            || goes_on_in(&other, &one)
            || (kind == Kind::Number && only_unlike_turn((&one, mine), (&other, theirs)))
    })
}

/// Whether all numbers that stand the other way round there are of things that may.
fn only_unlike_turn((one, mine): (&[&str], &Part), (other, theirs): (&[&str], &Part)) -> bool {
    let place = |figure: &str| other.iter().position(|one| is_same(one, figure));
    let pairs = one.iter().enumerate().flat_map(|(at, first)| one.iter().skip(at + 1).map(move |next| (*first, *next)));
    one.len() <= TURNED
        && pairs
            .filter(|(first, next)| place(first) > place(next))
            .all(|(first, next)| may_change_places(first, next, &mine.told, &theirs.told))
}

/// Numbers of a part of which it is asked whether they may change places: one with more is data.
const TURNED: usize = 8;

/// Words of what holds both ways: what differs from a thing has that differ from it.
const EVEN: &[&str] = &[
    "conflict",
    "conflicts",
    "contradict",
    "contradicts",
    "differ",
    "differed",
    "different",
    "differing",
    "differs",
    "distinct",
    "diverge",
    "diverged",
    "diverges",
    "equal",
    "equals",
    "equivalent",
    "identical",
    "similar",
];

/// Whether a word says of two things what holds both ways.
pub(super) fn is_even(word: &str) -> bool {
    EVEN.binary_search(&word).is_ok()
}

/// Words by which a list has an order, or deals out to another.
const ORDERS: &[&str] = &["order", "ordered", "respectively", "sequence", "sorted", "then"];

/// A list of figures of one kind: nothing stands between them but commas and "and".
#[derive(Clone, Copy, Debug)]
struct List {
    /// Whether they are numbers.
    numbers: bool,
    /// Whether "and" or "or" joins them: two numbers with a comma may be a place.
    joined: bool,
}

impl List {
    /// The list of a part. What has another list may deal out the one to the other: "dev and prod use 80 and 90".
    fn of(words: &[Word], figures: &[Figure]) -> Option<List> {
        let of_kind =
            |numbers: bool| -> Vec<&Figure> { figures.iter().filter(|figure| figure.is_number == numbers).collect() };
        let (numbers, list) = match (of_kind(true), of_kind(false)) {
            (list, names) if list.len() > 1 && names.len() < 2 => (true, list),
            (numbers, list) if list.len() > 1 && numbers.len() < 2 => (false, list),
            _ => return None,
        };
        let (first, last) = (list.first()?.place.1, list.last()?.place.0);
        let is_joint = |word: &Word| matches!(&*word.text, "and" | "or");
        let parts = |word: &Word| word.after.chars().all(|sign| matches!(sign, ' ' | ',' | '&'));
        let is_list = list.windows(2).all(|pair| {
            let [one, next] = pair else { return true };
            let between = words.get(one.place.1..next.place.0).unwrap_or_default();
            let last = one.place.1.checked_sub(1).and_then(|at| words.get(at));
            between.iter().all(|word| is_joint(word) && parts(word)) && last.is_some_and(parts)
        });
        let beside = |at: usize| {
            at + 1 < list.first().map_or(0, |first| first.place.0) || at >= list.last().map_or(0, |last| last.place.1)
        };
        let mut others = words.iter().enumerate().filter(|(at, _)| beside(*at)).map(|(_, word)| word);
        let is_other = |word: &Word| joins(&word.text) || word.after.contains(',') || ORDERS.contains(&&*word.text);
        let inner = words.get(first.saturating_sub(1)..last).unwrap_or_default();
        let joined = inner.iter().any(|word| is_joint(word) || word.after.contains('&'));
        (is_list && !others.any(is_other)).then_some(List { numbers, joined })
    }
}

/// What can stand in one order: a path, or a name with dots, says where another is, whichever comes first.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Kind {
    Number,
    Name,
    Dotted,
    Path,
}

impl Kind {
    fn of(figure: &Figure) -> Kind {
        match figure.is_number {
            true => Kind::Number,
            false if figure.text.contains(['/', '\\']) => Kind::Path,
            false if figure.text.contains('.') => Kind::Dotted,
            false => Kind::Name,
        }
    }
}

/// Figures in the order in which the plain form of their sentence has them: who does something before what it is done
/// to ("b is blocked by a"), an old value before the new one ("30 instead of 10"), and a whole before a part of it ("3 of
/// 5", which is "5, 3 of them").
fn in_order(words: &[Word], mut figures: Vec<Figure>) -> Vec<Figure> {
    let text = |at: usize| text_at(words, at);
    let shares: Vec<usize> = shares_of(words, &figures).collect();
    for at in shares {
        figures.swap(at, at + 1);
    }
    let is_be = |word: &str| matches!(word, "is" | "are" | "was" | "were" | "be" | "been" | "being");
    let before = |at: usize| figures.iter().rfind(|figure| figure.is_number && figure.place.0 < at);
    let behind = |at: usize| figures.iter().find(|figure| figure.is_number && figure.place.0 > at);
    // "84 %, up from 71 %", but not "from 71 % to 84 %".
    let from_old = |at: usize| {
        let next = before(at).and_then(|_| behind(at)).map(|figure| figure.place);
        let goes_on = |end: usize| text(end) == "to" || words.get(end - 1).is_some_and(|word| is_arrow(word.after));
        next.is_some_and(|(next, end)| next <= at + 2 && !goes_on(end))
    };
    let bracket = |at: usize| at > 0 && words.get(at - 1).is_some_and(|word| word.after.contains('('));
    let turns = |at: usize| match text(at) {
        "from" => from_old(at),
        "was" | "were" => bracket(at) && behind(at).is_some(),
        "previously" | "formerly" => true,
        "of" => at > 0 && text(at - 1) == "instead",
        "than" => at > 0 && text(at - 1) == "rather",
        "by" => at > 1 && is_verb_done(text(at - 1)) && (at.saturating_sub(4)..at - 1).any(|at| is_be(text(at))),
        _ => false,
    };
    let Some(turn) = (0..words.len()).find(|at| turns(*at)) else { return figures };
    let (before, mut after): (Vec<Figure>, Vec<Figure>) = figures.into_iter().partition(|figure| figure.place.0 < turn);
    after.extend(before);
    after
}

/// The places of figures that are told as shares of the next ones.
fn shares_of(words: &[Word], figures: &[Figure]) -> impl Iterator<Item = usize> {
    figures.windows(2).enumerate().filter_map(|(at, pair)| {
        let [part, whole] = pair else { return None };
        let between = words.get(part.place.1..whole.place.0).unwrap_or_default();
        (part.is_number && whole.is_number && is_share(words, part.place.1, between)).then_some(at)
    })
}

/// Whether a number that ends before a word is told as one of as many as the next, by what stands `between` the two.
fn is_share(words: &[Word], end: usize, between: &[Word]) -> bool {
    let close = words.get(end.saturating_sub(1)..end + between.len()).unwrap_or_default();
    let unbroken = !close.iter().any(|word| ends_clause(word.after));
    let of = between.iter().position(|word| word.text == "of");
    match of {
        // "3 of 5", "3 hosts out of all 5".
        Some(of) => of <= 2 && between.len() - of <= 2 && unbroken && between.iter().all(|word| !is_number(&word.text)),
        None => between.is_empty() && close.first().is_some_and(|word| word.after == "/"),
    }
}

/// Whether a word is the form of a verb that says what is done to a thing.
fn is_verb_done(word: &str) -> bool {
    word.ends_with("ed")
        || word.ends_with("en")
        || matches!(word, "built" | "made" | "run" | "sent" | "set" | "held" | "kept" | "read")
}

/// Whether all of a list stands in another, in its order.
fn goes_on_in(list: &[&str], other: &[&str]) -> bool {
    let mut rest = other.iter();
    list.iter().all(|word| rest.any(|other| is_same(other, word)))
}

/// The parts of a sentence that hold figures: a list is one, "a is 1, b is 2" are two.
pub(super) fn parts_of(words: &[Word]) -> Vec<Part> {
    let mut segments: Vec<(usize, usize)> = Vec::new();
    let mut start = 0;
    for (at, word) in words.iter().enumerate() {
        // A cause may be told before or behind what it brought about.
        if joins(&word.text) || matches!(&*word.text, "because" | "so") {
            segments.push((start, at));
            start = at;
        } else if ends_clause(word.after) {
            segments.push((start, at + 1));
            start = at + 1;
        }
    }
    segments.push((start, words.len()));
    segments.retain(|(from, to)| from < to);
    let mut parts: Vec<((usize, usize), Part)> = Vec::new();
    let mut counted = false;
    for (from, to) in segments {
        let Some(segment) = words.get(from..to) else { continue };
        // "3 failed, 41 passed" are two whatever their order.
        let count_before = std::mem::replace(&mut counted, is_count(segment));
        let own = Part::of(segment);
        // What stands in brackets is said on the way: what follows them goes on with what was before.
        if let [.., (before, _), (aside, _)] = parts.as_slice()
            && own.figures.is_empty()
            && is_in_brackets(words, *aside)
        {
            let place = (before.0, to);
            parts.truncate(parts.len() - 2);
            parts.push((place, words.get(place.0..to).map_or(own, Part::of)));
            continue;
        }
        let is_next = |last: &Part| begins(last, &own, segment) || (count_before && counted && last.is_like(&own));
        match parts.last_mut() {
            Some((place, last)) if !is_next(last) => {
                place.1 = to;
                *last = words.get(place.0..to).map_or(own, Part::of);
            }
            _ => parts.push(((from, to), own)),
        }
    }
    parts.into_iter().map(|(_, part)| part).filter(|part| !part.figures.is_empty()).collect()
}

/// Whether words stand in brackets of their own.
fn is_in_brackets(words: &[Word], (from, to): (usize, usize)) -> bool {
    let after = |at: usize, sign: char| words.get(at).is_some_and(|word| word.after.contains(sign));
    from.checked_sub(1).is_some_and(|before| after(before, '('))
        && to.checked_sub(1).is_some_and(|last| after(last, ')'))
}

/// Whether a segment says something of its own after a part: it has figures of the same kinds, and words with them.
fn begins(last: &Part, own: &Part, segment: &[Word]) -> bool {
    let any = |number: bool| own.figures.iter().any(|one| one.is_number == number);
    let (numbers, names) = (any(true), any(false));
    let mut said = segment.iter().filter(|word| !is_empty(&word.text) && !joins(&word.text));
    let (first, next) = (said.next(), said.next());
    // "not 9090 but 8080" speaks of one thing.
    if first.is_some_and(|word| word.text == "\u{800c}") {
        return false;
    }
    let by_number = first.is_some_and(|word| is_number(&word.text));
    // "3 for reads and 5 for writes"
    let of_what = next.is_some_and(|word| is_silent(&word.text)) && !own.words.is_empty();
    let both_say = !own.words.is_empty() && !last.words.is_empty();
    last.is_like(own) && ((numbers && (!by_number || of_what)) || (names && !numbers && both_say))
}

/// The parts in which each word stands.
fn by_word(parts: &[Part]) -> BTreeMap<&str, Vec<&Part>> {
    let mut found: BTreeMap<&str, Vec<&Part>> = BTreeMap::new();
    for part in parts {
        for word in &part.words {
            found.entry(word).or_default().push(part);
        }
    }
    found
}

/// Whether a word stands with other figures in one sentence than in the other, and those the other says of other
/// things. `there` are the parts of the word in the one, `own` its parts in the other, whose parts are `all`.
fn strays(there: &[&Part], own: &[&Part], all: &[Part]) -> bool {
    let shares = |one: &&Part| own.iter().any(|own| one.figures.iter().any(|figure| own.holds(&figure.text)));
    if there.iter().any(shares) {
        return false;
    }
    // "reads use port 80, writes 81" leaves out what "writes use port 81" says.
    let says_otherwise = |one: &Part, figure: &Figure| {
        let mut with = all.iter().filter(|part| part.holds(&figure.text)).peekable();
        with.peek().is_some() && with.all(|part| !part.words.is_subset(&one.words))
    };
    there.iter().any(|one| one.figures.iter().any(|figure| says_otherwise(one, figure)))
}

/// Whether no word that two sentences have stands with figures that the other says of other things.
pub(super) fn are_bound_alike(one: &[Part], other: &[Part]) -> bool {
    let (mine, theirs) = (by_word(one), by_word(other));
    let crossed = |(word, own): (&&str, &Vec<&Part>)| {
        theirs.get(word).is_some_and(|there| strays(there, own, one) || strays(own, there, other))
    };
    !mine.iter().any(crossed)
}

/// Whether figures that two sentences hold in one part each stand in one order in both.
pub(super) fn are_in_order(one: &[Part], other: &[Part]) -> bool {
    one.iter().all(|part| other.iter().all(|other| part.has_order_of(other)))
}
