//! The files that the base tools can read at a step: virtual files, attachments, skills (source 3).

use std::sync::Arc;

use crate::content::{ContentError, Sources};
use crate::engine::{Skill, offered};
use crate::model::{
    BlockId, Body, EntryId, EventId, FileId, Holds, Layer, Made, Run, Stage, Transcript, WORKSPACE, below_workspace,
};
use crate::policy::Policy;
use crate::tokens::{Encoding, count, scaled};

use crate::export::entry_text;

/// What sort of file it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// Made by the policy: a long result or message, or the window before a compaction.
    Virtual,
    /// Attached in the transcript or by the user.
    Attachment,
    /// What a conversion made of an attachment, where that is not the text that it is.
    Extracted,
    /// The index of the agent's memory, or a topic file beside it (source 5: topic files load on demand).
    Memory,
    /// The text of a skill that the workflow may use, or one that lies beside it (source 3: a SKILL.md can name other
    /// files to be loaded).
    Skill,
}

impl Kind {
    /// Name in JSON and tables.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Kind::Virtual => "virtual",
            Kind::Attachment => "attachment",
            Kind::Extracted => "extracted",
            Kind::Memory => "memory",
            Kind::Skill => "skill",
        }
    }
}

/// A file that the user attached, read and converted outside; or one of the agent's memory.
#[derive(Clone, Debug)]
pub struct GivenFile {
    /// Its id, as the list of files names it.
    pub id: String,
    /// Its name. Untrusted.
    pub name: String,
    /// Bytes of the file.
    pub bytes: u64,
    /// The step at which it comes in.
    pub step: u32,
    /// Its own text, decoded; `None` where it is none.
    pub own: Option<Arc<str>>,
    /// Tokens of it as the picture that it is; `None` where it is none.
    pub picture: Option<u64>,
    /// What a conversion to Markdown makes of it: of plain text, the same.
    pub text: Arc<str>,
    /// The blocks that hold that text or what limits left of it: entries of these are this file.
    pub blocks: Vec<BlockId>,
}

/// A file that tools can read.
#[derive(Clone, Debug)]
pub struct ToolFile {
    /// What tools name it by.
    pub id: String,
    /// Its name. Untrusted.
    pub name: String,
    /// What sort of file.
    pub kind: Kind,
    /// Bytes, where they are known without reading it.
    pub bytes: Option<u64>,
    /// Tokens of its text, where they are known without counting it.
    pub tokens: Option<u64>,
    /// Tokens of it that stand in the window of the step.
    pub shown: u64,
    holds: Held,
}

#[derive(Clone, Copy, Debug)]
enum Held {
    File(FileId),
    Entry(EntryId),
    Given(usize),
    Memory(usize),
    /// Among the skills that are offered.
    Skill(usize),
    /// Beside a skill.
    Beside(usize),
}

/// Everything that the base tools know of a step.
#[derive(Clone, Copy)]
pub struct ToolContext<'a> {
    /// What was recorded.
    pub transcript: &'a Transcript,
    /// Where its text is.
    pub sources: &'a Sources,
    /// The run, simulated or recorded.
    pub run: &'a Run,
    /// The step, from 1.
    pub step: u32,
    /// The policy of the run.
    pub policy: &'a Policy,
    /// Files that the user attached.
    pub files: &'a [GivenFile],
    /// The agent's memory: its index, and the files beside it by their paths from there.
    pub memory: &'a [GivenFile],
    /// Skills there are.
    pub skills: &'a [Skill],
    /// The files beside them, each under the name of its skill, `/` and its path from there.
    pub beside: &'a [GivenFile],
    /// What texts are counted with, and what counts are scaled by.
    pub counted: (Encoding, f64),
}

