//! A model asked for what a replay wants of it: looked up among the answers that are kept, else shown with its price
//! and sent, where the user agrees.

use std::borrow::Cow;
use std::cell::{Cell, RefCell};
use std::collections::{BTreeSet, HashMap};
use std::io::{BufRead, IsTerminal, Write};
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

use crate::config::Settings;
use crate::content::Watch;
use crate::io::{
    AnswerCache, AskError, Endpoint, Patience, Progress, Reply, Request, Said, Stopped, ask, cache_folder,
};
use crate::memory::{BadForm, Prompt};
use crate::model::Usage;
use crate::present::{count, counted, dollars, safe};
use crate::tokens::{Models, cost, count as tokens_of};

use super::args::{ConsentArg, Look};
use super::fail::{say, usage};
use super::in_vain::InVain;
use super::model_room::Room;
use super::progress::alone;
use super::waiting::Waiting;

/// Requests that this run of the program has sent, whatever sessions it looks at.
static SENT: AtomicU64 = AtomicU64::new(0);

/// Characters of a rejected answer that are sent back, and the fewest that are worth it.
const REJECTED: usize = 4_000;
const LEAST: usize = 100;

/// Answers by the key of their request, each with why it could not be used where it could not.
type KeptReplies = HashMap<[u8; 32], (Reply, Option<String>)>;

/// The model that may be asked, and how far the user agrees to that.
pub struct ModelCalls {
    endpoint: Result<Endpoint, String>,
    cache: AnswerCache,
    /// What this run of the program was told, where nothing is kept.
    told: Mutex<KeptReplies>,
    consent: Option<ConsentArg>,
    /// Why a model that is to be asked was not, as far as that was said.
    told_why: Mutex<BTreeSet<String>>,
    in_vain: InVain,
    /// Whether the user agreed to all that is still to come, or refused it.
    all: AtomicBool,
    none: AtomicBool,
    /// Requests that may be sent in all.
    most: u64,
    patience: Patience,
    /// Whether nothing is said on standard error but what was asked for.
    silent: bool,
    /// Whether a screen stands there.
    screen: bool,
}

/// What is to be asked.
pub struct Question<'a> {
    /// What it is for, in words.
    pub what: &'a str,
    /// What the model is told.
    pub prompt: &'a Prompt,
    /// What there is instead of its answers, where it gives none, in words.
    pub instead: &'a str,
    /// Tokens of the answer at most.
    pub most: u64,
    /// Tokens of what the model is given at most, also where it is asked once more.
    pub input_max: u64,
}

/// Why there is no answer, in a sentence.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Unanswered {
    /// Nor will there be one to anything else: nothing was asked.
    Nothing(String),
    /// Not to this, which was asked; nor will anything else be.
    Last(String),
    /// Not to this.
    This(String),
}

/// What a model answered, with its usage.
pub type Asked<T> = Result<(T, Option<Usage>), Unanswered>;

impl ModelCalls {
    /// The model that the settings name, asked as far as the options say.
    pub fn of(settings: &Settings, look: &Look) -> anyhow::Result<ModelCalls> {
        let endpoint = Endpoint::of(
            settings.summariser_api,
            settings.summariser_url.as_deref(),
            settings.summariser_model.as_deref(),
            settings.summariser_key.as_deref(),
            |name| std::env::var(name).ok(),
        );
        let consent = look.call_model;
        if consent == Some(ConsentArg::Ask) && !std::io::stdin().is_terminal() {
            return Err(usage(
                "--call-model asks on a terminal; --call-model=yes sends without asking, =show only shows",
            ));
        }
        let folder = cache_folder().filter(|_| settings.cache);
        let whole = Duration::from_secs(settings.summariser_seconds);
        let patience = Patience::default();
        Ok(ModelCalls {
            endpoint: endpoint.map_err(|why| why.to_string()),
            cache: AnswerCache::open(folder.as_deref()),
            told: Mutex::default(),
            told_why: Mutex::default(),
            in_vain: InVain::default(),
            consent,
            all: AtomicBool::new(consent == Some(ConsentArg::Yes)),
            none: AtomicBool::new(false),
            most: settings.summariser_calls,
            patience: Patience { whole, silence: patience.silence.min(whole), ..patience },
            silent: false,
            screen: false,
        })
    }

