//! Which legacy encoding a text is in: by its signs, by what looks like it, and by its words.

use std::collections::HashMap;

use chardetng::{EncodingDetector, Iso2022JpDetection, Utf8Detection};
use encoding_rs::{
    Encoding, ISO_8859_2, ISO_8859_15, MACINTOSH, WINDOWS_1250, WINDOWS_1252, WINDOWS_1254, WINDOWS_1257,
    X_MAC_CYRILLIC,
};

use super::pages::{PAGES, Page};
use super::signs::{Sign, fits, is_apostrophe, sign};

/// What a text may be in.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Legacy {
    /// One of the Web's encodings.
    Web(&'static Encoding),
    /// One that came before the Web.
    Page(&'static Page),
}

/// Why an encoding is no more than a guess.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Doubt {
    /// There is too little text to tell.
    Few,
    /// Much of the text stands where none is written.
    Odd,
}

/// The encoding, and whether it is more than a guess.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Guess {
    /// The encoding.
    pub legacy: Legacy,
    /// Why it is a guess, where it is one.
    pub doubt: Option<Doubt>,
}

/// Bytes that are looked at.
const SAMPLE: usize = 64 << 10;
/// Characters beyond ASCII from which on a guess is sure.
const ENOUGH: usize = 4;
/// Of the characters beyond ASCII, the share that may stand where none is written.
const ODD: f64 = 0.15;
/// How much of that there must be.
const ODD_LEAST: f64 = 1.5;
/// How much better, by character, another encoding must be; and how much where nothing is odd in it.
const MARGIN: f64 = 0.4;
const MARGIN_CLEAN: f64 = 0.02;

/// What a sign that draws a table is worth.
const DRAWN: f64 = 0.6;

/// Languages that the detector takes for Western European ones: their encoding, their letters, and those of them that
/// stand where Western Europe has others.
const TAKEN_FOR_WESTERN: &[(&Encoding, &str, &str)] = &[
    (WINDOWS_1254, "çğıöşüâîi̇", "ğış"),
    (WINDOWS_1250, "áéíóöőúüű", "őű"),
    (ISO_8859_2, "áéíóöőúüű", "őű"),
    (WINDOWS_1257, "ąčęėįšųūž", "ąčęėįųū"),
    (WINDOWS_1257, "āčēģīķļņšūž", "āčēģīķļņū"),
];
/// Letters from which on a few may be those of a foreign name, and how many of all then belong to the language.
const LETTERS_MANY: usize = 40;
const LETTERS_KNOWN: f64 = 0.9;
/// How many of all are those that no other language has there.
const LETTERS_OWN: f64 = 0.05;

/// Letters beyond those of ASCII, by language. What looks like one of them is likelier than a mixture of all.
const LANGUAGES: &[&str] = &[
    "äöüß",
    "éèàçêâôîûùëïœæ",
    "áéíóúñü",
    "ãõáàâéêíóôúç",
    "àèéìòù",
    "åäöéæø",
    "äöõüšž",
    "ąćęłńóśźż",
    "áčďéěíňóřšťúůýž",
    "áäčďéíĺľňóôŕšťúýž",
    "áéíóöőúüű",
    "ăâîșțşţ",
    "čćđšž",
    "áéíóúýþæöð",
    "çğıöşüâîi̇",
    "ąčęėįšųūž",
    "āčēģīķļņšūž",
    "абвгдежзийклмнопрстуфхцчшщъыьэюяё",
    "абвгґдеєжзиіїйклмнопрстуфхцчшщьюя",
    "абвгдђежзијклљмнњопрстћуфхцчџш",
    "αβγδεζηθικλμνξοπρσςτυφχψωάέήίόύώϊϋ",
];

