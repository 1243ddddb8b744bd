//! Pictures: what they are, and within limits the picture itself, shrunk to what may be attached.

use std::io::{self, BufRead, BufReader, Cursor, Seek};

use fast_image_resize::images::{TypedImage, TypedImageRef};
use fast_image_resize::pixels::U8x4;
use fast_image_resize::{FilterType, ResizeAlg, ResizeOptions, Resizer};
use file_format::{FileFormat, Kind};
use image::codecs::gif::{GifDecoder, GifEncoder};
use image::codecs::jpeg::JpegEncoder;
use image::codecs::png::{CompressionType, FilterType as Filter, PngDecoder, PngEncoder};
use image::codecs::webp::WebPDecoder;
use image::error::LimitErrorKind;
use image::metadata::Orientation;
use image::{AnimationDecoder, DynamicImage, ImageDecoder, ImageError, ImageFormat, ImageReader};

use crate::tokens::IMAGE_RULES;

use super::input::{Failure, Input};
use super::limits::Limits;
use super::out::Out;
use super::picture_end::is_cut;
use super::piece::{Attachment, Piece, Shown};
use super::signs::{is_bare_cursor, is_targa};

/// Bytes that a picture may take in memory.
const PIXELS_MAX: u64 = 512 << 20;
/// Quality of JPEG that is written.
const QUALITY: u8 = 85;
/// How fast colours of a GIF are chosen, from 1 to 30: at 1 that takes seconds for a photo.
const GIF_SPEED: i32 = 10;
/// How often a picture is shrunk, always from the original, until it comes close to its limit.
const TRIES: u32 = 6;
/// The share of the limit that is close to it.
const CLOSE: f64 = 0.9;
/// Pixels up to which a PNG is packed well: that takes a second or two for so many.
const PACKED_WELL: u64 = 16 << 20;
/// The formats that are checked and shrunk (source 4).
const SUPPORTED: &[(ImageFormat, &str, &str)] = &[
    (ImageFormat::Png, "PNG", "image/png"),
    (ImageFormat::Jpeg, "JPEG", "image/jpeg"),
    (ImageFormat::Gif, "GIF", "image/gif"),
    (ImageFormat::WebP, "WEBP", "image/webp"),
];
/// What the words of its decoders mean.
const DAMAGE: &[(&str, &str)] = &[
    ("CRC", "a part of it is damaged, as its checksum tells"),
    ("deflate", "what is packed in it is damaged"),
    ("end of", "it ends too early"),
    ("EOF", "it ends too early"),
    ("signature", "it does not begin as a picture of its kind does"),
];
const UNSHRUNK: &str = "the picture cannot be shrunk";
/// Rules of which the cost is told: one for each provider.
const RULES: &[&str] = &["claude", "openai_tiles_85_170", "gemini_tiles"];

/// What a picture is; within limits with the picture to attach.
///
/// # Errors
/// Where it is none.
pub fn convert(input: &Input<'_>, out: &mut Out<'_>) -> Result<(), Failure> {
    let stored = input.size()?;
    let reader = ImageReader::new(BufReader::new(input.seekable()?)).with_guessed_format()?;
    let known = reader.format().and_then(|format| SUPPORTED.iter().find(|(known, ..)| *known == format));
    let Some((format, name, mime)) = known else { return describe(input, out) };
    let (width, height) = match upright(reader) {
        Ok(size) => size,
        // Its head may tell its size all the same.
        Err(why) => match imagesize::reader_size(BufReader::new(input.seekable()?)) {
            Ok(size) => {
                // Where it is cut off, that is said.
                if !is_cut(input, *format, out)? {
                    out.note(undecoded(&why));
                }
                (u32::try_from(size.width).unwrap_or(u32::MAX), u32::try_from(size.height).unwrap_or(u32::MAX))
            }
            Err(_) => return Err(Failure::Damaged(undecoded(&why))),
        },
    };
    out.fact("kind", name);
    out.fact("pixels", format!("{width}x{height}"));
    out.fact("bytes", stored);
    if is_cut(input, *format, out)? {
        out.note("the file is cut off before the end of its picture");
    }
    let head = format!("{name} picture, {width}x{height} pixels, {stored} bytes");
    let cost = |size: (u32, u32)| {
        let rules = RULES.iter().filter_map(|rule| IMAGE_RULES.iter().find(|(known, ..)| known == rule));
        rules.map(|(name, _, rule)| format!("  \n{} tokens by the rule {name}", rule.tokens(size))).collect::<String>()
    };
    let Some(limits) = input.limits else { return Ok(out.block(&(head + &cost((width, height))))?) };
    // Should decoding fail, this much stays.
    out.text(&head)?;
    out.flush()?;
    let sent = attach(input, *format, mime, limits, out);
    let size = sent.as_ref().ok().copied().flatten().unwrap_or((width, height));
    out.text(&cost(size))?;
    out.text("\n")?;
    match sent {
        // It is not attached then.
        Err(Failure::Damaged(why)) => {
            out.note(format!("{why}; only what its file says of it is shown"));
            Ok(())
        }
        sent => sent.map(|_| ()),
    }
}

