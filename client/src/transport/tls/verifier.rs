//! The verification of a server's certificate.

use super::certificate;
use super::roots::Roots;
use crate::error::Error;
use rustls::client::WebPkiServerVerifier;
use rustls::client::danger::{HandshakeSignatureValid, ServerCertVerified, ServerCertVerifier};
use rustls::crypto::{CryptoProvider, verify_tls12_signature, verify_tls13_signature};
use rustls::pki_types::{CertificateDer, ServerName, UnixTime};
use rustls::{CertificateError, DigitallySignedStruct, RootCertStore, SignatureScheme};
use std::fmt;
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
            // Signatures are still verified.
            Self::Any => verify(provider, |_| Ok(ServerCertVerified::assertion())),
            Self::None => verify(provider, |_| Err(CertificateError::UnknownIssuer.into())),
            Self::Authority(roots) => pinned(roots.certificates, roots.store, provider)?,
            Self::System(more) => system(more, provider)?,
        })
    }
}

/// Accepts a certificate that an authority signed, and like Go a certificate in the list of authorities.
fn pinned(
    certificates: Vec<CertificateDer<'static>>,
    store: RootCertStore,
    provider: Arc<CryptoProvider>,
) -> Result<Arc<dyn ServerCertVerifier>, Error> {
    let paths = WebPkiServerVerifier::builder_with_provider(Arc::new(store), provider.clone());
    let paths = paths.build().map_err(Error::setup)?;
    Ok(verify(provider, move |presented| {
        // A listed certificate does not need a path, and the path builder does not accept an authority as a server.
        if certificates.contains(presented.end_entity) {
            return certificate::verify_listed(
                presented.end_entity,
                presented.server_name,
                presented.now,
            );
        }
        presented.verify(&*paths, presented.server_name)
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

/// Verifies the certificates of the server and of an `https` proxy, which have different names: `name` is that of the server, instead of
/// the URL's host.
pub(crate) fn by_name(
    to_server: Arc<dyn ServerCertVerifier>,
    name: Option<ServerName<'static>>,
    to_proxy: Option<(ServerName<'static>, Arc<dyn ServerCertVerifier>)>,
    provider: Arc<CryptoProvider>,
) -> Arc<dyn ServerCertVerifier> {
    verify(provider, move |presented| {
        let (verifier, name) = match &to_proxy {
            Some((proxy, verifier)) if proxy == presented.server_name => (verifier, proxy),
            _ => (&to_server, name.as_ref().unwrap_or(presented.server_name)),
        };
        presented.verify(&**verifier, name)
    })
}

/// The certificate that a server presents in a handshake.
struct Presented<'a> {
    end_entity: &'a CertificateDer<'a>,
    intermediates: &'a [CertificateDer<'a>],
    server_name: &'a ServerName<'a>,
    ocsp_response: &'a [u8],
    now: UnixTime,
}

impl Presented<'_> {
    fn verify(
        &self,
        verifier: &dyn ServerCertVerifier,
        name: &ServerName<'_>,
    ) -> Result<ServerCertVerified, rustls::Error> {
        verifier.verify_server_cert(
            self.end_entity,
            self.intermediates,
            name,
            self.ocsp_response,
            self.now,
        )
    }
}

/// Decides by a function about certificates, and verifies all signatures.
struct Verifier<F> {
    decide: F,
    provider: Arc<CryptoProvider>,
}

fn verify<F>(provider: Arc<CryptoProvider>, decide: F) -> Arc<dyn ServerCertVerifier>
where
    F: Fn(Presented<'_>) -> Result<ServerCertVerified, rustls::Error> + Send + Sync + 'static,
{
    Arc::new(Verifier { decide, provider })
}

impl<F> fmt::Debug for Verifier<F> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Verifier").finish_non_exhaustive()
    }
}

impl<F> ServerCertVerifier for Verifier<F>
where
    F: Fn(Presented<'_>) -> Result<ServerCertVerified, rustls::Error> + Send + Sync,
{
    fn verify_server_cert(
        &self,
        end_entity: &CertificateDer<'_>,
        intermediates: &[CertificateDer<'_>],
        server_name: &ServerName<'_>,
        ocsp_response: &[u8],
        now: UnixTime,
    ) -> Result<ServerCertVerified, rustls::Error> {
        (self.decide)(Presented {
            end_entity,
            intermediates,
            server_name,
            ocsp_response,
            now,
        })
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
