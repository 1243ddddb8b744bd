//! What is said of a fact that only stood in requests which were refused as too long.

use super::counted;
use crate::inquiry::{Loss, Stay, Trace};
use crate::model::Run;

/// That a fact only stood in requests that were refused as too long, and from when on they went through with it.
pub(super) fn refused(trace: &Trace, loss: Loss, stay: &Stay, run: &Run, said: &mut Vec<String>) {
    let step = trace.need.step();
    let since = match loss.step == step {
        true => format!("At step {step}"),
        false => format!("From step {} on", loss.step),
    };
    let (figures, whose) = (refusal(stay, run), if loss.step == step { "that" } else { "those" });
    let requests = if loss.step == step { "request was" } else { "requests were" };
    said.push(format!("{since} it stands in the window, but the {requests} refused as too long{figures}."));
    said.push(format!("The model never got {whose}: at step {step} nothing in it was there to read."));
    let later = |stay: &&Stay| stay.sight.is_visible() && stay.from > step;
    let next = trace.occurrences.iter().flat_map(|one| one.stays.iter().find(later)).map(|stay| stay.from).min();
    said.extend(next.map(|next| format!("The request of step {next} went through with it.")));
}

/// What was refused as too long, in tokens, and how many fit, in brackets.
pub(super) fn refusal(stay: &Stay, run: &Run) -> String {
    match stay.refusal(run) {
        Some((used, size)) if used > size => {
            format!(" ({}, where {})", counted(used, "token", "tokens"), counted(size, "fits", "fit"))
        }
        _ => String::new(),
    }
}
