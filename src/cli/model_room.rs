//! What a model has room for: an answer, and what it is given beside it.

use crate::present::count;
use crate::tokens::Models;

/// Tokens that a server may put around the texts of a request.
const AROUND: u64 = 64;

/// Tokens of an answer at most, and of what is given with it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Room {
    pub answer: u64,
    pub given: u64,
    /// The model's window; `None` where nobody knows it: then nothing is limited by it.
    pub window: Option<u64>,
}

impl Room {
    /// What a model has room for of an answer of so many tokens: no more than half of its window is the answer's.
    pub fn of(models: &Models, model: &str, wanted: u64) -> Room {
        let Some(found) = models.find(model) else { return Room { answer: wanted, given: u64::MAX, window: None } };
        let answer = wanted.min(found.info.output.unwrap_or(u64::MAX)).min(found.window / 2);
        Room { answer, given: found.window.saturating_sub(answer + AROUND), window: Some(found.window) }
    }

    /// Tokens of a summary that is asked for, where `beside` stand in the answer with it: what does not fit would be cut
    /// off.
    pub fn target(self, target: u64, beside: u64) -> u64 {
        let left = self.answer.saturating_sub(beside.min(self.answer / 2));
        target.min(left.saturating_mul(3) / 4)
    }

    /// Where it is the window that limits what is given.
    pub fn limiting(self, input_max: u64) -> Option<u64> {
        self.window.filter(|_| self.given < input_max)
    }

    /// Why nothing is asked: it is given too much.
    pub fn too_small(self, model: &str, given: u64) -> String {
        format!(
            "No model was asked: {} tokens and an answer of {} do not fit in the {} of {model}.",
            count(given),
            count(self.answer),
            count(self.window.unwrap_or(u64::MAX)),
        )
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_given_fits_beside_the_answer() {
        let models = Models::built_in();
        let unknown = Room::of(models, "nobody-knows-me", 44_200);
        assert_eq!((unknown.answer, unknown.given, unknown.limiting(1)), (44_200, u64::MAX, None));
        let small = Room::of(models, "gpt-4", 44_200);
        assert_eq!((small.answer, small.given), (4_096, 8_192 - 4_096 - AROUND));
        assert_eq!((small.limiting(180_000), small.limiting(1_000)), (Some(8_192), None));
        assert_eq!((small.target(20_000, 4_200), small.target(100, 200)), (1_536, 100));
        let tiny = models.with("[[vendor]]\nname = \"x\"\nmodels = [{ name = \"tiny\", window = 1000 }]\n");
        let tiny = Room::of(&tiny.unwrap(), "tiny", 44_200);
        assert_eq!((tiny.answer, tiny.given), (500, 500 - AROUND));
    }
}
