//! Credentials are sent over TLS only.

use crate::config::{Auth, Config, ConfigError, notice};
use http::Uri;
use http::header::{AUTHORIZATION, HeaderMap};

impl Config {
    /// The configuration without the values that its server must not receive: like in kubectl, a server without TLS
    /// does not get credentials.
    /// Errors: if the configuration impersonates a user with its credentials. Without them, the request would be that of another user,
    /// possibly one with more permissions, such as the user of a `kubectl proxy`.
    pub(crate) fn for_connections(mut self) -> Result<Self, ConfigError> {
        let has_credentials =
            self.tls.client_certificate.is_some() || !matches!(self.auth, Auth::None);
        if self.server.scheme() == "https" || !has_credentials {
            return Ok(self);
        }
        if !self.impersonation.is_empty() {
            return Err(ConfigError::new(format!(
                "the server {} has no TLS, so the credentials that are needed to impersonate a user are not sent to it; {HTTPS}",
                self.server
            )));
        }
        notice(&format_args!(
            "the server {} has no TLS, so the credentials are not sent to it; {HTTPS}",
            self.server
        ));
        self.auth = Auth::None;
        self.tls.client_certificate = None;
        Ok(self)
    }
}

const HTTPS: &str = "use an https:// address";

/// Checks a request that hooks and layers have changed.
/// Errors: if it has an `Authorization` header and no TLS.
pub(crate) fn check_tls(uri: &Uri, headers: &HeaderMap) -> Result<(), ConfigError> {
    if uri.scheme_str() == Some("https") || !headers.contains_key(AUTHORIZATION) {
        return Ok(());
    }
    let message = "a hook or layer has set the header Authorization, but the request would be sent without TLS";
    Err(ConfigError::new(format!("{message}; {HTTPS}")))
}
