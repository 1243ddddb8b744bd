//! Pieces of JSON that several forms share.

use std::collections::BTreeMap;

use serde_json::value::RawValue;

use super::output::Output;
use super::quote::Text;
use super::tool::{Schema, Tool};

/// A call's arguments as the JSON object that they are, without what stands around it; `None` where they are none.
pub fn input_object(input: &Text) -> Option<Text> {
    let joined = input.joined();
    let trimmed = joined.trim();
    if trimmed.is_empty() {
        return Some(Text::made("{}"));
    }
    let object = trimmed.starts_with('{') && serde_json::from_str::<BTreeMap<String, &RawValue>>(trimmed).is_ok();
    let start = joined.len() - joined.trim_start().len();
    object.then(|| input.slice(start, start + trimmed.len()))
}

/// Writes a tool's name, description and schema, the schema under the API's own name for it.
pub fn write_tool_fields(tool: &Tool, schema_name: &str, out: &mut Output) {
    out.made("\"name\":");
    match &tool.recorded_name {
        Some(raw) => out.plain(raw),
        None => out.made_string(&tool.name),
    };
    if let Some(raw) = &tool.description {
        out.made(",\"description\":").plain(raw);
    }
    out.made(",\"").made(schema_name).made("\":");
    match &tool.schema {
        Some(Schema::Whole(raw)) => out.plain(raw),
        Some(Schema::Made(made)) => out.made(made),
        Some(Schema::Untyped(rest)) => out.made("{\"type\":\"object\",").plain(rest),
        None => out.made("{\"type\":\"object\"}"),
    };
}
