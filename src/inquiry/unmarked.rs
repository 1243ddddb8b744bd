//! Questions without a question mark: "What was the code", "tell me the port of the gateway". What gives a thing as well as
//! it asks for one is none: "Tell me what you changed when done", "Give me a script that uses port 5511".

use super::instructs::ORDERS;
use super::question::{WH_WORDS, WH_WORDS_ABROAD};

/// Words of such a question at most.
const LONGEST: usize = 20;
/// Words beside an order that ask for nothing.
const OPENING: &[&str] = &[
    "again", "also", "and", "bitte", "but", "et", "hello", "hey", "hi", "no", "now", "ok", "okay", "please", "so",
    "sorry", "then", "und", "wait", "well",
];
/// The same at its end.
const CLOSING: &[&str] = &["again", "bitte", "please", "thanks"];
/// Verbs that stand before their subject in a question.
const VERBS: &[&str] =
    &["are", "can", "could", "did", "do", "does", "had", "has", "have", "is", "should", "was", "were", "will", "would"];
/// A sentence with one of them behind its first verb says something of a question: "What is needed is port 5511".
const TELLS: &[&str] = &["are", "is", "was", "were"];
/// Subjects behind a verb with which a sentence begins.
const SUBJECTS: &[&str] = &[
    "any", "he", "i", "it", "my", "our", "she", "that", "the", "there", "these", "they", "this", "those", "we", "you",
    "your",
];
/// What is asked with "how".
const DEGREES: &[&str] =
    &["big", "deep", "far", "fast", "high", "large", "long", "many", "much", "often", "old", "small", "wide"];
/// What has a value that can be asked for.
pub(super) const VALUES: &[&str] = &[
    "address", "code", "count", "date", "deadline", "email", "host", "id", "key", "limit", "name", "number",
    "password", "path", "pin", "port", "prefix", "secret", "size", "suffix", "token", "url", "value", "version",
];
/// Words of clauses that say when something is to be told, or why.
const CLAUSES: &[&str] = &["after", "because", "before", "if", "once", "unless", "until", "when", "whenever", "while"];
/// Words that tell how, when or where to do a thing.
const GIVES: &[&str] =
    &["as", "at", "by", "from", "in", "into", "on", "that", "to", "using", "via", "which", "who", "whose", "with"];
/// Verbs of what somebody knows: whoever asks for that does not ask what somebody did.
const KNOWS: &[&str] = &["know", "noted", "recall", "recorded", "remember", "said", "saw"];
/// Verbs behind words of questions in other languages.
const VERBS_ABROAD: &[&str] = &[
    "hat", "hatte", "heißt", "hieß", "ist", "kostet", "lautet", "lautete", "liegt", "sind", "steht", "war",
    "waren", // German
    "est", "sont", "était", // French
    "era", "es", "está", "fue", "son", // Spanish
];
/// By which somebody is told to tell in other languages.
const TELLERS_ABROAD: &[&[&str]] = &[
    &["sag", "mir"],
    &["nenn", "mir"],
    &["nenne", "mir"],
    &["erinnere", "mich"],
    &["dis-moi"],
    &["rappelle-moi"],
    &["dime"],
    &["recuérdame"],
];
/// How questions end in Chinese.
const ENDS: &[&str] = &["是什么", "是多少", "在哪里", "在哪儿", "是谁"];

/// Whether a sentence asks for something without a question mark, and gives nothing.
pub(super) fn asks_unmarked(sentence: &str) -> bool {
    let sentence = sentence.trim().trim_end_matches(['.', '!', '\u{2026}', '。', '！']).trim_end();
    let parted =
        [": ", "; ", " - ", "\u{2013}", "\u{2014}", "，", "：", "；"].iter().any(|sign| sentence.contains(sign));
    // Titles, items of lists and what is quoted say nothing of their own.
    if !sentence.starts_with(char::is_alphabetic) || parted || sentence.ends_with([':', ';', ',', '?']) {
        return false;
    }
    if ENDS.iter().any(|end| sentence.ends_with(end)) {
        return true;
    }
    let Some(words) = words_of(sentence) else { return false };
    let mut all: Vec<&str> = words.iter().map(String::as_str).collect();
    while all.last().is_some_and(|word| CLOSING.contains(word)) {
        all.pop();
    }
    let again = all.len() < words.len();
    let joins = |pair: &[&str]| {
        let goes_on =
            ORDERS.binary_search(&pair[1]).is_ok() || ["i", "it", "that", "then", "we", "you"].contains(&pair[1]);
        ["and", "but", "or", "then"].contains(&pair[0]) && goes_on
    };
    if all.windows(2).any(joins) || all.iter().skip(1).any(|word| CLAUSES.contains(word)) {
        return false;
    }
    asks_for_one(&all) || asks_whether(&all) || is_told(&all, again) || asks_abroad(&all)
}

