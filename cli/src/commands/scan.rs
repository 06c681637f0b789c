//! `scan`: the clients that still use old API versions.

mod aggregated;
mod cluster;
mod helm;
mod report;

pub(crate) use cluster::{read_objects, read_versions, verdict};

use crate::audit_logs::{no_requests, read_logs};
use crate::cluster::{ClusterArgs, ClustersArgs, Named, block_on};
use crate::command::{
    BOTH, Command, Declared, Group, HELM, METRICS, Needs, RELEASE, Rule, SERVED, on, role_hint,
};
use crate::exit::Exit;
use crate::failure::Failure;
use crate::number::number;
use crate::output::{Streams, hint, write_report};
use clap::ValueEnum;
use cluster::Reads;
use k8s_flowcontrol::{Client, Release};
use k8s_flowcontrol_analysis::scan::{ClusterScan, LogCallers, refusals};
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;
use tokio::sync::Semaphore;
use tokio::task::JoinSet;

/// Find clients that use old API versions, in one or many clusters
///
/// Reads the metrics of requests in deprecated versions, the field managers of objects, and the releases that Helm stores, from
/// which the next `helm upgrade` starts. A managedFields entry or a last-applied annotation in an old version is history, unless
/// it is newer than the start of the API server and the server has received requests in that version. If several API servers
/// share an address, only the responding server is read. Audit logs are the most precise: they name the user, the program and
/// the verbs. With a single cluster, its verdict takes the audit logs into account. The API servers behind APIServices
/// are listed, because many embed a controller that requests an old version by itself. Extension API servers whose service
/// account has no role to watch the objects of flow control are listed too.
///
/// The scan reads through the preferred version of each cluster, so it is not a client of an old version itself.
#[derive(Debug, clap::Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct Args {
    #[command(flatten)]
    clusters: ClustersArgs,

    /// All contexts of the kubeconfig file
    #[arg(long, conflicts_with = "contexts")]
    all_contexts: bool,

    /// Audit logs, as a server, a cloud or a log shipper delivers them, compressed with gzip or zstd or not, or - for the standard input
    #[arg(long, value_name = "LOG", num_args = 1..)]
    audit_log: Vec<PathBuf>,

    /// The target release: the versions that it does not serve are old
    #[arg(long, value_name = "RELEASE", default_value_t = Release::NEWEST)]
    to_release: Release,

    /// The release of the clusters, if they do not name it
    #[arg(long, value_name = "RELEASE")]
    kubernetes: Option<Release>,

    /// Do not read the releases that Helm stores in Secrets and ConfigMaps
    #[arg(long)]
    no_helm: bool,

    /// The number of clusters to read at the same time
    #[arg(long, value_name = "COUNT", default_value_t = 8, value_parser = number::<u32>(1..=256))]
    parallel: u32,

    /// The maximum seconds for each cluster
    #[arg(long, value_name = "SECONDS", default_value_t = 60, value_parser = number::<u64>(1..=3600))]
    timeout: u64,

    /// The output format
    #[arg(short, long, value_name = "FORMAT", default_value = "table")]
    output: Format,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum Format {
    /// Tables and a line for each finding
    Table,
    /// {"schemaVersion": 1, "kubernetes", "clusters": [{"context", "verdict", "requested", "writers", "history", "helm",
    /// "aggregated", "unread", …}], "auditLogs": [{"file", "callers", …}], "refusals": [{"release", "version", "affected"}]}; a verdict is
    /// clean, outdated, incomplete, forbidden, unauthorized, unreachable, timeout or failed
    Json,
}

const EXAMPLES: &str = "\
Examples:
  # All clusters of the kubeconfig file
  kubectl flowcontrol scan --all-contexts

  # Check that production is ready for 1.32
  kubectl flowcontrol scan --context production --to-release 1.32

  # Also read an audit log
  kubectl flowcontrol scan --audit-log /var/log/kubernetes/audit.log

  # Without reading Secrets
  kubectl flowcontrol scan --no-helm

`kubectl flowcontrol rbac scan` prints the role that this command needs.";

/// The maximum time to connect to a cluster.
const CONNECT_TIMEOUT: Duration = Duration::from_secs(10);

inventory::submit!(Declared::of::<Args>());

