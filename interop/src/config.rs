//! Conversion from and to the configurations of kube.
//!
//! | from | to | |
//! |---|---|---|
//! | [`kube::Config`] | [`Config`] | [`from_kube`] |
//! | [`Config`] | [`kube::Config`] | [`to_kube`] |
//! | [`Kubeconfig`] | [`Config`] | [`Config::builder`] and its method `kubeconfig_value` |
//! | [`Config`] | [`Kubeconfig`] | [`Config::to_kubeconfig`] and [`serde_json::from_value`] |
//!
//! ```
//! use k8s_flowcontrol::config::Config;
//! use kube::config::Kubeconfig;
//!
//! let text = "
//! current-context: here
//! contexts: [{name: here, context: {cluster: c, user: u}}]
//! clusters: [{name: c, cluster: {server: 'https://10.0.0.1:6443'}}]
//! users: [{name: u, user: {token: secret}}]
//! ";
//! let kubeconfig = Kubeconfig::from_yaml(text)?;
//! let config = Config::builder().kubeconfig_value(&kubeconfig).context("here").build()?;
//! let kubeconfig: Kubeconfig = serde_json::from_value(config.to_kubeconfig())?;
//! assert_eq!(kubeconfig.clusters[0].cluster.as_ref().unwrap().server.as_deref(), Some("https://10.0.0.1:6443"));
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

use base64::Engine as _;
use base64::prelude::BASE64_STANDARD;
use k8s_flowcontrol::client::RetryPolicy;
use k8s_flowcontrol::config::Config;
use kube::config::{AuthInfo, Kubeconfig};
use serde_json::{Map, Value, json};
use std::error::Error as StdError;
use std::fmt;

const NAME: &str = "kube";

/// The error of a configuration that cannot be converted. It does not contain secrets.
#[derive(Debug)]
pub struct Error(Box<dyn StdError + Send + Sync>);

/// A configuration from kube's.
///
/// The credentials are the same as kube's: user name with password, else the token, else the token file, else the exec
/// plugin; and the client certificate. The proxy is kube's too: the environment is ignored. `default_retry: false` turns
/// off retries. Other settings for requests keep their defaults, also the time limit of a request, because kube's timeouts
/// limit single reads and writes.
///
/// # Errors
/// If the configuration is invalid, or contains headers, the removal of environment variables for an exec plugin
/// (`drop_env`), or an `auth-provider`.
pub fn from_kube(config: &kube::Config) -> Result<Config, Error> {
    if !config.headers.is_empty() {
        return Err(Error::new(
            "headers: they cannot be converted; set them with `Client::with_header`",
        ));
    }
    let user = &config.auth_info;
    if user
        .exec
        .as_ref()
        .is_some_and(|exec| exec.drop_env.is_some())
    {
        return Err(Error::new("exec: drop_env cannot be converted"));
    }
    let kubeconfig = json!({
        "current-context": NAME,
        "contexts": [{
            "name": NAME,
            "context": {"cluster": NAME, "user": NAME, "namespace": config.default_namespace},
        }],
        "clusters": [{"name": NAME, "cluster": cluster(config)?}],
        "users": [{"name": NAME, "user": credentials(user)?}],
    });
    let converted = Config::builder().kubeconfig_value(kubeconfig).build();
    let mut converted = converted.map_err(Error::new)?;
    if config.proxy_url.is_none() {
        converted = converted.without_proxy();
    }
    if let Some(timeout) = config.connect_timeout {
        converted = converted.with_connect_timeout(timeout);
    }
    if !config.default_retry {
        converted = converted.with_retry_policy(RetryPolicy::none());
    }
    Ok(converted)
}

