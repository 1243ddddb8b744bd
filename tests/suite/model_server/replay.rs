//! A replay whose summaries a model writes: asked only with consent, the same offline, and visibly something else where
//! there is no answer.

use std::time::Duration;

use serde_json::{Value, json};
use windowpane::memory::Supports;
use windowpane::tokens::{Encoding, count};

use crate::cli::runner::{Done, Home};

use super::server::{Act, Server};

pub const SETTINGS: &[&str] = &[
    "--policy",
    "memory-harness",
    "--window",
    "2000",
    "--set",
    "summarise.by=model",
    "--set",
    "summarise.target=100",
    "--set",
    "memory.preserve=llm",
];

/// A conversation in which something is told early, and much is said after it.
pub fn chat(home: &Home) {
    let mut messages =
        vec![json!({"role": "user", "content": "The staging server listens on port 8443. Now the parser."})];
    for number in 0..24 {
        let words = format!("Round {number}: {}", "the parser reads a token and goes on to another one. ".repeat(12));
        messages.push(json!({"role": "assistant", "content": words}));
        messages.push(json!({"role": "user", "content": format!("Go on with part {number}.")}));
    }
    home.file("chat.json", json!({"model": "gpt-4o", "messages": messages}).to_string());
}

fn answer(summary: &str, memories: Value) -> Act {
    Act::Say(json!({"summary": summary, "memories": memories}).to_string(), Duration::ZERO)
}

pub fn good() -> Act {
    let memories = json!([{"text": "Staging listens on port 8443.", "from": [1]}]);
    answer("The staging server listens on port 8443. The moon is 9999 miles away.", memories)
}

fn run(home: &Home, command: &str, server: &str, more: &[&str]) -> Done {
    let url = format!("summariser_url={server}");
    let model = ["--set", "summariser_model=gpt-4o", "--set", &url];
    let arguments = [&[command, "chat.json", "--json"], SETTINGS, &model, more].concat();
    home.run(&arguments)
}

/// The events of a stage.
fn events(out: &str, stage: &str) -> Vec<Value> {
    let rows = out.lines().map(|line| serde_json::from_str::<Value>(line).unwrap());
    rows.filter(|row| row["type"] == "event" && row["stage"] == stage).collect()
}

fn why(out: &str, stage: &str) -> Vec<String> {
    events(out, stage).iter().map(|event| event["why"].as_str().unwrap().to_owned()).collect()
}

#[test]
fn a_model_is_asked_with_consent_and_the_same_replay_needs_no_network() {
    let home = Home::with_cache();
    chat(&home);
    let server = Server::new(vec![good()]);
    let without = run(&home, "run", &server.address, &[]);
    assert!(server.seen().is_empty(), "nobody agreed");
    assert!(without.err.contains("note: --call-model would ask gpt-4o") && without.err.contains("at most $0.0"));
    let said = why(&without.out, "summarise");
    assert!(
        said.len() == 2 && said.iter().all(|why| why.contains("no model was asked: --call-model lets it be asked"))
    );
    assert!(said[0].ends_with("; the sentences that matter most stand in."), "{said:?}");
    let asked = run(&home, "run", &server.address, &["--call-model=yes"]);
    let seen = server.seen();
    assert_eq!(seen.len(), 2, "one request for each summary");
    assert!(asked.err.contains("a summary of 23 pieces for step 12, about "), "{}", asked.err);
    // The second summary stands for the first, so the second request quotes it.
    let body = |at: usize| seen[at].body["messages"][1]["content"].as_str().unwrap().to_owned();
    assert!(body(0).contains("listens on port 8443") && body(1).contains("The moon is 9999 miles away."));
    let out = asked.good();
    assert!(why(&out, "summarise")[0].ends_with("a model wrote it; 1 of its 2 sentences has no support."));
    assert!(
        why(&out, "summarise")[1].ends_with("a model wrote it; 1 of its 2 sentences has no support."),
        "what the first invented supports nothing in the second"
    );
    let preserved = &events(&out, "preserve")[0];
    assert_eq!((&preserved["measured"], &preserved["rule"]), (&json!(1), &json!("memory.preserve")));
    assert!(preserved["why"].as_str().unwrap().ends_with("the model took them out as it wrote the summary."));
    // The model reported 11 tokens sent: that is what the call is billed as.
    assert_ne!(events(&without.out, "summarise")[0]["tokens_after"], events(&out, "summarise")[0]["tokens_after"]);
    let offline = run(&home, "run", &server.address, &["--set", "summariser_key=NOT_SET"]);
    assert_eq!(server.seen().len(), 2);
    assert_eq!(offline.err, "");
    assert_eq!(offline.good(), out, "a replay is the same every time");
    let measured = run(&home, "run", &server.address, &["--summaries"]).good();
    let rows = measured.lines().map(|line| serde_json::from_str::<Value>(line).unwrap());
    let rows: Vec<Value> = rows.filter(|row| row["type"] == "summary").collect();
    assert_eq!((rows.len(), &rows[0]["step"], &rows[0]["unsupported"]), (2, &json!(12), &json!(1)));
    for row in &rows {
        assert_eq!(row["unsupported_sentences"][0], "The moon is 9999 miles away.");
    }
    // The second summary has its first sentence from the first one, which has it from the user.
    assert_eq!(rows[1]["aligned"][0]["source"], rows[0]["aligned"][0]["source"]);
    assert_eq!(rows[1]["aligned"][0]["source"]["part"], json!([0, 40]));
}