impl ToolContext<'_> {
    /// The files that can be read at the step, in the order in which they came in, then the agent's memory, then the
    /// skills that may be used.
    #[must_use]
    pub fn list(&self) -> Vec<ToolFile> {
        let mut found = Vec::new();
        for (at, file) in self.files.iter().enumerate().filter(|(_, file)| file.step <= self.step) {
            let shown = self.shown(file);
            let tool_file = |id: String, name: String, kind, bytes, shown| ToolFile {
                id,
                name,
                kind,
                bytes: Some(bytes),
                tokens: None,
                shown,
                holds: Held::Given(at),
            };
            found.push(tool_file(file.id.clone(), file.name.clone(), Kind::Attachment, file.bytes, shown));
            if file.own.as_ref() != Some(&file.text) {
                let size = file.text.len() as u64;
                found.push(tool_file(extracted(&file.id), format!("{}.md", file.name), Kind::Extracted, size, 0));
            }
        }
        for (at, entry) in (0u32..).zip(&self.run.entries) {
            let block = entry.block();
            let given = block.is_some_and(|block| self.files.iter().any(|file| file.blocks.contains(&block)));
            let text = block.filter(|_| !given).and_then(|id| self.transcript.block(id));
            let text = text.is_some_and(|block| matches!(block.body, Body::Text { .. }));
            if entry.layer != Layer::Files || entry.born() > self.step || !entry.from.is_empty() || !text {
                continue;
            }
            found.push(ToolFile {
                id: format!("f_{at}"),
                name: entry.label.to_string(),
                kind: Kind::Attachment,
                bytes: None,
                tokens: Some(entry.original_tokens),
                shown: if entry.life_at(self.step).is_some() { entry.tokens } else { 0 },
                holds: Held::Entry(EntryId(at)),
            });
        }
        for (at, file) in (0u32..).zip(&self.run.files).filter(|(_, file)| file.born <= self.step) {
            let name = match file.holds {
                Holds::Whole(id) => self.run.entry(id).map_or_else(String::new, |entry| match &*entry.label {
                    "" => format!("a message of step {}", entry.born()),
                    label => label.to_owned(),
                }),
                Holds::Before(event) => self.run.event(event).map_or_else(String::new, |event| {
                    // A second compaction of a step is a reactive one.
                    let harder = if event.stage == Stage::Reactive { "reactive " } else { "" };
                    format!("the window before the {harder}compaction at step {}", event.step)
                }),
            };
            let stands = match file.holds {
                Holds::Whole(id) => self.run.entry(id).is_some_and(|entry| entry.life_at(self.step).is_some()),
                Holds::Before(_) => false,
            };
            found.push(ToolFile {
                id: FileId(at).to_string(),
                name,
                kind: Kind::Virtual,
                bytes: None,
                tokens: Some(file.tokens),
                shown: if stands { file.tokens_shown() } else { 0 },
                holds: Held::File(FileId(at)),
            });
        }
        found.extend(self.memory.iter().enumerate().map(|(at, file)| ToolFile {
            id: file.id.clone(),
            name: file.name.clone(),
            kind: Kind::Memory,
            bytes: Some(file.bytes),
            tokens: None,
            shown: self.shown(file),
            holds: Held::Memory(at),
        }));
        found.extend(self.skill_files());
        found.extend(self.beside_skills());
        found
    }

    /// Tokens of a given file that stand in the window of the step.
    fn shown(&self, file: &GivenFile) -> u64 {
        let here = self.run.entries.iter().filter(|entry| entry.life_at(self.step).is_some());
        let of_file = here.filter(|entry| entry.block().is_some_and(|block| file.blocks.contains(&block)));
        of_file.map(|entry| entry.tokens).sum()
    }

    /// The skills that the workflow may use, as files.
    fn skill_files(&self) -> Vec<ToolFile> {
        let here = || self.run.entries.iter().filter(|entry| entry.life_at(self.step).is_some());
        let file = |(at, skill): (usize, &Skill)| {
            let of_skill = here().filter(|entry| match skill.block {
                Some(block) => entry.block() == Some(block),
                None => entry.layer == Layer::Skills && entry.label == skill.name,
            });
            ToolFile {
                id: skill.name.to_string(),
                name: skill_path(self.transcript, skill),
                kind: Kind::Skill,
                bytes: Some(skill.text.len() as u64),
                tokens: None,
                shown: of_skill.map(|entry| entry.tokens).sum(),
                holds: Held::Skill(at),
            }
        };
        offered(self.skills, &self.policy.skills).iter().enumerate().map(file).collect()
    }

    /// What lies beside the skills that the workflow may use.
    fn beside_skills(&self) -> Vec<ToolFile> {
        let skills = offered(self.skills, &self.policy.skills);
        let is_of = |file: &GivenFile, skill: &Skill| {
            file.id.strip_prefix(&*skill.name).is_some_and(|rest| rest.starts_with('/'))
        };
        let file = |(at, file): (usize, &GivenFile)| ToolFile {
            id: file.id.clone(),
            name: file.name.clone(),
            kind: Kind::Skill,
            bytes: Some(file.bytes),
            tokens: None,
            shown: 0,
            holds: Held::Beside(at),
        };
        let offered = self.beside.iter().enumerate().filter(|(_, file)| skills.iter().any(|skill| is_of(file, skill)));
        offered.map(file).collect()
    }

    /// The skill that a name or a path stands for, of those that the workflow may use: `NAME`, `NAME/SKILL.md` (source
    /// 3: each a folder with a SKILL.md, in a folder of skills), or its path as it is listed. A folder may be called
    /// otherwise than the skill in it; the skills' own names go first.
    #[must_use]
    pub fn skill(&self, name: &str) -> Option<ToolFile> {
        let skills = self.skill_files();
        let exact = skills.iter().position(|skill| skill.id == name || skill.name == name);
        let inner = name.strip_prefix("skills/").unwrap_or(name).strip_suffix("/SKILL.md");
        let folder = |skill: &ToolFile| inner.is_some_and(|inner| skill.name.ends_with(&format!("/{inner}/SKILL.md")));
        let named = || skills.iter().position(|skill| Some(skill.id.as_str()) == inner);
        let at = exact.or_else(named).or_else(|| skills.iter().position(folder))?;
        skills.into_iter().nth(at)
    }

    /// The file of an id, or of a path in the workspace (source 4), or the skill of that name or path, or what lies
    /// beside one.
    #[must_use]
    pub fn find(&self, id: &str) -> Option<ToolFile> {
        let names = below_workspace(id).unwrap_or_default();
        let saved = |file: &ToolFile| match (file.holds, names.as_slice()) {
            (Held::File(number), [name]) => number.path().strip_prefix(WORKSPACE) == Some(&format!("/{name}")),
            _ => false,
        };
        // A topic file as the index names it, or by its path on this machine.
        let plain = id.strip_prefix("./").unwrap_or(id);
        let kept = |file: &ToolFile| file.kind == Kind::Memory && (file.id == plain || file.name == id);
        let is_it = |file: &ToolFile| file.kind != Kind::Skill && (file.id == id || saved(file) || kept(file));
        let found = self.list().into_iter().find(is_it);
        let inner = plain.strip_prefix("skills/").unwrap_or(plain);
        let beside = || self.beside_skills().into_iter().find(|file| file.id == inner || file.name == id);
        found.or_else(|| self.skill(id)).or_else(beside)
    }

    /// The path in the workspace of a virtual file.
    #[must_use]
    pub fn path(&self, file: &ToolFile) -> Option<String> {
        match file.holds {
            Held::File(number) => Some(number.path()),
            Held::Entry(_) | Held::Given(_) | Held::Memory(_) | Held::Skill(_) | Held::Beside(_) => None,
        }
    }

    /// The whole text of a file; `None` for one that is no text (its extraction is another file).
    ///
    /// # Errors
    /// Where a source cannot be read.
    pub fn text(&self, file: &ToolFile) -> Result<Option<String>, ContentError> {
        match file.holds {
            Held::Given(at) => {
                let text = |given: &GivenFile| match file.kind {
                    Kind::Extracted => Some(given.text.to_string()),
                    _ => given.own.as_ref().map(ToString::to_string),
                };
                Ok(self.files.get(at).and_then(text))
            }
            Held::Memory(at) => Ok(self.memory.get(at).map(|file| file.text.to_string())),
            Held::Beside(at) => Ok(self.beside.get(at).map(|file| file.text.to_string())),
            Held::Entry(id) => self.whole(id).map(Some),
            Held::Skill(at) => {
                Ok(offered(self.skills, &self.policy.skills).get(at).map(|skill| skill.text.to_string()))
            }
            Held::File(id) => match self.run.files.get(id.0 as usize).map(|file| file.holds) {
                Some(Holds::Whole(entry)) => self.whole(entry).map(Some),
                Some(Holds::Before(event)) => self.before(event).map(Some),
                None => Ok(None),
            },
        }
    }

    /// Tokens of a file that is a picture.
    #[must_use]
    pub fn picture(&self, file: &ToolFile) -> Option<u64> {
        match file.holds {
            Held::Given(at) if file.kind == Kind::Attachment => self.files.get(at)?.picture,
            _ => None,
        }
    }

    /// All text of the block that an entry shows a part of.
    fn whole(&self, id: EntryId) -> Result<String, ContentError> {
        let entry = self.run.entry(id);
        let block = entry.and_then(|entry| entry.block()).and_then(|id| self.transcript.block(id));
        let Some((entry, block)) = entry.zip(block) else { return Ok(String::new()) };
        let original = entry.content.iter().any(|made| matches!(made, Made::Part(_, _, _, true)));
        self.sources.body_text(block.content(original))
    }

    /// The window as it was before a compaction: what it took, each piece under its name.
    fn before(&self, compaction: EventId) -> Result<String, ContentError> {
        let mut text = String::new();
        for id in self.run.event(compaction).into_iter().flat_map(|event| &event.took) {
            let Some(entry) = self.run.entry(*id) else { continue };
            let shown = entry_text(self.transcript, self.sources, self.run, *id)?;
            let shown = shown.unwrap_or_else(|| "[no text]".to_owned());
            let gap = if text.is_empty() { "" } else { "\n\n" };
            let label = if entry.label.is_empty() { String::new() } else { format!(" · {}", entry.label) };
            text.push_str(&format!("{gap}[{}{label}]\n{shown}", entry.layer.info().title));
        }
        Ok(text)
    }

    /// Tokens of a text, on the scale of the run.
    #[must_use]
    pub fn count(&self, text: &str) -> u64 {
        let (encoding, factor) = self.counted;
        scaled(count(text, encoding), factor)
    }
}

/// The id of the file that holds the text of one that is no text.
#[must_use]
pub fn extracted(id: &str) -> String {
    format!("{id}_text")
}

/// The path of a skill's file, as it is listed: where it was read from, else where source 3 has it.
#[must_use]
pub fn skill_path(transcript: &Transcript, skill: &Skill) -> String {
    let block = skill.block.and_then(|id| transcript.block(id));
    let source = block.and_then(|block| transcript.sources.get(block.record.source.0 as usize));
    source.map_or_else(|| format!("skills/{}/SKILL.md", skill.name), |source| source.name.clone())
}
