//! Beginnings of sounds, read again.

use super::*;
use crate::document::Limits;
use crate::document::testing::converted;

/// What is attached of a sound within limits, and how many seconds it says that it lasts.
fn attached(name: &str, bytes: &[u8], limits: &Limits) -> (Vec<u8>, f64) {
    let found = converted(name, bytes, Some(limits));
    assert!(found.notes.is_empty(), "{name}: {:?}", found.notes);
    let data = found.attachment.unwrap().data;
    let again = converted(name, &data, Some(&Limits::default()));
    assert!(again.notes.is_empty() && again.shown.is_empty() && again.attachment.is_some(), "{name}: {again:?}");
    let seconds = again.fact("duration").and_then(|told| told.strip_suffix(" s")).unwrap().parse().unwrap();
    (data, seconds)
}

/// Frames of 4,096 samples each, 8,000 a second, each sample as the others.
fn made_flac(frames: u32, varies: bool) -> Vec<u8> {
    let mut about = vec![0x10, 0, 0x10, 0, 0, 0, 0, 0, 0, 0];
    about.extend([0x01, 0xF4, 0x00, 0xF0]);
    about.extend((frames * 4_096).to_be_bytes());
    about.extend([7; 16]);
    let mut file = [&b"fLaC\0\0\0\x22"[..], &about, b"\x04\0\0\x08\0\0\0\0\0\0\0\0", b"\x81\0\0\x04\0\0\0\0"].concat();
    for number in 0..frames {
        let number = if varies { number * 4_096 } else { number };
        let mut frame = vec![0xFF, if varies { 0xF9 } else { 0xF8 }, 0xC4, 0x08];
        match number {
            0..0x80 => frame.push(number as u8),
            0x80..0x800 => frame.extend([0xC0 | (number >> 6) as u8, 0x80 | (number & 63) as u8]),
            _ => {
                frame.extend([0xE0 | (number >> 12) as u8, 0x80 | (number >> 6 & 63) as u8, 0x80 | (number & 63) as u8])
            }
        }
        frame.push(crc(0, &frame, 8, 0x07) as u8);
        // One sample for all, which looks as a frame does.
        frame.extend([0x00, 0xFF, 0xF8]);
        let sum = crc(0, &frame, 16, 0x8005) as u16;
        frame.extend(sum.to_be_bytes());
        file.extend(frame);
    }
    file
}

fn made_page(number: u32, flags: u8, granule: u64, sizes: &[u8], body: &[u8]) -> Vec<u8> {
    let head = [&b"OggS\0"[..], &[flags], &granule.to_le_bytes(), b"abcd", &number.to_le_bytes(), &[0; 4]].concat();
    let mut page = [&head[..], &[sizes.len() as u8], sizes, body].concat();
    let sum = crc(0, &page, 32, 0x04C1_1DB7).to_le_bytes();
    page[22..26].copy_from_slice(&sum);
    page
}

/// Pages of a second each, the last packet of each going on upon the next.
fn made_ogg(pages: u64) -> Vec<u8> {
    let about = b"\x01vorbis\0\0\0\0\x01\x40\x1F\0\0\0\0\0\0\0\x10\0\0\0\0\0\0\xB8\x01";
    let tags = b"\x03vorbis\0\0\0\0\0\0\0\0\x01\x05vorbis";
    let mut file = [made_page(0, 2, 0, &[30], about), made_page(1, 0, 0, &[16, 7], tags)].concat();
    for number in 1..=pages {
        let flags = u8::from(number > 1) | if number == pages { 4 } else { 0 };
        let sizes: &[u8] = if number == pages { &[9, 90] } else { &[9, 90, 255] };
        let body = vec![number as u8; sizes.iter().map(|size| usize::from(*size)).sum()];
        file.extend(made_page(number as u32 + 1, flags, number * 8_000, sizes, &body));
    }
    file
}

fn made_aiff(kind: &[u8; 4], packed: &[u8], samples: u32) -> Vec<u8> {
    // 8,000 as a float of ten bytes.
    let about = [&[0, 2], &samples.to_be_bytes()[..], &[0, 16, 0x40, 0x0B, 0xFA, 0, 0, 0, 0, 0, 0, 0], packed].concat();
    let sound = [&[0; 8][..], &(0..samples * 4).map(|at| (at / 4) as u8).collect::<Vec<u8>>()].concat();
    let length = |bytes: usize| (bytes as u32).to_be_bytes();
    let chunks = [b"SSND", &length(sound.len())[..], &sound, b"COMM", &length(about.len()), &about].concat();
    [b"FORM", &length(chunks.len() + 4)[..], kind, &chunks].concat()
}

/// Frames of 1,024 samples each, 8,000 a second.
fn made_aac(frames: usize) -> Vec<u8> {
    let frame = |at: usize| [&[0xFF, 0xF1, 0x6C, 0x80, 0x0C, 0x9F, 0xFC][..], &[at as u8; 93]].concat();
    (0..frames).flat_map(frame).collect()
}

