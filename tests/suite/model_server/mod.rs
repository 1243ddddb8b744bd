//! A language model behind a server: asked well and badly, over loopback.

mod client;
pub mod server;
