//! Which format files are taken for by their names, and books that nobody may read.

use std::io::{Cursor, Write};

use crate::packages::{convert, docx, package};

#[test]
fn what_of_a_book_is_encrypted_is_told_and_never_text() {
    let book = "<package><manifest><item id='x' href='x.xhtml'/><item id='z' href='z%20z.xhtml'/></manifest>
        <spine><itemref idref='x'/><itemref idref='z'/></spine></package>";
    let locks = |parts: &[(&str, &str)]| {
        let lock = |(method, part): &(&str, &str)| {
            format!(
                "<enc:EncryptedData><enc:EncryptionMethod Algorithm='{method}'/><enc:CipherData><enc:CipherReference URI='{part}'/></enc:CipherData></enc:EncryptedData>"
            )
        };
        format!("<encryption xmlns:enc='e'>{}</encryption>", parts.iter().map(lock).collect::<String>())
    };
    let (aes, veil) = ("http://www.w3.org/2001/04/xmlenc#aes128-cbc", "http://www.idpf.org/2008/embedding");
    let found = |locked: &[(&str, &str)]| {
        let bytes = package(&[
            ("META-INF/encryption.xml", locks(locked).as_bytes()),
            ("OPS/book.opf", book.as_bytes()),
            ("OPS/x.xhtml", b"<html><body><p>plain</p></body></html>"),
            ("OPS/z z.xhtml", b"\x01\x02garbage"),
        ]);
        let found = convert("a.epub", bytes, None);
        (found.markdown, found.notes.into_iter().map(|note| note.message).collect::<Vec<_>>().join(" "))
    };
    let (text, notes) = found(&[(veil, "OPS/x.xhtml"), (aes, "OPS/z%20z.xhtml")]);
    assert!(text.trim() == "plain" && notes.contains("chapter is encrypted"), "{text} {notes}");
    let (text, notes) = found(&[(aes, "OPS/x.xhtml"), (aes, "OPS/z%20z.xhtml")]);
    assert!(text.trim().is_empty() && notes.contains("DRM") && notes.contains("encrypted"), "{text} {notes}");
}

#[test]
fn files_are_known_by_their_names_and_comments_are_no_headings() {
    let text = b"# a comment\nx = 1\n".to_vec();
    for (name, format, language) in [
        ("in/redis.conf", "config", None),
        (".env.local", "config", None),
        ("app.ini.example", "config", None),
        ("Cargo.toml", "config", None),
        ("requirements.txt", "config", None),
        ("Dockerfile", "code", Some("Dockerfile")),
        ("Dockerfile.dev", "code", Some("Dockerfile")),
        ("Makefile", "code", Some("Makefile")),
        ("CMakeLists.txt", "code", Some("CMake")),
        ("prod.tfvars", "code", Some("HCL")),
        ("notes.txt", "text", None),
        ("notes.adoc", "adoc", None),
        ("notes.org", "adoc", None),
        ("notes.rst", "rst", None),
        ("unknown", "text", None),
        ("Dockerfile.md", "markdown", None),
    ] {
        let found = convert(name, text.clone(), None);
        assert_eq!((found.format.as_str(), found.fact("language")), (format, language), "{name}");
        let headings = usize::from(format == "markdown");
        assert_eq!(windowpane::chunk::Outline::of(&found).sections.len(), headings, "{name}");
    }
    assert_eq!(convert("run", b"#!/bin/sh\n# a comment\n".to_vec(), None).format, "code");
}

