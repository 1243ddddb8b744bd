//! The limits of structured data, against values worked out by hand.

use crate::content::{MemoryBytes, Watch};
use crate::document::{Conversion, LeftBy, Limits, Request, collect, cut_whole, kept, shown_line};
use crate::tokens::Encoding;

fn cut(name: &str, text: &str, limits: &Limits) -> Conversion {
    converted(name, text, Some(limits))
}

fn whole(name: &str, text: &str) -> Conversion {
    converted(name, text, None)
}

fn converted(name: &str, text: &str, limits: Option<&Limits>) -> Conversion {
    let bytes = MemoryBytes(text.as_bytes().to_vec());
    let watch = Watch::default();
    collect(&Request { name, bytes: &bytes, limits, max_bytes: 1 << 20, second_reader_from: None, watch: &watch })
        .unwrap()
}

fn small() -> Limits {
    Limits { depth: 2, items: 2, keys: 2, string_chars: 3, ..Limits::default() }
}

#[test]
fn json_within_the_limits_is_only_indented() {
    let found = cut("a.json", r#"{"a":[1,-2.50e3,true,null],"b":{},"c":[],"d":"ä\u00e9\"x"}"#, &Limits::default());
    let expected = "{\n  \"a\": [\n    1,\n    -2.50e3,\n    true,\n    null\n  ],\n  \"b\": {},\n  \"c\": [],\n  \"d\": \"äé\\\"x\"\n}\n";
    assert_eq!((found.markdown.as_str(), found.shown.len(), found.notes.len()), (expected, 0, 0));
}

#[test]
fn json_is_cut_with_markers() {
    let found = cut("a.json", r#"{"a":[1,2,3,4],"b":{"x":{"y":1}},"c":"no","d":"no"}"#, &small());
    let expected = "{\n  \"a\": [\n    1,\n    2,\n    \"... [2 more items]\"\n  ],\n  \"b\": {\n    \"x\": \"... [max depth reached]\"\n  },\n  \"...\": \"[2 more keys]\"\n}\n";
    assert_eq!(found.markdown, expected);
    assert_eq!(
        shown_line(&found.shown),
        "1 array truncated (2 of 4 items), 1 object truncated (2 of 4 keys), 1 deep structure truncated"
    );
    let found = cut("a.json", "[[1,2,3],[1,2,3,4]]", &small());
    assert_eq!(shown_line(&found.shown), "2 arrays truncated (4 of 7 items)");
    let found = cut("a.xml", "<a><b/><b/><b/></a>", &small());
    assert_eq!(shown_line(&found.shown), "1 element truncated (2 of 3 items)");
    let found = cut("a.json", r#"["abcd","abc"]"#, &small());
    assert_eq!(found.markdown, "[\n  \"abc...\",\n  \"abc\"\n]\n");
}

#[test]
fn json_that_ends_early_keeps_what_is_good() {
    let found = cut("a.json", "{\"a\": [1,\n 2", &Limits::default());
    assert_eq!(found.markdown, "{\n  \"a\": [\n    1,\n    2\n  ]\n}\n");
    assert_eq!(found.notes.first().map(|note| note.line), Some(2));
}

#[test]
fn what_is_wrong_is_told_also_where_all_is_shown() {
    let cases = [
        ("a.json", "{\"a\": [1,\n 2", 2, "the JSON ends too early"),
        ("a.json", "[1,\n2 3]\n", 2, "no valid JSON"),
        ("a.xml", "<a>\n<b>x", 2, "the XML ends too early"),
        ("a.xml", "<a>\n<b>x</b>\n<!-- no end", 3, "the XML ends too early"),
        ("a.xml", "<a>\n<b>x</c></a>\n", 2, "no valid XML"),
        ("a.yaml", "a: [1\nb: }\n", 2, "no valid YAML"),
        ("a.yaml", "a: 1\nb: \"no end\n", 3, "no valid YAML"),
    ];
    for (name, text, line, words) in cases {
        let found = whole(name, text);
        assert_eq!(found.markdown, text);
        let [note] = &found.notes[..] else { panic!("{text}: {:?}", found.notes) };
        assert!(note.message.contains(words), "{text}: {}", note.message);
        assert_eq!(note.line, line, "{text}");
    }
    for (name, text) in
        [("a.json", "{\"a\": 1} // why\n"), ("a.json", "{}\n[]\n"), ("a.xml", "<a>R&D</a>\n"), ("a.yaml", "a: [1]\n")]
    {
        assert_eq!(whole(name, text).notes, [], "{text}");
    }
}

#[test]
fn what_is_no_json_is_told_and_shown_by_its_lines() {
    for text in ["{'a': 1, 'b': [1, 2, 3]}\n", "plain words\nof a log\n", "{\"a\": 1, \"b\" 2}\n"] {
        let found = cut("a.json", text, &Limits::default());
        assert_eq!(found.markdown, text);
        assert!(found.notes.iter().any(|note| note.message.contains("no valid JSON") && note.line == 1), "{text}");
    }
    let found = cut("a.json", "x\ny\nz\n", &Limits { lines: 2, ..small() });
    assert_eq!((found.markdown.as_str(), shown_line(&found.shown).as_str()), ("x\ny\n...", "lines: 2 of 3"));
}

#[test]
fn comments_and_last_commas_are_no_data() {
    let text = "{\n  // \"one\": {\n  \"a\": [1, 2, /* [ */ 3,], // two\n  \"url\": \"http://x\", \"d\": 1,\n}\n";
    let found = cut("a.jsonc", text, &Limits { string_chars: 20, ..small() });
    let expected = "{\n  \"a\": [\n    1,\n    2,\n    \"... [1 more items]\"\n  ],\n  \"url\": \"http://x\",\n  \"...\": \"[1 more keys]\"\n}\n";
    assert_eq!(found.markdown, expected);
    assert!(found.notes.iter().any(|note| note.message.contains("comments")));
}

#[test]
fn several_values_under_the_name_of_json_are_records() {
    let text = "{\"a\":1}\n{\"b\":2}\n{\"c\":3}\n";
    let found = cut("a.json", text, &small());
    assert_eq!(found.markdown, cut("a.jsonl", text, &small()).markdown);
    assert_eq!(shown_line(&found.shown), "records: 2 of 3");
    // One bad line of many is a matter of its own.
    let found = cut("a.json", "{\"a\":1}\n[2]\n{}\n{bad\n{\"c\":3}\n", &Limits::default());
    assert_eq!(found.markdown, "{\n  \"a\": 1\n}\n[\n  2\n]\n{}\n{bad\n{\n  \"c\": 3\n}\n");
    assert_eq!(found.notes.iter().map(|note| note.line).collect::<Vec<_>>(), [4]);
}

#[test]
fn json_of_any_depth_is_read() {
    let deep = format!("{}1{}", "[".repeat(100_000), "]".repeat(100_000));
    let found = cut("a.json", &deep, &small());
    assert_eq!(found.markdown, "[\n  [\n    \"... [max depth reached]\"\n  ]\n]\n");
    assert!(found.notes.is_empty());
}

#[test]
fn jsonl_shows_the_first_records_and_counts_the_rest() {
    let found = cut("a.jsonl", "{\"a\":1}\n\n[2\n{\"b\":3}\n4\n", &small());
    assert_eq!(found.markdown, "{\n  \"a\": 1\n}\n[\n  2\n]\n... [2 more records]\n");
    assert_eq!(shown_line(&found.shown), "records: 2 of 4");
    assert_eq!(found.notes.first().map(|note| note.line), Some(3));
}

#[test]
fn lines_of_jsonl_that_are_no_json_are_told_and_kept() {
    let text = "{\"a\":NaN}\n2024-01-01 ERROR it broke\n[INFO] x\nplain\n\"s\"\n";
    let found = cut("a.jsonl", text, &Limits::default());
    assert_eq!(found.markdown, "{\n  \"a\": NaN\n}\n2024-01-01 ERROR it broke\n[INFO] x\nplain\n\"s\"\n");
    assert_eq!(found.notes.iter().map(|note| note.line).collect::<Vec<_>>(), [2, 3, 4]);
}

#[test]
fn yaml_is_cut_with_markers() {
    let text = "a:\n  - 1.0\n  - &x yes\n  - 3\nb:\n  c:\n    d: 1\nz: 1\ny: 2\n";
    let found = cut("a.yaml", text, &small());
    assert_eq!(
        found.markdown,
        "a:\n  - 1.0\n  - &x yes\n  - \"... [1 more items]\"\nb:\n  c: \"... [max depth reached]\"\n\"...\": \"[2 more keys]\"\n"
    );
}

#[test]
fn yaml_keeps_documents_aliases_and_empty_values() {
    let text = "base: &b {k: v}\nuse: *b\n---\n- ~\n- []\n- {}\n- - 1\n-\n";
    let found = cut("a.yml", text, &Limits::default());
    assert_eq!(found.markdown, "base: &b\n  k: v\nuse: *b\n---\n- ~\n- []\n- {}\n-\n  - 1\n- ~\n");
}

#[test]
fn yaml_that_is_cut_can_be_read_again() {
    let text = "base: &b {x: 1}\nd:\n  <<: *b\nt: !ruby/object v\ns: !!str 1\n? [1, 'a,b']\n: complex\n? {k: &n v}\n: *n\n&q w: [&l [[1]]]\n*q : e\n";
    let found = cut("a.yaml", text, &Limits { depth: 2, ..Limits::default() });
    let expected = "base: &b\n  x: 1\nd:\n  <<: *b\nt: !ruby/object v\ns: !!str 1\n[1, \"a,b\"]: complex\n{k: &n v}: *n\n&q w:\n  - &l \"... [max depth reached]\"\n*q : e\n";
    assert_eq!(found.markdown, expected);
    // An alias of what is not shown would be one of nothing.
    let found = cut("a.yaml", "a: [1, 2, 3, &x 4]\nb: *x\n", &small());
    assert_eq!(found.markdown, "a:\n  - 1\n  - 2\n  - \"... [2 more items]\"\nb: \"... [*x is not shown]\"\n");
    let found = cut("a.yaml", "&r\nk: *r\n", &Limits::default());
    assert_eq!(found.markdown, "&r\nk: *r\n");
    for text in [&found.markdown, expected] {
        assert_eq!(cut("b.yaml", text, &Limits::default()).notes, [], "{text}");
    }
}

#[test]
fn broken_yaml_is_shown_by_its_lines() {
    let found = cut("a.yaml", "a: [1\nb: }\n", &Limits::default());
    assert_eq!(found.markdown, "a: [1\nb: }\n");
    assert!(found.notes.first().is_some_and(|note| note.message.contains("no valid YAML") && note.line == 2));
}

#[test]
fn xml_is_cut_with_markers() {
    let text = "<r p='1' q='2' s='3'><a>abcdef</a><b><c>x<d/></c></b><e/><f/></r>";
    let found = cut("a.xml", text, &small());
    let expected = "<r p=\"1\" q=\"2\" ...=\"[1 more keys]\">\n  <a>abc...</a>\n  <b>\n    <c>\n      x\n      <!-- ... [max depth reached] -->\n    </c>\n  </b>\n  <!-- ... [2 more items] -->\n</r>\n";
    assert_eq!(found.markdown, expected);
}

#[test]
fn what_is_no_xml_is_told_and_shown_by_its_lines() {
    let cases = [
        ("plain text, no xml\nline two\n", 1),
        ("<a>\n<b>x</c></a>\ntail\n", 2),
        ("<a/>\ntail text\n", 2),
        ("<a>x</a></b>\n", 1),
        ("<a b=1>\n</a>\n", 1),
    ];
    for (text, line) in cases {
        let found = cut("a.xml", text, &Limits::default());
        assert_eq!(found.markdown, text);
        assert!(found.notes.iter().any(|note| note.message.contains("no valid XML") && note.line == line), "{text}");
    }
    let found = cut("a.xml", "<?xml version='1.0'?>\n<!-- c --><a>R&D</a>\n<a/>\n", &Limits::default());
    assert_eq!((found.markdown.as_str(), found.notes.len()), ("<a>R&amp;D</a>\n<a/>\n", 0));
    let found = cut("a.xml", "<a>\n<b>x", &Limits::default());
    assert_eq!(found.markdown, "<a>\n  <b>x</b>\n</a>\n");
    assert!(found.notes.iter().any(|note| note.message.contains("too early")));
}

#[test]
fn xml_entities_never_multiply() {
    let text = "<!DOCTYPE x [<!ENTITY a 'aaaa'><!ENTITY b '&a;&a;'>]><x>&b;&amp;&#65;</x>";
    assert_eq!(cut("a.xml", text, &Limits::default()).markdown, "<x>&b;&amp;A</x>\n");
}

#[test]
fn entities_that_a_document_declares_stay_references() {
    let text = "<!DOCTYPE a [<!ENTITY co \"Acme\">]><a>x &co; &amp; &#65; y<b>&co;</b></a>";
    let found = cut("a.xml", text, &Limits::default());
    assert_eq!(found.markdown, "<a>\n  x &co; &amp; A y\n  <b>&co;</b>\n</a>\n");
    let found = cut("a.xml", text, &Limits { string_chars: 4, ..Limits::default() });
    assert!(found.markdown.contains("x..."), "{}", found.markdown);
}

#[test]
fn attributes_of_xml_keep_their_references() {
    let text = "<d a=\"&co; R&amp;D\" b=\"AT&amp;T &nbsp; &quot;q&quot; &#233; R&D\" c='\"&lt;'/>";
    let found = cut("a.xml", text, &Limits::default());
    let shown = "<d a=\"&co; R&amp;D\" b=\"AT&amp;T &nbsp; &quot;q&quot; é R&amp;D\" c=\"&quot;&lt;\"/>\n";
    assert_eq!(found.markdown, shown);
    let found = cut("a.xml", "<d a=\"&amp;b&amp;d\" b=\"&co;\" c=\"x\"/>", &Limits { keys: 50, ..small() });
    assert_eq!(found.markdown, "<d a=\"&amp;b&amp;...\" b=\"...\" c=\"x\"/>\n");
    assert_eq!(shown_line(&found.shown), "2 strings truncated");
}

/// What of a text stands in it within limits.
fn kept_of(name: &str, text: &str, limits: &Limits) -> Vec<String> {
    let mut found = cut(name, text, limits);
    let uncut = cut_whole(&mut found, limits, Encoding::Cl100kBase);
    kept(text, &found, uncut.as_ref()).into_iter().map(|bytes| text[bytes].to_owned()).collect()
}

#[test]
fn what_is_laid_out_anew_says_what_of_the_text_it_shows() {
    let limits = small();
    let json = r#"{"a":[1,2,3,4],"b":{"x":{"y":1}},"c":"no","d":"no"}"#;
    assert_eq!(kept_of("a.json", json, &limits), [r#"{"a":[1,2"#, r#"],"b":{"x""#, "}", "}"]);
    assert_eq!(kept_of("a.json", json, &Limits::default()), [json]);
    assert_eq!(kept_of("a.json", r#"["abcdefghijkl", "abc"]"#, &limits), [r#"["abc"#, r#""abc"]"#]);
    let lines = "{\"a\": 1}\n\n  {\"a\": 2}\n{\"a\": 3}\n";
    assert_eq!(kept_of("a.jsonl", lines, &limits), ["{\"a\": 1}\n\n  {\"a\": 2}"]);
    let yaml = "a: [1, 2, 3]\nb:\n  x: yes\nc: 1\n";
    assert_eq!(kept_of("a.yaml", yaml, &limits).concat(), "a: [1, 2]\nb:\n  x: yes");
    let xml = "<!-- no -->\n<r a=\"1\"><p>one &amp; two</p><p>b</p><p>c</p></r>\n";
    let wide = Limits { string_chars: 50, ..limits };
    assert_eq!(kept_of("a.xml", xml, &wide), ["<r a=\"1\"><p>one &amp; two</p><p>b</p>", "</r>"]);
    // What the limits in all cut off is not there.
    let short = Limits { total_chars: 20, ..Limits::default() };
    let kept = kept_of("a.json", "[1111, 2222, 3333, 4444]", &short);
    assert_eq!(kept, ["[1111, 2222"]);
}

/// What each limit left out of a text.
fn left_of(name: &str, text: &str, limits: &Limits) -> Vec<(String, LeftBy)> {
    let place = |at: u64| usize::try_from(at).unwrap_or(usize::MAX).min(text.len());
    let part = |(from, to, by)| (text[place(from)..place(to)].to_owned(), by);
    cut(name, text, limits).left.into_iter().map(part).collect()
}

#[test]
fn each_limit_tells_what_it_left_out() {
    let limits = Limits { depth: 2, items: 2, keys: 2, string_chars: 3, ..Limits::default() };
    let of = |name: &str, text: &str| left_of(name, text, &limits);
    let owned = |parts: &[(&str, LeftBy)]| parts.iter().map(|(text, by)| ((*text).to_owned(), *by)).collect::<Vec<_>>();
    let json = r#"{"a":[1,2,3,4],"b":{"x":{"y":1}},"c":"no","d":"no"}"#;
    assert_eq!(
        of("a.json", json),
        owned(&[("3,4", LeftBy::Items), (r#"{"y":1}"#, LeftBy::Depth), (r#""c":"no","d":"no""#, LeftBy::Keys),])
    );
    assert_eq!(of("a.json", r#"["abcdef","abc"]"#), owned(&[("def\"", LeftBy::String)]));
    let lines = "{\"a\": 1}\n{\"a\": 2}\n{\"a\": 3}\n";
    assert_eq!(of("a.jsonl", lines).last().map(|(text, by)| (text.trim(), *by)), Some((r#"{"a": 3}"#, LeftBy::Items)));
    let yaml = "a: [1, 2, 3, 4]\nb:\n  x:\n    y: deep\nc: no\n";
    let found = of("a.yaml", yaml);
    let by = |word: &str| found.iter().find(|(text, _)| text.contains(word)).map(|(_, by)| *by);
    assert_eq!((by("3, 4"), by("deep"), by("no")), (Some(LeftBy::Items), Some(LeftBy::Depth), Some(LeftBy::Keys)));
    let xml = "<r><p>abcdef</p><q><s><t>deep</t></s></q><z>no</z></r>";
    let found = of("a.xml", xml);
    let by = |word: &str| found.iter().find(|(text, _)| text.contains(word)).map(|(_, by)| *by);
    assert_eq!((by("def"), by("deep"), by("no")), (Some(LeftBy::String), Some(LeftBy::Depth), Some(LeftBy::Items)));
    let full = Limits { total_chars: 20, ..Limits::default() };
    let found = left_of("a.json", r#"{"a":"abcdefghijklmnopqrstuvwxyz","b":[1,2],"c":3}"#, &full);
    assert_eq!(found.last().map(|(_, by)| *by), Some(LeftBy::Chars));
}

#[test]
fn xml_is_in_the_encoding_that_it_declares() {
    for (label, text) in [("Shift_JIS", "表"), ("tis-620", "ก"), ("windows-1256", "ب"), ("iso-8859-15", "€")] {
        let encoding = encoding_rs::Encoding::for_label(label.as_bytes()).unwrap();
        let xml = format!("<?xml version='1.0' encoding='{label}'?>\n<a>{text}</a>\n");
        let feed =
            format!("<?xml version='1.0' encoding = \"{label}\" ?><rss><channel><title>{text}</title></channel></rss>");
        for (text, shown) in [(&xml, format!("<a>{text}</a>\n")), (&feed, format!("# {text}\n"))] {
            for limits in [Some(&Limits::default()), None] {
                let bytes = MemoryBytes(encoding.encode(text).0.into_owned());
                let request = Request {
                    name: "a.xml",
                    bytes: &bytes,
                    limits,
                    max_bytes: 1 << 20,
                    second_reader_from: None,
                    watch: &Watch::default(),
                };
                let found = collect(&request).unwrap();
                assert!(found.markdown.ends_with(&shown), "{label}: {}", found.markdown);
            }
        }
    }
    let xml = b"<?xml version='1.0' encoding='utf-8'?><a>caf\xE9 cr\xE8me br\xFBl\xE9e</a>".to_vec();
    let bytes = MemoryBytes(xml);
    let (limits, watch) = (Limits::default(), Watch::default());
    let request = Request {
        name: "a.xml",
        bytes: &bytes,
        limits: Some(&limits),
        max_bytes: 1 << 20,
        second_reader_from: None,
        watch: &watch,
    };
    let found = collect(&request).unwrap();
    assert!(found.markdown.contains("café crème brûlée"), "{}", found.markdown);
    assert!(
        found.notes.iter().any(|note| note.message.contains("says that it is UTF-8 and is not")),
        "{:?}",
        found.notes
    );
}

#[test]
fn a_feed_without_titles_has_no_empty_headings() {
    let found =
        cut("a.xml", "<rss><channel><item><description>x</description></item></channel></rss>", &Limits::default());
    assert_eq!(found.markdown, "x\n");
    // One that says nothing is shown as it is written.
    let found = cut("a.xml", "<rss><channel></channel></rss>", &Limits::default());
    assert_eq!(found.markdown, "<rss><channel></channel></rss>");
}

#[test]
fn an_empty_file_is_said_to_be_empty() {
    for name in ["a.docx", "a.pdf", "a.csv", "a.txt", "a.json", "a.mp3", "a"] {
        let found = cut(name, "", &Limits::default());
        assert_eq!((found.markdown.as_str(), found.notes.len()), ("", 1), "{name}");
        assert_eq!(found.notes[0].message, "the file is empty", "{name}");
    }
}

#[test]
fn where_no_room_is_left_beside_the_mark_no_tokens_are_shown() {
    let mut found = cut("a.txt", "hello world hello world hello world", &Limits::default());
    cut_whole(&mut found, &Limits { tokens: 3, ..Limits::default() }, Encoding::Cl100kBase);
    assert!(shown_line(&found.shown).contains("tokens: 0 of 6"), "{}", shown_line(&found.shown));
}

#[test]
fn a_number_that_goes_on_is_none_and_is_counted() {
    let long = "7".repeat(600);
    let found = cut("a.json", &format!("{{\"a\": {long}, \"b\": 12}}"), &Limits::default());
    assert!(found.markdown.contains(&format!("{}...", "7".repeat(500))), "{}", found.markdown);
    assert!(found.shown.iter().any(|shown| shown.to_string() == "1 number truncated"), "{:?}", found.shown);
    let short = Limits { string_chars: 3, ..Limits::default() };
    let found = cut("a.json", "[123456789]", &short);
    assert!(found.markdown.contains("123456789") && found.shown.is_empty(), "{} {:?}", found.markdown, found.shown);
}
