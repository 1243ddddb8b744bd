//! The table of document formats, and how the right one is found: by extension first, then by content. Adding a format
//! is one file and one row.

use file_format::FileFormat;

use crate::content::ReadAt;

use super::input::{AtPlace, Failure, Input, Packing, extension};
use super::marked::is_markdown;
use super::names::{by_extension, by_name};
use super::out::Out;
use super::signs::{
    compound_holds, is_compound, is_holed_text, is_pdf, is_picture, is_sound, is_text, is_zip, other_kind, text_kind,
};
use super::{
    archive, audio, delimited, epub, html, mail, mime, notebook, office, pdf, picture, sheets, structured, text, zipped,
};

/// How a format's Markdown is shortened.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Shape {
    /// By lines, and characters of each.
    Lines,
    /// By rows, columns and cells, then characters of each line.
    Rows,
    /// By depth, items, keys and strings.
    Levels,
    /// By itself: pictures, sounds.
    Own,
}

/// How a format's headings are told in its Markdown.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Headings {
    /// As `CommonMark` has them.
    Markdown,
    /// By lines of signs under them, alone.
    Underlined,
    /// There are none: a `#` begins a comment, or is data.
    None,
}

/// When hostile files could bring a reader down or make it very large.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Risk {
    /// They cannot.
    Never,
    /// Only where it parses, to cut the document to limits; whole, it is copied.
    Cut,
    /// Whenever it reads.
    Always,
}

impl Risk {
    /// Whether a conversion belongs in the worker process.
    #[must_use]
    pub fn applies(self, is_cut: bool) -> bool {
        self == Risk::Always || (self == Risk::Cut && is_cut)
    }
}

/// One format of documents.
pub struct Format {
    /// Name in JSON and `--format-in`.
    pub name: &'static str,
    /// Name for people.
    pub title: &'static str,
    /// Endings of its files, separated by spaces.
    pub extensions: &'static str,
    /// How it is shortened.
    pub shape: Shape,
    /// What its headings are.
    pub headings: Headings,
    /// Whether its reader is run in the worker process.
    pub risk: Risk,
    /// Its media type, or the beginning of those of its files.
    pub media: &'static str,
    /// Whether a plainer reader takes over where its own fails.
    pub second_reader: bool,
    /// Whether the first bytes of a file can be of this format.
    pub fits: fn(&[u8]) -> bool,
    /// Reads a document.
    pub convert: fn(&Input<'_>, &mut Out<'_>) -> Result<(), Failure>,
}

