//! What the marks of a sweep's runs mean: one declaration for pictures, tables, legends and the help.

use super::{Swept, Tone};
use crate::inquiry::Point;

/// A mark of runs.
pub struct RunMark {
    /// The mark.
    pub sign: &'static str,
    /// What it means, in a legend.
    pub word: &'static str,
    /// What it means, in the help.
    pub meaning: &'static str,
    /// How it is drawn.
    pub tone: Tone,
    /// Whether a picture of runs has it.
    stands: fn(&Swept<'_>) -> bool,
}

/// Every mark of runs.
pub const RUN_MARKS: &[RunMark] = &[
    RunMark {
        sign: "◆",
        word: "best",
        meaning: "a best run: no other keeps as many facts for less of what they are set against",
        tone: Tone::Accent,
        stands: |swept| swept.front().contains(&true),
    },
    RunMark {
        sign: "●",
        word: "another run",
        meaning: "of a chart: a run that another one beats",
        tone: Tone::Plain,
        stands: |swept| !is_map(swept) && beaten(swept, |point| !is_unwritten(point)),
    },
    RunMark {
        sign: "○",
        word: "some summaries no model wrote",
        meaning: "something stands in for summaries of the run that a model should have written: what it keeps tells \
                  little, so it is none of the best where other runs have theirs, or where one without any keeps as much \
                  for no more",
        tone: Tone::Plain,
        stands: |swept| beaten(swept, is_unwritten),
    },
    RunMark {
        sign: "◂",
        word: "chosen",
        meaning: "of a map: the chosen run; in a chart lines lead from it to both scales",
        tone: Tone::Title,
        stands: |swept| is_map(swept) && swept.chosen.is_some(),
    },
    RunMark {
        sign: "█▓▒░·",
        word: "all facts to none",
        meaning: "of a map: how many of the facts a run keeps, all of them to less than a quarter",
        tone: Tone::Faint,
        stands: is_map,
    },
    RunMark {
        sign: "!",
        word: "too long",
        meaning: "of the table: the model refused some requests of the run as too long; it is none of the best where \
                  other runs have all theirs",
        tone: Tone::Cut,
        stands: |_| false,
    },
];

/// Whether two settings are moved, and the picture is a map.
fn is_map(swept: &Swept<'_>) -> bool {
    swept.vary.len() > 1
}

/// Whether there is a run of a kind that is none of the best.
fn beaten(swept: &Swept<'_>, is_of: impl Fn(&Point) -> bool) -> bool {
    swept.points.iter().zip(swept.front()).any(|(point, best)| !best && is_of(point))
}

/// Whether something stands in for summaries of a run.
pub(super) fn is_unwritten(point: &Point) -> bool {
    point.bill.unwritten() > 0
}

impl Swept<'_> {
    /// What each mark of the picture means, in a line.
    #[must_use]
    pub fn legend(&self) -> Vec<(String, Tone)> {
        let mut pieces = Vec::new();
        for mark in RUN_MARKS.iter().filter(|mark| !self.points.is_empty() && (mark.stands)(self)) {
            pieces.push((format!("{}{} ", if pieces.is_empty() { "" } else { "   " }, mark.sign), mark.tone));
            pieces.push((mark.word.to_owned(), Tone::Faint));
        }
        pieces
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::inquiry::{Axis, Bill, Vary, combinations};
    use crate::policy::Policy;

    #[test]
    fn a_legend_tells_every_mark_that_a_picture_has() {
        let vary = |texts: &[&str]| -> Vec<Vary> {
            texts.iter().map(|text| Vary::parse(text, &Policy::default(), 200_000).unwrap()).collect()
        };
        let one = ["summarise.at=10%..90%:20%"];
        for vary in [vary(&one), vary(&[one[0], "summarise.target=100..400:100"])] {
            for unwritten in [0, 1] {
                let point = |place: usize| Point {
                    place,
                    values: Vec::new(),
                    kept: vec![],
                    unknown: vec![],
                    bill: Bill {
                        sent: 1_000 * (place as u64 % 7 + 1),
                        extracted: if place % 2 == 1 { unwritten } else { 0 },
                        ..Bill::default()
                    },
                };
                let points: Vec<Point> = (0..combinations(&vary)).map(point).collect();
                let kept: Vec<usize> = points.iter().map(|point| [5, 2, 3, 10, 6][point.place % 5]).collect();
                let chosen = Some(0);
                let swept = Swept { vary: &vary, points: &points, kept: &kept, facts: 10, axis: Axis::Sent, chosen };
                let drawn: String = swept.picture(120, 30).rows.iter().flatten().map(|(sign, _)| *sign).collect();
                let legend: String = swept.legend().into_iter().map(|(text, _)| text).collect();
                for sign in ["◆", "●", "○", "◂", "█"] {
                    assert_eq!(drawn.contains(sign), legend.contains(sign), "{sign}: {legend}\n{drawn}");
                }
                assert_eq!(legend.contains("no model wrote"), unwritten > 0, "{legend}");
            }
        }
        let none = Swept { vary: &vary(&one), points: &[], kept: &[], facts: 0, axis: Axis::Sent, chosen: None };
        assert!(none.legend().is_empty());
    }
}
