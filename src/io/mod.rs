//! What touches the world beside the terminal: files, spools, folders, caches.

mod files;
mod siblings;
mod spool;

pub use files::FileBytes;
pub use siblings::FolderSiblings;
pub use spool::{Packing, packing_of, spool};
