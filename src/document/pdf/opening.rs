//! A PDF opened with the first reader: mended where it is damaged, and made so that it is read fast.

use unpdf::PdfParser;
use unpdf::parser::raw::RawDocument;

use super::bullets;
use super::mend::{self, Found, Mended};
use super::slim::{Contents, slimmed};

/// Bytes of a file that is made so that it is read fast: it stands in memory once more.
const SLIM_MAX: usize = 64 << 20;

/// A PDF that is opened.
pub struct Opened {
    pub parser: unpdf::Result<PdfParser>,
    /// The file, where it was damaged.
    pub mended: Option<Mended>,
    /// The file as it is read fastest, where it is; its pages are the same ones.
    pub slim: Option<Vec<u8>>,
}

/// A PDF looked through for damage: what the first reader finds in it, and mended where it is damaged, and whether it is not.
struct LookedAt {
    document: unpdf::Result<RawDocument>,
    mended: Option<Mended>,
    is_whole: bool,
}

fn looked_at(bytes: &[u8]) -> LookedAt {
    let Found { broken, maps, untold } = mend::found(bytes);
    let mut document = RawDocument::load(bytes);
    let is_whole = match &document {
        Ok(document) => broken.is_empty() && mend::is_whole(document),
        Err(unpdf::Error::Encrypted | unpdf::Error::InvalidPassword) => true,
        Err(_) => false,
    };
    let mut mended = match &document {
        Ok(document) if is_whole => mend::mapped(bytes, document, maps, &untold),
        Err(_) if is_whole => None,
        _ => mend::mended(bytes, broken),
    };
    if let Some(made) = &mended {
        match RawDocument::load(&made.bytes) {
            Ok(reread) => document = Ok(reread),
            Err(_) => mended = None,
        }
    }
    LookedAt { document, mended, is_whole }
}

/// A PDF mended, where it is damaged.
pub fn mended(bytes: &[u8]) -> Option<Mended> {
    looked_at(bytes).mended
}

/// Opens a PDF with the first reader, mended where it is damaged.
pub fn opened(bytes: &[u8]) -> Opened {
    let LookedAt { document, mended, is_whole } = looked_at(bytes);
    let document = match document {
        Ok(document) => document,
        Err(why) => return Opened { parser: Err(why), mended, slim: None },
    };
    let made = mended.as_ref().map_or(bytes, |mended| &mended.bytes);
    let contents = Contents::of(&document);
    if is_whole && let Some(named) = bullets::named(made, &contents) {
        return Opened { parser: Ok(named), mended, slim: None };
    }
    let slim = Some(&document).filter(|_| made.len() <= SLIM_MAX);
    let slim = slim.and_then(|document| slimmed(made, document, &contents));
    let pages = contents.pages();
    drop((document, contents));
    let parser = slim.as_ref().and_then(|slim| PdfParser::from_bytes(slim).ok());
    match parser.filter(|parser| parser.page_count() as usize == pages) {
        Some(parser) => Opened { parser: Ok(parser), mended, slim },
        None => Opened { parser: PdfParser::from_bytes(made), mended, slim: None },
    }
}
