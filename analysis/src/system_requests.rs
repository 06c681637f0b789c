//! Requests that a cluster depends on.

use k8s_flowcontrol_rules::matching::{NODE_PREFIX, NODES, RequestAttributes, User};

/// A request that the cluster depends on.
pub(crate) struct SystemRequest {
    pub(crate) what: &'static str,
    user: fn() -> User,
    method: &'static str,
    url: &'static str,
}

impl SystemRequest {
    /// The attributes; never `None`, because all URLs are valid.
    pub(crate) fn attributes(&self) -> Option<RequestAttributes> {
        RequestAttributes::from_http(self.method, self.url, (self.user)()).ok()
    }
}

fn node() -> User {
    User::authenticated(format!("{NODE_PREFIX}any"), [NODES])
}

fn component(name: &str) -> User {
    User::authenticated(name, [""; 0])
}

/// An example of each.
pub(crate) const SYSTEM_REQUESTS: &[SystemRequest] = &[
    SystemRequest {
        what: "node heartbeats",
        user: node,
        method: "PUT",
        url: "/apis/coordination.k8s.io/v1/namespaces/kube-node-lease/leases/any",
    },
    SystemRequest {
        what: "kubelets",
        user: node,
        method: "PATCH",
        url: "/api/v1/namespaces/any/pods/any/status",
    },
    SystemRequest {
        what: "leader election",
        user: || component("system:kube-controller-manager"),
        method: "PUT",
        url: "/apis/coordination.k8s.io/v1/namespaces/kube-system/leases/kube-controller-manager",
    },
    SystemRequest {
        what: "kube-controller-manager",
        user: || component("system:kube-controller-manager"),
        method: "GET",
        url: "/api/v1/pods?watch=1",
    },
    SystemRequest {
        what: "kube-scheduler",
        user: || component("system:kube-scheduler"),
        method: "POST",
        url: "/api/v1/namespaces/any/pods/any/binding",
    },
    SystemRequest {
        what: "controllers in kube-system",
        user: || User::service_account("kube-system", "any"),
        method: "GET",
        url: "/api/v1/namespaces/kube-system/configmaps",
    },
    SystemRequest {
        what: "webhooks that authenticate their callers",
        user: || User::service_account("any", "webhook"),
        method: "POST",
        url: "/apis/authentication.k8s.io/v1/tokenreviews",
    },
];
