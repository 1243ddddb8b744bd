//! Tests of archives as Unix writes them.

use std::io::Write;

use tar::Builder;

use super::*;
use crate::document::testing::{converted, zip};
use crate::document::{Conversion, Limits};

fn file(builder: &mut Builder<Vec<u8>>, name: &str, content: &[u8]) {
    let mut header = Header::new_gnu();
    header.set_size(content.len() as u64);
    header.set_mode(0o644);
    builder.append_data(&mut header, name, content).unwrap();
}

fn archive(files: &[(&str, &[u8])]) -> Vec<u8> {
    let mut builder = Builder::new(Vec::new());
    files.iter().for_each(|(name, content)| file(&mut builder, name, content));
    builder.into_inner().unwrap()
}

/// One entry of a kind, whatever its name is.
fn entry(builder: &mut Builder<Vec<u8>>, kind: EntryType, name: &[u8], size: u64) {
    let mut header = Header::new_gnu();
    header.as_old_mut().name[..name.len()].copy_from_slice(name);
    header.set_entry_type(kind);
    header.set_size(size);
    header.set_cksum();
    builder.append(&header, &[][..]).unwrap();
}

fn notes(found: &Conversion) -> Vec<&str> {
    found.notes.iter().map(|note| note.message.as_str()).collect()
}

#[test]
fn files_stand_in_their_order_by_their_own_kinds_however_the_archive_is_packed() {
    let inner = archive(&[("in.txt", b"inner"), ("deep.tar", &archive(&[("deepest.txt", b"x")]))]);
    let bytes = archive(&[("b/notes.md", b"# Notes\n\nwords\n"), ("a.csv", b"x,y\n1,2\n"), ("in.tar", &inner)]);
    let expected = "## File: b/notes.md\n# Notes\n\nwords\n\n## File: a.csv\n| x | y |\n| --- | --- |\n| 1 | 2 |\n\n\
        ## File: in.tar\n\n## File: in.txt\ninner\n\n## File: deep.tar\n";
    let mut gz = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::default());
    gz.write_all(&bytes).unwrap();
    let gz = gz.finish().unwrap();
    let mut xz = lzma_rust2::XzWriter::new(Vec::new(), lzma_rust2::XzOptions::with_preset(1)).unwrap();
    xz.write_all(&bytes).unwrap();
    let xz = xz.finish().unwrap();
    for (name, bytes) in
        [("a.tar", &bytes), ("a.bin", &bytes), ("a.tar.gz", &gz), ("a.tgz", &gz), ("a", &gz), ("a.txz", &xz)]
    {
        let found = converted(name, bytes, None);
        assert_eq!((found.format.as_str(), found.markdown.as_str()), ("tar", expected), "{name}: {:?}", found.notes);
        assert_eq!(notes(&found), ["an archive within archives; it is not opened"], "{name}");
        assert_eq!((found.fact("files"), found.anchors.len()), (Some("3"), 5), "{name}");
    }
    let found = converted("a.zip", &zip(&[("in.txt", "x")]), None);
    assert_eq!(found.format, "zip");
}

#[test]
fn names_are_shown_as_they_are_and_steer_nothing() {
    let long = format!("{}/end.txt", "folder/".repeat(40));
    let mut builder = Builder::new(Vec::new());
    file(&mut builder, &long, b"long");
    entry(&mut builder, EntryType::Regular, b"../../etc/x.txt", 0);
    entry(&mut builder, EntryType::Regular, b"a\x1B[2J\nb.txt", 0);
    builder.append_pax_extensions([("path", "größe.txt".as_bytes())]).unwrap();
    file(&mut builder, "short.txt", b"pax");
    let found = converted("a.tar", &builder.into_inner().unwrap(), None);
    let names: Vec<_> = found.anchors.iter().filter_map(|anchor| anchor.place.name.as_deref()).collect();
    assert_eq!(names, [&long, "../../etc/x.txt", "a\u{1B}[2J\nb.txt", "größe.txt"]);
    assert!(found.markdown.contains("## File: a\u{FFFD}[2J\u{FFFD}b.txt\n"), "{}", found.markdown);
    assert!(found.markdown.ends_with("## File: größe.txt\npax"), "{}", found.markdown);
}

#[test]
fn links_are_not_followed_and_devices_and_folders_are_no_files() {
    let mut builder = Builder::new(Vec::new());
    entry(&mut builder, EntryType::Directory, b"d/", 0);
    entry(&mut builder, EntryType::Regular, b"old/", 0);
    for (kind, name) in [(EntryType::Symlink, "s"), (EntryType::Link, "l")] {
        let mut header = Header::new_gnu();
        header.set_entry_type(kind);
        header.set_size(0);
        builder.append_link(&mut header, name, "/etc/passwd").unwrap();
    }
    entry(&mut builder, EntryType::Fifo, b"f", 0);
    file(&mut builder, "a.txt", b"text");
    let found = converted("a.tar", &builder.into_inner().unwrap(), None);
    assert_eq!(found.markdown, "## File: a.txt\ntext");
    assert_eq!(
        notes(&found),
        ["2 links in the archive are not followed", "1 device or pipe in the archive is left out"]
    );
}

