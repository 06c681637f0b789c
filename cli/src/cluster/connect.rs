//! The options that select a cluster, and the client for it.

use crate::exit::Exit;
use crate::failure::Failure;
use crate::output::warn;
use k8s_flowcontrol::client::http::Method;
use k8s_flowcontrol::config::{Config, ConfigError, Impersonation, Secret};
use k8s_flowcontrol::rules::matching::User;
use k8s_flowcontrol::{Client, Error};
use serde_json::Value;
use std::collections::HashSet;
use std::path::PathBuf;
use std::pin::Pin;
use std::sync::Mutex;
use std::time::Duration;

/// The application name in the user agent.
const APPLICATION: &str = concat!(env!("CARGO_PKG_NAME"), "/", env!("CARGO_PKG_VERSION"));

/// The options that select a cluster and a user, with kubectl's names.
///
/// All of them can precede the command too, see [`leading`](crate::command_line). Only the context and the kubeconfig are
/// shown in the help of each command; `options` shows all.
#[derive(Clone, Debug, Default, clap::Args)]
pub(crate) struct ClusterArgs {
    /// The context of the kubeconfig file; defaults to its current context
    #[arg(long, value_name = "NAME")]
    context: Option<String>,

    #[command(flatten)]
    access: AccessArgs,
}

/// The options besides the context: where contexts come from, and what replaces their parts.
#[derive(Clone, Debug, Default, clap::Args)]
pub(super) struct AccessArgs {
    /// The kubeconfig file; defaults to KUBECONFIG, ~/.kube/config or the service account of the pod
    #[arg(long, value_name = "FILE")]
    pub(super) kubeconfig: Option<PathBuf>,

    /// The address of the API server, instead of the context's
    #[arg(short, long, value_name = "URL", hide = true)]
    server: Option<String>,

    /// A bearer token, instead of the context's credentials
    #[arg(long, value_name = "TOKEN", hide = true)]
    token: Option<String>,

    /// The user to impersonate
    #[arg(long = "as", value_name = "USER", hide = true)]
    as_user: Option<String>,

    /// A group to impersonate; can be repeated
    #[arg(long, value_name = "GROUP", requires = "as_user", hide = true)]
    as_group: Vec<String>,

    /// The UID to impersonate
    #[arg(long, value_name = "UID", requires = "as_user", hide = true)]
    as_uid: Option<String>,

    /// The maximum time of a request, such as 1s, 2m or 3h; a number without a unit counts seconds, and 0 means no limit
    #[arg(long, value_name = "TIME", value_parser = timeout, hide = true)]
    request_timeout: Option<Duration>,
}

impl ClusterArgs {
    pub(super) fn new(access: AccessArgs, context: Option<String>) -> Self {
        Self { access, context }
    }

    /// Whether the command line names a cluster or a user. A command that can do without a cluster then uses the cluster.
    pub(crate) fn is_named(&self) -> bool {
        self.context.is_some() || self.access.is_named()
    }

    /// Whether the command line gives the maximum time of a request.
    pub(crate) fn has_timeout(&self) -> bool {
        self.access.request_timeout.is_some()
    }

    /// A client that does not print the warnings of the cluster.
    pub(crate) fn silent_client(&self) -> Result<Client, Failure> {
        Ok(Client::new(self.config()?)?)
    }

    pub(crate) async fn client(&self) -> Result<Client, Failure> {
        let printed = Mutex::new(HashSet::new());
        Ok(self.silent_client()?.on_warning(move |warning| {
            // Many responses carry the same warning, which is printed once.
            let is_new = printed
                .lock()
                .is_ok_and(|mut printed| printed.insert(warning.text().to_owned()));
            if is_new {
                // If the standard error is closed, warnings are lost.
                let _ = warn(warning.text());
            }
        }))
    }

    /// The configuration of the client.
    pub(crate) fn config(&self) -> Result<Config, ConfigError> {
        super::notices::print();
        let AccessArgs {
            kubeconfig,
            server,
            token,
            as_user,
            as_group,
            as_uid,
            request_timeout,
        } = &self.access;
        let mut builder = Config::builder().files(kubeconfig);
        if let Some(context) = &self.context {
            builder = builder.context(context);
        }
        if let Some(server) = server {
            builder = builder.server(address(server));
        }
        if let Some(timeout) = *request_timeout {
            builder = builder.timeout((!timeout.is_zero()).then_some(timeout));
        }
        let mut config = builder.build()?.with_application(APPLICATION)?;
        if let Some(token) = token {
            config = config.with_token(Secret::new(token.as_str()));
        }
        if let Some(user) = as_user {
            let user = Impersonation::new(user);
            let user = as_uid.iter().fold(user, Impersonation::uid);
            let user = as_group.iter().fold(user, Impersonation::group);
            config = config.with_impersonation(user)?;
        }
        Ok(config)
    }
}

impl AccessArgs {
    /// Whether a kubeconfig file, an address or a user is named.
    pub(super) fn is_named(&self) -> bool {
        let Self {
            kubeconfig,
            server,
            token,
            as_user,
            as_group: _,
            as_uid: _,
            request_timeout: _,
        } = self;
        let names = [server, token, as_user];
        kubeconfig.is_some() || names.into_iter().any(Option::is_some)
    }

    /// The given flag that can only be true of one cluster.
    pub(super) fn flag_of_one_cluster(&self) -> Option<&'static str> {
        let flags = [(&self.server, "--server"), (&self.token, "--token")];
        let mut given = flags.into_iter().filter(|(value, _)| value.is_some());
        given.next().map(|(_, flag)| flag)
    }
}

