//! `cost`: the seats that a request takes.

mod quantity;
mod query;
mod requests;

use super::match_request::NO_FLOW_CONTROL;
use crate::cluster::{ClusterArgs, SeatsArg, ServerSeats};
use crate::command::{BOTH, Command, Declared, Group, METRICS, Needs, RELEASE, SERVED, on};
use crate::configuration::{Configuration, ConfigurationArgs};
use crate::exit::Exit;
use crate::failure::Failure;
use crate::feature_gates::FeatureGateArgs;
use crate::number::number;
use crate::output::{Streams, write_report};
use crate::resource_name::resource_name;
use crate::similar_name;
use crate::stored_objects::inventory;
use clap::ValueEnum;
use k8s_flowcontrol::rules::matching::{RequestAttributes, User};
use k8s_flowcontrol::rules::seats::{Estimator, Explanation, LevelBounds, Request, Stored};
use k8s_flowcontrol::{Release, Resource};
use quantity::bytes;
use serde_json::{Value, json};
use std::io::Write;
use std::path::PathBuf;

/// Show the seats that a request takes, with the arithmetic
///
/// A request occupies its initial seats while it executes, and its final seats for an additional latency after that. A list takes
/// more seats the more objects the server reads for it, up to a bound. A watch occupies its seats only until its initial events are sent. Other
/// long-running requests, such as those for pods/log and pods/exec, take none: flow control does not apply to them.
#[derive(Debug, clap::Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct Args {
    /// The verb, such as list, watch or create
    #[arg(value_name = "VERB", required_unless_present = "requests")]
    verb: Option<String>,

    /// The resource, such as pods, deployments.apps or pods/status
    #[arg(
        value_name = "RESOURCE[.GROUP][/SUB]",
        required_unless_present = "requests"
    )]
    resource: Option<String>,

    /// The number of stored objects of the resource, in all namespaces; `--live` reads it from the metrics
    #[arg(long, value_name = "COUNT", value_parser = number::<u64>(0..))]
    objects: Option<u64>,

    /// The average size of a stored object, such as 10Ki; defaults to the server's assumption of 1.5 MB, or with `--live` to the
    /// size in the metrics
    #[arg(long, value_name = "BYTES", value_parser = bytes)]
    object_size: Option<u64>,

    /// The query of the URL, such as limit=500&resourceVersion=0
    #[arg(long, value_name = "QUERY", default_value = "")]
    query: String,

    /// The number of watches that see a written object
    #[arg(long, value_name = "COUNT", default_value_t = 0, value_parser = number::<u64>(0..))]
    watches: u64,

    /// Bound the seats as this priority level does; it is read from the files, the cluster, or else the built-in objects
    #[arg(long, value_name = "LEVEL")]
    level: Option<String>,

    #[command(flatten)]
    seats: SeatsArg,

    #[command(flatten)]
    configuration: ConfigurationArgs,

    #[command(flatten)]
    gates: FeatureGateArgs,

    /// Estimate the requests in this file, or in the standard input with -: one JSON object per line, with the fields verb, apiGroup,
    /// resource, subresource, namespace, name, query, objects, objectSizeBytes, watches, maxSeats (0 without a bound) and
    /// objectCountState (known, stale or "not found"). Prints {"initialSeats", "finalSeats", "additionalLatencyUs"} for each.
    /// ConsistentListFromCache is off unless it is given, as in a server that does not know its etcd yet. A long-running request, to
    /// which flow control does not apply, takes no seats: its line has the server's unused estimate and "subjectToFlowControl": false
    #[arg(long, value_name = "FILE", conflicts_with_all = ["verb", "resource", "objects", "object_size", "query", "watches", "level", "output"])]
    requests: Option<PathBuf>,

    /// The output format
    #[arg(short, long, value_name = "FORMAT", default_value = "table")]
    output: Output,
}

