//! `create`: objects for common needs, with a proof of their effect.

mod base;
mod proof;

use crate::command::{BOTH, Command, Declared, Group, METRICS, Needs, RELEASE, SERVED, on};
use crate::exit::Exit;
use crate::failure::Failure;
use crate::number::number;
use crate::output::Streams;
use base::{Base, RecipeArgs};
use clap::ValueEnum;
use k8s_flowcontrol_analysis::recipes::{Client, Recipe, RecipeError, Recipes};

/// Print objects for common needs, with a proof of their effect
///
/// The objects go to the standard output, and their effect to the standard error.
#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    #[command(subcommand)]
    recipe: Wanted,
}

#[derive(Debug, clap::Subcommand)]
enum Wanted {
    Protect(ProtectArgs),
    Isolate(IsolateArgs),
    ExemptProbes(ProbesArgs),
}

inventory::submit!(Declared::of::<Args>());

impl Command for Args {
    const NAME: &'static str = "create";
    const GROUP: Group = Group::Create;
    const PLACE: u8 = 1;
    const NEEDS: Needs = Needs::new(&[SERVED, RELEASE, METRICS], &[on(BOTH, &["list"])]);
    const EXITS: &'static [(Exit, &'static str)] = &[
        (
            Exit::Findings,
            "the configuration does not allow such objects",
        ),
        (Exit::Loss, "the API version cannot hold the objects"),
    ];

    fn run(&self, streams: &mut Streams) -> Result<Exit, Failure> {
        match &self.recipe {
            Wanted::Protect(args) => protect(args, streams),
            Wanted::Isolate(args) => isolate(args, streams),
            Wanted::ExemptProbes(args) => exempt_probes(args, streams),
        }
    }
}

/// Print objects that guarantee seats to a client
///
/// The client gets a dedicated priority level, which does not lend seats. The objects go to the standard output, and their effect to the
/// standard error: the requests they take, and the seats of every level.
#[derive(Debug, clap::Args)]
#[command(after_help = PROTECT_EXAMPLES)]
struct ProtectArgs {
    #[command(flatten)]
    subject: SubjectArgs,

    /// The seats that each server guarantees
    #[arg(long, value_name = "SEATS", value_parser = number::<i64>(1..))]
    at_least: i64,

    #[command(flatten)]
    recipe: RecipeArgs,
}

const PROTECT_EXAMPLES: &str = "\
Examples:
  # 20 seats for a controller, in a new cluster and in an existing one
  kubectl flowcontrol create protect serviceaccount flux-system/kustomize-controller --at-least 20
  kubectl flowcontrol create protect serviceaccount flux-system/kustomize-controller --at-least 20 \\
    --live | kubectl apply -f -";

/// Print objects that limit the seats of a client
///
/// The client gets a dedicated priority level, which does not borrow seats. The requests of one user wait in one queue, the requests of a group or a
/// namespace in 64. The objects go to the standard output, and their effect to the standard error.
#[derive(Debug, clap::Args)]
#[command(after_help = ISOLATE_EXAMPLES)]
struct IsolateArgs {
    #[command(flatten)]
    subject: SubjectArgs,

    /// The most seats that the client uses at the same time in each server
    #[arg(long, value_name = "SEATS", value_parser = number::<i64>(1..))]
    at_most: i64,

    #[command(flatten)]
    recipe: RecipeArgs,
}

const ISOLATE_EXAMPLES: &str = "\
Examples:
  # A scanner that floods the server
  kubectl flowcontrol create isolate user scanner --group tools --at-most 5 --live

  # All service accounts of a namespace
  kubectl flowcontrol create isolate namespace batch --at-most 10 --live";

/// Print a flow schema that exempts health checks from flow control
///
/// The built-in flow schema `probes` exempts /healthz, /livez and /readyz for everybody. This command prints a flow schema for other
/// paths, by default also /version, or for one client.
#[derive(Debug, clap::Args)]
#[command(after_help = PROBES_EXAMPLES)]
struct ProbesArgs {
    /// A path of the health checks; can be repeated
    #[arg(long = "path", value_name = "PATH", default_values = ["/healthz", "/livez", "/readyz", "/version"])]
    paths: Vec<String>,

    /// The user who checks; defaults to everybody
    #[arg(long, value_name = "USER")]
    user: Option<String>,

    #[command(flatten)]
    recipe: RecipeArgs,
}

const PROBES_EXAMPLES: &str = "\
Examples:
  kubectl flowcontrol create exempt-probes --path /version \\
    --user system:serviceaccount:monitoring:blackbox";

