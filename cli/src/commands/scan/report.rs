//! The findings of a scan as tables and as JSON.

use crate::failure::Failure;
use crate::output::{Streams, Table, plural};
use k8s_flowcontrol::Release;
use k8s_flowcontrol::rules::matching::SERVICE_ACCOUNT_PREFIX;
use k8s_flowcontrol_analysis::scan::{
    Caller, ClusterScan, Denied, Deployment, Evidence, Fails, HelmRevision, LogCallers, Part,
    Stamp, UnboundServer, Unread, library, refusals,
};
use serde_json::{Value, json};
use std::collections::BTreeSet;
use std::io::Write;

/// The findings as JSON.
pub(crate) fn json(
    target: Release,
    clusters: &[ClusterScan],
    logs: &[(String, LogCallers)],
) -> Value {
    let log = |(name, log): &(String, LogCallers)| json!({"file": name, "events": log.events, "brokenLines": log.broken, "callers": log.callers(), "denied": log.denied()});
    json!({
        "kubernetes": target.to_string(),
        "clusters": clusters,
        "auditLogs": logs.iter().map(log).collect::<Vec<_>>(),
        "refusals": refusals(clusters, logs),
    })
}

/// Prints tables and lines. `has_helm` is whether the releases of Helm were read.
pub(crate) fn table(
    target: Release,
    clusters: &[ClusterScan],
    logs: &[(String, LogCallers)],
    has_helm: bool,
    streams: &mut Streams,
) -> Result<(), Failure> {
    let mut table = Table::new(["CONTEXT", "RELEASE", "SERVES", "OBJECTS", "VERDICT"]);
    for cluster in clusters {
        table.row([
            cluster.title().to_owned(),
            cluster.release.clone().unwrap_or_else(|| "?".into()),
            cluster.served.join(", "),
            cluster.objects.to_string(),
            cluster.verdict.to_string(),
        ]);
    }
    table.write(&mut streams.out)?;
    for cluster in clusters {
        let lines = lines(cluster);
        if !lines.is_empty() {
            writeln!(streams.out, "\n{}:", cluster.title())?;
        }
        for line in lines {
            streams.out.entry(&line)?;
        }
    }
    for (name, log) in logs {
        audit(name, log, streams)?;
    }
    let refusals = refusals(clusters, logs);
    let is_known = |cluster: &ClusterScan| cluster.verdict.is_known();
    if refusals.is_empty() && clusters.iter().any(is_known) {
        let limit = match clusters.iter().all(ClusterScan::is_complete) {
            true => "",
            false => " in the parts that could be read",
        };
        writeln!(streams.out)?;
        streams.out.paragraph(&format!(
            "No clients of versions that Kubernetes {target} does not serve were found{limit}."
        ))?;
        let mut examined = vec![
            "the requests to the API server that responded",
            "field managers",
        ];
        if has_helm {
            examined.push("Helm releases");
        }
        if !logs.is_empty() {
            examined.push("audit logs");
        }
        let examined = examined.join(", ");
        streams.out.paragraph(&format!("Examined: {examined}."))?;
    }
    for refusal in refusals {
        writeln!(streams.out)?;
        streams.out.paragraph(&format!(
            "Kubernetes 1.{} and later do not serve {}. Clients that use it:",
            refusal.release, refusal.version
        ))?;
        for client in refusal.affected {
            streams.out.entry(&client)?;
        }
    }
    Ok(())
}

/// The lines about a cluster.
fn lines(cluster: &ClusterScan) -> Vec<String> {
    let mut lines: Vec<_> = cluster
        .error
        .iter()
        .map(|error| format!("error: {error}"))
        .collect();
    let since = match &cluster.requested_since {
        Some(time) => format!("since the API server started at {time}"),
        None => "since the API server started".to_owned(),
    };
    for sample in &cluster.requested {
        let resource = joined(&sample.resource, &sample.subresource);
        lines.push(format!(
            "requested {since}: {resource} in {}",
            sample.version
        ));
    }
    lines.extend(
        cluster
            .writers
            .iter()
            .map(|stamp| format!("still writes: {}", trace(stamp))),
    );
    lines.extend(
        cluster
            .helm
            .iter()
            .map(|revision| kept(revision, &cluster.served)),
    );
    lines.extend(
        cluster
            .history
            .iter()
            .map(|stamp| format!("history: {}", trace(stamp))),
    );
    lines.extend(aggregated(cluster));
    lines.extend(unbound(cluster));
    lines.extend(cluster.unread.iter().map(not_read));
    lines
}

/// A part that could not be read, and the option that helps.
fn not_read(part: &Unread) -> String {
    let Unread { what, error, .. } = part;
    let help = match what {
        Part::Release => "; `--kubernetes RELEASE` gives it",
        Part::Requests(_) if !error.contains("audit log") => {
            "; `--audit-log LOG` finds the callers in an audit log"
        }
        _ => "",
    };
    format!("not read: {what}: {error}{help}")
}

/// The extension API servers without the role for flow control.
fn unbound(cluster: &ClusterScan) -> Vec<String> {
    let mut lines = Vec::new();
    for UnboundServer {
        user,
        binding,
        resources,
        ..
    } in &cluster.unbound
    {
        let resources: Vec<_> = resources.iter().map(String::as_str).collect();
        lines.push(format!(
            "may be denied: {user}, an extension API server by the RoleBinding kube-system/{binding}, may not list and watch {}. If it is \
             built with k8s.io/apiserver, it needs {}",
            resources.join(" and "),
            role_for(user),
        ));
    }
    if let Some(error) = &cluster.unbound_error {
        lines.push(format!(
            "extension API servers that may be denied: not read: {error}"
        ));
    }
    lines
}

