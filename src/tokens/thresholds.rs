//! When agents compact by themselves, and how much of a model's window they use.

use serde::Serialize;

/// How well a figure is known.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Origin {
    /// Seen in real transcripts.
    Measured,
    /// Read in the agent's public code.
    Code,
    /// Said by the agent's documentation.
    Documented,
    /// Worked out from other figures.
    Estimated,
}

/// Tokens of context at which an agent compacts.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub struct Threshold {
    /// A request of at least that context is preceded by a compaction.
    pub tokens: u64,
    /// How well that is known.
    pub origin: Origin,
    /// Where it comes from, in one sentence.
    pub source: &'static str,
}

/// The window that agents of old versions used of any model.
const CLASSIC_WINDOW: u64 = 200_000;

/// The raw window that Codex uses of a larger one.
const CODEX_WINDOW: u64 = 272_000;

/// When an agent compacts, given the window that it uses. `version` is the agent's (`2.1.20`); where it is not known,
/// the newest rule is taken. `None` for formats that are no agent's and for agents whose rule is not known.
#[must_use]
pub fn threshold(format: &str, version: Option<&str>, window: u64) -> Option<Threshold> {
    match format {
        "claude_code" | "claude_stream_json" => Some(claude_code(version.map(parts), window)),
        "codex" => Some(codex(window)),
        "gemini_cli" => Some(Threshold {
            tokens: window / 2,
            origin: Origin::Code,
            source: "Gemini CLI compresses at half of the window (0.7 in older versions).",
        }),
        "pi" => Some(Threshold {
            tokens: window.saturating_sub(16_384),
            origin: Origin::Documented,
            source: "Pi compacts when fewer than 16,384 tokens are left.",
        }),
        "inspect_ai" => Some(Threshold {
            tokens: window / 10 * 9,
            origin: Origin::Code,
            source: "inspect_ai compacts at 0.9 of the window, where it is told to compact at all.",
        }),
        _ => None,
    }
}

fn claude_code(version: Option<[u32; 3]>, window: u64) -> Threshold {
    // Claude Code's changelog, 2.1.21: auto-compact had triggered too early on models with large output limits.
    let old = version.is_some_and(|version| version < [2, 1, 21]);
    let reserve = if old { 45_000 } else { 33_000 };
    let tokens = window.saturating_sub(reserve);
    if window != CLASSIC_WINDOW {
        let source = "The reserve of 33,000 tokens (45,000 before 2.1.21) of a window of 200,000, taken from this one.";
        return Threshold { tokens, origin: Origin::Estimated, source };
    }
    let source = if old {
        "Seen in versions 2.0.76 to 2.1.20: fires at 155,000 tokens of context or more."
    } else {
        "Seen in versions 2.1.25 to 2.1.42: fires at 167,000 tokens of context or more."
    };
    Threshold { tokens, origin: Origin::Measured, source }
}

/// The raw window of Codex. It states its effective one, 95 % of the raw one; its older versions state the raw one.
#[must_use]
pub fn codex_raw(window: u64) -> u64 {
    if window.is_multiple_of(19) { (window / 19).saturating_mul(20) } else { window }
}

fn codex(window: u64) -> Threshold {
    Threshold {
        tokens: codex_raw(window) / 10 * 9,
        origin: Origin::Code,
        source: "Codex compacts at 90 % of the raw window, of which it shows 95 %.",
    }
}

/// How much of a model's window an agent uses, where no transcript says: Claude Code before 2.1.75 used 200,000 tokens
/// of any model but where the model's name ended in `[1m]` (`stated`; Claude Code's changelog, 2.1.75). Codex was seen
/// to use 272,000 of models with four times as much.
#[must_use]
pub fn agent_window(format: &str, version: Option<&str>, window: u64, stated: bool) -> u64 {
    if format == "codex" {
        return window.min(CODEX_WINDOW);
    }
    let claude_code = matches!(format, "claude_code" | "claude_stream_json");
    let old = version.is_some_and(|version| parts(version) < [2, 1, 75]);
    if claude_code && old && !stated { window.min(CLASSIC_WINDOW) } else { window }
}

/// `2.1.20-beta` as `[2, 1, 20]`; what is no number counts as 0.
fn parts(version: &str) -> [u32; 3] {
    let mut numbers = version.split('.').map(|part| {
        let digits = part.find(|sign: char| !sign.is_ascii_digit()).map_or(part, |end| &part[..end]);
        digits.parse().unwrap_or(0)
    });
    std::array::from_fn(|_| numbers.next().unwrap_or(0))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(format: &str, version: &str, window: u64) -> Option<u64> {
        threshold(format, Some(version).filter(|version| !version.is_empty()), window).map(|found| found.tokens)
    }

    #[test]
    fn each_agent_compacts_where_it_was_seen_to() {
        assert_eq!(at("claude_code", "2.0.76", 200_000), Some(155_000));
        assert_eq!(at("claude_code", "2.1.20", 200_000), Some(155_000));
        assert_eq!(at("claude_code", "2.1.21", 200_000), Some(167_000));
        assert_eq!(at("claude_code", "2.1.25", 200_000), Some(167_000));
        assert_eq!(at("claude_code", "", 200_000), Some(167_000));
        assert_eq!(at("claude_code", "2.1.232", 1_000_000), Some(967_000));
        assert_eq!(at("codex", "0.144.2", 258_400), Some(244_800));
        assert_eq!(at("codex", "0.144.2", 353_400), Some(334_800));
        assert_eq!(at("codex", "0.42.0", 272_000), Some(244_800));
        assert_eq!(at("openai_chat", "", 128_000), None);
        assert_eq!(at("claude_code", "x.y", 0), Some(0));
        assert_eq!(at("codex", "", u64::MAX).map(|tokens| tokens > 0), Some(true));
    }

    #[test]
    fn old_claude_code_used_200k_of_any_model() {
        assert_eq!(agent_window("claude_code", Some("2.1.39"), 1_000_000, false), 200_000);
        assert_eq!(agent_window("claude_code", Some("2.1.39"), 1_000_000, true), 1_000_000);
        assert_eq!(agent_window("claude_code", Some("2.1.232"), 1_000_000, false), 1_000_000);
        assert_eq!(agent_window("claude_code", None, 1_000_000, false), 1_000_000);
        assert_eq!(agent_window("anthropic_messages", Some("1"), 1_000_000, false), 1_000_000);
    }

    #[test]
    fn codex_uses_272k_of_larger_windows() {
        assert_eq!(agent_window("codex", Some("0.144.2"), 1_050_000, false), 272_000);
        assert_eq!(agent_window("codex", None, 128_000, false), 128_000);
    }

    #[test]
    fn versions_compare_as_numbers() {
        assert!(parts("2.1.9") < parts("2.1.10"));
        assert_eq!(parts("2.1.20-beta.1"), [2, 1, 20]);
        assert_eq!(parts("99999999999999.é"), [0, 0, 0]);
    }
}