    /// The name of the model that is asked.
    pub fn model(&self) -> Option<&str> {
        self.endpoint.as_ref().ok().map(|endpoint| endpoint.model.as_str())
    }

    /// What the model has room for, beside an answer of so many tokens.
    pub fn room(&self, models: &Models, answer: u64) -> Room {
        Room::of(models, self.model().unwrap_or_default(), answer)
    }

    /// Says nothing but what has to be answered.
    pub fn quietly(&mut self) {
        self.silent = true;
    }

    /// Says and asks nothing from now on: a screen stands where that would be.
    pub fn behind_screen(&mut self) {
        (self.silent, self.screen) = (true, true);
    }

    /// The answer to a question as `read` reads it: a kept one, else the model's, where the user agrees. An answer that
    /// `read` refuses is asked for once more, with what is wrong with it.
    pub fn answer<T>(
        &self,
        question: &Question,
        models: &Models,
        watch: &Watch,
        read: impl Fn(&str) -> Result<T, BadForm>,
    ) -> Asked<T> {
        let endpoint = self.endpoint.as_ref().map_err(|why| self.cannot_ask(why))?;
        let known = models.find(&endpoint.model).map(|found| found.info);
        let Prompt { system, user } = question.prompt;
        let first = [(Said::User, user.as_str())];
        let (request, room) = request_of(endpoint, question, models);
        let most = room.answer;
        if let Some(kept) = self.kept(&request, &read) {
            return kept;
        }
        // What the model is given: the form of the request is the server's.
        let encoding = models.counter(&endpoint.model).encoding;
        let given = |said: &[(Said, &str)]| -> u64 {
            let texts = std::iter::once(system.as_str()).chain(said.iter().map(|(_, text)| *text));
            texts.map(|text| tokens_of(text, encoding)).sum()
        };
        let tokens = given(&first);
        if tokens > room.given {
            let sentence = room.too_small(&endpoint.model, tokens);
            self.say(&format!("warning: {sentence}"));
            return Err(Unanswered::This(sentence));
        }
        // As it is shown, and in short.
        let size = |said: &[(Said, &str)]| {
            let tokens = given(said);
            let sent = Usage { input: tokens, output: Some(most), ..Usage::default() };
            let price = known.and_then(|info| cost(&sent, info)).map(|cost| cost.total());
            let price =
                price.map_or_else(|| "at an unknown price".to_owned(), |price| format!("at most {}", dollars(price)));
            (
                format!("about {} tokens, at most {} back, {price}", count(tokens), count(most)),
                format!("{} tokens, {price}", count(tokens)),
            )
        };
        let shown = |said: &[(Said, &str)], what: &str| {
            format!("{} at {}: {what}, {}", endpoint.model, endpoint.shown(), size(said).0)
        };
        self.agree(endpoint, &shown(&first, question.what), &request, question.instead)?;
        let own = size(&first).1;
        let reply = match self.send(endpoint, &request, (question.instead, &own), watch) {
            // What there was of it is charged for: another one is another price.
            Err(AskError::BrokeOff(why)) => {
                let sentence = format!("The model gave no answer: it broke off: {}.", safe(&why));
                self.say(&format!("warning: {sentence}"));
                let what = format!("{}, once more", question.what);
                if self.agree(endpoint, &shown(&first, &what), &request, question.instead).is_err() {
                    return Err(Unanswered::This(sentence));
                }
                self.send(endpoint, &request, (question.instead, &own), watch)
            }
            other => other,
        };
        let reply = reply.map_err(|error| self.unanswered(error))?;
        let (reply, answer) = match form(&reply, most, &read) {
            Ok(answer) => (reply, answer),
            Err(fault) => {
                self.say(&format!("the answer cannot be used ({fault}); it is asked for once more"));
                let again =
                    format!("That answer cannot be used: {fault}. Answer once more, in the form that was asked for.");
                let beside = given(&first).saturating_add(tokens_of(&again, encoding));
                let left = question.input_max.min(room.given).saturating_sub(beside);
                let rejected = quoted(&reply.text, |quote| tokens_of(quote, encoding) <= left).unwrap_or_default();
                let said = [(Said::User, user.as_str()), (Said::Assistant, &rejected), (Said::User, &again)];
                // Where nothing of it can be shown, the question alone is put again.
                let said = if rejected.trim().is_empty() { said.get(..1).unwrap_or_default() } else { &said };
                let again = Request::of(endpoint, system, said, most);
                let what = format!("{}, once more", question.what);
                // What was agreed to was the first request: this one is larger.
                if self.agree(endpoint, &shown(said, &what), &again, question.instead).is_err() {
                    return Err(Unanswered::This(format!("The model's answer could not be used: {fault}.")));
                }
                let second = self.send(endpoint, &again, (question.instead, &size(said).1), watch);
                let second = second.map_err(|error| self.unanswered(error))?;
                match form(&second, most, &read) {
                    Ok(answer) => (second, answer),
                    Err(fault) => {
                        let sentence = format!("The model's answer could not be used: {fault}.");
                        self.say(&format!("warning: {sentence}"));
                        self.keep(&request, second, Some(sentence.clone()));
                        return Err(self.in_vain(sentence, "could not be used"));
                    }
                }
            }
        };
        self.in_vain.answered();
        let usage = possible(reply.usage, &request);
        if let Some(told) = reply.usage.filter(|_| usage.is_none()) {
            let told = count(told.input.saturating_add(told.cache_read));
            self.say(&format!(
                "warning: the server says that it was sent {told} tokens, which cannot be: our own count stands in"
            ));
        }
        self.keep(&request, reply, None);
        Ok((answer, usage))
    }

