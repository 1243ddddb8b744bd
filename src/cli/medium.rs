//! What the documents view tells of pictures and sounds: what they are, and what of them a policy lets in.

use std::sync::Arc;

use base64::Engine;
use base64::prelude::BASE64_STANDARD;

use crate::config::Role;
use crate::document::{Conversion, shown_line};
use crate::model::Fate;
use crate::policy::Choice;
use crate::present::{bytes, count};
use crate::tokens::{ImageRule, pixels_of};
use crate::tui::detail::Media;
use crate::tui::documents::{Group, InWindow, Medium};

use super::attached::AttachedFile;
use super::prepare::Preparer;

/// A fact as it is shown.
type Row = (String, String, Role);

impl Preparer<'_> {
    /// What there is to see of a picture or a sound, and to say; `None` of what is text.
    pub fn medium(&self, file: &AttachedFile, in_window: Option<&InWindow>) -> anyhow::Result<Option<Medium>> {
        let document = &file.document;
        let kind = match document.format.as_str() {
            "image" => "picture",
            "audio" => "sound",
            _ => return Ok(None),
        };
        let limits = self.policy.files.limits();
        let within = self.attached.limited(file, &limits, self.watch)?.0.document;
        let row = |name: &str, value: String, role| (name.to_owned(), value, role);
        let mut about: Vec<Row> =
            document.facts.iter().map(|(name, value)| row(named(name), told(name, value), Role::Text)).collect();
        about.extend(document.notes.iter().map(|note| row("note", note.message.clone(), Role::Warning)));
        let mut groups = vec![Group { name: "original", facts: about }, self.sent(file, &within, in_window)?];
        let mut medium = Medium { kind, ..Medium::default() };
        let attached = within.attachment.as_ref();
        if kind == "sound" && !within.shown.is_empty() {
            let left = attached.map_or(0, |attached| attached.data.len() as u64);
            let rule = match file.size > limits.audio_bytes {
                true => format!("files.audio_kb = {}", count(self.policy.files.audio_kb)),
                false => format!("files.audio_seconds = {}", count(limits.audio_seconds)),
            };
            let facts = vec![
                row("length", shown_line(&within.shown), Role::Text),
                row("size", format!("{} of {}", bytes(left), bytes(file.size)), Role::Text),
                row("limit", rule, Role::Text),
            ];
            groups.push(Group { name: "within limits", facts });
            medium.left = Some((left, file.size));
        }
        if let Some(found) = attached.filter(|found| found.mime.starts_with("image/")) {
            let data = BASE64_STANDARD.encode(&found.data).into_bytes();
            medium.picture = Some(Arc::new(Media {
                mime: found.mime.clone(),
                pixels: pixels_of(&data),
                tokens: 0,
                bytes: data.len() as u64,
                data: Some(data.into()),
            }));
        }
        Ok(Some(Medium { groups, ..medium }))
    }

    /// What goes into the window of it.
    fn sent(&self, file: &AttachedFile, within: &Conversion, in_window: Option<&InWindow>) -> anyhow::Result<Group> {
        let mut facts = vec![("files.mode".to_owned(), self.policy.files.mode.name().to_owned(), Role::Text)];
        let mut say = |name: &str, value: String, role| facts.push((name.to_owned(), value, role));
        let goes_in = in_window.is_none_or(|in_window| in_window.kept.iter().any(|(from, to)| from < to));
        match self.picture(file)? {
            _ if !goes_in => {
                say("sent", "only its id, name and size".to_owned(), Role::Dim);
                if let Some(tokens) = self.picture_original(file) {
                    say("tokens", format!("{} once it is loaded", count(tokens)), Role::Text);
                }
            }
            Some(picture) => {
                let is_smaller = picture.fate != Fate::Verbatim;
                say("sent", if is_smaller { "made smaller" } else { "as it is" }.to_owned(), Role::Kept);
                if is_smaller {
                    let sent = self.attached.sent_picture(file, &self.policy.files, self.watch)?;
                    if let Some((wide, high)) = sent.and_then(|(_, pixels, _)| pixels) {
                        say("pixels", told("pixels", &format!("{wide}x{high}")), Role::Text);
                    }
                    let size = within.attachment.as_ref().map_or(0, |attached| attached.data.len() as u64);
                    say("size", bytes(size), Role::Text);
                }
                let before = picture.original;
                let tokens = count(picture.tokens);
                let more = if before > picture.tokens { format!(" of {}", count(before)) } else { String::new() };
                let role = if picture.estimated { Role::Estimate } else { Role::Text };
                say("tokens", format!("{tokens}{more}"), role);
                let rule = self.counter.images;
                say("counted by", rule_name(rule), Role::Text);
                if let Some(event) = picture.decided.filter(|_| is_smaller) {
                    let over = event.threshold.map_or_else(String::new, |threshold| format!(" = {}", count(threshold)));
                    let had =
                        event.measured.map_or_else(String::new, |measured| format!("; it had {}", count(measured)));
                    say("limit", format!("{}{over}{had}", event.rule), Role::Text);
                }
            }
            None => {
                say("sent", "its facts, as text".to_owned(), Role::Kept);
                say("tokens", count(self.count(&file.document.markdown)), Role::Text);
            }
        }
        Ok(Group { name: "in the window", facts })
    }
}

/// What a rule of tokens is called.
fn rule_name(rule: ImageRule) -> String {
    match rule.name() {
        Some(name) if rule.is_published() => name.to_owned(),
        _ => "an estimate: no rule is published".to_owned(),
    }
}

/// A fact's name, in a word.
fn named(name: &str) -> &str {
    if name == "bytes" { "size" } else { name }
}

/// A fact's value as people write it.
fn told(name: &str, value: &str) -> String {
    let number = |text: &str| text.parse().map_or_else(|_| text.to_owned(), count);
    match name {
        "pixels" => value
            .split_once('x')
            .map_or_else(|| value.to_owned(), |(wide, high)| format!("{} × {}", number(wide), number(high))),
        "bytes" => value.parse().map_or_else(|_| value.to_owned(), bytes),
        "sample rate" => {
            value.split_once(' ').map_or_else(|| value.to_owned(), |(rate, unit)| format!("{} {unit}", number(rate)))
        }
        "duration" => {
            match value.split_once(' ').and_then(|(seconds, _)| seconds.split('.').next()?.parse::<u64>().ok()) {
                Some(seconds) if seconds >= 60 => format!("{value} ({}:{:02})", seconds / 60, seconds % 60),
                _ => value.to_owned(),
            }
        }
        "channels" => match value {
            "1" => "1, mono".to_owned(),
            "2" => "2, stereo".to_owned(),
            other => other.to_owned(),
        },
        _ => value.to_owned(),
    }
}
