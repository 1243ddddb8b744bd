//! A synthetic session of Claude Code, the same each time: what the benches open.

use std::fmt::Write;

/// Numbers that look random and are the same each time.
pub struct Dice(u64);

impl Dice {
    /// The same numbers for the same seed.
    pub fn new(seed: u64) -> Dice {
        Dice(seed | 1)
    }

    /// A number below `below`.
    pub fn roll(&mut self, below: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        usize::try_from(self.0 >> 16).unwrap_or(0) % below.max(1)
    }
}

const WORDS: &[&str] = &[
    "window",
    "holds",
    "results",
    "of tools,",
    "which",
    "nobody",
    "reads",
    "again.\\n",
    "fn count(text: &str)",
    "=>",
    "let total =",
    "self.state",
    "return None;\\n",
    "\\\"path\\\":",
    "src/tokens/mod.rs",
    "warning:",
    "0x7f3a",
    "größer",
    "日本語",
    "ERROR",
    "2026-01-02T03:04:05Z",
    "\\t",
    "at line 42",
    "http://localhost:8080/",
];

/// About so many bytes of text, escaped for JSON.
fn words(size: usize, dice: &mut Dice, out: &mut String) {
    let end = out.len() + size;
    while out.len() < end {
        out.push_str(WORDS.get(dice.roll(WORDS.len())).copied().unwrap_or_default());
        out.push(' ');
    }
}

/// A session of at least so many bytes, with a compaction every 40 requests.
pub fn claude_code(size: usize) -> Vec<u8> {
    let (mut out, mut dice) = (String::with_capacity(size + 100_000), Dice::new(11));
    let (mut number, mut parent) = (0u32, "null".to_owned());
    let mut record = |out: &mut String, kind: &str, rest: &str, body: &dyn Fn(&mut String, &mut Dice)| {
        number += 1;
        let _ = write!(
            out,
            "{{\"parentUuid\":{parent},\"isSidechain\":false,\"cwd\":\"/srv/shop\",\"sessionId\":\"5f0c9d3e-2b1a-4e77-9c11-7d4a6b8e0f21\",\
             \"version\":\"2.1.20\",\"type\":\"{kind}\",\"uuid\":\"00000000-0000-4000-8000-{number:012}\",\
             \"timestamp\":\"2026-01-14T09:12:00.000Z\"{rest}"
        );
        body(out, &mut dice);
        out.push_str("}\n");
        parent = format!("\"00000000-0000-4000-8000-{number:012}\"");
    };
    let mut request = 0u32;
    while out.len() < size {
        request += 1;
        if request % 6 == 1 {
            record(&mut out, "user", ",\"message\":{\"role\":\"user\",\"content\":\"", &|out, dice| {
                words(200, dice, out);
                out.push_str("\"}");
            });
        }
        let context = 20_000 + (request % 40) * 3_600;
        record(&mut out, "assistant", "", &|out, dice| {
            let _ = write!(
                out,
                ",\"requestId\":\"req_{request}\",\"message\":{{\"id\":\"msg_{request}\",\"type\":\"message\",\"role\":\"assistant\",\
                 \"model\":\"claude-sonnet-4-5-20250929\",\"content\":[{{\"type\":\"text\",\"text\":\""
            );
            words(300, dice, out);
            let _ = write!(
                out,
                "\"}},{{\"type\":\"tool_use\",\"id\":\"toolu_{request}\",\"name\":\"Bash\",\"input\":{{\"command\":\"cargo test {request}\"}}}}],\
                 \"stop_reason\":\"tool_use\",\"usage\":{{\"input_tokens\":4,\"cache_read_input_tokens\":{context},\
                 \"cache_creation_input_tokens\":3120,\"output_tokens\":96}}}}"
            );
        });
        record(&mut out, "user", ",\"message\":{\"role\":\"user\",\"content\":[{", &|out, dice| {
            let _ = write!(out, "\"type\":\"tool_result\",\"tool_use_id\":\"toolu_{request}\",\"content\":\"");
            let size = [400, 3_000, 9_000, 30_000][dice.roll(4)];
            words(size, dice, out);
            out.push_str("\"}]}");
        });
        if request.is_multiple_of(40) {
            let rest = ",\"subtype\":\"compact_boundary\",\"content\":\"Conversation compacted\",\
                        \"compactMetadata\":{\"trigger\":\"auto\",\"preTokens\":167000}";
            record(&mut out, "system", rest, &|_, _| {});
            let rest = ",\"isCompactSummary\":true,\"message\":{\"role\":\"user\",\"content\":\"";
            record(&mut out, "user", rest, &|out, dice| {
                words(8_000, dice, out);
                out.push_str("\"}");
            });
        }
    }
    out.into_bytes()
}
