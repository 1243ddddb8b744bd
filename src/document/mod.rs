//! Documents: one file (or folder) per format; bytes in, Markdown with anchors and located warnings out.
//!
//! Nothing here touches files or processes. Readers that hostile files can bring down are marked in the table and run
//! in a worker process by `io::worker`.

mod archive;
mod audio;
mod cell_links;
mod cell_text;
mod convert;
mod damaged_zip;
mod delimited;
#[cfg(test)]
mod delimited_tests;
mod delimiter;
mod detect;
mod encoding;
mod epub;
mod feed;
mod format;
mod front;
mod grid;
mod heading;
mod html;
mod inner;
mod input;
mod kept;
mod languages;
mod limits;
mod losses;
mod mail;
mod marked;
mod markup;
mod mime;
mod names;
mod notebook;
mod notebook_output;
mod ods;
mod ods_beside;
mod ods_content;
mod office;
mod out;
mod page;
mod part_head;
mod pdf;
mod picture;
mod picture_end;
mod piece;
mod plain;
mod program_line;
mod records;
mod relisted;
mod rewritten;
mod rtf;
mod script;
mod sheets;
mod signs;
mod structured;
mod swollen;
mod table;
mod tar;
#[cfg(test)]
mod testing;
mod tex;
mod text;
mod typed;
mod unclosed;
mod unlisted;
mod unpacking;
mod workbook;
mod xls_anew;
mod xls_beside;
mod xls_links;
mod xls_mend;
mod zip_heads;
mod zip_list;
mod zipped;

pub use convert::{PART, Request, STOPPED, collect, convert, detect_bytes, may_be_read};
pub use detect::Detected;
pub use format::{FORMATS, Format, Headings, Shape, named};
pub use front::{FRONT_LINES, front_matter};
pub use heading::heading;
pub use html::percent_decoded;
pub use input::{Failure, Packing, extension};
pub use kept::{Own, kept, matched};
pub use limits::{Limits, MORE, TOKENS_END, Uncut, cut_whole, without_end};
pub use names::by_extension;
pub use out::{Sink, Stop};
pub use page::{Numbering, PageNumber};
pub use piece::{
    Anchor, Attachment, Conversion, LeftBy, Note, OutlineItem, Piece, Place, PlaceKind, Shown, WITHIN, shown_line,
};
pub use text::own_text;
