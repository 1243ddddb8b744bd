//! One call of a base tool: its arguments, what it answers, what of that comes into the window.

use std::collections::BTreeMap;
use std::fmt::Write as _;

use regex::RegexBuilder;

use crate::content::ContentError;
use crate::engine::{BASE_TOOLS, BaseTool, base_tool, offered};
use crate::model::{FileId, Written, number};
use crate::policy::{Listing, Size};
use crate::tokens::cut_head;

use super::files::{Kind, ToolContext, ToolFile, extracted};

/// Bytes of a compiled pattern.
const PATTERN_MAX: usize = 1 << 20;
/// Characters of a line that a match is shown in.
const LINE_MAX: usize = 400;

/// A call, its arguments by name.
#[derive(Clone, Debug)]
pub struct Call {
    tool: &'static BaseTool,
    arguments: BTreeMap<&'static str, String>,
}

/// Why a call cannot be made.
#[derive(Debug, thiserror::Error)]
pub enum CallError {
    /// There is no such tool.
    #[error("there is no base tool {0:?}; there are {names}", names = names())]
    NoTool(String),
    /// The arguments are not what the tool takes.
    #[error("{tool} takes {}: {why}", .takes)]
    Arguments {
        /// The tool.
        tool: &'static str,
        /// What it takes.
        takes: String,
        /// What is the matter.
        why: String,
    },
    /// A source cannot be read.
    #[error(transparent)]
    Content(#[from] ContentError),
}

fn names() -> String {
    BASE_TOOLS.iter().map(|tool| tool.name).collect::<Vec<_>>().join(", ")
}

/// What a call gives.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Answer {
    /// What the tool returns.
    pub text: String,
    /// Whether it is a complaint.
    pub error: bool,
    /// Tokens of it.
    pub tokens: u64,
    /// What of it comes into the window, under the policy's rule for long results.
    pub sent: String,
    /// Tokens of that.
    pub sent_tokens: u64,
    /// The virtual file that holds the whole, where only a part comes in; or the file that was extracted.
    pub file: Option<String>,
    /// Bytes of the file's text that it shows, where it shows a range.
    pub bytes: Option<(u64, u64)>,
    /// Whether it is a picture: `text` then only names it, and no rule for long results cuts it.
    pub picture: bool,
}

impl Call {
    /// Reads a call as it is typed: bare arguments in the tool's order, or `name=value`; `lines=10-20` and
    /// `bytes=0-4096` give a range at once. A name that has its value already, or that would leave no pattern, is no
    /// name: `id=7` is a pattern behind a file's id.
    ///
    /// # Errors
    /// Where there is no such tool, or it takes no such arguments.
    pub fn read(name: &str, arguments: &[String]) -> Result<Call, CallError> {
        let tool = base_tool(name).ok_or_else(|| CallError::NoTool(name.chars().take(80).collect()))?;
        let mut call = Call { tool, arguments: BTreeMap::new() };
        let mut bare = tool.parameters.iter();
        for (number, argument) in arguments.iter().enumerate() {
            let is_last = number + 1 == arguments.len();
            let named = argument.split_once('=').and_then(|(name, value)| {
                let known = tool.parameters.iter().find(|one| one.name == name).map(|one| one.name);
                let range = matches!(name, "lines" | "bytes") && tool.name == "file_read";
                (known.is_some() || range).then_some((known, name, value))
            });
            let named = named.filter(|(known, ..)| !call.is_value(*known, is_last));
            match named {
                Some((Some(name), _, value)) => call.put(name, value)?,
                Some((None, range, value)) => {
                    let (from, to) = value.split_once('-').unwrap_or((value, value));
                    let names = if range == "lines" { ("start_line", "end_line") } else { ("start_byte", "end_byte") };
                    call.put(names.0, from)?;
                    // `10-` goes on to the end.
                    if !to.is_empty() {
                        call.put(names.1, to)?;
                    }
                }
                None => match bare.find(|one| !call.arguments.contains_key(one.name)) {
                    Some(one) => call.put(one.name, argument)?,
                    None => return Err(call.refuse(format!("{argument:?} is one too many"))),
                },
            }
        }
        if let Some(missing) = tool.parameters.iter().find(|one| one.required && !call.arguments.contains_key(one.name))
        {
            return Err(call.refuse(format!("{} is missing", missing.name)));
        }
        let has = |names: [&str; 2]| names.iter().any(|name| call.arguments.contains_key(name));
        if has(["start_line", "end_line"]) && has(["start_byte", "end_byte"]) {
            return Err(call.refuse("lines and bytes do not go together: name one range".to_owned()));
        }
        Ok(call)
    }

