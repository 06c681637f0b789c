//! Loading a configuration: kubeconfig files, text and values, the environment, the service account of a pod.

use super::kubeconfig;
use super::kubeconfig::{Kubeconfig, Selection};
use super::{Config, ConfigError, Secret, in_cluster};
use serde::Serialize;
use std::path::PathBuf;
use std::time::Duration;

/// Loads a [`Config`], made by [`Config::builder`].
///
/// Without a source it loads the configuration that kubectl would use. Several kubeconfigs are merged in the order of the
/// calls, like the files of `KUBECONFIG`: the first one with a value is used, and missing files are skipped.
///
/// ```no_run
/// use k8s_flowcontrol::config::Config;
/// use std::time::Duration;
///
/// // The files of kubectl, another context, and some of its values replaced.
/// let config = Config::builder()
///     .context("production")
///     .user("auditor")
///     .namespace("kube-system")
///     .timeout(Duration::from_secs(20))
///     .build()?;
///
/// // One file; a relative path starts at the working directory.
/// let config = Config::builder().file("clusters/staging.yaml").build()?;
///
/// // The service account of the pod that the program runs in.
/// let config = Config::builder().in_cluster().build()?;
/// # Ok::<(), k8s_flowcontrol::config::ConfigError>(())
/// ```
#[derive(Clone, Debug, Default)]
#[must_use = "a builder does nothing until `build` is called"]
pub struct ConfigBuilder {
    kubeconfigs: Vec<Kubeconfig>,
    in_cluster: bool,
    selection: Selection,
    server: Option<String>,
    namespace: Option<String>,
    /// May contain a password.
    proxy: Option<Secret>,
    timeout: Option<Option<Duration>>,
    connect_timeout: Option<Duration>,
}

/// # Sources
impl ConfigBuilder {
    /// Adds a kubeconfig file.
    pub fn file(self, file: impl Into<PathBuf>) -> Self {
        self.source(Kubeconfig::File(file.into()))
    }

    /// Adds kubeconfig files.
    pub fn files<P: Into<PathBuf>>(self, files: impl IntoIterator<Item = P>) -> Self {
        files.into_iter().fold(self, Self::file)
    }

    /// Adds kubeconfig text, YAML or JSON. Relative paths in it start at the working directory.
    pub fn text(self, text: impl AsRef<str>) -> Self {
        self.source(Kubeconfig::Text(Secret::new(text.as_ref())))
    }

    /// Adds a kubeconfig that was parsed before: a [`serde_json::Value`], or any type with the fields of a kubeconfig,
    /// such as `kube::config::Kubeconfig`. Relative paths in it start at the working directory.
    ///
    /// ```
    /// use k8s_flowcontrol::config::Config;
    ///
    /// let parsed = serde_json::json!({
    ///     "current-context": "here",
    ///     "contexts": [{"name": "here", "context": {"cluster": "c", "namespace": "team"}}],
    ///     "clusters": [{"name": "c", "cluster": {"server": "https://10.0.0.1:6443"}}],
    /// });
    /// let config = Config::builder().kubeconfig_value(parsed).build()?;
    /// assert_eq!(config.server_url(), "https://10.0.0.1:6443/");
    /// assert_eq!(config.namespace(), "team");
    /// # Ok::<(), k8s_flowcontrol::config::ConfigError>(())
    /// ```
    pub fn kubeconfig_value(self, kubeconfig: impl Serialize) -> Self {
        self.source(Kubeconfig::of_value(&kubeconfig))
    }

    /// Uses the service account of the pod that the program runs in, whether or not there are kubeconfig files.
    ///
    /// It cannot be combined with kubeconfigs, a context, a cluster or a user.
    pub fn in_cluster(mut self) -> Self {
        self.in_cluster = true;
        self
    }

    fn source(mut self, kubeconfig: Kubeconfig) -> Self {
        self.kubeconfigs.push(kubeconfig);
        self
    }
}

/// # Overrides
///
/// [`Config`] has a `with_…` method for every other setting, which changes the loaded configuration.
impl ConfigBuilder {
    /// Uses a context by name. Defaults to the current context of the kubeconfigs.
    pub fn context(mut self, name: impl Into<String>) -> Self {
        self.selection.context = Some(name.into());
        self
    }

    /// Uses a cluster by name instead of the context's, like kubectl's `--cluster`.
    ///
    /// A context is then optional. Without a context, requests have credentials only if [`user`](Self::user) names them.
    pub fn cluster(mut self, name: impl Into<String>) -> Self {
        self.selection.cluster = Some(name.into());
        self
    }

    /// Uses the credentials of a user by name instead of the context's, like kubectl's `--user`.
    pub fn user(mut self, name: impl Into<String>) -> Self {
        self.selection.user = Some(name.into());
        self
    }

    /// Replaces the address of the cluster's server, like kubectl's `--server`.
    ///
    /// A kubeconfig is then optional. Without a kubeconfig, requests do not have credentials.
    pub fn server(mut self, url: impl Into<String>) -> Self {
        self.server = Some(url.into());
        self
    }

    /// Replaces the namespace of the context, see [`Config::with_namespace`].
    pub fn namespace(mut self, namespace: impl Into<String>) -> Self {
        self.namespace = Some(namespace.into());
        self
    }

