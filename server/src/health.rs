//! Health checks: `/healthz`, `/livez` and `/readyz`, with their parts.
//!
//! Every release has the parts of Kubernetes 1.29: clients see them with `verbose`, name them in `exclude` and
//! request them one by one.

use crate::query::Query;
use std::collections::BTreeSet;

pub(crate) const CHECKS: [&str; 3] = ["healthz", "livez", "readyz"];

/// The parts in the order of the reports.
const PARTS: [&str; 33] = [
    "ping",
    "log",
    "etcd",
    "etcd-readiness",
    "informer-sync",
    "poststarthook/start-kube-apiserver-admission-initializer",
    "poststarthook/generic-apiserver-start-informers",
    "poststarthook/priority-and-fairness-config-consumer",
    "poststarthook/priority-and-fairness-filter",
    "poststarthook/storage-object-count-tracker-hook",
    "poststarthook/start-apiextensions-informers",
    "poststarthook/start-apiextensions-controllers",
    "poststarthook/crd-informer-synced",
    "poststarthook/start-service-ip-repair-controllers",
    "poststarthook/rbac/bootstrap-roles",
    "poststarthook/scheduling/bootstrap-system-priority-classes",
    "poststarthook/priority-and-fairness-config-producer",
    "poststarthook/start-system-namespaces-controller",
    "poststarthook/bootstrap-controller",
    "poststarthook/start-cluster-authentication-info-controller",
    "poststarthook/start-kube-apiserver-identity-lease-controller",
    "poststarthook/start-kube-apiserver-identity-lease-garbage-collector",
    "poststarthook/start-legacy-token-tracking-controller",
    "poststarthook/start-kube-aggregator-informers",
    "poststarthook/apiservice-registration-controller",
    "poststarthook/apiservice-status-available-controller",
    "poststarthook/apiservice-wait-for-first-sync",
    "poststarthook/kube-apiserver-autoregistration",
    "autoregister-completion",
    "poststarthook/apiservice-openapi-controller",
    "poststarthook/apiservice-openapiv3-controller",
    "poststarthook/apiservice-discovery-controller",
    "shutdown",
];

/// The parts of `readyz` only.
const ONLY_READY: [&str; 3] = ["etcd-readiness", "informer-sync", "shutdown"];

/// The parts that fail on a server that cannot decode all its objects.
const NEEDS_OBJECTS: [&str; 2] = [
    "informer-sync",
    "poststarthook/priority-and-fairness-config-producer",
];

pub(crate) fn check(name: &str) -> Option<&'static str> {
    CHECKS.into_iter().find(|check| *check == name)
}

pub(crate) fn parts(check: &str) -> impl Iterator<Item = &'static str> {
    let is_ready = check == "readyz";
    PARTS
        .into_iter()
        .filter(move |part| is_ready || !ONLY_READY.contains(part))
}

/// The state of a server's storage.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Storage {
    /// All objects can be decoded.
    pub(crate) reads_objects: bool,
    /// The data folder, if there is one, can be written.
    pub(crate) writes: bool,
}

pub(crate) fn passes(part: &str, storage: Storage) -> bool {
    (storage.reads_objects || !NEEDS_OBJECTS.contains(&part))
        && (storage.writes || part != "etcd-readiness")
}

/// Whether a check passes, and its text: `ok`, or one line per part with `verbose` and on failure.
pub(crate) fn report(check: &str, query: &Query, storage: Storage) -> (bool, String) {
    let is_excluded = |part: &str| query.all("exclude").any(|name| name == part);
    let passed = parts(check).all(|part| passes(part, storage) || is_excluded(part));
    if passed && query.get("verbose").is_none() {
        return (true, "ok".to_owned());
    }
    let mut excluded: BTreeSet<_> = query.all("exclude").collect();
    let mut report = String::new();
    for part in parts(check) {
        report += &if excluded.remove(part) {
            format!("[+]{part} excluded: ok\n")
        } else if passes(part, storage) {
            format!("[+]{part} ok\n")
        } else {
            format!("[-]{part} failed: reason withheld\n")
        };
    }
    if !excluded.is_empty() {
        let names: Vec<_> = excluded.iter().map(|name| format!("{name:?}")).collect();
        let names = names.join(",");
        report += &format!("warn: some health checks cannot be excluded: no matches for {names}\n");
    }
    let verdict = if passed { "passed" } else { "failed" };
    report += &format!("{check} check {verdict}\n");
    (passed, report)
}