#[test]
fn a_flac_file_that_was_cut_off_says_how_much_is_left() {
    for (all, varies) in [(300, false), (14, true)] {
        let whole = made_flac(all, varies);
        for tags in [vec![], [&b"TAG"[..], &[0; 125]].concat()] {
            let found = converted("a.flac", &[&whole[..], &tags].concat(), Some(&Limits::default()));
            assert!(found.notes.is_empty(), "{varies}: {:?}", found.notes);
        }
        for part in [whole.len() / 2, whole.len() - 1, made_flac(7, varies).len(), 70, 62] {
            let found = converted("a.flac", &whole[..part], Some(&Limits::default()));
            let left = (0..all).rfind(|frames| made_flac(*frames, varies).len() <= part).unwrap();
            let note = format!("the file is cut off: {:.3} s are left of", f64::from(left) * 0.512);
            assert!(found.notes[0].message.starts_with(&note), "{varies}, {part}: {note} {:?}", found.notes);
            if let Some(attached) = found.attachment {
                assert!(converted("a.flac", &attached.data, Some(&Limits::default())).notes.is_empty());
            }
        }
    }
}

#[test]
fn a_beginning_is_a_sound_within_the_limits() {
    let seconds = |audio_seconds| Limits { audio_seconds, ..Limits::default() };
    let bytes = |audio_bytes| Limits { audio_bytes, ..Limits::default() };
    let files = [
        ("a.flac", made_flac(300, false), 0.512),
        ("a.flac", made_flac(14, true), 0.512),
        ("a.ogg", made_ogg(50), 1.0),
        ("a.aac", made_aac(100), 0.129),
        ("a.aiff", made_aiff(b"AIFF", b"", 80_000), 0.01),
        ("a.aifc", made_aiff(b"AIFC", b"sowt\x01\0", 80_000), 0.01),
    ];
    for (name, file, step) in files {
        let (whole, all) = attached(name, &file, &Limits::default());
        assert!(whole == file && all > 5.0, "{name}");
        let (_, long) = attached(name, &file, &seconds(5));
        assert!((5.0 - step..=5.01).contains(&long), "{name}: {long}");
        let half = file.len() / 2;
        let (data, _) = attached(name, &file, &bytes(half as u64));
        assert!((half.saturating_sub(700)..=half).contains(&data.len()), "{name}: {} of {half}", data.len());
        // Too little for a sound.
        let none = converted(name, &file, Some(&bytes(60)));
        assert!(none.attachment.is_none() && none.notes.len() == 1, "{name}: {none:?}");
    }
}

#[test]
fn the_last_page_kept_is_marked_and_holds_whole_packets() {
    let (data, lasts) = ogg(&made_ogg(50), usize::MAX, 3.5).unwrap();
    let expected =
        [made_ogg(50).get(..data.len() - 128).unwrap(), &made_page(4, 5, 24_000, &[9, 90], &[3; 99])].concat();
    assert_eq!((data, lasts), (expected, 3.0));
}

#[test]
fn frames_are_whole_and_nothing_else_is_taken_for_one() {
    let file = made_flac(300, false);
    let (data, lasts) = flac(&file, usize::MAX, 10.0).unwrap();
    assert_eq!((lasts * 8_000.0 / 4_096.0).round(), 19.0);
    let frames = data.windows(2).filter(|two| *two == [0xFF, 0xF8]).count();
    assert_eq!((frames, &data[26..42]), (2 * 19, &[0; 16][..]));
    // A frame that is damaged ends what can be had.
    let mut damaged = file.clone();
    let at = file.len() / 2;
    damaged[at] ^= 0xFF;
    assert!(flac(&damaged, usize::MAX, 1e9).unwrap().1 < flac(&file, usize::MAX, 1e9).unwrap().1);
}

#[test]
fn no_bytes_bring_it_down() {
    let files = [
        made_flac(9, false),
        made_aac(9),
        made_ogg(5),
        made_aiff(b"AIFF", b"", 90),
        made_aiff(b"AIFC", b"ulaw\0\0", 90),
        [&b"\xFF\xFB\x90\0"[..], &[0; 32], b"Xing\0\0\0\x07", &[9; 373]].concat().repeat(3),
    ];
    let mut state = 7u32;
    for file in files {
        for round in 0..3_000usize {
            state = state.wrapping_mul(1_103_515_245).wrapping_add(12_345);
            let mut hurt = file.clone();
            let at = (state >> 8) as usize % hurt.len();
            hurt[at] = [0, 0xFF, 0x80, state as u8][round % 4];
            hurt.truncate(hurt.len() - if round % 3 == 0 { at / 2 } else { 0 });
            let _ = (
                flac(&hurt, round, 9.0),
                aac(&hurt, round, 9.0),
                ogg(&hurt, round, 9.0),
                aiff(&hurt, round),
                wav(&hurt, round),
                super::super::mpeg::mpeg(&hurt, round, 9.0),
            );
        }
    }
    // Heads of frames everywhere, none of which ends the one before it.
    let mut heads = made_flac(2, false);
    let head = heads[heads.len() - 11..heads.len() - 5].to_vec();
    heads.extend(head.repeat(1 << 17));
    assert!(flac(&heads, usize::MAX, 1e9).is_some_and(|(_, lasts)| lasts < 1.1));
}
