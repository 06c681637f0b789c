//! `diagnose`: why requests wait or are rejected.

mod change;
mod gather;
mod report;
mod saved;
mod server_files;

use crate::audit_logs::read_logs;
use crate::cluster::{ClusterArgs, ControlPlane, block_on, own_user};
use crate::command::{
    API_SERVERS, BOTH, Command, Declared, Group, METRICS, Needs, RELEASE, SERVED, on,
};
use crate::commands::simulate::audit::Logs;
use crate::exit::Exit;
use crate::failure::Failure;
use crate::kubernetes_arg::KubernetesArg;
use crate::memory::Memory;
use crate::number::number;
use crate::objects::Objects;
use crate::output::Streams;
use crate::redact::RedactArg;
use crate::similar_name::hint;
use crate::stored_objects::inventory;
use clap::ValueEnum;
use gather::Gathered;
use k8s_flowcontrol::Resource;
use k8s_flowcontrol::rules::matching::{ANONYMOUS, User, service_account_of};
use k8s_flowcontrol_analysis::diagnosis::{
    Evidence, LogTally, PrivateName, Scope, Severity, Verdict, diagnose,
};
use k8s_flowcontrol_analysis::memory::MemoryEstimate;
use k8s_flowcontrol_analysis::metrics::StoredObjects;
use k8s_flowcontrol_analysis::redact::Redactor;
use saved::SavedArgs;
use std::collections::BTreeSet;
use std::path::PathBuf;
use std::time::Duration;

/// Find out why requests of a cluster wait or are rejected, with the evidence and what to do
///
/// Reads the objects of the cluster, and the metrics and debug dumps of every API server that is reachable by its own address; with
/// `--audit-log` also audit logs. Finds the levels that queue and reject, the flows that fill them, flows that starve others, flow schemas that
/// take system traffic, servers that are overloaded or only misconfigured, objects of vendors, and borrowing that cannot happen.
/// Lists the evidence that could not be read. Exits with 1 if there is a problem or a risk.
///
/// With `-f` the evidence is in files instead, such as the files of a support case: the objects of the cluster, and the metrics and debug dumps of one
/// API server, which `kubectl get --raw` saves, or of several, with one folder for the files of each server.
#[derive(Debug, clap::Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct Args {
    /// Audit logs of the cluster, the oldest first, compressed with gzip or zstd or not, or - for the standard input
    #[arg(long, value_name = "LOG", num_args = 1..)]
    audit_log: Vec<PathBuf>,

    #[command(flatten)]
    cluster: ClusterArgs,

    #[command(flatten)]
    saved: SavedArgs,

    /// Only the requests of this user, and their priority levels; a service account is system:serviceaccount:NAMESPACE:NAME
    #[arg(long, value_name = "USER")]
    user: Option<String>,

    /// A group of the user; can be repeated. Groups that a server adds by itself, such as system:authenticated, are implied
    #[arg(long, value_name = "GROUP", requires = "user")]
    group: Vec<String>,

    /// Only this priority level
    #[arg(long, value_name = "LEVEL")]
    level: Option<String>,

    /// The seconds between two samples of the counters, 2 if not given; with 0 the counters are totals since each server started. With
    /// `--metrics-before`, the seconds between the two files
    #[arg(long, value_name = "SECONDS", value_parser = number::<u64>(0..=604_800))]
    interval: Option<u64>,

    #[command(flatten)]
    kubernetes: KubernetesArg,

    #[command(flatten)]
    redact: RedactArg,

    /// Show all evidence, not the first lines of each finding
    #[arg(short, long)]
    verbose: bool,

    /// The output format
    #[arg(short, long, value_name = "FORMAT", default_value = "text")]
    output: Output,
}