const EXAMPLES: &str = "\
Examples:
  # A list of 40,000 pods of 10 KiB each, from the watch cache and in pages from etcd
  kubectl flowcontrol cost list pods --objects 40000 --object-size 10Ki --query resourceVersion=0
  kubectl flowcontrol cost list pods --objects 40000 --object-size 10Ki \\
    --query 'limit=500&resourceVersion=1'

  # The same with the numbers of a cluster, at the priority level workload-low
  kubectl flowcontrol cost list pods --live --level workload-low

  # A write that 200 watches see
  kubectl flowcontrol cost update configmaps --watches 200

  # Many requests
  kubectl flowcontrol cost --requests requests.jsonl --kubernetes 1.33";

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum Output {
    /// Each step of the arithmetic
    Table,
    /// {"schemaVersion": 1, "initialSeats", "finalSeats", "additionalLatencyUs", "steps"}; the numbers are null for a request
    /// without flow control
    Json,
}

inventory::submit!(Declared::of::<Args>());

impl Command for Args {
    const NAME: &'static str = "cost";
    const GROUP: Group = Group::Requests;
    const PLACE: u8 = 2;
    const NEEDS: Needs = Needs::new(&[SERVED, RELEASE, METRICS], &[on(BOTH, &["list"])]);
    const INSTEAD: Option<(&'static str, &'static str)> = Some((
        "<VERB>",
        "'--requests <FILE>' estimates the requests in a file",
    ));

    fn run(&self, streams: &mut Streams) -> Result<Exit, Failure> {
        if let Some(file) = &self.requests {
            if self.configuration.cluster().is_some() {
                return Err(
                    Failure::usage("`--requests` and a cluster exclude each other")
                        .hint("remove `--live` and the flags that name a cluster or a user"),
                );
            }
            let estimator = Estimator::new(self.configuration.release_of_files());
            let estimator = requests::without_etcd(estimator);
            let estimator = self.gates.apply(estimator, streams)?;
            requests::estimate(file, &estimator, streams)?;
            return Ok(Exit::Success);
        }
        let attributes = attributes(self)?;
        if !attributes.is_subject_to_flow_control() {
            match self.output {
                Output::Table => writeln!(streams.out, "{NO_FLOW_CONTROL}")?,
                Output::Json => write_report(&mut streams.out, report(None))?,
            }
            return Ok(Exit::Success);
        }
        query::warn_of_unknown(&self.query, streams)?;
        let mut configuration = match self.level {
            Some(_) => self.configuration.read(streams)?,
            // Without a level, the objects do not matter.
            None => self.configuration.read_quietly(streams)?.0,
        };
        let release = configuration.release;
        let estimator = self.gates.apply(Estimator::new(release), streams)?;
        let mut request = Request {
            verb: &attributes.verb,
            resource: &attributes.resource,
            subresource: &attributes.subresource,
            name: &attributes.name,
            query: query::without_mark(&self.query),
            stored: stored(self, configuration.cluster, &attributes)?,
            watches: self.watches,
            max_seats: None,
        };
        let mut seats = None;
        if let Some(level) = &self.level {
            let of_server = configuration.seats(self.seats)?;
            request.max_seats = bound(level, &of_server, &mut configuration)?;
            seats = Some(of_server);
        }
        let explanation = estimator.explain(&request);
        match self.output {
            Output::Table => {
                print(&request, release, &explanation, streams)?;
                if let Some(seats) = seats.filter(ServerSeats::is_read) {
                    streams.out.flush()?;
                    streams.err.paragraph(&seats.to_string())?;
                }
            }
            Output::Json => write_report(&mut streams.out, report(Some(&explanation)))?,
        }
        Ok(Exit::Success)
    }
}

/// The seats and the arithmetic as JSON; a request to which flow control does not apply has none.
fn report(explanation: Option<&Explanation>) -> Value {
    let estimate = explanation.map(|explanation| explanation.estimate);
    let steps = explanation.map(ToString::to_string).unwrap_or_default();
    json!({
        "initialSeats": estimate.map(|estimate| estimate.initial_seats),
        "finalSeats": estimate.map(|estimate| estimate.final_seats),
        "additionalLatencyUs": estimate.map(|estimate| estimate.additional_latency.as_micros() as u64),
        "steps": steps.lines().collect::<Vec<_>>(),
    })
}

