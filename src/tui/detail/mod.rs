//! One entry's text, laid out as far as it is seen.
//!
//! [`read`] gets an entry's text out of the sources, [`Detail`] shows it, and a [`Worker`] makes the colours and
//! pictures that the screen then asks for.

mod call;
mod compose;
mod content;
mod draw;
mod find;
mod highlight;
mod hits;
mod json;
mod lines;
mod markdown;
mod moving;
mod picture;
mod read;
mod section;
mod table;
mod view;
mod worker;
mod wrap;

pub use wrap::wrap;

pub use content::{Content, Form, Ink, Inked, Media, Piece};
pub use find::find;
pub use lines::Lines;
pub use picture::PictureJob;
pub use read::read;
pub use view::Detail;
pub use worker::{Done, Job, Owner, Worker};
