//! Whether two texts say the same of the same: what they deny, and in which order they tell it. A bag of words cannot
//! tell "from 10 to 20" from "from 20 to 10", nor "sealed" from "not sealed".

use std::collections::{BTreeMap, BTreeSet};

use super::cjk;
use super::denied::{Denied, denies_at, forbids_at, is_all, is_denial};
use super::lexer::{Word, is_figure, is_number, text_at, text_before, words};
use super::marks::said;
use super::mood::CHANGES;
use super::numeral::counted;
use super::sentences;
use super::sides::rises_or_falls;
use super::words::{exact, plain, stem_of};

/// Words that begin a clause of their own; a list goes on after "and" and "or", unless one of [`SUBJECTS`] follows.
const JOINS: &[&str] =
    &["although", "because", "but", "however", "so", "though", "whereas", "while", "\u{4f46}", "\u{800c}"];
const SUBJECTS: &[&str] = &[
    "a", "an", "he", "her", "his", "i", "it", "its", "my", "our", "she", "that", "the", "their", "there", "these",
    "they", "this", "those", "we", "you", "your",
];

/// Clauses of a text that are held against those of another: one with more is data.
const CLAUSES: usize = 16;

/// Words that can go without a change of sense: articles, forms of to be and to have, what points at nothing.
const EMPTY: &[&str] = &[
    "a", "also", "am", "an", "and", "are", "as", "be", "been", "did", "do", "does", "had", "has", "have", "is", "it",
    "its", "just", "please", "s", "so", "that", "the", "then", "there", "this", "was", "were",
];

/// Verbs that bring a figure from what it was to what it is, and may as well tell of other things.
const BRINGS: &[&str] = &[
    "brings",
    "brought",
    "cut",
    "cuts",
    "cutting",
    "goes",
    "halved",
    "halves",
    "improved",
    "improves",
    "jumped",
    "shortened",
    "shortens",
    "slashed",
    "sped",
    "trimmed",
    "went",
];

/// Which words name an old value: what stands after "instead of", between "changed from" and "to", and before an arrow
/// between two figures.
fn are_old(words: &[Word]) -> Vec<bool> {
    let text = |at: usize| text_at(words, at);
    let (mut old, mut until, mut changes) = (vec![false; words.len()], None, false);
    // Of what is done instead of another thing, only that is old: "instead of using the cache".
    let mut only = false;
    // A figure that changed is told by its old value in many words: "raised from", "went from", "(was".
    let (mut moves, mut was) = (false, false);
    let mut last: Option<usize> = None;
    for (at, word) in words.iter().enumerate() {
        changes |= word.text.starts_with("chang") || word.text.starts_with("switch");
        moves |= CHANGES.contains(&&*word.text) || rises_or_falls(&word.text) || BRINGS.contains(&&*word.text);
        let before = at.checked_sub(1).and_then(|at| words.get(at));
        match &*word.text {
            "from" => was = moves || before.is_some_and(|word| matches!(&*word.text, "up" | "down" | "went")),
            "previously" | "formerly" => was = true,
            "was" | "were" => was = before.is_some_and(|word| word.after.contains('(')),
            text if was && is_number(text) => {
                old[at] = true;
                was = false;
            }
            "to" => was = false,
            _ => {}
        }
        if ends_clause(word.after) {
            was = false;
        }
        // "(6 -> 7)", and "6 hooks -> now 7".
        if is_figure(&word.text) {
            last = Some(at);
        }
        let leads = is_arrow(word.after)
            && words
                .get(at + 1..(at + 3).min(words.len()))
                .is_some_and(|next| next.iter().any(|word| is_figure(&word.text)));
        if let Some(from) = last.filter(|from| leads && at - from <= 2) {
            old[from] = true;
        }
        if is_arrow(word.after) || ends_clause(word.after) {
            last = None;
        }
        if until.is_some_and(|end| text(at) == end) {
            until = None;
        }
        old[at] |= until.is_some();
        if only && until.is_some() {
            (until, only) = (None, false);
        }
        match (text_before(words, at, 1), text(at)) {
            ("instead", "of") | ("rather", "than") => {
                until = Some("");
                only = text(at + 1).ends_with("ing");
            }
            (_, "from") if changes => until = Some("to"),
            _ if ends_clause(word.after) => until = None,
            _ => {}
        }
    }
    old
}