/// A configuration for kube.
///
/// A token file takes precedence over a token, as in `k8s-flowcontrol`. Settings for requests are kube's defaults, except
/// for the time limit of connections, the compression, and that [`RetryPolicy::none`] turns off retries. The user agent,
/// and the time limit and renewal of an exec plugin are not converted.
///
/// A proxy needs the feature `http-proxy` or `socks5` of kube.
///
/// # Errors
/// If kube cannot read the configuration, for instance its certificate authority, or the tokens come from a
/// [token source](Config::with_token_source): kube would send requests without credentials.
pub fn to_kube(config: &Config) -> Result<kube::Config, Error> {
    if config.has_token_source() {
        return Err(Error::new(
            "the token source: kube cannot call it; use a token file or an exec plugin",
        ));
    }
    let mut kubeconfig = config.to_kubeconfig();
    if let Some(Value::Object(user)) = kubeconfig.pointer_mut("/users/0/user")
        && user.contains_key("tokenFile")
    {
        user.remove("token");
    }
    let kubeconfig: Kubeconfig = serde_json::from_value(kubeconfig).map_err(|_| {
        // The error could quote a secret.
        Error::new("kube cannot read the configuration")
    })?;
    let cluster = kubeconfig
        .clusters
        .first()
        .and_then(|named| named.cluster.as_ref());
    let proxy = cluster.and_then(|cluster| cluster.proxy_url.as_deref());
    let proxy = proxy.map(str::parse).transpose();
    let authority = cluster.and_then(|cluster| cluster.certificate_authority.as_ref());
    let authority = authority.map(Into::into);
    let mut converted = kube::Config::try_from(kubeconfig).map_err(Error::new)?;
    // kube adds the environment's proxy to a configuration without one.
    converted.proxy_url = proxy.map_err(|_| Error::new("proxy-url: kube cannot read it"))?;
    // So that kube follows a rotation.
    converted.root_cert_file = authority;
    converted.connect_timeout = Some(config.connect_timeout());
    converted.default_retry = config.retry_policy().max_attempts() > 1;
    Ok(converted)
}

fn cluster(config: &kube::Config) -> Result<Value, Error> {
    let mut cluster = json!({
        "server": config.cluster_url.to_string(),
        "tls-server-name": config.tls_server_name,
        "disable-compression": config.disable_compression,
        "proxy-url": config.proxy_url.as_ref().map(ToString::to_string),
    });
    if config.accept_invalid_certs {
        cluster["insecure-skip-tls-verify"] = true.into();
    } else if let Some(file) = &config.root_cert_file {
        let Some(file) = file.to_str() else {
            return Err(Error::new("root_cert_file: the path is not UTF-8"));
        };
        cluster["certificate-authority"] = file.into();
    } else if let Some(certificates) = &config.root_cert {
        cluster["certificate-authority-data"] = BASE64_STANDARD.encode(pem(certificates)).into();
    }
    let exec = config.auth_info.exec.as_ref();
    if let Some(data) = exec.and_then(|exec| exec.cluster.as_ref()?.config.as_ref()) {
        let name = "client.authentication.k8s.io/exec";
        cluster["extensions"] = json!([{"name": name, "extension": data}]);
    }
    Ok(cluster)
}

/// The credentials that kube would use. `k8s-flowcontrol` prefers others, or reports an error.
fn credentials(user: &AuthInfo) -> Result<Value, Error> {
    let unreadable = || Error::new("auth_info: it cannot be represented as JSON");
    let Ok(Value::Object(mut fields)) = serde_json::to_value(user) else {
        return Err(unreadable());
    };
    let mut remove = |names: &[&str]| names.iter().for_each(|name| drop(fields.remove(*name)));
    match user {
        AuthInfo {
            username: Some(_),
            password: Some(_),
            ..
        } => remove(&["token", "tokenFile", "exec"]),
        AuthInfo { token: Some(_), .. } => remove(&["username", "password", "tokenFile", "exec"]),
        AuthInfo {
            token_file: Some(_),
            ..
        } => remove(&["username", "password", "exec"]),
        _ => remove(&["username", "password"]),
    }
    if let Some(Value::Object(exec)) = fields.get_mut("exec") {
        default_mode(exec);
    }
    Ok(fields.into())
}

/// Without a mode kube passes the standard input on if there is one.
fn default_mode(exec: &mut Map<String, Value>) {
    let mode = exec.entry("interactiveMode").or_insert(Value::Null);
    if mode.is_null() {
        *mode = "IfAvailable".into();
    }
}

/// Certificates as PEM. An empty list is not empty text, which would mean the operating system's authorities.
fn pem(certificates: &[Vec<u8>]) -> String {
    let mut text = "\n".to_owned();
    for certificate in certificates {
        let lines = BASE64_STANDARD.encode(certificate);
        text += &format!("-----BEGIN CERTIFICATE-----\n{lines}\n-----END CERTIFICATE-----\n");
    }
    text
}

impl Error {
    fn new(error: impl Into<Box<dyn StdError + Send + Sync>>) -> Self {
        Self(error.into())
    }
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "the configuration cannot be converted: {}", self.0)
    }
}

impl StdError for Error {}
