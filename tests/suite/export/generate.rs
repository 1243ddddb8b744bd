//! Windows of every kind: a source of JSON lines, a transcript whose spans point into it, and a run in which anything
//! may be missing.

use std::sync::Arc;

use proptest::prelude::*;
use serde_json::{Value, json};
use windowpane::content::Sources;
use windowpane::model::*;

/// One entry to be.
#[derive(Clone, Debug)]
pub struct Piece {
    pub kind: Kind,
    pub text: String,
    /// The call that it makes or answers, or the request that it is a part of.
    pub number: u8,
    pub born: u32,
    pub died: Option<u32>,
}

#[derive(Clone, Copy, Debug)]
pub enum Kind {
    System,
    Developer,
    User,
    Assistant,
    Signed,
    Unsigned,
    Hidden,
    Omitted,
    Redacted,
    CallObject,
    CallString,
    CallText,
    Result,
    ResultImage,
    Cleared,
    Part,
    Image(&'static str),
    Link,
    Sound,
    AssistantImage,
    Tool,
    Tools,
    ToolText,
    Summary,
}

const KINDS: &[Kind] = &[
    Kind::System,
    Kind::Developer,
    Kind::User,
    Kind::User,
    Kind::Assistant,
    Kind::Assistant,
    Kind::Signed,
    Kind::Unsigned,
    Kind::Hidden,
    Kind::Omitted,
    Kind::Redacted,
    Kind::CallObject,
    Kind::CallObject,
    Kind::CallString,
    Kind::CallText,
    Kind::Result,
    Kind::Result,
    Kind::Result,
    Kind::ResultImage,
    Kind::Cleared,
    Kind::Part,
    Kind::Image("image/png"),
    Kind::Image("image/tiff"),
    Kind::Link,
    Kind::Sound,
    Kind::AssistantImage,
    Kind::Tool,
    Kind::Tools,
    Kind::ToolText,
    Kind::Summary,
];

pub fn pieces() -> impl Strategy<Value = Vec<Piece>> {
    let text = prop_oneof![
        3 => any::<String>(),
        1 => Just(" \n".to_owned()),
        1 => Just(String::new()),
        2 => "[a-z\"\\\\\n\u{1b}\u{202e}`é😀]{1,20}",
    ];
    let life = (1u32..4, proptest::option::of(2u32..5));
    let piece = (proptest::sample::select(KINDS), text, 0u8..6, life).prop_map(|(kind, text, number, (born, died))| {
        Piece { kind, text, number, born, died: died.filter(|died| *died > born) }
    });
    proptest::collection::vec(piece, 0..30)
}

/// The window of those pieces, as a transcript, its bytes, and a run of three steps.
pub fn window(pieces: &[Piece]) -> (Transcript, Sources, Run) {
    let mut maker = Maker::default();
    for piece in pieces {
        maker.add(piece);
    }
    maker.done()
}

#[derive(Default)]
struct Maker {
    bytes: Vec<u8>,
    lines: u32,
    blocks: Vec<Block>,
    messages: Vec<Message>,
    entries: Vec<Entry>,
}

impl Maker {
    /// Writes a record and finds where the value of its field `text` stands.
    fn record(&mut self, record: &Value, coding: Coding) -> (Record, Span) {
        let line = serde_json::to_string(record).unwrap();
        let start = self.bytes.len() as u64;
        self.lines += 1;
        let value = serde_json::to_string(&record["text"]).unwrap();
        let at = line.find(&format!("\"text\":{value}")).unwrap() + "\"text\":".len();
        let quote = usize::from(coding != Coding::Plain);
        let (from, to) = (start + (at + quote) as u64, start + (at + value.len() - quote) as u64);
        self.bytes.extend_from_slice(line.as_bytes());
        self.bytes.push(b'\n');
        let source = SourceId(0);
        let record = Record { source, line: self.lines, start, end: start + line.len() as u64 };
        (record, Span { source, start: from, end: to, coding })
    }

