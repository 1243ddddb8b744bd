//! What else a transcript holds beside the conversation that is shown: one line, so that nobody takes a part for all.

use crate::engine::recorded;
use crate::model::{Op, Run, Step, ThreadId, ThreadKind, Track};
use crate::present::{Tone, count, price};

use super::load::Session;
use super::print::Printer;

/// Whether a thread is of some kind.
type Is = fn(ThreadKind) -> bool;

/// Where there are more, what they cost is not added up.
const PRICED: usize = 500;

/// Says which other conversations there are, what they cost as recorded, and how to see them.
pub fn other_threads(session: &Session, run: &Run, printer: &mut Printer) -> anyhow::Result<()> {
    let shown = run.thread.0 as usize;
    let threads = || session.transcript.threads.iter().enumerate().filter(|(at, _)| *at != shown);
    let numbers: Vec<usize> = threads().filter(|(_, thread)| !thread.requests.is_empty()).map(|(at, _)| at).collect();
    let (Some(first), Some(last)) = (numbers.first(), numbers.last()) else { return Ok(()) };
    let kinds: [(&str, &str, Is); 4] = [
        ("the session itself", "the session itself", |kind| kind == ThreadKind::Main),
        ("subagent", "subagents", |kind| matches!(kind, ThreadKind::Subagent(_))),
        ("call for a summary", "calls for summaries", |kind| kind == ThreadKind::Summariser),
        ("other conversation", "other conversations", |kind| kind == ThreadKind::Conversation),
    ];
    let of = |is: Is| threads().filter(|(_, thread)| !thread.requests.is_empty() && is(thread.kind)).count();
    let said = kinds.into_iter().filter_map(|(one, more, is)| match of(is) {
        0 => None,
        _ if one == more => Some(one.to_owned()),
        1 => Some(format!("1 {one}")),
        many => Some(format!("{} {more}", count(many as u64))),
    });
    let mut line = format!("beside it: {}", said.collect::<Vec<_>>().join(", "));
    // What wrote the summaries of the recorded track is in its own price.
    let own = session.transcript.threads.get(shown).map(|thread| thread.ops.as_slice()).unwrap_or_default();
    let is_own = |at: &usize| {
        let names = |op: &Op| matches!(op, Op::Compact(one) if one.summariser.is_some_and(|id| id.0 as usize == *at));
        run.track == Track::Recorded && own.iter().any(names)
    };
    let apart: Vec<usize> = numbers.iter().copied().filter(|at| !is_own(at)).collect();
    if numbers.len() <= PRICED
        && let Some((cost, costs_more)) = cost(session, &apart)?
    {
        line.push_str(&format!(", {}", price(cost, costs_more)));
        line.push_str(if apart.len() < numbers.len() { " without the calls for its summaries" } else { "" });
    }
    let places = if first == last { first.to_string() } else { format!("N, {first} to {last}") };
    line.push_str(&format!(" (--thread {places})"));
    printer.line(&[(&line, Tone::Faint)])?;
    Ok(())
}

/// What the requests of these threads cost, and whether it is more than that; `None` where none has a price.
fn cost(session: &Session, threads: &[usize]) -> anyhow::Result<Option<(f64, bool)>> {
    let known = session.known()?;
    let mut sum = None;
    for at in threads {
        let id = ThreadId(u32::try_from(*at).unwrap_or(u32::MAX));
        let facts = known.facts(&session.transcript, session.thread(id)?);
        let run = recorded(&session.transcript, id, facts);
        for step in run.steps.iter() {
            if let Some(cost) = &step.cost {
                let (known, more) = sum.unwrap_or((0.0, false));
                sum = Some((known + cost.total(), more || Step::costs_more(step)));
            }
        }
    }
    Ok(sum)
}
