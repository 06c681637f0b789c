//! `simulate`: a server's queues without a server.

mod explain;
mod load;
mod report;
mod scenarios;

use crate::cluster::{SeatsArg, ServerSeats};
use crate::configuration::ConfigurationArgs;
use crate::documents::FileArgs;
use crate::exit::Exit;
use crate::failure::Failure;
use crate::objects::Objects;
use crate::output::{Streams, write_report};
use clap::ValueEnum;
use k8s_flowcontrol::Release;
use k8s_flowcontrol::rules::controller::FlowController;
use k8s_flowcontrol::rules::seats::{Estimator, LevelBounds};
use k8s_flowcontrol::rules::simulation::{Load, Report, simulate};
use load::LoadFile;
use serde_json::json;
use std::io::{self, IsTerminal, Write};
use std::path::PathBuf;
use std::time::Duration;

/// Simulate the fair queuing of a server under a load: waits, rejections and seats of each level and flow
///
/// The input is the complete configuration, except for the mandatory objects, which every server has. `--with-bootstrap` adds the
/// other built-in objects that the input lacks. The same seed gives the same result.
#[derive(Debug, clap::Args)]
#[command(
    after_long_help = format!("{}\n\n{EXAMPLES}", load::HELP),
    mut_arg("server_seats", |arg| arg.visible_alias("seats")),
)]
pub(crate) struct Args {
    #[command(flatten)]
    configuration: ConfigurationArgs,

    /// The load: a file that describes groups of clients, or - for the standard input
    #[arg(long, value_name = "LOAD", required_unless_present = "scenarios")]
    load: Option<PathBuf>,

    #[command(flatten)]
    seats: SeatsArg,

    /// The seed of all random times
    #[arg(long, value_name = "NUMBER", default_value_t = 1)]
    seed: u64,

    /// Also simulate the server after the objects of this file or folder are applied; can be repeated
    #[arg(long, value_name = "OTHER")]
    compare: Vec<PathBuf>,

    /// Explain the first 20 requests of this flow: a flow schema, or a flow schema, a slash and a user or namespace
    #[arg(long, value_name = "FLOW", conflicts_with = "compare")]
    explain: Option<String>,

    /// Run the scenarios in this file, or in the standard input with -: one JSON object per line, with the fields id, seats,
    /// queues, handSize, queueLengthLimit, requests and changes. Prints {"id", "requests", "states", "schemaVersion": 1} for
    /// each
    #[arg(long, value_name = "FILE", conflicts_with_all = ["files", "live", "with_bootstrap", "load", "compare", "explain", "output"])]
    scenarios: Option<PathBuf>,

    /// The output format
    #[arg(short, long, value_name = "FORMAT", default_value = "table")]
    output: Output,
}

const EXAMPLES: &str = "\
Examples:
  # A load against the manifests of a new cluster
  kubectl flowcontrol simulate -f manifests/ --with-bootstrap --load load.yaml

  # The effect of a change on the same load
  kubectl flowcontrol simulate --live --load load.yaml --compare new-level.yaml

  # Why a user waits
  kubectl flowcontrol simulate --live --load load.yaml --explain service-accounts/system:serviceaccount:ci:builder

  # Scenarios of one level, decided as by the server's own queues
  kubectl flowcontrol simulate --scenarios scenarios.jsonl";

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum Output {
    /// A table of the levels, and one of the 20 flows that wait longest, if any wait
    Table,
    /// {"schemaVersion": 1, "seats", "seed", "result": {"requests", "endSeconds", "levels", "flows", "clients"}, "compared"}
    Json,
}

/// The limits of the model, for people.
const MODEL: &str = "\
The model is one API server whose requests execute as long as the load file says. It does not know the load of other API servers, \
the processor's load, or the sizes of objects that the load file does not give.";