/// Every format.
pub static FORMATS: &[Format] = &[
    Format {
        name: "text",
        title: "plain text",
        extensions: "txt text log srt vtt nfo",
        shape: Shape::Lines,
        // One that is Markdown all the same is told by its content.
        headings: Headings::None,
        risk: Risk::Never,
        media: "text/",
        second_reader: false,
        fits: is_text,
        convert: text::convert,
    },
    Format {
        name: "markdown",
        title: "Markdown",
        extensions: "md markdown mdown mkd mdx qmd rmd",
        shape: Shape::Lines,
        headings: Headings::Markdown,
        risk: Risk::Never,
        media: "text/",
        second_reader: false,
        fits: is_text,
        convert: text::convert,
    },
    Format {
        name: "adoc",
        title: "text in AsciiDoc or Org",
        // Their headings begin with other signs; a `#` begins a comment, in the code that they hold as well.
        extensions: "adoc asciidoc org",
        shape: Shape::Lines,
        headings: Headings::None,
        risk: Risk::Never,
        media: "text/",
        second_reader: false,
        fits: is_text,
        convert: text::convert,
    },
    Format {
        name: "rst",
        title: "text in reStructuredText",
        extensions: "rst rest",
        shape: Shape::Lines,
        headings: Headings::Underlined,
        risk: Risk::Never,
        media: "text/",
        second_reader: false,
        fits: is_text,
        convert: text::convert,
    },
    Format {
        name: "code",
        title: "source code",
        // Their endings are those of `languages`.
        extensions: "",
        shape: Shape::Lines,
        headings: Headings::None,
        risk: Risk::Never,
        media: "text/",
        second_reader: false,
        fits: is_text,
        convert: text::convert,
    },
    Format {
        name: "config",
        title: "configuration",
        // In these a `#` begins a comment.
        extensions: "ini cfg conf cnf config env properties toml editorconfig gitconfig gitignore gitattributes gitmodules \
                     dockerignore npmignore npmrc htaccess desktop service socket timer mount target reg inf rules po pot \
                     feature",
        shape: Shape::Lines,
        headings: Headings::None,
        risk: Risk::Never,
        media: "text/",
        second_reader: false,
        fits: is_text,
        convert: text::convert,
    },
    Format {
        name: "csv",
        title: "comma-separated values",
        extensions: "csv tsv tab psv",
        shape: Shape::Rows,
        headings: Headings::None,
        risk: Risk::Never,
        media: "text/",
        second_reader: false,
        fits: is_text,
        convert: delimited::convert,
    },
    Format {
        name: "json",
        title: "JSON",
        extensions: "json geojson json5 jsonc webmanifest har",
        shape: Shape::Levels,
        headings: Headings::None,
        risk: Risk::Never,
        media: "text/",
        second_reader: false,
        fits: is_text,
        convert: structured::json::convert,
    },
    Format {
        name: "jsonl",
        title: "JSON lines",
        extensions: "jsonl ndjson jsonlines",
        shape: Shape::Levels,
        headings: Headings::None,
        risk: Risk::Never,
        media: "text/",
        second_reader: false,
        fits: is_text,
        convert: structured::jsonl::convert,
    },
    Format {
        name: "yaml",
        title: "YAML",
        extensions: "yaml yml",
        shape: Shape::Levels,
        headings: Headings::None,
        risk: Risk::Cut,
        media: "text/",
        second_reader: false,
        fits: is_text,
        convert: structured::yaml::convert,
    },
    Format {
        name: "pdf",
        title: "PDF",
        extensions: "pdf",
        shape: Shape::Lines,
        headings: Headings::Markdown,
        risk: Risk::Always,
        media: "application/pdf",
        second_reader: true,
        fits: is_pdf,
        convert: pdf::convert,
    },
    Format {
        name: "docx",
        title: "Word document",
        extensions: "docx docm dotx dotm",
        shape: Shape::Lines,
        headings: Headings::Markdown,
        risk: Risk::Always,
        media: "application/octet-stream",
        second_reader: false,
        fits: is_zip,
        convert: office::docx::convert,
    },
    Format {
        name: "pptx",
        title: "PowerPoint presentation",
        extensions: "pptx pptm ppsx ppsm potx",
        shape: Shape::Lines,
        headings: Headings::Markdown,
        risk: Risk::Always,
        media: "application/octet-stream",
        second_reader: false,
        fits: is_zip,
        convert: office::pptx::convert,
    },
    Format {
        name: "xlsx",
        title: "Excel workbook",
        extensions: "xlsx xlsm xltx xltm",
        shape: Shape::Rows,
        headings: Headings::Markdown,
        risk: Risk::Always,
        media: "application/octet-stream",
        second_reader: false,
        fits: is_zip,
        convert: sheets::convert_xlsx,
    },
    Format {
        name: "xlsb",
        title: "Excel binary workbook",
        extensions: "xlsb",
        shape: Shape::Rows,
        headings: Headings::Markdown,
        risk: Risk::Always,
        media: "application/octet-stream",
        second_reader: false,
        fits: is_zip,
        convert: sheets::convert_xlsb,
    },
    Format {
        name: "xls",
        title: "Excel 97 workbook",
        extensions: "xls xlt",
        shape: Shape::Rows,
        headings: Headings::Markdown,
        risk: Risk::Always,
        media: "application/octet-stream",
        second_reader: false,
        fits: is_compound,
        convert: sheets::convert_xls,
    },
    Format {
        name: "ods",
        title: "OpenDocument spreadsheet",
        extensions: "ods ots",
        shape: Shape::Rows,
        headings: Headings::Markdown,
        risk: Risk::Always,
        media: "application/octet-stream",
        second_reader: false,
        fits: is_zip,
        convert: sheets::convert_ods,
    },
    Format {
        name: "epub",
        title: "EPUB book",
        extensions: "epub",
        shape: Shape::Lines,
        headings: Headings::Markdown,
        risk: Risk::Always,
        media: "application/octet-stream",
        second_reader: false,
        fits: is_zip,
        convert: epub::convert,
    },
    Format {
        name: "msg",
        title: "Outlook message",
        extensions: "msg oft",
        shape: Shape::Lines,
        headings: Headings::Markdown,
        risk: Risk::Always,
        media: "application/octet-stream",
        second_reader: false,
        fits: is_compound,
        convert: mail::convert,
    },
    Format {
        name: "mime",
        title: "message or saved page (MIME)",
        extensions: "eml mht mhtml",
        shape: Shape::Lines,
        headings: Headings::Markdown,
        risk: Risk::Always,
        media: "text/",
        second_reader: false,
        fits: is_text,
        convert: mime::convert,
    },
    Format {
        name: "ipynb",
        title: "Jupyter notebook",
        extensions: "ipynb",
        shape: Shape::Lines,
        headings: Headings::Markdown,
        risk: Risk::Always,
        media: "text/",
        second_reader: false,
        fits: is_text,
        convert: notebook::convert,
    },
    Format {
        name: "html",
        title: "HTML",
        extensions: "html htm xhtml xht shtml",
        shape: Shape::Lines,
        headings: Headings::Markdown,
        risk: Risk::Always,
        media: "text/",
        second_reader: false,
        fits: is_text,
        convert: html::convert,
    },
    Format {
        name: "xml",
        title: "XML",
        extensions: "xml xsd xsl xslt svg rss atom plist rdf kml gpx opml wsdl resx csproj",
        shape: Shape::Levels,
        headings: Headings::None,
        risk: Risk::Always,
        media: "text/",
        second_reader: false,
        fits: is_text,
        convert: structured::xml::convert,
    },
    Format {
        name: "image",
        title: "picture",
        extensions: "png apng jpg jpeg gif webp jfif bmp tif tiff ico heic heif avif jp2 psd",
        shape: Shape::Own,
        headings: Headings::None,
        risk: Risk::Always,
        media: "image/",
        second_reader: false,
        fits: is_picture,
        convert: picture::convert,
    },
    Format {
        name: "audio",
        title: "sound",
        extensions: "wav mp3 flac ogg oga opus m4a m4b mp4 aac aiff aif aifc ape wv mpc spx",
        shape: Shape::Own,
        headings: Headings::None,
        risk: Risk::Always,
        media: "audio/",
        second_reader: false,
        fits: is_sound,
        convert: audio::convert,
    },
    Format {
        name: "zip",
        title: "ZIP archive",
        extensions: "zip",
        shape: Shape::Lines,
        headings: Headings::Markdown,
        risk: Risk::Always,
        media: "application/octet-stream",
        second_reader: false,
        fits: is_zip,
        convert: archive::convert,
    },
];

