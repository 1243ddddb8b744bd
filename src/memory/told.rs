//! What a text tells, for whoever leaves out a text because another says it too: whole sentences, with all their words,
//! figures and signs in their order. Where it is not sure that nothing is lost, both texts stay.

use super::lexer::{text_before, words};
use super::words::is_silent;
use super::{plain, sentences};

/// Words that can be missing from a sentence that says the same. No others: "is the lead" is not "has the lead".
const FREE: &[&str] = &["also", "an", "are", "is", "please", "the"];

/// Words before which "a" is no name of anything: "is a host", but "zone a".
const BEFORE_ARTICLE: &[&str] = &[
    "are", "as", "be", "by", "for", "had", "has", "have", "in", "is", "needs", "not", "of", "on", "requires", "to",
    "use", "uses", "was", "were", "with",
];

/// Words that can stand beside all that is said in a sentence, as they qualify nothing of it.
const BESIDE: &[&str] = &["again", "already", "currently", "here", "now", "ok", "okay", "today", "too", "yes"];

/// Words by which the next sentence takes back or limits what was said: "All pass. Except one."
const TAKES_BACK: &[&str] = &[
    "actually",
    "but",
    "correction",
    "else",
    "except",
    "false",
    "however",
    "if",
    "never",
    "no",
    "nope",
    "not",
    "only",
    "or",
    "otherwise",
    "per",
    "unless",
    "until",
    "wait",
    "when",
    "wrong",
];

/// A sentence by its words and signs.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
struct Sentence {
    tokens: Vec<String>,
    /// Whether what follows is said under it: "On b:".
    leads: bool,
}

/// What a text tells, sentence by sentence.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Told(Vec<Sentence>);

impl Told {
    /// Reads a text.
    pub fn of(text: &str) -> Told {
        let read = |(from, to): (usize, usize)| sentence(text.get(from..to).unwrap_or_default());
        Told(sentences(text).into_iter().map(read).filter(|one| !one.tokens.is_empty()).collect())
    }

    /// Whether it has all sentences of another, one after the other, with nothing that qualifies them.
    pub fn holds(&self, other: &Told) -> bool {
        let length = other.0.len();
        let is_at = |at: usize| {
            let led = at.checked_sub(1).and_then(|at| self.0.get(at)).is_some_and(|before| before.leads);
            let next = self.0.get(at + length).and_then(|next| next.tokens.first());
            let taken_back = next.is_some_and(|word| TAKES_BACK.contains(&word.as_str()));
            let says = |(own, theirs): (&Sentence, &Sentence)| own.leads == theirs.leads && own.says(theirs);
            !led && !taken_back && self.0.iter().skip(at).zip(&other.0).all(says)
        };
        length > 0 && length <= self.0.len() && (0..=self.0.len() - length).any(is_at)
    }
}

impl Sentence {
    /// Whether it says all that another says, and nothing beside it that could make it something else.
    fn says(&self, other: &Sentence) -> bool {
        let (own, theirs) = (self.tokens.len(), other.tokens.len());
        let is_free = |tokens: &[String]| tokens.iter().all(|word| BESIDE.contains(&word.as_str()));
        theirs <= own
            && (0..=own - theirs).any(|at| {
                let (before, rest) = self.tokens.split_at(at);
                let (found, after) = rest.split_at(theirs);
                found == other.tokens && is_free(before) && is_free(after)
            })
    }
}

/// Whether a text says all that another says.
#[cfg(test)]
pub(super) fn says_all(text: &str, other: &str) -> bool {
    let [own, theirs] = [text, other].map(|text| super::reading::Reading::of(text.into()));
    own.says_all(&theirs)
}

