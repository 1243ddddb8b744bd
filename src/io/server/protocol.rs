//! What is said to a server, and what its answers mean: OpenAI's chat completions and Anthropic's messages.

use std::fmt;

use serde_json::{Value, json};
use sha2::{Digest, Sha256};
use ureq::http::Uri;

use crate::config::Api;
use crate::content::{one_line, steers_terminal};
use crate::model::Usage;

use super::super::page::is_private_host;
use super::secrets::{SECRET, forms, forms_of_key, secrets, shown_address};
use super::speaks::Speaks;

/// The version of Anthropic's API that requests are written in.
const VERSION: &str = "2023-06-01";
/// Characters of an answer that errors quote.
const QUOTED: usize = 300;

/// A server, the model that is asked there, and what opens it.
#[derive(Clone)]
pub struct Endpoint {
    /// Which API it speaks.
    pub speaks: Speaks,
    /// Where requests go.
    pub url: String,
    /// The model's name.
    pub model: String,
    /// Never shown, never kept. Kept answers need none, so that it is missed only when something is to be sent.
    key: Result<Option<String>, EndpointError>,
}

impl fmt::Debug for Endpoint {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(out, "{} at {}", self.model, self.shown())
    }
}

/// Why a server cannot be asked.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum EndpointError {
    /// Nobody said which model.
    #[error("no model is named: summariser_model says which one writes summaries")]
    NoModel,
    /// The address is none.
    #[error("summariser_url: {0} is no http or https address")]
    NoAddress(String),
    /// The key is not there.
    #[error("the environment variable {0} holds no key; summariser_key names another one")]
    NoKey(String),
    /// The key would be read by whoever listens.
    #[error("{0} is not encrypted: no key is sent there; use https, or a server of your own network")]
    Open(String),
}

impl Endpoint {
    /// The server that the settings name. `variable` reads the environment. Where an address is named and no variable,
    /// no key is sent: a key of one service is no business of another.
    ///
    /// # Errors
    /// See [`EndpointError`].
    pub fn of(
        api: Api,
        url: Option<&str>,
        model: Option<&str>,
        key: Option<&str>,
        variable: impl Fn(&str) -> Option<String>,
    ) -> Result<Endpoint, EndpointError> {
        let model = model.ok_or(EndpointError::NoModel)?;
        let named = |url: &str| url.contains("anthropic");
        let speaks = match api {
            Api::Anthropic => Speaks::Anthropic,
            Api::Openai => Speaks::OpenAi,
            Api::Auto if url.map_or_else(|| model.starts_with("claude"), named) => Speaks::Anthropic,
            Api::Auto => Speaks::OpenAi,
        };
        let base = url.unwrap_or(speaks.address()).trim_end_matches('/');
        let address: Uri = base.parse().map_err(|_| EndpointError::NoAddress(shown_address(base)))?;
        let Some(host) = address.host().filter(|_| matches!(address.scheme_str(), Some("http" | "https"))) else {
            return Err(EndpointError::NoAddress(shown_address(base)));
        };
        let open = address.scheme_str() == Some("http") && !is_private_host(host);
        let key = match key.or_else(|| url.is_none().then_some(speaks.variable())) {
            Some(_) if open => Err(EndpointError::Open(shown_address(base))),
            Some(name) => match variable(name).filter(|key| !key.trim().is_empty()) {
                Some(key) => Ok(Some(key.trim().to_owned())),
                None => Err(EndpointError::NoKey(name.to_owned())),
            },
            None => Ok(None),
        };
        let path = speaks.path();
        // What an address asks for stands at its end.
        let (base, query) = base.split_at(base.find(['?', '#']).unwrap_or(base.len()));
        let url = match base.trim_end_matches('/') {
            whole if whole.ends_with(path) => whole.to_owned(),
            base if speaks.is_versioned(base, address.path()) => format!("{base}{path}"),
            base => format!("{base}/v1{path}"),
        } + query;
        Ok(Endpoint { speaks, url, model: model.to_owned(), key })
    }

    /// Whether it can be asked.
    ///
    /// # Errors
    /// Where its key is missing, or must not be sent.
    pub fn ready(&self) -> Result<(), EndpointError> {
        self.key.as_ref().map(|_| ()).map_err(Clone::clone)
    }

