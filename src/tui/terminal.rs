//! The terminal: taken over, handed back whatever happens, drawn to in whole frames.

use std::io::{self, BufWriter, Stdout, Write};
use std::panic;
use std::sync::Once;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread::{self, ThreadId};

use ratatui::Terminal;
use ratatui::backend::CrosstermBackend;
use ratatui::crossterm::event::{DisableBracketedPaste, DisableMouseCapture, EnableBracketedPaste, EnableMouseCapture};
use ratatui::crossterm::terminal::{
    BeginSynchronizedUpdate, EndSynchronizedUpdate, EnterAlternateScreen, LeaveAlternateScreen, disable_raw_mode,
    enable_raw_mode,
};
use ratatui::crossterm::{cursor, execute, queue};
use ratatui::layout::Rect;

use super::state::State;

type Out = CrosstermBackend<BufWriter<Stdout>>;

/// The terminal while it is ours. Dropped, it is handed back.
pub struct Screen {
    terminal: Terminal<Out>,
    mouse: bool,
}

impl Screen {
    /// Takes the terminal over.
    ///
    /// # Errors
    /// What the system reports.
    pub fn enter(mouse: bool) -> io::Result<Screen> {
        hand_back_on_panic(thread::current().id());
        take(mouse)?;
        let terminal = Terminal::new(CrosstermBackend::new(BufWriter::with_capacity(1 << 16, io::stdout())));
        let terminal = terminal.inspect_err(|_| hand_back())?;
        Ok(Screen { terminal, mouse })
    }

    /// Columns and rows.
    ///
    /// # Errors
    /// What the system reports.
    pub fn size(&self) -> io::Result<(u16, u16)> {
        self.terminal.size().map(|size| (size.width, size.height))
    }

    /// Draws a frame; the terminal shows it at once or not at all.
    ///
    /// # Errors
    /// What the system reports.
    pub fn draw(&mut self, state: &State) -> io::Result<()> {
        queue!(self.terminal.backend_mut(), BeginSynchronizedUpdate)?;
        self.terminal.draw(|frame| {
            let position = super::draw(state, frame.buffer_mut());
            super::keep_backgrounds(frame.buffer_mut());
            if let Some(position) = position {
                frame.set_cursor_position(position);
            }
        })?;
        queue!(self.terminal.backend_mut(), EndSynchronizedUpdate)?;
        io::Write::flush(self.terminal.backend_mut())
    }

    /// Forgets what the terminal shows, so that the next frame is drawn whole.
    ///
    /// # Errors
    /// What the system reports.
    pub fn clear(&mut self) -> io::Result<()> {
        // `Terminal::clear` would ask the terminal where its cursor is; the answer goes to the thread that reads keys.
        let (width, height) = self.size()?;
        self.terminal.resize(Rect::new(0, 0, width, height))
    }

    /// Switches reports of the mouse.
    ///
    /// # Errors
    /// What the system reports.
    pub fn set_mouse(&mut self, on: bool) -> io::Result<()> {
        self.mouse = on;
        match on {
            true => execute!(self.terminal.backend_mut(), EnableMouseCapture),
            false => execute!(self.terminal.backend_mut(), DisableMouseCapture),
        }
    }

    /// Writes a sequence that the terminal acts on and does not show.
    ///
    /// # Errors
    /// What the system reports.
    pub fn send(&mut self, sequence: &str) -> io::Result<()> {
        let out = self.terminal.backend_mut();
        out.write_all(sequence.as_bytes())?;
        io::Write::flush(out)
    }

    /// Hands the terminal to the shell, and takes it over again when the user comes back.
    ///
    /// # Errors
    /// What the system reports.
    #[cfg(unix)]
    pub fn suspend(&mut self) -> io::Result<()> {
        hand_back();
        signal_hook::low_level::raise(signal_hook::consts::SIGTSTP)?;
        take(self.mouse)?;
        self.clear()
    }

    /// There is no suspending here.
    ///
    /// # Errors
    /// None.
    #[cfg(not(unix))]
    pub fn suspend(&mut self) -> io::Result<()> {
        self.clear()
    }
}

impl Drop for Screen {
    fn drop(&mut self) {
        hand_back();
    }
}

/// Whether the terminal is ours. Handing it back twice would put its cursor back over what was written between.
static TAKEN: AtomicBool = AtomicBool::new(false);

fn take(mouse: bool) -> io::Result<()> {
    TAKEN.store(true, Ordering::SeqCst);
    enable_raw_mode().inspect_err(|_| TAKEN.store(false, Ordering::SeqCst))?;
    let mut out = io::stdout();
    let taken = execute!(out, EnterAlternateScreen, EnableBracketedPaste, cursor::Hide)
        .and_then(|()| if mouse { execute!(out, EnableMouseCapture) } else { Ok(()) });
    taken.inspect_err(|_| hand_back())
}

/// Hands the terminal back. Does what it can; there is nobody left to tell.
fn hand_back() {
    if !TAKEN.swap(false, Ordering::SeqCst) {
        return;
    }
    let _ = execute!(
        io::stdout(),
        EndSynchronizedUpdate,
        DisableMouseCapture,
        DisableBracketedPaste,
        LeaveAlternateScreen,
        cursor::Show
    );
    let _ = disable_raw_mode();
}

/// A panic of the thread that draws hands the terminal back before it is reported. Panics of workers are caught where
/// they work, and must not write over the screen.
fn hand_back_on_panic(screen: ThreadId) {
    static ONCE: Once = Once::new();
    ONCE.call_once(|| {
        let report = panic::take_hook();
        panic::set_hook(Box::new(move |about| {
            if thread::current().id() == screen {
                hand_back();
                report(about);
            }
        }));
    });
}
