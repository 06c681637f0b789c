//! All ways in which a command reads files, the standard input and answers: none takes memory without bound.
//!
//! `tests/input/reading.rs` reads the source of the command for other ways.

use crate::failure::Failure;
use crate::output::Streams;
pub(crate) use k8s_flowcontrol_manifests::files::input::{
    LIMIT, ReadError, read_named, read_regular, read_stream,
};
use serde::de::DeserializeOwned;
use std::fmt::Display;
use std::fs::File;
use std::io::{self, BufRead, BufReader, IsTerminal as _, Read, Write as _};
use std::path::Path;

/// The bytes that are read at once.
const BUFFER: usize = 1 << 20;

/// Opens a file of any length, or the standard input for `-`. The reader limits what it keeps.
/// Errors: if the file cannot be opened.
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

/// The error of an input that cannot be read.
pub(crate) fn unreadable(name: &str, error: &dyn Display) -> Failure {
    Failure::input(format!("cannot read {name}: {error}"))
}

/// Reads a file with text, or the standard input for `-`.
/// Errors: if the file cannot be read, or is not UTF-8.
pub(crate) fn read_text(file: &Path) -> Result<String, Failure> {
    let name = file.display().to_string();
    let bytes = read_named(file).map_err(|error| unreadable(&name, &error))?;
    String::from_utf8(bytes).map_err(|error| unreadable(&name, &error))
}

/// Opens a file of which parts are read.
/// Errors: if the file cannot be opened.
pub(crate) fn open_file(path: &Path) -> io::Result<File> {
    File::open(path)
}

/// Whether the standard input is a terminal, where somebody can answer.
pub(crate) fn is_interactive() -> bool {
    io::stdin().is_terminal()
}

/// Asks a question on the terminal. Everything but yes is no.
/// Errors: if the answer cannot be read.
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
fn wrong_line(name: &str, number: usize, error: &serde_json::Error) -> Failure {
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

/// Reads `bytes` more bytes, or those up to the end. Returns their number.
/// Errors: if the input cannot be read.
pub(crate) fn append(input: &mut dyn BufRead, bytes: u64, into: &mut Vec<u8>) -> io::Result<usize> {
    input.take(bytes).read_to_end(into)
}

/// Skips bytes, as far as the input has them.
/// Errors: if the input cannot be read.
pub(crate) fn skip(input: &mut dyn BufRead, bytes: u64) -> io::Result<u64> {
    io::copy(&mut input.take(bytes), &mut io::sink())
}

/// Calls `each` with the number and the JSON object of every line that is not blank. `form` describes an object, for errors.
/// Errors: if a line cannot be read, is longer than [`LIMIT`] or not such an object, or if all lines are empty, and so no `items`.
pub(crate) fn each_line<T: DeserializeOwned>(
    file: &Path,
    open: impl Fn(&Path) -> io::Result<Box<dyn BufRead>>,
    (items, form): (&str, &str),
    mut each: impl FnMut(usize, T) -> Result<(), Failure>,
) -> Result<(), Failure> {
    let name = name(file);
    let mut input = open(file).map_err(|error| unreadable(&name, &error))?;
    let (mut line, mut is_empty) = (Vec::new(), true);
    for number in 1.. {
        line.clear();
        let length = (&mut input).take(LIMIT + 1).read_until(b'\n', &mut line);
        let length = length.map_err(|error| unreadable(&name, &error))?;
        if length as u64 > LIMIT {
            let limit = LIMIT >> 20;
            let problem = format!("line {number} is longer than {limit} MiB");
            return Err(unreadable(&name, &problem));
        }
        if length == 0 {
            break;
        }
        if !line.trim_ascii().is_empty() {
            is_empty = false;
            let object = serde_json::from_slice(&line)
                .map_err(|error| wrong_line(&name, number, &error).hint(form))?;
            each(number, object)?;
        }
    }
    match is_empty {
        true => Err(Failure::input(format!("{name} contains no {items}")).hint(form)),
        false => Ok(()),
    }
}
