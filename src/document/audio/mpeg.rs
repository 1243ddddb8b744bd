//! The beginning of MPEG sound (MP3, and the two layers before it), cut between frames, each of which tells how many
//! samples it holds.

use std::collections::BTreeSet;

use super::cut::{Beginning, behind_id3};

/// Bytes of tags before the sound that are taken along.
const TAGS_MAX: usize = 64 << 10;
/// Entries of the table that says at which bytes the hundredths of a sound begin.
const TABLE: usize = 100;

/// Thousands of bits a second by the four bits that tell them: for each layer of the first version, then of the others.
const RATES: [[u16; 14]; 5] = [
    [32, 64, 96, 128, 160, 192, 224, 256, 288, 320, 352, 384, 416, 448],
    [32, 48, 56, 64, 80, 96, 112, 128, 160, 192, 224, 256, 320, 384],
    [32, 40, 48, 56, 64, 80, 96, 112, 128, 160, 192, 224, 256, 320],
    [32, 48, 56, 64, 80, 96, 112, 128, 144, 160, 176, 192, 224, 256],
    [8, 16, 24, 32, 40, 48, 56, 64, 80, 96, 112, 128, 144, 160],
];

/// A frame: its bytes, its samples, how many of them are a second, and where what tells of the whole may stand in it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Frame {
    size: usize,
    samples: u64,
    rate: u32,
    side: usize,
}

impl Frame {
    /// The frame that begins at a byte; `None` where none does, or one that does not tell its size.
    fn of(whole: &[u8], at: usize) -> Option<Frame> {
        let [0xFF, second, third, fourth] = *whole.get(at..at.checked_add(4)?)? else { return None };
        let (version, layer) = (second >> 3 & 3, 4 - usize::from(second >> 1 & 3));
        if second & 0xE0 != 0xE0 || version == 1 || layer == 4 {
            return None;
        }
        let (first, slots) = (version == 3, usize::from(third >> 1 & 1));
        let rates = RATES.get(if first { layer - 1 } else { 3 + usize::from(layer > 1) })?;
        let bits = 1000 * u32::from(*rates.get(usize::from(third >> 4).checked_sub(1)?)?);
        let halved = [2, 0, 1, 0][usize::from(version)];
        let rate = [44_100u32, 48_000, 32_000].get(usize::from(third >> 2 & 3))? >> halved;
        let (samples, slot) = match layer {
            1 => (384, 4),
            3 if !first => (576, 1),
            _ => (1152, 1),
        };
        let size = (usize::try_from(samples * bits / 8 / rate).ok()? / slot + slots) * slot;
        let mono = fourth >> 6 == 3;
        let side = match (first, mono) {
            (true, false) => 32,
            (true, true) | (false, false) => 17,
            (false, true) => 9,
        };
        (size > 4).then_some(Frame { size, samples: u64::from(samples), rate, side: 4 + side })
    }

    /// The frame that begins at a byte and is followed by another, or by the end.
    fn followed(whole: &[u8], at: usize) -> Option<Frame> {
        let frame = Frame::of(whole, at)?;
        let next = at + frame.size;
        (next >= whole.len() || Frame::of(whole, next).is_some_and(|next| next.rate == frame.rate)).then_some(frame)
    }
}

/// The layer, 1 to 3, of the first frame in the beginning of a sound.
pub fn layer(beginning: &[u8]) -> Option<u8> {
    let at = memchr::memchr_iter(0xFF, beginning).find(|at| Frame::followed(beginning, *at).is_some())?;
    Some(4 - (beginning.get(at + 1)? >> 1 & 3))
}

/// Where a sound ends by what its first frame tells, given its beginning: one past its last whole frame but one, as some
/// who write it do not count that frame itself. `None` where it does not tell.
pub fn told_end(beginning: &[u8]) -> Option<u64> {
    let begins = memchr::memchr_iter(0xFF, beginning).find(|at| Frame::followed(beginning, *at).is_some())?;
    let frame = Frame::of(beginning, begins)?;
    let head = beginning.get(begins..begins + frame.size)?;
    let flags = matches!(Head::of(head, frame.side)?, Head::Xing).then(|| head.get(frame.side + 7))??;
    let bytes = head.get(frame.side + if flags & 1 != 0 { 12 } else { 8 }..)?.first_chunk()?;
    let told = u64::from(u32::from_be_bytes(*bytes)).checked_sub(frame.size as u64).filter(|_| flags & 2 != 0)?;
    Some(begins as u64 + told)
}

