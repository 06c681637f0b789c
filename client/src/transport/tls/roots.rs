//! The trusted authorities of a configuration.

use super::pem;
use super::pem::Content;
use crate::config::{ConfigError, Pem};
use rustls::RootCertStore;
use rustls::pki_types::CertificateDer;

/// The usable certificates of a bundle.
pub(crate) struct Roots {
    pub(crate) certificates: Vec<CertificateDer<'static>>,
    pub(crate) store: RootCertStore,
    /// The unusable blocks, for instance `line 1, line 40`; empty without any.
    pub(crate) skipped: String,
}

impl Roots {
    /// Reads a bundle. Like Go, it skips certificates that cannot be used, unless there is no other.
    pub(crate) fn read(pem: &Pem) -> Result<Self, ConfigError> {
        let blocks = pem::certificates(&pem.bytes);
        if blocks.is_empty() {
            return Err(pem.source.error("expected a certificate in PEM"));
        }
        let (mut certificates, mut store) = (Vec::new(), RootCertStore::empty());
        let mut skipped = Vec::new();
        for block in blocks {
            match block.content {
                Content::Der(der) if store.add(CertificateDer::from(&der[..])).is_ok() => {
                    certificates.push(CertificateDer::from(der));
                }
                _ => skipped.push(format!("line {}", block.line)),
            }
        }
        if certificates.is_empty() {
            return Err(pem.source.error("it contains no usable certificate"));
        }
        Ok(Self {
            certificates,
            store,
            skipped: skipped.join(", "),
        })
    }
}

/// Whether the text ends in the middle of a certificate, as it does while its file is being written.
pub(crate) fn is_torn(authority: &Pem) -> bool {
    let last = pem::certificates(&authority.bytes).pop();
    last.is_some_and(|block| block.content == Content::Torn)
}