/// What a compound file is that holds an encrypted package: Office's way to protect what would be a zip.
pub const ENCRYPTED: &str = "an Office document that is encrypted and needs a password";

/// What a file was found to be.
#[derive(Clone)]
pub struct Detected {
    /// The row; `None` where nothing here reads it.
    pub format: Option<&'static Format>,
    /// How it is packed.
    pub packing: Packing,
    /// What the content is, where the extension says something else.
    pub misnamed: Option<String>,
    /// What it is, by its content, for the message where nothing reads it.
    pub found: String,
}

/// A format by its name.
#[must_use]
pub fn named(name: &str) -> Option<&'static Format> {
    FORMATS.iter().find(|format| format.name == name)
}

/// Finds the format of a file: by its extension, where its first bytes don't contradict, then by its content. `head`
/// is its beginning, unpacked; `bytes` all of it, where that is at hand.
#[must_use]
pub fn detect(name: &str, packing: Packing, head: &[u8], bytes: Option<&dyn ReadAt>) -> Detected {
    let said = by_name(name);
    if bytes.is_some_and(|bytes| compound_holds(bytes, "EncryptedPackage")) {
        return Detected { format: None, packing, misnamed: None, found: ENCRYPTED.to_owned() };
    }
    // A zip is known by its end, too, for one that does not begin as it should.
    let is_unknown = !is_text(head) && FileFormat::from_bytes(head) == FileFormat::ArbitraryBinaryData;
    let is_left = |bytes| zipped::is_listed(bytes) || is_unknown && zipped::is_unlisted(bytes);
    let is_spoilt = said.is_some_and(|said| (said.fits)(b"PK")) && !is_zip(head) && bytes.is_some_and(is_left);
    // Many formats are zips, and their first bytes are all the same.
    let zipped = bytes.filter(|_| is_zip(head) || is_spoilt).and_then(zipped::document);
    let agrees = |format: &Format| zipped.as_ref().is_none_or(|zipped| zipped.format == Some(format.name));
    if let Some(format) = said
        && (head.is_empty() || (((format.fits)(head) || is_holed(format, head) || is_spoilt) && agrees(format)))
    {
        let misnamed = other_kind(&extension(name), head);
        let format = named("markdown").filter(|_| format.name == "text" && is_markdown(head)).unwrap_or(format);
        return Detected { format: Some(format), packing, misnamed, found: format.title.to_owned() };
    }
    let (mut format, found) = match zipped {
        Some(zipped) => (zipped.format.and_then(named), zipped.title),
        None => by_content(head, bytes),
    };
    // What programs save as a workbook is often a table in plain text.
    if format.is_some_and(|format| format.name == "text") && said.is_some_and(|said| said.shape == Shape::Rows) {
        format = named("csv");
    }
    let misnamed = said.and(format).map(|format| format.title.to_owned());
    // Damage to its beginning takes away what a file would be known by: its name tells more, and its reader what is left.
    let damaged = said.filter(|said| is_unknown && said.media != "text/");
    Detected { format: format.or(damaged), packing, misnamed, found }
}

