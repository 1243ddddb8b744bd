//! What tells equal contents apart from unequal ones, without decoding them.

use memchr::memchr;
use xxhash_rust::xxh3::{Xxh3, xxh3_64_with_seed};

use crate::model::Coding;

use super::decode::joined_breaks;
use super::solid::solid;

/// Hash of stored bytes: equal hash, equal text. Bytes without escapes hash alike in every coding of text.
#[must_use]
pub fn hash(bytes: &[u8], coding: Coding) -> u64 {
    let seed = match coding {
        Coding::Value => return hash_value(bytes),
        Coding::Lines => return xxh3_64_with_seed(&joined_breaks(bytes), 0),
        Coding::Plain => 0,
        Coding::Base64 => 3,
        Coding::Json | Coding::JsonTwice if memchr(b'\\', bytes).is_none() => 0,
        Coding::Json => 1,
        Coding::JsonTwice => 2,
    };
    xxh3_64_with_seed(bytes, seed)
}

/// Of a JSON value without the blanks between its parts and without needless escapes, as of such a text that stands so.
fn hash_value(bytes: &[u8]) -> u64 {
    let mut parts = solid(bytes).peekable();
    let Some(first) = parts.next() else { return xxh3_64_with_seed(&[], 0) };
    if parts.peek().is_none() {
        return xxh3_64_with_seed(first.text(), 0);
    }
    let mut sum = Xxh3::with_seed(0);
    sum.update(first.text());
    parts.for_each(|part| sum.update(part.text()));
    sum.digest()
}

/// Hash of several texts in order, from their own.
#[must_use]
pub fn join_hashes(hashes: &[u64]) -> u64 {
    match hashes {
        [one] => *one,
        many => {
            let bytes: Vec<u8> = many.iter().flat_map(|hash| hash.to_le_bytes()).collect();
            xxh3_64_with_seed(&bytes, 4)
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn equal_bytes_are_equal_text_only_where_they_are_read_alike() {
        assert_eq!(hash(b"plain words", Coding::Plain), hash(b"plain words", Coding::Json));
        assert_ne!(hash(br"a\nb", Coding::Plain), hash(br"a\nb", Coding::Json));
        assert_ne!(hash(br"a\nb", Coding::JsonTwice), hash(br"a\nb", Coding::Json));
        assert_eq!(join_hashes(&[7]), 7);
        assert_ne!(join_hashes(&[7, 8]), join_hashes(&[8, 7]));
    }
}