    /// The key, where there is one.
    fn key(&self) -> Option<&str> {
        self.key.as_ref().ok()?.as_deref()
    }

    /// The headers, the key among them.
    pub(super) fn headers(&self) -> Vec<(&'static str, String)> {
        let mut headers =
            vec![("content-type", "application/json".to_owned()), ("accept", "text/event-stream".to_owned())];
        if self.speaks == Speaks::Anthropic {
            headers.push(("anthropic-version", VERSION.to_owned()));
        }
        if let Some(key) = self.key() {
            headers.push(match self.speaks {
                Speaks::Anthropic => ("x-api-key", key.to_owned()),
                Speaks::OpenAi => ("authorization", format!("Bearer {key}")),
            });
        }
        headers
    }

    /// Its address as it may be shown.
    #[must_use]
    pub fn shown(&self) -> String {
        shown_address(&self.url)
    }

    /// Takes the key, and what of the address is secret, out of a text that a server sent back: as they were written,
    /// and as they go over the line.
    pub(super) fn without_key(&self, text: &str) -> String {
        let found = secrets(&self.url).into_iter().flat_map(|(from, to)| self.url.get(from..to));
        // A password is one without its user too.
        let found = found.flat_map(|secret| [Some(secret), secret.split_once(':').map(|(_, password)| password)]);
        let forms = found.flatten().flat_map(forms);
        // What is shorter is a word of any text.
        let mut forms: Vec<String> = forms.filter(|secret| secret.len() >= SECRET).collect();
        forms.extend(self.key().into_iter().flat_map(|key| [vec![key.to_owned()], forms_of_key(key)].concat()));
        // What holds another goes first.
        forms.sort_by_key(|secret| std::cmp::Reverse(secret.len()));
        forms.into_iter().fold(text.to_owned(), |text, secret| text.replace(&secret, "[key]"))
    }
}

/// Who says something in a request.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Said {
    /// We.
    User,
    /// The model, before.
    Assistant,
}

/// A request as it would be sent.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Request {
    /// Where it goes.
    pub url: String,
    /// Its bytes, without headers.
    pub body: String,
    /// Tokens of the answer at most.
    pub most: u64,
}

impl Request {
    /// Writes a request for a streamed answer of at most so many tokens.
    #[must_use]
    pub fn of(endpoint: &Endpoint, system: &str, messages: &[(Said, &str)], most: u64) -> Request {
        let said = |(who, text): &(Said, &str)| {
            let role = if *who == Said::User { "user" } else { "assistant" };
            json!({"role": role, "content": text})
        };
        let said = messages.iter().map(said);
        let body = match endpoint.speaks {
            Speaks::Anthropic => {
                let messages: Vec<Value> = said.collect();
                json!({"model": endpoint.model, "max_tokens": most, "stream": true, "system": system,
                       "messages": messages})
            }
            Speaks::OpenAi => {
                let system = json!({"role": "system", "content": system});
                let messages: Vec<Value> = std::iter::once(system).chain(said).collect();
                // OpenAI's newer models know only the longer name; other servers may know only the shorter.
                let own = endpoint.url.starts_with(Speaks::OpenAi.address());
                let limit = if own { "max_completion_tokens" } else { "max_tokens" };
                json!({"model": endpoint.model, limit: most, "stream": true,
                       "stream_options": {"include_usage": true}, "messages": messages})
            }
        };
        Request { url: endpoint.url.clone(), body: body.to_string(), most }
    }

    /// What tells it apart: the hash of where it goes and of all its bytes.
    #[must_use]
    pub fn key(&self) -> [u8; 32] {
        Sha256::new().chain_update(&self.url).chain_update([0]).chain_update(&self.body).finalize().into()
    }
}

/// Why an answer ended.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum Stopped {
    /// It has not: the connection did.
    #[default]
    Not,
    /// It was done.
    Done,
    /// It was as long as it may be.
    Full,
    /// The model, or who watches over it, does not want to answer.
    Refused,
}

