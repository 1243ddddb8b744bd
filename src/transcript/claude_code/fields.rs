//! The fields of a record, as they stand in its line.

use std::borrow::Cow;

use super::super::scan::{Cursor, Fault, Fields, Text, Value};
use super::check::{self, Check, Is};
use super::speaker::{Author, author, stranger};

/// Members that are true or false, in the order of [`Fieldset::flags`].
const FLAGS: [&str; 5] = ["isSidechain", "isMeta", "isSynthetic", "isCompactSummary", "isApiErrorMessage"];

/// The line's own fields, and its message.
#[derive(Default)]
pub(super) struct Fieldset<'a> {
    pub kind: Option<Value<'a>>,
    pub subtype: Option<Value<'a>>,
    pub uuid: Option<Value<'a>>,
    pub parent: Option<Value<'a>>,
    pub session: Option<Value<'a>>,
    pub agent: Option<Value<'a>>,
    pub caller: Option<Value<'a>>,
    pub timestamp: Option<Value<'a>>,
    pub request: Option<Value<'a>>,
    pub folder: Option<Value<'a>>,
    pub copy: Option<Value<'a>>,
    pub origin: Option<Value<'a>>,
    pub failure: Option<Value<'a>>,
    /// The flags `isSidechain`, `isMeta`, `isSynthetic`, `isCompactSummary`, `isApiErrorMessage`.
    flags: [Option<Value<'a>>; FLAGS.len()],
    pub message: Option<Message<'a>>,
    pub others: Vec<(&'a [u8], Value<'a>)>,
}

/// A message as it stands in the line.
#[derive(Default)]
pub(super) struct Message<'a> {
    pub start: usize,
    pub end: usize,
    pub id: Option<Value<'a>>,
    pub model: Option<Value<'a>>,
    pub usage: Option<Value<'a>>,
    pub stop: Option<Value<'a>>,
    pub managed: Option<Value<'a>>,
    pub text: Option<Text<'a>>,
    pub content: Option<Value<'a>>,
    pub blocks: Vec<Fields<'a>>,
}

/// The fields of a line.
///
/// # Errors
/// Where it is no JSON object.
pub(super) fn walk(bytes: &[u8]) -> Result<Fieldset<'_>, Fault> {
    let mut cursor = Cursor::new(bytes);
    if cursor.peek() != Some(b'{') {
        return Err(Fault { at: 0, what: "an opening brace" });
    }
    let mut found = Fieldset::default();
    cursor.members(|cursor, key| {
        let slot = match key {
            b"type" => &mut found.kind,
            b"subtype" => &mut found.subtype,
            b"uuid" => &mut found.uuid,
            b"parentUuid" => &mut found.parent,
            b"sessionId" => &mut found.session,
            b"session_id" if found.session.is_none() => &mut found.session,
            b"agentId" => &mut found.agent,
            b"parent_tool_use_id" => &mut found.caller,
            b"timestamp" => &mut found.timestamp,
            b"requestId" => &mut found.request,
            b"cwd" => &mut found.folder,
            b"toolUseResult" | b"tool_use_result" => &mut found.copy,
            b"origin" => &mut found.origin,
            b"error" => &mut found.failure,
            b"message" if cursor.peek() == Some(b'{') => {
                found.message = Some(message(cursor)?);
                return Ok(());
            }
            b"isSidechain" => &mut found.flags[0],
            b"isMeta" => &mut found.flags[1],
            b"isSynthetic" => &mut found.flags[2],
            b"isCompactSummary" => &mut found.flags[3],
            b"isApiErrorMessage" => &mut found.flags[4],
            b"version" | b"gitBranch" | b"userType" | b"slug" | b"entrypoint" | b"session_id" => {
                return Ok(());
            }
            _ => {
                found.others.push((key, cursor.value()?));
                return Ok(());
            }
        };
        *slot = Some(cursor.value()?);
        Ok(())
    })?;
    if cursor.is_done() { Ok(found) } else { Err(Fault { at: bytes.len(), what: "nothing after the object" }) }
}

fn message<'a>(cursor: &mut Cursor<'a>) -> Result<Message<'a>, Fault> {
    let mut found = Message { start: cursor.place(), ..Message::default() };
    cursor.members(|cursor, key| {
        let slot = match key {
            b"id" => &mut found.id,
            b"model" => &mut found.model,
            b"usage" => &mut found.usage,
            b"stop_reason" => &mut found.stop,
            b"context_management" => &mut found.managed,
            b"content" if cursor.peek() == Some(b'[') => {
                let blocks = &mut found.blocks;
                return cursor.elements(|cursor| {
                    blocks.push(cursor.fields()?);
                    Ok(())
                });
            }
            b"content" => {
                let content = cursor.value()?;
                found.text = content.text();
                found.content = Some(content);
                return Ok(());
            }
            _ => return Ok(()),
        };
        *slot = Some(cursor.value()?);
        Ok(())
    })?;
    found.end = cursor.place();
    Ok(found)
}

impl<'a> Fieldset<'a> {
    pub fn other(&self, name: &str) -> Option<Value<'a>> {
        self.others.iter().rev().find(|(key, _)| *key == name.as_bytes()).map(|(_, value)| *value)
    }

    pub fn string(&self, name: &str) -> Option<Cow<'a, str>> {
        self.other(name)?.string()
    }

    pub fn flag(&self, name: &str) -> bool {
        let at = FLAGS.iter().position(|flag| *flag == name);
        at.and_then(|at| self.flags.get(at).copied().flatten()).is_some_and(|flag| flag.is_true())
    }

    /// Who wrote a message in a person's name.
    pub fn author(&self) -> Author {
        let meta = self.flag("isMeta") || self.flag("isSynthetic");
        if meta { Author::Harness } else { author(self.origin, self.other("promptSource")) }
    }

    /// What to call a message that is said to be no person's.
    pub fn other_origin(&self) -> Option<&'static str> {
        stranger(self.origin)
    }

    /// Looks at what every record may have.
    pub fn check(&self, check: &mut Check) {
        let texts = [
            ("type", self.kind),
            ("subtype", self.subtype),
            ("uuid", self.uuid),
            ("parentUuid", self.parent),
            ("sessionId", self.session),
            ("agentId", self.agent),
            ("parent_tool_use_id", self.caller),
            ("cwd", self.folder),
        ];
        texts.into_iter().for_each(|(name, value)| check.member("", name, value, Is::Text));
        check.member("", "timestamp", self.timestamp, Is::Time);
        FLAGS.into_iter().zip(self.flags).for_each(|(name, value)| check.member("", name, value, Is::Flag));
        check.member("", "attachment", self.other("attachment"), Is::Object);
    }
}

impl Message<'_> {
    pub fn check(&self, check: &mut Check) {
        check.member("message.", "id", self.id, Is::Text);
        check.member("message.", "model", self.model, Is::Text);
        check.member("message.", "usage", self.usage, Is::Object);
        check.member("message.", "stop_reason", self.stop, Is::Text);
        check.member("message.", "content", self.content, Is::Content);
        check::blocks(check, &self.blocks);
    }
}