/// The frames of an MPEG sound that begin it, at most so many bytes and seconds, behind its tags where they are not long.
/// What tells of the whole tells of the beginning then.
pub fn mpeg(whole: &[u8], room: usize, seconds: f64) -> Option<Beginning> {
    let tags = behind_id3(whole);
    let sound = whole.get(tags..)?;
    let tags = whole.get(..tags).filter(|tags| tags.len() <= TAGS_MAX.min(room / 2)).unwrap_or_default();
    let begins = memchr::memchr_iter(0xFF, sound).find(|at| Frame::followed(sound, *at).is_some())?;
    let first = Frame::of(sound, begins)?;
    let head = Head::of(sound.get(begins..)?.get(..first.size)?, first.side);
    let mut data = tags.to_vec();
    let heads = data.len();
    let mut at = begins;
    if head.is_some() {
        at += first.size;
        if let Some(Head::Xing) = head {
            data.extend(sound.get(begins..at)?);
        }
    }
    // `ends`: where each frame ends, in the bytes that are kept behind the tags.
    let (mut samples, mut ends, from) = (0u64, Vec::new(), data.len());
    let start = at;
    frames(sound, start, first.rate, |at, frame| {
        let end = at + frame.size;
        let lasts = (samples + frame.samples) as f64 / f64::from(first.rate);
        if from + (end - start) > room || lasts > seconds {
            return false;
        }
        samples += frame.samples;
        ends.push(from - heads + (end - start));
        true
    });
    let kept = ends.last()? - (from - heads);
    data.extend(sound.get(start..start + kept)?);
    if let Some(Head::Xing) = head {
        let (bytes, mark) = (data.len() - heads, heads + first.side);
        write_xing(data.get_mut(mark..mark + 4 + 4 + 4 + 4 + TABLE)?, &ends, bytes);
    }
    Some((data, samples as f64 / f64::from(first.rate)))
}

/// Whether the first frame in the beginning of a sound tells how many follow.
pub fn tells_all(beginning: &[u8]) -> bool {
    let found = memchr::memchr_iter(0xFF, beginning).find_map(|at| Some((at, Frame::followed(beginning, at)?)));
    let head = found.and_then(|(at, frame)| Head::of(beginning.get(at..at + frame.size)?, frame.side));
    head.is_some()
}

/// The four bits that tell the bits a second, of all frames in a part of a sound.
pub fn bit_rates(part: &[u8]) -> BTreeSet<u8> {
    let mut rates = BTreeSet::new();
    let begins = memchr::memchr_iter(0xFF, part).find_map(|at| Some((at, Frame::followed(part, at)?)));
    if let Some((at, first)) = begins {
        frames(part, at, first.rate, |at, _| {
            rates.extend(part.get(at + 2).map(|third| third >> 4));
            true
        });
    }
    rates
}

/// Whether a sound ends within a frame, by its last part: what follows frames that follow each other is the beginning of
/// one.
pub fn ends_in_frame(part: &[u8]) -> bool {
    let follows = |at: usize| Frame::followed(part, at).map(|frame| (at + frame.size, frame));
    let is_begun = |at: &usize| follows(*at).is_some_and(|(next, _)| follows(next).is_some());
    let Some(mut at) = memchr::memchr_iter(0xFF, part).find(is_begun) else { return false };
    let rate = Frame::of(part, at).map(|frame| frame.rate);
    while let Some(frame) = Frame::of(part, at).filter(|frame| Some(frame.rate) == rate) {
        at += frame.size;
    }
    at > part.len()
}

/// How long an MPEG sound lasts, by all its frames: where sounds were joined, the first tells of itself alone.
pub fn seconds(whole: &[u8]) -> Option<f64> {
    let sound = whole.get(behind_id3(whole)..)?;
    let begins = memchr::memchr_iter(0xFF, sound).find(|at| Frame::followed(sound, *at).is_some())?;
    let first = Frame::of(sound, begins)?;
    let mut samples = 0u64;
    frames(sound, begins, first.rate, |at, frame| {
        let is_head = sound.get(at..at + frame.size).is_some_and(|bytes| Head::of(bytes, frame.side).is_some());
        samples += if is_head { 0 } else { frame.samples };
        true
    });
    Some(samples as f64 / f64::from(first.rate))
}

/// Goes through the frames that are whole, from a byte on, as long as they are taken; what lies between some is passed.
fn frames(sound: &[u8], mut at: usize, rate: u32, mut take: impl FnMut(usize, Frame) -> bool) {
    while let Some(rest) = sound.get(at..) {
        if let Some(frame) = Frame::of(sound, at).filter(|frame| frame.rate == rate) {
            if at + frame.size > sound.len() || !take(at, frame) {
                break;
            }
            at += frame.size;
        } else {
            let next = memchr::memchr_iter(0xFF, rest).find(|more| Frame::followed(rest, *more).is_some());
            let Some(next) = next else { break };
            at += next.max(1);
        }
    }
}