#[test]
fn pages_of_a_books_print_are_its_pages() {
    let book = |list: &str| {
        format!(
            "<package><manifest><item id='x' href='x.xhtml'/><item id='y' href='y.xhtml'/>{list}</manifest>
            <spine><itemref idref='x'/><itemref idref='y'/></spine></package>"
        )
    };
    let nav = "<html xmlns='http://www.w3.org/1999/xhtml'><body><nav epub:type='toc'><a href='x.xhtml'>9</a></nav>
        <nav epub:type='page-list'><ol><li><a href='x.xhtml'>iv</a></li><li><a href='x.xhtml#p5'>5</a></li>
        <li><a href='y.xhtml#p6'>6</a></li></ol></nav></body></html>";
    let ncx = "<ncx><pageList><pageTarget type='normal' value='5'><navLabel><text>p. 5</text></navLabel>
        <content src='x.xhtml#p5'/></pageTarget><pageTarget><navLabel><text>6</text></navLabel>
        <content src='y.xhtml#p6'/></pageTarget></pageList></ncx>";
    let x = "<html><body><h1>One</h1><p>before</p><p><a id='p5'/>five</p></body></html>";
    let y = "<html><body><p>still</p><p id='p6'>six</p></body></html>";
    let marked = |page: &str| page.replace("<a id='p5'/>", "<span epub:type='pagebreak' title='5'/>");
    let marked_y = y.replace("<p id='p6'>", "<hr role='doc-pagebreak' aria-label='Page 6.'/><p>");
    for (list, name, text, x, y) in [
        ("<item id='n' href='n' properties='nav'/>", "OPS/n", nav, x.to_owned(), y),
        ("<item id='n' href='n' media-type='application/x-dtbncx+xml'/>", "OPS/n", ncx, x.to_owned(), y),
        ("", "OPS/n", "", marked(x), marked_y.as_str()),
    ] {
        let bytes = package(&[
            ("OPS/book.opf", book(list).as_bytes()),
            (name, text.as_bytes()),
            ("OPS/x.xhtml", x.as_bytes()),
            ("OPS/y.xhtml", y.as_bytes()),
        ]);
        let found = convert("a.epub", bytes, None);
        let outline = windowpane::chunk::Outline::of(&found);
        let page = |word: &str| {
            let spot = outline.spot(&found.markdown, found.markdown.find(word).unwrap());
            (spot.page.number, spot.page.is_estimated())
        };
        let front = outline.spot(&found.markdown, found.markdown.find("before").unwrap()).page.to_string();
        assert_eq!(front, if text == nav { "iv" } else { "~1" });
        // A page with a Roman number is that page.
        let first = if text == nav { (4, false) } else { (1, true) };
        let pages = ["before", "five", "still", "six"].map(page);
        assert_eq!(pages, [first, (5, false), (5, false), (6, false)], "{list} {:?}", found.markdown);
    }
}

#[test]
fn packed_containers_are_told_by_what_they_hold() {
    let packed = |bytes: &[u8]| {
        let mut gzip = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::default());
        gzip.write_all(bytes).unwrap();
        gzip.finish().unwrap()
    };
    let word = docx("<w:p><w:r><w:t>word</w:t></w:r></w:p>", &[("[Content_Types].xml", b"<Types/>")]);
    for (name, is_misnamed) in [("a.docx.gz", false), ("a.xlsx.gz", true), ("a.zip.gz", true), ("a.gz", false)] {
        let found = convert(name, packed(&word), None);
        assert_eq!((found.format.as_str(), found.markdown.as_str()), ("docx", "word\n"), "{name}");
        assert_eq!(found.notes.iter().any(|note| note.message.contains("whatever its name")), is_misnamed, "{name}");
    }
    let mut compound = cfb::CompoundFile::create(Cursor::new(Vec::new())).unwrap();
    compound.create_stream("/EncryptedPackage").unwrap().write_all(b"x").unwrap();
    let locked = compound.into_inner().into_inner();
    let archive = package(&[("b.docx", &locked)]);
    for (name, bytes) in [
        ("a.docx", locked.clone()),
        ("a.xls", locked.clone()),
        ("a.msg", locked.clone()),
        ("a", locked.clone()),
        ("a.xlsx.gz", packed(&locked)),
        ("a.zip", archive),
    ] {
        let found = convert(name, bytes, None);
        let says = |note: &windowpane::document::Note| {
            note.message.contains("an Office document that is encrypted and needs a password")
        };
        assert!(found.notes.iter().any(says), "{name}: {:?}", found.notes);
    }
}

#[test]
fn a_page_saved_with_its_parts_is_that_page() {
    let page = |head: &str| {
        format!(
            "{head}Subject: =?utf-8?Q?Caf=C3=A9?=\r\nMIME-Version: 1.0\r\nContent-Type: multipart/related;\r\n\tboundary=\"--=_x\"\r\n\r\n\
             ----=_x\r\nContent-Type: text/html\r\nContent-Transfer-Encoding: quoted-printable\r\n\r\n\
             <meta charset=3Dutf-8><h1>Caf=C3=A9</h1><p>A long =\r\nline</p><table><tr><th>a<tr><td>1</table>\r\n\
             ----=_x\r\nContent-Type: image/png\r\nContent-Location: x.png\r\n\r\nPNG\r\n----=_x--\r\n"
        )
    };
    let expected = "# Café\n\nA long line\n\n| a |\n| --- |\n| 1 |\n";
    for (name, head) in [("a.mht", "From: <Saved by Blink>\r\n"), ("a.doc", "Date: Mon, 1 Jan 2024 10:00:00 +0000\r\n")]
    {
        let found = convert(name, page(head).into_bytes(), None);
        assert_eq!((found.format.as_str(), found.markdown.as_str()), ("mime", expected), "{name}");
        assert_eq!(found.fact("title"), Some("Café"));
    }
}

