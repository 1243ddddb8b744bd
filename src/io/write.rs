//! Files that appear whole or not at all.

use std::fs;
use std::io::{self, Write};
use std::path::{Path, PathBuf};

/// Writes a file: first under another name in the same folder, then in one move. An existing file is kept unless
/// `force` is given; then it keeps its permissions, and a link stays a link. What is no ordinary file (a pipe, a
/// device) is written to as it is.
///
/// # Errors
/// What the system reports; [`io::ErrorKind::AlreadyExists`] for an existing file without `force`.
pub fn write_whole(path: &Path, bytes: &[u8], force: bool) -> io::Result<()> {
    let target = if force { fs::canonicalize(path).unwrap_or_else(|_| path.to_owned()) } else { path.to_owned() };
    let about = fs::symlink_metadata(&target).ok();
    if let Some(about) = &about {
        if about.is_dir() {
            return Err(io::Error::new(io::ErrorKind::IsADirectory, "it is a folder"));
        }
        if !force {
            return Err(io::Error::new(io::ErrorKind::AlreadyExists, "it is there already"));
        }
        if !about.is_file() {
            return fs::OpenOptions::new().write(true).open(&target)?.write_all(bytes);
        }
    }
    let folder = match target.parent() {
        Some(folder) if !folder.as_os_str().is_empty() => folder.to_owned(),
        _ => PathBuf::from("."),
    };
    let mut builder = tempfile::Builder::new();
    builder.prefix(".windowpane-").suffix(".part");
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt;
        // What any new file gets, as the user's umask says.
        builder.permissions(fs::Permissions::from_mode(0o666));
    }
    // The system's words would name the other file, of which nobody knows.
    let mut file = builder.tempfile_in(folder).map_err(|error| match error.kind() {
        kind @ (io::ErrorKind::NotFound | io::ErrorKind::NotADirectory) => {
            io::Error::new(kind, "there is no such folder")
        }
        kind @ io::ErrorKind::PermissionDenied => io::Error::new(kind, "no file can be made in its folder"),
        kind => io::Error::new(kind, kind.to_string()),
    })?;
    file.write_all(bytes)?;
    file.as_file().sync_all()?;
    if let Some(about) = about {
        file.as_file().set_permissions(about.permissions())?;
        file.persist(&target).map_err(|error| error.error)?;
    } else {
        file.persist_noclobber(&target).map_err(|error| error.error)?;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_existing_file_is_kept_unless_forced_and_nothing_half_written_is_left() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("out.md");
        write_whole(&path, b"one", false).unwrap();
        let refused = write_whole(&path, b"two", false).unwrap_err();
        assert_eq!(refused.kind(), io::ErrorKind::AlreadyExists);
        assert_eq!(fs::read(&path).unwrap(), b"one");
        write_whole(&path, b"two", true).unwrap();
        assert_eq!(fs::read(&path).unwrap(), b"two");
        assert!(write_whole(folder.path(), b"x", true).is_err());
        let nowhere = write_whole(&folder.path().join("no/such/folder"), b"x", false).unwrap_err();
        assert_eq!(nowhere.to_string(), "there is no such folder");
        assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 1);
    }

    #[cfg(unix)]
    #[test]
    fn links_and_permissions_stay() {
        use std::os::unix::fs::PermissionsExt;
        let folder = tempfile::tempdir().unwrap();
        let (real, link) = (folder.path().join("real"), folder.path().join("link"));
        fs::write(&real, "one").unwrap();
        fs::set_permissions(&real, fs::Permissions::from_mode(0o640)).unwrap();
        std::os::unix::fs::symlink(&real, &link).unwrap();
        write_whole(&link, b"two", true).unwrap();
        assert!(fs::symlink_metadata(&link).unwrap().is_symlink());
        assert_eq!(fs::read(&real).unwrap(), b"two");
        assert_eq!(fs::metadata(&real).unwrap().permissions().mode() & 0o777, 0o640);
        assert!(write_whole(&folder.path().join("link"), b"x", false).is_err());
    }
}
