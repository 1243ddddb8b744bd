//! Where a fact stands in the recorded files, but in nothing that was ever sent.

use rayon::prelude::*;

use super::alone::WORD;
use super::fact::Fact;
use super::find::{index, may_hold};
use crate::content::{Sources, Watch, decode_json_string};
use crate::model::{SourceId, SourceKind, Transcript};

/// Bytes of a file that are looked through at once.
const PIECE: u64 = 8 << 20;
/// Bytes of a line that are held to be read at once.
const LINE: usize = 64 << 20;

/// Where a fact stands in the recorded files themselves: as it was given or as JSON writes it, else evened out.
pub(super) fn unsent(
    fact: &Fact,
    transcript: &Transcript,
    sources: &Sources,
    watch: &Watch,
) -> Option<(SourceId, u32)> {
    as_given(fact, transcript, sources, watch).or_else(|| evened(fact, transcript, sources, watch))
}

fn as_given(fact: &Fact, transcript: &Transcript, sources: &Sources, watch: &Watch) -> Option<(SourceId, u32)> {
    let escaped = serde_json::to_string(&fact.text).ok()?;
    let needle = escaped.trim_matches('"').as_bytes();
    let finder = memchr::memmem::Finder::new(needle);
    for (id, source) in (0u32..).map(SourceId).zip(&transcript.sources) {
        let (mut from, mut lines) = (0, 0);
        while matches!(source.kind, SourceKind::Transcript | SourceKind::Side)
            && from < source.bytes
            && !watch.is_cancelled()
        {
            // The end of each piece is read again with the next, so that nothing is parted.
            let Ok(bytes) = sources.read(id, from, (from + PIECE).min(source.bytes)) else { break };
            for at in finder.find_iter(&bytes) {
                // As a part of something longer it is another fact.
                let around = at.saturating_sub(WORD)..(at + needle.len() + WORD).min(bytes.len());
                if fact.is_in(&String::from_utf8_lossy(&bytes[around])) {
                    return Some((id, lines + index(memchr::memchr_iter(b'\n', &bytes[..at]).count()) + 1));
                }
            }
            if from + PIECE >= source.bytes {
                break;
            }
            let kept = bytes.len().saturating_sub(needle.len() + 1);
            lines += index(memchr::memchr_iter(b'\n', &bytes[..kept]).count());
            from += kept as u64;
        }
    }
    None
}

/// The first line of the recorded files that holds a fact once it is read as JSON writes text: slower, and only asked for
/// what is nowhere else.
pub(super) fn evened(
    fact: &Fact,
    transcript: &Transcript,
    sources: &Sources,
    watch: &Watch,
) -> Option<(SourceId, u32)> {
    let kept = |kind| matches!(kind, SourceKind::Transcript | SourceKind::Side);
    let wanted = (0u32..).map(SourceId).zip(&transcript.sources).filter(|(_, source)| kept(source.kind));
    for (id, source) in wanted {
        let (mut from, mut lines, mut rest) = (0, 0, Vec::new());
        while from < source.bytes && !watch.is_cancelled() {
            let Ok(bytes) = sources.read(id, from, (from + PIECE).min(source.bytes)) else { break };
            from += PIECE;
            rest.extend_from_slice(&bytes);
            // A line goes on with the next piece, unless it is endless.
            let goes_on = from < source.bytes && rest.len() < LINE;
            let whole = if goes_on { memchr::memrchr(b'\n', &rest).map_or(0, |at| at + 1) } else { rest.len() };
            let all: Vec<&[u8]> = rest[..whole].split(|byte| *byte == b'\n').collect();
            let holds = |line: &&[u8]| may_hold(fact, line, true) && fact.is_in(&decode_json_string(line));
            if let Some(at) = all.par_iter().position_first(holds) {
                return Some((id, lines + index(at) + 1));
            }
            lines += index(memchr::memchr_iter(b'\n', &rest[..whole]).count());
            rest.drain(..whole);
        }
    }
    None
}
