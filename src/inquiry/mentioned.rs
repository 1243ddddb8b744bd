//! Whether a text names a file.

/// Whether a text names a file by its path, or by how that goes on from a folder.
pub(super) fn mentions(text: &str, path: &str, folder: &str) -> bool {
    let below = path.strip_prefix(folder.trim_end_matches('/')).and_then(|rest| rest.strip_prefix('/'));
    // A name alone may be any word, unless it has an end of its own.
    let below = below.filter(|below| !folder.is_empty() && below.contains(['/', '.']));
    let whole = Some(path).filter(|path| path.contains(['/', '.']));
    [whole, below].into_iter().flatten().any(|name| stands_in(text, name))
}

/// Whether a path stands in a text, and is no part of another one.
fn stands_in(text: &str, path: &str) -> bool {
    let goes_on = |sign: char| sign.is_alphanumeric() || matches!(sign, '_' | '-' | '/' | '~');
    !path.is_empty()
        && text.match_indices(path).any(|(at, _)| {
            let before = text.get(..at).unwrap_or_default();
            let before = before.strip_suffix("./").filter(|rest| !rest.ends_with('.')).unwrap_or(before);
            let behind = text.get(at + path.len()..).unwrap_or_default();
            // A dot ends a sentence, or goes on in a name.
            let dot = behind.strip_prefix('.').is_some_and(|rest| rest.starts_with(char::is_alphanumeric));
            !before.ends_with(|sign| goes_on(sign) || sign == '.') && !behind.starts_with(goes_on) && !dot
        })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_is_named_by_its_whole_path_or_from_the_folder_on() {
        let path = "/w/src/a.rs";
        for text in ["See /w/src/a.rs.", "`src/a.rs` has it", "src/a.rs:12 says", "(./src/a.rs)", "\"/w/src/a.rs\""] {
            assert!(mentions(text, path, "/w"), "{text}");
        }
        for text in ["a.rs", "lib/src/a.rs", "src/a.rs.bak", "src/a.rsx", "/v/w/src/a.rs", "../src/a.rs", "src/a"] {
            assert!(!mentions(text, path, "/w"), "{text}");
        }
        assert!(mentions("the notes.md there", "/w/notes.md", "/w") && !mentions("make it", "/w/make", "/w"));
        assert!(!mentions("src/a.rs", path, "") && !mentions("", "", ""));
    }
}
