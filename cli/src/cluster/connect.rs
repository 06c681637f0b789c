//! Which cluster is meant, and talking to it.

use crate::exit::Exit;
use crate::failure::Failure;
use crate::output::WARNING;
use k8s_flowcontrol::config::{Config, ConfigError};
use k8s_flowcontrol::{Client, Error};
use std::collections::HashSet;
use std::path::PathBuf;
use std::sync::Mutex;

/// What requests say that they come from.
const APPLICATION: &str = concat!(env!("CARGO_PKG_NAME"), "/", env!("CARGO_PKG_VERSION"));

/// Which cluster is meant.
#[derive(Clone, Debug, clap::Args)]
pub(crate) struct ClusterArgs {
    /// The kubeconfig file; otherwise those of KUBECONFIG, ~/.kube/config or the pod's service account
    #[arg(long, value_name = "FILE")]
    kubeconfig: Option<PathBuf>,

    /// The context of the kubeconfig file, instead of its current one
    #[arg(long, value_name = "NAME")]
    context: Option<String>,
}

impl ClusterArgs {
    /// A cluster by its context.
    pub(crate) fn new(kubeconfig: Option<PathBuf>, context: Option<String>) -> Self {
        Self {
            kubeconfig,
            context,
        }
    }

    /// A client of the cluster.
    pub(crate) async fn client(&self) -> Result<Client, Failure> {
        let said = Mutex::new(HashSet::new());
        let client = Client::new(self.config()?)?;
        Ok(client.on_warning(move |warning| {
            // Many requests are answered with the same warning; once is enough.
            let is_new = said
                .lock()
                .is_ok_and(|mut said| said.insert(warning.text().to_owned()));
            if is_new {
                anstream::eprintln!("{WARNING}warning:{WARNING:#} {}", warning.text());
            }
        }))
    }

    /// How the cluster is reached.
    pub(crate) fn config(&self) -> Result<Config, ConfigError> {
        let config = match (&self.kubeconfig, &self.context) {
            (Some(file), Some(context)) => Config::from_kubeconfig_context(file, context),
            (Some(file), None) => Config::from_kubeconfig(file),
            (None, None) => Config::try_default(),
            (None, Some(context)) => Config::try_default_context(context),
        }?;
        config.with_application(APPLICATION)
    }
}

/// Runs what waits for a server.
pub(crate) fn block_on<T>(work: impl Future<Output = Result<T, Failure>>) -> Result<T, Failure> {
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()
        .map_err(|error| {
            Failure::new(Exit::Cluster, format!("no connection is possible: {error}"))
        })?;
    runtime.block_on(work)
}

impl From<ConfigError> for Failure {
    fn from(error: ConfigError) -> Self {
        Self::new(Exit::Cluster, error.to_string()).hint(
            "name a kubeconfig file with `--kubeconfig FILE` and a context with `--context NAME`",
        )
    }
}

impl From<Error> for Failure {
    fn from(error: Error) -> Self {
        Self::new(Exit::Cluster, error.to_string())
    }
}
