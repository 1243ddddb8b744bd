//! How a fact came in, in words.

use crate::inquiry::{Found, Occurrence};
use crate::model::{Layer, Made, Run, Track, Transcript};

use super::beside::before;
use super::count;
use super::whence::{landmark, whence};

/// How a fact came in that is first found there. It may quote the transcript: untrusted.
pub(super) fn came_in(origin: &Occurrence, found: &Found, transcript: &Transcript, run: &Run) -> String {
    let step = origin.first.unwrap_or(0);
    if let Some(made) = made(origin, run) {
        return format!("Nothing recorded that came into a window holds it; it stands in {made}, from step {step} on.");
    }
    let spot = origin.place.and_then(|at| found.places.get(at)).and_then(|place| place.told(transcript));
    let source = spot.and_then(|spot| transcript.sources.get(spot.stored.0.0 as usize));
    let line = match spot {
        Some(spot) if spot.lines > 1 => {
            let of = source.and_then(|source| source.kind.place_of()).map_or_else(String::new, |of| format!(" {of}"));
            format!(", line {} of {}{of}", count(u64::from(spot.line)), count(u64::from(spot.lines)))
        }
        _ => String::new(),
    };
    let line = format!("{}{line}", landmark(source, spot));
    let is_after = step > run.last_step();
    if origin.by_model {
        return written(origin, &line, (step, is_after), found.earlier);
    }
    match is_after {
        true => format!("It came in after the last request, in {}{line}.", whence(origin)),
        false => format!("Came in at step {step} in {}{line}.", whence(origin)),
    }
}

/// Where words stand that a harness or a policy makes and nothing recorded holds.
fn made(origin: &Occurrence, run: &Run) -> Option<String> {
    let entry = origin.stays.first().and_then(|stay| run.entry(stay.entry?)).filter(|_| origin.place.is_none())?;
    let is_written = |made: &Made| matches!(made, Made::Written(_));
    let maker = if run.track == Track::Recorded { "harness" } else { "policy" };
    let is_made = !entry.from.is_empty() || entry.content.iter().any(is_written);
    is_made.then(|| match origin.layer {
        Layer::Notices => format!("a notice that the {maker} makes"),
        Layer::Summaries => format!("words that the {maker} puts into a summary"),
        _ => format!("words that the {maker} puts into {}", whence(origin)),
    })
}

/// The same of what the model wrote: the window of a step holds what the answer to an earlier one says.
fn written(origin: &Occurrence, line: &str, (step, is_after): (u32, bool), earlier: u64) -> String {
    let place = match (origin.written, origin.layer) {
        (Some(answered), Layer::Assistant) => format!("in its answer to step {answered}{line}"),
        (Some(answered), _) => format!("in its answer to step {answered}, in {}{line}", whence(origin)),
        // A history that was sent as it is: nothing says which request it answered.
        (None, _) if is_after => format!("in {}{line}", whence(origin)),
        (None, _) => format!("before step {step}, in {}{line}", whence(origin)),
    };
    let is_held = origin.at(step).is_some_and(|stay| stay.sight.is_visible());
    let held = match is_after {
        true => ", after the last request".to_owned(),
        false if is_held && origin.written.is_some() => format!("; the window holds it from step {step} on"),
        false => String::new(),
    };
    // What says it in other words may be one of those.
    match before(earlier) {
        Some(before) => format!("The model wrote it, {place}{held}. {before}."),
        None => format!("The model wrote it first, {place}{held}."),
    }
}
