//! The files that results show, as people know them.

use super::Looked;
use crate::engine::plan::{below, paths_shown, touched_path};
use crate::inquiry::whole::Whole;
use crate::model::{BlockKind, Layer};

/// Characters of a path.
const MOST: usize = 60;
/// Of these, characters of its beginning, where it is longer.
const START: usize = 20;

/// The file that a result shows, by the call that it answers: from the session's folder on, and within a few words. `None`
/// where the result's own name is the file's, or its call names none.
pub(super) fn file_of(looked: &Looked, whole: &Whole) -> Option<String> {
    let arguments = call_of(looked, whole)?;
    let folder = looked.transcript.session.folder.as_deref().unwrap_or_default();
    let shown = |path: &str| shortened(below(path, folder).unwrap_or(path));
    let all = paths_shown(&arguments, None);
    // A command's folder may stand before a path that is there as it is written, too.
    let is_twin = |path: &String| all.iter().any(|other| path.ends_with(&format!("/{other}")));
    let mut written = all.iter().filter(|path| !is_twin(path));
    match (written.next(), written.count()) {
        (Some(first), 0) => Some(shown(first)),
        (Some(first), 1) => Some(format!("{} and another file", shown(first))),
        (Some(first), more) => Some(format!("{} and {more} other files", shown(first))),
        (None, _) => touched_path(&arguments).as_deref().map(shown),
    }
}

/// The arguments of the call that a result answers.
pub(super) fn call_of(looked: &Looked, whole: &Whole) -> Option<String> {
    let Looked { transcript, sources, .. } = *looked;
    let entry = whole.first().1;
    let key = transcript.block(entry.block()?)?.call.filter(|_| entry.layer == Layer::ToolResults)?;
    let call = transcript.blocks.iter().find(|block| block.kind == BlockKind::ToolCall && block.call == Some(key))?;
    sources.body_text(&call.body).ok()
}

/// A path within its most characters: of a longer one the beginning and, which tells more, the end.
fn shortened(path: &str) -> String {
    let length = path.chars().count();
    if length <= MOST {
        return path.to_owned();
    }
    let start: String = path.chars().take(START).collect();
    let end: String = path.chars().skip(length + START + 1 - MOST).collect();
    format!("{start}…{end}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_long_path_is_shortened_in_the_middle() {
        let path = format!("src/components/{}/tests/test_decision_verify.py", "a".repeat(60));
        let shown = shortened(&path);
        assert!(
            shown.starts_with("src/components/aaaaa…a") && shown.ends_with("/tests/test_decision_verify.py"),
            "{shown}"
        );
        assert_eq!((shown.chars().count(), shortened("src/a.rs")), (MOST, "src/a.rs".to_owned()));
    }
}
