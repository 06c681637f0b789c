//! Exec credential plugins.

mod credential;
mod group;
mod info;
mod run;
mod shared;
mod to_kubeconfig;

pub(crate) use credential::ExecCredential;
pub(crate) use shared::{Provider, SharedPlugin};
pub(crate) use to_kubeconfig::EXTENSION;

use serde_json::Value;
use std::fmt;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

/// The default maximum time of a run.
const TIMEOUT: Duration = Duration::from_secs(120);

/// A [credential plugin]: a program that prints a token or a client certificate.
///
/// It runs before the first request, again shortly before the credential expires, and after the server rejected the
/// credential (401). Concurrent requests share one run. A run before the expiry does not delay or fail requests: the old
/// credential is used until it expires, and a failure is a warning of `tracing` with the target `k8s_flowcontrol::config`.
/// Only plugins that read the standard input are waited for. A run ends, with the processes it started, when its time is
/// over or its client is dropped.
///
/// Its standard error is inherited; its standard output is never shown.
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
    /// The origin, for errors.
    origin: Arc<str>,
    command: PathBuf,
    args: Vec<String>,
    env: Vec<(String, String)>,
    version: ExecVersion,
    install_hint: Option<String>,
    interactive_mode: InteractiveMode,
    provide_cluster_info: bool,
    /// The kubeconfig's data for the plugin.
    cluster_config: Option<Value>,
    timeout: Duration,
    renew_before: Option<Duration>,
}

/// A version of the API `client.authentication.k8s.io`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum ExecVersion {
    /// `client.authentication.k8s.io/v1`
    V1,
    /// `client.authentication.k8s.io/v1beta1`
    V1Beta1,
}

/// Whether a plugin may read the standard input of the program, for instance to prompt for a password.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum InteractiveMode {
    /// The plugin does not get the standard input.
    Never,
    /// The plugin gets the standard input if that is a terminal.
    IfAvailable,
    /// The plugin requires the standard input. Requests fail if that is not a terminal.
    Always,
}

impl ExecPlugin {
    /// A plugin. A command without `/` is looked up in the `PATH` of the program.
    ///
    /// Defaults to version v1, no standard input, and a timeout of 120 s.
    pub fn new(command: impl Into<PathBuf>) -> Self {
        Self {
            origin: "exec plugin".into(),
            command: command.into(),
            args: Vec::new(),
            env: Vec::new(),
            version: ExecVersion::V1,
            install_hint: None,
            interactive_mode: InteractiveMode::Never,
            provide_cluster_info: false,
            cluster_config: None,
            timeout: TIMEOUT,
            renew_before: None,
        }
    }

    /// Adds arguments.
    #[must_use]
    pub fn args<T: Into<String>>(mut self, args: impl IntoIterator<Item = T>) -> Self {
        self.args.extend(args.into_iter().map(Into::into));
        self
    }

    /// Adds an environment variable. The plugin inherits the program's environment.
    #[must_use]
    pub fn env(mut self, name: impl Into<String>, value: impl Into<String>) -> Self {
        self.env.push((name.into(), value.into()));
        self
    }

    /// The API version of the plugin. Defaults to v1.
    #[must_use]
    pub fn version(mut self, version: ExecVersion) -> Self {
        self.version = version;
        self
    }

    /// The hint shown if the plugin cannot be started, such as how to install it.
    #[must_use]
    pub fn install_hint(mut self, hint: impl Into<String>) -> Self {
        self.install_hint = Some(hint.into());
        self
    }

    /// Whether the plugin may read the standard input. Defaults to [`InteractiveMode::Never`].
    #[must_use]
    pub fn interactive_mode(mut self, mode: InteractiveMode) -> Self {
        self.interactive_mode = mode;
        self
    }

    /// Whether `KUBERNETES_EXEC_INFO` contains the cluster. Defaults to `false`.
    #[must_use]
    pub fn provide_cluster_info(mut self, provide: bool) -> Self {
        self.provide_cluster_info = provide;
        self
    }

    /// Additional data for the plugin, as `spec.cluster.config` of `KUBERNETES_EXEC_INFO`. Requires
    /// [`provide_cluster_info`](Self::provide_cluster_info).
    #[must_use]
    pub fn cluster_config(mut self, config: Value) -> Self {
        self.cluster_config = Some(config);
        self
    }

    /// The maximum time of a run. Defaults to 120 s. A run with the standard input has no limit.
    #[must_use]
    pub fn timeout(mut self, timeout: Duration) -> Self {
        self.timeout = timeout;
        self
    }

    /// The time before the expiry of a credential at which the plugin runs again. Defaults to a minute, or a tenth of a
    /// shorter lifetime.
    ///
    /// Set it to more than the plugin takes. It runs at most every five seconds before the expiry.
    #[must_use]
    pub fn renew_before(mut self, time: Duration) -> Self {
        self.renew_before = Some(time);
        self
    }

    pub(crate) fn with_origin(mut self, origin: impl Into<Arc<str>>) -> Self {
        self.origin = origin.into();
        self
    }

    pub(crate) fn origin(&self) -> &str {
        &self.origin
    }
}

/// Omits arguments and the values of variables, which may be secret.
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
