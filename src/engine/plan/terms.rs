//! Distinctive terms of a text: paths, identifiers and numbers.

use std::collections::HashMap;
use std::sync::Arc;

use super::modules;
use super::plain::Plain;
use super::set_off::set_off_names;
use super::versions::Versions;
use crate::content::{decode_json_string, hash};
use crate::model::{BlockKind, Coding};

/// A term of a text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Term {
    /// The hash that it is found by.
    pub hash: u64,
    /// The hash of what it repeats: the same, but for the two names of a module, of which each repeats the other.
    pub of: u64,
    /// Its first occurrence: byte and length in the decoded text.
    pub at: u32,
    /// See `at`.
    pub length: u32,
    /// Whether it is a path, or the end of one, by which longer and shorter paths of one file are found.
    pub tail: bool,
}

/// Terms of a text that are longer say more than one thing.
const LONGEST: usize = 200;
/// Terms looked at in one text.
const MOST: usize = 20_000;

/// The distinctive terms of a block's text, each once: of JSON as it is meant, and of a call without the names of its
/// arguments, which are the tool's.
pub(super) fn terms_of(kind: BlockKind, text: &str) -> Vec<Term> {
    let is_call = kind == BlockKind::ToolCall;
    let Some(plain) = Plain::of(text) else {
        let mut found = terms(text);
        let amount = |term: &Term| is_amount(text, term.at as usize, term.at.saturating_add(term.length) as usize);
        found.retain(|term| !is_call || !amount(term));
        return found;
    };
    let mut found = terms(&plain.text);
    found.retain_mut(|term| {
        let (from, to) = (term.at as usize, term.at.saturating_add(term.length) as usize);
        let (from, to) = (plain.written(from), plain.written(to));
        let (Ok(at), Ok(length)) = (u32::try_from(from), u32::try_from(to - from)) else { return false };
        (term.at, term.length) = (at, length);
        !is_call || !(is_key(text, from, to) || is_amount(text, from, to))
    });
    found
}

/// Whether a word is all of a round number behind a name: how much may come back of a call or how long it may take, which
/// is said in such numbers, and refers to nothing.
fn is_amount(text: &str, from: usize, to: usize) -> bool {
    let Some(digits) = text.get(from..to).filter(|word| word.bytes().all(|byte| byte.is_ascii_digit())) else {
        return false;
    };
    let before = text.get(..from).unwrap_or_default().trim_end().ends_with(':');
    let after = text.get(to..).unwrap_or_default().trim_start().starts_with([',', '}', ')']);
    before && after && digits.ends_with("00")
}

/// Whether a word is all of a name in a JSON object.
fn is_key(text: &str, from: usize, to: usize) -> bool {
    let before = text.get(..from).unwrap_or_default();
    let opens = before.ends_with('"') && !before.ends_with("\\\"");
    let after = text.get(to..).and_then(|after| after.strip_prefix('"'));
    opens && after.is_some_and(|after| after.trim_start().starts_with(':'))
}

/// A term as it is meant, from the text that it was found in.
pub(super) fn word_of(text: &str, (from, to): (u32, u32)) -> Arc<str> {
    let word = text.get(from as usize..to as usize).unwrap_or_default();
    // No sign of a word is a backslash: one begins an escape.
    if word.contains('\\') { Arc::from(decode_json_string(word.as_bytes())) } else { Arc::from(word) }
}

