//! A real server program that speaks both APIs: the LiteLLM proxy, with answers that its configuration makes up.
//! `WINDOWPANE_LITELLM` names the program; without it there is nothing to try.

use std::io::{Read, Write};
use std::net::{TcpListener, TcpStream};
use std::path::PathBuf;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use serde_json::{Value, json};

use crate::cli::runner::Home;

use super::replay::{SETTINGS, chat};

const KEY: &str = "sk-windowpane-of-the-tests-0123456789abcdef";
/// How long it may take to start: it is a large program, and the machine may be busy with others.
const START: Duration = Duration::from_secs(600);
/// Ports that no system gives to who asks for any: what other tests open meanwhile is never one of them.
const PORTS: std::ops::Range<u16> = 20_000..30_000;

/// The proxy, until it is dropped.
struct Proxy {
    child: Child,
    address: String,
}

impl Drop for Proxy {
    fn drop(&mut self) {
        // It may have ended by itself.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

fn start(program: PathBuf, home: &Home) -> Proxy {
    let memories = json!([{"text": "Staging listens on port 8443.", "from": [1]}]);
    let good = json!({"summary": "The staging server listens on port 8443.", "memories": memories}).to_string();
    let model = |name: &str, answer: &str| json!({"model_name": name, "litellm_params": {"model": "openai/none", "api_key": "none", "mock_response": answer}});
    // JSON is YAML.
    let config = json!({"model_list": [model("good", &good), model("prose", "All is well.")],
        "general_settings": {"master_key": KEY}});
    let config = home.file("proxy.yaml", config.to_string());
    let begun = Instant::now();
    let first = u16::try_from(std::process::id() % u32::from(PORTS.end - PORTS.start)).unwrap();
    for port in PORTS.cycle().skip(first.into()).take(PORTS.len()) {
        if TcpListener::bind(("127.0.0.1", port)).is_err() {
            continue;
        }
        let mut command = Command::new(&program);
        command.arg("--config").arg(&config).args(["--host", "127.0.0.1", "--port", &port.to_string()]);
        command.env("LITELLM_LOCAL_MODEL_COST_MAP", "True").current_dir(home.path());
        let child = command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap();
        let mut proxy = Proxy { child, address: format!("http://127.0.0.1:{port}") };
        while proxy.child.try_wait().unwrap().is_none() {
            // What it needs for an answer is loaded with the first.
            if ["chat/completions", "messages"].iter().all(|path| answers(port, path)) {
                return proxy;
            }
            assert!(begun.elapsed() < START, "the proxy does not start");
            std::thread::sleep(Duration::from_millis(200));
        }
        // Somebody else has the port by now, or it cannot start at all.
        assert!(begun.elapsed() < START, "the proxy ends as it starts");
    }
    panic!("no port is free");
}

/// Whether the proxy itself is behind a port and its good model answers.
fn answers(port: u16, path: &str) -> bool {
    let body =
        json!({"model": "good", "max_tokens": 9, "messages": [{"role": "user", "content": "Hello."}]}).to_string();
    let ask = || -> std::io::Result<String> {
        let mut stream = TcpStream::connect(("127.0.0.1", port))?;
        stream.set_read_timeout(Some(START))?;
        let length = body.len();
        write!(
            stream,
            "POST /v1/{path} HTTP/1.1\r\nhost: proxy\r\nauthorization: Bearer {KEY}\r\nx-api-key: {KEY}\r\n\
             content-type: application/json\r\ncontent-length: {length}\r\nconnection: close\r\n\r\n{body}"
        )?;
        let mut said = String::new();
        stream.read_to_string(&mut said)?;
        Ok(said)
    };
    ask().is_ok_and(|said| said.starts_with("HTTP/1.1 200") && said.contains("8443"))
}

/// Replays the conversation with summaries of a model behind the proxy: its events, and what was said meanwhile.
fn replay(home: &Home, proxy: &Proxy, api: &str, model: &str, key: &str) -> (Vec<Value>, String) {
    let settings = [("model", model), ("url", &proxy.address), ("api", api), ("key", "PROXY_KEY")]
        .map(|(name, value)| format!("summariser_{name}={value}"));
    let mut command = home.command();
    command.args(["run", "chat.json", "--json", "--call-model=yes"]).args(SETTINGS).env("PROXY_KEY", key);
    settings.iter().for_each(|setting| _ = command.args(["--set", setting]));
    let done = command.output().unwrap();
    assert!(done.status.success());
    let rows = String::from_utf8(done.stdout).unwrap();
    let rows = rows.lines().map(|line| serde_json::from_str::<Value>(line).unwrap());
    (rows.filter(|row| row["type"] == "event").collect(), String::from_utf8(done.stderr).unwrap())
}

fn why(events: &[Value], stage: &str) -> Vec<String> {
    let of = events.iter().filter(|event| event["stage"] == stage);
    of.map(|event| event["why"].as_str().unwrap().to_owned()).collect()
}

#[test]
fn a_proxy_that_speaks_both_apis_writes_the_summaries() {
    let Some(program) = std::env::var_os("WINDOWPANE_LITELLM").map(PathBuf::from) else {
        eprintln!("WINDOWPANE_LITELLM names no program");
        return;
    };
    let home = Home::new();
    chat(&home);
    let proxy = start(program, &home);
    for api in ["openai", "anthropic"] {
        let (events, said) = replay(&home, &proxy, api, "good", KEY);
        let summaries = why(&events, "summarise");
        assert!(!summaries.is_empty() && summaries[0].contains("a model wrote it"), "{api}: {summaries:?} {said}");
        let kept = events.iter().find(|event| event["stage"] == "preserve").unwrap();
        assert_eq!(kept["measured"], 1, "{api}");
        // What is in no form that can be used is asked for once more, then sentences stand in, and both is said.
        let (events, said) = replay(&home, &proxy, api, "prose", KEY);
        assert!(said.contains("asked for once more"), "{api}: {said}");
        assert!(why(&events, "summarise").iter().all(|why| why.contains("stand in")), "{api}");
        // So it is where the server refuses.
        for (model, key) in [("nobody", KEY), ("good", "sk-another")] {
            let (events, said) = replay(&home, &proxy, api, model, key);
            assert!(why(&events, "summarise").iter().all(|why| why.contains("stand in")), "{api} {model}");
            assert!(said.contains("warning"), "{api} {model}: {said}");
        }
    }
}
