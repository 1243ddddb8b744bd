//! Counting tokens: exact encodings, estimates, counts by content, the models' table, calibration.

mod counts;
#[cfg(test)]
mod counts_tests;
mod cut;
mod encoding;
#[cfg(test)]
mod encoding_tests;
mod images;
mod media;
mod pixels;

pub use counts::{Count, Counter, Counts, Key, estimate_body};
pub use cut::{cut_head, cut_tail};
pub use encoding::{Encoding, count, estimate};
pub use images::{IMAGE_RULES, ImageRule};
pub use pixels::{pixels, pixels_of};