/// Tells the encoding of text that is not UTF-8. `before` is the ASCII in front of the first byte that is not.
#[must_use]
pub fn guess(before: &str, bytes: &[u8], ended: bool) -> Guess {
    let bytes = bytes.get(..SAMPLE).unwrap_or(bytes);
    let high = bytes.iter().filter(|byte| !byte.is_ascii()).count();
    if only_signs(&decode(Legacy::Web(WINDOWS_1252), before, bytes)) {
        return Guess { legacy: Legacy::Web(WINDOWS_1252), doubt: None };
    }
    let mut detector = EncodingDetector::new(Iso2022JpDetection::Allow);
    // What came before is ASCII, and says nothing about the encoding.
    detector.feed(bytes, ended);
    let found = Legacy::Web(detector.guess(None, Utf8Detection::Deny));
    let few = (high < ENOUGH).then_some(Doubt::Few);
    if let Some(legacy) = by_letters(found, before, bytes) {
        return Guess { legacy, doubt: few };
    }
    let worth = Worth::of(&decode(found, before, bytes));
    if worth.odd < ODD_LEAST {
        return Guess { legacy: found, doubt: few };
    }
    let mut best = (f64::MIN, found, &worth);
    let others: Vec<(Legacy, Worth)> = [WINDOWS_1252, ISO_8859_15, MACINTOSH, X_MAC_CYRILLIC]
        .map(Legacy::Web)
        .into_iter()
        .chain(PAGES.iter().map(Legacy::Page))
        .map(|legacy| (legacy, Worth::of(&decode(legacy, before, bytes))))
        .collect();
    for (legacy, other) in &others {
        let better = other.score() - worth.score();
        // What is odd in one place only must be so in none of the other.
        let much = worth.odd / worth.count.max(1.0) >= ODD && better > MARGIN && (worth.odd >= 2.0 || other.odd == 0.0);
        let clean = other.odd * 10.0 <= worth.odd && better > MARGIN_CLEAN;
        if (much || clean) && other.score() > best.0 {
            best = (other.score(), *legacy, other);
        }
    }
    let (_, legacy, worth) = best;
    let much = worth.odd >= ODD_LEAST && worth.odd / worth.count.max(1.0) >= ODD;
    let odd = much || is_torn(&decode(legacy, before, bytes));
    Guess { legacy, doubt: few.or(odd.then_some(Doubt::Odd)) }
}

/// Whether signs that draw tables stand within many of the words, other than the lines between two cells.
fn is_torn(text: &[char]) -> bool {
    let words = text.split(|one| one.is_whitespace() || one.is_ascii_punctuation() || matches!(one, '│' | '║'));
    let (mut all, mut torn) = (0, 0);
    for word in words.filter(|word| word.iter().any(|one| !one.is_ascii())) {
        all += 1;
        torn += usize::from(word.iter().any(|one| is_drawn(*one)) && word.iter().any(|one| one.is_alphabetic()));
    }
    all > 0 && torn * 3 >= all
}

/// The encoding in which the letters are of one language, where those of Western Europe are of none: a text in Turkish
/// or Hungarian, whose few letters tell a detector too little.
fn by_letters(found: Legacy, before: &str, bytes: &[u8]) -> Option<Legacy> {
    let letters = |legacy: Legacy| -> Vec<char> {
        let text = decode(legacy, before, bytes).into_iter();
        let letters = text.filter(|one| !one.is_ascii() && one.is_alphabetic()).flat_map(char::to_lowercase);
        letters.filter(|one| !one.is_ascii()).collect()
    };
    let are_of = |letters: &[char], of: &str| {
        let known = letters.iter().filter(|one| of.contains(**one)).count();
        let enough = letters.len() >= LETTERS_MANY && known as f64 >= LETTERS_KNOWN * letters.len() as f64;
        known == letters.len() || enough
    };
    let western = letters(Legacy::Web(WINDOWS_1252));
    let known = letters(found);
    if LANGUAGES.iter().any(|of| are_of(&western, of) || are_of(&known, of)) {
        return None;
    }
    let candidate = |(encoding, of, own): &(&'static Encoding, &str, &str)| {
        let legacy = Legacy::Web(encoding);
        let letters = letters(legacy);
        let of_its_own = letters.iter().filter(|one| own.contains(**one)).count() as f64;
        let enough = of_its_own > 0.0 && of_its_own >= LETTERS_OWN * letters.len() as f64;
        let text = decode(legacy, before, bytes);
        let is_text = || text.iter().all(|one| one.is_ascii() || !one.is_control());
        (enough && are_of(&letters, of) && is_text()).then(|| (Worth::of(&text).odd, legacy))
    };
    // Where two have the same letters, their other signs tell.
    let found = TAKEN_FOR_WESTERN.iter().filter_map(candidate).min_by(|one, other| one.0.total_cmp(&other.0));
    found.map(|(_, legacy)| legacy)
}

fn decode(legacy: Legacy, before: &str, bytes: &[u8]) -> Vec<char> {
    let mut text = before.to_owned();
    match legacy {
        Legacy::Web(encoding) => text.push_str(&encoding.decode_without_bom_handling(bytes).0),
        Legacy::Page(page) => page.decode(bytes, &mut text),
    }
    text.chars().collect()
}

