//! Runs the program in a home of its own, with an empty environment, a fixed width and no colour.

use std::ffi::OsStr;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

/// A home folder that nothing else uses.
pub struct Home {
    folder: tempfile::TempDir,
    cache: PathBuf,
}

/// What a run left.
pub struct Done {
    pub code: i32,
    pub out: String,
    pub err: String,
}

impl Home {
    pub fn new() -> Home {
        Home { folder: tempfile::tempdir().unwrap(), cache: "off".into() }
    }

    /// A home in which counts are kept from one run to the next.
    pub fn with_cache() -> Home {
        let folder = tempfile::tempdir().unwrap();
        Home { cache: folder.path().join("cache"), folder }
    }

    pub fn path(&self) -> &Path {
        self.folder.path()
    }

    /// Writes a file below the home folder, which is also the working folder.
    pub fn file(&self, name: &str, bytes: impl AsRef<[u8]>) -> PathBuf {
        let path = self.path().join(name);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(&path, bytes).unwrap();
        path
    }

    pub fn command(&self) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_windowpane"));
        command.env_clear().env("HOME", self.path()).env("COLUMNS", "100").env("WINDOWPANE_CACHE", &self.cache);
        command.current_dir(self.path()).stdin(Stdio::null());
        command
    }

    pub fn run<S: AsRef<OsStr>>(&self, arguments: &[S]) -> Done {
        self.with_input(arguments, b"")
    }

    pub fn with_input<S: AsRef<OsStr>>(&self, arguments: &[S], input: &[u8]) -> Done {
        let mut command = self.command();
        command.args(arguments).stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
        let mut child = command.spawn().unwrap();
        let mut stdin = child.stdin.take().unwrap();
        let input = input.to_vec();
        // The program may end without reading all of it.
        let writer = std::thread::spawn(move || _ = stdin.write_all(&input));
        let output = child.wait_with_output().unwrap();
        writer.join().unwrap();
        let text = |bytes: Vec<u8>| String::from_utf8(bytes).expect("UTF-8");
        Done { code: output.status.code().unwrap_or(-1), out: text(output.stdout), err: text(output.stderr) }
    }
}

/// A session of the project's own.
pub fn fixture(name: &str) -> String {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("fixtures").join(name).to_string_lossy().into_owned()
}

/// The fixture put under a short name into the home folder, so that outputs are the same everywhere.
pub fn placed(home: &Home, name: &str) -> String {
    home.file(name, std::fs::read(fixture(name)).unwrap());
    name.to_owned()
}

impl Done {
    /// The output of a run that succeeded.
    pub fn good(self) -> String {
        assert_eq!(self.code, 0, "{}", self.err);
        self.out
    }
}
