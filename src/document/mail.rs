//! Messages as Outlook keeps them: from whom, to whom, about what, then what they say.
//!
//! A message is a compound file with a stream for each property (MS-OXMSG): `__substg1.0_` and eight digits, the
//! property's number and its type.

use std::io::{self, BufReader, Read, Seek};

use cfb::CompoundFile;
use chardetng::{EncodingDetector, Iso2022JpDetection, Utf8Detection};
use encoding_rs::{Encoding, UTF_16LE};

use crate::content::one_line;

use super::html;
use super::input::{Failure, Input};
use super::mime::unnamed;
use super::out::Out;
use super::typed::letter;

/// Bytes of one property that are read.
const PROPERTY_MAX: u64 = 32 << 20;
/// Attachments that are named.
const ATTACHMENTS_MAX: usize = 200;
/// The stream of the properties that have a size of their own, and where its entries of 16 bytes begin.
const FIXED: (&str, usize) = ("__properties_version1.0", 32);
/// Properties that name the encoding of texts that are not Unicode: the body's, then the message's.
const CODE_PAGES: [u16; 2] = [0x3FDE, 0x3FFD];

/// What stands above a message: its name, the name of its fact, and the properties that tell it, the best first.
const HEADS: &[(&str, &str, &[u16])] = &[
    ("From", "from", &[0x5D01, 0x0C1F, 0x0065, 0x0C1A, 0x0042]),
    ("To", "to", &[0x0E04]),
    ("Cc", "cc", &[0x0E03]),
    ("Subject", "title", &[0x0037]),
];
const BODY: u16 = 0x1000;
const HTML: u16 = 0x1013;
const FILE_NAMES: [u16; 3] = [0x3707, 0x3001, 0x3704];
/// The media type of an attachment.
const KIND: u16 = 0x370E;
/// The header lines that came with it; they tell when it was sent.
const TRANSPORT: u16 = 0x007D;

/// A message as Markdown.
///
/// # Errors
/// Where it is none.
pub fn convert(input: &Input<'_>, out: &mut Out<'_>) -> Result<(), Failure> {
    let file = CompoundFile::open(BufReader::new(input.seekable()?));
    let mut message = Message { file: file.map_err(|why| failure(&why))?, encoding: None };
    message.encoding = message.code_page();
    if !message.file.exists(FIXED.0) && message.text("", BODY).is_empty() && message.text("", 0x0037).is_empty() {
        return Err(Failure::Damaged("it is a compound file, but no message".to_owned()));
    }
    let mut lines = Vec::new();
    for (name, fact, properties) in HEADS {
        let mut values: Vec<String> = properties.iter().map(|property| message.text("", *property)).collect();
        values.retain(|value| !value.is_empty());
        // Within one organisation, an address may be a path through its directory.
        values.sort_by_key(|value| value.starts_with('/'));
        let Some(value) = values.first() else { continue };
        let value = one_line(value);
        out.fact(fact, &value);
        lines.push(format!("**{name}:** {value}"));
    }
    if let Some(date) = message.text("", TRANSPORT).lines().find_map(|line| line.strip_prefix("Date:")) {
        out.fact("date", date.trim());
        lines.push(format!("**Date:** {}", date.trim()));
    }
    out.block("# Email Message")?;
    out.block(&lines.join("\n"))?;
    out.block("## Content")?;
    let body = message.text("", BODY);
    if body.is_empty() {
        let page = html::page(&message.text("", HTML));
        out.block(&page.markdown)?;
    } else {
        out.block(&letter(&body.replace("\r\n", "\n")))?;
    }
    let files = message.attachments();
    if !files.is_empty() {
        out.fact("attachments", files.len());
        out.block("## Attachments")?;
        let files: Vec<String> = files.iter().map(|name| format!("* {name}")).collect();
        out.block(&files.join("\n"))?;
    }
    Ok(())
}

