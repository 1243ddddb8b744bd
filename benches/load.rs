//! How fast the main work is: reading a session, and counting.

use std::hint::black_box;
use std::time::Duration;

use criterion::{BenchmarkId, Criterion, SamplingMode, Throughput, criterion_group, criterion_main};
use windowpane::content::{Sources, Watch, hash};
use windowpane::engine::{Known, recorded};
use windowpane::model::{Body, Coding, SourceId, SourceKind, Span, ThreadId};
use windowpane::tokens::{Counter, Counts, Encoding, ImageRule};
use windowpane::transcript::{Input, read};

mod recording;

/// Bytes of text that are counted.
const SIZE: usize = 12 << 20;

/// Text of the kinds that sessions hold, the same each time: prose, code, JSON, paths, numbers, other scripts.
fn text(size: usize) -> String {
    const WORDS: &[&str] = &[
        "the window ",
        "holds ",
        "results ",
        "of tools, ",
        "which ",
        "nobody ",
        "reads again. ",
        "fn count(text: &str) -> u64 {\n    ",
        "let total = ",
        "match self.state {\n        ",
        "} else {\n    ",
        "return None;\n",
        "{\"path\": \"src/tokens/",
        "\", \"line\": ",
        "}\n",
        "/home/user/project/node_modules/",
        "warning: unused variable `",
        "0x7f3a",
        "    at Object.<anonymous> (",
        "größer ",
        "日本語の文 ",
        "\n\n",
        "- [ ] ",
        "// ",
        "http://localhost:8080/",
        "\t\t",
        "ERROR ",
        "2026-01-02T03:04:05Z ",
        "🙂 ",
    ];
    let mut made = String::with_capacity(size + 64);
    let mut state = 0x2545_f491_4f6c_dd1du64;
    while made.len() < size {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        let word = usize::try_from(state % WORDS.len() as u64).unwrap_or(0);
        made.push_str(WORDS.get(word).copied().unwrap_or_default());
        if state.is_multiple_of(11) {
            made.push_str(&(state >> 40).to_string());
        }
    }
    made
}

/// The text as blocks of the sizes that sessions have: many small ones, some large.
fn blocks(text: &str) -> (Sources, Vec<Body>) {
    let mut sources = Sources::default();
    let source = sources.add_memory("bench", SourceKind::Transcript, text.as_bytes().to_vec());
    let mut bodies = Vec::new();
    let mut start = 0;
    while start < text.len() {
        let size = [200, 900, 4_000, 30_000][bodies.len() % 4];
        let end = (start + size..text.len()).find(|end| text.is_char_boundary(*end)).unwrap_or(text.len());
        let part = &text[start..end];
        let span = Span { source, start: start as u64, end: end as u64, coding: Coding::Plain };
        let chars = part.chars().count() as u64;
        bodies.push(Body::Text {
            spans: [span].into_iter().collect(),
            chars,
            hash: hash(part.as_bytes(), Coding::Plain),
        });
        start = end;
    }
    debug_assert_eq!(source, SourceId(0));
    (sources, bodies)
}

fn count(criterion: &mut Criterion) {
    let text = text(SIZE);
    let (sources, bodies) = blocks(&text);
    let bodies: Vec<&Body> = bodies.iter().collect();
    let mut group = criterion.benchmark_group("count");
    group.throughput(Throughput::Bytes(text.len() as u64)).sampling_mode(SamplingMode::Flat);
    group.sample_size(10).warm_up_time(Duration::from_secs(1)).measurement_time(Duration::from_secs(5));
    for encoding in [Encoding::O200kBase, Encoding::Cl100kBase] {
        let counter = Counter { encoding, images: ImageRule::Flat(0), exact: true };
        for cores in [1, 2] {
            let Ok(pool) = rayon::ThreadPoolBuilder::new().num_threads(cores).build() else { continue };
            let name = BenchmarkId::new(encoding.name(), format!("{cores} cores"));
            group.bench_function(name, |bencher| {
                bencher.iter(|| {
                    let counts = Counts::default();
                    pool.install(|| counts.count_blocks(&sources, &bodies, counter, &Watch::default(), |_, _| {}));
                    black_box(counts.used().len())
                });
            });
        }
    }
    group.finish();
}

/// From bytes to the recorded track, without counts.
fn load(criterion: &mut Criterion) {
    let bytes = recording::claude_code(SIZE);
    let mut group = criterion.benchmark_group("load");
    group.throughput(Throughput::Bytes(bytes.len() as u64)).sampling_mode(SamplingMode::Flat);
    group.sample_size(10).warm_up_time(Duration::from_secs(1)).measurement_time(Duration::from_secs(5));
    group.bench_function("claude_code", |bencher| {
        bencher.iter(|| {
            let mut sources = Sources::default();
            let main = sources.add_memory("bench", SourceKind::Transcript, bytes.clone());
            let input = Input { sources: &mut sources, main, siblings: None, watch: &Watch::default() };
            let Ok(transcript) = read(input, None) else { return 0 };
            let known = Known::nothing();
            let Some(thread) = transcript.thread(ThreadId(0)) else { return 0 };
            let run = recorded(&transcript, ThreadId(0), known.facts(&transcript, thread));
            black_box(run.steps.len())
        });
    });
    group.finish();
}

criterion_group!(benches, load, count);
criterion_main!(benches);
