//! Words by which an answer tells what was chosen or found.

use super::said::INSTEAD;

/// Phrases that tell it, as whole words.
pub(super) const CHOSEN: &[&str] = &[
    "decided",
    "i'll use",
    "i will use",
    "we will use",
    "we'll use",
    "let's use",
    "let's go with",
    "let's stick with",
    "i'll go with",
    "i will go with",
    "we'll go with",
    "we will go with",
    "i'll stick with",
    "we'll stick with",
    INSTEAD,
    "root cause",
    "the reason is",
    "i chose",
    "we chose",
    "i've chosen",
    "i have chosen",
    "we've chosen",
    "we have chosen",
    "i picked",
    "we picked",
    "i opted",
    "we opted",
    "opted for",
    "opting for",
    "settled on",
    "settling on",
    "going with",
    "sticking with",
    "we agreed",
    // German
    "beschlossen",
    "entschieden",
    "habe mich für",
    "haben uns für",
    "nehmen wir",
    // Dutch
    "besloten",
    "gekozen voor",
    // French
    "ai choisi",
    "ai décidé",
    "ai opté",
    "avons choisi",
    "avons décidé",
    "avons opté",
    "nous utiliserons",
    // Spanish, Portuguese
    "decidimos",
    "decidí",
    "decidi",
    "escolhemos",
    "escolhi",
    "he decidido",
    "he elegido",
    "hemos decidido",
    "hemos elegido",
    "optamos por",
    "optei por",
    "opté por",
    "usaremos",
    "vamos a usar",
    "vamos usar",
    // Italian
    "abbiamo deciso",
    "abbiamo scelto",
    "ho deciso",
    "ho scelto",
    "useremo",
    // Russian
    "будем использовать",
    "выбрал",
    "выбрали",
    "остановились на",
    "остановился на",
    "решено",
    "решил",
    "решили",
    // Polish
    "wybraliśmy",
    "wybrałem",
    "zdecydowaliśmy",
    "zdecydowałem",
];
/// How it is told what somebody is going to do, and nothing is chosen among others.
const INTENDS: &[&str] = &["decided to", "i chose to", "i opted to", "i've chosen to", "we chose to", "we opted to"];
/// What is done with a thing that is chosen.
const TAKES_UP: &[&str] =
    &["adopt", "avoid", "drop", "keep", "never", "not", "store", "support", "switch", "use", "vendor"];
/// Those of them that compare or explain.
const COMPARES: &[&str] = &[INSTEAD, "root cause", "the reason is"];
/// The same where no blanks part words.
const CHOSEN_IN_SIGNS: &[&str] = &[
    "决定使用",
    "决定采用",
    "决定用",
    "我决定",
    "我们决定",
    "最终决定",
    "選擇使用",
    "选择使用",
    "我选择",
    "我们选择",
    "选用了",
    "改为使用",
    "ことにしました",
    "ことにします",
    "に決めました",
    "に決定しました",
    "を採用しました",
    "を採用します",
    "기로 했습니다",
    "기로 결정",
    "로 결정했",
    "선택했습니다",
    "채택했",
];
/// Labels of what was chosen, and words that may stand before one.
const LABELS: &[&str] = &[
    "besluit",
    "beslissing",
    "decisione",
    "decision",
    "decisión",
    "decisão",
    "decyzja",
    "décision",
    "entscheidung",
    "решение",
    "决定",
    "決定",
    "결정",
];
const BEFORE_LABEL: &[&str] = &["design", "final", "key", "my", "our", "the"];
/// Phrases with which a person chooses what a model would only do next, as whole words.
const CHOSEN_BY_PERSON: &[&str] = &["let us use", "lets use", "let's settle on", "we went with"];
/// Those that choose where a clause begins with them, and the words that may stand before them there.
const ORDERED: &[&str] = &["go with", "settle on", "stick with"];
const BEFORE_ORDER: &[&str] = &[
    "actually", "also", "and", "but", "just", "let", "let's", "lets", "now", "ok", "okay", "please", "so", "then",
    "us", "yeah", "yep", "yes",
];
/// Words that name nothing by themselves: who says "let's go with that" answers, and what it is stands elsewhere.
const POINTING: &[&str] = &[
    "a",
    "all",
    "an",
    "and",
    "approach",
    "current",
    "first",
    "for",
    "here",
    "idea",
    "is",
    "it",
    "later",
    "now",
    "of",
    "one",
    "ones",
    "option",
    "plan",
    "please",
    "recommendation",
    "same",
    "second",
    "so",
    "suggestion",
    "that",
    "the",
    "them",
    "then",
    "there",
    "these",
    "this",
    "those",
    "to",
    "way",
    "what",
    "you",
    "your",
    "yours",
];
/// Words before a phrase with which a person speaks of what another did, or wonders at it.
const OF_OTHERS: &[&str] = &["how", "it", "what", "when", "who", "why", "you", "you're", "you've"];
/// Words before such a phrase with which nothing is chosen yet: "not decided", "to be decided", "if we opted for".
const OPEN: &[&str] = &[
    "be", "can't", "cannot", "could", "if", "might", "never", "nicht", "nie", "niet", "no", "non", "not", "once",
    "pas", "should", "unless", "until", "whether", "would", "ещё", "не",
];
/// How many words before a phrase are looked at for one.
const NEAR: usize = 4;