/// What an error of the compound file means for who reads the message.
fn failure(why: &io::Error) -> Failure {
    let words = why.to_string();
    let said = DAMAGE.iter().find(|(mark, _)| words.contains(mark)).map_or("it is damaged", |(_, said)| said);
    Failure::Damaged(said.to_owned())
}

/// What the words of its reader mean.
const DAMAGE: &[(&str, &str)] = &[
    ("magic number", "it does not begin as an Outlook message does"),
    ("too small", "it is cut off"),
    ("length", "it is cut off"),
    (" only ", "it is cut off, and parts that it refers to are not left"),
    ("irectory", "the list of its parts is damaged"),
    ("FAT", "what says where its parts stand is damaged"),
    ("ector", "what says where its parts stand is damaged"),
    ("hain", "what says where its parts stand is damaged"),
];

struct Message<F> {
    file: CompoundFile<F>,
    encoding: Option<&'static Encoding>,
}

impl<F: Read + Seek> Message<F> {
    fn bytes(&mut self, path: &str) -> Option<Vec<u8>> {
        if !self.file.is_stream(path) {
            return None;
        }
        let mut bytes = Vec::new();
        // What could be read before damage is still good.
        let _ = self.file.open_stream(path).ok()?.take(PROPERTY_MAX).read_to_end(&mut bytes);
        Some(bytes)
    }

    /// A property's text in a storage, whichever way it is written; empty where there is none.
    fn text(&mut self, storage: &str, property: u16) -> String {
        let path = |kind: &str| format!("{storage}/__substg1.0_{property:04X}{kind}");
        let decoded = match self.bytes(&path("001F")) {
            Some(bytes) => UTF_16LE.decode_without_bom_handling(&bytes).0.into_owned(),
            None => match self.bytes(&path("001E")).or_else(|| self.bytes(&path("0102"))) {
                Some(bytes) => self.encoding_of(&bytes).decode(&bytes).0.into_owned(),
                None => String::new(),
            },
        };
        decoded.trim_matches(['\0', ' ', '\r', '\n', '\t']).to_owned()
    }

    /// The encoding that the message names, where the bytes agree; else what they look like.
    fn encoding_of(&self, bytes: &[u8]) -> &'static Encoding {
        let fits = |encoding: &&'static Encoding| !encoding.decode_without_bom_handling(bytes).1;
        self.encoding.filter(fits).unwrap_or_else(|| {
            let mut detector = EncodingDetector::new(Iso2022JpDetection::Allow);
            detector.feed(bytes, true);
            detector.guess(None, Utf8Detection::Allow)
        })
    }

    fn code_page(&mut self) -> Option<&'static Encoding> {
        let fixed = self.bytes(FIXED.0)?;
        let entries: Vec<(u16, u32)> = fixed
            .get(FIXED.1..)?
            .chunks_exact(16)
            .filter_map(|entry| {
                let [_, _, low, high, ..] = *entry else { return None };
                Some((u16::from_le_bytes([low, high]), u32::from_le_bytes(entry.get(8..12)?.try_into().ok()?)))
            })
            .collect();
        let value = |property: u16| entries.iter().find(|(known, _)| *known == property).map(|(_, value)| *value);
        CODE_PAGES.iter().find_map(|property| encoding(value(*property)?))
    }

    fn attachments(&mut self) -> Vec<String> {
        let entries = self.file.read_root_storage();
        let storages = entries.filter(|entry| entry.is_storage() && entry.name().starts_with("__attach_version1.0_"));
        let storages: Vec<String> = storages.take(ATTACHMENTS_MAX).map(|entry| format!("/{}", entry.name())).collect();
        let mut names = Vec::new();
        for storage in &storages {
            let named = FILE_NAMES.iter().map(|property| self.text(storage, *property)).find(|name| !name.is_empty());
            let holds = self.file.read_storage(storage).is_ok_and(|mut entries| entries.next().is_some());
            let unnamed = || unnamed(&self.text(storage, KIND));
            names.extend(named.map(|name| one_line(&name)).or_else(|| holds.then(unnamed)));
        }
        names
    }
}

