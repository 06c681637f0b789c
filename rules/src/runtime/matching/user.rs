//! Users, and the names that servers give them and their groups.

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
/// The prefix of every node's user name, before the name of the node.
pub const NODE_PREFIX: &str = "system:node:";
/// The group of all nodes.
pub const NODES: &str = "system:nodes";

/// Namespace and name of the service account that a user name stands for.
///
/// ```
/// use k8s_flowcontrol_rules::matching::service_account_of;
///
/// assert_eq!(service_account_of("system:serviceaccount:batch:runner"), Some(("batch", "runner")));
/// assert_eq!(service_account_of("alice"), None);
/// ```
pub fn service_account_of(user: &str) -> Option<(&str, &str)> {
    user.strip_prefix(SERVICE_ACCOUNT_PREFIX)?.split_once(':')
}

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
        if let Some((namespace, _)) = service_account_of(&user.name) {
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