/// The distinctive terms of a text, each once.
pub(super) fn terms(text: &str) -> Vec<Term> {
    let (mut found, mut tails): (HashMap<u64, Term>, HashMap<u64, Term>) = Default::default();
    let mut versions = Versions::default();
    let bytes = text.as_bytes();
    let mut at = 0;
    while at < bytes.len() && found.len() < MOST {
        let length = length_of_part(text, at);
        if length == 0 {
            at += text[at..].chars().next().map_or(1, char::len_utf8);
            continue;
        }
        let mut end = at + length;
        let mut plain = true;
        while end < bytes.len() {
            match length_of_part(text, end) {
                0 => break,
                length => {
                    plain &= length == 1;
                    end += length;
                }
            }
        }
        plain &= length == 1;
        let word = &text[at..end];
        add(&mut found, word, at);
        add_modules(&mut found, word, at);
        let package = versions.take(word, at);
        if let Some((at, name)) = package {
            add(&mut found, name, at);
        }
        // The last part of a path stands for it.
        if let Some(slash) = memchr::memrchr(b'/', word.as_bytes()) {
            add(&mut found, &word[slash + 1..], at + slash + 1);
            if tails.len() < MOST {
                add_tails(&mut tails, word, at);
            }
        }
        if memchr::memchr(b':', word.as_bytes()).is_some() {
            pieces(word, |sign| sign == ':').for_each(|(from, piece)| add(&mut found, piece, at + from));
        }
        // Both ends of a range are named alone, too: `36ff9a9..c2b0273`.
        if word.contains("..") && !word.contains('/') {
            pieces(word, |sign| sign == '.').for_each(|(from, piece)| add(&mut found, piece, at + from));
        }
        // What belongs to something is also named without it.
        let file = memchr::memrchr(b'/', word.as_bytes()).map_or(0, |slash| slash + 1);
        if let Some(dotted) = word.get(file..).filter(|last| package.is_none() && last.contains('.')) {
            let names = pieces(dotted, |sign| sign == '.').filter(|(_, piece)| is_name(piece));
            names.for_each(|(from, piece)| add(&mut found, piece, at + file + from));
        }
        if !plain && word.chars().any(is_unspaced) {
            // Nothing parts the words of such a language: a name begins and ends where the script changes.
            pieces(word, is_hiragana).for_each(|(from, piece)| add(&mut found, piece, at + from));
            pieces(word, is_unspaced).for_each(|(from, piece)| add(&mut found, piece, at + from));
        }
        at = end;
    }
    versions.telling().for_each(|(at, version)| take(&mut found, version, at));
    for (at, name) in set_off_names(text).take(MOST.saturating_sub(found.len())) {
        take(&mut found, name, at);
    }
    let mut terms: Vec<Term> = found.into_values().chain(tails.into_values()).collect();
    // Two may begin at one place: the order is that of the text, whatever the map's is.
    terms.sort_unstable_by_key(|term| (term.at, std::cmp::Reverse(term.length), term.hash));
    terms
}

/// The pieces between signs of one kind, with where they begin.
fn pieces(word: &str, ends: impl Fn(char) -> bool) -> impl Iterator<Item = (usize, &str)> {
    let mut from = 0;
    word.split(ends).map(move |piece| {
        // What lies between two pieces is as long as the sign that parts them.
        let at = word[from..].find(piece).map_or(from, |more| from + more);
        from = at + piece.len();
        (at, piece)
    })
}

fn add(found: &mut HashMap<u64, Term>, word: &str, at: usize) {
    let ends = |sign: char| matches!(sign, '.' | '-' | '/');
    let from = word.len() - word.trim_start_matches(ends).len();
    let word = word.trim_matches(ends);
    if !is_distinctive(word) {
        return;
    }
    take(found, word, at + from);
}

/// Takes a word as a term that repeats itself.
fn take(found: &mut HashMap<u64, Term>, word: &str, at: usize) {
    let hash = hash(word.as_bytes(), Coding::Plain);
    if let (Ok(at), Ok(length)) = (u32::try_from(at), u32::try_from(word.len())) {
        found.entry(hash).or_insert(Term { hash, of: hash, at, length, tail: false });
    }
}

/// The ends of a path that have two parts or more, and itself: a longer path refers to it by one of its ends, and a
/// shorter one to a longer that ends with it. Kinds of media, rates and words that stand for either have slashes too:
/// the end of what begins at no folder has to be called as files are, or to have three parts.
fn add_tails(found: &mut HashMap<u64, Term>, word: &str, at: usize) {
    let ends = |sign: char| matches!(sign, '.' | '-' | '/');
    let from = word.len() - word.trim_start_matches(ends).len();
    let path = word.trim_matches(ends);
    let Some(last) = path.rfind('/') else { return };
    // What is longer says more than one thing, and so do its many ends.
    let first = path.ceil_char_boundary(path.len().saturating_sub(LONGEST));
    let (name, rooted) = (&path[last..], word.starts_with(['/', '.']));
    let named = name.contains(char::is_alphabetic);
    let is_file = named && name.contains(|sign: char| sign == '.' || sign.is_ascii_digit());
    let last = match rooted || is_file {
        true => last,
        false => path[..last].rfind('/').filter(|_| named).unwrap_or(0),
    };
    let begins = path[..last].match_indices('/').map(|(slash, _)| slash + 1).filter(|begin| *begin >= first);
    for begin in std::iter::once(0).filter(|begin| *begin >= first).chain(begins) {
        let tail = &path[begin..];
        let (Ok(at), Ok(length)) = (u32::try_from(at + from + begin), u32::try_from(tail.len())) else { return };
        if !is_distinctive(tail) || tail.starts_with('/') {
            continue;
        }
        let own = hash(format!("path\0{tail}").as_bytes(), Coding::Plain);
        let of = if begin == 0 { own } else { hash(tail.as_bytes(), Coding::Plain) };
        let term = Term { hash: own, of, at, length, tail: true };
        // A path itself says more than the end of another.
        let known = found.entry(own).or_insert(term);
        if known.of != own && of == own {
            *known = term;
        }
    }
}

