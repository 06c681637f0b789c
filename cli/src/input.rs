//! All ways in which a command reads files, the standard input and answers: none takes memory without bound.
//!
//! `tests/input/reading.rs` reads the source of the command for other ways.

use crate::failure::Failure;
use crate::output::Streams;
pub(crate) use k8s_flowcontrol_manifests::files::input::{
    LIMIT, ReadError, read_named, read_regular, read_stream,
};
use std::fmt::Display;
use std::fs::File;
use std::io::{self, BufRead, BufReader, IsTerminal as _, Read, Write as _};
use std::path::Path;

/// The bytes that are read at once.
const BUFFER: usize = 1 << 20;

/// Opens a file of any length, or the standard input for `-`. The reader limits what it keeps.
///
/// # Errors
/// If the file cannot be opened.
pub(crate) fn open(path: &Path) -> io::Result<Box<dyn BufRead>> {
    Ok(match path.as_os_str() == "-" {
        true => Box::new(BufReader::with_capacity(BUFFER, io::stdin().lock())),
        false => Box::new(BufReader::with_capacity(BUFFER, File::open(path)?)),
    })
}

/// The name of a file for messages, where `-` is the standard input.
pub(crate) fn name(file: &Path) -> String {
    match file.as_os_str() == "-" {
        true => "the standard input".to_owned(),
        false => file.display().to_string(),
    }
}

/// Reads a file with text, or the standard input for `-`.
///
/// # Errors
/// If the file cannot be read, or is not UTF-8.
pub(crate) fn read_text(file: &Path) -> Result<String, Failure> {
    let unreadable =
        |error: &dyn Display| Failure::input(format!("cannot read {}: {error}", file.display()));
    let bytes = read_named(file).map_err(|error| unreadable(&error))?;
    String::from_utf8(bytes).map_err(|error| unreadable(&error))
}

/// Opens a file of which parts are read.
///
/// # Errors
/// If the file cannot be opened.
pub(crate) fn open_file(path: &Path) -> io::Result<File> {
    File::open(path)
}

/// Whether the standard input is a terminal, where somebody can answer.
pub(crate) fn is_interactive() -> bool {
    io::stdin().is_terminal()
}

/// Asks a question on the terminal. Everything but yes is no.
///
/// # Errors
/// If the answer cannot be read.
pub(crate) fn confirm(question: &str, streams: &mut Streams) -> Result<bool, Failure> {
    write!(streams.err, "{question} [y/N] ")?;
    streams.err.flush()?;
    let mut answer = String::new();
    // Longer answers are not valid.
    (io::stdin().lock().take(1024).read_line(&mut answer))
        .map_err(|error| Failure::input(format!("cannot read the answer: {error}")))?;
    Ok(matches!(answer.trim(), "y" | "Y" | "yes"))
}

/// The error of a line that is not the expected JSON object.
pub(crate) fn wrong_line(name: &str, number: usize, error: &serde_json::Error) -> Failure {
    let problem = error.to_string();
    let problem = problem.split(" at line ").next().unwrap_or_default();
    // The hint lists the fields.
    let problem = problem.split(", expected one of ").next();
    let (column, problem) = (error.column().max(1), problem.unwrap_or_default());
    Failure::input(format!("{name}:{number}:{column}: {problem}"))
}

/// Reads at most `limit` bytes; none if there are more, or if reading fails.
pub(crate) fn up_to(limit: u64, input: impl Read) -> Option<Vec<u8>> {
    let mut bytes = Vec::new();
    let length = input.take(limit + 1).read_to_end(&mut bytes).ok()?;
    (length as u64 <= limit).then_some(bytes)
}

/// The lines of an input, one at a time.
pub(crate) struct Lines {
    input: Box<dyn BufRead>,
    line: Vec<u8>,
    number: usize,
    is_empty: bool,
}

impl Lines {
    pub(crate) fn new(input: Box<dyn BufRead>) -> Self {
        Self {
            input,
            line: Vec::new(),
            number: 0,
            is_empty: true,
        }
    }

    /// Returns an error if the input had no line, and so no `items`.
    pub(crate) fn check_any(&self, name: &str, items: &str) -> Result<(), Failure> {
        match self.is_empty {
            true => Err(Failure::input(format!("{name} contains no {items}"))),
            false => Ok(()),
        }
    }

    /// The next line that is not blank, with its number from 1.
    ///
    /// # Errors
    /// If it cannot be read, or is longer than [`LIMIT`].
    pub(crate) fn next(&mut self) -> io::Result<Option<(usize, &[u8])>> {
        loop {
            self.line.clear();
            self.number += 1;
            let mut input = (&mut self.input).take(LIMIT + 1);
            let length = input.read_until(b'\n', &mut self.line)?;
            if length as u64 > LIMIT {
                let (number, limit) = (self.number, LIMIT >> 20);
                let message = format!("line {number} is longer than {limit} MiB");
                return Err(io::Error::other(message));
            }
            if length == 0 {
                return Ok(None);
            }
            if !self.line.trim_ascii().is_empty() {
                self.is_empty = false;
                break;
            }
        }
        Ok(Some((self.number, &self.line)))
    }
}
