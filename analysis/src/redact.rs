//! Names replaced by words, for reports that are shared outside an organization.
//!
//! The names of users, groups, namespaces, objects, user agents and paths identify people and systems. [`Redactor`] replaces them
//! consistently, so that flows stay distinguishable. The names that Kubernetes itself gives stay.

use hmac_sha256::HMAC;
use k8s_flowcontrol_rules::matching::{
    ANONYMOUS, AUTHENTICATED, NODE_PREFIX, NODES, SERVICE_ACCOUNT_PREFIX, SERVICE_ACCOUNTS,
    UNAUTHENTICATED,
};
use std::fmt;

/// Replaces names, the same name always by the same word.
///
/// [`Default`] replaces nothing.
///
/// ```
/// use k8s_flowcontrol_analysis::redact::Redactor;
///
/// let redactor = Redactor::with_key("a secret");
/// assert_ne!(redactor.user("alice"), "alice");
/// assert_eq!(redactor.user("alice"), Redactor::with_key("a secret").user("alice"));
/// assert_eq!(redactor.user("system:kube-scheduler"), "system:kube-scheduler");
/// assert_eq!(Redactor::default().user("alice"), "alice");
/// ```
#[derive(Clone, Default)]
pub struct Redactor(Option<Vec<u8>>);

const BOOTSTRAP: &str = "system:bootstrap:";
const NAMESPACES: [&str; 3] = ["kube-system", "kube-public", "kube-node-lease"];
/// The users of Kubernetes' own components.
const USERS: [&str; 8] = [
    "system:admin",
    ANONYMOUS,
    "system:apiserver",
    "system:kube-controller-manager",
    "system:kube-proxy",
    "system:kube-scheduler",
    "system:cloud-controller-manager",
    "system:unsecured",
];
const GROUPS: [&str; 8] = [
    AUTHENTICATED,
    "system:bootstrappers",
    "system:masters",
    "system:monitoring",
    "system:node-proxier",
    NODES,
    SERVICE_ACCOUNTS,
    UNAUTHENTICATED,
];
/// The programs of Kubernetes.
const PROGRAMS: [&str; 7] = [
    "kube-apiserver",
    "kube-controller-manager",
    "kube-proxy",
    "kube-scheduler",
    "kubeadm",
    "kubectl",
    "kubelet",
];
const PATHS: [&str; 10] = [
    "/",
    "/api",
    "/apis",
    "/healthz",
    "/livez",
    "/metrics",
    "/openapi/v2",
    "/openapi/v3",
    "/readyz",
    "/version",
];

impl Redactor {
    /// Replaces names by words that depend on the key. Anyone with the key can check whether a word stands for a
    /// guessed name.
    ///
    /// A random key of 32 bytes gives words that no other run repeats.
    pub fn with_key(key: impl Into<Vec<u8>>) -> Self {
        Self(Some(key.into()))
    }

    /// The word for a user. The names of Kubernetes' own components stay.
    pub fn user(&self, name: &str) -> String {
        if self.0.is_none() || name.is_empty() {
            return name.to_owned();
        }
        if let Some(account) = name.strip_prefix(SERVICE_ACCOUNT_PREFIX) {
            let (namespace, account) = account.split_once(':').unwrap_or((account, ""));
            return match namespace == "kube-system" {
                true => name.to_owned(),
                false => format!(
                    "{SERVICE_ACCOUNT_PREFIX}{}:{}",
                    self.namespace(namespace),
                    self.word("account", account)
                ),
            };
        }
        match name.strip_prefix(NODE_PREFIX) {
            Some(node) => format!("{NODE_PREFIX}{}", self.word("node", node)),
            None => self.of_system("user", &USERS, name),
        }
    }

    /// A name of Kubernetes itself stays; of another one below `system:`, such as that of a bootstrap token, only the kind.
    fn of_system(&self, kind: &str, known: &[&str], name: &str) -> String {
        if known.contains(&name) {
            return name.to_owned();
        }
        match (name.strip_prefix(BOOTSTRAP), name.starts_with("system:")) {
            (Some(token), _) => format!("{BOOTSTRAP}{}", self.word("token", token)),
            (None, true) => format!("system:{}", self.word(kind, name)),
            (None, false) => self.word(kind, name),
        }
    }

    /// The word for a `User-Agent` header, which a client can fill with anything.
    pub fn user_agent(&self, name: &str) -> String {
        match name {
            "" => String::new(),
            name => self.word("agent", name),
        }
    }

    /// The word for the program of a user agent. The programs of Kubernetes stay.
    pub fn program(&self, name: &str) -> String {
        match name.is_empty() || self.0.is_none() || PROGRAMS.contains(&name) {
            true => name.to_owned(),
            false => self.word("program", name),
        }
    }

    /// The word for an address or a range of addresses.
    pub fn address(&self, address: &str) -> String {
        match address {
            "" => String::new(),
            address => self.word("address", address),
        }
    }

    /// The word for the path of a non-resource request. The paths that every server has stay.
    pub fn path(&self, path: &str) -> String {
        match self.0.is_none() || PATHS.contains(&path) {
            true => path.to_owned(),
            false => self.word("path", path),
        }
    }

    /// The word for the address of a server.
    pub fn server(&self, address: &str) -> String {
        self.word("server", address)
    }

    /// Whether this replaces names at all.
    pub fn replaces(&self) -> bool {
        self.0.is_some()
    }

    /// The word for a namespace.
    pub fn namespace(&self, name: &str) -> String {
        match name {
            "" | "default" => name.to_owned(),
            name if self.0.is_none() || NAMESPACES.contains(&name) => name.to_owned(),
            name => self.word("namespace", name),
        }
    }

    /// The word for a group. The groups of Kubernetes stay, but for the namespaces in their names.
    pub fn group(&self, name: &str) -> String {
        if self.0.is_none() || name.is_empty() {
            return name.to_owned();
        }
        let of_namespace = name
            .strip_prefix(SERVICE_ACCOUNTS)
            .and_then(|rest| rest.strip_prefix(':'));
        match of_namespace {
            Some(namespace) => format!("{SERVICE_ACCOUNTS}:{}", self.namespace(namespace)),
            None => self.of_system("group", &GROUPS, name),
        }
    }

    /// The word for the name of an object. A namespace and a node have the same word as elsewhere.
    pub fn object(&self, resource: &str, name: &str) -> String {
        match (resource, name) {
            (_, "") => String::new(),
            ("namespaces", name) => self.namespace(name),
            ("nodes", name) => self.word("node", name),
            (_, name) => self.word("name", name),
        }
    }

    fn word(&self, kind: &str, name: &str) -> String {
        let Some(key) = &self.0 else {
            return name.to_owned();
        };
        let digest = HMAC::mac(format!("{kind} {name}"), key);
        let digits: String = digest
            .iter()
            .take(5)
            .map(|byte| format!("{byte:02x}"))
            .collect();
        format!("{kind}-{digits}")
    }
}

impl fmt::Debug for Redactor {
    /// Without the key.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Redactor")
            .field("replaces", &self.0.is_some())
            .finish_non_exhaustive()
    }
}
