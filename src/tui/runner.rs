//! The loop: takes what happens, lets `update` decide, does what it asks for, draws.

use std::io;
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, channel};
use std::thread;
use std::time::{Duration, Instant};

use ratatui::crossterm::event::{self, Event, MouseButton, MouseEvent, MouseEventKind};

use super::message::{Effect, Message, Mouse};
use super::services::Open;
use super::state::State;
use super::terminal::Screen;
use super::workers::{Clip, Workers};

/// How often progress is looked at while something is under way.
const TICK: Duration = Duration::from_millis(80);
/// How long a frame waits for texts that are read beside it, so that rows need not appear empty first. It waits for no
/// replay: a key that is held shows at once, and what follows from it with a frame of its own.
const PATIENCE: Duration = Duration::from_millis(12);

/// How long messages are taken before what they changed is drawn, however many more come.
const LONGEST: Duration = Duration::from_millis(100);

/// What comes to the loop.
pub enum News {
    /// For the state.
    Message(Message),
    /// For the terminal.
    Clip(Clip),
    /// The terminal cannot be read any more.
    Lost(io::Error),
    /// The system asks the program to end, by this signal.
    Signal(i32),
}

/// Runs the screen until the user leaves it. The first effect opens a session, or lists those of this machine. Tells why
/// what the user left could not be opened, where it could not.
///
/// # Errors
/// Where the terminal cannot be used.
pub fn run(mut state: State, open: Open, first: Effect) -> io::Result<Option<String>> {
    let (sender, receiver) = channel();
    let mut screen = Screen::enter(state.mouse)?;
    state.size = screen.size()?;
    screen.draw(&state)?;
    listen(sender.clone())?;
    super::signals::listen(sender.clone())?;
    let mut workers = Workers::start(open, &sender)?;
    workers.ask(first);
    let ended = turn(&mut state, &mut screen, &receiver, &mut workers);
    drop(screen);
    match ended? {
        Some(signal) => super::signals::end_by(signal).map(|()| None),
        None => Ok(state.unopened()),
    }
}

/// Goes round until the user leaves, or a signal ends it: which.
fn turn(
    state: &mut State,
    screen: &mut Screen,
    receiver: &Receiver<News>,
    workers: &mut Workers,
) -> io::Result<Option<i32>> {
    loop {
        let first = match workers.progress() {
            Some(progress) => match receiver.recv_timeout(TICK) {
                Ok(news) => news,
                Err(RecvTimeoutError::Timeout) => News::Message(progress),
                Err(RecvTimeoutError::Disconnected) => return Ok(None),
            },
            None => match receiver.recv() {
                Ok(news) => news,
                Err(_) => return Ok(None),
            },
        };
        let mut next = Some(first);
        let (mut until, begun) = (None, Instant::now());
        while let Some(news) = next.take() {
            let effects = match news {
                News::Message(message) => super::update(state, message),
                News::Clip(clip) => {
                    screen.send(&super::clipboard::sequence(&clip.text))?;
                    super::update(state, Message::Done(clip.outcome))
                }
                News::Lost(why) => return Err(why),
                News::Signal(signal) => return Ok(Some(signal)),
            };
            for effect in effects {
                if matches!(effect, Effect::Words(..) | Effect::Read(..) | Effect::Make(_)) {
                    until.get_or_insert(Instant::now() + PATIENCE);
                }
                match effect {
                    Effect::Quit => return Ok(None),
                    Effect::Suspend => {
                        // Another size is seen below, like any other.
                        screen.suspend()?;
                    }
                    Effect::Redraw => screen.clear()?,
                    Effect::Mouse(on) => screen.set_mouse(on)?,
                    other => workers.ask(other),
                }
            }
            let goes_on = begun.elapsed() < LONGEST;
            next = goes_on.then(|| receiver.try_recv().ok()).flatten().or_else(|| {
                let left = until?.saturating_duration_since(Instant::now());
                if left.is_zero() { None } else { receiver.recv_timeout(left).ok() }
            });
            // A resize before anybody listened was told to nobody.
            if next.is_none() {
                let size = screen.size()?;
                next = (size != state.size).then_some(News::Message(Message::Resize(size.0, size.1)));
            }
        }
        screen.draw(state)?;
    }
}

/// Reads the terminal on a thread of its own.
fn listen(sender: Sender<News>) -> io::Result<()> {
    thread::Builder::new().name("terminal".to_owned()).spawn(move || {
        loop {
            let news = match event::read() {
                Ok(event) => translate(event).map(News::Message),
                Err(why) => Some(News::Lost(why)),
            };
            let lost = matches!(news, Some(News::Lost(_)));
            if news.is_some_and(|news| sender.send(news).is_err()) || lost {
                return;
            }
        }
    })?;
    Ok(())
}

fn translate(event: Event) -> Option<Message> {
    match event {
        Event::Key(key) => super::key(key).map(Message::Key),
        Event::Paste(text) => Some(Message::Paste(text)),
        Event::Resize(width, height) => Some(Message::Resize(width, height)),
        Event::Mouse(MouseEvent { kind, column, row, .. }) => {
            let what = match kind {
                MouseEventKind::Down(MouseButton::Left) => Mouse::Click,
                MouseEventKind::Drag(MouseButton::Left) => Mouse::Drag,
                MouseEventKind::ScrollUp => Mouse::WheelUp,
                MouseEventKind::ScrollDown => Mouse::WheelDown,
                MouseEventKind::ScrollLeft => Mouse::WheelLeft,
                MouseEventKind::ScrollRight => Mouse::WheelRight,
                _ => return None,
            };
            Some(Message::Mouse(what, column, row))
        }
        Event::FocusGained | Event::FocusLost => None,
    }
}
