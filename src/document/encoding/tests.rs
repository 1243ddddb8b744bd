//! What readers of text make of bytes.

use super::wide::unmarked_utf32;
use super::*;

fn read(bytes: &[u8]) -> (String, String) {
    let mut reader = TextReader::new(Box::new(io::Cursor::new(bytes.to_vec()))).unwrap();
    let text = reader.all(1 << 30).unwrap();
    (text, reader.encoding())
}

#[test]
fn the_first_of_a_long_text_is_read_and_the_rest_is_told() {
    let text = "word ".repeat(100_000);
    let reader = || TextReader::new(Box::new(io::Cursor::new(text.clone().into_bytes()))).unwrap();
    let (first, more) = reader().first(1_000).unwrap();
    assert!(more && first.len() < text.len() && text.starts_with(&first));
    assert!(reader().all(1_000).is_err());
    assert_eq!(reader().first(1 << 20).unwrap(), (text.clone(), false));
}

#[test]
fn utf8_and_utf16_are_read_with_and_without_marks() {
    assert_eq!(read("naïve".as_bytes()), ("naïve".into(), "UTF-8".into()));
    assert_eq!(read(b"\xEF\xBB\xBFx"), ("x".into(), "UTF-8 with a byte order mark".into()));
    assert_eq!(read(b"\xFF\xFEa\0\xE9\0"), ("aé".into(), "UTF-16LE with a byte order mark".into()));
    assert_eq!(read(b"\0[\0\"\0\xE9\0\"\0]"), ("[\"é\"]".into(), "UTF-16BE".into()));
    assert_eq!(read(b""), (String::new(), "UTF-8".into()));
}

#[test]
fn utf32_and_escapes_to_japanese_are_read() {
    let wide = |to: fn(u32) -> [u8; 4]| "\u{FEFF}añ😀".chars().flat_map(|sign| to(u32::from(sign))).collect::<Vec<_>>();
    let found = read(&wide(u32::to_le_bytes));
    assert_eq!(found, ("añ😀".into(), "UTF-32LE with a byte order mark".into()));
    assert_eq!(read(&wide(u32::to_be_bytes)).0, "añ😀");
    for (to, name) in [(u32::to_le_bytes as fn(u32) -> [u8; 4], "UTF-32LE"), (u32::to_be_bytes, "UTF-32BE")] {
        for text in ["name,sum\r\naño,1\n", "날짜, 합계\n😀 12", "<p>Здравствуйте</p>"] {
            let bytes: Vec<u8> = text.chars().flat_map(|sign| to(u32::from(sign))).collect();
            assert_eq!(read(&bytes), (text.replace("\r\n", "\n"), name.to_owned()));
            assert!(looks_wide(&bytes[..bytes.len() - 3]));
        }
        // Numbers are no text.
        for numbers in [&[1, 2, 3, 4, 5][..], &[65, 66, 67], &[0x2500, 0x2600, 0x2700, 0x2800, 0x41], &[65; 4][..3]] {
            let bytes: Vec<u8> = numbers.iter().flat_map(|number| to(*number)).collect();
            assert!(unmarked_utf32(&bytes).is_none(), "{numbers:?}");
        }
    }
    let found = read(b"abc \x1B$BF|K\\\x1B(B x");
    assert_eq!(found, ("abc 日本 x".into(), "ISO-2022-JP".into()));
    let (text, encoding) = read(b"\x1B$)Cname,a\n\x0E1f<-\x0F,1\n");
    assert_eq!((text.as_str(), encoding.as_str()), ("name,a\n길서,1\n", "ISO-2022-KR"));
    let colours = "\u{1b}[31mred\u{1b}[0m";
    assert_eq!(read(colours.as_bytes()), (colours.into(), "UTF-8".into()));
}

#[test]
fn legacy_text_is_recognised_where_it_stops_being_ascii() {
    let mut long = vec![b'x'; 200_000];
    long.extend_from_slice(b" caf\xE9 cr\xE8me br\xFBl\xE9e");
    let (text, encoding) = read(&long);
    assert!(text.ends_with("café crème brûlée"), "{}", &text[text.len() - 30..]);
    assert_eq!(encoding, "windows-1252");
}

#[test]
fn what_a_text_says_that_it_is_in_is_surer_than_a_guess() {
    let named = |label: &str, bytes: &[u8]| {
        let mut reader =
            TextReader::named_by(Box::new(io::Cursor::new(bytes.to_vec())), |_| Some(label.to_owned())).unwrap();
        let text = reader.all(1 << 30).unwrap();
        (text, reader.encoding(), reader.misnamed())
    };
    // So few letters tell nothing by themselves, wherever they stand.
    for before in [0, 200_000] {
        let before = "x".repeat(before);
        for (label, text) in
            [("shift_jis", "表"), ("euc-kr", "한글"), ("gb2312", "中"), ("big5", "中"), ("tis-620", "ก")]
        {
            let encoding = Encoding::for_label(label.as_bytes()).unwrap();
            let text = format!("{before}{text}");
            let (bytes, ..) = encoding.encode(&text);
            assert_eq!(named(label, &bytes), (text.clone(), encoding.name().to_owned(), None), "{label}");
        }
    }
    assert_eq!(named("IBM852", b"\x9F").0, "č");
    assert_eq!(named("cp852", b"\x9F").1, "IBM852");
    // What is UTF-8 is that; what says that it is UTF-8 or of two bytes each and is not is guessed.
    assert_eq!(named("iso-8859-1", "grüße".as_bytes()), ("grüße".into(), "UTF-8".into(), None));
    assert_eq!(named("utf-16", b"x caf\xE9 cr\xE8me br\xFBl\xE9e").0, "x café crème brûlée");
    let western = b"caf\xE9 cr\xE8me br\xFBl\xE9e";
    assert_eq!(named("utf-8", western), ("café crème brûlée".into(), "windows-1252".into(), Some("UTF-8")));
    assert_eq!(named("no-such", western).2, None);
    let long = [&"naïve ".repeat(40).into_bytes()[..], b"\xFF"].concat();
    assert_eq!((named("utf-8", &long).1, named("utf-8", &long).2), ("UTF-8".to_owned(), None));
}

