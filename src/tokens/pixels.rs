//! The size of a picture, from the head of its data.

use base64::Engine;
use base64::engine::general_purpose::STANDARD_NO_PAD;

use crate::content::{ContentError, Sources};
use crate::model::{Coding, Media};

/// Stored bytes read at first; enough but for pictures with long comments before their size.
const HEAD: u64 = 64 << 10;
/// Stored bytes read where the head does not tell.
const MOST: u64 = 4 << 20;

/// Width and height in pixels of a picture: as the transcript's reader found it, or from the head of its data. Nothing
/// but the head is decoded. `None` for what lies behind a URL and for what is no picture that can be read.
///
/// # Errors
/// Where its bytes cannot be read.
pub fn pixels(sources: &Sources, media: &Media) -> Result<Option<(u32, u32)>, ContentError> {
    if media.pixels.is_some() || media.span.coding != Coding::Base64 {
        return Ok(media.pixels);
    }
    for most in [HEAD, MOST] {
        let end = media.span.end.min(media.span.start.saturating_add(most));
        let stored = sources.read(media.span.source, media.span.start, end)?;
        if let Some(found) = pixels_of(&stored) {
            return Ok(Some(found));
        }
        if end == media.span.end {
            break;
        }
    }
    Ok(None)
}

/// Width and height in pixels, from the beginning of a picture's base64 (inside a JSON string, without quotes).
#[must_use]
pub fn pixels_of(stored: &[u8]) -> Option<(u32, u32)> {
    let head = |most: u64| stored.get(..usize::try_from(most).unwrap_or(usize::MAX).min(stored.len()));
    head(HEAD).and_then(size_of).or_else(|| head(MOST).filter(|more| more.len() as u64 > HEAD).and_then(size_of))
}

fn size_of(stored: &[u8]) -> Option<(u32, u32)> {
    let digits: Vec<u8> = match memchr::memchr(b'\\', stored) {
        Some(_) => crate::content::decode_json_string(stored).bytes().filter(is_digit).collect(),
        None => stored.iter().copied().filter(is_digit).collect(),
    };
    let whole = digits.len() / 4 * 4;
    let data = STANDARD_NO_PAD.decode(digits.get(..whole)?).ok()?;
    let size = imagesize::blob_size(&data).ok()?;
    let pixels = (u32::try_from(size.width).ok()?, u32::try_from(size.height).ok()?);
    (pixels.0 > 0 && pixels.1 > 0).then_some(pixels)
}

#[allow(clippy::trivially_copy_pass_by_ref)]
fn is_digit(sign: &u8) -> bool {
    sign.is_ascii_alphanumeric() || matches!(sign, b'+' | b'/')
}

#[cfg(test)]
mod tests {
    use std::io::Cursor;

    use base64::engine::general_purpose::STANDARD;
    use image::{DynamicImage, ImageFormat};

    use super::*;
    use crate::model::{SourceKind, Span};

    fn picture(format: ImageFormat, width: u32, height: u32) -> Vec<u8> {
        let mut data = Cursor::new(Vec::new());
        let image = DynamicImage::new_rgb8(width, height);
        let image = if format == ImageFormat::Gif { DynamicImage::from(image.to_rgba8()) } else { image };
        image.write_to(&mut data, format).unwrap();
        data.into_inner()
    }

    #[test]
    fn the_head_tells_the_size() {
        for format in [ImageFormat::Png, ImageFormat::Jpeg, ImageFormat::Gif, ImageFormat::WebP] {
            let base64 = STANDARD.encode(picture(format, 321, 123));
            assert_eq!(pixels_of(base64.as_bytes()), Some((321, 123)), "{format:?}");
            assert_eq!(pixels_of(base64.replace('/', "\\/").as_bytes()), Some((321, 123)), "{format:?} escaped");
        }
        // Only the head of a larger one.
        for format in [ImageFormat::Png, ImageFormat::Jpeg, ImageFormat::Gif] {
            let base64 = STANDARD.encode(picture(format, 3000, 2000));
            assert_eq!(pixels_of(&base64.as_bytes()[..1001]), Some((3000, 2000)), "{format:?}");
        }
    }

    #[test]
    fn a_head_of_an_extended_webp_tells_the_size() {
        let mut data = b"RIFF\xff\xff\x0f\0WEBPVP8X\x0a\0\0\0\x10\0\0\0".to_vec();
        data.extend([0x3f, 0x01, 0x00, 0xc7, 0x00, 0x00]);
        data.extend(b"ICCP\xff\xff\0\0");
        assert_eq!(pixels_of(STANDARD.encode(data).as_bytes()), Some((320, 200)));
    }

    #[test]
    fn what_is_no_picture_has_no_size() {
        for text in ["", "A", "====", "JVBERi0xLjcK", "\\u00", "not base64 at all"] {
            assert_eq!(pixels_of(text.as_bytes()), None, "{text}");
        }
        let png = picture(ImageFormat::Png, 9, 9);
        for cut in 0..png.len().min(40) {
            let _ = pixels_of(STANDARD.encode(&png[..cut]).as_bytes());
        }
    }

    #[test]
    fn sizes_are_read_through_spans() {
        let base64 = STANDARD.encode(picture(ImageFormat::Png, 40, 30));
        let mut sources = Sources::default();
        let source = sources.add_memory("t", SourceKind::Transcript, format!("\"{base64}\"").into_bytes());
        let span = Span { source, start: 1, end: 1 + base64.len() as u64, coding: Coding::Base64 };
        let mut media = Media { mime: "image/png".into(), span, hash: 1, pixels: None, is_low: false };
        assert_eq!(pixels(&sources, &media).unwrap(), Some((40, 30)));
        media.span.coding = Coding::Json;
        assert_eq!(pixels(&sources, &media).unwrap(), None);
        media.pixels = Some((2, 1));
        assert_eq!(pixels(&sources, &media).unwrap(), Some((2, 1)));
    }
}
