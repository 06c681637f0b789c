//! Health checks: a server that answers is healthy, and says so of every part.

use crate::query::Query;
use k8s_flowcontrol_types::Release;

/// A part that is checked, with the minor releases of Kubernetes 1 that have it in this place.
struct Part {
    first: u32,
    last: u32,
    name: &'static str,
    only_ready: bool,
}

const FOR_EVER: u32 = u32::MAX;

const fn part(first: u32, last: u32, name: &'static str) -> Part {
    Part {
        first,
        last,
        name,
        only_ready: false,
    }
}

const fn ready(first: u32, last: u32, name: &'static str) -> Part {
    Part {
        only_ready: true,
        ..part(first, last, name)
    }
}

/// In the order of the reports. Where releases disagree about it, a part stands in two places.
const PARTS: &[Part] = &[
    part(0, FOR_EVER, "ping"),
    part(0, FOR_EVER, "log"),
    part(0, 30, "etcd"),
    ready(0, 30, "etcd-readiness"),
    ready(0, FOR_EVER, "informer-sync"),
    part(
        0,
        30,
        "poststarthook/start-kube-apiserver-admission-initializer",
    ),
    part(
        31,
        FOR_EVER,
        "poststarthook/start-apiserver-admission-initializer",
    ),
    part(
        0,
        FOR_EVER,
        "poststarthook/generic-apiserver-start-informers",
    ),
    part(
        0,
        FOR_EVER,
        "poststarthook/priority-and-fairness-config-consumer",
    ),
    part(0, FOR_EVER, "poststarthook/priority-and-fairness-filter"),
    part(
        0,
        FOR_EVER,
        "poststarthook/storage-object-count-tracker-hook",
    ),
    part(0, FOR_EVER, "poststarthook/start-apiextensions-informers"),
    part(0, FOR_EVER, "poststarthook/start-apiextensions-controllers"),
    part(0, FOR_EVER, "poststarthook/crd-informer-synced"),
    part(27, 27, "poststarthook/start-system-namespaces-controller"),
    part(0, 27, "poststarthook/bootstrap-controller"),
    part(
        31,
        FOR_EVER,
        "poststarthook/start-system-namespaces-controller",
    ),
    part(
        36,
        FOR_EVER,
        "poststarthook/peer-endpoint-reconciler-controller",
    ),
    part(
        31,
        FOR_EVER,
        "poststarthook/start-cluster-authentication-info-controller",
    ),
    part(
        31,
        FOR_EVER,
        "poststarthook/start-kube-apiserver-identity-lease-controller",
    ),
    part(
        31,
        FOR_EVER,
        "poststarthook/start-kube-apiserver-identity-lease-garbage-collector",
    ),
    part(36, FOR_EVER, "poststarthook/storage-readiness"),
    part(
        31,
        FOR_EVER,
        "poststarthook/start-legacy-token-tracking-controller",
    ),
    part(
        28,
        FOR_EVER,
        "poststarthook/start-service-ip-repair-controllers",
    ),
    part(0, FOR_EVER, "poststarthook/rbac/bootstrap-roles"),
    part(
        0,
        FOR_EVER,
        "poststarthook/scheduling/bootstrap-system-priority-classes",
    ),
    part(
        0,
        FOR_EVER,
        "poststarthook/priority-and-fairness-config-producer",
    ),
    part(28, 30, "poststarthook/start-system-namespaces-controller"),
    part(28, FOR_EVER, "poststarthook/bootstrap-controller"),
    part(
        33,
        FOR_EVER,
        "poststarthook/start-kubernetes-service-cidr-controller",
    ),
    part(
        0,
        30,
        "poststarthook/start-cluster-authentication-info-controller",
    ),
    part(
        26,
        30,
        "poststarthook/start-kube-apiserver-identity-lease-controller",
    ),
    part(
        27,
        28,
        "poststarthook/start-deprecated-kube-apiserver-identity-lease-garbage-collector",
    ),
    part(
        26,
        30,
        "poststarthook/start-kube-apiserver-identity-lease-garbage-collector",
    ),
    part(
        27,
        30,
        "poststarthook/start-legacy-token-tracking-controller",
    ),
    part(0, FOR_EVER, "poststarthook/start-kube-aggregator-informers"),
    part(
        31,
        FOR_EVER,
        "poststarthook/apiservice-status-local-available-controller",
    ),
    part(
        31,
        FOR_EVER,
        "poststarthook/apiservice-status-remote-available-controller",
    ),
    part(
        0,
        FOR_EVER,
        "poststarthook/apiservice-registration-controller",
    ),
    part(
        0,
        30,
        "poststarthook/apiservice-status-available-controller",
    ),
    part(0, FOR_EVER, "poststarthook/apiservice-wait-for-first-sync"),
    part(
        31,
        FOR_EVER,
        "poststarthook/apiservice-discovery-controller",
    ),
    part(0, FOR_EVER, "poststarthook/kube-apiserver-autoregistration"),
    part(0, FOR_EVER, "autoregister-completion"),
    part(0, FOR_EVER, "poststarthook/apiservice-openapi-controller"),
    part(0, FOR_EVER, "poststarthook/apiservice-openapiv3-controller"),
    part(27, 30, "poststarthook/apiservice-discovery-controller"),
    ready(0, FOR_EVER, "shutdown"),
];

