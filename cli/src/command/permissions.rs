//! The permissions of commands in a cluster.

use k8s_flowcontrol::GROUP;

#[derive(Clone, Copy, Debug)]
pub(crate) struct Needs {
    /// The paths that it reads.
    pub(crate) paths: &'static [&'static str],
    pub(crate) rules: &'static [Rule],
}

/// Verbs on resources of a group.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Rule {
    pub(crate) group: &'static str,
    pub(crate) resources: &'static [&'static str],
    pub(crate) verbs: &'static [&'static str],
}

pub(crate) const BOTH: &[&str] = &["flowschemas", "prioritylevelconfigurations"];
pub(crate) const LEVELS: &[&str] = &["prioritylevelconfigurations"];

/// The served versions of the group.
pub(crate) const SERVED: &str = "/apis/flowcontrol.apiserver.k8s.io/";
/// The release of the cluster.
pub(crate) const RELEASE: &str = "/version";
pub(crate) const METRICS: &str = "/metrics";

/// The addresses of the API servers: the EndpointSlices of the service `kubernetes`.
pub(crate) const API_SERVERS: Rule = Rule {
    group: "discovery.k8s.io",
    resources: &["endpointslices"],
    verbs: &["list"],
};
/// The own user.
pub(crate) const SELF_REVIEW: Rule = Rule {
    group: "authentication.k8s.io",
    resources: &["selfsubjectreviews"],
    verbs: &["create"],
};
/// The releases that Helm stores.
pub(crate) const HELM: Rule = Rule {
    group: "",
    resources: &["configmaps", "secrets"],
    verbs: &["list"],
};

impl Needs {
    /// The permissions of a command that uses no cluster.
    pub(crate) const NOTHING: Self = Self::new(&[], &[]);

    pub(crate) const fn new(paths: &'static [&'static str], rules: &'static [Rule]) -> Self {
        Self { paths, rules }
    }

    /// Whether the command uses no cluster.
    pub(crate) const fn is_nothing(&self) -> bool {
        self.paths.is_empty() && self.rules.is_empty()
    }
}

/// Verbs on flow-control objects.
pub(crate) const fn on(resources: &'static [&'static str], verbs: &'static [&'static str]) -> Rule {
    Rule {
        group: GROUP,
        resources,
        verbs,
    }
}
