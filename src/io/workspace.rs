//! The workspace on disk: large results as files, a folder for each user and session (source 4), and the way between
//! the paths that the model sees and those of this machine.
//!
//! No path is trusted. It is brought into one form before it is compared with the root, and walked from there name by
//! name through open folders, so that no link is followed, whoever puts one there meanwhile.

use std::io::{self, Read, Write};
use std::path::{Component, Path, PathBuf};

use cap_fs_ext::{DirExt, FollowSymlinks, MetadataExt, OpenOptionsFollowExt, OpenOptionsSyncExt};
use cap_std::ambient_authority;
use cap_std::fs::{Dir, File, OpenOptions};
use sha2::{Digest, Sha256};

use crate::chunk::hex_of;
use crate::model::{PathFault, WORKSPACE, below_workspace, is_name};

/// Folders below the data folder, and that of what is no file of the agent's.
const FOLDER: &str = "workspaces";
const PRIVATE: &str = "_private-data";
/// Bytes of a file that are read.
const READ_MAX: u64 = 64 << 20;
/// Characters of an id that stay where it is no name.
const READABLE: usize = 40;

/// A session's workspace.
pub struct Workspace {
    data: Dir,
    root: PathBuf,
    user: String,
    session: String,
}

/// Why the workspace does not do something.
#[derive(Debug, thiserror::Error)]
pub enum WorkspaceError {
    /// The path is refused.
    #[error("{path}: {why}")]
    Path {
        /// As it was given.
        path: String,
        /// What is wrong with it.
        why: PathFault,
    },
    /// A link stands in the way.
    #[error("{0}: it is a link, and links are not followed")]
    Link(String),
    /// The system says no.
    #[error("{path}: {why}")]
    Io {
        /// What was to be read or written.
        path: String,
        /// Its words.
        why: io::Error,
    },
}

impl Workspace {
    /// The workspace of a session below a data folder. Nothing is made before something is saved.
    ///
    /// # Errors
    /// Where the data folder cannot be opened.
    pub fn open(data: &Path, user: &str, session: &str) -> Result<Workspace, WorkspaceError> {
        let failed = |why| WorkspaceError::Io { path: data.display().to_string(), why };
        // The user named this folder: what links it stands behind is their affair.
        let canonical = data.canonicalize().map_err(failed)?;
        let opened = Dir::open_ambient_dir(&canonical, ambient_authority()).map_err(failed)?;
        let (user, session) = (safe_id(user), safe_id(session));
        let root = canonical.join(FOLDER).join(&user).join(&session);
        Ok(Workspace { data: opened, root, user, session })
    }

    /// The same, to save into: the data folder is made where there is none.
    ///
    /// # Errors
    /// Where it cannot be made or opened.
    pub fn begin(data: &Path, user: &str, session: &str) -> Result<Workspace, WorkspaceError> {
        let failed = |why| WorkspaceError::Io { path: data.display().to_string(), why };
        std::fs::create_dir_all(data).map_err(failed)?;
        Workspace::open(data, user, session)
    }

    /// The folder of its files on this machine.
    #[must_use]
    pub fn root(&self) -> &Path {
        &self.root
    }

    /// Where a path that the model sees lies on this machine (source 4: `container_to_host_path`).
    ///
    /// # Errors
    /// Where it leads out of the workspace.
    pub fn to_host(&self, path: &str) -> Result<PathBuf, WorkspaceError> {
        let names = below(path)?;
        Ok(names.iter().fold(self.root.clone(), |path, name| path.join(name)))
    }

