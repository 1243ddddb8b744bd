//! The day, as caches note it of what they keep.

use std::time::{SystemTime, UNIX_EPOCH};

/// Whole days since the Unix epoch.
pub(super) fn today() -> u16 {
    let seconds = SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |since| since.as_secs());
    u16::try_from(seconds / 86_400).unwrap_or(u16::MAX)
}
