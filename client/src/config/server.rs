//! The address of a server.

use super::ConfigError;
use std::borrow::Cow;
use std::env;
use url::Url;

const EXPECTED: &str = "expected a URL such as https://10.0.0.1:6443";

/// The server of a cluster without one: that of `KUBERNETES_MASTER`, else port 8080 of this host, as in kubectl.
pub(super) fn of_kubectl() -> Cow<'static, str> {
    let master = env::var("KUBERNETES_MASTER").ok();
    match master.filter(|master| !master.is_empty()) {
        Some(master) => Cow::Owned(master),
        None => Cow::Borrowed("http://localhost:8080"),
    }
}

/// Adds the scheme to an address without one, as client-go does for a `rest.Config`. (Of kubeconfigs it ignores the
/// certificates then, and always adds `http`.) Such an address does not have a path.
pub(super) fn with_scheme(text: &str, uses_tls: bool) -> Result<Cow<'_, str>, ConfigError> {
    if text.contains("://") {
        return Ok(Cow::Borrowed(text));
    }
    let address = text.strip_suffix('/').unwrap_or(text);
    if address.contains('/') {
        return Err(ConfigError::new(format!(
            "the server has a path but no scheme; {EXPECTED}"
        )));
    }
    let scheme = if uses_tls { "https" } else { "http" };
    Ok(Cow::Owned(format!("{scheme}://{address}")))
}

/// Reads a server's address. Credentials in it are an error, because they would end up in logs.
pub(super) fn parse(text: &str) -> Result<Url, ConfigError> {
    let mut url = Url::parse(text).map_err(|error| {
        ConfigError::new(format!("the server is not a URL: {error}; {EXPECTED}"))
    })?;
    if !url.username().is_empty() || url.password().is_some() {
        return Err(ConfigError::new(
            "the server's URL contains a user name or password; move it to the credentials",
        ));
    }
    if !matches!(url.scheme(), "http" | "https") || !url.has_host() {
        return Err(ConfigError::new(format!(
            "the server is `{url}`; {EXPECTED}"
        )));
    }
    if url.query().is_some() || url.fragment().is_some() {
        return Err(ConfigError::new(format!(
            "the server's URL has a query or fragment; {EXPECTED}"
        )));
    }
    // As in client-go, an empty segment of the path does not count.
    if url.path().contains("//") {
        let segments = url.path().split('/').filter(|segment| !segment.is_empty());
        let path = segments.collect::<Vec<_>>().join("/");
        url.set_path(&path);
    }
    Ok(url)
}