/// The width and height of a picture as it is to be looked at.
fn upright(reader: ImageReader<impl BufRead + Seek>) -> image::ImageResult<(u32, u32)> {
    use Orientation::{Rotate90, Rotate90FlipH, Rotate270, Rotate270FlipH};
    let mut decoder = reader.into_decoder()?;
    let (width, height) = decoder.dimensions();
    let lies = matches!(decoder.orientation(), Ok(Rotate90 | Rotate90FlipH | Rotate270 | Rotate270FlipH));
    Ok(if lies { (height, width) } else { (width, height) })
}

/// What is told of a picture that cannot be attached: its kind, and its size where that is known, out of its head.
fn describe(input: &Input<'_>, out: &mut Out<'_>) -> Result<(), Failure> {
    let stored = input.size()?;
    let mut from = BufReader::new(input.seekable()?);
    out.fact("bytes", stored);
    let head = from.fill_buf()?.to_vec();
    if head.is_empty() {
        return Err(Failure::Damaged("it is empty".to_owned()));
    }
    let kind = FileFormat::from_bytes(&head);
    let is_known = kind.kind() == Kind::Image && !is_bare_cursor(&head);
    let is_targa =
        is_targa(&head) || !is_known && matches!(imagesize::reader_type(&mut from), Ok(imagesize::ImageType::Tga));
    from.rewind()?;
    let size = imagesize::reader_size(&mut from).ok().map(|size| (size.width, size.height));
    let size = bitmap(&head).or(size).or_else(|| jpeg_2000(&head));
    if !is_targa && !is_known && (size.is_none() || is_bare_cursor(&head)) {
        return Err(Failure::Damaged("its content is no picture that is known here".to_owned()));
    }
    let kind = if is_targa { "TGA" } else { kind.short_name().unwrap_or_else(|| kind.name()) };
    out.fact("kind", kind);
    let pixels = size.map(|(width, height)| format!("{width}x{height}"));
    if let Some(pixels) = &pixels {
        out.fact("pixels", pixels);
    }
    let told = pixels.map_or_else(String::new, |pixels| format!(", {pixels} pixels"));
    out.block(&format!("{kind} picture{told}, {stored} bytes"))?;
    out.note("it cannot be attached: PNG, JPEG, GIF and WEBP are the pictures that can");
    Ok(())
}

/// The width and height of a bitmap of Windows; the height is less than nothing where its first row is the upper one.
fn bitmap(head: &[u8]) -> Option<(usize, usize)> {
    let number = |at: usize| Some(i32::from_le_bytes(head.get(at..at + 4)?.try_into().ok()?));
    // Those of the first kind have two bytes for each.
    let is_long = head.starts_with(b"BM") && number(14)? >= 16;
    let size = |at: usize| Some(number(at)?.unsigned_abs() as usize);
    Some((size(18)?, size(22)?)).filter(|_| is_long)
}

/// The width and height of a picture in JPEG 2000, with a header around it or without.
fn jpeg_2000(head: &[u8]) -> Option<(usize, usize)> {
    let number = |at: usize| Some(u32::from_be_bytes(head.get(at..at + 4)?.try_into().ok()?) as usize);
    if head.starts_with(b"\xFF\x4F\xFF\x51") {
        return Some((number(8)?.checked_sub(number(16)?)?, number(12)?.checked_sub(number(20)?)?));
    }
    if !head.starts_with(b"\0\0\0\x0CjP  ") {
        return None;
    }
    let told = memchr::memmem::find(head, b"ihdr")? + 4;
    Some((number(told + 4)?, number(told)?))
}