    /// What the model calls a file of this machine (source 4: `host_to_container_path`).
    ///
    /// # Errors
    /// Where it does not lie in the workspace.
    pub fn to_container(&self, path: &Path) -> Result<String, WorkspaceError> {
        let shown = path.display().to_string();
        let outside = |why| WorkspaceError::Path { path: shown.clone(), why };
        let mut plain = PathBuf::new();
        for part in path.components() {
            match part {
                Component::CurDir => {}
                Component::ParentDir if !plain.pop() => return Err(outside(PathFault::Outside)),
                Component::ParentDir => {}
                part => plain.push(part),
            }
        }
        let inner = plain.strip_prefix(&self.root).map_err(|_| outside(PathFault::Outside))?;
        let mut told = WORKSPACE.to_owned();
        for part in inner.components() {
            let name = part.as_os_str().to_str().ok_or_else(|| outside(PathFault::Name))?;
            told.push('/');
            told.push_str(name);
        }
        below(&told)?;
        Ok(told)
    }

    /// Saves a file under the path that the model sees, whole or not at all; one that is there stays, unless `force`.
    ///
    /// # Errors
    /// Where the path is refused, a link stands in the way, or the system says no.
    pub fn save(&self, path: &str, bytes: &[u8], force: bool) -> Result<PathBuf, WorkspaceError> {
        let names = below(path)?;
        let Some((name, folders)) = names.split_last() else {
            return Err(WorkspaceError::Path { path: path.to_owned(), why: PathFault::Name });
        };
        let folder = self.folder(&[FOLDER, &self.user, &self.session], folders, true, path)?;
        // What is there already as it should be stays.
        if force || self.read(path).ok().as_deref() != Some(bytes) {
            write(&folder, name, bytes, force).map_err(|why| fault(path, why))?;
        }
        self.to_host(path)
    }

    /// Saves what is known of the session beside its files, where the agent does not see it (source 4: private data).
    ///
    /// # Errors
    /// As [`Workspace::save`].
    pub fn save_private(&self, bytes: &[u8]) -> Result<PathBuf, WorkspaceError> {
        let name = format!("{}.json", self.session);
        let folder = self.folder(&[FOLDER, PRIVATE, &self.user], &[], true, &name)?;
        write(&folder, &name, bytes, true).map_err(|why| fault(&name, why))?;
        let above = self.root.parent().and_then(Path::parent).unwrap_or(&self.root);
        Ok(above.join(PRIVATE).join(&self.user).join(name))
    }

    /// Reads a file by the path that the model sees, at most 64 MB of it.
    ///
    /// # Errors
    /// As [`Workspace::save`].
    pub fn read(&self, path: &str) -> Result<Vec<u8>, WorkspaceError> {
        let mut bytes = Vec::new();
        self.file(path)?.take(READ_MAX).read_to_end(&mut bytes).map_err(|why| fault(path, why))?;
        Ok(bytes)
    }

    /// What tells a file apart by the path that the model sees: see [`file_identity`]. `None` where there is none.
    #[must_use]
    pub fn identity(&self, path: &str) -> Option<(u64, u64)> {
        identity_of(&self.file(path).ok()?)
    }

    /// Opens a file to read it.
    fn file(&self, path: &str) -> Result<File, WorkspaceError> {
        let names = below(path)?;
        let Some((name, folders)) = names.split_last() else {
            return Err(WorkspaceError::Path { path: path.to_owned(), why: PathFault::Name });
        };
        let folder = self.folder(&[FOLDER, &self.user, &self.session], folders, false, path)?;
        let about = folder.symlink_metadata(name).map_err(|why| fault(path, why))?;
        if about.is_symlink() {
            return Err(WorkspaceError::Link(path.to_owned()));
        }
        let no_file = || fault(path, io::Error::new(io::ErrorKind::InvalidInput, "it is no file"));
        if !about.is_file() {
            return Err(no_file());
        }
        // A pipe that somebody puts in its place meanwhile is not waited for.
        let mut options = OpenOptions::new();
        options.read(true).follow(FollowSymlinks::No).nonblock(true);
        let file = folder.open_with(name, &options).map_err(|why| fault(path, why))?;
        let is_file = file.metadata().map_err(|why| fault(path, why))?.is_file();
        if is_file { Ok(file) } else { Err(no_file()) }
    }

