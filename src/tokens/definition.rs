//! Tools' definitions as OpenAI's models read them: as types of a namespace, not as the JSON that the request holds.
//!
//! How a definition is written there is not published. Rendered like this, definitions of recorded requests count within
//! two tokens each of what the API reported for GPT-3.5 and GPT-4, and within a few for later models; as JSON they count
//! 1.7 to 3 times that. So their counts are estimates.

use std::fmt::Write as _;

use serde_json::{Map, Value};

/// Bytes of a definition that is read at most.
const LONGEST: usize = 256 << 10;
/// How deep the types of parameters are followed.
const DEEPEST: usize = 16;

/// A definition as it is read; `None` for whatever is no definition of a function.
#[must_use]
pub(super) fn rendered(text: &str) -> Option<String> {
    if text.len() > LONGEST || !text.starts_with('{') {
        return None;
    }
    let value: Value = serde_json::from_str(text).ok()?;
    let outer = value.as_object()?;
    // Chat Completions wraps the function, Responses does not.
    let function = match outer.get("type")?.as_str()? {
        "function" => outer.get("function").map_or(Some(outer), Value::as_object)?,
        _ => return None,
    };
    let name = function.get("name")?.as_str()?;
    let parameters = function.get("parameters").and_then(Value::as_object);
    if parameters.is_none() && !function.contains_key("description") {
        return None;
    }
    let mut out = String::new();
    comment(function, 0, &mut out);
    match parameters.filter(|schema| !properties(schema).is_empty()) {
        Some(schema) => {
            let _ = writeln!(out, "type {name} = (_: {{");
            fields(schema, 0, &mut out);
            out.push_str("}) => any;\n");
        }
        None => {
            let _ = writeln!(out, "type {name} = () => any;");
        }
    }
    Some(out)
}

fn comment(of: &Map<String, Value>, depth: usize, out: &mut String) {
    if let Some(words) = of.get("description").and_then(Value::as_str).filter(|words| !words.is_empty()) {
        let _ = writeln!(out, "{}// {words}", " ".repeat(2 * depth));
    }
}

fn properties(schema: &Map<String, Value>) -> Vec<(&String, &Map<String, Value>)> {
    let all = schema.get("properties").and_then(Value::as_object);
    all.into_iter().flatten().filter_map(|(name, field)| Some((name, field.as_object()?))).collect()
}

fn fields(schema: &Map<String, Value>, depth: usize, out: &mut String) {
    let required: Vec<&str> =
        schema.get("required").and_then(Value::as_array).into_iter().flatten().filter_map(Value::as_str).collect();
    for (name, field) in properties(schema) {
        comment(field, depth, out);
        let optional = if required.contains(&name.as_str()) { "" } else { "?" };
        let _ = write!(out, "{}{name}{optional}: ", " ".repeat(2 * depth));
        kind(field, depth, out);
        out.push(',');
        if let Some(default) = field.get("default") {
            let _ = write!(out, " // default: {default}");
        }
        out.push('\n');
    }
}

/// The type of a field.
fn kind(schema: &Map<String, Value>, depth: usize, out: &mut String) {
    if depth > DEEPEST {
        out.push_str("any");
        return;
    }
    let list = |key: &str| schema.get(key).and_then(Value::as_array).filter(|list| !list.is_empty());
    if let Some(values) = list("enum") {
        let values: Vec<String> = values.iter().map(Value::to_string).collect();
        out.push_str(&values.join(" | "));
        return;
    }
    if let Some(kinds) = ["anyOf", "oneOf"].iter().find_map(|key| list(key)) {
        for (at, one) in kinds.iter().filter_map(Value::as_object).enumerate() {
            out.push_str(if at > 0 { " | " } else { "" });
            kind(one, depth + 1, out);
        }
        return;
    }
    match schema.get("type") {
        Some(Value::Array(names)) => {
            let names: Vec<&str> = names.iter().filter_map(Value::as_str).map(plain).collect();
            out.push_str(&names.join(" | "));
        }
        Some(Value::String(name)) if name == "array" => {
            match schema.get("items").and_then(Value::as_object) {
                Some(items) => kind(items, depth + 1, out),
                None => out.push_str("any"),
            }
            out.push_str("[]");
        }
        Some(Value::String(name)) if name == "object" && !properties(schema).is_empty() => {
            out.push_str("{\n");
            fields(schema, depth + 1, out);
            let _ = write!(out, "{}}}", " ".repeat(2 * depth));
        }
        Some(Value::String(name)) => out.push_str(plain(name)),
        _ => out.push_str("any"),
    }
}

fn plain(name: &str) -> &str {
    if name == "integer" { "number" } else { name }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tokens::{Encoding, count};

    #[test]
    fn a_definition_reads_as_a_type() {
        let weather = r#"{"type":"function","function":{"name":"get_weather","description":"Get the current weather",
            "parameters":{"type":"object","properties":{"location":{"type":"string","description":"A city"},
            "unit":{"type":"string","enum":["c","f"]},"days":{"type":"array","items":{"type":"integer"}},
            "at":{"type":"object","properties":{"hour":{"type":["integer","null"],"default":3}}}},
            "required":["location"]}}}"#;
        let expected = "// Get the current weather\ntype get_weather = (_: {\nat?: {\n  hour?: number | null, // default: 3\n},\n\
                        days?: number[],\n// A city\nlocation: string,\nunit?: \"c\" | \"f\",\n}) => any;\n";
        assert_eq!(rendered(weather).as_deref(), Some(expected));
        let flat = r#"{"type":"function","name":"stop","description":"Stop","parameters":{"type":"object"}}"#;
        assert_eq!(rendered(flat).as_deref(), Some("// Stop\ntype stop = () => any;\n"));
        for none in ["{}", "[1]", "not json", r#"{"type":"web_search"}"#, r#"{"type":"function","name":"x"}"#] {
            assert_eq!(rendered(none), None, "{none}");
        }
    }

    #[test]
    fn definitions_count_as_the_api_reported_them() {
        // One message `x` of a user counts 8 with what stands around it, and the list of tools 9 of its own
        // (measured); what is left is the definition and the namespace around it.
        let tool = r#"{"type":"function","function":{"name":"get_current_weather","description":"Get the current weather",
            "parameters":{"type":"object","properties":{"location":{"type":"string","description":
            "The city and state, e.g. Boston, MA"}},"required":["location"],"additionalProperties":false}}}"#;
        let tokens = count(&rendered(tool).unwrap(), Encoding::Cl100kBase);
        assert!((30..=36).contains(&tokens), "{tokens}");
        assert!(count(tool, Encoding::Cl100kBase) > 60);
    }

    #[test]
    fn deep_and_wide_definitions_end() {
        let mut schema = r#"{"type":"string"}"#.to_owned();
        for _ in 0..50 {
            schema = format!(r#"{{"type":"object","properties":{{"a":{schema}}}}}"#);
        }
        let tool = format!(r#"{{"type":"function","name":"deep","parameters":{schema}}}"#);
        assert!(rendered(&tool).unwrap().contains("any"));
        assert_eq!(rendered(&format!("{{{}", " ".repeat(LONGEST))), None);
    }
}