/// Reads a sentence.
fn sentence(text: &str) -> Sentence {
    let plain = plain(text);
    let plain = without_bold(without_marks(&plain));
    // Signs stand behind a word: before the first, one is put that says nothing. A genitive is a word of its own, as
    // a team's is not the team.
    let read = format!("x {}", plain.replace("'s", " 's"));
    let words = words(&read);
    let mut tokens = Vec::new();
    for (at, word) in words.iter().enumerate() {
        let next = words.get(at + 1).map(|word| &*word.text);
        let is_article = || {
            let before = text_before(&words, at, 1);
            let begins = at == 1 || BEFORE_ARTICLE.contains(&before);
            // "A few" are more than "few".
            let counts = |next: &str| matches!(next, "few" | "little");
            let names = |next: &str| {
                next.len() > 2 && next.chars().all(char::is_alphabetic) && !is_silent(next) && !counts(next)
            };
            begins && word.after == " " && next.is_some_and(names)
        };
        if at > 0 && !FREE.contains(&&*word.text) && !(word.text == "a" && is_article()) {
            tokens.push(word.text.to_string());
        }
        if !matches!(word.after, "" | " ") {
            signs(&word.text, word.after, next, &mut tokens);
        }
    }
    if !tokens.iter().any(|token| token.contains(char::is_alphanumeric)) {
        // A rule or a fence says nothing; "✅" does.
        tokens.retain(|token| !token.is_ascii());
    }
    let last = text.trim_end_matches(['"', '\'', '`', ')', ']', '*', '_', '\u{201d}', '\u{300d}', '\u{300f}']);
    if last.ends_with(['?', '\u{ff1f}']) {
        tokens.push("?".to_owned());
    }
    Sentence { tokens, leads: last.ends_with([':', '\u{ff1a}']) }
}

/// A plain sentence without what marks items, headings and quotations before it.
fn without_marks(mut plain: &str) -> &str {
    while let Some(mark) = plain.chars().next().filter(|sign| "-*+>#\u{2022}".contains(*sign)) {
        let rest = plain.trim_start_matches(mark);
        let runs = plain.len() - rest.len() == mark.len_utf8() || matches!(mark, '#' | '>');
        let Some(rest) = rest.strip_prefix(' ').filter(|_| runs) else { break };
        plain = rest;
    }
    plain
}

/// A plain sentence without the marks of bold words, where all that it has are such marks: `**/*.log` has others.
fn without_bold(plain: &str) -> String {
    let parts: Vec<&str> = plain.split("**").collect();
    let is_blank = |sign: char| sign.is_whitespace();
    let is_marked = |(at, part): (usize, &&str)| match at % 2 {
        1 => !part.is_empty() && !part.starts_with(is_blank) && !part.ends_with(is_blank),
        _ => {
            let ends = at + 1 == parts.len() || part.is_empty() || part.ends_with([' ', '(', '"']);
            ends && (at == 0
                || !part.starts_with(|sign: char| sign.is_alphanumeric() || matches!(sign, '/' | '*' | '.')))
        }
    };
    let all = parts.len() > 1 && parts.len() % 2 == 1 && parts.iter().enumerate().all(is_marked);
    if all { parts.concat() } else { plain.to_owned() }
}

