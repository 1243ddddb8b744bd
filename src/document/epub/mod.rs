//! EPUB: what the book says of itself, then its chapters in the order of its spine, with the pages of its print.

mod pages;

use std::collections::{HashMap, HashSet};

use crate::document::heading;
use crate::document::html;
use crate::document::input::{Failure, Input};
use crate::document::markup::{self, Event};
use crate::document::office::package::{Package, resolve};
use crate::document::out::Out;
use crate::document::page::Numbering;
use crate::document::piece::{Place, PlaceKind};
use crate::document::typed::is_heading;
use pages::Pages;

/// Bytes of one chapter that are parsed.
const CHAPTER_MAX: usize = 32 << 20;
/// How fonts are made useless outside their book.
const VEILS: &[&str] = &["http://www.idpf.org/2008/embedding", "http://ns.adobe.com/pdf/enc#RC"];
/// What the book says of itself, as `MarkItDown` names it.
const FACTS: &[(&str, &str)] = &[
    ("title", "Title"),
    ("creator", "Authors"),
    ("language", "Language"),
    ("publisher", "Publisher"),
    ("date", "Date"),
    ("description", "Description"),
    ("identifier", "Identifier"),
];

/// A book as Markdown.
///
/// # Errors
/// Where it has no chapters.
pub fn convert(input: &Input<'_>, out: &mut Out<'_>) -> Result<(), Failure> {
    let mut package = Package::open(input, out)?;
    let root = root(&mut package, out)?;
    let book = match &root {
        Some(root) => Book::read(&mut package, root)?,
        None => Book::default(),
    };
    let mut said = Vec::new();
    for (name, title) in FACTS {
        let values: Vec<&str> =
            book.facts.iter().filter(|(known, _)| known == name).map(|(_, value)| value.as_str()).collect();
        // Authors are several; of the rest the first counts.
        let value = if *name == "creator" {
            values.join(", ")
        } else {
            values.first().map_or(String::new(), |one| (*one).to_owned())
        };
        if !value.is_empty() {
            // A description is often written in HTML; all else is plain text.
            let is_html = *name == "description" && value.contains('<');
            let value = if is_html { html::page(&value).markdown } else { value };
            out.fact(&title.to_lowercase(), &value);
            let shown = if is_html { value } else { heading::plain(&value) };
            said.push(format!("**{title}:** {shown}"));
        }
    }
    out.block(&said.join("\n"))?;
    let mut pages = Pages::read(&mut package, &book.page_lists)?;
    let mut chapters = book.chapters;
    let is_page = |name: &&String| name.ends_with(".xhtml") || name.ends_with(".html") || name.ends_with(".htm");
    if chapters.is_empty() {
        out.note("the book names no chapters; all its pages follow in the order of the file");
        chapters = package.names().iter().filter(is_page).cloned().collect();
    } else if root.is_some_and(|root| package.is_damaged(&root)) {
        let unnamed = |name: &&String| !chapters.contains(name) && !book.page_lists.contains(name);
        let others: Vec<String> = package.names().iter().filter(is_page).filter(unnamed).cloned().collect();
        chapters.extend(others);
    }
    if chapters.is_empty() {
        return Err(Failure::Damaged("it has no chapters".to_owned()));
    }
    let locked = locked(&mut package)?;
    package.say_damaged(out);
    let is_locked = |name: &String| locked.contains(name);
    if chapters.iter().all(is_locked) {
        let why = "its chapters are encrypted against copying (DRM); only its seller's programs read them";
        return Err(Failure::Damaged(why.to_owned()));
    }
    let total = chapters.len() as u64;
    out.fact("chapters", total);
    let mut title_before = String::new();
    for (number, name) in (1u32..).zip(&chapters) {
        out.blank_line()?;
        if is_locked(name) {
            out.anchor(Place::numbered(PlaceKind::Chapter, number))?;
            out.note("the chapter is encrypted");
            continue;
        }
        let text = package.text(name).map(|text| text.map(|mut text| text.all(CHAPTER_MAX)));
        match text {
            Ok(Some(Ok(text))) => {
                // A book's pages are XHTML, as reading systems take them.
                let page = html::book_page(&text, pages.ids(name));
                let (told, begun) = pages.named(name, page.pages);
                // A file that is not listed is called as it says; one that says nothing goes on with the chapter
                // before it, as does one whose chapters begin later in it.
                let (before, is_named) = (pages.begun(), pages.is_named(name));
                let own = || own_title(&page.title, &page.markdown, &title_before);
                let title = told.or_else(|| if is_named { before.or_else(own) } else { own().or(before) });
                let title = title.or_else(|| Some(page.title.clone()).filter(|title| !title.is_empty()));
                let chapter = Place { kind: PlaceKind::Chapter, number, name: title, numbering: Numbering::Told };
                out.anchor(chapter.clone())?;
                title_before.clone_from(&page.title);
                if text.trim().is_empty() {
                    out.note("the chapter's file holds nothing");
                } else if page.markdown.trim().is_empty() {
                    out.note("the chapter holds nothing that can be shown");
                }
                pages.write(name, chapter, &page.markdown, begun, out)?;
                package.say_cut(name, "chapter", out);
            }
            Ok(Some(Err(why))) => {
                out.anchor(Place::numbered(PlaceKind::Chapter, number))?;
                out.note(format!("the chapter cannot be read: {why}"));
            }
            Err(why) => {
                out.anchor(Place::numbered(PlaceKind::Chapter, number))?;
                out.note(format!("the chapter cannot be read: {why}"));
            }
            Ok(None) => {
                out.anchor(Place::numbered(PlaceKind::Chapter, number))?;
                out.note(format!("the chapter's file is missing: {name}"));
            }
        }
        out.progress(u64::from(number), total)?;
    }
    Ok(())
}

