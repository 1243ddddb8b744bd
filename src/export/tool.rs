//! Tool definitions, and the form that answers must have, as APIs take them, whichever vendor's form the transcript
//! holds.

use std::borrow::Cow;
use std::collections::BTreeMap;

use serde_json::Value;
use serde_json::value::RawValue;

use super::quote::Text;
use super::schema::{REFUSED, plain_object};
use super::wire::Whole;

/// The definition of one tool. The texts are JSON as it stands in the transcript.
#[derive(Clone, Debug)]
pub struct Tool {
    /// Its name, fit for an API.
    pub name: String,
    /// The name as recorded (a JSON string), where that is fit.
    pub recorded_name: Option<Text>,
    /// What it is for (a JSON string).
    pub description: Option<Text>,
    /// The schema of its input (a JSON object of type object), or what follows its opening brace.
    pub schema: Option<Schema>,
    /// The whole definition of a tool that Anthropic's servers run.
    pub server: Option<Text>,
    /// How it was recorded, where it is written for the same API again.
    pub whole: Option<Whole>,
    /// The recorded mark for a cache behind it.
    pub mark: Option<Text>,
}

impl Tool {
    /// A tool of which nothing but the name is known.
    #[must_use]
    pub fn named(name: String) -> Self {
        Tool { name, recorded_name: None, description: None, schema: None, server: None, whole: None, mark: None }
    }
}

/// The schema of a tool's input.
#[derive(Clone, Debug)]
pub enum Schema {
    /// It says that it is an object.
    Whole(Text),
    /// It doesn't say so; this is what follows its opening brace.
    Untyped(Text),
    /// It was made of one that APIs refuse.
    Made(String),
}