#[test]
fn an_event_says_of_a_summary_what_its_measure_says() {
    let sentences = [
        "The staging server listens on port 8443.",
        "The moon is 9999 miles away.",
        "The work was about parts of a parser.",
        "The parser reads a token and goes on to another one.",
        "The server does not listen on port 8443.",
        "Everything went well and all parts are finished.",
    ];
    let mut open = 0;
    for chosen in 1..1u32 << sentences.len() {
        // Some of them, with all that stand alone.
        if chosen.count_ones() != 1 && chosen % 7 != 0 {
            continue;
        }
        let said: Vec<&str> = (0..sentences.len()).filter(|at| chosen >> at & 1 == 1).map(|at| sentences[at]).collect();
        let home = Home::new();
        chat(&home);
        let server = Server::new(vec![answer(&said.join(" "), json!([]))]);
        let out = run(&home, "run", &server.address, &["--call-model=yes", "--summaries"]).good();
        let rows = out.lines().map(|line| serde_json::from_str::<Value>(line).unwrap());
        let rows: Vec<Value> = rows.filter(|row| row["type"] == "summary").collect();
        let whys = why(&out, "summarise");
        assert!(!whys.is_empty() && whys.len() == rows.len());
        for (why, row) in whys.iter().zip(&rows) {
            let number = |field: &str| row[field].as_u64().unwrap() as usize;
            let (stands, none) = (number("supported"), number("unsupported"));
            let supports = Supports { stands, none, open: number("sentences") - stands - none };
            open += supports.open;
            assert!(why.ends_with(&format!("a model wrote it; {}.", supports.clause())), "{said:?}: {why}\n{row}");
        }
    }
    assert!(open > 0, "some are neither said nor denied");
}

#[test]
fn facts_of_a_model_become_memories_that_lead_back() {
    let home = Home::new();
    chat(&home);
    let server = Server::new(vec![good()]);
    let told: Value =
        serde_json::from_str(&run(&home, "memory", &server.address, &["--call-model=yes"]).good()).unwrap();
    let fact = told["memories"].as_array().unwrap().iter().find(|row| row["how"] == "preserved").unwrap();
    assert_eq!((&fact["text"], &fact["scope"]), (&json!("Staging listens on port 8443."), &json!("user")));
    assert_eq!(
        (&fact["provenance"][0]["source"], &fact["provenance"][0]["part"]),
        (&json!("chat.json"), &json!([0, 40]))
    );
    let rows = told["summaries"][0]["aligned"].as_array().unwrap();
    assert_eq!(rows[0]["text"], "The staging server listens on port 8443.");
    assert_eq!((&rows[0]["supported"], &rows[0]["score"]), (&json!(true), &json!(1.0)));
    assert_eq!((&rows[0]["source"]["part"], &rows[0]["source"]["source"]), (&json!([0, 40]), &json!("chat.json")));
    assert_eq!((&rows[1]["supported"], rows.len()), (&json!(false), 2));
}

#[test]
fn no_phrase_marked_what_a_model_took_out() {
    let home = Home::new();
    chat(&home);
    let memories = json!([{"text": "They decided to let staging listen on port 8443.", "from": [1]}]);
    let server = Server::new(vec![answer("The staging server listens on port 8443.", memories)]);
    let told: Value =
        serde_json::from_str(&run(&home, "memory", &server.address, &["--call-model=yes"]).good()).unwrap();
    assert_eq!(told["preserved"][0]["phrases"], json!([null]));
}

