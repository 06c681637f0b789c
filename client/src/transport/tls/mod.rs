//! TLS: the trusted authorities and the client's own certificate.
//!
//! Configurations are built with the program's own cryptography provider or else ring. None is installed for the whole
//! program.

mod certificate;
mod pem;
mod roots;
mod verifier;

pub(crate) use roots::is_torn;

use crate::config::{Certificates, Config, ConfigError, Pem, notice};
use crate::error::Error;
use roots::Roots;
use rustls::crypto::CryptoProvider;
use rustls::pki_types::pem::PemObject;
use rustls::pki_types::{CertificateDer, PrivateKeyDer, ServerName};
use rustls::sign::{CertifiedKey, SingleCertAndKey};
use rustls::{CertificateError, ClientConfig, InconsistentKeys};
use std::sync::Arc;
use verifier::{Trust, by_name};

/// The expected names in certificates.
pub(crate) struct NameCheck<'a> {
    /// The server's name, instead of the URL's host.
    pub(crate) server: Option<&'a ServerName<'static>>,
    /// Whether the URL's host is sent in the handshake (SNI).
    pub(crate) sends_name: bool,
    /// Whether HTTP/2 is offered.
    pub(crate) http2: bool,
    /// The name of an `https` proxy.
    pub(crate) proxy: Option<&'a ServerName<'static>>,
}

/// The TLS configuration of a client, for the connections to the server and to an `https` proxy.
pub(crate) fn client_config(
    config: &Config,
    files: &Certificates,
    names: &NameCheck<'_>,
) -> Result<ClientConfig, Error> {
    let provider = provider()?;
    let roots = files.authority.as_ref().map(Roots::read).transpose()?;
    if let (Some(authority), Some(roots)) = (&files.authority, &roots)
        && !roots.skipped.is_empty()
    {
        let message = format!("unusable certificates were skipped ({})", roots.skipped);
        notice(&authority.source.error(message));
    }
    // Most proxies have a public certificate. Like kubectl, also accepts a certificate of the cluster's authority.
    let listed = roots.as_ref().map(|roots| roots.certificates.clone());
    let to_proxy = match names.proxy {
        None => None,
        Some(name) if config.skips_tls_verify() => Some((name.clone(), Trust::Any)),
        Some(name) => Some((name.clone(), Trust::System(listed.unwrap_or_default()))),
    };
    let to_server = match roots {
        _ if config.skips_tls_verify() => Trust::Any,
        Some(roots) => Trust::Authority(roots),
        None if config.server().scheme() == "https" => Trust::System(Vec::new()),
        None => Trust::None,
    };
    let to_proxy = match to_proxy {
        None => None,
        Some((name, trust)) => Some((name, trust.verifier(&provider)?)),
    };
    let to_server = to_server.verifier(&provider)?;
    let verifier = by_name(to_server, names.server.cloned(), to_proxy, provider.clone());
    let builder = ClientConfig::builder_with_provider(provider)
        .with_safe_default_protocol_versions()
        .map_err(Error::setup)?
        .dangerous()
        .with_custom_certificate_verifier(verifier);
    let mut client = match &files.client {
        None => builder.with_no_client_auth(),
        Some((chain, key)) => {
            let identity = identity(chain, key, builder.crypto_provider())?;
            builder.with_client_cert_resolver(Arc::new(SingleCertAndKey::from(identity)))
        }
    };
    client.alpn_protocols = match names.http2 {
        true => vec![b"h2".to_vec(), b"http/1.1".to_vec()],
        false => vec![b"http/1.1".to_vec()],
    };
    client.enable_sni = names.sends_name;
    Ok(client)
}

/// The client's own certificate: the chain and its key.
fn identity(
    chain: &Pem,
    key: &Pem,
    provider: &CryptoProvider,
) -> Result<CertifiedKey, ConfigError> {
    let certificates: Vec<_> = CertificateDer::pem_slice_iter(&chain.bytes)
        .collect::<Result<_, _>>()
        .map_err(|error| chain.source.error(format!("expected PEM: {error}")))?;
    if certificates.is_empty() {
        return Err(chain.source.error("expected a certificate in PEM"));
    }
    // The original error might quote the key.
    let key = PrivateKeyDer::from_pem_slice(&key.bytes)
        .map_err(|_| key.source.error("expected a private key in PEM"))?;
    let unusable = |error| chain.source.error(format!("it cannot be used: {error}"));
    let key = provider.key_provider.load_private_key(key);
    let identity = CertifiedKey::new(certificates, key.map_err(unusable)?);
    match identity.keys_match() {
        Ok(()) | Err(rustls::Error::InconsistentKeys(InconsistentKeys::Unknown)) => Ok(identity),
        // A certificate of X.509 version 1, as `openssl x509 -req` makes it. Only the server judges it, as in Go.
        Err(rustls::Error::InvalidCertificate(CertificateError::Other(_))) => Ok(identity),
        Err(error) => Err(unusable(error)),
    }
}

fn provider() -> Result<Arc<CryptoProvider>, Error> {
    if let Some(provider) = CryptoProvider::get_default() {
        return Ok(provider.clone());
    }
    #[cfg(feature = "ring")]
    return Ok(Arc::new(rustls::crypto::ring::default_provider()));
    #[cfg(not(feature = "ring"))]
    Err(ConfigError::new(
        "the program has no TLS provider; enable the feature `ring` of k8s-flowcontrol, or install one with \
         rustls::crypto::CryptoProvider::install_default",
    )
    .into())
}
