//! One request and its answer: streamed, slow, refused, broken, too large, stopped.

use std::time::{Duration, Instant};

use windowpane::config::Api;
use windowpane::content::Watch;
use windowpane::io::{
    AnswerCache, AskError, Endpoint, EndpointError, Patience, Progress, Reply, Request, Said, Stopped, ask,
};

use super::server::{Act, Server, said};

const KEY: &str = "secret-4711";

fn endpoint(server: &Server, api: Api) -> Endpoint {
    let key = |_: &str| Some(KEY.to_owned());
    Endpoint::of(api, Some(&server.address), Some("a-model"), Some("KEY"), key).unwrap()
}

fn quick() -> Patience {
    Patience { pause: Duration::from_millis(5), whole: Duration::from_secs(5), ..Patience::default() }
}

/// Asks, and returns the answer and what was told meanwhile.
fn asked(server: &Server, api: Api, patience: &Patience) -> (Result<Reply, AskError>, Vec<String>) {
    let endpoint = endpoint(server, api);
    let request = Request::of(&endpoint, "You help.", &[(Said::User, "Hello?")], 100);
    let mut told = Vec::new();
    let reply = ask(&endpoint, &request, patience, &Watch::default(), &mut || true, &mut |progress| match progress {
        Progress::Text(text) => told.push(text.to_owned()),
        Progress::Again { why, .. } => told.push(format!("again: {why}")),
        Progress::Waiting => {}
    });
    (reply, told)
}

fn say(text: &str) -> Act {
    Act::Say(text.to_owned(), Duration::ZERO)
}

fn status(status: u16, headers: &'static str, why: &str) -> Act {
    Act::Status(status, headers, serde_json::json!({"error": {"message": why, "type": "x"}}).to_string())
}

#[test]
fn both_apis_stream() {
    for api in [Api::Openai, Api::Anthropic] {
        let server = Server::new(vec![say("Grüße aus dem Süden")]);
        let (reply, told) = asked(&server, api, &quick());
        let reply = reply.unwrap();
        assert_eq!((reply.text.as_str(), &reply.stopped), ("Grüße aus dem Süden", &Stopped::Done));
        let usage = reply.usage.unwrap();
        assert_eq!((usage.input, usage.output), (11, Some(7)));
        assert!(told.last() == Some(&reply.text) && told.iter().all(|part| reply.text.starts_with(part)), "{told:?}");
        let sent = &server.seen()[0];
        let (path, header) = match api {
            Api::Anthropic => ("/v1/messages", format!("x-api-key: {KEY}")),
            _ => ("/v1/chat/completions", format!("authorization: bearer {KEY}")),
        };
        assert_eq!((sent.path.as_str(), sent.headers.contains(&header)), (path, true), "{}", sent.headers);
        assert_eq!((&sent.body["stream"], &sent.body["max_tokens"]), (&true.into(), &100.into()));
        assert_eq!(sent.body["messages"].as_array().unwrap().last().unwrap()["content"], "Hello?");
    }
}

#[test]
fn each_request_is_counted_and_media_types_have_no_case() {
    let server = Server::new(vec![status(500, "", "broken")]);
    let endpoint = endpoint(&server, Api::Openai);
    let request = Request::of(&endpoint, "", &[(Said::User, "Hello?")], 10);
    for left in [0, 1, 2] {
        let before = server.seen().len();
        let mut sent = 0;
        let mut may = || {
            sent += 1;
            sent <= left
        };
        let error = ask(&endpoint, &request, &quick(), &Watch::default(), &mut may, &mut |_| {}).unwrap_err();
        assert_eq!(server.seen().len() - before, left, "{error}");
        assert_eq!(left == 0, error == AskError::NoneLeft);
    }
    let events = "data: {\"choices\": [{\"delta\": {\"content\": \"So.\"}, \"finish_reason\": \"stop\"}]}\n\n";
    let server =
        Server::new(vec![Act::Status(200, "Content-Type: Text/Event-Stream; charset=utf-8\r\n", events.to_owned())]);
    assert_eq!(asked(&server, Api::Openai, &quick()).0.unwrap().text, "So.");
}

#[test]
fn servers_that_do_not_stream_are_understood() {
    for api in [Api::Openai, Api::Anthropic] {
        let server = Server::new(vec![Act::Whole("All at once.".to_owned())]);
        let reply = asked(&server, api, &quick()).0.unwrap();
        assert_eq!((reply.text.as_str(), reply.stopped), ("All at once.", Stopped::Done));
    }
}

