//! The size of an embedded picture, from the head of its base64.

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD_NO_PAD;

/// Characters of base64 that are looked at: camera pictures may carry tens of kilobytes before their size.
const HEAD: usize = 96 << 10;

/// Width and height in pixels. `stored` is the inside of a JSON string, or base64 itself.
pub(super) fn pixels(stored: &[u8]) -> Option<(u32, u32)> {
    let head = stored.get(..HEAD).unwrap_or(stored);
    let mut plain: Vec<u8> = head.iter().copied().filter(|byte| *byte != b'\\' && *byte != b'=').collect();
    plain.truncate(plain.len() / 4 * 4);
    let bytes = STANDARD_NO_PAD.decode(plain).ok()?;
    let size = imagesize::blob_size(&bytes).ok()?;
    Some((u32::try_from(size.width).ok()?, u32::try_from(size.height).ok()?))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_head_of_a_picture_tells_its_size() {
        let mut png = Vec::new();
        let picture = image::RgbImage::new(31, 7);
        picture.write_to(&mut std::io::Cursor::new(&mut png), image::ImageFormat::Png).unwrap();
        let stored = base64::engine::general_purpose::STANDARD.encode(&png);
        assert_eq!(pixels(stored.as_bytes()), Some((31, 7)));
        assert_eq!(pixels(&stored.as_bytes()[..44]), Some((31, 7)));
        assert_eq!(pixels(stored.replace('/', "\\/").as_bytes()), Some((31, 7)));
    }

    #[test]
    fn what_is_no_picture_has_no_size() {
        for stored in [&b""[..], b"x", b"[trimmed]", b"aGVsbG8gd29ybGQsIGhlbGxvIHdvcmxk"] {
            assert_eq!(pixels(stored), None);
        }
    }
}
