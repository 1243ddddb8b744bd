//! A language model behind a server: asked well and badly, over loopback.

mod client;
#[cfg(unix)]
mod consent;
mod proxy;
mod replay;
mod room;
pub mod server;
