//! Names of models as providers write them, brought to one form.

/// A name in the table's form.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Name {
    /// Lower case, without provider and region, `-` for `.` and `@`.
    pub text: String,
    /// Whether it said `[1m]`: a window of a million tokens.
    pub million: bool,
}

/// Words before a dot that say where a model is run (Amazon Bedrock's regions and makers).
const PLACES: &[&str] = &[
    "us",
    "eu",
    "apac",
    "au",
    "jp",
    "ca",
    "global",
    "us-gov",
    "anthropic",
    "openai",
    "meta",
    "mistral",
    "deepseek",
    "qwen",
    "google",
    "moonshot",
    "minimax",
    "zai",
];

/// `us.anthropic.claude-opus-4-5-20251101-v1:0`, `anthropic/claude-opus-4.5`, `claude-opus-4-5@20251101` and
/// `claude-opus-4-5[1m]` all begin with `claude-opus-4-5` then.
pub(super) fn normal(name: &str) -> Name {
    const LONGEST: usize = 256;
    let cut = name.char_indices().nth(LONGEST).map_or(name.len(), |(at, _)| at);
    let lower = name[..cut].trim().to_lowercase();
    let (lower, million) = match lower.strip_suffix("[1m]") {
        Some(rest) => (rest, true),
        None => (lower.as_str(), false),
    };
    let mut rest = lower.rsplit('/').next().unwrap_or(lower);
    while let Some((place, after)) = rest.split_once('.')
        && PLACES.contains(&place)
    {
        rest = after;
    }
    Name { text: rest.replace(['.', '@'], "-"), million }
}
