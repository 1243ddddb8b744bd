//! In which order the records of a log belong together, where it is not the one that they stand in.

use std::collections::{HashMap, VecDeque};

use super::Exchange;
use super::read::{Entry, Found};

/// Puts the oldest first, where all say when they were: some programs list the newest first, or by runs. What was asked
/// in the same moment keeps its order, or that which the others had where most are listed newest first.
pub(super) fn oldest_first(found: &mut Vec<Found>) {
    if found.iter().any(|one| matches!(one.entry, Entry::Message(_))) {
        return;
    }
    let times: Option<Vec<i64>> = found.iter().filter_map(Found::exchanged).map(|exchange| exchange.at).collect();
    let times = times.unwrap_or_default();
    let steps = |is: fn(i64, i64) -> bool| {
        let pairs = times.iter().zip(times.iter().skip(1));
        pairs.filter(|(one, next)| is(**one, **next)).count()
    };
    let (back, on) = (steps(|one, next| one > next), steps(|one, next| one < next));
    // A response on a line of its own comes behind its request, whatever its clock says.
    let is_apart = found.iter().filter_map(Found::exchanged).any(|exchange| !exchange.asked);
    if back > on && (on == 0 || !is_apart) {
        found.reverse();
    }
    if back == 0 || on == 0 || is_apart {
        return;
    }
    // What is no exchange stays behind the one before it.
    let mut at = i64::MIN;
    let mut timed: Vec<(i64, Found)> = std::mem::take(found)
        .into_iter()
        .map(|one| {
            at = one.exchanged().and_then(|exchange| exchange.at).unwrap_or(at);
            (at, one)
        })
        .collect();
    timed.sort_by_key(|(at, _)| *at);
    found.extend(timed.into_iter().map(|(_, one)| one));
}

/// Puts responses on lines of their own to the requests before them that have the same id.
pub(super) fn pair(found: &mut [Found]) {
    let mut open: HashMap<String, VecDeque<usize>> = HashMap::new();
    for at in 0..found.len() {
        let Some((before, [one, ..])) = found.split_at_mut_checked(at) else { return };
        let Entry::Exchange(exchange) = &mut one.entry else { continue };
        let Some(call) = exchange.call.clone() else { continue };
        if exchange.asked {
            if exchange.answer.is_none() {
                open.entry(call).or_default().push_back(at);
            }
            continue;
        }
        let request = open.get_mut(&call).and_then(VecDeque::pop_front).and_then(|request| before.get_mut(request));
        if let Some(Found { entry: Entry::Exchange(request), .. }) = request {
            answer(request, exchange);
            one.entry = Entry::Other(String::new());
        }
    }
}

fn answer(request: &mut Exchange, response: &mut Exchange) {
    request.answer = response.answer.take();
    request.model = response.model.take().or(request.model.take());
    request.faults.append(&mut response.faults);
}