const EXAMPLES: &str = "\
Examples:
  kubectl flowcontrol diagnose

  # Why a controller gets 429, with the audit log of one API server
  kubectl flowcontrol diagnose --user system:serviceaccount:ci:builder --audit-log audit.log

  # One level, measured for half a minute, for a script
  kubectl flowcontrol diagnose --level workload-low --interval 30 -o json

  # Files of a support case, with a minute between the two files of metrics
  kubectl get flowschemas,prioritylevelconfigurations -o yaml > objects.yaml
  kubectl get --raw /metrics > before.txt; sleep 60; kubectl get --raw /metrics > after.txt
  kubectl get --raw /debug/api_priority_and_fairness/dump_queues > queues.txt
  kubectl flowcontrol diagnose -f objects.yaml --metrics after.txt --metrics-before before.txt \\
    --interval 60 --dump queues.txt

  # Files of several API servers: a/metrics.txt and a/queues.txt of one, b/metrics.txt of another
  kubectl flowcontrol diagnose -f objects.yaml --metrics */metrics.txt --dump */queues.txt";

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum Output {
    /// The verdict, the findings with evidence, and the evidence that is missing
    Text,
    /// {"schemaVersion": 1, "verdict", "summary", "release", "servers": [{"address", "reachedBy", "intervalSeconds"}], "auditLogs":
    /// {"requests", "firstRequest", "lastRequest"}, "findings": [{"check", "severity", "server", "priorityLevel", "message", "evidence",
    /// "action"}], "notLookedAt": [{"what", "why"}]}; `auditLogs` is null without requests of audit logs, and evidence is a list of {"type", "text"} and the fields of the type
    Json,
}

inventory::submit!(Declared::of::<Args>());

impl Command for Args {
    const NAME: &'static str = "diagnose";
    const GROUP: Group = Group::Requests;
    const PLACE: u8 = 6;
    const NEEDS: Needs = Needs::new(
        &[
            SERVED,
            RELEASE,
            METRICS,
            "/debug/api_priority_and_fairness/dump_priority_levels",
            "/debug/api_priority_and_fairness/dump_queues",
            "/debug/api_priority_and_fairness/dump_requests",
        ],
        &[on(BOTH, &["list"]), API_SERVERS],
    );
    const EXITS: &'static [(Exit, &'static str)] =
        &[(Exit::Findings, "there is a problem or a risk")];

    const MANY_CONTEXTS: bool = true;

    fn run(&self, streams: &mut Streams) -> Result<Exit, Failure> {
        let redactor = self.redact.redactor()?;
        let read = match self.saved.is_given() {
            false => self.live(&redactor)?,
            true if self.cluster.is_named() => {
                return Err(Failure::usage("files and a cluster exclude each other")
                    .hint("remove the files, or the flags that name a cluster or a user"));
            }
            true => self.saved.read(self, &redactor, streams)?,
        };
        self.diagnose(read, &redactor, streams)
    }
}

/// The evidence of a cluster or of files, without audit logs.
struct Read {
    /// The objects, with the release of the server.
    objects: Objects,
    gathered: Gathered,
    /// The user of the requests to the cluster, if it may be the user in question.
    own: Option<User>,
    /// For audit logs. Without the number of stored objects, lists count as one seat and without memory.
    stored: StoredObjects,
}

impl Args {
    /// Reads the objects and the servers of the cluster.
    fn live(&self, redactor: &Redactor) -> Result<Read, Failure> {
        let objects = Objects::live(&self.cluster, self.kubernetes.given())?;
        self.check_level(&objects)?;
        let (gathered, own) = block_on(async {
            let control_plane = ControlPlane::connect(&self.cluster).await?;
            let own = match &self.user {
                Some(_) => own_user(&self.cluster.client().await?).await,
                None => None,
            };
            let interval = Duration::from_secs(self.interval.unwrap_or(2));
            let gathered = Gathered::read(&control_plane, interval, redactor).await;
            Ok((gathered, own))
        })?;
        let stored = match self.audit_log.is_empty() {
            true => StoredObjects::default(),
            false => inventory(&self.cluster, "").unwrap_or_default(),
        };
        Ok(Read {
            objects,
            gathered,
            own,
            stored,
        })
    }

