//! Sound: duration, rate, channels, tags; within limits its beginning, as much as may be attached.

mod cut;
mod mpeg;
mod mpeg4;
mod told;

use std::collections::BTreeSet;
use std::error::Error;
use std::io::{self, BufReader, Seek, SeekFrom};

use lofty::config::ParseOptions;
use lofty::error::UnknownFormatError;
use lofty::file::{AudioFile, FileType, TaggedFileExt};
use lofty::probe::Probe;
use lofty::properties::FileProperties;
use lofty::tag::{Accessor, ItemKey};

use crate::content::one_line;
use crate::document::input::{Failure, Input};
use crate::document::limits::Limits;
use crate::document::out::Out;
use crate::document::piece::{Attachment, Piece, Shown};

use told::{Cut, Told};

/// Bytes of a sound that are held in memory to be cut.
const BYTES_MAX: u64 = 512 << 20;
/// Bytes beside an MPEG sound, tags at its end for one, that are no sound themselves.
const BETWEEN: f64 = 8192.0;
/// Bytes behind the tags of an MPEG file in which its first frame is looked for.
const BEGINNING: usize = 64 << 10;

/// What a sound is; within limits with what may be attached of it.
///
/// # Errors
/// Where it is none.
pub fn convert(input: &Input<'_>, out: &mut Out<'_>) -> Result<(), Failure> {
    let cut = told::cut(&mut input.seekable()?)?;
    let failed = |why: &(dyn Error + 'static)| match cut {
        Some(_) => Failure::Damaged("it is cut off, and what tells of its sound is not left".to_owned()),
        None => Failure::Damaged(unread(why).to_owned()),
    };
    let probe = || Ok::<_, Failure>(Probe::new(BufReader::new(Told::new(input.seekable()?, cut)?)).guess_file_type()?);
    let guessed = probe()?;
    let kind = guessed.file_type().or_else(|| FileType::from_ext(input.extension()));
    // Of a file whose tags alone are left, those are read.
    let (read_as, has_sound) = if cut == Some(Cut::Tags) { (Some(FileType::Mpeg), false) } else { (kind, true) };
    let read_as = read_as.ok_or_else(|| Failure::Damaged("its kind of sound is not known".to_owned()))?;
    let mut options = ParseOptions::new().read_cover_art(false).read_properties(has_sound);
    let file = match guessed.set_file_type(read_as).options(options).read() {
        Ok(file) => file,
        Err(why) => {
            // What is wrong with its tags is nothing of the sound.
            options = options.read_tags(false);
            let again = probe()?.set_file_type(read_as).options(options).read();
            let file = again.ok().filter(|_| has_sound).ok_or_else(|| failed(&why))?;
            out.note("its tags are damaged and left out");
            file
        }
    };
    let about = file.properties();
    let counted = match kind {
        Some(FileType::Aac) => told::aac_seconds(&mut input.seekable()?)?,
        Some(FileType::Mpeg) if has_sound && goes_on(input, about)? => {
            input.whole(BYTES_MAX).ok().and_then(|whole| mpeg::seconds(&whole))
        }
        _ => None,
    };
    let seconds = counted.filter(|seconds| *seconds > 0.0).unwrap_or(about.duration().as_secs_f64());
    let name = named(input, kind)?;
    let mut lines = vec![format!("{name} sound")];
    out.fact("kind", name);
    let mut say = |name: &str, value: Option<String>| {
        if let Some(value) = value {
            lines.push(format!("{name}: {value}"));
            out.fact(&name.to_lowercase(), value);
        }
    };
    let tag = file.primary_tag().or_else(|| file.first_tag());
    let length = match cut {
        // What ends somewhere does not tell how long it is.
        Some(Cut::Unknown) => None,
        Some(Cut::Tags) => tag
            .and_then(|tag| tag.get_string(ItemKey::Length))
            .and_then(|told| told.trim().parse::<u64>().ok())
            .map(|told| told as f64 / 1e3),
        _ => Some(seconds),
    };
    say("Duration", length.map(|seconds| format!("{seconds:.3} s")));
    say("Sample rate", about.sample_rate().filter(|_| has_sound).map(|rate| format!("{rate} Hz")));
    say("Channels", about.channels().filter(|_| has_sound).map(|count| count.to_string()));
    say("Bit depth", about.bit_depth().map(|bits| bits.to_string()));
    // It is reckoned from the whole duration and the bytes that are left.
    let known = has_sound && !matches!(cut, Some(Cut::Samples(..)));
    say("Bitrate", about.audio_bitrate().filter(|_| known).map(|rate| format!("{rate} kb/s")));
    if let Some(tag) = tag {
        let line = |text: Option<std::borrow::Cow<'_, str>>| text.map(|text| one_line(&text));
        say("Title", line(tag.title()));
        say("Artist", line(tag.artist()));
        say("Album", line(tag.album()));
        say("Genre", line(tag.genre()));
    }
    let stored = input.size()?;
    say("Bytes", Some(stored.to_string()));
    out.block(&lines.join("  \n"))?;
    match cut {
        Some(Cut::At(end)) => out.note(format!("the file is cut off: {stored} bytes are left of {end}")),
        Some(Cut::Samples(left, all, rate)) => {
            let seconds = |samples: u64| samples as f64 / f64::from(rate);
            out.note(format!("the file is cut off: {:.3} s are left of {:.3} s", seconds(left), seconds(all)));
        }
        Some(Cut::Unknown) => out.note("the file is cut off: its last part is missing"),
        Some(Cut::Tags) => out.note("the file is cut off within its tags, before its sound begins"),
        None if kind == Some(FileType::Mpeg) && mpeg::ends_in_frame(&last_part(input)?) => {
            out.note("the file may be cut off: its last frame is not whole");
        }
        Some(Cut::Open(_)) | None => {}
    }
    match input.limits {
        Some(limits) => attach(input, kind, (seconds, cut), limits, out),
        None => Ok(()),
    }
}

