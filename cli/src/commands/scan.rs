//! `scan`: who still depends on old versions of the API.

mod audit;
mod cluster;
mod helm;
mod refusal;
mod report;
mod requested;
mod writers;

use crate::cluster::{ClusterArgs, block_on};
use crate::exit::Exit;
use crate::failure::Failure;
use crate::output::{Streams, WARNING, plural, write_report};
use audit::AuditLog;
use clap::ValueEnum;
use cluster::ClusterScan;
use k8s_flowcontrol::config::Config;
use k8s_flowcontrol::{Client, Release};
use std::fs::File;
use std::io::{self, BufReader, Write};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;
use tokio::sync::Semaphore;
use tokio::task::JoinSet;

/// Find out who still depends on old versions of the API, in many clusters at once
///
/// Reads what clusters know: which old versions were requested since the API server started, who writes in them, and what
/// Helm keeps, from which the next `helm upgrade` starts. An entry of managedFields or a last-applied annotation in an old
/// version is history unless it is newer than the API server and the server was asked for that version since. Of several API
/// servers behind one address only the one that answers is asked for its metrics. Audit logs say the most: who, with which
/// program, and whether it writes.
///
/// Everything is read through the version that a cluster prefers, so that the scan itself is no caller of an old one.
#[derive(Debug, clap::Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct Args {
    /// A context of the kubeconfig file; may be given more than once. Unless given, the current one
    #[arg(long = "context", value_name = "NAME")]
    contexts: Vec<String>,

    /// All contexts of the kubeconfig file
    #[arg(long, conflicts_with = "contexts")]
    all_contexts: bool,

    /// The kubeconfig file; otherwise those of KUBECONFIG, ~/.kube/config or the pod's service account
    #[arg(long, value_name = "FILE")]
    kubeconfig: Option<PathBuf>,

    /// An audit log in JSON lines, or - for the standard input; may be given more than once
    #[arg(long, value_name = "FILE")]
    audit_log: Vec<PathBuf>,

    /// The release that is to be reached: old is what it refuses
    #[arg(long = "kubernetes", value_name = "RELEASE", default_value_t = Release::NEWEST)]
    target: Release,

    /// Do not read what Helm keeps in Secrets and ConfigMaps
    #[arg(long)]
    no_helm: bool,

    /// How many clusters are read at the same time
    #[arg(long, value_name = "COUNT", default_value_t = 8, value_parser = clap::value_parser!(u32).range(1..=256))]
    parallel: u32,

    /// How many seconds a cluster may take
    #[arg(long, value_name = "SECONDS", default_value_t = 60, value_parser = clap::value_parser!(u64).range(1..=3600))]
    timeout: u64,

    /// How to print
    #[arg(short, long, value_name = "FORMAT", default_value = "table")]
    output: Format,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum Format {
    /// Tables, and a line for each finding
    Table,
    /// {"schemaVersion": 1, "kubernetes", "clusters": [{"context", "verdict", "requested", "writers", "history", "helm",
    /// "unread", …}], "auditLogs": [{"file", "callers", …}], "refusals": [{"release", "version", "affected"}]}; a verdict is
    /// clean, outdated, incomplete, forbidden, unauthorized, unreachable, timeout or failed
    Json,
}

const EXAMPLES: &str = "\
Examples:
  # Everything that this kubeconfig knows
  kubectl flowcontrol scan --all-contexts

  # Is production ready for 1.32?
  kubectl flowcontrol scan --context production --kubernetes 1.32

  # Who calls, as the audit log knows
  kubectl flowcontrol scan --audit-log /var/log/kubernetes/audit.log

  # Without a look into Secrets
  kubectl flowcontrol scan --no-helm

Exit code 1 when somebody depends on an old version; 5 when a cluster, or a part of one, could not be read: forbidden,
unauthorized, unreachable, too slow. What the role needs says `kubectl flowcontrol rbac scan`.";

/// How long a cluster may take to answer at all.
const CONNECT_TIMEOUT: Duration = Duration::from_secs(10);

