//! The workspace of a session on this machine: virtual files written out, and read back as the agent would (source 4).

use std::path::Path;
use std::sync::Arc;

use serde::Serialize;

use crate::content::{MemoryBytes, Watch};
use crate::document::own_text;
use crate::export::{GivenFile, Kind, ToolContext, skill_path};
use crate::io::{Workspace, WorkspaceError, file_identity};
use crate::model::{Run, WORKSPACE, below_workspace, file_name};
use crate::policy::Policy;
use crate::present::bytes;
use crate::tokens::Encoding;

use super::fail::usage;
use super::load::Session;
use super::print::{Printer, json_line};

/// What is kept beside a session's files, where the agent does not see it.
#[derive(Serialize)]
struct SavedWorkspace {
    schema: &'static str,
    session: String,
    transcript: String,
    policy: String,
    step: u32,
    files: Vec<SavedRow>,
}

/// A file that was saved.
#[derive(Serialize)]
struct SavedRow {
    path: String,
    name: String,
    bytes: usize,
    tokens: Option<u64>,
}

impl Session {
    /// This session's workspace below a folder: opened, or begun.
    fn workspace(
        &self,
        folder: &Path,
        open: fn(&Path, &str, &str) -> Result<Workspace, WorkspaceError>,
    ) -> anyhow::Result<Workspace> {
        let user = &self.preferences.settings.user;
        open(folder, user, &self.name()).map_err(|why| usage(format!("--workspace: {why}")))
    }

    /// Writes the virtual files that there are at a step into the workspace.
    pub fn save_workspace(
        &self,
        folder: &Path,
        (run, step): (&Run, u32),
        (name, policy): (&str, &Policy),
        force: bool,
        printer: &mut Printer,
    ) -> anyhow::Result<()> {
        let context = ToolContext {
            transcript: &self.transcript,
            sources: &self.sources,
            run,
            step,
            policy,
            files: &[],
            memory: &[],
            skills: &[],
            beside: &[],
            // Nothing is counted.
            counted: (Encoding::O200kBase, 1.0),
        };
        let mut wanted = Vec::new();
        for file in context.list().into_iter().filter(|file| file.kind == Kind::Virtual) {
            if let (Some(path), Some(text)) = (context.path(&file), context.text(&file)?) {
                wanted.push((file, path, text));
            }
        }
        if wanted.is_empty() {
            let settings = &policy.tool_results;
            let wanting = [("on", settings.on), ("virtual_files", settings.virtual_files)];
            let wanting = wanting.iter().filter(|(_, on)| !on).map(|(key, _)| format!("tool_results.{key}=true"));
            let wanting: Vec<String> = wanting.collect();
            let why = match wanting.is_empty() {
                true => "no tool result is larger than tool_results.virtual_over".to_owned(),
                false => format!("{} makes them", wanting.join(" with ")),
            };
            printer.remark(&format!("note: there are no virtual files at this step; {why}"));
            return Ok(());
        }
        let workspace = self.workspace(folder, Workspace::begin)?;
        let mut files = Vec::new();
        for (file, path, text) in wanted {
            let host = workspace.save(&path, text.as_bytes(), force)?;
            let path = workspace.to_container(&host)?;
            printer.remark(&format!("{path}: {}, as {}", bytes(text.len() as u64), host.display()));
            files.push(SavedRow { path, name: file.name, bytes: text.len(), tokens: file.tokens });
        }
        let session = self.name();
        let transcript = self.transcript.sources.first().map_or_else(String::new, |source| source.name.clone());
        let policy = name.to_owned();
        let saved = SavedWorkspace { schema: "windowpane/workspace/1", session, transcript, policy, step, files };
        workspace.save_private(json_line(&saved)?.as_bytes())?;
        Ok(())
    }

    /// Takes the paths among a tool's arguments for files of the workspace: `arguments` then name them as the model
    /// sees them, and the files that are there are returned.
    pub fn workspace_files(&self, folder: &Path, arguments: &mut [String]) -> anyhow::Result<Vec<GivenFile>> {
        let workspace = self.workspace(folder, Workspace::open)?;
        let paths = self.loaded.skills.iter().map(|skill| skill_path(&self.transcript, skill));
        let skills: Vec<_> = paths.map(|path| (path.clone(), file_identity(Path::new(&path)))).collect();
        let mut files = Vec::new();
        for (at, argument) in arguments.iter_mut().enumerate() {
            let named = argument.strip_prefix("id=").map(str::to_owned);
            let Some(path) = named.clone().or_else(|| (at == 0).then(|| argument.clone())) else { continue };
            let path = match Path::new(&path).is_absolute() || path.starts_with('/') {
                true => path,
                // What is no path from here into the workspace is the id of a file.
                false => match std::env::current_dir().ok().map(|here| here.join(&path)) {
                    Some(host) if workspace.to_container(&host).is_ok() => host.to_string_lossy().into_owned(),
                    _ => continue,
                },
            };
            // A skill lies where it lies; whether it may be read is the policy's to say.
            if skills.iter().any(|(listed, _)| *listed == path) {
                continue;
            }
            let path = match below_workspace(&path) {
                Ok(names) => names.iter().fold(WORKSPACE.to_owned(), |path, name| format!("{path}/{name}")),
                // Else it has to be one of this machine that lies in the workspace.
                Err(_) => workspace.to_container(Path::new(&path)).map_err(|why| usage(why.to_string()))?,
            };
            let told = |path: &str| if named.is_some() { format!("id={path}") } else { path.to_owned() };
            // It may lie in the workspace, under another name as well, and a path that names it has many forms.
            let file = workspace.identity(&path);
            if let Some((listed, _)) = skills.iter().find(|(_, skill)| file.is_some() && *skill == file) {
                *argument = told(listed);
                continue;
            }
            *argument = told(&path);
            let bytes = match workspace.read(&path) {
                Ok(bytes) => bytes,
                // It may be a virtual file that was not written out.
                Err(WorkspaceError::Io { why, .. }) if why.kind() == std::io::ErrorKind::NotFound => continue,
                Err(why) => return Err(usage(why.to_string())),
            };
            let name = file_name(&path).to_owned();
            let size = bytes.len() as u64;
            let text: Arc<str> = match own_text(&name, &MemoryBytes(bytes.clone()), bytes.len(), &Watch::default()) {
                Ok(Some(text)) => text.into(),
                _ => String::from_utf8_lossy(&bytes).into(),
            };
            files.push(GivenFile {
                id: path,
                name,
                bytes: size,
                step: 1,
                own: Some(text.clone()),
                picture: None,
                text,
                blocks: Vec::new(),
            });
        }
        Ok(files)
    }
}