/// Hands on the picture, shrunk where it is over a limit; its size then, where that is another.
fn attach(
    input: &Input<'_>,
    format: ImageFormat,
    mime: &str,
    limits: &Limits,
    out: &mut Out<'_>,
) -> Result<Option<(u32, u32)>, Failure> {
    let stored = input.size()?;
    let side = ImageReader::with_format(BufReader::new(input.seekable()?), format)
        .into_dimensions()
        .map_or(0, |(width, height)| width.max(height));
    let over_side = limits.image_side > 0 && side > limits.image_side;
    if stored <= limits.image_bytes && !over_side {
        // What cannot be decoded is not attached.
        decode(input, format)?;
        let data = input.whole(limits.image_bytes.max(stored))?;
        out.pass(Piece::Attachment(Attachment { mime: mime.to_owned(), data }))?;
        return Ok(None);
    }
    let original = decode(input, format)?;
    let (width, height) = (original.width(), original.height());
    if is_animated(input, format) {
        out.note("it moves; made smaller, it is its first frame alone");
    }
    let mut scale = if over_side { f64::from(limits.image_side) / f64::from(side) } else { 1.0 };
    if stored > limits.image_bytes && !over_side {
        scale = (limits.image_bytes as f64 / stored as f64).sqrt();
    }
    let mut search = Search::new(scale, limits.image_bytes);
    let mut best = None;
    for _ in 0..TRIES {
        out.progress(0, 0)?;
        let Some(scale) = search.next() else { break };
        let to = |length: u32| (f64::from(length) * scale).floor().max(1.0) as u32;
        let shrunk = shrink(&original, to(width), to(height))?;
        let data = encode(&shrunk, format).map_err(|_| Failure::Damaged(UNSHRUNK.to_owned()))?;
        if search.tried(scale, data.len() as u64) {
            best = Some((shrunk.width(), shrunk.height(), data));
        }
    }
    let Some((new_width, new_height, data)) = best else {
        out.note(format!("it could not be shrunk to {} bytes", limits.image_bytes));
        return Ok(None);
    };
    let words = format!("{new_width}x{new_height} (resized from {width}x{height})");
    out.pass(Piece::Shown(Shown::Words(words)))?;
    out.pass(Piece::Attachment(Attachment { mime: mime.to_owned(), data }))?;
    Ok(Some((new_width, new_height)))
}

/// Looks for the largest scale at which a picture fits. How its bytes grow with it is told by what was tried.
struct Search {
    limit: f64,
    first: f64,
    /// The largest scale that fits and the smallest that does not, with their bytes.
    fits: Option<(f64, f64)>,
    over: Option<(f64, f64)>,
}

impl Search {
    fn new(first: f64, limit: u64) -> Search {
        Search { limit: limit as f64, first, fits: None, over: None }
    }

    /// The scale to try next; none where one is close enough.
    fn next(&self) -> Option<f64> {
        match (self.fits, self.over) {
            (None, None) => Some(self.first),
            // More than its own rule gives it is not tried.
            (Some(_), None) => None,
            (None, Some((scale, bytes))) => Some(scale * (self.limit / bytes).sqrt().min(0.98)),
            (Some((_, bytes)), Some(_)) if bytes >= self.limit * CLOSE => None,
            (Some((low, small)), Some((high, large))) => {
                // Between both its bytes grow by a power of the scale, nearly; the aim is a little below the limit.
                let power = ((large / small).ln() / (high / low).ln()).max(1.0);
                let aim = low * (self.limit * (1.0 + CLOSE) / 2.0 / small).powf(1.0 / power);
                Some(if aim > low && aim < high { aim } else { f64::midpoint(low, high) })
            }
        }
    }

    /// Takes in what a scale gave; whether it is the largest that fits.
    fn tried(&mut self, scale: f64, bytes: u64) -> bool {
        let (bytes, fits) = (bytes.max(1) as f64, bytes as f64 <= self.limit);
        *(if fits { &mut self.fits } else { &mut self.over }) = Some((scale, bytes));
        fits
    }
}

fn decode(input: &Input<'_>, format: ImageFormat) -> Result<DynamicImage, Failure> {
    decode_from(BufReader::new(input.seekable()?), format)
}

fn decode_from(from: impl BufRead + Seek, format: ImageFormat) -> Result<DynamicImage, Failure> {
    let failed = |why: ImageError| Failure::Damaged(undecoded(&why));
    let mut reader = ImageReader::with_format(from, format);
    reader.limits(bounds());
    let mut decoder = reader.into_decoder().map_err(failed)?;
    if decoder.total_bytes() > PIXELS_MAX {
        return Err(failed(ImageError::Limits(LimitErrorKind::InsufficientMemory.into())));
    }
    // Which side is up stands beside the pixels, and is lost with what else stands there.
    let orientation = decoder.orientation().unwrap_or(Orientation::NoTransforms);
    let mut picture = DynamicImage::from_decoder(decoder).map_err(failed)?;
    picture.apply_orientation(orientation);
    Ok(picture)
}