pub(crate) fn run(args: &Args, streams: &mut Streams) -> Result<Exit, Failure> {
    let mut logs = Vec::new();
    for file in &args.audit_log {
        logs.push((
            file.display().to_string(),
            read_log(file, args.target, streams)?,
        ));
    }
    let contexts = contexts(args)?;
    let clusters = block_on(async { Ok(look_at_all(args, contexts).await) })?;
    match args.output {
        Format::Table => report::table(args.target, &clusters, &logs, streams)?,
        Format::Json => {
            let report = report::json(args.target, &clusters, &logs);
            write_report(&mut streams.out, report)?;
        }
    }
    let is_read = |cluster: &ClusterScan| cluster.verdict.is_known() && cluster.unread.is_empty();
    Ok(if !clusters.iter().all(is_read) {
        Exit::Cluster
    } else if !report::refusals(&clusters, &logs).is_empty() {
        Exit::Findings
    } else {
        Exit::Success
    })
}

/// The contexts to look at; none is for what the environment offers without one.
fn contexts(args: &Args) -> Result<Vec<Option<String>>, Failure> {
    let known = || match &args.kubeconfig {
        Some(file) => Config::contexts(Some(&[file.as_path()])),
        None => Config::contexts(None),
    };
    if args.all_contexts {
        let (names, _) = known()?;
        if names.is_empty() {
            return Err(Failure::input("the kubeconfig file has no contexts"));
        }
        return Ok(names.into_iter().map(Some).collect());
    }
    if args.contexts.is_empty() {
        // A pod has no contexts.
        let current = known().ok().and_then(|(_, current)| current);
        return Ok(vec![current]);
    }
    let mut contexts = Vec::new();
    for name in &args.contexts {
        let name = Some(name.clone());
        if !contexts.contains(&name) {
            contexts.push(name);
        }
    }
    Ok(contexts)
}

/// Looks at so many clusters at a time; the answers come in the order of the contexts.
async fn look_at_all(args: &Args, contexts: Vec<Option<String>>) -> Vec<ClusterScan> {
    let permits = Arc::new(Semaphore::new(args.parallel as usize));
    let mut tasks = JoinSet::new();
    let mut clusters: Vec<_> = contexts
        .iter()
        .map(|context| ClusterScan::failed(context.clone(), "the look at it broke off"))
        .collect();
    for (index, context) in contexts.into_iter().enumerate() {
        let permits = Arc::clone(&permits);
        let kubeconfig = args.kubeconfig.clone();
        let (target, reads_helm) = (args.target, !args.no_helm);
        let timeout = Duration::from_secs(args.timeout);
        tasks.spawn(async move {
            // The semaphore is never closed; if it were, nothing would have to wait.
            let _permit = permits.acquire().await;
            let scan = match client(ClusterArgs::new(kubeconfig, context.clone()), timeout) {
                Ok(client) => cluster::look_at(context, client, target, reads_helm, timeout).await,
                Err(failure) => ClusterScan::failed(context, failure),
            };
            (index, scan)
        });
    }
    while let Some(done) = tasks.join_next().await {
        if let Ok((index, scan)) = done {
            clusters[index] = scan;
        }
    }
    clusters
}

fn client(cluster: ClusterArgs, timeout: Duration) -> Result<Client, Failure> {
    let config = cluster.config()?;
    let config = config.with_connect_timeout(CONNECT_TIMEOUT.min(timeout));
    Ok(Client::new(config.with_timeout(timeout))?)
}

fn read_log(file: &Path, target: Release, streams: &mut Streams) -> Result<AuditLog, Failure> {
    let name = file.display().to_string();
    let log = if name == "-" {
        AuditLog::read(io::stdin().lock(), &name, target)?
    } else {
        let input = File::open(file)
            .map_err(|error| Failure::input(format!("cannot read {name}: {error}")))?;
        AuditLog::read(BufReader::with_capacity(1 << 20, input), &name, target)?
    };
    if let Some(first) = log.first_broken {
        writeln!(
            streams.err,
            "{WARNING}warning:{WARNING:#} {name}:{first}: {} without an audit event passed over",
            plural(log.broken, "line")
        )?;
    }
    Ok(log)
}