#[test]
fn facts_that_nothing_says_are_marked_in_the_list() {
    let home = Home::new();
    chat(&home);
    let memories = json!([{"text": "Staging listens on port 8443.", "from": [1]}, {"text": "The moon is 9999 miles away.", "from": [1]}]);
    let server = Server::new(vec![answer("The staging server listens on port 8443.", memories)]);
    let told: Value =
        serde_json::from_str(&run(&home, "memory", &server.address, &["--call-model=yes"]).good()).unwrap();
    let rows = told["memories"].as_array().unwrap();
    let how = |text: &str| rows.iter().find(|row| row["text"] == text).unwrap()["how"].clone();
    assert_eq!(how("The moon is 9999 miles away."), "unsupported");
    assert_eq!(how("Staging listens on port 8443."), "preserved");
}

#[test]
fn a_wrong_number_of_a_piece_costs_no_more_than_itself() {
    let home = Home::new();
    chat(&home);
    let memories = json!([{"text": "Staging listens on port 8443.", "from": [1, 99]}, {"text": "x", "from": [99]}]);
    let server = Server::new(vec![answer("The staging server listens on port 8443.", memories)]);
    let done = run(&home, "memory", &server.address, &["--call-model=yes"]);
    let expected = "memories[0].from[1]: there is no piece 99: they are 1 to";
    assert!(done.err.contains("warning: a summary of") && done.err.contains(expected), "{}", done.err);
    assert!(done.err.contains("(and 1 more)"), "{}", done.err);
    let told: Value = serde_json::from_str(&done.good()).unwrap();
    let rows: Vec<&Value> = told["memories"].as_array().unwrap().iter().map(|row| &row["text"]).collect();
    assert!(rows.contains(&&json!("Staging listens on port 8443.")) && !rows.contains(&&json!("x")), "{rows:?}");
    assert_eq!(told["summaries"][0]["aligned"][0]["text"], "The staging server listens on port 8443.");
}

#[test]
fn what_is_no_answer_is_said_in_the_event_and_the_rules_stand_in() {
    for (acts, requests, expected) in [
        (vec![Act::Whole("Here you are!".to_owned())], 4, "could not be used: line 1, column 1: one JSON object"),
        (
            vec![answer("All is well.", json!([{"text": "x", "from": []}]))],
            4,
            "could not be used: memories[0].from: a list of 1 to 12 pieces is expected",
        ),
        (vec![answer(&"word ".repeat(300), json!([]))], 4, "could not be used: summary: it has 3"),
        (
            vec![Act::Status(400, "", "{\"error\": {\"message\": \"{measured} \\u001b[2J\"}}".to_owned())],
            2,
            "(400): |measured| [2J; the",
        ),
        (
            vec![Act::Status(401, "", "{\"error\": {\"message\": \"wrong key\"}}".to_owned())],
            1,
            "(401): wrong key; the",
        ),
        (vec![Act::Raw("data: {oops\n\n".to_owned())], 2, "event 1 of the stream: no JSON"),
    ] {
        let home = Home::with_cache();
        chat(&home);
        let server = Server::new(acts);
        let out = run(&home, "run", &server.address, &["--call-model=yes"]).good();
        let said = why(&out, "summarise");
        assert!(
            said[0].contains(expected) && said[0].ends_with("; the sentences that matter most stand in."),
            "{said:?}"
        );
        assert_eq!(server.seen().len(), requests, "{expected}");
        // Of a request that was never sent nothing is said of one that was.
        let asked_twice = requests > 1;
        assert_eq!(said[1].contains("no model was asked: it had given no answer before"), !asked_twice, "{said:?}");
        assert!(why(&out, "preserve").iter().all(|why| why.contains("no model took them out: the rules stand in.")));
        // What came and could not be used is kept as that: another answer would make another replay.
        assert_eq!(home.path().join("cache/answers").exists(), requests == 4, "{expected}");
        if requests == 4 {
            let offline = run(&home, "run", &server.address, &[]);
            assert_eq!((offline.good(), server.seen().len()), (out, requests), "{expected}");
        }
    }
    // Better at the second time: the server is told what was wrong.
    let home = Home::with_cache();
    chat(&home);
    let server = Server::new(vec![Act::Whole("Here you are!".to_owned()), good()]);
    let out = run(&home, "run", &server.address, &["--call-model=yes"]).good();
    assert!(why(&out, "summarise")[0].contains("a model wrote it"));
    let again = &server.seen()[1].body["messages"];
    assert_eq!(again[2]["content"], "Here you are!");
    assert!(again[3]["content"].as_str().unwrap().contains("line 1, column 1"), "{again}");
}

