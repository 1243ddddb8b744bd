//! Whether a place in a text stands alone: it is no part of a longer word, name or number.

/// Whether a place is no part of a longer word or number. A capital begins a word inside of a name; a plural ends one.
/// What is a name of several words itself is another one with more of them. `origin`: the place in the text as it stands.
pub(super) fn stands_alone(hay: &str, (from, to): (usize, usize), text: &str, origin: (u32, u32)) -> bool {
    let (origin, end) = (origin.0, origin.1);
    let (Some(before), Some(within), Some(after)) = (hay.get(..from), hay.get(from..to), hay.get(to..)) else {
        return false;
    };
    let joins = |one: Option<char>, other: Option<char>| match (one, other) {
        (Some(one), Some(other)) => {
            (one.is_ascii_digit() && other.is_ascii_digit()) || (is_letter(one) && is_letter(other))
        }
        _ => false,
    };
    let capital = || text.get(origin as usize..).and_then(|rest| rest.chars().next()).is_some_and(char::is_uppercase);
    let before_small =
        || text.get(..origin as usize).and_then(|before| before.chars().next_back()).is_some_and(char::is_lowercase);
    let own = || text.get(origin as usize..end as usize).unwrap_or_default();
    let goes_on = || {
        let before = text.get(..origin as usize).unwrap_or_default();
        let after = text.get(end as usize..).unwrap_or_default();
        (before.ends_with('_') && !own().starts_with('_')) || (after.starts_with('_') && !own().ends_with('_'))
    };
    let is_joined = joins(before.chars().next_back(), within.chars().next());
    if is_joined && !(capital() && before_small() && !is_compound(own())) {
        return false;
    }
    if is_compound(own()) && goes_on() {
        return false;
    }
    let mut rest = after.chars();
    let next = rest.next();
    if !joins(within.chars().next_back(), next) {
        return true;
    }
    next == Some('s') && !rest.next().is_some_and(|sign| is_letter(sign) || (sign == '_' && is_compound(own())))
}

/// Whether a text is one name that is made of several words: `close_session`, `beforeAgent`.
fn is_compound(text: &str) -> bool {
    let hump = |pair: &[u8]| pair[0].is_ascii_lowercase() && pair[1].is_ascii_uppercase();
    let inner = text.trim_matches('_');
    !text.contains(char::is_whitespace) && (inner.contains('_') || inner.as_bytes().windows(2).any(hump))
}

/// Letters of scripts that part words by blanks.
fn is_letter(sign: char) -> bool {
    sign.is_lowercase() || sign.is_uppercase()
}
