//! Pictures: decoded within limits and made ready for the terminal, away from the thread that draws.

use std::io::Cursor;
use std::sync::Arc;

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use image::imageops::FilterType;
use image::{DynamicImage, ImageReader, Limits};
use ratatui::layout::Size;
use ratatui_image::picker::Picker;
use ratatui_image::sliced::SlicedProtocol;
use ratatui_image::{FontSize, Resize};

use super::{Media, Owner};
use crate::present::{bytes, count, counted};

/// A wider or higher picture is only described.
const SIDE_MAX: u32 = 20_000;
/// Decoding may not take more memory.
const MEMORY_MAX: u64 = 256 << 20;

/// A picture to be shown in so many cells.
#[derive(Clone)]
pub struct PictureJob {
    /// Who asked, and for which of its sections or pictures.
    pub key: (Owner, u32),
    /// The picture.
    pub media: Arc<Media>,
    /// What the terminal can show.
    pub picker: Picker,
    /// Columns and rows that it may take.
    pub room: (u16, u16),
    /// How many times its own size it may become; 1: a small one stays small.
    pub grow: u16,
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
    let smooth = FilterType::Triangle;
    let image = if job.grow > 1 { grown(&image, job.picker.font_size(), job.grow, room) } else { image };
    SlicedProtocol::new_with_resize(&job.picker, image, room, Resize::Fit(Some(smooth))).map_err(|why| why.to_string())
}

/// A picture that fills a room, or is so many times its own size, to whole cells: less than one would be seen as an edge.
#[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss)]
fn grown(image: &DynamicImage, cell: FontSize, times: u16, room: Size) -> DynamicImage {
    let pixels = |cells: u16, cell: u16| u32::from(cells) * u32::from(cell.max(1));
    let fits = |room: u32, own: u32| f64::from(room) / f64::from(own.max(1));
    let (wide, high) = (pixels(room.width, cell.width), pixels(room.height, cell.height));
    let scale = fits(wide, image.width()).min(fits(high, image.height())).min(f64::from(times));
    let whole = |own: u32, cell: u16, most: u16| {
        let cells = (f64::from(own) * scale / f64::from(cell.max(1))).round() as u16;
        pixels(cells.clamp(1, most), cell)
    };
    let size = (whole(image.width(), cell.width, room.width), whole(image.height(), cell.height, room.height));
    image.resize_exact(size.0, size.1, FilterType::Triangle)
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
        PictureJob {
            key: (Owner::Entry(0), 0),
            media: Arc::new(media),
            picker: Picker::halfblocks(),
            room: (20, 10),
            grow: 1,
        }
    }

    #[test]
    fn pictures_are_made_ready_and_fit() {
        let mut png = Vec::new();
        let image = image::DynamicImage::new_rgb8(400, 100);
        image.write_to(&mut Cursor::new(&mut png), image::ImageFormat::Png).expect("a picture");
        let ready = picture(&job(STANDARD.encode(png).as_bytes())).expect("a picture");
        assert!(ready.size().width <= 20 && ready.size().height <= 10 && ready.size().height > 0);
        // A cell is 10 × 20 pixels.
        let mut png = Vec::new();
        image::DynamicImage::new_rgb8(20, 20)
            .write_to(&mut Cursor::new(&mut png), image::ImageFormat::Png)
            .expect("one");
        let small = job(STANDARD.encode(png).as_bytes());
        let size = |grow| {
            picture(&PictureJob { grow, ..small.clone() }).map(|ready| (ready.size().width, ready.size().height))
        };
        assert_eq!((size(1), size(4), size(99)), (Ok((2, 1)), Ok((8, 4)), Ok((20, 10))));
    }

    #[test]
    fn what_is_no_picture_is_refused() {
        for wrong in [&b"%%%"[..], b"aGVsbG8=", b""] {
            assert!(picture(&job(wrong)).is_err());
        }
        assert_eq!(described(&job(b"").media), "image/png · 1,280 × 720 pixels · 3.0 KiB · 1,229 tokens");
    }
}