#[test]
fn the_second_request_quotes_little_of_a_huge_answer_and_is_shown_at_its_own_price() {
    let home = Home::new();
    chat(&home);
    let server = Server::new(vec![Act::Whole("word ".repeat(200_000)), good()]);
    let done = run(&home, "run", &server.address, &["--call-model=yes", "--set", "summariser_calls=2"]);
    let quoted = server.seen()[1].body["messages"][2]["content"].as_str().unwrap().to_owned();
    assert!(quoted.len() < 5_000 && quoted.contains("[… 996,000 characters …]"), "{}", quoted.len());
    let tokens = |line: &str| -> u64 {
        let (_, after) = line.split_once("about ").unwrap();
        after.split(' ').next().unwrap().replace(',', "").parse().unwrap()
    };
    let shown: Vec<u64> = done.err.lines().filter(|line| line.contains(" for step 12")).map(tokens).collect();
    assert!(shown.len() == 2 && shown[1] > shown[0] + 500, "{}", done.err);
    assert!(done.err.contains("for step 12, once more, about "), "{}", done.err);
}

#[test]
fn the_second_request_is_within_the_limit_of_the_first() {
    let home = Home::new();
    chat(&home);
    let given = |server: &Server, at: usize| -> (usize, u64) {
        let body = &server.seen()[at].body;
        let texts: Vec<&str> =
            body["messages"].as_array().unwrap().iter().map(|message| message["content"].as_str().unwrap()).collect();
        (texts.len(), texts.iter().map(|text| count(text, Encoding::O200kBase)).sum())
    };
    let asked = |most: u64| {
        let server = Server::new(vec![Act::Whole("word ".repeat(2_000)), good()]);
        let limit = format!("summarise.input_max={most}");
        run(&home, "run", &server.address, &["--call-model=yes", "--set", &limit, "--set", "summariser_calls=2"]);
        [given(&server, 0), given(&server, 1)]
    };
    let [(_, first), (_, whole)] = asked(180_000);
    // Room for the complaint and a part of the answer; for neither.
    for (most, messages) in [(first + 400, 4), (first, 2)] {
        let [before, again] = asked(most);
        assert_eq!(before, (2, first));
        assert!(again.0 == messages && again.1 <= most && most < whole, "{again:?} of {most}, not {whole}");
    }
}

#[test]
fn runs_that_a_model_wrote_no_summaries_for_are_marked_and_not_the_best() {
    let home = Home::with_cache();
    chat(&home);
    let server = Server::new(vec![good()]);
    assert_eq!(run(&home, "run", &server.address, &["--call-model=yes"]).code, 0);
    let requests = server.seen().len();
    let url = format!("summariser_url={}", server.address);
    let model = ["--set", "summariser_model=gpt-4o", "--set", &url];
    let sweep = |more: &[&str]| {
        let vary = ["sweep", "chat.json", "8443", "--vary", "summarise.target=60,100"];
        home.run(&[&vary, SETTINGS, &model, more].concat()).good()
    };
    let told: Value = serde_json::from_str(&sweep(&["--json"])).unwrap();
    let of = |at: usize| (told["runs"][at]["costs"]["stood_in"].as_u64().unwrap(), &told["runs"][at]["best"]);
    assert!(of(0).0 > 0 && of(0).1 == &json!(false), "{told}");
    assert_eq!(of(1).0, 0);
    let words = sweep(&[]);
    assert!(words.contains("in 1 of 2 runs no model wrote some of the summaries"), "{words}");
    assert_eq!(server.seen().len(), requests, "nobody agreed");
}

