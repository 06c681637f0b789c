//! `simulate`: a server's queues without a server.

pub(super) mod audit;
mod counted;
mod differences;
mod explain;
mod input;
mod json;
pub(super) mod outcome;
pub(super) mod page;
mod report;
mod scenarios;
mod sorted;
mod trust;

use crate::cluster::SeatsArg;
use crate::command::{BOTH, Command, Declared, Group, METRICS, Needs, RELEASE, SERVED, on};
use crate::configuration::ConfigurationArgs;
use crate::documents::read;
use crate::exit::Exit;
use crate::failure::Failure;
use crate::force::ForceArg;
use crate::number::number;
use crate::objects::note_dangling;
use crate::output::{
    Comment, CommentArg, Streams, note, outputs_are_not_inputs, plural, write_file,
};
use crate::stored_objects::{MetricsFile, stored_objects};
use audit::Logs;
use clap::{ArgGroup, ValueEnum};
use counted::{counted_waits, note_other_requests};
use input::{Input, Server};
use k8s_flowcontrol_analysis::simulation::LoadFile;
use outcome::Outcome;
use std::path::{Path, PathBuf};

/// Simulate the fair queuing of a server under a load: waits, rejections and seats of each level and flow
///
/// The objects of files count together with the built-in objects, which every server has; with `--live` they count as if they were applied
/// to the cluster. The same seed gives the same result.
///
/// The load is a file that describes clients, or the requests of audit logs. With audit logs, the waits of the logs are
/// compared with the simulated ones, and the run says whether to rely on it, or that the logs do not show it. Requests of audit logs are sorted by time: up to 262,144 in memory, more in temporary files.
///
/// REQUESTS counts attempts: a request that is sent again counts again. Each attempt is DISPATCHED, REJECTED on arrival or TIMED OUT in its
/// queue. After REJECTED and TIMED OUT, the client sends the request again (RETRIED) or gives up (FAILED). The waits are those of
/// dispatched requests.
#[derive(Debug, clap::Args)]
#[command(
    group = ArgGroup::new("source").args(["load", "audit_log", "scenarios"]).required(true).multiple(true),
    after_help = EXAMPLES,
    after_long_help = format!("{}\n\n{EXAMPLES}", LoadFile::DESCRIPTION),
)]
pub(crate) struct Args {
    #[command(flatten)]
    configuration: ConfigurationArgs,

    /// The load: a file that describes groups of clients, or - for the standard input
    #[arg(long, value_name = "FILE", conflicts_with = "audit_log")]
    load: Option<PathBuf>,

    /// The load: the requests of these audit logs of one API server, compressed with gzip or zstd or not, the oldest first, or - for the
    /// standard input. The policy level Metadata is sufficient
    #[arg(long, value_name = "LOG", num_args = 1..)]
    audit_log: Vec<PathBuf>,

    /// A file with the metrics of a server (`kubectl get --raw /metrics`), for the number and size of the objects that the
    /// requests of audit logs list, for its seats without `--server-seats`, and for the waits that it counted, which show how late requests
    /// begin after their dispatch
    #[arg(long, value_name = "FILE", conflicts_with_all = ["load", "scenarios"])]
    metrics: Option<PathBuf>,

    /// A file with the metrics of the same server at the beginning of the audit logs, with `--metrics` from their end, so that the waits between
    /// them count, and not those since the start of the server
    #[arg(long, value_name = "FILE", requires_all = ["metrics", "audit_log"])]
    metrics_before: Option<PathBuf>,

    #[command(flatten)]
    seats: SeatsArg,

    /// The seed of the random times of `--load`; audit logs have their own times
    #[arg(long, value_name = "NUMBER", default_value_t = 1, value_parser = number::<u64>(0..))]
    seed: u64,

    /// Also simulate the server after the objects of this file or folder are applied; can be repeated
    #[arg(long, value_name = "FILE")]
    compare: Vec<PathBuf>,

    /// Explain the first 20 requests of this flow: a flow schema, or a flow schema, a slash and a user or namespace
    #[arg(long, value_name = "FLOW", conflicts_with = "compare")]
    explain: Option<String>,

    /// Run the scenarios in this file, or in the standard input with -: one JSON object per line, with the fields id, seats,
    /// queues, handSize, queueLengthLimit, requests and changes. Prints {"id", "requests", "states", "schemaVersion": 1} for
    /// each
    #[arg(long, value_name = "FILE", conflicts_with_all = ["files", "live", "only_these", "load", "audit_log", "compare", "explain", "html", "output"])]
    scenarios: Option<PathBuf>,

    /// Also write the outcome as a web page with charts
    #[arg(long, value_name = "FILE", conflicts_with = "explain")]
    html: Option<PathBuf>,

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
  # A load against the manifests of a new cluster
  kubectl flowcontrol simulate -f manifests/ --load load.yaml

  # The effect of a change on the same load
  kubectl flowcontrol simulate --live --load load.yaml --compare new-level.yaml

  # The requests of audit logs with a changed configuration, as a web page
  kubectl flowcontrol simulate --live --audit-log audit-*.log.gz audit.log \\
    --compare new-level.yaml --html page.html

  # Why a user waits
  kubectl flowcontrol simulate --live --load load.yaml \\
    --explain service-accounts/system:serviceaccount:ci:builder

