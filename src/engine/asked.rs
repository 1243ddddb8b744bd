//! What a replay would ask a model for, and what the model said.
//!
//! A replay is pure, so it asks nobody. It looks up what it wants among answers that it is given; what is not there is
//! noted as wanted, and the sentences that matter most stand in, with a word about it in the event. Whoever started the
//! replay may have the first of what is wanted answered, and replay again: what comes after a summary depends on it, so
//! one is answered at a time, until nothing is missing. The same answers give the same run.

use std::collections::HashMap;
use std::sync::Arc;

use crate::memory::{Origin, Supports, Vector};
use crate::model::{Contents, Layer, Usage};
use crate::tokens::ModelInfo;

/// A piece of what is to be summarised.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct AskedPiece {
    /// Its layer.
    pub layer: Layer,
    /// Its name. Untrusted.
    pub label: Arc<str>,
    /// What it holds.
    pub content: Contents,
}

/// A summary to be written: all that the answer may depend on.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Task {
    /// What it stands for, in order.
    pub pieces: Vec<AskedPiece>,
    /// Tokens of the summary at most.
    pub target: u64,
    /// Whether facts are to be taken out in the same pass.
    pub remember: bool,
}

/// A summary that no answer was there for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Wanted {
    /// The step at which it was wanted.
    pub step: u32,
    /// What was wanted.
    pub task: Arc<Task>,
}

/// A fact that a model took out in the same pass.
#[derive(Clone, Debug, PartialEq)]
pub struct Extracted {
    /// Its words. Untrusted.
    pub text: Arc<str>,
    /// Its vector.
    pub vector: Vector,
    /// Where it is from.
    pub origins: Vec<Origin>,
    /// Whether what it is from says it.
    pub supported: bool,
}

/// A summary as a model wrote it, of good form.
#[derive(Clone, Debug, PartialEq)]
pub struct WrittenSummary {
    /// Its words. Untrusted.
    pub text: Arc<str>,
    /// The facts beside it.
    pub facts: Vec<Extracted>,
    /// Its sentences, by whether what it stands for supports them.
    pub sentences: Supports,
    /// Tokens as the server reported them.
    pub usage: Option<Usage>,
    /// Tokens of the pieces that were not sent: as they are sent, they were over `summarise.input_max`, or over what
    /// the model takes.
    pub unseen: u64,
    /// The model's window, where it and not `summarise.input_max` limits what is sent.
    pub window: Option<u64>,
}

/// What is known of what a replay may want.
#[derive(Clone, Debug, Default)]
pub struct Answers {
    told: HashMap<Arc<Task>, Result<Arc<WrittenSummary>, Arc<str>>>,
    /// The model that is asked, for its prices; `None` where it is not known, or nobody is.
    pub writer: Option<ModelInfo>,
    /// Why everything else stays unanswered, in a sentence.
    pub otherwise: Option<Arc<str>>,
}

impl Answers {
    /// Takes in an answer, or a sentence that says why there is none.
    pub fn put(&mut self, task: Arc<Task>, answer: Result<Arc<WrittenSummary>, Arc<str>>) {
        self.told.insert(task, answer);
    }

    /// Whether no model was asked anything.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.told.is_empty()
    }

    /// What is known of a task; `None` where nobody was asked yet.
    #[must_use]
    pub fn get(&self, task: &Task) -> Option<Result<Arc<WrittenSummary>, Arc<str>>> {
        let known = self.told.get(task).cloned();
        known.or_else(|| self.otherwise.clone().map(Err))
    }
}
