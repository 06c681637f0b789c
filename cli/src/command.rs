//! A command, declared once: its name, group, arguments, permissions, outputs and exit codes stand in its file.
//!
//! The file submits its declaration to [`all`], so that no list names the commands.
//!
//! The program, the help, the manual pages, completion, `rbac` and the table of the README come from these declarations.

mod group;
mod permissions;

pub(crate) use group::Group;
pub(crate) use permissions::{
    API_SERVERS, BOTH, HELM, LEVELS, METRICS, Needs, RELEASE, Rule, SELF_REVIEW, SERVED, on,
};

use crate::exit::Exit;
use crate::failure::Failure;
use crate::output::{Comment, Streams};
use clap::{ArgMatches, Args};
use std::fmt::Debug;
use std::sync::LazyLock;

/// The exit code of a command that converts objects.
pub(crate) const LOSS: (Exit, &str) = (
    Exit::Loss,
    "a field would be lost, or would change its meaning",
);

/// A command. Its summary and its outputs come from its arguments: the documentation of the type, and the values of `-o`.
pub(crate) trait Command: Args + Debug {
    /// The name on the command line.
    const NAME: &'static str;
    /// The group in the help.
    const GROUP: Group;
    /// The place in the group.
    const PLACE: u8;
    /// Earlier names, which still work.
    const ALIASES: &'static [&'static str] = &[];
    /// The permissions in a cluster; for a command with `--live`, the permissions of that option.
    const NEEDS: Needs = Needs::NOTHING;
    /// The exit codes that not every command has, with their meaning. Commands with [`NEEDS`](Self::NEEDS) also have [`Exit::Cluster`].
    const EXITS: &'static [(Exit, &'static str)] = &[];
    /// Whether the command runs once for each of several contexts.
    const MANY_CONTEXTS: bool = false;
    /// A required argument as the error about it prints it, and the ways without it.
    const INSTEAD: Option<(&'static str, &'static str)> = None;

    /// The comment that the output becomes, for commands with `--comment` if it is given.
    fn comment(&self) -> Option<Comment> {
        None
    }

    /// Runs the command. Data goes to the standard output, everything else to the standard error.
    fn run(&self, streams: &mut Streams) -> Result<Exit, Failure>;
}

/// A declaration without its type.
pub(crate) struct Declared {
    pub(crate) name: &'static str,
    pub(crate) group: Group,
    pub(crate) place: u8,
    pub(crate) needs: Needs,
    own_exits: &'static [(Exit, &'static str)],
    pub(crate) many_contexts: bool,
    pub(crate) instead: Option<(&'static str, &'static str)>,
    aliases: &'static [&'static str],
    arguments: fn(clap::Command) -> clap::Command,
    run: Run,
}

inventory::collect!(Declared);

/// All commands, in the order of the help.
pub(crate) fn all() -> &'static [&'static Declared] {
    static ALL: LazyLock<Vec<&Declared>> = LazyLock::new(|| {
        let mut all: Vec<_> = inventory::iter::<Declared>().collect();
        all.sort_by_key(|command| (command.group, command.place));
        all
    });
    &ALL
}

/// Reads the arguments and runs a command. The outer error is that of arguments of another command.
type Run = fn(&mut ArgMatches, &mut Streams) -> Result<Result<Exit, Failure>, clap::Error>;

impl Declared {
    /// The declaration of a command.
    pub(crate) const fn of<C: Command>() -> Self {
        Self {
            name: C::NAME,
            group: C::GROUP,
            place: C::PLACE,
            needs: C::NEEDS,
            own_exits: C::EXITS,
            many_contexts: C::MANY_CONTEXTS,
            instead: C::INSTEAD,
            aliases: C::ALIASES,
            arguments: C::augment_args,
            run: run::<C>,
        }
    }

    /// Whether this is the name of the command, or an earlier one.
    pub(crate) fn is(&self, name: &str) -> bool {
        self.name == name || self.aliases.contains(&name)
    }

    /// The exit codes that not every command has, with their meaning.
    pub(crate) fn exits(&self) -> Vec<(Exit, &'static str)> {
        let mut exits = self.own_exits.to_vec();
        let names_cluster = exits.iter().any(|(exit, _)| *exit == Exit::Cluster);
        if !self.needs.is_nothing() && !names_cluster {
            exits.push((
                Exit::Cluster,
                "the cluster is unreachable, or rejects a request",
            ));
        }
        exits
    }

    /// The command with its arguments.
    pub(crate) fn definition(&self) -> clap::Command {
        let command = clap::Command::new(self.name).aliases(self.aliases);
        let command = (self.arguments)(command.hide(self.group == Group::Hidden));
        // The error about a negative number is that of its option.
        let command = command.mut_args(|arg| match arg.get_action().takes_values() {
            true => arg.allow_negative_numbers(true),
            false => arg,
        });
        let command = match self.many_contexts {
            false => command,
            true => command
                .mut_arg("context", |context| {
                    context.help("A context of the kubeconfig file; can be repeated. Defaults to the current context")
                })
                .arg(
                    clap::Arg::new("all_contexts")
                        .long("all-contexts")
                        .action(clap::ArgAction::SetTrue)
                        .help("All contexts of the kubeconfig file"),
                ),
        };
        let exits = self.exits();
        with_exits(command, &exits).mut_subcommands(|nested| {
            let uses_cluster = nested.get_arguments().any(|arg| arg.get_id() == "live");
            let exits: Vec<_> = exits
                .iter()
                .copied()
                .filter(|(exit, _)| *exit != Exit::Cluster || uses_cluster)
                .collect();
            with_exits(nested, &exits)
        })
    }

    /// Runs the command.
    /// Errors: if the matches belong to another command.
    pub(crate) fn run(
        &self,
        matches: &mut ArgMatches,
        streams: &mut Streams,
    ) -> Result<Result<Exit, Failure>, clap::Error> {
        let result = (self.run)(matches, streams)?;
        let result = result.map_err(|failure| self.with_role(failure));
        Ok(result.inspect(|exit| {
            debug_assert!(
                exit.is_common() || self.exits().iter().any(|(known, _)| known == exit),
                "{} does not declare the exit code {exit:?}",
                self.name
            );
        }))
    }

    /// Adds the role that the command needs, if a server forbids a request.
    fn with_role(&self, failure: Failure) -> Failure {
        if !failure.is_forbidden() || self.needs.is_nothing() {
            return failure;
        }
        failure.also_hint(&role_hint(self.name))
    }
}

/// Adds exit codes to the long help of a command.
fn with_exits(command: clap::Command, exits: &[(Exit, &str)]) -> clap::Command {
    if exits.is_empty() {
        return command;
    }
    let help = command
        .get_after_long_help()
        .or(command.get_after_help())
        .cloned();
    let mut help = help.map_or_else(String::new, |help| format!("{help}\n\n"));
    help.push_str("Exit codes besides the common exit codes:");
    for (exit, meaning) in exits {
        help.push_str(&format!("\n  {:<4} {meaning}", *exit as u8));
    }
    command.after_long_help(help)
}

/// The hint after a server has forbidden a request of a command.
pub(crate) fn role_hint(command: &str) -> String {
    format!("`kubectl flowcontrol rbac {command}` prints the role that is needed")
}

fn run<C: Command>(
    matches: &mut ArgMatches,
    streams: &mut Streams,
) -> Result<Result<Exit, Failure>, clap::Error> {
    let command = C::from_arg_matches_mut(matches)?;
    Ok(match command.comment() {
        Some(comment) => comment.around(streams, &|streams| command.run(streams)),
        None => command.run(streams),
    })
}