pub(crate) fn run(args: &Args, streams: &mut Streams) -> Result<Exit, Failure> {
    if let Some(file) = &args.scenarios {
        if args.configuration.cluster()?.is_some() {
            return Err(
                Failure::usage("`--scenarios` and a cluster exclude each other")
                    .hint("remove the flags that name a cluster or a user"),
            );
        }
        scenarios::run(file, streams)?;
        return Ok(Exit::Success);
    }
    let Some(file) = &args.load else {
        return Err(Failure::usage("no load").hint("name a file with `--load FILE`"));
    };
    let load = LoadFile::read(file)?;
    let configuration = args.configuration.read(streams)?;
    let seats = configuration.seats(args.seats)?;
    let (objects, release) = (configuration.objects, configuration.release);
    let (server, of_server) = prepare(&load, &objects, &seats, release)?;
    if let Some(flow) = &args.explain {
        let name = flow.split_once('/').unwrap_or((flow, ""));
        let lives = k8s_flowcontrol::rules::simulation::explain(
            server,
            &of_server,
            args.seed,
            name,
            explain::MOST,
        );
        if lives.is_empty() {
            return Err(Failure::input(format!(
                "no request of the load belongs to the flow {flow}"
            ))
            .hint("`-o json` without `--explain` lists the flows"));
        }
        match args.output {
            Output::Table => explain::print(flow, &lives, streams)?,
            Output::Json => explain::write_json(flow, &lives, streams)?,
        }
        return Ok(Exit::Success);
    }
    let result = run_with_progress(server, &of_server, args.seed);
    let mut compared = None;
    if !args.compare.is_empty() {
        let mut after = objects;
        after.apply(Objects::read(
            &FileArgs::of(&args.compare),
            release,
            streams,
        )?);
        let (server, of_server) = prepare(&load, &after, &seats, release)?;
        compared = Some(run_with_progress(server, &of_server, args.seed));
    }
    if args.output == Output::Json {
        let value = json!({
            "seats": seats.seats,
            "seed": args.seed,
            "result": report::json(&result),
            "compared": compared.as_ref().map(report::json),
        });
        write_report(&mut streams.out, value)?;
        return Ok(Exit::Success);
    }
    let mut reports = vec![("before", &result)];
    reports.extend(compared.iter().map(|after| ("after", after)));
    report::tables(&reports, streams)?;
    streams.out.paragraph(&format!(
        "{} requests, seed {}, Kubernetes {release}; {seats}",
        result.requests, args.seed
    ))?;
    streams.out.paragraph(MODEL)?;
    Ok(Exit::Success)
}

/// Simulates, and shows on a terminal how far it has come.
fn run_with_progress(server: FlowController, load: &Load, seed: u64) -> Report {
    const CLEAR_LINE: &str = "\r\x1b[K";
    let is_terminal = io::stderr().is_terminal();
    let show = |text: std::fmt::Arguments<'_>| {
        if is_terminal {
            // Progress that cannot be shown is no failure.
            let _ = write!(io::stderr(), "{CLEAR_LINE}{text}");
        }
    };
    let report = simulate(server, load, seed, |progress| {
        let (at, requests) = (progress.at.as_secs_f64(), progress.requests);
        show(format_args!("simulated {at:.1} s, {requests} requests"));
    });
    show(format_args!(""));
    report
}

/// The server of a configuration, and the load with the seats that it estimates.
fn prepare(
    load: &LoadFile,
    objects: &Objects,
    seats: &ServerSeats,
    release: Release,
) -> Result<(FlowController, Load), Failure> {
    let (schemas, levels) = (&objects.flow_schemas, &objects.levels);
    let server = FlowController::new(schemas, levels, seats.seats, release, Duration::ZERO)
        .map_err(|error| Failure::input(format!("cannot simulate the priority levels: {error}")))?;
    let bounds = LevelBounds::new(levels, seats.seats, release);
    let load = load.load(&server, &bounds, &Estimator::new(release));
    Ok((server, load))
}
