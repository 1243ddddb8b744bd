//! The encodings, and exact counts with them.
//!
//! Counts equal those of tiktoken's `encode_ordinary`: text like `<|endoftext|>` is ordinary text. tiktoken's own
//! splitting by regular expression gives up on long runs of blanks; the one used here takes time in proportion to the
//! text, whatever it holds.
//!
//! bpe-openai's automata take 30 MB in memory for the smaller and 70 MB for the larger of the vocabularies in use, and
//! count pieces of a few bytes, which nearly all are, no faster than a table of ranks does. So they are asked only for
//! pieces that are very long.

use std::ops::ControlFlow;
use std::sync::LazyLock;

use bpe_openai::Tokenizer;
use bpe_openai::byte_pair_encoding::BytePairEncoding;
use tiktoken_rs::CoreBPE;
use tiktoken_rs::tokenizer::{Tokenizer as Tokens, get_tokenizer};

use super::pairs::{Pairs, TOO_LONG};

macro_rules! encodings {
    ($( $variant:ident, $name:literal, $code:literal, $explain:literal; )*) => {
        /// A way to cut text into tokens.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
        pub enum Encoding { $( #[doc = $explain] $variant, )* }

        impl Encoding {
            /// Every encoding.
            pub const ALL: &[Encoding] = &[ $( Encoding::$variant, )* ];

            /// Name in options, settings and JSON.
            #[must_use]
            pub fn name(self) -> &'static str {
                match self { $( Encoding::$variant => $name, )* }
            }

            /// A number that stays the same from one version of the program to the next (stored counts use it).
            /// Encodings that count alike share one.
            #[must_use]
            pub fn code(self) -> u8 {
                match self { $( Encoding::$variant => $code, )* }
            }

            /// Which models use it, in one sentence.
            #[must_use]
            pub fn explain(self) -> &'static str {
                match self { $( Encoding::$variant => $explain, )* }
            }
        }
    };
}

encodings! {
    O200kBase, "o200k_base", 1, "GPT-4o, GPT-4.1, GPT-5 and later, o1 to o4, Codex.";
    O200kHarmony, "o200k_harmony", 1, "gpt-oss; counts ordinary text as o200k_base does.";
    Cl100kBase, "cl100k_base", 2, "GPT-4, GPT-3.5, text-embedding-3.";
    P50kBase, "p50k_base", 3, "code-davinci-002, text-davinci-003.";
    P50kEdit, "p50k_edit", 3, "The edit models; counts ordinary text as p50k_base does.";
    R50kBase, "r50k_base", 4, "GPT-3: davinci, curie, babbage, ada.";
    Gpt2, "gpt2", 4, "GPT-2; counts as r50k_base does.";
    Estimate, "estimate", 0, "Four characters a token, rounded up: no tokenizer.";
}

/// Characters of one token where it is only estimated.
pub const CHARS_PER_TOKEN: u64 = 4;

impl Encoding {
    /// The encoding of that name.
    #[must_use]
    pub fn named(name: &str) -> Option<Encoding> {
        Encoding::ALL.iter().copied().find(|encoding| encoding.name() == name)
    }

    /// The encoding of one of OpenAI's models, where tiktoken's own table knows the name.
    #[must_use]
    pub fn of_model(name: &str) -> Option<Encoding> {
        Some(match get_tokenizer(name)? {
            Tokens::O200kHarmony => Encoding::O200kHarmony,
            Tokens::O200kBase => Encoding::O200kBase,
            Tokens::Cl100kBase => Encoding::Cl100kBase,
            Tokens::P50kBase => Encoding::P50kBase,
            Tokens::P50kEdit => Encoding::P50kEdit,
            Tokens::R50kBase => Encoding::R50kBase,
            Tokens::Gpt2 => Encoding::Gpt2,
        })
    }

    /// Whether its counts are those of a tokenizer.
    #[must_use]
    pub fn is_exact(self) -> bool {
        self != Encoding::Estimate
    }
}

