//! What TLS is set up with, as it is at the moment.

use super::exec::ExecCredential;
use super::source::Source;
use super::{Auth, Config, ConfigError};
use std::fmt;
use std::sync::Arc;

/// Some PEM and where it came from.
#[derive(Clone)]
pub(crate) struct Pem {
    pub(crate) source: Source,
    pub(crate) bytes: Arc<[u8]>,
}

/// Certificates and keys. Equal ones make equal connections.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Material {
    pub(crate) authority: Option<Pem>,
    /// The chain of the client's certificate, and its key.
    pub(crate) client: Option<(Pem, Pem)>,
}

impl Config {
    /// Reads the files that there are. A plugin's certificate goes before the configuration's own.
    pub(crate) fn material(
        &self,
        credential: Option<&ExecCredential>,
    ) -> Result<Material, ConfigError> {
        let from_plugin = credential.and_then(|credential| credential.certificate.as_ref());
        let client = match (from_plugin, &self.tls.client_certificate, &self.auth) {
            (Some((chain, key)), _, Auth::Exec(plugin)) => {
                let pem = |what: &str, bytes: &Arc<[u8]>| Pem {
                    source: Source::data(format!("{}: {what}", plugin.place()), Vec::new()),
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
        Ok(Material {
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