/// A frame without sound that tells how many follow.
enum Head {
    /// Its numbers can be written anew.
    Xing,
    /// They stand in another way.
    Other,
}

impl Head {
    fn of(frame: &[u8], side: usize) -> Option<Head> {
        match (frame.get(side..side + 4), frame.get(36..40)) {
            (Some(b"Xing" | b"Info"), _) if frame.len() >= side + 16 + TABLE => Some(Head::Xing),
            (Some(b"Xing" | b"Info"), _) | (_, Some(b"VBRI")) => Some(Head::Other),
            _ => None,
        }
    }
}

/// Writes how many frames and bytes there are, and where their hundredths begin, as far as those stood there before.
fn write_xing(head: &mut [u8], ends: &[usize], bytes: usize) {
    let flags = head[7];
    let number = |number: usize| u32::try_from(number).unwrap_or(u32::MAX).to_be_bytes();
    let mut at = 8;
    for (flag, told) in [(1, ends.len()), (2, bytes)] {
        if flags & flag != 0 {
            head[at..at + 4].copy_from_slice(&number(told));
            at += 4;
        }
    }
    if flags & 4 != 0 {
        for (part, entry) in head[at..].iter_mut().take(TABLE).enumerate() {
            let before = (part * ends.len() / TABLE).checked_sub(1).map_or(0, |frame| ends[frame]);
            *entry = u8::try_from(before * 256 / bytes.max(1)).unwrap_or(u8::MAX);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::document::Limits;
    use crate::document::testing::converted;

    /// A frame of stereo at 44,100 samples a second, with so many thousands of bits a second.
    fn frame(kilobits: u16, body: &[u8]) -> Vec<u8> {
        let index = RATES[2].iter().position(|rate| *rate == kilobits).unwrap() as u8 + 1;
        let mut frame = vec![0xFF, 0xFB, index << 4, 0];
        frame.extend(body);
        frame.resize(144_000 * usize::from(kilobits) / 44_100, 0);
        frame
    }

    /// Frames of few bits, then of many; with what tells of them before.
    fn varying(few: usize, many: usize) -> Vec<u8> {
        let sound = [frame(32, &[]).repeat(few), frame(320, &[]).repeat(many)].concat();
        let mut head = [&[0; 32][..], b"Xing\0\0\0\x07"].concat();
        head.extend(((few + many) as u32).to_be_bytes());
        head.extend((sound.len() as u32 + 417).to_be_bytes());
        head.extend([9; TABLE]);
        [frame(128, &head), sound].concat()
    }

    #[test]
    fn a_sound_that_ends_before_what_its_first_frame_tells_is_cut_off() {
        let whole = varying(200, 200);
        assert!(converted("a.mp3", &whole, None).notes.is_empty());
        let left = &whole[..whole.len() / 2];
        let limits = Limits { audio_seconds: 8, audio_bytes: 1 << 30, ..Limits::default() };
        for found in [converted("a.mp3", left, None), converted("a.mp3", left, Some(&limits))] {
            let notes: Vec<&str> = found.notes.iter().map(|note| note.message.as_str()).collect();
            assert!(
                notes[0].starts_with(&format!("the file is cut off: {} bytes are left of ", left.len())),
                "{notes:?}"
            );
        }
        // Tags at the end, or a writer that does not count the first frame, make no difference.
        let mut uncounted = whole.clone();
        uncounted[36 + 12..36 + 16].copy_from_slice(&(whole.len() as u32 - 417).to_be_bytes());
        for whole in [[&whole[..], &[b'T'; 128]].concat(), uncounted] {
            assert!(converted("a.mp3", &whole, None).notes.is_empty());
        }
    }

    #[test]
    fn a_sound_that_ends_within_a_frame_may_be_cut_off() {
        let whole = frame(128, &[7; 9]).repeat(200);
        for behind in [&b""[..], &[b'T'; 128], b"APETAGEX of some bytes", &[0; 900]] {
            let whole = [&whole[..], behind].concat();
            assert_eq!(converted("a.mp3", &whole, None).notes, [], "{behind:?}");
        }
        for (left, is_cut) in [(whole.len() / 2 + 100, true), (417 * 100, false), (417 * 100 + 2, false)] {
            let notes = converted("a.mp3", &whole[..left], None).notes;
            assert_eq!(notes.iter().any(|note| note.message.contains("its last frame is not whole")), is_cut, "{left}");
        }
    }

    #[test]
    fn a_sound_of_varying_bits_is_cut_by_what_its_frames_last() {
        let whole = varying(2_000, 2_000);
        let of_frames = |frames: usize| frames as f64 * 1152.0 / 44_100.0;
        for (limits, frames) in [
            (Limits { audio_bytes: 400_000, ..Limits::default() }, 2_000 + (400_000 - 417 - 2_000 * 104) / 1_044),
            (Limits { audio_seconds: 30, audio_bytes: 1 << 30, ..Limits::default() }, (30.0 / of_frames(1)) as usize),
            (Limits { audio_seconds: 60, audio_bytes: 1 << 30, ..Limits::default() }, (60.0 / of_frames(1)) as usize),
        ] {
            let found = converted("a.mp3", &whole, Some(&limits));
            let told = format!("first {:.1} s of {:.1} s", of_frames(frames), of_frames(4_000));
            assert_eq!(crate::document::shown_line(&found.shown), told, "{limits:?}");
            let all = Limits { audio_bytes: 1 << 30, ..Limits::default() };
            let again = converted("a.mp3", &found.attachment.unwrap().data, Some(&all));
            assert!(again.notes.is_empty() && again.shown.is_empty(), "{again:?}");
            assert_eq!(again.fact("duration").unwrap(), format!("{:.3} s", of_frames(frames)));
        }
    }

    #[test]
    fn where_parts_of_a_cut_sound_begin_is_told_anew() {
        let (data, _) = mpeg(&varying(1_000, 1_000), 1 << 30, 1_500.0 * 1152.0 / 44_100.0).unwrap();
        let table = &data[4 + 32 + 16..][..TABLE];
        // Two thirds of its time are the thousand short frames.
        let share = (417 + 1_000 * 104) * 256 / data.len();
        assert!(table.is_sorted() && (i32::from(table[67]) - share as i32).abs() < 4, "{table:?}, {share}");
    }

    #[test]
    fn frames_of_every_kind_tell_their_size() {
        let size = |head: [u8; 4]| Frame::of(&head, 0).map(|frame| (frame.size, frame.samples, frame.rate));
        assert_eq!(size([0xFF, 0xFB, 0x92, 0]), Some((418, 1152, 44_100)));
        assert_eq!(size([0xFF, 0xF3, 0x84, 0xC0]), Some((192, 576, 24_000)));
        assert_eq!(size([0xFF, 0xE3, 0x88, 0xC0]), Some((576, 576, 8_000)));
        assert_eq!(size([0xFF, 0xFD, 0xA4, 0]), Some((576, 1152, 48_000)));
        assert_eq!(size([0xFF, 0xFF, 0xC2, 0]), Some((420, 384, 44_100)));
        // A size that is not told, and bits that mean nothing.
        for head in [[0xFF, 0xFB, 0x02, 0], [0xFF, 0xFB, 0xF2, 0], [0xFF, 0xEB, 0x92, 0], [0xFF, 0xFB, 0x9E, 0]] {
            assert_eq!(size(head), None, "{head:?}");
        }
    }

    #[test]
    fn sounds_that_were_joined_last_as_long_as_all_of_them() {
        let tags = [&b"ID3\x03\0\0\0\0\x07\x68"[..], &[0; 1_000]].concat();
        let parts = [varying(300, 100), tags, varying(0, 500), varying(50, 50)].concat();
        let all = 1_000.0 * 1152.0 / 44_100.0;
        let limits = Limits { audio_bytes: 700_000, ..Limits::default() };
        let found = converted("a.mp3", &parts, Some(&limits));
        assert_eq!(found.fact("duration").unwrap(), format!("{all:.3} s"), "{found:?}");
        let shown = crate::document::shown_line(&found.shown);
        let (first, told) = shown.strip_prefix("first ").and_then(|rest| rest.split_once(" s of ")).unwrap();
        assert!(told == format!("{all:.1} s") && first.parse::<f64>().unwrap() < all, "{shown}");
    }

    #[test]
    fn a_sound_of_varying_bits_that_tells_nothing_of_the_whole_lasts_as_long_as_its_frames() {
        let whole = varying(3_000, 1_000);
        let found = converted("a.mp3", &whole[417..], None);
        assert_eq!(found.fact("duration").unwrap(), format!("{:.3} s", 4_000.0 * 1152.0 / 44_100.0), "{found:?}");
        assert!(tells_all(&whole) && !tells_all(&whole[417..]));
        assert_eq!(bit_rates(&whole[417..]).len(), 2);
    }

    #[test]
    fn what_lies_between_frames_ends_no_sound() {
        let whole = [varying(200, 0), vec![0xFF; 50], varying(0, 100)].concat();
        let (_, lasts) = mpeg(&whole, 1 << 30, 1e9).unwrap();
        // The second head is a frame as the others are here.
        assert!((lasts - 301.0 * 1152.0 / 44_100.0).abs() < 1e-6, "{lasts}");
        assert!(mpeg(b"\xFF\xFB\x92", 9, 9.0).is_none() && mpeg(&[0xFF; 500], 9, 9.0).is_none());
    }
}
