//! What the system tells of a process that runs.

use std::time::Duration;

/// Processor time that a process has used; as much as can be where that cannot be told.
pub(super) fn work_of(process: u32) -> Duration {
    let id = sysinfo::Pid::from_u32(process);
    let Ok(mut system) = sysinfo::System::new() else {
        return Duration::MAX;
    };
    let _ = system.refresh_processes(sysinfo::ProcessesToUpdate::Some(&[id]), true);
    system.process(id).map_or(Duration::MAX, |process| Duration::from_millis(process.accumulated_cpu_time()))
}

/// Bytes of memory that a process has in use; 0 where that cannot be told.
pub(super) fn memory_of(process: u32) -> u64 {
    let id = sysinfo::Pid::from_u32(process);
    let Ok(mut system) = sysinfo::System::new() else {
        return 0;
    };
    let _ = system.refresh_processes(sysinfo::ProcessesToUpdate::Some(&[id]), true);
    system.process(id).map_or(0, sysinfo::Process::memory)
}
