//! What the system tells of a process that runs.

use std::time::Duration;

use sysinfo::{Pid, ProcessRefreshKind, ProcessesToUpdate, System};

/// What a process has used.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Used {
    /// Bytes of memory that it has taken, whether it has touched them or not.
    pub memory: u64,
    /// Processor time.
    pub work: Duration,
}

impl Used {
    /// What was used since.
    pub fn since(self, before: Used) -> Used {
        Used { memory: self.memory.saturating_sub(before.memory), work: self.work.saturating_sub(before.work) }
    }
}

fn asked<T>(process: u32, tell: impl Fn(&sysinfo::Process) -> T) -> Option<T> {
    let id = Pid::from_u32(process);
    let mut system = System::new().ok()?;
    let what = ProcessRefreshKind::nothing().with_cpu().with_memory().without_tasks();
    let _ = system.refresh_processes_specifics(ProcessesToUpdate::Some(&[id]), true, what);
    system.process(id).map(tell)
}

/// What a process has used; `None` where that cannot be told.
pub(super) fn used_by(process: u32) -> Option<Used> {
    listed(process).or_else(|| {
        asked(process, |process| Used {
            memory: process.virtual_memory(),
            work: Duration::from_millis(process.accumulated_cpu_time()),
        })
    })
}

/// The same out of the line in which Linux lists it: to ask for all that is known of processors beside it takes longer than
/// to read a small document.
fn listed(process: u32) -> Option<Used> {
    if !cfg!(target_os = "linux") {
        return None;
    }
    used_in(&std::fs::read_to_string(format!("/proc/{process}/stat")).ok()?)
}

/// What such a line tells (`proc_pid_stat(5)`).
fn used_in(line: &str) -> Option<Used> {
    /// Milliseconds of one of the ticks that it counts in, a hundred a second.
    const TICK: u64 = 10;
    // The program's name, which may hold anything, stands between brackets.
    let (_, behind) = line.rsplit_once(')')?;
    // Its first field is the third of the line.
    let field = |number: usize| behind.split_ascii_whitespace().nth(number - 3)?.parse::<u64>().ok();
    let ticks = field(14)?.saturating_add(field(15)?);
    Some(Used { memory: field(23)?, work: Duration::from_millis(ticks.saturating_mul(TICK)) })
}

/// Processor time that a process has used; as much as can be where that cannot be told.
pub(super) fn work_of(process: u32) -> Duration {
    used_by(process).map_or(Duration::MAX, |used| used.work)
}

/// Bytes of memory that a process has in use; 0 where that cannot be told.
pub(super) fn memory_of(process: u32) -> u64 {
    asked(process, sysinfo::Process::memory).unwrap_or(0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_a_process_uses_stands_in_its_line() {
        let line = "7 (a) b (c)) S 1 7 7 0 -1 4194304 90 0 0 0 12 3 4 5 20 0 1 0 99 8192 50 18446744073709551615\n";
        assert_eq!(used_in(line), Some(Used { memory: 8_192, work: Duration::from_millis(150) }));
        assert_eq!(used_in("7 (a) S 1"), None);
        assert_eq!(used_in(""), None);
        // This process has memory, whichever way it is asked for.
        let own = std::process::id();
        let known = asked(own, |process| process.virtual_memory());
        assert!(known > Some(0) && (!cfg!(target_os = "linux") || listed(own).is_some_and(|used| used.memory > 0)));
    }
}
