//! As much of JSON Schema as our schemas use. What it does not know it refuses, so that no rule passes unread.

use serde_json::Value;

/// Keywords that say nothing of validity.
const REMARKS: &[&str] = &["$schema", "$defs", "title", "description", "format", "default"];

/// What is wrong with a value, in sentences; nothing where it fits.
pub fn faults(whole: &Value, value: &Value) -> Vec<String> {
    let mut found = Vec::new();
    check(whole, whole, value, "$", &mut found);
    found
}

fn check(whole: &Value, schema: &Value, value: &Value, path: &str, found: &mut Vec<String>) {
    if let Some(any) = schema.as_bool() {
        return if !any {
            found.push(format!("{path}: not allowed"))
        };
    }
    let rules = schema.as_object().expect("a schema is an object or a boolean");
    for (rule, asked) in rules {
        let fits = |one: &Value| {
            let mut wrong = Vec::new();
            check(whole, one, value, path, &mut wrong);
            wrong.is_empty()
        };
        let all = |list: &Value| list.as_array().expect("a list").clone();
        match rule.as_str() {
            "$ref" => {
                let pointer = asked.as_str().and_then(|name| name.strip_prefix('#')).expect("a reference");
                check(whole, whole.pointer(pointer).expect("a definition"), value, path, found);
            }
            "type" => {
                let names = asked.as_array().cloned().unwrap_or_else(|| vec![asked.clone()]);
                if !names.iter().any(|name| is(value, name.as_str().expect("a name"))) {
                    found.push(format!("{path}: {value} is not {asked}"));
                }
            }
            "const" if value != asked => found.push(format!("{path}: {value} is not {asked}")),
            "enum" if !all(asked).contains(value) => found.push(format!("{path}: {value} is not in {asked}")),
            "const" | "enum" => {}
            "minimum" => {
                if value.as_f64().is_some_and(|number| number < asked.as_f64().expect("a number")) {
                    found.push(format!("{path}: {value} is below {asked}"));
                }
            }
            "maximum" => {
                if value.as_f64().is_some_and(|number| number > asked.as_f64().expect("a number")) {
                    found.push(format!("{path}: {value} is above {asked}"));
                }
            }
            "required" => {
                for name in all(asked) {
                    if value.is_object() && value.get(name.as_str().expect("a name")).is_none() {
                        found.push(format!("{path}: {name} is missing"));
                    }
                }
            }
            "properties" => {
                for (name, inner) in asked.as_object().expect("an object") {
                    if let Some(part) = value.get(name) {
                        check(whole, inner, part, &format!("{path}.{name}"), found);
                    }
                }
            }
            "additionalProperties" => {
                for (name, part) in value.as_object().into_iter().flatten() {
                    if schema["properties"].get(name).is_none() {
                        check(whole, asked, part, &format!("{path}.{name}"), found);
                    }
                }
            }
            "items" => {
                for (index, part) in value.as_array().into_iter().flatten().enumerate() {
                    check(whole, asked, part, &format!("{path}[{index}]"), found);
                }
            }
            "minItems" | "maxItems" => {
                let size = value.as_array().map_or(0, Vec::len) as u64;
                let limit = asked.as_u64().expect("a number");
                if value.is_array() && if rule == "minItems" { size < limit } else { size > limit } {
                    found.push(format!("{path}: {size} items"));
                }
            }
            "oneOf" if all(asked).iter().filter(|one| fits(one)).count() != 1 => {
                found.push(format!("{path}: {value} fits not exactly one form"));
            }
            "anyOf" if !all(asked).iter().any(fits) => found.push(format!("{path}: {value} fits no form")),
            "oneOf" | "anyOf" => {}
            "allOf" => all(asked).iter().for_each(|one| check(whole, one, value, path, found)),
            other => assert!(REMARKS.contains(&other), "a schema says {other}, which is not checked"),
        }
    }
}

fn is(value: &Value, name: &str) -> bool {
    match name {
        "null" => value.is_null(),
        "boolean" => value.is_boolean(),
        "string" => value.is_string(),
        "integer" => value.is_i64() || value.is_u64(),
        "number" => value.is_number(),
        "array" => value.is_array(),
        "object" => value.is_object(),
        other => panic!("a type {other}"),
    }
}