/// The names of modules in a word: as files, or as code has them.
fn add_modules(found: &mut HashMap<u64, Term>, word: &str, at: usize) {
    let named = |kind: &str, name: &str| hash(format!("{kind}\0{name}").as_bytes(), Coding::Plain);
    let word = word.trim_end_matches(['.', '-', '/']);
    let mut take = |from: usize, length: usize, hash: u64, of: u64| {
        if let (Ok(at), Ok(length)) = (u32::try_from(at + from), u32::try_from(length)) {
            found.entry(hash).or_insert(Term { hash, of, at, length, tail: false });
        }
    };
    if word.len() > LONGEST {
        return;
    }
    if memchr::memchr(b'/', word.as_bytes()).is_some() {
        if let Some((from, name)) = modules::of_path(word) {
            take(from, word.len() - from, named("file", &name), named("code", &name));
        }
    } else {
        for (from, name) in modules::of_dotted(word) {
            take(from, name.len(), named("code", name), named("file", name));
        }
    }
}

/// The bytes of a sign that is a part of a word; 0 where it is none. A colon is one between digits, as in a time.
fn length_of_part(text: &str, at: usize) -> usize {
    let bytes = text.as_bytes();
    let digit = |at: Option<usize>| at.and_then(|at| bytes.get(at)).is_some_and(u8::is_ascii_digit);
    match bytes.get(at) {
        Some(byte) if byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'.' | b'/' | b'-') => 1,
        Some(b':') => usize::from(digit(at.checked_sub(1)) && digit(at.checked_add(1))),
        Some(byte) if byte.is_ascii() => 0,
        Some(_) => text[at..].chars().next().filter(|sign| is_letter(*sign)).map_or(0, char::len_utf8),
        None => 0,
    }
}

/// Whether a sign outside of ASCII is one of a word: a letter, or a mark upon one.
fn is_letter(sign: char) -> bool {
    let joins = matches!(sign, '\u{200c}' | '\u{200d}' | '\u{0300}'..='\u{036f}');
    let parts = matches!(sign, '\u{80}'..='\u{bf}' | '\u{2000}'..='\u{2bff}' | '\u{2e00}'..='\u{2e7f}'
        | '\u{3000}'..='\u{303f}' | '\u{fe10}'..='\u{fe6f}' | '\u{ff00}'..='\u{ff0f}' | '\u{ff1a}'..='\u{ff20}'
        | '\u{ff5b}'..='\u{ff65}');
    sign.is_alphanumeric() || joins || !(parts || sign.is_whitespace())
}

/// Whether a sign is of a script that is written without spaces, or joins its words to others.
pub(super) fn is_unspaced(sign: char) -> bool {
    matches!(sign, '\u{0e00}'..='\u{0eff}' | '\u{1100}'..='\u{11ff}' | '\u{3040}'..='\u{318f}'
        | '\u{3400}'..='\u{9fff}' | '\u{ac00}'..='\u{d7af}' | '\u{f900}'..='\u{faff}' | '\u{20000}'..='\u{3ffff}')
}

/// Whether a sign is of the script that Japanese has its endings and particles in.
fn is_hiragana(sign: char) -> bool {
    matches!(sign, '\u{3041}'..='\u{309f}')
}

/// Whether a word is a path, an identifier or a number, and no word of a language.
fn is_distinctive(word: &str) -> bool {
    if word.len() < 4 || word.len() > LONGEST {
        return false;
    }
    let (mut length, mut digits, mut letters) = (0, 0, 0);
    let (mut inner_capital, mut joined, mut small) = (false, false, false);
    for sign in word.chars() {
        length += 1;
        digits += usize::from(sign.is_ascii_digit());
        letters += usize::from(sign.is_alphabetic());
        inner_capital |= small && sign.is_uppercase();
        small = sign.is_lowercase();
        joined |= matches!(sign, '_' | '/' | '.');
    }
    length >= 4
        && ((digits >= 4)
            || (letters >= 3 && (joined || inner_capital))
            || (digits >= 1 && letters >= 2 && length >= 5))
}

