//! Whether two things of one clause have changed places: "the client calls the server" is not "the server calls the
//! client", nor "a, b and c own 1, 2 and 3 respectively" the same with others.

use super::east;
use super::lexer::Word;
use super::sense::{is_empty, stem};
use super::stand::is_verb_of_done;
use super::words::is_silent;

/// Stems of verbs that say the same either way round.
const EITHER: &[&str] = &[
    "agre",
    "communicat",
    "compar",
    "conflict",
    "connect",
    "correspond",
    "differ",
    "equal",
    "interact",
    "intersect",
    "match",
    "meet",
    "mirror",
    "overlap",
    "resembl",
    "sync",
    "talk",
];
/// The same in Chinese and Japanese, and signs there that only join two things.
const EITHER_EAST: &[&str] = &["等于", "等於", "等同", "匹配", "相当", "相當", "连接", "連接", "一致", "相同"];
const JOINS_EAST: &[&str] = &["跟", "及", "或", "同", "や"];
/// Words of a clause that are looked at: a longer one is data.
const WORDS: usize = 40;

/// A clause, by the words of it that say something.
#[derive(Clone, Debug, Default)]
pub(super) struct Act {
    stems: Vec<String>,
    /// Which of them may be what one thing does to another.
    verbs: Vec<bool>,
    /// Whether it says by whom something is done.
    by: bool,
}

impl Act {
    /// Reads a clause.
    pub fn of(words: &[Word]) -> Act {
        let mut act = Act { by: words.iter().any(|word| word.text == "by"), ..Act::default() };
        for word in words.iter().take(WORDS + 1) {
            if is_empty(&word.text) || is_silent(&word.text) || !word.text.contains(char::is_alphanumeric) {
                continue;
            }
            act.stems.push(stem(&word.text));
            act.verbs.push(may_act(&word.text));
        }
        act
    }

    /// Whether its words are those of another, but for two things that stand on either side of a verb: each has the
    /// place of the other.
    pub fn is_swapped(&self, other: &Act) -> bool {
        if self.stems.len() != other.stems.len() || self.stems.len() > WORDS || self.by != other.by {
            return false;
        }
        let pairs = || self.stems.iter().zip(&other.stems);
        let same = |(own, there): &(&String, &String)| own == there;
        let first = pairs().take_while(same).count();
        let last = pairs().rev().take_while(same).count();
        if first + last >= self.stems.len() {
            return false;
        }
        let within = first..self.stems.len() - last;
        let (mine, theirs) = (&self.stems[within.clone()], &other.stems[within.clone()]);
        // "a v b" and "b v a"
        let size = mine.len();
        (1..size).any(|before| {
            let heads = mine[..before] == theirs[size - before..];
            heads
                && (before + 1..size).any(|behind| {
                    let after = size - behind;
                    mine[behind..] == theirs[..after]
                        && mine[before..behind] == theirs[after..size - before]
                        && self.acts(first + before..first + behind)
                })
        })
    }

    /// Whether it says the same in the same order.
    pub fn has_words_of(&self, other: &Act) -> bool {
        self.stems == other.stems
    }

    /// Whether some words of it are a verb, which does not say the same either way round.
    fn acts(&self, at: std::ops::Range<usize>) -> bool {
        let words: String = self.stems.get(at.clone()).unwrap_or_default().concat();
        let either = EITHER_EAST.iter().any(|either| words.contains(either));
        !either && self.verbs.get(at).is_some_and(|verbs| verbs.contains(&true))
    }

    /// Whether it has one thing after the other, a verb, and as many things that belong to them in turn.
    fn in_turn(&self) -> Option<Vec<(&String, &String)>> {
        let half = self.stems.len().checked_sub(1)? / 2;
        let is_whole = half > 0 && self.stems.len() == 2 * half + 1;
        is_whole.then(|| self.stems.iter().zip(self.stems.iter().skip(half + 1)).take(half).collect())
    }

    /// Whether of the same things, each "respectively", another belongs to one than there.
    pub fn is_dealt_otherwise(&self, other: &Act) -> bool {
        let (Some(mine), Some(theirs)) = (self.in_turn(), other.in_turn()) else { return false };
        let sorted = |act: &Act| {
            let mut stems = act.stems.clone();
            stems.sort_unstable();
            stems
        };
        sorted(self) == sorted(other) && mine.iter().any(|pair| !theirs.contains(pair))
    }
}

/// What a sentence deals out to several "respectively"; `None` where it does not.
pub(super) fn dealt(words: &[Word]) -> Option<Act> {
    let deals = |word: &Word| matches!(&*word.text, "respectively");
    let dealt = words.iter().any(deals);
    dealt.then(|| {
        let joins = |word: &Word| matches!(&*word.text, "and" | "or" | "respectively");
        Act::of(&words.iter().filter(|word| !joins(word)).cloned().collect::<Vec<_>>())
    })
}

/// Whether a word may be a verb that one thing does to another.
fn may_act(word: &str) -> bool {
    if east::is_sign(word) {
        return !east::is_empty(word) && !JOINS_EAST.contains(&word);
    }
    let ends = word.len() > 3 && word.is_ascii() && word.ends_with('s') && !word.ends_with("ss");
    (ends || is_verb_of_done(word).is_some()) && !EITHER.iter().any(|either| word.starts_with(either))
}

#[cfg(test)]
mod tests {
    use super::super::lexer::words;
    use super::super::words::exact;
    use super::*;

    fn swapped(one: &str, other: &str) -> bool {
        let (one, other) = (exact(one), exact(other));
        Act::of(&words(&one)).is_swapped(&Act::of(&words(&other)))
    }

    #[test]
    fn what_does_and_what_it_is_done_to_are_told_apart() {
        assert!(swapped("The client calls the server", "The server calls the client"));
        assert!(swapped("In CI the api worker blocks the queue", "In CI the queue blocks the api worker"));
        assert!(swapped("parser depends on lexer", "lexer depends on parser"));
        assert!(swapped("Alice was called by Bob", "Bob was called by Alice"));
        assert!(swapped("客户端调用了服务器", "服务器调用了客户端"));
    }

    #[test]
    fn what_says_the_same_either_way_is_not() {
        assert!(!swapped("Alice was paid by Bob", "Bob paid Alice"));
        assert!(!swapped("The cache conflicts with the index", "The index conflicts with the cache"));
        assert!(!swapped("On Monday Alice deploys", "Alice deploys on Monday"));
        assert!(!swapped("缓存与索引", "索引与缓存"));
        assert!(!swapped("The client calls the server", "The client calls the server"));
    }
}
