//! What an entry consists of. An extractive summary holds thousands of passages, and a replay of a long session makes
//! hundreds of such summaries: these are numbers in one table, which become pieces when somebody looks at them.

use std::hash::{Hash, Hasher};
use std::ops::Deref;
use std::sync::{Arc, OnceLock};

use serde::{Serialize, Serializer};
use smallvec::{SmallVec, smallvec};

use super::{BlockId, Made};

/// A range of bytes of a block's decoded text, in a table of such.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Passage {
    /// The block.
    pub block: BlockId,
    /// First byte.
    pub start: u32,
    /// One past the last byte.
    pub end: u32,
    /// Whether they are of the block's original, uncut text.
    pub original: bool,
}

impl Passage {
    fn made(&self) -> Made {
        Made::Part(self.block, u64::from(self.start), u64::from(self.end), self.original)
    }
}

/// Pieces in order: one as a rule.
type Few = SmallVec<[Made; 1]>;

/// What an entry consists of, in order. It reads as a slice; [`Contents::each`] and [`Contents::blocks`] go through it
/// without making that.
#[derive(Clone, Debug)]
pub struct Contents(Kind);

#[derive(Clone, Debug)]
enum Kind {
    Few(Few),
    Quotes(Arc<Quotes>),
}

/// Passages, one on each line.
#[derive(Clone, Debug)]
struct Quotes {
    before: Few,
    table: Arc<[Passage]>,
    /// Places in the table.
    numbers: Arc<[u32]>,
    after: Few,
    /// All of it, once it was looked at.
    all: OnceLock<Vec<Made>>,
}

/// What stands after each passage.
const LINE_END: Made = Made::Text(std::borrow::Cow::Borrowed("\n"));

impl Quotes {
    fn passages(&self) -> impl Iterator<Item = &Passage> {
        self.numbers.iter().filter_map(|at| self.table.get(*at as usize))
    }

    fn each(&self, mut see: impl FnMut(&Made)) {
        self.before.iter().for_each(&mut see);
        for passage in self.passages() {
            see(&passage.made());
            see(&LINE_END);
        }
        self.after.iter().for_each(&mut see);
    }
}

impl Contents {
    /// Nothing yet.
    #[must_use]
    pub fn new() -> Self {
        Contents(Kind::Few(Few::new()))
    }

    /// Adds passages of a table by their numbers, each on a line of its own. To be called once.
    pub fn quote(&mut self, table: &Arc<[Passage]>, numbers: &Arc<[u32]>) {
        if numbers.is_empty() {
            return;
        }
        let before = std::mem::take(self).into_iter().collect();
        let (table, numbers) = (Arc::clone(table), Arc::clone(numbers));
        self.0 = Kind::Quotes(Arc::new(Quotes { before, table, numbers, after: Few::new(), all: OnceLock::new() }));
    }

    /// Adds a piece at the end.
    pub fn push(&mut self, made: Made) {
        match &mut self.0 {
            Kind::Few(few) => few.push(made),
            Kind::Quotes(quotes) => {
                let quotes = Arc::make_mut(quotes);
                quotes.after.push(made);
                quotes.all = OnceLock::new();
            }
        }
    }

    /// Whether it holds nothing.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        match &self.0 {
            Kind::Few(few) => few.is_empty(),
            // No passages are quoted in no numbers.
            Kind::Quotes(_) => false,
        }
    }

    /// Shows each piece in order.
    pub fn each(&self, see: impl FnMut(&Made)) {
        match &self.0 {
            Kind::Few(few) => few.iter().for_each(see),
            Kind::Quotes(quotes) => quotes.each(see),
        }
    }

    /// What windowpane or the harness wrote in it as words; the ends of quoted lines are none.
    pub fn words(&self) -> impl Iterator<Item = &str> {
        let (first, last) = match &self.0 {
            Kind::Few(few) => (few, None),
            Kind::Quotes(quotes) => (&quotes.before, Some(&quotes.after)),
        };
        first.iter().chain(last.into_iter().flatten()).filter_map(|made| match made {
            Made::Text(words) => Some(&**words),
            _ => None,
        })
    }

    /// The blocks that it shows, whole or in part, in order.
    pub fn blocks(&self) -> impl Iterator<Item = BlockId> {
        let (before, quotes) = match &self.0 {
            Kind::Few(few) => (few, None),
            Kind::Quotes(quotes) => (&quotes.before, Some(quotes)),
        };
        let quoted = quotes.into_iter().flat_map(|quotes| quotes.passages().map(|passage| passage.block));
        let after = quotes.into_iter().flat_map(|quotes| &quotes.after).filter_map(Made::block);
        before.iter().filter_map(Made::block).chain(quoted).chain(after)
    }
}

