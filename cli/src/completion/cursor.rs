//! The place in a command line: the command, and the option or position of the word.

use clap::{Arg, ArgAction, Command};

/// The place after some words.
#[derive(Debug)]
pub(super) struct Cursor<'a> {
    /// The names of the commands, without the program.
    pub(super) path: Vec<&'a str>,
    pub(super) command: &'a Command,
    /// The positional words of the command so far.
    pub(super) positional: Vec<&'a str>,
    /// The options so far, with their values.
    pub(super) options: Vec<(&'a Arg, Option<&'a str>)>,
    /// The option that waits for its value.
    pending: Option<&'a Arg>,
    /// Whether `--` has ended the options.
    is_past_options: bool,
}

/// The kind of a word at a cursor.
#[derive(Clone, Copy, Debug)]
pub(super) enum Place<'a, 'b> {
    /// The name of an option.
    Flag,
    /// The value of an option.
    Value(&'a Arg, &'b str),
    /// A command or a positional argument.
    Positional,
}

impl<'a> Cursor<'a> {
    /// The place after the words of a command line.
    pub(super) fn after(program: &'a Command, words: &'a [String]) -> Self {
        let mut cursor = Self {
            path: Vec::new(),
            command: program,
            positional: Vec::new(),
            options: Vec::new(),
            pending: None,
            is_past_options: false,
        };
        for word in words {
            cursor.take(word);
        }
        cursor
    }

    fn take(&mut self, word: &'a str) {
        if let Some(option) = self.pending.take() {
            self.options.push((option, Some(word)));
        } else if self.is_past_options || !word.starts_with('-') || word == "-" {
            match self.command.find_subcommand(word) {
                Some(command) if !self.is_past_options && self.positional.is_empty() => {
                    self.path.push(command.get_name());
                    self.command = command;
                }
                _ => self.positional.push(word),
            }
        } else if word == "--" {
            self.is_past_options = true;
        } else if let Some(name) = word.strip_prefix("--") {
            let (name, value) = match name.split_once('=') {
                Some((name, value)) => (name, Some(value)),
                None => (name, None),
            };
            let Some(option) = self.long(name) else {
                return;
            };
            match value.is_none() && waits(option) {
                true => self.pending = Some(option),
                false => self.options.push((option, value)),
            }
        } else {
            self.take_short(&word[1..]);
        }
    }

    /// Takes options such as `-ojson` and `-vo json`.
    fn take_short(&mut self, letters: &'a str) {
        for (at, letter) in letters.char_indices() {
            let Some(option) = self.short(letter) else {
                return;
            };
            let rest = &letters[at + letter.len_utf8()..];
            if !takes_value(option) {
                self.options.push((option, None));
            } else if rest.is_empty() {
                self.pending = Some(option);
                return;
            } else {
                let value = rest.strip_prefix('=').unwrap_or(rest);
                self.options.push((option, Some(value)));
                return;
            }
        }
    }

    /// The kind of the next word.
    pub(super) fn place<'b>(&self, word: &'b str) -> Place<'a, 'b> {
        if let Some(option) = self.pending {
            return Place::Value(option, word);
        }
        if self.is_past_options || !word.starts_with('-') {
            return Place::Positional;
        }
        let long = word
            .strip_prefix("--")
            .and_then(|word| word.split_once('='));
        match long.and_then(|(name, value)| Some((self.long(name)?, value))) {
            Some((option, value)) if takes_value(option) => Place::Value(option, value),
            _ => Place::Flag,
        }
    }

    /// The commands that can follow.
    pub(super) fn subcommands(&self) -> Vec<(String, String)> {
        if !self.positional.is_empty() || self.is_past_options {
            return Vec::new();
        }
        let visible = self
            .command
            .get_subcommands()
            .filter(|command| !command.is_hide_set());
        let word = |command: &Command| {
            let about = command.get_about().map(ToString::to_string);
            (command.get_name().to_owned(), about.unwrap_or_default())
        };
        visible.map(word).collect()
    }

    /// The visible options that can follow. An option that cannot be repeated follows once.
    pub(super) fn flags(&self) -> Vec<(String, String)> {
        let is_there = |arg: &Arg| {
            self.options
                .iter()
                .any(|(other, _)| other.get_id() == arg.get_id())
        };
        let repeats = |arg: &Arg| matches!(arg.get_action(), ArgAction::Append | ArgAction::Count);
        let mut flags = Vec::new();
        for arg in self.command.get_arguments() {
            if arg.is_positional() || arg.is_hide_set() || is_there(arg) && !repeats(arg) {
                continue;
            }
            let help = arg.get_help().map(ToString::to_string).unwrap_or_default();
            if let Some(long) = arg.get_long() {
                flags.push((format!("--{long}"), help));
            } else if let Some(short) = arg.get_short() {
                flags.push((format!("-{short}"), help));
            }
        }
        flags
    }

    fn long(&self, name: &str) -> Option<&'a Arg> {
        self.option(|arg| {
            let aliases = arg.get_all_aliases().unwrap_or_default();
            arg.get_long() == Some(name) || aliases.contains(&name)
        })
    }

    fn short(&self, letter: char) -> Option<&'a Arg> {
        self.option(|arg| arg.get_short() == Some(letter))
    }

    /// An option of the command. Options of a command may also precede its name.
    fn option(&self, is_wanted: impl Fn(&Arg) -> bool) -> Option<&'a Arg> {
        let own = self.command.get_arguments();
        let later = self
            .command
            .get_subcommands()
            .flat_map(Command::get_arguments);
        own.chain(later)
            .find(|arg| !arg.is_positional() && is_wanted(arg))
    }
}

fn takes_value(option: &Arg) -> bool {
    option.get_action().takes_values()
}

/// Whether the next word is the value of an option: an optional value follows `=` in the same word.
fn waits(option: &Arg) -> bool {
    let least = option.get_num_args().map_or(1, |range| range.min_values());
    takes_value(option) && least > 0 && !option.is_require_equals_set()
}
