//! `--redact`: names replaced consistently.

use hmac_sha256::HMAC;
use std::collections::hash_map::RandomState;
use std::hash::BuildHasher;

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
    pub(crate) fn redactor(&self) -> Redactor {
        Redactor::new(self.redact.as_deref())
    }
}

/// Replaces names of users and namespaces, the same name always by the same word.
pub(crate) struct Redactor(Option<Vec<u8>>);

const SERVICE_ACCOUNT: &str = "system:serviceaccount:";
const NODE: &str = "system:node:";

impl Redactor {
    /// Without a key, names are replaced by other words in every run. `None` replaces nothing.
    fn new(key: Option<&str>) -> Self {
        Self(key.map(|key| {
            match key.is_empty() {
                false => key.as_bytes().to_vec(),
                // A thread's random states have 128 random bits together, which nobody can try out.
                true => [
                    RandomState::new().hash_one(0),
                    RandomState::new().hash_one(1),
                ]
                .map(u64::to_le_bytes)
                .concat(),
            }
        }))
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
            None if name.starts_with("system:") => name.to_owned(),
            None => self.word("user", name),
        }
    }

    /// The word for a namespace.
    pub(crate) fn namespace(&self, name: &str) -> String {
        match name {
            "" | "default" => name.to_owned(),
            name if self.0.is_none() || name.starts_with("kube-") => name.to_owned(),
            name => self.word("namespace", name),
        }
    }

    /// The word for a group. The groups of Kubernetes stay, but for the namespaces in their names.
    #[cfg(feature = "parquet")]
    pub(crate) fn group(&self, name: &str) -> String {
        const OF_NAMESPACE: &str = "system:serviceaccounts:";
        match name.strip_prefix(OF_NAMESPACE) {
            Some(namespace) => format!("{OF_NAMESPACE}{}", self.namespace(namespace)),
            None if name.is_empty() || name.starts_with("system:") => name.to_owned(),
            None => self.word("group", name),
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
        let redactor = Redactor::new(Some("key"));
        let other_run = Redactor::new(Some("key"));
        assert_eq!(redactor.user("alice"), other_run.user("alice"));
        assert_ne!(redactor.user("alice"), redactor.user("bob"));
        assert_ne!(
            redactor.user("alice"),
            Redactor::new(Some("")).user("alice")
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
        for kept in [
            "system:kube-scheduler",
            "system:serviceaccount:kube-system:job-controller",
            "",
        ] {
            assert_eq!(redactor.user(kept), kept);
        }
        assert_eq!(Redactor::new(None).user("alice"), "alice");
    }

    #[cfg(feature = "parquet")]
    #[test]
    fn groups_and_objects_have_words_too() {
        let redactor = Redactor::new(Some("key"));
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
        assert_eq!(Redactor::new(None).object("secrets", "s"), "s");
    }
}
