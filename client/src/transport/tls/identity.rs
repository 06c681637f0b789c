//! The client's own certificate.

use crate::config::{ConfigError, Pem};
use rustls::pki_types::pem::PemObject;
use rustls::pki_types::{CertificateDer, PrivateKeyDer};

/// The chain and its key.
pub(crate) fn read(
    chain: &Pem,
    key: &Pem,
) -> Result<(Vec<CertificateDer<'static>>, PrivateKeyDer<'static>), ConfigError> {
    let certificates: Vec<_> = CertificateDer::pem_slice_iter(&chain.bytes)
        .collect::<Result<_, _>>()
        .map_err(|error| chain.source.error(format!("expected PEM: {error}")))?;
    if certificates.is_empty() {
        return Err(chain.source.error("expected a certificate in PEM"));
    }
    // The original error might quote the key.
    let key = PrivateKeyDer::from_pem_slice(&key.bytes)
        .map_err(|_| key.source.error("expected a private key in PEM"))?;
    Ok((certificates, key))
}
