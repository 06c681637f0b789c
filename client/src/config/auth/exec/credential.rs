//! The output of a plugin.

use super::ExecVersion;
use crate::config::kubeconfig::yaml;
use crate::config::{Secret, bearer};
use crate::meta::Time;
use serde_json::Value;
use std::fmt;
use std::sync::Arc;
use std::time::{Duration, SystemTime};
use tokio::time::Instant;

/// The default maximum time between renewal and expiry.
const EARLY: Duration = Duration::from_secs(60);

/// A certificate chain and its key, both PEM.
type PemPair = (Arc<[u8]>, Arc<[u8]>);

/// A plugin's credentials and their expiry.
pub(crate) struct ExecCredential {
    pub(crate) token: Option<Secret>,
    pub(crate) certificate: Option<PemPair>,
    /// Renewals follow a clock that no step of the wall clock moves.
    obtained: Instant,
    /// The time from `obtained` to `expires`.
    life: Option<Duration>,
    expires: Option<SystemTime>,
}

impl ExecCredential {
    /// Reads the plugin's output. Errors do not quote it.
    pub(crate) fn read(output: &[u8], version: ExecVersion) -> Result<Self, String> {
        let text =
            std::str::from_utf8(output).map_err(|_| "the output is not UTF-8 text".to_owned())?;
        let document =
            yaml::read(text).map_err(|_| "the output is neither JSON nor YAML".to_owned())?;
        let expected = version.as_str();
        // Like kubectl, which also accepts an absent kind.
        let kind = text_of(document.get("kind"));
        if !document.is_object() || !matches!(kind, Ok(None | Some("ExecCredential"))) {
            return Err("the output is not of the kind ExecCredential".to_owned());
        }
        if document.get("apiVersion").and_then(Value::as_str) != Some(expected) {
            return Err(format!(
                "the apiVersion of the output is not `{expected}`, which the configuration requires"
            ));
        }
        let status = document.get("status").filter(|status| status.is_object());
        let status = status.ok_or("the output has no status")?;
        let text = |field: &str| {
            text_of(status.get(field)).map_err(|()| format!("status.{field} is not text"))
        };
        let token = text("token")?.map(Secret::new);
        if let Some(token) = &token {
            bearer(token).map_err(|error| error.to_string())?;
        }
        let bytes = |text: &str| Arc::<[u8]>::from(text.as_bytes());
        let certificate = match (text("clientCertificateData")?, text("clientKeyData")?) {
            (Some(chain), Some(key)) => Some((bytes(chain), bytes(key))),
            (None, None) => None,
            _ => {
                let message = "the output has only one of clientCertificateData and clientKeyData";
                return Err(message.to_owned());
            }
        };
        if token.is_none() && certificate.is_none() {
            return Err("the output has neither a token nor a client certificate".to_owned());
        }
        let expires = text("expirationTimestamp")?
            .map(Time::from)
            .filter(|time| !is_zero(time))
            .map(|time| {
                let message = "status.expirationTimestamp is not an RFC 3339 time";
                time.system_time().map_err(|_| message.to_owned())
            })
            .transpose()?;
        Ok(Self::new(token, certificate, expires))
    }

    /// A token from code of the program.
    pub(crate) fn of_token(token: Secret, expires: Option<SystemTime>) -> Self {
        Self::new(Some(token), None, expires)
    }

    fn new(
        token: Option<Secret>,
        certificate: Option<PemPair>,
        expires: Option<SystemTime>,
    ) -> Self {
        let life = |expires: SystemTime| {
            let life = expires.duration_since(SystemTime::now());
            life.unwrap_or_default()
        };
        Self {
            token,
            certificate,
            obtained: Instant::now(),
            life: expires.map(life),
            expires,
        }
    }

    /// Whether to renew the credentials. `early` is the time before their expiry; it defaults to a minute, or a tenth of a
    /// shorter lifetime.
    pub(crate) fn is_due(&self, early: Option<Duration>) -> bool {
        self.life.is_some_and(|life| {
            let early = early.unwrap_or(EARLY.min(life / 10));
            self.obtained.elapsed() >= life.saturating_sub(early)
        })
    }

    pub(crate) fn is_expired(&self, now: SystemTime) -> bool {
        self.expires.is_some_and(|expires| now >= expires)
    }
}

/// Text; `None` if it is absent or empty.
fn text_of(value: Option<&Value>) -> Result<Option<&str>, ()> {
    match value {
        None | Some(Value::Null) => Ok(None),
        Some(Value::String(text)) => Ok(Some(text.as_str()).filter(|text| !text.is_empty())),
        Some(_) => Err(()),
    }
}

/// Whether it is the first moment of the year 1, which plugins in Go print if a credential does not expire.
fn is_zero(time: &Time) -> bool {
    let time = time.timestamp();
    time.is_ok_and(|time| time.as_second() == -62_135_596_800)
}

impl fmt::Debug for ExecCredential {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ExecCredential")
            .field("token", &self.token)
            .field("certificate", &self.certificate.is_some())
            .field("expires", &self.expires)
            .finish_non_exhaustive()
    }
}
