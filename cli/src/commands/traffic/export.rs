//! `traffic export`: the commands that get audit logs, and the audit policy.

mod policy;
mod sources;

use crate::audit_logs::read_logs;
use crate::exit::Exit;
use crate::failure::Failure;
use crate::output::{Streams, note};
use clap::ValueEnum;
use jiff::{SignedDuration, Timestamp};
use std::io::Write;
use std::path::PathBuf;

/// Print the command that gets the audit log of a time range, or the audit policy
///
/// The output is a script for a shell, with notes as comments; nothing is run. `traffic`, `diagnose`, `simulate`, `scan` and `preview` read
/// the files that it gets. `policy` prints the smallest audit policy that suffices, and its events per request.
#[derive(Debug, clap::Args)]
#[command(after_help = EXAMPLES)]
pub(super) struct ExportArgs {
    /// The place where the audit log is
    #[arg(value_name = "SOURCE")]
    source: Source,

    /// The cluster: NAME for eks, PROJECT/NAME for gke, GROUP/NAME for aks; a stream selector for loki, such as '{job="audit"}'; an
    /// index for elasticsearch. Without PROJECT it is in the project of gcloud's configuration, without GROUP in any resource group
    #[arg(value_name = "CLUSTER")]
    cluster: Option<String>,

    /// The beginning of the time range: a time in RFC 3339, or the time before its end, such as 90m
    #[arg(long, value_name = "TIME", default_value = "1h")]
    since: String,

    /// The end of the time range in RFC 3339. Defaults to now
    #[arg(long, value_name = "TIME")]
    until: Option<Timestamp>,

    /// With `policy`, an audit log by whose requests the events of the policy are counted
    #[arg(long, value_name = "LOG", num_args = 1..)]
    audit_log: Vec<PathBuf>,
}

const EXAMPLES: &str = "\
Examples:
  # The audit log of the last two hours of an EKS cluster
  kubectl flowcontrol traffic export eks prod --since 2h > get.sh && sh get.sh
  kubectl flowcontrol traffic --audit-log audit.json --by caller

  # The audit policy for a self-managed cluster
  kubectl flowcontrol traffic export policy > policy.yaml";

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum Source {
    /// Amazon EKS, from CloudWatch Logs
    Eks,
    /// Google Kubernetes Engine, from Cloud Logging
    Gke,
    /// Azure Kubernetes Service, from Log Analytics
    Aks,
    /// OpenShift, from the nodes of the control plane
    Openshift,
    /// Grafana Loki
    Loki,
    /// Elasticsearch or OpenSearch
    Elasticsearch,
    /// An audit policy for kube-apiserver
    Policy,
}

/// A time range.
#[derive(Clone, Copy, Debug)]
struct Range {
    since: Timestamp,
    until: Timestamp,
}

pub(super) fn run(args: &ExportArgs, streams: &mut Streams) -> Result<Exit, Failure> {
    let cluster = args.cluster.as_deref();
    if !args.audit_log.is_empty() && args.source != Source::Policy {
        return Err(Failure::usage(
            "`--audit-log` is for `traffic export policy`",
        ));
    }
    let range = range(&args.since, args.until)?;
    let name = cluster.unwrap_or(sources::CLUSTER);
    let is_cloud = matches!(args.source, Source::Eks | Source::Gke | Source::Aks);
    if is_cloud && cluster.is_none() {
        let source = args.source.to_possible_value();
        let source = source.as_ref().map_or("", |value| value.get_name());
        let text = format!(
            "replace {name} in the output by the name of the cluster, or run `traffic export {source} NAME`"
        );
        note(streams, &text)?;
    }
    let text = match args.source {
        Source::Eks => sources::eks(name, range),
        Source::Gke => sources::gke(name, range),
        Source::Aks => sources::aks(name, range),
        Source::Openshift => sources::openshift(),
        Source::Loki => sources::loki(cluster, range),
        Source::Elasticsearch => sources::elasticsearch(cluster, range),
        Source::Policy => {
            let mut cost = policy::Cost::default();
            if !args.audit_log.is_empty() {
                read_logs(&args.audit_log, streams, |event, _, _| {
                    cost.add(event);
                    Ok(())
                })?;
            }
            policy::text(&cost)
        }
    };
    write!(streams.out, "{text}")?;
    Ok(Exit::Success)
}

/// The time range of `--since` and `--until`.
fn range(since: &str, until: Option<Timestamp>) -> Result<Range, Failure> {
    let until = match until {
        Some(until) => until,
        None => Timestamp::from_second(Timestamp::now().as_second()).unwrap_or_default(),
    };
    let since = match since.parse::<Timestamp>() {
        Ok(since) => since,
        Err(_) => since
            .parse::<SignedDuration>()
            .ok()
            .filter(SignedDuration::is_positive)
            .and_then(|before| until.checked_sub(before).ok())
            .ok_or_else(|| {
                Failure::usage(format!(
                    "`--since` must be a time in RFC 3339 or a duration such as 90m or 24h, not {since}"
                ))
            })?,
    };
    match since < until {
        true => Ok(Range { since, until }),
        false => Err(Failure::usage(format!(
            "--since {since} is not before --until {until}"
        ))),
    }
}
