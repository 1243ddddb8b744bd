//! The beginning of a sound as a file of its own, cut where its format lets it be: AIFF and WAV between samples, AAC and
//! FLAC between frames, Ogg between pages. What a file says of its own sizes is not believed.

use memchr::memchr_iter;

/// Bytes of a FLAC file's tags that are taken along.
const TAGS_MAX: usize = 64 << 10;

/// A beginning, and how many seconds it lasts.
pub type Beginning = (Vec<u8>, f64);

fn word<const N: usize>(bytes: &[u8], at: usize) -> Option<[u8; N]> {
    bytes.get(at..at.checked_add(N)?)?.try_into().ok()
}

/// The beginning of a WAV file, about so many bytes: its format, and whole frames.
pub fn wav(whole: &[u8], room: usize) -> Option<Vec<u8>> {
    let mut at = 12;
    let mut format: Option<&[u8]> = None;
    while let Some(head) = whole.get(at..at + 8) {
        let size = usize::try_from(u32::from_le_bytes([head[4], head[5], head[6], head[7]])).ok()?;
        let body = whole.get(at + 8..)?;
        let body = body.get(..size.min(body.len()))?;
        match &head[..4] {
            b"fmt " => format = Some(body),
            b"data" => {
                let format = format?;
                let frame = usize::from(u16::from_le_bytes([*format.get(12)?, *format.get(13)?])).max(1);
                let kept = room.saturating_sub(20 + 8 + format.len()).min(body.len()) / frame * frame;
                return Some(written_wav(format, body.get(..kept)?));
            }
            _ => {}
        }
        at = at.checked_add(8)?.checked_add(size)?.checked_add(size % 2)?;
    }
    None
}

/// A WAV file of a format and whole frames.
pub fn written_wav(format: &[u8], data: &[u8]) -> Vec<u8> {
    let length = |bytes: usize| u32::try_from(bytes).unwrap_or(u32::MAX).to_le_bytes();
    let mut file = b"RIFF".to_vec();
    file.extend(length(4 + 8 + format.len() + 8 + data.len()));
    file.extend(b"WAVEfmt ");
    file.extend(length(format.len()));
    file.extend(format);
    file.extend(b"data");
    file.extend(length(data.len()));
    file.extend(data);
    file
}

/// The frames of an AAC stream (ADTS) that begin it, at most so many bytes and seconds.
pub fn aac(whole: &[u8], room: usize, seconds: f64) -> Option<Beginning> {
    let begins = behind_id3(whole);
    let rate = aac_rate(&word(whole, begins)?)?;
    let (mut at, mut samples) = (begins, 0u64);
    while let Some((size, more)) = word(whole, at).as_ref().and_then(aac_frame) {
        let end = at.saturating_add(size);
        if end > whole.len() || end - begins > room || (samples + more) as f64 / rate > seconds {
            break;
        }
        (at, samples) = (end, samples + more);
    }
    (samples > 0).then(|| (whole[begins..at].to_vec(), samples as f64 / rate))
}

/// The head of an AAC frame.
pub type AacHead = [u8; 7];

/// The bytes and the samples of an AAC frame, by its head; `None` where it is none.
pub fn aac_frame(head: &AacHead) -> Option<(usize, u64)> {
    let size = usize::from(head[3] & 3) << 11 | usize::from(head[4]) << 3 | usize::from(head[5] >> 5);
    let is_one = head[0] == 0xFF && head[1] & 0xF6 == 0xF0 && size >= head.len();
    is_one.then(|| (size, 1024 * (u64::from(head[6] & 3) + 1)))
}

/// Samples a second.
pub fn aac_rate(head: &AacHead) -> Option<f64> {
    let rates = [96e3, 88.2e3, 64e3, 48e3, 44.1e3, 32e3, 24e3, 22.05e3, 16e3, 12e3, 11.025e3, 8e3, 7.35e3];
    rates.get(usize::from(head[2] >> 2 & 0x0F)).copied()
}

/// Where a file begins behind the tags that may stand before it.
pub fn behind_id3(head: &[u8]) -> usize {
    match head.get(..10) {
        Some([b'I', b'D', b'3', _, _, _, size @ ..]) => {
            10 + size.iter().fold(0, |sum, byte| sum << 7 | usize::from(byte & 0x7F))
        }
        _ => 0,
    }
}