/// Tokens of a text.
#[must_use]
pub fn count(text: &str, encoding: Encoding) -> u64 {
    let Some(engine) = engine(encoding) else {
        return estimate(text.chars().count() as u64);
    };
    let mut total = 0;
    let _ = engine.pieces(text, |piece| {
        total += match engine.pairs_for(piece) {
            Some(pairs) => pairs.count(piece.as_bytes()),
            None => engine.automata().count(piece.as_bytes()) as u64,
        };
        ControlFlow::Continue(())
    });
    total
}

/// Tokens of so many characters where no tokenizer is asked.
#[must_use]
pub fn estimate(chars: u64) -> u64 {
    chars.div_ceil(CHARS_PER_TOKEN)
}

/// Visits the end of each token, in bytes from the text's beginning, until told to stop. An end may lie inside a
/// character. Nothing is visited for [`Encoding::Estimate`].
pub fn each_token_end(text: &str, encoding: Encoding, mut visit: impl FnMut(usize) -> ControlFlow<()>) {
    let Some(engine) = engine(encoding) else { return };
    let mut at = 0;
    let _ = engine.pieces(text, |piece| {
        match engine.pairs_for(piece) {
            Some(pairs) => pairs.ends(piece.as_bytes()).into_iter().try_for_each(|end| visit(at + end as usize))?,
            None => {
                let (automata, mut end) = (engine.automata(), at);
                for token in automata.encode_via_backtracking(piece.as_bytes()) {
                    end += automata.token_len(token);
                    visit(end)?;
                }
            }
        }
        at += piece.len();
        ControlFlow::Continue(())
    });
}

/// A tokenizer, and where its splitting differs from tiktoken's.
struct Engine {
    /// What splits a text, and counts pieces where nothing else does.
    tokenizer: &'static Tokenizer,
    /// The vocabulary as a table.
    pairs: Option<&'static Pairs>,
    /// The vocabulary as automata, where `tokenizer` has none.
    whole: Option<fn() -> &'static Tokenizer>,
    /// Whether blanks at the end of a text are one piece even where they hold line breaks.
    blank_tail_whole: bool,
}

impl Engine {
    /// What counts a piece, where it is not too long for that.
    fn pairs_for(&self, piece: &str) -> Option<&'static Pairs> {
        self.pairs.filter(|_| piece.len() < TOO_LONG)
    }

    fn automata(&self) -> &'static BytePairEncoding {
        &self.whole.map_or(self.tokenizer, |whole| whole()).bpe
    }

    /// The pieces that are encoded each on its own.
    fn pieces(&self, text: &str, mut visit: impl FnMut(&str) -> ControlFlow<()>) -> ControlFlow<()> {
        let solid = if self.blank_tail_whole { text.trim_end().len() } else { text.len() };
        let mut at = 0;
        for piece in self.tokenizer.split(text) {
            if at >= solid {
                return visit(&text[at..]);
            }
            at += piece.len();
            visit(piece)?;
        }
        ControlFlow::Continue(())
    }
}

fn engine(encoding: Encoding) -> Option<Engine> {
    let plain = |tokenizer| Engine { tokenizer, pairs: None, whole: None, blank_tail_whole: false };
    let tabled = |table: &'static Option<Tabled>, whole| {
        let table = table.as_ref()?;
        Some(Engine { pairs: Some(&table.pairs), whole: Some(whole), ..plain(&table.splitter) })
    };
    match encoding {
        Encoding::O200kBase | Encoding::O200kHarmony => tabled(&O200K_TABLED, bpe_openai::o200k_base),
        // tiktoken's pattern asks for `\s++$` before `\s*[\r\n]`; the one here asks the other way round.
        Encoding::Cl100kBase => {
            let engine = tabled(&CL100K_TABLED, bpe_openai::cl100k_base)?;
            Some(Engine { blank_tail_whole: true, ..engine })
        }
        Encoding::P50kBase | Encoding::P50kEdit => P50K.as_ref().map(plain),
        Encoding::R50kBase | Encoding::Gpt2 => R50K.as_ref().map(plain),
        Encoding::Estimate => None,
    }
}

