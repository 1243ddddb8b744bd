//! Names of models as providers write them, brought to one form.

/// A name in the table's form.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Name {
    /// Lower case, without provider and region, `-` for `.` and `@`.
    pub text: String,
    /// The same with its own dots, as tiktoken's table of models has them.
    pub dotted: String,
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
    Name { text: rest.replace(['.', '@'], "-"), dotted: rest.to_owned(), million }
}

/// Words that make another model of a name: its size, its kind, what it is for.
const KINDS: &[&str] = &[
    "air",
    "audio",
    "chat",
    "code",
    "coder",
    "codex",
    "cyber",
    "distill",
    "embed",
    "embedding",
    "fast",
    "flash",
    "guard",
    "highspeed",
    "image",
    "large",
    "law",
    "lightning",
    "lite",
    "live",
    "mamba",
    "math",
    "max",
    "medium",
    "micro",
    "mini",
    "nano",
    "omni",
    "plus",
    "pro",
    "realtime",
    "research",
    "search",
    "small",
    "spark",
    "tiny",
    "transcribe",
    "tts",
    "turbo",
    "ultra",
    "vision",
    "vl",
];

/// Whether what follows a row's name leaves it the same model: a date, a revision, a state, a size of weights, but no
/// version (`-5` of `gpt-4.5`) and no kind (`-mini`). After a colon stands what a seller or the user added.
pub(super) fn same_model(rest: &str) -> bool {
    let rest = rest.split(':').next().unwrap_or_default();
    let mut words = rest.split(['-', '_', ' ']).filter(|word| !word.is_empty()).peekable();
    let digits =
        |word: &str, lengths: &[usize]| lengths.contains(&word.len()) && word.bytes().all(|byte| byte.is_ascii_digit());
    let Some(first) = words.peek().copied() else { return true };
    let version = digits(first, &[1, 2]) && {
        let month = digits(first, &[2]) && (1..=12).contains(&first.parse().unwrap_or(0));
        let dated = words.clone().nth(1).is_some_and(|next| digits(next, &[2, 4]));
        !(month && dated)
    };
    !version && !words.any(|word| KINDS.contains(&word))
}
