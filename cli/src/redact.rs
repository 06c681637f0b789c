//! `--redact`: names replaced consistently.

use crate::failure::Failure;
use hmac_sha256::HMAC;

/// The option for the names of users and namespaces.
#[derive(Clone, Debug, clap::Args)]
pub(crate) struct RedactArg {
    /// Replace the names of users and namespaces by other words, the same name always by the same word. With KEY the words are the same
    /// in all runs with that key
    #[arg(long, value_name = "KEY", num_args = 0..=1, require_equals = true, default_missing_value = "")]
    redact: Option<String>,
}

impl RedactArg {
    /// The words for this run.
    ///
    /// # Errors
    /// If a random key is needed, and the system has none.
    pub(crate) fn redactor(&self) -> Result<Redactor, Failure> {
        Redactor::new(self.redact.as_deref()).map_err(|error| {
            Failure::input(format!("cannot get a random key: {error}")).hint("use `--redact=KEY`")
        })
    }
}

/// Replaces names of users and namespaces, the same name always by the same word.
pub(crate) struct Redactor(Option<Vec<u8>>);

const SERVICE_ACCOUNT: &str = "system:serviceaccount:";
const NODE: &str = "system:node:";

const BOOTSTRAP: &str = "system:bootstrap:";
const NAMESPACES: [&str; 3] = ["kube-system", "kube-public", "kube-node-lease"];
/// The users of Kubernetes' own components.
const USERS: [&str; 8] = [
    "system:admin",
    "system:anonymous",
    "system:apiserver",
    "system:kube-controller-manager",
    "system:kube-proxy",
    "system:kube-scheduler",
    "system:cloud-controller-manager",
    "system:unsecured",
];
#[cfg(feature = "parquet")]
const GROUPS: [&str; 8] = [
    "system:authenticated",
    "system:bootstrappers",
    "system:masters",
    "system:monitoring",
    "system:node-proxier",
    "system:nodes",
    "system:serviceaccounts",
    "system:unauthenticated",
];
#[cfg(feature = "parquet")]
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
    /// Without a key, names are replaced by other words in every run. `None` replaces nothing.
    fn new(key: Option<&str>) -> Result<Self, getrandom::Error> {
        let key = match key {
            Some("") => {
                let mut random = [0; 32];
                getrandom::fill(&mut random)?;
                Some(random.to_vec())
            }
            key => key.map(|key| key.as_bytes().to_vec()),
        };
        Ok(Self(key))
    }

    /// The word for a user. The names of Kubernetes' own components stay.
    pub(crate) fn user(&self, name: &str) -> String {
        if self.0.is_none() || name.is_empty() {
            return name.to_owned();
        }
        if let Some(account) = name.strip_prefix(SERVICE_ACCOUNT) {
            let (namespace, account) = account.split_once(':').unwrap_or((account, ""));
            return match namespace == "kube-system" {
                true => name.to_owned(),
                false => format!(
                    "{SERVICE_ACCOUNT}{}:{}",
                    self.namespace(namespace),
                    self.word("account", account)
                ),
            };
        }
        match name.strip_prefix(NODE) {
            Some(node) => format!("{NODE}{}", self.word("node", node)),
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
    pub(crate) fn user_agent(&self, name: &str) -> String {
        match name {
            "" => String::new(),
            name => self.word("agent", name),
        }
    }

    /// The word for the path of a non-resource request. The paths that every server has stay.
    #[cfg(feature = "parquet")]
    pub(crate) fn path(&self, path: &str) -> String {
        match self.0.is_none() || PATHS.contains(&path) {
            true => path.to_owned(),
            false => self.word("path", path),
        }
    }

    /// The word for a namespace.
    pub(crate) fn namespace(&self, name: &str) -> String {
        match name {
            "" | "default" => name.to_owned(),
            name if self.0.is_none() || NAMESPACES.contains(&name) => name.to_owned(),
            name => self.word("namespace", name),
        }
    }

    /// The word for a group. The groups of Kubernetes stay, but for the namespaces in their names.
    #[cfg(feature = "parquet")]
    pub(crate) fn group(&self, name: &str) -> String {
        if self.0.is_none() || name.is_empty() {
            return name.to_owned();
        }
        const OF_NAMESPACE: &str = "system:serviceaccounts:";
        match name.strip_prefix(OF_NAMESPACE) {
            Some(namespace) => format!("{OF_NAMESPACE}{}", self.namespace(namespace)),
            None => self.of_system("group", &GROUPS, name),
        }
    }

    /// The word for the name of an object. A namespace and a node have the same word as elsewhere.
    #[cfg(feature = "parquet")]
    pub(crate) fn object(&self, resource: &str, name: &str) -> String {
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

#[cfg(test)]
mod tests {
    use super::Redactor;

    #[test]
    fn the_same_name_has_the_same_word() {
        let redactor = Redactor::new(Some("key")).unwrap();
        let other_run = Redactor::new(Some("key")).unwrap();
        assert_eq!(redactor.user("alice"), other_run.user("alice"));
        assert_ne!(redactor.user("alice"), redactor.user("bob"));
        assert_ne!(
            redactor.user("alice"),
            Redactor::new(Some("")).unwrap().user("alice")
        );
        let account = redactor.user("system:serviceaccount:team-a:builder");
        assert!(
            account.starts_with("system:serviceaccount:namespace-"),
            "{account}"
        );
        assert!(
            !account.contains("team-a") && !account.contains("builder"),
            "{account}"
        );
        assert!(account.contains(&redactor.namespace("team-a")));
        for hidden in ["system:bootstrap:abc123", "system:acme-robot", "kube-acme"] {
            let word = redactor.user(hidden) + &redactor.namespace("kube-acme");
            assert!(!word.contains("abc123") && !word.contains("acme"), "{word}");
        }
        for kept in [
            "system:kube-scheduler",
            "system:serviceaccount:kube-system:job-controller",
            "",
        ] {
            assert_eq!(redactor.user(kept), kept);
        }
        assert_eq!(Redactor::new(None).unwrap().user("alice"), "alice");
    }

    #[cfg(feature = "parquet")]
    #[test]
    fn groups_and_objects_have_words_too() {
        let redactor = Redactor::new(Some("key")).unwrap();
        let of_namespace = redactor.group("system:serviceaccounts:team-a");
        assert!(of_namespace.ends_with(&redactor.namespace("team-a")));
        assert!(redactor.group("team-a").starts_with("group-"));
        assert_eq!(redactor.group("system:masters"), "system:masters");
        let node = redactor.user("system:node:n1");
        assert!(node.ends_with(&redactor.object("nodes", "n1")), "{node}");
        assert_eq!(
            redactor.object("namespaces", "team-a"),
            redactor.namespace("team-a")
        );
        assert!(redactor.object("secrets", "s").starts_with("name-"));
        assert_eq!(Redactor::new(None).unwrap().object("secrets", "s"), "s");
    }
}
