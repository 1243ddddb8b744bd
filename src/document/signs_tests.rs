//! Files whose names say something else than their first bytes.

use crate::content::MemoryBytes;
use crate::document::testing::converted;
use crate::document::{Limits, detect_bytes};

#[test]
fn a_picture_and_a_sound_are_told_apart_whatever_their_names_say() {
    let wav = [&b"RIFF\x24\0\0\0WAVEfmt \x10\0\0\0\x01\0\x01\0\x40\x1F\0\0\x40\x1F\0\0\x01\0\x08\0data"[..], &[0; 4]]
        .concat();
    let png = b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR\0\0\0\x02\0\0\0\x02\x08\x06\0\0\0".to_vec();
    let jpeg = b"\xFF\xD8\xFF\xE0\0\x10JFIF\0\x01\x01\0\0\x01\0\x01\0\0".to_vec();
    let mpeg = [&b"\xFF\xFB\x90\0"[..], &[0; 413], b"\xFF\xFB\x90\0", &[0; 413]].concat();
    let tagged = [&b"ID3\x03\0\0\0\0\0\x0A\0\0\0\0\0\0\0\0\0\0"[..], &mpeg].concat();
    let rows: [(&str, &Vec<u8>, &str, Option<&str>); 12] = [
        ("a.wav", &jpeg, "image", Some("picture")),
        ("a.mp3", &png, "image", Some("picture")),
        ("a.gif", &mpeg, "audio", Some("sound")),
        ("a.png", &wav, "audio", Some("sound")),
        ("a.png", &jpeg, "image", Some("JPEG")),
        ("a.jpg", &png, "image", Some("PNG")),
        ("a.mp3", &wav, "audio", Some("WAV")),
        ("a.jpeg", &jpeg, "image", None),
        ("a.JFIF", &jpeg, "image", None),
        ("a.mp3", &mpeg, "audio", None),
        // Such tags stand before sounds of several kinds.
        ("a.flac", &tagged, "audio", None),
        ("a", &jpeg, "image", None),
    ];
    for (name, bytes, format, told) in rows {
        let found = detect_bytes(name, &MemoryBytes(bytes.clone()));
        assert_eq!((found.format.unwrap().name, found.misnamed.as_deref()), (format, told), "{name}");
        let notes = converted(name, bytes, None).notes;
        let says = |note: &crate::document::Note| note.message.contains("whatever its name says");
        assert_eq!(notes.iter().any(says), told.is_some(), "{name}: {notes:?}");
    }
}

#[test]
fn what_only_begins_as_a_targa_picture_is_none() {
    let head = |width: u8, height: u8, depth: u8, told: u8| {
        [&b"\0\0\x02\0\0\0\0\0\0\0\0\0"[..], &[width, 0, height, 0, depth, told]].concat()
    };
    let with = |head: Vec<u8>, pixels: usize| [head, vec![0x90; pixels]].concat();
    let numbers: Vec<u8> = (0..200u32).flat_map(|at| (if at == 0 { 0x2_0000 } else { at - 1 }).to_le_bytes()).collect();
    let none = [
        numbers,
        with(head(7, 5, 24, 0), 104),
        with(head(0, 5, 24, 0), 105),
        with(head(7, 5, 17, 0), 105),
        with(head(7, 5, 24, 8), 105),
        with(head(7, 5, 32, 0x48), 140),
        [&b"\0\0\x02\0\0\0\x01"[..], &head(7, 5, 24, 0)[7..], &[0x90; 105]].concat(),
    ];
    for bytes in none {
        let found = detect_bytes("z.dat", &MemoryBytes(bytes.clone()));
        assert_eq!((found.format.map(|format| format.name), found.found.as_str()), (None, "binary data"), "{bytes:?}");
    }
    for (head, pixels) in [(head(7, 5, 24, 0), 105), (head(7, 5, 32, 0x28), 140), (head(7, 5, 16, 1), 70)] {
        let found = detect_bytes("z.dat", &MemoryBytes(with(head, pixels)));
        assert_eq!((found.format.unwrap().name, found.found.as_str()), ("image", "TGA picture"));
    }
    // Whatever its name says, and by its name also where pixels are missing.
    let cut = converted("a.tga", &with(head(7, 5, 24, 0), 9), None);
    assert!(cut.markdown.starts_with("TGA picture, 7x5 pixels"), "{cut:?}");
    let other = converted("a.tga", &with(head(7, 5, 17, 0), 105), None);
    assert!(other.markdown.is_empty() && other.notes[0].message.contains("no picture"), "{other:?}");
}