/// The form that answers must have. The texts are JSON as it stands in the transcript.
#[derive(Clone, Debug)]
pub struct Format {
    /// Its members but for the schema, by name: what OpenAI's APIs want and Anthropic's does not take.
    pub about: Vec<(&'static str, Text)>,
    /// The schema.
    pub schema: Text,
}

impl Format {
    /// Reads one, whichever vendor's.
    #[must_use]
    pub fn of(text: &Text) -> Option<Format> {
        let joined = text.joined();
        let object: Object<'_> = serde_json::from_str(&joined).ok()?;
        let member = |name: &str| object.get(name).map(|value| cut(text, &joined, value.get()));
        let about = ["name", "description", "strict"].into_iter().filter_map(|name| Some((name, member(name)?)));
        Some(Format { about: about.collect(), schema: member("schema")? })
    }
}

/// Reads definitions: one, or an array. What is no definition comes back as text.
#[must_use]
pub fn definitions(text: &Text) -> (Vec<Tool>, Vec<Text>) {
    let joined = text.joined();
    let (mut tools, mut rest) = (Vec::new(), Vec::new());
    let trimmed = joined.trim();
    if let Ok(items) = serde_json::from_str::<Vec<&RawValue>>(trimmed) {
        for item in items {
            match known(item.get(), text, &joined) {
                found if found.is_empty() => rest.push(cut(text, &joined, item.get())),
                found => tools.extend(found),
            }
        }
    } else {
        match known(trimmed, text, &joined) {
            found if found.is_empty() => rest.push(text.clone()),
            found => tools.extend(found),
        }
    }
    (tools, rest)
}

/// The tools that one value defines: itself, or those of a namespace under the names by which they are called.
fn known(json: &str, text: &Text, joined: &str) -> Vec<Tool> {
    if let Some(tool) = definition(json, text, joined) {
        return vec![tool];
    }
    let Ok(object) = serde_json::from_str::<Object<'_>>(json) else { return Vec::new() };
    let word = |name: &str| object.get(name).and_then(|value| serde_json::from_str::<String>(value.get()).ok());
    let (Some("namespace"), Some(space)) = (word("type").as_deref(), word("name")) else { return Vec::new() };
    let inner = object.get("tools").and_then(|value| serde_json::from_str::<Vec<&RawValue>>(value.get()).ok());
    let inner = inner.unwrap_or_default();
    let tools = inner.iter().filter_map(|item| definition(item.get(), text, joined));
    tools.map(|tool| Tool { name: api_name(&format!("{space}.{}", tool.name)), recorded_name: None, ..tool }).collect()
}

/// The part of a text that a borrowed piece of it is.
fn cut(text: &Text, joined: &str, part: &str) -> Text {
    let from = (part.as_ptr() as usize).saturating_sub(joined.as_ptr() as usize);
    text.slice(from, from + part.len())
}

type Object<'a> = BTreeMap<Cow<'a, str>, &'a RawValue>;

fn definition(json: &str, text: &Text, joined: &str) -> Option<Tool> {
    let object: Object<'_> = serde_json::from_str(json).ok()?;
    let kind = object.get("type").and_then(|value| serde_json::from_str::<String>(value.get()).ok());
    let inner = ["function", "custom"].iter().find_map(|name| object.get(*name));
    let inner: Option<Object<'_>> = inner.and_then(|value| serde_json::from_str(value.get()).ok());
    let fields = inner.as_ref().unwrap_or(&object);
    let raw_name = fields.get("name")?;
    let name: String = serde_json::from_str(raw_name.get()).ok()?;
    let server = kind.as_deref().is_some_and(is_dated);
    let is_function = matches!(kind.as_deref(), None | Some("function" | "custom"));
    if name.is_empty() || !(server || is_function) {
        return None;
    }
    let description = fields.get("description").filter(|value| value.get().starts_with('"'));
    let schema = ["input_schema", "parameters", "inputSchema"].iter().find_map(|name| fields.get(*name));
    let fit = api_name(&name);
    Some(Tool {
        recorded_name: (fit == name).then(|| cut(text, joined, raw_name.get())),
        name: fit,
        description: description.map(|value| cut(text, joined, value.get())),
        schema: schema.and_then(|value| schema_of(value.get(), text, joined)),
        server: server.then(|| cut(text, joined, json)),
        whole: None,
        mark: None,
    })
}

/// Types of Anthropic's own tools end in a date: `web_search_20250305`.
fn is_dated(kind: &str) -> bool {
    kind.rsplit_once('_').is_some_and(|(_, date)| date.len() == 8 && date.bytes().all(|byte| byte.is_ascii_digit()))
}

fn schema_of(json: &str, text: &Text, joined: &str) -> Option<Schema> {
    let object: Object<'_> = serde_json::from_str(json).ok()?;
    let kind = object.get("type").map(|kind| kind.get());
    let refused = REFUSED.iter().any(|name| object.contains_key(*name));
    match kind {
        Some("\"object\"") if !refused => Some(Schema::Whole(cut(text, joined, json))),
        None if !refused && !object.is_empty() => {
            let rest = json.split_once('{')?.1;
            Some(Schema::Untyped(cut(text, joined, rest)))
        }
        _ => {
            let whole: Value = serde_json::from_str(json).ok()?;
            let may_be = |kind: &Value| {
                kind == "object" || kind.as_array().is_some_and(|kinds| kinds.iter().any(|kind| kind == "object"))
            };
            let fits = whole.get("type").is_none_or(may_be);
            (fits && !object.is_empty()).then(|| Schema::Made(plain_object(&whole).to_string()))
        }
    }
}

/// A name that APIs take: `^[a-zA-Z0-9_-]{1,64}$`.
#[must_use]
pub fn api_name(name: &str) -> String {
    let fit: String = name
        .chars()
        .take(64)
        .map(|sign| if sign.is_ascii_alphanumeric() || sign == '_' || sign == '-' { sign } else { '_' })
        .collect();
    if fit.is_empty() { "tool".to_owned() } else { fit }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn definitions_of_every_vendor_are_read() {
        let text = Text::made(
            r#" [{"type":"function","function":{"name":"a.b","description":"d","parameters":{"type":"object"}}},
                {"name":"c","input_schema":{"properties":{}}}, {"type":"web_search_20250305","name":"web_search"},
                {"type":"function","name":"e","parameters":{"type":"object","x":1}}, {"type":"web_search"}, "Bash"]"#,
        );
        let (tools, rest) = definitions(&text);
        let names: Vec<&str> = tools.iter().map(|tool| tool.name.as_str()).collect();
        assert_eq!(names, ["a_b", "c", "web_search", "e"]);
        assert_eq!(rest.iter().map(Text::joined).collect::<Vec<_>>(), [r#"{"type":"web_search"}"#, "\"Bash\""]);
        assert!(matches!(&tools[1].schema, Some(Schema::Untyped(rest)) if rest.joined() == "\"properties\":{}}"));
        assert!(tools[2].server.is_some());
        assert_eq!(tools[0].description.as_ref().map(Text::joined).as_deref(), Some("\"d\""));
    }

    #[test]
    fn a_namespace_defines_its_tools_under_the_names_that_they_are_called_by() {
        let text = Text::made(
            r#"{"type":"namespace","name":"app","description":"d","tools":[
                {"type":"function","name":"look","description":"sees","inputSchema":{"type":"object","x":1}}]}"#,
        );
        let (tools, rest) = definitions(&text);
        assert_eq!((tools.len(), rest.len()), (1, 0));
        assert_eq!((tools[0].name.as_str(), tools[0].recorded_name.is_none()), ("app_look", true));
        assert!(
            matches!(&tools[0].schema, Some(Schema::Whole(schema)) if schema.joined() == r#"{"type":"object","x":1}"#)
        );
    }

    #[test]
    fn text_is_no_definition() {
        assert_eq!(definitions(&Text::made("- Bash: runs")).1.len(), 1);
    }
}
