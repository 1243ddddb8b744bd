//! Why there is no answer, and whether another question may have one.

/// Why there is no answer.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum AskError {
    /// The user has had enough.
    #[error("it was stopped")]
    Cancelled,
    /// The server refuses, and will again.
    #[error("the server refuses the request ({status}): {why}")]
    Refused {
        /// Its status.
        status: u16,
        /// Its words. Untrusted.
        why: String,
    },
    /// No request may be sent.
    #[error("no further request may be sent")]
    NoneLeft,
    /// The model, or who watches over it, does not want to answer: it would not if it were asked again.
    #[error("the model refuses to answer: {0:?}")]
    Declined(String),
    /// It broke off after it had begun: what there was of it is charged for.
    #[error("the answer broke off: {0}")]
    BrokeOff(String),
    /// Every attempt failed.
    #[error("{why}, after {attempts} {}", if *attempts == 1 { "attempt" } else { "attempts" })]
    Failed {
        /// How many there were.
        attempts: u32,
        /// What was the matter last.
        why: String,
    },
    /// It takes too long.
    #[error("there was no whole answer within {0} seconds")]
    Slow(u64),
    /// Its text is too large.
    #[error("the text of the answer is larger than {0} MB")]
    Large(usize),
    /// What it comes in is too large: of so many MB, and of so many bytes of text until there.
    #[error("the answer came in more than {0} MB, of which {1} bytes were its text")]
    Wrapped(usize, usize),
    /// It is no answer.
    #[error("the answer cannot be read: {0}")]
    Malformed(String),
}

/// What a server says of who asks, or of the model, in a status that it also has for questions.
const ACCESS: &[&str] =
    &["api key", "api_key", "apikey", "authenticat", "unauthorized", "credit", "billing", "quota", "permission"];
const NO_MODEL: &[&str] =
    &["not exist", "not found", "invalid model", "unknown model", "no such model", "not a valid model"];

impl AskError {
    /// Whether it is one of the question that was put: another may have an answer.
    #[must_use]
    pub fn is_of_question(&self) -> bool {
        match self {
            AskError::Cancelled | AskError::NoneLeft | AskError::Failed { .. } => false,
            AskError::Refused { status: 413 | 422, .. } => true,
            // In a stream that has begun well, an error has no status of its own.
            AskError::Refused { status: 200..=299 | 400, why } => {
                let why = why.to_lowercase();
                let says = |words: &[&str]| words.iter().any(|word| why.contains(word));
                let is_of_model = why.contains("model") && says(NO_MODEL);
                !says(ACCESS) && !is_of_model
            }
            AskError::Refused { .. } => false,
            AskError::Declined(_)
            | AskError::BrokeOff(_)
            | AskError::Slow(_)
            | AskError::Large(_)
            | AskError::Wrapped(..)
            | AskError::Malformed(_) => true,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_refusal_of_a_question_is_none_of_who_asks() {
        let refused = |status, why: &str| AskError::Refused { status, why: why.to_owned() }.is_of_question();
        for (status, why) in [
            (400, "The response was filtered due to the prompt triggering the content management policy"),
            (400, "This model's maximum context length is 8192 tokens. However, you requested 9000 tokens"),
            (413, "Request too large for this model: not found"),
            (422, "messages.1: too long"),
            (200, "the prompt was blocked"),
        ] {
            assert!(refused(status, why), "{status} {why}");
        }
        for (status, why) in [
            (400, "The model `gpt-9` does not exist"),
            (400, "Invalid model name passed in model=x"),
            (400, "API key not valid. Please pass a valid API key."),
            (400, "Your credit balance is too low"),
            (200, "no such model"),
            (401, "the prompt was blocked"),
            (402, "pay first"),
            (403, "no"),
            (404, "nothing here"),
            (307, "elsewhere"),
        ] {
            assert!(!refused(status, why), "{status} {why}");
        }
        assert!(AskError::Slow(300).is_of_question() && AskError::Declined("No.".to_owned()).is_of_question());
        assert!(!AskError::Cancelled.is_of_question());
    }
}