#[test]
fn a_text_without_a_name_is_told_by_what_it_holds() {
    let kind = |text: &str| detect_bytes("", &MemoryBytes(text.as_bytes().to_vec())).format.unwrap().name;
    let texts: [(&str, &[&str]); 4] = [
        (
            "markdown",
            &[
                "---\nname: a\ntext: b\n---\n\n# Head\n\nSome *text* here.\n",
                "---\r\ntitle: a\r\ntags:\r\n  - b\r\n---\r\nJust words\r\n",
                "---\ntitle: a\n---\n\nHead\n====\n",
                "---\ntitle: a\n---\n## Second\n- b\n",
            ],
        ),
        (
            "yaml",
            &[
                "---\na: 1\nb: 2\n",
                "---\na: 1\n---\n# said of it\nb: 2\nc:\n- d\n- e\n",
                "---\na: |\n  words of it\n---\n- b: 1\n  c: 2\n...\n",
                "---\na: 1\n---\n",
            ],
        ),
        (
            "csv",
            &[
                "id,name,size\n1,a,20\n2,\"b, c\",30\n",
                "a;b;c\r\n1,5;2;3\r\n4;5,5;6\r\n",
                "a\tb\tc\n1\t2\t3\n4\t5\t6",
                "id,name,said\n1,a,\"two\nlines\"\n2,b,c\n3,d,e\n",
                "a|b|c\n1|2|3\n\n4|5|6\n",
            ],
        ),
        (
            "text",
            &[
                "One, two, three.\nFour, five, six.\nSeven, eight, nine.\n",
                "id,name,size\n1,a,20\n2,b\n",
                "a,b\n1,2\n3,4\n",
                "a,b,c\n1,2,3\n",
                "| a | b |\n| - | - |\n| 1 | 2 |\n",
                "(1,2,3),\n(4,5,6),\n(7,8,9),\n",
                "\tf(a,b,c)\n\tg(d,e,f)\n\th(i,j,k)\n",
                "let a = f(1, 2, 3);\nlet b = f(4, 5, 6);\nlet c = f(7, 8, 9);\n",
                "12:01:07 INFO started, 3 of 4, well\n12:01:08 INFO ended, 4 of 4, well\n12:01:09 INFO gone, 0, well\n",
                "id,name,\"size\n1,a,20\n2,b,30\n",
                "",
            ],
        ),
    ];
    for (format, texts) in texts {
        for text in texts {
            assert_eq!(kind(text), format, "{text}");
        }
    }
}

#[test]
fn markup_with_zero_bytes_is_read_without_them() {
    let zeros = "\0".repeat(300);
    for (name, text, shown) in [
        ("a.xml", format!("<?xml version=\"1.0\"?>\n<a>\n<b>one</b>{zeros}\n<b>two</b>\n</a>\n"), "<b>two</b>"),
        ("a.svg", format!("<svg xmlns=\"http://www.w3.org/2000/svg\">{zeros}<title>one</title></svg>\n"), "<title>one"),
        ("a.html", format!("<!DOCTYPE html><html><body><p>one</p>{zeros}<p>two</p></body></html>"), "two"),
        ("a.html", format!("{zeros}<html><body><p>one</p><p>two</p></body></html>"), "two"),
        ("", format!("<?xml version=\"1.0\"?>\n<a>\n{zeros}<b>one</b>\n</a>\n"), "<b>one</b>"),
    ] {
        for limits in [None, Some(&Limits::default())] {
            let found = converted(name, text.as_bytes(), limits);
            assert!(found.markdown.contains(shown), "{name}: {} {:?}", found.markdown, found.notes);
            assert!(
                found.notes.iter().any(|note| note.message.contains("300 zero bytes")),
                "{name}: {:?}",
                found.notes
            );
        }
    }
    // What only begins so is none.
    let noise: Vec<u8> = (0..8_000_u32).map(|at| (at.wrapping_mul(2_654_435_761) >> 24) as u8).collect();
    let found = converted("a.xml", &[b"<?xml version=\"1.0\"?>\n".as_slice(), &noise].concat(), None);
    assert_eq!(found.markdown, "");
}

