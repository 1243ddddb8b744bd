//! The limits of tables, against values worked out by hand.

use std::fmt::Write;

use crate::content::{MemoryBytes, Watch};

use super::{Conversion, Limits, Request, collect, shown_line};

fn read(name: &str, text: &str, limits: Option<&Limits>) -> Conversion {
    let bytes = MemoryBytes(text.as_bytes().to_vec());
    let watch = Watch::default();
    collect(&Request { name, bytes: &bytes, limits, max_bytes: 16 << 20, second_reader_from: None, watch: &watch })
        .unwrap()
}

/// The example of source 4: 100 columns, 5,000 rows, 15 long cells in the rows that are shown and one in between.
fn example() -> String {
    let mut text = String::new();
    for row in 0..=5000 {
        for column in 0..100 {
            let comma = if column > 0 { "," } else { "" };
            let long = column == 0 && (row == 1000 || (6..=20).contains(&row)) || (column == 70 && row == 3);
            let cell = if long { "x".repeat(2000) } else { format!("{row}.{column}") };
            let _ = write!(text, "{comma}{cell}");
        }
        text.push('\n');
    }
    text
}

#[test]
fn a_header_is_as_wide_as_the_longest_row() {
    let lines = |text: &str, limits: Option<&Limits>| -> Vec<String> {
        read("a.csv", text, limits).markdown.lines().map(str::to_owned).collect()
    };
    let limits = Limits { columns: 4, ..Limits::default() };
    let text = "a,b\n1,2\nlong,2,\"3\n, ,,,, ,,,,\",4,5\n,\n";
    assert_eq!(
        lines(text, None),
        [
            "| a | b |  |  |  |",
            "| --- | --- | --- | --- | --- |",
            "| 1 | 2 |",
            "| long | 2 | 3 , ,,,, ,,,, | 4 | 5 |",
            "|  |  |"
        ]
    );
    assert_eq!(lines(text, Some(&limits))[..2], ["| a | b |  |  |", "| --- | --- | --- | --- |"]);
    assert_eq!(shown_line(&read("a.csv", text, Some(&limits)).shown), "columns: 4 of 5");
    // Signs within quotes part nothing, and a quote that stays open may hold all that follows.
    for text in ["a,b\n\"1,2,3\",4\n", "a,b\n\"x,1,0\ny,2\nz,3\n"] {
        assert_eq!(lines(text, None)[..2], ["| a | b |", "| --- | --- |"], "{text}");
    }
    let late = format!("a,b\n{}1,2,3\n", "1,2\n".repeat(300_000));
    let found = read("a.csv", &late, None);
    assert!(found.markdown.starts_with("| a | b |\n") && found.markdown.ends_with("| 1 | 2 | 3 |\n"));
    assert!(found.notes[0].message.starts_with("1 row is longer"), "{:?}", found.notes);
}

#[test]
fn the_example_of_source_4_says_what_it_says_there() {
    let limits = Limits { line_chars: u64::MAX, ..Limits::default() };
    let found = read("a.csv", &example(), Some(&limits));
    assert_eq!(shown_line(&found.shown), "columns: 50 of 100, rows: 30 of 5000, 15 cells truncated");
    let lines: Vec<&str> = found.markdown.lines().collect();
    assert_eq!(lines.len(), 2 + 20 + 1 + 10);
    assert!(lines[22].starts_with("| ... [4970 rows not shown] | ... |"), "{}", lines[22]);
    assert!(lines[23].starts_with("| 4991.0 | 4991.1 |"), "{}", lines[23]);
    assert!(lines[32].ends_with("| 5000.49 |"), "{}", lines[32]);
    // However short the cells are.
    let narrow = Limits { cell_chars: 5, ..limits };
    assert!(read("a.csv", &example(), Some(&narrow)).markdown.contains("| ... [4970 rows not shown] | ... |"));
    let cut = lines[7].split(" | ").next().unwrap();
    assert_eq!(cut, format!("| {}...", "x".repeat(500)));
}

#[test]
fn rows_are_cut_to_the_characters_of_a_line() {
    let found = read("a.csv", &example(), Some(&Limits::default()));
    assert!(found.markdown.lines().all(|line| line.chars().count() <= 1003));
}

#[test]
fn quotes_breaks_bars_and_uneven_rows_stay_in_their_cells() {
    let found = read("a.csv", "a,b\n\"x, \"\"y\"\"\",\"1\n2\"\np|q\n1,2,3\n", None);
    assert_eq!(found.markdown, "| a | b |  |\n| --- | --- | --- |\n| x, \"y\" | 1 2 |\n| p\\|q |  |\n| 1 | 2 | 3 |\n");
    assert_eq!(found.fact("rows"), Some("3"));
    // A backslash right before a bar would escape the one that escapes it.
    let found = read("a.csv", "a,b\nx\\|y,C:\\z\n\\\\|,|\\\n", None);
    assert_eq!(found.markdown, "| a | b |\n| --- | --- |\n| x\\\\\\|y | C:\\z |\n| \\\\\\\\\\| | \\|\\ |\n");
}

