//! `get`: the objects of a cluster, with their effect.

mod changes;
mod overview;
mod rows;

use crate::cluster::{Live, LiveArgs, SeatsArg, TargetArgs, block_on, name};
use crate::command::{BOTH, Command, Declared, Group, METRICS, Needs, RELEASE, SERVED, on};
use crate::exit::Exit;
use crate::failure::Failure;
use crate::number::number;
use crate::output::{ObjectForm, Streams, Table, hide_managed_fields};
use clap::{ArgGroup, ValueEnum};
use k8s_flowcontrol::Kind;
use overview::Overview;
use serde_json::Value;
use std::io::Write;

/// Display objects of a cluster with their seats, load and health
///
/// For a priority level: its shares and nominal seats, the seats that it lends and borrows, and with `--show-load` the current
/// requests and seats. For a flow schema: its level and place. HEALTH names the worst error or warning of `lint`.
///
/// The objects are read in the newest served API version, or in the version of `--api-version`.
#[derive(Debug, clap::Args)]
#[command(
    group = ArgGroup::new("changes").args(["watch", "watch_only", "output_watch_events"]).multiple(true),
    after_help = EXAMPLES
)]
pub(crate) struct Args {
    #[command(flatten)]
    target: TargetArgs,

    /// Show the current requests and seats of each level
    #[arg(long)]
    show_load: bool,

    /// Show changes until Ctrl-C, after the objects. The watch survives lost connections and expired resource versions
    #[arg(short, long)]
    watch: bool,

    /// Show changes until Ctrl-C, without the existing objects first
    #[arg(long)]
    watch_only: bool,

    /// Show each change as its event, object and changed fields; with json as {"schemaVersion": 1, "event", "old", "object"} in
    /// one line. The event is ADDED, MODIFIED or DELETED. Implies --watch
    #[arg(long)]
    output_watch_events: bool,

    /// With --watch, exit after this number of changes
    #[arg(long, value_name = "COUNT", requires = "changes", value_parser = number::<u64>(1..))]
    count: Option<u64>,

    /// Sort by a field, such as metadata.name; by default flow schemas by precedence, and priority levels by name
    #[arg(long, value_name = "FIELD")]
    sort_by: Option<String>,

    /// Treat an object that does not exist as success
    #[arg(long)]
    ignore_not_found: bool,

    /// Print tables without headers
    #[arg(long)]
    no_headers: bool,

    /// Print managedFields, which are hidden by default
    #[arg(long, value_name = "BOOL", num_args = 0..=1, require_equals = true, default_missing_value = "true")]
    show_managed_fields: Option<bool>,

    #[command(flatten)]
    cluster: LiveArgs,

    #[command(flatten)]
    seats: SeatsArg,

    /// The output format
    #[arg(short, long, value_name = "FORMAT", default_value = "table")]
    output: Output,
}

const EXAMPLES: &str = "\
Examples:
  # All flow schemas and priority levels
  kubectl flowcontrol get

  # The priority levels with their current load
  kubectl flowcontrol get plc --show-load

  # A priority level in an older version
  kubectl flowcontrol get plc/workload-low --api-version v1beta3 -o yaml

  # The changes of priority levels, with the changed fields
  kubectl flowcontrol get plc --watch-only --output-watch-events";

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum Output {
    /// A line for each object
    Table,
    /// A table with more columns
    Wide,
    Json,
    Yaml,
    /// KIND.GROUP/NAME, one object per line
    Name,
}

impl Output {
    /// The form of objects; none for a table.
    fn form(self) -> Option<ObjectForm> {
        match self {
            Self::Table | Self::Wide => None,
            Self::Json => Some(ObjectForm::Json),
            Self::Yaml => Some(ObjectForm::Yaml),
            Self::Name => Some(ObjectForm::Name),
        }
    }

    fn is_wide(self) -> bool {
        self == Self::Wide
    }
}

inventory::submit!(Declared::of::<Args>());

impl Command for Args {
    const NAME: &'static str = "get";
    const GROUP: Group = Group::Objects;
    const PLACE: u8 = 1;
    const NEEDS: Needs = Needs::new(
        &[
            SERVED,
            RELEASE,
            METRICS,
            "/debug/api_priority_and_fairness/dump_priority_levels",
        ],
        &[on(BOTH, &["get", "list", "watch"])],
    );