/// A compound file with a stream of this name that holds a zip.
fn compound(stream: &str) -> Vec<u8> {
    use std::io::{Cursor, Write};
    let mut file = cfb::CompoundFile::create_with_version(cfb::Version::V3, Cursor::new(Vec::new())).unwrap();
    let zip = crate::document::testing::zip(&[("theme/theme1.xml", "<a:theme/>")]);
    file.create_stream(stream).unwrap().write_all(&zip).unwrap();
    file.flush().unwrap();
    // A part that lies at the end ends as a zip does.
    [file.into_inner().into_inner(), zip].concat()
}

#[test]
fn an_old_workbook_is_one_whatever_its_name_says() {
    for stream in ["/Workbook", "/WORKBOOK", "/Book"] {
        for name in ["a.xls", "a.xlsx", "a.docx", "a.epub", "a.csv", "a.txt", "a.json", "a.html", "a.rs", "a"] {
            let found = detect_bytes(name, &MemoryBytes(compound(stream)));
            assert_eq!(found.format.map(|format| format.name), Some("xls"), "{name} {stream}");
        }
    }
    for name in ["a.xlsx", "a.csv"] {
        let found = detect_bytes(name, &MemoryBytes(compound("/Other")));
        assert!(found.format.is_none(), "{name}: {:?}", found.format.map(|format| format.name));
    }
}

#[test]
fn what_is_packed_or_laid_out_is_no_text_whatever_its_name_says() {
    let zip = crate::document::testing::zip(&[("a.txt", "words"), ("b.txt", "more of them")]);
    let pdf = crate::document::testing::Pdf::of(&[("F", "Helvetica")], [200, 200]).written(["".to_owned()]);
    for name in ["a.txt", "a.csv", "a.md", "a.json", "a.log"] {
        for (bytes, format) in [(&zip, "zip"), (&pdf, "pdf")] {
            let found = detect_bytes(name, &MemoryBytes(bytes.clone()));
            assert_eq!(found.format.map(|format| format.name), Some(format), "{name}");
        }
    }
}

#[test]
fn data_of_another_kind_than_a_name_says_are_read_as_what_they_are() {
    let long = format!("[{}1]", "{\"a\": [1, 2]},\n".repeat(10_000));
    for (name, text, format, told) in [
        ("a.csv", "{\n  \"a\": 1,\n  \"b\": [1, 2]\n}\n", "json", true),
        ("a.csv", "\u{FEFF}[{\"a\": 1}, {\"a\": 2}]", "json", true),
        ("a.tsv", long.as_str(), "json", true),
        ("a.csv", "{\"a\": 1}\n{\"a\": 2}\n{\"a\": 3}\n", "jsonl", true),
        ("a.json", "<!DOCTYPE html>\n<html><body><p>Not found</p></body></html>", "html", true),
        ("a.csv", "<html><body><p>Not found</p></body></html>", "html", true),
        ("a.jsonl", "<?xml version=\"1.0\"?>\n<error/>", "xml", true),
        // Tables with signs of JSON in them, and JSON with a fault.
        ("a.csv", "{\"a\",b\n1,2\n", "csv", false),
        ("a.csv", "[\"x\"],b\n1,2\n", "csv", false),
        ("a.csv", "id,data\n1,\"{\"\"a\"\": 1}\"\n", "csv", false),
        ("a.json", "{\"a\": 1,}", "json", false),
        ("a.txt", "{\"a\": 1}", "text", false),
        ("a.csv", "a,b\n1,2\n", "csv", false),
    ] {
        let found = detect_bytes(name, &MemoryBytes(text.as_bytes().to_vec()));
        assert_eq!((found.format.unwrap().name, found.misnamed.is_some()), (format, told), "{name} {text:.40}");
    }
}
