//! The signs of a fact's life over the steps, and what they mean.

use crate::inquiry::Sight;

/// The sign of how a fact is seen.
#[must_use]
pub fn sign(sight: Sight) -> char {
    match sight {
        Sight::Verbatim => '█',
        Sight::Summary | Sight::Line | Sight::Memory => '▓',
        Sight::Part | Sight::Paraphrase => '▒',
        Sight::Hidden => '?',
        Sight::Pointer | Sight::Marker => '░',
        Sight::Gone => '·',
    }
}

/// What the signs of some sights mean, each once, best first; the sight stands for all with its sign.
#[must_use]
pub fn legend(sights: &[Sight], by_meaning: bool) -> Vec<(Sight, &'static str)> {
    let all = [
        (Sight::Verbatim, if by_meaning { "as it was said" } else { "word for word" }),
        (Sight::Summary, "in a summary"),
        (Sight::Part, "in part, alike"),
        (Sight::Hidden, "unreadable"),
        (Sight::Pointer, "pointer, marker"),
        (Sight::Gone, "gone"),
    ];
    all.into_iter().filter(|(sight, _)| sights.iter().any(|seen| sign(*seen) == sign(*sight))).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_what_is_seen_is_explained() {
        let words = |sights: &[Sight]| legend(sights, false).into_iter().map(|(_, words)| words).collect::<Vec<_>>();
        assert_eq!(words(&[Sight::Marker, Sight::Gone, Sight::Gone]), ["pointer, marker", "gone"]);
        assert_eq!(words(&[Sight::Hidden, Sight::Part]), ["in part, alike", "unreadable"]);
        assert_eq!(words(&[Sight::Verbatim]), ["word for word"]);
        assert_eq!(legend(&[Sight::Verbatim], true)[0].1, "as it was said");
    }
}