    /// What is known of a question's answer without asking: an answer, or that it could not be used.
    pub fn known<T>(
        &self,
        question: &Question,
        models: &Models,
        read: impl Fn(&str) -> Result<T, BadForm>,
    ) -> Option<T> {
        let request = request_of(self.endpoint.as_ref().ok()?, question, models).0;
        self.kept(&request, &read)?.ok().map(|(answer, _)| answer)
    }

    /// The answer that is kept to a request, or why the one that came could not be used; `None` where none is.
    fn kept<T>(&self, request: &Request, read: &impl Fn(&str) -> Result<T, BadForm>) -> Option<Asked<T>> {
        let mine = self.told.lock().unwrap_or_else(PoisonError::into_inner).get(&request.key()).cloned();
        let kept = || self.cache.get(request).map(|kept| (kept.refused.clone(), kept.reply()));
        let (refused, reply) = mine.map(|(reply, refused)| (refused, reply)).or_else(kept)?;
        match (refused, read(&reply.text)) {
            (Some(sentence), _) => Some(Err(Unanswered::This(sentence))),
            (None, Ok(answer)) => Some(Ok((answer, possible(reply.usage, request)))),
            (None, Err(_)) => None,
        }
    }

    /// Keeps what came of a request.
    fn keep(&self, request: &Request, reply: Reply, refused: Option<String>) {
        if let Err(why) = self.cache.put(request, &reply, refused.as_deref()) {
            self.say(&format!("warning: the answer is not kept for the next time: {why}"));
        }
        self.told.lock().unwrap_or_else(PoisonError::into_inner).insert(request.key(), (reply, refused));
    }

    /// Says a line, unless a screen is in the way.
    pub fn say(&self, line: &str) {
        if !self.silent {
            say(line);
        }
    }

