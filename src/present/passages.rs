//! Why a passage of a document was taken or left, in a sentence.

use crate::chunk::{Index, LeftOut, Ranking, Settings, Taken, Verdict};

use super::number::{count, counted};

/// Why, in a sentence. `provisional`: whether vectors are still missing. `number` gives the number of another passage, as
/// the document counts them.
#[must_use]
pub fn why(verdict: Verdict, settings: &Settings, provisional: bool, number: impl Fn(usize) -> u32) -> String {
    let top = count(settings.top);
    match verdict {
        Verdict::Taken(Taken::Near | Taken::Found | Taken::Unlike) if provisional => {
            format!("It is among the best {top} so far: not every passage has been compared with the task.")
        }
        Verdict::Left(LeftOut::Rank) if provisional => {
            format!("Rank: it is not among the best {top} so far; not every passage has been compared with the task.")
        }
        Verdict::Taken(Taken::Whole) => {
            format!("The document has fewer than {} characters: it goes in whole.", count(settings.threshold))
        }
        Verdict::Taken(Taken::Priority(word)) => {
            let word = settings.priority.get(word).map_or("", String::as_str);
            format!("Its heading holds \"{word}\", number {} of the priorities.", word_number(settings, word))
        }
        Verdict::Taken(Taken::Room) => "There was room left for it, in document order.".to_owned(),
        Verdict::Taken(Taken::Near) => match settings.ranking {
            Ranking::Embed => format!("It is among the {top} nearest to the task."),
            Ranking::Lexical => format!("It is among the {top} that share most words with the task."),
            Ranking::Hybrid => format!("It is among the best {top} by meaning and words."),
        },
        Verdict::Taken(Taken::Found) => match settings.ranking {
            Ranking::Embed | Ranking::Lexical => {
                format!("It is among the {top} nearest that the approximate index found; it missed nearer ones.")
            }
            Ranking::Hybrid => {
                format!(
                    "It is among the best {top} by words and what the approximate index found, which missed better ones."
                )
            }
        },
        Verdict::Taken(Taken::Unlike) => {
            format!(
                "It is not among the best {top}, but less like those taken before it than others (chunks.diversity)."
            )
        }
        Verdict::Taken(Taken::First) => format!("No task is given: it is among the first {top}."),
        Verdict::Taken(Taken::Wordless) => {
            format!("It shares no word with the task: it is taken as it stands, to make {top}.")
        }
        Verdict::Taken(Taken::Fallback) => {
            format!("Nothing else fits into {} characters: it is cut to them.", count(settings.budget))
        }
        Verdict::Left(LeftOut::Budget { needs, left }) => {
            format!(
                "Budget: it needs {}, {} left.",
                counted(needs, "character", "characters"),
                counted(left, "was", "were")
            )
        }
        Verdict::Left(LeftOut::Rank) => format!("Rank: it is not among the best {top}."),
        Verdict::Left(LeftOut::After) => format!("No task is given: the first {top} stand before it."),
        Verdict::Left(LeftOut::Wordless) => "Rank: it shares no word with the task.".to_owned(),
        Verdict::Left(LeftOut::Overlap(with)) => {
            format!("Overlap: it is too much like number {}, which is taken.", number(with))
        }
        Verdict::Left(LeftOut::Missed) => match settings.index {
            Index::Hnsw => "Missed: it is near enough, but the approximate index did not find it.".to_owned(),
            Index::Exact => "Missed by the index.".to_owned(),
        },
    }
}

fn word_number(settings: &Settings, word: &str) -> usize {
    settings.priority.iter().position(|known| known == word).map_or(0, |at| at + 1)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reasons_name_their_figures() {
        let settings = Settings::default();
        let say = |verdict| why(verdict, &settings, false, |_| 7);
        assert_eq!(
            say(Verdict::Taken(Taken::Priority(4))),
            "Its heading holds \"Introduction\", number 5 of the priorities."
        );
        assert_eq!(
            say(Verdict::Left(LeftOut::Budget { needs: 4_000, left: 2_500 })),
            "Budget: it needs 4,000 characters, 2,500 were left."
        );
        assert_eq!(say(Verdict::Left(LeftOut::Overlap(3))), "Overlap: it is too much like number 7, which is taken.");
        assert_eq!(say(Verdict::Left(LeftOut::Rank)), "Rank: it is not among the best 10.");
        assert!(say(Verdict::Taken(Taken::Found)).contains("it missed nearer ones"));
        assert!(say(Verdict::Taken(Taken::Unlike)).starts_with("It is not among the best 10"));
        for verdict in [Verdict::Taken(Taken::Near), Verdict::Left(LeftOut::Rank)] {
            let early = why(verdict, &settings, true, |_| 7);
            assert!(early.contains("so far") && !say(verdict).contains("so far"), "{early}");
        }
    }
}
