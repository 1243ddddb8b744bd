//! Names out of paths and addresses, whichever sign their system puts between the parts.

/// A file's name: what stands behind the last separator; nothing for a folder that ends in one.
#[must_use]
pub fn file_name(path: &str) -> &str {
    path.rsplit(['/', '\\']).next().unwrap_or(path)
}

/// The path of a file beside another.
#[must_use]
pub fn beside(path: &str, name: &str) -> String {
    format!("{}{name}", path.strip_suffix(file_name(path)).unwrap_or_default())
}

/// The last part of a path or address that says something; all of it where none does.
#[must_use]
pub fn last_part(path: &str) -> &str {
    let last = file_name(path.trim_end_matches(['/', '\\']));
    if last.is_empty() { path } else { last }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_last_part_of_a_name_is_shown() {
        let parts = ["/a/b.pdf", "C:\\a\\b.pdf", "https://a.example/", "/"].map(last_part);
        assert_eq!(parts, ["b.pdf", "b.pdf", "a.example", "/"]);
        let beside = ["/a/b.pdf", "a\\b.pdf", "b.pdf", "a/"].map(|path| beside(path, "c"));
        assert_eq!(beside, ["/a/c", "a\\c", "c", "a/c"]);
        assert_eq!((file_name("a/b.pdf"), file_name("a/")), ("b.pdf", ""));
    }
}