/// The last part of a file.
fn last_part(input: &Input<'_>) -> Result<Vec<u8>, Failure> {
    let mut places = input.seekable()?;
    let end = places.seek(SeekFrom::End(0))?;
    Ok(told::read(&mut places, end.saturating_sub(BEGINNING as u64), BEGINNING)?)
}

/// What it means that what tells of a sound cannot be read.
fn unread(why: &(dyn Error + 'static)) -> &'static str {
    let ends = |why: &(dyn Error + 'static)| {
        why.downcast_ref::<io::Error>().is_some_and(|why| why.kind() == io::ErrorKind::UnexpectedEof)
    };
    let causes = || std::iter::successors(Some(why), cause);
    if causes().any(ends) {
        "it ends before all is told of its sound"
    } else if causes().any(|why| why.is::<UnknownFormatError>()) {
        "its content is no sound that is known here"
    } else {
        "what tells of its sound is damaged or missing"
    }
}

fn cause<'a>(why: &&'a (dyn Error + 'static)) -> Option<&'a (dyn Error + 'static)> {
    (*why).source()
}

/// The name that people have for a kind of sound.
fn named(input: &Input<'_>, kind: Option<FileType>) -> Result<&'static str, Failure> {
    Ok(match kind {
        Some(FileType::Mpeg) => {
            let mut places = input.seekable()?;
            let tags = cut::behind_id3(&told::read(&mut places, 0, 12)?) as u64;
            match mpeg::layer(&told::read(&mut places, tags, BEGINNING)?) {
                Some(1) => "MP1",
                Some(2) => "MP2",
                _ => "MP3",
            }
        }
        Some(FileType::Mp4) if input.extension() == "mp4" => "MP4",
        Some(FileType::Mp4) => "M4A",
        Some(FileType::Aac) => "AAC",
        Some(FileType::Aiff) => "AIFF",
        Some(FileType::Ape) => "Monkey's Audio",
        Some(FileType::Flac) => "FLAC",
        Some(FileType::Mpc) => "Musepack",
        Some(FileType::Opus) => "Opus",
        Some(FileType::Speex) => "Speex",
        Some(FileType::Vorbis) => "Ogg Vorbis",
        Some(FileType::Wav) => "WAV",
        Some(FileType::WavPack) => "WavPack",
        _ => "Unknown",
    })
}

/// Whether the first frame of an MPEG file does not tell how long its sound is: the file holds far more, or no frame is
/// told to be the first of so many and they are not all as large.
fn goes_on(input: &Input<'_>, about: &FileProperties) -> Result<bool, Failure> {
    let mut places = input.seekable()?;
    let stored = places.seek(SeekFrom::End(0))?;
    let tags = cut::behind_id3(&told::read(&mut places, 0, 12)?) as u64;
    let told = f64::from(about.audio_bitrate().unwrap_or_default()) * 125.0 * about.duration().as_secs_f64();
    let sound = stored.saturating_sub(tags);
    let beginning = told::read(&mut places, tags, BEGINNING)?;
    let middle = told::read(&mut places, tags + sound / 2, BEGINNING)?;
    let rates = || [&beginning, &middle].into_iter().flat_map(|part| mpeg::bit_rates(part)).collect::<BTreeSet<_>>();
    let is_uneven = !mpeg::tells_all(&beginning) && rates().len() > 1;
    Ok(is_uneven || told > 0.0 && sound as f64 > told * 1.05 + BETWEEN)
}

/// Hands on the sound, or its beginning where it is over a limit.
fn attach(
    input: &Input<'_>,
    kind: Option<FileType>,
    (seconds, cut): (f64, Option<Cut>),
    limits: &Limits,
    out: &mut Out<'_>,
) -> Result<(), Failure> {
    let mime = match kind {
        Some(FileType::Wav) => "audio/wav",
        Some(FileType::Mpeg) => "audio/mpeg",
        Some(FileType::Mp4) => "audio/mp4",
        Some(FileType::Flac) => "audio/flac",
        Some(FileType::Vorbis | FileType::Opus | FileType::Speex) => "audio/ogg",
        Some(FileType::Aac) => "audio/aac",
        Some(FileType::Aiff) => "audio/aiff",
        _ => "application/octet-stream",
    };
    let stored = input.size()?;
    let most = limits.audio_seconds as f64;
    // A file that says that it goes on is none that can be attached.
    let goes_on = matches!(cut, Some(Cut::At(_) | Cut::Samples(..) | Cut::Tags));
    if stored <= limits.audio_bytes && seconds <= most && !goes_on {
        let mut data = input.whole(limits.audio_bytes)?;
        told::close(&mut data, cut);
        return Ok(out.pass(Piece::Attachment(Attachment { mime: mime.to_owned(), data }))?);
    }
    let told = if let Some(Cut::At(end)) = cut { end } else { stored };
    let room = limits.audio_bytes.min(stored) as f64;
    let share = (room / told.max(1) as f64).min(most / seconds.max(0.001)).min(1.0);
    let mut whole = input.whole(BYTES_MAX)?;
    told::close(&mut whole, cut);
    let bytes = (told as f64 * share) as usize;
    let by_bytes = |data: Vec<u8>| (data, seconds * share);
    let room = room as usize;
    let beginning = match kind {
        Some(FileType::Wav) => cut::wav(&whole, bytes).map(by_bytes),
        Some(FileType::Aiff) => cut::aiff(&whole, bytes).map(by_bytes),
        Some(FileType::Mpeg) => mpeg::mpeg(&whole, room, most),
        Some(FileType::Flac) => cut::flac(&whole, room, most),
        Some(FileType::Aac) => cut::aac(&whole, room, most),
        Some(FileType::Mp4) => mpeg4::beginning(&whole, room, most),
        Some(FileType::Vorbis | FileType::Opus | FileType::Speex) => cut::ogg(&whole, room, most),
        _ => None,
    };
    let Some((data, lasts)) = beginning else {
        let why = if goes_on { "cut off" } else { "over its limits" };
        out.note(format!("it is {why} and cannot be ended earlier, so it is not attached"));
        return Ok(());
    };
    let words = format!("first {lasts:.1} s of {seconds:.1} s");
    out.pass(Piece::Shown(Shown::Words(words)))?;
    Ok(out.pass(Piece::Attachment(Attachment { mime: mime.to_owned(), data }))?)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::content::MemoryBytes;
    use crate::document::{Conversion, testing};

    fn converted(name: &str, bytes: &[u8]) -> Conversion {
        testing::converted(name, bytes, Some(&Limits::default()))
    }

    /// One second of silence.
    fn aiff() -> Vec<u8> {
        let mut common = b"COMM\0\0\0\x12\0\x01\0\0\x1F\x40\0\x08".to_vec();
        // 8,000 as a float of ten bytes.
        common.extend([0x40, 0x0B, 0xFA, 0, 0, 0, 0, 0, 0, 0]);
        let sound = [&b"SSND"[..], &8_008u32.to_be_bytes(), &[0; 8_008]].concat();
        let size = (4 + common.len() + sound.len()) as u32;
        [&b"FORM"[..], &size.to_be_bytes(), b"AIFF", &common, &sound].concat()
    }

    #[test]
    fn sounds_cut_off_tell_what_their_heads_do() {
        let format = b"\x01\0\x01\0\x40\x1F\0\0\x40\x1F\0\0\x01\0\x08\0";
        let noise: Vec<u8> = (0..8_000u32).map(|at| (at * 37) as u8).collect();
        let wav = cut::written_wav(format, &noise);
        for (name, whole) in [("a.wav", wav), ("a.aiff", aiff())] {
            let found = converted(name, &whole);
            assert!(found.markdown.contains("1.000 s") && found.notes.is_empty(), "{found:?}");
            let kind = if name == "a.wav" { "WAV" } else { "AIFF" };
            assert!(found.markdown.starts_with(&format!("{kind} sound")), "{found:?}");
            assert!(found.attachment.is_some());
            for part in [60, 500, whole.len() / 2, whole.len() - 30] {
                let found = converted(name, &whole[..part]);
                assert!(found.markdown.contains("Duration: 1.000 s"), "{name}, {part}: {found:?}");
                let note = format!("the file is cut off: {part} bytes are left of {}", whole.len());
                assert_eq!(found.notes[0].message, note);
                if let Some(attached) = &found.attachment {
                    let again = converted(name, &attached.data);
                    assert!(again.notes.is_empty() && !again.markdown.contains("1.000 s"), "{name}, {part}: {again:?}");
                }
            }
            let found = converted(name, &whole[..20]);
            assert!(found.markdown.is_empty() && !found.notes.is_empty(), "{found:?}");
        }
    }

    #[test]
    fn a_sound_that_does_not_tell_its_size_lasts_to_the_end_of_its_file() {
        let format = b"\x01\0\x01\0\x40\x1F\0\0\x40\x1F\0\0\x01\0\x08\0";
        let noise: Vec<u8> = (0..8_000u32).map(|at| (at * 37) as u8 | 0x80).collect();
        let whole = cut::written_wav(format, &noise);
        let data = whole.len() - noise.len() - 4;
        for size in [u32::MAX, 0x7FFF_FFFF, 0x7FFF_F000, 0] {
            for riff in [size.to_le_bytes(), whole[4..8].try_into().unwrap()] {
                let mut open = whole.clone();
                open[4..8].copy_from_slice(&riff);
                open[data..data + 4].copy_from_slice(&size.to_le_bytes());
                let found = converted("a.wav", &open);
                assert!(found.markdown.contains("Duration: 1.000 s") && found.notes.is_empty(), "{size:x}: {found:?}");
                // What is attached tells its size.
                assert_eq!(found.attachment.map(|attached| attached.data), Some(whole.clone()), "{size:x}");
            }
        }
        let none = cut::written_wav(format, &[]);
        let more = [&none[..], b"LIST\x04\0\0\0INFO"].concat();
        for empty in [none, more] {
            let bytes = MemoryBytes(empty);
            let mut places = crate::document::input::Places::stored(&bytes);
            assert_eq!(told::cut(&mut places).unwrap(), None);
        }
    }

    #[test]
    fn a_file_cut_off_within_its_tags_tells_those_that_are_left() {
        let text = |name: &[u8], text: &[u8]| [name, &(text.len() as u32 + 1).to_be_bytes(), &[0, 0, 0], text].concat();
        let picture = [&b"APIC\0\x01\x86\xA0\0\0\0image/jpeg\0\x03\0"[..], &[7; 100_000 - 13]].concat();
        let tags = [text(b"TIT2", b"A tune"), text(b"TPE1", b"Somebody"), text(b"TLEN", b"61500"), picture].concat();
        let size = tags.len() as u32;
        let size = [size >> 21, size >> 14 & 127, size >> 7 & 127, size & 127].map(|seven| seven as u8);
        let whole = [&b"ID3\x03\0\0"[..], &size, &tags].concat();
        for part in [200, 5_000, whole.len() - 1] {
            let found = converted("a.mp3", &whole[..part]);
            for told in ["Duration: 61.500 s", "Title: A tune", "Artist: Somebody"] {
                assert!(found.markdown.contains(told), "{part}: {found:?}");
            }
            assert!(!found.markdown.contains("Hz") && found.attachment.is_none());
            assert!(found.notes[0].message.contains("cut off within its tags"), "{:?}", found.notes);
        }
    }

    #[test]
    fn kinds_go_by_the_names_that_people_have_for_them() {
        // Three frames of silence of each layer, behind tags or not.
        let frames = |head: [u8; 4], size: usize| [&head[..], &vec![0; size - 4]].concat().repeat(3);
        let tags = b"ID3\x03\0\0\0\0\0\x0A\0\0\0\0\0\0\0\0\0\0";
        let layers = [(frames([0xFF, 0xFB, 0x90, 0], 417), "MP3"), (frames([0xFF, 0xFD, 0xA4, 0], 576), "MP2")];
        for (sound, kind) in layers {
            for whole in [sound.clone(), [&tags[..], &sound].concat()] {
                let found = converted("a.mp3", &whole);
                assert!(found.markdown.starts_with(&format!("{kind} sound")), "{found:?}");
            }
        }
    }

    #[test]
    fn a_tag_that_is_damaged_takes_no_sound_away() {
        let sound = [&[0xFF, 0xFB, 0x90, 0][..], &[0; 413]].concat().repeat(40);
        let frame = |name: &[u8], size: u32, text: &[u8]| [name, &size.to_be_bytes(), &[0, 0], text].concat();
        for bad in
            [frame(b"TYER", 4, b"\x01\xFF\xFEx"), frame(b"TYER", 9_000, b"\x002001"), frame(b"TRCK", 3, b"\x09ab")]
        {
            let size = u8::try_from(bad.len()).unwrap();
            let whole = [&b"ID3\x03\0\0\0\0\0"[..], &[size], &bad, &sound].concat();
            let found = converted("a.mp3", &whole);
            assert!(found.markdown.contains("44100 Hz"), "{found:?}");
        }
    }
}
