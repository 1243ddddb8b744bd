//! The gist of a session, as lists of sessions show it.

use super::harness::{CAVEAT, COMMAND_OUTPUT, is_command, typed};
use crate::content::Sources;
use crate::model::{Block, BlockKind, Body, Layer, Op, Role, Span, Transcript};

/// What is in a session, in a few lines. All texts are untrusted.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Gist {
    /// The working folder.
    pub folder: Option<String>,
    /// A name that it was given.
    pub title: Option<String>,
    /// The first thing that a person wrote, on one line, shortened.
    pub prompt: Option<String>,
    /// Steps of the main thread: its requests, one that is about to be made among them.
    pub steps: u64,
    /// Compactions of the main thread.
    pub compactions: u64,
}

/// Characters kept of a prompt or title.
const TEXT_MAX: usize = 300;

/// Bytes read of a text in search of a person's words: editors put what is open before them.
const READ_MAX: u64 = 64 << 10;

/// The gist of a transcript. Of its texts only the beginnings of what may be the first prompt are read.
#[must_use]
pub fn gist(transcript: &Transcript, sources: &Sources) -> Gist {
    let main = transcript.threads.first();
    let ops = main.map_or(&[][..], |thread| &thread.ops);
    let said = ops.iter().filter_map(|op| match op {
        Op::Add(id) => transcript.block(*id),
        _ => None,
    });
    Gist {
        folder: transcript.session.folder.as_deref().map(shortened),
        title: transcript.session.title.as_deref().map(shortened),
        prompt: prompt(said, sources),
        steps: main.map_or(0, |thread| thread.requests.len() as u64),
        compactions: ops.iter().filter(|op| matches!(op, Op::Compact(_))).count() as u64,
    }
}

/// The first thing that a person wrote to the model: their own words, or a command that the client made a prompt of.
/// Where there is none of these, the first command that the client carried out by itself (`/model`).
fn prompt<'t>(mut said: impl Iterator<Item = &'t Block> + Clone, sources: &Sources) -> Option<String> {
    let mut carried_out = None;
    while let Some(block) = said.next() {
        if !is_users(block) {
            continue;
        }
        let Some(text) = head(block, sources) else { continue };
        if let Some(words) = own_words(&text) {
            return Some(words);
        }
        let Some(command) = command(&text) else { continue };
        if reached(said.clone()) {
            return Some(command);
        }
        carried_out.get_or_insert(command);
    }
    carried_out
}

/// Whether the model was sent what a command stands for, given what comes after it: the client writes a prompt out of
/// some, which is then answered, and says itself what came of others.
fn reached<'t>(mut after: impl Iterator<Item = &'t Block>) -> bool {
    let told = after.find_map(|block| match (block.layer, &*block.label) {
        (Layer::Notices, COMMAND_OUTPUT | CAVEAT) => Some(false),
        (Layer::Notices, "notice") | (Layer::Skills, "skill") => Some(true),
        _ if block.role == Role::Assistant => Some(true),
        _ => is_users(block).then_some(false),
    });
    told.unwrap_or(false)
}

/// Whether a block is a text in the user's name.
fn is_users(block: &Block) -> bool {
    (block.kind, block.layer, block.role) == (BlockKind::Text, Layer::User, Role::User)
}

/// The beginning of a block's text.
fn head(block: &Block, sources: &Sources) -> Option<String> {
    let Body::Text { spans, .. } = &block.body else { return None };
    let span = spans.first()?;
    let head = Span { end: span.end.min(span.start + READ_MAX), ..*span };
    sources.text(head).ok()
}

/// A command as the person typed it, out of the tags that it is recorded in. What only clears or compacts is no prompt.
fn command(text: &str) -> Option<String> {
    let between = |tag: &str| {
        let (_, rest) = text.split_once(&format!("<{tag}>"))?;
        Some(rest.split_once(&format!("</{tag}>"))?.0.trim())
    };
    // What a person gave the client's own shell or memory.
    let sign = [("bash-input", '!'), ("user-memory-input", '#')].into_iter().find_map(|(tag, sign)| {
        Some(shortened(&format!("{sign} {}", between(tag).filter(|typed| !typed.is_empty())?)))
    });
    if sign.is_some() {
        return sign;
    }
    let name = between("command-name").filter(|name| !["/clear", "/compact", "/exit"].contains(name))?;
    Some(shortened(&format!("{name} {}", between("command-args").unwrap_or_default())))
}

/// The person's own words of a text, on one line and shortened; `None` where a harness wrote it, or it is a command.
fn own_words(text: &str) -> Option<String> {
    typed(text).filter(|_| !is_command(text.as_bytes())).map(shortened)
}

