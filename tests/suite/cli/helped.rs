//! Settings that would have brought in what a harness reads beside the conversation, or would have packed it.

use serde_json::{Value, json};

use super::runner::{Home, fixture};

fn session(home: &Home) -> String {
    let messages = json!({"model": "gpt-4o", "messages": [
        {"role": "user", "content": "Look at the ports."},
        {"role": "assistant", "content": "I will look."},
        {"role": "user", "content": "Which port does the staging server listen on?"}]});
    home.file("session.json", messages.to_string()).to_string_lossy().into_owned()
}

/// What `whatif` answers, each of its single settings replayed with `trace --check`, one notch back too.
fn answers(home: &Home, fact: &str, arguments: &[&str]) -> Vec<String> {
    let session = session(home);
    let told = home.run(&[&["whatif", &session, fact, "--json"], arguments].concat()).good();
    let told: Value = serde_json::from_str(&told).unwrap();
    let row = &told["facts"][0];
    assert_eq!((row["there"].as_bool(), row["never"].as_bool()), (Some(false), Some(false)), "{row}");
    let step = row["step"].to_string();
    let is_there = |key: &str, value: &Value| {
        let text = value.as_str().unwrap();
        let set = format!("{key}={}", if text.starts_with('[') { text } else { text.trim_matches('"') });
        let trace = ["trace", &session, fact, "--check", "--step", &step];
        home.run(&[&trace, arguments, &["--set", &set][..]].concat()).code == 0
    };
    let mut keys = Vec::new();
    for answer in row["answers"].as_array().unwrap() {
        let [change] = answer["changes"].as_array().unwrap().as_slice() else { continue };
        let key = change["key"].as_str().unwrap();
        assert!(is_there(key, &change["to"]), "{change}");
        if change["notch_back"].is_string() {
            assert!(!is_there(key, &change["notch_back"]), "{change}");
        }
        keys.push(key.to_owned());
    }
    keys
}

#[test]
fn a_line_that_the_memory_index_lost_is_brought_back_by_its_lines() {
    let home = Home::new();
    let lines: String = (1..=60).map(|line| format!("- note {line} says nothing that matters\n")).collect();
    let index = home.file("index.md", format!("{lines}- the code is IDX-4711\n{lines}"));
    let index = index.to_string_lossy().into_owned();
    for on in ["memory.on=false", "memory.on=true"] {
        let arguments = ["--policy", "none", "--memory-index", &index, "--set", "memory.index_lines=20", "--set", on];
        let keys = answers(&home, "IDX-4711", &arguments);
        assert!(keys.iter().any(|key| key == "memory.index_lines"), "{on}: {keys:?}");
    }
}

#[test]
fn a_skill_that_is_not_loaded_is_required_or_listed_whole() {
    let home = Home::new();
    let body = "word and more of that ".repeat(200);
    home.file(
        "skills/deploy/SKILL.md",
        format!("---\nname: deploy\ndescription: how\n---\n{body}\nThe key is SKL-4711."),
    );
    let folder = home.path().join("skills").to_string_lossy().into_owned();
    let keys = answers(&home, "SKL-4711", &["--policy", "internal-agent", "--skills", &folder]);
    assert!(["skills.required", "skills.listing"].iter().all(|key| keys.iter().any(|known| known == key)), "{keys:?}");
    let session = session(&home);
    let said = home.run(&["trace", &session, "SKL-4711", "--policy", "internal-agent", "--skills", &folder]).good();
    assert!(said.contains("It stands in SKILL.md, but never came"), "{said}");
    // A limit that cuts it is moved.
    let cut = ["--set", "skills.required=[\"deploy\"]", "--set", "skills.max_tokens=50"];
    let keys = answers(&home, "SKL-4711", &[&["--policy", "internal-agent", "--skills", &folder][..], &cut].concat());
    assert!(keys.iter().any(|key| key == "skills.max_tokens"), "{keys:?}");
    // One that is prohibited, and would be loaded else, only has to be that no more; the others stay so.
    let kept_out = ["--set", "skills.listing=bodies", "--set", "skills.prohibited=[\"other\", \"deploy\"]"];
    let keys =
        answers(&home, "SKL-4711", &[&["--policy", "internal-agent", "--skills", &folder][..], &kept_out].concat());
    assert_eq!(keys, ["skills.prohibited"]);
}

