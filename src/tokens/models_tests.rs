//! Names find their rows, users' rows override, costs add up.

use super::names::normal;
use super::{Counter, Encoding, ImageRule, Models, cost};
use crate::model::Usage;

fn found(name: &str) -> Option<(String, u64)> {
    Models::built_in().find(name).map(|found| (found.info.name.clone(), found.window))
}

#[test]
fn the_built_in_table_is_whole() {
    let text = include_str!("models.toml");
    let parsed = Models::default().with(text).unwrap();
    assert_eq!(parsed.rows().len(), text.matches("{ name = ").count());
    assert_eq!(Models::built_in().rows().len(), parsed.rows().len());
    assert!(Models::built_in().date().is_some_and(|date| date.len() == 10));
    for row in Models::built_in().rows() {
        assert!(row.window >= 4096 && row.output.is_none_or(|output| output > 0), "{}", row.name);
        let priced = ["anthropic", "openai", "google"].contains(&&*row.vendor);
        assert!(row.price.is_some() || !priced, "{}", row.name);
        let read = row.price.and_then(|price| Some((price.cache_read?, price.input)));
        assert!(read.is_none_or(|(read, input)| read <= input), "{}", row.name);
        assert_eq!(found(&row.name).map(|(name, _)| name), Some(row.name.clone()));
    }
}

#[test]
fn names_as_transcripts_give_them_find_their_rows() {
    for (name, row, window) in [
        ("claude-opus-4-5-20251101", "claude-opus-4-5", 200_000),
        ("us.anthropic.claude-opus-4-5-20251101-v1:0", "claude-opus-4-5", 200_000),
        ("anthropic/claude-opus-4.5", "claude-opus-4-5", 200_000),
        ("claude-opus-4-5@20251101", "claude-opus-4-5", 200_000),
        ("claude-sonnet-4-20250514", "claude-sonnet-4", 200_000),
        ("claude-sonnet-4-5-20250929[1m]", "claude-sonnet-4-5", 1_000_000),
        ("Claude-3-5-Sonnet-20241022", "claude-3-5-sonnet", 200_000),
        ("claude-3-5-sonnet-20240620", "claude-3-5-sonnet-20240620", 200_000),
        ("gpt-5-2025-08-07", "gpt-5", 272_000),
        ("gpt-5.3-codex", "gpt-5.3-codex", 272_000),
        ("gpt-4.1-mini-2025-04-14", "gpt-4.1-mini", 1_047_576),
        ("gpt-4-1106-preview", "gpt-4", 8_192),
        ("openai/gpt-4o-mini", "gpt-4o-mini", 128_000),
        ("google/gemini-2.5-pro-preview-05-06", "gemini-2.5-pro", 1_048_576),
        ("deepseek-v4-flash-free", "deepseek-v4-flash", 1_000_000),
        ("accounts/fireworks/models/gpt-oss-120b", "gpt-oss-120b", 131_072),
    ] {
        assert_eq!(found(name), Some((row.to_owned(), window)), "{name}");
    }
    for name in ["", "<synthetic>", "gpt", "claude", "default", "gpt-4oo", "\u{1b}[31m", "/", "."] {
        assert_eq!(found(name), None, "{name:?}");
    }
    assert!(normal(&"é".repeat(10_000)).text.chars().count() <= 256);
}

#[test]
fn unknown_names_count_as_their_vendors_do() {
    let models = Models::built_in();
    assert!(models.counter("gpt-5-codex").exact);
    assert_eq!(models.counter("codex-auto-review").encoding, Encoding::O200kBase);
    assert!(!models.counter("codex-auto-review").exact);
    let claude = models.counter("claude-opus-99");
    assert_eq!(claude, Counter { exact: false, ..models.counter("claude-opus-4-1") });
    assert_eq!(models.counter("somebody/else"), super::models::UNKNOWN);
}

#[test]
fn users_rows_override() {
    let table = Models::built_in()
        .with(
            r#"
            [[vendor]]
            name = "anthropic"
            models = [{ name = "claude-opus-4-6", window = 200_000 }, { name = "claude-next", window = 5_000 }]
            [[vendor]]
            name = "mine"
            encoding = "r50k_base"
            exact = true
            models = [{ name = "my-model", window = 4_096, price = { input = 1, output = 2 } }]
            "#,
        )
        .unwrap();
    let opus = table.find("claude-opus-4-6").unwrap();
    let known = Models::built_in().find("claude-opus-4-6").unwrap();
    assert_eq!((opus.window, opus.info.price, opus.info.output), (200_000, known.info.price, known.info.output));
    assert_eq!(table.find("claude-next").unwrap().info.counter.images, ImageRule::named("claude").unwrap());
    assert_eq!(table.counter("my-model-2").encoding, Encoding::R50kBase);

    let refused = |text: &str| Models::built_in().with(text).unwrap_err().to_string();
    assert!(refused("[[vendor]]\nname = \"x\"\nmodels = [{ name = \"y\" }]").contains("`window` is missing"));
    assert!(refused("[[vendor]]\nname = \"x\"\nencoding = \"o201k\"").contains("o200k_base"));
    assert!(refused("[[vendor]]\nname = \"x\"\nimages = \"?\"").contains("claude_high"));
    assert!(refused("[[vendor]]\nname = \"x\"\ncolour = 1").contains("colour"));
}

#[test]
fn costs_are_by_part_and_by_size() {
    let models = Models::built_in();
    let usage = Usage { input: 1_000_000, cache_read: 0, cache_write: 0, output: Some(1_000_000), ..Usage::default() };
    let opus = models.find("claude-opus-4-5").unwrap().info;
    let whole = cost(&usage, opus).unwrap();
    assert_eq!((whole.input, whole.cache_read, whole.output, whole.total()), (5.0, 0.0, 25.0, 30.0));
    let cached = Usage { input: 0, cache_read: 1_000_000, cache_write: 1_000_000, ..Usage::default() };
    assert_eq!(cost(&cached, opus).unwrap().total(), 0.5 + 6.25);
    let long = Usage { cache_write_1h: 600_000, ..cached };
    assert_eq!(cost(&long, opus).unwrap().cache_write, 0.4 * 6.25 + 0.6 * 10.0);
    // Above 200,000 tokens of context the whole request is dearer.
    let sonnet = models.find("claude-sonnet-4-5").unwrap().info;
    let at = |input| cost(&Usage { input, ..Usage::default() }, sonnet).unwrap().total();
    assert_eq!((at(200_000), at(400_000)), (0.6, 2.4));
}
