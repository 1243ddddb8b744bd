//! What the members of a record must be. One that is something else is told of, and the rest is read all the same.

use super::super::figure::Figures;
use super::super::scan::{Fields, Value};
use super::super::time::milliseconds;

/// Faults told of one record.
const MOST: usize = 6;

/// What a member must be, unless it is null.
#[derive(Clone, Copy)]
pub(super) enum Is {
    /// A string.
    Text,
    /// An object.
    Object,
    /// An array.
    List,
    /// `true` or `false`.
    Flag,
    /// A string or an array.
    Content,
    /// A time as text.
    Time,
    /// A number of tokens.
    Tokens,
}

impl Is {
    fn holds(self, value: Value<'_>) -> bool {
        match self {
            Is::Text => value.text().is_some(),
            Is::Object => value.is_object(),
            Is::List => value.is_array(),
            Is::Flag => matches!(value.raw(), b"true" | b"false"),
            Is::Content => value.text().is_some() || value.is_array(),
            Is::Time => value.text().is_some_and(|text| milliseconds(text.bytes).is_some()),
            Is::Tokens => super::super::figure::figure(value.raw()).is_some(),
        }
    }

    fn words(self) -> &'static str {
        match self {
            Is::Text => "text",
            Is::Object => "object",
            Is::List => "list",
            Is::Flag => "true or false",
            Is::Content => "text and no list",
            Is::Time => "time",
            Is::Tokens => "possible number of tokens",
        }
    }
}

/// What is the matter with one record.
#[derive(Default)]
pub(super) struct Check {
    faults: Vec<String>,
}

impl Check {
    /// Looks at a member; `of` is the path of what holds it.
    pub(super) fn member(&mut self, of: &str, name: &str, value: Option<Value<'_>>, is: Is) {
        if let Some(value) = value
            && !value.is_null()
            && !is.holds(value)
        {
            self.say(format!("{of}{name} is no {}", is.words()));
        }
    }

    /// Takes over what is wrong with figures.
    pub(super) fn figures(&mut self, figures: Figures) {
        figures.faults.into_iter().for_each(|fault| self.say(format!("message.{fault}")));
    }

    /// Notes a fault.
    pub(super) fn say(&mut self, fault: String) {
        self.faults.push(fault);
    }

    /// All faults in one sentence.
    pub(super) fn finish(mut self) -> Option<String> {
        let more = self.faults.len().saturating_sub(MOST);
        self.faults.truncate(MOST);
        if more > 0 {
            self.faults.push(format!("{more} more"));
        }
        (!self.faults.is_empty()).then(|| format!("Not read: {}.", self.faults.join("; ")))
    }
}

/// What a block of one type must hold.
struct Shape {
    kind: &'static str,
    members: &'static [(&'static str, Is)],
    /// The member that it cannot do without.
    needed: &'static str,
}

const CALL: &[(&str, Is)] = &[("id", Is::Text), ("name", Is::Text), ("input", Is::Object)];
const RESULT: &[(&str, Is)] = &[("tool_use_id", Is::Text), ("content", Is::Content), ("is_error", Is::Flag)];

const DOCUMENT: &[(&str, Is)] = &[("source", Is::Object), ("title", Is::Text), ("context", Is::Text)];

const SHAPES: &[Shape] = &[
    Shape { kind: "text", members: &[("text", Is::Text)], needed: "text" },
    Shape { kind: "thinking", members: &[("thinking", Is::Text), ("signature", Is::Text)], needed: "" },
    Shape { kind: "tool_use", members: CALL, needed: "input" },
    Shape { kind: "server_tool_use", members: CALL, needed: "input" },
    Shape { kind: "tool_result", members: RESULT, needed: "tool_use_id" },
    Shape { kind: "image", members: &[("source", Is::Object)], needed: "source" },
    Shape { kind: "document", members: DOCUMENT, needed: "source" },
];

/// Looks at the blocks of a message.
pub(super) fn blocks(check: &mut Check, blocks: &[Fields<'_>]) {
    for (at, block) in blocks.iter().enumerate() {
        if !block.value.is_object() {
            check.say(format!("message.content[{at}] is no object"));
            continue;
        }
        let kind = block.string("type").unwrap_or_default();
        let of = |name: &str| format!("message.content[{at}].{name}");
        if kind.is_empty() {
            check.say(format!("{} is no text", of("type")));
        }
        let Some(shape) = SHAPES.iter().find(|shape| shape.kind == kind) else { continue };
        for (name, is) in shape.members {
            let value = block.get(name);
            if value.is_none_or(|value| value.is_null()) && *name == shape.needed {
                check.say(format!("{} is missing", of(name)));
            } else if value.is_some_and(|value| !value.is_null() && !is.holds(value)) {
                check.say(format!("{} is no {}", of(name), is.words()));
            }
        }
    }
}
