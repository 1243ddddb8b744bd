//! Which rows of a list fit what is typed.

/// Words that must all be there, in any order, whatever the case.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Words(Vec<String>);

impl Words {
    /// The words of a line.
    #[must_use]
    pub fn new(line: &str) -> Words {
        Words(line.split_whitespace().map(str::to_lowercase).collect())
    }

    /// Whether every word is in one of the texts.
    #[must_use]
    pub fn fit<'a>(&self, texts: impl IntoIterator<Item = &'a str> + Clone) -> bool {
        self.0.iter().all(|word| texts.clone().into_iter().any(|text| contains(text, word)))
    }

    /// Whether nothing was typed.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }
}

fn contains(text: &str, lower: &str) -> bool {
    if text.is_ascii() {
        return crate::tui::detail::find(text, lower).next().is_some();
    }
    text.to_lowercase().contains(lower)
}

/// How well the letters of `typed` fit a name, in order but not side by side; smaller is better. With it, the bytes of
/// the name that they stand at. Beginnings of words count most.
#[must_use]
pub fn fuzzy(name: &str, typed: &str) -> Option<(usize, Vec<usize>)> {
    let signs: Vec<(usize, char)> = name.char_indices().map(|(at, sign)| (at, sign.to_ascii_lowercase())).collect();
    let begins = |at: usize| at == 0 || signs.get(at - 1).is_some_and(|(_, before)| !before.is_alphanumeric());
    let mut found: Vec<usize> = Vec::new();
    let mut score = 0;
    let mut from = 0;
    for wanted in typed.chars().filter(|sign| !sign.is_whitespace()).map(|sign| sign.to_ascii_lowercase()) {
        let fits = |at: &usize| signs.get(*at).is_some_and(|(_, sign)| *sign == wanted);
        // The next sign, else the next beginning of a word, else the next of all.
        let next = Some(from).filter(|at| *at > 0 && fits(at));
        let word = || (from..signs.len()).find(|at| begins(*at) && fits(at));
        let at = next.or_else(word).or_else(|| (from..signs.len()).find(fits))?;
        score += at - from + if begins(at) || found.last().is_some_and(|last| last + 1 == at) { 0 } else { 4 };
        found.push(at);
        from = at + 1;
    }
    score = score * 4 + signs.len() / 4;
    Some((score, found.into_iter().filter_map(|at| signs.get(at).map(|(byte, _)| *byte)).collect()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn all_words_must_be_there() {
        let words = Words::new("Fix  LOGIN");
        assert!(words.fit(["fix the", "login.rs"]));
        assert!(!words.fit(["fix the", "logout"]));
        assert!(Words::new("GRÖSSE").fit(["die Größe", "grösse"]));
        assert!(Words::new(" ").is_empty() && Words::default().fit([""]));
    }

    #[test]
    fn beginnings_of_words_fit_best() {
        let best = |typed: &str| {
            let names = ["next-step", "next-compaction", "previous-compaction", "no-such", "zoom-in"];
            let mut fitting: Vec<_> =
                names.iter().filter_map(|name| fuzzy(name, typed).map(|(score, _)| (score, *name))).collect();
            fitting.sort_unstable();
            fitting.first().map(|(_, name)| *name)
        };
        assert_eq!(best("nc"), Some("next-compaction"));
        assert_eq!(best("pc"), Some("previous-compaction"));
        assert_eq!(best("zoom"), Some("zoom-in"));
        assert_eq!(best("xyz"), None);
        assert_eq!(fuzzy("next-step", "ns").map(|(_, bytes)| bytes), Some(vec![0, 5]));
    }
}
