//! The options that select one or many clusters, or files, or both.

use super::connect::{AccessArgs, ClusterArgs};
use crate::documents::FileArgs;
use crate::failure::Failure;
use k8s_flowcontrol::config::{Config, ConfigError};

/// The options that select clusters and a user, with kubectl's names.
#[derive(Clone, Debug, clap::Args)]
pub(crate) struct ClustersArgs {
    /// A context of the kubeconfig file; can be repeated. Defaults to the current context
    #[arg(long = "context", value_name = "NAME")]
    contexts: Vec<String>,

    #[command(flatten)]
    access: AccessArgs,
}

/// A cluster, and the name of its context. A pod does not have contexts.
pub(crate) type Named = (Option<String>, ClusterArgs);

impl ClustersArgs {
    /// Whether the command line names a cluster or a user.
    pub(crate) fn is_named(&self) -> bool {
        !self.contexts.is_empty() || self.access.is_named()
    }

    /// The clusters of the named contexts, each once, or else of the current context.
    /// Errors: if there are several, and a flag can only be true of one.
    pub(crate) fn clusters(&self) -> Result<Vec<Named>, Failure> {
        let mut contexts = Vec::new();
        for name in self.contexts.iter().cloned().map(Some) {
            if !contexts.contains(&name) {
                contexts.push(name);
            }
        }
        if contexts.is_empty() {
            contexts.push(self.current());
        }
        self.of(contexts)
    }

    /// The clusters of all contexts.
    pub(crate) fn all(&self) -> Result<Vec<Named>, Failure> {
        let (names, _) = self.known()?;
        if names.is_empty() {
            return Err(Failure::input("the kubeconfig file contains no contexts"));
        }
        self.of(names.into_iter().map(Some).collect())
    }

    /// Whether there is a cluster: a named cluster, the cluster of the current context, or the cluster of this pod.
    pub(crate) fn has_any(&self) -> bool {
        !self.contexts.is_empty()
            || self.access.flag_of_one_cluster().is_some()
            || self.current().is_some()
            || std::env::var_os("KUBERNETES_SERVICE_HOST").is_some()
    }

    /// The current context, if there is one.
    fn current(&self) -> Option<String> {
        self.known().ok().and_then(|(_, current)| current)
    }

    fn known(&self) -> Result<(Vec<String>, Option<String>), ConfigError> {
        Config::builder().files(&self.access.kubeconfig).contexts()
    }

    fn of(&self, contexts: Vec<Option<String>>) -> Result<Vec<Named>, Failure> {
        if let (2.., Some(flag)) = (contexts.len(), self.access.flag_of_one_cluster()) {
            let message = format!("`{flag}` is for one cluster, not for {}", contexts.len());
            return Err(Failure::usage(message).hint("run the command once for each context"));
        }
        let cluster = |context: Option<String>| {
            let cluster = ClusterArgs::new(self.access.clone(), context.clone());
            (context, cluster)
        };
        Ok(contexts.into_iter().map(cluster).collect())
    }
}

/// The options for the objects of files, or instead for the objects of a cluster.
#[derive(Clone, Debug, clap::Args)]
pub(crate) struct LiveOrFiles {
    #[command(flatten)]
    pub(crate) files: FileArgs,

    /// Use the objects of a cluster, as if the files were applied to it; naming one, as with `--context`, does the same
    #[arg(long)]
    live: bool,

    #[command(flatten)]
    cluster: ClusterArgs,
}

impl LiveOrFiles {
    /// The cluster, if it is used.
    pub(crate) fn cluster(&self) -> Option<&ClusterArgs> {
        (self.live || self.cluster.is_named()).then_some(&self.cluster)
    }
}
