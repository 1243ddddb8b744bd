//! Counts and cuts against tiktoken, over generated and hostile text.

use proptest::prelude::*;
use tiktoken_rs::CoreBPE;

use super::{Encoding, count, cut_head};

/// tiktoken's encoder of the same name.
fn reference(encoding: Encoding) -> Option<&'static CoreBPE> {
    Some(match encoding {
        Encoding::O200kBase => tiktoken_rs::o200k_base_singleton(),
        Encoding::O200kHarmony => tiktoken_rs::o200k_harmony_singleton(),
        Encoding::Cl100kBase => tiktoken_rs::cl100k_base_singleton(),
        Encoding::P50kBase => tiktoken_rs::p50k_base_singleton(),
        Encoding::P50kEdit => tiktoken_rs::p50k_edit_singleton(),
        Encoding::R50kBase | Encoding::Gpt2 => tiktoken_rs::r50k_base_singleton(),
        Encoding::Estimate => return None,
    })
}

fn check(text: &str) {
    for encoding in Encoding::ALL.iter().copied() {
        if let Some(reference) = reference(encoding) {
            assert_eq!(
                count(text, encoding),
                reference.encode_ordinary(text).len() as u64,
                "{} of {text:?}",
                encoding.name()
            );
        }
    }
}

#[test]
fn counts_equal_tiktokens_where_splitting_is_hard() {
    let blanks = ["", " ", "  ", "\n", "\n\n", "\r\n", "\t", " \n ", "\n  ", "\u{a0}", "\u{3000}", "\u{85}", "\u{b}\r"];
    let words = [
        "",
        "a",
        "Foo",
        "don't",
        "'S",
        "'ſ",
        "1234567",
        "½",
        "…//\n",
        "日本語",
        "e\u{301}",
        "é",
        "ǅ",
        "👩‍👩‍👧",
        "<|endoftext|>",
    ];
    for before in blanks {
        for word in words {
            for after in blanks {
                check(&format!("{before}{word}{after}"));
                check(&format!("x{before}{after}{word}{after}{before}"));
            }
        }
    }
}

#[test]
fn text_of_special_tokens_is_ordinary_text() {
    assert!(count("<|endoftext|>", Encoding::O200kBase) > 1);
    assert!(count("<|start|>system<|message|>", Encoding::O200kHarmony) > 3);
}

#[test]
fn text_is_not_normalised() {
    check("Cafe\u{301} \u{1100}\u{1161}\u{11a8} \u{212b} ﬁ");
    assert_ne!(count("e\u{301}", Encoding::Cl100kBase), count("é", Encoding::Cl100kBase));
}

fn pieces() -> impl Strategy<Value = String> {
    prop_oneof![
        "[ \t\r\n\u{a0}\u{85}\u{3000}\u{2028}]{0,40}",
        "[a-zA-Z']{0,20}",
        "[A-Z][a-z]+('s|'LL|'Re)?",
        "[0-9]{1,12}",
        "\\PC{0,12}",
        "[\\p{Lu}\\p{Lt}\\p{Lm}\\p{Lo}\\p{M}\\p{N}]{0,12}",
        "(\r\n){0,9}[ ]{0,9}",
        "[👍🏽👨‍👩‍👧🇩🇪❤️]{0,6}",
        "[!-/:-@]{0,12}[\r\n/]{0,4}",
        Just("<|endoftext|>".to_owned()),
        any::<char>().prop_map(|sign| sign.to_string()),
        (any::<char>(), 1usize..300).prop_map(|(sign, times)| sign.to_string().repeat(times)),
        ("[a-z]{1,3}", 1usize..200).prop_map(|(word, times)| word.repeat(times)),
    ]
}

fn texts() -> impl Strategy<Value = String> {
    prop::collection::vec(pieces(), 0..12).prop_map(|parts| parts.concat())
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(400))]

    #[test]
    fn counts_equal_tiktokens(text in texts()) {
        check(&text);
    }

    #[test]
    fn cuts_keep_within_their_tokens(text in texts(), tokens in 0u64..60) {
        for encoding in Encoding::ALL.iter().copied() {
            let head = cut_head(&text, encoding, tokens);
            prop_assert!(count(&text[..head], encoding) <= tokens);
            if count(&text, encoding) <= tokens {
                prop_assert_eq!(head, text.len());
            }
        }
    }
}

#[test]
fn cuts_stand_at_token_boundaries() {
    let text = "The quick brown fox jumps over 日本語のテキスト";
    let encoding = Encoding::Cl100kBase;
    assert_eq!(&text[..cut_head(text, encoding, 3)], "The quick brown");
    assert_eq!(cut_head(text, encoding, 0), 0);
    assert_eq!(cut_head(text, Encoding::Estimate, 2), 8);
}

/// A regular expression with look-ahead overflows its stack here, and merging pair by pair takes hours: this test
/// ends, or it does not.
#[test]
fn hostile_text_takes_time_in_proportion() {
    let size = 2_000_000;
    let endless = [
        "a".repeat(size),
        "A".repeat(size),
        " ".repeat(size),
        format!("{}x", " ".repeat(size)),
        format!("{}x", "\n ".repeat(size / 2)),
        "\n".repeat(size),
        "中A".repeat(size / 4),
        format!("中{}", "A".repeat(size)),
        "\u{301}".repeat(size / 2),
        "9".repeat(size),
        "=".repeat(size),
        "'".repeat(size),
        "ab".repeat(size / 2),
    ];
    for encoding in [Encoding::O200kBase, Encoding::Cl100kBase, Encoding::P50kBase, Encoding::R50kBase] {
        for text in &endless {
            let tokens = count(text, encoding);
            assert!(tokens > 0 && tokens <= text.len() as u64);
        }
    }
}
