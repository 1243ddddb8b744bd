//! How deep a page's elements are nested, by its tags, as a parser of HTML would nest them; and pages that are nested
//! too deep, without the tags beyond.

use std::collections::HashMap;
use std::hash::{DefaultHasher, Hash, Hasher};

use memchr::{memchr, memchr_iter, memmem};

use super::elements::{ENDS_FOREIGN, ENDS_P, FORMATTING, RAW, VOID, is};

/// How many formatting elements that are written alike go on.
const ALIKE_MAX: usize = 3;
/// Elements of which one ends the one before it.
const SLOTS: usize = 7;
const P: usize = 0;
const LI: usize = 1;
const DD: usize = 2;
const CELL: usize = 3;
const ROW: usize = 4;
const PART: usize = 5;
const OPTION: usize = 6;

/// The slot that an element takes, those whose elements it ends, and those that it hides from what it holds.
fn slots(name: &str) -> (Option<usize>, &'static [usize], &'static [usize]) {
    match name {
        "p" => (Some(P), &[P], &[]),
        "li" => (Some(LI), &[LI, P], &[]),
        "dd" | "dt" => (Some(DD), &[DD, P], &[]),
        "td" | "th" | "caption" => (Some(CELL), &[CELL], &[P, LI, DD, OPTION]),
        "tr" => (Some(ROW), &[ROW, CELL], &[]),
        "thead" | "tbody" | "tfoot" => (Some(PART), &[PART, ROW, CELL], &[]),
        "table" => (None, &[], &[P, LI, DD, CELL, ROW, PART, OPTION]),
        "option" => (Some(OPTION), &[OPTION], &[]),
        "button" | "object" | "applet" | "marquee" | "template" | "foreignobject" => {
            (None, &[], &[P, LI, DD, CELL, ROW, PART, OPTION])
        }
        "div" | "address" => (None, &[P], &[]),
        _ if is(name, ENDS_P) => (None, &[P], &[LI, DD]),
        _ => (None, &[], &[]),
    }
}

/// A tag, or what else begins with `<`.
pub struct Tag {
    /// Its name in lower case, empty where it is none.
    pub name: String,
    /// Whether it ends an element.
    pub ends: bool,
    /// Whether it ends itself: `<path/>`.
    closed: bool,
    /// One past its last byte.
    pub end: usize,
}

/// The tag at a `<`.
pub fn tag(html: &str, at: usize) -> Tag {
    let rest = &html.as_bytes()[at..];
    let none = |size: usize| Tag { name: String::new(), ends: false, closed: false, end: at + size };
    if rest.starts_with(b"<!--") {
        // `<!-->` is a whole comment.
        return none(memmem::find(&rest[2..], b"-->").map_or(rest.len(), |end| end + 5));
    }
    let ends = rest.get(1) == Some(&b'/');
    let start = 1 + usize::from(ends);
    let name = rest.get(start..).unwrap_or_default();
    let size = name.iter().position(|byte| byte.is_ascii_whitespace() || b"/>".contains(byte)).unwrap_or(name.len());
    if !name.first().is_some_and(u8::is_ascii_alphabetic) {
        return none(1);
    }
    let mut end = start + size;
    // A quote opens a value only behind its `=`.
    let mut due = false;
    while let Some(&byte) = rest.get(end) {
        match byte {
            b'>' => break,
            b'"' | b'\'' if due => end += memchr(byte, &rest[end + 1..]).map_or(0, |size| size + 1),
            _ => {}
        }
        due = byte == b'=' || (due && byte.is_ascii_whitespace());
        end += 1;
    }
    let closed = rest.get(end - 1) == Some(&b'/');
    let name = String::from_utf8_lossy(&name[..size.min(24)]).to_ascii_lowercase();
    Tag { name, ends, closed, end: at + (end + 1).min(rest.len()) }
}

/// An element that is open.
struct Open {
    name: String,
    /// For each slot, one more than the place of the element that holds it, of those that can be ended from here.
    slots: [usize; SLOTS],
    /// Whether it belongs to a drawing or a formula.
    foreign: bool,
}

/// A formatting element that goes on.
struct Format {
    name: String,
    /// How it is written.
    tag: u64,
    /// Elements that were open when it began, or was begun again.
    within: usize,
}

#[derive(Default)]
struct Nesting {
    open: Vec<Open>,
    /// How many of each name are open.
    names: HashMap<String, usize>,
    formats: Vec<Format>,
    formats_named: HashMap<String, usize>,
    alike: HashMap<u64, usize>,
}

