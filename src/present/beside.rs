//! What is told of a fact by meaning beside its places: what is as near and is not followed, or does not say it.

use super::{clip, count, counted, safe};
use crate::inquiry::Unlike;

/// Characters of a figure or name that are shown.
const QUOTED: usize = 40;

/// What is not followed of a fact by meaning, in words.
#[must_use]
pub fn unfollowed(number: u64) -> Option<String> {
    let rest = counted(number, "more passage is as near and is", "more passages are as near and are");
    (number > 0).then(|| format!("{rest} not followed"))
}

/// What is as near as a fact by meaning and does not say it, in words.
#[must_use]
pub fn unlike(near: &Unlike) -> Option<String> {
    let names: Vec<String> = near.names.iter().map(|name| format!("“{}”", clip(&safe(name), QUOTED))).collect();
    let parts = [
        (near.without, format!("without {}", names.join(" or "))),
        (near.bare, "of names alone".to_owned()),
        (near.denying, "denying it".to_owned()),
    ];
    let parts = parts.iter().filter(|(number, _)| *number > 0).map(|(number, why)| format!("{} {why}", count(*number)));
    let all = counted(near.all(), "passage is as near and does not say it", "passages are as near and do not say it");
    (near.all() > 0).then(|| format!("{all}: {}", parts.collect::<Vec<_>>().join(", ")))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_near_is_told_by_why_it_does_not_say_it() {
        assert_eq!(unlike(&Unlike::default()), None);
        let names = vec!["2525".to_owned(), "mail\u{1b}[2J-relay".to_owned()];
        let near = Unlike { without: 1_200, names, bare: 1, denying: 0 };
        let told = unlike(&near).unwrap();
        assert!(
            told.starts_with("1,201 passages are as near and do not say it: 1,200 without “2525” or “mail"),
            "{told}"
        );
        assert!(told.ends_with("”, 1 of names alone") && !told.contains('\u{1b}'), "{told}");
        let one = Unlike { denying: 1, ..Unlike::default() };
        assert_eq!(unlike(&one).unwrap(), "1 passage is as near and does not say it: 1 denying it");
    }
}
