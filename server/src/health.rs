//! Health checks: a server that answers is healthy, and says so of every part.

/// The checks that all three have, in order.
const FIRST: &[&str] = &["ping", "log", "etcd"];
const HOOKS: &[&str] = &[
    "start-kube-apiserver-admission-initializer",
    "generic-apiserver-start-informers",
    "priority-and-fairness-config-consumer",
    "priority-and-fairness-filter",
    "storage-object-count-tracker-hook",
    "start-apiextensions-informers",
    "start-apiextensions-controllers",
    "crd-informer-synced",
    "start-service-ip-repair-controllers",
    "rbac/bootstrap-roles",
    "scheduling/bootstrap-system-priority-classes",
    "priority-and-fairness-config-producer",
    "start-system-namespaces-controller",
    "bootstrap-controller",
    "start-cluster-authentication-info-controller",
    "start-kube-apiserver-identity-lease-controller",
    "start-kube-apiserver-identity-lease-garbage-collector",
    "start-legacy-token-tracking-controller",
    "start-kube-aggregator-informers",
    "apiservice-registration-controller",
    "apiservice-status-available-controller",
    "apiservice-wait-for-first-sync",
    "kube-apiserver-autoregistration",
];
const LAST_HOOKS: &[&str] = &[
    "apiservice-openapi-controller",
    "apiservice-openapiv3-controller",
    "apiservice-discovery-controller",
];

/// The check that a path names.
pub(crate) fn check(name: &str) -> Option<&'static str> {
    ["healthz", "livez", "readyz"]
        .into_iter()
        .find(|check| *check == name)
}

/// What a check says when it is asked for more than `ok`.
pub(crate) fn report(check: &str) -> String {
    let ready = check == "readyz";
    let mut lines: Vec<String> = FIRST.iter().map(|&part| part.to_owned()).collect();
    if ready {
        lines.extend(["etcd-readiness", "informer-sync"].map(str::to_owned));
    }
    let hook = |hook: &&str| format!("poststarthook/{hook}");
    lines.extend(HOOKS.iter().map(hook));
    lines.push("autoregister-completion".to_owned());
    lines.extend(LAST_HOOKS.iter().map(hook));
    if ready {
        lines.push("shutdown".to_owned());
    }
    let mut report: String = lines.iter().map(|part| format!("[+]{part} ok\n")).collect();
    report += &format!("{check} check passed\n");
    report
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_report_has_a_line_for_each_part() {
        let report = report("livez");
        assert!(report.starts_with("[+]ping ok\n[+]log ok\n[+]etcd ok\n[+]poststarthook/"));
        assert!(report.ends_with(" ok\nlivez check passed\n"));
        assert_eq!(check("nope"), None);
    }
}
