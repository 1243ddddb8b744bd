//! The table of document formats. Adding a format is one file and one row.

use super::input::{Failure, Input};
use super::out::Out;
use super::rtf::begins as is_rtf;
use super::signs::{is_compound, is_pdf, is_picture, is_sound, is_text, is_zip};
use super::{
    archive, audio, delimited, epub, html, mail, mime, notebook, office, pdf, picture, rtf, sheets, structured, tar,
    text,
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
        name: "rtf",
        title: "rich text (RTF)",
        extensions: "rtf",
        shape: Shape::Lines,
        headings: Headings::Markdown,
        risk: Risk::Always,
        media: "application/rtf",
        second_reader: false,
        fits: is_rtf,
        convert: rtf::convert,
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
        extensions: "png apng jpg jpeg gif webp jfif bmp tif tiff ico heic heif avif jp2 psd ppm pgm pbm pnm tga",
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
    Format {
        name: "tar",
        title: "TAR archive",
        // Those that stand for two endings are packed as their bytes say.
        extensions: "tar tgz taz tbz tbz2 tb2 txz tzst",
        shape: Shape::Lines,
        headings: Headings::Markdown,
        risk: Risk::Always,
        media: "application/octet-stream",
        second_reader: false,
        fits: tar::begins,
        convert: tar::convert,
    },
];

/// A format by its name.
#[must_use]
pub fn named(name: &str) -> Option<&'static Format> {
    FORMATS.iter().find(|format| format.name == name)
}
