//! The files beside a transcript: subagents' logs, persisted outputs. Links out of the folder are not followed; of what
//! lies elsewhere only the folders of other days are looked into, where the folder is a day's.

use std::cmp::Ordering;
use std::fs;
use std::path::{Component, Path, PathBuf};
use std::sync::Arc;

use crate::content::{ReadAt, Watch};
use crate::transcript::Siblings;

use super::open::open_file;
use super::spool::head;

/// From a day's folder to that of the years.
const UP: &str = "../../../";
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

    /// A path below the folder, or in the folder of another day; `None` for any other.
    fn inside(&self, name: &str) -> Option<PathBuf> {
        let below = |path: &Path| path.components().all(|part| matches!(part, Component::Normal(_)));
        if let Some(other) = name.strip_prefix(UP) {
            let parts: Vec<&str> = other.split('/').collect();
            let [year, month, day, file] = *parts.as_slice() else { return None };
            let is_day = is_digits(year, 4) && is_digits(month, 2) && is_digits(day, 2) && below(Path::new(file));
            return is_day.then(|| Some(self.days()?.0.join(other))).flatten();
        }
        below(Path::new(name)).then(|| self.folder.join(name))
    }

    /// Where the folder is a day's: the folder of the years, and the day (`2026/02/23`).
    fn days(&self) -> Option<(PathBuf, String)> {
        let mut folder = fs::canonicalize(&self.folder).ok()?;
        let mut day = String::new();
        for digits in [2, 2, 4] {
            let part = folder.file_name()?.to_str().filter(|name| is_digits(name, digits))?;
            day = if day.is_empty() { part.to_owned() } else { format!("{part}/{day}") };
            folder.pop();
        }
        Some((folder, day))
    }

    /// A file of those, if it is one and no link.
    fn file(&self, name: &str) -> Option<PathBuf> {
        self.inside(name).filter(|path| fs::symlink_metadata(path).is_ok_and(|about| about.is_file()))
    }
}

/// So many bytes of a file's beginning, unpacked; all where it is no longer.
///
/// # Errors
/// Where it cannot be read.
pub fn head_of(path: &Path, bytes: usize) -> std::io::Result<Vec<u8>> {
    head(fs::File::open(path)?, bytes)
}

fn is_digits(name: &str, digits: usize) -> bool {
    name.len() == digits && name.bytes().all(|byte| byte.is_ascii_digit())
}