    /// Diagnoses the evidence, together with the audit logs, and prints the result.
    fn diagnose(
        &self,
        read: Read,
        redactor: &Redactor,
        streams: &mut Streams,
    ) -> Result<Exit, Failure> {
        let Read {
            objects,
            gathered,
            own,
            stored,
        } = read;
        let release = objects.live.unwrap_or_default();
        let mut evidence = Evidence::new(release, objects.flow_schemas, objects.levels);
        evidence.gaps = gathered.gaps;
        evidence.servers = gathered.servers;

        let rename = |name: PrivateName<'_>| match name {
            PrivateName::User(name) => redactor.user(name),
            PrivateName::Group(name) => redactor.group(name),
            PrivateName::Namespace(name) => redactor.namespace(name),
            _ => String::new(),
        };
        let mut user = self
            .user
            .as_ref()
            .map(|name| User::authenticated(name.as_str(), self.group.iter().map(String::as_str)));
        let is_unknown = |user: &User| self.group.is_empty() && !has_known_groups(&user.name);
        let mut any_groups = user.as_ref().is_some_and(is_unknown);
        if let (Some(user), Some(own)) = (&mut user, own)
            && any_groups
            && user.name == own.name
        {
            *user = own;
            any_groups = false;
        }
        let mut logs = None;
        if !self.audit_log.is_empty() {
            let (log, memory, read) =
                tally(self, &evidence, user.as_ref(), redactor, &stored, streams)?;
            logs = read;
            if let (Some(user), Some(groups)) = (&mut user, log.groups_of_user()) {
                user.groups = groups.to_vec();
                any_groups = false;
            }
            evidence.log = Some(log);
            evidence.memory = Some(memory);
        }
        let scope = Scope {
            user: user.as_ref(),
            any_groups,
            level: self.level.as_deref(),
            rename: Some(&rename),
        };
        let mut diagnosis = diagnose(&evidence, &scope);
        if let Some(logs) = logs {
            diagnosis
                .findings
                .extend(change::simulated(logs, &evidence, &scope)?);
        }
        match self.output {
            Output::Text => report::text(&diagnosis, &evidence, self.verbose, streams)?,
            Output::Json => report::json(&diagnosis, &evidence, &gathered.reached_by, streams)?,
        }
        let mut findings = diagnosis.findings.iter();
        let exit = Exit::of_findings(findings.any(|finding| finding.severity < Severity::Note));
        // Without the load of a server, a diagnosis needs a log.
        let has_log = evidence.log.is_some_and(|log| log.requests() > 0);
        let is_blind = diagnosis.verdict == Verdict::Unknown && !has_log;
        match (is_blind, self.saved.is_given()) {
            (false, _) => Ok(exit),
            (true, true) => Err(
                Failure::input("the files do not show whether requests wait")
                    .hint("give `--metrics`, or dump_priority_levels with `--dump`: the other dumps show nothing unless a request waits"),
            ),
            (true, false) => Err(Failure::new(
                Exit::Cluster,
                "no metrics or debug dump of an API server shows whether requests wait",
            )
            .forbidden(gathered.is_forbidden)),
        }
    }

    /// A misspelt level would look healthy.
    fn check_level(&self, objects: &Objects) -> Result<(), Failure> {
        let Some(level) = self.level.as_deref() else {
            return Ok(());
        };
        let mandatory = ["catch-all", "exempt"];
        let names = objects.levels.iter().map(Resource::name);
        let names: BTreeSet<&str> = names.chain(mandatory).collect();
        if names.contains(level) {
            return Ok(());
        }
        let names: Vec<&str> = names.into_iter().collect();
        let failure = Failure::input(format!("the cluster has no priority level \"{level}\""));
        Err(failure.hint_if(hint(level, &names)))
    }
}

/// Whether the name of a user tells its groups.
fn has_known_groups(name: &str) -> bool {
    name == ANONYMOUS || service_account_of(name).is_some()
}

/// Sums up the audit logs, and keeps their requests if they can be simulated.
fn tally(
    args: &Args,
    evidence: &Evidence,
    user: Option<&User>,
    redactor: &Redactor,
    stored: &StoredObjects,
    streams: &mut Streams,
) -> Result<(LogTally, MemoryEstimate, Option<Logs>), Failure> {
    let scope = Scope {
        user,
        ..Scope::default()
    };
    let (schemas, levels) = (&evidence.flow_schemas, &evidence.priority_levels);
    let mut tally = LogTally::new(schemas, levels, evidence.release, &scope);
    let mut logs = change::logs(evidence);
    let mut memory = Memory::new(schemas, levels, evidence.release, stored);
    read_logs(&args.audit_log, streams, |event, _, _| {
        tally.add(event);
        memory.add(event, |user| redactor.user(user));
        let Some(logs) = &mut logs else {
            return Ok(());
        };
        let attributes = event.attributes();
        logs.add(
            event,
            stored.of(&attributes.api_group, &attributes.resource),
        )
    })?;
    Ok((tally, memory.estimate(), logs))
}