/// Whether a sentence in small letters tells what was chosen or found.
pub(super) fn tells_choice(lower: &str) -> bool {
    let lower = lower.replace('\u{2019}', "'");
    let told =
        |phrase: &&str| lower.match_indices(*phrase).any(|(at, _)| is_told(&lower, at, at + phrase.len(), phrase));
    let denies =
        |text: &str| ["没有", "尚未", "还没", "未决定", "ませんでした", "지 않"].iter().any(|no| text.contains(no));
    CHOSEN.iter().any(told) || (CHOSEN_IN_SIGNS.iter().any(|phrase| lower.contains(phrase)) && !denies(&lower))
}

/// Whether a sentence in small letters that tells a choice names what was chosen: not where only words stand behind the
/// phrase that point elsewhere, or one begins what does, and no name or figure follows: "let's go with that", "i'll use
/// that alias in the next edits".
pub(super) fn names_choice(lower: &str) -> bool {
    const POINT: &[&str] = &["it", "that", "them", "these", "this", "those"];
    let lower = lower.replace('\u{2019}', "'");
    let names = |rest: &str| {
        let mut words =
            rest.split(|sign: char| !sign.is_alphanumeric() && sign != '\'').filter(|word| !word.is_empty());
        let first = words.clone().next();
        let points = first.is_some_and(|word| POINT.contains(&word));
        let has_name = rest.contains(|sign: char| sign.is_ascii_digit() || matches!(sign, '`' | '_' | '/'));
        let is_bare = first.is_some() && words.all(|word| POINTING.binary_search(&word).is_ok());
        has_name || !(points || is_bare)
    };
    // Where the phrase ends the sentence, what was chosen stands before it.
    let told = |phrase: &&str| {
        let behind = |at: usize| lower.get(at + phrase.len()..).unwrap_or_default();
        let mut all = lower.match_indices(*phrase).map(|(at, _)| at);
        all.any(|at| is_told(&lower, at, at + phrase.len(), phrase) && (COMPARES.contains(phrase) || names(behind(at))))
    };
    CHOSEN.iter().any(told) || CHOSEN_IN_SIGNS.iter().any(|phrase| lower.contains(phrase))
}

