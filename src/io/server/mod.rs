//! A language model that the user names, behind a server of theirs: requests as both APIs want them, sent only when
//! somebody says so, and answers read as they stream in.
//!
//! Nothing here decides whether to ask. A request is bytes before it is sent, so that it can be shown, priced and known
//! by its hash; what was answered is kept under that hash.

mod adapt;
mod call;
mod error;
mod events;
mod kept;
mod protocol;
mod secrets;
mod speaks;

pub use call::{Patience, Progress, ask};
pub use error::AskError;
pub use kept::{AnswerCache, KeptAnswer};
pub use protocol::{Endpoint, EndpointError, Reply, Request, Said, Stopped};
pub use secrets::shown_address;
