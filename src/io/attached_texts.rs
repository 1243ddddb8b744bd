//! Texts that lie beside a file that names them: topic files beside an agent's memory index, what a skill comes with.

use std::path::{Path, PathBuf};

use super::project_files::{FILES_MAX, FOLDERS_MAX, Unloaded, entries, read};

/// Endings of the texts that a memory is kept in.
pub const TOPICS: &[&str] = &["md", "markdown", "txt"];
/// Bytes of all texts together.
const BYTES_MAX: u64 = 16 << 20;
/// Levels below the file's folder.
const DEPTH_MAX: usize = 3;

/// A text beside a file: its path from the file's folder (with `/`), its path, and what it says or why it is not loaded.
pub type Beside = (String, PathBuf, Result<String, Unloaded>);

/// How much more may be loaded.
#[derive(Clone, Copy, Debug)]
pub struct Room {
    files: usize,
    bytes: u64,
}

impl Default for Room {
    fn default() -> Self {
        Room { files: FILES_MAX, bytes: BYTES_MAX }
    }
}

/// The texts beside a file, by path: what lies there and in the folders below, without the file; of the given endings,
/// else all that is text. No link is followed, and what is hidden is left out. What is not UTF-8 is read as the file is.
#[must_use]
pub fn texts_beside(file: &Path, endings: Option<&[&str]>, room: &mut Room) -> Vec<Beside> {
    let folder = file.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."));
    let (mut found, mut seen) = (Vec::new(), 0);
    let mut todo = vec![(folder.to_owned(), String::new(), 0)];
    while let Some((place, relative, depth)) = todo.pop().filter(|_| seen < FOLDERS_MAX) {
        seen += 1;
        for path in entries(&place) {
            let (Some(name), Ok(about)) =
                (path.file_name().map(|name| name.to_string_lossy()), path.symlink_metadata())
            else {
                continue;
            };
            let inner = if relative.is_empty() { name.to_string() } else { format!("{relative}/{name}") };
            let is_of = |ending: &std::ffi::OsStr| endings.is_some_and(|all| all.iter().any(|one| ending == *one));
            let is_wanted = endings.is_none() || path.extension().is_some_and(is_of);
            let is_itself = depth == 0 && path.file_name() == file.file_name();
            if name.starts_with('.') || is_itself {
                continue;
            }
            if about.is_dir() && depth < DEPTH_MAX {
                todo.push((path, inner, depth + 1));
            } else if about.is_file() && is_wanted && found.len() < 2 * FILES_MAX {
                let text = match read(&path) {
                    Ok(_) if about.len() > room.bytes || room.files == 0 => Err(Unloaded::TooMuch),
                    Ok(bytes) if bytes.contains(&0) => Err(Unloaded::NoText),
                    Ok(bytes) => Ok(String::from_utf8_lossy(&bytes).into_owned()),
                    Err(why) => Err(why),
                };
                if let Ok(text) = &text {
                    *room = Room { files: room.files - 1, bytes: room.bytes.saturating_sub(text.len() as u64) };
                }
                found.push((inner, path, text));
            }
        }
    }
    found.sort_by(|one, other| one.0.cmp(&other.0));
    found
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::super::project_files::FILE_MAX;
    use super::*;

    fn write(root: &Path, name: &str, text: &str) {
        let path = root.join(name);
        fs::create_dir_all(path.parent().expect("a folder")).expect("a folder");
        fs::write(path, text).expect("a file");
    }

    #[test]
    fn topic_files_are_read_on_demand_from_the_indexs_folder() {
        let folder = tempfile::tempdir().expect("a folder");
        let root = folder.path();
        for (name, text) in [
            ("memory/MEMORY.md", "the index"),
            ("memory/debugging.md", "topic"),
            ("memory/web/css.txt", "below"),
            ("memory/web/MEMORY.md", "no index"),
            ("memory/.hidden.md", "hidden"),
            ("memory/tool.bin", "no text"),
            ("outside.md", "outside"),
        ] {
            write(root, name, text);
        }
        write(root, "memory/long.md", &"x".repeat(usize::try_from(FILE_MAX).expect("a size") + 1));
        fs::write(root.join("memory/bytes.md"), [0xff, 0xfe, 0x00]).expect("a file");
        fs::write(root.join("memory/old.md"), b"caf\xe9").expect("a file");
        #[cfg(unix)]
        for (to, link) in [("outside.md", "memory/link.md"), ("", "memory/all")] {
            std::os::unix::fs::symlink(root.join(to), root.join(link)).expect("a link");
        }
        let topics = |index: &str| texts_beside(&root.join(index), Some(TOPICS), &mut Room::default());
        let found: Vec<(String, Result<String, Unloaded>)> =
            topics("memory/MEMORY.md").into_iter().map(|(name, _, text)| (name, text)).collect();
        let one = |name: &str, text: Result<&str, Unloaded>| (name.to_owned(), text.map(str::to_owned));
        let expected = [
            one("bytes.md", Err(Unloaded::NoText)),
            one("debugging.md", Ok("topic")),
            one("long.md", Err(Unloaded::TooLarge)),
            one("old.md", Ok("caf\u{fffd}")),
            one("web/MEMORY.md", Ok("no index")),
            one("web/css.txt", Ok("below")),
        ];
        assert_eq!(found, expected);
        assert!(topics("nowhere/at/all/MEMORY.md").is_empty());
    }

    #[test]
    fn a_skill_comes_with_texts_of_any_ending_and_all_of_them_share_the_room() {
        let folder = tempfile::tempdir().expect("a folder");
        let root = folder.path();
        for name in ["pdf/SKILL.md", "pdf/forms.md", "pdf/scripts/fill.py", "pdf/LICENSE", "xls/SKILL.md", "xls/a.py"] {
            write(root, name, name);
        }
        let mut room = Room { files: 3, bytes: 1_000 };
        let mut names = |file: &str| -> Vec<(String, bool)> {
            let found = texts_beside(&root.join(file), None, &mut room).into_iter();
            found.map(|(name, _, text)| (name, text.is_ok())).collect()
        };
        let all = ["LICENSE", "forms.md", "scripts/fill.py"].map(|name| (name.to_owned(), true));
        assert_eq!(names("pdf/SKILL.md"), all);
        assert_eq!(names("xls/SKILL.md"), [("a.py".to_owned(), false)]);
    }
}
