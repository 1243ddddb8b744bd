//! What a page shows beside its own elements, put where it is shown: the shadow roots that it declares, the documents
//! that it holds for its frames, and what it holds for browsers without scripts, as this is one.

use std::collections::HashMap;

use ego_tree::{NodeId, NodeRef, Tree};
use scraper::node::Element;
use scraper::{Html, Node};

use crate::content::one_line;

use super::code::named;
use super::elements::{HIDDEN, is};
use super::marks::picture_source;
use super::{DEPTH_KEPT, DEPTH_MAX, depth, end_of_tags};

/// Pages within each other.
const LEVELS_MAX: usize = 8;
/// Tags that are parsed of all that a page holds as text.
const TAGS_MAX: usize = 500_000;
/// Nodes around an element that are looked through for what it says.
const LOOKED: usize = 5_000;
/// Nodes to either side of an element, and within each, that are looked through for pictures.
const BESIDE: usize = 3;
const WITHIN: usize = 50;
/// Endings of pictures that are none to count who looks at a page.
const PICTURES: &[&str] = &[".jpg", ".jpeg", ".png", ".webp", ".avif", ".svg"];

/// A page's elements, as they are shown.
pub struct Composed {
    /// They.
    pub tree: Html,
    /// What of the page was left out for its size.
    pub left: Left,
}

/// What of the documents within a page was left out.
#[derive(Default)]
pub struct Left {
    /// Tags beyond a depth.
    pub flat: bool,
    /// Documents, or their ends.
    pub inner: bool,
    /// Tags of them that were parsed.
    tags: usize,
}

/// A page's elements, as they are shown.
pub fn parsed(html: &str) -> Composed {
    let mut tree = Html::parse_document(html);
    let mut left = Left::default();
    compose(&mut tree.tree, 0, &mut left);
    Composed { tree, left }
}

fn compose(tree: &mut Tree<Node>, level: usize, left: &mut Left) {
    let (mut frames, mut unscripted, mut templates) = (Vec::new(), Vec::new(), Vec::new());
    for node in tree.nodes() {
        match element(node).map(Element::name) {
            Some("iframe") => frames.push(node.id()),
            Some("noscript") => unscripted.push(node.id()),
            Some("template") => templates.push(node.id()),
            _ => {}
        }
    }
    for node in frames {
        show_frame(tree, node, level, left);
    }
    for node in unscripted {
        show_unscripted(tree, node, level, left);
    }
    // Those around others stand before them.
    for node in templates {
        show_shadow(tree, node);
    }
}

fn element(node: NodeRef<'_, Node>) -> Option<&Element> {
    node.value().as_element()
}

/// The elements of what a page holds as text; `None` where there are too many pages within each other, or tags.
fn inner(html: &str, parse: fn(&str) -> Html, level: usize, left: &mut Left) -> Option<Tree<Node>> {
    let room = TAGS_MAX.saturating_sub(left.tags);
    if level >= LEVELS_MAX || room == 0 {
        left.inner = true;
        return None;
    }
    let end = end_of_tags(html, room);
    left.inner |= end.is_some();
    let html = end.map_or(html, |end| &html[..end]);
    left.tags += memchr::memchr_iter(b'<', html.as_bytes()).count();
    let flat = depth::flattened(html, DEPTH_MAX, DEPTH_KEPT);
    left.flat |= flat.is_some();
    let mut tree = parse(flat.as_deref().unwrap_or(html)).tree;
    compose(&mut tree, level + 1, left);
    Some(tree)
}

fn detach(tree: &mut Tree<Node>, nodes: impl IntoIterator<Item = NodeId>) {
    for node in nodes {
        if let Some(mut node) = tree.get_mut(node) {
            node.detach();
        }
    }
}

fn children(tree: &Tree<Node>, of: NodeId) -> Vec<NodeId> {
    tree.get(of).map_or_else(Vec::new, |node| node.children().map(|child| child.id()).collect())
}

/// A frame shows the document that stands in it. What else it holds is for browsers that know no frames.
fn show_frame(tree: &mut Tree<Node>, frame: NodeId, level: usize, left: &mut Left) {
    detach(tree, children(tree, frame));
    let held = tree.get(frame).and_then(element).and_then(|element| element.attr("srcdoc")).map(str::to_owned);
    let Some(html) = held.filter(|html| !html.trim().is_empty()) else { return };
    let Some(mut page) = inner(&html, Html::parse_document, level, left) else { return };
    // Its title is not the page's.
    let heads: Vec<_> = page.nodes().filter(|node| named(*node, &["head"])).map(|node| node.id()).collect();
    detach(&mut page, heads);
    let page = tree.extend_tree(page).id();
    if let Some(mut frame) = tree.get_mut(frame) {
        frame.append_id(page);
    }
}

