//! The terminal while the view is on it. Whatever ends the view, the terminal is as before.

use super::lines::Lines;
use super::view::Key;
use crate::failure::Failure;
use crossterm::cursor::{Hide, Show};
use crossterm::event::{Event, KeyCode, KeyEvent, KeyEventKind, KeyModifiers, read};
use crossterm::terminal::{
    EnterAlternateScreen, LeaveAlternateScreen, disable_raw_mode, enable_raw_mode, size,
};
use crossterm::{execute, style};
use std::io::{self, BufWriter};
use std::sync::Once;
use tokio::sync::mpsc::{UnboundedReceiver, unbounded_channel};

/// The alternate screen of a terminal, which is left when this is dropped or the program panics.
pub(super) struct Screen {
    /// The lines that the terminal shows.
    shown: Lines,
}

/// An event of the terminal.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Input {
    Key(Key),
    /// The screen has another size.
    Resized,
}

impl Screen {
    pub(super) fn enter(has_color: bool) -> Result<Self, Failure> {
        style::force_color_output(has_color);
        leave_on_panic();
        size().map_err(failed)?;
        // From here on, an error drops the screen, which leaves it.
        let screen = Self {
            shown: Lines::default(),
        };
        enable_raw_mode().map_err(failed)?;
        execute!(io::stdout(), EnterAlternateScreen, Hide).map_err(failed)?;
        Ok(screen)
    }

    pub(super) fn draw(&mut self, draw: impl FnOnce(&mut Lines)) -> Result<(), Failure> {
        let mut lines = Lines::new(size().map_err(failed)?);
        draw(&mut lines);
        let mut out = BufWriter::new(io::stdout());
        lines.write(&self.shown, &mut out).map_err(failed)?;
        self.shown = lines;
        Ok(())
    }
}

impl Drop for Screen {
    fn drop(&mut self) {
        leave();
    }
}

/// The keys and the new sizes of the terminal, from now on until the program ends.
pub(super) fn inputs() -> UnboundedReceiver<Input> {
    let (sender, receiver) = unbounded_channel();
    // A separate thread: reading blocks. Its end, after an error, ends the view.
    std::thread::spawn(move || {
        while let Ok(event) = read() {
            if input(&event).is_some_and(|input| sender.send(input).is_err()) {
                return;
            }
        }
    });
    receiver
}

/// The meaning of an event; nothing for other keys.
fn input(event: &Event) -> Option<Input> {
    match event {
        Event::Resize(..) => Some(Input::Resized),
        Event::Key(key) if key.kind != KeyEventKind::Release => self::key(key).map(Input::Key),
        _ => None,
    }
}

fn key(event: &KeyEvent) -> Option<Key> {
    if event.modifiers.contains(KeyModifiers::CONTROL) {
        return match event.code {
            KeyCode::Char('c') => Some(Key::Interrupt),
            _ => None,
        };
    }
    Some(match event.code {
        KeyCode::Up | KeyCode::Char('k') => Key::Up,
        KeyCode::Down | KeyCode::Char('j') => Key::Down,
        KeyCode::PageUp => Key::PageUp,
        KeyCode::PageDown => Key::PageDown,
        KeyCode::Home | KeyCode::Char('g') => Key::First,
        KeyCode::End | KeyCode::Char('G') => Key::Last,
        KeyCode::Enter | KeyCode::Right => Key::Open,
        KeyCode::Esc | KeyCode::Left | KeyCode::Backspace => Key::Back,
        KeyCode::Char('s') => Key::Sort,
        KeyCode::Char('r') => Key::Reverse,
        KeyCode::Char('p' | ' ') => Key::Pause,
        KeyCode::Char('q') => Key::Quit,
        _ => return None,
    })
}

fn failed(error: io::Error) -> Failure {
    Failure::input(format!("cannot use the terminal: {error}"))
        .hint("`--once` prints a table instead")
}

/// Gives the terminal back. If that fails, nothing else can be done.
fn leave() {
    let _ = execute!(io::stdout(), Show, LeaveAlternateScreen);
    let _ = disable_raw_mode();
}

/// Gives the terminal back before the message of a panic, which may also end the program.
fn leave_on_panic() {
    static ONCE: Once = Once::new();
    ONCE.call_once(|| {
        let report = std::panic::take_hook();
        std::panic::set_hook(Box::new(move |panic| {
            leave();
            report(panic);
        }));
    });
}