    /// Whether an argument that looks like `name=value`, of this parameter or a range, is the value of another one: that
    /// of a free text, where its name has a value already or where it is the last and that text would be missing.
    fn is_value(&self, name: Option<&'static str>, is_last: bool) -> bool {
        let next = self.tool.parameters.iter().skip(1).find(|one| !self.arguments.contains_key(one.name));
        let Some(next) = next.filter(|one| one.required && one.kind == "string") else { return false };
        // Whatever stands where the first is expected is meant as it is written.
        let has_first = self.tool.parameters.first().is_some_and(|one| self.arguments.contains_key(one.name));
        has_first && name != Some(next.name) && (is_last || name.is_some_and(|name| self.arguments.contains_key(name)))
    }

    fn put(&mut self, name: &'static str, value: &str) -> Result<(), CallError> {
        let kind = self.tool.parameters.iter().find(|one| one.name == name).map_or("string", |one| one.kind);
        if kind == "integer" && value.parse::<u64>().is_err() {
            let value: String = value.chars().take(80).collect();
            return Err(self.refuse(format!("{name} is a whole number, not {value:?}")));
        }
        self.arguments.insert(name, value.to_owned());
        Ok(())
    }

    fn refuse(&self, why: String) -> CallError {
        let takes = self.tool.parameters.iter().map(|one| match one.required {
            true => one.name.to_owned(),
            false => format!("[{}]", one.name),
        });
        CallError::Arguments { tool: self.tool.name, takes: takes.collect::<Vec<_>>().join(" "), why }
    }

    fn text(&self, name: &str) -> &str {
        self.arguments.get(name).map_or("", String::as_str)
    }

    fn number(&self, name: &str) -> Option<u64> {
        self.arguments.get(name)?.parse().ok()
    }
}

/// What a call would have given at a step.
///
/// # Errors
/// Where a source cannot be read. What the agent did wrong is an answer.
pub fn answer(context: &ToolContext, call: &Call) -> Result<Answer, CallError> {
    let mut found = match call.tool.name {
        "load_skill" => load_skill(context, call.text("name"))?,
        name => match context.find(call.text("id")) {
            None => complaint(no_file(context, call.text("id"))),
            Some(file) => of_file(context, call, name, &file)?,
        },
    };
    if found.picture {
        (found.sent, found.sent_tokens) = (found.text.clone(), found.tokens);
    } else {
        found.tokens = context.count(&found.text);
        limit(context, &mut found);
    }
    Ok(found)
}

fn complaint(text: String) -> Answer {
    Answer { text, error: true, ..Answer::default() }
}

fn said(text: String) -> Answer {
    Answer { text, ..Answer::default() }
}

fn no_file(context: &ToolContext, id: &str) -> String {
    let id: String = id.chars().take(80).collect();
    let (skills, files): (Vec<_>, Vec<_>) = context.list().into_iter().partition(|file| file.kind == Kind::Skill);
    // A skill's id is its name.
    let told = |file: ToolFile| match file.name.is_empty() || file.name == file.id || file.kind == Kind::Skill {
        true => file.id,
        false => format!("{} ({})", file.id, file.name.chars().take(80).collect::<String>()),
    };
    let named = |files: Vec<ToolFile>| files.into_iter().take(50).map(told).collect::<Vec<_>>().join(", ");
    let mut text = match files.is_empty() {
        true => format!("There is no file {id}: there are no files at this step."),
        false => format!("There is no file {id}. Files: {}.", named(files)),
    };
    if !skills.is_empty() {
        // Writing into a string cannot fail.
        let _ = write!(text, " Skills: {}.", named(skills));
    }
    text
}

