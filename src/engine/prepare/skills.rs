//! Skills: a listing in the system prompt, whole texts on demand or where they are required (source 3: Agent Skills).

use std::borrow::Cow;
use std::fmt::Write as _;
use std::sync::Arc;

use super::front::front_matter;
use super::{Loaded, Plan, Prepared, piece};
use crate::model::{BlockId, Contents, Fate, Layer, Made, SKILLS};
use crate::policy::{self, Listing, Policy};
use crate::tokens::cut_head;

/// The name of the built-in skill that explains the file tools.
const LARGE_FILES: &str = "large_files";
/// Its text (source 3: when and how to use the file tools).
const LARGE_FILES_TEXT: &str = "---
name: large_files
description: How and when to use load_file, peek_file, extract_file, file_read and file_regex on large files.
---
The list of files gives each file's id, name and size. An id can be passed to tools without loading the file.

1. Look at the size and at the tokens that are left in the context window first.
2. For a PDF, DOCX, PPT or other document call extract_file: it returns the id of a file that holds the simplified text.
   Work with that file instead.
3. For a small file, or one that is needed whole, call load_file.
4. For a large file call peek_file with a range, or file_read with lines or bytes, and read on from where you stopped.
5. To find something in a large file call file_regex, then read the lines around the matches.
6. A long result or message is shown in part and kept whole as a virtual file (vf_1, vf_2, …). Read it the same way.
";

/// A skill.
#[derive(Clone, Debug)]
pub struct Skill {
    /// Its name, from the front matter, else its folder's. Untrusted.
    pub name: Arc<str>,
    /// When to use it. Untrusted.
    pub description: Arc<str>,
    /// The whole file.
    pub text: Arc<str>,
    /// The block that holds it; `None` for the built-in one.
    pub block: Option<BlockId>,
}

/// The skills that a workflow may load: of those there are, the allowed ones (all, where none is named) and the
/// required ones, without the prohibited ones; the built-in one among them where it is wanted.
#[must_use]
pub fn offered(skills: &[Skill], settings: &policy::Skills) -> Vec<Skill> {
    let named = |list: &[String], name: &str| list.iter().any(|one| one == name);
    let may = |name: &str| {
        let allowed = settings.allowed.is_empty() || named(&settings.allowed, name);
        (allowed || named(&settings.required, name)) && !named(&settings.prohibited, name)
    };
    let mut found: Vec<Skill> = skills.iter().filter(|skill| may(&skill.name)).cloned().collect();
    let there = found.iter().any(|skill| &*skill.name == LARGE_FILES);
    if settings.large_files && !there && may(LARGE_FILES) {
        let description = front_matter(LARGE_FILES_TEXT).into_iter().find(|(key, _)| key == "description");
        found.push(Skill {
            name: Arc::from(LARGE_FILES),
            description: Arc::from(description.map_or_else(String::new, |(_, value)| value)),
            text: Arc::from(LARGE_FILES_TEXT),
            block: None,
        });
    }
    found
}

/// Names in the settings that no skill has: nothing can be listed or loaded of them.
#[must_use]
pub fn unknown_skills(skills: &[Skill], settings: &policy::Skills) -> Vec<(&'static str, String)> {
    let there = |name: &str| name == LARGE_FILES || skills.iter().any(|skill| &*skill.name == name);
    let lists = [
        ("skills.required", &settings.required),
        ("skills.allowed", &settings.allowed),
        ("skills.prohibited", &settings.prohibited),
    ];
    let each = lists.into_iter().flat_map(|(key, list)| list.iter().map(move |name| (key, name)));
    each.filter(|(_, name)| !there(name)).map(|(key, name)| (key, name.clone())).collect()
}

/// Names of skills that the settings both require and prohibit: they stay out.
pub fn barred_skills(settings: &policy::Skills) -> impl Iterator<Item = &String> {
    settings.required.iter().filter(|name| settings.prohibited.contains(name))
}

/// The listing in the system prompt, and the texts that are loaded from the start.
#[must_use]
pub fn skills(loaded: &Loaded, plan: &Plan, policy: &Policy) -> Vec<Prepared> {
    let settings = &policy.skills;
    let offered = offered(&loaded.skills, settings);
    let mut pieces = Vec::new();
    if settings.listing == Listing::Descriptions && !offered.is_empty() {
        let mut text = String::from("Skills (call load_skill with a name to load one):");
        for skill in &offered {
            let line: String =
                skill.description.chars().map(|sign| if sign.is_control() { ' ' } else { sign }).collect();
            // Writing into a string cannot fail.
            let _ = write!(text, "\n- name: {}\n  description: {}", skill.name, line.trim());
        }
        let content = Contents::from(Made::Text(Cow::Owned(text.clone())));
        pieces.push(piece(plan, Layer::Skills, SKILLS, content, &text));
    }
    for skill in &offered {
        if settings.listing == Listing::Bodies || settings.required.iter().any(|name| **name == *skill.name) {
            pieces.push(body(skill, plan, settings));
        }
    }
    pieces
}

/// A skill's text, whole or cut.
fn body(skill: &Skill, plan: &Plan, settings: &policy::Skills) -> Prepared {
    let end = match settings.max_tokens {
        0 => skill.text.len(),
        most => cut_head(&skill.text, plan.encoding, most),
    };
    let shown = skill.text.get(..end).unwrap_or_default();
    let content = match skill.block {
        Some(block) => Made::Part(block, 0, end as u64, false),
        None => Made::Text(Cow::Owned(shown.to_owned())),
    };
    let mut made = piece(plan, Layer::Skills, &skill.name, content.into(), shown);
    if end < skill.text.len() {
        super::cut(&mut made, plan, &skill.text, "skills.max_tokens", settings.max_tokens, 0);
        let measured = made.original;
        if let Some(event) = &mut made.decided {
            event.measured = Some(measured);
            event.why = Cow::Borrowed("The skill has {measured tokens}, over {threshold}: its beginning is loaded.");
        }
    }
    debug_assert!(matches!(made.fate, Fate::Verbatim | Fate::Truncated));
    made
}
