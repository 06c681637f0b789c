//! `traffic`: the flow schemas and priority levels of the requests in audit logs.

mod callers;
mod charts;
mod export;
mod live;
mod merge;
mod print;
mod requests;
#[cfg_attr(not(feature = "parquet"), path = "traffic/no_rows.rs")]
mod rows;

pub(super) use print::flow_name;

use crate::audit_logs::{no_requests, read_logs_without_notes};
use crate::cluster::SeatsArg;
use crate::command::{BOTH, Command, Declared, Group, METRICS, Needs, RELEASE, SERVED, on};
use crate::configuration::{self, ConfigurationArgs};
use crate::exit::Exit;
use crate::failure::Failure;
use crate::feature_gates::FeatureGateArgs;
use crate::force::ForceArg;
use crate::memory::warn_of;
use crate::output::{
    Comment, CommentArg, Streams, outputs_are_not_inputs, write_file, write_report,
};
use crate::redact::RedactArg;
use crate::stored_objects::{MetricsFile, stored_objects};
use clap::{ArgGroup, ValueEnum};
use export::ExportArgs;
use k8s_flowcontrol::rules::matching::Classifier;
use k8s_flowcontrol::rules::seats::Estimator;
use k8s_flowcontrol_analysis::audit::Event;
use k8s_flowcontrol_analysis::callers::By;
use k8s_flowcontrol_analysis::live::Counter;
use k8s_flowcontrol_analysis::memory::MemoryTally;
use k8s_flowcontrol_analysis::redact::Redactor;
use k8s_flowcontrol_analysis::traffic::{Accounting, Sample, Traffic};
use live::LiveArgs;
use merge::MergeArgs;
use rows::Rows;
use std::path::PathBuf;

/// Show which flow schema and priority level the requests in audit logs get
///
/// Reads audit events in JSON, and exports of CloudWatch Logs, Cloud Logging, Azure Monitor, OpenShift, Loki, Elasticsearch, Splunk and log
/// shippers, compressed with gzip or zstd or not. `traffic export` prints the commands that get them. The policy level Metadata is
/// sufficient. A log of any length needs the same memory. `traffic merge` adds up results of `--partial`.
///
/// Seat-seconds are without the time in queues: servers since 1.31 write it into the log for requests of more than half a second; other waits are
/// estimated from the queues of the levels if the seats of the server are known. Without them, and with `--follow` and `--listen`, they count as execution.
///
/// The seats of lists depend on the number of stored objects, which `--metrics` and `--live` provide. A list of a resource whose number
/// is unknown counts as one seat. A watch counts as a request, and not in the seat-seconds.
#[derive(Debug, clap::Args)]
#[command(
    group = ArgGroup::new("source").args(["audit_log", "follow", "listen"]).required(true).multiple(true),
    group = ArgGroup::new(live::AS_LOGGED).args(["follow", "listen"]).multiple(true),
    after_help = EXAMPLES, args_conflicts_with_subcommands = true, subcommand_negates_reqs = true)]
pub(crate) struct Args {
    #[command(subcommand)]
    nested: Option<Nested>,

    /// The audit logs, the oldest first, as a server, a cloud or a log shipper delivers them, compressed with gzip or zstd or not; - is the
    /// standard input
    #[arg(long, value_name = "LOG", num_args = 1..)]
    audit_log: Vec<PathBuf>,

    #[command(flatten)]
    configuration: ConfigurationArgs,

    /// Also classify by this proposed configuration: the objects of this file or folder replace those with the same name; can be repeated
    #[arg(long, value_name = "FILE")]
    compare: Vec<PathBuf>,

    /// A file with the metrics of a server (`kubectl get --raw /metrics`), for the number and size of stored objects, and for its seats without
    /// `--server-seats`; or the JSON of an earlier report, which has the objects that it was made with
    #[arg(long, value_name = "FILE")]
    metrics: Option<PathBuf>,

    #[command(flatten)]
    seats: SeatsArg,

    #[command(flatten)]
    gates: FeatureGateArgs,

    #[command(flatten)]
    redact: RedactArg,

    /// Print one line for each request: {"auditID", "flowSchema", "priorityLevel"}; both names are null for a request that flow
    /// control does not see
    #[arg(long, conflicts_with_all = ["compare", "output", "html", "partial"])]
    each_request: bool,

    /// Also write one row for each request to a file of Apache Parquet, for DuckDB, Spark, ClickHouse and others
    #[arg(long, value_name = "FILE", conflicts_with_all = ["each_request", "by", "against", "follow", "listen"])]
    parquet: Option<PathBuf>,

    /// Write a partial result instead of the report, for `traffic merge`
    #[arg(long, value_name = "FILE", conflicts_with_all = ["html", "output"])]
    partial: Option<PathBuf>,

