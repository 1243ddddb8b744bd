//! Pictures: decoded within limits and made ready for the terminal, away from the thread that draws.

use std::io::Cursor;
use std::sync::Arc;

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use image::{ImageReader, Limits};
use ratatui::layout::Size;
use ratatui_image::Resize;
use ratatui_image::picker::Picker;
use ratatui_image::sliced::SlicedProtocol;

use super::Media;
use crate::present::{bytes, count, counted};

/// A wider or higher picture is only described.
const SIDE_MAX: u32 = 20_000;
/// Decoding may not take more memory.
const MEMORY_MAX: u64 = 256 << 20;

/// A picture to be shown in so many cells.
#[derive(Clone)]
pub struct PictureJob {
    /// Who asked: the entry's number and its section.
    pub key: (u64, u32),
    /// The picture.
    pub media: Arc<Media>,
    /// What the terminal can show.
    pub picker: Picker,
    /// Columns and rows that it may take.
    pub room: (u16, u16),
}

/// Decodes a picture and makes it ready for the terminal.
///
/// # Errors
/// A sentence that says why it cannot be shown.
pub fn picture(job: &PictureJob) -> Result<SlicedProtocol, String> {
    let data = job.media.data.as_deref().ok_or_else(|| "it is not in the transcript".to_owned())?;
    let stored: Vec<u8> = data.iter().copied().filter(|byte| !byte.is_ascii_whitespace() && *byte != b'\\').collect();
    let decoded = STANDARD.decode(stored).map_err(|_| "its base64 is damaged".to_owned())?;
    let mut reader = ImageReader::new(Cursor::new(decoded)).with_guessed_format().map_err(|why| why.to_string())?;
    let mut limits = Limits::default();
    limits.max_image_width = Some(SIDE_MAX);
    limits.max_image_height = Some(SIDE_MAX);
    limits.max_alloc = Some(MEMORY_MAX);
    reader.limits(limits);
    let image = reader.decode().map_err(|why| why.to_string())?;
    let room = Size::new(job.room.0.max(1), job.room.1.max(1));
    let smooth = Resize::Fit(Some(image::imageops::FilterType::Triangle));
    SlicedProtocol::new_with_resize(&job.picker, image, room, smooth).map_err(|why| why.to_string())
}

/// What a picture is, in words: `image/png · 1,280 × 720 pixels · 88 KiB · 1,229 tokens`.
#[must_use]
pub fn described(media: &Media) -> String {
    let mut words = vec![media.mime.clone()];
    if let Some((wide, high)) = media.pixels {
        words.push(format!("{} × {} pixels", count(u64::from(wide)), count(u64::from(high))));
    }
    if media.bytes > 0 {
        words.push(bytes(media.bytes / 4 * 3));
    }
    words.push(counted(media.tokens, "token", "tokens"));
    words.join(" · ")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn job(data: &[u8]) -> PictureJob {
        let media = Media {
            mime: "image/png".to_owned(),
            pixels: Some((1280, 720)),
            tokens: 1229,
            bytes: 4096,
            data: Some(Arc::from(data)),
        };
        PictureJob { key: (0, 0), media: Arc::new(media), picker: Picker::halfblocks(), room: (20, 10) }
    }

    #[test]
    fn pictures_are_made_ready_and_fit() {
        let mut png = Vec::new();
        let image = image::DynamicImage::new_rgb8(400, 100);
        image.write_to(&mut Cursor::new(&mut png), image::ImageFormat::Png).expect("a picture");
        let ready = picture(&job(STANDARD.encode(png).as_bytes())).expect("a picture");
        assert!(ready.size().width <= 20 && ready.size().height <= 10 && ready.size().height > 0);
    }

    #[test]
    fn what_is_no_picture_is_refused() {
        for wrong in [&b"%%%"[..], b"aGVsbG8=", b""] {
            assert!(picture(&job(wrong)).is_err());
        }
        assert_eq!(described(&job(b"").media), "image/png · 1,280 × 720 pixels · 3.0 KiB · 1,229 tokens");
    }
}
