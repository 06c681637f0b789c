//! The command line: the global options and the commands.

use crate::command::{self, Declared, Group};
use crate::exit::{self, Exit};
use crate::failure::Failure;
use crate::output::Streams;
use crate::{command_line, similar_name};
use clap::error::{ContextKind, ContextValue, ErrorKind};
use clap::{Arg, ArgAction, ArgMatches, CommandFactory, FromArgMatches, Parser, ValueEnum};
use std::ffi::OsString;
use std::path::Path;

/// Migrate, check and manage API Priority and Fairness objects: FlowSchema and PriorityLevelConfiguration
///
/// Works with all versions of flowcontrol.apiserver.k8s.io and follows the rules of each Kubernetes release.
#[derive(Debug, Parser)]
#[command(
    name = "kubectl-flowcontrol",
    bin_name = "kubectl flowcontrol",
    version,
    after_help = exit::HELP,
    propagate_version = true
)]
struct Global {
    /// When to use color
    #[arg(long, global = true, value_name = "WHEN", default_value = "auto")]
    color: Color,
}

/// A command line that was read.
pub(crate) struct Cli {
    pub(crate) color: Color,
    command: &'static Declared,
    matches: ArgMatches,
}

/// The program with all commands, with detailed help.
pub(crate) fn definition() -> clap::Command {
    with(command::all())
}

fn with(commands: &[&Declared]) -> clap::Command {
    Global::command()
        .subcommands(commands.iter().map(|command| command.definition()))
        .subcommand_required(true)
        .arg_required_else_help(true)
}

/// The program as it reads a command line. Its help is compact: a paragraph, and a line for each option. The command `help` and
/// the manual pages have the details.
pub(crate) fn program() -> clap::Command {
    let program = compact(definition());
    let template = format!(
        "{{about}}\n\n{{usage-heading}} {{usage}}\n\n{}\n\x1b[1m\x1b[4mOptions:\x1b[0m\n{{options}}{{after-help}}",
        grouped(&program)
    );
    program.help_template(template)
}

/// The commands by group, for the help.
fn grouped(program: &clap::Command) -> String {
    let mut text = String::new();
    for (group, heading) in Group::SHOWN {
        text.push_str(&format!("\x1b[1m\x1b[4m{}:\x1b[0m\n", heading));
        for declared in command::all()
            .iter()
            .filter(|declared| declared.group == group)
        {
            let command = program.find_subcommand(declared.name);
            let about = command.and_then(clap::Command::get_about);
            let about = about.map(ToString::to_string).unwrap_or_default();
            let name = declared.name;
            text.push_str(&format!(
                "  \x1b[1m{name}\x1b[0m{:1$}{about}\n",
                "",
                17 - name.len()
            ));
        }
        text.push('\n');
    }
    text.pop();
    text
}

fn compact(command: clap::Command) -> clap::Command {
    const TEMPLATE: &str = "{before-help}{usage-heading} {usage}\n\n{all-args}{after-help}";
    let help = Arg::new("help").short('h').long("help");
    let help = help.action(ArgAction::HelpShort);
    let help = help.help("Print help; `help COMMAND` prints the details");
    let mut command = command.disable_help_flag(true).arg(help);
    if let Some(description) = command.get_long_about().cloned() {
        command = command.before_help(description).help_template(TEMPLATE);
    }
    let names = command.get_subcommands().map(clap::Command::get_name);
    let names: Vec<_> = names.map(str::to_owned).collect();
    let compacted = |command: clap::Command, name| command.mut_subcommand(name, compact);
    names.into_iter().fold(command, compacted)
}

/// Adds the long names of the flags without a value, also of subcommands.
fn add_flags(command: &clap::Command, flags: &mut Vec<String>) {
    let own = command
        .get_arguments()
        .filter(|argument| matches!(argument.get_action(), ArgAction::SetTrue));
    flags.extend(own.filter_map(clap::Arg::get_long).map(str::to_owned));
    for command in command.get_subcommands() {
        add_flags(command, flags);
    }
}

impl Cli {
    /// The command that these arguments name, and the arguments after its name.
    fn named(arguments: &[OsString]) -> Option<(&'static Declared, &[OsString])> {
        let mut words = arguments.iter().enumerate().skip(1);
        let (place, name) = loop {
            let (place, word) = words.next()?;
            match word.to_string_lossy() {
                word if word == "--color" => _ = words.next(),
                word if word.starts_with("--color=") => {}
                word => break (place, word),
            }
        };
        let command = command::all().iter().find(|command| command.is(&name))?;
        Some((command, &arguments[place + 1..]))
    }

    /// Rewrites kubectl's long form of flags: `--watch=true` to `--watch`, and `--watch=false` to nothing.
    pub(crate) fn plain(arguments: Vec<OsString>) -> Vec<OsString> {
        if !arguments
            .iter()
            .any(|word| command_line::switch(word).is_some())
        {
            return arguments;
        }
        let mut flags = Vec::new();
        if let Some((command, _)) = Self::named(&arguments) {
            add_flags(&command.definition(), &mut flags);
        }
        command_line::without_switches(arguments, &flags)
    }

    /// Whether these arguments are of a command that runs once for each of several contexts.
    fn has_many_contexts(arguments: &[OsString]) -> bool {
        let is_context = |word: &OsString| {
            word == "--all-contexts" || word.to_string_lossy().starts_with("--context")
        };
        Self::named(arguments)
            .is_some_and(|(command, rest)| command.many_contexts && rest.iter().any(is_context))
    }