#[test]
fn messages_tell_who_wrote_what_and_what_is_attached() {
    let message = "From: Desk <desk@example.org>\nTo: team@example.org\nSubject: Plan\nMIME-Version: 1.0\n\
        Content-Type: multipart/mixed; boundary=m\n\n--m\nContent-Type: multipart/alternative; boundary=a\n\n\
        --a\nContent-Type: text/plain\n\nplain\n--a\nContent-Type: text/html; charset=iso-8859-1\n\
        Content-Transfer-Encoding: base64\n\nPHA+R3L8\n32U8L3A+\n--a--\n\
        --m\nContent-Type: application/pdf; name=plan.pdf\nContent-Disposition: attachment\n\n%PDF\n\
        --m\nContent-Type: message/rfc822\n\nFrom: carl@example.org\nSubject: Old\n\nhello\n--m--\n";
    let expected = "# Email Message\n\n**From:** Desk <desk@example.org>\n**To:** team@example.org\n**Subject:** Plan\n\n\
        ## Content\n\nGrüße\n\n**From:** carl@example.org\n**Subject:** Old\n\nhello\n\n## Attachments\n\n* plan.pdf\n";
    assert_eq!(convert("a.eml", message.as_bytes().to_vec(), None).markdown, expected);
    for cut in [30, 120, 300, message.len() - 40] {
        convert("a.eml", message.as_bytes()[..cut].to_vec(), None);
    }
    // Notes that look a little like one are none.
    let notes = "Name: x\nVersion: 1\n\ntext\n";
    assert_eq!(convert("notes", notes.as_bytes().to_vec(), None).format, "text");
}

#[test]
fn texts_with_zero_bytes_are_read_without_them() {
    let note =
        |found: &windowpane::document::Conversion| found.notes.iter().any(|note| note.message.contains("zero byte"));
    let holed = [&[0; 5_000][..], b"line one\nline two\n"].concat();
    for (name, bytes, text) in [
        ("n.log", b"line \0two\n".to_vec(), "line two\n"),
        ("app.log", holed.clone(), "line one\nline two\n"),
        ("n.csv", b"a,b\n1,\x002\n".to_vec(), "| a | b |\n| --- | --- |\n| 1 | 2 |\n"),
    ] {
        let found = convert(name, bytes, None);
        assert!(found.markdown == text && note(&found), "{name}: {found:?}");
    }
    // By its content alone it has to be nearly all text.
    let long = [b"word ".repeat(200), vec![0]].concat();
    assert_eq!(convert("unknown", long, None).format, "text");
    assert_eq!(convert("unknown", holed, None).format, "");
    let picture = [&b"\x89PNG\r\n\x1A\n\0\0\0\rIHDR\0\0\0\x01\0\0\0\x01"[..], &b"text ".repeat(100)].concat();
    assert_ne!(convert("a.txt", picture, None).format, "text");
}

#[test]
fn what_a_book_says_of_itself_is_read_whatever_holds_it() {
    let about = "<package xmlns:dc='d'><metadata><dc:title><span>A whole</span> title</dc:title><dc:description/>\
        <dc:creator><name>One</name></dc:creator><dc:creator>Two</dc:creator></metadata><manifest>\
        <item id='c' href='c.xhtml'/></manifest><spine><itemref idref='c'/></spine></package>";
    let container = "<container><rootfiles><rootfile full-path='b.opf'/></rootfiles></container>";
    let bytes = package(&[
        ("mimetype", b"application/epub+zip"),
        ("META-INF/container.xml", container.as_bytes()),
        ("b.opf", about.as_bytes()),
        ("c.xhtml", b"<html><body><p>text</p></body></html>"),
    ]);
    let found = convert("a.epub", bytes, None);
    assert_eq!(found.markdown, "**Title:** A whole title\n**Authors:** One, Two\n\ntext\n");
}

#[test]
fn a_chapter_is_found_however_its_name_is_written() {
    let about =
        "<package><manifest><item id='c' href='a%20b.xhtml'/></manifest><spine><itemref idref='c'/></spine></package>";
    let container = "<container><rootfiles><rootfile full-path='O/b.opf'/></rootfiles></container>";
    for name in ["O/a b.xhtml", "O/a%20b.xhtml"] {
        let bytes = package(&[
            ("META-INF/container.xml", container.as_bytes()),
            ("O/b.opf", about.as_bytes()),
            (name, b"<html><body><p>text</p></body></html>"),
        ]);
        assert_eq!(convert("a.epub", bytes, None).markdown, "text\n", "{name}");
    }
}
