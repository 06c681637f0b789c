//! The standard streams. Text for people is escaped, so that no command can forget it.

use super::escape::{escape, one_line, wrap};
use anstream::adapter::strip_str;
use anstream::stream::RawStream;
use anstream::{AutoStream, ColorChoice};
use anstyle::{AnsiColor, Style};
use std::cell::RefCell;
use std::fmt::Arguments;
use std::io::{self, BufWriter, IsTerminal, Write};
use std::rc::Rc;
use terminal_size::{Height, Width, terminal_size_of};

pub(crate) const ERROR: Style = AnsiColor::Red.on_default().bold();
pub(crate) const WARNING: Style = AnsiColor::Yellow.on_default().bold();
pub(crate) const HINT: Style = AnsiColor::Cyan.on_default().bold();

/// The standard streams.
pub(crate) struct Streams {
    /// The standard output: data and nothing else.
    pub(crate) out: Stream,
    /// The standard error: errors, warnings, counts, progress.
    pub(crate) err: Stream,
    /// The short form of a comment: names and values.
    pub(crate) facts: Vec<(String, String)>,
}

/// Prints one sentence that is neither data nor a problem, such as an assumption, on the standard error.
pub(crate) fn note(streams: &mut Streams, text: &str) -> io::Result<()> {
    streams.out.flush()?;
    streams.err.paragraph(&format!("note: {text}"))
}

/// Prints the next step for the user on the standard error.
pub(crate) fn hint(streams: &mut Streams, text: &str) -> io::Result<()> {
    streams.out.flush()?;
    streams.err.label(HINT, "hint:")?;
    writeln!(streams.err, " {text}")
}

/// As [`note`], without a handle of the streams.
pub(crate) fn notice(text: &str) -> io::Result<()> {
    Stream::stderr().paragraph(&format!("note: {text}"))
}

impl Streams {
    /// The standard streams, with the global color choice.
    pub(crate) fn new() -> Self {
        let (does_style, is_terminal) = ability(io::stdout());
        let buffered = BufWriter::with_capacity(64 << 10, io::stdout().lock());
        let width = width(is_terminal, terminal_size_of(io::stdout()));
        Self {
            out: Stream::new(buffered, does_style, is_terminal, width),
            err: Stream::stderr(),
            facts: Vec::new(),
        }
    }

    /// Adds a line of the short table of a comment.
    pub(crate) fn fact(&mut self, name: &str, value: impl ToString) {
        self.facts.push((name.to_owned(), value.to_string()));
    }

    /// Runs work whose standard output is returned as text.
    pub(crate) fn captured<T, E: From<io::Error>>(
        &mut self,
        work: impl FnOnce(&mut Self) -> Result<T, E>,
    ) -> Result<(T, String), E> {
        let text = Captured::default();
        let capture = Stream::new(text.clone(), false, false, None);
        let out = std::mem::replace(&mut self.out, capture);
        let result = work(self);
        let flushed = self.out.flush();
        self.out = out;
        let value = result?;
        flushed?;
        let bytes = text.0.take();
        Ok((value, String::from_utf8_lossy(&bytes).into_owned()))
    }
}

/// Output that is kept.
#[derive(Clone, Default)]
struct Captured(Rc<RefCell<Vec<u8>>>);

impl Write for Captured {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.0.borrow_mut().extend_from_slice(bytes);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

/// A standard stream.
///
/// [`Write`] takes text for people: [`escape`] is applied to everything that is written. The only ways around are
/// [`data`](Self::data), and the styles of this module.
pub(crate) struct Stream {
    to: Box<dyn Write>,
    does_style: bool,
    is_terminal: bool,
    /// The columns of the terminal.
    width: Option<usize>,
}

impl Stream {
    fn new(
        to: impl Write + 'static,
        does_style: bool,
        is_terminal: bool,
        width: Option<usize>,
    ) -> Self {
        Self {
            to: Box::new(to),
            does_style,
            is_terminal,
            width,
        }
    }

    /// The standard error. It is not locked, because progress lines go there too.
    fn stderr() -> Self {
        let (does_style, is_terminal) = ability(io::stderr());
        let width = width(is_terminal, terminal_size_of(io::stderr()));
        Self::new(io::stderr(), does_style, is_terminal, width)
    }

