//! Files in archives, and documents in others: each is read by its own kind, and no part of it becomes a heading that
//! would be none where it stands alone.

use windowpane::chunk::Outline;
use windowpane::document::{Conversion, Limits};

use crate::packages::{convert, docx, package, relations};

fn titles(found: &Conversion) -> Vec<String> {
    Outline::of(found).sections.into_iter().map(|section| section.title).collect()
}

/// An archive with one file, and a last one behind it; the titles of its sections.
fn zipped(name: &str, text: &str) -> (Conversion, Vec<String>) {
    let found = convert("a.zip", package(&[(name, text.as_bytes()), ("last.md", b"# Last\n\nx\n")]), None);
    let titles = titles(&found);
    assert_eq!(titles[titles.len() - 2..], ["File: last.md", "Last"], "{name}: {}", found.markdown);
    assert_eq!(titles[0], format!("File: {name}"));
    let own = titles[1..titles.len() - 2].to_vec();
    (found, own)
}

#[test]
fn comments_of_code_in_an_archive_are_no_headings() {
    for (name, fence) in [
        ("a.py", "py"),
        ("a.sh", "sh"),
        ("a.py.gz", "py"),
        ("a.conf", "conf"),
        ("Dockerfile", ""),
        ("a.yaml", "yaml"),
        ("a.toml", "toml"),
    ] {
        let text = "# One\nx = 1\n\n# Two\ny = 2\n";
        let bytes = match name.strip_suffix(".gz") {
            Some(_) => {
                let mut packed = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::default());
                std::io::Write::write_all(&mut packed, text.as_bytes()).unwrap();
                packed.finish().unwrap()
            }
            None => text.as_bytes().to_vec(),
        };
        let found = convert("a.zip", package(&[(name, &bytes), ("last.md", b"# Last\n")]), None);
        assert_eq!(titles(&found), [format!("File: {name}"), "File: last.md".to_owned(), "Last".to_owned()]);
        assert!(found.markdown.contains(&format!("\n```{fence}\n{text}```\n")), "{}", found.markdown);
    }
    let (found, own) = zipped("a.json", "{\"a\": [\n# no\n```\n]}");
    assert!(own.is_empty() && found.markdown.contains("````json\n"), "{}", found.markdown);
    assert!(zipped("empty.py", " \n").0.markdown.starts_with("## File: empty.py\n"));
}

#[test]
fn a_fence_is_longer_than_any_in_its_code() {
    let (found, own) = zipped("a.py", "\"\"\"\n````\n# no\n````\n\"\"\"\n# no");
    assert!(own.is_empty() && found.markdown.contains("\n`````py\n"), "{}", found.markdown);
    let wide: Vec<u8> = "````\n# no\n".encode_utf16().flat_map(u16::to_le_bytes).collect();
    let found = convert("a.zip", package(&[("a.py", &wide), ("last.md", b"# Last\n")]), None);
    assert_eq!(titles(&found).len(), 3, "{}", found.markdown);
}

#[test]
fn what_somebody_typed_in_a_file_of_an_archive_is_no_heading() {
    let (found, own) = zipped("a.txt", "Hi\n# one\nTotal\n-----\n```\n<!-- x\nwords\n");
    assert!(own.is_empty(), "{own:?}");
    assert!(found.markdown.contains("\\# one\nTotal\n\\-----\n\\```\n\\<!-- x\nwords\n"), "{}", found.markdown);
    // Lines that come in pieces are whole.
    let long = format!("{}\n# x\n", "word ".repeat(40_000)).repeat(3) + "Total\n=====";
    let (found, own) = zipped("a.log", &long);
    assert!(own.is_empty(), "{own:?}");
    assert_eq!(found.markdown.matches("\n\\# x\n").count(), 3);
    assert!(found.markdown.contains("Total\n\\=====\n\n## File"));
}

#[test]
fn headings_in_files_of_an_archive_are_headings() {
    assert_eq!(zipped("a.md", "# One\n\nx\n").1, ["One"]);
    assert_eq!(zipped("NOTES", "# One\n\nx\n\n## Two\n\ny\n").1, ["One", "Two"]);
    assert_eq!(zipped("a.txt", "# One\n\nx\n\n## Two\n\ny\n").1, ["One", "Two"]);
    assert_eq!(zipped("a.rst", "One\n===\n\nx\n\n.. code::\n\n# no\n\n~~~~\n").1, ["One"]);
    assert_eq!(zipped("a.html", "<h1>One</h1>").1, ["One"]);
    let feed = "<rss><channel><title>One</title><item><title>Two</title></item></channel></rss>";
    assert_eq!(zipped("a.xml", feed).1, ["One", "Two"]);
    assert!(zipped("b.xml", "<a>\n# no\n</a>").1.is_empty());
    let (found, own) = zipped("a.csv", "# a,b\n# c,d\n");
    assert!(own.is_empty() && found.markdown.contains("| # c | d |"), "{}", found.markdown);
}

#[test]
fn what_a_markdown_file_of_an_archive_leaves_open_is_closed_behind_it() {
    for open in [
        "```\n# no\n",
        "  ~~~~ sh\nx",
        "<!-- x\n\ny",
        "<script>\n\n",
        "<?php\n\n",
        "<!DOCTYPE\n\n",
        "> ```\n> # no",
        "- ```",
    ] {
        let (found, own) = zipped("a.md", &format!("# One\n\n{open}"));
        assert_eq!(own, ["One"], "{}", found.markdown);
    }
    let whole = "# One\n\n```\n# no\n```\n\n<b>x</b>\n";
    assert!(zipped("a.md", whole).0.markdown.contains(&format!("\n{whole}\n## File: last.md")));
}

#[test]
fn what_is_said_before_a_markdown_file_of_an_archive_is_no_heading() {
    let (found, own) = zipped("SKILL.md", "---\nname: a\n# no\ndescription: b\n---\n\n# One\n");
    assert_eq!(own, ["One"], "{}", found.markdown);
    assert!(found.markdown.contains("\n```yaml\nname: a\n# no\ndescription: b\n```\n\n# One\n"), "{}", found.markdown);
    assert_eq!(zipped("a.md", "+++\nname = 'a'\n+++\n# One\n").1, ["One"]);
    assert_eq!(zipped("a.md", "---\n\n# One\n\n---\n").1, ["One"]);
}

#[test]
fn what_is_no_valid_json_in_an_archive_is_cut_with_the_archive() {
    let lines = "# no\n".repeat(40);
    let files = [("a.txt", lines.as_bytes()), ("b.json", lines.as_bytes()), ("c.txt", lines.as_bytes())];
    let limits = Limits { lines: 60, ..Limits::default() };
    let found = convert("a.zip", package(&files), Some(&limits));
    assert_eq!(found.markdown.lines().count(), 61, "{}", found.markdown);
    assert_eq!(titles(&found), ["File: a.txt", "File: b.json"]);
}

#[test]
fn a_text_within_a_word_document_has_no_headings() {
    let links = relations(&[("r1", "aFChunk", "a.txt", false)]);
    let parts: [(&str, &[u8]); 2] =
        [("word/_rels/document.xml.rels", links.as_bytes()), ("word/a.txt", b"Hi\n# no\nTotal\n---\n")];
    let found = convert("a.docx", docx("<w:altChunk r:id='r1'/>", &parts), None);
    assert!(found.markdown.contains("\\# no\nTotal\n\\---"), "{found:?}");
}
