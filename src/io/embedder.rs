//! Added embedding models in a process of their own. It is started with an environment in which their library neither
//! writes nor sends anything about its use, and a library that fails ends nothing else.
//!
//! The process is this program, called with [`EMBEDDER_ARGUMENT`]. It reads which model is wanted, tells whether it could
//! load it, then reads texts and tells their vectors, one JSON value a line, until nobody asks any more.

use std::io::{self, BufRead, BufReader, Read, Write};
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};
use std::sync::{Arc, Mutex, PoisonError};

use serde::{Deserialize, Serialize};

use crate::chunk::{EmbedError, Embedder, ModelId};
use crate::content::Watch;

use super::onnx::OnnxModel;

/// The first argument that makes this program an embedder.
pub(super) const EMBEDDER_ARGUMENT: &str = "--embedding-worker";
/// The variable by which ONNX Runtime is told, before it is loaded, to keep no record of its use.
pub(super) const QUIET: &str = "ORT_DISABLE_TELEMETRY";
/// Bytes of a line that is read.
const LINE_MAX: u64 = 64 << 20;

/// Which model is wanted.
#[derive(Serialize, Deserialize)]
struct Wanted {
    name: String,
    folder: PathBuf,
    library: PathBuf,
}

/// What the process tells.
#[derive(Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
enum Told {
    /// It is loaded: its hash, and the numbers in a vector.
    Ready([u8; 32], usize),
    /// The bits of a text's vector: decimal figures might come back as others.
    Vector(Vec<u32>),
    /// What is the matter.
    Failed(String),
}

/// An added model.
pub(super) struct AddedModel {
    process: Mutex<Process>,
    id: ModelId,
}

/// The process of a model; it ends with this.
struct Process {
    child: Child,
    to: ChildStdin,
    from: BufReader<ChildStdout>,
}

impl AddedModel {
    /// Starts `program` as an embedder, and lets it load the library and the model of a folder.
    ///
    /// # Errors
    /// What is the matter with any of them.
    pub fn load(program: &Path, name: &str, folder: &Path, library: &Path) -> Result<AddedModel, String> {
        let mut process = Process::start(program).map_err(|why| format!("its process cannot be started: {why}"))?;
        let wanted = Wanted { name: name.to_owned(), folder: folder.to_owned(), library: library.to_owned() };
        match process.ask(&wanted)? {
            Told::Ready(hash, dimensions) => {
                let id = ModelId { name: name.to_owned(), hash, dimensions };
                Ok(AddedModel { process: Mutex::new(process), id })
            }
            Told::Failed(why) => Err(why),
            Told::Vector(_) => Err("its process answers what it was not asked".to_owned()),
        }
    }
}

impl Process {
    fn start(program: &Path) -> io::Result<Process> {
        let mut command = Command::new(program);
        command.arg(EMBEDDER_ARGUMENT).env(QUIET, "1");
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::null());
        // Ctrl-C is for the one who asks, which may want to show what it has; this process ends when its input does.
        #[cfg(unix)]
        std::os::unix::process::CommandExt::process_group(&mut command, 0);
        let mut child = command.spawn()?;
        match (child.stdin.take(), child.stdout.take()) {
            (Some(to), Some(from)) => Ok(Process { child, to, from: BufReader::new(from) }),
            _ => Err(io::ErrorKind::BrokenPipe.into()),
        }
    }

    /// Sends one value and waits for what is told of it.
    fn ask(&mut self, what: &impl Serialize) -> Result<Told, String> {
        // Where that fails it has ended, as the end of what it tells shows.
        let _ = write_line(&mut self.to, what);
        let mut line = Vec::new();
        loop {
            line.clear();
            match self.from.by_ref().take(LINE_MAX).read_until(b'\n', &mut line) {
                Ok(1..) => {}
                _ => return Err("its process ended".to_owned()),
            }
            // A library may print what it likes.
            if let Ok(told) = serde_json::from_slice(&line) {
                return Ok(told);
            }
        }
    }
}