    /// Shows what would be sent, and asks whether it may be; who refuses is told what there is instead.
    fn agree(&self, endpoint: &Endpoint, shown: &str, request: &Request, instead: &str) -> Result<(), Unanswered> {
        // Who asks to see it sees it, however quiet all else is.
        let show = |line: &str| {
            if !self.screen {
                say(line);
            }
        };
        let whole = || show(&format!("POST {}\n{}", endpoint.shown(), request.body));
        let Some(consent) = self.consent else {
            self.say(&format!("note: --call-model would ask {shown}"));
            // Beside a screen nobody can be asked.
            let option = if self.screen { "--call-model=yes" } else { "--call-model" };
            return Err(not_asked(&format!("{option} lets it be asked")));
        };
        if self.none.load(Ordering::Relaxed) {
            return Err(not_asked("you said no"));
        }
        if consent != ConsentArg::Show {
            endpoint.ready().map_err(|why| self.cannot_ask(&why.to_string()))?;
            if SENT.load(Ordering::Relaxed) >= self.most {
                return Err(self.none_left());
            }
        }
        match consent {
            ConsentArg::Ask | ConsentArg::Show => show(shown),
            ConsentArg::Yes => self.say(shown),
        }
        match consent {
            ConsentArg::Show => {
                whole();
                Err(not_asked("its request was only shown"))
            }
            _ if self.all.load(Ordering::Relaxed) => Ok(()),
            _ => loop {
                let mut line = String::new();
                // Where nobody can be asked, nobody agreed.
                let read = alone(|| {
                    let question = "Send it? yes, no more, all of them, or show it whole [y/n/a/s] ";
                    let _ = write!(std::io::stderr(), "{question}");
                    std::io::stdin().lock().read_line(&mut line).unwrap_or(0)
                });
                match line.trim().chars().next().map(|sign| sign.to_ascii_lowercase()) {
                    Some('y') => return Ok(()),
                    Some('a') => {
                        self.all.store(true, Ordering::Relaxed);
                        return Ok(());
                    }
                    Some('s') => whole(),
                    Some('n') => {
                        self.none.store(true, Ordering::Relaxed);
                        say(&format!("note: no more are sent: {instead}"));
                        return Err(not_asked("you said no"));
                    }
                    _ if read == 0 => return Err(not_asked("nobody agreed")),
                    _ => {}
                }
            },
        }
    }

    /// Why no model can be asked, said once.
    fn cannot_ask(&self, why: &str) -> Unanswered {
        let said = not_asked(why);
        if let Unanswered::Nothing(sentence) = &said
            && self.told_why.lock().unwrap_or_else(PoisonError::into_inner).insert(sentence.clone())
        {
            self.say(&format!("warning: {sentence}"));
        }
        said
    }

    fn none_left(&self) -> Unanswered {
        self.cannot_ask(&format!("summariser_calls = {} were sent already", self.most))
    }

    /// Sends a request, as often as it needs to be and may be; each time counts. What comes is told in place of how far
    /// the work is that wants it.
    fn send(
        &self,
        endpoint: &Endpoint,
        request: &Request,
        (instead, size): (&str, &str),
        watch: &Watch,
    ) -> Result<Reply, AskError> {
        // Who does not wait for the answer has the rest of the work without it.
        watch.begin_part(instead);
        let reply = alone(|| self.send_alone(endpoint, request, size, watch));
        let left = watch.end_part();
        // What had come before it was left is no whole answer either.
        if left { Err(AskError::Cancelled) } else { reply }
    }

    fn send_alone(&self, endpoint: &Endpoint, request: &Request, size: &str, watch: &Watch) -> Result<Reply, AskError> {
        let waiting = Waiting {
            model: safe(&endpoint.model).into_owned(),
            // On a screen nothing else says it.
            size: if self.screen { size.to_owned() } else { String::new() },
            most: self.most,
            watch,
            shows: !self.silent && std::io::stderr().is_terminal(),
            begun: Instant::now(),
            number: Cell::new(0),
            far: RefCell::default(),
            shown: RefCell::default(),
        };
        let mut may = || {
            let more = |sent: u64| (sent < self.most).then_some(sent + 1);
            let sent = SENT.fetch_update(Ordering::Relaxed, Ordering::Relaxed, more);
            waiting.number.set(sent.map_or(self.most, |before| before + 1));
            if sent.is_ok() {
                waiting.at("");
            }
            sent.is_ok()
        };
        let reply = ask(endpoint, request, &self.patience, watch, &mut may, &mut |progress| match progress {
            Progress::Text(text) => waiting.at(&format!("{}, ", counted(text.len() as u64, "character", "characters"))),
            Progress::Waiting => waiting.tick(),
            Progress::Again { why, after } => {
                waiting.clear();
                self.say(&format!("{}; again in {} s", safe(&why), after.as_secs_f32().ceil()));
                waiting.at(&format!("again in {} s, ", after.as_secs_f32().ceil()));
            }
        });
        watch.say("");
        waiting.clear();
        reply
    }

