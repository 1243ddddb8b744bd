//! Sessions as the web exports them, and lines that have lost their ids.

use super::*;
use crate::transcript::detect;

fn found(bytes: &[u8]) -> Option<&'static str> {
    let mut sources = Sources::default();
    let id = sources.add_memory("t", SourceKind::Transcript, bytes.to_vec());
    detect(&sources, id).ok().map(|found| found.format.name)
}

#[test]
fn an_object_that_holds_the_records_in_a_list_is_a_session() {
    let records = [
        user("u1", "", "go"),
        calls("a1", "u1", "m1", "c1", "Read"),
        result("r1", "a1", "c1", "all of it"),
        says("a2", "r1", "m2", "ok"),
    ];
    let lone = |mut record: Value| {
        let object = record.as_object_mut().unwrap();
        object.retain(|name, _| ["type", "message", "timestamp"].contains(&name.as_str()));
        record
    };
    for list in [records.to_vec(), records.into_iter().map(lone).collect()] {
        let whole = json!({"title": "t", "loglines": list});
        for bytes in [serde_json::to_vec(&whole).unwrap(), serde_json::to_vec_pretty(&whole).unwrap()] {
            assert_eq!(found(&bytes), Some("claude_code"));
            let read = read_bytes(bytes);
            assert_eq!(read.windows(read.main()), [vec!["go"], vec!["go", r#"{"of":"c1"}"#, "all of it"]]);
            assert!(read.transcript.warnings.is_empty(), "{:?}", read.transcript.warnings);
            assert_eq!(read.transcript.records, 4);
        }
    }
    let cut = br#"{"loglines": [{"type": "user", "message": {"role": "user", "content": "go"}}, {"type": "us"#;
    let read = read_bytes(cut.to_vec());
    assert_eq!((found(cut), read.last()), (Some("claude_code"), vec!["go".to_owned()]));
    assert_eq!(read.transcript.warnings.len(), 1);
}

#[test]
fn lines_without_ids_are_still_a_sessions() {
    let bare = |mut record: Value| {
        record.as_object_mut().unwrap().retain(|name, _| name != "uuid" && name != "parentUuid");
        record
    };
    let bytes = lines(&[bare(user("u1", "", "go")), bare(calls("a1", "u1", "m1", "c1", "Read"))]);
    assert_eq!(found(&bytes), Some("claude_code"));
    assert_eq!(read_bytes(bytes).transcript.session.id.as_deref(), Some("S"));
}
