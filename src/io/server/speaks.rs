//! The APIs that a server may speak: where each is asked, and which variable holds its key.

/// What a server speaks.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Speaks {
    /// OpenAI's chat completions.
    OpenAi,
    /// Anthropic's messages.
    Anthropic,
}

impl Speaks {
    /// The address that is meant where none is named.
    pub(super) fn address(self) -> &'static str {
        match self {
            Speaks::OpenAi => "https://api.openai.com/v1",
            Speaks::Anthropic => "https://api.anthropic.com/v1",
        }
    }

    /// The variable that holds the key for that address.
    pub(super) fn variable(self) -> &'static str {
        match self {
            Speaks::OpenAi => "OPENAI_API_KEY",
            Speaks::Anthropic => "ANTHROPIC_API_KEY",
        }
    }

    /// Where requests go below an address.
    pub(super) fn path(self) -> &'static str {
        match self {
            Speaks::OpenAi => "/chat/completions",
            Speaks::Anthropic => "/messages",
        }
    }
}
