//! Byte pairs: a vocabulary as one table, and pieces of text merged by it.
//!
//! The tokens' bytes stay in the program's file; beside them is a table of their ranks. That is a tenth of what automata
//! over them take, which are kept for pieces so long that only these are fast.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use smallvec::SmallVec;
use xxhash_rust::xxh3::xxh3_64;

/// No rank: these bytes are no token.
const NONE: u32 = u32::MAX;
/// Bytes of a piece from which on pairs wait in a heap: a scan of them all takes its time squared.
const LONG: usize = 160;
/// Bytes of a piece from which on others count it faster.
pub(super) const TOO_LONG: usize = 8 << 10;

/// Where the tokens of a piece end, in bytes from its beginning.
pub(super) type Ends = SmallVec<[u32; 48]>;

/// A vocabulary: the earlier a token stands in it, the earlier its bytes are merged.
pub(super) struct Pairs {
    /// The tokens' bytes, one after another.
    bytes: &'static [u8],
    /// Where each begins, and where the last ends.
    starts: Vec<u32>,
    /// Ranks by the hash of their bytes, each in the first free place from there on.
    table: Vec<u32>,
}

impl Pairs {
    /// A vocabulary as it is stored: how many tokens (four bytes, the least first), the length of each (one byte), and
    /// their bytes, by rank. Each single byte has to be a token. `None` where it is not stored so.
    pub fn of(stored: &'static [u8]) -> Option<Pairs> {
        let (count, rest) = stored.split_first_chunk()?;
        let (lengths, bytes) = rest.split_at_checked(u32::from_le_bytes(*count) as usize)?;
        let ends = lengths.iter().scan(0u32, |end, length| {
            *end += u32::from(*length);
            Some(*end)
        });
        let starts: Vec<u32> = std::iter::once(0).chain(ends).collect();
        let mut pairs = Pairs { table: vec![NONE; (starts.len() * 2).next_power_of_two()], bytes, starts };
        for rank in 0..u32::from_le_bytes(*count) {
            let place = pairs.place(pairs.token(rank));
            *pairs.table.get_mut(place)? = rank;
        }
        (pairs.starts.last().copied() == u32::try_from(bytes.len()).ok()).then_some(pairs)
    }

    fn token(&self, rank: u32) -> &[u8] {
        let at = rank as usize;
        match self.starts.get(at..at + 2) {
            Some([from, to]) => self.bytes.get(*from as usize..*to as usize).unwrap_or_default(),
            _ => &[],
        }
    }

    /// Where a token stands in the table, or would stand.
    fn place(&self, token: &[u8]) -> usize {
        let mask = self.table.len() - 1;
        #[allow(clippy::cast_possible_truncation)]
        let mut place = xxh3_64(token) as usize & mask;
        while let Some(rank) = self.table.get(place).filter(|rank| **rank != NONE) {
            if self.token(*rank) == token {
                break;
            }
            place = (place + 1) & mask;
        }
        place
    }

    /// The rank of a token; [`NONE`] where the bytes are none.
    fn rank(&self, token: &[u8]) -> u32 {
        self.table.get(self.place(token)).copied().unwrap_or(NONE)
    }

    /// How many tokens a piece is.
    pub fn count(&self, piece: &[u8]) -> u64 {
        self.ends(piece).len() as u64
    }

    /// Where the tokens of a piece end.
    pub fn ends(&self, piece: &[u8]) -> Ends {
        let length = u32::try_from(piece.len()).unwrap_or(u32::MAX);
        if length == 0 {
            return Ends::new();
        }
        if self.rank(piece) != NONE {
            return std::iter::once(length).collect();
        }
        if piece.len() < LONG { self.scanned(piece, length) } else { self.queued(piece, length) }
    }

    /// Merges the pair of the least rank, the first among equals, until there is none: by looking at all of them.
    fn scanned(&self, piece: &[u8], length: u32) -> Ends {
        let of = |from: u32, to: u32| piece.get(from as usize..to as usize).map_or(NONE, |token| self.rank(token));
        // Where each part begins, and the rank of it with the next.
        let mut parts: SmallVec<[(u32, u32); 48]> = (0..length).map(|at| (at, of(at, at + 2))).collect();
        parts.push((length, NONE));
        let start = |parts: &[(u32, u32)], at: usize| parts.get(at).map(|part| part.0);
        while let Some((at, _)) =
            parts.iter().enumerate().min_by_key(|(_, part)| part.1).filter(|(_, part)| part.1 != NONE)
        {
            parts.remove(at + 1);
            for at in [Some(at), at.checked_sub(1)].into_iter().flatten() {
                let rank = start(&parts, at).zip(start(&parts, at + 2)).map_or(NONE, |(from, to)| of(from, to));
                if let Some(part) = parts.get_mut(at) {
                    part.1 = rank;
                }
            }
        }
        parts.iter().skip(1).map(|part| part.0).collect()
    }

