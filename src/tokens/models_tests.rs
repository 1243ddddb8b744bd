//! Names find their rows, users' rows override, costs add up.

use super::names::normal;
use super::{Counter, Encoding, ImageRule, Models, cost};
use crate::model::{Tier, Usage};

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
        ("gpt-4-0613", "gpt-4", 8_192),
        ("gpt-4-1106-preview", "gpt-4-1106-preview", 128_000),
        ("gpt-4-0125-preview", "gpt-4-0125-preview", 128_000),
        ("gpt-4-32k-0613", "gpt-4-32k", 32_768),
        ("gpt-5.2-chat-latest", "gpt-5.2-chat-latest", 128_000),
        ("o1-mini-2024-09-12", "o1-mini", 128_000),
        ("o1-2024-12-17", "o1", 200_000),
        ("gpt-35-turbo-16k", "gpt-35-turbo-16k", 16_385),
        ("ft:gpt-4o-mini-2024-07-18:acme-pro:mini:abc12", "ft:gpt-4o-mini", 128_000),
        ("gpt-4o:2024-08-06", "gpt-4o", 128_000),
        ("gpt-4-team-b", "gpt-4", 8_192),
        ("gemini-2.5-flash-09-2025", "gemini-2.5-flash", 1_048_576),
        ("claude-opus-4-20250514-v1:0", "claude-opus-4", 200_000),
        ("openai/gpt-4o-mini", "gpt-4o-mini", 128_000),
        ("google/gemini-2.5-pro-preview-05-06", "gemini-2.5-pro", 1_048_576),
        ("deepseek-v4-flash-free", "deepseek-v4-flash", 1_000_000),
        ("accounts/fireworks/models/gpt-oss-120b", "gpt-oss-120b", 131_072),
    ] {
        assert_eq!(found(name), Some((row.to_owned(), window)), "{name}");
    }
    // A version and a kind make another model, of which the row says nothing.
    for name in [
        "gpt-4.7",
        "gpt-4.5",
        "claude-opus-4-9",
        "claude-opus-4.10-20270101",
        "o3-nano",
        "deepseek-r1-distill-llama-70b",
        "gpt-5-turbo-2027-01-01",
    ] {
        assert_eq!(found(name), None, "{name:?}");
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
fn openais_models_are_counted_as_tiktoken_says() {
    let models = Models::built_in();
    for row in models.rows() {
        if &*row.vendor == "openai" && row.counter.exact {
            assert_eq!(Encoding::of_model(&row.name), Some(row.counter.encoding), "{}", row.name);
        }
    }
    for (name, encoding) in [
        ("gpt-4.5-preview", Encoding::O200kBase),
        ("openai/gpt-4.7", Encoding::Cl100kBase),
        ("gpt-5.9-mini", Encoding::O200kBase),
        ("gpt-35-turbo", Encoding::Cl100kBase),
        ("ft:gpt-3.5-turbo-0125:acme::x", Encoding::Cl100kBase),
        ("ft:gpt-4o-mini-2024-07-18:acme::x", Encoding::O200kBase),
        ("chatgpt-4o-latest", Encoding::O200kBase),
        ("text-embedding-3-small", Encoding::Cl100kBase),
        ("text-davinci-003", Encoding::P50kBase),
        ("davinci", Encoding::R50kBase),
        ("gpt-oss-120b", Encoding::O200kHarmony),
    ] {
        let counter = models.counter(name);
        let known = name != "openai/gpt-4.7";
        assert_eq!((known && counter.encoding == encoding, counter.exact), (known, known), "{name}");
    }
    assert_eq!(models.counter("computer-use-preview").images.tokens((1024, 1024)), 65 + 4 * 129);
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
    assert_eq!(table.counter("my-model-2027-01-01").encoding, Encoding::R50kBase);

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
    // By the vendor's rule an hour costs twice the input, here and at other sellers; where no rule is known, as 5
    // minutes.
    let hour = Usage { cache_write_1h: 1_000_000, ..cached };
    let of = |name| cost(&hour, models.find(name).unwrap().info).unwrap().cache_write;
    assert_eq!((of("claude-sonnet-4"), of("claude-opus-4-1"), of("claude-3-haiku")), (12.0, 30.0, 0.5));
    assert_eq!(of("gpt-4o"), 2.5);
    // Served later it costs half; what priority costs is not published for Claude.
    let served = |tier, name| cost(&Usage { tier, ..usage }, models.find(name).unwrap().info).map(|cost| cost.total());
    assert_eq!(served(Some(Tier::Batch), "claude-opus-4-5"), Some(15.0));
    assert_eq!(served(Some(Tier::Priority), "claude-opus-4-5"), None);
    assert_eq!(served(Some(Tier::Flex), "o3"), Some(5.0));
    assert_eq!(served(Some(Tier::Priority), "o3"), Some(17.5));
    assert_eq!(served(Some(Tier::Other), "o3"), None);
    // Above 200,000 tokens of context the whole request is dearer.
    let sonnet = models.find("claude-sonnet-4-5").unwrap().info;
    let at = |input| cost(&Usage { input, ..Usage::default() }, sonnet).unwrap().total();
    assert_eq!((at(200_000), at(400_000)), (0.6, 2.4));
}