    const MANY_CONTEXTS: bool = true;

    fn run(&self, streams: &mut Streams) -> Result<Exit, Failure> {
        self.target.targets()?;
        block_on(async {
            let live = self.cluster.connect().await?;
            if self.output_watch_events || self.watch_only {
                if self.target.has_names()? {
                    // A misspelt name would be watched forever.
                    self.target.find(&live).await?;
                }
                return changes::follow(self, &live, &[], streams).await;
            }
            let (mut objects, unfound) = self.target.find_each(&live).await?;
            let missing: Vec<_> = unfound
                .into_iter()
                .filter(|unfound| !(unfound.is_missing && self.ignore_not_found))
                .collect();
            sort(self, &mut objects)?;
            match self.output.form() {
                None => {
                    if !objects.is_empty() {
                        tables(self, &live, &objects, streams).await?;
                    } else if missing.is_empty() && !self.ignore_not_found {
                        writeln!(streams.err, "no objects found")?;
                    }
                }
                Some(form) => {
                    let targets = self.target.targets()?;
                    let is_named = targets.iter().any(|target| target.name.is_some());
                    prepare(self, &mut objects);
                    if self.watch || (is_named && targets.len() == 1) {
                        form.write_each(&objects, streams)?;
                    } else if !(objects.is_empty() && is_named && self.ignore_not_found) {
                        form.write_list(&objects, streams)?;
                    }
                }
            }
            streams.out.flush()?;
            let failures = missing.into_iter().map(|unfound| unfound.failure);
            let exit = Failure::report_all(failures, streams);
            match self.watch && exit == Exit::Success {
                true => changes::follow(self, &live, &objects, streams).await,
                false => Ok(exit),
            }
        })
    }
}

/// Sorts objects: by the given field, or tables of flow schemas in the order in which the server tries them.
fn sort(args: &Args, objects: &mut [(Kind, Value)]) -> Result<(), Failure> {
    let given = args.sort_by.as_deref();
    let field = match given {
        Some(field) => field,
        None if args.output.form().is_none() => "spec.matchingPrecedence",
        None => return Ok(()),
    };
    let path = field.trim_matches(['{', '}']).trim_start_matches('.');
    let pointer = format!("/{}", path.replace('.', "/"));
    let is_absent = objects
        .iter()
        .all(|(_, object)| object.pointer(&pointer).is_none());
    if given.is_some() && is_absent && !objects.is_empty() {
        return Err(Failure::usage(format!("no object has the field `{path}`"))
            .hint("name a field as it is in the JSON of the objects, such as metadata.name"));
    }
    objects.sort_by(|(_, a), (_, b)| {
        let (x, y) = (a.pointer(&pointer), b.pointer(&pointer));
        let number = |value: Option<&Value>| value.and_then(Value::as_f64);
        let text = |value: Option<&Value>| value.map(ToString::to_string);
        let order = match (number(x), number(y)) {
            (Some(x), Some(y)) => x.total_cmp(&y),
            _ => text(x).cmp(&text(y)),
        };
        order.then_with(|| name(a).cmp(name(b)))
    });
    Ok(())
}

/// Removes managedFields where the user does not want them.
fn prepare(args: &Args, objects: &mut [(Kind, Value)]) {
    if args.show_managed_fields != Some(true) {
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
    streams: &mut Streams,
) -> Result<(), Failure> {
    let overview = Overview::read(live, args.seats, args.show_load).await?;
    let is_wide = args.output.is_wide();
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

/// Prints an object after a change.
async fn show(
    args: &Args,
    live: &Live,
    kind: Kind,
    object: Value,
    streams: &mut Streams,
) -> Result<(), Failure> {
    match args.output.form() {
        None => {
            let overview = Overview::read(live, args.seats, args.show_load).await?;
            let is_wide = args.output.is_wide();
            let mut table = rows::table(kind, &overview, is_wide);
            table.add(rows::row(kind, &object, &overview, is_wide));
            table.write_rows(&mut streams.out)?;
        }
        Some(form) => {
            let mut objects = [(kind, object)];
            prepare(args, &mut objects);
            if form == ObjectForm::Yaml {
                writeln!(streams.out, "---")?;
            }
            form.write_each(&objects, streams)?;
        }
    }
    // A reader of a pipe waits for the line.
    streams.out.flush()?;
    Ok(())
}