impl Drop for Process {
    fn drop(&mut self) {
        // Either may fail only where it has ended already.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

impl Embedder for AddedModel {
    fn model(&self) -> &ModelId {
        &self.id
    }

    fn embed(&self, texts: &[&str], watch: &Watch, give: &mut dyn FnMut(usize, Arc<[f32]>)) -> Result<(), EmbedError> {
        let failed = |why: String| EmbedError::Run { name: self.id.name.clone(), why };
        for (number, text) in texts.iter().enumerate() {
            if watch.is_cancelled() {
                break;
            }
            let told = self.process.lock().unwrap_or_else(PoisonError::into_inner).ask(text);
            match told.map_err(failed)? {
                Told::Vector(bits) if bits.len() == self.id.dimensions => {
                    give(number, bits.into_iter().map(f32::from_bits).collect());
                }
                Told::Failed(why) => return Err(failed(why)),
                Told::Ready(..) | Told::Vector(_) => {
                    return Err(failed("it gave vectors of another size".to_owned()));
                }
            }
        }
        Ok(())
    }
}

fn write_line(to: &mut impl Write, what: &impl Serialize) -> io::Result<()> {
    let mut line = serde_json::to_vec(what)?;
    line.push(b'\n');
    to.write_all(&line)?;
    to.flush()
}

/// Loads the model that standard input names, then embeds what it reads from there.
pub(super) fn serve() -> io::Result<()> {
    let (mut input, mut output) = (io::stdin().lock(), io::stdout().lock());
    let mut line = Vec::new();
    input.by_ref().take(LINE_MAX).read_until(b'\n', &mut line)?;
    let wanted: Wanted = serde_json::from_slice(&line)?;
    // Whoever starts it otherwise would have the library write and send.
    if std::env::var_os(QUIET).is_none_or(|set| set != "1") {
        return Err(io::Error::other("it is not started by this program"));
    }
    let mut model = match OnnxModel::load(&wanted.name, &wanted.folder, &wanted.library) {
        Ok(model) => model,
        Err(why) => return write_line(&mut output, &Told::Failed(why)),
    };
    write_line(&mut output, &Told::Ready(model.id.hash, model.id.dimensions))?;
    loop {
        line.clear();
        if input.by_ref().take(LINE_MAX).read_until(b'\n', &mut line)? == 0 {
            return Ok(());
        }
        let text: String = serde_json::from_slice(&line)?;
        let told = match model.embed(&text) {
            Ok(vector) => Told::Vector(vector.iter().map(|number| number.to_bits()).collect()),
            Err(why) => Told::Failed(why),
        };
        write_line(&mut output, &told)?;
    }
}

#[cfg(unix)]
#[cfg(test)]
mod tests {
    use super::*;

    /// A program that does what a script says.
    fn program(folder: &Path, script: &str) -> PathBuf {
        let program = folder.join("program");
        // Written by another process: a file that this one has open may not be started.
        let write = "printf '#!/bin/sh\\n%s\\n' \"$1\" > \"$0\" && chmod +x \"$0\"";
        let written = Command::new("/bin/sh").arg("-c").arg(write).arg(&program).arg(script).status();
        assert!(written.unwrap().success());
        program
    }

    #[test]
    fn the_library_is_told_to_keep_quiet_before_it_is_loaded() {
        let folder = tempfile::tempdir().unwrap();
        let ready = format!("{{\"ready\":[{:?},2]}}", [7; 32]);
        let script = format!(
            "[ \"$ORT_DISABLE_TELEMETRY\" = 1 ] && [ \"$1\" = --embedding-worker ] || exit 1\nread wanted\n\
             echo a word of the library\necho '{ready}'\nread text\necho '{{\"vector\":[0,1065353216]}}'\nread text\n\
             echo '{{\"failed\":\"no more\"}}'"
        );
        let program = program(folder.path(), &script);
        let model = AddedModel::load(&program, "mine", Path::new("folder"), Path::new("library")).unwrap();
        assert_eq!((model.model().dimensions, model.model().hash), (2, [7; 32]));
        let mut given = Vec::new();
        let failed = model.embed(&["one", "two"], &Watch::default(), &mut |_, vector| given.push(vector));
        assert_eq!(given, [Arc::<[f32]>::from([0.0, 1.0])]);
        assert!(failed.unwrap_err().to_string().contains("no more"));
        assert!(model.embed(&["three"], &Watch::default(), &mut |_, _| {}).is_err(), "it has ended");
    }

    #[test]
    fn a_process_that_fails_is_an_error() {
        let folder = tempfile::tempdir().unwrap();
        let load = |program: &Path| AddedModel::load(program, "mine", Path::new("folder"), Path::new("library"));
        assert!(load(&folder.path().join("none")).is_err());
        assert!(load(&program(folder.path(), "exit 1")).is_err());
    }
}
