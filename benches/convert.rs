//! Converting real documents in this process, a format at a time: what the readers cost without the start of a program.
//!
//! `WINDOWPANE_DATA` names a folder whose `documents` holds a folder for each format.

#![allow(missing_docs, clippy::unwrap_used, clippy::expect_used)]

use std::hint::black_box;
use std::path::{Path, PathBuf};
use std::time::Duration;

use criterion::{Criterion, SamplingMode, criterion_group, criterion_main};
use windowpane::content::{MemoryBytes, Watch};
use windowpane::document::{Conversion, Request, convert};

/// PDF is left out: its reader can bring the process down, which only a worker survives.
const FORMATS: &[&str] = &["csv", "docx", "epub", "html", "json", "pptx", "xlsx", "xml", "yaml"];

fn files(folder: &Path) -> Vec<(String, MemoryBytes)> {
    let mut paths: Vec<PathBuf> = std::fs::read_dir(folder).unwrap().flatten().map(|entry| entry.path()).collect();
    paths.sort();
    let named = |path: PathBuf| {
        let name = path.file_name()?.to_string_lossy().into_owned();
        Some((name, MemoryBytes(std::fs::read(&path).ok()?)))
    };
    paths.into_iter().filter_map(named).collect()
}

fn converting(criterion: &mut Criterion) {
    let Some(data) = std::env::var_os("WINDOWPANE_DATA") else {
        eprintln!("WINDOWPANE_DATA names no folder: there is nothing to convert");
        return;
    };
    let mut group = criterion.benchmark_group("convert");
    group.sample_size(10).sampling_mode(SamplingMode::Flat).measurement_time(Duration::from_secs(2));
    for format in FORMATS {
        let files = files(&Path::new(&data).join("documents").join(format));
        group.bench_function(format!("{} files of {format}", files.len()), |bench| {
            bench.iter(|| {
                for (name, bytes) in &files {
                    let (mut made, watch) = (Conversion::default(), Watch::default());
                    let (limits, max_bytes, second_reader_from) = (None, 64 << 20, None);
                    let request = Request { name, bytes, limits, max_bytes, second_reader_from, watch: &watch };
                    let done = convert(&request, &mut |piece| {
                        made.take(piece);
                        Ok(())
                    });
                    black_box((done.is_ok(), made));
                }
            });
        });
    }
    group.finish();
}

criterion_group!(benches, converting);
criterion_main!(benches);
