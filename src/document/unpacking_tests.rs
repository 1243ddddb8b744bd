//! Tests of packed files that are damaged.

use std::io::Write;

use crate::document::{Conversion, testing};

fn lines(count: usize) -> Vec<u8> {
    (0..count).flat_map(|at| format!("Line {at} of {}.\n", at * 7919).into_bytes()).collect()
}

fn gz(text: &[u8]) -> Vec<u8> {
    let mut packer = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::default());
    packer.write_all(text).unwrap();
    packer.finish().unwrap()
}

fn bz2(text: &[u8]) -> Vec<u8> {
    let mut packer = bzip2::write::BzEncoder::new(Vec::new(), bzip2::Compression::fast());
    packer.write_all(text).unwrap();
    packer.finish().unwrap()
}

fn xz(text: &[u8]) -> Vec<u8> {
    let mut packer = lzma_rust2::XzWriter::new(Vec::new(), lzma_rust2::XzOptions::with_preset(1)).unwrap();
    packer.write_all(text).unwrap();
    packer.finish().unwrap()
}

/// Stored blocks of a frame, each of at most so many bytes.
fn zst(text: &[u8]) -> Vec<u8> {
    let mut frame = vec![0x28, 0xB5, 0x2F, 0xFD, 0, 13 << 3];
    let blocks: Vec<&[u8]> = text.chunks(2_000).collect();
    for (at, block) in blocks.iter().enumerate() {
        let head = (block.len() as u32) << 3 | u32::from(at + 1 == blocks.len());
        frame.extend_from_slice(&head.to_le_bytes()[..3]);
        frame.extend_from_slice(block);
    }
    frame
}

fn convert(name: &str, bytes: Vec<u8>) -> Conversion {
    testing::converted(name, &bytes, None)
}

fn says(found: &Conversion, words: &str) {
    assert!(found.notes.iter().any(|note| note.message.contains(words)), "{words:?} not in {:?}", found.notes);
}

#[test]
fn a_packed_text_that_is_cut_off_is_shown_as_far_as_it_unpacks() {
    for count in [500, 20_000] {
        let text = lines(count);
        for (name, whole) in [("a.txt.gz", gz(&text)), ("a.txt.bz2", bz2(&text)), ("a.txt.zst", zst(&text))] {
            let found = convert(name, whole.clone());
            assert!(found.markdown.as_bytes() == text && found.notes.is_empty(), "{name}: {:?}", found.notes);
            let found = convert(name, whole[..whole.len() * 3 / 4].to_vec());
            says(&found, if found.markdown.is_empty() { "nothing of it can be unpacked" } else { "to its end" });
            // What fits into one block of this packing cannot be unpacked without its end.
            let least = if name.ends_with("bz2") {
                (text.len() / 2).saturating_sub(100_000)
            } else {
                text.len() * 7 / 10 - 2_000
            };
            let shown = found.markdown.as_bytes();
            assert!(text.starts_with(shown) && shown.len() >= least, "{name}: {} of {}", shown.len(), text.len());
        }
    }
}

#[test]
fn a_checksum_that_is_wrong_or_cut_off_and_what_follows_the_end_lose_nothing() {
    let text = lines(300);
    let mut wrong = gz(&text);
    *wrong.iter_mut().nth_back(7).unwrap() ^= 0xFF;
    let mut wrong_block = bz2(&text);
    wrong_block[10] ^= 0xFF;
    let shorter = |mut bytes: Vec<u8>| {
        bytes.truncate(bytes.len() - 3);
        bytes
    };
    for (name, bytes, words) in [
        ("a.txt.gz", wrong, "checksum does not match"),
        ("a.txt.gz", shorter(gz(&text)), "checksum is cut off"),
        ("a.txt.gz", [gz(&text), b"junk".to_vec()].concat(), "follows its end"),
        ("a.txt.bz2", wrong_block, "may be wrong"),
        ("a.txt.bz2", shorter(bz2(&text)), "cut off"),
        ("a.txt.bz2", [bz2(&text), b"junk".to_vec()].concat(), "follows its end"),
        ("a.txt.zst", [zst(&text), b"junk".to_vec()].concat(), "to its end"),
    ] {
        let found = convert(name, bytes);
        assert!(found.markdown.as_bytes() == text, "{name}: {} bytes, {:?}", found.markdown.len(), found.notes);
        says(&found, words);
    }
    let padded = convert("a.txt.gz", [gz(&text), vec![0; 512]].concat());
    assert!(padded.markdown.as_bytes() == text && padded.notes.is_empty(), "{:?}", padded.notes);
}

#[test]
fn a_packed_document_that_is_damaged_is_read_as_one_that_is_cut_off() {
    let page = format!("<html><body><h1>Title</h1><p>{}</p></body></html>", "word ".repeat(3_000));
    let packed = gz(page.as_bytes());
    let found = convert("a.html.gz", packed[..packed.len() - 30].to_vec());
    assert!(found.markdown.contains("# Title") && found.markdown.contains("word word"), "{found:?}");
    says(&found, "it cannot be unpacked to its end");
    let rows: String = (0..900).map(|at| format!("{{\"number\": {at}, \"of\": {}}}\n", at * 7919)).collect();
    let packed = gz(rows.as_bytes());
    let found = convert("a.jsonl.gz", packed[..packed.len() * 3 / 4].to_vec());
    assert!(found.markdown.contains("\"number\": 400"), "{} bytes", found.markdown.len());
    says(&found, "it cannot be unpacked to its end");
}

#[test]
fn what_is_packed_twice_is_told_as_that() {
    let text = lines(50);
    for (inner, kind) in [(gz(&text), "gzip"), (bz2(&text), "bzip2"), (zst(&text), "Zstandard")] {
        let found = convert("a.txt.gz", gz(&inner));
        assert!(found.markdown.is_empty(), "{kind}: {}", found.markdown);
        says(&found, &format!("packed once more within ({kind})"));
    }
}

#[test]
fn nothing_is_made_up_for_the_missing_end_of_an_xz() {
    for count in [2_000, 40_000] {
        let text = lines(count);
        let packed = xz(&text);
        assert_eq!(convert("a.txt.xz", packed.clone()).markdown.as_bytes(), text);
        assert_eq!(convert("a.txt.xz", [packed.clone(), xz(b"more")].concat()).markdown.len(), text.len() + 4);
        for tenths in 1..10 {
            let found = convert("a.txt.xz", packed[..packed.len() * tenths / 10].to_vec());
            let shown = found.markdown.as_bytes();
            // Lines are alike: a tenth of the packed bytes is about a tenth of the text.
            let least = (text.len() * tenths / 10).saturating_sub(text.len() / 8);
            assert!(text.starts_with(shown) && shown.len() >= least, "{tenths}: {} of {}", shown.len(), text.len());
            says(&found, "it is cut off");
            assert_eq!(found.notes.len(), 1, "{:?}", found.notes);
        }
    }
}
