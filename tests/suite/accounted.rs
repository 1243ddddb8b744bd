//! Every entry's text is accounted for: it is quoted from blocks, or the harness's own words, or told of what the entry
//! stands for.

use std::collections::HashMap;

use windowpane::content::Sources;
use windowpane::model::*;

use crate::story::Story;

/// Words that a harness writes beside what it quotes: of a turn's line, of packed memories, of markers and notes.
const HARNESS: &[&str] = &[
    "turn",
    "user",
    "assistant",
    "tokens",
    "ok",
    "error",
    "more",
    "call",
    "calls",
    "Relevant",
    "Memory",
    "session",
    "agent",
    "shared",
    "score",
    "Before",
    "After",
    "contradicts",
    "bridges",
    "supersedes",
    "Nothing",
    "was",
    "found",
    "worth",
    "a",
    "sentence",
    "arguments",
    "cleared",
    "an",
    "earlier",
];

/// The texts of a story's blocks, as far as they were asked for.
struct Texts<'a> {
    story: &'a Story,
    sources: Sources,
    known: HashMap<BlockId, String>,
}

impl Texts<'_> {
    fn of(&mut self, id: BlockId) -> &str {
        let (story, sources) = (self.story, &self.sources);
        let read = || sources.body_text(&story.transcript.block(id).unwrap().body).unwrap();
        self.known.entry(id).or_insert_with(read)
    }

    /// What the entries showed that an entry stands for, with what they are called.
    fn stood_for(&mut self, run: &Run, entry: &Entry) -> String {
        let mut said = String::new();
        for entry in entry.from.iter().map(|id| run.entry(*id).unwrap()) {
            said.push_str(&entry.label);
            for made in &entry.content {
                said.push(' ');
                match made {
                    Made::Block(id) => said.push_str(self.of(*id)),
                    Made::Part(id, from, to, _) => said.push_str(&self.of(*id)[*from as usize..*to as usize]),
                    Made::Text(text) => said.push_str(text),
                    Made::Written(_) => {}
                }
            }
            said.push(' ');
        }
        said
    }
}

/// The harness's words in what an entry stands for, which what stands for that may hold; they are judged there.
fn written_behind(run: &Run, id: EntryId) -> String {
    let (mut open, mut said) = (run.entry(id).unwrap().from.to_vec(), String::new());
    while let Some(id) = open.pop() {
        let entry = run.entry(id).unwrap();
        for made in &entry.content {
            if let Made::Text(text) = made {
                said.push_str(text);
                said.push(' ');
            }
        }
        open.extend(&entry.from);
    }
    said
}

/// Every part is a part of what it says, and as many tokens as it says, about; and every word that is no part is the
/// harness's own, or stands in what the entry is made from.
pub fn provenance(story: &Story, run: &Run) {
    let mut texts = Texts { story, sources: story.sources(), known: HashMap::new() };
    let labels = story.transcript.blocks.iter().map(|block| &*block.label).collect::<Vec<_>>().join(" ");
    let everywhere = format!("{} {labels}", String::from_utf8_lossy(&story.bytes));
    for (at, entry) in (0u32..).zip(&run.entries) {
        let (mut chars, mut parts) = (0, 0);
        let mut written = Vec::new();
        for made in &entry.content {
            parts += 1;
            match made {
                Made::Block(id) => chars += texts.of(*id).chars().count() as u64,
                Made::Part(id, from, to, _) => {
                    let part = texts.of(*id).get(*from as usize..*to as usize).expect("a part of the text");
                    chars += part.chars().count() as u64;
                }
                Made::Text(text) => {
                    chars += text.chars().count() as u64;
                    written.push(text.clone());
                }
                Made::Written(_) => {}
            }
        }
        let quoted = entry.block().is_some() && entry.from.is_empty() && entry.fate == Fate::Verbatim;
        assert!(!quoted || entry.tokens == chars.div_ceil(4), "{entry:?} of {chars} characters");
        assert!(entry.fate != Fate::Truncated || entry.tokens + 8 >= chars / 4, "{entry:?} of {chars} characters");
        if written.is_empty() {
            continue;
        }
        // Each part may have been counted by itself, and rounded up.
        let figures = entry.content.iter().any(|made| matches!(made, Made::Written(_)));
        let about = chars / 4 <= entry.tokens + 2 * parts && (figures || entry.tokens <= chars / 4 + 2 * parts);
        assert!(about, "{entry:?} of {chars} characters in {parts} parts");
        if entry.fate == Fate::Cleared {
            // A marker says nothing of what was there, and names the one piece that it stands for.
            assert_eq!((parts, entry.from.len()), (1, 1), "{entry:?}");
            continue;
        }
        // A line tells of what stood of its turn alone; of memories, who enriches them takes words of the texts around.
        let own = (entry.fate == Fate::Collapsed).then(|| texts.stood_for(run, entry));
        let said = own.as_ref().unwrap_or(&everywhere);
        let before = written_behind(run, EntryId(at));
        for text in &written {
            let words = text.split(|sign: char| !sign.is_alphanumeric()).filter(|word| !word.is_empty());
            let mut unknown = words.filter(|word| {
                let is_figure = word.bytes().all(|byte| byte.is_ascii_digit());
                !(is_figure || HARNESS.contains(word) || said.contains(*word) || before.contains(*word))
            });
            assert_eq!(unknown.next(), None, "{text:?} of {entry:?}");
        }
    }
}
