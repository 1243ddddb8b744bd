//! For how long a sentence that a person typed counts: always, later, or for the next answers only.

use super::decided::{only_intends, person_chooses};
use super::instructs::{orders, requests};

/// For how long a sentence counts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Counts {
    /// It says how something is to be done, always or never, or what was chosen.
    Always,
    /// It says what somebody decided to do: that counts where it is about the work.
    Chosen,
    /// It states something: that may be needed later.
    Stated,
    /// It asks for something that is done with the next answers, or is a remark on them.
    Once,
}

/// Words by which a sentence says how something is to be done, always or never; in other languages, too.
const LASTING: &[&str] = &[
    "must",
    "never",
    "always",
    "only",
    "make sure",
    "keep",
    "please use",
    "instead of",
    "rather than",
    "ensure",
    "avoid",
    "remember",
    "from now on",
    "every time",
    "each time",
    "whenever",
    "unless",
    "without",
    "prefer",
    "stick to",
    "should",
    "have to",
    "needs to",
    "need to",
    "no longer",
    "at all times",
    "by default",
    "note that", // English
    "immer",
    "nie",
    "niemals",
    "nur",
    "jamais",
    "toujours",
    "seulement",
    "nunca",
    "siempre",
    "solo",
];
/// Those that say it in a remark as well: "no, never do that".
const STRICT: &[&str] = &["must", "never", "always", "from now on", "immer", "nie", "niemals", "jamais", "toujours"];
/// Those that say nothing for later where somebody asks whether it can be done: "can you run the tests to ensure that".
const OF_NOW: &[&str] = &["ensure", "have to", "keep", "make sure", "need to", "needs to", "should"];
/// How a sentence begins that tells what goes through somebody's mind.
const MUSES: &[&str] = &[
    "i can't recall",
    "i don't know",
    "i don't recall",
    "i don't remember",
    "i have no idea",
    "i wonder",
    "i'm confused",
    "i'm curious",
    "i'm not sure",
    "i'm unsure",
    "i'm wondering",
];
/// What stands behind "don't" and forbids nothing.
const ALLOWED: &[&str] = &[
    "believe",
    "care",
    "feel",
    "get",
    "have",
    "know",
    "like",
    "mind",
    "need",
    "remember",
    "see",
    "seem",
    "think",
    "understand",
    "want",
    "worry",
];
/// Words with which a remark on what was just done begins.
const REMARKS: &[&str] =
    &["actually", "great", "hm", "hmm", "nice", "nope", "ok", "okay", "sure", "thanks", "well", "yeah", "yep", "yes"];
/// The beginnings of others, of several words.
const REMARK_BEGINNINGS: &[&str] = &[
    "i guess ",
    "i mean ",
    "i see ",
    "i think ",
    "i wonder",
    "i'm not sure",
    "i'm wondering",
    "it looks like ",
    "it seems ",
    "looks like ",
    "no, ",
    "that should ",
    "that's ",
];
/// Verbs with which it is asked for something that is done at once, beside orders.
const AT_ONCE: &[&str] = &[
    "address",
    "continue",
    "do",
    "edit",
    "evaluate",
    "explain",
    "finish",
    "give",
    "go",
    "implement",
    "let",
    "let's",
    "lets",
    "look",
    "merge",
    "proceed",
    "rebase",
    "refactor",
    "reply",
    "rerun",
    "resume",
    "retry",
    "review",
    "search",
    "see",
    "show",
    "tell",
    "try",
    "wait",
];

/// Whether a sentence tells what goes through somebody's mind and asks for nothing: what it names is a fact by itself
/// where that comes up again.
pub(super) fn muses(sentence: &str) -> bool {
    let lower = sentence.to_lowercase().replace('\u{2019}', "'");
    wonders(&lower) && !suggests(&lower) && behind_wondering(&lower).is_none()
}

