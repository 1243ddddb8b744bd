//! Pictures: what they are, and within limits the picture itself, shrunk to what may be attached.

use std::io::{BufRead, BufReader, Cursor, Seek};

use fast_image_resize::images::{TypedImage, TypedImageRef};
use fast_image_resize::pixels::U8x4;
use fast_image_resize::{FilterType, ResizeAlg, ResizeOptions, Resizer};
use image::codecs::gif::GifEncoder;
use image::codecs::jpeg::JpegEncoder;
use image::{DynamicImage, ImageFormat, ImageReader};

use crate::tokens::IMAGE_RULES;

use super::input::{Failure, Input};
use super::limits::Limits;
use super::out::Out;
use super::piece::{Attachment, Piece, Shown};

/// Bytes that a picture may take in memory.
const PIXELS_MAX: u64 = 512 << 20;
/// Quality of JPEG that is written.
const QUALITY: u8 = 85;
/// How often a picture is shrunk, always from the original, until it fits.
const TRIES: u32 = 4;
/// The formats that are checked and shrunk (source 4).
const SUPPORTED: &[(ImageFormat, &str, &str)] = &[
    (ImageFormat::Png, "PNG", "image/png"),
    (ImageFormat::Jpeg, "JPEG", "image/jpeg"),
    (ImageFormat::Gif, "GIF", "image/gif"),
    (ImageFormat::WebP, "WEBP", "image/webp"),
];
/// Rules of which the cost is told: one for each provider.
const RULES: &[&str] = &["claude", "openai_tiles_85_170", "gemini_tiles"];

/// What a picture is; within limits with the picture to attach.
///
/// # Errors
/// Where it is none.
pub fn convert(input: &Input<'_>, out: &mut Out<'_>) -> Result<(), Failure> {
    let stored = input.bytes.len();
    let reader = ImageReader::new(BufReader::new(input.seekable()?)).with_guessed_format()?;
    let known = reader.format().and_then(|format| SUPPORTED.iter().find(|(known, ..)| *known == format));
    let Some((format, name, mime)) = known else {
        out.fact("bytes", stored);
        out.note("only its size is told: PNG, JPEG, GIF and WEBP are the pictures that can be attached");
        return Ok(());
    };
    let (width, height) = reader.into_dimensions().map_err(|why| Failure::Damaged(why.to_string()))?;
    out.fact("kind", name);
    out.fact("pixels", format!("{width}x{height}"));
    out.fact("bytes", stored);
    let mut lines = vec![format!("{name} picture, {width}x{height} pixels, {stored} bytes")];
    for rule in RULES {
        if let Some((name, _, rule)) = IMAGE_RULES.iter().find(|(known, ..)| known == rule) {
            lines.push(format!("{} tokens by the rule {name}", rule.tokens((width, height))));
        }
    }
    out.block(&lines.join("  \n"))?;
    match input.limits {
        Some(limits) => attach(input, *format, mime, (width, height), limits, out),
        None => Ok(()),
    }
}

/// Hands on the picture, shrunk where it is over a limit.
fn attach(
    input: &Input<'_>,
    format: ImageFormat,
    mime: &str,
    (width, height): (u32, u32),
    limits: &Limits,
    out: &mut Out<'_>,
) -> Result<(), Failure> {
    let stored = input.bytes.len();
    let side = width.max(height);
    let over_side = limits.image_side > 0 && side > limits.image_side;
    if stored <= limits.image_bytes && !over_side {
        // What cannot be decoded is not attached.
        decode(input, format)?;
        let data = input.whole(limits.image_bytes.max(stored))?;
        return Ok(out.pass(Piece::Attachment(Attachment { mime: mime.to_owned(), data }))?);
    }
    let original = decode(input, format)?;
    let mut scale = if over_side { f64::from(limits.image_side) / f64::from(side) } else { 1.0 };
    if stored > limits.image_bytes && !over_side {
        scale = (limits.image_bytes as f64 / stored as f64).sqrt();
    }
    for _ in 0..TRIES {
        let to = |length: u32| (f64::from(length) * scale).floor().max(1.0) as u32;
        let shrunk = shrink(&original, to(width), to(height))?;
        let data = encode(&shrunk, format).map_err(|why| Failure::Damaged(why.to_string()))?;
        if data.len() as u64 <= limits.image_bytes {
            let (new_width, new_height) = (shrunk.width(), shrunk.height());
            let words = format!("{new_width}x{new_height} (resized from {width}x{height})");
            out.pass(Piece::Shown(Shown::Words(words)))?;
            return Ok(out.pass(Piece::Attachment(Attachment { mime: mime.to_owned(), data }))?);
        }
        scale *= (limits.image_bytes as f64 / data.len() as f64).sqrt().min(0.98);
    }
    out.note(format!("it could not be shrunk to {} bytes", limits.image_bytes));
    Ok(())
}

fn decode(input: &Input<'_>, format: ImageFormat) -> Result<DynamicImage, Failure> {
    decode_from(BufReader::new(input.seekable()?), format)
}

fn decode_from(from: impl BufRead + Seek, format: ImageFormat) -> Result<DynamicImage, Failure> {
    let mut reader = ImageReader::with_format(from, format);
    let mut limits = image::Limits::default();
    limits.max_alloc = Some(PIXELS_MAX);
    reader.limits(limits);
    reader.decode().map_err(|why| Failure::Damaged(format!("the picture cannot be decoded: {why}")))
}

/// The picture in another size, by Lanczos. One kind of pixel for all: each kind is machine code of its own.
fn shrink(original: &DynamicImage, width: u32, height: u32) -> Result<DynamicImage, Failure> {
    let failed = |why: &dyn std::fmt::Display| Failure::Damaged(format!("the picture cannot be shrunk: {why}"));
    let alpha = original.color().has_alpha();
    let options = ResizeOptions::new().resize_alg(ResizeAlg::Convolution(FilterType::Lanczos3)).use_alpha(alpha);
    let pixels = original.to_rgba8();
    let from = TypedImageRef::<U8x4>::from_buffer(pixels.width(), pixels.height(), pixels.as_raw())
        .map_err(|why| failed(&why))?;
    let mut small = image::RgbaImage::new(width, height);
    let mut to = TypedImage::<U8x4>::from_buffer(width, height, &mut small).map_err(|why| failed(&why))?;
    Resizer::new().resize_typed(&from, &mut to, &options).map_err(|why| failed(&why))?;
    drop(to);
    let small = DynamicImage::ImageRgba8(small);
    Ok(if alpha { small } else { DynamicImage::ImageRgb8(small.to_rgb8()) })
}

fn encode(picture: &DynamicImage, format: ImageFormat) -> image::ImageResult<Vec<u8>> {
    let mut data = Cursor::new(Vec::new());
    match format {
        ImageFormat::Jpeg => {
            let encoder = JpegEncoder::new_with_quality(&mut data, QUALITY);
            DynamicImage::ImageRgb8(picture.to_rgb8()).write_with_encoder(encoder)?;
        }
        ImageFormat::Gif => GifEncoder::new(&mut data).encode_frame(image::Frame::new(picture.to_rgba8()))?,
        other => picture.write_to(&mut data, other)?,
    }
    Ok(data.into_inner())
}
