//! A small server on loopback that speaks both APIs as it is told to, well or badly, and remembers what it was sent.

use std::io::{Read, Write};
use std::net::{TcpListener, TcpStream};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use serde_json::{Value, json};

/// What it does with one connection. The last act is repeated.
#[derive(Clone, Debug)]
pub enum Act {
    /// Streams an answer in pieces, with a pause before each.
    Say(String, Duration),
    /// Answers as a whole, whatever was asked.
    Whole(String),
    /// Another status, with headers.
    Status(u16, &'static str, String),
    /// These bytes as a stream of events.
    Raw(String),
    /// These bytes of that media type, of which more are promised; the connection stays open for so long.
    Open(&'static str, String, Duration),
    /// A stream that breaks off in the middle of a promised length.
    BreakOff(String),
    /// More bytes than anybody wants.
    Huge(usize),
    /// The status 500, and so many bytes time and again, without an end.
    EndlessError(usize),
    /// Nothing at all, for so long.
    Silence(Duration),
}

/// The server, until it is dropped.
pub struct Server {
    pub address: String,
    seen: Arc<Mutex<Vec<Sent>>>,
}

/// What it was sent.
#[derive(Clone, Debug)]
pub struct Sent {
    pub path: String,
    /// In small letters.
    pub headers: String,
    pub body: Value,
}

impl Server {
    pub fn new(acts: Vec<Act>) -> Server {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let address = format!("http://{}", listener.local_addr().unwrap());
        let seen = Arc::new(Mutex::new(Vec::new()));
        let of = Arc::clone(&seen);
        std::thread::spawn(move || {
            for (at, stream) in listener.incoming().flatten().enumerate() {
                let (act, of) = (acts[at.min(acts.len() - 1)].clone(), Arc::clone(&of));
                std::thread::spawn(move || {
                    // The other end may have left.
                    let _ = serve(stream, &act, &of);
                });
            }
        });
        Server { address, seen }
    }

    pub fn seen(&self) -> Vec<Sent> {
        self.seen.lock().unwrap().clone()
    }
}

fn serve(mut stream: TcpStream, act: &Act, seen: &Mutex<Vec<Sent>>) -> std::io::Result<()> {
    let Some(sent) = receive(&mut stream)? else { return Ok(()) };
    let anthropic = sent.path.ends_with("/messages");
    seen.lock().unwrap().push(sent);
    let head = |kind: &str| format!("HTTP/1.1 200 OK\r\ncontent-type: {kind}\r\nconnection: close\r\n");
    let events = head("text/event-stream") + "\r\n";
    match act {
        Act::Say(text, pause) => {
            stream.write_all(events.as_bytes())?;
            for event in said(text, anthropic) {
                std::thread::sleep(*pause);
                stream.write_all(event.as_bytes())?;
            }
        }
        Act::Whole(text) => {
            let usage = json!({"prompt_tokens": 11, "completion_tokens": 7, "input_tokens": 11, "output_tokens": 7});
            let body = match anthropic {
                true => json!({"type": "message", "content": [{"type": "text", "text": text}],
                               "stop_reason": "end_turn", "usage": usage}),
                false => json!({"choices": [{"message": {"content": text}, "finish_reason": "stop"}], "usage": usage}),
            };
            write!(stream, "{}content-length: {}\r\n\r\n{body}", head("application/json"), body.to_string().len())?;
        }
        Act::Status(status, headers, body) => {
            let length = body.len();
            write!(
                stream,
                "HTTP/1.1 {status} No\r\n{headers}content-length: {length}\r\nconnection: close\r\n\r\n{body}"
            )?;
        }
        Act::Raw(text) => stream.write_all((events + text).as_bytes())?,
        Act::Open(kind, text, time) => {
            write!(stream, "{}content-length: 100000\r\n\r\n{text}", head(kind))?;
            stream.flush()?;
            std::thread::sleep(*time);
        }
        Act::BreakOff(text) => {
            let begun: String = said(text, anthropic).into_iter().take(2).collect();
            write!(stream, "{}content-length: 100000\r\n\r\n{begun}", head("text/event-stream"))?;
        }
        Act::Huge(size) => {
            stream.write_all(events.as_bytes())?;
            let event = said(&"word ".repeat(10_000), anthropic).remove(usize::from(anthropic));
            for _ in 0..size / event.len() + 1 {
                stream.write_all(event.as_bytes())?;
            }
        }
        Act::EndlessError(size) => {
            write!(stream, "HTTP/1.1 500 No\r\ncontent-type: text/html\r\nconnection: close\r\n\r\n")?;
            loop {
                stream.write_all(&vec![b'x'; *size])?;
                std::thread::sleep(Duration::from_millis(20));
            }
        }
        Act::Silence(time) => std::thread::sleep(*time),
    }
    stream.flush()
}

fn receive(stream: &mut TcpStream) -> std::io::Result<Option<Sent>> {
    let (mut bytes, mut buffer) = (Vec::new(), [0; 4096]);
    let end = loop {
        if let Some(at) = bytes.windows(4).position(|four| four == b"\r\n\r\n") {
            break at + 4;
        }
        match stream.read(&mut buffer)? {
            0 => return Ok(None),
            read => bytes.extend_from_slice(&buffer[..read]),
        }
    };
    let head = String::from_utf8_lossy(&bytes[..end]).into_owned();
    let path = head.split(' ').nth(1).unwrap_or_default().to_owned();
    let headers = head.to_lowercase();
    let length = headers.split("content-length: ").nth(1).and_then(|rest| rest.split("\r\n").next()?.parse().ok());
    let length: usize = length.unwrap_or(0);
    while bytes.len() < end + length {
        match stream.read(&mut buffer)? {
            0 => return Ok(None),
            read => bytes.extend_from_slice(&buffer[..read]),
        }
    }
    Ok(Some(Sent { path, headers, body: serde_json::from_slice(&bytes[end..]).unwrap_or(Value::Null) }))
}

/// An answer as the events of its stream.
pub fn said(text: &str, anthropic: bool) -> Vec<String> {
    let signs: Vec<char> = text.chars().collect();
    let pieces: Vec<String> = signs.chunks(signs.len().div_ceil(4).max(1)).map(String::from_iter).collect();
    let event = |kind: &str, value: Value| format!("event: {kind}\ndata: {value}\n\n");
    let mut events = Vec::new();
    if anthropic {
        let usage = json!({"input_tokens": 11, "output_tokens": 1});
        events.push(event("message_start", json!({"type": "message_start", "message": {"usage": usage}})));
        events.push("event: ping\ndata: {\"type\": \"ping\"}\n\n".to_owned());
        events.extend(pieces.iter().map(|piece| {
            let delta = json!({"type": "text_delta", "text": piece});
            event("content_block_delta", json!({"type": "content_block_delta", "index": 0, "delta": delta}))
        }));
        let end = json!({"type": "message_delta", "delta": {"stop_reason": "end_turn"}, "usage": {"output_tokens": 7}});
        events.push(event("message_delta", end));
        events.push(event("message_stop", json!({"type": "message_stop"})));
    } else {
        let chunk = |value: Value| format!("data: {value}\n\n");
        events.extend(pieces.iter().map(|piece| {
            chunk(json!({"choices": [{"index": 0, "delta": {"content": piece}, "finish_reason": null}], "usage": null}))
        }));
        events.push(chunk(json!({"choices": [{"index": 0, "delta": {}, "finish_reason": "stop"}]})));
        events.push(chunk(json!({"choices": [], "usage": {"prompt_tokens": 11, "completion_tokens": 7}})));
        events.push("data: [DONE]\n\n".to_owned());
    }
    events
}
