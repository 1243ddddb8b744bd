//! Which sign parts the fields of a table, told from its first records.

use std::ops::Range;

/// The signs, the likeliest first.
const SIGNS: [u8; 4] = *b",;\t|";
/// Bytes of a currency before a number, or of a unit behind it.
const UNIT_MAX: usize = 6;
/// Records that make a table of a text.
const RECORDS_MIN: usize = 3;

/// A record, by what stands outside of its quotes.
#[derive(Clone, Copy, Default)]
struct Record {
    /// The byte that it begins with.
    first: u8,
    /// How often each of the signs stands in it.
    counts: [usize; SIGNS.len()],
    /// And how often with a space behind it.
    spaced: [usize; SIGNS.len()],
    /// For each of the signs, were it the delimiter: commas that belong to numbers.
    in_numbers: [usize; SIGNS.len()],
}

impl Record {
    /// Some of the signs end their newest fields before the byte that was read last; others begin behind it.
    fn end_fields(&mut self, starts: &mut [usize], signs: Range<usize>, head: &[u8], at: usize) {
        for sign in signs {
            let field = starts.get_mut(sign).map(|start| std::mem::replace(start, at)..at - 1);
            self.in_numbers[sign] += field.and_then(|field| head.get(field)).map_or(0, in_number);
        }
    }
}

/// The delimiter that a first line `sep=;` names, and the bytes of that line.
pub fn declared(head: &[u8]) -> Option<(u8, usize)> {
    let end = memchr::memchr(b'\n', head)?;
    let line = head.get(..end)?.trim_ascii_end();
    let line = line.strip_prefix(b"\"").and_then(|line| line.strip_suffix(b"\"")).unwrap_or(line);
    // A tab is white space, which was trimmed away.
    match line.get(..4).filter(|name| name.eq_ignore_ascii_case(b"sep="))? {
        _ if line.len() == 4 && head.get(4) == Some(&b'\t') => Some((b'\t', end + 1)),
        _ => line.get(4).filter(|sign| line.len() == 5 && sign.is_ascii()).map(|sign| (*sign, end + 1)),
    }
}

/// The delimiter that most of the first records have, and equally often; and how many fields that makes. A title or a
/// total says little, and so does a comma that belongs to a number or to the words of a header.
pub fn guess(head: &[u8], is_whole: bool) -> (u8, usize) {
    let records = records(head, &SIGNS, is_whole);
    let plain = |at: usize| score(records.iter().map(|record| record.counts[at]));
    // Of those that score alike, the first.
    let other = (1..SIGNS.len()).rev().max_by_key(|at| plain(*at)).unwrap_or(1);
    let comma = plain(0);
    let at =
        if plain(other) > comma || plain(other) > score(commas_beside(&records, other, comma.1)) { other } else { 0 };
    (SIGNS[at], plain(at).1 + 1)
}

/// How well a sign parts the fields: the records that have it and those of them that have it equally often, and how
/// often they do.
fn score(counts: impl Iterator<Item = usize>) -> (usize, usize) {
    let mut counts: Vec<usize> = counts.filter(|count| *count > 0).collect();
    counts.sort_unstable();
    let alike = counts.chunk_by(|one, other| one == other).map(|alike| (alike.len(), alike[0]));
    alike.max().map_or((0, 0), |(usual, count)| (counts.len() + usual, count))
}

/// The commas of each record that may part its fields where another sign may do so as well: not those of decimal numbers,
/// nor those of words in the header of such numbers. A header that has as many commas as the records do, and not the other
/// sign, says that all of them do.
fn commas_beside(records: &[Record], other: usize, usual: usize) -> impl Iterator<Item = usize> {
    let is_header = |record: &Record| {
        let parting = record.counts[0].saturating_sub(record.spaced[0] + record.in_numbers[other]);
        record.counts[other] == 0 && record.counts[0] == usual && parting > 0
    };
    let all = records.iter().any(is_header);
    let numbers = records.iter().position(|record| record.in_numbers[other] > 0).unwrap_or(0);
    records.iter().enumerate().map(move |(at, record)| {
        let in_numbers = record.in_numbers[other];
        let in_words = if at < numbers || in_numbers > 0 { record.spaced[0] } else { 0 };
        let is_counted = all || record.counts[other] == 0;
        if is_counted { record.counts[0] } else { record.counts[0].saturating_sub(in_numbers + in_words) }
    })
}