/// In which quotation each word stands; one that is not closed is none.
fn quotes(words: &[Word], plain: &str) -> Vec<Option<usize>> {
    let is_quote = |sign: &char| matches!(sign, '"' | '\u{201c}' | '\u{201d}');
    let marks = |text: &str| text.chars().filter(is_quote).count();
    let first = words.iter().map(|word| marks(word.after)).sum::<usize>();
    let mut number = marks(plain).saturating_sub(first);
    if marks(plain) % 2 == 1 {
        return vec![None; words.len()];
    }
    let mut quoted = Vec::with_capacity(words.len());
    for word in words {
        quoted.push((number % 2 == 1).then_some(number));
        number += marks(word.after);
    }
    quoted
}

/// Whether what stands between two words leads from the one to the other.
pub(super) fn is_arrow(after: &str) -> bool {
    after.contains('\u{2192}') || after.contains("->") || after.contains("=>")
}

/// Whether a text denies something.
#[must_use]
pub fn has_negation(text: &str) -> bool {
    let plain = plain(text);
    let words = words(&plain);
    let texts: Vec<&str> = words.iter().map(|word| &*word.text).collect();
    // "no. 5" is a number.
    let is_mark = |at: usize| {
        let begins = |word: &Word| word.text.starts_with(|sign: char| sign.is_ascii_digit());
        let stops = words.get(at).is_some_and(|word| word.text == "no" && word.after.trim_end() == ".");
        stops && words.get(at + 1).is_some_and(begins)
    };
    let denies = |at| {
        !is_mark(at) && (denies_at(&texts, at) || forbids_at(&texts, at))
            || is_given_up(&texts, at)
            || cjk::denied_from(&texts, at).is_some()
    };
    (0..texts.len()).any(denies)
}

/// Whether a word says that what the next one names is done no more: "stopped using".
fn is_given_up(words: &[&str], at: usize) -> bool {
    let gives_up = |word: &&str| matches!(&*stem_of(word), "stop" | "ceas" | "avoid");
    words.get(at + 1).is_some_and(|next| next.ends_with("ing")) && words.get(at).is_some_and(gives_up)
}

/// Whether a word joins what is said of one thing to what is said of another.
pub(super) fn joins(word: &str) -> bool {
    matches!(word, "and" | "or" | "but" | "while" | "whereas")
}

/// Whether what stands after a word ends a clause. A colon or a stop within a word or figure ends nothing.
pub(super) fn ends_clause(after: &str) -> bool {
    let ends = |sign: char| {
        matches!(
            sign,
            ',' | ';' | '|' | '(' | ')' | '[' | ']' | '\u{2014}' | '\u{2013}' | '!' | '?' | '\u{3001}' | '\u{3002}'
        )
    };
    after.contains(ends) || after.starts_with(". ") || after.starts_with(": ")
}

/// The clauses of a sentence, by their words' numbers.
pub(super) fn clauses(list: &[Word]) -> Vec<Vec<usize>> {
    let (mut all, mut clause): (Vec<Vec<usize>>, Vec<usize>) = (Vec::new(), Vec::new());
    for (at, word) in list.iter().enumerate() {
        let (text, next) = (&*word.text, text_at(list, at + 1));
        // "everything but the parser"
        let excepts =
            text == "but" && at.checked_sub(1).and_then(|at| list.get(at)).is_some_and(|all| is_all(&all.text));
        if (JOINS.contains(&text) && !excepts) || (matches!(text, "and" | "or") && SUBJECTS.contains(&next)) {
            all.push(std::mem::take(&mut clause));
            continue;
        }
        clause.push(at);
        if ends_clause(word.after) {
            all.push(std::mem::take(&mut clause));
        }
    }
    all.push(clause);
    all.retain(|clause| !clause.is_empty());
    all
}

