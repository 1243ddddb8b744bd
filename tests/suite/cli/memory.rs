//! `memory`: what would have been remembered; memories kept on disk, exported, imported, whatever happens meanwhile.

use serde_json::{Value, json};

use super::runner::Home;
use super::schema::faults;

fn told(home: &Home, arguments: &[&str]) -> Value {
    serde_json::from_str(&home.run(arguments).good()).unwrap()
}

/// A conversation in which something is told early, forgotten, and asked for.
fn chat(home: &Home) -> String {
    let mut messages = vec![
        json!({"role": "system", "content": "You help."}),
        json!({"role": "user", "content": format!(
            "{} Remember that the staging server listens on port 8443. Now the parser.",
            "You work on the parser of a small language, which a few people use and nobody has looked at for long. ".repeat(3)
        )}),
    ];
    for number in 0..20 {
        let words = format!("Round {number}: {}", "the parser reads a token and goes on to another one. ".repeat(12));
        messages.push(json!({"role": "assistant", "content": words}));
        messages.push(json!({"role": "user", "content": format!("Go on with part {number}.")}));
    }
    messages.push(json!({"role": "assistant", "content": "Done."}));
    messages.push(json!({"role": "user", "content": "Which port does the staging server listen on?"}));
    home.file("chat.json", json!({"model": "gpt-4o", "messages": messages}).to_string());
    "chat.json".to_owned()
}

const SMALL: &[&str] = &[
    "--window",
    "2000",
    "--set",
    "summarise.by=truncate",
    "--set",
    "summarise.target=100",
    "--set",
    "memory.interval=5",
];