impl Command for Args {
    const NAME: &'static str = "scan";
    const GROUP: Group = Group::Migrate;
    const PLACE: u8 = 5;
    const NEEDS: Needs = Needs::new(
        &[SERVED, RELEASE, METRICS],
        &[
            on(BOTH, &["list"]),
            HELM,
            // The API servers that may be the callers.
            Rule {
                group: "apiregistration.k8s.io",
                resources: &["apiservices"],
                verbs: &["list"],
            },
            Rule {
                group: "",
                resources: &["services"],
                verbs: &["get"],
            },
            Rule {
                group: "apps",
                resources: &["deployments"],
                verbs: &["list"],
            },
            // The extension API servers without the role for flow control.
            Rule {
                group: "rbac.authorization.k8s.io",
                resources: &["clusterrolebindings", "clusterroles", "rolebindings"],
                verbs: &["list"],
            },
        ],
    );
    const EXITS: &'static [(Exit, &'static str)] = &[
        (Exit::Findings, "a client uses an old version"),
        (Exit::Cluster, "a cluster was not read, or not completely"),
    ];

    fn run(&self, streams: &mut Streams) -> Result<Exit, Failure> {
        let mut logs = Vec::new();
        let mut requests = 0;
        for file in &self.audit_log {
            let mut log = LogCallers::default();
            let counts = read_logs(std::slice::from_ref(file), streams, |event, _, _| {
                log.add(event, self.to_release);
                Ok(())
            })?;
            log.add_counts(&counts);
            requests += counts.requests;
            logs.push((file.display().to_string(), log));
        }
        // Logs of some servers can be empty, but not all of them.
        if requests == 0 && !logs.is_empty() {
            return Err(no_requests());
        }
        let clusters = clusters(self)?;
        let has_callers = logs.iter().any(|(_, log)| !log.callers().is_empty());
        let mut clusters = block_on(async { Ok(scan_all(self, clusters, has_callers).await) })?;
        if let ([cluster], false) = (clusters.as_mut_slice(), logs.is_empty()) {
            // With several clusters, nothing tells from which one a log is.
            cluster.add_logs(logs.iter().map(|(_, log)| log));
        }
        match self.output {
            Format::Table => {
                report::table(self.to_release, &clusters, &logs, !self.no_helm, streams)?
            }
            Format::Json => {
                let report = report::json(self.to_release, &clusters, &logs);
                write_report(&mut streams.out, report)?;
            }
        }
        if clusters.iter().any(|cluster| cluster.is_forbidden) {
            hint(streams, &role_hint(Self::NAME))?;
        }
        Ok(if !clusters.iter().all(ClusterScan::is_complete) {
            Exit::Cluster
        } else if !refusals(&clusters, &logs).is_empty() {
            Exit::Findings
        } else {
            Exit::Success
        })
    }
}

fn clusters(args: &Args) -> Result<Vec<Named>, Failure> {
    if args.all_contexts {
        return args.clusters.all();
    }
    // An audit log does not need a cluster.
    match args.audit_log.is_empty() || args.clusters.has_any() {
        true => args.clusters.clusters(),
        false => Ok(Vec::new()),
    }
}

/// Scans all clusters, a limited number at the same time. The results are in the order of the contexts.
async fn scan_all(args: &Args, clusters: Vec<Named>, has_callers: bool) -> Vec<ClusterScan> {
    let permits = Arc::new(Semaphore::new(args.parallel as usize));
    let mut tasks = JoinSet::new();
    let mut scans: Vec<_> = clusters
        .iter()
        .map(|(context, _)| ClusterScan::failed(context.clone(), "the scan ended early"))
        .collect();
    for (index, (context, cluster)) in clusters.into_iter().enumerate() {
        let permits = Arc::clone(&permits);
        let reads = Reads {
            helm: !args.no_helm,
            callers: has_callers,
            release: args.kubernetes,
        };
        let target = args.to_release;
        let timeout = Duration::from_secs(args.timeout);
        tasks.spawn(async move {
            // The semaphore is never closed; without a permit the scan would simply not wait.
            let _permit = permits.acquire().await;
            let scan = match client(&cluster, timeout) {
                Ok(client) => cluster::scan(context, client, target, reads, timeout).await,
                Err(failure) => ClusterScan::failed(context, failure),
            };
            (index, scan)
        });
    }
    while let Some(done) = tasks.join_next().await {
        if let Ok((index, scan)) = done {
            scans[index] = scan;
        }
    }
    scans
}

fn client(cluster: &ClusterArgs, timeout: Duration) -> Result<Client, Failure> {
    let config = cluster.config()?;
    let config = config.with_connect_timeout(CONNECT_TIMEOUT.min(timeout));
    let config = match cluster.has_timeout() {
        true => config,
        false => config.with_timeout(timeout),
    };
    Ok(Client::new(config)?)
}
