//! `seats`: the seats of each priority level.

mod changes;
mod chart;
mod verify;

use crate::cluster::{SeatsArg, ServerSeats};
use crate::command::{
    API_SERVERS, BOTH, Command, Declared, Group, METRICS, Needs, RELEASE, SERVED, on,
};
use crate::configuration::ConfigurationArgs;
use crate::exit::Exit;
use crate::failure::Failure;
use crate::force::ForceArg;
use crate::output::{
    Cell, Comment, CommentArg, Streams, Table, outputs_are_not_inputs, warn, write_file, write_list,
};
use clap::ValueEnum;
use k8s_flowcontrol::rules::limits::{LevelLimits, ServerLimits};
use serde::Serialize;
use std::io::Write;
use std::path::PathBuf;

/// Show the seats that each priority level has, lends and borrows
///
/// A request occupies one seat while it executes; some requests occupy more. Each server divides its seats among the levels in
/// proportion to their shares. A level lends unused seats down to its minimum, and borrows seats up to its maximum.
///
/// The objects of files count together with the built-in objects, which every server has; with `--live` they count as if they were applied
/// to the cluster.
///
/// For a cluster the seats are read from the metrics of every API server that is reachable by its own address, or else of the server
/// that responds at the cluster's address. If the servers have different numbers of seats, there is a table for each number; `--compare`
/// and `--svg` show the smallest number.
///
/// `--verify` predicts the seats, waits and executions of the requests in audit logs, and compares them with the histograms of the server that wrote
/// the logs. Where they differ more than chance and the errors of the model explain, it prints a report that can be sent to the developers of
/// Kubernetes. It has the names of priority levels and no other names.
#[derive(Debug, clap::Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct Args {
    #[command(flatten)]
    configuration: ConfigurationArgs,

    #[command(flatten)]
    seats: SeatsArg,

    /// Show the changes if the objects of this file or folder are applied; can be repeated
    #[arg(long, value_name = "FILE")]
    compare: Vec<PathBuf>,

    /// Compare predicted seats and waits with the metrics of a server, for the requests of `--audit-log`
    #[arg(long, requires = "audit_log", conflicts_with_all = ["compare", "svg"])]
    verify: bool,

    /// The audit logs of one API server for the time between `--metrics-before` and `--metrics`, compressed with gzip or zstd or not, the oldest
    /// first, or - for the standard input. The policy level Metadata is sufficient
    #[arg(long, value_name = "LOG", num_args = 1.., requires = "verify")]
    audit_log: Vec<PathBuf>,

    /// A file with the metrics of the server at the end of the logs (`kubectl get --raw /metrics`), which also have its seats; defaults with `--live` to the present metrics of the cluster
    #[arg(long, value_name = "FILE", requires = "verify")]
    metrics: Option<PathBuf>,

    /// A file with the metrics of the server at the beginning of the logs; without it, the logs begin with the start of the server
    #[arg(long, value_name = "FILE", requires = "verify")]
    metrics_before: Option<PathBuf>,

    /// Also write a chart to this file
    #[arg(long, value_name = "FILE")]
    svg: Option<PathBuf>,

    #[command(flatten)]
    force: ForceArg,

    #[command(flatten)]
    comment: CommentArg,

    /// The output format
    #[arg(short, long, value_name = "FORMAT", default_value = "table")]
    output: Output,
}

const EXAMPLES: &str = "\
Examples:
  # A cluster, with the seats of the API server that responds
  kubectl flowcontrol seats --live

  # The effect of new objects on every priority level, in this cluster and in a new one
  kubectl flowcontrol seats --live --compare new-level.yaml
  kubectl flowcontrol seats --compare new-level.yaml

  # Manifests on a new cluster, with a chart for the review
  kubectl flowcontrol seats -f manifests/ --svg seats.svg

  # Whether a server estimates seats and lets requests wait as predicted
  kubectl get --raw /metrics > before.txt; sleep 600; kubectl get --raw /metrics > after.txt
  kubectl flowcontrol seats --live --verify --audit-log audit.log \\
    --metrics-before before.txt --metrics after.txt";

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum Output {
    /// A table with bars: the minimum, nominal and maximum seats of each level
    Table,
    /// A list of {"name", "type", "shares", "nominal", "lendable", "borrowing", "minimum", "maximum", "schemaVersion": 1};
    /// without a borrowing limit, borrowing is null and maximum is nominal plus the server's seats. For a cluster each element has
    /// "servers", the API servers with these numbers. With `--compare`:
    /// {"schemaVersion": 1, "serverSeats", "changes": [{"name", "before", "after"}]}; with `--verify`
    /// {"schemaVersion": 1, "isExplained", "serverSeats", "release", "period", "levels": [{"priorityLevel", "quantities", …}]}
    Json,
}

/// A level in `-o json`.
#[derive(Serialize)]
struct Level<'a> {
    name: &'a str,
    r#type: &'static str,
    shares: i64,
    nominal: i64,
    lendable: i64,
    borrowing: Option<i64>,
    minimum: i64,
    maximum: i64,
    /// The API servers with these numbers, for a cluster.
    #[serde(skip_serializing_if = "Option::is_none")]
    servers: Option<&'a [String]>,
}