/// The words of an answer's content: one text, or a list of parts of which some are texts and others thoughts.
fn said_in(content: &Value) -> String {
    let is_text = |part: &&Value| matches!(part["type"].as_str(), None | Some("text" | "output_text"));
    let texts = |parts: &Vec<Value>| {
        let texts = parts.iter().filter(is_text).filter_map(|part| part["text"].as_str().or_else(|| part.as_str()));
        texts.collect()
    };
    content.as_str().map(str::to_owned).or_else(|| content.as_array().map(texts)).unwrap_or_default()
}

/// What a server answered so far.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Reply {
    /// Its words. Untrusted.
    pub text: String,
    /// Tokens as the server reports them.
    pub usage: Option<Usage>,
    /// Why it ended.
    pub stopped: Stopped,
    /// Why it does not answer, in its words. Untrusted.
    pub refusal: String,
}

impl Reply {
    /// Takes one event of a streamed answer, and says whether it was the last.
    ///
    /// # Errors
    /// What is wrong with it, or what the server complains of.
    pub(super) fn take(&mut self, speaks: Speaks, data: &[u8]) -> Result<bool, Fault> {
        if data == b"[DONE]" {
            if self.stopped == Stopped::Not {
                self.stopped = Stopped::Done;
            }
            return Ok(true);
        }
        let value: Value = serde_json::from_slice(data).map_err(|why| Fault::Malformed(format!("no JSON: {why}")))?;
        complaint(&value)?;
        match speaks {
            Speaks::Anthropic => self.anthropic_event(&value)?,
            // Some servers tell the tokens in an event of its own, beside no answer.
            Speaks::OpenAi if value["choices"].is_null() && value["usage"].is_object() => {
                self.count(&value["usage"], speaks);
            }
            Speaks::OpenAi => self.openai_answer(&value, "delta")?,
        }
        Ok(speaks == Speaks::Anthropic && value["type"] == "message_stop")
    }

    /// Takes an answer that came as a whole.
    ///
    /// # Errors
    /// What is wrong with it, or what the server complains of.
    pub(super) fn whole(speaks: Speaks, bytes: &[u8]) -> Result<Reply, Fault> {
        let value: Value = serde_json::from_slice(bytes).map_err(|why| Fault::Malformed(format!("no JSON: {why}")))?;
        complaint(&value)?;
        let mut reply = Reply::default();
        match speaks {
            Speaks::Anthropic => {
                let Some(content) = value["content"].as_array() else { return Err(missing("content")) };
                reply.text = content.iter().filter_map(|block| block["text"].as_str()).collect();
                reply.stop(value["stop_reason"].as_str());
                reply.count(&value["usage"], speaks);
            }
            Speaks::OpenAi => reply.openai_answer(&value, "message")?,
        }
        Ok(reply)
    }

    fn openai_answer(&mut self, value: &Value, part: &str) -> Result<(), Fault> {
        let Some(choices) = value["choices"].as_array() else { return Err(missing("choices")) };
        if let Some(choice) = choices.first() {
            self.text.push_str(&said_in(&choice[part]["content"]));
            self.refusal.push_str(choice[part]["refusal"].as_str().unwrap_or_default());
            self.stop(choice["finish_reason"].as_str());
        }
        self.count(&value["usage"], Speaks::OpenAi);
        Ok(())
    }

    fn anthropic_event(&mut self, value: &Value) -> Result<(), Fault> {
        match value["type"].as_str() {
            Some("message_start") => self.count(&value["message"]["usage"], Speaks::Anthropic),
            Some("content_block_delta") => self.text.push_str(value["delta"]["text"].as_str().unwrap_or_default()),
            Some("message_delta") => {
                self.stop(value["delta"]["stop_reason"].as_str());
                self.count(&value["usage"], Speaks::Anthropic);
            }
            Some("message_stop") if self.stopped == Stopped::Not => self.stopped = Stopped::Done,
            Some(_) => {}
            None => return Err(missing("type")),
        }
        Ok(())
    }

    /// Why there is no answer, where the model or who watches over it refuses one.
    pub(super) fn refused(&self) -> Option<String> {
        let refuses = self.stopped == Stopped::Refused || !self.refusal.is_empty();
        let words = if self.refusal.is_empty() { &self.text } else { &self.refusal };
        refuses.then(|| quoted(words))
    }