/// The words of a sentence in small letters, from the first that says something; `None` where it is too long, or a comma
/// parts it anywhere but before a word of a question.
fn words_of(sentence: &str) -> Option<Vec<String>> {
    let mut parts = sentence.split_whitespace().peekable();
    let bare = |part: &str| part.trim_matches(|sign: char| !sign.is_alphanumeric()).to_lowercase();
    while parts.peek().is_some_and(|part| OPENING.contains(&bare(part).as_str())) {
        parts.next();
    }
    let mut words: Vec<String> = Vec::new();
    let mut is_parted = false;
    for part in parts {
        let word = bare(part);
        let begins = |list: &[&str]| list.contains(&word.as_str());
        if words.len() >= LONGEST || (is_parted && !begins(WH_WORDS) && !begins(WH_WORDS_ABROAD) && !begins(CLOSING)) {
            return None;
        }
        is_parted = part.ends_with(',');
        let word = word.replace('\u{2019}', "'");
        // A name is none of what is asked for: "What Codex is" is a title.
        match word.strip_suffix("'s").or_else(|| word.strip_suffix('s')).filter(|first| WH_WORDS.contains(first)) {
            Some(first) => words.extend([first.to_owned(), "is".to_owned()]),
            None if part.starts_with(char::is_uppercase) && word != "i" && !words.is_empty() => {
                words.push(format!("^{word}"))
            }
            None if !word.is_empty() => words.push(word),
            None => {}
        }
    }
    Some(words)
}

/// Whether words ask for one thing: "where did we put it", "which port has it", "how many are there".
fn asks_for_one(all: &[&str]) -> bool {
    let [first, rest @ ..] = all else { return false };
    if !WH_WORDS.contains(first) {
        return false;
    }
    if let ["what", "about", rest @ ..] = all {
        return (1..=2).contains(&rest.len());
    }
    let plain = |word: &&&str| !word.starts_with('^') && !word.contains(|sign: char| sign.is_ascii_digit());
    let most = match (*first, rest.first()) {
        ("what" | "whose", _) => 2,
        ("which", Some(next)) if !VERBS.contains(next) => 2,
        ("how", Some(next)) if DEGREES.contains(next) => 3,
        // "Which is why …" asks nothing.
        ("which", _) => return false,
        _ => 0,
    };
    let at = rest.iter().take(most).take_while(|word| !VERBS.contains(word)).filter(plain).count();
    let Some((verb, rest)) = rest.get(at..).and_then(<[&str]>::split_first) else { return false };
    VERBS.contains(verb) && !rest.is_empty() && !rest.iter().any(|word| TELLS.contains(word))
}

/// Whether words ask whether a thing is so, or whether somebody knows it.
fn asks_whether(all: &[&str]) -> bool {
    let knows = |pair: &[&str]| KNOWS.contains(&pair[0]) && pair[1] == "that";
    let tells = |word: &&str| TELLS.contains(word);
    match all {
        ["are" | "did" | "does" | "has" | "is" | "was", subject, rest @ ..] => {
            SUBJECTS.contains(subject) && !rest.is_empty() && !rest.iter().any(tells) && !all.windows(2).any(knows)
        }
        ["do" | "have", "i" | "they" | "we" | "you", _, _, ..] => !all.windows(2).any(knows),
        ["can" | "could" | "will" | "would", "you", "please", rest @ ..]
        | ["can" | "could" | "will" | "would", "you", rest @ ..] => is_told(rest, false),
        _ => false,
    }
}

/// Whether words tell somebody to tell what something is.
fn is_told(all: &[&str], again: bool) -> bool {
    match all {
        ["remind", "me" | "us", "about" | "of", rest @ ..] => names_value(rest) || is_name(rest),
        ["give" | "remind" | "send" | "show" | "tell", "me" | "us", rest @ ..] => {
            asks_for_what(rest) || (all[0] != "remind" && (names_value(rest) || (again && is_name(rest))))
        }
        ["explain" | "recall", rest @ ..] => asks_for_what(rest) || is_name(rest),
        ["i", "wonder", rest @ ..]
        | ["i", "need" | "want", "to", "know", rest @ ..]
        | ["i", "would", "like", "to", "know", rest @ ..]
        | ["i'd", "like", "to", "know", rest @ ..]
        | ["i", "forgot", rest @ ..]
        | ["i've" | "i", "forgotten", rest @ ..] => asks_for_what(rest) || names_value(rest),
        ["i", "need", rest @ ..] if again => names_value(rest),
        _ => false,
    }
}

/// Whether what is to be told begins as a question, and not as what somebody is about to do or to find out.
fn asks_for_what(rest: &[&str]) -> bool {
    let begins = |word: &&str| WH_WORDS.contains(word) && !["when", "why"].contains(word);
    let Some(at) = rest.iter().take(2).position(begins) else { return false };
    let behind = rest.get(at + 1..).unwrap_or_default();
    let of_you = behind.iter().position(|word| ["you", "you've", "you'll", "you're"].contains(word));
    let known = |at: usize| behind.get(at + 1).is_some_and(|verb| KNOWS.contains(verb));
    !behind.is_empty() && behind[0] != "to" && of_you.is_none_or(known) && !behind.contains(&"that")
}

