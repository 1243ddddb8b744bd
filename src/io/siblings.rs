//! The files beside a transcript: subagents' logs, persisted outputs. Links out of the folder are not followed.

use std::fs;
use std::path::{Component, Path, PathBuf};
use std::sync::Arc;

use crate::content::ReadAt;
use crate::transcript::Siblings;

use super::FileBytes;

/// More files than this under one folder are not looked at.
const FILES_MAX: usize = 10_000;
/// Folders below each other.
const DEPTH_MAX: usize = 8;

/// The files in a transcript's folder and below.
pub struct FolderSiblings {
    folder: PathBuf,
}

impl FolderSiblings {
    /// The files beside `transcript`.
    #[must_use]
    pub fn of(transcript: &Path) -> Self {
        let folder = transcript.parent().map_or_else(PathBuf::new, Path::to_path_buf);
        FolderSiblings { folder: if folder.as_os_str().is_empty() { PathBuf::from(".") } else { folder } }
    }

    /// A path below the folder; `None` for one that would leave it.
    fn inside(&self, name: &str) -> Option<PathBuf> {
        let relative = Path::new(name);
        relative.components().all(|part| matches!(part, Component::Normal(_))).then(|| self.folder.join(relative))
    }
}

impl Siblings for FolderSiblings {
    fn list(&self, folder: &str) -> Vec<String> {
        let mut found = Vec::new();
        if let Some(path) = self.inside(folder) {
            walk(&path, folder, 0, &mut found);
        }
        found.sort();
        found
    }

    fn open(&self, name: &str) -> Option<Arc<dyn ReadAt>> {
        let path = self.inside(name)?;
        let is_file = fs::symlink_metadata(&path).ok()?.is_file();
        let bytes: Arc<dyn ReadAt> = Arc::new(is_file.then(|| FileBytes::open(&path).ok()).flatten()?);
        Some(bytes)
    }
}

fn walk(path: &Path, name: &str, depth: usize, found: &mut Vec<String>) {
    let Ok(entries) = fs::read_dir(path) else { return };
    for entry in entries.flatten() {
        if found.len() >= FILES_MAX {
            return;
        }
        let (Ok(kind), Ok(own)) = (entry.file_type(), entry.file_name().into_string()) else { continue };
        let below = if name.is_empty() { own } else { format!("{name}/{own}") };
        if kind.is_file() {
            found.push(below);
        } else if kind.is_dir() && depth < DEPTH_MAX && !name.is_empty() {
            walk(&entry.path(), &below, depth + 1, found);
        }
    }
}