/// The checks.
pub(crate) const CHECKS: [&str; 3] = ["healthz", "livez", "readyz"];

/// The check that a path begins with.
pub(crate) fn check(name: &str) -> Option<&'static str> {
    CHECKS.into_iter().find(|check| *check == name)
}

/// What a check looks at in `release`.
pub(crate) fn parts(check: &str, release: Release) -> impl Iterator<Item = &'static str> {
    let is_ready = check == "readyz";
    PARTS
        .iter()
        .filter(move |part| (part.first..=part.last).contains(&release.minor()))
        .filter(move |part| is_ready || !part.only_ready)
        .map(|part| part.name)
}

/// The parts that fail on a server that cannot read all its objects.
const NEEDS_OBJECTS: [&str; 2] = [
    "informer-sync",
    "poststarthook/priority-and-fairness-config-producer",
];

/// Whether a part is well.
pub(crate) fn is_well(part: &str, reads_objects: bool) -> bool {
    reads_objects || !NEEDS_OBJECTS.contains(&part)
}

/// What a check says, and whether all is well: `ok`, or a line for each part. Asked for with `verbose`, and in
/// any case when one fails that is not left out by `exclude`.
pub(crate) fn report(
    check: &str,
    release: Release,
    query: &Query,
    reads_objects: bool,
) -> (bool, String) {
    let is_excluded = |part: &str| query.all("exclude").any(|name| name == part);
    let passes =
        parts(check, release).all(|part| is_well(part, reads_objects) || is_excluded(part));
    if passes && query.get("verbose").is_none() {
        return (true, "ok".to_owned());
    }
    let mut excluded: Vec<_> = query.all("exclude").collect();
    let mut report = String::new();
    for part in parts(check, release) {
        let before = excluded.len();
        excluded.retain(|name| *name != part);
        report += &if excluded.len() < before {
            format!("[+]{part} excluded: ok\n")
        } else if is_well(part, reads_objects) {
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
    let verdict = if passes { "passed" } else { "failed" };
    report += &format!("{check} check {verdict}\n");
    (passes, report)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn all(check: &str, minor: u32) -> Vec<&'static str> {
        parts(check, Release::new(minor).unwrap()).collect()
    }

    #[test]
    fn no_release_names_a_part_twice() {
        for release in Release::all() {
            let mut parts: Vec<_> = parts("readyz", release).collect();
            let named = parts.len();
            parts.sort_unstable();
            parts.dedup();
            assert_eq!(parts.len(), named, "{release}");
        }
    }

    #[test]
    fn releases_have_parts_of_their_own() {
        let counts = [25, 27, 28, 29, 31, 36].map(|minor| all("readyz", minor).len());
        assert_eq!(counts, [27, 33, 34, 33, 32, 35]);
        assert!(!all("livez", 29).contains(&"informer-sync"));
        assert!(all("readyz", 29).ends_with(&["shutdown"]));
    }
}