/// Whether a sentence in small letters tells of nothing but what somebody is going to do: "decided to get a coffee".
pub(super) fn only_intends(lower: &str) -> bool {
    let lower = lower.replace('\u{2019}', "'");
    let does = |phrase: &&str| {
        lower.split_once(*phrase).is_some_and(|(_, rest)| {
            let verb = rest.split_whitespace().next();
            verb.is_some_and(|verb| !TAKES_UP.contains(&verb))
        })
    };
    let is_own = |phrase: &&&str| INTENDS.iter().any(|own| own.starts_with(**phrase));
    let mut others = CHOSEN.iter().chain(CHOSEN_BY_PERSON).filter(|phrase| !is_own(phrase)).chain(CHOSEN_IN_SIGNS);
    INTENDS.iter().any(does) && !others.any(|phrase| lower.contains(phrase))
}

/// Whether a sentence in small letters that a person typed tells what was chosen, and names it.
pub(super) fn person_chooses(lower: &str) -> bool {
    let lower = lower.replace('\u{2019}', "'");
    let words = |text: &str| -> Vec<String> {
        let all = text.split(|sign: char| !sign.is_alphanumeric() && sign != '\'').filter(|word| !word.is_empty());
        all.map(str::to_owned).collect()
    };
    let clause = |at: usize| {
        let before = lower.get(..at).unwrap_or_default();
        words(before.rsplit([',', ';', ':', '.', '(']).next().unwrap_or_default())
    };
    let names = |at: usize| {
        let own = words(lower.get(at..).unwrap_or_default());
        // "I picked it up from there"
        let moves = own.first().is_some_and(|word| matches!(word.as_str(), "it" | "them" | "up"));
        !moves && own.iter().any(|word| POINTING.binary_search(&word.as_str()).is_err())
    };
    let is_of = |all: &[&str], word: &String| all.contains(&word.as_str());
    let stated = |phrase: &&str, at: usize| {
        is_told(&lower, at, at + phrase.len(), phrase) && !clause(at).iter().any(|word| is_of(OF_OTHERS, word))
    };
    let ordered = |phrase: &&str, at: usize| {
        is_told(&lower, at, at + phrase.len(), phrase) && clause(at).iter().all(|word| is_of(BEFORE_ORDER, word))
    };
    let at = |phrase: &str| lower.match_indices(phrase).map(|(at, _)| at).collect::<Vec<_>>();
    // What compares or explains is a remark where a person says it.
    let told = CHOSEN.iter().filter(|phrase| !COMPARES.contains(phrase)).chain(CHOSEN_BY_PERSON);
    told.into_iter().any(|phrase| at(phrase).into_iter().any(|at| stated(phrase, at) && names(at + phrase.len())))
        || ORDERED.iter().any(|phrase| at(phrase).into_iter().any(|at| ordered(phrase, at) && names(at + phrase.len())))
}

fn is_told(lower: &str, from: usize, to: usize, phrase: &str) -> bool {
    let (before, behind) = (lower.get(..from).unwrap_or_default(), lower.get(to..).unwrap_or_default());
    let joins = |sign: char| sign.is_alphanumeric() || matches!(sign, '_' | '-' | '\'');
    if before.ends_with(joins) || behind.starts_with(joins) || behind.starts_with('(') {
        return false;
    }
    // These compare or explain, and choose nothing themselves.
    if COMPARES.contains(&phrase) {
        return true;
    }
    let clause = before.rsplit([',', ';', ':', '.', '(']).next().unwrap_or_default();
    let words = clause.rsplit(|sign: char| !sign.is_alphanumeric() && sign != '\'').filter(|word| !word.is_empty());
    !words.take(NEAR).any(|word| word.ends_with("n't") || OPEN.contains(&word))
}

