//! A language model behind a server: asked well and badly, over loopback.

mod client;
mod replay;
pub mod server;
