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
    asked(process, |process| Used {
        memory: process.virtual_memory(),
        work: Duration::from_millis(process.accumulated_cpu_time()),
    })
}

/// Processor time that a process has used; as much as can be where that cannot be told.
pub(super) fn work_of(process: u32) -> Duration {
    used_by(process).map_or(Duration::MAX, |used| used.work)
}

/// Bytes of memory that a process has in use; 0 where that cannot be told.
pub(super) fn memory_of(process: u32) -> u64 {
    asked(process, sysinfo::Process::memory).unwrap_or(0)
}