/// Whether a part of a dotted word is told from a word of a language by itself: `self.refresh_token`, `user.fullName`.
fn is_name(part: &str) -> bool {
    let part = part.trim_matches('_');
    let inner = part.chars().zip(part.chars().skip(1)).any(|(one, next)| one.is_lowercase() && next.is_uppercase());
    (inner || part.contains('_')) && part.chars().filter(|sign| sign.is_alphabetic()).count() >= 3
}

#[cfg(test)]
mod tests {
    use super::super::references::{Referrals, Voice};
    use super::{BlockKind, terms, terms_of, word_of};

    /// The terms that repeat themselves.
    fn of(text: &str) -> Vec<&str> {
        let own = terms(text).into_iter().filter(|term| term.of == term.hash && !term.tail);
        own.map(|term| &text[term.at as usize..(term.at + term.length) as usize]).collect()
    }

    #[test]
    fn names_of_any_script_are_terms_and_words_are_not() {
        let told = "Nimm größe_maximal, настройка_кэша und κλειδί/τιμή: prüfsummeBerechnen! Далее слова без имени… so.";
        assert_eq!(of(told), ["größe_maximal", "настройка_кэша", "κλειδί/τιμή", "prüfsummeBerechnen"]);
        assert_eq!(of("open データベース接続.py and 設定値_アルファ。"), ["データベース接続.py", "設定値_アルファ"]);
        assert_eq!(of("see “docs/設計書.md”—now"), ["docs/設計書.md", "設計書.md"]);
    }

    #[test]
    fn names_within_words_that_nothing_parts_are_terms() {
        assert!(of("まず設定値_アルファを使う").contains(&"設定値_アルファ"));
        assert!(of("请打开src/main_loop.rs文件").contains(&"src/main_loop.rs"));
        assert!(of("설정은 app_config.py에 있다").contains(&"app_config.py"));
        assert!(of("我们在这里说一些没有名字的话").is_empty());
    }

    #[test]
    fn names_without_any_other_mark_are_terms_where_a_text_sets_them_off() {
        assert_eq!(of("我会修改 `订单服务` 和「支付网关」，不动“这个”。"), ["订单服务", "支付网关"]);
        assert_eq!(of("def 计算总价(订单):\n    return 0"), ["计算总价"]);
        assert_eq!(of("先运行《部署手册》里的「一句很长的话当然不是一个名字而是话」"), ["部署手册"]);
    }

    #[test]
    fn what_belongs_to_something_is_a_term_without_it_too() {
        assert!(of("call self.refresh_token() now").contains(&"refresh_token"));
        assert!(of("user.getFullName()").contains(&"getFullName"));
        assert!(of("raise app.errors.QuotaExceeded").contains(&"QuotaExceeded"));
        let range = of("To repo 36ff9a9..c2b0273 main");
        assert!(range.contains(&"36ff9a9") && range.contains(&"c2b0273"), "{range:?}");
        assert_eq!(
            of("open src/self.parts/auth_service.py"),
            ["src/self.parts/auth_service.py", "auth_service.py", "auth_service"]
        );
        assert_eq!(of("see www.example.org"), ["www.example.org"]);
    }