impl Nesting {
    fn depth(&self) -> usize {
        self.open.len() + self.formats.len()
    }

    fn is_foreign(&self) -> bool {
        self.open.last().is_some_and(|open| open.foreign)
    }

    /// Ends elements until so many are open.
    fn end_to(&mut self, count: usize) {
        let mut marker = None;
        while self.open.len() > count {
            let Some(ended) = self.open.pop() else { break };
            if let Some(number) = self.names.get_mut(&ended.name) {
                *number = number.saturating_sub(1);
            }
            // What a cell or an object formats ends with it.
            if matches!(ended.name.as_str(), "td" | "th" | "caption" | "object" | "applet" | "marquee" | "template") {
                marker = Some(self.open.len());
            }
        }
        let mut at = self.formats.len();
        while at > 0 && self.formats[at - 1].within > count {
            at -= 1;
            let format = &mut self.formats[at];
            let alike = self.alike.entry(format.tag).or_default();
            if marker.is_some_and(|marker| format.within > marker) || *alike > ALIKE_MAX {
                *alike = alike.saturating_sub(1);
                let format = self.formats.remove(at);
                self.formats_named.entry(format.name).and_modify(|number| *number = number.saturating_sub(1));
            } else {
                format.within = count;
            }
        }
    }

    fn end_format(&mut self, name: &str) {
        if self.formats_named.get(name).is_none_or(|number| *number == 0) {
            return;
        }
        if let Some(at) = self.formats.iter().rposition(|format| format.name == name) {
            let format = self.formats.remove(at);
            self.formats_named.entry(format.name).and_modify(|number| *number = number.saturating_sub(1));
            self.alike.entry(format.tag).and_modify(|alike| *alike = alike.saturating_sub(1));
        }
    }

    /// Begins an element, and ends those that it ends; says whether it does not lie deeper than `most`.
    fn start(&mut self, tag: &Tag, written: &str, most: usize) -> bool {
        let name = tag.name.as_str();
        if self.is_foreign() && is(name, ENDS_FOREIGN) {
            let first = self.open.iter().rposition(|open| !open.foreign).map_or(0, |at| at + 1);
            self.end_to(first);
        }
        let foreign = self.is_foreign();
        if foreign && tag.closed {
            return true;
        }
        if is(name, FORMATTING) && !foreign {
            if name == "a" {
                self.end_format(name);
            }
            if self.depth() >= most {
                return false;
            }
            let mut hasher = DefaultHasher::new();
            written.hash(&mut hasher);
            let tag = hasher.finish();
            *self.alike.entry(tag).or_default() += 1;
            *self.formats_named.entry(name.to_owned()).or_default() += 1;
            self.formats.push(Format { name: name.to_owned(), tag, within: self.open.len() });
            return true;
        }
        let (takes, ends, hides) = if foreign { slots("") } else { slots(name) };
        let held = |open: Option<&Open>| open.map_or([0; SLOTS], |open| open.slots);
        let ended = ends.iter().map(|slot| held(self.open.last())[*slot]).filter(|place| *place > 0).min();
        if let Some(place) = ended {
            self.end_to(place - 1);
        }
        if is(name, VOID) {
            return true;
        }
        if self.depth() >= most {
            return false;
        }
        let mut slots = held(self.open.last());
        for slot in hides {
            slots[*slot] = 0;
        }
        if let Some(slot) = takes {
            slots[slot] = self.open.len() + 1;
        }
        let foreign = match name {
            "svg" | "math" => true,
            "foreignobject" | "annotation-xml" | "desc" => false,
            _ => foreign,
        };
        *self.names.entry(name.to_owned()).or_default() += 1;
        self.open.push(Open { name: name.to_owned(), slots, foreign });
        true
    }

    fn end(&mut self, name: &str) {
        if self.names.get(name).is_some_and(|number| *number > 0) {
            let at = self.open.iter().rposition(|open| open.name == name);
            self.end_to(at.unwrap_or(self.open.len()));
        } else if is(name, FORMATTING) {
            self.end_format(name);
        }
    }
}

/// The page without the tags of elements that lie deeper than `kept`, where it is nested deeper than `most`; `None`
/// where it is not.
#[must_use]
pub fn flattened(html: &str, most: usize, kept: usize) -> Option<String> {
    // With fewer tags than that it cannot be.
    memchr_iter(b'<', html.as_bytes()).nth(most)?;
    scan(html, most).is_none().then(|| {
        let mut flat = String::with_capacity(html.len());
        let mut copied = 0;
        scan_with(html, kept, &mut |start, end| {
            flat.push_str(html.get(copied..start).unwrap_or_default());
            // What stood apart stays apart.
            flat.push(' ');
            copied = end;
        });
        flat.push_str(html.get(copied..).unwrap_or_default());
        flat
    })
}