/// The attributes of the request that the arguments describe. The query determines the name of a list.
fn attributes(args: &Args) -> Result<RequestAttributes, Failure> {
    let verb = args.verb.as_deref().unwrap_or_default();
    let resource = args.resource.as_deref().unwrap_or_default();
    let resource = resource_name(resource, verb)?;
    let query = query::without_mark(&args.query);
    let url = format!("/api/v1/{}?{query}", resource.resource);
    let listed = RequestAttributes::from_http("GET", &url, User::default())
        .map_err(|error| Failure::usage(error.to_string()))?;
    let mut attributes = RequestAttributes {
        verb: verb.to_owned(),
        ..RequestAttributes::default()
    };
    let name = match verb {
        "list" | "watch" => listed.name.as_str(),
        _ => "",
    };
    resource.fill("", name, &mut attributes);
    Ok(attributes)
}

/// The stored objects: from the options, and from the metrics of a cluster.
fn stored(
    args: &Args,
    cluster: Option<&ClusterArgs>,
    request: &RequestAttributes,
) -> Result<Stored, Failure> {
    let is_collection = matches!(request.verb.as_str(), "list" | "watch");
    let is_open = is_collection && (args.objects.is_none() || args.object_size.is_none());
    let measured = match cluster.filter(|_| is_open) {
        Some(cluster) => inventory(cluster, "`--objects` and `--object-size`")?
            .of(&request.api_group, &request.resource),
        None => Stored::NotFound,
    };
    let (objects, average_bytes) = match measured {
        Stored::Known {
            objects,
            average_bytes,
        } => (Some(objects), average_bytes),
        _ => (None, 0),
    };
    match args.objects.or(objects) {
        Some(objects) => Ok(Stored::Known {
            objects,
            average_bytes: args.object_size.unwrap_or(average_bytes),
        }),
        None if cluster.is_some() || !is_collection => Ok(measured),
        None => Err(
            Failure::usage("the seats of a list depend on the number of stored objects")
                .hint("give it with `--objects COUNT`, or read it from a cluster with `--live`"),
        ),
    }
}

fn bound(
    level: &str,
    seats: &ServerSeats,
    configuration: &mut Configuration<'_>,
) -> Result<Option<u64>, Failure> {
    let release = configuration.release;
    let objects = &mut configuration.objects;
    if configuration.cluster.is_none() {
        objects.add_bootstrap(release);
    }
    let names: Vec<_> = objects.levels.iter().map(Resource::name).collect();
    if !names.contains(&level) {
        let message = format!("there is no priority level `{level}`");
        return Err(Failure::input(message).hint_if(similar_name::hint(level, &names)));
    }
    Ok(LevelBounds::new(&objects.levels, seats.seats, release).of(level))
}

fn print(
    request: &Request<'_>,
    release: Release,
    explanation: &Explanation,
    streams: &mut Streams,
) -> Result<(), Failure> {
    let slash = if request.subresource.is_empty() {
        ""
    } else {
        "/"
    };
    writeln!(
        streams.out,
        "{} {}{slash}{} in Kubernetes {release}:",
        request.verb, request.resource, request.subresource
    )?;
    for step in explanation.to_string().lines() {
        writeln!(streams.out, "  {step}")?;
    }
    let estimate = explanation.estimate;
    writeln!(
        streams.out,
        "initial seats:       {}",
        estimate.initial_seats
    )?;
    writeln!(streams.out, "final seats:         {}", estimate.final_seats)?;
    let latency = match estimate.additional_latency.is_zero() {
        true => "none".to_owned(),
        false => format!("{:?}", estimate.additional_latency),
    };
    writeln!(streams.out, "additional latency:  {latency}")?;
    Ok(())
}
