//! What the options name beside a transcript: instruction files, skills, the memory index. Each becomes a source and a
//! block, so that its bytes can be traced.

use std::path::{Component, Path, PathBuf};
use std::sync::Arc;

use directories::BaseDirs;

use crate::content::Sources;
use crate::engine::{
    InstructionFile, Loaded, ProjectText, Scope, Skill, WasLoaded, barred_skills, front_matter, is_unclosed,
    unknown_skills,
};
use crate::io::{ProjectFile, Unloaded, instruction_files, read_project_file, skill_files};
use crate::model::{Layer, SourceId, SourceKind, Transcript, Warning};
use crate::transcript::{give_project_files, habits, is_named};

use super::args::Look;
use super::fail::usage;
use super::simulated::{Chosen, policy_of};

/// Reads what the options name.
pub fn load(transcript: Transcript, sources: &mut Sources, look: &Look) -> anyhow::Result<(Transcript, Loaded)> {
    for (folder, option) in [(&look.folder, "--folder"), (&look.skills, "--skills")] {
        if let Some(folder) = folder.as_ref().filter(|folder| !folder.is_dir()) {
            return Err(usage(format!("{option} {}: there is no such folder", folder.display())));
        }
    }
    let named: Vec<Option<&str>> = match look.policy.as_slice() {
        [] => vec![None],
        names => names.iter().map(|name| Some(name.as_str())).collect(),
    };
    let policies: Vec<Chosen> =
        named.iter().map(|name| policy_of(&transcript, *name, look)).collect::<Result<_, _>>()?;
    let none = look.folder.is_none() && look.skills.is_none() && look.memory_index.is_none();
    let (mut transcript, loaded, too_large) =
        if none { (transcript, Loaded::default(), Vec::new()) } else { read(transcript, sources, look, &policies)? };
    let skills = policies.first().map(|chosen| unknown_skills(&loaded.skills, &chosen.policy.skills));
    let mut told: Vec<String> = skills
        .into_iter()
        .flatten()
        .map(|(key, name)| format!("{key} names {name:?}, and no such skill was found (--skills)"))
        .collect();
    let barred = policies.first().into_iter().flat_map(|chosen| barred_skills(&chosen.policy.skills));
    told.extend(barred.map(|name| format!("skills.required and skills.prohibited both name {name:?}: it stays out")));
    if let Some(folder) = &look.folder {
        told.extend(policies.iter().filter_map(|chosen| unheeded(folder, chosen, &loaded, &too_large)));
    }
    told.extend(too_large.iter().map(|path| format!("{} is not loaded: {}", path.display(), Unloaded::TooLarge)));
    let warnings = told.into_iter().map(|message| Warning { source: SourceId(0), line: 0, message });
    transcript.warnings.extend(warnings);
    Ok((transcript, loaded))
}

/// What is to be said where a policy takes nothing of the folder.
fn unheeded(folder: &Path, Chosen { name, policy }: &Chosen, loaded: &Loaded, too_large: &[PathBuf]) -> Option<String> {
    let settings = &policy.instructions;
    if !settings.on {
        return Some(format!(
            "--folder: {name} loads no instruction files (instructions.on = false); --set instructions.on=true loads them"
        ));
    }
    let is_own = |path: &str| is_named(path, &settings.names);
    let none = !loaded.instructions.iter().any(|file| is_own(&file.file.name))
        && !too_large.iter().any(|path| is_own(&path.to_string_lossy()));
    none.then(|| {
        let (folder, names) = (folder.display(), settings.names.join(", "));
        format!("--folder {folder}: none of the files that {name} loads was found ({names}; instructions.names)")
    })
}

/// The instruction files that any of the policies looks for, each once, and the folder of the user's files that it looked
/// into. What is too large goes to a list of its own.
fn found_by(
    folder: &Path,
    home: Option<&Path>,
    policies: &[Chosen],
    too_large: &mut Vec<PathBuf>,
) -> Vec<(ProjectFile, String)> {
    let mut all: Vec<(ProjectFile, String)> = Vec::new();
    for Chosen { policy, .. } in policies {
        let settings = &policy.instructions;
        let own = Path::new(&settings.user_folder);
        // It lies in the user's home, wherever a policy says.
        let is_below = own.components().all(|part| matches!(part, Component::Normal(_)));
        let user = home.filter(|_| is_below && !settings.user_folder.is_empty()).map(|home| home.join(own));
        let found = instruction_files(folder, settings, user.as_deref());
        for path in found.too_large.into_iter().filter(|_| settings.on) {
            if !too_large.contains(&path) {
                too_large.push(path);
            }
        }
        for file in found.files {
            if !all.iter().any(|(known, _)| known.path == file.path) {
                all.push((file, settings.user_folder.clone()));
            }
        }
    }
    all
}

/// What may be the matter with a skill's file.
const UNCLOSED: &str = "its front matter has no end (a line of ---), so that neither name nor description is read";
const UNDESCRIBED: &str = "it has no description in its front matter, so that nothing tells when to load it";