/// The parts that are encrypted. Fonts are only veiled, and so is whatever is encrypted that way: it is nobody's text.
fn locked(package: &mut Package<'_>) -> Result<HashSet<String>, Failure> {
    let mut found = HashSet::new();
    let Some(text) = package.small("META-INF/encryption.xml")? else {
        return Ok(found);
    };
    let mut events = markup::reader(text);
    let mut buffer = Vec::new();
    let mut veiled = false;
    loop {
        buffer.clear();
        match events.read_event_into(&mut buffer) {
            Ok(Event::Start(element) | Event::Empty(element)) => match element.local_name().into_inner() {
                "EncryptedData" => veiled = false,
                "EncryptionMethod" => {
                    let method = markup::attribute(&element, "Algorithm").unwrap_or_default();
                    veiled |= VEILS.contains(&method.as_str());
                }
                "CipherReference" if !veiled => {
                    let path = markup::attribute(&element, "URI").unwrap_or_default();
                    found.insert(resolve("", &html::percent_decoded(&path)));
                }
                _ => {}
            },
            Ok(Event::Eof) | Err(_) => return Ok(found),
            Ok(_) => {}
        }
    }
}

/// What a page says that it is: its title, where that is not the same as of the file before it, or its first heading.
fn own_title(title: &str, markdown: &str, before: &str) -> Option<String> {
    let heading = || {
        let heading = markdown.lines().find(|line| is_heading(line));
        heading.map(|line| heading::said(line).trim().to_owned()).filter(|heading| !heading.is_empty())
    };
    Some(title.to_owned()).filter(|title| !title.is_empty() && title != before).or_else(heading)
}

/// The kind of the files that describe a book.
const PACKAGE: &str = "application/oebps-package+xml";

/// The path of the file that describes the book: the first of those that are named and there, and of the kind that is read
/// here; else any that looks like one. Where what is named is missing, that is said.
fn root(package: &mut Package<'_>, out: &mut Out<'_>) -> Result<Option<String>, Failure> {
    let mut named: Vec<(String, Option<String>)> = Vec::new();
    if let Some(text) = package.small("META-INF/container.xml")? {
        let mut events = markup::reader(text);
        let mut buffer = Vec::new();
        loop {
            buffer.clear();
            match events.read_event_into(&mut buffer) {
                Ok(Event::Start(element) | Event::Empty(element))
                    if element.local_name().into_inner() == "rootfile" =>
                {
                    let get = |name| markup::attribute(&element, name);
                    named.extend(get("full-path").map(|path| (path, get("media-type"))));
                }
                Ok(Event::Eof) | Err(_) => break,
                Ok(_) => {}
            }
        }
    }
    let is_kind = |kind: &Option<String>| kind.as_ref().is_none_or(|kind| kind.trim() == PACKAGE);
    let books = || named.iter().filter(|(path, kind)| is_kind(kind) || is_description(path)).map(|(path, _)| path);
    if let Some(found) = books().find(|path| package.has(path)) {
        return Ok(Some(found.clone()));
    }
    let other = package.names().iter().find(|name| is_description(name)).cloned();
    if let (Some(missing), Some(other)) = (books().next(), &other) {
        out.note(format!("the file that should describe the book is missing: {missing}; {other} is read"));
    }
    // One of another kind that is there may be called wrongly.
    Ok(other.or_else(|| named.iter().map(|(path, _)| path).find(|path| package.has(path)).cloned()))
}