    fn stop(&mut self, why: Option<&str>) {
        match why {
            Some("length" | "max_tokens") => self.stopped = Stopped::Full,
            Some("content_filter" | "refusal") => self.stopped = Stopped::Refused,
            Some(_) => self.stopped = Stopped::Done,
            None => {}
        }
    }

    /// Takes in reported tokens: later figures stand over earlier ones.
    fn count(&mut self, value: &Value, speaks: Speaks) {
        if !value.is_object() {
            return;
        }
        let number = |name: &str| value.get(name).and_then(Value::as_u64);
        let (input, output, cached) = match speaks {
            Speaks::Anthropic => (number("input_tokens"), number("output_tokens"), number("cache_read_input_tokens")),
            Speaks::OpenAi => {
                // What it read from its cache is a part of what it was sent.
                let cached = value["prompt_tokens_details"]["cached_tokens"].as_u64();
                let fresh = number("prompt_tokens").map(|all| all.saturating_sub(cached.unwrap_or(0)));
                (fresh, number("completion_tokens"), cached)
            }
        };
        let usage = self.usage.get_or_insert_with(Usage::default);
        usage.input = input.unwrap_or(usage.input);
        usage.cache_read = cached.unwrap_or(usage.cache_read);
        usage.output = output.or(usage.output);
    }
}

/// What is wrong with an answer.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Fault {
    /// It cannot be read.
    Malformed(String),
    /// The server complains; whether it may think otherwise soon.
    Complaint(String, bool),
}

fn missing(field: &str) -> Fault {
    Fault::Malformed(format!("there is no field {field:?}"))
}

/// An error that stands where an answer should.
fn complaint(value: &Value) -> Result<(), Fault> {
    let Some(error) = value.get("error").filter(|error| !error.is_null()) else { return Ok(()) };
    let kind = error["type"].as_str().unwrap_or_default();
    let code = &error["code"];
    let status = code.as_u64().or_else(|| code.as_str()?.parse().ok());
    let names = ["overloaded_error", "api_error", "rate_limit_error", "server_error", "rate_limit_exceeded"];
    let soon = names.contains(&kind)
        || code.as_str().is_some_and(|code| names.contains(&code))
        || matches!(status, Some(429 | 500..=599));
    Err(Fault::Complaint(words_of(error), soon))
}

/// What a server says of its error, in one line.
pub(super) fn words_of(error: &Value) -> String {
    let words = error["message"].as_str().or_else(|| error.as_str()).map_or_else(|| error.to_string(), str::to_owned);
    quoted(&words).trim_end_matches('.').to_owned()
}

