//! A request sent, and its answer as it streams in: watched, within limits, tried again where that may help.

use std::io::Read;
use std::sync::mpsc::{Receiver, RecvTimeoutError, SyncSender, sync_channel};
use std::time::{Duration, Instant};

use ureq::Agent;
use ureq::http::{HeaderMap, Response};

use crate::content::Watch;

use super::adapt::Change;
use super::error::AskError;
use super::events::{Events, Malformed};
use super::protocol::{Endpoint, Fault, Reply, Request, Stopped, quoted, words_of};

/// How often the wish to stop is looked at.
const GLANCE: Duration = Duration::from_millis(50);
/// Bytes of an error that are read, and how long they are waited for: its status tells what matters.
const ERROR_MAX: usize = 64 << 10;
const ERROR_TIME: Duration = Duration::from_secs(3);

/// What a stream of events begins with, and no JSON.
const EVENTS: [&[u8]; 3] = [b"data:", b"event:", b":"];

/// How long and how often a server is asked.
#[derive(Clone, Copy, Debug)]
pub struct Patience {
    /// Requests in all for one answer.
    pub attempts: u32,
    /// The pause after the first failure; each further one is twice as long.
    pub pause: Duration,
    /// No pause is longer; a server that wishes for a longer one is left.
    pub longest_pause: Duration,
    /// For a connection.
    pub connect: Duration,
    /// Without a sign of the server.
    pub silence: Duration,
    /// For an answer, from the sending of its first request, pauses included.
    pub whole: Duration,
    /// Bytes of an answer's text.
    pub text: usize,
    /// Bytes of what it comes in: a server may wrap a few letters in hundreds.
    pub bytes: usize,
}

impl Default for Patience {
    fn default() -> Self {
        Patience {
            attempts: 4,
            pause: Duration::from_secs(1),
            longest_pause: Duration::from_secs(60),
            connect: Duration::from_secs(10),
            silence: Duration::from_secs(120),
            whole: Duration::from_secs(300),
            text: 8 << 20,
            bytes: 64 << 20,
        }
    }
}

/// What is told while an answer is waited for.
#[derive(Clone, Debug, PartialEq)]
pub enum Progress<'a> {
    /// The answer so far.
    Text(&'a str),
    /// Nothing new: time goes by.
    Waiting,
    /// It failed, and is tried again after a pause.
    Again {
        /// Why.
        why: String,
        /// The pause.
        after: Duration,
    },
}

/// What is said of an error that says nothing.
const WORDLESS: &str = "it does not say why";
/// What is said of an answer that names another address: the key is for this one alone.
const ELSEWHERE: &str = "it sends requests elsewhere, which is not followed; summariser_url can name that address";

/// What one attempt comes to, where it is no answer.
enum Miss {
    For(AskError),
    /// It may be better soon; perhaps the server says when.
    Soon(String, Option<Duration>),
}

impl From<Malformed> for Miss {
    fn from(fault: Malformed) -> Self {
        Miss::For(AskError::Malformed(fault.to_string()))
    }
}

/// What is wrong with an event of a stream, and which that is.
struct Bad(usize, Fault);

impl From<Malformed> for Bad {
    fn from(fault: Malformed) -> Self {
        Bad(fault.event, Fault::Malformed(fault.why))
    }
}

/// Sends a request and reads the answer. Each time before it is sent, `may` says whether it may be.
///
/// # Errors
/// See [`AskError`]. The key stands in none of them.
pub fn ask(
    endpoint: &Endpoint,
    request: &Request,
    patience: &Patience,
    watch: &Watch,
    may: &mut dyn FnMut() -> bool,
    tell: &mut dyn FnMut(Progress),
) -> Result<Reply, AskError> {
    let until = Instant::now() + patience.whole;
    let (mut adapted, mut changes): (Option<Request>, Vec<Change>) = (None, Vec::new());
    let (mut pause, mut last) = (patience.pause, None);
    for attempt in 1.. {
        if !may() {
            let failed =
                |why| AskError::Failed { attempts: attempt - 1, why: format!("{why}; no further request may be sent") };
            return Err(last.map_or(AskError::NoneLeft, failed));
        }
        let sent = adapted.as_ref().unwrap_or(request);
        let (why, wished) = match attempt_once(endpoint, sent, (patience, until), watch, tell) {
            Ok(reply) => return Ok(reply),
            Err(Miss::For(AskError::Refused { status: status @ (400 | 422), why })) => {
                match sent.adapted(&why, &mut changes) {
                    Some(other) => adapted = Some(other),
                    None => return Err(AskError::Refused { status, why }),
                }
                continue;
            }
            Err(Miss::For(error)) => return Err(error),
            Err(Miss::Soon(why, wished)) => (why, wished),
        };
        let after = wished.unwrap_or(pause).max(Duration::from_millis(1));
        if attempt >= patience.attempts {
            return Err(AskError::Failed { attempts: attempt, why });
        }
        if after > patience.longest_pause {
            let why = format!("{why}; it asks for a pause of {} seconds", after.as_secs());
            return Err(AskError::Failed { attempts: attempt, why });
        }
        let again = Instant::now() + after;
        if again >= until {
            let why = format!("{why}; its {} seconds are over", patience.whole.as_secs());
            return Err(AskError::Failed { attempts: attempt, why });
        }
        tell(Progress::Again { why: why.clone(), after });
        while Instant::now() < again {
            if watch.is_cancelled() {
                return Err(AskError::Cancelled);
            }
            tell(Progress::Waiting);
            std::thread::sleep(GLANCE.min(again.saturating_duration_since(Instant::now())));
        }
        (pause, last) = ((pause * 2).min(patience.longest_pause), Some(why));
    }
    Err(AskError::Cancelled)
}