#[test]
fn busy_servers_are_asked_again_as_they_wish() {
    let busy = || status(429, "retry-after: 1\r\n", "slow down");
    let server = Server::new(vec![busy(), status(503, "", "not yet"), say("Now.")]);
    let begun = Instant::now();
    let (reply, told) = asked(&server, Api::Openai, &quick());
    assert_eq!(reply.unwrap().text, "Now.");
    assert!(begun.elapsed() >= Duration::from_secs(1), "the server's own wish counts");
    assert!(told[0].contains("429") && told[0].contains("slow down") && told[1].contains("503"), "{told:?}");
    // Nobody waits an hour.
    let server = Server::new(vec![status(429, "retry-after: 3600\r\n", "quota")]);
    let error = asked(&server, Api::Openai, &quick()).0.unwrap_err().to_string();
    assert!(error.contains("pause of 3600 seconds") && server.seen().len() == 1, "{error}");
    let server = Server::new(vec![status(500, "", "broken")]);
    let error = asked(&server, Api::Anthropic, &quick()).0.unwrap_err().to_string();
    assert!(error.contains("broken") && error.contains("after 4 attempts") && server.seen().len() == 4, "{error}");
    // What says nothing has no hole in its place.
    for silent in [status(404, "", ""), Act::Status(404, "", " \n".to_owned()), Act::Status(404, "", String::new())] {
        let server = Server::new(vec![silent]);
        let error = asked(&server, Api::Openai, &quick()).0.unwrap_err().to_string();
        assert!(error.ends_with("(404): it does not say why"), "{error}");
    }
}

#[test]
fn what_is_refused_is_not_asked_again_and_no_error_holds_the_key() {
    let server = Server::new(vec![status(401, "", &format!("wrong key {KEY}\u{1b}[31m"))]);
    let error = asked(&server, Api::Openai, &quick()).0.unwrap_err();
    assert_eq!(error, AskError::Refused { status: 401, why: "wrong key [key][31m".to_owned() });
    assert_eq!(server.seen().len(), 1);
    let moved = Act::Status(307, "location: http://127.0.0.1:1/\r\n", String::new());
    let server = Server::new(vec![moved]);
    assert!(matches!(asked(&server, Api::Openai, &quick()).0, Err(AskError::Refused { status: 307, .. })));
    let nobody = { Server::new(vec![say("x")]).address.replace("127.0.0.1", "127.0.0.2") };
    let endpoint = Endpoint::of(Api::Openai, Some(&nobody), Some("m"), None, |_| None).unwrap();
    let request = Request::of(&endpoint, "", &[], 1);
    let error =
        ask(&endpoint, &request, &quick(), &Watch::default(), &mut || true, &mut |_| {}).unwrap_err().to_string();
    assert!(error.contains("connection failed") && error.contains("4 attempts"), "{error}");
}

#[test]
fn an_answer_that_repeats_the_key_is_taken_without_it() {
    let server = Server::new(vec![say(&format!("you sent {KEY}, did you"))]);
    assert_eq!(asked(&server, Api::Openai, &quick()).0.unwrap().text, "you sent [key], did you");
    let server = Server::new(vec![Act::Whole(format!("you sent {KEY}"))]);
    assert_eq!(asked(&server, Api::Anthropic, &quick()).0.unwrap().text, "you sent [key]");
}

#[test]
fn broken_streams_end_in_sentences() {
    let raw = |text: &str| Server::new(vec![Act::Raw(text.to_owned())]);
    let error = |server: &Server| asked(server, Api::Openai, &quick()).0.unwrap_err().to_string();
    let no_json = raw("data: {\"choices\": []}\n\ndata: {oops\n\n");
    let said = error(&no_json);
    assert!(said.contains("event 2 of the stream: no JSON"), "{said}");
    assert!(error(&raw("data: {\"a\": 1}\n\n")).contains("no field \"choices\""));
    assert!(error(&raw("data: {\"error\": {\"message\": \"no such model\"}}\n\n")).contains("no such model"));
    assert!(error(&Server::new(vec![Act::Raw(String::new())])).contains("broke off"));
    // An answer that had begun is charged for: nobody agreed to another.
    let server = Server::new(vec![Act::BreakOff("half of it".to_owned()), say("all of it")]);
    assert!(matches!(asked(&server, Api::Anthropic, &quick()).0, Err(AskError::BrokeOff(_))));
    assert_eq!(server.seen().len(), 1);
    let overloaded =
        "data: {\"type\": \"error\", \"error\": {\"type\": \"overloaded_error\", \"message\": \"busy\"}}\n\n";
    let server = Server::new(vec![Act::Raw(overloaded.to_owned()), say("fine")]);
    assert_eq!(asked(&server, Api::Anthropic, &quick()).0.unwrap().text, "fine");
}