/// The beginning of an AIFF file, about so many bytes: whole frames of samples that all take as many bytes. Nothing of
/// one that is packed in another way.
pub fn aiff(whole: &[u8], room: usize) -> Option<Vec<u8>> {
    let kind: [u8; 4] = word(whole, 8).filter(|kind| [b"AIFF", b"AIFC"].contains(&kind))?;
    let (mut common, mut sound): (Option<&[u8]>, Option<&[u8]>) = (None, None);
    let mut at = 12usize;
    while common.is_none() || sound.is_none() {
        let (name, size): ([u8; 4], [u8; 4]) = (word(whole, at)?, word(whole, at + 4)?);
        let size = usize::try_from(u32::from_be_bytes(size)).ok()?;
        let body = whole.get(at + 8..)?;
        let body = body.get(..size.min(body.len()))?;
        match &name {
            b"COMM" => common = Some(body),
            b"SSND" => sound = Some(body),
            _ => {}
        }
        at = at.checked_add(8)?.checked_add(size)?.checked_add(size % 2)?;
    }
    let (common, sound) = (common?, sound?);
    let channels = usize::from(u16::from_be_bytes(word(common, 0)?));
    let bits = usize::from(u16::from_be_bytes(word(common, 6)?));
    let sample = match (&kind, word::<4>(common, 18).as_ref()) {
        (b"AIFF", _) | (_, Some(b"NONE" | b"twos" | b"sowt" | b"raw ")) => bits.div_ceil(8),
        (_, Some(b"alaw" | b"ulaw" | b"ALAW" | b"ULAW")) => 1,
        (_, Some(b"in24")) => 3,
        (_, Some(b"in32" | b"fl32" | b"FL32")) => 4,
        (_, Some(b"fl64" | b"FL64")) => 8,
        _ => return None,
    };
    let frame = channels.checked_mul(sample).filter(|frame| *frame > 0)?;
    let begins = usize::try_from(u32::from_be_bytes(word(sound, 0)?)).ok()?.checked_add(8)?;
    let samples = sound.get(begins..)?;
    let heads = 12 + 12 + 8 + common.len() + 1 + 16;
    let frames = room.saturating_sub(heads).min(samples.len()) / frame;
    let samples = samples.get(..frames * frame).filter(|samples| !samples.is_empty())?;
    let length = |bytes: usize| u32::try_from(bytes).unwrap_or(u32::MAX).to_be_bytes();
    let mut body = kind.to_vec();
    let mut chunk = |name: &[u8; 4], parts: &[&[u8]]| {
        let size: usize = parts.iter().map(|part| part.len()).sum();
        body.extend(name);
        body.extend(length(size));
        parts.iter().for_each(|part| body.extend(*part));
        body.extend([0].iter().take(size % 2));
    };
    if kind == *b"AIFC" {
        // The version of the format, of which there is one.
        chunk(b"FVER", &[&0xA280_5140u32.to_be_bytes()]);
    }
    chunk(b"COMM", &[common.get(..2)?, &length(frames), common.get(6..)?]);
    chunk(b"SSND", &[&[0; 8], samples]);
    Some([&b"FORM"[..], &length(body.len()), &body].concat())
}

/// The pages of an Ogg file that begin it, at most so many bytes and seconds; the last of them is marked so. Of files
/// that hold several streams at once, nothing.
pub fn ogg(whole: &[u8], room: usize, seconds: f64) -> Option<Beginning> {
    let first = page(whole, 0)?;
    let (rate, skipped) = clock(whole.get(first.body..first.end)?)?;
    let lasts = |granule: u64| granule.saturating_sub(skipped) as f64 / rate;
    let (mut at, mut last) = (0, None);
    while let Some(next) = page(whole, at).filter(|next| next.end <= room && next.serial == first.serial) {
        at = next.end;
        match next.granule {
            // On this page no packet ends.
            u64::MAX => {}
            granule if lasts(granule) > seconds => break,
            // What only tells of the sound lasts no time.
            0 => {}
            granule => last = Some((next, granule)),
        }
    }
    let (last, granule) = last?;
    let mut data = whole.get(..last.start)?.to_vec();
    // What goes on upon the next page is left out.
    let sizes = whole.get(last.start + HEAD..last.body)?;
    let parts = sizes.iter().rposition(|size| *size < 255)? + 1;
    let bytes: usize = sizes.get(..parts)?.iter().map(|size| usize::from(*size)).sum();
    let mut end = whole.get(last.start..last.start + HEAD)?.to_vec();
    end[5] |= 4;
    end[22..26].fill(0);
    end[26] = u8::try_from(parts).ok()?;
    end.extend(sizes.get(..parts)?);
    end.extend(whole.get(last.body..last.body.checked_add(bytes)?)?);
    let sum = crc(0, &end, 32, 0x04C1_1DB7).to_le_bytes();
    end[22..26].copy_from_slice(&sum);
    data.extend(end);
    Some((data, lasts(granule)))
}

