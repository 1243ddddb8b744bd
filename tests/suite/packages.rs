//! Packages written by the tests, and documents converted by the real program's worker.

use std::io::{Cursor, Write};

use windowpane::content::{MemoryBytes, Watch};
use windowpane::document::{Conversion, Limits};
use windowpane::io::{Converter, Job};
use zip::ZipWriter;
use zip::write::SimpleFileOptions;

/// A zip of these files.
pub fn package(files: &[(&str, &[u8])]) -> Vec<u8> {
    let mut zip = ZipWriter::new(Cursor::new(Vec::new()));
    for (name, bytes) in files {
        let options = SimpleFileOptions::default().compression_method(zip::CompressionMethod::Deflated);
        zip.start_file(*name, options).unwrap();
        zip.write_all(bytes).unwrap();
    }
    zip.finish().unwrap().into_inner()
}

/// The relations part of a package's main part.
pub fn root_relations(target: &str) -> String {
    relations(&[("rId1", "officeDocument", target, false)])
}

/// What kinds of relations begin with.
const KIND: &str = "http://schemas.openxmlformats.org/officeDocument/2006/relationships";

/// A relations part.
pub fn relations(rows: &[(&str, &str, &str, bool)]) -> String {
    let mut text = String::from("<Relationships xmlns='http://schemas.openxmlformats.org/package/2006/relationships'>");
    for (id, kind, target, external) in rows {
        let mode = if *external { " TargetMode='External'" } else { "" };
        text.push_str(&format!("<Relationship Id='{id}' Type='{KIND}/{kind}' Target='{target}'{mode}/>"));
    }
    text + "</Relationships>"
}

/// A Word document with this body, and these parts beside it.
pub fn docx(body: &str, parts: &[(&str, &[u8])]) -> Vec<u8> {
    let document = format!("<w:document xmlns:w='w' xmlns:r='r' xmlns:m='m'><w:body>{body}</w:body></w:document>");
    let root = root_relations("word/document.xml");
    let mut files = vec![("_rels/.rels", root.as_bytes()), ("word/document.xml", document.as_bytes())];
    files.extend_from_slice(parts);
    package(&files)
}

/// A spreadsheet (ODS) of a hundred rows, each with one text.
pub fn spreadsheet(text: impl Fn(u32) -> String) -> Vec<u8> {
    let row = |at: u32| {
        let text = text(at);
        format!(
            "<table:table-row><table:table-cell office:value-type='string'><text:p>{text}</text:p></table:table-cell></table:table-row>"
        )
    };
    let rows: String = (0..100).map(row).collect();
    let content = format!(
        "<office:document-content xmlns:office='o' xmlns:table='t' xmlns:text='x'><office:body><office:spreadsheet>
        <table:table table:name='S'>{rows}</table:table></office:spreadsheet></office:body></office:document-content>"
    );
    package(&[
        ("mimetype", b"application/vnd.oasis.opendocument.spreadsheet"),
        ("content.xml", content.as_bytes()),
        ("META-INF/manifest.xml", b"<manifest:manifest xmlns:manifest='m'></manifest:manifest>"),
    ])
}

/// The converter as the program has it.
pub fn converter() -> Converter {
    Converter::new(env!("CARGO_BIN_EXE_windowpane").into())
}

/// Converts bytes under a name, in the worker where their format is risky.
pub fn convert(name: &str, bytes: Vec<u8>, limits: Option<&Limits>) -> Conversion {
    let bytes = MemoryBytes(bytes);
    let watch = Watch::default();
    let job = Job { name, path: None, bytes: &bytes, limits, max_bytes: 64 << 20, watch: &watch };
    converter().collect(&job).unwrap()
}
