//! The signs of a fact's life over the steps, and what they mean.

use crate::inquiry::Sight;

/// The sign of how a fact is seen.
#[must_use]
pub fn sign(sight: Sight) -> char {
    match sight {
        Sight::Verbatim => '█',
        Sight::Summary | Sight::Line | Sight::Memory => '▓',
        Sight::Refused => '×',
        Sight::Part | Sight::Paraphrase => '▒',
        Sight::Hidden | Sight::Anew => '?',
        Sight::Pointer | Sight::Unpacked | Sight::Marker => '░',
        Sight::Gone => '·',
    }
}

/// What the signs of some sights mean, each once, best first; the sight stands for all with its sign.
#[must_use]
pub fn legend(sights: &[Sight], by_meaning: bool) -> Vec<(Sight, String)> {
    let all = [
        (Sight::Verbatim, if by_meaning { "as it was said" } else { "word for word" }),
        (Sight::Line, "in its line"),
        (Sight::Summary, "in a summary"),
        (Sight::Memory, "in a memory"),
        (Sight::Refused, "refused as too long"),
        (Sight::Part, "in part"),
        (Sight::Paraphrase, "alike"),
        (Sight::Hidden, "unreadable"),
        (Sight::Anew, "in a file that is read anew, unrecorded"),
        (Sight::Pointer, "pointer"),
        (Sight::Unpacked, "only in a memory that is not packed"),
        (Sight::Marker, "marker"),
        (Sight::Gone, "gone"),
    ];
    let mut found: Vec<(Sight, String)> = Vec::new();
    for (sight, words) in all.into_iter().filter(|(sight, _)| sights.contains(sight)) {
        match found.last_mut().filter(|(before, _)| sign(*before) == sign(sight)) {
            Some((_, said)) => *said = format!("{said}, {words}"),
            None => found.push((sight, words.to_owned())),
        }
    }
    found
}

/// How a fact is seen, in a word or two.
#[must_use]
pub fn sight_words(sight: Sight) -> &'static str {
    match sight {
        Sight::Verbatim => "verbatim",
        Sight::Line => "in its line",
        Sight::Summary => "in a summary",
        Sight::Memory => "in a memory",
        Sight::Refused => "refused as too long",
        Sight::Part => "in part",
        Sight::Paraphrase => "paraphrased",
        Sight::Hidden => "unreadable",
        Sight::Anew => "in a file that is read anew",
        Sight::Pointer => "pointer only",
        Sight::Unpacked => "only in memory",
        Sight::Marker => "marker only",
        Sight::Gone => "gone",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_what_is_seen_is_explained() {
        let words = |sights: &[Sight]| legend(sights, false).into_iter().map(|(_, words)| words).collect::<Vec<_>>();
        assert_eq!(words(&[Sight::Marker, Sight::Gone, Sight::Pointer]), ["pointer, marker", "gone"]);
        assert_eq!(words(&[Sight::Hidden, Sight::Part]), ["in part", "unreadable"]);
        assert_eq!(words(&[Sight::Verbatim]), ["word for word"]);
        assert_eq!(legend(&[Sight::Verbatim], true)[0].1, "as it was said");
    }

    #[test]
    fn what_shares_a_sign_is_called_what_it_is() {
        let words = |sights: &[Sight]| legend(sights, false).into_iter().map(|(_, words)| words).collect::<Vec<_>>();
        assert_eq!(words(&[Sight::Memory]), ["in a memory"]);
        assert_eq!(
            words(&[Sight::Memory, Sight::Refused, Sight::Summary]),
            ["in a summary, in a memory", "refused as too long"]
        );
    }
}