#[test]
fn requests_can_be_shown_and_are_limited() {
    let home = Home::new();
    chat(&home);
    let server = Server::new(vec![good()]);
    let shown = run(&home, "run", &server.address, &["--call-model=show"]);
    assert!(shown.err.contains(&format!("POST {}/v1/chat/completions\n{{", server.address)), "{}", shown.err);
    assert!(shown.err.contains("listens on port 8443") && server.seen().is_empty());
    let limited = run(&home, "run", &server.address, &["--call-model=yes", "--set", "summariser_calls=1"]);
    let said = why(&limited.good(), "summarise");
    assert!(
        said[0].contains("a model wrote it") && said[1].contains("summariser_calls = 1 were sent already"),
        "{said:?}"
    );
    assert_eq!(server.seen().len(), 1);
    let asks = run(&home, "run", &server.address, &["--call-model"]);
    assert!(asks.code == 2 && asks.err.contains("--call-model asks on a terminal"), "{}", asks.err);
    let nobody = home.run(&[
        "run",
        "chat.json",
        "--json",
        "--policy",
        "memory-harness",
        "--window",
        "2000",
        "--set",
        "summarise.by=model",
        "--call-model=yes",
    ]);
    assert!(why(&nobody.good(), "summarise")[0].contains("no model was asked: no model is named"));
}

#[test]
fn what_is_told_of_a_request_is_what_the_model_is_given_and_within_its_limit() {
    let home = Home::new();
    // Written as JSON, such lines have far more tokens than they have by themselves.
    let line = |number: usize| format!("{{\"name\": \"part {number}\", \"path\": \"C:\\\\parts\\\\{number}\"}}\n");
    let lines = |from: usize| (from..from + 12).map(line).collect::<String>();
    let said = |number: usize| {
        let role = if number.is_multiple_of(2) { "user" } else { "assistant" };
        json!({"role": role, "content": lines(number * 12)})
    };
    let messages: Vec<Value> = (0..13).map(said).collect();
    home.file("chat.json", json!({"model": "gpt-4o", "messages": messages}).to_string());
    let server = Server::new(vec![good()]);
    for most in [u64::MAX, 1_500] {
        let limit = format!("summarise.input_max={}", most.min(180_000));
        let shown = run(&home, "run", &server.address, &["-q", "--call-model=show", "--set", &limit]);
        let mut told = shown.err.lines().filter_map(|line| line.split_once(", about ")?.1.split_once(" tokens"));
        let told: u64 = told.next().expect(&shown.err).0.replace(',', "").parse().unwrap();
        let body = shown.err.lines().find(|line| line.starts_with('{')).expect("the request, however quiet");
        let body: Value = serde_json::from_str(body).unwrap();
        let texts = body["messages"].as_array().unwrap().iter().map(|message| message["content"].as_str().unwrap());
        let given: u64 = texts.map(|text| count(text, Encoding::O200kBase)).sum();
        assert_eq!(told, given);
        assert!(given <= most && given > most.min(1_800) / 2, "{given} of {most}");
    }
}

const REWRITING: &[&str] =
    &["--set", "memory.enrich=rewrite", "--set", "memory.chunk_size=100", "--set", "memory.chunk_overlap=0"];
const PASSAGE: &str = "It reads all tokens twice before it goes on.";
const IN_CONTEXT: &str = "The parser of this compiler reads all tokens twice before it goes on.";

/// A passage with what stands before it, each a chunk by itself.
fn passage(home: &Home) {
    let words = format!("The parser of this compiler was written by the team in the last spring.\n\n{PASSAGE}");
    let messages = json!([{"role": "user", "content": words}, {"role": "assistant", "content": "Fine."},
                          {"role": "user", "content": "What reads tokens?"}]);
    home.file("chat.json", json!({"model": "gpt-4o", "messages": messages}).to_string());
}

#[test]
fn passages_are_put_in_their_context_by_the_model() {
    let home = Home::with_cache();
    passage(&home);
    let server = Server::new(vec![Act::Whole(IN_CONTEXT.to_owned())]);
    let told = |more: &[&str]| -> Value {
        let all = [REWRITING, more].concat();
        serde_json::from_str(&run(&home, "memory", &server.address, &all).good()).unwrap()
    };
    assert_eq!((&told(&[])["rewritten"], server.seen().len()), (&json!(0), 0));
    let few = [REWRITING, &["--call-model=yes", "--set", "summariser_calls=1"]].concat();
    let limited = run(&home, "memory", &server.address, &few);
    assert!(limited.err.contains(" passages are not rewritten: what stands around them"), "{}", limited.err);
    let asked = told(&["--call-model=yes"]);
    assert_eq!(asked["rewritten"], json!(1), "what stands before it does not say that");
    let memories = asked["memories"].as_array().unwrap();
    let memory = memories.iter().find(|memory| memory["text"] == PASSAGE).unwrap();
    assert_eq!(memory["around"], IN_CONTEXT);
    let requests = server.seen().len();
    assert_eq!((told(&[]), server.seen().len()), (asked, requests), "kept answers are used without asking");
}