/// Whether a file of a format of texts has more zero bytes than a text may have, and is one besides.
fn is_holed(format: &Format, head: &[u8]) -> bool {
    format.media == "text/" && is_holed_text(head)
}

/// The format that the content shows.
fn by_content(head: &[u8], bytes: Option<&dyn ReadAt>) -> (Option<&'static Format>, String) {
    let kind = match bytes {
        Some(bytes) => FileFormat::from_reader(AtPlace::new(bytes)).unwrap_or_else(|_| FileFormat::from_bytes(head)),
        None => FileFormat::from_bytes(head),
    };
    let known = by_extension(kind.extension()).filter(|format| (format.fits)(head) || is_holed(format, head));
    if let Some(format) = known.filter(|format| format.name != "text") {
        return (Some(format), format.title.to_owned());
    }
    if bytes.is_some_and(|bytes| compound_holds(bytes, "__substg1.0_")) {
        return (named("msg"), "Outlook message".to_owned());
    }
    if is_text(head) {
        let format = named(text_kind(head));
        return (format, "text".to_owned());
    }
    if is_compound(head) {
        return (None, "a compound file, as Office wrote before 2007, without its list of parts".to_owned());
    }
    let found = if kind == FileFormat::ArbitraryBinaryData { "binary data" } else { kind.name() };
    (None, found.to_owned())
}
