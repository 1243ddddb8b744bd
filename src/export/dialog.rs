//! A conversation as APIs take one: system text, tools, and turns that hold no blank text.

use crate::model::{RequestId, Role};

use super::gather::{Attached, Payload};
use super::quote::Text;
use super::tool::{Format, Tool};
use super::wire::Whole;

/// What an API takes.
#[derive(Clone, Copy)]
pub struct Rules {
    /// Whether system messages may stand between others.
    pub system_in_place: bool,
    /// Whether reasoning with a signature may be sent back.
    pub thinking: bool,
    /// Why a picture, document or sound is refused where a speaker says it; `None` where it is taken.
    pub refuses: fn(&Attached, Speaker) -> Option<&'static str>,
    /// Characters that the id of a call may have.
    pub id_max: usize,
    /// Whether a result may say nothing.
    pub blank_results: bool,
    /// What a definition that was recorded for this API has to be to be written as it was.
    pub is_definition: fn(&Tool, &str) -> bool,
}

/// Who a turn is of.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Speaker {
    /// The system, between other messages.
    System,
    /// The user, with the results of tools.
    User,
    /// The model.
    Assistant,
}

/// The whole conversation.
#[derive(Debug, Default)]
pub struct Dialog {
    /// The system prompt, in parts.
    pub system: Vec<Opening>,
    /// The tools that are defined.
    pub tools: Vec<Tool>,
    /// The form that answers must have.
    pub format: Option<Format>,
    /// The turns, in order.
    pub turns: Vec<Turn>,
}

/// A part of the system prompt.
#[derive(Debug)]
pub struct Opening {
    /// Whether it is the system's or the developer's.
    pub role: Role,
    /// What it says.
    pub text: Text,
    /// The recorded mark for a cache behind it.
    pub mark: Option<Text>,
    /// Who speaks by name, as a JSON string.
    pub name: Option<Text>,
    /// Whether what follows of the system prompt changes from request to request, as its writer says.
    pub stays: bool,
}

/// What one speaker says at once.
#[derive(Debug)]
pub struct Turn {
    /// Who speaks.
    pub speaker: Speaker,
    /// What is said; never empty.
    pub parts: Vec<Part>,
    /// Who speaks by name, as a JSON string.
    pub name: Option<Text>,
    /// The request that it answers, for a turn of the model.
    pub request: Option<RequestId>,
}

/// One part of a turn.
#[derive(Debug)]
pub struct Part {
    /// Whether it stood there in the step before, and all before it.
    pub stable: bool,
    /// The recorded mark for a cache behind it.
    pub mark: Option<Text>,
    /// How it was recorded, where it can be written so.
    pub whole: Option<Whole>,
    /// What it is.
    pub say: Say,
}

/// What a part is.
#[derive(Debug)]
pub enum Say {
    /// Text, never blank.
    Text(Text),
    /// Reasoning and its signature.
    Thinking(Text, Text),
    /// Reasoning as opaque data.
    Redacted(Text),
    /// A call of a tool.
    Call {
        /// Its id.
        id: Text,
        /// The tool.
        name: Text,
        /// Its arguments, as recorded.
        input: Text,
    },
    /// The answer to a call of the turn before.
    Result {
        /// The call's id.
        id: Text,
        /// Whether the tool failed.
        error: bool,
        /// What it answered; never empty.
        content: Vec<Payload>,
    },
    /// A picture, document or sound.
    Media(Attached),
    /// What [`Part::whole`] says.
    Whole,
}
