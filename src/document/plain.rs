//! Workbooks that are whole, and written in a way that their readers do not know: parts in another encoding than UTF-8, links
//! of a binary one that lead to its sheets from the root or with backslashes, and sheets of it that have one name.

use std::io::{BufReader, Cursor, Read};

use super::encoding::looks_wide;
use super::input::Failure;
use super::markup::{self, Event};
use super::office::damaged::is_xml;
use super::office::package::resolve;
use super::out::Out;
use super::records;
use super::rewritten::Rewritten;
use super::unlisted::{Needed, Opened};
use super::workbook::relations;
use quick_xml::escape::escape;

/// The list of the sheets of a binary workbook, and what leads from there to them.
const BOOK: &str = "xl/workbook.bin";
const LINKS: &str = "xl/_rels/workbook.bin.rels";
/// Bytes of a part that tell its encoding.
const HEAD: u64 = 1024;
/// Bytes that all parts may have that are written anew.
const ALL_MAX: u64 = 256 << 20;

/// A workbook with such parts written anew.
pub struct Plain<'a> {
    /// Its zip.
    pub zip: Opened<'a>,
    /// The names of its sheets where its reader knows them by numbers.
    pub names: Option<Vec<String>>,
}

/// A workbook with such parts written anew; `None` where there are none.
///
/// # Errors
/// Where it cannot be read.
pub fn open<'a>(zip: &Opened<'a>, needed: Needed, out: &mut Out<'_>) -> Result<Option<Plain<'a>>, Failure> {
    let (mut names, mut left, mut is_over) = (None, ALL_MAX, false);
    let made = Rewritten::of(zip, |zip, number, listed| {
        let Ok(part) = zip.by_index(number) else { return Ok(None) };
        let mut part = part.take(left);
        let Some(bytes) = anew(&listed.name, &mut part, &mut names) else { return Ok(None) };
        is_over |= part.limit() == 0;
        left = left.saturating_sub(bytes.len() as u64);
        out.beat(bytes.len() as u64)?;
        Ok(Some(bytes))
    })?;
    Ok(made.filter(|made| !made.is_same && !is_over).map(|made| Plain { zip: made.opened(needed), names }))
}

/// A part as readers know it; `None` where it is so, or cannot be read.
fn anew(name: &str, mut part: impl Read, names: &mut Option<Vec<String>>) -> Option<Vec<u8>> {
    if name == BOOK {
        let (book, told) = records::numbered(&whole(part)?)?;
        *names = Some(told);
        return Some(book);
    }
    if name == LINKS {
        return plain_links(&whole(part)?);
    }
    if !is_xml(name) {
        return None;
    }
    let mut head = Vec::new();
    part.by_ref().take(HEAD).read_to_end(&mut head).ok()?;
    if !is_other(&head) {
        return None;
    }
    let mut text = markup::text(Box::new(BufReader::new(Cursor::new(head).chain(part)))).ok()?;
    let most = usize::try_from(ALL_MAX).ok()?;
    Some(text.all(most).ok()?.into_bytes())
}

fn whole(mut part: impl Read) -> Option<Vec<u8>> {
    let mut bytes = Vec::new();
    part.read_to_end(&mut bytes).ok()?;
    Some(bytes)
}

/// Whether XML is in another encoding than UTF-8, by its beginning.
fn is_other(head: &[u8]) -> bool {
    let is_wide = head.starts_with(b"\xFF\xFE") || head.starts_with(b"\xFE\xFF") || looks_wide(head);
    let is_same = |name: &String| ["utf-8", "utf8", "us-ascii"].iter().any(|same| name.eq_ignore_ascii_case(same));
    is_wide || markup::declared(head).is_some_and(|name| !is_same(&name))
}

/// What leads from a binary workbook to its sheets, told from where it stands; `None` where all is told so.
fn plain_links(xml: &[u8]) -> Option<Vec<u8>> {
    let (mut events, mut buffer) = (markup::reader(markup::text(Box::new(Cursor::new(xml))).ok()?), Vec::new());
    let (mut links, mut is_same) = (String::new(), !is_other(xml));
    loop {
        buffer.clear();
        match events.read_event_into(&mut buffer).ok()? {
            Event::Start(element) | Event::Empty(element) if element.local_name().into_inner() == "Relationship" => {
                let get = |name| markup::attribute(&element, name).unwrap_or_default();
                let told = get("Target");
                let path = resolve("xl", &told);
                let target = path.strip_prefix("xl/").filter(|_| get("TargetMode") != "External").unwrap_or(&told);
                is_same &= target == told;
                let values = [("Id", get("Id")), ("Type", get("Type")), ("Target", target.to_owned())];
                links.push_str("<Relationship");
                values.iter().for_each(|(name, value)| links.push_str(&format!(" {name}=\"{}\"", escape(value))));
                links.push_str("/>");
            }
            Event::Eof => return (!is_same).then(|| relations(&links)),
            _ => {}
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parts_in_another_encoding_are_known_by_their_beginning() {
        let wide = |text: &str| text.encode_utf16().flat_map(u16::to_be_bytes).collect::<Vec<u8>>();
        for other in [wide("<?xml version='1.0'?><a/>"), wide("\u{FEFF}<a/>"), b"<?xml encoding='latin1'?>".to_vec()] {
            assert!(is_other(&other), "{other:?}");
        }
        for same in ["<?xml version='1.0'?><a/>", "<?xml encoding=\"UTF-8\"?>", "", "<a>\u{E4}</a>"] {
            assert!(!is_other(same.as_bytes()), "{same}");
        }
        let mut names = None;
        let part = wide("<?xml encoding='UTF-16'?><a>\u{E4}</a>");
        let made = anew("xl/a.xml", part.as_slice(), &mut names).unwrap();
        assert_eq!(String::from_utf8(made).unwrap(), "<?xml encoding='UTF-16'?><a>\u{E4}</a>");
    }

    #[test]
    fn links_of_a_binary_workbook_are_told_from_where_it_stands() {
        let links = |target: &str| {
            format!("<Relationships><Relationship Id=\"a\" Type=\"t\" Target=\"{target}\"/></Relationships>")
        };
        for told in ["/xl/worksheets/sheet1.bin", "worksheets\\sheet1.bin", "./worksheets/sheet1.bin"] {
            let made = plain_links(links(told).as_bytes()).unwrap();
            assert_eq!(String::from_utf8(made).unwrap(), links("worksheets/sheet1.bin"), "{told}");
        }
        assert!(plain_links(links("worksheets/sheet1.bin").as_bytes()).is_none());
    }
}
