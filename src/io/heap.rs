//! How much freed memory the process keeps.

/// Bytes of the block that is freed; glibc follows blocks up to 32 MiB.
const BLOCK: usize = 31 << 20;

/// Lets the process keep memory that it frees for what it takes next. A replay of a long session takes some ten megabytes
/// and frees them; glibc gave them back to the system each time, and faulting them in anew was half of a replay's time.
/// It keeps twice as much as the largest block that was ever freed (`mallopt(3)`: dynamic threshold): so one is freed,
/// of which no byte is ever touched. Other allocators take no notice.
pub fn keep_freed_memory() {
    drop(std::hint::black_box(Vec::<u8>::with_capacity(BLOCK)));
}
