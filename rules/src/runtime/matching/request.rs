//! The attributes of a request that classification uses.

/// The group of all authenticated users.
pub const AUTHENTICATED: &str = "system:authenticated";
/// The group of all unauthenticated users.
pub const UNAUTHENTICATED: &str = "system:unauthenticated";
/// The user name of requests without credentials.
pub const ANONYMOUS: &str = "system:anonymous";
/// The prefix of every service account's user name, before `<namespace>:<name>`.
pub const SERVICE_ACCOUNT_PREFIX: &str = "system:serviceaccount:";
/// The group of all service accounts. With the suffix `:<namespace>`: the group of a namespace's service accounts.
pub const SERVICE_ACCOUNTS: &str = "system:serviceaccounts";

/// The user of a request, after impersonation.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct User {
    /// The user name.
    pub name: String,
    /// All groups, including those added by the server.
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

    /// The user with a name and its implied groups: in `system:unauthenticated` for
    /// `system:anonymous`, in the groups of service accounts for a service account, and in `system:authenticated`.
    ///
    /// Groups of other users come from their credentials: add them with [`authenticated`](Self::authenticated). A node
    /// is in `system:nodes`, for instance.
    ///
    /// ```
    /// use k8s_flowcontrol_rules::matching::User;
    ///
    /// let account = User::named("system:serviceaccount:batch:runner");
    /// assert_eq!(account, User::service_account("batch", "runner"));
    /// assert_eq!(User::named("system:anonymous"), User::anonymous());
    /// assert_eq!(User::named("alice").groups, ["system:authenticated"]);
    /// ```
    pub fn named(name: impl Into<String>) -> Self {
        let name = name.into();
        if name == ANONYMOUS {
            return Self::anonymous();
        }
        Self::authenticated(name, [""; 0])
    }

    /// A user as after authentication: in these groups and in `system:authenticated`; a service account also in the groups
    /// of its token.
    pub fn authenticated<G: Into<String>>(
        name: impl Into<String>,
        groups: impl IntoIterator<Item = G>,
    ) -> Self {
        let mut user = Self::new(name, groups);
        let account = user.name.strip_prefix(SERVICE_ACCOUNT_PREFIX);
        if let Some((namespace, _)) = account.and_then(|account| account.split_once(':')) {
            let own = format!("{SERVICE_ACCOUNTS}:{namespace}");
            user.join(SERVICE_ACCOUNTS);
            user.join(&own);
        }
        user.join(AUTHENTICATED);
        user
    }

    /// A user as after impersonation with these groups: a server adds `system:authenticated`, or nothing to
    /// `system:anonymous` or `system:unauthenticated`, and no group of a service account's token.
    ///
    /// Without groups, impersonation is as [`named`](Self::named).
    ///
    /// ```
    /// use k8s_flowcontrol_rules::matching::User;
    ///
    /// let account = "system:serviceaccount:batch:runner";
    /// assert_eq!(User::impersonated(account, ["dev"]).groups, ["dev", "system:authenticated"]);
    /// assert_eq!(User::impersonated(account, [""; 0]), User::named(account));
    /// ```
    pub fn impersonated<G: Into<String>>(
        name: impl Into<String>,
        groups: impl IntoIterator<Item = G>,
    ) -> Self {
        let mut user = Self::new(name, groups);
        if user.groups.is_empty() {
            return Self::named(user.name);
        }
        let has = |group| user.groups.iter().any(|own| own == group);
        if user.name != ANONYMOUS && !has(UNAUTHENTICATED) {
            user.join(AUTHENTICATED);
        }
        user
    }

    /// A service account, in the groups of its token.
    pub fn service_account(namespace: &str, name: &str) -> Self {
        Self::named(format!("{SERVICE_ACCOUNT_PREFIX}{namespace}:{name}"))
    }

    /// The user of a request without credentials.
    pub fn anonymous() -> Self {
        Self::new(ANONYMOUS, [UNAUTHENTICATED])
    }

    fn join(&mut self, group: &str) {
        if !self.groups.iter().any(|own| own == group) {
            self.groups.push(group.to_owned());
        }
    }
}

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
