//! The labels of links that a document defines, wherever it does.

use std::collections::HashSet;

/// Bytes of all labels, and what each takes beside its own; those behind them are not known.
const BYTES_MAX: usize = 8 << 20;
const BYTES_EACH: usize = 64;

/// Labels that are defined.
#[derive(Clone, Debug, Default)]
pub struct Labels {
    known: HashSet<String>,
    bytes: usize,
}

impl Labels {
    pub(super) fn add(&mut self, label: &str) {
        let bytes = self.bytes + label.len() + BYTES_EACH;
        if bytes <= BYTES_MAX && self.known.insert(folded(label)) {
            self.bytes = bytes;
        }
    }

    pub(super) fn has(&self, label: &str) -> bool {
        self.known.contains(&folded(label))
    }

    pub(super) fn is_empty(&self) -> bool {
        self.known.is_empty()
    }
}

/// Labels are the same whatever their case.
fn folded(label: &str) -> String {
    label.to_uppercase().to_lowercase()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_more_is_held_than_is_allowed() {
        let mut labels = Labels::default();
        labels.add("Straße");
        assert!(labels.has("STRASSE") && !labels.has("strase"));
        let long = "x".repeat(1 << 20);
        (0..100).for_each(|number| labels.add(&format!("{number}{long}")));
        assert!(labels.bytes <= BYTES_MAX && labels.has(&format!("1{long}")) && !labels.has(&format!("99{long}")));
    }
}