/// Bytes of an Ogg page before the sizes of its parts.
const HEAD: usize = 27;

/// A page of an Ogg file: where it starts, where its body does, where it ends.
#[derive(Clone, Copy)]
struct Page {
    start: usize,
    body: usize,
    end: usize,
    granule: u64,
    serial: [u8; 4],
}

fn page(whole: &[u8], start: usize) -> Option<Page> {
    let head = whole.get(start..start.checked_add(HEAD)?).filter(|head| head.starts_with(b"OggS\0"))?;
    let body = start + HEAD + usize::from(head[26]);
    let sizes = whole.get(start + HEAD..body)?;
    let end = body + sizes.iter().map(|size| usize::from(*size)).sum::<usize>();
    let (granule, serial) = (u64::from_le_bytes(word(head, 6)?), word(head, 14)?);
    (end <= whole.len()).then_some(Page { start, body, end, granule, serial })
}

/// What an Ogg stream counts a second, by its first packet, and what of it is passed over at the beginning.
fn clock(packet: &[u8]) -> Option<(f64, u64)> {
    let rate = |at: usize| word(packet, at).map(u32::from_le_bytes).filter(|rate| *rate > 0).map(f64::from);
    match packet {
        [1, b'v', b'o', b'r', b'b', b'i', b's', ..] => Some((rate(12)?, 0)),
        _ if packet.starts_with(b"OpusHead") => Some((48_000.0, u64::from(u16::from_le_bytes(word(packet, 10)?)))),
        _ if packet.starts_with(b"Speex   ") => Some((rate(36)?, 0)),
        _ => None,
    }
}

/// The frames of a FLAC file that begin it, at most so many bytes and seconds, behind its tags. What they are is told
/// anew; of the sum of all samples, nothing.
pub fn flac(whole: &[u8], room: usize, seconds: f64) -> Option<Beginning> {
    let start = behind_id3(whole);
    let mut at = start.checked_add(4).filter(|end| whole.get(start..*end) == Some(b"fLaC"))?;
    let (mut about, mut tags): (Option<[u8; 34]>, Option<&[u8]>) = (None, None);
    loop {
        let [kind, size @ ..] = word::<4>(whole, at)?;
        let size = size.iter().fold(0, |sum, byte| sum << 8 | usize::from(*byte));
        let body = whole.get(at + 4..at + 4 + size)?;
        match kind & 0x7F {
            0 => about = about.or(word(body, 0)),
            4 if size <= TAGS_MAX => tags = Some(body),
            _ => {}
        }
        at += 4 + size;
        if kind & 0x80 != 0 {
            break;
        }
    }
    let mut about = about?;
    let rate = u32::from_be_bytes([0, about[10], about[11], about[12]]) >> 4;
    let sounds = |samples: u64| samples as f64 / f64::from(rate.max(1));
    let heads = 4 + 4 + about.len() + tags.map_or(0, |tags| 4 + tags.len());
    let most = whole.len().min(at.saturating_add(room.saturating_sub(heads)));
    let first = Frame::of(whole, at)?;
    let (begins, mut frame) = (at, first);
    // The sum of what was begun, as far as it was looked at.
    let mut summed = (at, 0);
    let (mut samples, mut end) = (0u64, at);
    // Where a frame ends is only known by the next one, and by the sum that it ends with.
    for next in memchr_iter(0xFF, whole.get(..most)?.get(at..)?).map(|found| at + found).skip(1) {
        let Some(found) = Frame::of(whole, next).filter(|found| found.follows(&frame)) else { continue };
        let (from, sum) = summed;
        let Some((body, told)) = whole.get(from..next).and_then(|frame| frame.split_last_chunk::<2>()) else {
            continue;
        };
        summed = (next - 2, crc(sum, body, 16, 0x8005));
        if summed.1 != u32::from(u16::from_be_bytes(*told)) {
            continue;
        }
        if sounds(samples + frame.samples) > seconds {
            break;
        }
        samples += frame.samples;
        (frame, end, summed) = (found, next, (next, 0));
    }
    if samples == 0 || rate == 0 {
        return None;
    }
    // Of 36 bits the first four stand with what is told before them.
    let total = samples.to_be_bytes();
    about[13] = (about[13] & 0xF0) | (total[3] & 0x0F);
    about[14..18].copy_from_slice(&total[4..]);
    about[18..].fill(0);
    let mut data = b"fLaC".to_vec();
    data.extend([if tags.is_some() { 0 } else { 0x80 }, 0, 0, 34]);
    data.extend(about);
    if let Some(tags) = tags {
        let size = u32::try_from(tags.len()).ok()?.to_be_bytes();
        data.extend([0x84, size[1], size[2], size[3]]);
        data.extend(tags);
    }
    data.extend(whole.get(begins..end)?);
    Some((data, sounds(samples)))
}