#[test]
fn what_was_read_before_a_fault_is_given_before_it_is_told() {
    struct Broken;
    impl Read for Broken {
        fn read(&mut self, _: &mut [u8]) -> io::Result<usize> {
            Err(io::Error::other("no more"))
        }
    }
    let from = io::Cursor::new(b"some words".to_vec()).chain(Broken);
    let mut reader = TextReader::new(Box::new(BufReader::new(from))).unwrap();
    assert_eq!(reader.more().unwrap(), "some words");
    assert_eq!(reader.more().unwrap_err().to_string(), "no more");
}

#[test]
fn what_lies_ahead_stays_to_be_read() {
    let text = b"Stra\xDFe;Ort\nAllee;K\xF6ln\n".repeat(10_000);
    let mut reader = TextReader::new(Box::new(io::Cursor::new(text.clone()))).unwrap();
    let ahead = String::from_utf8(reader.ahead(100_000).unwrap().to_vec()).unwrap();
    assert!(ahead.len() >= 100_000 && ahead.starts_with("Straße;Ort\nAllee;Köln\n"));
    let all = reader.all(1 << 30).unwrap();
    assert!(all.starts_with(&ahead) && all.chars().count() == text.len());
    let mut reader = TextReader::new(Box::new(io::Cursor::new(b"a\xC3".to_vec()))).unwrap();
    assert_eq!(reader.ahead(100).unwrap().len(), 3);
    let mut reader = TextReader::new(Box::new(io::Cursor::new(Vec::new()))).unwrap();
    assert!(reader.ahead(100).unwrap().is_empty());
}

#[test]
fn breaks_of_two_characters_become_one_wherever_they_are_cut() {
    assert_eq!(read(b"one\r\ntwo\rthree\r\r\n\r").0, "one\ntwo\rthree\r\n\r");
    assert_eq!(read(b"\r").0, "\r");
    assert_eq!(read(b"\r\n").0, "\n");
    let wide: Vec<u8> = "a\r\nb\r".encode_utf16().flat_map(u16::to_le_bytes).collect();
    assert_eq!(read(&wide).0, "a\nb\r");
    // Whatever the pieces are that it is read in.
    for before in (64 << 10) - 3..=(64 << 10) + 1 {
        let text = format!("{}\r\nb\r\r\nc", "x".repeat(before));
        assert_eq!(read(text.as_bytes()).0, text.replace("\r\n", "\n"));
        let mut reader = TextReader::new(Box::new(io::Cursor::new(text.clone().into_bytes()))).unwrap();
        assert!(reader.ahead(1 << 20).unwrap().ends_with(b"x\nb\r\nc"));
    }
}

#[test]
fn odd_bytes_in_utf8_are_replaced() {
    let (text, encoding) = read(b"gr\xC3\xBC\xC3\x9Fe \xFF ende");
    assert_eq!((text.as_str(), encoding.as_str()), ("grüße \u{FFFD} ende", "UTF-8"));
    assert_eq!(read(b"gr\xC3\xBC\xC3").0, "grü\u{FFFD}");
}

#[test]
fn characters_across_pieces_stay_whole() {
    let text = "ä".repeat(100_001);
    assert_eq!(read(text.as_bytes()).0, text);
    let wide: Vec<u8> = text.encode_utf16().flat_map(u16::to_le_bytes).collect();
    assert_eq!(read(&wide).0, "ä".repeat(100_001));
}

#[test]
fn a_few_odd_bytes_before_proper_characters_leave_a_text_utf8() {
    let words = "2024-01-02 Größe aus Köln – größer\n".repeat(40);
    // Cut within a character; one stray byte; a row in another encoding; and what shows the encoding is far away.
    for (before, shown, line) in [
        (&b"\xB6\xC3\x9Fe\n"[..], "\u{FFFD}ße\n", 1),
        (b"x\xFF\n", "x\u{FFFD}\n", 1),
        (b"name\nRen\xE9,Paris\n", "name\nRen\u{FFFD},Paris\n", 2),
        (&[&b"\nRen\xE9,Paris\n"[..], &b"plain words\n".repeat(20_000)].concat(), "\nRen\u{FFFD},Paris\n", 2),
    ] {
        let bytes = [before, words.as_bytes()].concat();
        let mut reader = TextReader::new(Box::new(io::Cursor::new(bytes.clone()))).unwrap();
        let text = reader.all(1 << 30).unwrap();
        assert!(text.starts_with(shown) && text.ends_with(&words), "{}", &text[..40]);
        assert_eq!((reader.encoding().as_str(), reader.replaced_line()), ("UTF-8", line));
        let named = TextReader::named_by(Box::new(io::Cursor::new(bytes)), |_| Some("windows-1252".to_owned()));
        assert!(named.unwrap().all(1 << 30).unwrap().ends_with(&words));
    }
    // A legacy text in which a few signs look like UTF-8.
    let quoted = "„Spaß“, „Gruß“ und „Fuß“".repeat(9);
    let (bytes, ..) = encoding_rs::WINDOWS_1252.encode(&quoted);
    assert_eq!(read(&bytes), (quoted, "windows-1252".to_owned()));
}
