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

    /// Whether requests go right below an address, as the clients of each API have it: OpenAI's put nothing between but
    /// where there is no path; Anthropic's put the version there, unless it is the address's end.
    pub(super) fn is_versioned(self, base: &str, path: &str) -> bool {
        let last = base.rsplit('/').next().unwrap_or_default();
        match self {
            Speaks::OpenAi => !path.trim_matches('/').is_empty(),
            Speaks::Anthropic => {
                last.strip_prefix('v').is_some_and(|rest| rest.starts_with(|sign: char| sign.is_ascii_digit()))
            }
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