#[test]
fn delimiters_are_guessed() {
    for (name, text) in [("a.csv", "a;b\n1,5;2\n"), ("a.tsv", "a\tb\n1,5\t2\n"), ("a.csv", "a|b\n1,5|2\n")] {
        assert_eq!(read(name, text, None).markdown, "| a | b |\n| --- | --- |\n| 1,5 | 2 |\n");
    }
}

#[test]
fn lines_that_are_no_rows_do_not_hide_the_delimiter() {
    let rows = "| a | b | c |\n| --- | --- | --- |\n| 1,5 | 2 | 3 |\n| 4,5 | 5 | 6 |\n";
    for text in ["a;b;c\n1,5;2;3\n\n4,5;5;6\n", "\n\na;b;c\n1,5;2;3\n4,5;5;6\n", "sep=;\na;b;c\n1,5;2;3\n4,5;5;6\n"] {
        assert_eq!(read("a.csv", text, None).markdown, rows, "{text:?}");
    }
    let title = read("a.csv", "Sales, all of them\n\na;b\n1;2\n3;4\n", Some(&Limits::default()));
    assert_eq!(title.markdown, "| Sales, all of them |  |\n| --- | --- |\n| a | b |\n| 1 | 2 |\n| 3 | 4 |\n");
    let inch = read("a.csv", "a;b\n\"x\";\"1,2,3\"\n5\" tube;z\nq;w\n", None);
    assert_eq!(inch.markdown, "| a | b |\n| --- | --- |\n| x | 1,2,3 |\n| 5\" tube | z |\n| q | w |\n");
    assert_eq!(read("a.csv", "sep=\t\na\tb\n1,5\t2\n", None).markdown, "| a | b |\n| --- | --- |\n| 1,5 | 2 |\n");
    assert_eq!(read("a.csv", "a;b\r1;2\r", None).markdown, "| a | b |\n| --- | --- |\n| 1 | 2 |\n");
}

#[test]
fn breaks_within_a_cell_part_its_words() {
    let found = read("a.csv", "a,b\n\"x\ry\",\"u\r\nv\"\n", None);
    assert_eq!(found.markdown, "| a | b |\n| --- | --- |\n| x y | u v |\n");
}

#[test]
fn a_quote_left_open_is_bounded_and_said() {
    let text = format!("a,b\n1,\"{}", "x,\n".repeat(2 << 20));
    let found = read("a.csv", &text, Some(&Limits::default()));
    assert!(found.notes.iter().any(|note| note.line == 2 && note.message.contains("quote")), "{:?}", found.notes);
    assert!(found.markdown.len() < 2000);
}

#[test]
fn columns_that_are_not_kept_are_counted() {
    let text = format!("{}\n{}\n", "c,".repeat(249_999) + "c", "12345678901234567890,".repeat(250_000));
    let found = read("a.csv", &text, Some(&Limits::default()));
    assert!(shown_line(&found.shown).starts_with("columns: 50 of 250001"), "{:?}", found.shown);
    assert_eq!((found.notes[0].line, found.notes.len()), (1, 1));
    assert_eq!(found.notes[0].message, "a record of 250000 fields was cut after 100000");
    let long = read("a.csv", &format!("a,b\n1,{}\n", "x".repeat(5 << 20)), Some(&Limits::default()));
    assert_eq!(shown_line(&long.shown), "1 cell truncated");
    assert_eq!(long.notes[0].message, "a record longer than 4 MB was cut");
}

#[test]
fn an_empty_table_is_empty() {
    assert_eq!(read("a.csv", "", None).markdown, "");
    assert_eq!(read("a.csv", "a,b", Some(&Limits::default())).markdown, "| a | b |\n| --- | --- |\n");
}

#[test]
fn rows_longer_than_the_header_keep_their_cells_within_the_limit_of_columns() {
    let text = format!("a,b\n{}1,2,3,4\n", "1,2\n".repeat(100));
    let found = read("a.csv", &text, Some(&Limits { columns: 3, ..Limits::default() }));
    assert!(found.markdown.ends_with("| 1 | 2 |\n| 1 | 2 | 3 |\n"), "{}", found.markdown);
    assert_eq!(shown_line(&found.shown), "columns: 3 of 4, rows: 30 of 101");
    let found = read("a.csv", &text, Some(&Limits::default()));
    assert!(found.markdown.ends_with("| 1 | 2 | 3 | 4 |\n"), "{}", found.markdown);
    assert_eq!(shown_line(&found.shown), "rows: 30 of 101");
}

