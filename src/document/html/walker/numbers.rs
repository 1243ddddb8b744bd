//! The numbers of a list's items.

use ego_tree::NodeRef;
use scraper::Node;
use scraper::node::Element;

/// The numbers of a list, as its items come.
pub struct Numbers {
    /// That of the next item.
    next: i64,
    /// From one to the next.
    step: i64,
}

impl Numbers {
    /// Of a list with its own first number; one that counts down without one ends at 1.
    pub fn of(list: NodeRef<'_, Node>, element: &Element) -> Numbers {
        let step = if element.attr("reversed").is_some() { -1 } else { 1 };
        let first = || if step < 0 { items(list) } else { 1 };
        Numbers { next: number(element, "start").unwrap_or_else(first), step }
    }

    /// The number of an item, which may tell its own.
    pub fn next(&mut self, item: &Element) -> i64 {
        let own = number(item, "value").unwrap_or(self.next);
        self.next = own.saturating_add(self.step);
        own
    }
}

/// How many items a list has, those of lists within it apart.
fn items(list: NodeRef<'_, Node>) -> i64 {
    let (mut open, mut count) = (list.children().collect::<Vec<_>>(), 0i64);
    while let Some(node) = open.pop() {
        let name = node.value().as_element().map_or("", |element| element.name());
        count += i64::from(name == "li");
        if !matches!(name, "ol" | "ul" | "menu") {
            open.extend(node.children());
        }
    }
    count
}

/// A whole number as HTML reads them: what stands behind its digits does no harm.
fn number(element: &Element, name: &str) -> Option<i64> {
    let text = element.attr(name)?.trim_start();
    let digits = text.strip_prefix(['-', '+']).unwrap_or(text);
    let end = text.len() - digits.trim_start_matches(|sign: char| sign.is_ascii_digit()).len();
    text[..end].parse().ok()
}

#[cfg(test)]
mod tests {
    use crate::document::html::page;

    #[test]
    fn items_have_the_numbers_that_the_page_shows() {
        for (html, shown) in [
            ("<ol><li>a<li value=10>b<li>c</ol>", "1. a\n10. b\n11. c"),
            ("<ol reversed start=3><li>a<li>b<li>c</ol>", "3. a\n2. b\n1. c"),
            ("<ol reversed><li>a<li>b<ul><li>x<li>y</ul><li>c</ol>", "3. a\n2. b\n   * x\n   * y\n1. c"),
            ("<ol reversed><div><li>a</div><li>b</ol>", "2. a\n\n1. b"),
            ("<ol start=-1><li>a<li>b<li>c</ol>", "-1. a\n0. b\n1. c"),
            ("<ol start=0><li>a<li>b</ol>", "0. a\n1. b"),
            ("<ol start=' +4th'><li>a<li value=x>b</ol>", "4. a\n5. b"),
            ("<ol start=99999999999999999999><li>a</ol>", "1. a"),
            ("<ul><li value=4>a</ul>", "* a"),
        ] {
            assert_eq!(page(html).markdown, shown, "{html}");
        }
    }
}
