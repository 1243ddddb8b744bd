//! What is told of a fact by meaning beside its places: what is as near and is not followed, or does not say it.

use super::{clip, count, counted, safe};
use crate::inquiry::{Found, Place, Stay, Unlike};
use crate::model::{Made, Run};

/// Characters of a figure or name that are shown.
const QUOTED: usize = 40;

/// What is not followed of a fact by meaning, in words.
#[must_use]
pub fn unfollowed(number: u64) -> Option<String> {
    let rest = counted(number, "more passage is as near and is", "more passages are as near and are");
    (number > 0).then(|| format!("{rest} not followed"))
}

/// What stands before the places of a fact by meaning, is less near and is not followed, in words.
#[must_use]
pub fn before(earlier: u64) -> Option<String> {
    let rest = counted(earlier, "passage before it is less near and is", "passages before it are less near and are");
    (earlier > 0).then(|| format!("{rest} not followed"))
}

/// What is as near as a fact by meaning and does not say it, in words.
#[must_use]
pub fn unlike(near: &Unlike) -> Option<String> {
    let names: Vec<String> = near.names.iter().map(|name| format!("“{}”", clip(&safe(name), QUOTED))).collect();
    let parts = [
        (near.without, format!("without {}", names.join(" or "))),
        (near.bare, "of names alone".to_owned()),
        (near.denying, "denying it".to_owned()),
        (near.open, "planning or supposing it".to_owned()),
        (near.past, "of what was so once".to_owned()),
    ];
    let parts = parts.iter().filter(|(number, _)| *number > 0).map(|(number, why)| format!("{} {why}", count(*number)));
    let all = counted(near.all(), "passage is as near and does not say it", "passages are as near and do not say it");
    (near.all() > 0).then(|| format!("{all}: {}", parts.collect::<Vec<_>>().join(", ")))
}

/// That no sentence of the summary that stands for a fact by meaning is near enough to be told as saying it, which it may
/// all the same; and how near the nearest is, where that is known.
pub(super) fn not_near(stay: &Stay, found: &Found, run: &Run) -> String {
    let content = stay.entry.and_then(|id| run.entry(id)).map(|entry| &entry.content[..]).unwrap_or_default();
    let scores = content.iter().flat_map(|made| match made {
        Made::Block(block) => found.summed_up.get(block).copied().into_iter().collect(),
        Made::Part(..) => about(made, &found.alike),
        Made::Text(_) | Made::Written(_) => Vec::new(),
    });
    let as_near = |score: f32| found.ranked.is_some_and(|(_, least)| score >= least);
    match scores.max_by(f32::total_cmp) {
        Some(score) if as_near(score) => {
            format!("A sentence of the summary is as near (score {score:.2}) and is not taken to say it.")
        }
        Some(score) => format!("No sentence of the summary is near enough: the nearest has a score of {score:.2}."),
        None => "No sentence of the summary is near enough.".to_owned(),
    }
}

/// The scores of the passages that a part of a block holds.
fn about(part: &Made, places: &[Place]) -> Vec<f32> {
    let Made::Part(block, from, to, original) = part else { return Vec::new() };
    let is_in = |place: &&Place| {
        let spot = if *original { &place.whole } else { &place.seen };
        let is_within = |(start, end): (u32, u32)| *from <= u64::from(start) && u64::from(end) <= *to;
        place.block == *block && spot.as_ref().is_some_and(|spot| is_within(spot.range))
    };
    places.iter().filter(is_in).filter_map(|place| place.score).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_stands_before_and_is_not_followed_is_told() {
        assert_eq!(before(0), None);
        assert_eq!(before(1).unwrap(), "1 passage before it is less near and is not followed");
        assert_eq!(before(2).unwrap(), "2 passages before it are less near and are not followed");
    }

    #[test]
    fn what_is_near_is_told_by_why_it_does_not_say_it() {
        assert_eq!(unlike(&Unlike::default()), None);
        let names = vec!["2525".to_owned(), "mail\u{1b}[2J-relay".to_owned()];
        let near = Unlike { without: 1_200, names, bare: 1, ..Unlike::default() };
        let told = unlike(&near).unwrap();
        assert!(
            told.starts_with("1,201 passages are as near and do not say it: 1,200 without “2525” or “mail"),
            "{told}"
        );
        assert!(told.ends_with("”, 1 of names alone") && !told.contains('\u{1b}'), "{told}");
        let one = Unlike { denying: 1, ..Unlike::default() };
        assert_eq!(unlike(&one).unwrap(), "1 passage is as near and does not say it: 1 denying it");
        let two = Unlike { open: 1, past: 1, ..Unlike::default() };
        assert!(unlike(&two).unwrap().ends_with("1 planning or supposing it, 1 of what was so once"));
    }
}
