//! What RTF becomes.

use proptest::prelude::*;

use crate::document::testing::converted;

fn shown(text: &str) -> String {
    let found = converted("a.rtf", format!("{{\\rtf1\\ansi\\ansicpg1252{text}}}").as_bytes(), None);
    assert_eq!((found.format.as_str(), found.notes.as_slice()), ("rtf", &[][..]), "{text}");
    found.markdown
}

#[test]
fn paragraphs_and_what_is_marked_in_them_are_told_apart_and_other_looks_are_left_out() {
    let text = "{\\colortbl;\\red0;}{\\stylesheet{\\s0 Normal;}}\\pard One {\\b bold}\\b0\r\n and {\\i more}.\\par\\pard # two\\line x\\par\\page last";
    assert_eq!(shown(text), "One **bold** and *more*.\n\n\\# two\nx\n\nlast\n");
    assert_eq!(shown("a\\~b\\_c\\-d\\{\\}\\\\ \\emdash\\ldblquote q\\rdblquote"), "a\u{A0}b-cd{}\\ —“q”\n");
    assert_eq!(shown("a{\\v hidden}{\\deleted gone}b\\v no\\v0 c"), "abc\n");
}

#[test]
fn signs_are_those_of_their_code_page_and_font() {
    let fonts = "{\\fonttbl{\\f0\\fswiss\\fcharset0 Arial;}{\\f1\\fcharset204 Arial{\\*\\falt x};}{\\f2\\fcharset128 M;}{\\f3\\fcharset2 Symbol;}}";
    assert_eq!(
        shown(&format!("{fonts}caf\\'e9 \\f1\\'cc\\'e8\\'f0\\f2 \\'82\\'a0 {{\\f3 a\\'b7}}\\plain \\'e9")),
        "café Миръ\n".replace('ъ', "あ α•é")
    );
    assert_eq!(
        shown("\\u233?\\u26085\\'3f\\u-10179?\\u-8704?{\\uc2\\u8364\\'80x!}{\\uc0\\u8364 5}\\u-3913?"),
        "é日😀€!€5•\n"
    );
    assert_eq!(shown("\\pc\\'82"), "é\n");
    assert_eq!(shown("\\mac\\'8e"), "é\n");
}

#[test]
fn headings_lists_tables_and_notes_are_markdown() {
    let text = "\\pard\\outlinelevel0 One *\\par\\pard text{\\footnote A note.\\par more}\\par\
        {\\listtext\\f3\\'b7\\tab}first\\par{\\pntext 2.\\tab}second\\par\
        \\trowd\\cellx1\\cellx2\\pard\\intbl a|b\\par c\\cell d\\cell\\row\\trowd\\intbl e\\cell\\cell\\row\\pard after\\par";
    let expected = "# One *\n\ntext[^1]\n\n* first\n\n2. second\n\n| a\\|b c | d |\n| --- | --- |\n| e |  |\n\nafter\n\n[^1]: A note. more\n";
    assert_eq!(shown(text), expected);
}

#[test]
fn items_stand_below_those_that_they_are_part_of() {
    let item = |level: u8, mark: &str, text: &str| {
        format!("\\pard\\ls1\\ilvl{level} {{\\listtext\\tab {mark}\\tab}}{text}\\par")
    };
    let text =
        [item(0, "\\'b7", "one"), item(1, "o", "{\\b in} it\\line more"), item(2, "1.", "deep"), item(0, "2.", "two")];
    assert_eq!(shown(&text.concat()), "* one\n\n    * **in** it\n      more\n\n        1. deep\n\n2. two\n");
    assert_eq!(shown("{\\listtext\\'b7}\\par\\pard behind"), "behind\n");
}

#[test]
fn links_have_their_targets() {
    let field = |is: &str, shows: &str| format!("{{\\field{{\\*\\fldinst{{{is}}}}}{{\\fldrslt{{{shows}}}}}}}");
    let text = format!(
        "See {} or {}, {}{}.",
        field("HYPERLINK \"https://a.example/x y\"", "\\ul the {\\b page}"),
        field(" HYPERLINK mailto:b@a.example ", "\\'e9"),
        field("HYPERLINK \\\\l \"here\"", "below"),
        field("PAGE", "7"),
    );
    let page = "https://a.example/x%20y";
    let expected = format!("See [the]({page}) [**page**]({page}) or [é](mailto:b@a.example), below7.\n");
    assert_eq!(shown(&text), expected);
    let row =
        format!("\\trowd\\cellx1\\pard\\intbl {}\\cell\\row", field("HYPERLINK \"https://a.example\"", "{\\i a|b}"));
    assert_eq!(shown(&row), "| [a\\|b](https://a.example) |\n| --- |\n");
}

#[test]
fn what_is_no_text_of_the_document_is_left_out() {
    let text = "{\\info{\\title A title}{\\author Some{\\b body}}{\\company x}}{\\header top}{\\*\\generator Some;}\
        {\\pict\\pngblip 89504e47}{\\*\\shppict{\\pict\\bin3 }}}}}{\\field{\\*\\fldinst HYPERLINK \"x\"}{\\fldrslt link}} \
        {\\shp{\\*\\shpinst\\shpleft0{\\sp{\\sn a}{\\sv 1}}{\\shptxt box\\par}}}{\\object{\\*\\objdata 00}{\\result shown}}";
    let found = converted("a", format!("{{\\rtf1{text}}}").as_bytes(), None);
    assert_eq!((found.format.as_str(), found.markdown.as_str()), ("rtf", "[link](x) box\n\nshown\n"));
    assert_eq!((found.fact("title"), found.fact("author")), (Some("A title"), Some("Somebody")));
}

#[test]
fn what_is_cut_off_or_too_deep_is_shown_as_far_as_it_goes() {
    let found = converted("a.rtf", b"{\\rtf1 One\\par two {\\b thr", None);
    assert_eq!(found.markdown, "One\n\ntwo **thr**\n");
    assert!(found.notes[0].message.contains("cut off"), "{:?}", found.notes);
    let deep = format!("{{\\rtf1 a{}b{}c}} behind", "{".repeat(2_000_000), "}".repeat(2_000_000));
    assert_eq!(converted("a.rtf", deep.as_bytes(), None).markdown, "abc\n");
    let notes = format!("{{\\rtf1 a{}", "{\\footnote x".repeat(100_000));
    assert!(converted("a.rtf", notes.as_bytes(), None).markdown.starts_with("a"));
    assert_eq!(converted("a.rtf", b"plain words", None).format, "text");
}

proptest! {
    #[test]
    fn nothing_brings_it_down(parts in prop::collection::vec("\\{|\\}|\\\\[a-z]{1,4}|\\\\u-?[0-9]{1,6}|\\\\'[0-9a-f]{0,2}|\\\\\\*|\\\\(cell|row|par|footnote|listtext|pict|info|title|fonttbl|bin[0-9]) ?|[a-z é]{0,3}", 0..60)) {
        converted("a.rtf", format!("{{\\rtf1{}", parts.concat()).as_bytes(), None);
    }
}
