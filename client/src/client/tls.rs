//! The TLS configuration, built with the program's own cryptography provider or else ring.

use super::error::Error;
use crate::config::{Config, ConfigError};
use rustls::client::danger::{HandshakeSignatureValid, ServerCertVerified, ServerCertVerifier};
use rustls::crypto::{CryptoProvider, verify_tls12_signature, verify_tls13_signature};
use rustls::pki_types::pem::PemObject;
use rustls::pki_types::{CertificateDer, PrivateKeyDer, ServerName, UnixTime};
use rustls::{ClientConfig, DigitallySignedStruct, RootCertStore, SignatureScheme};
use rustls_platform_verifier::BuilderVerifierExt;
use std::error::Error as StdError;
use std::sync::Arc;

/// What reqwest is given: it never looks for a provider itself, and none is installed for the program.
pub(crate) fn client_config(config: &Config) -> Result<ClientConfig, Error> {
    let provider = provider()?;
    let tls = config.tls();
    let builder = ClientConfig::builder_with_provider(provider.clone())
        .with_safe_default_protocol_versions()
        .map_err(Error::setup)?;
    let builder = if tls.insecure {
        builder
            .dangerous()
            .with_custom_certificate_verifier(Arc::new(Unverified(provider)))
    } else if let Some(pem) = &tls.certificate_authority {
        builder.with_root_certificates(roots(pem)?)
    } else if config.server().scheme() == "https" {
        builder.with_platform_verifier().map_err(Error::setup)?
    } else {
        builder.with_root_certificates(RootCertStore::empty())
    };
    let mut client = match &tls.client_certificate {
        None => builder.with_no_client_auth(),
        Some((certificate, key)) => {
            let chain = certificates(certificate, "client certificate")?;
            // The error of a bad key says nothing of the key itself.
            let key = PrivateKeyDer::from_pem_slice(key.expose().as_bytes())
                .map_err(|_| ConfigError::new("the client key is no private key in PEM"))?;
            builder
                .with_client_auth_cert(chain, key)
                .map_err(Error::setup)?
        }
    };
    client.alpn_protocols = vec![b"h2".to_vec(), b"http/1.1".to_vec()];
    Ok(client)
}

/// Whether a request failed because the connection could not be made secure.
pub(crate) fn is_tls_error(error: &(dyn StdError + 'static)) -> bool {
    // An io::Error made from another error hides it from `source()`, and there may be several of them.
    let hidden = error
        .downcast_ref::<std::io::Error>()
        .and_then(std::io::Error::get_ref);
    error.is::<rustls::Error>()
        || hidden.is_some_and(|hidden| is_tls_error(hidden))
        || error.source().is_some_and(is_tls_error)
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

fn roots(pem: &[u8]) -> Result<RootCertStore, Error> {
    let mut roots = RootCertStore::empty();
    for certificate in certificates(pem, "certificate authority")? {
        roots.add(certificate).map_err(Error::setup)?;
    }
    Ok(roots)
}

fn certificates(pem: &[u8], what: &str) -> Result<Vec<CertificateDer<'static>>, Error> {
    let chain: Vec<_> = CertificateDer::pem_slice_iter(pem)
        .collect::<Result<_, _>>()
        .map_err(|error| ConfigError::new(format!("the {what} is no PEM: {error}")))?;
    if chain.is_empty() {
        return Err(ConfigError::new(format!("the {what} has no certificate in it")).into());
    }
    Ok(chain)
}

/// Takes any certificate, for `insecure-skip-tls-verify`; signatures are checked all the same.
#[derive(Debug)]
struct Unverified(Arc<CryptoProvider>);

impl ServerCertVerifier for Unverified {
    fn verify_server_cert(
        &self,
        _end_entity: &CertificateDer<'_>,
        _intermediates: &[CertificateDer<'_>],
        _server_name: &ServerName<'_>,
        _ocsp_response: &[u8],
        _now: UnixTime,
    ) -> Result<ServerCertVerified, rustls::Error> {
        Ok(ServerCertVerified::assertion())
    }

    fn verify_tls12_signature(
        &self,
        message: &[u8],
        certificate: &CertificateDer<'_>,
        signed: &DigitallySignedStruct,
    ) -> Result<HandshakeSignatureValid, rustls::Error> {
        verify_tls12_signature(
            message,
            certificate,
            signed,
            &self.0.signature_verification_algorithms,
        )
    }

    fn verify_tls13_signature(
        &self,
        message: &[u8],
        certificate: &CertificateDer<'_>,
        signed: &DigitallySignedStruct,
    ) -> Result<HandshakeSignatureValid, rustls::Error> {
        verify_tls13_signature(
            message,
            certificate,
            signed,
            &self.0.signature_verification_algorithms,
        )
    }

    fn supported_verify_schemes(&self) -> Vec<SignatureScheme> {
        self.0.signature_verification_algorithms.supported_schemes()
    }
}

#[cfg(test)]
#[cfg(feature = "ring")]
mod tests {
    use super::*;
    use crate::config::Secret;

    fn https() -> Config {
        Config::new("https://127.0.0.1:1").unwrap()
    }

    #[test]
    fn certificates_that_do_not_read() {
        let empty = "-----BEGIN CERTIFICATE-----\n-----END CERTIFICATE-----\n";
        for (config, expected) in [
            (
                https().with_certificate_authority("rubbish"),
                "certificate authority has no certificate",
            ),
            (
                https().with_certificate_authority(empty),
                "the client could not be set up",
            ),
            (
                https().with_client_certificate("rubbish", Secret::new("planted-secret")),
                "client certificate has no certificate",
            ),
            (
                https().with_client_certificate(empty, Secret::new("planted-secret")),
                "client key is no private key",
            ),
        ] {
            let error = client_config(&config).unwrap_err();
            let text = format!("{error} {error:?}");
            assert!(text.contains(expected), "{text}");
            assert!(!text.contains("planted-secret"), "{text}");
        }
    }

    #[test]
    fn both_http_versions_are_offered() {
        let config = client_config(&https().with_insecure_skip_tls_verify(true)).unwrap();
        assert_eq!(
            config.alpn_protocols,
            [b"h2".to_vec(), b"http/1.1".to_vec()]
        );
        assert!(client_config(&https()).is_ok());
    }

    #[test]
    fn tls_errors_are_found_where_they_hide() {
        let error = rustls::Error::HandshakeNotComplete;
        assert!(is_tls_error(&std::io::Error::other(std::io::Error::other(
            error
        ))));
        assert!(!is_tls_error(&std::io::Error::other("rubbish")));
    }
}