    /// Takes data for programs: objects, JSON, diffs. A file or a pipe receives it unchanged; on a terminal it is escaped.
    pub(crate) fn data(&mut self) -> Data<'_> {
        Data(self)
    }

    /// The columns of the terminal; none for a file or a pipe.
    pub(super) fn width(&self) -> Option<usize> {
        self.width
    }

    /// Writes a paragraph, with line breaks between its words on a terminal.
    pub(crate) fn paragraph(&mut self, text: &str) -> io::Result<()> {
        self.indented(0, text)
    }

    /// Writes an entry of a list: a paragraph on one line, or on several with the same indent.
    pub(crate) fn entry(&mut self, text: &str) -> io::Result<()> {
        self.indented(2, &one_line(text))
    }

    fn indented(&mut self, indent: usize, text: &str) -> io::Result<()> {
        let blanks = " ".repeat(indent);
        match self.width {
            None => writeln!(self, "{blanks}{text}"),
            Some(width) => {
                let width = width.saturating_sub(indent).max(1);
                let mut lines = wrap(&escape(text), width, &[' ']).into_iter();
                lines.try_for_each(|line| writeln!(self, "{blanks}{line}"))
            }
        }
    }

    /// Writes a word such as `error:` in a style.
    pub(crate) fn label(&mut self, style: Style, word: &str) -> io::Result<()> {
        self.styled(&format!("{style}{}{style:#}", escape(word)))
    }

    /// Writes a warning.
    pub(crate) fn warning(&mut self, text: &str) -> io::Result<()> {
        self.label(WARNING, "warning:")?;
        writeln!(self, " {text}")
    }

    /// Writes a line of data in a style.
    pub(super) fn line(&mut self, style: Style, text: &str) -> io::Result<()> {
        self.styled(&style.render().to_string())?;
        self.data().write_all(text.as_bytes())?;
        self.styled(&style.render_reset().to_string())?;
        self.data().write_all(b"\n")
    }

    /// Whether the stream shows colors.
    pub(crate) fn has_color(&self) -> bool {
        self.does_style
    }

    /// Writes text with styles. The caller has escaped everything else in it.
    pub(super) fn styled(&mut self, text: &str) -> io::Result<()> {
        match self.does_style {
            true => self.to.write_all(text.as_bytes()),
            false => write!(self.to, "{}", strip_str(text)),
        }
    }
}

impl Write for Stream {
    /// Writes text. Bytes that are not UTF-8 become the replacement character, because a terminal can read them as control
    /// characters.
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let text = String::from_utf8_lossy(bytes);
        self.to.write_all(escape(&text).as_bytes())?;
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        self.to.flush()
    }
}

/// Data for programs on a standard stream.
pub(crate) struct Data<'a>(&'a mut Stream);

impl Write for Data<'_> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        match self.0.is_terminal {
            true => self.0.write(bytes),
            false => self.0.to.write(bytes),
        }
    }

    fn flush(&mut self) -> io::Result<()> {
        self.0.flush()
    }
}

/// Prints a warning of a server or of the library on the standard error.
pub(crate) fn warn(text: &str) -> io::Result<()> {
    Stream::stderr().warning(text)
}

/// Whether a stream shows styles, and whether it is a terminal.
fn ability(stream: impl RawStream) -> (bool, bool) {
    let is_terminal = stream.is_terminal();
    // On Windows, this also makes the terminal read styles.
    let choice = AutoStream::auto(stream).current_choice();
    (choice == ColorChoice::AlwaysAnsi, is_terminal)
}

/// The columns of a terminal: the value of the variable COLUMNS, or else the width of the terminal.
fn width(is_terminal: bool, size: Option<(Width, Height)>) -> Option<usize> {
    let given = || std::env::var("COLUMNS").ok()?.parse().ok();
    let measured = || size.map(|(Width(columns), _)| usize::from(columns));
    let width = given().or_else(measured).filter(|width| *width > 0);
    width.filter(|_| is_terminal)
}

/// Replaces the line of progress.
pub(crate) fn show_progress(text: Arguments<'_>) {
    const CLEAR_LINE: &str = "\r\x1b[K";
    if io::stderr().is_terminal() {
        // Progress that cannot be shown is not a failure.
        let _ = write!(io::stderr(), "{CLEAR_LINE}{text}");
    }
}

/// Removes the line of progress.
pub(crate) fn clear_progress() {
    show_progress(format_args!(""));
}
