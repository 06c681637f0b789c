//! Programs that say who one is.

mod credential;
mod info;
mod run;
mod shared;

pub(crate) use credential::ExecCredential;
pub(crate) use shared::SharedPlugin;

use serde_json::Value;
use std::fmt;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

/// How long a plugin may take that talks to nobody.
const TIMEOUT: Duration = Duration::from_secs(120);

/// A [credential plugin]: a program that prints a token or a client certificate.
///
/// It is run when the first request is sent, again shortly before what it said expires, and when the server does
/// not accept it (401). Requests that need it at the same time share one run. Its standard error goes to the
/// program's own, its standard output is never shown.
///
/// [credential plugin]: https://kubernetes.io/docs/reference/access-authn-authz/authentication/#client-go-credential-plugins
///
/// ```
/// use k8s_flowcontrol::config::{Config, ExecPlugin};
///
/// let plugin = ExecPlugin::new("aws").args(["eks", "get-token", "--cluster-name", "prod"]);
/// let config = Config::new("https://10.0.0.1:6443")?.with_exec(plugin);
/// # Ok::<(), k8s_flowcontrol::config::ConfigError>(())
/// ```
#[derive(Clone)]
pub struct ExecPlugin {
    place: Arc<str>,
    command: PathBuf,
    args: Vec<String>,
    env: Vec<(String, String)>,
    version: ExecVersion,
    install_hint: Option<String>,
    interactive_mode: InteractiveMode,
    provide_cluster_info: bool,
    /// What the kubeconfig says to the plugin about the cluster.
    cluster_config: Option<Value>,
    timeout: Duration,
}

/// The version of the API `client.authentication.k8s.io` that a plugin speaks.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum ExecVersion {
    /// `client.authentication.k8s.io/v1`
    V1,
    /// `client.authentication.k8s.io/v1beta1`
    V1Beta1,
}

/// Whether a plugin may ask a person, over the standard input of the program.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum InteractiveMode {
    /// It never gets the standard input.
    Never,
    /// It gets the standard input if that is a terminal.
    IfAvailable,
    /// It cannot do without; requests fail if the standard input is no terminal.
    Always,
}

impl ExecPlugin {
    /// A program: one of `PATH` when it has no `/` in it. It speaks v1, takes no input, and has 120 s.
    pub fn new(command: impl Into<PathBuf>) -> Self {
        Self {
            place: "exec plugin".into(),
            command: command.into(),
            args: Vec::new(),
            env: Vec::new(),
            version: ExecVersion::V1,
            install_hint: None,
            interactive_mode: InteractiveMode::Never,
            provide_cluster_info: false,
            cluster_config: None,
            timeout: TIMEOUT,
        }
    }

    /// More arguments.
    #[must_use]
    pub fn args<T: Into<String>>(mut self, args: impl IntoIterator<Item = T>) -> Self {
        self.args.extend(args.into_iter().map(Into::into));
        self
    }

    /// One more variable of the plugin's environment, beside the program's own.
    #[must_use]
    pub fn env(mut self, name: impl Into<String>, value: impl Into<String>) -> Self {
        self.env.push((name.into(), value.into()));
        self
    }

    /// The version that the plugin speaks.
    #[must_use]
    pub fn version(mut self, version: ExecVersion) -> Self {
        self.version = version;
        self
    }

    /// What to tell people who lack the plugin.
    #[must_use]
    pub fn install_hint(mut self, hint: impl Into<String>) -> Self {
        self.install_hint = Some(hint.into());
        self
    }

    /// Whether the plugin may ask a person.
    #[must_use]
    pub fn interactive_mode(mut self, mode: InteractiveMode) -> Self {
        self.interactive_mode = mode;
        self
    }

    /// Whether the plugin is told of the server, in the variable `KUBERNETES_EXEC_INFO`.
    #[must_use]
    pub fn provide_cluster_info(mut self, provide: bool) -> Self {
        self.provide_cluster_info = provide;
        self
    }

    /// What the plugin is told besides, as `spec.cluster.config`; only with
    /// [`provide_cluster_info`](Self::provide_cluster_info).
    #[must_use]
    pub fn cluster_config(mut self, config: Value) -> Self {
        self.cluster_config = Some(config);
        self
    }

    /// How long a run may take; 120 s unless said otherwise. One that talks to a person has no limit.
    #[must_use]
    pub fn timeout(mut self, timeout: Duration) -> Self {
        self.timeout = timeout;
        self
    }

    pub(super) fn placed(mut self, place: impl Into<Arc<str>>) -> Self {
        self.place = place.into();
        self
    }

    pub(super) fn place(&self) -> &str {
        &self.place
    }
}

/// Arguments and the values of variables are not shown: they may be secret.
impl fmt::Debug for ExecPlugin {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let variables: Vec<_> = self.env.iter().map(|(name, _)| name).collect();
        f.debug_struct("ExecPlugin")
            .field("command", &self.command)
            .field("args", &self.args.len())
            .field("env", &variables)
            .field("version", &self.version)
            .field("interactive_mode", &self.interactive_mode)
            .field("provide_cluster_info", &self.provide_cluster_info)
            .field("timeout", &self.timeout)
            .finish_non_exhaustive()
    }
}
