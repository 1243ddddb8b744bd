//! Where a fact can be read back from, in words.

use super::clip;
use crate::inquiry::{Back, End, Sight, Stay, Trace};
use crate::model::{Run, Track};

/// Columns of a quotation.
const QUOTED: usize = 120;

/// That a fact can be read back, or perhaps, and how.
pub(super) fn told_back(from: &Back) -> String {
    match from {
        Back::Perhaps { .. } | Back::Among { all: false, .. } | Back::Ended { .. } => back(from),
        from => format!("retrievable {}", back(from)),
    }
}

/// How a fact can be read back.
#[must_use]
pub fn back(back: &Back) -> String {
    match back {
        Back::Perhaps { path, step } => {
            format!("perhaps still in the file {}, which step {step} may have changed", clip(path, QUOTED))
        }
        Back::Among { paths, all: true } => format!("from one of the files {}", named(paths)),
        Back::Among { paths, all: false } => {
            format!("perhaps still in {}, which was shown with others", named(paths))
        }
        Back::Ended { path, by } => format!("no longer retrievable: {}", ended(path, *by)),
        Back::File(file) => format!("from {file}"),
        Back::Path(path) => format!("from the file {}", clip(path, QUOTED)),
        Back::Anew { path, .. } => {
            format!("from the file {}, which the agent reads again by itself", clip(path, QUOTED))
        }
        Back::Attached(name) => format!("with load_file from the attached file {}", clip(name, QUOTED)),
        Back::Referring => "as soon as a later turn refers to it".to_owned(),
        Back::Memory(id) => format!("from memory {}, once that is packed", id.0),
    }
}

/// What ended that a file was a way back.
fn ended(path: &str, by: End) -> String {
    let path = clip(path, QUOTED);
    match by {
        End::Removed => format!("the file {path} was removed or moved"),
        End::Changed => format!("the file {path} was changed and no longer says it"),
        End::Overwritten => format!("the file {path} was emptied or overwritten"),
        End::Unnamed => format!("nothing in the window names the file {path} any more"),
    }
}

/// Some files, by their names.
fn named(paths: &[String]) -> String {
    let shown: Vec<_> = paths.iter().map(|path| clip(path, QUOTED)).collect();
    match shown.as_slice() {
        [before @ .., last] if !before.is_empty() => format!("{} and {last}", before.join(", ")),
        shown => shown.join(""),
    }
}

/// The same as a sentence, with whether anybody did. What memories say of it is told by itself.
pub(super) fn retrievable(now: &Stay, trace: &Trace, run: &Run) -> Option<String> {
    let back = now.back.as_ref().filter(|_| now.sight != Sight::Unpacked)?;
    if let Back::Anew { path, step } = back {
        return Some(format!(
            "The file {} says it, as recorded since step {step}. The agent reads that file again after a compaction by its own rule; no record shows that it did.",
            clip(path, QUOTED)
        ));
    }
    if let Back::Ended { path, by } = back {
        let from = now.from;
        return Some(format!("At step {from} the last way back to it ended: {}.", ended(path, *by)));
    }
    if let Back::Perhaps { path, step } = back {
        return Some(format!(
            "The file {} said it; what was done at step {step} may have changed that, so whether it can be read back is not known.",
            clip(path, QUOTED)
        ));
    }
    if let Back::Among { paths, all: false } = back {
        let (files, may) = match paths.len() {
            1 => ("The file", "may say it: it was"),
            _ => ("One of the files", "may say it: they were"),
        };
        return Some(format!(
            "{files} {} {may} shown together with others, and nothing tells which did.",
            named(paths)
        ));
    }
    // Its text was seen where it was read before, or written there.
    let was_seen = trace.occurrences.iter().any(|one| {
        let mut before = one.stays.iter().take_while(|stay| stay.back != now.back);
        one.stays.iter().any(|stay| stay.back == now.back) && before.any(|stay| stay.sight.is_visible())
    });
    let read = match (run.track, trace.again) {
        (_, Some(_)) => "",
        (Track::Recorded, None) if was_seen => " Not read since.",
        (Track::Recorded, None) => " Never read.",
        (Track::Simulated, None) => " Nothing read later shows it again.",
    };
    Some(format!("Still retrievable {}.{read}", self::back(back)))
}
