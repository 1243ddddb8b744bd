//! The model's messages: a message is logged in several lines, one a block as a rule, with results of its first calls
//! between them. They have one id; but a server or a proxy may give the same id to every message.

use std::collections::HashMap;

use super::record::{Answer, Key, Parsed, What};

/// A message of which lines have been seen.
struct Open {
    /// Its first line.
    first: u32,
    request: Option<Key>,
    /// Tokens of its request.
    context: Option<u64>,
    /// How many records of the user stood before its newest line.
    said: usize,
}

impl Open {
    /// Whether a line is of another message, though the id is the same: another request is named, or it reports another
    /// context after the user's side said something. One message's lines report one.
    fn is_another(&self, answer: &Answer, said: usize) -> bool {
        let request = self.request.zip(answer.request).is_some_and(|(one, other)| one != other);
        let context = self.context.zip(context(answer)).is_some_and(|(one, other)| one != other);
        request || (context && said > self.said)
    }
}

fn context(answer: &Answer) -> Option<u64> {
    answer.usage.map(|usage| usage.context())
}

/// The lines of each of the model's messages, by the first of them; and where those first ones stand among the lines,
/// ascending.
pub(super) fn messages(all: &[Parsed], lines: &[u32]) -> (HashMap<u32, Vec<u32>>, Vec<usize>) {
    let (mut messages, mut firsts): (HashMap<u32, Vec<u32>>, Vec<usize>) = (HashMap::new(), Vec::new());
    let (mut open, mut said): (HashMap<Key, Open>, usize) = (HashMap::new(), 0);
    for (at, line) in lines.iter().enumerate() {
        let answer = match all.get(*line as usize).map(|parsed| &parsed.what) {
            Some(What::Answered(answer)) if answer.made.is_none() => answer,
            Some(What::Said(_)) => {
                said += 1;
                continue;
            }
            _ => continue,
        };
        let Some(message) = answer.message else { continue };
        let first = match open.get_mut(&message).filter(|open| !open.is_another(answer, said)) {
            Some(open) => {
                open.said = said;
                open.context = open.context.or(context(answer));
                open.first
            }
            None => {
                firsts.push(at);
                let (request, context) = (answer.request, context(answer));
                open.insert(message, Open { first: *line, request, context, said });
                *line
            }
        };
        messages.entry(first).or_default().push(*line);
    }
    (messages, firsts)
}
