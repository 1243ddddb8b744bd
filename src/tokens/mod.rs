//! Counting tokens: exact encodings, estimates, counts by content, the models' table, calibration.

mod calibrate;
mod counts;
#[cfg(test)]
mod counts_tests;
mod cut;
mod definition;
mod encoding;
#[cfg(test)]
mod encoding_tests;
mod images;
mod media;
mod models;
#[cfg(test)]
mod models_tests;
mod names;
mod pairs;
mod pixels;
mod stream;

pub use calibrate::{fit, scaled};
pub use counts::{Count, Counter, Counts, Kept, Key, estimate_body};
pub use cut::cut_head;
pub use encoding::{Encoding, count, each_token_end, estimate};
pub use images::{IMAGE_RULES, ImageRule, USUAL_PIXELS};
pub use models::{Above, Found, ModelInfo, Models, ModelsError, Price, Tiers, cost};
pub use pixels::{pixels, pixels_of};
pub use stream::{Streamed, count_stream};
