//! Names that only their text sets off: in quotes, brackets or backticks, or called.

use super::terms::is_unspaced;

/// Signs that a name set off may have: two are as often a word, and more are a sentence.
const NAME: std::ops::RangeInclusive<usize> = 3..=16;

/// Names in scripts without spaces, which no sign of a name tells from words, as far as a text sets them off itself: in
/// quotes, brackets or backticks, or with an opening bracket behind, as code calls them. With where they begin.
pub fn set_off_names(text: &str) -> impl Iterator<Item = (usize, &str)> {
    let mut at = if text.is_ascii() { text.len() } else { 0 };
    std::iter::from_fn(move || {
        while let Some(from) = text[at..].find(is_unspaced).map(|more| at + more) {
            let to = text[from..].find(|sign| !is_unspaced(sign)).map_or(text.len(), |more| from + more);
            at = to;
            let name = &text[from..to];
            let (before, after) = (text[..from].chars().next_back(), text[to..].chars().next());
            if NAME.contains(&name.chars().count()) && is_set_off(before, after) {
                return Some((from, name));
            }
        }
        None
    })
}

/// Whether the signs around a name set it off from the text.
fn is_set_off(before: Option<char>, after: Option<char>) -> bool {
    let called = after == Some('(') && before.is_none_or(|sign| sign.is_whitespace() || sign == '.');
    let opened = matches!(
        (before, after),
        (Some('`'), Some('`'))
            | (Some('"'), Some('"'))
            | (Some('\''), Some('\''))
            | (Some('“'), Some('”'))
            | (Some('‘'), Some('’'))
            | (Some('「'), Some('」'))
            | (Some('『'), Some('』'))
            | (Some('《'), Some('》'))
            | (Some('〈'), Some('〉'))
            | (Some('【'), Some('】'))
    );
    // Code has a name in backticks with its brackets.
    called || opened || (before == Some('`') && after == Some('('))
}