/// The vocabularies in use, as [`Pairs::of`] reads them.
pub(super) const CL100K: &[u8] = include_bytes!("../../models/cl100k_base.tokens");
/// See [`CL100K`].
pub(super) const O200K: &[u8] = include_bytes!("../../models/o200k_base.tokens");

/// A vocabulary as a table, and what splits texts for it.
struct Tabled {
    splitter: Tokenizer,
    pairs: Pairs,
}

impl Tabled {
    /// The words' pattern is tiktoken's; its look-ahead `\s+(?!\S)` is put as bpe-openai puts it: `\s+\s` whose last
    /// character is given back.
    fn of(stored: &'static [u8], words: &str) -> Option<Tabled> {
        // It only splits: any vocabulary will do.
        let bytes = BytePairEncoding::from_dictionary((0..=u8::MAX).map(|byte| vec![byte]), Some(OLD_HASH_FACTOR));
        let patterns = [(words, false), (r"\s+\s", true), (r"\s+", false)];
        Some(Tabled { splitter: Tokenizer::new_lookahead(bytes, &patterns, false).ok()?, pairs: Pairs::of(stored)? })
    }
}

static CL100K_TABLED: LazyLock<Option<Tabled>> = LazyLock::new(|| {
    let words =
        r"(?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}{1,3}| ?[^\s\p{L}\p{N}]+[\r\n]*|\s*[\r\n]+|\s+$";
    Tabled::of(CL100K, words)
});

static O200K_TABLED: LazyLock<Option<Tabled>> = LazyLock::new(|| {
    let words = [
        r"[^\r\n\p{L}\p{N}]?[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]*[\p{Ll}\p{Lm}\p{Lo}\p{M}]+(?i:'s|'t|'re|'ve|'m|'ll|'d)?",
        r"[^\r\n\p{L}\p{N}]?[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]+[\p{Ll}\p{Lm}\p{Lo}\p{M}]*(?i:'s|'t|'re|'ve|'m|'ll|'d)?",
        r"\p{N}{1,3}",
        r" ?[^\s\p{L}\p{N}]+[\r\n/]*",
        r"\s*[\r\n]+",
        r"\s+$",
    ];
    Tabled::of(O200K, &words.join("|"))
});

static P50K: LazyLock<Option<Tokenizer>> = LazyLock::new(|| old_tokenizer(tiktoken_rs::p50k_base_singleton(), 50_281));
static R50K: LazyLock<Option<Tokenizer>> = LazyLock::new(|| old_tokenizer(tiktoken_rs::r50k_base_singleton(), 50_257));

/// With it no two tokens of the old vocabularies share a hash (`BytePairEncoding` asks for such a number).
const OLD_HASH_FACTOR: u64 = 2_996_941_932_588_980_289;

/// The tokenizers that bpe-openai lacks, from tiktoken's vocabulary. The patterns are tiktoken's, its look-ahead
/// `\s+(?!\S)` put as bpe-openai puts it: `\s+\s` whose last character is given back.
fn old_tokenizer(vocabulary: &CoreBPE, size: u32) -> Option<Tokenizer> {
    const END_OF_TEXT: u32 = 50_256;
    let tokens = (0..size).filter(|id| *id != END_OF_TEXT).filter_map(|id| vocabulary.decode_bytes(&[id]).ok());
    let pairs = BytePairEncoding::from_dictionary(tokens, Some(OLD_HASH_FACTOR));
    let words = r"'(?:[sdmt]|ll|ve|re)| ?\p{L}+| ?\p{N}+| ?[^\s\p{L}\p{N}]+|\s+$";
    Tokenizer::new_lookahead(pairs, &[(words, false), (r"\s+\s", true), (r"\s", false)], false).ok()
}