    /// Show the requests of each caller, user, user agent, namespace, verb or resource instead
    #[arg(long, value_name = "PROPERTY", value_parser = callers::by(), conflicts_with_all = ["compare", "html", "partial", "each_request"])]
    by: Option<By>,

    /// Earlier audit logs: show new callers, and callers with more lists, lists without resourceVersion, restarting watches and retries since
    #[arg(long, value_name = "LOG", num_args = 1.., conflicts_with_all = ["compare", "html", "partial", "each_request"])]
    against: Vec<PathBuf>,

    #[command(flatten)]
    live: LiveArgs,

    #[command(flatten)]
    comment: CommentArg,

    #[command(flatten)]
    report: ReportArgs,
}

/// The options of a report.
#[derive(Debug, clap::Args)]
struct ReportArgs {
    /// Also write the report as a web page with charts
    #[arg(long, value_name = "FILE")]
    html: Option<PathBuf>,

    #[command(flatten)]
    force: ForceArg,

    /// The output format
    #[arg(short, long, value_name = "FORMAT", default_value = "table")]
    output: Output,
}

#[derive(Debug, clap::Subcommand)]
enum Nested {
    Merge(MergeArgs),
    Export(ExportArgs),
}

const EXAMPLES: &str = "\
Examples:
  # The traffic of a cluster, as a table and as a web page
  kubectl flowcontrol traffic --audit-log audit-*.log.gz audit.log --live --html traffic.html

  # The effect of a proposed flow schema
  kubectl flowcontrol traffic --audit-log audit.log -f objects.yaml --compare new-schema.yaml

  # The callers, and their changes since yesterday
  kubectl flowcontrol traffic --audit-log today.log --against yesterday.log --by caller

  # Logs on several machines
  kubectl flowcontrol traffic --audit-log audit.log -f objects.yaml --partial a.json
  kubectl flowcontrol traffic merge a.json b.json

  # The requests of the last five minutes, as they are logged
  kubectl flowcontrol traffic --follow audit.log --state traffic.json --alert 'caller.requests>50/s'

  # The same, as the audit webhook of API servers
  kubectl flowcontrol traffic --listen 127.0.0.1:9443 --state traffic.json

  # One row for each request, for SQL
  kubectl flowcontrol traffic --audit-log audit.log -f objects.yaml --parquet rows.parquet
  duckdb -c \"SELECT priority_level, count(*), sum(seats) FROM 'rows.parquet' GROUP BY ALL\"

  # Classify every request of a log
  kubectl flowcontrol traffic --audit-log audit.log -f objects.yaml --each-request";

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum Output {
    /// The priority levels and flow schemas, the busiest flows, deprecated versions, and the moves to the proposed configuration
    Table,
    /// {"schemaVersion": 1, "requests", "unseen", "priorityLevels", "flowSchemas", "unusedFlowSchemas", "flows", "deprecated", "minutes",
    /// "comparison"} and others
    Json,
    /// One row for the requests with the same flow schema, user and verb
    Csv,
}

inventory::submit!(Declared::of::<Args>());

impl Command for Args {
    const NAME: &'static str = "traffic";
    const GROUP: Group = Group::Requests;
    const PLACE: u8 = 4;
    const NEEDS: Needs = Needs::new(&[SERVED, RELEASE, METRICS], &[on(BOTH, &["list"])]);

    fn comment(&self) -> Option<Comment> {
        self.comment
            .of("Requests by flow schema and priority level", "text")
    }

    fn run(&self, streams: &mut Streams) -> Result<Exit, Failure> {
        match &self.nested {
            Some(Nested::Export(export)) => return export::run(export, streams),
            Some(Nested::Merge(merge)) => return merge::run(merge, streams),
            None => {}
        }
        outputs_are_not_inputs(self.outputs().chain(&self.live.state), self.inputs())?;
        self.report.force.replace(self.outputs(), streams)?;
        let configuration = self.configuration.read(streams)?;
        if self.each_request {
            let (objects, release) = (&configuration.objects, configuration.release);
            let classifier = Classifier::new(&objects.flow_schemas, &objects.levels, release);
            requests::print(&self.audit_log, &classifier, streams)?;
            return Ok(Exit::Success);
        }
        let (accounting, redactor) = accounting(self, configuration, streams)?;
        if self.live.is_given() {
            let by = self.by.unwrap_or(By::Caller);
            let counter = Counter::new(accounting, by, redactor);
            let is_json = self.report.output == Output::Json;
            return live::run(&self.live, counter, by, is_json, streams);
        }
        if self.by.is_some() || !self.against.is_empty() {
            callers::print(self, &accounting, &redactor, streams)?;
            return Ok(Exit::Success);
        }
        let traffic = read(self, &accounting, &redactor, streams)?;
        if let Some(file) = &self.partial {
            merge::write_partial(traffic, file)?;
            return Ok(Exit::Success);
        }
        write(traffic, &self.report, streams)
    }
}