#[test]
fn files_with_holes_have_zeros_there() {
    let sparse = |major: &str, content: &[u8]| {
        let mut builder = Builder::new(Vec::new());
        let told = [
            ("GNU.sparse.major", major.as_bytes()),
            ("GNU.sparse.minor", b"0"),
            ("GNU.sparse.name", b"hole.txt"),
            ("GNU.sparse.realsize", b"1500"),
        ];
        builder.append_pax_extensions(told).unwrap();
        file(&mut builder, "GNUSparseFile.1/hole.txt", content);
        file(&mut builder, "b.txt", b"behind");
        converted("a.tar", &builder.into_inner().unwrap(), None)
    };
    let mut content = b"2\n0\n512\n1024\n3\n".to_vec();
    content.resize(512, 0);
    content.extend([b'x'; 512]);
    content.extend(b"abc");
    let found = sparse("1", &content);
    assert!(found.markdown.starts_with(&format!("## File: hole.txt\n{} abc\n", "x".repeat(512))), "{found:?}");
    assert_eq!(notes(&found), ["985 zero bytes are left out"]);
    assert!(found.markdown.ends_with("## File: b.txt\nbehind"), "{found:?}");
    // Lists that overlap, go on without end or are none.
    for list in ["2\n0\n512\n8\n3\n", "99999999999\n", "x", "1\n18446744073709551615\n18446744073709551615\n", "1\n"] {
        let found = sparse("1", list.as_bytes());
        assert!(found.markdown.ends_with("## File: b.txt\nbehind") && !found.notes.is_empty(), "{list:?}: {found:?}");
    }
    assert!(notes(&sparse("0", b"abc"))[0].contains("without its zeros"));
}

#[test]
fn of_an_archive_that_is_cut_off_or_damaged_what_stands_before_is_shown() {
    let text = "words ".repeat(300);
    let files: Vec<String> = (0..8).map(|number| format!("{number}.txt")).collect();
    let parts: Vec<(&str, &[u8])> = files.iter().map(|name| (name.as_str(), text.as_bytes())).collect();
    let whole = archive(&parts);
    let count = |found: &Conversion| found.markdown.matches(&text).count();
    assert_eq!(count(&converted("a.tar", &whole, None)), 8);
    for end in (0..8 * 2560).step_by(500) {
        let found = converted("a.tar", &whole[..end], None);
        assert!(count(&found) >= end.saturating_sub(200) / 2560, "{end}: {found:?}");
        assert!(!found.notes.is_empty(), "{end}");
    }
    let mut damaged = whole.clone();
    damaged[3 * 2560 + 10] ^= 0xFF;
    let found = converted("a.tar", &damaged, None);
    assert!(count(&found) == 3 && notes(&found)[0].contains("files behind this place are lost"), "{found:?}");
}

#[test]
fn sizes_that_are_told_are_not_believed() {
    for size in [1 << 33, u64::from(u32::MAX), u64::MAX / 2] {
        for kind in [EntryType::Regular, EntryType::GNULongName, EntryType::XHeader, EntryType::Symlink] {
            let mut builder = Builder::new(Vec::new());
            file(&mut builder, "a.txt", b"text");
            entry(&mut builder, kind, b"b.txt", size);
            let found = converted("a.tar", &builder.into_inner().unwrap(), Some(&Limits::default()));
            assert!(found.markdown.starts_with("## File: a.txt\ntext") && !found.notes.is_empty(), "{found:?}");
        }
    }
}

#[test]
fn what_bears_out_no_checksum_is_no_archive() {
    let mut bytes = archive(&[("a.txt", b"text")]);
    assert!(begins(&bytes) && begins(&[0; 1024]) && !begins(&bytes[..511]) && !begins(b""));
    bytes[0] ^= 1;
    assert!(!begins(&bytes) && !begins(&[b'a'; 600]));
    let found = converted("a.tar", &[0; 10_240], None);
    assert_eq!(notes(&found), ["the archive holds no files"]);
}

#[test]
fn entries_of_unknown_kinds_are_files_and_those_that_are_none_are_told() {
    let mut builder = Builder::new(Vec::new());
    for kind in b"ZMEDVNXA" {
        let mut header = Header::new_gnu();
        header.set_entry_type(EntryType::new(*kind));
        header.set_size(5);
        builder.append_data(&mut header, format!("{}.txt", char::from(*kind)), &b"words"[..]).unwrap();
    }
    let found = converted("a.tar", &builder.into_inner().unwrap(), None);
    let expected = "## File: Z.txt\nwords\n\n## File: M.txt\nwords\n\n## File: E.txt\nwords";
    assert_eq!(found.markdown, expected, "{:?}", found.notes);
    assert_eq!(notes(&found), ["5 entries of the archive that are no files are left out"]);
}

#[test]
fn files_of_archives_within_an_archive_are_named_with_it() {
    let inner = archive(&[("in.txt", b"inner")]);
    let bytes = archive(&[("x.tar", &inner), ("y.tar", &inner), ("in.txt", b"outer")]);
    let found = converted("a.tar", &bytes, None);
    let names: Vec<&str> = found.anchors.iter().filter_map(|anchor| anchor.place.name.as_deref()).collect();
    assert_eq!(names, ["x.tar", "x.tar › in.txt", "y.tar", "y.tar › in.txt", "in.txt"]);
}