    /// The same of a long piece, whose pairs wait in a heap.
    fn queued(&self, piece: &[u8], length: u32) -> Ends {
        let of = |from: u32, to: u32| piece.get(from as usize..to as usize).map_or(NONE, |token| self.rank(token));
        // Of each byte that begins a part: where the next begins, and where the one before did.
        let mut next: Vec<u32> = (1..=length).collect();
        let mut before: Vec<u32> = (0..length).map(|at| at.wrapping_sub(1)).collect();
        let mut heap: BinaryHeap<Reverse<(u32, u32, u32)>> = BinaryHeap::with_capacity(piece.len());
        for from in 0..length.saturating_sub(1) {
            let rank = of(from, from + 2);
            if rank != NONE {
                heap.push(Reverse((rank, from, from + 2)));
            }
        }
        let at = |list: &[u32], place: u32| list.get(place as usize).copied().unwrap_or(NONE);
        while let Some(Reverse((_, from, to))) = heap.pop() {
            let middle = at(&next, from);
            // One of both was merged with another meanwhile.
            if middle == NONE || middle >= length || at(&next, middle) != to {
                continue;
            }
            let set = |list: &mut [u32], place: u32, to: u32| {
                list.get_mut(place as usize).into_iter().for_each(|held| *held = to);
            };
            set(&mut next, from, to);
            set(&mut next, middle, NONE);
            set(&mut before, to, from);
            let (last, end) = (at(&before, from), at(&next, to));
            for (from, to) in [(last, to), (from, end)] {
                if from != NONE && to != NONE {
                    let rank = of(from, to);
                    if rank != NONE {
                        heap.push(Reverse((rank, from, to)));
                    }
                }
            }
        }
        let mut ends = Ends::new();
        let mut place = 0;
        while place < length {
            place = at(&next, place);
            ends.push(place);
        }
        ends
    }
}

#[cfg(test)]
mod tests {
    use bpe_openai::Tokenizer;
    use proptest::prelude::*;
    use tiktoken_rs::CoreBPE;

    use std::sync::LazyLock;

    use super::super::encoding::{CL100K, O200K};
    use super::*;

    static READ: LazyLock<[Pairs; 2]> = LazyLock::new(|| [CL100K, O200K].map(|stored| Pairs::of(stored).unwrap()));

    #[test]
    fn the_vocabularies_are_tiktokens() {
        let known: [(&CoreBPE, u32); 2] =
            [(tiktoken_rs::cl100k_base_singleton(), 100_256), (tiktoken_rs::o200k_base_singleton(), 199_998)];
        for (pairs, (tiktoken, count)) in READ.iter().zip(known) {
            assert_eq!(pairs.starts.len() as u32, count + 1);
            for rank in 0..count {
                assert_eq!(pairs.token(rank), tiktoken.decode_bytes(&[rank]).unwrap(), "{rank}");
                assert_eq!(pairs.rank(pairs.token(rank)), rank);
            }
        }
        assert!(Pairs::of(&[1, 0]).is_none() && Pairs::of(&[2, 0, 0, 0, 1, 1, b'a']).is_none());
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(200))]

        #[test]
        fn pieces_are_merged_as_automata_merge_them(
            piece in prop_oneof![
                proptest::collection::vec(any::<u8>(), 0..700),
                "[a-z]{0,700}".prop_map(String::into_bytes),
                "[ab ]{0,700}".prop_map(String::into_bytes),
                "[一-龥]{0,200}".prop_map(String::into_bytes),
            ],
        ) {
            let others: [&Tokenizer; 2] = [bpe_openai::cl100k_base(), bpe_openai::o200k_base()];
            for (pairs, other) in READ.iter().zip(others) {
                let mut end = 0;
                let lengths = other.bpe.encode_via_backtracking(&piece).into_iter().map(|token| other.bpe.token_len(token) as u32);
                let expected: Vec<u32> = lengths.map(|length| { end += length; end }).collect();
                prop_assert_eq!(pairs.ends(&piece).to_vec(), expected);
            }
        }
    }
}