/// What comes from the thread that talks to the server.
enum Message {
    /// The status, whether it is a stream of events, and when to come back.
    Head(u16, bool, Option<Duration>),
    Bytes(Vec<u8>),
    End,
    Lost(ureq::Error),
}

fn attempt_once(
    endpoint: &Endpoint,
    request: &Request,
    (patience, until): (&Patience, Instant),
    watch: &Watch,
    tell: &mut dyn FnMut(Progress),
) -> Result<Reply, Miss> {
    if watch.is_cancelled() {
        return Err(Miss::For(AskError::Cancelled));
    }
    let (sender, messages) = sync_channel(16);
    let (headers, url, body) = (endpoint.headers(), request.url.clone(), request.body.clone());
    let left = until.saturating_duration_since(Instant::now()).max(GLANCE);
    let limits = Patience { whole: left, silence: patience.silence.min(left), ..*patience };
    // A thread of its own, since a read from a silent server cannot be ended from outside; it ends with its time.
    std::thread::spawn(move || talk(&url, &headers, body, &limits, &sender));
    let mut answer = Answer {
        endpoint,
        patience,
        until,
        tell,
        status: 0,
        stream: false,
        wished: None,
        whole: Vec::new(),
        reply: Reply::default(),
        began: false,
    };
    let reply = answer.read(&messages, watch);
    // A server may say anything back; what is kept on disk holds no key.
    let reply = reply.map(|reply| Reply { text: endpoint.without_key(&reply.text), ..reply });
    reply.map_err(|miss| match miss {
        Miss::Soon(why, wished) => Miss::Soon(endpoint.without_key(&why), wished),
        Miss::For(AskError::Refused { status, why }) => {
            Miss::For(AskError::Refused { status, why: endpoint.without_key(&why) })
        }
        Miss::For(AskError::Malformed(why)) => Miss::For(AskError::Malformed(endpoint.without_key(&why))),
        Miss::For(AskError::Declined(why)) => Miss::For(AskError::Declined(endpoint.without_key(&why))),
        Miss::For(AskError::BrokeOff(why)) => Miss::For(AskError::BrokeOff(endpoint.without_key(&why))),
        Miss::For(AskError::Failed { attempts, why }) => {
            Miss::For(AskError::Failed { attempts, why: endpoint.without_key(&why) })
        }
        other => other,
    })
}

/// An answer while it is read.
struct Answer<'a> {
    endpoint: &'a Endpoint,
    patience: &'a Patience,
    /// When it has to be there.
    until: Instant,
    tell: &'a mut (dyn FnMut(Progress<'_>) + 'a),
    status: u16,
    stream: bool,
    wished: Option<Duration>,
    whole: Vec<u8>,
    /// What has come of it, and whether anything has.
    reply: Reply,
    began: bool,
}

