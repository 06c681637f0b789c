//! `get`: the objects of a cluster, with their effect.

mod overview;
mod rows;

use crate::cluster::{Follow, Live, LiveArgs, SeatsArg, TargetArgs, block_on, name};
use crate::exit::Exit;
use crate::failure::Failure;
use crate::output::{ObjectForm, Streams, Table, hide_managed_fields, write_line};
use k8s_flowcontrol::Kind;
use overview::Overview;
use serde_json::Value;
use std::io::Write;
use std::str::FromStr;

/// Display objects of a cluster with their seats, load and health
///
/// For a priority level: its shares and nominal seats, the seats that it lends and borrows, and with `--live` the current
/// requests and seats. For a flow schema: its level and place. HEALTH names the worst error or warning of `lint`.
///
/// The objects are read in the newest served API version, or in the version of `--api-version`.
#[derive(Debug, clap::Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct Args {
    #[command(flatten)]
    target: TargetArgs,

    /// Show the current requests and seats of each level
    #[arg(long)]
    live: bool,

    /// Show changes until Ctrl-C, after the objects
    #[arg(short, long)]
    watch: bool,

    /// Treat an object that does not exist as success
    #[arg(long)]
    ignore_not_found: bool,

    /// Print tables without headers
    #[arg(long)]
    no_headers: bool,

    /// Print managedFields: by default in JSON and not in YAML
    #[arg(long, value_name = "BOOL", num_args = 0..=1, require_equals = true, default_missing_value = "true")]
    show_managed_fields: Option<bool>,

    #[command(flatten)]
    cluster: LiveArgs,

    #[command(flatten)]
    seats: SeatsArg,

    /// The output format: table, wide, json, yaml, name (KIND/NAME), or jsonpath=TEMPLATE
    #[arg(short, long, value_name = "FORMAT", default_value = "table")]
    output: Output,
}

const EXAMPLES: &str = "\
Examples:
  # All flow schemas and priority levels
  kubectl flowcontrol get

  # The priority levels with their current load
  kubectl flowcontrol get plc --live

  # A priority level in an older version
  kubectl flowcontrol get plc/workload-low --api-version v1beta3 -o yaml

  # The shares of a level, for a script
  kubectl flowcontrol get plc/batch -o jsonpath='{.spec.limited.nominalConcurrencyShares}'";

#[derive(Clone, Debug)]
enum Output {
    Table { is_wide: bool },
    Objects(ObjectForm),
}

impl FromStr for Output {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        match text {
            "table" => Ok(Self::Table { is_wide: false }),
            "wide" => Ok(Self::Table { is_wide: true }),
            text => match text.parse() {
                Ok(form) => Ok(Self::Objects(form)),
                Err(error) => Err(error.replace("expected json", "expected table, wide, json")),
            },
        }
    }
}

pub(crate) fn run(args: &Args, streams: &mut Streams) -> Result<Exit, Failure> {
    block_on(async {
        let live = args.cluster.connect().await?;
        let (mut objects, unfound) = args.target.find_each(&live).await?;
        let missing: Vec<_> = unfound
            .into_iter()
            .filter(|unfound| !(unfound.is_missing && args.ignore_not_found))
            .collect();
        match &args.output {
            Output::Table { is_wide } => {
                if !objects.is_empty() {
                    tables(args, &live, &objects, *is_wide, streams).await?;
                } else if missing.is_empty() && !args.ignore_not_found {
                    writeln!(streams.err, "no objects found")?;
                }
            }
            Output::Objects(form) => {
                let is_named = args.target.has_names()?;
                if !(objects.is_empty() && is_named) {
                    prepare(args, form, &mut objects);
                    form.write(&objects, is_named, streams)?;
                }
            }
        }
        streams.out.flush()?;
        let failures = missing.into_iter().map(|unfound| unfound.failure);
        let exit = Failure::report_all(failures, streams);
        match args.watch && exit == Exit::Success {
            true => follow(args, &live, &objects, streams).await,
            false => Ok(exit),
        }
    })
}

/// Removes managedFields where the user does not want them.
fn prepare(args: &Args, form: &ObjectForm, objects: &mut [(Kind, Value)]) {
    let shows = !matches!(form, ObjectForm::Yaml);
    if !args.show_managed_fields.unwrap_or(shows) {
        objects
            .iter_mut()
            .for_each(|(_, object)| hide_managed_fields(object));
    }
}

/// Prints a table for each kind that has objects.
async fn tables(
    args: &Args,
    live: &Live,
    objects: &[(Kind, Value)],
    is_wide: bool,
    streams: &mut Streams,
) -> Result<(), Failure> {
    let overview = Overview::read(live, args.seats, args.live).await?;
    let mut is_first = true;
    for kind in Kind::ALL.iter().copied() {
        let mut table = rows::table(kind, &overview, is_wide);
        let of_kind = objects.iter().filter(|(other, _)| *other == kind);
        let rows: Vec<_> = of_kind
            .map(|(_, object)| rows::row(kind, object, &overview, is_wide))
            .collect();
        if rows.is_empty() {
            continue;
        }
        rows.into_iter().for_each(|row| table.add(row));
        if !is_first {
            writeln!(streams.out)?;
        }
        is_first = false;
        write(args, &table, streams)?;
    }
    let shows_levels = objects
        .iter()
        .any(|(kind, _)| *kind == Kind::PriorityLevelConfiguration);
    if shows_levels {
        streams.out.flush()?;
        for note in &overview.notes {
            streams.err.paragraph(note)?;
        }
    }
    Ok(())
}

fn write(args: &Args, table: &Table, streams: &mut Streams) -> Result<(), Failure> {
    match args.no_headers {
        true => table.write_rows(&mut streams.out)?,
        false => table.write(&mut streams.out)?,
    }
    Ok(())
}

/// Prints changes until Ctrl-C ends the process.
async fn follow(
    args: &Args,
    live: &Live,
    listed: &[(Kind, Value)],
    streams: &mut Streams,
) -> Result<Exit, Failure> {
    let selector = args.target.selector.as_deref();
    let mut follow = Follow::begin(live, args.target.targets()?, selector);
    let version = |object: &Value| object["metadata"]["resourceVersion"].clone();
    while let Some(change) = follow.next(streams).await? {
        let (kind, object) = (change.kind, change.object);
        let is_listed = listed.iter().any(|(other, listed)| {
            *other == kind && name(listed) == name(&object) && version(listed) == version(&object)
        });
        if is_listed && change.event == "ADDED" {
            continue;
        }
        match &args.output {
            Output::Table { is_wide } => {
                let overview = Overview::read(live, args.seats, args.live).await?;
                let mut table = rows::table(kind, &overview, *is_wide);
                table.add(rows::row(kind, &object, &overview, *is_wide));
                table.write_rows(&mut streams.out)?;
            }
            // One object a line, as in kubectl.
            Output::Objects(ObjectForm::Json) => write_line(&mut streams.out, &object)?,
            Output::Objects(form) => {
                let mut objects = [(kind, object)];
                prepare(args, form, &mut objects);
                if matches!(form, ObjectForm::Yaml) {
                    writeln!(streams.out, "---")?;
                }
                form.write(&objects, true, streams)?;
            }
        }
        streams.out.flush()?;
    }
    Ok(Exit::Success)
}