fn arguments<'a>(session: &'a str, more: &[&'a str]) -> Vec<&'a str> {
    ["memory", session, "--json"].iter().chain(SMALL).chain(more).copied().collect()
}

#[test]
fn what_was_forgotten_is_remembered_and_packed() {
    let home = Home::new();
    let session = chat(&home);
    let schema: Value = serde_json::from_str(&home.run(&["memory", "--schema"]).good()).unwrap();
    let told = told(&home, &arguments(&session, &[]));
    assert_eq!(faults(&schema, &told), Vec::<String>::new());
    assert_eq!(told["policy"].as_str().unwrap().split(' ').next(), Some("memory-harness"));
    let pack = &told["pack"];
    assert_eq!(pack["query"], "Which port does the staging server listen on?");
    assert!(pack["text"].as_str().unwrap().contains("port 8443"), "{pack}");
    assert!(pack["estimated_tokens"].as_u64() <= pack["budget_tokens"].as_u64());
    assert!(!told["preserved"].as_array().unwrap().is_empty());
    let memories = told["memories"].as_array().unwrap();
    let fact = memories.iter().find(|row| row["how"] == "preserved").unwrap();
    assert_eq!(fact["scope"], "user");
    assert_eq!(fact["provenance"][0]["source"], "chat.json");
    let asked = self::told(&home, &arguments(&session, &["--query", "parser token", "--step", "3"]));
    assert_eq!((&asked["step"], &asked["pack"]["query"]), (&json!(3), &json!("parser token")));
    assert!(asked["memories"].as_array().unwrap().iter().all(|row| row["born"].as_u64() <= Some(3)));
    let table = home.run(&[&["memory", &session], SMALL].concat()).good();
    assert!(table.contains("Likeness is told by words") && table.contains("port 8443"), "{table}");
}

#[test]
fn recorded_summaries_are_held_against_what_they_stand_for() {
    let home = Home::new();
    let session = concat!(env!("CARGO_MANIFEST_DIR"), "/fixtures/claude-code.jsonl");
    let schema: Value = serde_json::from_str(&home.run(&["memory", "--schema"]).good()).unwrap();
    let settings = ["--set", "memory.signals=[\"the\"]", "--set", "summarise.at=2000"];
    let told = told(&home, &[&["memory", session, "--json"], settings.as_slice()].concat());
    assert_eq!(faults(&schema, &told), Vec::<String>::new());
    let [row] = told["recorded_summaries"].as_array().unwrap().as_slice() else { panic!("one compaction is recorded") };
    let number = |key: &str| row[key].as_u64().unwrap();
    assert_eq!(number("literal") + number("paraphrase") + number("lost"), number("facts"));
    assert!(number("facts") > 20 && number("of_tokens") > number("tokens"), "{row}");
    let aligned = row["aligned"].as_array().unwrap();
    let unsupported = aligned.iter().filter(|one| one["supported"] == false).count() as u64;
    assert_eq!((aligned.len() as u64, unsupported), (number("sentences"), number("unsupported")));
    let is_harness = |one: &Value| one["text"].as_str().unwrap().starts_with("This session is being continued");
    assert!(!aligned.iter().any(is_harness), "what the harness wrote is none of its sentences");
    assert_eq!(told["recorded_summary_tokens"]["largest"], row["tokens"]);
    assert_eq!(told["preserved"][0]["phrases"][0], "the");
    assert!(home.run(&["memory", session]).good().contains("a recorded summary of"));
}

#[test]
fn an_embedding_model_finds_what_is_said_in_other_words() {
    let home = Home::new();
    let said = json!({"model": "gpt-4o", "messages": [
        {"role": "user", "content": "Our cat sleeps on the sofa."}, {"role": "assistant", "content": "Good."},
        {"role": "user", "content": "The invoice is due in March."}, {"role": "assistant", "content": "Noted."},
        {"role": "user", "content": "Where does the kitten nap?"}]});
    home.file("chat.json", said.to_string());
    let model = "memory.model=all-MiniLM-L6-v2";
    let told = told(&home, &["memory", "chat.json", "--json", "--set", model, "--set", "memory.skip_present=false"]);
    assert_eq!(told["embedding"], "all-MiniLM-L6-v2");
    let taken = told["pack"]["candidates"].as_array().unwrap().iter().filter(|row| row["taken"] == true);
    let texts: Vec<&str> =
        taken.map(|row| told["memories"][row["id"].as_u64().unwrap() as usize]["text"].as_str().unwrap()).collect();
    assert!(
        texts.contains(&"Our cat sleeps on the sofa.") && !texts.iter().any(|text| text.contains("invoice")),
        "{texts:?}"
    );
    let unknown = home.run(&["memory", "chat.json", "--set", "memory.model=none-such"]);
    assert!(unknown.code != 0 && unknown.err.contains("none-such"), "{}", unknown.err);
}

#[test]
fn memories_belong_to_the_user_that_is_named_and_come_into_any_replay_that_wants_them() {
    let home = Home::new();
    let session = chat(&home);
    told(&home, &arguments(&session, &["--keep", "--set", "user=billing", "--set", "session=first"]));
    let exported = home.run(&["memory", "export"]).good();
    assert!(
        exported.contains("\"owner\":\"billing\"") && exported.contains("\"owner\":\"billing/first\""),
        "{exported}"
    );
    let question = json!({"model": "gpt-4o", "messages": [
        {"role": "user", "content": "Which port does the staging server listen on?"}]});
    home.file("other.json", question.to_string());
    let packed = |settings: &[&str]| {
        let show = ["show", "other.json", "--json", "--text", "--policy", "memory-harness"];
        let settings = settings.iter().flat_map(|setting| ["--set", setting]);
        let shown = home.run(&show.into_iter().chain(settings).collect::<Vec<_>>()).good();
        shown.contains("port 8443")
    };
    assert!(packed(&["user=billing", "kept_memories=true"]));
    assert!(!packed(&["user=ops", "kept_memories=true"]) && !packed(&["user=billing"]));
}

#[test]
fn memories_of_a_user_outlive_the_session_and_those_of_the_session_do_not() {
    let home = Home::new();
    let session = chat(&home);
    assert_eq!(home.run(&["memory", "export"]).good(), "");
    told(&home, &arguments(&session, &["--keep"]));
    let exported = home.run(&["memory", "export"]).good();
    let rows: Vec<Value> = exported.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    assert!(rows.iter().any(|row| row["scope"] == "session") && rows.iter().any(|row| row["scope"] == "user"));
    let question = json!({"model": "gpt-4o", "messages": [
        {"role": "user", "content": "Which port does the staging server listen on?"}]});
    home.file("other.json", question.to_string());
    let other = told(&home, &arguments("other.json", &["--keep"]));
    assert!(other["pack"]["text"].as_str().unwrap().contains("port 8443"), "{other}");
    assert!(other["memories"].as_array().unwrap().iter().all(|row| row["born"] != 0 || row["scope"] != "session"));
    let without = told(&home, &arguments("other.json", &[]));
    assert_eq!(without["pack"]["count"], 0, "nothing is carried over unless it is asked for");
    // What was exported can be imported elsewhere, once.
    let elsewhere = Home::new();
    elsewhere.file("memories.jsonl", &exported);
    for new in [rows.len(), 0] {
        let done = elsewhere.run(&["memory", "import", "memories.jsonl"]);
        assert!(done.err.contains(&format!("{} memories, {new} of them new", rows.len())), "{}", done.err);
        assert_eq!(done.err.contains(&format!("; {} were there already", rows.len())), new == 0, "{}", done.err);
    }
    assert_eq!(elsewhere.run(&["memory", "export"]).good(), exported);
}

/// The texts of memories that a session begins with.
fn begins_with(told: &Value) -> Vec<String> {
    let rows = told["memories"].as_array().unwrap().iter().filter(|row| row["born"] == 0);
    rows.map(|row| row["text"].as_str().unwrap().to_owned()).collect()
}

#[test]
fn sessions_without_an_id_are_told_apart_by_how_they_begin_and_where_they_are() {
    let home = Home::new();
    let said = |secret: &str| {
        json!([{"role": "user", "content": format!("The project {secret} launches soon.")},
               {"role": "assistant", "content": "Noted."}, {"role": "user", "content": "Which project launches?"}])
        .to_string()
    };
    for (place, secret) in [("p", "falcon"), ("q", "heron")] {
        std::fs::create_dir(home.path().join(place)).unwrap();
        home.file(&format!("{place}/s.json"), said(secret));
    }
    let keep = |path: &str| told(&home, &["memory", path, "--json", "--keep"]);
    let owner = |told: &Value| told["memories"][0]["owner"].as_str().unwrap().to_owned();
    let first = owner(&keep("p/s.json"));
    let whole = home.path().join("p/s.json");
    assert_eq!(owner(&keep("./p/../p/s.json")), first);
    assert_eq!(owner(&keep(whole.to_str().unwrap())), first);
    let other = keep("q/s.json");
    assert_ne!(owner(&other), first);
    assert!(begins_with(&other).is_empty(), "{:?}", begins_with(&other));
    let piped = |secret: &str| -> Value {
        serde_json::from_str(&home.with_input(&["memory", "-", "--json", "--keep"], said(secret).as_bytes()).good())
            .unwrap()
    };
    let (one, two) = (piped("falcon"), piped("heron"));
    assert!(owner(&one) != owner(&two) && begins_with(&two).is_empty());
    // A session that grows stays the same one.
    let grown = said("falcon").replace("Which project launches?", "Which project launches, and when?");
    home.file("p/s.json", grown);
    assert_eq!(owner(&keep("p/s.json")), first);
}

#[test]
fn a_session_that_is_kept_does_not_begin_with_its_own_future() {
    let home = Home::new();
    let session = chat(&home);
    told(&home, &arguments(&session, &["--keep"]));
    let exported = home.run(&["memory", "export"]).good();
    for _ in 0..2 {
        told(&home, &arguments(&session, &["--keep"]));
        assert_eq!(home.run(&["memory", "export"]).good(), exported, "keeping again replaces");
    }
    let early = told(&home, &arguments(&session, &["--keep", "--step", "1"]));
    assert!(begins_with(&early).is_empty(), "{:?}", begins_with(&early));
}

#[test]
fn the_last_answer_is_kept_and_each_chunk_leads_to_its_own_bytes() {
    let home = Home::new();
    let long: String = (0..60).map(|number| format!("Fact {number} is \"{}\".\n", number * 7)).collect();
    let messages =
        json!([{"role": "user", "content": long}, {"role": "assistant", "content": "The vault is in room 77."}]);
    home.file("chat.json", messages.to_string());
    let small = ["--set", "memory.chunk_size=200", "--set", "memory.chunk_overlap=0"];
    told(&home, &[&["memory", "chat.json", "--json", "--keep"], &small[..]].concat());
    let exported = home.run(&["memory", "export"]).good();
    let rows: Vec<Value> = exported.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    assert!(rows.iter().any(|row| row["text"] == "The vault is in room 77."), "{exported}");
    let file = std::fs::read_to_string(home.path().join("chat.json")).unwrap();
    assert!(rows.len() > 5);
    for row in &rows {
        let at = |end: usize| row["bytes"][end].as_u64().unwrap() as usize;
        let stored: String = serde_json::from_str(&format!("\"{}\"", &file[at(0)..at(1)])).unwrap();
        assert_eq!(stored, row["text"].as_str().unwrap());
    }
}

#[test]
fn a_memory_written_by_hand_comes_into_replays() {
    let home = Home::new();
    let session = chat(&home);
    let added = home.run(&["memory", "add", "The vault is in room 77.", "--scope", "user"]);
    assert!(added.code == 0 && added.err.contains("it is kept on disk"), "{}", added.err);
    let row: Value = serde_json::from_str(&home.run(&["memory", "export"]).good()).unwrap();
    assert_eq!((&row["how"], &row["scope"], &row["owner"]), (&json!("written"), &json!("user"), &json!("me")));
    let manual = ["--keep", "--set", "memory.preserve=manual"];
    let told = told(&home, &arguments(&session, &manual));
    assert_eq!(begins_with(&told), ["The vault is in room 77."]);
    assert!(home.run(&["memory", "add", "x", "--scope", "agent"]).code != 0, "whose it is has to be said");
    assert!(home.run(&["memory", "add", "x", "--scope", "agent", "--owner", "codex"]).code == 0);
    assert!(home.run(&["memory", "add", " "]).code != 0);
}

/// What two lines of a session say.
fn said(first: &str, second: &str) -> String {
    json!([{"role": "user", "content": first}, {"role": "assistant", "content": "ok."},
           {"role": "user", "content": second}, {"role": "assistant", "content": "yes."}])
    .to_string()
}

#[test]
fn a_subagent_and_an_earlier_step_leave_what_was_kept_and_deletions_are_said() {
    let home = Home::new();
    let session = concat!(env!("CARGO_MANIFEST_DIR"), "/fixtures/claude-code.jsonl");
    let kept =
        || home.run(&["memory", "export"]).good().lines().map(str::to_owned).collect::<std::collections::BTreeSet<_>>();
    let keep = |more: &[&str]| {
        let done = home.run(&[&["memory", session, "--keep"], more].concat());
        assert_eq!(done.code, 0, "{}", done.err);
        done.err
    };
    keep(&[]);
    let all = kept();
    keep(&["--step", "2"]);
    assert_eq!(kept(), all, "a look at an earlier step takes nothing away");
    // A subagent's file says whose session it is of.
    let id = all.iter().find_map(|row| {
        let row: Value = serde_json::from_str(row).unwrap();
        Some(row["owner"].as_str().filter(|_| row["scope"] == "session")?.trim_start_matches("me/").to_owned())
    });
    let record = |kind: &str, message: Value| {
        let whose = json!({"sessionId": id, "isSidechain": true, "agentId": "a1", "version": "2.1.20", "cwd": "/w"});
        let mut record = json!({"type": kind, "uuid": kind, "parentUuid": null, "timestamp": "2026-01-01T00:00:00.000Z",
                                "message": message});
        record.as_object_mut().unwrap().extend(whose.as_object().unwrap().clone());
        format!("{record}\n")
    };
    let asked = record("user", json!({"role": "user", "content": "The helper was told of port 7070."}));
    let told = json!({"role": "assistant", "id": "msg_helper", "type": "message", "model": "claude-test",
                      "content": [{"type": "text", "text": "Noted."}]});
    home.file("agent-a1.jsonl", asked + &record("assistant", told));
    home.run(&["memory", "agent-a1.jsonl", "--keep"]).good();
    assert!(kept().is_superset(&all) && kept().len() > all.len(), "a subagent speaks for itself");
    let told = keep(&[
        "--set",
        "memory.ingest_layers=files",
        "--set",
        "memory.preserve=none",
        "--set",
        "summarise.remember=false",
    ]);
    assert!(told.contains("that were kept of it before were deleted") && kept().len() < all.len(), "{told}");
}

#[test]
fn what_two_sessions_say_stays_while_one_of_them_says_it() {
    let home = Home::new();
    home.file("a.json", said("The shared fact is SF-4411 today.", "next thing"));
    home.file("b.json", said("The shared fact is SF-4411 today.", "And then some?"));
    let keep = |path: &str, more: &[&str]| {
        home.run(&[&["memory", path, "--keep", "--set", "memory.scope=user"], more].concat()).good();
    };
    let has = || home.run(&["memory", "export"]).good().contains("SF-4411");
    keep("a.json", &[]);
    keep("b.json", &[]);
    keep("a.json", &["--set", "memory.ingest_layers=files"]);
    assert!(has(), "the other session says it still");
    keep("b.json", &["--set", "memory.ingest_layers=files"]);
    assert!(!has());
}

#[test]
fn sessions_are_their_users_and_an_unknown_agent_is_nobody_elses() {
    let home = Home::new();
    home.file("al.json", said("Vault pass phrase is ORCHID-31 for the vault.", "next"));
    home.file("bo.json", said("What is the pass phrase for the vault?", "go on"));
    let begins = |settings: &[&str]| {
        let settings = settings.iter().flat_map(|setting| ["--set", setting]);
        let all: Vec<&str> =
            ["memory", "bo.json", "--json", "--set", "kept_memories=true"].into_iter().chain(settings).collect();
        begins_with(&told(&home, &all)).len()
    };
    told(&home, &["memory", "al.json", "--json", "--keep", "--set", "user=billing", "--set", "session=work"]);
    assert_eq!((begins(&["user=ops", "session=work"]), begins(&["user=billing", "session=work"])), (0, 4));
    told(&home, &["memory", "al.json", "--json", "--keep", "--set", "user=ops/eu", "--set", "session=work"]);
    assert_eq!((begins(&["user=ops", "session=eu/work"]), begins(&["user=ops/eu", "session=work"])), (0, 4));
    told(&home, &["memory", "al.json", "--json", "--keep", "--set", "memory.scope=agent"]);
    assert_eq!((begins(&["memory.scope=agent"]), begins(&["agent=shop"])), (0, 0));
    told(&home, &["memory", "al.json", "--json", "--keep", "--set", "memory.scope=agent", "--set", "agent=shop"]);
    assert_eq!((begins(&["agent=shop"]), begins(&["agent=clinic"])), (4, 0));
    let codex = concat!(env!("CARGO_MANIFEST_DIR"), "/fixtures/claude-code.jsonl");
    let row = &told(&home, &["memory", codex, "--json", "--set", "memory.scope=agent"])["memories"][0]["owner"];
    assert_eq!(row, "Claude Code", "its name without its version");
}

#[test]
fn what_is_done_on_disk_takes_the_options_that_all_take() {
    let home = Home::new();
    let quiet = home.run(&["memory", "add", "Tabs are used.", "--set", "user=ops", "-q"]);
    assert_eq!((quiet.code, quiet.err.as_str()), (0, ""));
    home.run(&["memory", "add", "Noon it is.", "--scope", "session", "--owner", "work", "--set", "user=ops"]).good();
    let exported = home.run(&["memory", "--json", "export", "-q"]).good();
    assert!(exported.contains("\"owner\":\"ops\"") && exported.contains("\"owner\":\"ops/work\""), "{exported}");
    let marked = format!("\u{feff}{exported}");
    home.file("marked.jsonl", marked);
    let elsewhere = Home::new();
    let path = home.path().join("marked.jsonl");
    elsewhere.run(&["memory", "import", path.to_str().unwrap(), "--quiet"]).good();
    assert_eq!(elsewhere.run(&["memory", "export"]).good(), exported);
    for (scope, owner, text) in [("user", "", "a"), ("user", "me", " ")] {
        home.file("bad.jsonl", json!({"scope": scope, "owner": owner, "text": text}).to_string());
        let done = home.run(&["memory", "import", "bad.jsonl"]);
        assert!(done.code != 0 && done.err.contains("bad.jsonl:1"), "{}", done.err);
    }
    assert!(home.run(&["memory", "chat.json", "export"]).code != 0, "an export is of no transcript");
}

#[test]
fn what_is_no_memory_is_refused_whole() {
    let home = Home::new();
    home.file("bad.jsonl", "{\"scope\": \"user\", \"owner\": \"me\", \"text\": \"a\"}\n{\"scope\": \"all\", \"owner\": \"\", \"text\": \"b\"}\n");
    let done = home.run(&["memory", "import", "bad.jsonl"]);
    assert!(
        done.code != 0 && done.err.contains("bad.jsonl:2") && done.err.contains("session, user, agent"),
        "{}",
        done.err
    );
    assert_eq!(home.run(&["memory", "export"]).good(), "");
    home.file("list.jsonl", "[\"user\", \"me\", \"note\", \"Tabs.\"]\n");
    let done = home.run(&["memory", "import", "list.jsonl"]);
    assert!(done.code != 0 && done.err.contains("list.jsonl:1: it is no memory"), "{}", done.err);
    for wrong in
        ["\"edges\": [{\"to\": \"x\", \"kind\": \"bridges\", \"score\": 1e39}]", "\"bytes\": [0, 18446744073709551615]"]
    {
        home.file("odd.jsonl", format!("{{\"scope\": \"user\", \"owner\": \"me\", \"text\": \"a\", {wrong}}}\n"));
        let done = home.run(&["memory", "import", "odd.jsonl"]);
        assert!(done.code != 0 && done.err.contains("odd.jsonl:1"), "{}", done.err);
    }
}

#[test]
fn a_damaged_file_is_said_and_kept() {
    let home = Home::new();
    home.file("data/memories.db", "this is no database, whatever its name says".repeat(50));
    let run = || {
        let mut command = home.command();
        command.env("WINDOWPANE_DATA", home.path().join("data")).args(["memory", "export"]);
        command.output().unwrap()
    };
    let first = run();
    let said = String::from_utf8_lossy(&first.stderr).into_owned();
    assert!(!first.status.success() && said.contains("damaged") && said.contains("memories.db.damaged-1"), "{said}");
    assert!(home.path().join("data/memories.db.damaged-1").exists());
    assert!(run().status.success());
}

#[test]
fn every_memory_is_listed_or_counted_and_what_became_none_is_said() {
    let home = Home::new();
    let told_once = |at: usize| format!("Topic{at} has colour{at} and shape{at}.");
    let mut messages: Vec<Value> = (0..30).map(|at| json!({"role": "user", "content": told_once(at)})).collect();
    messages.push(json!({"role": "assistant", "content": "Noted."}));
    messages.push(json!({"role": "user", "content": told_once(7)}));
    messages.push(json!({"role": "assistant", "content": "Noted, colour3 too."}));
    messages.push(json!({"role": "user", "content": "Which colour7 has topic7?"}));
    home.file("chat.json", json!({"model": "gpt-4o", "messages": messages}).to_string());
    let settings = ["memory", "chat.json", "--set", "memory.skip_present=false"];
    let told = told(&home, &[&settings[..], &["--json"]].concat());
    let pack = &told["pack"];
    let number = |key: &str| pack[key].as_u64().unwrap() as usize;
    let listed = pack["candidates"].as_array().unwrap();
    assert_eq!(listed.len() + number("others") + number("below"), told["memories"].as_array().unwrap().len());
    let (best, told_from) = (pack["best_below"].as_f64().unwrap(), pack["told_from"].as_f64().unwrap());
    assert!(number("below") > 20 && (0.0..told_from).contains(&best), "{pack}");
    let text = home.run(&settings).good();
    let below = format!("and {} others below {told_from:.2} (75 % of min_score), the best {best:.2}", number("below"));
    assert!(text.contains(&below), "{below}\n{text}");
    assert_eq!(told["skipped"].as_array().unwrap().len(), 1);
    let same = text.lines().find(|line| line.contains("memory 7 has the same words")).unwrap();
    assert!(text.contains("1 text became no memory:") && same.contains("Topic7 has colour7"), "{text}");
    let early = home.run(&[&settings[..], &["--step", "1"]].concat()).good();
    assert!(!early.contains("became no memory"), "{early}");
}

#[test]
fn a_fact_that_only_memories_hold_is_traced_to_them_and_to_why_they_were_not_packed() {
    let home = Home::new();
    let session = chat(&home);
    told(&home, &arguments(&session, &["--keep", "--set", "user=billing", "--set", "memory.scope=user"]));
    let question = json!({"model": "gpt-4o", "messages": [
        {"role": "user", "content": "Which port does the staging server listen on?"}]});
    home.file("other.json", question.to_string());
    let traced = |settings: &[&str]| {
        let kept = ["user=billing", "kept_memories=true"];
        let settings = kept.iter().chain(settings).flat_map(|setting| ["--set", setting]);
        let trace = ["trace", "other.json", "8443", "--policy", "memory-harness"];
        let people: Vec<&str> = trace.into_iter().chain(settings).collect();
        let told: Value = serde_json::from_str(&home.run(&[&people[..], &["--json"]].concat()).good()).unwrap();
        (home.run(&people).good(), told["facts"][0].clone())
    };
    let (said, fact) = traced(&["memory.min_score=0.99"]);
    let memory = &fact["memories"][0];
    assert_eq!((&memory["kept"], &memory["why"], &memory["pack"]), (&json!(true), &json!("below_score"), &json!(1)));
    assert!(
        said.contains("only in memory at step 1") && said.contains("memory.min_score = 0.99 is the least"),
        "{said}"
    );
    let fate = &fact["occurrences"][0]["fates"][0];
    assert_eq!((&fate["fate"], &fate["seen"], &fate["from"]), (&json!("remembered"), &json!("unpacked"), &json!(1)));
    assert_eq!((&fate["retrievable"], &fate["survives"]), (&json!(format!("memory {}", memory["id"])), &json!("no")));
    // At the score that is told it is packed.
    let enough = said.split("from ").find_map(|rest| rest.split_once(" down")).unwrap().0.to_owned();
    let (said, fact) = traced(&[&format!("memory.min_score={enough}")]);
    assert!(fact["in_window"] == true && fact["memories"] == json!([]), "{said}");
    let parser = ["trace", "other.json", "Now the parser", "--policy", "memory-harness", "--set", "user=billing"];
    let said = home.run(&[&parser[..], &["--set", "kept_memories=true"]].concat()).good();
    assert!(said.contains("it was packed, but of it only a part, without the fact (memory.show)"), "{said}");
    let (said, fact) = traced(&["memory.budget_tokens=1"]);
    assert!(fact["memories"][0]["why"] == "over_budget" && said.contains("(memory.budget_tokens)"), "{said}");
}

#[test]
fn a_fact_that_was_compacted_away_is_told_of_in_the_memory_that_was_not_packed() {
    let home = Home::new();
    let session = chat(&home);
    let trace = [&["trace", &session, "8443", "--policy", "memory-harness"], SMALL].concat();
    let set = ["--set", "memory.min_score=0.99", "--set", "memory.preserve=none", "--set", "summarise.target=10"];
    let told = told(&home, &[&trace[..], &set, &["--json"]].concat());
    let fact = &told["facts"][0];
    let fates = fact["occurrences"][0]["fates"].as_array().unwrap();
    let [there, gone] = fates.as_slice() else { panic!("{fates:?}") };
    assert_eq!(
        (&there["seen"], &gone["seen"], &gone["stage"]),
        (&json!("verbatim"), &json!("unpacked"), &json!("summarise"))
    );
    let memory = &fact["memories"][0];
    assert_eq!((&memory["kept"], &memory["why"]), (&json!(false), &json!("below_score")));
    let verdict = fact["verdict"].as_str().unwrap();
    let named = format!("A memory still says it: memory {}, {} at step", memory["id"], memory["how"].as_str().unwrap());
    assert!(verdict.contains(&named) && verdict.contains("it was not packed"), "{verdict}");
}
