//! Paths of the workspace as the model sees them (source 4: workspace storage): brought into one form before anything
//! is compared, and never outside.

/// Where a sandbox has the files of its session (source 4: inside sandbox containers, this mounts at `/workspace`).
pub const WORKSPACE: &str = "/workspace";
/// Bytes of a path, and of one name in it.
const PATH_MAX: usize = 1_024;
const NAME_MAX: usize = 120;
/// Names that mean devices to some systems.
const DEVICES: &[&str] = &["con", "prn", "aux", "nul", "conin$", "conout$"];

/// Why a path is refused.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum PathFault {
    /// It leads elsewhere.
    #[error("it leads out of /workspace")]
    Outside,
    /// It is longer than any that is made here.
    #[error("it is too long")]
    Long,
    /// A name in it means something else to some system.
    #[error("it has a name that is none for a file")]
    Name,
}

/// The names of a path below the workspace, `.` and `..` carried out. None for the workspace itself.
///
/// # Errors
/// See [`PathFault`].
pub fn below_workspace(path: &str) -> Result<Vec<&str>, PathFault> {
    if path.len() > PATH_MAX {
        return Err(PathFault::Long);
    }
    let mut names: Vec<&str> = Vec::new();
    for name in path.strip_prefix('/').ok_or(PathFault::Outside)?.split('/') {
        match name {
            "" | "." => {}
            ".." => _ = names.pop().ok_or(PathFault::Outside)?,
            name => names.push(name),
        }
    }
    match names.split_first() {
        Some((first, rest)) if format!("/{first}") == WORKSPACE => {
            if rest.iter().all(|name| is_name(name)) {
                Ok(rest.to_vec())
            } else {
                Err(PathFault::Name)
            }
        }
        _ => Err(PathFault::Outside),
    }
}

/// Whether a name is that of a file on every system: no separator, no stream, no device, nothing hidden at its end.
#[must_use]
pub fn is_name(name: &str) -> bool {
    let stem = name.split('.').next().unwrap_or_default().to_ascii_lowercase();
    let numbered = stem.strip_prefix("com").or_else(|| stem.strip_prefix("lpt"));
    let device = DEVICES.contains(&stem.as_str()) || numbered.is_some_and(|rest| rest.chars().count() == 1);
    let sign = |sign: char| sign.is_control() || matches!(sign, '/' | '\\' | ':' | '*' | '?' | '"' | '<' | '>' | '|');
    !name.is_empty() && name.len() <= NAME_MAX && !device && !name.contains(sign) && !name.ends_with(['.', ' '])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paths_are_brought_into_one_form_before_they_are_compared() {
        for (path, names) in [
            ("/workspace", &[][..]),
            ("/workspace/a.csv", &["a.csv"]),
            ("//workspace//./b/../a.csv", &["a.csv"]),
            ("/workspace/../workspace/a", &["a"]),
            ("/etc/../workspace/a", &["a"]),
            ("/workspace/…/ä b.txt", &["…", "ä b.txt"]),
        ] {
            assert_eq!(below_workspace(path).as_deref(), Ok(names), "{path}");
        }
    }

    #[test]
    fn nothing_leads_outside() {
        for path in [
            "",
            "/",
            "a",
            "workspace/a",
            "/workspace/..",
            "/workspace/../etc/passwd",
            "/workspace2/a",
            "/workspace-x",
            "/workspace/a/../../b",
            "/..",
            "/workspace/../../workspace/a",
            "/Workspace/a",
            "~/a",
            "C:\\a",
        ] {
            assert_eq!(below_workspace(path), Err(PathFault::Outside), "{path}");
        }
        for path in [
            "/workspace/..\\..\\a",
            "/workspace/C:/a",
            "/workspace/a:stream",
            "/workspace/a\0b",
            "/workspace/a\nb",
            "/workspace/nul",
            "/workspace/CON.txt",
            "/workspace/com1.log",
            "/workspace/a.",
            "/workspace/a ",
            "/workspace/a*",
        ] {
            assert_eq!(below_workspace(path), Err(PathFault::Name), "{path}");
        }
        assert_eq!(below_workspace(&format!("/workspace/{}", "a/".repeat(600))), Err(PathFault::Long));
        assert_eq!(below_workspace(&format!("/workspace/{}", "a".repeat(121))), Err(PathFault::Name));
    }
}