/// The folders in a folder whose names are so many digits, in order.
fn dated(folder: &Path, digits: usize) -> Vec<String> {
    let entries = fs::read_dir(folder).into_iter().flatten().flatten();
    let folders = entries.filter(|entry| entry.file_type().is_ok_and(|kind| kind.is_dir()));
    let mut names: Vec<String> = folders.filter_map(|entry| entry.file_name().into_string().ok()).collect();
    names.retain(|name| is_digits(name, digits));
    names.sort();
    names
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

    fn other_days(&self, when: Ordering) -> Vec<String> {
        let (mut days, mut found) = (Vec::new(), Vec::new());
        let Some((root, own)) = self.days() else { return found };
        // Whether a year, a month of it, or a day of that is or may hold one of those days.
        let may = |date: &str| {
            let side = own.get(..date.len()).map(|own| date.cmp(own));
            side.is_some_and(|side| side == when || side.is_eq() && date.len() < own.len())
        };
        for year in dated(&root, 4).into_iter().filter(|year| may(year)) {
            for month in dated(&root.join(&year), 2).into_iter().map(|month| format!("{year}/{month}")) {
                if !may(&month) {
                    continue;
                }
                days.extend(dated(&root.join(&month), 2).into_iter().map(|day| format!("{month}/{day}")));
            }
        }
        days.retain(|day| may(day));
        // The nearest first: there may be more than are looked at.
        if when.is_lt() {
            days.reverse();
        }
        for day in days {
            walk(&root.join(&day), &format!("{UP}{day}"), DEPTH_MAX, &mut found);
        }
        found.sort();
        found
    }

    fn open(&self, name: &str) -> Option<Arc<dyn ReadAt>> {
        Some(open_file(&self.file(name)?, &Watch::default()).ok()?.0)
    }

    fn head(&self, name: &str, bytes: usize) -> Option<Vec<u8>> {
        head_of(&self.file(name)?, bytes).ok()
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

#[cfg(test)]
mod tests {
    use std::io::Write;

    use super::*;
    use crate::io::open;

    const CHILD: &str = "019c8a4c-ed82-79a1-aa28-7738fc5ab61a";

    #[test]
    fn a_subagent_of_a_later_day_is_found_though_it_is_packed() {
        let root = tempfile::tempdir().unwrap();
        let day = |day: &str| root.path().join("sessions").join(day);
        for name in ["2025/12/30", "2025/12/31", "2026/01/02"] {
            fs::create_dir_all(day(name)).unwrap();
        }
        let meta = |id: &str, source: &str| {
            format!(r#"{{"type":"session_meta","payload":{{"id":"{id}","cwd":"/w","cli_version":"0.147.0"{source}}}}}"#)
        };
        let item = |payload: &str| format!("{{\"type\":\"response_item\",\"payload\":{payload}}}");
        let main = [
            meta("s1", ""),
            item(r#"{"type":"function_call","name":"spawn_agent","arguments":"{}","call_id":"c1"}"#),
            format!(
                r#"{{"type":"event_msg","payload":{{"type":"sub_agent_activity","event_id":"c1","agent_thread_id":"{CHILD}","kind":"started"}}}}"#
            ),
        ];
        let path = day("2025/12/31").join("rollout-2025-12-31T23-59-00-s1.jsonl");
        fs::write(&path, main.join("\n")).unwrap();
        let source = r#","source":{"subagent":{"thread_spawn":{"parent_thread_id":"s1"}}}"#;
        let said = r#"{"type":"message","role":"assistant","content":[{"type":"output_text","text":"seen"}]}"#;
        let mut packed = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
        packed.write_all([meta(CHILD, source), item(said)].join("\n").as_bytes()).unwrap();
        let file = format!("rollout-2026-01-02T00-01-00-{CHILD}.jsonl.gz");
        fs::write(day("2026/01/02").join(&file), packed.finish().unwrap()).unwrap();
        // Codex packs what is old with Zstandard.
        let text = [meta(CHILD, source), item(said)].join("\n");
        let packed = ruzstd::encoding::compress_to_vec(text.as_bytes(), ruzstd::encoding::CompressionLevel::Fastest);
        let zipped = root.path().join("rollout.jsonl.zst");
        fs::write(&zipped, packed).unwrap();
        assert_eq!(head_of(&zipped, 1 << 20).unwrap(), text.as_bytes());
        assert!(crate::transcript::is_side_rollout(&head_of(&zipped, 1 << 20).unwrap()));
        // What began before is not looked at.
        fs::write(day("2025/12/30").join(&file), "").unwrap();

        let beside = FolderSiblings::of(&path);
        assert_eq!(beside.other_days(Ordering::Greater), [format!("../../../2026/01/02/{file}")]);
        assert_eq!(beside.other_days(Ordering::Less), [format!("../../../2025/12/30/{file}")]);
        assert!(beside.open("../../../2026/01/../x").is_none());
        assert_eq!(beside.head(&format!("../../../2026/01/02/{file}"), 7).unwrap(), b"{\"type\"");
        let opened = open(&path, None, &Watch::default()).unwrap_or_else(|why| panic!("{why}"));
        assert_eq!(opened.transcript.threads.len(), 2);
    }

    #[test]
    fn what_a_session_goes_on_from_is_found_though_it_is_of_an_earlier_day() {
        let root = tempfile::tempdir().unwrap();
        let day = |day: &str| root.path().join("sessions").join(day);
        let record = |kind: &str, payload: &str| format!("{{\"type\":\"{kind}\",\"payload\":{payload}}}\n");
        let said = |text: &str| {
            record(
                "response_item",
                &format!(r#"{{"type":"message","role":"user","content":[{{"type":"input_text","text":"{text}"}}]}}"#),
            )
        };
        let older = record("session_meta", &format!(r#"{{"id":"{CHILD}"}}"#)) + &said("before");
        let base = format!(r#"{{"thread_id":"{CHILD}","end_byte_offset":{}}}"#, older.len());
        let newer = record("session_meta", &format!(r#"{{"id":"s2","history_base":{base}}}"#)) + &said("now");
        for (name, file, text) in [
            ("2025/12/30", format!("rollout-2025-12-30T00-01-00-{CHILD}.jsonl"), older + &said("after")),
            ("2026/01/02", "rollout-2026-01-02T00-01-00-s2.jsonl".to_owned(), newer),
        ] {
            fs::create_dir_all(day(name)).unwrap();
            fs::write(day(name).join(file), text).unwrap();
        }
        let path = day("2026/01/02").join("rollout-2026-01-02T00-01-00-s2.jsonl");
        let opened = open(&path, None, &Watch::default()).unwrap_or_else(|why| panic!("{why}"));
        let text = |block: &crate::model::Block| opened.sources.body_text(&block.body).unwrap();
        assert_eq!(opened.transcript.blocks.iter().map(text).collect::<Vec<_>>(), ["before", "now"]);
    }
}