    /// Replaces the proxy of the cluster and of the environment, see [`Config::with_proxy`].
    pub fn proxy(mut self, url: impl AsRef<str>) -> Self {
        self.proxy = Some(Secret::new(url.as_ref()));
        self
    }

    /// Replaces the maximum time of a request, see [`Config::with_timeout`].
    pub fn timeout(mut self, timeout: impl Into<Option<Duration>>) -> Self {
        self.timeout = Some(timeout.into());
        self
    }

    /// Replaces the maximum time to connect, see [`Config::with_connect_timeout`].
    pub fn connect_timeout(mut self, timeout: Duration) -> Self {
        self.connect_timeout = Some(timeout);
        self
    }
}

impl ConfigBuilder {
    /// Loads the configuration.
    ///
    /// # Errors
    /// If the configuration is missing, a source cannot be read or is invalid, or a context, cluster or user does not exist.
    /// The error names the file, the context and the field.
    pub fn build(self) -> Result<Config, ConfigError> {
        let mut config = match &self.server {
            Some(server) if self.has_no_source() => Config::new(server)?,
            Some(server) => self.load()?.at_server(server)?,
            None => self.load()?,
        };
        if let Some(namespace) = self.namespace {
            config = config.with_namespace(namespace);
        }
        if let Some(url) = self.proxy {
            config = config.with_proxy(url.expose())?;
        }
        if let Some(timeout) = self.timeout {
            config = config.with_timeout(timeout);
        }
        if let Some(timeout) = self.connect_timeout {
            config = config.with_connect_timeout(timeout);
        }
        Ok(config)
    }

    /// The names of all contexts of the kubeconfigs, without duplicates, and the current context.
    ///
    /// # Errors
    /// If a kubeconfig is missing or cannot be read.
    ///
    /// ```
    /// use k8s_flowcontrol::config::Config;
    ///
    /// let text = "current-context: b\ncontexts: [{name: a}, {name: b}]";
    /// let (names, current) = Config::builder().text(text).contexts()?;
    /// assert_eq!(names, ["a", "b"]);
    /// assert_eq!(current.as_deref(), Some("b"));
    /// # Ok::<(), k8s_flowcontrol::config::ConfigError>(())
    /// ```
    pub fn contexts(self) -> Result<(Vec<String>, Option<String>), ConfigError> {
        let kubeconfigs = match self.kubeconfigs.is_empty() {
            true => kubeconfig::of_environment()
                .ok_or_else(|| ConfigError::new(format!("there are no contexts: {NO_FILES}")))?,
            false => self.kubeconfigs,
        };
        kubeconfig::contexts(&kubeconfigs)
    }

    /// Whether there is nothing to load: no kubeconfig, no service account, and no name that needs them.
    fn has_no_source(&self) -> bool {
        let is_given = self.in_cluster || !self.kubeconfigs.is_empty();
        let exists = || {
            let files = kubeconfig::of_environment().unwrap_or_default();
            in_cluster::is_inside() || files.iter().any(Kubeconfig::exists)
        };
        !is_given && self.selection.first().is_none() && !exists()
    }

    fn load(&self) -> Result<Config, ConfigError> {
        let selects = self.selection.first();
        if self.in_cluster {
            let other = match selects {
                Some((kind, _)) => Some(kind),
                None => (!self.kubeconfigs.is_empty()).then_some("kubeconfig"),
            };
            return match other {
                None => in_cluster::load(),
                Some(other) => Err(ConfigError::new(format!(
                    "the service account of the pod cannot be combined with a {other}; remove one of the two"
                ))),
            };
        }
        if !self.kubeconfigs.is_empty() {
            return kubeconfig::load(&self.kubeconfigs, &self.selection);
        }
        let is_inside = selects.is_none() && in_cluster::is_inside();
        match (kubeconfig::of_environment(), selects) {
            (Some(files), _) if !is_inside || files.iter().any(Kubeconfig::exists) => {
                kubeconfig::load(&files, &self.selection)
            }
            _ if is_inside => in_cluster::load(),
            (_, Some((kind, name))) => Err(ConfigError::new(format!(
                "the {kind} `{name}` does not exist: {NO_FILES}"
            ))),
            _ => Err(ConfigError::new(
                "no configuration found: KUBECONFIG is not set, ~/.kube/config does not exist, and the program does not \
                 run in a pod; set KUBECONFIG or create ~/.kube/config",
            )),
        }
    }
}

impl Config {
    /// Loads a configuration from kubeconfigs, the environment or the service account of a pod.
    pub fn builder() -> ConfigBuilder {
        ConfigBuilder::default()
    }

    /// The configuration that kubectl would use: the kubeconfig files of `KUBECONFIG`, else `~/.kube/config`, else the
    /// service account of the pod that the program runs in.
    ///
    /// # Errors
    /// If none of them exists or one is invalid. The error names the file, the context and the field.
    pub fn try_default() -> Result<Self, ConfigError> {
        Self::builder().build()
    }
}

const NO_FILES: &str = "KUBECONFIG is not set and ~/.kube/config does not exist";