/// The commas of a field that is a number: `1,25`, `-1.234,50 EUR`, `1,234,567.8`; 0 where it is none.
fn in_number(field: &[u8]) -> usize {
    let is_number = || {
        let from = field.iter().position(u8::is_ascii_digit)?;
        let to = field.iter().rposition(u8::is_ascii_digit)? + 1;
        let (before, number, behind) = (field.get(..from)?, field.get(from..to)?, field.get(to..)?);
        let is_unit = |unit: &[u8]| unit.len() <= UNIT_MAX && !unit.iter().any(|byte| matches!(byte, b',' | b'"'));
        let digits = |text: &[u8]| !text.is_empty() && text.iter().all(u8::is_ascii_digit);
        let grouped = |byte: &u8| byte.is_ascii_digit() || matches!(byte, b'.' | b'\'' | b' ' | 0x80..);
        let mut parts = number.split(|byte| *byte == b',');
        let (whole, last) = (parts.next()?, parts.next_back()?);
        let decimal = |text: &[u8]| {
            let (fraction, power) =
                text.split_at(text.iter().position(|byte| b"eE".contains(byte)).unwrap_or(text.len()));
            let power = power.get(1..).unwrap_or_default();
            digits(fraction) && power.iter().all(|byte| byte.is_ascii_digit() || b"+-".contains(byte))
        };
        let three = |text: &[u8]| text.len() == 3 && digits(text);
        let thousands = |text: &[u8]| {
            let mut parts = text.splitn(2, |byte| *byte == b'.');
            parts.next().is_some_and(three) && parts.next().is_none_or(digits)
        };
        let is_one = match parts.next() {
            None => (whole.iter().all(grouped) && decimal(last)) || (digits(whole) && thousands(last)),
            Some(second) => digits(whole) && three(second) && parts.all(three) && thousands(last),
        };
        (is_unit(before) && is_unit(behind) && is_one).then_some(())
    };
    let commas = memchr::memchr_iter(b',', field).count();
    if commas > 0 && is_number().is_some() { commas } else { 0 }
}

/// Whether a text whose name says nothing is a table for certain: all of its first records, several, hold a delimiter
/// equally often, and more than once.
pub fn is_table(head: &[u8], is_whole: bool) -> bool {
    let end = if is_whole { head.len() } else { memchr::memrchr(b'\n', head).map_or(0, |end| end + 1) };
    let head = head.get(..end).unwrap_or_default();
    let quotes = memchr::memchr_iter(b'"', head).count();
    if is_whole && !quotes.is_multiple_of(2) {
        return false;
    }
    let records = records(head, &SIGNS, is_whole);
    // Lists and tuples of code, tables of Markdown, comments, and lines that are indented are something else.
    let is_other = |record: &Record| matches!(record.first, b'[' | b'(' | b'{' | b'<' | b'#' | b'|' | b' ' | b'\t');
    let is_one = |at: usize| {
        let count = records[0].counts[at];
        // Behind the signs of a sentence there is a space; a table has none behind most of them.
        let spaces: usize = records.iter().map(|record| record.spaced[at]).sum();
        count > 1 && records.iter().all(|record| record.counts[at] == count) && spaces * 2 < records.len() * count
    };
    records.len() >= RECORDS_MIN && !records.iter().any(is_other) && (0..SIGNS.len()).any(is_one)
}

/// How many fields a line has where such a sign parts them; a sign within quotes parts none.
pub fn fields(line: &[u8], sign: u8) -> usize {
    1 + records(line, &[sign], true).first().map_or(0, |record| record.counts[0])
}

