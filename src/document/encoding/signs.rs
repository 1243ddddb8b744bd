//! Signs of the Latin-1 family, and where they are written.

/// Kinds of signs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Sign {
    /// One that says what a number means, or that is said of a name: never beside another of its kind.
    Value,
    /// Punctuation.
    Mark,
}

/// Units that `²` and `³` stand behind, and that `µ` stands before.
const RAISED: &[&str] = &[
    "m", "mm", "cm", "dm", "km", "nm", "in", "ft", "yd", "mi", "s", "ms", "h", "kg", "g", "v", "a", "r", "x", "y", "z",
    "n", "i", "e", "c", "d", "k", "t", "inch", "feet", "mc", "sq",
];
const MICRO: &[&str] = &[
    "m", "g", "s", "l", "a", "v", "f", "w", "h", "j", "n", "t", "c", "k", "pa", "hz", "mol", "sv", "gy", "sec", "gal",
    "in", "sd",
];
/// What a currency is counted in.
const AMOUNTS: &[&str] = &["k", "m", "bn", "mn", "mil", "mio", "b", "t", "p"];

/// The kind of a sign; `None` where it is none of them.
#[must_use]
pub fn sign(one: char) -> Option<Sign> {
    match one {
        '£' | '¥' | '€' | '¢' | '°' | 'µ' | '²' | '³' | '¹' | '±' | '½' | '¼' | '¾' | '§' | '©' | '®' | '™' | 'ª'
        | 'º' | '×' | '÷' => Some(Sign::Value),
        '“' | '”' | '‘' | '’' | '«' | '»' | '–' | '—' | '…' | '•' | '·' | '\u{a0}' | '\u{ad}' => {
            Some(Sign::Mark)
        }
        _ => None,
    }
}

/// Whether a sign may stand within a word.
#[must_use]
pub fn is_apostrophe(one: char) -> bool {
    matches!(one, '’' | '·' | '\u{ad}' | '–' | '—' | '‐' | '\u{301}')
}

/// Whether a sign stands where it is written; `None` where it is no sign.
#[must_use]
pub fn fits(text: &[char], at: usize) -> Option<bool> {
    let near = |to: Option<usize>| to.and_then(|to| text.get(to)).copied().unwrap_or(' ');
    let (one, before, after) = (near(Some(at)), near(at.checked_sub(1)), near(at.checked_add(1)));
    let kind = sign(one)?;
    let value = |one: char| sign(one) == Some(Sign::Value);
    let letter = |one: char| one.is_alphabetic() && !value(one);
    // Two of them, or a letter that no ASCII has, make no sign.
    let beside = |other: char| !other.is_ascii() && sign(other) != Some(Sign::Mark);
    if kind == Sign::Value && (beside(before) || beside(after)) {
        return Some(false);
    }
    let word_before = || -> String {
        let letters = text.get(..at).unwrap_or_default().iter().rev().take_while(|one| letter(**one)).take(8);
        letters.collect::<Vec<_>>().into_iter().rev().collect::<String>().to_lowercase()
    };
    let word_after = || -> String {
        let letters = text.get(at + 1..).unwrap_or_default().iter().take_while(|one| letter(**one)).take(8);
        letters.collect::<String>().to_lowercase()
    };
    let is_one_of = |word: String, known: &[&str]| word.is_empty() || known.contains(&word.as_str());
    Some(match one {
        '£' | '¥' | '€' | '¢' => {
            let counts = before.is_ascii_digit() || is_one_of(word_after(), AMOUNTS);
            counts && !before.is_lowercase() && (!letter(after) || is_one_of(word_after(), AMOUNTS))
        }
        '°' => {
            (!letter(before) || word_before() == "n")
                && is_one_of(word_after(), &["c", "f", "k", "r", "n", "s", "e", "w", "o", "p"])
        }
        'µ' => !letter(before) && is_one_of(word_after(), MICRO),
        '²' | '³' | '¹' => {
            let raised = before.is_ascii_digit()
                || before == ')'
                || before == ']'
                || (letter(before) && is_one_of(word_before(), RAISED));
            raised && !letter(after)
        }
        '±' | '×' | '÷' => !letter(before) && !letter(after),
        '½' | '¼' | '¾' => !letter(before) && !letter(after),
        '§' | '©' => !letter(before) && !letter(after),
        '®' | '™' => !letter(after),
        'ª' | 'º' => {
            let short = word_before().chars().count() <= 2;
            (before.is_ascii_digit() || before == '.' || (letter(before) && short)) && !letter(after)
        }
        '–' | '—' => match (letter(before), letter(after)) {
            (true, true) => {
                let long = word_before().chars().count() > 2 && word_after().chars().count() > 2;
                one == '—' || long || after.is_uppercase()
            }
            (false, false) => true,
            _ => !before.is_whitespace() && !after.is_whitespace(),
        },
        '·' => !(letter(before) && letter(after)) || (before, after) == ('l', 'l'),
        '’' | '…' | '•' | '\u{a0}' | '\u{ad}' => true,
        _ => !(letter(before) && letter(after)),
    })
}
