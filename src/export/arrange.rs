//! From a window to a conversation that an API takes: calls paired with results, neighbours merged, nothing blank.
//!
//! What a window lacks after clearing, compaction or an interrupted tail is repaired, and each repair is noted.

use std::collections::{HashMap, HashSet, VecDeque};

use crate::model::{CallKey, EntryId, Layer, RequestId, Role};
use crate::transcript::STATIC_PROMPT;

use super::dialog::{Dialog, Opening, Part, Rules, Say, Speaker, Turn};
use super::gather::{Attached, Item, Payload, What};
use super::notes::Notes;
use super::quote::Text;
use super::tool::{Format, Schema, api_name, definitions};
use super::wire::Whole;

/// Arranges a window as a conversation.
pub fn arrange(items: Vec<Item>, rules: Rules, notes: &mut Notes) -> Dialog {
    let mut builder = Builder {
        rules,
        notes,
        pairs: pairs(&items),
        dialog: Dialog::default(),
        answers: HashMap::new(),
        asked: HashMap::new(),
        made_by: HashMap::new(),
        ids: HashSet::new(),
        fence: false,
        mark: None,
        whole: None,
        name: None,
        stays: false,
    };
    for item in items {
        builder.take(item);
    }
    builder.finish()
}

/// Which call in the window each result answers. Ids may come again in later turns, or be missing: a result is that of
/// the newest calls of its id before it, of the first of them that has none yet. What stands before all calls of its id
/// belongs to the next one, unless that one has a result of its own.
fn pairs(items: &[Item]) -> HashMap<EntryId, EntryId> {
    let mut found = HashMap::new();
    let mut open: HashMap<Option<CallKey>, Open> = HashMap::new();
    let mut early: HashMap<Option<CallKey>, Vec<EntryId>> = HashMap::new();
    for item in items {
        match &item.what {
            What::Call { key, .. } => {
                let open = open.entry(*key).or_default();
                if open.request.is_none() || open.request != item.request {
                    open.calls.clear();
                }
                open.request = item.request;
                open.calls.push_back(item.entry);
            }
            What::Result { key, .. } => match open.get_mut(key) {
                Some(open) => {
                    // A further part of what one call gave stands behind the first.
                    open.last = open.calls.pop_front().or(open.last);
                    found.extend(open.last.map(|call| (item.entry, call)));
                }
                None if key.is_some() => early.entry(*key).or_default().push(item.entry),
                None => {}
            },
            _ => {}
        }
    }
    let answered: HashSet<EntryId> = found.values().copied().collect();
    for item in items {
        if let What::Call { key, .. } = &item.what
            && let Some(results) = early.remove(key)
            && !answered.contains(&item.entry)
        {
            found.extend(results.into_iter().map(|result| (result, item.entry)));
        }
    }
    found
}

/// The newest calls of one id.
#[derive(Default)]
struct Open {
    /// The request whose answer made them.
    request: Option<RequestId>,
    /// Those that nothing has answered yet.
    calls: VecDeque<EntryId>,
    /// The one that was answered last.
    last: Option<EntryId>,
}

/// Where an item stands, and whose it is.
#[derive(Clone, Copy)]
struct At {
    entry: EntryId,
    speaker: Speaker,
    stable: bool,
    request: Option<RequestId>,
}

/// What was answered to a call.
#[derive(Default)]
struct Answer {
    error: bool,
    stable: bool,
    mark: Option<Text>,
    /// How it was recorded, and of how many parts it is.
    whole: Option<Whole>,
    parts: usize,
    content: Vec<Payload>,
}

/// A call that was made.
struct Asked {
    id: Text,
    at: At,
}

struct Builder<'a> {
    rules: Rules,
    notes: &'a mut Notes,
    /// The call that each result answers.
    pairs: HashMap<EntryId, EntryId>,
    dialog: Dialog,
    /// What was answered to each call.
    answers: HashMap<EntryId, Answer>,
    /// Calls by the turn that makes them.
    asked: HashMap<usize, Vec<Asked>>,
    /// The turn that makes a call.
    made_by: HashMap<EntryId, usize>,
    ids: HashSet<String>,
    /// Whether a result of the model's newest turn has come.
    fence: bool,
    /// The mark behind the item that is taken in, and how it was recorded, until a part has them.
    mark: Option<Text>,
    whole: Option<Whole>,
    /// Who says it, by name.
    name: Option<Text>,
    /// Whether that item is the part of the system prompt that stays the same.
    stays: bool,
}

