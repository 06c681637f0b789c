//! The command line: the global options and the commands.

use crate::commands::{
    apply, complete, completions, convert, delete, describe, diagnose, diff, generate, get, limits,
    lint, man, match_request, migrate, monitoring, options, plan, preview, rbac, recipes, restore,
    rewrite_storage, scan, seats, serve, set_shares, simulate, top, traffic, validate, watch,
    whoami,
};
use crate::exit::{self, Exit};
use crate::failure::Failure;
use crate::output::Streams;
use clap::{Arg, ArgAction, CommandFactory, FromArgMatches, Parser, Subcommand, ValueEnum};
use std::ffi::OsString;

/// Migrate, check and manage API Priority and Fairness objects: FlowSchema and PriorityLevelConfiguration
///
/// Works with all versions of flowcontrol.apiserver.k8s.io and follows the rules of each Kubernetes release.
#[derive(Debug, Parser)]
#[command(
    name = "kubectl-flowcontrol",
    bin_name = "kubectl flowcontrol",
    version,
    after_help = exit::HELP,
    subcommand_required = true,
    arg_required_else_help = true,
    propagate_version = true
)]
pub(crate) struct Cli {
    /// When to use color
    #[arg(long, global = true, value_name = "WHEN", default_value = "auto")]
    pub(crate) color: Color,

    #[command(subcommand)]
    pub(crate) command: Command,
}

/// A command with its options.
#[derive(Debug, Subcommand)]
pub(crate) enum Command {
    Migrate(migrate::Args),
    Plan(plan::Args),
    Preview(preview::Args),
    Convert(convert::Args),
    Validate(validate::Args),
    Lint(lint::Args),
    Limits(limits::Args),
    Simulate(simulate::Args),
    #[command(name = "match")]
    Match(match_request::Args),
    Seats(seats::Args),
    Traffic(traffic::Args),
    Diagnose(diagnose::Args),
    Monitoring(monitoring::Args),
    Protect(recipes::ProtectArgs),
    Isolate(recipes::IsolateArgs),
    ExemptProbes(recipes::ProbesArgs),
    Get(get::Args),
    Describe(describe::Args),
    Diff(diff::Args),
    Apply(apply::Args),
    Delete(delete::Args),
    SetShares(set_shares::Args),
    Restore(restore::Args),
    Watch(watch::Args),
    Scan(scan::Args),
    RewriteStorage(rewrite_storage::Args),
    Top(top::Args),
    Whoami(whoami::Args),
    Rbac(rbac::Args),
    Serve(serve::Args),
    Completions(completions::Args),
    Man(man::Args),
    Options(options::Args),
    #[command(hide = true)]
    Generate(generate::Args),
    #[command(name = "__complete", hide = true)]
    Complete(complete::Args),
}

/// The program as it reads a command line. Its help is compact: a paragraph, and a line for each option. The command `help` and
/// the manual pages have the details.
pub(crate) fn program() -> clap::Command {
    compact(Cli::command())
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

impl Cli {
    /// Reads a command line.
    ///
    /// # Errors
    /// A wrong command line, or a request for help, with the text to print.
    pub(crate) fn read(arguments: Vec<OsString>) -> Result<Self, clap::Error> {
        let mut program = program();
        let mut matches = program.try_get_matches_from_mut(arguments)?;
        Self::from_arg_matches_mut(&mut matches).map_err(|error| error.format(&mut program))
    }
}

impl Command {
    /// Runs the command. Data goes to the standard output, everything else to the standard error.
    pub(crate) fn run(self, streams: &mut Streams) -> Result<Exit, Failure> {
        match self {
            Self::Migrate(args) => migrate::run(&args, streams),
            Self::Plan(args) => plan::run(&args, streams),
            Self::Preview(args) => preview::run(&args, streams),
            Self::Convert(args) => convert::run(&args, streams),
            Self::Validate(args) => validate::run(&args, streams),
            Self::Lint(args) => lint::run(&args, streams),
            Self::Limits(args) => limits::run(&args, streams),
            Self::Simulate(args) => simulate::run(&args, streams),
            Self::Match(args) => match_request::run(&args, streams),
            Self::Seats(args) => seats::run(&args, streams),
            Self::Diagnose(args) => diagnose::run(&args, streams),
            Self::Traffic(args) => traffic::run(&args, streams),
            Self::Monitoring(args) => monitoring::run(&args, streams),
            Self::Protect(args) => recipes::protect(&args, streams),
            Self::Isolate(args) => recipes::isolate(&args, streams),
            Self::ExemptProbes(args) => recipes::exempt_probes(&args, streams),
            Self::Get(args) => get::run(&args, streams),
            Self::Describe(args) => describe::run(&args, streams),
            Self::Diff(args) => diff::run(&args, streams),
            Self::Apply(args) => apply::run(&args, streams),
            Self::Delete(args) => delete::run(&args, streams),
            Self::SetShares(args) => set_shares::run(&args, streams),
            Self::Restore(args) => restore::run(&args, streams),
            Self::Watch(args) => watch::run(&args, streams),
            Self::Scan(args) => scan::run(&args, streams),
            Self::RewriteStorage(args) => rewrite_storage::run(&args, streams),
            Self::Top(args) => top::run(&args, streams),
            Self::Whoami(args) => whoami::run(&args, streams),
            Self::Rbac(args) => rbac::run(&args, streams),
            Self::Generate(_) => Err(generate::moved()),
            Self::Serve(args) => serve::run(&args, streams),
            Self::Completions(args) => completions::run(&args, program(), streams),
            Self::Man(args) => man::run(&args, Cli::command()),
            Self::Complete(args) => complete::run(&args, program(), streams),
            Self::Options(args) => options::run(&args, streams),
        }
    }
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

#[cfg(test)]
mod tests {
    use super::program;

    #[test]
    fn the_command_line_is_consistent() {
        program().debug_assert();
    }
}