    fn add(&mut self, piece: &Piece) {
        let key = CallKey(u64::from(piece.number));
        let text = json!(piece.text);
        let object = json!({"path": piece.text, "n": 1});
        let id = format!("toolu_{}", piece.number);
        let odd = "not.fit/é".to_owned() + &piece.number.to_string();
        let data = json!("aGVsbG8h/+8=");
        let tool = |name: &str| json!({"name": name, "description": piece.text, "input_schema": {"type": "object"}});
        let tools =
            json!([tool("Bash"), {"type": "function", "function": {"name": "x y", "parameters": {"a": 1}}}, "z"]);
        use BlockKind as B;
        use Layer as L;
        let (record, coding, kind, layer, role, call, label) = match piece.kind {
            Kind::System => (json!({"text": text}), Coding::Json, B::Text, L::System, Role::System, None, ""),
            Kind::Developer => (json!({"text": text}), Coding::Json, B::Text, L::System, Role::Developer, None, ""),
            Kind::User | Kind::Part => (json!({"text": text}), Coding::Json, B::Text, L::User, Role::User, None, ""),
            Kind::Assistant => (json!({"text": text}), Coding::Json, B::Text, L::Assistant, Role::Assistant, None, ""),
            Kind::Signed => (
                json!({"text": text, "signature": "c2ln"}),
                Coding::Json,
                B::Thinking,
                L::Thinking,
                Role::Assistant,
                None,
                "",
            ),
            Kind::Unsigned | Kind::Hidden => {
                (json!({"text": text}), Coding::Json, B::Thinking, L::Thinking, Role::Assistant, None, "")
            }
            Kind::Omitted => (
                json!({"type": "thinking", "text": "", "signature": "c2ln"}),
                Coding::Json,
                B::Thinking,
                L::Thinking,
                Role::Assistant,
                None,
                "",
            ),
            Kind::Redacted => (
                json!({"type": "redacted_thinking", "data": "b3BhcXVl", "text": ""}),
                Coding::Json,
                B::Thinking,
                L::Thinking,
                Role::Assistant,
                None,
                "",
            ),
            Kind::CallObject => (
                json!({"id": id, "name": "Bash", "text": object}),
                Coding::Plain,
                B::ToolCall,
                L::ToolCalls,
                Role::Assistant,
                Some(key),
                "Bash",
            ),
            Kind::CallString => (
                json!({"id": odd, "text": object.to_string()}),
                Coding::Json,
                B::ToolCall,
                L::ToolCalls,
                Role::Assistant,
                Some(key),
                "fn.call it",
            ),
            Kind::CallText => {
                (json!({"text": text}), Coding::Json, B::ToolCall, L::ToolCalls, Role::Assistant, Some(key), "")
            }
            Kind::Result | Kind::Cleared => (
                json!({"tool_use_id": id, "text": text}),
                Coding::Json,
                B::ToolResult,
                L::ToolResults,
                Role::User,
                Some(key),
                "Bash",
            ),
            Kind::ResultImage => {
                (json!({"text": data}), Coding::Base64, B::Image, L::ToolResults, Role::User, Some(key), "Bash")
            }
            Kind::Image(_) => (json!({"text": data}), Coding::Base64, B::Image, L::User, Role::User, None, ""),
            Kind::Link => {
                (json!({"text": "https://example.org/a.png"}), Coding::Json, B::Image, L::User, Role::User, None, "")
            }
            Kind::Sound => (json!({"text": data}), Coding::Base64, B::Audio, L::User, Role::User, None, ""),
            Kind::AssistantImage => {
                (json!({"text": data}), Coding::Base64, B::Image, L::Assistant, Role::Assistant, None, "")
            }
            Kind::Tool => {
                (json!({"text": tool("Bash")}), Coding::Plain, B::Definition, L::Tools, Role::System, None, "Bash")
            }
            Kind::Tools => (json!({"text": tools}), Coding::Plain, B::Definition, L::Tools, Role::User, None, ""),
            Kind::ToolText => (json!({"text": text}), Coding::Json, B::Definition, L::Tools, Role::User, None, ""),
            Kind::Summary => (json!({"text": text}), Coding::Json, B::Summary, L::Summaries, Role::User, None, ""),
        };
        let (record, span) = self.record(&record, coding);
        let body = match piece.kind {
            Kind::Hidden | Kind::Omitted | Kind::Redacted => Body::Hidden(Hidden { tokens: Some(9), span: Some(span) }),
            _ if matches!(kind, B::Image | B::Audio) => Body::Media(Box::new(Media {
                mime: match piece.kind {
                    Kind::Image(mime) => mime,
                    Kind::Sound => "audio/mpeg",
                    _ => "image/png",
                }
                .into(),
                span,
                hash: 0,
                pixels: None,
                is_low: false,
            })),
            _ => Body::Text { spans: [span].into_iter().collect(), chars: span.len(), hash: 0 },
        };
        let message = MessageId(self.messages.len() as u32);
        let request = (role == Role::Assistant).then_some(RequestId(u32::from(piece.number / 2)));
        self.messages.push(Message { role, record, at: None, request });
        let block = BlockId(self.blocks.len() as u32);
        self.blocks.push(Block {
            kind,
            layer,
            role,
            message,
            record,
            body,
            label: label.into(),
            call,
            error: piece.number == 3,
            cut: None,
            original: None,
        });
        let place = self.entries.len() as u32;
        let life = Life { born: piece.born, died: piece.died, place, ended_by: None };
        let mut entry = Entry {
            layer,
            role,
            fate: Fate::Verbatim,
            content: vec![Made::Block(block)].into(),
            label: Arc::from(label),
            tokens: 1,
            original_tokens: 1,
            estimated: false,
            from: <_>::default(),
            made_by: None,
            lives: vec![life].into(),
        };
        match piece.kind {
            Kind::Cleared => {
                let whole = EntryId(place);
                let gone = Entry { lives: <_>::default(), ..entry.clone() };
                self.entries.push(gone);
                entry.fate = Fate::Cleared;
                entry.content = vec![Made::Text("[cleared]".into())].into();
                entry.from = vec![whole].into();
            }
            Kind::Part => {
                entry.fate = Fate::Truncated;
                let size = piece.text.len() as u64;
                entry.content =
                    vec![Made::Part(block, size / 4, size / 2 + 3, false), Made::Text("…".into()), Made::Block(block)]
                        .into();
            }
            Kind::Summary => entry.fate = Fate::Summarised,
            _ => {}
        }
        self.entries.push(entry);
    }

    fn done(self) -> (Transcript, Sources, Run) {
        let mut sources = Sources::default();
        sources.add_memory("made.jsonl", SourceKind::Transcript, self.bytes);
        let transcript = Transcript {
            format: "made",
            sources: sources.list(),
            session: Session::default(),
            messages: self.messages,
            blocks: self.blocks,
            threads: Vec::new(),
            records: u64::from(self.lines),
            skipped: Default::default(),
            warnings: Vec::new(),
        };
        let record = Record { source: SourceId(0), line: 1, start: 0, end: 0 };
        let step = Step {
            request: RequestId(0),
            record,
            model: Some("m".into()),
            usage: None,
            window_tokens: 1000,
            window_source: WindowSource::Default,
            reserve_tokens: 0,
            threshold: None,
            cost: None,
            calls: Calls::None,
            unpriced: false,
            billed: None,
            at: None,
            outcome: Outcome::Answered,
        };
        let run = Run {
            entries: self.entries,
            steps: vec![step; 3].into(),
            totals: vec![Totals::default(); 3],
            ..Run::new(Track::Recorded, ThreadId(0))
        };
        (transcript, sources, run)
    }
}