/// The client.
#[derive(Debug, clap::Args)]
struct SubjectArgs {
    /// The kind of the client
    #[arg(value_name = "KIND")]
    kind: SubjectKind,

    /// The name; for a service account NAMESPACE/NAME, or NAMESPACE/* for all of a namespace
    #[arg(value_name = "NAME")]
    name: String,

    /// A group of the user besides system:authenticated; can be repeated. Without it the user may be in any groups
    #[arg(long = "group", value_name = "GROUP")]
    groups: Vec<String>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum SubjectKind {
    #[value(name = "serviceaccount", alias = "sa")]
    ServiceAccount,
    User,
    Group,
    /// All service accounts of a namespace
    #[value(alias = "ns")]
    Namespace,
}

impl SubjectArgs {
    fn client(&self) -> Result<Client, Failure> {
        if !self.groups.is_empty() && self.kind != SubjectKind::User {
            return Err(Failure::usage(
                "--group is for users: other clients have the groups that they have",
            ));
        }
        let name = self.name.clone();
        Ok(match self.kind {
            SubjectKind::User => Client::User {
                name,
                groups: (!self.groups.is_empty()).then(|| self.groups.clone()),
            },
            SubjectKind::Group => Client::Group(name),
            SubjectKind::Namespace => Client::Namespace(name),
            SubjectKind::ServiceAccount => {
                let parts = name
                    .split_once('/')
                    .filter(|(namespace, name)| !namespace.is_empty() && !name.is_empty());
                let (namespace, name) = parts.ok_or_else(|| {
                    Failure::usage(format!("`{name}` is not a service account"))
                        .hint("write NAMESPACE/NAME, or NAMESPACE/* for all of a namespace")
                })?;
                match name {
                    "*" => Client::Namespace(namespace.to_owned()),
                    name => Client::ServiceAccount {
                        namespace: namespace.to_owned(),
                        name: name.to_owned(),
                    },
                }
            }
        })
    }
}

fn protect(args: &ProtectArgs, streams: &mut Streams) -> Result<Exit, Failure> {
    let client = args.subject.client()?;
    recipe(&args.recipe, true, None, streams, |recipes| {
        recipes.protect(&client, args.at_least)
    })
}

fn isolate(args: &IsolateArgs, streams: &mut Streams) -> Result<Exit, Failure> {
    let client = args.subject.client()?;
    recipe(&args.recipe, true, Some(args.at_most), streams, |recipes| {
        recipes.isolate(&client, args.at_most)
    })
}

fn exempt_probes(args: &ProbesArgs, streams: &mut Streams) -> Result<Exit, Failure> {
    recipe(&args.recipe, false, None, streams, |recipes| {
        recipes.exempt_probes(args.user.as_deref(), &args.paths)
    })
}

fn recipe(
    args: &RecipeArgs,
    adds_level: bool,
    at_most: Option<i64>,
    streams: &mut Streams,
    make: impl FnOnce(&Recipes) -> Result<Recipe, RecipeError>,
) -> Result<Exit, Failure> {
    let base = Base::read(args, adds_level, streams)?;
    let recipe = make(&base.recipes()).map_err(|error| {
        let hint = match &error {
            RecipeError::TooFewSeats { .. } => {
                Some("give more seats with `--at-most`: a level gets its part of the seats, rounded up, and the other levels have few shares")
            }
            RecipeError::TooManySeats { .. } => {
                Some("the other levels keep their part: give fewer seats with `--at-least`, or the seats of your servers with `--server-seats`")
            }
            RecipeError::NoLimit { .. } => {
                Some("give fewer seats with `--at-most`, or the seats of your servers with `--server-seats`")
            }
            RecipeError::NoEffect if adds_level => {
                Some("other flow schemas with a lower matchingPrecedence take them already")
            }
            RecipeError::NoEffect => {
                Some("other flow schemas with a lower matchingPrecedence take them already, or no request has such a path: rules match decoded paths")
            }
            RecipeError::NoName { client } if client == "*" && adds_level => {
                Some("name a group: system:authenticated has all users with credentials")
            }
            RecipeError::NoName { client } if client == "*" => {
                Some("leave out `--user`: the default is everybody")
            }
            RecipeError::NoName { .. } => {
                Some("give another name, and write this one into the subject of the printed flow schema")
            }
            RecipeError::NoPrecedence { .. } => {
                Some("give that flow schema a greater matchingPrecedence first")
            }
            _ => None,
        };
        let exit = match error.is_unfulfillable() {
            true => Exit::Findings,
            false => Exit::Usage,
        };
        Failure::new(exit, error.to_string()).hint_if(hint.map(str::to_owned))
    })?;
    proof::print(&base, &recipe, at_most, streams)
}
