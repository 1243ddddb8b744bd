//! In which order the records of a log belong together, where it is not the one that they stand in.

use std::collections::{HashMap, VecDeque};

use super::Exchange;
use super::read::{Entry, Found};

/// Puts the oldest first, where all say when they were and each is older than the one before it: some programs list the
/// newest first.
pub(super) fn oldest_first(found: &mut [Found]) {
    if found.iter().any(|one| matches!(one.entry, Entry::Message(_))) {
        return;
    }
    let times: Option<Vec<i64>> = found.iter().filter_map(Found::exchanged).map(|exchange| exchange.at).collect();
    let times = times.unwrap_or_default();
    if times.first() > times.last() && times.is_sorted_by(|one, next| one >= next) {
        found.reverse();
    }
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