/// Whether a file is called as those are that describe a book.
fn is_description(name: &str) -> bool {
    name.to_ascii_lowercase().ends_with(".opf")
}

/// What the book's own description says.
#[derive(Default)]
struct Book {
    facts: Vec<(String, String)>,
    /// Paths of the chapters, in order.
    chapters: Vec<String>,
    /// Paths of the files that may list its chapters and the pages of its print, the better first.
    page_lists: Vec<String>,
}

impl Book {
    fn read(package: &mut Package<'_>, root: &str) -> Result<Book, Failure> {
        let mut book = Book::default();
        let folder = root.rsplit_once('/').map_or("", |(folder, _)| folder);
        let Some(text) = package.small(root)? else {
            return Ok(book);
        };
        // Some write what stands for a sign of a name into the archive as it stands in the list.
        let encoded: HashSet<String> = package.names().iter().filter(|name| name.contains('%')).cloned().collect();
        let mut events = markup::reader(text);
        let mut buffer = Vec::new();
        let mut files: HashMap<String, String> = HashMap::new();
        let (mut name, mut value) = (String::new(), String::new());
        loop {
            buffer.clear();
            match events.read_event_into(&mut buffer) {
                Ok(Event::Start(element) | Event::Empty(element)) => {
                    let local = element.local_name().into_inner();
                    let get = |name| markup::attribute(&element, name);
                    match local {
                        // What stands within one is of it, whatever holds it.
                        fact if FACTS.iter().any(|(known, _)| *known == fact) => {
                            fact.clone_into(&mut name);
                            value.clear();
                        }
                        "item" => {
                            if let (Some(id), Some(path)) = (get("id"), get("href")) {
                                let path = path.split('#').next().unwrap_or_default();
                                let written = Some(resolve(folder, path)).filter(|path| encoded.contains(path));
                                let path = written.unwrap_or_else(|| resolve(folder, &html::percent_decoded(path)));
                                if get("properties").is_some_and(|all| all.split(' ').any(|one| one == "nav")) {
                                    book.page_lists.insert(0, path.clone());
                                } else if get("media-type").is_some_and(|kind| kind == pages::NCX) {
                                    book.page_lists.push(path.clone());
                                }
                                files.insert(id, path);
                            }
                        }
                        "itemref" => {
                            if let Some(path) = get("idref").and_then(|id| files.get(&id)) {
                                book.chapters.push(path.clone());
                            }
                        }
                        _ => {}
                    }
                }
                Ok(Event::Text(text)) if !name.is_empty() => value.push_str(&text.xml10_content()),
                Ok(Event::CData(text)) if !name.is_empty() => value.push_str(&text.xml10_content()),
                Ok(Event::GeneralRef(reference)) if !name.is_empty() => value.push_str(&markup::entity(&reference)),
                Ok(Event::End(element)) if element.local_name().into_inner() == name => {
                    let (name, value) = (std::mem::take(&mut name), std::mem::take(&mut value));
                    if !value.trim().is_empty() {
                        book.facts.push((name, value.trim().to_owned()));
                    }
                }
                Ok(Event::Eof) | Err(_) => return Ok(book),
                Ok(_) => {}
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use crate::document::testing::{converted, zip};

    #[test]
    fn of_several_files_that_could_describe_a_book_one_that_does_and_is_there_is_read() {
        let book = |chapter: &str| {
            format!(
                "<package><metadata><title>T</title></metadata><manifest><item id='c' href='{chapter}'/></manifest>\
                 <spine><itemref idref='c'/></spine></package>"
            )
        };
        let file = |path: &str, kind: &str| format!("<rootfile full-path='{path}'{kind}/>");
        let (own, foreign) = (" media-type='application/oebps-package+xml'", " media-type='application/pdf'");
        let read = |roots: &[String], others: bool| {
            let container = format!("<container><rootfiles>{}</rootfiles></container>", roots.concat());
            let (one, two, other) = (book("1.html"), book("2.html"), book("3.html"));
            let page = |word: &str| format!("<html><body><p>{word}</p></body></html>");
            let pages = ["one", "two", "three"].map(page);
            let parts = [
                ("mimetype", "application/epub+zip"),
                ("META-INF/container.xml", &container),
                ("z/other.opf", &other),
                ("o/a.opf", &one),
                ("o/b.xml", &two),
                ("o/book.pdf", "%PDF-1.4"),
                ("o/1.html", &pages[0]),
                ("o/2.html", &pages[1]),
                ("z/3.html", &pages[2]),
            ];
            let parts: Vec<_> = parts.into_iter().filter(|(name, _)| others || !name.ends_with(".opf")).collect();
            let found = converted("a.epub", &zip(&parts), None);
            let chapter = found.markdown.strip_prefix("**Title:** T\n\n").map(|rest| rest.trim().to_owned());
            (chapter.unwrap_or_default(), found.notes.len())
        };
        for (roots, chapter, notes) in [
            (vec![file("o/book.pdf", foreign), file("o/a.opf", own)], "one", 0),
            (vec![file("missing.pdf", foreign), file("o/b.xml", own)], "two", 0),
            (vec![file("missing.opf", own), file("o/b.xml", "")], "two", 0),
            (vec![file("o/a.opf", ""), file("o/b.xml", own)], "one", 0),
            (vec![file("missing.opf", own)], "three", 1),
            (vec![file("o/book.pdf", foreign)], "three", 0),
        ] {
            assert_eq!(read(&roots, true), (chapter.to_owned(), notes), "{roots:?}");
        }
        let called_wrongly = [file("missing.opf", own), file("o/b.xml", " media-type='text/xml'")];
        assert_eq!(read(&called_wrongly, false), ("two".to_owned(), 0));
    }

    #[test]
    fn title_and_authors_are_plain_text() {
        let book = "<package><metadata><title>vector&lt;int&gt; in R&amp;D</title><creator>R&amp;D &lt;team&gt;</creator>\
            <description>&lt;p&gt;About &lt;b&gt;it&lt;/b&gt;&lt;/p&gt;</description></metadata>\
            <manifest><item id='c' href='c.html'/></manifest><spine><itemref idref='c'/></spine></package>";
        let page = "<html><body><h1>The __init__ of &lt;T&gt;</h1></body></html>";
        let found = converted("a.epub", &zip(&[("b.opf", book), ("c.html", page)]), None);
        let facts = ["title", "authors", "description"].map(|name| found.fact(name));
        assert_eq!(facts, [Some("vector<int> in R&D"), Some("R&D <team>"), Some("About **it**")]);
        let head = "**Title:** vector\\<int> in R&D\n**Authors:** R&D \\<team>\n**Description:** About **it**";
        assert!(found.markdown.starts_with(head), "{}", found.markdown);
        // A chapter without a title is called as its heading says.
        let name = found.anchors.iter().find_map(|anchor| anchor.place.name.as_deref());
        assert_eq!(name, Some("The __init__ of <T>"));
    }

    #[test]
    fn chapters_begin_where_the_table_of_contents_leads_to() {
        let names = ["cover", "a", "c", "d", "e"];
        let items = names.map(|name| format!("<item id='{name}' href='{name}.html'/>")).concat();
        let spine = names.map(|name| format!("<itemref idref='{name}'/>")).concat();
        let book = format!(
            "<package><metadata><title>T</title></metadata><manifest>{items}<item id='n' href='n.ncx' \
             media-type='application/x-dtbncx+xml'/></manifest><spine toc='n'>{spine}</spine></package>"
        );
        let entries = [("Ch A", "a.html"), ("Ch C", "c.html#x"), ("Ch D", "c.html#y"), ("Ch E", "e.html#gone")];
        let entry =
            |(name, to)| format!("<navPoint><navLabel><text>{name}</text></navLabel><content src='{to}'/></navPoint>");
        let contents = format!("<ncx><navMap>{}</navMap></ncx>", entries.map(entry).concat());
        let page = |body: &str| format!("<html><head><title>T, the book</title></head><body>{body}</body></html>");
        let pages = [
            "<p>Cover</p>",
            "<p>text A</p>",
            "<p>more of A</p><p id='x'>text C</p><p>and</p><p id='y'>text D</p>",
            "<p>more of D</p>",
            "<p>text E</p>",
        ]
        .map(page);
        let files = names.map(|name| format!("{name}.html"));
        let mut parts = vec![("b.opf", book.as_str()), ("n.ncx", contents.as_str())];
        parts.extend(files.iter().map(String::as_str).zip(pages.iter().map(String::as_str)));
        let found = converted("a.epub", &zip(&parts), None);
        let told = found.anchors.iter().map(|anchor| {
            let text = &found.markdown[usize::try_from(anchor.byte).unwrap()..];
            format!("{}: {}", anchor.place, text.trim_start().lines().next().unwrap())
        });
        assert_eq!(
            told.collect::<Vec<_>>(),
            [
                "chapter 1 T, the book: Cover",
                "chapter 2 Ch A: text A",
                "chapter 3 Ch A: more of A",
                "chapter 3 Ch C: text C",
                "chapter 3 Ch D: text D",
                "chapter 4 Ch D: more of D",
                "chapter 5 Ch E: text E",
            ]
        );
    }

    #[test]
    fn sections_within_a_chapter_are_told_with_it() {
        let items = ["a", "b", "c"].map(|name| format!("<item id='{name}' href='{name}.html'/>")).concat();
        let spine = ["a", "b", "c"].map(|name| format!("<itemref idref='{name}'/>")).concat();
        let book = |list: &str| {
            format!("<package><metadata/><manifest>{items}{list}</manifest><spine toc='n'>{spine}</spine></package>")
        };
        let point = |name: &str, to: &str, within: &str| {
            format!("<navPoint><navLabel><text>{name}</text></navLabel><content src='{to}'/>{within}</navPoint>")
        };
        let item = |name: &str, to: &str, within: &str| {
            let within = if within.is_empty() { String::new() } else { format!("<ol>{within}</ol>") };
            format!("<li><a href='{to}'>{name}</a>{within}</li>")
        };
        // A part that holds the chapters, of which one has sections, and one of those has some.
        let contents = |entry: &dyn Fn(&str, &str, &str) -> String| {
            let small = entry("Small", "b.html#s", "");
            let sections = [entry("Begin", "b.html#x", &small), entry("End", "b.html#y", "")].concat();
            let chapters = [entry("Growth", "b.html", &sections), entry("Decline", "c.html#d", "")].concat();
            entry("Part", "a.html", &chapters)
        };
        let ncx = format!("<ncx><navMap>{}</navMap></ncx>", contents(&point));
        let nav = format!("<html><nav epub:type='toc'><ol>{}</ol></nav></html>", contents(&item));
        let lists = [
            ("<item id='n' href='n.ncx' media-type='application/x-dtbncx+xml'/>", "n.ncx", ncx),
            ("<item id='n' href='n.html' properties='nav'/>", "n.html", nav),
        ];
        for (listed, name, list) in lists {
            let page = "<p>first</p><p id='x'>begin</p><p id='s'>small</p><p id='y'>end</p>";
            let parts = [
                ("b.opf", &*book(listed)),
                (name, &*list),
                ("a.html", "<p>part</p>"),
                ("b.html", page),
                ("c.html", "<p>more</p><p id='d'>decline</p>"),
            ];
            let found = converted("a.epub", &zip(&parts), None);
            let told: Vec<String> = found.anchors.iter().map(|anchor| anchor.place.to_string()).collect();
            let known = [
                "chapter 1 Part",
                "chapter 2 Growth",
                "chapter 2 Growth › Begin",
                "chapter 2 Growth › Begin › Small",
                "chapter 2 Growth › End",
                "chapter 3 Growth › End",
                "chapter 3 Decline",
            ];
            assert_eq!(told, known, "{name}");
        }
    }

    #[test]
    fn a_chapter_that_shows_nothing_is_told_of() {
        let book = "<package><manifest><item id='c' href='c.html'/><item id='e' href='e.html'/></manifest>\
            <spine><itemref idref='c'/><itemref idref='e'/></spine></package>";
        let (page, empty) =
            ("<html><body><p>Some words</p></body></html>", "<html><head><title>E</title></head><body/></html>");
        let found = converted("a.epub", &zip(&[("b.opf", book), ("c.html", page), ("e.html", empty)]), None);
        let notes: Vec<String> = found.notes.iter().map(ToString::to_string).collect();
        assert_eq!(notes, ["chapter 2 E: the chapter holds nothing that can be shown"]);
    }
}
