//! Workers as they should be and as they should not, and who watches them.

use std::process::Command;

use super::*;
use crate::content::MemoryBytes;

/// A program that does what a script says.
#[cfg(unix)]
fn program(folder: &Path, name: &str, script: &str) -> PathBuf {
    let program = folder.join(name);
    // Written by another process: a file that this one has open may not be started.
    let write = "printf '#!/bin/sh\\n%s\\n' \"$1\" > \"$0\" && chmod +x \"$0\"";
    let written = Command::new("/bin/sh").arg("-c").arg(write).arg(&program).arg(script).status();
    assert!(written.unwrap().success());
    program
}

#[test]
fn the_memory_of_a_process_can_be_told() {
    assert!(memory_of(std::process::id()) > 1 << 20);
    assert_eq!(memory_of(u32::MAX), 0);
}

#[test]
fn work_is_told_and_what_is_not_there_counts_as_overworked() {
    assert!(work_of(std::process::id()) < Duration::from_secs(100_000));
    assert_eq!(work_of(u32::MAX), Duration::MAX);
}

#[cfg(unix)]
#[test]
fn a_worker_that_gives_a_sign_of_life_is_let_work_and_a_silent_one_is_ended() {
    let folder = tempfile::tempdir().unwrap();
    let complaint = |name: &str, script: &str| {
        let program = program(folder.path(), name, script);
        let bounds = Bounds { silence: Duration::from_millis(500), ..Bounds::default() };
        let (bytes, watch) = (MemoryBytes(b"PK\x03\x04".to_vec()), Watch::default());
        let job = Job { name: "a.docx", path: None, bytes: &bytes, limits: None, max_bytes: 1, watch: &watch };
        let done = Converter { bounds, ..Converter::new(program) }.collect(&job).unwrap();
        done.notes.first().map(|note| note.message.clone()).unwrap_or_default()
    };
    assert!(complaint("overworked", "kill -s XCPU $$").contains("too much processor time"));
    let breathes = "for i in 1 2 3 4 5 6 7 8; do echo '{\"progress\":[1,2]}'; sleep 0.2; done; echo ..";
    assert_eq!(complaint("breathes", breathes), "");
    for (name, script) in [("idle", "exec sleep 20"), ("busy", "while :; do :; done")] {
        assert!(complaint(name, script).contains("fell silent"), "{name}");
    }
}

#[cfg(unix)]
#[test]
fn a_worker_tells_how_far_it_is_and_ends_when_it_is_not_wanted_any_more() {
    let folder = tempfile::tempdir().unwrap();
    let program = program(folder.path(), "slow", "echo '{\"progress\":[1,4]}'; exec sleep 50");
    let bytes = MemoryBytes([b"PK\x03\x04".to_vec(), vec![0; 396]].concat());
    let (watch, begun) = (Watch::default(), Instant::now());
    let done = thread::scope(|scope| {
        let watch = &watch;
        scope.spawn(move || {
            // A quarter of what it says is a quarter of the document's bytes.
            while watch.progress() != (100, 400) && begun.elapsed() < Duration::from_secs(30) {
                thread::sleep(Duration::from_millis(5));
            }
            watch.cancel();
        });
        let job = Job { name: "a.docx", path: None, bytes: &bytes, limits: None, max_bytes: 1, watch };
        Converter::new(program).collect(&job)
    });
    assert_eq!((done, watch.progress()), (Err(Stop::Cancelled), (100, 400)));
    assert!(begun.elapsed() < Duration::from_secs(25));
}

#[cfg(unix)]
#[test]
fn what_a_worker_had_to_say_is_said_where_it_ends_before() {
    let folder = tempfile::tempdir().unwrap();
    let unsaid = "echo '{\"unsaid\":{\"message\":\"it is cut off; nothing is left\"}}'; ";
    let said = "echo '{\"note\":{\"message\":\"it is cut off; nothing is left\"}}'; ";
    for (name, more, count) in [("nothing-more", "", 1), ("said", said, 1), ("text", "echo =4; echo abc; ", 0)] {
        let program = program(folder.path(), name, &format!("{unsaid}{more}kill -s ABRT $$"));
        let (bytes, watch) = (MemoryBytes(b"PK\x03\x04".to_vec()), Watch::default());
        let job = Job { name: "a.docx", path: None, bytes: &bytes, limits: None, max_bytes: 1, watch: &watch };
        let done = Converter::new(program).collect(&job).unwrap();
        let told = done.notes.iter().filter(|note| note.message == "it is cut off; nothing is left").count();
        assert_eq!((told, done.notes.len()), (count, count + 1), "{name}: {done:?}");
    }
}