  # Scenarios of one level, decided as by the server's own queues
  kubectl flowcontrol simulate --scenarios scenarios.jsonl";

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum Output {
    /// A table of the levels, and a table of the 20 flows that wait longest, if any wait
    Table,
    /// {"schemaVersion": 1, "seats", "seed", "period", "result": {"requests", "endSeconds", "levels", "flows", "clients"}, "trust", "compared"}
    Json,
}

inventory::submit!(Declared::of::<Args>());

impl Command for Args {
    const NAME: &'static str = "simulate";
    const GROUP: Group = Group::Requests;
    const PLACE: u8 = 5;
    const NEEDS: Needs = Needs::new(&[SERVED, RELEASE, METRICS], &[on(BOTH, &["list"])]);

    fn comment(&self) -> Option<Comment> {
        self.comment.of("Simulated waits and rejections", "text")
    }

    fn run(&self, streams: &mut Streams) -> Result<Exit, Failure> {
        let named = self.load.iter().chain(&self.audit_log).chain(&self.metrics);
        let named = named.chain(&self.metrics_before);
        let inputs = named.chain(&self.compare).chain(self.configuration.files());
        outputs_are_not_inputs(&self.html, inputs)?;
        self.force.replace(&self.html, streams)?;
        if let Some(file) = &self.scenarios {
            if self.configuration.cluster().is_some() {
                return Err(
                    Failure::usage("`--scenarios` and a cluster exclude each other")
                        .hint("remove the flags that name a cluster or a user"),
                );
            }
            scenarios::run(file, streams)?;
            return Ok(Exit::Success);
        }
        let load = self.load.as_deref().map(read_load).transpose()?;
        if let Some(load) = &load {
            check_groups(load, streams)?;
        }
        let configuration = self.configuration.read(streams)?;
        let metrics = MetricsFile::read(self.metrics.as_deref())?;
        let seats = configuration.seats_of_log(self.seats, metrics.as_ref())?;
        let (objects, release) = (configuration.objects, configuration.release);
        let mut servers = vec![Server::new(&objects, &seats, release)?];
        let after = objects.with(&self.compare, release, streams)?;
        if let Some(after) = &after {
            servers.push(Server::new(after, &seats, release)?);
        }
        let names = ["before", "after"];
        note_dangling(&objects, after.as_ref(), names, release, streams)?;
        let mut counted = None;
        let input = match load {
            Some(load) => Input::Load(load, servers),
            None => {
                let stored = stored_objects(metrics.as_ref(), configuration.cluster)?;
                let mut recordings: Vec<_> = servers.into_iter().map(Server::recording).collect();
                let before = self.metrics_before.as_deref();
                let waits = counted_waits(before, metrics.as_ref())?;
                if let (Some(base), Some(waits)) = (recordings.first_mut(), waits) {
                    counted = Some(waits.clone()).filter(|_| before.is_some());
                    base.set_counted_waits(waits);
                }
                let logs = Logs::read(&self.audit_log, &stored, recordings, streams)?;
                Input::Logs(Box::new(logs))
            }
        };
        if let Some(flow) = &self.explain {
            explain(flow, input, self, streams)?;
            return Ok(Exit::Success);
        }
        let period = input.period_us();
        let mut reports = input.simulate(self.seed)?.into_iter();
        let before = reports.next().unwrap_or_default();
        if before.requests == 0 {
            return Err(Failure::input("the load has no requests")
                .hint("no client sends a request within the duration: give a longer one, or more requests"));
        }
        if let Some(counted) = counted {
            note_other_requests(&counted, &before, streams)?;
        }
        let outcome = Outcome {
            before,
            after: reports.next(),
            period,
            seats,
            release,
            seed: self.seed,
        };
        match self.output {
            Output::Json => json::write(&outcome, streams)?,
            Output::Table => report::tables(&outcome, streams)?,
        }
        if let Some(file) = &self.html {
            let page = page::page(&outcome);
            write_file(file, page.as_bytes())?;
        }
        Ok(Exit::Success)
    }
}

fn read_load(file: &Path) -> Result<LoadFile, Failure> {
    let source = read(file, true)?;
    LoadFile::read(&source.text).map_err(|error| {
        let name = &source.name;
        let problems = error.problems.iter();
        let lines: Vec<_> = problems
            .map(|problem| format!("{name}:{problem}"))
            .collect();
        Failure::input(lines.join("\n"))
            .hint("`kubectl flowcontrol help simulate` describes the load file")
    })
}

/// Names the groups of a load to whose requests flow control does not apply.
fn check_groups(load: &LoadFile, streams: &mut Streams) -> Result<(), Failure> {
    let (groups, all) = (load.without_flow_control(), load.group_count());
    if groups.is_empty() {
        return Ok(());
    }
    if groups.len() == all {
        return Err(Failure::input(
            "the load has no requests to which flow control applies: all are long-running",
        ));
    }
    let (count, names) = (groups.len(), groups.join(", "));
    let text = format!(
        "flow control does not apply to the long-running requests of {count} of {}, which are not simulated: {names}",
        plural(all, "group")
    );
    Ok(note(streams, &text)?)
}

fn explain(flow: &str, input: Input, args: &Args, streams: &mut Streams) -> Result<(), Failure> {
    let name = flow.split_once('/').unwrap_or((flow, ""));
    let lives = input.explain(name, args.seed)?;
    if lives.is_empty() {
        return Err(
            Failure::input(format!("no request of the load belongs to the flow {flow}"))
                .hint("`-o json` without `--explain` lists the flows"),
        );
    }
    match args.output {
        Output::Table => explain::print(flow, &lives, streams),
        Output::Json => explain::write_json(flow, &lives, streams),
    }
}