/// A home whose user `billing` has a memory of an earlier session.
fn with_kept_memory() -> Home {
    let home = Home::new();
    let told = json!({"model": "gpt-4o", "messages": [
        {"role": "user", "content": "Remember that the staging server listens on port 8443 with the code MEM-4711."},
        {"role": "assistant", "content": "I will."}]});
    let told = home.file("told.json", told.to_string()).to_string_lossy().into_owned();
    let keep = ["memory", &told, "--policy", "memory-harness", "--keep", "--set", "user=billing"];
    home.run(&[&keep[..], &["--set", "memory.scope=user"]].concat()).good();
    home
}

#[test]
fn a_kept_memory_that_is_not_packed_is_packed_by_its_score() {
    let home = with_kept_memory();
    let arguments = ["--policy", "memory-harness", "--set", "user=billing", "--set", "kept_memories=true"];
    let arguments = [&arguments[..], &["--set", "memory.min_score=0.95", "--set", "memory.show=whole"]].concat();
    let keys = answers(&home, "MEM-4711", &arguments);
    assert!(keys.iter().any(|key| key == "memory.min_score"), "{keys:?}");
}

#[test]
fn a_memory_is_turned_on_for_what_is_kept() {
    let home = with_kept_memory();
    let off = ["--policy", "internal-agent", "--set", "user=billing", "--set", "memory.show=whole"];
    let kept = [&off[..], &["--set", "kept_memories=true"]].concat();
    assert_eq!(answers(&home, "MEM-4711", &kept), ["memory.on"]);
    let told = |arguments: &[&str]| {
        let session = session(&home);
        let asked = [&["whatif", &session, "MEM-4711", "--json"], arguments].concat();
        let told: Value = serde_json::from_str(&home.run(&asked).good()).unwrap();
        told["facts"][0].clone()
    };
    assert_eq!(told(&off)["never"], true);
    // With what keeps it out as well, both have to be moved.
    let both = told(&[&kept[..], &["--set", "memory.min_score=0.95"]].concat());
    let keys: Vec<&str> = both["answers"][0]["changes"]
        .as_array()
        .unwrap()
        .iter()
        .map(|change| change["key"].as_str().unwrap())
        .collect();
    assert!(keys.contains(&"memory.on") && keys.contains(&"memory.min_score"), "{both}");
}

#[test]
fn what_means_the_like_in_a_kept_memory_is_told_with_its_score() {
    let home = Home::new();
    let told = json!({"model": "gpt-4o", "messages": [
        {"role": "user", "content": "Remember that the staging server must never be restarted on a Friday."},
        {"role": "assistant", "content": "I will."},
        {"role": "user", "content": "Our cat sleeps on the sofa."}, {"role": "assistant", "content": "Good."}]});
    let told = home.file("told.json", told.to_string()).to_string_lossy().into_owned();
    let keep = ["memory", &told, "--policy", "memory-harness", "--keep", "--set", "user=billing"];
    home.run(&[&keep[..], &["--set", "memory.scope=user"]].concat()).good();
    let session = session(&home);
    let of = |more: &[&str]| {
        let trace = ["trace", &session, "~do not reboot the staging machine on Fridays", "--policy", "memory-harness"];
        let kept = ["--set", "user=billing", "--set", "kept_memories=true", "--set", "memory.show=whole"];
        [&trace[..], &kept, more].concat().into_iter().map(str::to_owned).collect::<Vec<_>>()
    };
    let run = |more: &[&str]| home.run(&of(more).iter().map(String::as_str).collect::<Vec<_>>()).good();
    let told: Value = serde_json::from_str(&run(&["--json", "--set", "memory.min_score=0.95"])).unwrap();
    let fact = &told["facts"][0];
    assert_eq!(fact["in_window"], false, "{fact}");
    let memory = &fact["memories"][0];
    assert!(memory["sentence"].as_str().unwrap().contains("never be restarted on a Friday"), "{fact}");
    let score = memory["likeness"].as_f64().unwrap();
    assert!(score > 0.45 && score < 1.0 && fact["memories"].as_array().unwrap().len() == 1, "{fact}");
    assert_eq!(fact["occurrences"][0]["score"].as_f64(), Some(score), "{fact}");
    assert_eq!(fact["occurrences"][0]["fates"][0]["survives"], "no");
    let people = run(&["--set", "memory.min_score=0.95"]);
    assert!(people.contains("It says the like, by meaning (score 0."), "{people}");
    // Packed, it stands in the window.
    let told: Value = serde_json::from_str(&run(&["--json", "--set", "memory.min_score=0"])).unwrap();
    assert_eq!(told["facts"][0]["in_window"], true, "{told}");
}