fn of_file(context: &ToolContext, call: &Call, tool: &str, file: &ToolFile) -> Result<Answer, CallError> {
    if tool == "extract_file" {
        let made = context.find(&extracted(&file.id)).filter(|made| made.kind == Kind::Extracted);
        let target = made.as_ref().unwrap_or(file);
        let (id, target) = (&target.id, context.text(target)?.unwrap_or_default());
        let text = format!(
            "The text of {} is the file {id}: {} bytes, {} tokens.",
            file.name,
            target.len(),
            context.count(&target)
        );
        return Ok(Answer { file: Some(id.clone()), ..said(text) });
    }
    if let Some(tokens) = context.picture(file) {
        return Ok(match tool {
            // Source 3: load_file loads an entire file into the window, pictures first of all.
            "load_file" => Answer {
                tokens,
                picture: true,
                file: Some(file.id.clone()),
                ..said(format!("[picture {}]", file.name))
            },
            _ => complaint(format!(
                "{} is a picture: load_file loads it, extract_file gives what can be said of it as text.",
                file.name
            )),
        });
    }
    let text = match context.text(file)? {
        Some(text) => text,
        None => {
            // Source 3: load_file loads an entire file into the window; of a document that is its text.
            let made =
                context.find(&extracted(&file.id)).filter(|made| tool == "load_file" && made.kind == Kind::Extracted);
            match made.map(|made| context.text(&made)).transpose()?.flatten() {
                Some(text) => text,
                None => return Ok(complaint(format!("{} is no text: use extract_file first.", file.name))),
            }
        }
    };
    Ok(match tool {
        "file_regex" => matches_of(context, call, &text),
        "peek_file" => bytes_of(&text, call.number("start").unwrap_or(0), call.number("stop")),
        "file_read" => match (call.number("start_line"), call.number("end_line")) {
            (None, None) => match (call.number("start_byte"), call.number("end_byte")) {
                (None, None) => said(text),
                (from, to) => bytes_of(&text, from.unwrap_or(0), to),
            },
            (from, to) => lines_of(&text, from.unwrap_or(1), to),
        },
        _ => said(text),
    })
}

/// A range of bytes; ends inside a character move to its start.
fn bytes_of(text: &str, from: u64, to: Option<u64>) -> Answer {
    let place = |at: u64| text.floor_char_boundary(usize::try_from(at).unwrap_or(usize::MAX).min(text.len()));
    let (from, to) = (place(from), to.map_or(text.len(), place));
    match text.get(from..to) {
        Some(part) if from < to || text.is_empty() => {
            Answer { bytes: Some((from as u64, to as u64)), ..said(part.to_owned()) }
        }
        _ => complaint(format!("There is nothing in that range: the file has {}.", number(text.len(), "bytes"))),
    }
}

/// A range of lines, both included, each as it stands.
fn lines_of(text: &str, from: u64, to: Option<u64>) -> Answer {
    let (mut at, mut start, mut end) = (0u64, None, 0);
    let mut place = 0;
    for line in text.split_inclusive('\n') {
        at += 1;
        if at >= from && to.is_none_or(|to| at <= to) {
            start.get_or_insert(place);
            end = place + line.len();
        }
        place += line.len();
    }
    match start.and_then(|start| Some((start, text.get(start..end)?))) {
        Some((start, part)) => Answer { bytes: Some((start as u64, end as u64)), ..said(part.to_owned()) },
        None => complaint(format!("There are no lines in that range: the file has {}.", number(at, "lines"))),
    }
}