/// The records of a text in which one of the signs, as many as [`SIGNS`] at most, parts the fields. What is blank is
/// none, nor is what the end cuts off, unless there is no other.
///
/// Whichever sign it is, what it would part may stand in quotes: one opens at the beginning of a line or behind any of
/// the signs, and closes before one or at the end of a line.
fn records(head: &[u8], signs: &[u8], is_whole: bool) -> Vec<Record> {
    let (mut records, mut record) = (Vec::new(), Record::default());
    // Whether a field begins, whether the record is blank up to here, and where it begins.
    let (mut begins, mut blank, mut from) = (true, true, 0);
    let (mut is_cut, mut is_open) = (!is_whole, false);
    // Where the newest field begins, were each of the signs the delimiter.
    let mut starts = [0; SIGNS.len()];
    let mut at = 0;
    while let Some(&byte) = head.get(at) {
        at += 1;
        let first = std::mem::replace(&mut begins, false);
        let sign = signs.iter().position(|sign| *sign == byte);
        match (byte, sign) {
            (b'\n' | b'\r', _) => {
                record.end_fields(&mut starts, 0..signs.len(), head, at);
                let ended = std::mem::take(&mut record);
                if !std::mem::replace(&mut blank, true) {
                    records.push(Record { first: head[from], ..ended });
                }
                (begins, from) = (true, at);
            }
            (_, Some(sign)) => {
                record.end_fields(&mut starts, sign..sign + 1, head, at);
                record.counts[sign] += 1;
                record.spaced[sign] += usize::from(head.get(at) == Some(&b' '));
                (begins, blank) = (true, false);
            }
            (b'"', None) if first && !is_open => {
                blank = false;
                match closed(head, at, signs) {
                    Some(behind) => at = behind,
                    // In the first record it is no more than a sign; in another all that follows may be in it.
                    None if records.is_empty() => is_open = true,
                    None => {
                        is_cut = true;
                        break;
                    }
                }
            }
            (b' ', None) => {}
            _ => blank = false,
        }
    }
    if !blank && (!is_cut || records.is_empty()) {
        record.end_fields(&mut starts, 0..signs.len(), head, head.len() + 1);
        records.push(Record { first: head[from], ..record });
    }
    records
}