impl Builder<'_> {
    fn take(&mut self, item: Item) {
        let speaker = match item.role {
            Role::System | Role::Developer => Speaker::System,
            Role::User | Role::Tool => Speaker::User,
            Role::Assistant => Speaker::Assistant,
        };
        let at = At { entry: item.entry, speaker, stable: item.stable, request: item.request };
        (self.mark, self.whole, self.name) = (item.mark, item.whole, item.name);
        self.stays = item.layer == Layer::System && *item.label == *STATIC_PROMPT;
        if self.is_own(&item.what, at) {
            return self.say(Say::Whole, at);
        }
        match item.what {
            What::Definition(text) => self.define(&text, at),
            What::Format(text) => self.format(text, at),
            What::Hidden(_) => {
                self.note(at, "left out: the transcript does not show its content (encrypted or redacted)");
            }
            What::Text(text) => self.text(text, item.role, at),
            What::Thinking(text, signature) => self.thinking(text, signature, at),
            What::Redacted(data) => match self.rules.thinking && at.speaker == Speaker::Assistant && !data.is_blank() {
                true => self.say(Say::Redacted(data), at),
                false => self.note(at, "left out: this API takes no reasoning in messages"),
            },
            What::Media(media) => self.media(media, at),
            What::Call { key, id, name, input } => self.call(&item.label, (key, id, name, input), at),
            What::Result { error, content, .. } => match self.pairs.get(&at.entry).copied() {
                Some(call) => self.answer(call, error, content, at),
                None => self.orphan(&item.label, content, at),
            },
        }
    }

    /// Whether an item is written as it was recorded, and nothing else has to agree with it: calls of the client's
    /// tools, their results and definitions do.
    fn is_own(&mut self, what: &What, at: At) -> bool {
        let Some(whole) = &self.whole else { return false };
        let refused = matches!(what, What::Media(media) if (self.rules.refuses)(media, at.speaker).is_some());
        let agrees = matches!(&*whole.kind, "tool_use" | "tool_result" | "function" | "custom")
            || matches!(what, What::Definition(_) | What::Format(_));
        if agrees || refused || at.speaker == Speaker::System {
            return false;
        }
        if whole.kind.starts_with("mcp_") {
            self.note(at, "calls of MCP servers as recorded: the API wants the request's mcp_servers with them");
        }
        true
    }

    fn note(&mut self, at: At, words: &str) {
        self.notes.say(words, Some(at.entry));
    }

    fn text(&mut self, text: Text, role: Role, at: At) {
        if text.is_blank() {
            return self.note(at, "left out: it is blank, and APIs refuse blank text");
        }
        match at.speaker {
            Speaker::System if self.dialog.turns.is_empty() => {
                self.dialog.system.push(Opening {
                    role,
                    text,
                    mark: self.mark.take(),
                    name: self.name.take(),
                    stays: self.stays,
                });
            }
            Speaker::System if !self.rules.system_in_place => {
                self.note(at, "a system message between others, written as the user's: this API has none there");
                self.say(Say::Text(text), At { speaker: Speaker::User, ..at });
            }
            _ => self.say(Say::Text(text), at),
        }
    }

    fn thinking(&mut self, text: Text, signature: Option<Text>, at: At) {
        match signature.filter(|signature| !signature.is_blank() && at.speaker == Speaker::Assistant) {
            _ if !self.rules.thinking => self.note(at, "left out: this API takes no reasoning in messages"),
            Some(signature) => self.say(Say::Thinking(text, signature), at),
            None => self.note(at, "left out: reasoning whose signature is not recorded"),
        }
    }

    fn define(&mut self, text: &Text, at: At) {
        let (mut tools, rest) = definitions(text);
        if let [tool] = tools.as_mut_slice() {
            tool.mark = self.mark.take();
            tool.whole = self.whole.take().filter(|whole| (self.rules.is_definition)(tool, &whole.kind));
        }
        for tool in tools {
            if matches!(tool.schema, Some(Schema::Made(_))) {
                self.note(
                    at,
                    "a tool's input is described in another way: APIs refuse alternatives at its schema's top",
                );
            }
            if self.dialog.tools.iter().any(|known| known.name == tool.name) {
                self.note(at, "left out: a further definition of a tool of the same name");
            } else {
                self.dialog.tools.push(tool);
            }
        }
        for text in rest.into_iter().filter(|text| !text.is_blank()) {
            if self.dialog.turns.is_empty() || at.speaker == Speaker::System {
                self.note(at, "tools without a schema: described in the system text");
                self.dialog.system.push(Opening { role: Role::System, text, mark: None, name: None, stays: false });
            } else {
                self.say(Say::Text(text), At { speaker: Speaker::User, ..at });
            }
        }
    }

    /// The form of answers; of several, the newest counts.
    fn format(&mut self, text: Text, at: At) {
        match Format::of(&text) {
            Some(format) => self.dialog.format = Some(format),
            None => self.text(text, Role::System, at),
        }
    }

    fn media(&mut self, media: Attached, at: At) {
        let at = if at.speaker == Speaker::System { At { speaker: Speaker::User, ..at } } else { at };
        let say = match self.refused(&media, at) {
            Some(text) => {
                self.whole = None;
                Say::Text(text)
            }
            None => Say::Media(media),
        };
        self.say(say, at);
    }

    /// The text that stands for what the API refuses.
    fn refused(&mut self, media: &Attached, at: At) -> Option<Text> {
        let why = (self.rules.refuses)(media, at.speaker)?;
        self.note(at, &format!("replaced by a line of text: {why}"));
        Some(Text::made(format!("[{} left out: {why}]", media.name())))
    }

    fn call(
        &mut self,
        label: &str,
        (key, id, name, input): (Option<CallKey>, Option<Text>, Option<Text>, Text),
        at: At,
    ) {
        let at = At { speaker: Speaker::Assistant, ..at };
        let fit = api_name(label);
        let mut whole = self.whole.take();
        let name = match name.filter(|name| name.joined() == fit) {
            Some(name) => name,
            None => {
                if fit != label {
                    self.note(at, "a tool's name written with signs that APIs take");
                }
                whole = None;
                Text::made(fit)
            }
        };
        let id = self.id(id, key, at);
        self.whole = whole.filter(|whole| id.joined() == whole.id);
        self.say(Say::Call { id: id.clone(), name, input }, at);
        let turn = self.dialog.turns.len().saturating_sub(1);
        self.made_by.insert(at.entry, turn);
        self.asked.entry(turn).or_default().push(Asked { id, at });
    }

    /// The recorded id where it is fit and not taken, else one made from its key, or else from the entry.
    fn id(&mut self, recorded: Option<Text>, key: Option<CallKey>, at: At) -> Text {
        if let Some(id) = recorded {
            let text = id.joined();
            if text.len() <= self.rules.id_max && api_name(&text) == text && self.ids.insert(text) {
                return id;
            }
        }
        let own = format!("call_e{}", at.entry.0);
        let mut made = key.map_or_else(|| own.clone(), |key| format!("call_{:016x}", key.0));
        if self.ids.contains(&made) {
            made = own;
        }
        while !self.ids.insert(made.clone()) {
            made.push('x');
        }
        Text::made(made)
    }

    fn answer(&mut self, call: EntryId, error: bool, content: Payload, at: At) {
        let last = self.dialog.turns.iter().rposition(|turn| turn.speaker == Speaker::Assistant);
        if last.is_some() && last == self.made_by.get(&call).copied() {
            self.fence = true;
        } else {
            self.note(at, "a result moved to stand behind its call");
        }
        let content = match content {
            Payload::Text(text) if text.is_blank() => None,
            Payload::Media(media) => Some(match self.refused(&media, At { speaker: Speaker::User, ..at }) {
                Some(text) => Payload::Text(text),
                None => Payload::Media(media),
            }),
            text => Some(text),
        };
        let answer = self.answers.entry(call).or_insert(Answer { stable: true, ..Answer::default() });
        answer.parts += 1;
        answer.whole = self.whole.take();
        answer.mark = self.mark.take().or(answer.mark.take());
        answer.error |= error;
        answer.stable &= at.stable;
        answer.content.extend(content);
    }

    /// A result whose call is not in the window: text of the user's.
    fn orphan(&mut self, label: &str, content: Payload, at: At) {
        self.note(at, "a result whose call is not in the window: written as text of the user's");
        let at = At { speaker: Speaker::User, ..at };
        self.whole = None;
        let head = format!("[result of {}; its call is not in the window]\n", api_name(label));
        match content {
            Payload::Text(text) => {
                let mut whole = Text::made(head);
                whole.push(text);
                self.say(Say::Text(whole), at);
            }
            Payload::Media(media) => {
                self.say(Say::Text(Text::made(head.trim_end())), at);
                self.media(media, at);
            }
        }
    }

    /// Adds a part to the newest turn where that is of the same speaker, else to a new one.
    fn say(&mut self, say: Say, at: At) {
        let is_call = matches!(say, Say::Call { .. });
        let part = Part { stable: at.stable, mark: self.mark.take(), whole: self.whole.take(), say };
        // Calls made at once are one turn, though their results may be recorded between them.
        let same = |last: &&mut Turn| {
            // Of the same speaker, by name where one is recorded.
            let name = |name: &Option<Text>| name.as_ref().map(Text::joined);
            last.speaker == at.speaker && name(&last.name) == name(&self.name)
        };
        if let Some(last) = self.dialog.turns.last_mut().filter(same) {
            let same = last.request.is_some() && last.request == at.request && is_call;
            if at.speaker != Speaker::Assistant || !self.fence || same {
                last.parts.push(part);
                return;
            }
        }
        if at.speaker == Speaker::Assistant {
            self.fence = false;
        }
        let name = self.name.clone();
        self.dialog.turns.push(Turn { speaker: at.speaker, parts: vec![part], name, request: at.request });
    }

    /// Puts the results behind their calls.
    fn finish(mut self) -> Dialog {
        let turns = std::mem::take(&mut self.dialog.turns);
        let mut whole: Vec<Turn> = Vec::with_capacity(turns.len() + 1);
        let mut results = None;
        for (index, mut turn) in turns.into_iter().enumerate() {
            match results.take() {
                Some(Turn { parts, .. }) if turn.speaker == Speaker::User => {
                    turn.parts.splice(0..0, parts);
                }
                other => whole.extend(other),
            }
            whole.push(turn);
            results = self.results(index);
        }
        whole.extend(results);
        self.dialog.turns = whole;
        self.dialog
    }

    /// The turn that answers the calls of another.
    fn results(&mut self, turn: usize) -> Option<Turn> {
        let asked = self.asked.remove(&turn)?;
        let parts = asked
            .into_iter()
            .map(|Asked { id, at }| {
                let answer = self.answers.remove(&at.entry);
                let Answer { error, stable, content, mark, whole, parts } = answer.unwrap_or_else(|| {
                    self.note(at, "a call whose result is not in the window: a stand-in answers it");
                    let stand_in = Text::made("[no result of this call is in the window]");
                    Answer { stable: at.stable, content: vec![Payload::Text(stand_in)], ..Answer::default() }
                });
                let whole = whole.filter(|whole| parts == 1 && whole.id == id.joined());
                let content = match content.is_empty() {
                    true if self.rules.blank_results => vec![Payload::Text(Text::made(""))],
                    true => vec![Payload::Text(Text::made("(no output)"))],
                    false => content,
                };
                Part { stable, mark, whole, say: Say::Result { id, error, content } }
            })
            .collect();
        Some(Turn { speaker: Speaker::User, parts, name: None, request: None })
    }
}