    #[test]
    fn json_is_taken_as_it_is_meant() {
        let of = |kind: BlockKind, text: &str| -> Vec<String> {
            let found = terms_of(kind, text).into_iter().filter(|term| term.of == term.hash && !term.tail);
            found.map(|term| word_of(text, (term.at, term.at + term.length)).to_string()).collect()
        };
        let call =
            r#"{"file_path": "src/a.rs", "new_string": "x\n\trefreshToken() na\u00efve_bayes \"max_retries\": 5"}"#;
        assert_eq!(of(BlockKind::ToolCall, call), ["src/a.rs", "a.rs", "refreshToken", "naïve_bayes", "max_retries"]);
        let result = r#"{"output":"ls\nmax_retry_count = 3"}"#;
        assert_eq!(of(BlockKind::ToolResult, result), ["max_retry_count"]);
        assert_eq!(of(BlockKind::ToolResult, r#"{"max_retries": 5}"#), ["max_retries"], "a result's names are its own");
        let term = terms_of(BlockKind::ToolCall, call).into_iter().find(|term| &call[term.at as usize..][..2] == "na");
        assert_eq!(term.map(|term| term.hash), terms("naïve_bayes").first().map(|term| term.hash));
    }

    /// Of the texts, which refer to which.
    fn referring(texts: &[&str]) -> Vec<(u32, u32)> {
        let mut referrals = Referrals::default();
        for (item, text) in (0u32..).zip(texts) {
            let voice = if item % 2 == 1 { Voice::Model } else { Voice::Other };
            referrals.take(item, item, item, voice, &terms(text), |item| item);
        }
        let mut found: Vec<_> = referrals.references.iter().map(|found| (found.by, found.of)).collect();
        found.sort_unstable();
        found
    }

    #[test]
    fn a_path_is_repeated_by_a_longer_one_that_ends_with_it_and_the_other_way_round() {
        let (short, long) = ("found strategy/messages.go", "open /home/u/cmd/strategy/messages.go");
        // The name alone was there before.
        let named = "messages.go";
        assert_eq!(referring(&[named, "", short, long]), [(3, 0), (3, 2)]);
        assert_eq!(referring(&[named, "", long, short]), [(3, 0), (3, 2)]);
        // What is no end at a part's beginning is another path, and so is one beside it.
        assert_eq!(referring(&[named, "", short, "open /home/mystrategy/messages.go"]), [(3, 0)]);
        assert_eq!(referring(&[named, "", "/a/other/strategy/messages.go", long]), [(3, 0)]);
        // It had occurred before it, within a longer one.
        assert_eq!(referring(&[long, "", short, long]), [(3, 0)]);
        let escaped = r#"{"path":"/home/u/cmd/strategy\/messages.go"}"#;
        assert!(terms_of(BlockKind::ToolCall, escaped).iter().any(|term| term.tail));
        // Words that a slash joins are no path; folders below a root are.
        assert_eq!(referring(&["text", "", "as text/plain on 2024/10/12", "not x/text/plain or 5/2024/10/12"]), []);
        assert_eq!(referring(&["text", "", "in text/plain", "not /home/u/text/plain"]), [(3, 2)]);
        // Three parts are more than words have.
        let (short, long) = ("ls src/engine/plan", "ls crates/windows/src/engine/plan");
        assert_eq!(referring(&["text", "", short, long]), [(3, 2)]);
        assert_eq!(referring(&["text", "", long, short]), [(3, 2)]);
        // However long it is, its ends are few.
        assert!(terms(&"a1/".repeat(100_000)).len() <= 2 * super::LONGEST);
    }

    #[test]
    fn a_version_is_a_term_and_so_is_what_it_is_of() {
        assert_eq!(of("The latest is **0.3.0**, not v0.2 or 1.0."), ["0.3.0"]);
        assert_eq!(of("some_package-0.3.0."), ["some_package-0.3.0", "some_package", "0.3.0"]);
        assert_eq!(of("in deps/fmt-v11.0.2"), ["deps/fmt-v11.0.2", "fmt-v11.0.2", "11.0.2"]);
        assert_eq!(of("at my_lib-old/0.3.0"), ["my_lib-old/0.3.0", "0.3.0"], "it is of no part of the name before");
        let all =
            (0..13).map(|number| format!("thing v{}.0.{}", number / 9, number % 9)).collect::<Vec<_>>().join("\n");
        assert!(of(&all).is_empty(), "each of many says nothing");
        assert_eq!(of(&format!("{all}\nother_thing-1.0.10 v1.2.34")), ["other_thing-1.0.10", "other_thing", "v1.2.34"]);
        let told = ["It is some_package.", "", "The newest is **0.3.0**.", "get [some_package-0.3.0]"];
        assert_eq!(referring(&told), [(3, 0), (3, 2)]);
    }

    #[test]
    fn amounts_of_a_call_refer_to_nothing() {
        let of = |kind, text: &str| -> Vec<String> {
            terms_of(kind, text)
                .iter()
                .map(|term| word_of(text, (term.at, term.at + term.length)).to_string())
                .collect()
        };
        for text in [r#"{"limit": 12000, "line": 12345}"#, "run({limit: 12000, line: 12345})"] {
            assert_eq!(of(BlockKind::ToolCall, text), ["12345"], "{text}");
            assert_eq!(of(BlockKind::ToolResult, text), ["12000", "12345"], "{text}");
        }
        assert_eq!(of(BlockKind::ToolCall, r#"{"command": "kill 12000"}"#), ["12000"]);
    }

    #[test]
    fn a_time_is_a_term_and_so_are_its_long_parts() {
        assert_eq!(of("at 10:42:17, not 3:15"), ["10:42:17"]);
        assert_eq!(of("127.0.0.1:8080 fails"), ["127.0.0.1:8080", "127.0.0.1", "8080"]);
        assert_eq!(of("note: later"), Vec::<&str>::new());
    }
}
