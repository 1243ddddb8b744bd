//! A model is given no more than fits in its window beside its answer.

use serde_json::{Value, json};
use windowpane::tokens::{Encoding, count};

use crate::cli::runner::Home;

use super::replay::good;
use super::server::Server;

/// A conversation of some 35,000 tokens.
fn long_chat(home: &Home) {
    let mut messages = vec![json!({"role": "user", "content": "The staging server listens on port 8443."})];
    for number in 0..24 {
        let words = format!("Round {number}: {}", "the parser reads a token and goes on to another one. ".repeat(130));
        messages.push(json!({"role": "assistant", "content": words}));
        messages.push(json!({"role": "user", "content": format!("Go on with part {number}.")}));
    }
    home.file("chat.json", json!({"model": "gpt-4o", "messages": messages}).to_string());
}

/// Why the first summary is what it is.
fn why(home: &Home, server: &Server, more: &[&str]) -> String {
    let url = format!("summariser_url={}", server.address);
    let arguments = [
        &["run", "chat.json", "--json", "--policy", "claude-code", "--window", "30000", "--set", "summarise.by=model"]
            [..],
        &["--set", "summarise.at=20000", "--set", "summarise.target=9000"],
        &["--set", "summariser_model=gpt-4", "--set", &url, "--call-model=yes"],
        more,
    ];
    let out = home.run(&arguments.concat()).good();
    let mut rows = out.lines().map(|line| serde_json::from_str::<Value>(line).unwrap());
    rows.find(|row| row["type"] == "event" && row["stage"] == "summarise").unwrap()["why"].as_str().unwrap().to_owned()
}

#[test]
fn a_small_model_is_given_what_fits_beside_its_answer_and_the_event_says_what_was_not() {
    let home = Home::new();
    long_chat(&home);
    let server = Server::new(vec![good()]);
    let said = why(&home, &server, &[]);
    assert!(
        said.contains("tokens were over what fits in the model's window of 8,192 tokens beside its answer"),
        "{said}"
    );
    for sent in server.seen() {
        let texts =
            sent.body["messages"].as_array().unwrap().iter().map(|message| message["content"].as_str().unwrap());
        let given: u64 = texts.map(|text| count(text, Encoding::Cl100kBase)).sum();
        let answer = sent.body["max_tokens"].as_u64().unwrap();
        assert_eq!(answer, 4_096);
        assert!(given + answer <= 8_192 && given > 3_000, "{given}");
    }
}

#[test]
fn a_model_that_is_too_small_for_anything_is_not_asked() {
    let home = Home::new();
    long_chat(&home);
    home.file("models.toml", "[[vendor]]\nname = \"openai\"\nmodels = [{ name = \"gpt-4\", window = 400 }]\n");
    let server = Server::new(vec![good()]);
    let said = why(&home, &server, &["--set", "models=models.toml"]);
    assert!(said.contains("no model was asked: nothing fits in the model's window of 400 beside its answer"), "{said}");
    assert!(server.seen().is_empty());
}
