//! Certificates and keys, read from their sources.

use super::exec::ExecCredential;
use super::source::Source;
use crate::config::{Auth, Config, ConfigError};
use std::fmt;
use std::sync::Arc;

/// PEM text and its source.
#[derive(Clone)]
pub(crate) struct Pem {
    pub(crate) source: Source,
    pub(crate) bytes: Arc<[u8]>,
}

/// The certificates and keys of connections.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Certificates {
    pub(crate) authority: Option<Pem>,
    /// The chain of the client's certificate, and its key.
    pub(crate) client: Option<(Pem, Pem)>,
}

impl Config {
    /// Reads all certificate files. A plugin's certificate takes precedence over the configuration's own.
    pub(crate) fn certificates(
        &self,
        credential: Option<&ExecCredential>,
    ) -> Result<Certificates, ConfigError> {
        let from_plugin = credential.and_then(|credential| credential.certificate.as_ref());
        let client = match (from_plugin, &self.tls.client_certificate, &self.auth) {
            (Some((chain, key)), _, Auth::Exec(plugin)) => {
                let pem = |what: &str, bytes: &Arc<[u8]>| Pem {
                    source: Source::data(format!("{}: {what}", plugin.origin()), Vec::new()),
                    bytes: bytes.clone(),
                };
                Some((
                    pem("clientCertificateData", chain),
                    pem("clientKeyData", key),
                ))
            }
            (_, Some((chain, key)), _) => Some((Pem::read(chain)?, Pem::read(key)?)),
            _ => None,
        };
        let authority = self.tls.certificate_authority.as_ref();
        Ok(Certificates {
            authority: authority.map(Pem::read).transpose()?,
            client,
        })
    }
}

impl Pem {
    fn read(source: &Source) -> Result<Self, ConfigError> {
        Ok(Self {
            source: source.clone(),
            bytes: source.read()?,
        })
    }
}

impl PartialEq for Pem {
    fn eq(&self, other: &Self) -> bool {
        self.bytes == other.bytes
    }
}

impl fmt::Debug for Pem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.source.fmt(f)
    }
}