/// A worker that tells its own number of each document that it is asked for, and after so many does something else than to
/// wait.
#[cfg(unix)]
fn numbered(documents: usize, last: &str) -> String {
    let one = "read line || exit; printf '{\"fact\":[\"by\",\"%s\"]}\n' $$; ";
    format!("{}{one}{last}", format!("{one}echo .; ").repeat(documents.saturating_sub(1)))
}

#[cfg(unix)]
#[test]
fn one_worker_reads_documents_until_one_brings_it_down_or_it_takes_no_more() {
    const EACH: usize = 3;
    let folder = tempfile::tempdir().unwrap();
    let path = Some(Path::new("a file"));
    for (name, last, complaint) in [
        ("aborts", "kill -s ABRT $$", "more memory"),
        ("fails", "exit 1", "its reader failed"),
        ("ends-before-it-is-done", "exit 0", "its reader failed"),
        ("says-nothing-known", "echo ?; sleep 5", "did not end"),
        ("takes-no-more", "echo ..; sleep 5", ""),
        ("is-ended-while-it-waits", "echo .; exit 0", ""),
    ] {
        let converter = Converter::new(program(folder.path(), name, &numbered(EACH, last)));
        let read = |head: &[u8], path: Option<&Path>| {
            let (bytes, watch) = (MemoryBytes(head.to_vec()), Watch::default());
            let name = if head.starts_with(b"PK") { "a.docx" } else { "a.pdf" };
            let job = Job { name, path, bytes: &bytes, limits: None, max_bytes: 1, watch: &watch };
            let done = converter.collect(&job).unwrap();
            let notes: String = done.notes.iter().map(ToString::to_string).collect();
            (done.fact("by").unwrap_or_default().to_owned(), notes)
        };
        let found: Vec<(String, String)> = (0..2 * EACH).map(|_| read(b"PK\x03\x04", path)).collect();
        for (at, (by, notes)) in found.iter().enumerate() {
            assert_eq!((by == &found[0].0, by == &found[EACH].0), (at < EACH, at >= EACH), "{name}: {found:?}");
            let is_last = (at + 1).is_multiple_of(EACH) && !complaint.is_empty();
            assert!(if is_last { notes.contains(complaint) } else { notes.is_empty() }, "{name}: {found:?}");
        }
        // What is handed over has a worker of its own, and so has a PDF.
        assert_ne!(read(b"PK\x03\x04", None).0, read(b"PK\x03\x04", None).0, "{name}");
        assert_ne!(read(b"%PDF-1.4", path).0, read(b"%PDF-1.4", path).0, "{name}");
    }
}

/// Text without an end, of which somebody has enough after some of it.
struct Endless<'a>(&'a Watch);

impl ReadAt for Endless<'_> {
    fn len(&self) -> u64 {
        1 << 40
    }

    fn read_at(&self, _: u64, buffer: &mut [u8]) -> io::Result<usize> {
        if self.0.progress().0 >= 1 << 20 {
            self.0.cancel();
        }
        buffer.fill(b'x');
        buffer.iter_mut().step_by(80).for_each(|byte| *byte = b'\n');
        Ok(buffer.len())
    }
}

#[test]
fn what_is_read_here_tells_how_far_it_is_and_ends_when_it_is_not_wanted_any_more() {
    let watch = Watch::default();
    let bytes = Endless(&watch);
    let job = Job { name: "a.txt", path: None, bytes: &bytes, limits: None, max_bytes: 1 << 30, watch: &watch };
    let done = Converter::new("no such program".into()).collect(&job);
    assert_eq!(done, Err(Stop::Cancelled));
    let (told, of) = watch.progress();
    assert!((1 << 20..2 << 20).contains(&told) && of == 1 << 40, "{told} of {of}");
}
