//! A picture's size in pixels, out of the head of its data.

use std::io::Cursor;

use base64::Engine as _;
use base64::alphabet::STANDARD;
use base64::engine::{DecodePaddingMode, GeneralPurpose, GeneralPurposeConfig};
use image::ImageReader;

/// Characters of base64 that are looked at: headers may stand behind a colour profile or a thumbnail.
const HEAD: usize = 256 << 10;

const LENIENT: GeneralPurpose = GeneralPurpose::new(
    &STANDARD,
    GeneralPurposeConfig::new()
        .with_decode_padding_mode(DecodePaddingMode::Indifferent)
        .with_decode_allow_trailing_bits(true),
);

/// Width and height of a picture in base64 (PNG, JPEG, GIF, WebP).
#[must_use]
pub(super) fn of_base64(data: &[u8]) -> Option<(u32, u32)> {
    let head = data.get(..data.len().min(HEAD) / 4 * 4)?;
    let bytes = LENIENT.decode(head).ok()?;
    ImageReader::new(Cursor::new(bytes)).with_guessed_format().ok()?.into_dimensions().ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_head_of_a_picture_tells_its_size() {
        let gif = LENIENT.encode(b"GIF89a\x03\x00\x02\x00\x80\x00\x00\x00\x00\x00\xff\xff\xff,\x00\x00\x00\x00\x03\x00\x02\x00\x00\x02\x03D\x02\x05\x00;");
        assert_eq!(of_base64(gif.as_bytes()), Some((3, 2)));
        assert_eq!(of_base64(b"no picture"), None);
        assert_eq!(of_base64(b""), None);
    }
}