/// Whether a clause says of something that it fails, which may be told as its not being done; and the place of the verb
/// that it says is not done, or no more: "failed to start", "stopped using".
pub(super) fn not_done(clause: &[&str]) -> (bool, Option<usize>) {
    if cjk::fails(clause) {
        return (true, None);
    }
    let at = |at: usize| clause.get(at).copied().unwrap_or_default();
    for (index, word) in clause.iter().enumerate() {
        let (next, stem) = (at(index + 1), stem_of(word));
        match &*stem {
            "fail" | "refus" | "unabl" if next == "to" => return (true, Some(index + 2)),
            _ if is_given_up(clause, index) => return (true, Some(index + 1)),
            "fail" | "failur" => return (true, None),
            _ => {}
        }
    }
    (false, None)
}

/// Whether a word can go without a change of sense.
pub(super) fn is_empty(word: &str) -> bool {
    EMPTY.contains(&word)
}

/// The stem of a word; a figure has none but itself.
pub(super) fn stem(word: &str) -> String {
    if is_figure(word) { word.to_owned() } else { stem_of(word).into_owned() }
}

/// A sign with the one behind it, where both say something.
fn pair_of_signs(words: &[Word], at: usize) -> Option<String> {
    let (word, next) = (words.get(at)?, words.get(at + 1)?);
    let joined = word.after.is_empty() && cjk::is_sign(&next.text);
    let says = |word: &Word| !cjk::is_empty(&word.text);
    (joined && ((says(word) && says(next)) || cjk::is_whole(&word.text, &next.text)))
        .then(|| format!("{}{}", word.text, next.text))
}

/// What a text says and denies: per stem, whether a clause affirms it, and whether one denies it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Sense {
    said: BTreeMap<String, (bool, bool)>,
    /// Words of old values.
    old: BTreeSet<String>,
    /// What each clause says and denies.
    clauses: Vec<BTreeMap<String, (bool, bool)>>,
}

impl Sense {
    /// Reads a text.
    pub fn of(text: &str) -> Self {
        let mut sense = Sense::default();
        for (from, to) in sentences(text) {
            let plain = exact(text.get(from..to).unwrap_or_default());
            sense.read(&plain, &counted(&plain));
        }
        sense
    }

    /// Takes a sentence in, in its plain form and as its words.
    pub fn read(&mut self, plain: &str, words: &[Word]) {
        let (old, quoted) = (are_old(words), quotes(words, plain));
        for clause in clauses(words) {
            let texts: Vec<&str> = clause.iter().filter_map(|at| Some(&*words.get(*at)?.text)).collect();
            // What a quotation denies, it denies of its own: the error "not found".
            let quote = |at: &usize| quoted.get(*at).copied().flatten();
            let outside = Denied::of(&texts, |index| clause.get(index).and_then(quote).is_none());
            let inside = Denied::of(&texts, |_| true);
            let (fails, failed) = not_done(&texts);
            let mut told: BTreeMap<String, (bool, bool)> = BTreeMap::new();
            for (index, (at, word)) in clause.iter().copied().zip(texts.iter().copied()).enumerate() {
                let own = if quote(&at).is_some() { &inside } else { &outside };
                let (affirmed, clause_denied) = own.at(index);
                let is_old = old.get(at).is_some_and(|old| *old);
                let denied = (clause_denied || is_old) != (failed == Some(index));
                // A sign alone tells little: with the next it is most often a word.
                let key = match cjk::is_sign(word) {
                    true => pair_of_signs(words, at),
                    false => (!EMPTY.contains(&word) && !is_denial(word)).then(|| stem(word)),
                };
                if let Some(key) = key {
                    if !clause_denied && is_old {
                        self.old.insert(key.clone());
                    }
                    let either = (fails && failed != Some(index)) || (clause_denied && affirmed);
                    let is = (!denied || either, denied || either);
                    for said in [self.said.entry(key.clone()).or_default(), told.entry(key).or_default()] {
                        *said = (said.0 || is.0, said.1 || is.1);
                    }
                }
            }
            if !told.is_empty() && self.clauses.len() < CLAUSES {
                self.clauses.push(told);
            }
        }
    }

    /// Whether all that both speak of is affirmed, or denied, by both.
    pub fn agrees(&self, other: &Sense) -> bool {
        self.agrees_but(other, |_| false)
    }