/// What stands in for scripts is shown where the page doesn't show it already.
fn show_unscripted(tree: &mut Tree<Node>, node: NodeId, level: usize, left: &mut Left) {
    let Some(found) = tree.get(node) else { return };
    let in_head = found.parent().is_some_and(|parent| named(parent, &["head"]));
    let texts: Option<Vec<&str>> = found.children().map(|child| child.value().as_text().map(|text| &**text)).collect();
    let Some(html) = texts.filter(|_| !in_head).map(|texts| texts.concat()) else { return };
    detach(tree, children(tree, node));
    if html.trim().is_empty() {
        return;
    }
    let Some(mut page) = inner(&html, Html::parse_fragment, level, left) else { return };
    let unseen: Vec<_> = page.nodes().filter(|node| is_unseen(*node)).map(|node| node.id()).collect();
    detach(&mut page, unseen);
    let said = said(page.root(), page.root().id());
    let Some(found) = tree.get(node) else { return };
    if !said.is_empty() && found.parent().is_some_and(|around| self::said(around, node).contains(&said)) {
        return;
    }
    let beside = has_picture_beside(found);
    let is_repeated = |picture: NodeRef<'_, Node>| {
        element(picture).is_some_and(|one| one.name() == "img" && (beside || said.is_empty() && !shows_much(one)))
    };
    let repeated: Vec<_> = page.nodes().filter(|node| is_repeated(*node)).map(|node| node.id()).collect();
    detach(&mut page, repeated);
    // The parser puts all of it into an element of its own.
    let Some(whole) = page.root().first_child().map(|whole| whole.id()) else { return };
    let shown = children(&page, whole);
    detach(&mut page, [whole]);
    let mut top = page.root_mut();
    for node in shown {
        top.append_id(node);
    }
    let page = tree.extend_tree(page).id();
    if let Some(mut node) = tree.get_mut(node) {
        node.append_id(page);
    }
}

/// What the nodes around say, without one of them.
fn said(around: NodeRef<'_, Node>, without: NodeId) -> String {
    let is_shown = |node: &NodeRef<'_, Node>| {
        node.parent().is_none_or(|parent| {
            parent.id() != without && element(parent).is_none_or(|parent| !is(parent.name(), HIDDEN))
        })
    };
    let texts = around.descendants().take(LOOKED).filter(is_shown).filter_map(|node| node.value().as_text());
    one_line(&texts.map(|text| &**text).collect::<String>())
}

/// Whether browsers show nothing of an element, as of those that count who looks at a page.
fn is_unseen(node: NodeRef<'_, Node>) -> bool {
    let Some(element) = element(node) else { return false };
    let style = element.attr("style").unwrap_or_default().replace(' ', "").to_ascii_lowercase();
    let size = |name: &str| element.attr(name).and_then(|size| size.trim().trim_end_matches("px").parse::<f32>().ok());
    let is_point = ["width", "height"].iter().any(|name| size(name).is_some_and(|size| size <= 1.0));
    style.contains("display:none") || element.attr("hidden").is_some() || element.name() == "img" && is_point
}

/// Whether a picture says by its words or its name that it is one to look at.
fn shows_much(element: &Element) -> bool {
    let source = picture_source(element);
    let path = source.split(['?', '#']).next().unwrap_or_default().to_ascii_lowercase();
    let said = element.attr("alt").unwrap_or_default();
    !said.trim().is_empty() || PICTURES.iter().any(|ending| path.ends_with(ending))
}

/// Whether a picture stands beside an element, as that does which a script loads later.
fn has_picture_beside(node: NodeRef<'_, Node>) -> bool {
    let holds = |near: NodeRef<'_, Node>| near.descendants().take(WITHIN).any(|node| named(node, &["img"]));
    let is_one = |near: &NodeRef<'_, Node>| near.value().is_element();
    let before = node.prev_siblings().filter(is_one).take(BESIDE);
    before.chain(node.next_siblings().filter(is_one).take(BESIDE)).any(holds)
}

/// Whether an element declares the shadow root of the one around it.
fn is_shadow(node: NodeRef<'_, Node>) -> bool {
    let element = element(node).filter(|element| element.name() == "template");
    let mode = |element: &Element| {
        let mode = element.attr("shadowrootmode").or_else(|| element.attr("shadowroot"))?.trim().to_ascii_lowercase();
        Some(matches!(mode.as_str(), "open" | "closed"))
    };
    element.and_then(mode).unwrap_or(false)
}