#[test]
fn what_was_said_to_its_end_is_whole_however_the_connection_ends() {
    const STREAM: &str = "text/event-stream";
    for api in [Api::Openai, Api::Anthropic] {
        let mut events = said("All is well.", api == Api::Anthropic);
        let open = |events: &[String], time| Server::new(vec![Act::Open(STREAM, events.concat(), time)]);
        // A server that leaves the connection open is not waited for.
        let (server, since) = (open(&events, Duration::from_secs(4)), Instant::now());
        assert_eq!(asked(&server, api, &quick()).0.map(|reply| reply.text).as_deref(), Ok("All is well."));
        assert!(since.elapsed() < Duration::from_secs(2), "{:?}", since.elapsed());
        // Its reason to end is an end, too.
        events.pop();
        let server = open(&events, Duration::ZERO);
        assert_eq!(asked(&server, api, &quick()).0.map(|reply| reply.text).as_deref(), Ok("All is well."));
        assert_eq!(server.seen().len(), 1);
    }
    // A stream is known by what it is.
    let raw = said("All is well.", false).concat();
    let padded = format!("{raw}: {}\n\n", " ".repeat(100_000 - raw.len() - 4));
    let server = Server::new(vec![Act::Open("text/plain", padded, Duration::ZERO)]);
    assert_eq!(asked(&server, Api::Openai, &quick()).0.map(|reply| reply.text).as_deref(), Ok("All is well."));
}

#[test]
fn an_answer_has_its_limits() {
    let server = Server::new(vec![Act::Huge(64 << 20)]);
    let small = Patience { text: 1 << 20, ..quick() };
    assert_eq!(asked(&server, Api::Openai, &small).0, Err(AskError::Large(1)));
    // What stands around the text is no text: it has its own limit, and the error says which was met.
    let wrapped = |number: usize| {
        let empty =
            format!("data: {{\"choices\": [{{\"delta\": {{}}}}], \"padding\": \"{}\"}}\n\n", "x".repeat(1 << 16));
        let end = "data: {\"choices\": [{\"delta\": {\"content\": \"short\"}, \"finish_reason\": \"stop\"}]}\n\n";
        Server::new(vec![Act::Raw(format!("{end}{}data: [DONE]\n\n", empty.repeat(number)))])
    };
    assert_eq!(asked(&wrapped(40), Api::Openai, &small).0.unwrap().text, "short");
    let narrow = Patience { bytes: 2 << 20, ..small };
    let error = asked(&wrapped(40), Api::Openai, &narrow).0.unwrap_err();
    assert_eq!(error, AskError::Wrapped(2, 5));
    assert_eq!(error.to_string(), "the answer came in more than 2 MB, of which 5 bytes were its text");
    let server = Server::new(vec![Act::Whole("word ".repeat(300_000))]);
    assert_eq!(asked(&server, Api::Openai, &small).0, Err(AskError::Large(1)), "as a whole too");
    let server = Server::new(vec![Act::Say("drip".to_owned(), Duration::from_millis(400))]);
    let short = Patience { whole: Duration::from_millis(500), ..quick() };
    assert!(matches!(asked(&server, Api::Openai, &short).0, Err(AskError::Slow(_))));
    // The time is that of all attempts together, and an error is told by its status.
    let server = Server::new(vec![status(500, "", "broken")]);
    let slow = Patience { pause: Duration::from_millis(400), ..short };
    let begun = Instant::now();
    let error = asked(&server, Api::Openai, &slow).0.unwrap_err().to_string();
    assert!(error.contains("broken") && begun.elapsed() < Duration::from_secs(2), "{error}");
    for act in [Act::EndlessError(1 << 20), Act::EndlessError(10)] {
        let server = Server::new(vec![act, say("fine")]);
        let (reply, told) = asked(&server, Api::Openai, &Patience { whole: Duration::from_secs(60), ..quick() });
        assert_eq!(reply.unwrap().text, "fine");
        assert!(told[0].contains("500"), "{told:?}");
    }
    let server = Server::new(vec![Act::Silence(Duration::from_secs(30)), say("awake")]);
    let impatient = Patience { silence: Duration::from_millis(200), ..quick() };
    assert_eq!(asked(&server, Api::Openai, &impatient).0.unwrap().text, "awake");
}

