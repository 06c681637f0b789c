//! What a server knows of a request when it classifies it.

/// The group of every user who proved to be somebody.
pub(crate) const AUTHENTICATED: &str = "system:authenticated";
/// The group of the user whom nothing is known of.
pub(crate) const UNAUTHENTICATED: &str = "system:unauthenticated";
/// The user name of requests without credentials.
pub(crate) const ANONYMOUS: &str = "system:anonymous";
/// What every service account's user name starts with, followed by `<namespace>:<name>`.
pub(crate) const SERVICE_ACCOUNT_PREFIX: &str = "system:serviceaccount:";
/// The group of all service accounts; with `:<namespace>` behind it those of one namespace.
pub(crate) const SERVICE_ACCOUNTS: &str = "system:serviceaccounts";

/// Who makes a request, after impersonation.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct User {
    /// The user name.
    pub name: String,
    /// All groups, those that the server adds included.
    pub groups: Vec<String>,
}

impl User {
    /// A user with exactly these groups.
    pub fn new<G: Into<String>>(
        name: impl Into<String>,
        groups: impl IntoIterator<Item = G>,
    ) -> Self {
        Self {
            name: name.into(),
            groups: groups.into_iter().map(Into::into).collect(),
        }
    }

    /// A user as a server sees one after authentication: in these groups and `system:authenticated`.
    pub fn authenticated<G: Into<String>>(
        name: impl Into<String>,
        groups: impl IntoIterator<Item = G>,
    ) -> Self {
        let mut user = Self::new(name, groups);
        if !user.groups.iter().any(|group| group == AUTHENTICATED) {
            user.groups.push(AUTHENTICATED.to_owned());
        }
        user
    }

    /// A service account, in the groups of its token.
    pub fn service_account(namespace: &str, name: &str) -> Self {
        Self::authenticated(
            format!("{SERVICE_ACCOUNT_PREFIX}{namespace}:{name}"),
            [
                SERVICE_ACCOUNTS.to_owned(),
                format!("{SERVICE_ACCOUNTS}:{namespace}"),
            ],
        )
    }

    /// The user of a request without credentials.
    pub fn anonymous() -> Self {
        Self::new(ANONYMOUS, [UNAUTHENTICATED])
    }
}

/// A request as a server sees it when it classifies it.
///
/// [`from_http`](Self::from_http) makes one from method and URL as the server does. Fields that do not
/// apply are empty.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct RequestAttributes {
    /// Who makes the request.
    pub user: User,
    /// `get`, `list`, `watch`, `create`, `update`, `patch`, `delete`, `deletecollection` or `proxy` for
    /// resources; the HTTP method in lower case for other paths.
    pub verb: String,
    /// Whether the request is about a resource, so that `resourceRules` apply; else
    /// `nonResourceRules` do.
    pub is_resource_request: bool,
    /// The API group; empty for the core group.
    pub api_group: String,
    /// The resource in its plural, such as `pods`.
    pub resource: String,
    /// The subresource, such as `status`.
    pub subresource: String,
    /// The namespace; empty for a cluster-scoped resource or a request across namespaces.
    pub namespace: String,
    /// The object's name; flow schemas do not look at it.
    pub name: String,
    /// The decoded path, without query.
    pub path: String,
}

impl RequestAttributes {
    /// Whether API Priority and Fairness applies.
    ///
    /// It does not apply to requests that may run for long and are no watches: the verb `proxy`,
    /// the subresources `attach`, `exec`, `log`, `portforward` and `proxy`, and `/debug/pprof/`.
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