    /// Why there is no answer, said once it is known.
    fn unanswered(&self, error: AskError) -> Unanswered {
        if error == AskError::NoneLeft {
            return self.none_left();
        }
        let sentence = format!("The model gave no answer: {}.", safe(&error.to_string()));
        self.say(&format!("warning: {sentence}"));
        // What does not depend on the question will not be better for the next.
        if !error.is_of_question() {
            return Unanswered::Last(sentence);
        }
        let reason = sentence.clone();
        self.in_vain(sentence, &reason)
    }

    /// A question without an answer; the last one where those before it had none for the same reason.
    fn in_vain(&self, sentence: String, reason: &str) -> Unanswered {
        let Some(number) = self.in_vain.unanswered(reason) else { return Unanswered::This(sentence) };
        self.say(&format!("warning: {number} questions in a row had no answer for this reason: no more are asked"));
        Unanswered::Last(sentence)
    }
}

/// The request for a question, and what the model has room for.
fn request_of(endpoint: &Endpoint, question: &Question, models: &Models) -> (Request, Room) {
    let room = Room::of(models, &endpoint.model, question.most);
    let Prompt { system, user } = question.prompt;
    (Request::of(endpoint, system, &[(Said::User, user.as_str())], room.answer), room)
}

/// What a server reports of a request, where that can be: no token is shorter than a byte, and a second try holds the
/// first and its answer.
fn possible(usage: Option<Usage>, request: &Request) -> Option<Usage> {
    /// Tokens that a server may put before every request.
    const OWN: u64 = 20_000;
    let most = (request.body.len() as u64).saturating_mul(4).saturating_add(OWN);
    usage.filter(|usage| usage.input.saturating_add(usage.cache_read).saturating_add(usage.cache_write) <= most)
}

/// What of a rejected answer is sent back, so that the model sees what was wrong with it: as many of its first and last
/// characters as fit; `None` where too few do.
fn quoted(text: &str, fits: impl Fn(&str) -> bool) -> Option<Cow<'_, str>> {
    let sizes = std::iter::successors(Some(REJECTED), |most| Some(most / 2)).take_while(|most| *most >= LEAST);
    sizes.map(|most| ends_of(text, most)).find(|quote| fits(quote))
}

/// The first and last characters of a text, so many in all.
fn ends_of(text: &str, most: usize) -> Cow<'_, str> {
    let (length, half) = (text.chars().count(), most / 2);
    if length <= most {
        return Cow::Borrowed(text);
    }
    let part = |from: usize| text.chars().skip(from).take(half).collect::<String>();
    let left = count((length - 2 * half) as u64);
    Cow::Owned(format!("{}\n[… {left} characters …]\n{}", part(0), part(length - half)))
}

/// An answer that is whole and of good form.
fn form<T>(reply: &Reply, most: u64, read: &impl Fn(&str) -> Result<T, BadForm>) -> Result<T, BadForm> {
    if reply.stopped == Stopped::Full {
        let why = format!("it was cut off at {most} tokens");
        return Err(BadForm { place: "its end".to_owned(), why });
    }
    read(&reply.text)
}

fn not_asked(why: &str) -> Unanswered {
    let what = if SENT.load(Ordering::Relaxed) == 0 { "No model was asked" } else { "No further request was sent" };
    Unanswered::Nothing(format!("{what}: {why}."))
}
