//! Workbooks of which parts unpack to far more than those of any real one: the beginnings of these take their places, as their
//! readers would read all of them.

use std::io::Read;

use super::input::{Failure, Input, Packing, SWOLLEN_MAX, is_swollen};
use super::office::damaged::mended;
use super::out::Out;
use super::records::closed_records;
use super::rewritten::Rewritten;
use super::unlisted::{Needed, Opened};

/// Endings of the parts that are read.
const READ: [&str; 3] = [".xml", ".rels", ".bin"];

/// A workbook with so much of each such part; `None` where there are none.
///
/// # Errors
/// Where it cannot be read.
pub fn open<'a>(
    input: &Input<'_>,
    zip: &Opened<'a>,
    needed: Needed,
    out: &mut Out<'_>,
) -> Result<Option<Opened<'a>>, Failure> {
    let told = |(stored, size)| is_swollen(stored, size) || size == u64::from(u32::MAX);
    let may_be = || zip.list.iter().flat_map(|list| list.entries()).any(|entry| told((entry.stored, entry.size)));
    // Of what is packed once more all was unpacked, within its own limits.
    if input.packing != Packing::None || zip.found.is_none() && !may_be() {
        return Ok(None);
    }
    let mut names = Vec::new();
    let made = Rewritten::of(zip, |zip, number, listed| {
        let about = zip.by_index_data(number);
        let is_one = about.is_ok_and(|about| is_swollen(about.compressed_size(), about.size()));
        // Pictures are not read.
        if !is_one || !READ.iter().any(|ending| listed.name.ends_with(ending)) {
            return Ok(None);
        }
        let mut bytes = Vec::new();
        if let Ok(part) = zip.by_index(number) {
            // What can be read of it is its beginning.
            let _ = part.take(SWOLLEN_MAX).read_to_end(&mut bytes);
        }
        out.beat(bytes.len() as u64)?;
        let bytes = match listed.name.ends_with(".bin") {
            true => closed_records(&listed.name, bytes),
            false => mended(&listed.name, bytes),
        };
        names.push((listed.name.clone(), !bytes.is_empty()));
        Ok(Some(bytes))
    })?;
    let Some(mut made) = made.filter(|made| !made.is_same) else { return Ok(None) };
    for (name, is_read) in names {
        let read = if is_read { format!("{} MB", SWOLLEN_MAX >> 20) } else { "nothing".to_owned() };
        let what =
            format!("the part {name} unpacks to far more than any real one of its size: of it {read} can be read");
        out.lost_of_all(what, "what is read is shown, without comments and drawings");
        made.found.damaged.push(name);
    }
    Ok(Some(made.opened(needed)))
}

#[cfg(test)]
mod tests {
    use crate::document::Conversion;
    use crate::document::testing::{converted, zip};

    const NAME: &str = "xl/worksheets/sheet1.xml";

    fn is_told(found: &Conversion) -> bool {
        found.notes.iter().any(|note| note.message.contains("unpacks to far more"))
    }

    #[test]
    fn a_part_that_unpacks_to_too_much_is_read_in_part() {
        let cell = |row: u8| format!("<row r='{row}'><c r='A{row}'><v>4{row}</v></c></row>");
        // What is read of it ends in the blanks between the rows.
        let blanks = " ".repeat(65 << 20);
        let sheet =
            |between: &str| format!("<worksheet><sheetData>{}{between}{}</sheetData></worksheet>", cell(1), cell(2));
        let both = "## sheet1\n| 41 |\n| --- |\n| 42 |\n";
        for (between, expected) in [("", both), (blanks.as_str(), "## sheet1\n| 41 |\n| --- |\n")] {
            let found = converted("a.xlsx", &zip(&[(NAME, &sheet(between))]), None);
            assert_eq!(found.markdown, expected, "{:?}", found.notes);
            assert_eq!(is_told(&found), !between.is_empty(), "{:?}", found.notes);
        }
    }

    #[test]
    fn what_a_list_tells_of_a_part_s_size_is_believed() {
        let sheet = "<worksheet><sheetData><row r='1'><c r='A1'><v>42</v></c></row></sheetData></worksheet>";
        let mut bytes = zip(&[(NAME, sheet)]);
        assert!(!is_told(&converted("a.xlsx", &bytes, None)));
        let listed = memchr::memmem::rfind(&bytes, b"PK\x01\x02").unwrap();
        bytes[listed + 24..listed + 28].copy_from_slice(&(300u32 << 20).to_le_bytes());
        let found = converted("a.xlsx", &bytes, None);
        assert_eq!(found.markdown, "## sheet1\n| 42 |\n| --- |\n", "{:?}", found.notes);
        assert!(is_told(&found), "{:?}", found.notes);
    }
}
