//! The options that select a cluster, and the client for it.

use crate::exit::Exit;
use crate::failure::Failure;
use crate::output::warn;
use k8s_flowcontrol::config::{Config, ConfigError};
use k8s_flowcontrol::{Client, Error};
use std::collections::HashSet;
use std::path::PathBuf;
use std::sync::Mutex;

/// The application name in the user agent.
const APPLICATION: &str = concat!(env!("CARGO_PKG_NAME"), "/", env!("CARGO_PKG_VERSION"));

/// The options that select a cluster.
#[derive(Clone, Debug, clap::Args)]
pub(crate) struct ClusterArgs {
    /// The kubeconfig file; defaults to KUBECONFIG, ~/.kube/config or the service account of the pod
    #[arg(long, value_name = "FILE")]
    kubeconfig: Option<PathBuf>,

    /// The context of the kubeconfig file; defaults to its current context
    #[arg(long, value_name = "NAME")]
    context: Option<String>,
}

impl ClusterArgs {
    /// The cluster of a context.
    pub(crate) fn new(kubeconfig: Option<PathBuf>, context: Option<String>) -> Self {
        Self {
            kubeconfig,
            context,
        }
    }

    /// A client of the cluster.
    pub(crate) async fn client(&self) -> Result<Client, Failure> {
        let printed = Mutex::new(HashSet::new());
        let client = Client::new(self.config()?)?;
        Ok(client.on_warning(move |warning| {
            // Many responses carry the same warning, which is printed once.
            let is_new = printed
                .lock()
                .is_ok_and(|mut printed| printed.insert(warning.text().to_owned()));
            if is_new {
                // If the standard error is closed, nobody reads warnings.
                let _ = warn(warning.text());
            }
        }))
    }

    /// The configuration of the client.
    pub(crate) fn config(&self) -> Result<Config, ConfigError> {
        super::notices::print();
        let mut builder = Config::builder().files(&self.kubeconfig);
        if let Some(context) = &self.context {
            builder = builder.context(context);
        }
        builder.build()?.with_application(APPLICATION)
    }
}

/// Runs asynchronous work to its end.
pub(crate) fn block_on<T>(work: impl Future<Output = Result<T, Failure>>) -> Result<T, Failure> {
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()
        .map_err(|error| {
            Failure::new(
                Exit::Cluster,
                format!("cannot start the network runtime: {error}"),
            )
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