    /// The same, where the other was said before: what has another value now, it may have affirmed.
    pub fn follows(&self, other: &Sense) -> bool {
        self.agrees_but(other, |word| self.old.contains(word))
    }

    fn agrees_but(&self, other: &Sense, but: impl Fn(&String) -> bool) -> bool {
        let shared = self.said.iter().filter(|(word, _)| !but(word));
        let mut shared = shared.filter_map(|(word, own)| Some((own, other.said.get(word)?)));
        shared.all(|(own, theirs)| (own.0 && theirs.0) || (own.1 && theirs.1)) && !self.is_crossed(other)
    }

    /// Whether a clause of it denies of a thing what the other denies of another and affirms of this, or the other way
    /// round: "a was found, b was not" is not "a was not found". What says the same there has none of its words that
    /// what says the opposite has not.
    fn is_crossed(&self, other: &Sense) -> bool {
        let is_mixed = |word: &str| other.said.get(word) == Some(&(true, true));
        let mixed = |(word, is): &(&String, &(bool, bool))| is.0 != is.1 && is_mixed(word);
        self.clauses.iter().any(|own| {
            own.iter().filter(mixed).any(|(word, is)| {
                let shared = |there: &BTreeMap<String, (bool, bool)>| -> BTreeSet<&String> {
                    own.keys().filter(|key| *key != word && there.contains_key(*key)).collect()
                };
                let says = |wanted: bool| -> Vec<BTreeSet<&String>> {
                    let told = |there: &&BTreeMap<String, (bool, bool)>| {
                        there.get(word).is_some_and(|there| there.0 != there.1 && (there.0 == is.0) == wanted)
                    };
                    other.clauses.iter().filter(told).map(shared).collect()
                };
                let with = says(true);
                let is_less =
                    |more: &BTreeSet<_>| with.iter().all(|same| same.len() < more.len() && same.is_subset(more));
                !with.is_empty() && says(false).iter().any(is_less)
            })
        })
    }
}