impl Default for Contents {
    fn default() -> Self {
        Contents::new()
    }
}

impl Deref for Contents {
    type Target = [Made];

    fn deref(&self) -> &[Made] {
        match &self.0 {
            Kind::Few(few) => few,
            Kind::Quotes(quotes) => quotes.all.get_or_init(|| {
                let mut all = Vec::with_capacity(quotes.before.len() + 2 * quotes.numbers.len() + quotes.after.len());
                quotes.each(|made| all.push(made.clone()));
                all
            }),
        }
    }
}

impl From<Made> for Contents {
    fn from(made: Made) -> Self {
        Contents(Kind::Few(smallvec![made]))
    }
}

impl From<Vec<Made>> for Contents {
    fn from(made: Vec<Made>) -> Self {
        Contents(Kind::Few(made.into()))
    }
}

impl FromIterator<Made> for Contents {
    fn from_iter<T: IntoIterator<Item = Made>>(made: T) -> Self {
        Contents(Kind::Few(made.into_iter().collect()))
    }
}

impl Extend<Made> for Contents {
    fn extend<T: IntoIterator<Item = Made>>(&mut self, made: T) {
        made.into_iter().for_each(|made| self.push(made));
    }
}

impl IntoIterator for Contents {
    type Item = Made;
    type IntoIter = smallvec::IntoIter<[Made; 1]>;

    fn into_iter(self) -> Self::IntoIter {
        match self.0 {
            Kind::Few(few) => few.into_iter(),
            Kind::Quotes(_) => Few::from_vec(self.to_vec()).into_iter(),
        }
    }
}

impl<'a> IntoIterator for &'a Contents {
    type Item = &'a Made;
    type IntoIter = std::slice::Iter<'a, Made>;

    fn into_iter(self) -> Self::IntoIter {
        self.iter()
    }
}

impl PartialEq for Contents {
    fn eq(&self, other: &Self) -> bool {
        match (&self.0, &other.0) {
            (Kind::Quotes(one), Kind::Quotes(other)) if Arc::ptr_eq(&one.table, &other.table) => {
                (&one.before, &one.numbers, &one.after) == (&other.before, &other.numbers, &other.after)
            }
            _ => self[..] == other[..],
        }
    }
}

impl Eq for Contents {}

impl Hash for Contents {
    fn hash<H: Hasher>(&self, state: &mut H) {
        self.each(|made| made.hash(state));
    }
}

impl Serialize for Contents {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        self[..].serialize(serializer)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::HashSet;

    fn passage(block: u32, start: u32) -> Passage {
        Passage { block: BlockId(block), start, end: start + 5, original: false }
    }

    #[test]
    fn quotes_read_as_the_pieces_that_they_are() {
        let table: Arc<[Passage]> = Arc::from([passage(1, 0), passage(2, 7), passage(3, 9)]);
        let word = Made::Text("word".into());
        let mut quoted = Contents::from(word.clone());
        quoted.quote(&table, &Arc::from([0, 2]));
        quoted.push(Made::Block(BlockId(8)));
        let part = |at: usize| table[at].made();
        let plain: Contents =
            [word, part(0), LINE_END, part(2), LINE_END, Made::Block(BlockId(8))].into_iter().collect();
        assert_eq!(quoted.blocks().map(|id| id.0).collect::<Vec<_>>(), [1, 3, 8]);
        assert_eq!(quoted.words().collect::<Vec<_>>(), ["word"]);
        let mut seen = Vec::new();
        quoted.each(|made| seen.push(made.clone()));
        assert_eq!(seen[..], plain[..]);
        assert_eq!(quoted, plain);
        assert!(HashSet::from([quoted.clone()]).contains(&plain));
        // Looked at before it grows.
        assert_eq!(quoted.len(), 6);
        quoted.push(LINE_END);
        assert_eq!((quoted.len(), quoted.clone().into_iter().count()), (7, 7));
        let mut none = Contents::new();
        none.quote(&table, &Arc::from([]));
        assert!(none.is_empty() && none == Contents::default());
    }
}
