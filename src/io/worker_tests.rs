//! Workers as they should be and as they should not, and who watches them.

use super::*;

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
        let done = Converter { program, bounds }.collect(&job).unwrap();
        done.notes.first().map(|note| note.message.clone()).unwrap_or_default()
    };
    assert!(complaint("overworked", "kill -s XCPU $$").contains("too much processor time"));
    let breathes = "for i in 1 2 3 4 5 6 7 8; do echo '{\"progress\":[1,2]}'; sleep 0.2; done";
    assert_eq!(complaint("breathes", breathes), "");
    for (name, script) in [("idle", "exec sleep 20"), ("busy", "while :; do :; done")] {
        assert!(complaint(name, script).contains("fell silent"), "{name}");
    }
}

#[test]
fn pieces_that_were_cut_off_are_left_out() {
    let lines = b"{\"text\":\"a\"}\n{\"fact\":[\"b\",\"c\"]}\n{\"text\":\"cut";
    let mut pieces = Vec::new();
    read_pieces(&lines[..], |piece| {
        pieces.push(piece);
        true
    });
    assert_eq!(pieces, [Piece::Text("a".into()), Piece::Fact("b".into(), "c".into())]);
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