impl Answer<'_> {
    fn read(&mut self, messages: &Receiver<Message>, watch: &Watch) -> Result<Reply, Miss> {
        match self.read_to_end(messages, watch) {
            // What the server said is whole, however the connection ended.
            Err(Miss::Soon(..) | Miss::For(AskError::BrokeOff(_) | AskError::Slow(_))) if self.is_told() => self.end(),
            other => other,
        }
    }

    fn read_to_end(&mut self, messages: &Receiver<Message>, watch: &Watch) -> Result<Reply, Miss> {
        let (mut events, mut size, mut headed) = (Events::default(), 0, None::<Instant>);
        loop {
            if watch.is_cancelled() {
                return Err(Miss::For(AskError::Cancelled));
            }
            if headed.is_some_and(|at| !self.is_good() && at.elapsed() > ERROR_TIME) {
                return Err(self.bad_status());
            }
            if Instant::now() > self.until {
                return Err(self.slow());
            }
            match messages.recv_timeout(GLANCE) {
                Err(RecvTimeoutError::Timeout) => (self.tell)(Progress::Waiting),
                Err(RecvTimeoutError::Disconnected) => return Err(self.broken("the connection was lost".into())),
                Ok(Message::Head(status, stream, wished)) => {
                    (self.status, self.stream, self.wished) = (status, stream, wished);
                    headed = Some(Instant::now());
                }
                Ok(Message::Bytes(bytes)) => {
                    size += bytes.len();
                    let most = if self.is_good() { self.patience.bytes } else { ERROR_MAX };
                    if size > most && self.is_good() {
                        return Err(Miss::For(AskError::Wrapped(most >> 20, self.reply.text.len())));
                    }
                    if self.is_good() && self.stream {
                        if self.take(&mut events, &bytes)? {
                            return self.end();
                        }
                    } else {
                        let room = most - self.whole.len();
                        self.whole.extend_from_slice(bytes.get(..room).unwrap_or(&bytes));
                    }
                    if size > most {
                        return Err(self.bad_status());
                    }
                }
                Ok(Message::End) => return self.end(),
                Ok(Message::Lost(why)) => return Err(self.lost(&why)),
            }
        }
    }

    /// An answer that did not come to its end. One that had begun is charged for: it is not for us to ask for it anew.
    fn broken(&self, why: String) -> Miss {
        if self.began { Miss::For(AskError::BrokeOff(why)) } else { Miss::Soon(why, None) }
    }

    fn is_good(&self) -> bool {
        (200..300).contains(&self.status)
    }

    /// Whether a stream has told that its answer ended.
    fn is_told(&self) -> bool {
        self.is_good() && self.stream && self.reply.stopped != Stopped::Not
    }

    fn slow(&self) -> Miss {
        Miss::For(AskError::Slow(self.patience.whole.as_secs()))
    }

    /// Takes bytes of a stream in, and says whether its last event was among them: some servers leave the connection
    /// open behind that.
    fn take(&mut self, events: &mut Events, bytes: &[u8]) -> Result<bool, Miss> {
        let speaks = self.endpoint.speaks;
        let before = self.reply.text.len();
        let (mut reply, mut began, mut ended) = (std::mem::take(&mut self.reply), self.began, false);
        let taken = events.feed(bytes, &mut |number, data| {
            ended |= reply.take(speaks, data).map_err(|fault| Bad(number, fault))?;
            began = true;
            Ok(())
        });
        (self.reply, self.began) = (reply, began);
        taken.map_err(|fault| match fault {
            Bad(event, Fault::Malformed(why)) => Miss::from(Malformed { event, why }),
            Bad(_, Fault::Complaint(why, true)) => self.broken(format!("the server says: {why}")),
            Bad(_, Fault::Complaint(why, false)) => Miss::For(AskError::Refused { status: 200, why }),
        })?;
        self.bounded()?;
        if self.reply.text.len() > before {
            (self.tell)(Progress::Text(&self.reply.text));
        }
        Ok(ended)
    }

    /// Refuses a text that is too large.
    fn bounded(&self) -> Result<(), Miss> {
        let most = self.patience.text;
        if self.reply.text.len() > most { Err(Miss::For(AskError::Large(most >> 20))) } else { Ok(()) }
    }

    fn end(&mut self) -> Result<Reply, Miss> {
        if !self.is_good() {
            return Err(self.bad_status());
        }
        if !self.stream && EVENTS.iter().any(|begin| self.whole.trim_ascii_start().starts_with(begin)) {
            // A stream under the name of something else.
            let bytes = std::mem::take(&mut self.whole);
            self.take(&mut Events::default(), &bytes)?;
            self.stream = true;
        }
        if !self.stream {
            self.reply = Reply::whole(self.endpoint.speaks, &self.whole).map_err(|fault| match fault {
                Fault::Malformed(why) => Miss::For(AskError::Malformed(why)),
                Fault::Complaint(why, true) => Miss::Soon(format!("the server says: {why}"), None),
                Fault::Complaint(why, false) => Miss::For(AskError::Refused { status: self.status, why }),
            })?;
            self.bounded()?;
        }
        if let Some(why) = self.reply.refused() {
            return Err(Miss::For(AskError::Declined(why)));
        }
        if self.stream && self.reply.stopped == Stopped::Not {
            let why = "the stream ended before it did";
            return Err(self.broken(if self.began { why } else { "the answer broke off" }.to_owned()));
        }
        Ok(std::mem::take(&mut self.reply))
    }

    fn bad_status(&self) -> Miss {
        let value: Option<serde_json::Value> = serde_json::from_slice(&self.whole).ok();
        let error = value.as_ref().and_then(|value| value.get("error"));
        let why = error.map_or_else(|| quoted(&String::from_utf8_lossy(&self.whole)), words_of);
        let wordless = if (300..400).contains(&self.status) { ELSEWHERE } else { WORDLESS };
        let why = if why.is_empty() { wordless.to_owned() } else { why };
        match self.status {
            408 | 409 | 425 | 429 | 500..=599 => {
                Miss::Soon(format!("the server is not ready ({}): {why}", self.status), self.wished)
            }
            status => Miss::For(AskError::Refused { status, why }),
        }
    }

    fn lost(&self, why: &ureq::Error) -> Miss {
        match why {
            ureq::Error::Timeout(ureq::Timeout::Global | ureq::Timeout::RecvBody) => self.slow(),
            ureq::Error::HostNotFound | ureq::Error::Tls(_) | ureq::Error::BadUri(_) => {
                Miss::For(AskError::Failed { attempts: 1, why: format!("the server cannot be reached: {why}") })
            }
            why => self.broken(format!("the connection failed: {why}")),
        }
    }
}

