//! What pictures, documents and sound cost.

use base64::Engine;
use base64::engine::general_purpose::STANDARD_NO_PAD;

use crate::content::{ContentError, Sources};
use crate::model::{Coding, Media};

use super::images::USUAL_PIXELS;
use super::pixels::pixels;
use super::{Count, ImageRule};

/// Tokens of a page of a PDF: text and a picture of the page (Anthropic, "PDF support": 1,500 to 3,000 for the text,
/// and the picture; the middle of what is common).
const PAGE: u64 = 2_500;
/// Bytes of a second of sound at 128 kbit/s.
const SOUND_BYTES: u64 = 16_000;
/// Tokens of a second of sound (OpenAI, "Realtime costs": one for 100 ms of a user's sound).
const SOUND_TOKENS: u64 = 10;
/// Stored bytes of a document that are looked at for its pages.
const DOCUMENT_MOST: u64 = 32 << 20;

/// Tokens of what is not text: a picture by the rule from its pixels, a PDF by its pages, sound by its length. Only a
/// picture whose size is known counts as exact.
///
/// # Errors
/// Where its bytes cannot be read.
pub(super) fn media_tokens(sources: &Sources, media: &Media, rule: ImageRule) -> Result<Count, ContentError> {
    if is_document(media) {
        let pages = if media.span.coding == Coding::Base64 { pages(sources, media)? } else { 1 };
        return Ok(Count { tokens: pages.saturating_mul(PAGE), exact: false });
    }
    if is_sound(media) {
        return Ok(estimate_media(media, rule));
    }
    let found = pixels(sources, media)?;
    Ok(Count { tokens: picture(media, rule, found), exact: found.is_some() && rule.is_published() })
}

/// Tokens of what is not text, without reading it.
pub(super) fn estimate_media(media: &Media, rule: ImageRule) -> Count {
    if is_document(media) {
        return Count { tokens: PAGE, exact: false };
    }
    if is_sound(media) {
        let bytes = if media.span.coding == Coding::Base64 { media.span.len() / 4 * 3 } else { 0 };
        return Count { tokens: (bytes / SOUND_BYTES).saturating_mul(SOUND_TOKENS), exact: false };
    }
    Count { tokens: picture(media, rule, media.pixels), exact: media.pixels.is_some() && rule.is_published() }
}

fn picture(media: &Media, rule: ImageRule, pixels: Option<(u32, u32)>) -> u64 {
    let pixels = pixels.unwrap_or(USUAL_PIXELS);
    if media.is_low { rule.low(pixels) } else { rule.tokens(pixels) }
}

fn is_document(media: &Media) -> bool {
    media.mime.starts_with("application/")
}

fn is_sound(media: &Media) -> bool {
    media.mime.starts_with("audio/")
}

/// Pages of a PDF: the largest `/Count` of its page tree, else its page objects in clear, else one.
fn pages(sources: &Sources, media: &Media) -> Result<u64, ContentError> {
    let end = media.span.end.min(media.span.start.saturating_add(DOCUMENT_MOST));
    let mut stored = sources.read(media.span.source, media.span.start, end)?;
    stored.retain(|sign| sign.is_ascii_alphanumeric() || matches!(sign, b'+' | b'/'));
    let whole = stored.len() / 4 * 4;
    stored.truncate(if stored.len() % 4 == 1 { whole } else { stored.len() });
    let data = STANDARD_NO_PAD.decode(&stored).unwrap_or_default();
    let after = |mark: &[u8]| memchr::memmem::find_iter(&data, mark).map(|at| at + mark.len()).collect::<Vec<_>>();
    let counts = after(b"/Count ").into_iter().filter_map(|at| {
        let digits: Vec<u8> = data.get(at..)?.iter().copied().take(6).take_while(u8::is_ascii_digit).collect();
        std::str::from_utf8(&digits).ok()?.parse::<u64>().ok()
    });
    let single = after(b"/Type /Page").into_iter().chain(after(b"/Type/Page"));
    let single = single.filter(|at| data.get(*at) != Some(&b's')).count() as u64;
    // An outline has a count too; no page takes less than 100 bytes.
    let most = (data.len() as u64 / 100).max(1);
    Ok(counts.max().unwrap_or(0).min(most).max(single).max(1))
}
