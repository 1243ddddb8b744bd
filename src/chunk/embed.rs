//! What embeds text, behind one small trait; and what tells a model's vectors from another's.

use std::fmt::Write as _;
use std::sync::Arc;

use sha2::{Digest, Sha256};

use crate::content::Watch;

/// Name of the model that is compiled in.
pub const BUNDLED: &str = "all-MiniLM-L6-v2";

/// Why text could not be embedded.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum EmbedError {
    /// There is no such model here.
    #[error("there is no embedding model {name:?}; there are {known}")]
    Unknown {
        /// The name as given.
        name: String,
        /// The names there are.
        known: String,
    },
    /// The model, or the library that runs it, could not be loaded.
    #[error("the embedding model {name} cannot be loaded: {why}")]
    Load {
        /// The model.
        name: String,
        /// What is the matter.
        why: String,
    },
    /// It failed at work.
    #[error("the embedding model {name} failed: {why}")]
    Run {
        /// The model.
        name: String,
        /// What is the matter.
        why: String,
    },
}

/// What tells the vectors of a model from those of others.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ModelId {
    /// Its name. May be untrusted.
    pub name: String,
    /// SHA-256 of its files and of how they are used.
    pub hash: [u8; 32],
    /// Numbers in a vector.
    pub dimensions: usize,
}

/// Embeds text. A text's vector has length 1 and does not depend on its neighbours.
pub trait Embedder: Send + Sync {
    /// Which model it is.
    fn model(&self) -> &ModelId;

    /// Loads what runs it, where the first text would wait for that.
    ///
    /// # Errors
    /// Where it cannot be loaded.
    fn ready(&self) -> Result<(), EmbedError> {
        Ok(())
    }

    /// Embeds texts, and hands over each vector with its text's number as it comes, in any order. Ends early where
    /// that is wished.
    ///
    /// # Errors
    /// Where the model fails.
    fn embed(&self, texts: &[&str], watch: &Watch, give: &mut dyn FnMut(usize, Arc<[f32]>)) -> Result<(), EmbedError>;
}

impl<E: Embedder + ?Sized> Embedder for &E {
    fn model(&self) -> &ModelId {
        (**self).model()
    }

    fn ready(&self) -> Result<(), EmbedError> {
        (**self).ready()
    }

    fn embed(&self, texts: &[&str], watch: &Watch, give: &mut dyn FnMut(usize, Arc<[f32]>)) -> Result<(), EmbedError> {
        (**self).embed(texts, watch, give)
    }
}

/// What a vector is kept under: SHA-256 of the model's hash and the text.
#[must_use]
pub fn vector_key(model: &ModelId, text: &str) -> [u8; 32] {
    let mut hash = Sha256::new();
    hash.update(model.hash);
    hash.update(text.as_bytes());
    hash.finalize().into()
}

/// The hash of a model of several files, from those of its files and a word on how they are used.
#[must_use]
pub fn model_hash(files: &[[u8; 32]], how: &str) -> [u8; 32] {
    let mut hash = Sha256::new();
    for file in files {
        hash.update(file);
    }
    hash.update(how.as_bytes());
    hash.finalize().into()
}

/// A hash as people write it.
#[must_use]
pub fn hex_of(hash: &[u8]) -> String {
    let mut text = String::with_capacity(hash.len() * 2);
    for byte in hash {
        // Writing into a string cannot fail.
        let _ = write!(text, "{byte:02x}");
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keys_differ_by_model_and_text() {
        let model = |hash| ModelId { name: "m".into(), hash: [hash; 32], dimensions: 2 };
        let keys = [vector_key(&model(1), "a"), vector_key(&model(2), "a"), vector_key(&model(1), "b")];
        assert!(keys[0] != keys[1] && keys[0] != keys[2]);
        assert_eq!(hex_of(&[0, 171]), "00ab");
    }
}