/// An element with a shadow root shows that in place of its children; these stand in its slots.
fn show_shadow(tree: &mut Tree<Node>, template: NodeId) {
    let Some(found) = tree.get(template).filter(|node| is_shadow(*node)) else { return };
    let Some(host) = found.parent().filter(|host| host.value().is_element()) else { return };
    let Some(content) = found.first_child().filter(|content| content.value().is_fragment()) else { return };
    let slots = slots(content);
    let (host, content) = (host.id(), content.id());
    let held = children(tree, host);
    detach(tree, held.iter().copied());
    let mut filled = Vec::new();
    for child in held {
        let Some(found) = tree.get(child) else { continue };
        let name = match found.value() {
            Node::Text(_) => "",
            Node::Element(_) if is_shadow(found) => continue,
            Node::Element(element) => element.attr("slot").unwrap_or_default(),
            _ => continue,
        };
        let Some(slot) = slots.get(name).copied() else { continue };
        if !filled.contains(&slot) {
            // What it holds is shown where nothing is put into it.
            detach(tree, children(tree, slot));
            filled.push(slot);
        }
        if let Some(mut slot) = tree.get_mut(slot) {
            slot.append_id(child);
        }
    }
    if let Some(mut host) = tree.get_mut(host) {
        host.reparent_from_id_append(content);
    }
}

/// The first slot of each name, without those of what it holds for other shadow roots.
fn slots(content: NodeRef<'_, Node>) -> HashMap<String, NodeId> {
    let mut slots = HashMap::new();
    let mut next = content.first_child();
    while let Some(node) = next {
        if let Some(slot) = element(node).filter(|element| element.name() == "slot") {
            slots.entry(slot.attr("name").unwrap_or_default().to_owned()).or_insert(node.id());
        }
        next = node.first_child().filter(|_| !named(node, &["template"])).or_else(|| {
            let mut around =
                std::iter::successors(Some(node), NodeRef::parent).take_while(|one| one.id() != content.id());
            around.find_map(|one| one.next_sibling())
        });
    }
    slots
}

#[cfg(test)]
mod tests {
    use super::super::page;

    fn markdown(html: &str) -> String {
        page(html).markdown
    }

    #[test]
    fn a_shadow_root_is_shown_in_its_host_with_what_is_put_into_its_slots() {
        let html = "<x-card><template shadowrootmode=open><h2>Card</h2><slot name=b>none</slot><slot>empty</slot>\
            <slot name=c><p>default</p></slot><x-in><template shadowroot=closed>[<slot></slot>]</template>in</x-in></template>\
            <p>light</p><p slot=b>named</p><p slot=d>nowhere</p></x-card><template><p>hidden</p></template>";
        assert_eq!(markdown(html), "## Card\n\nnamed\n\nlight\n\ndefault\n\n[in]");
    }

    #[test]
    fn the_documents_of_frames_stand_in_their_place() {
        let html = "<title>T</title><p>a</p><iframe srcdoc=\"<title>U</title><p>Framed &amp;amp; kept</p><iframe \
            srcdoc='<i>deep</i>'></iframe>\">no frames</iframe><p>b</p><iframe src=x>no frames</iframe>";
        let found = page(html);
        assert_eq!((found.markdown.as_str(), found.title.as_str()), ("a\n\nFramed & kept\n\n*deep*\n\nb", "T"));
        let nested = (0..20).fold("<p>last</p>".to_owned(), |inner, at| {
            format!("<p>{at}</p><iframe srcdoc=\"{}\"></iframe>", inner.replace('&', "&amp;").replace('"', "&quot;"))
        });
        let found = page(&nested);
        assert!(found.cut && found.markdown.contains("12") && !found.markdown.contains("last"), "{}", found.markdown);
    }

    #[test]
    fn what_stands_in_for_scripts_is_shown_once() {
        let shown = |html: &str| markdown(&format!("<p>one</p>{html}<p>two</p>"));
        let plain = "one\n\ntwo";
        assert_eq!(shown("<noscript><p>Rate: <b>4.7</b> %</p></noscript>"), "one\n\nRate: **4.7** %\n\ntwo");
        assert_eq!(shown("<noscript><p>two</p></noscript>"), plain);
        assert_eq!(
            shown("<p><img data-src=a.jpg><noscript><img src=a.jpg></noscript></p>"),
            "one\n\n![](a.jpg)\n\ntwo"
        );
        assert_eq!(shown("<noscript><img src=a.jpg></noscript>"), "one\n\n![](a.jpg)\n\ntwo");
        for unseen in [
            "<img src=//a.example/tr?id=1 alt=x height=1 width=1>",
            "<img src=//a.example/p?c=1>",
            "<iframe src=x height=0 width=0 style='display: none'></iframe>",
            "<div style='display:none'>x</div>",
        ] {
            assert_eq!(shown(&format!("<noscript>{unseen}</noscript>")), plain, "{unseen}");
        }
    }
}
