//! What the options name beside a transcript: instruction files, skills, the memory index. Each becomes a source and a
//! block, so that its bytes can be traced.

use std::path::Path;
use std::sync::Arc;

use directories::BaseDirs;

use crate::content::Sources;
use crate::engine::{
    InstructionFile, Loaded, ProjectText, Skill, WasLoaded, front_matter, is_unclosed, unknown_skills,
};
use crate::io::{instruction_files, read_project_file, skill_files};
use crate::model::{Layer, SourceId, SourceKind, Transcript, Warning};
use crate::policy::Policy;
use crate::transcript::{give_project_files, habits};

use super::args::Look;
use super::fail::usage;
use super::simulated::policy_of;

/// Reads what the options name.
pub fn load(transcript: Transcript, sources: &mut Sources, look: &Look) -> anyhow::Result<(Transcript, Loaded)> {
    for (folder, option) in [(&look.folder, "--folder"), (&look.skills, "--skills")] {
        if let Some(folder) = folder.as_ref().filter(|folder| !folder.is_dir()) {
            return Err(usage(format!("{option} {}: there is no such folder", folder.display())));
        }
    }
    let policy = policy_of(&transcript, look.policy.first().map(String::as_str), look)?.policy;
    let (mut transcript, loaded) = if look.folder.is_none() && look.skills.is_none() && look.memory_index.is_none() {
        (transcript, Loaded::default())
    } else {
        read(transcript, sources, look, &policy)?
    };
    for (key, name) in unknown_skills(&loaded.skills, &policy.skills) {
        let message = format!("{key} names {name:?}, and no such skill was found (--skills)");
        transcript.warnings.push(Warning { source: SourceId(0), line: 0, message });
    }
    Ok((transcript, loaded))
}

/// The instructions that the transcript holds.
fn recorded_instructions(transcript: &Transcript, sources: &Sources) -> Vec<String> {
    let blocks = transcript.blocks.iter().filter(|block| block.layer == Layer::Instructions);
    blocks.filter_map(|block| sources.body_text(&block.body).ok()).collect()
}

fn read(
    transcript: Transcript,
    sources: &mut Sources,
    look: &Look,
    policy: &Policy,
) -> anyhow::Result<(Transcript, Loaded)> {
    let (habits, recorded) = (habits(&transcript), recorded_instructions(&transcript, sources));
    let mut texts = Vec::new();
    let mut take = |path: &Path, bytes: Vec<u8>, layer, label: Option<&str>| {
        let name = path.to_string_lossy().into_owned();
        let id = sources.add_memory(name.clone(), SourceKind::Attached, bytes);
        texts.push((id, layer, label.map_or(name, str::to_owned)));
    };
    let (mut scopes, mut descriptions, mut unclosed) = (Vec::new(), Vec::new(), Vec::new());
    if let Some(folder) = &look.folder {
        let home = BaseDirs::new().map(|places| places.home_dir().to_owned());
        let settings = &policy.instructions;
        for file in instruction_files(folder, &settings.names, &settings.exclude, home.as_deref()) {
            let was_loaded = match String::from_utf8_lossy(&file.bytes).trim() {
                text if recorded.iter().any(|held| !text.is_empty() && held.contains(text)) => WasLoaded::Recorded,
                _ if habits.loads_unrecorded(&file.path.to_string_lossy()) => WasLoaded::Unrecorded,
                _ => WasLoaded::No,
            };
            take(&file.path, file.bytes, Layer::Instructions, None);
            scopes.push((file.found, file.folder, was_loaded));
        }
    }
    for (folder_name, path, bytes) in look.skills.as_deref().map(skill_files).unwrap_or_default() {
        let text = String::from_utf8_lossy(&bytes);
        let front = front_matter(&text);
        unclosed.extend(is_unclosed(&text).then(|| path.to_string_lossy().into_owned()));
        let field =
            |wanted: &str| front.iter().find(|(key, _)| key == wanted).map(|(_, value)| value.trim().to_owned());
        let name = field("name").filter(|name| !name.is_empty()).unwrap_or(folder_name);
        take(&path, bytes, Layer::Skills, Some(&name));
        descriptions.push((name, field("description").unwrap_or_default()));
    }
    if let Some(path) = &look.memory_index {
        let bytes = read_project_file(path);
        take(path, bytes.ok_or_else(|| anyhow::anyhow!("cannot read {}", path.display()))?, Layer::Memory, None);
    }
    let (mut transcript, blocks) = give_project_files(transcript, sources, &texts)?;
    for path in unclosed {
        let message = format!(
            "{path}: its front matter has no end (a line of ---), so that neither name nor description is read"
        );
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
    Ok((transcript, Loaded { instructions, skills, memory_index: read.next(), touched: Vec::new() }))
}