    /// The command lines of several contexts, if the command runs once for each.
    /// Errors: if the contexts cannot be read.
    pub(crate) fn contexts(arguments: &[OsString]) -> Result<Option<command_line::Lines>, Failure> {
        match Self::has_many_contexts(arguments) {
            true => command_line::split(arguments),
            false => Ok(None),
        }
    }

    /// Reads a command line.
    /// Errors: a wrong command line, or a request for help, with the text to print.
    pub(crate) fn read(arguments: Vec<OsString>) -> Result<Self, clap::Error> {
        let named = Self::named(&arguments).map(|(command, _)| command);
        // To define all commands takes longer than most of them run.
        let mut program = match named {
            Some(command) => compact(with(&[command])),
            None => program(),
        };
        let matches = program.try_get_matches_from_mut(arguments);
        let mut matches = matches.map_err(|error| suggest(error, named, &program))?;
        let Global { color } = Global::from_arg_matches_mut(&mut matches)
            .map_err(|error| error.format(&mut program))?;
        let named = matches.remove_subcommand();
        let found = named.and_then(|(name, matches)| {
            let command = command::all().iter().find(|command| command.name == name)?;
            Some((command, matches))
        });
        match found {
            Some((command, matches)) => Ok(Self {
                color,
                command,
                matches,
            }),
            // The definition requires a command, so the parser has returned an error.
            None => Err(program.error(ErrorKind::MissingSubcommand, "no command")),
        }
    }

    /// Runs the command.
    pub(crate) fn run(mut self, streams: &mut Streams) -> Result<Exit, Failure> {
        match self.command.run(&mut self.matches, streams) {
            Ok(result) => result,
            Err(error) => Err(Failure::usage(error.to_string())),
        }
    }
}

/// Adds the most similar command to the error about an unknown one, the other ways to the error about a missing argument, and
/// the way of this command to the error about an argument of other ones.
fn suggest(
    mut error: clap::Error,
    command: Option<&Declared>,
    program: &clap::Command,
) -> clap::Error {
    let wrong = match error.kind() {
        ErrorKind::UnknownArgument => error.get(ContextKind::InvalidArg),
        ErrorKind::InvalidSubcommand => error.get(ContextKind::InvalidSubcommand),
        _ => None,
    };
    let tip = match wrong {
        Some(ContextValue::String(word)) => command
            .and_then(|command| program.find_subcommand(command.name))
            .and_then(|command| tip(word, command)),
        _ => None,
    };
    if let Some(tip) = tip {
        error.insert(
            ContextKind::Suggested,
            ContextValue::StyledStrs(vec![tip.into()]),
        );
    }
    if let Some(ContextValue::String(wanted)) = error.get(ContextKind::InvalidSubcommand) {
        let names = command::all().iter().map(|command| command.name);
        if let Some(name) = similar_name::nearest(wanted, names) {
            let name = ContextValue::Strings(vec![name.to_owned()]);
            error.insert(ContextKind::SuggestedSubcommand, name);
        }
    }
    let Some((argument, instead)) = command.and_then(|command| command.instead) else {
        return error;
    };
    let is_missing = match error.get(ContextKind::InvalidArg) {
        Some(ContextValue::Strings(missing)) => missing.iter().any(|name| name == argument),
        _ => false,
    };
    if error.kind() == ErrorKind::MissingRequiredArgument && is_missing {
        let tip = ContextValue::StyledStrs(vec![instead.into()]);
        error.insert(ContextKind::Suggested, tip);
    }
    error
}

/// What to write in place of an argument that the command does not have.
fn tip(word: &str, command: &clap::Command) -> Option<String> {
    let has_files = command
        .get_arguments()
        .any(|argument| argument.get_short() == Some('f'));
    let reads_logs = command
        .get_arguments()
        .any(|argument| argument.get_long() == Some("audit-log"));
    match word {
        "-f" | "--filename" => command
            .get_positionals()
            .next()
            .map(|_| format!("`{}` takes files without a flag", command.get_name())),
        "-n" | "--namespace" | "-A" | "--all-namespaces" => Some(
            "flow schemas and priority levels are cluster-scoped: they are in no namespace".into(),
        ),
        _ if reads_logs && is_log(word) => {
            Some(format!("to read an audit log, use '--audit-log {word}'"))
        }
        _ if has_files && !word.starts_with('-') => {
            Some(format!("to read a file, use '-f {word}'"))
        }
        _ => None,
    }
}

/// Whether a word is the name of an audit log, and not of a manifest: it has an extension, such as `.log` or `.gz`.
fn is_log(word: &str) -> bool {
    let extension = Path::new(word).extension();
    !word.starts_with('-')
        && extension.is_some_and(|extension| extension != "yaml" && extension != "yml")
}

/// When to use color.
#[derive(Clone, Copy, Debug, ValueEnum)]
pub(crate) enum Color {
    /// On a terminal, unless NO_COLOR is set
    Auto,
    /// Always
    Always,
    /// Never
    Never,
}

impl Color {
    /// Applies the choice to everything that is written from now on.
    pub(crate) fn write_global(self) {
        match self {
            Self::Auto => anstream::ColorChoice::Auto,
            Self::Always => anstream::ColorChoice::Always,
            Self::Never => anstream::ColorChoice::Never,
        }
        .write_global();
    }
}