/// An address with its scheme: as for kubectl, a host without one uses HTTP.
fn address(server: &str) -> String {
    match server.contains("://") {
        true => server.to_owned(),
        false => format!("http://{server}"),
    }
}

/// A duration as kubectl reads it: parts such as `1m30s`, or a number of seconds.
pub(crate) fn timeout(text: &str) -> Result<Duration, String> {
    const UNITS: [(&str, f64); 4] = [("ms", 0.001), ("s", 1.0), ("m", 60.0), ("h", 3600.0)];
    let invalid = || format!("`{text}` is not a duration: expected a time such as 1s, 2m or 3h");
    if let Ok(seconds) = text.parse() {
        return Ok(Duration::from_secs(seconds));
    }
    let mut sum = 0.0;
    let mut rest = text;
    while !rest.is_empty() {
        let is_number = |c: char| c.is_ascii_digit() || c == '.';
        let (number, tail) = rest.split_at(rest.find(|c| !is_number(c)).ok_or_else(invalid)?);
        let (unit, tail) = tail.split_at(tail.find(is_number).unwrap_or(tail.len()));
        let number: f64 = number.parse().map_err(|_| invalid())?;
        let (_, seconds) = UNITS
            .into_iter()
            .find(|(name, _)| *name == unit)
            .ok_or_else(invalid)?;
        sum += number * seconds;
        rest = tail;
    }
    match text.is_empty() {
        true => Err(invalid()),
        false => Duration::try_from_secs_f64(sum).map_err(|_| invalid()),
    }
}

/// Runs asynchronous work until it ends, or until SIGINT or SIGTERM ends the program.
///
/// The signal drops the work, which kills exec plugins and their children: they do not always share the program's process group.
pub(crate) fn block_on<T>(work: impl Future<Output = Result<T, Failure>>) -> Result<T, Failure> {
    // Boxed, so that what follows is compiled once for each type, and not for each command.
    let work: Pin<Box<dyn Future<Output = _>>> = Box::pin(work);
    let result = block_on_to_the_end(async {
        // Before the work begins: a signal that comes at once must not end the program without it.
        let signal = signal();
        tokio::select! {
            // Work that handles the signal itself goes first.
            biased;
            result = work => result.map(Ok),
            code = signal => Ok(Err(code)),
        }
    })?;
    match result {
        Ok(value) => Ok(value),
        Err(code) => std::process::exit(code),
    }
}

/// Handles the signals that end the program from now on, and returns the exit code of the first.
fn signal() -> impl Future<Output = i32> {
    #[cfg(unix)]
    {
        use tokio::signal::unix::{SignalKind, signal};
        let signals = signal(SignalKind::interrupt())
            .and_then(|interrupt| Ok((interrupt, signal(SignalKind::terminate())?)));
        async move {
            // Without handlers, the signals end the program at once.
            let Ok((mut interrupt, mut terminate)) = signals else {
                return std::future::pending().await;
            };
            tokio::select! {
                _ = interrupt.recv() => Exit::Interrupted as i32,
                _ = terminate.recv() => Exit::Terminated as i32,
            }
        }
    }
    #[cfg(not(unix))]
    async {
        match tokio::signal::ctrl_c().await {
            Ok(()) => Exit::Interrupted as i32,
            Err(_) => std::future::pending().await,
        }
    }
}

/// Runs asynchronous work that handles signals itself.
pub(crate) fn block_on_to_the_end<T>(
    work: impl Future<Output = Result<T, Failure>>,
) -> Result<T, Failure> {
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()
        .map_err(|error| {
            Failure::new(
                Exit::Cluster,
                format!("cannot start the network runtime: {error}"),
            )
        })?;
    let work: Pin<Box<dyn Future<Output = _>>> = Box::pin(work);
    runtime.block_on(work)
}

impl From<ConfigError> for Failure {
    fn from(error: ConfigError) -> Self {
        Self::new(Exit::Cluster, error.to_string()).hint(
            "name a kubeconfig file with `--kubeconfig FILE` and a context with `--context NAME`, or a server with `--server URL`",
        )
    }
}

impl From<Error> for Failure {
    fn from(error: Error) -> Self {
        Self::from(&error)
    }
}

impl From<&Error> for Failure {
    fn from(error: &Error) -> Self {
        if error.is_decode() {
            let text = error.to_string();
            let (request, rest) = text.split_once(": expected ").unwrap_or((&text, ""));
            if rest.starts_with("Info ") || rest.contains('<') {
                let message =
                    format!("{request}: the response is not that of a Kubernetes API server");
                return Self::new(Exit::Cluster, message).hint(
                    "another program, such as a login page, may respond at the address; `--context`, `--kubeconfig` and `--server` choose the server",
                );
            }
        }
        let hint =
            "`--context`, `--kubeconfig` and `--server` choose the server, if another one is meant";
        let hint = error.is_connect().then(|| hint.to_owned());
        Self::new(Exit::Cluster, error.to_string())
            .hint_if(hint)
            .forbidden(error.is_forbidden())
    }
}

/// The user of the connection, with the groups, if the cluster tells.
pub(crate) async fn own_user(client: &Client) -> Option<User> {
    let review = r#"{"kind":"SelfSubjectReview","apiVersion":"authentication.k8s.io/v1"}"#;
    let path = "/apis/authentication.k8s.io/v1/selfsubjectreviews";
    let request = client
        .raw(Method::POST, path)
        .body("application/json", review);
    let answer: Value = serde_json::from_slice(&request.await.ok()?).ok()?;
    let info = &answer["status"]["userInfo"];
    let groups = info["groups"].as_array()?.iter();
    let groups: Vec<&str> = groups.filter_map(Value::as_str).collect();
    Some(User::new(info["username"].as_str()?, groups))
}