/// Whether all that is beyond ASCII are signs, each where it is written: `£5`, `m²`, `± 0.2`.
fn only_signs(text: &[char]) -> bool {
    (0..text.len()).filter(|at| text.get(*at).is_some_and(|one| !one.is_ascii())).all(|at| fits(text, at) == Some(true))
}

/// How well a text reads.
#[derive(Default)]
struct Worth {
    /// Characters beyond ASCII.
    count: f64,
    /// Of them, those that stand where none is written.
    odd: f64,
    /// Of them, those that are written so.
    good: f64,
}

impl Worth {
    fn of(text: &[char]) -> Worth {
        let mut worth = Worth::default();
        let mut letters: HashMap<char, f64> = HashMap::new();
        for (at, one) in text.iter().enumerate().filter(|(_, one)| !one.is_ascii()) {
            worth.count += 1.0;
            worth.odd += oddness(text, at);
            if one.is_alphabetic() && sign(*one) != Some(Sign::Value) {
                *letters.entry(one.to_lowercase().next().unwrap_or(*one)).or_default() += 1.0;
            } else if fits(text, at) == Some(true) {
                worth.good += 1.0;
            } else if is_drawn(*one) {
                worth.good += DRAWN;
            }
        }
        let known = |letters_of: &&str| letters_of.chars().filter_map(|one| letters.get(&one)).sum::<f64>();
        worth.good += LANGUAGES.iter().map(known).fold(0.0, f64::max);
        worth
    }

    fn score(&self) -> f64 {
        (self.good - 2.0 * self.odd) / self.count.max(1.0)
    }
}

/// Lines and blocks that draw tables.
fn is_drawn(one: char) -> bool {
    matches!(one, '\u{2500}'..='\u{259F}')
}

/// How little a character is to be expected where it stands: from 0 to 2, for what is never written so.
fn oddness(text: &[char], at: usize) -> f64 {
    let near = |to: Option<usize>| to.and_then(|to| text.get(to)).copied().unwrap_or(' ');
    let (one, before, after) = (near(Some(at)), near(at.checked_sub(1)), near(at.checked_add(1)));
    let latin = |one: char| one.is_alphabetic() && u32::from(one) < 0x250 && sign(one) != Some(Sign::Value);
    let if_so = |so: bool| if so { 1.0 } else { 0.0 };
    if one.is_control() || matches!(one, '\u{FFFD}' | '\u{E000}'..='\u{F8FF}') {
        return 2.0;
    }
    let accent = matches!(one, '\u{2B0}'..='\u{2FF}');
    if !one.is_alphabetic() || accent || sign(one) == Some(Sign::Value) {
        let within = latin(before) && latin(after);
        return match one {
            '‚' | '„' | '‰' | 'ˆ' | '˜' | '¸' | '¨' | '¯' if latin(before) => 2.0,
            '“' | '”' | '\u{3000}'..='\u{303F}' if within => 2.0,
            '–' | '—' if fits(text, at) == Some(false) => 0.5,
            _ => if_so((within && !is_apostrophe(one)) || fits(text, at) == Some(false)),
        };
    }
    let cased = one.is_uppercase() && before.is_lowercase();
    let half_width = |one: char| matches!(one, '\u{FF61}'..='\u{FF9F}');
    if half_width(one) && !half_width(before) && !half_width(after) {
        return 1.0;
    }
    if !latin(one) {
        // Another script within a word, and not beside one: `µ` read as a Chinese sign, a Greek letter in French.
        let lone = latin(before) && latin(after);
        let mixed = u32::from(one) < 0x600 && (latin(before) || latin(after));
        return if lone { 2.0 } else { if_so(mixed || cased) };
    }
    let raised = one.is_uppercase() && before.is_uppercase() && after.is_lowercase();
    let counted = after.is_ascii_digit() || (before.is_ascii_digit() && !after.is_lowercase());
    let other = |one: char| one.is_alphabetic() && !latin(one) && sign(one).is_none();
    // A small letter on both sides, none is written so.
    if cased && after.is_lowercase() {
        return 1.5;
    }
    if_so(cased || raised || counted || other(before) || other(after))
}

#[cfg(test)]
#[path = "guess_tests.rs"]
mod tests;
