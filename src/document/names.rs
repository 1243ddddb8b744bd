//! What a file's name tells of its format.

use crate::model::file_name;

use super::format::{FORMATS, Format, named};
use super::input::extension;
use super::languages;

/// Names of files of configuration that no ending tells.
const CONFIGS: &[&str] = &[
    "cargo.lock",
    "codeowners",
    "constraints.txt",
    "crontab",
    "fstab",
    "hosts",
    "known_hosts",
    "pipfile",
    "procfile",
    "requirements.txt",
    "robots.txt",
    "ssh_config",
    "sshd_config",
    "sudoers",
];

/// The format that a file's name says: by the whole of it, by its ending, or by what stands before an ending that
/// nobody knows (`.env.local`).
#[must_use]
pub fn by_name(name: &str) -> Option<&'static Format> {
    let file = file_name(name).to_lowercase();
    let whole = |name: &str| match languages::of_name(name) {
        Some(_) => named("code"),
        None => named("config").filter(|_| CONFIGS.contains(&name)),
    };
    let before = |file: &str| {
        let stem = file.rsplit_once('.')?.0;
        whole(stem).or_else(|| by_extension(&extension(stem)).filter(|format| format.name == "config"))
    };
    whole(&file).or_else(|| by_extension(&extension(name))).or_else(|| before(&file))
}

/// The format that a file's extension says.
#[must_use]
pub fn by_extension(ending: &str) -> Option<&'static Format> {
    let has = |format: &&Format| format.extensions.split(' ').any(|known| known == ending);
    if ending.is_empty() {
        return None;
    }
    FORMATS.iter().find(has).or_else(|| languages::of(ending).and_then(|_| named("code")))
}