/// The beginning of what a server says, on one line and without what steers a terminal.
pub(super) fn quoted(text: &str) -> String {
    let line: String = one_line(text).chars().take(QUOTED).collect();
    line.chars().filter(|sign| !steers_terminal(*sign)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::io::server::events::{Events, Malformed};
    use proptest::prelude::*;

    #[test]
    fn content_may_be_a_list_of_parts() {
        let parts = r#"[{"type": "thinking", "thinking": [{"type": "text", "text": "hm"}]}, {"type": "text", "text": "All "},
            {"type": "text", "text": "is well."}]"#;
        let whole = format!(r#"{{"choices": [{{"message": {{"content": {parts}}}, "finish_reason": "stop"}}]}}"#);
        assert_eq!(
            Reply::whole(Speaks::OpenAi, whole.as_bytes()).map(|reply| reply.text).ok().as_deref(),
            Some("All is well.")
        );
        let mut reply = Reply::default();
        for part in [r#"[{"type": "text", "text": "All "}]"#, r#""is""#, r#"[{"text": " well."}]"#, "null"] {
            let data = format!(r#"{{"choices": [{{"delta": {{"content": {part}}}}}]}}"#);
            assert!(reply.take(Speaks::OpenAi, data.as_bytes()).is_ok());
        }
        assert_eq!(reply.text, "All is well.");
    }

    #[test]
    fn an_address_is_shown_without_its_secrets() {
        for (url, shown) in [
            ("https://ops:hunter2@example.org/v1", "https://\u{2026}@example.org/v1"),
            ("https://example.org/v1?api_key=abc&x=", "https://example.org/v1?api_key=\u{2026}&x="),
            ("https://example.org/a@b/v1", "https://example.org/a@b/v1"),
            ("ops:hunter2@example.org", "\u{2026}@example.org"),
            ("https://example.org?a@b", "https://example.org?\u{2026}"),
        ] {
            assert_eq!(shown_address(url), shown);
        }
        let url = Some("https://ops:hunter2@example.org/v1");
        let endpoint = Endpoint::of(Api::Openai, url, Some("m"), Some("K"), |_| Some("sk-1".to_owned())).unwrap();
        assert_eq!(endpoint.without_key("sk-1 at ops:hunter2@example.org"), "[key] at [key]@example.org");
        // As it goes over the line.
        for sent in ["b3BzOmh1bnRlcjI=", "Basic b3BzOmh1bnRlcjI", "ops%3Ahunter2", "ops%3ahunter2", "hunter2"] {
            let left = endpoint.without_key(&format!("wrong: {sent}."));
            assert!(left.contains("[key]") && !left.contains(sent.trim_start_matches("Basic ")), "{left}");
        }
        let coded =
            Endpoint::of(Api::Openai, Some("https://x.example/v1?key=a%2Fb%40c%2Bd"), Some("m"), None, |_| None);
        assert_eq!(coded.unwrap().without_key("a/b@c+d, a%2fb%40c%2bd"), "[key], [key]");
        assert!(!format!("{endpoint:?}").contains("hunter2"));
        let open = Endpoint::of(Api::Openai, Some("http://ops:hunter2@example.org"), Some("m"), Some("K"), |_| None);
        assert!(!open.unwrap().ready().unwrap_err().to_string().contains("hunter2"));
    }

    #[test]
    fn the_tokens_may_come_beside_no_answer() {
        for choices in ["", "\"choices\": null, ", "\"choices\": [], "] {
            let mut reply = Reply::default();
            let cached = "\"prompt_tokens_details\": {\"cached_tokens\": 20}";
            let data = format!("{{{choices}\"usage\": {{\"prompt_tokens\": 30, \"completion_tokens\": 7, {cached}}}}}");
            assert_eq!(reply.take(Speaks::OpenAi, data.as_bytes()), Ok(false));
            let usage = reply.usage.unwrap_or_default();
            assert_eq!((usage.input, usage.cache_read, usage.output), (10, 20, Some(7)));
            assert_eq!(reply.take(Speaks::OpenAi, b"[DONE]"), Ok(true));
        }
        assert!(Reply::default().take(Speaks::OpenAi, b"{}").is_err());
        assert_eq!(Reply::default().take(Speaks::Anthropic, b"{\"type\": \"message_stop\"}"), Ok(true));
    }

    proptest! {
        /// Whatever a server sends, in whatever pieces.
        #[test]
        fn no_answer_brings_it_down(
            lines in prop::collection::vec(
                prop_oneof![
                    Just("data: {\"choices\": [{\"delta\": {\"content\": 7}}], \"usage\": [1]}".to_owned()),
                    Just("data: {\"type\": \"message_delta\", \"delta\": 3, \"usage\": {\"output_tokens\": -1}}".to_owned()),
                    Just("data: {\"error\": [\"x\"]}".to_owned()),
                    Just("data: [DONE]".to_owned()),
                    Just(String::new()),
                    "(data:|event:)?.{0,40}",
                ],
                0..12,
            ),
            cut in 1usize..40,
            speaks in prop_oneof![Just(Speaks::OpenAi), Just(Speaks::Anthropic)],
        ) {
            let (mut events, mut reply) = (Events::default(), Reply::default());
            let text = lines.join("\n") + "\n\n";
            for piece in text.as_bytes().chunks(cut) {
                let _ = events.feed(piece, &mut |_, data| {
                    let _ = reply.take(speaks, data);
                    Ok::<(), Malformed>(())
                });
            }
            let _ = Reply::whole(speaks, text.as_bytes());
        }
    }
}