/// Sends the request and passes on what comes, until nobody listens any more.
fn talk(url: &str, headers: &[(&str, String)], body: String, limits: &Patience, to: &SyncSender<Message>) {
    let config = Agent::config_builder()
        .timeout_global(Some(limits.whole))
        .timeout_connect(Some(limits.connect))
        .timeout_per_read(Some(limits.silence))
        .http_status_as_error(false)
        // A key goes where the user said, and nowhere else.
        .max_redirects(0)
        .max_redirects_will_error(false)
        .user_agent(concat!("windowpane/", env!("CARGO_PKG_VERSION")));
    let agent: Agent = config.build().into();
    let mut request = agent.post(url);
    for (name, value) in headers {
        request = request.header(*name, value);
    }
    let mut response = match request.send(body) {
        Ok(response) => response,
        Err(why) => return drop(to.send(Message::Lost(why))),
    };
    if to.send(head_of(&response)).is_err() {
        return;
    }
    let mut reader = response.body_mut().with_config().limit(u64::MAX).reader();
    let mut buffer = vec![0; 16 << 10];
    loop {
        let message = match reader.read(&mut buffer) {
            Ok(0) => return drop(to.send(Message::End)),
            Ok(read) => Message::Bytes(buffer.get(..read).unwrap_or_default().to_vec()),
            Err(why) if why.kind() == std::io::ErrorKind::Interrupted => continue,
            Err(why) => return drop(to.send(Message::Lost(ureq::Error::from(why)))),
        };
        if to.send(message).is_err() {
            return;
        }
    }
}

fn head_of<T>(response: &Response<T>) -> Message {
    let text = |name: &str| response.headers().get(name).and_then(|value| value.to_str().ok()).unwrap_or_default();
    // Names of media types are the same in capitals.
    let stream = text("content-type").trim_start().to_ascii_lowercase().starts_with("text/event-stream");
    Message::Head(response.status().as_u16(), stream, wished(response.headers()))
}

/// When a server wants to be asked again: in so many seconds, or at a date.
fn wished(headers: &HeaderMap) -> Option<Duration> {
    let text = headers.get("retry-after")?.to_str().ok()?.trim();
    if let Ok(seconds) = text.parse::<u64>() {
        return Some(Duration::from_secs(seconds));
    }
    let at = jiff::fmt::rfc2822::parse(text).ok()?.timestamp();
    let wait = at.as_second() - jiff::Timestamp::now().as_second();
    Some(Duration::from_secs(u64::try_from(wait).unwrap_or(0)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_server_says_when_to_come_back_in_seconds_or_as_a_date() {
        let of = |value: &str| {
            let mut headers = HeaderMap::new();
            headers.insert("retry-after", value.parse().unwrap());
            wished(&headers)
        };
        assert_eq!(of("7"), Some(Duration::from_secs(7)));
        assert_eq!(of("Wed, 21 Oct 2015 07:28:00 GMT"), Some(Duration::ZERO));
        let later = of("Fri, 21 Oct 2450 07:28:00 GMT");
        assert!(later.is_some_and(|wait| wait > Duration::from_secs(86_400)), "{later:?}");
        assert_eq!((of("soon"), of("-1"), wished(&HeaderMap::new())), (None, None, None));
    }
}