/// What stands behind a label of a choice with which a sentence begins: "**Decision:** keep it in one file".
pub(super) fn labelled(sentence: &str) -> Option<&str> {
    let bare = sentence.trim_start_matches(|sign: char| sign.is_whitespace() || "#*-+>•_".contains(sign));
    let (label, said) = bare.split_at(bare.find([':', '：'])?);
    let label = label.trim_matches(['*', '_', ' ']).to_lowercase();
    let mut words = label.split(' ').rev();
    let is_label =
        words.next().is_some_and(|word| LABELS.contains(&word)) && words.all(|word| BEFORE_LABEL.contains(&word));
    let said = said.trim_start_matches([':', '：', '*', '_', ' ']);
    (is_label && !said.is_empty()).then_some(said)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn choices_are_told_in_many_words() {
        for choice in [
            "we chose the write-ahead log for it",
            "for the cache we settled on an lru of 512 entries",
            "i opted for sqlite here",
            "we'll go with port 8443",
            "let's use a queue per tenant",
            "let\u{2019}s go with the second way",
            "we've chosen the blue theme",
            "wir haben uns für sqlite entschieden",
            "hemos decidido guardar los registros treinta días",
            "мы решили хранить журналы тридцать дней",
            "我们决定把日志保留三十天",
            "ログは三十日間残すことにしました",
            "로그를 삼십 일 동안 보관하기로 했습니다",
        ] {
            assert!(tells_choice(choice), "{choice}");
        }
        for told in [
            "we haven't decided yet",
            "the port is still to be decided",
            "it is undecided",
            "if we settled on sqlite, files would be smaller",
            "decided() returns a flag",
            "the chosen theme",
            "nothing was picked",
            "das ist noch nicht entschieden",
            "还没有决定使用哪个端口，我们决定之后再说",
            "the user chooses a port",
        ] {
            assert!(!tells_choice(told), "{told}");
        }
    }

    #[test]
    fn a_person_chooses_what_the_sentence_names() {
        assert!(POINTING.is_sorted());
        for choice in [
            "we settled on redis streams for the queue",
            "let's go with option b, the streaming parser",
            "ok, let\u{2019}s go with postgres 15",
            "we decided to drop windows support",
            "go with the blue header",
            "let us stick with tokio 1.38",
            "for the header, go with blue",
            "we agreed to keep the old schema until march",
        ] {
            assert!(person_chooses(choice), "{choice}");
        }
        for remark in [
            "let's go with that",
            "ok go with your suggestion",
            "let's go with the second one please",
            "we haven't decided on the port yet",
            "you decided to skip the tests",
            "why we decided that is unclear",
            "the styles go with the header",
            "i see the root cause now",
            "does it go with the header",
            "thanks, that is decided",
            "i picked it up from the docs",
            "stick with the current plan please",
        ] {
            assert!(!person_chooses(remark), "{remark}");
        }
    }

    #[test]
    fn what_somebody_is_going_to_do_is_told_apart_from_what_was_chosen() {
        for text in ["i decided to get a coffee first", "we've decided to go home", "i chose to take a walk"] {
            assert!(only_intends(text), "{text}");
        }
        for text in
            ["we settled on a queue of ten", "i decided to use a ring", "i decided to log to wal instead of a file"]
        {
            assert!(!only_intends(text), "{text}");
        }
    }

    #[test]
    fn a_choice_without_what_was_chosen_is_none() {
        for text in [
            "we settled on redis streams for the queue",
            "wir haben uns für sqlite entschieden",
            "i'll use that alias `spotter_web` in the next edits",
            "i'll use the queue instead of the lock",
            "我们决定把日志保留三十天",
        ] {
            assert!(names_choice(text), "{text}");
        }
        for text in [
            "expected \u{2014} i\u{2019}ll use that alias in the next edits",
            "ok, let's go with that",
            "i'll go with the second option then",
            "we agreed",
        ] {
            assert_eq!(names_choice(text), text == "we agreed", "{text}");
        }
    }

    #[test]
    fn a_label_names_what_was_chosen() {
        for text in [
            "Decision: keep it",
            "**Decision:** keep it",
            "- **Final decision**: keep it",
            "## Our decision: keep it",
            "Entscheidung: keep it",
            "决定：keep it",
        ] {
            assert_eq!(labelled(text), Some("keep it"), "{text}");
        }
        for text in ["Decision", "Decisions: none", "The decision of the user: none", "decision:"] {
            assert_eq!(labelled(text), None, "{text}");
        }
    }
}
