//! The attributes of a request that classification uses.

use super::user::User;

/// The attributes by which a server classifies a request.
///
/// [`from_http`](Self::from_http) derives them from method and URL as the server does. Fields that do not apply are
/// empty.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct RequestAttributes {
    /// The user.
    pub user: User,
    /// The verb. For resource requests: `get`, `list`, `watch`, `create`, `update`, `patch`, `delete`,
    /// `deletecollection` or `proxy`. For others: the HTTP method in lower case.
    pub verb: String,
    /// Whether this is a resource request, to which `resourceRules` apply. To others `nonResourceRules` apply.
    pub is_resource_request: bool,
    /// The API group; empty for the core group.
    pub api_group: String,
    /// The plural name of the resource, such as `pods`.
    pub resource: String,
    /// The subresource, such as `status`.
    pub subresource: String,
    /// The namespace; empty for a cluster-scoped resource or a request for all namespaces.
    pub namespace: String,
    /// The object's name, which flow schemas do not match on.
    pub name: String,
    /// The decoded path, without the query.
    pub path: String,
}

impl RequestAttributes {
    /// Whether API Priority and Fairness applies to the request.
    ///
    /// It does not apply to long-running requests except watches: the verb `proxy`, the subresources `attach`, `exec`,
    /// `log`, `portforward` and `proxy`, and paths below `/debug/pprof/`.
    pub fn is_subject_to_flow_control(&self) -> bool {
        const LONG_RUNNING: [&str; 5] = ["attach", "exec", "log", "portforward", "proxy"];
        if self.verb == "watch" {
            return true;
        }
        let long_running = if self.is_resource_request {
            LONG_RUNNING.contains(&self.subresource.as_str())
        } else {
            self.path.starts_with("/debug/pprof/")
        };
        !long_running && self.verb != "proxy"
    }
}
