//! `traffic`: the flow schemas and priority levels of the requests in audit logs.

mod requests;

use crate::cluster::ClusterArgs;
use crate::documents::FileArgs;
use crate::exit::Exit;
use crate::failure::Failure;
use crate::kubernetes_arg::KubernetesArg;
use crate::objects::Objects;
use crate::output::Streams;
use k8s_flowcontrol::rules::matching::Classifier;
use std::path::PathBuf;

/// Show which flow schema and priority level the requests in audit logs get
///
/// Reads audit events in JSON, one per line or in batches of a webhook, compressed with gzip or not. The policy level Metadata is
/// sufficient. A log of any length needs the same memory.
#[derive(Debug, clap::Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct Args {
    /// The audit logs, the oldest first, or - for the standard input
    #[arg(value_name = "LOG", required = true)]
    logs: Vec<PathBuf>,

    #[command(flatten)]
    files: FileArgs,

    /// Use the objects of a cluster
    #[arg(long, conflicts_with = "files")]
    live: bool,

    #[command(flatten)]
    cluster: ClusterArgs,

    #[command(flatten)]
    kubernetes: KubernetesArg,

    /// Add the built-in objects that the input lacks
    #[arg(long)]
    with_bootstrap: bool,

    /// Print one line for each request: {"auditID", "flowSchema", "priorityLevel"}; the last two are null for a request that flow
    /// control does not see
    #[arg(long)]
    requests: bool,
}

const EXAMPLES: &str = "\
Examples:
  # Classify every request of a log
  kubectl flowcontrol traffic audit.log -f objects.yaml --requests";

pub(crate) fn run(args: &Args, streams: &mut Streams) -> Result<Exit, Failure> {
    let mut objects = match (args.live, args.files.is_empty()) {
        (true, _) => Objects::live(&args.cluster)?,
        (false, true) if args.with_bootstrap => Objects::default(),
        (false, _) => Objects::read(&args.files, args.kubernetes.release(), streams)?,
    };
    let release = args.kubernetes.release_or(objects.live);
    if args.with_bootstrap {
        objects.add_bootstrap(release);
    }
    let classifier = Classifier::new(&objects.flow_schemas, &objects.levels, release);
    requests::print(&args.logs, &classifier, streams)?;
    Ok(Exit::Success)
}
