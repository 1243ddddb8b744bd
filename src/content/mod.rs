//! Text on demand: reads spans out of huge files, through JSON escapes.

mod bytes;
mod decode;
mod encode;
mod hash;
mod inflate;
mod joined;
mod line;
mod locate;
mod solid;
mod sources;
mod watch;
mod zstd;

pub use bytes::{MemoryBytes, ReadAt, mark_length, read_memory};
pub use decode::{count_chars, decode, decode_json_string, hex_byte, hex4, joined_breaks};
pub use encode::{encode_json_string, steers_terminal};
pub use hash::{hash, join_hashes};
pub use inflate::{GzipReader, Inflate, is_gzip};
pub use joined::{joined, place_in, places_in};
pub use line::one_line;
pub use locate::{stored_offset, stored_offsets, stored_range};
pub use solid::string_end;
pub use sources::{ContentError, Sources};
pub use watch::Watch;
pub use zstd::{ZstdReader, is_zstd};