/// The head of a FLAC frame.
#[derive(Clone, Copy)]
pub struct Frame {
    /// Whether frames differ in size: then they are numbered by their samples.
    pub varies: bool,
    /// Its number, or the number of its first sample.
    pub number: u64,
    /// Its samples.
    pub samples: u64,
}

impl Frame {
    /// The frame that begins at a byte; `None` where none does.
    pub fn of(whole: &[u8], at: usize) -> Option<Frame> {
        let head = whole.get(at..at.saturating_add(16).min(whole.len()))?;
        let [0xFF, strategy @ (0xF8 | 0xF9), sizes, channels, first, ..] = *head else { return None };
        let (size, rate) = (sizes >> 4, sizes & 0x0F);
        if size == 0 || rate == 15 || channels >> 4 > 10 || channels & 1 != 0 || channels >> 1 & 7 == 3 {
            return None;
        }
        // Written as UTF-8 would be, in up to seven bytes.
        let ones = first.leading_ones() as usize;
        let more = match ones {
            0 => 0,
            2..=7 => ones - 1,
            _ => return None,
        };
        let mut number = u64::from(first & (0x7F_u8.checked_shr(ones as u32).unwrap_or(0)));
        for byte in head.get(5..5 + more)? {
            number = (byte & 0xC0 == 0x80).then_some(number << 6 | u64::from(byte & 0x3F))?;
        }
        let at = 5 + more;
        let (samples, told) = match size {
            1 => (192, 0),
            2..=5 => (576 << (size - 2), 0),
            6 => (u64::from(*head.get(at)?) + 1, 1),
            7 => (u64::from(u16::from_be_bytes(word(head, at)?)) + 1, 2),
            _ => (256 << (size - 8), 0),
        };
        let end = at + told + [1, 2, 2].get(usize::from(rate).wrapping_sub(12)).copied().unwrap_or(0);
        (crc(0, head.get(..end)?, 8, 0x07) == u32::from(*head.get(end)?)).then_some(Frame {
            varies: strategy == 0xF9,
            number,
            samples,
        })
    }

    /// Whether it is the one behind another.
    fn follows(&self, before: &Frame) -> bool {
        let step = if before.varies { before.samples } else { 1 };
        self.varies == before.varies && before.number.checked_add(step) == Some(self.number)
    }
}

/// A sum of so many bits and what stands behind it, by a polynomial, the first bit first.
pub fn crc(sum: u32, bytes: &[u8], bits: u32, polynomial: u32) -> u32 {
    let top = 1 << (bits - 1);
    let all = u32::MAX >> (32 - bits);
    bytes.iter().fold(sum, |sum, byte| {
        (0..8).fold(sum ^ (u32::from(*byte) << (bits - 8)), |sum, _| {
            let next = sum << 1;
            (if sum & top == 0 { next } else { next ^ polynomial }) & all
        })
    })
}

#[cfg(test)]
#[path = "cut_tests.rs"]
mod tests;
