//! The verification of a server's certificate.

use super::certificate;
use super::roots::Roots;
use crate::error::Error;
use rustls::client::WebPkiServerVerifier;
use rustls::client::danger::{HandshakeSignatureValid, ServerCertVerified, ServerCertVerifier};
use rustls::crypto::{CryptoProvider, verify_tls12_signature, verify_tls13_signature};
use rustls::pki_types::{CertificateDer, ServerName, UnixTime};
use rustls::{CertificateError, DigitallySignedStruct, RootCertStore, SignatureScheme};
use std::sync::Arc;

/// The trusted authorities.
pub(crate) enum Trust {
    /// None: the connection uses no TLS.
    None,
    Any,
    Authority(Roots),
    /// The operating system's authorities, and additional ones.
    System(Vec<CertificateDer<'static>>),
}

impl Trust {
    pub(crate) fn verifier(
        self,
        provider: &Arc<CryptoProvider>,
    ) -> Result<Arc<dyn ServerCertVerifier>, Error> {
        let provider = Arc::clone(provider);
        Ok(match self {
            Self::Any => Arc::new(Unverified {
                provider,
                accepts: true,
            }),
            Self::None => Arc::new(Unverified {
                provider,
                accepts: false,
            }),
            Self::Authority(roots) => pinned(roots.certificates, roots.store, provider)?,
            Self::System(more) => system(more, provider)?,
        })
    }
}

fn pinned(
    certificates: Vec<CertificateDer<'static>>,
    store: RootCertStore,
    provider: Arc<CryptoProvider>,
) -> Result<Arc<dyn ServerCertVerifier>, Error> {
    let paths = WebPkiServerVerifier::builder_with_provider(Arc::new(store), provider);
    let paths = paths.build().map_err(Error::setup)?;
    Ok(Arc::new(Pinned {
        paths,
        certificates,
    }))
}

#[cfg(feature = "platform-verifier")]
fn system(
    more: Vec<CertificateDer<'static>>,
    provider: Arc<CryptoProvider>,
) -> Result<Arc<dyn ServerCertVerifier>, Error> {
    let verifier = rustls_platform_verifier::Verifier::new_with_extra_roots(more, provider);
    Ok(Arc::new(verifier.map_err(Error::setup)?))
}

/// The additional authorities are all that there are.
#[cfg(not(feature = "platform-verifier"))]
fn system(
    more: Vec<CertificateDer<'static>>,
    provider: Arc<CryptoProvider>,
) -> Result<Arc<dyn ServerCertVerifier>, Error> {
    if more.is_empty() {
        return Err(crate::config::ConfigError::new(
            "the configuration has no certificate authority, and this program does not know the operating system's; \
             name one, or enable the feature `platform-verifier` of k8s-flowcontrol",
        )
        .into());
    }
    let mut store = RootCertStore::empty();
    store.add_parsable_certificates(more.iter().cloned());
    pinned(more, store, provider)
}

/// Verifies the certificates of the server and of an `https` proxy, which have different names.
#[derive(Debug)]
pub(crate) struct ByName {
    pub(crate) to_server: Arc<dyn ServerCertVerifier>,
    /// The server's name, instead of the URL's host.
    pub(crate) name: Option<ServerName<'static>>,
    pub(crate) to_proxy: Option<(ServerName<'static>, Arc<dyn ServerCertVerifier>)>,
}

impl ServerCertVerifier for ByName {
    fn verify_server_cert(
        &self,
        end_entity: &CertificateDer<'_>,
        intermediates: &[CertificateDer<'_>],
        server_name: &ServerName<'_>,
        ocsp_response: &[u8],
        now: UnixTime,
    ) -> Result<ServerCertVerified, rustls::Error> {
        let (verifier, name) = match &self.to_proxy {
            Some((proxy, verifier)) if proxy == server_name => (verifier, server_name),
            _ => (&self.to_server, self.name.as_ref().unwrap_or(server_name)),
        };
        verifier.verify_server_cert(end_entity, intermediates, name, ocsp_response, now)
    }

    fn verify_tls12_signature(
        &self,
        message: &[u8],
        certificate: &CertificateDer<'_>,
        signed: &DigitallySignedStruct,
    ) -> Result<HandshakeSignatureValid, rustls::Error> {
        self.to_server
            .verify_tls12_signature(message, certificate, signed)
    }

    fn verify_tls13_signature(
        &self,
        message: &[u8],
        certificate: &CertificateDer<'_>,
        signed: &DigitallySignedStruct,
    ) -> Result<HandshakeSignatureValid, rustls::Error> {
        self.to_server
            .verify_tls13_signature(message, certificate, signed)
    }

    fn supported_verify_schemes(&self) -> Vec<SignatureScheme> {
        self.to_server.supported_verify_schemes()
    }
}

/// Accepts a certificate that an authority signed, and like Go a certificate in the list of authorities.
#[derive(Debug)]
struct Pinned {
    paths: Arc<WebPkiServerVerifier>,
    certificates: Vec<CertificateDer<'static>>,
}

impl ServerCertVerifier for Pinned {
    fn verify_server_cert(
        &self,
        end_entity: &CertificateDer<'_>,
        intermediates: &[CertificateDer<'_>],
        server_name: &ServerName<'_>,
        ocsp_response: &[u8],
        now: UnixTime,
    ) -> Result<ServerCertVerified, rustls::Error> {
        // A listed certificate does not need a path, and the path builder does not accept an authority as a server.
        if self.certificates.contains(end_entity) {
            return certificate::verify_listed(end_entity, server_name, now);
        }
        self.paths
            .verify_server_cert(end_entity, intermediates, server_name, ocsp_response, now)
    }

    fn verify_tls12_signature(
        &self,
        message: &[u8],
        certificate: &CertificateDer<'_>,
        signed: &DigitallySignedStruct,
    ) -> Result<HandshakeSignatureValid, rustls::Error> {
        self.paths
            .verify_tls12_signature(message, certificate, signed)
    }

    fn verify_tls13_signature(
        &self,
        message: &[u8],
        certificate: &CertificateDer<'_>,
        signed: &DigitallySignedStruct,
    ) -> Result<HandshakeSignatureValid, rustls::Error> {
        self.paths
            .verify_tls13_signature(message, certificate, signed)
    }

    fn supported_verify_schemes(&self) -> Vec<SignatureScheme> {
        self.paths.supported_verify_schemes()
    }
}

/// Accepts any certificate, for `insecure-skip-tls-verify`, or none. Signatures are still verified.
#[derive(Debug)]
struct Unverified {
    provider: Arc<CryptoProvider>,
    accepts: bool,
}

impl ServerCertVerifier for Unverified {
    fn verify_server_cert(
        &self,
        _end_entity: &CertificateDer<'_>,
        _intermediates: &[CertificateDer<'_>],
        _server_name: &ServerName<'_>,
        _ocsp_response: &[u8],
        _now: UnixTime,
    ) -> Result<ServerCertVerified, rustls::Error> {
        match self.accepts {
            true => Ok(ServerCertVerified::assertion()),
            false => Err(rustls::Error::InvalidCertificate(
                CertificateError::UnknownIssuer,
            )),
        }
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
            &self.provider.signature_verification_algorithms,
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
            &self.provider.signature_verification_algorithms,
        )
    }

    fn supported_verify_schemes(&self) -> Vec<SignatureScheme> {
        self.provider
            .signature_verification_algorithms
            .supported_schemes()
    }
}
