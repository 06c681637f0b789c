//! A text and where it comes from.

use crate::failure::Failure;
use k8s_flowcontrol_text::{MAX_LENGTH, Position};
use std::fs::File;
use std::io::{self, Read};
use std::path::Path;
use std::sync::OnceLock;

/// A text and where it comes from.
#[derive(Debug)]
pub(crate) struct Source {
    /// The path as given or found; `-` for the standard input.
    pub(crate) name: String,
    /// The text, as it is.
    pub(crate) text: Vec<u8>,
    /// Whether the person named it; files found in a folder are not.
    pub(crate) is_named: bool,
    /// Where each line begins, once anybody asks.
    lines: OnceLock<Vec<usize>>,
}

impl Source {
    /// A text that is there.
    pub(crate) fn new(name: String, text: Vec<u8>, is_named: bool) -> Self {
        Self {
            name,
            text,
            is_named,
            lines: OnceLock::new(),
        }
    }

    /// The place of a byte as people count, as [`Position::of`] says it, but fast for many places.
    pub(crate) fn position(&self, offset: usize) -> Position {
        let lines = self.lines.get_or_init(|| {
            let breaks = self
                .text
                .iter()
                .enumerate()
                .filter(|(_, byte)| **byte == b'\n');
            std::iter::once(0)
                .chain(breaks.map(|(at, _)| at + 1))
                .collect()
        });
        let offset = offset.min(self.text.len());
        // The first line begins at 0, so that there is one.
        let line = lines.partition_point(|start| *start <= offset).max(1);
        let start = lines.get(line - 1).copied().unwrap_or_default();
        Position {
            column: Position::of(&self.text[start..], offset - start).column,
            line,
        }
    }

    /// Reads a file.
    pub(crate) fn read(path: &Path, is_named: bool) -> Result<Self, Failure> {
        let name = path.display().to_string();
        match File::open(path).and_then(read_all) {
            Ok(text) => Self::checked(name, text, is_named),
            Err(error) => {
                let failure = Failure::input(format!("cannot read {name}: {error}"));
                Err(match error.kind() {
                    io::ErrorKind::NotFound if name.contains("://") => failure.hint(
                        "addresses are not read; fetch the file first, and pass `-f -` to read it from a pipe",
                    ),
                    _ => failure,
                })
            }
        }
    }

    /// Reads the standard input.
    pub(crate) fn read_stdin() -> Result<Self, Failure> {
        let text = read_all(io::stdin().lock())
            .map_err(|error| Failure::input(format!("cannot read the standard input: {error}")))?;
        Self::checked("-".into(), text, true)
    }

    fn checked(name: String, text: Vec<u8>, is_named: bool) -> Result<Self, Failure> {
        if text.len() > MAX_LENGTH {
            let limit = MAX_LENGTH >> 20;
            return Err(Failure::input(format!(
                "{name} is longer than {limit} MiB; split it"
            )));
        }
        Ok(Self::new(name, text, is_named))
    }

    /// Whether the text is JSON: as the name says, or else as it begins.
    pub(crate) fn is_json(&self) -> bool {
        match extension(&self.name) {
            Some("json" | "jsonl" | "ndjson") => true,
            Some("yaml" | "yml") => false,
            _ => without_mark(&self.text).trim_ascii_start().first() == Some(&b'{'),
        }
    }

    /// Whether the name says that every line is a JSON value.
    pub(crate) fn is_json_lines(&self) -> bool {
        matches!(extension(&self.name), Some("jsonl" | "ndjson"))
    }
}

/// The text without a byte order mark in UTF-8.
pub(crate) fn without_mark(text: &[u8]) -> &[u8] {
    text.strip_prefix(b"\xEF\xBB\xBF").unwrap_or(text)
}

fn extension(name: &str) -> Option<&str> {
    Path::new(name).extension()?.to_str()
}

/// Reads no more than is needed to see that it is too much: a device may have no end.
fn read_all(input: impl Read) -> io::Result<Vec<u8>> {
    let mut text = Vec::new();
    input.take(MAX_LENGTH as u64 + 1).read_to_end(&mut text)?;
    Ok(text)
}
