//! Which format files are taken for by their names, and books that nobody may read.

use crate::packages::{convert, package};

#[test]
fn what_of_a_book_is_encrypted_is_told_and_never_text() {
    let book = "<package><manifest><item id='x' href='x.xhtml'/><item id='z' href='z%20z.xhtml'/></manifest>
        <spine><itemref idref='x'/><itemref idref='z'/></spine></package>";
    let locks = |parts: &[(&str, &str)]| {
        let lock = |(method, part): &(&str, &str)| {
            format!(
                "<enc:EncryptedData><enc:EncryptionMethod Algorithm='{method}'/><enc:CipherData><enc:CipherReference URI='{part}'/></enc:CipherData></enc:EncryptedData>"
            )
        };
        format!("<encryption xmlns:enc='e'>{}</encryption>", parts.iter().map(lock).collect::<String>())
    };
    let (aes, veil) = ("http://www.w3.org/2001/04/xmlenc#aes128-cbc", "http://www.idpf.org/2008/embedding");
    let found = |locked: &[(&str, &str)]| {
        let bytes = package(&[
            ("META-INF/encryption.xml", locks(locked).as_bytes()),
            ("OPS/book.opf", book.as_bytes()),
            ("OPS/x.xhtml", b"<html><body><p>plain</p></body></html>"),
            ("OPS/z z.xhtml", b"\x01\x02garbage"),
        ]);
        let found = convert("a.epub", bytes, None);
        (found.markdown, found.notes.into_iter().map(|note| note.message).collect::<Vec<_>>().join(" "))
    };
    let (text, notes) = found(&[(veil, "OPS/x.xhtml"), (aes, "OPS/z%20z.xhtml")]);
    assert!(text.trim() == "plain" && notes.contains("chapter is encrypted"), "{text} {notes}");
    let (text, notes) = found(&[(aes, "OPS/x.xhtml"), (aes, "OPS/z%20z.xhtml")]);
    assert!(text.trim().is_empty() && notes.contains("DRM") && notes.contains("encrypted"), "{text} {notes}");
}

#[test]
fn files_are_known_by_their_names_and_comments_are_no_headings() {
    let text = b"# a comment\nx = 1\n".to_vec();
    for (name, format, language) in [
        ("in/redis.conf", "config", None),
        (".env.local", "config", None),
        ("app.ini.example", "config", None),
        ("Cargo.toml", "config", None),
        ("requirements.txt", "config", None),
        ("Dockerfile", "code", Some("Dockerfile")),
        ("Dockerfile.dev", "code", Some("Dockerfile")),
        ("Makefile", "code", Some("Makefile")),
        ("CMakeLists.txt", "code", Some("CMake")),
        ("prod.tfvars", "code", Some("HCL")),
        ("notes.txt", "text", None),
        ("unknown", "text", None),
        ("Dockerfile.md", "markdown", None),
    ] {
        let found = convert(name, text.clone(), None);
        assert_eq!((found.format.as_str(), found.fact("language")), (format, language), "{name}");
        let headings = usize::from(matches!(format, "text" | "markdown"));
        assert_eq!(windowpane::chunk::Outline::of(&found).sections.len(), headings, "{name}");
    }
    assert_eq!(convert("run", b"#!/bin/sh\n# a comment\n".to_vec(), None).format, "code");
}