/// The encoding that a Windows code page is.
pub fn encoding(page: u32) -> Option<&'static Encoding> {
    let label = match page {
        65001 => "utf-8".to_owned(),
        1250..=1258 | 874 => format!("windows-{page}"),
        932 => "shift_jis".to_owned(),
        936 | 51936 => "gbk".to_owned(),
        949 | 51949 => "euc-kr".to_owned(),
        950 => "big5".to_owned(),
        54936 => "gb18030".to_owned(),
        51932 => "euc-jp".to_owned(),
        50220..=50222 => "iso-2022-jp".to_owned(),
        20866 => "koi8-r".to_owned(),
        21866 => "koi8-u".to_owned(),
        20127 => "us-ascii".to_owned(),
        28591..=28606 => format!("iso-8859-{}", page - 28590),
        _ => return None,
    };
    Encoding::for_label(label.as_bytes())
}

#[cfg(test)]
mod tests {
    use std::io::{Cursor, Write};

    use super::*;
    use crate::content::{MemoryBytes, Watch};
    use crate::document::{Conversion, Request, collect};

    fn converted(name: &str, bytes: Vec<u8>) -> Conversion {
        let (bytes, watch) = (MemoryBytes(bytes), Watch::default());
        let request =
            Request { name, bytes: &bytes, limits: None, max_bytes: 1 << 20, second_reader_from: None, watch: &watch };
        collect(&request).unwrap()
    }

    fn message(streams: &[(&str, &[u8])]) -> Vec<u8> {
        let mut file = CompoundFile::create(Cursor::new(Vec::new())).unwrap();
        file.create_storage("/__attach_version1.0_#00000000").unwrap();
        for (name, bytes) in streams {
            file.create_stream(format!("/{name}")).unwrap().write_all(bytes).unwrap();
        }
        file.into_inner().into_inner()
    }

    fn wide(text: &str) -> Vec<u8> {
        text.encode_utf16().flat_map(u16::to_le_bytes).collect()
    }

    #[test]
    fn a_message_tells_who_wrote_to_whom_and_what() {
        // The code page of texts that are not Unicode: 1251.
        let mut fixed = vec![0; 32];
        fixed.extend([3, 0, 0xFD, 0x3F, 6, 0, 0, 0, 0xE3, 4, 0, 0, 0, 0, 0, 0]);
        let bytes = message(&[
            ("__properties_version1.0", &fixed),
            ("__substg1.0_0C1F001F", &wide("a@example.org")),
            ("__substg1.0_0E04001F", &wide("b@example.org")),
            ("__substg1.0_0037001E", b"\xCF\xF0\xE8\xE2\xE5\xF2\0"),
            ("__substg1.0_1000001F", &wide("One.\r\n\r\nTwo.")),
            ("__attach_version1.0_#00000000/__substg1.0_3707001F", &wide("plan.pdf")),
        ]);
        let expected = "# Email Message\n\n**From:** a@example.org\n**To:** b@example.org\n**Subject:** Привет\n\n\
            ## Content\n\nOne.\n\nTwo.\n\n## Attachments\n\n* plan.pdf\n";
        for name in ["a.msg", "a"] {
            let found = converted(name, bytes.clone());
            assert_eq!((found.markdown.as_str(), found.format.as_str()), (expected, "msg"));
        }
        for cut in [8, 600, bytes.len() / 2, bytes.len() - 1] {
            converted("a.msg", bytes[..cut].to_vec());
        }
        let other = converted("a.msg", message(&[("other", b"x")]));
        assert!(other.markdown.is_empty() && other.notes[0].message.contains("no message"), "{other:?}");
    }

    #[test]
    fn a_page_serves_where_there_is_no_plain_text() {
        let bytes =
            message(&[("__substg1.0_0037001F", &wide("s")), ("__substg1.0_10130102", b"<p>one <b>two</b></p>")]);
        assert!(converted("a.msg", bytes).markdown.ends_with("one **two**\n"));
    }
}
