//! Tests of facts: what is found of them, in which forms.

use proptest::prelude::*;

use super::*;

fn places(fact: &str, text: &str) -> Vec<String> {
    let fact = Fact::parse(fact).unwrap();
    fact.places(text, Inside::Nothing)
        .into_iter()
        .map(|(from, to)| text[from as usize..to as usize].to_owned())
        .collect()
}

#[test]
fn a_literal_is_found_however_it_is_written() {
    assert_eq!(places("payment gateway", "The Payment\n   Gateway timed out"), ["Payment\n   Gateway"]);
    assert_eq!(places("1000", "1,000 or 1000, not 21,000, 1,000,000 or 10000"), ["1,000", "1000"]);
    assert_eq!(places("1,000", "1000 or 1'000"), ["1000", "1'000"]);
    assert_eq!(places("200", "[1,200,300]"), ["200"]);
    assert_eq!(places("1234567", "1.234.567 and 1.234,567, not 1.234.567.890"), ["1.234.567"]);
    assert_eq!(places("50%", "50 % of 150 %, 50%"), ["50 %", "50%"]);
    assert_eq!(places("50 %", "at 50%"), ["50%"]);
    assert_eq!(places(r#"say "hi""#, r#"{"text": "say \"hi\""}"#), [r#"say \"hi\""#]);
    assert_eq!(places(r#"say "hi""#, r#"{\"text\": \"say \\\"hi\\\"\"}"#).len(), 1);
    assert_eq!(places("line one line two", r"line one\nline two"), [r"line one\nline two"]);
    assert_eq!(places("größe", r"gr\u00f6\u00dfe"), [r"gr\u00f6\u00dfe"]);
    assert_eq!(places(r"C:\new", r#""C:\\new""#), [r"C:\\new"]);
}

#[test]
fn a_number_is_found_however_it_is_written() {
    for (fact, text) in [
        ("1234567.89", "sum 1.234.567,89 euro"),
        ("1.234.567,89", "sum 1,234,567.89"),
        ("12.5 percent", "up 12,5 percent"),
        ("12,5 percent", "up 12.5 percent"),
        ("10000 items", "all 10 000 items"),
        ("10\u{202f}000 items", "all 10000 items"),
        ("10 000 items", r"all 10\u00a0000 items"),
        ("7.25e8", "all of 725,000,000 rows"),
        ("725000000", "all of 7.25E8 rows"),
        ("1.5E-3", "a rate of 1.5e-3"),
        ("1.5E-3", "a rate of 0.0015"),
        ("0.0015", "a rate of 1.5E-3"),
        ("0,0015", "a rate of 15e-4"),
    ] {
        assert_eq!(places(fact, text).len(), 1, "{fact} in {text}");
    }
    for (fact, text) in [
        ("1,234,567", "1.234.567,89"),
        ("1,234,567", "1,234,567.89"),
        ("1.234.567", "1.234.567,89"),
        ("1234567", "1 234 567,89"),
        ("3.4", "at (3,4)"),
        ("12345", "12   345"),
    ] {
        assert!(places(fact, text).is_empty(), "{fact} in {text}");
    }
    assert_eq!(places("443", "ports 80 443"), ["443"]);
    assert_eq!(places("12", "[12,5]"), ["12"]);
}

#[test]
fn the_end_of_a_grouped_number_is_another_number() {
    for (fact, text) in [
        ("250,000", "a budget of 1,250,000 euros"),
        ("234,567", "1,234,567"),
        ("250,000.75", "5,250,000.75"),
        ("250 000", "1 250 000 units"),
        ("250 000", "250 000 000 units"),
        ("250'000", "5'250'000"),
        ("250_000", "5_250_000"),
        ("250 000 euros", "1 250 000 euros"),
        ("250,000 euros", "1,250,000 euros"),
        ("250.000", "1.250.000"),
    ] {
        assert!(places(fact, text).is_empty(), "{fact} in {text}");
        assert!(Fact::parse(fact).unwrap().places(text, Inside::Words).is_empty(), "{fact} within {text}");
    }
    for (fact, text) in [
        ("250,000", "1, 250,000 and 250,000."),
        ("250 000", "in 2024 250 000 people"),
        ("250 000 people", "in 2024 250 000 people"),
        ("250,000", "it is 250,000. 3 of them"),
        ("250,000", "of -250,000 in all"),
        ("443 open", "ports 80 443 open"),
        ("1,250,000", "1 250 000"),
    ] {
        assert!(!places(fact, text).is_empty(), "{fact} in {text}");
    }
}

#[test]
fn the_number_of_a_line_and_digits_of_a_hash_are_no_number_of_what_is_said() {
    let listing = "   141\u{2192}let a = 9;\n   142\u{2192}let b = 142;\n   143\u{2192}let c;";
    assert_eq!(Fact::parse("142").unwrap().places(listing, Inside::Nothing), [(37, 40)]);
    assert!(places("143", listing).is_empty(), "it is only a line's");
    assert_eq!(Fact::parse("143").unwrap().places(listing, Inside::Words).len(), 1, "where nothing else says it");
    assert_eq!(places("142", "142\u{2192}150"), ["142"]);
    for text in ["commit d2320fab91", "5f3c2c1e-2320-4000-8000-0000000000ab", "Chunk ID: 4c2320"] {
        let fact = Fact::parse("2320").unwrap();
        assert!(fact.places(text, Inside::Words).is_empty() && !fact.places(text, Inside::All).is_empty(), "{text}");
    }
    assert_eq!(places("d2320fab", "commit d2320fab"), ["d2320fab"]);
    let uuid = "550e8400-e29b-41d4-a716-446655440000";
    for group in ["41d4", "550e8400", "e29b-41d4"] {
        let fact = Fact::parse(group).unwrap();
        assert!(fact.places(uuid, Inside::Nothing).is_empty(), "{group} is a part of a code");
        assert_eq!(fact.places(uuid, Inside::Words).len(), 1, "{group} can mean nothing else");
    }
    assert_eq!(places(uuid, &format!("run {uuid}.")), [uuid]);
    assert_eq!(places("41d4", "key 41d4 of 550e8400-e29b"), ["41d4"]);
}

#[test]
fn a_group_of_a_longer_number_is_another_number() {
    for (fact, text) in [
        ("567", "spent $1,234,567 on servers"),
        ("234", "spent $1,234,567 on servers"),
        ("1", "spent $1,234,567 on servers"),
        ("500", "The budget is 21,500 dollars."),
        ("89", "a bill of 1.234.567,89 euros"),
        ("234", "The sum is 1,234"),
        ("500", "all rows (21,500)"),
        ("159", "lines 8/1,159"),
        ("200", "1'200, 1\u{202f}200, 1\u{a0}200 and 1_200"),
        ("200", "5,200.75 and 5.200.000"),
        ("000", "a total of 5 000 000 units"),
        ("567", "a total of 12,34,567 rupees"),
        ("443", "a total of 80,443 rows"),
        ("000", "10 000"),
    ] {
        assert!(places(fact, text).is_empty(), "{fact} in {text}");
        assert!(Fact::parse(fact).unwrap().places(text, Inside::Words).is_empty(), "{fact} within {text}");
        assert!(!Fact::parse(fact).unwrap().places(text, Inside::All).is_empty(), "{fact} as a part of {text}");
    }
    for (fact, text) in [
        ("567", "ports 8080, 567"),
        ("567", "1,234,567 of them, and 567"),
        ("2", "1,2,3"),
        ("200", "[100,200,300]"),
        ("443", "[\"a\",80,443]"),
        ("200", "[100,200,300,x]"),
        ("560", "sed -n '560,760p' src/cli/upgrade.rs"),
        ("760", "sed -n '560,760p' src/cli/upgrade.rs"),
        ("200", "@@ -10,200 +10,203 @@"),
        ("200", "move_to(10,200,true)"),
        ("512", "7,512,200\n8,1,2"),
        ("512", "4\t512\t900"),
        ("250", "12\n250\n300\n"),
        ("404", "GET / 1 404 235"),
        ("443", "ports 80 443 500"),
        ("567", "1 234 567 units"),
        ("200", "[1,200,300,5]"),
        ("200", "rgb(100,200,255)"),
        ("200", "8080,200,300"),
        ("9090", "ports 8080,9090"),
        ("443", "open on ports 80,443 only"),
        ("443", "Ports: 80,443, and no others"),
        ("404", "statuses 200 404 500"),
        ("443", "ports 80 443"),
        ("567", "1,234   567"),
        ("234567", "1, 234,567"),
        ("567", "567,"),
    ] {
        assert_eq!(places(fact, text).len(), 1, "{fact} in {text}");
    }
    // What goes on for longer than any number is a list.
    assert_eq!(places("567", &vec!["567"; 40].join(" ")).len(), 40);
    let long = format!("567,{}567", "100,".repeat(30));
    assert_eq!(places("567", &long).len(), 2, "{long}");
}

#[test]
fn zeros_that_end_an_amount_say_nothing() {
    for (fact, text) in [
        ("12.5", "12.50 kg in all"),
        ("12,5", "$12.50"),
        ("12.50 €", "12.5 €"),
        ("$1,299.00", "it costs $1299"),
        ("1299", "$1,299.00 due"),
        ("1299.5", "a sum of 1,299.50"),
        ("7.5 percent", "at 7.50 %"),
        ("1299.00 euros", "for 1299 euros"),
    ] {
        assert_eq!(places(fact, text).len(), 1, "{fact} in {text}");
    }
    for (fact, text) in [
        ("1.1", "version 1.10"),
        ("3.1", "python 3.10 and 3.10.0"),
        ("24.1", "ubuntu 24.10"),
        ("2024.1", "release 2024.10"),
        ("12.5", "v12.50, a-12.50 and 12.500.1"),
        ("1299", "$1,299.01 and $11,299.00"),
        ("299", "$1,299.00"),
        ("12", "$12.50"),
    ] {
        assert!(places(fact, text).is_empty(), "{fact} in {text}");
    }
}

#[test]
fn the_same_number_is_the_same_number_and_a_version_is_none() {
    for (fact, text) in [
        ("7.5", "H 12; I 7.50; J -42"),
        ("7.50", "I 7.5; J -42"),
        ("0.5", "dropout 0.500"),
        ("0.500", "it is 0.5"),
        ("10", "$1,234.00 and 1.500,00 \u{20ac} and 10.0"),
        ("10.0", "all 10 of them"),
        ("7.5", "{\"timeout\": 7.50}"),
        ("7.5", "the ratio was 7.50 then"),
        ("-7.5", "at (-7.50)"),
        ("0.0003", "K 3.0e-4"),
        ("3e-4", "K 3.0e-4"),
        ("3.0e-4", "K 3e-4"),
        ("1500", "1.50e3"),
    ] {
        assert_eq!(places(fact, text).len(), 1, "{fact} in {text}");
    }
    for (fact, text) in [
        ("1.1", "v1.10, 1.10.2, 1.10.x and 1.10-slim"),
        ("3.1", "python 3.9, 3.10 and 3.10"),
        ("3.1", "[\"3.9\", \"3.10\"]"),
        ("3.10", "python 3.1"),
        ("1.2", "from 1.10 to 1.20"),
        ("8", "php 8.0"),
        ("1.1", "version: 1.10"),
        ("21", "21.000"),
        ("8.0", "version 8"),
    ] {
        assert!(places(fact, text).is_empty(), "{fact} in {text}");
    }
}

#[test]
fn blanks_of_any_kind_group_digits() {
    let blanks = [" ", "\u{a0}", "\u{202f}", "\u{2009}", "\u{2007}"];
    for (one, other) in blanks.iter().flat_map(|one| blanks.iter().map(move |other| (one, other))) {
        let text = format!("A 1{one}234{other}567 EUR.");
        assert_eq!(places("1234567", &text).len(), 1, "{text:?}");
        assert_eq!(places("1 234 567", &text).len(), 1, "{text:?}");
        for part in ["1", "234", "567", "1 234", "234 567", "567 EUR", "A 1"] {
            assert!(places(part, &text).is_empty(), "{part} of {text:?}");
        }
        let Query::Literal(literal) = Fact::parse("1234567").unwrap().query else { panic!() };
        assert!(literal.may_be_in(text.as_bytes(), true), "{text:?}");
    }
    // What may be several numbers is each of them, and what some of them are together.
    for part in ["1", "234", "567", "1 234", "234 567", "1 234 567", "1234567"] {
        assert_eq!(places(part, "1 234 567 units").len(), 1, "{part}");
    }
    assert_eq!(places("404", "GET / 1 404 235 ms").len(), 1);
    for part in ["1 23", "34 567", "1 234"] {
        assert!(places(part, "1 234\u{a0}567 units").is_empty(), "{part}");
    }
}

#[test]
fn a_lone_sign_has_a_place_of_its_own() {
    assert_eq!(places("-", "TWICE-77, a - b, x--y and -42"), ["-", "-"]);
    assert_eq!(places("%", "50 % and 7%"), ["%", "%"]);
    assert_eq!(Fact::parse("-").unwrap().places("TWICE-77", Inside::Words), [(5, 6)]);
    assert_eq!(places("->", "a->b"), ["->"]);
}

#[test]
fn places_that_overlap_are_all_found_and_each_once() {
    let everywhere = |fact: &str, text: &str| -> Vec<u32> {
        let found = Fact::parse(fact).unwrap().everywhere(text).alone;
        assert!(found.iter().all(|(from, to)| text.get(*from as usize..*to as usize).is_some()), "{fact}");
        found.into_iter().map(|(from, _)| from).collect()
    };
    let lines = "serve 1\nserve 2\nserve 1\nserve 2\nserve 1\n";
    assert_eq!(everywhere("serve 1\nserve 2\nserve 1", lines), [0, 16]);
    // In a text with escapes, which is read in several ways, and in two forms of the fact.
    let escaped = serde_json::to_string(lines).unwrap();
    assert_eq!(everywhere("serve 1\nserve 2\nserve 1", &escaped).len(), 2);
    assert_eq!(everywhere(r"serve 1\nserve 2\nserve 1", lines), [0, 16]);
    assert_eq!(everywhere("1,000 1,000", "1,000 1,000 1,000, 1000 1000").len(), 3);
    assert_eq!(everywhere("5 s 5 s", "5 s 5 s 5 seconds").len(), 2);
    assert_eq!(everywhere("lease", "a lease, the lease"), [2, 13]);
    assert_eq!(everywhere(r"re:(?s)serve 1.serve 2.serve 1", lines), [0, 16]);
    assert_eq!(everywhere(r"re:\w+ \w+", "one two three"), [0, 4]);
    assert_eq!(everywhere(r"re:\w+ timeout", "server timeout of the client timeout"), [0, 22]);
    for (needle, apart) in [("abcab", 3), ("aaaa", 1), ("abc", 3), ("a", 1)] {
        assert_eq!(period(needle.as_bytes()), apart, "{needle}");
    }
}

#[test]
fn very_many_matches_that_overlap_are_bounded() {
    let text = "x ".repeat(60_000);
    assert!(Fact::parse(r"re:(?s)x.*y|x").unwrap().everywhere(&text[..20_000]).alone.len() >= 10_000);
    assert_eq!(Fact::parse(r"re:(?s)x.*").unwrap().everywhere(&text).alone.len(), 1);
    assert_eq!(Fact::parse("x x x x").unwrap().everywhere(&text).alone.len(), 59_997);
}

#[test]
fn a_unit_is_found_however_it_is_written() {
    for (fact, text) in [
        ("30 seconds", "waits 30s."),
        ("timeout of 30s", "a timeout of 30 seconds"),
        ("a 30 second timeout", "A 30-second timeout"),
        ("2 GB", "of 2GB"),
        ("2GB", "2 gigabytes in all"),
        ("1,500 ms", r"1500\u00a0milliseconds"),
        ("50 percent", "50 %"),
    ] {
        assert_eq!(places(fact, text).len(), 1, "{fact} in {text}");
    }
    for (fact, text) in [
        ("30 seconds", "30 sheep, v30 s, 130 s, 30 ms, 1.30 s, 30 minutes"),
        ("60 s", "one minute, 1 min"),
        ("5 ms", "2.5 ms, 2,5 ms"),
    ] {
        assert!(places(fact, text).is_empty(), "{fact} in {text}");
    }
}

#[test]
fn a_number_with_words_is_taken_whole() {
    for (fact, text) in [
        ("200 rows", "1,200 rows, 1'200 rows, 1.200 rows"),
        ("the limit is 3", "the limit is 3.5"),
        ("the limit is 3", "the limit is 3,500"),
        ("gpt-4", "gpt-4.1"),
    ] {
        assert!(places(fact, text).is_empty(), "{fact} in {text}");
    }
    assert_eq!(places("443 open", "ports 80, 443 open; 80,443 open"), ["443 open"]);
    assert_eq!(places("the limit is 3", "the limit is 3. It was 5; the limit is 3, then 4").len(), 2);
}

#[test]
fn words_and_numbers_are_taken_whole() {
    assert!(places("lease", "several releases").is_empty());
    assert_eq!(places("lease", "renew the lease."), ["lease"]);
    assert_eq!(places("prefix", "key_prefix, getPrefix, prefixes, prefixed"), ["prefix", "Prefix"]);
    assert_eq!(places("timeout", "two timeouts"), ["timeout"]);
    assert!(places("8080", "port 18080").is_empty());
    assert_eq!(places("42", "420, 142, 42.5, 0.42, v42_420 and 42. Then"), ["42", "42"]);
    assert_eq!(places("4210", "14210 42101 4.210.5 4,210 rows"), ["4,210"]);
    assert_eq!(places("設定", "この設定を"), ["設定"]);
    for (fact, others) in [
        ("review_session", "close_review_session, review_sessions_of, review_session_id"),
        ("BeforeAgent", "handleGeminiBeforeAgent"),
        ("geminiBlockingResponse", "outputGeminiBlockingResponse"),
    ] {
        assert!(places(fact, others).is_empty(), "{fact} in {others}");
        assert_eq!(places(fact, &format!("{others} x.{fact}(y)")), [fact], "and by itself");
        assert!(!Fact::parse(fact).unwrap().places(others, Inside::Words).is_empty());
    }
    assert_eq!(places("auth_token", "src/auth_token.rs"), ["auth_token"]);
    assert_eq!(Fact::parse("1,000").unwrap().places("1,000,000 rows", Inside::Words), []);
    assert_eq!(Fact::parse("200 rows").unwrap().places("1200 rows", Inside::Words), []);
    assert_eq!(places("10:23:45", "at 2026-03-04T10:23:45.123Z, 10:23:456"), ["10:23:45"]);
    assert_eq!(Fact::parse("lease").unwrap().places("release", Inside::Words), [(2, 7)]);
}

#[test]
fn what_says_nothing_is_no_fact() {
    assert_eq!(Fact::parse("  ").unwrap_err(), FactError::Empty);
    assert_eq!(Fact::parse("~the of").unwrap_err(), FactError::NoWords);
}

#[test]
fn the_anchor_is_in_every_way_of_writing() {
    for (fact, stored) in [
        ("hbr-7731-", r#"key = \"HBR-7731-\""#),
        ("1000000", "1,000,000"),
        ("1000000", r"1\u202f000\u202f000"),
        ("1234567.89", "1 234 567,89"),
        ("1.5e-3", "1.5E-3"),
        ("0.0015", "1.5E-3"),
        ("0.25", "2.5E-1"),
        ("größe", r"GR\u00d6SSE"),
    ] {
        let Query::Literal(literal) = Fact::parse(fact).unwrap().query else { panic!() };
        assert!(literal.anchor.is_none_or(|anchor| anchor.is_match(stored.as_bytes())), "{fact}");
    }
}

proptest! {
    #[test]
    fn only_marks_that_matter_are_read_again(
        fact in prop::sample::select(vec!["is the", "the", "a b c", "pre-condition", "precondition", "if (a) b", "b;", "ab, c"]),
        parts in prop::collection::vec(
            prop::sample::select(vec![
                "is", " the", " ", "\n", "\n> ", "\n// ", "\n+", "`", "**", "*", "a", "b", " c", "pre-", "condition", "if (a)",
                ";", ", ", "12\u{2192}", "\u{e9}", "\\n", "\u{200b}", "    ", "\n7\t", "\n8\t", "\n9\tthe", "x y z ", "\u{1b}[1m",
            ]),
            0..40,
        ),
        filler in prop::sample::select(vec!["", " and so it goes on for a long while, with words of no meaning at all, line after line of it "]),
    ) {
        let text: String = parts.iter().flat_map(|part| [*part, if part.len() > 3 { filler } else { "" }]).collect();
        let Query::Literal(mut literal) = Fact::parse(fact).unwrap().query else { panic!() };
        prop_assert!(literal.seams.is_some());
        let near = literal.told(&text, Inside::All).map(each);
        literal.seams = None;
        prop_assert_eq!(near, literal.told(&text, Inside::All).map(each), "{:?}", text);
    }
}
