//! Schemas of tools' inputs as APIs take them: of type object, with no alternatives at the top.
//!
//! Both vendors refuse `oneOf`, `anyOf` and `allOf` there. What their branches say of properties is merged: whatever
//! the old schema took, the new one takes, so that recorded calls still fit.

use serde_json::{Map, Value, json};

/// What APIs refuse at the top of a schema.
pub const REFUSED: &[&str] = &["oneOf", "anyOf", "allOf", "enum", "not"];
/// References and alternatives within each other that are followed.
const DEPTH_MAX: usize = 16;
/// Branches that are looked at in all.
const BRANCHES_MAX: usize = 1_000;

/// What the branches of a schema say together.
#[derive(Default)]
struct Merged {
    properties: Map<String, Value>,
    required: Vec<String>,
}

/// A schema of type object without alternatives at its top that takes whatever the old one does.
pub fn plain_object(schema: &Value) -> Value {
    let mut left = BRANCHES_MAX;
    let merged = merge(schema, schema, 0, &mut left);
    let mut plain = Map::new();
    plain.insert("type".to_owned(), json!("object"));
    for (name, value) in schema.as_object().into_iter().flatten() {
        let own = matches!(name.as_str(), "type" | "properties" | "required" | "$ref");
        if !own && !REFUSED.contains(&name.as_str()) {
            plain.insert(name.clone(), value.clone());
        }
    }
    plain.insert("properties".to_owned(), Value::Object(merged.properties));
    if !merged.required.is_empty() {
        plain.insert("required".to_owned(), json!(merged.required));
    }
    Value::Object(plain)
}

fn merge(schema: &Value, root: &Value, depth: usize, left: &mut usize) -> Merged {
    let mut merged = Merged::default();
    *left = left.saturating_sub(1);
    if depth > DEPTH_MAX || *left == 0 {
        return merged;
    }
    let properties = schema.get("properties").and_then(Value::as_object).cloned().unwrap_or_default();
    merged.properties.extend(properties);
    let required = schema.get("required").and_then(Value::as_array).into_iter().flatten();
    merged.required.extend(required.filter_map(Value::as_str).map(str::to_owned));
    let local = schema.get("$ref").and_then(Value::as_str).and_then(|name| root.pointer(name.strip_prefix('#')?));
    if let Some(target) = local {
        all(&mut merged, merge(target, root, depth + 1, left));
    }
    let branches = |name: &str| schema.get(name).and_then(Value::as_array).into_iter().flatten();
    for branch in branches("allOf") {
        all(&mut merged, merge(branch, root, depth + 1, left));
    }
    for name in ["anyOf", "oneOf"] {
        let alternatives: Vec<Merged> = branches(name).map(|branch| merge(branch, root, depth + 1, left)).collect();
        if !alternatives.is_empty() {
            all(&mut merged, any(alternatives));
        }
    }
    merged
}

/// Both hold.
fn all(merged: &mut Merged, other: Merged) {
    for (name, value) in other.properties {
        put(&mut merged.properties, name, value, "allOf");
    }
    for name in other.required {
        if !merged.required.contains(&name) {
            merged.required.push(name);
        }
    }
}

/// One of them holds: only what all require is required.
fn any(alternatives: Vec<Merged>) -> Merged {
    let mut merged = Merged::default();
    let mut required: Option<Vec<String>> = None;
    for one in alternatives {
        for (name, value) in one.properties {
            put(&mut merged.properties, name, value, "anyOf");
        }
        required = Some(match required {
            None => one.required,
            Some(known) => known.into_iter().filter(|name| one.required.contains(name)).collect(),
        });
    }
    merged.required = required.unwrap_or_default();
    merged
}

/// Adds what is said of a property to what is said already; below the top, alternatives are taken.
fn put(properties: &mut Map<String, Value>, name: String, value: Value, how: &str) {
    match properties.get_mut(&name) {
        None => {
            properties.insert(name, value);
        }
        Some(known) if *known == value => {}
        Some(known) => {
            let both = known.as_object_mut().filter(|held| held.len() == 1).and_then(|held| held.get_mut(how));
            match both.and_then(Value::as_array_mut) {
                Some(list) if list.contains(&value) => {}
                Some(list) => list.push(value),
                None => *known = json!({ how: [known.clone(), value] }),
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn alternatives_at_the_top_are_merged_into_one_object() {
        let schema = json!({
            "$defs": {"B": {"properties": {"kind": {"const": "b"}, "size": {"type": "integer"}}, "required": ["kind", "size"]}},
            "description": "d", "properties": {"id": {"type": "string"}}, "required": ["id"],
            "oneOf": [
                {"type": "object", "properties": {"kind": {"const": "a"}, "path": {"type": "string"}}, "required": ["kind"]},
                {"$ref": "#/$defs/B"}],
            "allOf": [{"properties": {"id": {"minLength": 1}}, "required": ["note"]}]});
        let plain = plain_object(&schema);
        assert!(REFUSED.iter().all(|name| plain.get(*name).is_none()));
        assert_eq!((&plain["type"], &plain["description"]), (&json!("object"), &json!("d")));
        assert_eq!(plain["required"], json!(["id", "note", "kind"]));
        assert_eq!(plain["properties"]["kind"], json!({"anyOf": [{"const": "a"}, {"const": "b"}]}));
        assert_eq!(plain["properties"]["id"], json!({"allOf": [{"type": "string"}, {"minLength": 1}]}));
        assert_eq!(plain["properties"]["size"]["type"], "integer");
    }

    #[test]
    fn a_reference_to_itself_ends() {
        let plain = plain_object(&json!({"anyOf": [{"$ref": "#"}, {"$ref": "#"}]}));
        assert_eq!(plain, json!({"type": "object", "properties": {}}));
    }
}