/// Whether a sentence only says that what was begun goes on: "go on with part 2".
pub(super) fn goes_on(sentence: &str) -> bool {
    const ON: &[&str] = &["carry on", "continue", "go ahead", "go on", "keep going", "move on", "proceed", "resume"];
    let lower = sentence.to_lowercase();
    let begins = |on: &&str| lower.strip_prefix(*on).is_some_and(|rest| !rest.starts_with(char::is_alphanumeric));
    let names = sentence.bytes().filter(u8::is_ascii_digit).count() > 3;
    ON.iter().any(begins) && !names && counts(sentence) == Counts::Once
}

/// Whether a sentence in small letters begins as one that tells what goes through somebody's mind.
fn wonders(lower: &str) -> bool {
    MUSES.iter().any(|begin| lower.starts_with(begin))
}

/// Whether a sentence in small letters, which begins so, asks whether something is to be done: "I wonder whether we should".
pub(super) fn suggests(lower: &str) -> bool {
    const MAY: &[&str] = &["can", "could", "might", "ought", "should", "would"];
    let words: Vec<&str> =
        lower.split(|sign: char| !sign.is_alphanumeric() && sign != '\'').filter(|word| !word.is_empty()).collect();
    let asks = |part: &[&str]| match part {
        ["whether", "to", _] | ["should", "we" | "i" | "you", _] => true,
        ["if" | "whether", _, may] => MAY.contains(may),
        _ => false,
    };
    wonders(&lower.replace('\u{2019}', "'")) && words.windows(3).any(asks)
}

/// What a sentence in small letters goes on with behind somebody's doubts, where that asks for something or tells what was
/// chosen: "I'm not sure about Redis, so let's go with Postgres".
fn behind_wondering(lower: &str) -> Option<&str> {
    const JOINED: &[&str] = &["so ", "but ", "and ", "then ", "therefore ", "hence "];
    let parts = lower.match_indices([',', ';', ':', '\u{2013}', '\u{2014}']).map(|(at, sign)| at + sign.len());
    let joined = JOINED.iter().take(2).flat_map(|word| lower.match_indices(*word)).map(|(at, _)| at);
    let joined = joined.filter(|at| lower.get(..*at).is_some_and(|before| before.ends_with(' ')));
    let mut clauses = parts.chain(joined).filter_map(|at| {
        let rest = lower.get(at..)?.trim_start();
        Some(JOINED.iter().find_map(|word| rest.strip_prefix(word)).unwrap_or(rest).trim_start())
    });
    let asks = |rest: &str| {
        let begins = ["always ", "do not ", "don't ", "never ", "please "].iter().any(|word| rest.starts_with(word));
        begins || orders(rest) || requests(rest) || person_chooses(rest)
    };
    clauses.find(|rest| asks(rest))
}