    /// Walks down from the data folder, name by name.
    fn folder(&self, fixed: &[&str], names: &[&str], make: bool, path: &str) -> Result<Dir, WorkspaceError> {
        let mut at = self.data.try_clone().map_err(|why| fault(path, why))?;
        for (number, name) in fixed.iter().chain(names).enumerate() {
            match at.symlink_metadata(name) {
                Ok(about) if about.is_symlink() => {
                    // As the model sees it, or as it is called beside the folders that are not the model's.
                    let below = names.get(..(number + 1).saturating_sub(fixed.len())).unwrap_or_default();
                    let told = below.iter().fold(WORKSPACE.to_owned(), |path, name| format!("{path}/{name}"));
                    return Err(WorkspaceError::Link(if below.is_empty() { (*name).to_owned() } else { told }));
                }
                Ok(_) => {}
                Err(why) if make && why.kind() == io::ErrorKind::NotFound => {
                    let made = at.create_dir(name);
                    made.or_else(|why| if why.kind() == io::ErrorKind::AlreadyExists { Ok(()) } else { Err(why) })
                        .map_err(|why| fault(path, why))?;
                }
                Err(why) => return Err(fault(path, why)),
            }
            at = at.open_dir_nofollow(name).map_err(|why| fault(path, why))?;
        }
        Ok(at)
    }
}

/// What tells a file of this machine from all others, whatever names it has: its device and its number there. `None`
/// where it is none that can be read.
#[must_use]
pub fn file_identity(path: &Path) -> Option<(u64, u64)> {
    // Opening what is no file may wait for ever.
    let plain = std::fs::metadata(path).is_ok_and(|about| about.is_file());
    let file = std::fs::File::open(path).ok().filter(|_| plain)?;
    identity_of(&File::from_std(file))
}

fn identity_of(file: &File) -> Option<(u64, u64)> {
    file.metadata().ok().map(|about| (about.dev(), about.ino()))
}

fn below(path: &str) -> Result<Vec<&str>, WorkspaceError> {
    below_workspace(path).map_err(|why| WorkspaceError::Path { path: path.to_owned(), why })
}

fn fault(path: &str, why: io::Error) -> WorkspaceError {
    let why = match why.kind() {
        io::ErrorKind::AlreadyExists => io::Error::new(why.kind(), "it is there already, and says something else"),
        _ => why,
    };
    WorkspaceError::Io { path: path.to_owned(), why }
}

/// Writes a file under another name first, then gives it its own in one move.
fn write(folder: &Dir, name: &str, bytes: &[u8], force: bool) -> io::Result<()> {
    let hash = hex_of(&Sha256::digest(bytes));
    let part = format!(".{}-{}.part", hash.get(..16).unwrap_or_default(), std::process::id());
    let written = (|| {
        // One of an earlier run that was ended in the middle.
        let _ = folder.remove_file(&part);
        let mut options = OpenOptions::new();
        options.write(true).create_new(true).follow(FollowSymlinks::No);
        let mut file = folder.open_with(&part, &options)?;
        file.write_all(bytes)?;
        file.sync_all()?;
        // A second name cannot be given over a first; a move goes over it, and over a link itself, not what it names.
        if force { folder.rename(&part, folder, name) } else { folder.hard_link(&part, folder, name) }
    })();
    if written.is_err() || !force {
        // What is left of it is of no use.
        let _ = folder.remove_file(&part);
    }
    written
}

/// A user's or session's id as the name of a folder. What is no plain name is made one, told apart by its hash.
fn safe_id(id: &str) -> String {
    // Capitals are the same as small letters to some systems.
    let plain = |sign: char| sign.is_ascii_lowercase() || sign.is_ascii_digit() || matches!(sign, '-' | '_' | '.');
    let named =
        is_name(id) && id.len() <= 80 && id.chars().all(plain) && !id.starts_with(['.', '_']) && !id.starts_with("x-");
    if named {
        return id.to_owned();
    }
    let readable: String = id.chars().filter(char::is_ascii_alphanumeric).take(READABLE).collect();
    let hash = hex_of(&Sha256::digest(id.as_bytes()));
    format!("x-{readable}-{}", hash.get(..16).unwrap_or_default())
}