/// Writes the report.
fn write(traffic: Traffic, args: &ReportArgs, streams: &mut Streams) -> Result<Exit, Failure> {
    let report = traffic.report();
    if report.requests == 0 {
        return Err(no_requests());
    }
    match args.output {
        Output::Csv => print::csv(&report, streams)?,
        Output::Table => print::tables(&report, streams)?,
        Output::Json => {
            let report = serde_json::to_value(&report)
                .map_err(|error| Failure::input(format!("cannot write the report: {error}")))?;
            write_report(&mut streams.out, report)?;
        }
    }
    if let Some(file) = &args.html {
        let page = charts::page(&report);
        write_file(file, page.as_bytes())?;
    }
    Ok(Exit::Success)
}

impl Args {
    fn inputs(&self) -> impl Iterator<Item = &PathBuf> {
        let named = self
            .audit_log
            .iter()
            .chain(&self.against)
            .chain(&self.live.follow)
            .chain(&self.compare)
            .chain(&self.metrics);
        named.chain(self.configuration.files())
    }

    fn outputs(&self) -> impl Iterator<Item = &PathBuf> {
        let outputs = self.report.html.iter().chain(&self.partial);
        outputs.chain(&self.parquet)
    }
}

/// The server whose requests are accounted, and the words for names.
fn accounting(
    args: &Args,
    configuration: configuration::Configuration<'_>,
    streams: &mut Streams,
) -> Result<(Accounting, Redactor), Failure> {
    let metrics = MetricsFile::read(args.metrics.as_deref())?;
    let seats = configuration.seats_of_log(args.seats, metrics.as_ref())?;
    if seats.is_read() {
        streams.err.paragraph(&seats.to_string())?;
    }
    let stored = stored_objects(metrics.as_ref(), configuration.cluster)?;
    let (objects, release) = (configuration.objects, configuration.release);
    let redactor = args.redact.redactor()?;
    let mut accounting =
        Accounting::new(&objects.flow_schemas, &objects.levels, seats.seats, release)
            .estimator(args.gates.apply(Estimator::new(release), streams)?)
            .stored(stored)
            .redact(redactor.clone());
    if seats.is_assumed() {
        accounting = accounting.without_limits();
    }
    if let Some(after) = objects.with(&args.compare, release, streams)? {
        accounting = accounting.compare(&after.flow_schemas, &after.levels);
    }
    Ok((accounting, redactor))
}

/// Reads the logs.
fn read(
    args: &Args,
    accounting: &Accounting,
    redactor: &Redactor,
    streams: &mut Streams,
) -> Result<Traffic, Failure> {
    let mut traffic = match args.partial.is_some() {
        true => Traffic::partial(accounting),
        false => Traffic::new(accounting),
    };
    if let Some(file) = &args.parquet {
        let mut rows = Rows::create(file)?;
        let requests = add_logs(
            &mut traffic,
            &args.audit_log,
            accounting,
            streams,
            |event, sample| rows.add(event, sample, redactor),
        )?;
        // Before the rows replace a file.
        if requests == 0 {
            return Err(no_requests());
        }
        rows.finish()?;
        return Ok(traffic);
    }
    add_logs(
        &mut traffic,
        &args.audit_log,
        accounting,
        streams,
        |_, _| Ok(()),
    )?;
    Ok(traffic)
}

/// Adds the requests of logs, calls `each` for every request, and returns their number.
fn add_logs(
    traffic: &mut Traffic,
    logs: &[PathBuf],
    accounting: &Accounting,
    streams: &mut Streams,
    mut each: impl FnMut(&Event<'_>, &Sample) -> Result<(), Failure>,
) -> Result<u64, Failure> {
    let mut current = usize::MAX;
    let mut memory = MemoryTally::default();
    let counts = read_logs_without_notes(logs, streams, &mut |event, log, _| {
        let sample = accounting.sample(event);
        each(event, &sample)?;
        if let Some(class) = &sample.cell.class
            && MemoryTally::counts(event)
        {
            let attributes = event.attributes();
            let stored = accounting.stored_objects();
            let stored = stored.of(&attributes.api_group, &attributes.resource);
            memory.add(event, &class.priority_level, &sample.cell.user, stored);
        }
        if log == logs.len() {
            traffic.add_open(event, sample);
            return Ok(());
        }
        if current != log {
            current = log;
            traffic.begin_log();
        }
        traffic.add(event, sample);
        Ok(())
    })?;
    traffic.add_counts(&counts);
    warn_of(&memory.estimate())?;
    Ok(counts.requests)
}