#[test]
fn a_passage_that_cannot_be_used_keeps_no_other_from_being_found_again() {
    let home = Home::with_cache();
    passage(&home);
    let bad = || Act::Whole("The emperor of Peru has eleven ships.".to_owned());
    let server = Server::new(vec![bad(), bad(), Act::Whole(IN_CONTEXT.to_owned())]);
    let told = |more: &[&str]| -> Value {
        let all = [REWRITING, more].concat();
        serde_json::from_str(&run(&home, "memory", &server.address, &all).good()).unwrap()
    };
    let asked = told(&["--call-model=yes"]);
    assert_eq!((&asked["rewritten"], server.seen().len()), (&json!(1), 3));
    assert_eq!((told(&[]), server.seen().len()), (asked, 3));
    // What was found long ago has its reason now as well.
    let again = run(&home, "memory", &server.address, REWRITING).err;
    assert!(again.contains("; the first: The model's answer could not be used: its words"), "{again}");
}

#[test]
fn a_refused_passage_ends_none_of_the_others_until_three_are_refused_in_a_row() {
    let filtered = || Act::Status(400, "", "{\"error\": {\"message\": \"it was filtered\"}}".to_owned());
    let told = |home: &Home, server: &Server| {
        run(home, "memory", &server.address, &[REWRITING, &["--call-model=yes"]].concat())
    };
    let home = Home::new();
    passage(&home);
    let server = Server::new(vec![filtered(), Act::Whole(IN_CONTEXT.to_owned())]);
    let out: Value = serde_json::from_str(&told(&home, &server).good()).unwrap();
    assert_eq!((&out["rewritten"], server.seen().len()), (&json!(1), 2));
    let words: String = (0..9)
        .map(|number| format!("The parser of compiler {number} was written by the team in the spring of {number}.\n\n"))
        .collect();
    let messages = json!([{"role": "user", "content": words}, {"role": "assistant", "content": "Fine."},
                          {"role": "user", "content": "What reads tokens?"}]);
    home.file("chat.json", json!({"model": "gpt-4o", "messages": messages}).to_string());
    let server = Server::new(vec![filtered()]);
    let done = told(&home, &server);
    assert!(done.err.contains("3 questions in a row had no answer for this reason: no more are asked"), "{}", done.err);
    assert_eq!(server.seen().len(), 3);
}

#[test]
fn a_step_is_asked_for_no_later_than_itself_and_no_request_is_told_of_that_is_not_sent() {
    let home = Home::with_cache();
    chat(&home);
    let server = Server::new(vec![good(); 9]);
    let asked = |command: &str, step: &str| {
        run(&home, command, &server.address, &["--call-model=yes", "--step", step]).good();
        server.seen().len()
    };
    assert_eq!((asked("show", "1"), asked("memory", "1")), (0, 0));
    let (few, all) = (asked("memory", "12"), asked("memory", "last"));
    assert!(0 < few && few < all, "{few} {all}");
    let elsewhere = Home::new();
    chat(&elsewhere);
    let limited = run(&elsewhere, "memory", &server.address, &["--call-model=yes", "--set", "summariser_calls=1"]);
    assert_eq!(limited.err.matches("at most $").count(), 1, "{}", limited.err);
    assert!(
        limited.err.contains("warning: No further request was sent: summariser_calls = 1 were sent already."),
        "{}",
        limited.err
    );
}

#[test]
fn it_is_said_why_a_model_that_is_wanted_is_not_asked() {
    let home = Home::new();
    chat(&home);
    let told = |more: &[&str]| home.run(&[&["memory", "chat.json", "--call-model=yes"], SETTINGS, more].concat()).err;
    let none = told(&[]);
    assert_eq!(none.matches("warning: No model was asked: no model is named").count(), 1, "{none}");
    let keyless = told(&["--set", "summariser_model=gpt-4o"]);
    assert!(keyless.contains("warning: No model was asked: the environment variable OPENAI_API_KEY"), "{keyless}");
}
