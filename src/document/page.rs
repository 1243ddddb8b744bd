//! Numbers of pages, as a document prints them.

use serde::{Deserialize, Serialize};

/// How a page is numbered.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Numbering {
    /// With the number that the document tells.
    #[default]
    Told,
    /// Nobody tells: it is an estimate, or the least that it can be.
    Estimated,
    /// With a Roman number, as the pages before the first chapter of a book are.
    Roman,
}

impl Numbering {
    /// Whether it is the usual way.
    #[must_use]
    pub fn is_told(&self) -> bool {
        *self == Numbering::Told
    }
}

/// The number of a page: `3`, `~3` or `iii`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct PageNumber {
    /// From 1.
    pub number: u64,
    /// How it is told.
    pub how: Numbering,
}

impl PageNumber {
    /// A number that the document tells.
    #[must_use]
    pub fn told(number: u64) -> PageNumber {
        PageNumber { number, how: Numbering::Told }
    }

    /// An estimate.
    #[must_use]
    pub fn estimated(number: u64) -> PageNumber {
        PageNumber { number, how: Numbering::Estimated }
    }

    /// Whether it is an estimate.
    #[must_use]
    pub fn is_estimated(&self) -> bool {
        self.how == Numbering::Estimated
    }

    /// A Roman number as it is printed; `None` of another.
    #[must_use]
    pub fn roman(&self) -> Option<String> {
        (self.how == Numbering::Roman).then(|| self.to_string())
    }

    /// Reads one as it is written here.
    #[must_use]
    pub fn parse(text: &str) -> Option<PageNumber> {
        let number = |digits: &str| digits.replace(',', "").parse().ok();
        match (text.strip_prefix('~'), of_roman(text)) {
            (Some(digits), _) => number(digits).map(PageNumber::estimated),
            (None, Some(number)) => Some(PageNumber { number: number.into(), how: Numbering::Roman }),
            (None, None) => number(text).map(PageNumber::told),
        }
    }
}

impl std::fmt::Display for PageNumber {
    fn fmt(&self, out: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self.how {
            Numbering::Told => write!(out, "{}", self.number),
            Numbering::Estimated => write!(out, "~{}", self.number),
            Numbering::Roman => out.write_str(&roman(self.number)),
        }
    }
}

/// The signs of Roman numbers and what they count, the largest first.
const SIGNS: [(&str, u64); 13] = [
    ("m", 1_000),
    ("cm", 900),
    ("d", 500),
    ("cd", 400),
    ("c", 100),
    ("xc", 90),
    ("l", 50),
    ("xl", 40),
    ("x", 10),
    ("ix", 9),
    ("v", 5),
    ("iv", 4),
    ("i", 1),
];
/// No page has a larger one.
const MOST: u64 = 3_999;

/// A number in small Roman signs; in digits where it is none that has such.
fn roman(number: u64) -> String {
    if !(1..=MOST).contains(&number) {
        return number.to_string();
    }
    let (mut left, mut text) = (number, String::new());
    for (sign, counts) in SIGNS {
        while left >= counts {
            text.push_str(sign);
            left -= counts;
        }
    }
    text
}

/// What a Roman number counts, in small or capital signs; `None` where a text is none. A lone C, D, L or M is a letter.
#[must_use]
pub fn of_roman(text: &str) -> Option<u32> {
    let text = text.to_ascii_lowercase();
    if text.is_empty() || text.len() > 15 || (text.len() == 1 && !["i", "v", "x"].contains(&&*text)) {
        return None;
    }
    let (mut rest, mut number) = (&*text, 0);
    for (sign, counts) in SIGNS {
        while let Some(next) = rest.strip_prefix(sign) {
            (rest, number) = (next, number + counts);
        }
    }
    // As it would be written: `iiii` and `vx` are none.
    (rest.is_empty() && roman(number) == text).then_some(u32::try_from(number).ok()?)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn roman_numbers_are_read_and_written() {
        let known = [(1, "i"), (4, "iv"), (9, "ix"), (12, "xii"), (48, "xlviii"), (199, "cxcix"), (1_994, "mcmxciv")];
        for (number, text) in known {
            assert_eq!((of_roman(text), &*roman(number.into())), (Some(number), text));
        }
        assert_eq!(of_roman("XII"), Some(12));
        for none in ["", "iiii", "vx", "ic", "c", "D", "mix and", "3", "xiiv"] {
            assert_eq!(of_roman(none), None, "{none}");
        }
        assert!(
            (1..=MOST).all(|number| of_roman(&roman(number)).map(u64::from) == Some(number)
                || [50, 100, 500, 1_000].contains(&number))
        );
    }

    #[test]
    fn numbers_are_read_as_they_are_written() {
        for page in [PageNumber::told(7), PageNumber::estimated(1_234), PageNumber { number: 8, how: Numbering::Roman }]
        {
            assert_eq!(PageNumber::parse(&page.to_string()), Some(page));
        }
        assert_eq!(PageNumber::parse("seven"), None);
    }
}
