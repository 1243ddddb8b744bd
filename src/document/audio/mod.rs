//! Sound: duration, rate, channels, tags; within limits its beginning, as much as may be attached.

use std::io::BufReader;
use std::time::Duration;

use lofty::config::ParseOptions;
use lofty::file::{AudioFile, FileType, TaggedFileExt};
use lofty::probe::Probe;
use lofty::tag::Accessor;

use super::input::{Failure, Input};
use super::limits::Limits;
use super::out::Out;
use super::piece::{Attachment, Piece, Shown};

/// Bytes of a sound that are held in memory to be cut.
const BYTES_MAX: u64 = 512 << 20;

/// What a sound is; within limits with what may be attached of it.
///
/// # Errors
/// Where it is none.
pub fn convert(input: &Input<'_>, out: &mut Out<'_>) -> Result<(), Failure> {
    let failed = |why: &dyn std::fmt::Display| Failure::Damaged(why.to_string());
    let probe = Probe::new(BufReader::new(input.seekable()?)).guess_file_type()?;
    let probe = match probe.file_type() {
        Some(_) => probe,
        None => probe.set_file_type(
            FileType::from_ext(input.extension())
                .ok_or_else(|| Failure::Damaged("its kind of sound is not known".to_owned()))?,
        ),
    };
    let kind = probe.file_type();
    let file = probe.options(ParseOptions::new().read_cover_art(false)).read().map_err(|why| failed(&why))?;
    let about = file.properties();
    let duration = about.duration();
    let mut lines = vec![format!("{} sound", kind.map_or_else(|| "Unknown".to_owned(), |kind| format!("{kind:?}")))];
    let mut say = |name: &str, value: Option<String>| {
        if let Some(value) = value {
            lines.push(format!("{name}: {value}"));
            out.fact(&name.to_lowercase(), value);
        }
    };
    say("Duration", Some(format!("{:.3} s", duration.as_secs_f64())));
    say("Sample rate", about.sample_rate().map(|rate| format!("{rate} Hz")));
    say("Channels", about.channels().map(|count| count.to_string()));
    say("Bit depth", about.bit_depth().map(|bits| bits.to_string()));
    say("Bitrate", about.audio_bitrate().map(|rate| format!("{rate} kb/s")));
    if let Some(tag) = file.primary_tag().or_else(|| file.first_tag()) {
        let line = |text: Option<std::borrow::Cow<'_, str>>| {
            text.map(|text| text.split_whitespace().collect::<Vec<_>>().join(" "))
        };
        say("Title", line(tag.title()));
        say("Artist", line(tag.artist()));
        say("Album", line(tag.album()));
        say("Genre", line(tag.genre()));
    }
    say("Bytes", Some(input.bytes.len().to_string()));
    out.block(&lines.join("  \n"))?;
    match input.limits {
        Some(limits) => attach(input, kind, duration, limits, out),
        None => Ok(()),
    }
}

/// Hands on the sound, or its beginning where it is over a limit.
fn attach(
    input: &Input<'_>,
    kind: Option<FileType>,
    duration: Duration,
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
    let stored = input.bytes.len();
    let seconds = duration.as_secs_f64();
    let most = limits.audio_seconds as f64;
    if stored <= limits.audio_bytes && seconds <= most {
        let data = input.whole(limits.audio_bytes)?;
        return Ok(out.pass(Piece::Attachment(Attachment { mime: mime.to_owned(), data }))?);
    }
    let share = (limits.audio_bytes as f64 / stored.max(1) as f64).min(most / seconds.max(0.001)).min(1.0);
    let whole = input.whole(BYTES_MAX)?;
    let cut = match kind {
        Some(FileType::Wav) => cut_wav(&whole, share),
        Some(FileType::Mpeg) => cut_mpeg(&whole, share),
        _ => None,
    };
    let Some(data) = cut else {
        out.note("it is over its limits; only WAV and MP3 can be cut, so it is not attached");
        return Ok(());
    };
    let words = format!("first {:.1} s of {seconds:.1} s", seconds * share);
    out.pass(Piece::Shown(Shown::Words(words)))?;
    Ok(out.pass(Piece::Attachment(Attachment { mime: mime.to_owned(), data }))?)
}

/// The first share of a WAV file: its format, and so many whole frames.
fn cut_wav(whole: &[u8], share: f64) -> Option<Vec<u8>> {
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
                let room = (whole.len() as f64 * share) as usize;
                let kept = room.saturating_sub(20 + 8 + format.len()).min(body.len()) / frame * frame;
                return Some(wav(format, body.get(..kept)?));
            }
            _ => {}
        }
        at = at.checked_add(8)?.checked_add(size)?.checked_add(size % 2)?;
    }
    None
}

fn wav(format: &[u8], data: &[u8]) -> Vec<u8> {
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

/// The first share of an MP3 file, up to where a frame begins.
fn cut_mpeg(whole: &[u8], share: f64) -> Option<Vec<u8>> {
    let room = ((whole.len() as f64 * share) as usize).min(whole.len());
    let kept = whole.get(..room)?;
    let frame = |pair: &[u8]| matches!(pair, [0xFF, second] if second & 0xE0 == 0xE0);
    let end = kept.windows(2).rposition(frame)?;
    Some(kept.get(..end)?.to_vec())
}