/// For how long a sentence that a person typed counts.
pub(super) fn counts(sentence: &str) -> Counts {
    let lower = sentence.to_lowercase().replace('\u{2019}', "'");
    let letters = || lower.chars().filter(|sign| sign.is_alphabetic());
    // Of what is written in other scripts nobody can tell.
    if letters().filter(|sign| !sign.is_ascii()).count() * 4 > letters().count() {
        return Counts::Always;
    }
    if let Some(rest) = behind_wondering(&lower).filter(|_| wonders(&lower)) {
        return counts(rest);
    }
    let all: Vec<&str> =
        lower.split(|sign: char| !sign.is_alphanumeric() && sign != '\'').filter(|word| !word.is_empty()).collect();
    let bare = all.join(" ");
    let says = |words: &[&str]| words.iter().any(|word| format!(" {bare} ").contains(&format!(" {word} ")));
    let behind =
        |not: &[&str]| all.windows(not.len() + 1).find(|part| part.starts_with(not)).map(|part| part[not.len()]);
    let forbids = [&["don't"][..], &["dont"], &["do", "not"]];
    let forbids = forbids.iter().filter_map(|not| behind(not)).any(|verb| ALLOWED.binary_search(&verb).is_err());
    let first = all.iter().find(|word| !["and", "also", "then", "so", "now", "just", "please"].contains(word));
    let first = first.copied().unwrap_or_default();
    // "Use pnpm", "for tests, use pnpm": how, and not what for.
    let clauses = || lower.split([',', ';', ':', '(']).map(str::trim_start);
    let uses = clauses()
        .any(|clause| ["use ", "please use ", "and use ", "then use "].iter().any(|how| clause.starts_with(how)));
    let asks = requests(&lower) && !says(&["please", "pls"]);
    let lasts = || LASTING.iter().any(|word| !(asks && OF_NOW.contains(word)) && says(&[*word]));
    let wonders = REMARK_BEGINNINGS.iter().any(|begin| lower.starts_with(begin));
    let is_remark = wonders || REMARKS.binary_search(&first).is_ok();
    if says(STRICT)
        || forbids
        || all.iter().any(|word| crate::memory::forbids(word))
        || (!is_remark && (uses || lasts()))
    {
        return Counts::Always;
    }
    if !wonders && person_chooses(&lower) {
        return if only_intends(&lower) { Counts::Chosen } else { Counts::Always };
    }
    let at_once = orders(&lower) || requests(&lower) || AT_ONCE.binary_search(&first).is_ok();
    if is_remark || at_once { Counts::Once } else { Counts::Stated }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lists_are_sorted() {
        assert!([ALLOWED, REMARKS, AT_ONCE].iter().all(|list| list.is_sorted()));
    }

    #[test]
    fn what_only_goes_on_is_told_apart() {
        assert!(["go on with part 0", "Continue, please", "proceed"].iter().all(|text| goes_on(text)));
        assert!(!goes_on("Continue, but never push to main") && !goes_on("Go ontologies") && !goes_on("Go over it"));
    }

    #[test]
    fn what_goes_through_a_mind_is_told_apart() {
        assert!(muses("I\u{2019}m wondering if read_all is misnamed") && muses("I don't recall my id either"));
        for carries in [
            "I\u{2019}m wondering whether we should rename read_all to list_all",
            "I wonder if you could rename read_all to list_all",
            "I'm not sure about Redis, so let's go with Postgres 16",
            "I don't know why it fails, please run the tests of it",
            "I'm not sure why but never push to main",
        ] {
            assert!(!muses(carries), "{carries}");
        }
        assert!(
            muses("I don't recall whether it was 8443, 8444 or 8445") && muses("I wonder why, as it was so before")
        );
        assert!(!muses("I want read_all to be renamed") && !muses("I know that the port is 8443"));
    }

    #[test]
    fn what_is_done_with_the_next_answer_counts_once() {
        for (text, counted) in [
            ("give me the list again", Counts::Once),
            ("update from main", Counts::Once),
            ("check with pagination", Counts::Once),
            ("continue with part 1", Counts::Once),
            ("yeah that should be a session-end", Counts::Once),
            ("yes, but we don't need to commit", Counts::Once),
            ("can you run lint, test and check-types", Counts::Once),
            ("Can you run lint to ensure all is green", Counts::Once),
            ("Could you deploy it to host_42 only", Counts::Always),
            ("Please make sure all is green", Counts::Always),
            ("no, never push to main", Counts::Always),
            ("pushes to main are prohibited", Counts::Always),
            ("don't touch the lock file", Counts::Always),
            ("Use bucket NEW-7 for uploads", Counts::Always),
            ("keep each commit with working code please", Counts::Always),
            ("We settled on Redis streams for the queue", Counts::Always),
            ("Let us stick with tokio 1.38", Counts::Always),
            ("I decided to get a coffee first", Counts::Chosen),
            ("We decided to never get coffee", Counts::Always),
            ("Okay, let's go with that", Counts::Once),
            ("I think we decided on Redis", Counts::Once),
            ("I'm not sure about Redis, so let's go with Postgres 16", Counts::Always),
            ("I'm not sure why, but never push to main", Counts::Always),
            ("I'm not sure which it is, run the tests", Counts::Once),
            ("I'm wondering whether we should rename read_all", Counts::Once),
            ("for the tests, use pnpm", Counts::Always),
            ("Die Antworten immer auf Deutsch", Counts::Always),
            ("部署在上海节点", Counts::Always),
            ("my github user is khaong", Counts::Stated),
            ("the cache holds 9 entries", Counts::Stated),
        ] {
            assert_eq!(counts(text), counted, "{text}");
        }
    }
}
