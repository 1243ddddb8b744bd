//! Each distinct content is counted once, in order, on all cores, and can be stopped.

use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};

use xxhash_rust::xxh3::xxh3_64;

use super::{Count, Counter, Counts, Encoding, ImageRule, count, estimate_body};
use crate::content::{Sources, Watch, count_chars};
use crate::model::{Body, Coding, Hidden, Media, SourceId, SourceKind, Span};

const COUNTER: Counter = Counter { encoding: Encoding::O200kBase, images: ImageRule::Flat(7), exact: true };

/// Stores texts one after the other; returns their bodies.
fn store(texts: &[&str]) -> (Sources, Vec<Body>) {
    let mut sources = Sources::default();
    let mut start = 0;
    let mut bodies = Vec::new();
    for text in texts {
        let end = start + text.len() as u64;
        let span = Span { source: SourceId(0), start, end, coding: Coding::Json };
        let chars = count_chars(text.as_bytes(), Coding::Json);
        bodies.push(Body::Text { spans: smallvec::smallvec![span], chars, hash: xxh3_64(text.as_bytes()) });
        start = end;
    }
    sources.add_memory("t", SourceKind::Transcript, texts.concat().into_bytes());
    (sources, bodies)
}

#[test]
fn text_is_counted_as_the_model_was_sent_it() {
    let (sources, bodies) = store(&["Bash", "{\\n  \\\"command\\\": 1}"]);
    let counts = Counts::default();
    let spans: crate::model::Spans = bodies.iter().flat_map(Body::spans).collect();
    let call = Body::Text { spans, chars: 24, hash: 5 };
    let counted = counts.count_body(&sources, &call, COUNTER).unwrap();
    let text = "Bash\n{\n  \"command\": 1}";
    assert_eq!(counted, Count { tokens: count(text, COUNTER.encoding), exact: true });
    assert_eq!(counts.get(&call, COUNTER), Some(counted));
    // Counted with an encoding that is not the model's own, it is an estimate, and another count.
    let other = Counter { exact: false, ..COUNTER };
    assert_eq!(counts.get(&call, other), None);
    assert_eq!(counts.count_body(&sources, &call, other).unwrap(), Count { exact: false, ..counted });
    assert_eq!(counts.get(&call, Counter { encoding: Encoding::Cl100kBase, ..COUNTER }), None);
}

#[test]
fn a_definition_counts_as_openais_models_read_it_and_elsewhere_as_its_json() {
    let json =
        r#"{"type":"function","name":"look","description":"Look","parameters":{"type":"object","properties":{}}}"#;
    let (sources, bodies) = store(&[&json.replace('"', "\\\"")]);
    let counts = Counts::default();
    let own = counts.count_body(&sources, &bodies[0], COUNTER).unwrap();
    let read = "// Look\ntype look = () => any;\n";
    assert_eq!(own, Count { tokens: count(read, COUNTER.encoding), exact: false });
    let other = counts.count_body(&sources, &bodies[0], Counter { exact: false, ..COUNTER }).unwrap();
    assert_eq!(other, Count { tokens: count(json, COUNTER.encoding), exact: false });
}

#[test]
fn each_distinct_content_is_counted_once_in_the_given_order() {
    let (sources, bodies) = store(&["one two", "", "three", "one two", "four five six"]);
    let counts = Counts::default();
    let order: Vec<&Body> = [4, 0, 3, 1, 2].iter().map(|index| &bodies[*index]).collect();
    let heard = Mutex::new(Vec::new());
    let watch = Watch::default();
    let pool = rayon::ThreadPoolBuilder::new().num_threads(1).build().unwrap();
    let failed = pool.install(|| {
        counts.count_blocks(&sources, &order, COUNTER, &watch, |index, _| heard.lock().unwrap().push(index))
    });
    assert!(failed.is_empty());
    assert_eq!(heard.into_inner().unwrap(), [0, 1, 4]);
    assert_eq!(watch.progress(), (25, 25));
    assert!(bodies.iter().all(|body| counts.get(body, COUNTER).is_some()));
    assert_eq!(counts.used().len(), 3);

    let again = AtomicUsize::new(0);
    let before = counts.changes();
    counts.count_blocks(&sources, &order, COUNTER, &Watch::default(), |_, _| _ = again.fetch_add(1, Ordering::Relaxed));
    assert_eq!((again.into_inner(), counts.changes()), (0, before));
}

#[test]
fn counting_can_be_stopped() {
    let texts: Vec<String> = (0..500).map(|number| format!("text {number}")).collect();
    let (sources, bodies) = store(&texts.iter().map(String::as_str).collect::<Vec<_>>());
    let counts = Counts::default();
    let watch = Watch::default();
    let heard = AtomicUsize::new(0);
    counts.count_blocks(&sources, &bodies.iter().collect::<Vec<_>>(), COUNTER, &watch, |_, _| {
        heard.fetch_add(1, Ordering::Relaxed);
        watch.cancel();
    });
    assert!(heard.into_inner() <= rayon::current_num_threads());
}

#[test]
fn what_cannot_be_read_is_told_and_the_rest_counted() {
    let (sources, mut bodies) = store(&["good"]);
    let span = Span { source: SourceId(0), start: 2, end: 900, coding: Coding::Plain };
    bodies.insert(0, Body::Text { spans: smallvec::smallvec![span], chars: 9, hash: 1 });
    let counts = Counts::default();
    let failed =
        counts.count_blocks(&sources, &bodies.iter().collect::<Vec<_>>(), COUNTER, &Watch::default(), |_, _| {});
    assert_eq!(failed.iter().map(|(index, _)| *index).collect::<Vec<_>>(), [0]);
    assert_eq!(counts.get(&bodies[1], COUNTER), Some(Count { tokens: 1, exact: true }));
}

#[test]
fn what_is_no_text_has_its_own_rules() {
    let (sources, _) = store(&["https:"]);
    let span = Span { source: SourceId(0), start: 0, end: 6, coding: Coding::Json };
    let media =
        |mime: &str, pixels| Body::Media(Box::new(Media { mime: mime.into(), span, hash: 3, pixels, is_low: false }));
    let counts = Counts::default();
    let counted = |body: &Body| counts.count_body(&sources, body, COUNTER).unwrap();
    assert_eq!(counted(&media("image/png", Some((9, 9)))), Count { tokens: 7, exact: true });
    assert!(!estimate_body(&media("image/png", None), COUNTER).exact);
    assert_eq!(counted(&Body::Hidden(Hidden { tokens: Some(12), span: None })), Count { tokens: 12, exact: true });
    assert_eq!(counted(&Body::Hidden(Hidden { tokens: None, span: None })), Count { tokens: 0, exact: false });
    assert_eq!(counts.used().len(), 1);
}