/// Whether words name what has a value, with nothing behind that but whose it is: "the port of the gateway".
fn names_value(rest: &[&str]) -> bool {
    let ["his" | "its" | "my" | "our" | "that" | "the" | "their" | "this", named @ ..] = rest else { return false };
    let parts = |word: &&&str| !["for", "of"].contains(*word) && !GIVES.contains(*word);
    let own = named.iter().take(3).take_while(parts).count();
    let Some(at) = named[..own].iter().rposition(|word| VALUES.contains(word)) else { return false };
    let behind = named.get(at + 1..).unwrap_or_default();
    let is_whose = matches!(behind.first(), Some(&("of" | "for"))) || behind.len() <= 1;
    is_whose && !behind.iter().any(|word| GIVES.contains(word))
}

/// Whether words are nothing but a name.
fn is_name(rest: &[&str]) -> bool {
    let named = match rest {
        ["my" | "our" | "the" | "that" | "this", named @ ..] => named,
        all => all,
    };
    let is_time = |word: &&str| word.contains(':') || CLOSING.contains(word) || GIVES.contains(word);
    (1..=2).contains(&named.len()) && !["a", "an", "how", "me", "why"].contains(&named[0]) && !named.iter().any(is_time)
}

/// Whether words ask for one thing in another language that is known here.
fn asks_abroad(all: &[&str]) -> bool {
    let told = TELLERS_ABROAD.iter().find_map(|teller| all.strip_prefix(*teller));
    if let Some([first, _, ..]) = told {
        return WH_WORDS_ABROAD.contains(first);
    }
    let [first, rest @ ..] = all else { return false };
    let of = ["quel", "quelle", "quelles", "quels", "welche", "welcher", "welches"].contains(first);
    let is_verb = |word: &&str| VERBS_ABROAD.contains(word);
    let Some(at) = rest.iter().take(1 + usize::from(of)).position(is_verb) else { return false };
    // "Wer es weiß" has a Spanish verb by chance.
    let meant = !["era", "es", "son"].contains(&rest[at]) || !first.is_ascii();
    let behind = rest.get(at + 1..).unwrap_or_default();
    WH_WORDS_ABROAD.contains(first)
        && meant
        && !behind.is_empty()
        && !behind.iter().any(|word| VERBS_ABROAD.contains(word))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn who_asks_without_a_mark_asks() {
        for question in [
            "What was the code ZED-31",
            "ok, what's the code ZED-31 again",
            "Where did we put ZED-31",
            "which port has the gateway",
            "How many workers are there",
            "what about ZED-31",
            "do you know ZED-31",
            "is it ZED-31 or not",
            "Is the port 5511",
            "tell me what the code was",
            "Tell me, what was the code ZED-31",
            "please tell me the code ZED-31",
            "tell me the vault code",
            "Tell me what you know about ZED-31.",
            "Remind me what ZED-31 is",
            "remind me of the address",
            "Remind me of ZED-31, please.",
            "give me the port of the gateway",
            "please give me ZED-31 again",
            "could you tell me the code ZED-31",
            "I want to know where the key is",
            "I forgot the license key for Bar",
            "I need the license key for Bar again",
            "Explain ZED-31.",
            "Was ist ZED-31",
            "Sag mir, wie der Code ZED-31 war",
            "quel port est le 5511",
            "cuál era el código ZED-31",
            "告诉我端口5511是什么",
        ] {
            assert!(asks_unmarked(question), "{question}");
        }
    }

    #[test]
    fn who_tells_something_beside_it_does_not_only_ask() {
        for told in [
            "Use port 5511",
            "tell me what you changed when done",
            "Tell me what you changed in src/main.rs",
            "Tell me when port 5511 is open",
            "Tell me if port 5511 is open",
            "Tell me how to reach 10.0.0.5",
            "Tell me the code and use port 5511",
            "Give me a script that uses port 5511",
            "Give me the script for port 5511",
            "Send me the code via port 5511",
            "Remind me to use port 5511",
            "Remind me of the meeting at 15:00",
            "Show me the name by 5 May",
            "What is the port: 5511",
            "What is needed is port 5511",
            "What was agreed on was port 5511",
            "What Codex is not",
            "What port 5511 does is listen",
            "Which is why we use port 5511",
            "which is the port 5511",
            "How port 5511 is used",
            "- What is port 5511",
            "Do use port 5511",
            "do you remember that the port is 5511",
            "Can you make sure that port 5511 is used",
            "Can we use port 5511",
            "Is on port 5511 now",
            "The code was ZED-31",
            "You forgot ZED-31!",
            "Explain in the README that we use port 5511",
            "Explain why port 5511 is closed",
            "Wer es weiß",
            "Was ich will ist Port 5511",
            "请使用端口5511好吗",
        ] {
            assert!(!asks_unmarked(told), "{told}");
        }
    }
}
