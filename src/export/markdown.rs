//! The prompt for people: as Markdown, and as plain text.

use crate::model::Fate;

use super::Head;
use super::gather::{Attached, Item, Payload, What};
use super::output::Output;
use super::quote::Text;

/// Writes Markdown: a heading for each entry, prose as it is, everything else fenced.
pub fn write_markdown(head: &Head<'_>, items: &[Item], out: &mut Output) {
    out.made(&format!("# The window at step {} of {} ({})\n", head.step, head.steps, head.track));
    for item in items {
        out.made("\n## ").made(&title(item)).made("\n\n");
        match &item.what {
            What::Text(text) => {
                out.plain(text).made("\n");
            }
            What::Thinking(text, _) | What::Definition(text) | What::Format(text) => fenced("", text, out),
            What::Call { input, .. } => fenced("json", input, out),
            What::Result { content: Payload::Text(text), .. } => fenced("", text, out),
            What::Result { content: Payload::Media(media), .. } | What::Media(media) => {
                out.made(&format!("*{}*\n", escape_emphasis(&described(media))));
            }
            What::Redacted(_) => {
                out.made(&format!("*{}*\n", hidden(None)));
            }
            What::Hidden(tokens) => {
                out.made(&format!("*{}*\n", hidden(*tokens)));
            }
        }
    }
}

/// Writes plain text: a line that names each entry, then its text as it is.
pub fn write_text(head: &Head<'_>, items: &[Item], out: &mut Output) {
    out.made(&format!("=== the window at step {} of {} ({}) ===\n", head.step, head.steps, head.track));
    for item in items {
        out.made("\n=== ").made(&title(item)).made(" ===\n");
        match &item.what {
            What::Text(text)
            | What::Thinking(text, _)
            | What::Definition(text)
            | What::Format(text)
            | What::Call { input: text, .. }
            | What::Result { content: Payload::Text(text), .. } => out.plain(text).made("\n"),
            What::Result { content: Payload::Media(media), .. } | What::Media(media) => {
                out.made(&format!("[{}]\n", described(media)))
            }
            What::Redacted(_) => out.made(&format!("[{}]\n", hidden(None))),
            What::Hidden(tokens) => out.made(&format!("[{}]\n", hidden(*tokens))),
        };
    }
}

fn title(item: &Item) -> String {
    let role = super::role_name(item.role);
    let layer = item.layer.info().title;
    let mut title = role.to_owned();
    if layer != role {
        title.push_str(" · ");
        title.push_str(layer);
    }
    let label: String = item.label.chars().take(120).map(|sign| if sign.is_control() { ' ' } else { sign }).collect();
    if !label.trim().is_empty() && label != layer && label != role {
        title.push_str(" · ");
        title.push_str(label.trim());
    }
    if item.fate != Fate::Verbatim {
        title.push_str(" · ");
        title.push_str(item.fate.name());
    }
    // By its path alone nobody would know a file that the user attached from one that came back by itself.
    if let Some(step) = item.back {
        title.push_str(&format!(" · put back after the compaction before step {step}"));
    }
    title
}

fn fenced(language: &str, text: &Text, out: &mut Output) {
    let joined = text.joined();
    let longest = joined.split(|sign| sign != '`').map(str::len).max().unwrap_or(0);
    let fence = "`".repeat(longest.max(2) + 1);
    out.made(&fence).made(language).made("\n").plain(text);
    out.made(if joined.ends_with('\n') || joined.is_empty() { "" } else { "\n" }).made(&fence).made("\n");
}

fn described(media: &Attached) -> String {
    let size: usize = media.data.0.iter().map(|piece| piece.text.len()).sum();
    if media.is_url { media.name() } else { format!("{}, {size} characters of base64", media.name()) }
}

fn escape_emphasis(text: &str) -> String {
    text.replace(['*', '_', '`', '[', '<'], " ")
}

fn hidden(tokens: Option<u64>) -> String {
    match tokens {
        Some(tokens) => format!("content that the transcript does not show, {tokens} tokens"),
        None => "content that the transcript does not show".to_owned(),
    }
}