#[test]
fn the_delimiter_of_a_legacy_encoding_is_guessed_from_what_it_says() {
    let rows = |row: &'static [u8]| [b"Stra\xDFe;PLZ;Ort\n".as_slice(), &row.repeat(500)].concat();
    for (text, header) in [
        (b"Gr\xF6\xDFe;Preis;Menge\nA;1,50;2\nB;2,75;3\n".to_vec(), "| Größe | Preis | Menge |"),
        (rows(b"Allee 1, Innenstadt;50667;K\xF6ln\n"), "| Straße | PLZ | Ort |"),
        (b"pr\xE9nom\tville\nJos\xE9\tN\xEEmes, Gard\n".to_vec(), "| prénom | ville |"),
    ] {
        let (bytes, watch) = (MemoryBytes(text), Watch::default());
        let request = Request {
            name: "a.csv",
            bytes: &bytes,
            limits: None,
            max_bytes: 1 << 20,
            second_reader_from: None,
            watch: &watch,
        };
        let found = collect(&request).unwrap();
        assert_eq!(found.markdown.lines().next(), Some(header));
    }
}

#[test]
fn a_quote_that_nothing_closes_swallows_no_rows_that_are_certain() {
    let row = |at: u32| format!("{at},name {at},\"v, {at}\"\n");
    let all = |count: u32, strays: &[u32]| {
        let rows = (0..count).map(|at| if strays.contains(&at) { format!("{at},\"name {at},v\n") } else { row(at) });
        format!("id,name,v\n{}", rows.collect::<String>())
    };
    for (count, strays) in [(3_000, &[40][..]), (200_000, &[90][..]), (60, &[7, 30, 40][..])] {
        let text = all(count, strays);
        let found = read("a.csv", &text, None);
        assert_eq!(found.fact("rows"), Some(count.to_string().as_str()), "{strays:?}");
        for stray in strays {
            assert!(found.markdown.contains(&format!("| {stray} | \"name {stray} | v |\n")), "{stray}");
            assert!(found.markdown.contains(&format!("| {} | name {0} | v, {0} |\n", stray + 1)), "{stray}");
        }
        let lines: Vec<u64> = found.notes.iter().map(|note| note.line).collect();
        assert_eq!(lines, strays.iter().map(|stray| u64::from(*stray) + 2).collect::<Vec<_>>(), "{:?}", found.notes);
    }
}

#[test]
fn a_quote_left_open_is_told_where_it_may_be_one() {
    for (text, line) in [
        ("a,b\n1,\"some words\nand more\n", 2),
        ("a,b\n1,2\n\n3,\"some, words\nand more, too\n", 4),
        ("a,\"b\n1,2\n3,4\n", 1),
        ("sep=;\na;b\n1;\"x\ny\n", 3),
    ] {
        let found = read("a.csv", text, Some(&Limits::default()));
        let told: Vec<u64> =
            found.notes.iter().filter(|note| note.message.contains("quote")).map(|note| note.line).collect();
        assert!(told.len() == 1 && told[0].abs_diff(line) <= 1, "{text}: {:?}", found.notes);
    }
    // Without another quote behind it, it opens up to the end.
    let rows = (0..20_000).map(|at| format!("{at},{}name {at},v\n", if at == 50 { "\"" } else { "" }));
    let found = read("a.csv", &format!("id,name,v\n{}", rows.collect::<String>()), None);
    assert_eq!((found.fact("rows"), found.notes.len(), found.notes[0].line), (Some("20000"), 1, 52));
    for text in ["a,b\n1,\"x\ny\"", "a,b\n1,\"x\"\"\ny\"\n", "a,b\n1,5\" wide\n2,3\n", "a,b\n1,\"x"] {
        assert!(read("a.csv", text, None).notes.is_empty(), "{text}");
    }
}

#[test]
fn blank_lines_are_told_whatever_breaks_them() {
    let shown = |text: &str| {
        let found = read("a.csv", text, None);
        assert_eq!(found.markdown, "| a | b |\n| --- | --- |\n| 1 | 2 |\n| 3 | 4 5 |\n", "{text:?}");
        shown_line(&found.shown)
    };
    for end in ["\n", "\r\n", "\r"] {
        let lines = |lines: &[&str]| lines.join(end);
        assert_eq!(shown(&lines(&["a,b", "1,2", "3,\"4\n5\"", ""])), "", "{end:?}");
        assert_eq!(shown(&lines(&["a,b", "1,2", "", "3,\"4\r\n5\"", "", ""])), "1 blank line left out", "{end:?}");
        assert_eq!(shown(&lines(&["", "a,b", "", "", "1,2", "", "3,4 5"])), "4 blank lines left out", "{end:?}");
    }
}