/// The byte ranges of a text's statements: its sentences, of which lines that only go on are one.
pub(super) fn statements(text: &str) -> Vec<(usize, usize)> {
    let mut found: Vec<(usize, usize)> = Vec::new();
    for (from, to) in said(text) {
        let goes_on = found.last().is_some_and(|(_, end)| {
            let gap = text.get(*end..from).unwrap_or_default();
            let ended = text.get(..*end).is_some_and(|text| text.ends_with(['.', '!', '?', ':', ';']));
            let small = text.get(from..to).and_then(|text| text.chars().next()).is_some_and(char::is_lowercase);
            !ended && small && gap.trim().is_empty() && gap.matches('\n').count() == 1
        });
        match found.last_mut().filter(|_| goes_on) {
            Some(last) => last.1 = to,
            None => found.push((from, to)),
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn negation_is_of_words_and_phrases() {
        for text in [
            "Do not use tabs",
            "it doesn’t work",
            "we no longer ship it",
            "Never!",
            "rust instead of go",
            "It requires no token.",
            "runs without root rights",
            "You can't.",
            "neither of them",
            "fails unless it is set",
            "Der Server hört nicht auf Port 8443.",
            "Die API braucht kein Token.",
            "Le serveur n\u{2019}écoute pas sur le port 8443.",
            "Il server non ascolta sulla porta 8443.",
            "O servidor não escuta na porta 8443.",
            "El servidor nunca escucha en el puerto 8443.",
            "Тестовый сервер не слушает порт 8443.",
            "테스트 서버는 8443 포트를 사용하지 않습니다.",
            "토큰이 없습니다.",
            "서버가 안 열립니다.",
            "Le job tourne sans droits d'administrateur, et le reste aussi.",
            "El servidor arranca sin contraseña.",
            "O servidor inicia sem senha, com a porta 8443.",
            "De server accepteert geen verbindingen.",
            "De server luistert niet.",
            "Le serveur n\u{2019}écoute plus.",
            "Il ne répond plus.",
            "We stopped using the cache.",
        ] {
            assert!(has_negation(text), "{text}");
        }
        for text in [
            "a note on knots",
            "notable",
            "use tabs",
            "November",
            "Der Server hört auf Port 8443.",
            "Nicht nur Port 8443",
            "Le passé est passé.",
            "Нетто и небо",
            "파일을 없앴습니다.",
            "상자 안 파일을 옮겼습니다.",
            "The font is a sans-serif one.",
            "Le titre est en sans-serif.",
            "Plot sin x and cos x.",
            "Wait for sem 3.",
            "Le serveur écoute plus de ports.",
            "We stopped the building.",
            "El no. 5 es el puerto.",
            "The no. 5 build passes.",
        ] {
            assert!(!has_negation(text), "{text}");
        }
    }

    #[test]
    fn what_one_denies_and_the_other_affirms_does_not_agree() {
        let agree = |one: &str, other: &str| Sense::of(one).agrees(&Sense::of(other));
        assert!(!agree("The vault is not sealed on alpha7.", "The vault is sealed on alpha7, and the port is not 80."));
        assert!(!agree("Never delete table users_v2.", "Delete table users_v2."));
        assert!(!agree("It requires no token.", "It requires a token."));
        assert!(agree("The annotation of svc_3 didn't help.", "An annotation of svc_3 was added."));
        assert!(agree("The hook of svc_3 is one that we're not using.", "A diagram shows the hook of svc_3."));
        assert!(agree("Gemini has the hook, Claude does not.", "Add the hook to Claude, as Gemini has it."));
        assert!(agree("Do not leave it all to the end.", "Run tests early, rather than leaving it."));
        assert!(!agree("The errors are none.", "There are errors."));
        assert!(!agree("Do not leave tests to the end.", "Leave tests to the end."));
        assert!(agree("Create a repo instead of skipping the test.", "The test creates a repo."));
        assert!(agree("It requires no token.", "No token is required."));
        assert!(agree("The port is 80.", "The port is 80 and the vault is not sealed."));
        assert!(agree("Table users_v2 must never be deleted.", "Never delete table users_v2!"));
    }

    #[test]
    fn what_failed_or_was_stopped_is_not_done() {
        let agree = |one: &str, other: &str| Sense::of(one).agrees(&Sense::of(other));
        assert!(!agree("I failed to start server_3.", "I started server_3."));
        assert!(!agree("We stopped using lib_2.", "We are using lib_2."));
        assert!(agree("I failed to start server_3.", "Starting server_3 failed."));
        assert!(agree("I failed to start server_3.", "server_3 was not started."));
        assert!(agree("We stopped using lib_2.", "We no longer use lib_2."));
    }

    #[test]
    fn each_clause_denies_of_its_own() {
        let agree = |one: &str, other: &str| Sense::of(one).agrees(&Sense::of(other));
        let found = "The command node was not found; python3 was found.";
        assert!(agree("python3 was found.", found) && agree("The command node was not found.", found));
        assert!(!agree("python3 was not found.", found) && !agree("The command node was found.", found));
        // Which of both is meant is not told.
        let tests = "The unit tests pass, the other tests do not pass.";
        assert!(agree("The tests do not pass.", tests) && agree("The unit tests pass.", tests));
    }

    #[test]
    fn a_new_value_is_affirmed_and_the_old_one_denied() {
        let agree = |one: &str, other: &str| Sense::of(one).agrees(&Sense::of(other));
        for text in
            ["The port was changed from 8080 to 9090.", "Port 8080 \u{2192} 9090", "The port is 9090 instead of 8080."]
        {
            assert!(agree("The port is 9090.", text) && !agree("The port is 8080.", text), "{text}");
        }
        assert!(agree("The timeout is 30 seconds instead of 10.", "The timeout changed from 10 to 30 seconds."));
    }

    #[test]
    fn lines_that_go_on_are_one_statement() {
        let of =
            |text: &'static str| statements(text).into_iter().map(|(from, to)| &text[from..to]).collect::<Vec<_>>();
        assert_eq!(of("Never\ndelete it.\nThen go\n- one\nTwo"), ["Never\ndelete it.", "Then go", "one", "Two"]);
    }
}