/// Matches with their lines, up to a number of them. The expression never backtracks: time is linear in the text.
fn matches_of(context: &ToolContext, call: &Call, text: &str) -> Answer {
    let pattern = call.text("pattern");
    let made = RegexBuilder::new(pattern)
        .multi_line(true)
        .crlf(true)
        .size_limit(PATTERN_MAX)
        .dfa_size_limit(PATTERN_MAX)
        .build();
    let pattern = match made {
        Ok(pattern) => pattern,
        Err(why) => return complaint(format!("The pattern cannot be used: {why}")),
    };
    let most = call.number("max_matches").unwrap_or(u64::MAX).min(context.policy.files.regex_matches);
    let (mut out, mut number, mut line, mut counted) = (String::new(), 0u64, 1usize, 0usize);
    // Behind the last line break there is no line.
    let lines = if text.is_empty() || text.ends_with('\n') { text.len() } else { text.len() + 1 };
    for found in pattern.find_iter(text).take_while(|found| found.start() < lines) {
        number += 1;
        if number > most {
            continue;
        }
        line += text.get(counted..found.start()).map_or(0, |between| between.matches('\n').count());
        counted = found.start();
        let start = text.get(..found.start()).and_then(|before| before.rfind('\n')).map_or(0, |at| at + 1);
        let rest = text.get(start..).unwrap_or_default();
        let whole = rest.lines().next().unwrap_or_default();
        let shown: String = whole.chars().take(LINE_MAX).collect();
        let more = if shown.len() < whole.len() { " …" } else { "" };
        // Writing into a string cannot fail.
        let _ = writeln!(out, "line {line}, bytes {}-{}: {shown}{more}", found.start(), found.end());
    }
    match number {
        0 => said("No match.".to_owned()),
        _ if number > most => said(format!("{out}[{most} of {number} matches are shown.]")),
        _ => said(out),
    }
}

/// A skill's whole text (source 3: the load_skill tool).
fn load_skill(context: &ToolContext, name: &str) -> Result<Answer, CallError> {
    let settings = &context.policy.skills;
    let Some(skill) = context.skill(name) else {
        let name: String = name.chars().take(80).collect();
        let skills = offered(context.skills, settings);
        let names: Vec<&str> = skills.iter().map(|skill| &*skill.name).take(100).collect();
        let known = if names.is_empty() { "there are none".to_owned() } else { names.join(", ") };
        return Ok(complaint(format!("There is no skill {name}: {known}.")));
    };
    let mut text = context.text(&skill)?.unwrap_or_default();
    if settings.max_tokens > 0 {
        text.truncate(cut_head(&text, context.counted.0, settings.max_tokens));
    }
    if settings.listing == Listing::Bodies {
        text.insert_str(0, "[This skill stands in the system prompt already.]\n");
    }
    Ok(said(text))
}

/// What of an answer comes into the window: a long one becomes a virtual file like any result (source 3).
fn limit(context: &ToolContext, found: &mut Answer) {
    let settings = &context.policy.tool_results;
    let step = context.run.step_at(context.step);
    let window = step.map_or(0, |step| step.window_tokens);
    let over = match settings.virtual_over {
        Size::Chars(most) => found.text.chars().count() as u64 > most,
        size => found.tokens > size.of(window),
    };
    if !settings.on || !over {
        (found.sent, found.sent_tokens) = (found.text.clone(), found.tokens);
        return;
    }
    let end = match settings.virtual_head {
        Size::Chars(chars) => {
            let most = usize::try_from(chars).unwrap_or(usize::MAX);
            found.text.char_indices().nth(most).map_or(found.text.len(), |(at, _)| at)
        }
        size => cut_head(&found.text, context.counted.0, unscaled(size.of(window), context.counted.1)),
    };
    let head = found.text.get(..end).unwrap_or_default();
    let shown = context.count(head);
    let there = context.run.files.iter().filter(|file| file.born <= context.step).count();
    let file = FileId(u32::try_from(there).unwrap_or(u32::MAX));
    let note = match settings.virtual_files {
        true if settings.workspace => Written::Saved { file, shown, total: found.tokens },
        true => Written::Pointer { file, shown, total: found.tokens },
        false => Written::Gap { tokens: found.tokens.saturating_sub(shown) },
    };
    found.sent = format!("{head}{}", note.text(context.run));
    found.sent_tokens = context.count(&found.sent);
    if settings.virtual_files {
        found.file = Some(file.to_string());
    }
}

#[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss, clippy::cast_precision_loss)]
fn unscaled(tokens: u64, factor: f64) -> u64 {
    if factor > 0.0 { (tokens as f64 / factor) as u64 } else { tokens }
}