/// The commands that give an extension API server its role.
fn role_for(user: &str) -> String {
    let bound = match user.strip_prefix(SERVICE_ACCOUNT_PREFIX) {
        Some(account) => format!("--serviceaccount={account}"),
        None => format!("--user={user}"),
    };
    format!(
        "`kubectl flowcontrol rbac extension-server | kubectl apply -f -` and `kubectl create clusterrolebinding NAME \
         --clusterrole=flowcontrol-extension-server {bound}`"
    )
}

/// The API servers that may be the callers, and the ways to stop their requests.
fn aggregated(cluster: &ClusterScan) -> Vec<String> {
    let mut lines = Vec::new();
    for server in &cluster.aggregated {
        let deployments: Vec<_> = server.deployments.iter().map(deployment).collect();
        let program = match deployments.is_empty() {
            true => format!("Service {}", server.service),
            false => deployments.join(", "),
        };
        let calls = match server.requests.is_empty() {
            true => "may be a caller".to_owned(),
            false => format!("requests {}", server.requests.join(", ")),
        };
        let names = server.api_services.join(", ");
        lines.push(format!(
            "{calls}: {program}, the API server of APIService {names}"
        ));
    }
    if let Some(error) = &cluster.aggregated_error {
        lines.push(format!(
            "API servers that may be callers: not read: {error}"
        ));
    }
    let versions = cluster
        .aggregated
        .iter()
        .flat_map(|server| &server.requests);
    let mut versions: BTreeSet<_> = versions.map(String::as_str).collect();
    versions.extend(cluster.suspected());
    for version in versions {
        if let Some(library) = library(version).filter(|_| !cluster.aggregated.is_empty()) {
            lines.push(format!(
                "API servers built with k8s.io/apiserver {library} request {version} by themselves: upgrade them to a release with \
                 0.29 or later, or turn API Priority and Fairness off in them with --enable-priority-and-fairness=false (older \
                 servers: --feature-gates=APIPriorityAndFairness=false)"
            ));
        }
    }
    lines
}

fn deployment(deployment: &Deployment) -> String {
    let images = deployment.images.join(", ");
    format!("Deployment {} ({images})", deployment.name)
}

fn trace(stamp: &Stamp) -> String {
    let place = match stamp.evidence {
        Evidence::ManagedFields => "managedFields",
        _ => "the last-applied annotation",
    };
    let time = stamp.last.as_deref().unwrap_or("an unknown time");
    format!(
        "{} in {}, in {place} of {}, last at {time}",
        stamp.manager,
        stamp.version,
        plural(stamp.objects, "object")
    )
}

fn kept(revision: &HelmRevision, served: &[String]) -> String {
    let objects: Vec<_> = revision
        .objects
        .iter()
        .map(|object| format!("{} \"{}\" in {}", object.kind, object.name, object.version))
        .collect();
    let command = match revision.fails {
        Fails::Upgrade => "`helm upgrade`",
        _ => "only `helm rollback` to it",
    };
    let is_gone = |version: &String| !served.contains(version);
    let when = match revision
        .objects
        .iter()
        .any(|object| is_gone(&object.version))
    {
        true => "fails now".to_owned(),
        false => {
            let first = revision
                .objects
                .iter()
                .map(|object| object.refused_from)
                .min();
            format!("fails from Kubernetes 1.{}", first.unwrap_or_default())
        }
    };
    format!(
        "Helm release {}/{} revision {} ({}, {}): {}; {command} {when}",
        revision.namespace,
        revision.release,
        revision.revision,
        revision.status,
        revision.storage,
        objects.join(", ")
    )
}

fn audit(name: &str, log: &LogCallers, streams: &mut Streams) -> Result<(), Failure> {
    let callers = log.callers();
    let events = plural(log.events, "event");
    if callers.is_empty() {
        writeln!(streams.out, "\n{name}: {events}, none in an old version")?;
        return denied(log, streams);
    }
    writeln!(streams.out, "\n{name}: {events}, in old versions by")?;
    let mut table = Table::new([
        "USER",
        "USERAGENT",
        "VERSION",
        "RESOURCE",
        "WRITES",
        "VERBS",
        "FAILED",
        "LAST",
    ]);
    for caller in callers {
        table.row([
            caller.user.clone(),
            caller.user_agent.clone(),
            caller.version.clone(),
            caller.resource.clone(),
            if caller.writes { "yes" } else { "no" }.to_owned(),
            verbs(caller),
            caller.failed.to_string(),
            caller.last.clone().unwrap_or_default(),
        ]);
    }
    table.write(&mut streams.out)?;
    denied(log, streams)
}

/// The clients that may not list or watch, and the role that they need.
fn denied(log: &LogCallers, streams: &mut Streams) -> Result<(), Failure> {
    for denied in log.denied() {
        let Denied {
            user,
            user_agent,
            resources,
            requests,
            ..
        } = denied;
        let resources: Vec<_> = resources.iter().map(String::as_str).collect();
        streams.out.entry(&format!(
            "denied: {user} ({user_agent}) may not list or watch {} ({}). An extension API server needs {}",
            resources.join(" and "),
            plural(*requests, "request"),
            role_for(user),
        ))?;
    }
    Ok(())
}

fn verbs(caller: &Caller) -> String {
    let verbs: Vec<_> = caller
        .verbs
        .iter()
        .map(|(verb, count)| match verb.as_str() {
            // An HTTP method without a verb.
            "" => format!("other {count}"),
            verb => format!("{verb} {count}"),
        })
        .collect();
    verbs.join(", ")
}

fn joined(resource: &str, subresource: &str) -> String {
    match subresource {
        "" => resource.to_owned(),
        subresource => format!("{resource}/{subresource}"),
    }
}