const SAME_NAME: &str = "another skill has its name, which load_skill loads instead of it";

/// The instructions that the transcript holds.
fn recorded_instructions(transcript: &Transcript, sources: &Sources) -> Vec<String> {
    let blocks = transcript.blocks.iter().filter(|block| block.layer == Layer::Instructions);
    blocks.filter_map(|block| sources.body_text(&block.body).ok()).collect()
}

fn read(
    transcript: Transcript,
    sources: &mut Sources,
    look: &Look,
    policies: &[Chosen],
) -> anyhow::Result<(Transcript, Loaded, Vec<PathBuf>)> {
    let mut too_large = Vec::new();
    let (habits, recorded) = (habits(&transcript), recorded_instructions(&transcript, sources));
    let mut texts = Vec::new();
    let mut take = |path: &Path, bytes: Vec<u8>, layer, label: Option<&str>| {
        let name = path.to_string_lossy().into_owned();
        let id = sources.add_memory(name.clone(), SourceKind::Attached, bytes);
        texts.push((id, layer, label.map_or(name, str::to_owned)));
    };
    let (mut scopes, mut descriptions, mut faulty) = (Vec::new(), Vec::new(), Vec::new());
    if let Some(folder) = &look.folder {
        let home = BaseDirs::new().map(|places| places.home_dir().to_owned());
        for (file, user_folder) in found_by(folder, home.as_deref(), policies, &mut too_large) {
            let was_loaded = match String::from_utf8_lossy(&file.bytes).trim() {
                text if recorded.iter().any(|held| !text.is_empty() && held.contains(text)) => WasLoaded::Recorded,
                _ if habits.loads_unrecorded(&file.path.to_string_lossy()) => WasLoaded::Unrecorded,
                _ => WasLoaded::No,
            };
            take(&file.path, file.bytes, Layer::Instructions, None);
            let folder = if file.found == Scope::User { user_folder } else { file.folder };
            scopes.push((file.found, folder, was_loaded));
        }
    }
    for (folder_name, path, bytes) in look.skills.as_deref().map(skill_files).unwrap_or_default() {
        let Ok(bytes) = bytes else {
            too_large.push(path);
            continue;
        };
        let text = String::from_utf8_lossy(&bytes);
        let front = front_matter(&text);
        let field =
            |wanted: &str| front.iter().find(|(key, _)| key == wanted).map(|(_, value)| value.trim().to_owned());
        // What begins as a list or another construct of YAML, in one that cannot be read, is no name.
        let is_name =
            |name: &String| !name.is_empty() && !name.starts_with(['[', '{', '&', '*', '!', '|', '>', '@', '`']);
        let wrong = match field("description").is_none_or(|words| words.is_empty()) {
            _ if is_unclosed(&text) => Some(UNCLOSED),
            true => Some(UNDESCRIBED),
            false => None,
        };
        faulty.extend(wrong.map(|wrong| format!("{}: {wrong}", path.display())));
        let name = field("name").filter(is_name).unwrap_or(folder_name);
        if descriptions.iter().any(|(other, _)| *other == name) {
            faulty.push(format!("{}: {SAME_NAME}", path.display()));
        }
        take(&path, bytes, Layer::Skills, Some(&name));
        descriptions.push((name, field("description").unwrap_or_default()));
    }
    if let Some(path) = &look.memory_index {
        let bytes = read_project_file(path).map_err(|why| match why {
            Unloaded::TooLarge => anyhow::anyhow!("cannot load {}: {why}", path.display()),
            _ => anyhow::anyhow!("cannot read {}", path.display()),
        })?;
        take(path, bytes, Layer::Memory, None);
    }
    let (mut transcript, blocks) = give_project_files(transcript, sources, &texts)?;
    for message in faulty {
        transcript.warnings.push(Warning { source: SourceId(0), line: 0, message });
    }
    let mut read = Vec::with_capacity(blocks.len());
    for (block, (_, _, label)) in blocks.into_iter().zip(texts) {
        let body = transcript.block(block).map(|block| sources.body_text(&block.body)).transpose()?;
        read.push(ProjectText { name: Arc::from(label), text: Arc::from(body.unwrap_or_default()), block });
    }
    let mut read = read.into_iter();
    let instructions = scopes.into_iter().zip(read.by_ref());
    let instructions = instructions
        .map(|((scope, folder, was_loaded), file)| InstructionFile { scope, folder, file, was_loaded })
        .collect();
    let skills = descriptions.into_iter().zip(read.by_ref()).map(|((name, description), file)| Skill {
        name: Arc::from(name),
        description: Arc::from(description),
        text: file.text,
        block: Some(file.block),
    });
    let skills = skills.collect();
    let loaded = Loaded { instructions, skills, memory_index: read.next(), touched: Vec::new() };
    Ok((transcript, loaded, too_large))
}
