//! The user of a request.

use k8s_flowcontrol_rules::matching::{ANONYMOUS, AUTHENTICATED, UNAUTHENTICATED};
use std::collections::BTreeMap;

/// The group that may do anything.
pub(crate) const MASTERS: &str = "system:masters";
/// The group to which kubeadm gives the role `cluster-admin`. Unlike [`MASTERS`] it is not exempt from flow control.
const CLUSTER_ADMINS: &str = "kubeadm:cluster-admins";

/// The user of a request, after impersonation. It is an extension of every request that is served.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct User {
    pub(crate) name: String,
    pub(crate) uid: String,
    pub(crate) groups: Vec<String>,
    pub(crate) extra: BTreeMap<String, Vec<String>>,
}

impl User {
    /// The user of all requests to a server without tokens.
    pub(crate) fn master() -> Self {
        Self::named("system:admin", [MASTERS, AUTHENTICATED])
    }

    /// The user of requests without a token.
    pub(crate) fn anonymous() -> Self {
        Self::named(ANONYMOUS, [UNAUTHENTICATED])
    }

    pub(crate) fn named<const N: usize>(name: impl Into<String>, groups: [&str; N]) -> Self {
        Self {
            name: name.into(),
            groups: groups.map(str::to_owned).into(),
            ..Self::default()
        }
    }

    /// Whether the user may do anything.
    pub(crate) fn is_admin(&self) -> bool {
        self.is_in(MASTERS) || self.is_in(CLUSTER_ADMINS)
    }

    /// Whether the request had no token.
    pub(crate) fn is_anonymous(&self) -> bool {
        self.is_in(UNAUTHENTICATED)
    }

    pub(crate) fn is_in(&self, group: &str) -> bool {
        self.groups.iter().any(|one| one == group)
    }
}
