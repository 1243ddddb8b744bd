//! Beginnings of MPEG-4 sounds, read again.

use super::*;
use crate::document::Limits;
use crate::document::testing::converted;

/// A sound of 1,000 units a second: samples of 10 bytes and 100 units each, the number of each in it, in chunks of three
/// and one of one, behind one another with gaps.
fn made(samples: u32, wide: bool, sized: bool) -> Vec<u8> {
    let words = |numbers: &[u32]| numbers.iter().flat_map(|number| number.to_be_bytes()).collect::<Vec<u8>>();
    let film = |places: &[u32]| {
        let sizes = if sized {
            words(&[0, 10, samples])
        } else {
            words(&[&[0, 0, samples][..], &vec![10; samples as usize]].concat())
        };
        let places = match wide {
            true => written(
                b"co64",
                &[
                    &words(&[0, places.len() as u32]),
                    &words(&places.iter().flat_map(|at| [0, *at]).collect::<Vec<_>>()),
                ],
            ),
            false => written(b"stco", &[&words(&[0, places.len() as u32]), &words(places)]),
        };
        // One channel of 16 bits, 8,000 a second.
        let entry = [&[0; 6][..], &[0, 1], &[0; 8], &[0, 1, 0, 16, 0, 0, 0, 0], &words(&[8_000 << 16])].concat();
        let table = written(
            b"stbl",
            &[
                &written(b"stsd", &[&words(&[0, 1]), &written(b"mp4a", &[&entry])]),
                &written(b"stts", &[&words(&[0, 1, samples, 100])]),
                &written(b"stsc", &[&words(&[0, 2, 1, 3, 1, samples / 3 + 1, 1, 1])]),
                &written(b"stsz", &[&sizes]),
                &places,
            ],
        );
        let data = written(b"dinf", &[&written(b"dref", &[&words(&[0, 1]), &written(b"url ", &[&words(&[1])])])]);
        let info = written(b"minf", &[&written(b"smhd", &[&words(&[0, 0])]), &data, &table]);
        let media = written(
            b"mdia",
            &[
                &written(b"mdhd", &[&words(&[0, 0, 0, 1_000, samples * 100, 0])]),
                &written(b"hdlr", &[&words(&[0, 0]), b"soun", &[0; 13]]),
                &info,
            ],
        );
        let edits = written(b"edts", &[&written(b"elst", &[&words(&[0, 1, samples * 60, 20, 0x0001_0000])])]);
        let track =
            written(b"trak", &[&written(b"tkhd", &[&words(&[0, 0, 0, 1, 0, samples * 60]), &[0; 60]]), &edits, &media]);
        let head = written(b"mvhd", &[&words(&[0, 0, 0, 600, samples * 60]), &[0; 80]]);
        written(b"moov", &[&head, &track, &written(b"udta", &[&[7; 100]])])
    };
    let brand = written(b"ftyp", &[b"M4A \0\0\0\0isom"]);
    let chunks = samples.div_ceil(3) as usize;
    let begins = (brand.len() + film(&vec![0; chunks]).len() + 8) as u32;
    let places: Vec<u32> = (0..chunks as u32).map(|chunk| begins + chunk * 34).collect();
    let data: Vec<u8> =
        (0..samples).flat_map(|at| [&[at as u8; 10][..], if at % 3 == 2 { b"gap!" } else { b"" }].concat()).collect();
    [brand, film(&places), written(b"mdat", &[&data])].concat()
}

#[test]
fn the_samples_of_a_beginning_are_those_of_the_sound() {
    for (wide, sized) in [(false, false), (true, true)] {
        let whole = made(100, wide, sized);
        let (data, lasts) = beginning(&whole, usize::MAX, 3.25).unwrap();
        let sound: Vec<u8> = (0..32u8).flat_map(|at| [at; 10]).collect();
        assert!(data.ends_with(&sound) && lasts == 3.2, "{lasts}");
        // What it tells of itself is what it holds.
        assert_eq!(beginning(&data, usize::MAX, 1e9).unwrap(), (data.clone(), 3.2));
        let mut samples = Samples::of(
            child(
                child(child(child(child(&data, b"moov").unwrap(), b"trak").unwrap(), b"mdia").unwrap(), b"minf")
                    .unwrap(),
                b"stbl",
            )
            .unwrap(),
        )
        .unwrap();
        let (at, ..) = samples.next().unwrap();
        assert_eq!(at as usize, data.len() - sound.len());
        assert_eq!(std::iter::from_fn(|| samples.next()).count(), 31);
        for room in [0, 300, data.len() - 1, data.len(), data.len() + 10] {
            let found = beginning(&whole, room, 1e9);
            assert!(found.as_ref().is_none_or(|(data, _)| data.len() <= room), "{room}");
            assert_eq!(found.is_some(), room > 600, "{room}");
        }
    }
}

#[test]
fn a_sound_over_a_limit_is_attached_as_its_beginning() {
    let whole = made(100, false, false);
    let converted = |bytes: &[u8], limits: &Limits| converted("a.m4a", bytes, Some(limits));
    let found = converted(&whole, &Limits { audio_seconds: 5, ..Limits::default() });
    assert!(found.notes.is_empty() && found.markdown.contains("Duration: 10.000 s"), "{found:?}");
    let again = converted(&found.attachment.unwrap().data, &Limits::default());
    assert!(again.notes.is_empty() && again.markdown.contains("Duration: 5.000 s"), "{again:?}");
    // Cut off, it is what is left.
    let found = converted(&whole[..whole.len() - 500], &Limits::default());
    let again = converted(&found.attachment.unwrap().data, &Limits::default());
    assert!(found.notes.len() == 1 && again.notes.is_empty(), "{again:?}");
    // What cannot be cut says so.
    let at = memchr::memmem::find(&whole, b"mp4a").unwrap();
    let locked = [&whole[..at], b"enca", &whole[at + 4..]].concat();
    assert!(beginning(&locked, usize::MAX, 5.0).is_none());
}

#[test]
fn numbers_as_large_as_their_fields_hold_bring_nothing_down() {
    let mut file = made(20, false, false);
    // The units of a second of both headers, and how many of them a sample lasts: together too many for a header.
    for name in [b"mdhd", b"mvhd", b"stts"] {
        let at = memchr::memmem::find(&file, name).unwrap() + 16;
        file[at..at + 4].fill(0xFF);
    }
    assert!(beginning(&file, usize::MAX, 1e9).is_none());
    let (_, lasts) = beginning(&file, usize::MAX, 1.5).unwrap();
    assert_eq!(lasts, 1.0);
}

#[test]
fn no_bytes_bring_it_down() {
    let mut state = 7u32;
    let file = made(20, false, false);
    for round in 0..5_000usize {
        state = state.wrapping_mul(1_103_515_245).wrapping_add(12_345);
        let mut hurt = file.clone();
        let at = (state >> 8) as usize % hurt.len();
        hurt[at] = [0, 0xFF, 0x80, state as u8][round % 4];
        hurt.truncate(hurt.len() - if round % 3 == 0 { at / 2 } else { 0 });
        let found = beginning(&hurt, round, 9.0);
        assert!(found.is_none_or(|(data, _)| data.len() <= round));
    }
}
