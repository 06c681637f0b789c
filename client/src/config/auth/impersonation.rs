//! User impersonation.

use crate::config::ConfigError;
use http::header::{HeaderMap, HeaderName, HeaderValue};
use k8s_flowcontrol_types::order;
use std::fmt::Write as _;

/// The user to [impersonate]: the server handles requests as if this user had sent them.
///
/// The program's own user needs the permission to impersonate. Without groups the server adds only the default ones, such
/// as `system:authenticated`.
///
/// [impersonate]: https://kubernetes.io/docs/reference/access-authn-authz/authentication/#user-impersonation
///
/// ```
/// use k8s_flowcontrol::config::{Config, Impersonation};
///
/// let jane = Impersonation::new("jane").group("developers").extra("example.com/reason", "audit");
/// let config = Config::new("https://10.0.0.1:6443")?.with_impersonation(jane)?;
/// # Ok::<(), k8s_flowcontrol::config::ConfigError>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Impersonation {
    user: String,
    uid: Option<String>,
    groups: Vec<String>,
    /// Keys with values, sorted by key.
    extra: Vec<(String, String)>,
}

impl Impersonation {
    /// The name of the user.
    pub fn new(user: impl Into<String>) -> Self {
        Self {
            user: user.into(),
            uid: None,
            groups: Vec::new(),
            extra: Vec::new(),
        }
    }

    /// Sets the UID.
    #[must_use]
    pub fn uid(mut self, uid: impl Into<String>) -> Self {
        self.uid = Some(uid.into());
        self
    }

    /// Adds a group.
    #[must_use]
    pub fn group(mut self, group: impl Into<String>) -> Self {
        self.groups.push(group.into());
        self
    }

    /// Adds a value to an extra field. The server converts keys to lower case.
    #[must_use]
    pub fn extra(mut self, key: impl Into<String>, value: impl Into<String>) -> Self {
        self.extra.push((key.into(), value.into()));
        order::sort_by(&mut self.extra, |left, right| left.0.cmp(&right.0));
        self
    }

    pub(crate) fn headers(&self) -> Result<HeaderMap, ConfigError> {
        if self.user.is_empty() {
            return Err(ConfigError::new(
                "the name of the impersonated user is empty",
            ));
        }
        let mut headers = HeaderMap::new();
        let mut add = |name: &str, value: &str| {
            let unsendable =
                |what: &str| ConfigError::new(format!("{what} {value:?} cannot be sent in {name}"));
            let header = HeaderName::try_from(name).map_err(|_| unsendable("the key of"))?;
            let value =
                HeaderValue::from_bytes(value.as_bytes()).map_err(|_| unsendable("the value"))?;
            headers.append(header, value);
            Ok(())
        };
        add("Impersonate-User", &self.user)?;
        if let Some(uid) = &self.uid {
            add("Impersonate-Uid", uid)?;
        }
        for group in &self.groups {
            add("Impersonate-Group", group)?;
        }
        for (key, value) in &self.extra {
            add(&format!("Impersonate-Extra-{}", escaped(key)), value)?;
        }
        Ok(headers)
    }
}

/// A key as part of a header's name. Characters that are not valid there are percent-encoded.
fn escaped(key: &str) -> String {
    let mut name = String::with_capacity(key.len());
    for byte in key.bytes() {
        if byte.is_ascii_alphanumeric() || b"!#$&'*+-.^_`|~".contains(&byte) {
            name.push(char::from(byte));
        } else {
            // Writing to a String cannot fail.
            let _ = write!(name, "%{byte:02X}");
        }
    }
    name
}