/// The place behind the quote that closes what is opened before `from`.
fn closed(head: &[u8], from: usize, signs: &[u8]) -> Option<usize> {
    let mut at = from;
    loop {
        at += memchr::memchr(b'"', head.get(at..)?)? + 1;
        match head.get(at) {
            Some(b'"') => at += 1,
            Some(b'\n' | b'\r') | None => return Some(at),
            Some(sign) if signs.contains(sign) => return Some(at),
            Some(_) => {}
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A table as programs write it: a cell is in quotes where it must be.
    fn written(rows: &[Vec<String>], sign: u8, line_end: &str) -> String {
        let sign = char::from(sign);
        let cell = |cell: &String| match cell.contains([sign, '"', '\n']) {
            true => format!("\"{}\"", cell.replace('"', "\"\"")),
            false => cell.clone(),
        };
        let row = |row: &Vec<String>| row.iter().map(cell).collect::<Vec<_>>().join(&sign.to_string()) + line_end;
        rows.iter().map(row).collect()
    }

    #[test]
    fn cells_of_several_lines_that_hold_the_other_signs_do_not_hide_the_delimiter() {
        let texts = [
            "Steps, in order:\n1. open it, then wait\n2. look, and look again\n3. no, nothing",
            "| a | b |\n|---|---|\n| 1 | 2 |\n| 3 | 4 |",
            "first; second\nthird; fourth\nfifth; sixth",
            "one\ttwo\n\"three\"\tfour\n\tfive",
            "plain",
            "",
            "a \"word\", and\nanother",
        ];
        for sign in SIGNS {
            for (columns, first) in (2..6).flat_map(|columns| (0..texts.len()).map(move |first| (columns, first))) {
                let name = |column| format!("c{column}");
                let mut rows = vec![(0..columns).map(name).collect::<Vec<_>>()];
                for row in 0..6 {
                    let text = |column: usize| match column {
                        0 => row.to_string(),
                        _ => texts[(first + row * column + column) % texts.len()].to_owned(),
                    };
                    rows.push((0..columns).map(text).collect());
                }
                for line_end in ["\n", "\r\n"] {
                    let text = written(&rows, sign, line_end);
                    let whole = guess(text.as_bytes(), true);
                    assert_eq!(whole, (sign, columns), "{text}");
                    let most = text.len() * 2 / 3;
                    assert_eq!(guess(&text.as_bytes()[..most], false), (sign, columns), "{}", &text[..most]);
                }
            }
        }
    }

    #[test]
    fn most_records_tell_the_delimiter_not_all_of_their_signs() {
        for (text, sign, fields) in [
            ("name,tags\nx,a;b;c\ny,d;e;f\nz,g;h;i\n", b',', 2),
            ("day;sum;text\n1;1.234,50;Rent, power\n2;-17,00;Fruit, bread, milk\n3;5,00;Tea\n", b';', 3),
            ("id,genres\n1,a|b|c\n2,a|b\n3,c|d\n", b',', 2),
            ("id,area\n1,\"((0 0, 1 1, 2 2))\"\n2,\"((5 5, 1 1, 2 2))\"\n", b',', 2),
            ("a;b\n\"x\";\"1,2,3\"\n5\" tube;z\nq;w\n", b';', 2),
            // Nothing closes it: what stands before it tells.
            ("a;b\n1;2\n3;\"x, y\nu, v\nw, x\ny, z\n", b';', 2),
            ("\"a;b\n1;2\n", b';', 2),
            ("a;b\n1;2", b';', 2),
            // Commas of numbers, of a header's words, of names.
            ("1,25;3,50;7,71\n1,25;3,50;7,72\n", b';', 3),
            ("2024-01-01 00:00:00;1,25;3,50\n2024-01-02 00:00:00;1,25;3,50\n", b';', 3),
            ("Messung vom 01.02.2024\n12:00;20,1;47,8;0,570\n12:01;20,2;44,5;0,485\n", b';', 4),
            ("Messung, Halle 3\n12:00;20,1\n12:01;20,2\n", b';', 2),
            ("Name;Betrag, EUR;Zeit, UTC\nA;1,25;3,50\nB;1,35;4,50\n", b';', 3),
            ("M\u{fc}ller, Eva;1,25\nMeier, Jo;-2,50 EUR\n", b';', 2),
            ("1.234,50;2.345,60\n1.234.567,50;-2,60 %\n", b';', 2),
            ("1,234,567;2,345.5\n1,234;9,876,543\n", b';', 2),
            ("1,25e-3\t3,50\n1,5\t4,25E+2\n", b'\t', 2),
            ("1,25|3,50\n1,35|4,25\n", b'|', 2),
            // Lists within cells.
            ("a,b\n1;2,3;4\n5;6,7;8\n", b',', 2),
            ("a,b,c\n1,2;3,4\n5,6;7,8\n", b',', 3),
            ("1,2,3;4,5\n6,7,8;9,0\n", b',', 4),
            ("1,red;blue,5\n2,green;red,7\n", b',', 3),
            ("1,2024-01-01;2024-01-05,5\n2,2024-02-01;2024-02-05,6\n", b',', 3),
            ("a,1;2\nb,3;4\n", b',', 2),
            ("name, tags\nx, a;b\ny, c;d\n", b',', 2),
            ("1,2,3\n4,5,6\n", b',', 3),
            ("1,5\n2,5\n", b',', 2),
        ] {
            assert_eq!(guess(text.as_bytes(), true), (sign, fields), "{text}");
        }
        assert_eq!(fields(b"a,\"b,c\",d;e", b','), 3);
        assert_eq!(fields(b"", b','), 1);
    }

    #[test]
    fn a_table_without_a_name_is_told_by_its_records() {
        for text in [
            "Cups\t\t\t\r\nTeam\tTown\tCups\t\r\nBlues\tSTL\t1\t\r\n",
            "a,b,\n1,2,\n3,4,\n",
            "id,title,body\n1,x,\"| a | b |\n|---|---|\"\n2,y,z\n",
            "a;b;c\n1;\"x, y\nz\";2\n3;4;5\n",
        ] {
            assert!(is_table(text.as_bytes(), true), "{text}");
            let more = format!("{text}1,2;3\t4|\"5");
            assert!(is_table(more.as_bytes(), false), "cut off: {more}");
        }
        for text in [
            "a,b,c\n1,2,3\n",
            "One, two, three\nfour, five, six\nseven, eight, nine\n",
            "\"Said\" so\na;b;c\nd;e;f\ng;h;i\n",
            "a\tb\n\n\n",
            "",
            "  a,b,c\n  d,e,f\n  g,h,i\n",
        ] {
            assert!(!is_table(text.as_bytes(), true), "{text}");
        }
    }
}
