//! Completion of a command line: the words that can follow, from the definition of the commands and from the cluster.

mod cursor;
mod objects;
mod values;

use cursor::{Cursor, Place};
use std::io::{self, Write};

/// The words that can follow, in the protocol that the completion scripts of kubectl and of this program read.
#[derive(Debug, Default)]
pub(crate) struct Completion {
    /// The words with their descriptions.
    words: Vec<(String, String)>,
    fallback: Fallback,
}

/// The further words that a shell offers, with the numbers of cobra, the library of kubectl's command line.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[repr(u8)]
enum Fallback {
    /// File names, if no word fits.
    Files = 0,
    #[default]
    Nothing = 4,
    /// Nothing, and no blank after the word.
    NothingUnfinished = 6,
    /// Folder names.
    Folders = 16,
}

/// Completes the last of the words, which may be empty. The words do not contain the name of the program.
pub(crate) fn complete(program: clap::Command, words: &[String]) -> Completion {
    let mut program = program;
    program.build();
    let (last, before) = match words.split_last() {
        Some((last, before)) => (last.as_str(), before),
        None => ("", &[][..]),
    };
    let cursor = Cursor::after(&program, before);
    let (mut completion, prefix) = match cursor.place(last) {
        Place::Flag => (Completion::words(cursor.flags()), last),
        Place::Value(option, value) => (values::of(&cursor, option), value),
        Place::Positional => {
            let commands = cursor.subcommands();
            let completion = match commands.is_empty() {
                true => values::of_positional(&cursor, last),
                false => Completion::words(commands),
            };
            (completion, last)
        }
    };
    completion
        .words
        .retain(|(word, _)| word.starts_with(prefix));
    completion
}

impl Completion {
    fn words(words: Vec<(String, String)>) -> Self {
        Self {
            words,
            ..Self::default()
        }
    }

    fn fallback(fallback: Fallback) -> Self {
        Self {
            fallback,
            ..Self::default()
        }
    }

    /// Writes a line for each word, with its description after a tab, and a last line with the number of the fallback.
    pub(crate) fn write(&self, out: &mut impl Write) -> io::Result<()> {
        for (word, description) in &self.words {
            match description.is_empty() {
                true => writeln!(out, "{word}")?,
                false => writeln!(out, "{word}\t{description}")?,
            }
        }
        writeln!(out, ":{}", self.fallback as u8)
    }
}