/// The signs that say something of those that stand behind a word, before the next.
fn signs(word: &str, after: &str, next: Option<&str>, out: &mut Vec<String>) {
    let list: Vec<char> = word.chars().next_back().into_iter().chain(after.chars()).collect();
    let first = next.and_then(|next| next.chars().next());
    for (at, sign) in list.iter().copied().enumerate().skip(1) {
        let (before, behind) = (list[at - 1], list.get(at + 1).copied().or(first));
        let leads = behind.is_some_and(char::is_alphanumeric);
        let joins = leads && before.is_alphanumeric();
        let numbers = before.is_ascii_digit() && behind.is_some_and(|sign| sign.is_ascii_digit());
        let says = match sign {
            _ if sign.is_whitespace() => false,
            '"' | '\'' | '`' | '(' | ')' | '{' | '}' | '\u{ab}' | '\u{bb}' | '\u{2018}'..='\u{201f}' => false,
            '\u{2026}' | '\u{3001}' | '\u{3002}' | '\u{3008}'..='\u{3011}' | '\u{fe0f}' | '\u{200d}' => false,
            // A box that nobody has ticked.
            '[' => list.get(at + 1..at + 3) == Some(&[' ', ']']),
            ']' => false,
            // ".gitignore", "!flag", "main.rs"
            '.' | '!' | '?' => leads,
            ',' | ';' => numbers,
            ':' => joins,
            // "log-file" and a dash say nothing; "-v" and "10-20" do.
            '-' | '\u{2013}' | '\u{2014}' => {
                let letters = before.is_alphabetic() && behind.is_some_and(char::is_alphabetic);
                leads && !letters && before != sign
            }
            _ => true,
        };
        if says {
            out.push(sign.to_string());
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn forms_of_one_text_say_the_same() {
        for (one, other) in [
            ("The host is up. The port is 8080. It runs.", "Host up. Port 8080."),
            ("It takes 1,500 ms.", "it takes 1500ms"),
            ("The limit went from 10 to 20 today.", "the limit went from 10 to 20"),
            ("- **Note**: the log-file is `app.log`", "Note: the log file is \"app.log\"!"),
            ("## The ports\n\n* 8080\n* 9090", "The ports\n8080\n9090"),
            ("It is a host of the \u{2018}ledger\u{2019}.", "It is host of ledger"),
            ("修复了解析器的错误。测试通过。", "修复了解析器的错误"),
        ] {
            assert!(says_all(one, other), "{one} / {other}");
        }
    }

    #[test]
    fn what_says_another_thing_or_less_says_it_not() {
        for (one, other) in [
            ("billing reports to ledger", "ledger reports to billing"),
            ("ops was the owner of host_1", "ops is the owner of host_1"),
            ("the job has the lock", "the job had the lock"),
            ("ops has the lead", "ops is the lead"),
            ("the limit went from 10 to 20", "the limit went from 20 to 10"),
            ("moved from A1 to B1", "moved to A1 from B1"),
            ("my team is ledger", "your team is ledger"),
            ("10\u{2075} kg", "105 kg"),
            ("it is at 20 degrees", "it is at \u{2212}20 degrees"),
            ("C++ and C#", "C and C"),
            ("Alpha listens on 80, beta on 90.", "Alpha listens on 90."),
            ("Alpha listens on 80 and beta on 90.", "Alpha listens on 90."),
            ("the key is Qx7rT", "the key is qX7Rt"),
            ("On a:\nThe port is 80.\nOn b:\nThe port is 90.", "On a:\nThe port is 90."),
            ("On a:\nThe port is 80.", "The port is 80."),
            ("Is the port 80?", "The port is 80."),
            ("端口是80吗？", "端口是80吗"),
            ("If it is asked to, drop the table.", "Drop the table."),
            ("The port is 80. No, it is 90.", "The port is 80."),
        ] {
            assert!(!says_all(one, other), "{one} / {other}");
        }
        // In whatever order the two come.
        for (one, other) in [
            ("it needs a token", "it needs no token"),
            ("limit < 5", "limit > 5"),
            ("idle connections are dropped after 30 min", "idle connections are dropped after 30 s"),
            ("the meeting is at 9 am", "the meeting is at 9 pm"),
            ("the meeting is at 9 am", "the meeting is at 9"),
            ("the replica runs in zone a", "the replica runs in zone b"),
            ("the replica runs in zone a", "the replica runs in zone"),
            ("the blood group is A", "the blood group is B"),
            ("it stands on drive A:", "it stands on drive D:"),
            ("the IT team", "the team"),
            ("class S", "class"),
            ("finance's key", "finance key"),
            ("the count is 5", "the count is 5 thousand"),
            ("it has 5 GB", "it has 5 GB per user"),
            ("use version 1.2", "use version 1.2 beta"),
            ("the budget is 5 %", "the budget is 5"),
            ("it costs $5", "it costs 5"),
            ("the flat costs 30 euros", "the flat costs 30 euros less"),
            ("all tests pass", "all tests pass except test_x"),
            ("All pass.", "All pass. Except test_x."),
            ("the files *.log", "the files log"),
            ("the files **/*.log", "the files *.log"),
            ("the channel #ledger", "the channel ledger"),
            ("it takes ~30 s", "it takes 30 s"),
            ("it stands in /srv/a/b", "it stands in /srv/b/a"),
            ("it stands in /srv/a", "it stands in srv/a"),
            ("run it with -v", "run it with v"),
            ("see .env", "see env"),
            ("tasks 10-20", "tasks 10, 20"),
            ("it costs 1,5 euros", "it costs 1, 5 euros"),
            ("it starts at 10:30", "it starts at 10 30"),
            ("[ ] deploy it", "[x] deploy it"),
            ("[ ] deploy it", "deploy it"),
            ("tests ✅", "tests ❌"),
            ("ping @ops", "ping ops"),
            ("x = 5", "x != 5"),
            ("a & b", "a | b"),
            ("2**3 and 4**5", "23 and 45"),
        ] {
            assert!(!says_all(one, other) && !says_all(other, one), "{one} / {other}");
        }
    }
}
