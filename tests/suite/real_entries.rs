//! Every entry of real sessions, read and drawn: what the model saw is all there, and nothing steers the terminal.

use std::sync::Arc;

use ratatui::buffer::Buffer;
use ratatui::layout::Rect;
use windowpane::config::Theme;
use windowpane::engine::{Known, recorded};
use windowpane::model::{Body, Fate, Made, ThreadId};
use windowpane::tui::detail::{Detail, read};

use crate::data;

const FORMATS: &[&str] =
    &["claude_code", "claude_stream_json", "codex", "openai_chat", "openai_responses", "anthropic_messages"];

#[test]
fn every_entry_is_shown_whole_and_harmless() {
    let theme = Theme::default();
    let area = Rect::new(0, 0, 72, 24);
    for path in FORMATS.iter().flat_map(|format| data::transcripts(format)) {
        let (sources, transcript) = data::open(&path);
        let run = recorded(&transcript, ThreadId(0), Known::nothing().facts(&transcript, &transcript.threads[0]));
        for (number, entry) in (0u32..).zip(&run.entries) {
            let id = windowpane::model::EntryId(number);
            let content =
                read(&run, &transcript, &sources, id).unwrap_or_else(|why| panic!("{}: {why}", path.display()));
            if let (Fate::Verbatim, [Made::Block(block)], []) = (entry.fate, &entry.content[..], &entry.from[..]) {
                let block = transcript.block(*block).expect("a block");
                if let (Body::Text { .. }, None) = (&block.body, &block.original) {
                    let text = sources.body_text(&block.body).expect("its text");
                    assert_eq!(content.kept_text(), text, "{}: entry {number}", path.display());
                }
            }
            let mut detail = Detail::new(Arc::new(content), false);
            for bottom in [false, true] {
                if bottom {
                    detail.to_bottom();
                }
                detail.fit(area.width, area.height);
                let mut buffer = Buffer::empty(area);
                detail.draw(area, &mut buffer, &theme);
                let steers = |cell: &ratatui::buffer::Cell| cell.symbol().chars().any(char::is_control);
                assert!(!buffer.content.iter().any(steers), "{}: entry {number}", path.display());
            }
        }
    }
}
