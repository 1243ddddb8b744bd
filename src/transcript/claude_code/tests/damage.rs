//! Damaged and hostile sessions: what is good loads, the rest is said with its line.

use super::*;

#[test]
fn damaged_lines_are_located_and_the_rest_loads() {
    let mut bytes = lines(&[user("u1", "", "one")]);
    bytes.extend(b"{\"type\":\"user\",\"uuid\":\n[1,2]\nnot json\n\xFF\xFE\n");
    bytes.extend(lines(&[user("u2", "u1", "two")]));
    bytes.extend(b"{\"type\":\"user\",\"message\":{\"content\":\"cut of");
    let read = read_bytes(bytes);
    assert_eq!(read.last(), ["one", "two"]);
    let places: Vec<u32> = read.transcript.warnings.iter().map(|warning| warning.line).collect();
    assert_eq!(places, [2, 3, 4, 5, 7]);
    assert!(read.transcript.warnings[4].message.contains("cut off"));
}

#[test]
fn text_that_is_not_utf8_is_kept_with_its_bytes() {
    let mut bytes = lines(&[user("u1", "", "one QQ two")]);
    let at = bytes.windows(2).position(|two| two == b"QQ").unwrap();
    bytes[at] = 0xFF;
    let read = read_bytes(bytes);
    assert_eq!(read.last(), ["one \u{FFFD}Q two"]);
    assert_eq!(read.transcript.warnings.len(), 1);
}

#[test]
fn fields_of_another_type_are_no_reason_to_lose_the_record() {
    let mut odd = user("u1", "", "one");
    merge(
        &mut odd,
        json!({"uuid": 5, "parentUuid": [], "timestamp": {}, "isSidechain": "no", "sessionId": null,
        "isMeta": 1, "toolUseResult": 7}),
    );
    let mut usage = says("a1", "u1", "m1", "two");
    usage["message"]["usage"] = json!("much");
    usage["message"]["model"] = json!(3);
    let mut content = user("u2", "a1", "x");
    content["message"]["content"] = json!({"type": "text"});
    let mut block = user("u3", "a1", "x");
    block["message"]["content"] = json!([null, 3, "x", {"type": 4}, {"type": "tool_result", "content": {"a": 1}}]);
    let read = read(&[odd, usage, content, block, json!({"type": "user", "message": 3}), json!({"type": 9})]);
    let window = read.last();
    assert_eq!(&window[..2], ["one", "two"]);
    assert!(window.contains(&"{\"a\":1}".to_owned()));
    assert_eq!(read.main().requests[0].usage, None);
}

#[test]
fn warnings_are_kept_in_bounds() {
    let read = read_bytes(b"nothing\n".repeat(5_000));
    assert!(read.transcript.warnings.len() <= 1_001);
    assert!(read.transcript.warnings.last().unwrap().message.contains("more"));
}

#[test]
fn cutting_flipping_and_swapping_never_panics() {
    let whole = lines(&[
        json!({"type": "summary", "summary": "t", "leafUuid": "u1"}),
        attachment("t1", "", json!({"type": "queued_command", "prompt": [{"type": "text", "text": "q"}]})),
        user("u1", "t1", "go \u{1F600} \"quoted\""),
        calls("a1", "u1", "m1", "c1", "Task"),
        result("r1", "a1", "c1", "<persisted-output>\nOutput too large (3KB). Full output saved to: /x\n"),
        chained(
            "system",
            "b0",
            "r1",
            json!({"subtype": "microcompact_boundary",
            "microcompactMetadata": {"compactedToolIds": ["c1"]}}),
        ),
        chained(
            "system",
            "b1",
            "",
            json!({"subtype": "compact_boundary", "compactMetadata": {"preTokens": 5,
            "preservedSegment": {"headUuid": "a1", "tailUuid": "r1"}}}),
        ),
        chained("user", "s1", "b1", json!({"isCompactSummary": true, "message": {"content": "all"}})),
        user("u2", "u1", "back"),
        says("a2", "u2", "m2", "ok"),
    ]);
    for at in 0..whole.len() {
        read_bytes(whole[..at].to_vec());
    }
    let mut seed = 0x9E37_79B9_7F4A_7C15_u64;
    for _ in 0..3_000 {
        let mut broken = whole.clone();
        for _ in 0..3 {
            seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            let at = (seed >> 33) as usize % broken.len();
            broken[at] = *br#""{}[],:\0 5tfn"#.get((seed >> 20) as usize % 14).unwrap();
        }
        read_bytes(broken);
    }
}

#[test]
fn records_that_name_themselves_or_each_other_end() {
    let read = read(&[
        user("u1", "u1", "own parent"),
        user("u2", "u3", "later parent"),
        user("u3", "u2", "earlier parent"),
        chained(
            "system",
            "b1",
            "b1",
            json!({"subtype": "compact_boundary", "compactMetadata":
            {"preservedSegment": {"headUuid": "u3", "tailUuid": "u1"}, "preservedMessages": {"uuids": ["b1", "u1", "u1"]}}}),
        ),
        says("a1", "a1", "m1", "x"),
    ]);
    assert_eq!(read.last(), ["own parent"]);
}

#[test]
fn many_branches_over_a_long_session_stay_in_bounds() {
    let mut records = vec![user("u0", "", "start")];
    for number in 1..3_000 {
        records.push(says(&format!("a{number}"), "u0", &format!("m{number}"), "x"));
        records.push(user(&format!("u{number}"), "u0", "y"));
    }
    let read = read(&records);
    assert!(read.main().requests.len() >= 2_999);
    assert_eq!(read.last(), ["start", "y"]);
}