#[test]
fn while_nothing_comes_time_is_told_to_go_by() {
    let silent = Act::Silence(Duration::from_millis(600));
    let later = status(500, "retry-after: 1\r\n", "later");
    for (acts, least) in
        [(vec![Act::Say("late".to_owned(), Duration::from_millis(300))], 5), (vec![later, say("late")], 5)]
    {
        let server = Server::new([acts, vec![silent.clone()]].concat());
        let endpoint = endpoint(&server, Api::Openai);
        let request = Request::of(&endpoint, "", &[(Said::User, "Hello?")], 10);
        let mut ticks = 0;
        let reply = ask(&endpoint, &request, &quick(), &Watch::default(), &mut || true, &mut |progress| {
            ticks += usize::from(progress == Progress::Waiting);
        });
        assert_eq!(reply.unwrap().text, "late");
        assert!(ticks >= least, "{ticks}");
    }
}

#[test]
fn asking_can_be_stopped_at_any_time() {
    for act in [Act::Silence(Duration::from_secs(30)), status(500, "retry-after: 30\r\n", "later")] {
        let server = Server::new(vec![act]);
        let endpoint = endpoint(&server, Api::Openai);
        let request = Request::of(&endpoint, "", &[(Said::User, "Hello?")], 10);
        let (watch, begun) = (Watch::default(), Instant::now());
        let asked = std::thread::scope(|scope| {
            let asked =
                scope.spawn(|| ask(&endpoint, &request, &Patience::default(), &watch, &mut || true, &mut |_| {}));
            std::thread::sleep(Duration::from_millis(200));
            watch.cancel();
            asked.join().unwrap()
        });
        assert_eq!(asked, Err(AskError::Cancelled));
        assert!(begun.elapsed() < Duration::from_secs(2));
    }
}

#[test]
fn a_limit_of_another_name_is_tried_once() {
    let why =
        "Unsupported parameter: 'max_tokens' is not supported with this model. Use 'max_completion_tokens' instead.";
    let server = Server::new(vec![status(400, "", why), say("Now.")]);
    assert_eq!(asked(&server, Api::Openai, &quick()).0.unwrap().text, "Now.");
    let seen = server.seen();
    assert_eq!((&seen[1].body["max_completion_tokens"], seen[1].body.get("max_tokens")), (&100.into(), None));
    let server = Server::new(vec![status(400, "", why)]);
    assert!(matches!(asked(&server, Api::Openai, &quick()).0, Err(AskError::Refused { status: 400, .. })));
    assert_eq!(server.seen().len(), 2);
    let server = Server::new(vec![status(400, "", "max_tokens is too large: 100")]);
    assert!(asked(&server, Api::Openai, &quick()).0.is_err() && server.seen().len() == 1);
}

#[test]
fn a_server_that_knows_less_is_asked_once_more_with_less() {
    let server = Server::new(vec![
        status(400, "", "Unrecognized request argument supplied: stream_options"),
        status(400, "", "max_tokens is too large: 100. This model supports at most 64 completion tokens"),
        say("Now."),
    ]);
    assert_eq!(asked(&server, Api::Openai, &quick()).0.unwrap().text, "Now.");
    let bodies: Vec<_> = server.seen().into_iter().map(|sent| sent.body).collect();
    assert!(bodies[0].get("stream_options").is_some() && bodies[1].get("stream_options").is_none());
    assert_eq!((&bodies[1]["max_tokens"], &bodies[2]["max_tokens"]), (&100.into(), &64.into()));
    let why = "max_tokens: 100 > 64, which is the maximum allowed number of output tokens";
    let server = Server::new(vec![status(400, "", why)]);
    assert!(matches!(asked(&server, Api::Anthropic, &quick()).0, Err(AskError::Refused { status: 400, .. })));
    assert_eq!(server.seen().len(), 2, "once more");
}

#[test]
fn errors_in_a_stream_are_told_by_their_code() {
    let error = |code: &str| Act::Raw(format!("data: {{\"error\":{{\"code\":{code},\"message\":\"provider\"}}}}\n\n"));
    let server = Server::new(vec![error("502"), error("\"429\""), say("Now.")]);
    assert_eq!(asked(&server, Api::Openai, &quick()).0.unwrap().text, "Now.");
    let server = Server::new(vec![error("403")]);
    assert!(asked(&server, Api::Openai, &quick()).0.is_err() && server.seen().len() == 1);
}

#[test]
fn a_model_that_refuses_is_not_asked_again() {
    for (api, stream) in [
        (
            Api::Openai,
            "data: {\"choices\":[{\"delta\":{\"content\":\"No.\"},\"finish_reason\":\"content_filter\"}]}\n\n",
        ),
        (Api::Openai, "data: {\"choices\":[{\"delta\":{\"refusal\":\"No.\"},\"finish_reason\":\"stop\"}]}\n\n"),
        (
            Api::Anthropic,
            "data: {\"type\":\"content_block_delta\",\"delta\":{\"text\":\"No.\"}}\n\n\
             data: {\"type\":\"message_delta\",\"delta\":{\"stop_reason\":\"refusal\"}}\n\n",
        ),
    ] {
        let server = Server::new(vec![Act::Raw(stream.to_owned())]);
        assert_eq!(asked(&server, api, &quick()).0, Err(AskError::Declined("No.".to_owned())));
        assert_eq!(server.seen().len(), 1);
    }
}