impl<'a> Level<'a> {
    fn new(level: &'a LevelLimits, servers: Option<&'a [String]>) -> Self {
        Self {
            name: &level.name,
            r#type: kind(level),
            shares: level.shares,
            nominal: level.nominal,
            lendable: level.lendable,
            borrowing: level.borrowing,
            minimum: level.minimum,
            maximum: level.maximum,
            servers,
        }
    }
}

fn kind(level: &LevelLimits) -> &'static str {
    match level.exempt {
        true => "Exempt",
        false => "Limited",
    }
}

inventory::submit!(Declared::of::<Args>());

impl Command for Args {
    const NAME: &'static str = "seats";
    const GROUP: Group = Group::Requests;
    const PLACE: u8 = 3;
    const ALIASES: &'static [&'static str] = &["limits"];
    const NEEDS: Needs = Needs::new(
        &[SERVED, RELEASE, METRICS],
        &[on(BOTH, &["list"]), API_SERVERS],
    );
    const EXITS: &'static [(Exit, &'static str)] = &[(
        Exit::Findings,
        "with `--verify`, the server differs from the prediction",
    )];

    const MANY_CONTEXTS: bool = true;

    fn comment(&self) -> Option<Comment> {
        self.comment.of("Seats of the priority levels", "text")
    }

    fn run(&self, streams: &mut Streams) -> Result<Exit, Failure> {
        let inputs = self.compare.iter().chain(self.configuration.files());
        outputs_are_not_inputs(&self.svg, inputs)?;
        self.force.replace(&self.svg, streams)?;
        let configuration = self.configuration.read(streams)?;
        if self.verify {
            return verify::run(self, &configuration, streams);
        }
        let (all, notes) = configuration.seats_of_all(self.seats)?;
        for note in &notes {
            warn(note)?;
        }
        let Some(seats) = all.first() else {
            return Err(Failure::new(Exit::Cluster, "no API server has seats"));
        };
        let (objects, release) = (configuration.objects, configuration.release);
        let limits = ServerLimits::new(&objects.levels, seats.seats, release);
        let after = objects.with(&self.compare, release, streams)?;
        let after = after.map(|after| ServerLimits::new(&after.levels, seats.seats, release));
        if let Some(after) = &after {
            changes::print(&limits, after, self.output == Output::Json, streams)?;
            if seats.is_read() && self.output == Output::Table {
                streams.out.flush()?;
                streams.err.paragraph(&seats.to_string())?;
            }
        } else {
            let of = |seats: &ServerSeats| ServerLimits::new(&objects.levels, seats.seats, release);
            match self.output {
                Output::Table => {
                    for (number, seats) in all.iter().enumerate() {
                        if number > 0 {
                            streams.out.paragraph("")?;
                        }
                        table(&of(seats), seats, streams)?;
                    }
                }
                Output::Json => {
                    let limits: Vec<_> = all
                        .iter()
                        .map(|seats| (of(seats), seats.servers()))
                        .collect();
                    let levels = limits.iter().flat_map(|(limits, servers)| {
                        let levels = limits.levels().iter();
                        levels.map(move |level| Level::new(level, *servers))
                    });
                    write_list(&mut streams.out, levels)?;
                }
            }
        }
        if let Some(file) = &self.svg {
            write_file(file, chart::svg(&limits, after.as_ref()).as_bytes())?;
        }
        Ok(Exit::Success)
    }
}

fn table(
    limits: &ServerLimits,
    server: &ServerSeats,
    streams: &mut Streams,
) -> Result<(), Failure> {
    let seats = i64::from(limits.concurrency_limit());
    let mut table = Table::new([
        "NAME",
        "TYPE",
        "SHARES",
        "NOMINAL",
        "MINIMUM",
        "MAXIMUM",
        "LENDABLE",
        "BORROWING",
        "BAR",
    ]);
    for level in limits.levels() {
        let reach = level.maximum.min(seats);
        let borrowing = level.borrowing.map(|seats| seats.to_string());
        let cells = [
            level.name.clone(),
            kind(level).into(),
            level.shares.to_string(),
            level.nominal.to_string(),
            level.minimum.to_string(),
            level.maximum.to_string(),
            level.lendable.to_string(),
            borrowing.unwrap_or_else(|| "no limit".into()),
        ];
        let parts = [('█', level.minimum), ('▓', level.nominal), ('░', reach)];
        let bar = Cell::Bar(parts, seats);
        table.add(cells.map(Cell::from).into_iter().chain([bar]));
    }
    table.write(&mut streams.out)?;
    let mandatory: Vec<_> = limits
        .levels()
        .iter()
        .filter(|level| level.built_in_fallback)
        .map(|level| level.name.as_str())
        .collect();
    streams.out.paragraph(&format!(
        "{server}, Kubernetes {}; █ minimum, ▓ nominal, ░ maximum",
        limits.release()
    ))?;
    if !mandatory.is_empty() {
        let names = mandatory.join(" and ");
        streams
            .out
            .paragraph(&format!("added mandatory levels: {names}"))?;
    }
    Ok(())
}