/// Walks through the tags; `None` where they nest deeper.
fn scan(html: &str, most: usize) -> Option<()> {
    let mut is_deep = false;
    scan_with(html, most, &mut |_, _| is_deep = true);
    (!is_deep).then_some(())
}

/// Calls `beyond` with every tag of an element that lies deeper than `most`.
fn scan_with(html: &str, most: usize, beyond: &mut dyn FnMut(usize, usize)) {
    let mut nesting = Nesting::default();
    // Elements whose first tag was one too many.
    let mut left: HashMap<String, usize> = HashMap::new();
    let mut at = 0;
    while let Some(found) = memchr(b'<', &html.as_bytes()[at..]) {
        at += found;
        let tag = tag(html, at);
        let start = std::mem::replace(&mut at, tag.end);
        let is_left = left.get(&tag.name).is_some_and(|number| *number > 0);
        if tag.name.is_empty() {
            continue;
        }
        if tag.ends {
            match left.get_mut(&tag.name).filter(|_| is_left) {
                Some(number) => {
                    *number -= 1;
                    beyond(start, tag.end);
                }
                None => nesting.end(&tag.name),
            }
            continue;
        }
        if is(&tag.name, RAW) && !(nesting.is_foreign() && tag.closed) {
            at = end_of_raw(html, at, &tag.name);
            continue;
        }
        if !nesting.start(&tag, html.get(start..tag.end).unwrap_or_default(), most) {
            *left.entry(tag.name).or_default() += 1;
            beyond(start, tag.end);
        }
    }
}

/// Where the tag stands that ends an element that holds text.
fn end_of_raw(html: &str, from: usize, name: &str) -> usize {
    let bytes = html.as_bytes();
    let ends = |at: &usize| {
        let rest = &bytes[at + 2..];
        let after = rest.get(name.len()).is_none_or(|byte| byte.is_ascii_whitespace() || b"/>".contains(byte));
        rest.get(..name.len()).is_some_and(|found| found.eq_ignore_ascii_case(name.as_bytes())) && after
    };
    let found = memmem::find_iter(&bytes[from..], b"</").map(|at| from + at).find(ends);
    found.map_or(html.len(), |at| tag(html, at).end)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn depth(html: &str) -> usize {
        (0..).find(|most| scan(html, *most).is_some()).unwrap()
    }

    #[test]
    fn depth_is_that_of_the_parsed_page() {
        for (html, expected) in [
            ("<div><p>a<p>b<p>c</div>", 2),
            ("<ul><li>a<li>b<ul><li>c</ul><li>d</ul>", 4),
            ("<table><tr><td>a<td>b<tr><td>c<tbody><tr><th>d</table>", 4),
            ("<dl><dt>a<dd>b<dt>c</dl><select><option>a<option>b</select>", 2),
            ("<script>for(i=0;i<n;i++){x='<b><i><u><s>'}</script><style>a<b<c{}</style>x", 0),
            ("<svg><path/><path d='a>b'/><g><path/></g></svg><math><mi>x</mi></math>", 2),
            ("<svg><g><div><div/><div/>", 3),
            ("<a name=1>x<a name=2>y<a name=3>z", 1),
            ("<p><b>x<p><b>x<p><b>x<p><b>x<p><b>x<p><b>x", 5),
            ("<p><font size=1>x<p><font size=2>x<p><font size=3>x<p><font size=4>x", 5),
            ("<table><tr><td><b>x<td><b>x<td><b>x<td><b>x<td><b>x</table>", 4),
            ("<!-- <b><i><u> --><img alt='<b><i>'><br/><input/><span title=a/b>x</span></i></b></span>", 1),
            ("<i><i><i><i><i><i>x", 6),
            ("a < b <", 0),
        ] {
            assert_eq!(depth(html), expected, "{html}");
        }
    }

    #[test]
    fn what_is_nested_too_deep_stays_without_its_tags() {
        assert_eq!(flattened("<div><div>a</div></div>", 2, 1), None);
        let html = "<div><div><div>a<img src=b></div>c</div>d</div><h1>e</h1>";
        assert_eq!(flattened(html, 2, 1).unwrap(), "<div>  a<img src=b> c d</div><h1>e</h1>");
    }
}
