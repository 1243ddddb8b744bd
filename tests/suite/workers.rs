//! Documents that one worker reads, one after the other: each as if it were alone.

use std::path::Path;

use windowpane::content::{MemoryBytes, Watch};
use windowpane::document::Conversion;
use windowpane::io::{Bounds, Converter, Job};

use crate::packages::{convert, converter, docx, spreadsheet};

fn read(converter: &Converter, path: &Path) -> Conversion {
    let (bytes, watch) = (MemoryBytes(std::fs::read(path).unwrap()), Watch::default());
    let name = path.file_name().unwrap().to_str().unwrap();
    let job = Job { name, path: Some(path), bytes: &bytes, limits: None, max_bytes: 64 << 20, watch: &watch };
    converter.collect(&job).unwrap()
}

#[test]
fn what_a_worker_has_read_before_changes_nothing() {
    let folder = tempfile::tempdir().unwrap();
    let files = [
        ("a.html", b"<title>One</title><h1>One</h1><p>first &amp; last</p>".to_vec()),
        ("b.docx", docx("<w:p><w:r><w:t>second</w:t></w:r></w:p>", &[])),
        ("c.docx", b"PK\x03\x04 not much of a document".to_vec()),
        ("d.ods", spreadsheet(|row| format!("row {row}"))),
        ("e.xml", b"<a><b>third</b></a>".to_vec()),
        ("f.html", "<p>fourth</p>".repeat(20_000).into_bytes()),
        ("g.rtf", b"{\\rtf1 fifth}".to_vec()),
    ];
    let shared = converter();
    for _ in 0..3 {
        for (name, bytes) in &files {
            let path = folder.path().join(name);
            std::fs::write(&path, bytes).unwrap();
            assert_eq!(read(&shared, &path), convert(name, bytes.clone(), None), "{name}");
        }
    }
}

#[cfg(target_os = "linux")]
#[test]
fn each_document_has_the_same_room_whatever_was_read_before() {
    let folder = tempfile::tempdir().unwrap();
    let file = |name: &str, paragraphs: usize| {
        let path = folder.path().join(name);
        std::fs::write(&path, "<p>word".repeat(paragraphs)).unwrap();
        path
    };
    let (small, large, huge) = (file("s.html", 10), file("l.html", 100_000), file("h.html", 1_200_000));
    let room = 400 << 20;
    let mut shared = converter();
    shared.bounds = Bounds { memory: room, ..Bounds::default() };
    for path in [&small, &large, &huge, &small, &huge, &large, &large, &huge, &small] {
        let found = read(&shared, path);
        let failed = found.notes.iter().find(|note| note.of_reader).map(|note| note.message.as_str());
        if path == &huge {
            assert!(failed.is_some_and(|why| why.contains("needs more memory")), "{failed:?}");
        } else {
            assert_eq!((failed, found.markdown.trim().is_empty()), (None, false), "{path:?}");
        }
    }
}
