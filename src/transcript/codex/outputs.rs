//! What commands wrote, whole, where the model was sent less of it: the rollout has that beside, for people.

use std::collections::HashMap;

use crate::content::{Sources, count_chars, hash};
use crate::model::{BlockId, Body, CallKey, Layer, Transcript};

/// Lines on a command that may stand before what it wrote in what the model is sent of that.
const HEADER: usize = 8;
/// How the words end that stand for what was cut, with a number right before them.
const GONE: [&str; 2] = [" tokens truncated", " chars truncated"];
/// The same until 2025: how they begin, and how they end.
const OMITTED: (&str, &str) = ("[... omitted ", " lines ...]");

/// Outputs and results, until both of a command were seen.
#[derive(Default)]
pub(super) struct Outputs {
    /// What was written, by the call whose result was not seen.
    written: HashMap<CallKey, Body>,
    /// The cut results of calls of which it was not seen what they wrote.
    cut: HashMap<CallKey, BlockId>,
}

impl Outputs {
    /// Takes in what the command of a call wrote.
    pub fn wrote(&mut self, sources: &Sources, transcript: &mut Transcript, call: CallKey, output: Body) {
        match self.cut.remove(&call) {
            Some(block) => keep(sources, transcript, block, &output),
            None => drop(self.written.insert(call, output)),
        }
    }

    /// Takes in a block, which may be the result of one.
    pub fn sent(&mut self, sources: &Sources, transcript: &mut Transcript, id: BlockId) {
        let block = transcript.block(id).filter(|block| block.layer == Layer::ToolResults);
        let Some((block, call)) = block.and_then(|block| Some((block, block.call?))) else { return };
        // Of a result in parts another one may be.
        if block.cut.is_none() {
            return;
        }
        match self.written.remove(&call) {
            Some(output) => keep(sources, transcript, id, &output),
            None => drop(self.cut.insert(call, id)),
        }
    }
}

/// Keeps with a cut result what it was before.
fn keep(sources: &Sources, transcript: &mut Transcript, id: BlockId, output: &Body) {
    let Some(block) = transcript.blocks.get_mut(id.0 as usize) else { return };
    if let Some(whole) = before_cut(sources, &block.body, output) {
        block.original = Some(Box::new(whole));
    }
}

/// The part of what a command wrote out of whose middle a result was cut: a command that went on wrote more after it.
fn before_cut(sources: &Sources, sent: &Body, output: &Body) -> Option<Body> {
    let (sent, written) = (sources.body_text(sent).ok()?, sources.body_text(output).ok()?);
    let (from, to) = around(&sent).find_map(|(head, tail)| between(&written, head, tail))?;
    let alone = |text: Option<&str>| text.is_some_and(|text| text.trim().is_empty());
    let is_all = alone(written.get(..from)) && alone(written.get(to..));
    if is_all || output.spans().count() > 1 {
        return Some(output.clone());
    }
    let span = sources.stored(output, from as u64, to as u64).ok()??;
    let stored = sources.read(span.source, span.start, span.end).ok()?;
    let (chars, hash) = (count_chars(&stored, span.coding), hash(&stored, span.coding));
    Some(Body::Text { spans: smallvec::smallvec![span], chars, hash })
}

/// What stands before and behind each place of a text that says how much was cut there.
fn around(body: &str) -> impl Iterator<Item = (&str, &str)> {
    let numbered = GONE.iter().flat_map(move |words| body.match_indices(words)).filter_map(move |(at, words)| {
        let head = body.get(..at)?;
        let rest = body.get(at + words.len()..)?;
        let before = head.trim_end_matches(|sign: char| sign.is_ascii_digit());
        (before.len() < head.len()).then(|| (before.trim_end_matches('…'), rest.trim_start_matches('…')))
    });
    let omitted = body.match_indices(OMITTED.0).filter_map(move |(at, _)| {
        let (_, rest) = body.get(at..)?.split_once(OMITTED.1)?;
        Some((body.get(..at)?, rest))
    });
    numbered.chain(omitted).map(|(head, tail)| (head.trim(), tail.trim()))
}

/// Where a text has what was kept of it, with more between: from the beginning of the one to the end of the other.
fn between(written: &str, head: &str, tail: &str) -> Option<(usize, usize)> {
    if head.is_empty() && tail.is_empty() {
        return None;
    }
    // Lines on the command itself are none of what it wrote.
    let lines = std::iter::once(0).chain(head.match_indices('\n').map(|(at, _)| at + 1)).take(HEADER);
    let mut own =
        lines.filter_map(|at| head.get(at..)).map(str::trim_start).filter(|own| !own.is_empty() || head.is_empty());
    let (from, head) = own.find_map(|head| Some((written.find(head)?, head)))?;
    let behind = from + head.len();
    let at = behind + if tail.is_empty() { written.get(behind..)?.len() } else { written.get(behind..)?.find(tail)? };
    let is_more = written.get(behind..at).is_some_and(|more| !more.trim().is_empty());
    is_more.then_some((from, at + tail.len()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_was_kept_is_found_in_what_was_written() {
        let of = |sent: &str, written: &str| {
            let (from, to) = around(sent).find_map(|(head, tail)| between(written, head, tail))?;
            Some(written[from..to].to_owned())
        };
        let whole = Some("one two three four".to_owned());
        for header in [
            "Exit code: 0\nOriginal token count: 9\nOutput:\nTotal output lines: 1\n\n",
            "Warning: truncated output (original token count: 9)\nTotal output lines: 1\n\n",
        ] {
            assert_eq!(of(&format!("{header}one …2 tokens truncated… four"), "one two three four\n"), whole);
        }
        assert_eq!(of("Output:\none\n…9 chars truncated…\nfour", "one two three four and five"), whole);
        assert_eq!(of("timed out\none [... omitted 2 of 4 lines ...] four", "one two three four"), whole);
        // Its own words quote others, which are no cut.
        let quoted = "Output:\nx 1 tokens truncated y …2 tokens truncated… z";
        assert_eq!(of(quoted, "x 1 tokens truncated y w z").as_deref(), Some("x 1 tokens truncated y w z"));
        for (sent, written) in [
            ("Output:\none …2 tokens truncated… four", "another output"),
            ("Output:\none …2 tokens truncated… four", "one …2 tokens truncated… five"),
            ("Output:\none …2 tokens truncated… four", "one four"),
            ("Output:\n…2 tokens truncated…", "one four"),
        ] {
            assert_eq!(of(sent, written), None, "{written}");
        }
    }
}
