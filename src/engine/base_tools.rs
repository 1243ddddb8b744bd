//! The base tools that every agent of source 3 has: declared once, for their definitions in the window, for the command
//! line and for the help.

use std::fmt::Write as _;

/// A parameter of a tool.
#[derive(Clone, Copy, Debug)]
pub struct Parameter {
    /// Its name.
    pub name: &'static str,
    /// `string` or `integer`.
    pub kind: &'static str,
    /// Whether it has to be given.
    pub required: bool,
    /// What it says.
    pub about: &'static str,
}

/// A base tool.
#[derive(Clone, Copy, Debug)]
pub struct BaseTool {
    /// Its name.
    pub name: &'static str,
    /// What it does, as the model is told.
    pub about: &'static str,
    /// What it takes, in the order in which bare arguments fill it.
    pub parameters: &'static [Parameter],
}

const fn needed(name: &'static str, about: &'static str) -> Parameter {
    Parameter { name, kind: "string", required: true, about }
}

const fn number(name: &'static str, about: &'static str) -> Parameter {
    Parameter { name, kind: "integer", required: false, about }
}

const ID: Parameter = needed("id", "The file's id, as the list of files names it, or a skill's name.");

/// Every base tool (source 3: base tools, progressive disclosure, skills).
pub static BASE_TOOLS: &[BaseTool] = &[
    BaseTool {
        name: "file_read",
        about: "Reads a file whole, a range of its lines, or a range of its bytes.",
        parameters: &[
            ID,
            number("start_line", "The first line, from 1."),
            number("end_line", "The last line."),
            number("start_byte", "The first byte, from 0."),
            number("end_byte", "One past the last byte."),
        ],
    },
    BaseTool {
        name: "file_regex",
        about: "Searches a file for a regular expression, up to a number of matches.",
        parameters: &[
            ID,
            needed("pattern", "The regular expression."),
            number("max_matches", "The most matches to return."),
        ],
    },
    BaseTool { name: "load_file", about: "Loads an entire file into the context window.", parameters: &[ID] },
    BaseTool {
        name: "peek_file",
        about: "Loads a section of a file into the context window.",
        parameters: &[ID, number("start", "The first byte, from 0."), number("stop", "One past the last byte.")],
    },
    BaseTool {
        name: "extract_file",
        about: "Turns a PDF, presentation or other document into simplified text; returns the id of a file that holds it.",
        parameters: &[ID],
    },
    BaseTool {
        name: "load_skill",
        about: "Loads a skill's whole text into the context window.",
        parameters: &[needed("name", "The skill's name, as the list of skills names it.")],
    },
];

/// The tool of that name.
#[must_use]
pub fn base_tool(name: &str) -> Option<&'static BaseTool> {
    BASE_TOOLS.iter().find(|tool| tool.name == name)
}

impl BaseTool {
    /// Its definition as JSON, as it stands in a request.
    #[must_use]
    pub fn definition(&self) -> String {
        let mut text = format!("{{\"name\":\"{}\",\"description\":\"{}\",\"input_schema\":{{", self.name, self.about);
        text.push_str("\"type\":\"object\",\"properties\":{");
        for (at, one) in self.parameters.iter().enumerate() {
            let gap = if at > 0 { "," } else { "" };
            // Writing into a string cannot fail.
            let _ =
                write!(text, "{gap}\"{}\":{{\"type\":\"{}\",\"description\":\"{}\"}}", one.name, one.kind, one.about);
        }
        text.push_str("},\"required\":[");
        for (at, one) in self.parameters.iter().filter(|one| one.required).enumerate() {
            let gap = if at > 0 { "," } else { "" };
            let _ = write!(text, "{gap}\"{}\"", one.name);
        }
        text.push_str("]}}");
        text
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn definitions_are_json() {
        for tool in BASE_TOOLS {
            let value: serde_json::Value = serde_json::from_str(&tool.definition()).expect("JSON");
            let properties = value["input_schema"]["properties"].as_object().expect("an object");
            assert_eq!(properties.len(), tool.parameters.len(), "{}", tool.name);
            assert_eq!(base_tool(tool.name).map(|found| found.name), Some(tool.name));
        }
    }
}