/// One line of at most [`TEXT_MAX`] characters.
fn shortened(text: &str) -> String {
    let mut line = String::new();
    for word in text.split_whitespace() {
        if !line.is_empty() {
            line.push(' ');
        }
        line.extend(word.chars().take(TEXT_MAX));
        if line.chars().count() >= TEXT_MAX {
            break;
        }
    }
    line.chars().take(TEXT_MAX).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::content::Watch;
    use crate::model::SourceKind;
    use crate::transcript::{Input, read};

    fn of(format: &str, lines: &[String]) -> Gist {
        let mut sources = Sources::default();
        let main = sources.add_memory("a.jsonl", SourceKind::Transcript, lines.join("\n").into_bytes());
        let input = Input { sources: &mut sources, main, siblings: None, watch: &Watch::default() };
        let transcript = read(input, Some(format)).unwrap();
        gist(&transcript, &sources)
    }

    fn user(content: &str) -> String {
        format!(r#"{{"type":"user","cwd":"/p","message":{{"role":"user","content":{content}}}}}"#)
    }

    fn prompt_of(content: &str) -> Option<String> {
        of("claude_code", &[user(content)]).prompt
    }

    #[test]
    fn steps_count_what_is_about_to_be_asked_too() {
        let answer = |id: &str| {
            format!(
                r#"{{"type":"assistant","message":{{"id":"{id}","model":"m","content":[{{"type":"text","text":"a"}}]}}}}"#
            )
        };
        let mut lines = vec![user(r#""hello""#), answer("msg_1"), answer("msg_1"), user(r#""more""#), answer("msg_2")];
        assert_eq!(of("claude_code", &lines).steps, 2);
        lines.push(user(r#""and""#));
        assert_eq!(of("claude_code", &lines).steps, 3);
    }

    #[test]
    fn a_prompt_is_what_a_person_wrote() {
        assert_eq!(prompt_of(r#""fix the \"login\"\n  page""#).as_deref(), Some("fix the \"login\" page"));
        let parts = r#"[{"type":"text","text":"<ide_opened_file>x</ide_opened_file>"},{"type":"text","text":"go on"}]"#;
        assert_eq!(prompt_of(parts).as_deref(), Some("go on"));
        for tag in ["system-reminder", "ide_opened_file"] {
            let wrapped = format!(r#""<{tag}>x</{tag}>\n<{tag} a=\"b\">y</{tag}>\n\ngo on""#);
            assert_eq!(prompt_of(&wrapped).as_deref(), Some("go on"), "{tag}");
        }
        assert_eq!(prompt_of(r#""<bash-input>ls  -l</bash-input>""#).as_deref(), Some("! ls -l"));
        assert_eq!(prompt_of(r#"[{"type":"tool_result","content":"text"}]"#), None);
        let typed = "<command-message>init</command-message>\\n<command-name>/init</command-name><command-args>now</command-args>";
        assert_eq!(prompt_of(&format!("\"{typed}\"")).as_deref(), Some("/init now"));
        assert_eq!(prompt_of(r#""<command-name>/clear</command-name>""#), None);
    }

    #[test]
    fn a_command_is_the_prompt_where_it_reached_the_model_or_nothing_else_did() {
        let typed = |name: &str| user(&format!("\"<command-name>{name}</command-name>\""));
        let printed = user("\"<local-command-stdout>Set model</local-command-stdout>\"");
        let made = user(r#""Look at every file.""#).replacen('{', r#"{"isMeta":true,"#, 1);
        let prompt = |lines: &[String]| of("claude_code", lines).prompt;
        let own = user(r#""fix it""#);
        assert_eq!(prompt(&[typed("/model"), printed.clone(), own.clone()]).as_deref(), Some("fix it"));
        assert_eq!(prompt(&[typed("/login"), own.clone()]).as_deref(), Some("fix it"));
        assert_eq!(prompt(&[typed("/model"), printed.clone()]).as_deref(), Some("/model"));
        assert_eq!(prompt(&[typed("/review"), made.clone(), own]).as_deref(), Some("/review"));
        assert_eq!(prompt(&[typed("/model"), printed, typed("/review"), made]).as_deref(), Some("/review"));
    }

    #[test]
    fn a_rollout_tells_its_folder_and_the_request_below_what_an_editor_added() {
        let message = |text: &str| {
            format!(
                r#"{{"timestamp":"2026-01-01T00:00:00Z","type":"response_item","payload":{{"type":"message","role":"user","content":[{{"type":"input_text","text":"{text}"}}]}}}}"#
            )
        };
        let meta = r#"{"timestamp":"2026-01-01T00:00:00Z","type":"session_meta","payload":{"id":"x","cwd":"/p"}}"#;
        let lines = [
            meta.to_owned(),
            message("# AGENTS.md instructions for /p"),
            message("<environment_context>\\n</environment_context>"),
            message("# Context from my IDE setup:\\n\\n## My request for Codex:\\ndo it\\n"),
        ];
        let found = of("codex", &lines);
        assert_eq!((found.folder.as_deref(), found.prompt.as_deref()), (Some("/p"), Some("do it")));
        let task = [meta.to_owned(), message("<task>Review this</task>")];
        assert_eq!(of("codex", &task).prompt.as_deref(), Some("<task>Review this</task>"));
    }

    #[test]
    fn texts_are_shortened_to_one_line() {
        assert_eq!(shortened(" a\n\tb "), "a b");
        assert_eq!(shortened(&"é ".repeat(5000)).chars().count(), 300);
        assert_eq!(shortened(&"x".repeat(5000)).chars().count(), 300);
        assert_eq!(own_words(" \n"), None);
    }
}