#[test]
fn a_server_is_named_with_care() {
    let key = |name: &str| (name == "OPENAI_API_KEY" || name == "MINE").then(|| KEY.to_owned());
    let of = |url, model, name| Endpoint::of(Api::Auto, url, model, name, key);
    let url = |url| of(Some(url), Some("m"), None).unwrap().url;
    assert_eq!(url("http://localhost:4000"), "http://localhost:4000/v1/chat/completions");
    assert_eq!(url("https://a.example/api/v1/"), "https://a.example/api/v1/chat/completions");
    assert_eq!(url("https://a.example/v1beta/openai"), "https://a.example/v1beta/openai/chat/completions");
    assert_eq!(url("https://a.example/api/paas/v4/"), "https://a.example/api/paas/v4/chat/completions");
    assert_eq!(
        url("https://a.example/openai/deployments/d?api-version=1"),
        "https://a.example/openai/deployments/d/chat/completions?api-version=1"
    );
    assert_eq!(url("https://a.example/?key=x"), "https://a.example/v1/chat/completions?key=x");
    assert_eq!(url("https://a.example/v1?key=x"), "https://a.example/v1/chat/completions?key=x");
    assert_eq!(url("https://a.example/v1/chat/completions"), "https://a.example/v1/chat/completions");
    // What Anthropic's clients are told as their base, with the version and without.
    for base in
        ["https://a.example/anthropic", "https://a.example/anthropic/v1", "https://a.example/anthropic/v1/messages"]
    {
        assert_eq!(url(base), "https://a.example/anthropic/v1/messages");
    }
    assert_eq!(url("https://a.anthropic.example"), "https://a.anthropic.example/v1/messages");
    assert_eq!(url("https://a.anthropic.example/v1"), "https://a.anthropic.example/v1/messages");
    assert_eq!(of(None, Some("gpt-5"), None).unwrap().url, "https://api.openai.com/v1/chat/completions");
    let claude = of(None, Some("claude-x"), None).unwrap();
    assert_eq!(claude.ready(), Err(EndpointError::NoKey("ANTHROPIC_API_KEY".to_owned())));
    assert_eq!(of(None, None, None).unwrap_err(), EndpointError::NoModel);
    for wrong in ["ftp://a.example", "a.example/v1", "file:///etc/passwd", "http://"] {
        assert!(matches!(of(Some(wrong), Some("m"), None), Err(EndpointError::NoAddress(_))), "{wrong}");
    }
    let ready = |url, name| of(Some(url), Some("m"), name).unwrap().ready();
    assert!(
        matches!(ready("http://a.example", Some("MINE")), Err(EndpointError::Open(_))),
        "no key goes over an open line"
    );
    assert_eq!((ready("http://192.168.1.7:8000", Some("MINE")), ready("http://a.example", None)), (Ok(()), Ok(())));
    let shown = format!("{:?}", of(Some("http://localhost"), Some("m"), Some("MINE")).unwrap());
    assert!(!shown.contains(KEY), "{shown}");
}

#[test]
fn answers_are_kept_by_the_whole_request() {
    let folder = tempfile::tempdir().unwrap();
    let server = Server::new(vec![say("x")]);
    let endpoint = endpoint(&server, Api::Openai);
    let request = |text: &str| Request::of(&endpoint, "", &[(Said::User, text)], 10);
    let cache = AnswerCache::open(Some(folder.path()));
    let reply = Reply { text: "kept".to_owned(), ..Reply::default() };
    assert!(cache.get(&request("one")).is_none());
    cache.put(&request("one"), &reply, None).unwrap();
    assert_eq!(cache.get(&request("one")).unwrap().text, "kept");
    assert!(cache.get(&request("two")).is_none());
    assert!(cache.get(&Request { url: "http://other".to_owned(), ..request("one") }).is_none());
    let file = std::fs::read_dir(folder.path().join("answers")).unwrap().next().unwrap().unwrap().path();
    let text = std::fs::read_to_string(&file).unwrap();
    assert!(!text.contains(KEY));
    std::fs::write(&file, "damaged").unwrap();
    assert!(cache.get(&request("one")).is_none());
}
