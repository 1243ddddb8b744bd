//! Which sign parts the fields of a table, told from its first records.

/// The signs, the likeliest first.
const SIGNS: [u8; 4] = *b",;\t|";
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
/// total says little.
pub fn guess(head: &[u8], is_whole: bool) -> (u8, usize) {
    let records = records(head, &SIGNS, is_whole);
    let mut best = ((0, 0), SIGNS[0]);
    for (at, sign) in SIGNS.into_iter().enumerate() {
        let mut counts: Vec<usize> =
            records.iter().map(|record| record.counts[at]).filter(|count| *count > 0).collect();
        counts.sort_unstable();
        let alike = counts.chunk_by(|one, other| one == other).map(|alike| (alike.len(), alike[0]));
        let Some((usual, count)) = alike.max() else { continue };
        let score = (counts.len() + usual, count);
        if score > best.0 {
            best = (score, sign);
        }
    }
    (best.1, best.0.1 + 1)
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
    let mut at = 0;
    while let Some(&byte) = head.get(at) {
        at += 1;
        let first = std::mem::replace(&mut begins, false);
        let sign = signs.iter().position(|sign| *sign == byte);
        match (byte, sign) {
            (b'\n' | b'\r', _) => {
                let ended = std::mem::take(&mut record);
                if !std::mem::replace(&mut blank, true) {
                    records.push(Record { first: head[from], ..ended });
                }
                (begins, from) = (true, at);
            }
            (_, Some(sign)) => {
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
