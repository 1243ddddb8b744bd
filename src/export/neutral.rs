//! The prompt as JSON of our own: every entry with its layer, fate and text.

use serde::{Deserialize, Serialize};

use super::Head;
use super::gather::{Item, Payload, What};
use super::output::Output;

/// Name and number of the form.
pub const SCHEMA: &str = "windowpane/pack/1";

/// What `pack --as json` writes. The writer below writes it piece by piece, so that origins are kept; a test reads it
/// back as this type.
#[derive(Debug, Serialize, Deserialize, schemars::JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Pack {
    /// `windowpane/pack/1`
    pub schema: String,
    /// The format of the transcript.
    pub format: String,
    /// `recorded` or `simulated`
    pub track: String,
    /// The step, from 1.
    pub step: u32,
    /// The model as recorded or given.
    pub model: Option<String>,
    /// The entries of the window, in order.
    pub entries: Vec<PackEntry>,
}

/// One entry of the window.
#[derive(Debug, Serialize, Deserialize, schemars::JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct PackEntry {
    /// Its id in the run.
    pub id: u32,
    /// Its layer.
    pub layer: String,
    /// Who speaks.
    pub role: String,
    /// Name to show.
    pub label: String,
    /// What became of it.
    pub fate: String,
    /// Tokens in the window.
    pub tokens: u64,
    /// What it is: `text`, `thinking`, `tool_call`, `tool_result`, `definition`, `media` or `hidden`.
    pub kind: String,
    /// The call that it makes or answers: equal for the two.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub call: Option<String>,
    /// Whether a tool reported failure.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub error: Option<bool>,
    /// Media type, for media.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub mime: Option<String>,
    /// The text; base64 or a URL for media; null for what the transcript does not show.
    pub text: Option<String>,
}

/// Writes it.
pub fn write(head: &Head<'_>, items: &[Item], out: &mut Output) {
    out.made("{\"schema\":").made_string(SCHEMA).made(",\n \"format\":").made_string(head.format);
    out.made(",\n \"track\":").made_string(head.track).made(&format!(",\n \"step\":{}", head.step));
    out.made(",\n \"model\":");
    match head.model {
        Some(model) => out.made_string(model),
        None => out.made("null"),
    };
    out.made(",\n \"entries\":[");
    for (index, item) in items.iter().enumerate() {
        out.made(if index > 0 { ",\n  " } else { "\n  " });
        entry(item, out);
    }
    out.made("\n ]}\n");
}

fn entry(item: &Item, out: &mut Output) {
    out.made(&format!("{{\"id\":{},\"layer\":\"{}\",\"role\":", item.entry.0, item.layer.name()));
    out.made_string(super::role_name(item.role)).made(",\"label\":").made_string(&item.label);
    out.made(&format!(",\"fate\":\"{}\",\"tokens\":{},\"kind\":", item.fate.name(), item.tokens));
    let call = |key: &Option<crate::model::CallKey>, out: &mut Output| {
        if let Some(key) = key {
            out.made(&format!(",\"call\":\"{:016x}\"", key.0));
        }
    };
    match &item.what {
        What::Text(text) => out.made("\"text\",\"text\":").string(text),
        What::Thinking(text, _) => out.made("\"thinking\",\"text\":").string(text),
        What::Definition(text) | What::Format(text) => out.made("\"definition\",\"text\":").string(text),
        What::Redacted(_) | What::Hidden(_) => out.made("\"hidden\",\"text\":null"),
        What::Call { key, input, .. } => {
            out.made("\"tool_call\"");
            call(key, out);
            out.made(",\"text\":").string(input)
        }
        What::Result { key, error, content } => {
            out.made("\"tool_result\"");
            call(key, out);
            out.made(&format!(",\"error\":{error}"));
            match content {
                Payload::Text(text) => out.made(",\"text\":").string(text),
                Payload::Media(media) => {
                    out.made(",\"mime\":").made_string(&media.mime).made(",\"text\":").string(&media.data)
                }
            }
        }
        What::Media(media) => {
            out.made("\"media\",\"mime\":").made_string(&media.mime).made(",\"text\":").string(&media.data)
        }
    };
    out.made("}");
}