/// What it means that a picture cannot be decoded.
fn undecoded(why: &ImageError) -> String {
    let ends = |why: &io::Error| why.kind() == io::ErrorKind::UnexpectedEof;
    let said = match why {
        ImageError::Limits(_) => "it is too large",
        ImageError::Unsupported(_) => "it is of a kind that is not known here",
        ImageError::IoError(why) if ends(why) => "it ends too early",
        ImageError::IoError(_) => "its bytes cannot be read",
        _ => match DAMAGE.iter().find(|(mark, _)| why.to_string().contains(mark)) {
            Some((_, said)) => said,
            None => "it is damaged",
        },
    };
    format!("the picture cannot be decoded: {said}")
}

fn bounds() -> image::Limits {
    let mut limits = image::Limits::default();
    limits.max_alloc = Some(PIXELS_MAX);
    limits
}

/// Whether a picture has more than one frame.
fn is_animated(input: &Input<'_>, format: ImageFormat) -> bool {
    let Ok(from) = input.seekable().map(BufReader::new) else { return false };
    match format {
        ImageFormat::Gif => GifDecoder::new(from).is_ok_and(|mut decoder| {
            decoder.set_limits(bounds()).is_ok() && decoder.into_frames().take(2).filter(Result::is_ok).count() > 1
        }),
        ImageFormat::WebP => WebPDecoder::new(from).is_ok_and(|decoder| decoder.has_animation()),
        ImageFormat::Png => PngDecoder::new(from).is_ok_and(|decoder| decoder.is_apng().unwrap_or(false)),
        _ => false,
    }
}

/// The picture in another size, by Lanczos. One kind of pixel for all: each kind is machine code of its own.
fn shrink(original: &DynamicImage, width: u32, height: u32) -> Result<DynamicImage, Failure> {
    let failed = || Failure::Damaged(UNSHRUNK.to_owned());
    let alpha = original.color().has_alpha();
    let options = ResizeOptions::new().resize_alg(ResizeAlg::Convolution(FilterType::Lanczos3)).use_alpha(alpha);
    let pixels = original.to_rgba8();
    let from =
        TypedImageRef::<U8x4>::from_buffer(pixels.width(), pixels.height(), pixels.as_raw()).map_err(|_| failed())?;
    let mut small = image::RgbaImage::new(width, height);
    let mut to = TypedImage::<U8x4>::from_buffer(width, height, &mut small).map_err(|_| failed())?;
    Resizer::new().resize_typed(&from, &mut to, &options).map_err(|_| failed())?;
    drop(to);
    let small = DynamicImage::ImageRgba8(small);
    // What has no colours needs no bytes for them.
    Ok(match (alpha, original.color().has_color()) {
        (true, true) => small,
        (true, false) => DynamicImage::ImageLumaA8(small.to_luma_alpha8()),
        (false, true) => DynamicImage::ImageRgb8(small.to_rgb8()),
        (false, false) => DynamicImage::ImageLuma8(small.to_luma8()),
    })
}

