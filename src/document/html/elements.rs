//! What is known of elements by their names: one table for the parser's rules and for what is shown.

/// It never holds others.
pub const VOID: u8 = 1;
/// It holds text, whatever that looks like.
pub const RAW: u8 = 1 << 1;
/// It goes on behind the end of the block that it stands in, until it is ended itself.
pub const FORMATTING: u8 = 1 << 2;
/// It ends the paragraph that it stands in.
pub const ENDS_P: u8 = 1 << 3;
/// It ends a drawing or a formula that it stands in.
pub const ENDS_FOREIGN: u8 = 1 << 4;
/// Its content is not shown. What `object`, `canvas` and the like hold is meant for readers who cannot show them: for
/// us.
pub const HIDDEN: u8 = 1 << 5;
/// It stands in a paragraph of its own.
pub const BLOCK: u8 = 1 << 6;

/// Elements in the order of their names, and what they are.
const ELEMENTS: &[(&str, u8)] = &[
    ("a", FORMATTING),
    ("address", ENDS_P | BLOCK),
    ("area", VOID),
    ("article", ENDS_P | BLOCK),
    ("aside", ENDS_P | BLOCK),
    ("b", FORMATTING | ENDS_FOREIGN),
    ("base", VOID),
    ("big", FORMATTING | ENDS_FOREIGN),
    ("blockquote", ENDS_P | ENDS_FOREIGN),
    ("body", ENDS_FOREIGN | BLOCK),
    ("br", VOID | ENDS_FOREIGN),
    ("center", ENDS_P | ENDS_FOREIGN | BLOCK),
    ("code", FORMATTING | ENDS_FOREIGN),
    ("col", VOID),
    ("dd", ENDS_FOREIGN),
    ("details", ENDS_P | BLOCK),
    ("dialog", ENDS_P | BLOCK),
    ("dir", ENDS_P),
    ("div", ENDS_P | ENDS_FOREIGN | BLOCK),
    ("dl", ENDS_P | ENDS_FOREIGN | BLOCK),
    ("dt", ENDS_FOREIGN),
    ("em", FORMATTING | ENDS_FOREIGN),
    ("embed", VOID | ENDS_FOREIGN),
    ("fieldset", ENDS_P | BLOCK),
    ("figcaption", ENDS_P | BLOCK),
    ("figure", ENDS_P | BLOCK),
    ("font", FORMATTING),
    ("footer", ENDS_P | BLOCK),
    ("form", ENDS_P | BLOCK),
    ("h1", ENDS_P | ENDS_FOREIGN),
    ("h2", ENDS_P | ENDS_FOREIGN),
    ("h3", ENDS_P | ENDS_FOREIGN),
    ("h4", ENDS_P | ENDS_FOREIGN),
    ("h5", ENDS_P | ENDS_FOREIGN),
    ("h6", ENDS_P | ENDS_FOREIGN),
    ("head", ENDS_FOREIGN | HIDDEN),
    ("header", ENDS_P | BLOCK),
    ("hgroup", ENDS_P | BLOCK),
    ("hr", VOID | ENDS_P | ENDS_FOREIGN),
    ("html", BLOCK),
    ("i", FORMATTING | ENDS_FOREIGN),
    ("iframe", RAW),
    ("img", VOID | ENDS_FOREIGN),
    ("input", VOID),
    ("legend", BLOCK),
    ("li", ENDS_FOREIGN),
    ("link", VOID),
    ("main", ENDS_P | BLOCK),
    ("menu", ENDS_P | ENDS_FOREIGN),
    ("meta", VOID | ENDS_FOREIGN),
    ("nav", ENDS_P | BLOCK),
    ("nobr", FORMATTING | ENDS_FOREIGN),
    ("noembed", RAW),
    ("noframes", RAW | BLOCK),
    ("noscript", RAW),
    ("ol", ENDS_P | ENDS_FOREIGN),
    ("p", ENDS_P | ENDS_FOREIGN | BLOCK),
    ("param", VOID),
    ("pre", ENDS_P | ENDS_FOREIGN),
    ("ruby", ENDS_FOREIGN),
    ("s", FORMATTING | ENDS_FOREIGN),
    ("script", RAW | HIDDEN),
    ("search", ENDS_P | BLOCK),
    ("section", ENDS_P | BLOCK),
    ("small", FORMATTING | ENDS_FOREIGN),
    ("source", VOID),
    ("span", ENDS_FOREIGN),
    ("strike", FORMATTING | ENDS_FOREIGN),
    ("strong", FORMATTING | ENDS_FOREIGN),
    ("style", RAW | HIDDEN),
    ("sub", ENDS_FOREIGN),
    ("summary", ENDS_P | BLOCK),
    ("sup", ENDS_FOREIGN),
    ("table", ENDS_FOREIGN),
    ("template", HIDDEN),
    ("textarea", RAW),
    ("title", RAW),
    ("track", VOID),
    ("tt", FORMATTING | ENDS_FOREIGN),
    ("u", FORMATTING | ENDS_FOREIGN),
    ("ul", ENDS_P | ENDS_FOREIGN),
    ("var", ENDS_FOREIGN),
    ("wbr", VOID),
    ("xmp", RAW),
];

/// Whether an element is all of `wanted`.
#[must_use]
pub fn is(name: &str, wanted: u8) -> bool {
    let found = ELEMENTS.binary_search_by_key(&name, |row| row.0).ok().and_then(|at| ELEMENTS.get(at));
    found.is_some_and(|(_, traits)| traits & wanted == wanted)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_element_is_found_by_its_name() {
        assert!(ELEMENTS.is_sorted_by(|one, other| one.0 < other.0));
        assert!(ELEMENTS.iter().all(|(name, traits)| is(name, *traits)));
        assert!(!is("p", VOID) && !is("x-mine", BLOCK));
    }
}