#[test]
fn what_the_user_compacted_is_told_where_a_replay_leaves_it_out() {
    let home = Home::new();
    let session = fixture("facts/compacted-by-hand.jsonl");
    let asked = ["whatif", &session, "QX-77413"];
    let told = |arguments: &[&str]| {
        let told: Value =
            serde_json::from_str(&home.run(&[&asked[..], &["--json"], arguments].concat()).good()).unwrap();
        told["facts"][0].clone()
    };
    let (plain, manual) = (told(&[]), told(&["--set", "replay.manual=true"]));
    assert_eq!((&plain["there"], &plain["by_user"]), (&json!(true), &json!(2)), "{plain}");
    assert_eq!((&manual["there"], &manual["by_user"]), (&json!(false), &Value::Null), "{manual}");
    let people = home.run(&asked).good().split_whitespace().collect::<Vec<_>>().join(" ");
    assert!(people.contains("a compaction that the user asked for") && people.contains("replay.manual"), "{people}");
    assert!(!people.contains("nothing has to change"), "{people}");
    let auto = fixture("facts/compacted.jsonl");
    let people = home.run(&["whatif", &auto, "QX-77413"]).good();
    assert!(!people.contains("the user asked for"), "{people}");
}

/// What a limit leaves out at one number it leaves out at each smaller one: no more has to be tried, and nothing is open.
#[test]
fn a_limit_that_leaves_a_fact_out_is_answered_exactly_and_soon() {
    let home = Home::new();
    let lines = |from: u32, to: u32| (from..to).map(|line| format!("Line {line} says nothing.\n")).collect::<String>();
    let manual = home.file("manual.md", format!("{}The code is ZX-4711.\n{}", lines(1, 500), lines(501, 640)));
    let manual = manual.to_string_lossy().into_owned();
    for policy in ["none", "claude-code", "memory-harness"] {
        let arguments = ["--policy", policy, "--file", &manual, "--set", "files.mode=limits"];
        let keys = answers(&home, "ZX-4711", &arguments);
        assert!(keys.iter().any(|key| key == "files.max_lines"), "{policy}: {keys:?}");
        let session = session(&home);
        let told = home.run(&[&["whatif", &session, "ZX-4711", "--json"][..], &arguments].concat()).good();
        let told: Value = serde_json::from_str(&told).unwrap();
        let row = &told["facts"][0];
        let all = row["answers"].as_array().unwrap().iter().flat_map(|answer| answer["changes"].as_array().unwrap());
        let lines: Vec<&Value> = all.filter(|change| change["key"] == "files.max_lines").collect();
        assert_eq!((lines[0]["to"].as_str(), lines[0]["notch_back"].as_str()), (Some("500"), Some("499")), "{policy}");
        assert_eq!(row["untried"].as_u64(), Some(0), "{policy}: {row}");
        assert_eq!(row["untried_settings"].as_array().map(Vec::len), Some(0), "{policy}: {row}");
        assert!(row["replays"].as_u64().unwrap() < 200, "{policy}: {row}");
    }
}
