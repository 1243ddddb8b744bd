//! What the bytes of RTF stand for: by the code page of the document, and by the font in which they are written.

use std::collections::HashMap;

use encoding_rs::{Encoding, WINDOWS_1252};

use crate::document::encoding::{PAGES, Page};
use crate::document::mail;
use crate::document::office::symbols::{is_shown, symbol};

/// Fonts that are kept.
const FONTS_MAX: usize = 10_000;
/// Letters of a font's name that are kept.
const NAME_MAX: usize = 64;
/// The code pages of the character sets that fonts name.
const CHARSETS: &[(i32, u32)] = &[
    (77, 10000),
    (128, 932),
    (129, 949),
    (134, 936),
    (136, 950),
    (161, 1253),
    (162, 1254),
    (163, 1258),
    (177, 1255),
    (178, 1256),
    (186, 1257),
    (204, 1251),
    (222, 874),
    (238, 1250),
    (255, 437),
];

/// How bytes are decoded.
#[derive(Clone, Copy, Debug)]
enum Codec {
    /// As the Web does.
    Web(&'static Encoding),
    /// As DOS did.
    Dos(&'static Page),
}

/// A font, as far as it tells what its bytes stand for.
#[derive(Clone, Debug, Default)]
struct Font {
    codec: Option<Codec>,
    name: String,
}

/// The fonts of a document.
#[derive(Debug, Default)]
pub struct Fonts {
    fonts: HashMap<i32, Font>,
    own: Option<Codec>,
}

impl Fonts {
    /// The code page of the document, by its number.
    pub fn page(&mut self, number: u32) {
        self.own = codec(number).or(self.own);
    }

    /// The code page or the character set of a font.
    pub fn set(&mut self, font: i32, page: Option<u32>) {
        if let Some(found) = self.font(font) {
            found.codec = page.and_then(codec).or(found.codec);
        }
    }

    /// More of the name of a font.
    pub fn name(&mut self, font: i32, sign: u8) {
        if let Some(found) = self.font(font).filter(|font| font.name.len() < NAME_MAX && sign != b';') {
            found.name.push(char::from(sign));
        }
    }

    fn font(&mut self, number: i32) -> Option<&mut Font> {
        if self.fonts.len() >= FONTS_MAX && !self.fonts.contains_key(&number) {
            return None;
        }
        Some(self.fonts.entry(number).or_default())
    }

    /// What bytes written in a font say.
    pub fn decode(&self, font: i32, bytes: &[u8], to: &mut String) {
        let font = self.fonts.get(&font);
        let name = font.map_or("", |font| font.name.as_str());
        if symbol(name, u32::from(b'!')).is_some() {
            to.extend(bytes.iter().map(|byte| symbol(name, u32::from(*byte)).unwrap_or(char::from(*byte))));
            return;
        }
        match font.and_then(|font| font.codec).or(self.own) {
            Some(Codec::Dos(page)) => page.decode(bytes, to),
            Some(Codec::Web(encoding)) => to.push_str(&encoding.decode_without_bom_handling(bytes).0),
            None => to.push_str(&WINDOWS_1252.decode_without_bom_handling(bytes).0),
        }
    }

    /// What a character of Unicode shows in a font.
    pub fn shown(&self, font: i32, sign: char) -> char {
        let name = self.fonts.get(&font).map_or("Symbol", |font| font.name.as_str());
        if is_shown(&sign) {
            return sign;
        }
        symbol(name, u32::from(sign)).or_else(|| symbol("Symbol", u32::from(sign))).unwrap_or(sign)
    }
}

/// The code page of a character set.
pub fn page_of(charset: i32) -> Option<u32> {
    CHARSETS.iter().find(|(known, _)| *known == charset).map(|(_, page)| *page)
}

fn codec(page: u32) -> Option<Codec> {
    let name = format!("IBM{page}");
    let dos = PAGES.iter().find(|page| page.name == name).map(Codec::Dos);
    let web = || if page == 10000 { Some(encoding_rs::MACINTOSH) } else { mail::encoding(page) };
    dos.or_else(|| web().map(Codec::Web))
}