fn encode(picture: &DynamicImage, format: ImageFormat) -> image::ImageResult<Vec<u8>> {
    let mut data = Cursor::new(Vec::new());
    match format {
        ImageFormat::Jpeg => {
            let encoder = JpegEncoder::new_with_quality(&mut data, QUALITY);
            DynamicImage::ImageRgb8(picture.to_rgb8()).write_with_encoder(encoder)?;
        }
        ImageFormat::Gif => {
            GifEncoder::new_with_speed(&mut data, GIF_SPEED).encode_frame(image::Frame::new(picture.to_rgba8()))?
        }
        ImageFormat::Png => {
            let small = u64::from(picture.width()) * u64::from(picture.height()) <= PACKED_WELL;
            let packing = if small { CompressionType::Default } else { CompressionType::Fast };
            picture.write_with_encoder(PngEncoder::new_with_quality(&mut data, packing, Filter::Adaptive))?;
        }
        other => picture.write_to(&mut data, other)?,
    }
    Ok(data.into_inner())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::document::{Conversion, shown_line, testing};

    fn converted(name: &str, bytes: Vec<u8>, limits: &Limits) -> Conversion {
        testing::converted(name, &bytes, Some(limits))
    }

    #[test]
    fn a_shrunk_picture_comes_close_to_its_limit() {
        // Flat, as a drawing is, and smooth when it is shrunk, which packs worse than the drawing.
        let pixels = image::RgbImage::from_fn(900, 600, |x, y| {
            let dark = (x * 7 / 5 + y * 3) % 97 < 9 || (x * x + y * y) % 1013 < 40;
            image::Rgb(if dark { [20, 40, 90] } else { [250, 250, 245] })
        });
        let mut png = Cursor::new(Vec::new());
        let encoder = PngEncoder::new_with_quality(&mut png, CompressionType::Best, Filter::NoFilter);
        pixels.write_with_encoder(encoder).unwrap();
        let png = png.into_inner();
        let limit = png.len() as u64 * 19 / 20;
        let found = converted("a.png", png, &Limits { image_bytes: limit, ..Limits::default() });
        let size = found.attachment.unwrap().data.len() as u64;
        assert!(size <= limit && size * 100 >= limit * 85, "{size} of {limit}");
    }

    #[test]
    fn a_packed_picture_tells_its_own_bytes() {
        use std::io::Write;
        let picture = DynamicImage::ImageRgb8(image::RgbImage::from_pixel(64, 48, image::Rgb([1, 2, 3])));
        for (name, format) in [("a.png", ImageFormat::Png), ("a.gif", ImageFormat::Gif)] {
            // Bytes behind its end pack well.
            let whole = [encode(&picture, format).unwrap(), vec![0; 5_000]].concat();
            let mut packer = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::default());
            packer.write_all(&whole).unwrap();
            let packed = packer.finish().unwrap();
            assert!(packed.len() < 5_000);
            let name = format!("{name}.gz");
            for limits in [None, Some(&Limits::default())] {
                let found = testing::converted(&name, &packed, limits);
                assert_eq!(found.fact("bytes"), Some(whole.len().to_string().as_str()), "{name}: {found:?}");
                assert!(found.markdown.contains(&format!("{} bytes", whole.len())), "{name}: {}", found.markdown);
            }
            let least = Limits { image_bytes: 1_000, ..Limits::default() };
            let found = testing::converted(&name, &packed, Some(&least));
            assert!(found.attachment.is_none_or(|sent| sent.data.len() <= 1_000), "{name}");
        }
    }

    #[test]
    fn pictures_cut_off_tell_their_size() {
        let pixels = image::RgbImage::from_fn(64, 48, |x, y| image::Rgb([(x * y) as u8, (y * 8) as u8, x as u8]));
        for (name, format) in [("a.png", ImageFormat::Png), ("a.jpg", ImageFormat::Jpeg), ("a.gif", ImageFormat::Gif)] {
            let whole = encode(&DynamicImage::ImageRgb8(pixels.clone()), format).unwrap();
            for part in [whole.len() / 3, whole.len() * 2 / 3, whole.len() - 9] {
                let found = converted(name, whole[..part].to_vec(), &Limits::default());
                // The head of a JPEG may end behind the cut.
                let size = found.markdown.contains("64x48 pixels");
                assert!(size || (name == "a.jpg" && part < 700), "{name}, {part}: {found:?}");
                assert!(found.attachment.is_some() || !found.notes.is_empty(), "{name}, {part}: {found:?}");
            }
        }
    }

    #[test]
    fn what_stands_behind_a_picture_cuts_nothing_off() {
        let pixels = image::RgbImage::from_fn(64, 48, |x, y| image::Rgb([(x * y) as u8, (y * 8) as u8, x as u8]));
        for (name, format) in [("a.png", ImageFormat::Png), ("a.jpg", ImageFormat::Jpeg), ("a.gif", ImageFormat::Gif)] {
            let whole = encode(&DynamicImage::ImageRgb8(pixels.clone()), format).unwrap();
            for behind in [Vec::new(), vec![0; 9_000], vec![1; 300_000]] {
                let found = converted(name, [&whole[..], &behind[..]].concat(), &Limits::default());
                assert!(found.notes.is_empty() && found.attachment.is_some(), "{name}: {:?}", found.notes);
            }
            let found = converted(name, whole[..whole.len() * 2 / 3].to_vec(), &Limits::default());
            assert!(found.notes.iter().any(|note| note.message.contains("cut off")), "{name}: {:?}", found.notes);
        }
    }

    #[test]
    fn other_pictures_tell_their_size() {
        let mut bmp = b"BM\x3a\0\0\0\0\0\0\0\x36\0\0\0\x28\0\0\0\x07\0\0\0\x05\0\0\0\x01\0\x18\0".to_vec();
        bmp.resize(64, 0);
        let found = converted("a.bmp", bmp.clone(), &Limits::default());
        assert!(found.markdown.contains("7x5 pixels, 64 bytes"), "{found:?}");
        // Its first row is the upper one.
        bmp[22..26].copy_from_slice(&(-5i32).to_le_bytes());
        let found = converted("a.bmp", bmp, &Limits::default());
        assert!(found.markdown.contains("7x5 pixels, 64 bytes"), "{found:?}");
        assert!(found.notes[0].message.contains("cannot be attached"));
        let targa = [b"\0\0\x02\0\0\0\0\0\0\0\0\0\x07\0\x05\0\x18\0".to_vec(), vec![0x80; 105]].concat();
        let boxes = b"\0\0\0\x0CjP  \r\n\x87\n\0\0\0\x14ftypjp2 \0\0\0\0jp2 \0\0\0\x2Djp2h\0\0\0\x16ihdr\
            \0\0\0\x05\0\0\0\x07\0\x03\x07\x07\0\0\0\0";
        let stream = b"\xFF\x4F\xFF\x51\0\x2F\0\0\0\0\0\x09\0\0\0\x06\0\0\0\x02\0\0\0\x01";
        let map = [&b"P6\n7 5\n255\n"[..], &[0x80; 105]].concat();
        for (name, bytes, kind) in [
            ("a.tga", targa.clone(), "TGA"),
            ("a", targa, "TGA"),
            ("a.jp2", boxes.to_vec(), "JP2"),
            ("a", stream.to_vec(), "J2C"),
            ("a.ppm", map.clone(), "PPM"),
            ("a.pnm", map.clone(), "PPM"),
            ("a", map, "PPM"),
        ] {
            let found = converted(name, bytes, &Limits::default());
            assert!(found.markdown.starts_with(&format!("{kind} picture, 7x5 pixels, ")), "{name}: {found:?}");
            assert_eq!((found.fact("kind"), found.notes.len()), (Some(kind), 1), "{name}: {:?}", found.notes);
        }
        // A cursor is a picture without a size that is known here.
        let cursor = [&b"\0\0\x02\0\x01\0"[..], &[0x80; 40]].concat();
        let found = converted("a.cur", cursor, &Limits::default());
        assert!(found.markdown.contains(" picture, ") && found.notes.len() == 1, "{found:?}");
        let empty = converted("a.png", Vec::new(), &Limits::default());
        assert!(empty.notes[0].message.contains("is empty"), "{empty:?}");
    }

    #[test]
    fn a_shrunk_picture_stands_upright_and_says_that_it_no_longer_moves() {
        let pixels = image::RgbImage::from_fn(64, 32, |x, y| image::Rgb([(x * 4) as u8, (y * 8) as u8, 90]));
        let mut jpeg = Vec::new();
        JpegEncoder::new(&mut jpeg).encode_image(&pixels).unwrap();
        // An EXIF part that says: turned by 90 degrees.
        let exif = b"\xFF\xE1\x00\x22Exif\0\0MM\0\x2A\0\0\0\x08\0\x01\x01\x12\0\x03\0\0\0\x01\0\x06\0\0\0\0\0\0";
        let turned = [&jpeg[..2], exif, &jpeg[2..]].concat();
        let limits = Limits { image_side: 16, ..Limits::default() };
        let found = converted("a.jpg", turned, &limits);
        let small = image::load_from_memory(&found.attachment.as_ref().unwrap().data).unwrap();
        assert_eq!((small.width(), small.height()), (8, 16));
        assert!(found.markdown.starts_with("JPEG picture, 32x64 pixels"), "{found:?}");
        assert_eq!(
            (found.fact("pixels"), shown_line(&found.shown)),
            (Some("32x64"), "8x16 (resized from 32x64)".into())
        );
        let mut gif = Vec::new();
        let frame = || image::Frame::new(DynamicImage::ImageRgb8(pixels.clone()).to_rgba8());
        GifEncoder::new(&mut gif).encode_frames([frame(), frame()]).unwrap();
        let found = converted("a.gif", gif, &limits);
        assert!(found.notes[0].message.contains("first frame alone"), "{:?}", found.notes);
    }
}
