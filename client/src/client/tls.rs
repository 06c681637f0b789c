//! The TLS configuration, built with the program's own cryptography provider or else ring.

use super::error::Error;
use crate::config::{Certificates, Config, ConfigError, Pem, Proxy, ProxyKind};
use rustls::client::WebPkiServerVerifier;
use rustls::client::danger::{HandshakeSignatureValid, ServerCertVerified, ServerCertVerifier};
use rustls::crypto::{CryptoProvider, verify_tls12_signature, verify_tls13_signature};
use rustls::pki_types::pem::PemObject;
use rustls::pki_types::{CertificateDer, PrivateKeyDer, ServerName, UnixTime};
use rustls::{
    CertificateError, ClientConfig, DigitallySignedStruct, RootCertStore, SignatureScheme,
};
use rustls_platform_verifier::Verifier;
use std::error::Error as StdError;
use std::sync::Arc;

/// The expected names in certificates.
pub(crate) struct NameCheck<'a> {
    /// The server's name, instead of the URL's host.
    pub(crate) server: Option<&'a ServerName<'static>>,
    /// Whether the URL's host is sent in the handshake (SNI).
    pub(crate) sends_name: bool,
    /// A proxy, whose connection may also use TLS.
    pub(crate) proxy: Option<&'a Proxy>,
}

/// The TLS configuration of a client.
///
/// The cryptography provider is set here. None is installed for the whole program.
pub(crate) fn client_config(
    config: &Config,
    files: &Certificates,
    names: &NameCheck<'_>,
) -> Result<ClientConfig, Error> {
    let provider = provider()?;
    let authority = files.authority.as_ref();
    let roots = authority.map(certificates).transpose()?;
    let secure = config.server().scheme() == "https";
    let proxy = names.proxy.filter(|proxy| proxy.kind == ProxyKind::Https);
    let to_server = match (authority, secure) {
        _ if config.skips_tls_verify() => Trust::Any,
        (Some(authority), _) => Trust::Authority(root_store(authority)?),
        (None, true) => Trust::System(Vec::new()),
        (None, false) => Trust::None,
    };
    let to_proxy = match proxy {
        None => None,
        Some(proxy) => {
            let host = proxy.host().trim_start_matches('[').trim_end_matches(']');
            let name = ServerName::try_from(host.to_owned()).map_err(Error::setup)?;
            let trust = match config.skips_tls_verify() {
                true => Trust::Any,
                // Like kubectl, accepts the cluster's authority too. Most proxies have a public certificate.
                false => Trust::System(roots.unwrap_or_default()),
            };
            Some((name, trust.verifier(&provider)?))
        }
    };
    let verifier = Checks {
        to_server: to_server.verifier(&provider)?,
        name: names.server.cloned(),
        to_proxy,
    };
    let builder = ClientConfig::builder_with_provider(provider)
        .with_safe_default_protocol_versions()
        .map_err(Error::setup)?
        .dangerous()
        .with_custom_certificate_verifier(Arc::new(verifier));
    let mut client = match &files.client {
        None => builder.with_no_client_auth(),
        Some((chain, key)) => {
            let certificates = certificates(chain)?;
            // The original error might quote the key.
            let key = PrivateKeyDer::from_pem_slice(&key.bytes)
                .map_err(|_| key.source.error("expected a private key in PEM"))?;
            builder
                .with_client_auth_cert(certificates, key)
                .map_err(|error| chain.source.error(format!("it cannot be used: {error}")))?
        }
    };
    client.alpn_protocols = vec![b"h2".to_vec(), b"http/1.1".to_vec()];
    client.enable_sni = names.sends_name;
    Ok(client)
}

/// The trusted authorities.
enum Trust {
    None,
    Any,
    Authority(RootCertStore),
    /// The operating system's authorities, and additional ones.
    System(Vec<CertificateDer<'static>>),
}

impl Trust {
    fn verifier(
        self,
        provider: &Arc<CryptoProvider>,
    ) -> Result<Arc<dyn ServerCertVerifier>, Error> {
        Ok(match self {
            Self::Any => Arc::new(Unverified {
                provider: provider.clone(),
                accepts: true,
            }),
            Self::None => Arc::new(Unverified {
                provider: provider.clone(),
                accepts: false,
            }),
            Self::Authority(roots) => {
                WebPkiServerVerifier::builder_with_provider(Arc::new(roots), provider.clone())
                    .build()
                    .map_err(Error::setup)?
            }
            Self::System(more) => Arc::new(
                Verifier::new_with_extra_roots(more, provider.clone()).map_err(Error::setup)?,
            ),
        })
    }
}

/// Verifies the certificates of the server and of an `https` proxy.
#[derive(Debug)]
struct Checks {
    to_server: Arc<dyn ServerCertVerifier>,
    /// The server's name, instead of the URL's host.
    name: Option<ServerName<'static>>,
    to_proxy: Option<(ServerName<'static>, Arc<dyn ServerCertVerifier>)>,
}

impl ServerCertVerifier for Checks {
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

/// Whether a request failed because of TLS.
pub(crate) fn is_tls_error(error: &(dyn StdError + 'static)) -> bool {
    // An io::Error hides the error it was made from, and may be nested.
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

fn root_store(authority: &Pem) -> Result<RootCertStore, ConfigError> {
    let mut roots = RootCertStore::empty();
    // Like kubectl, skips invalid certificates in a bundle.
    let (added, _skipped) = roots.add_parsable_certificates(certificates(authority)?);
    match added {
        0 => Err(authority.source.error("it contains no usable certificate")),
        _ => Ok(roots),
    }
}

fn certificates(pem: &Pem) -> Result<Vec<CertificateDer<'static>>, ConfigError> {
    let chain: Vec<_> = CertificateDer::pem_slice_iter(&pem.bytes)
        .collect::<Result<_, _>>()
        .map_err(|error| pem.source.error(format!("expected PEM: {error}")))?;
    if chain.is_empty() {
        return Err(pem.source.error("expected a certificate in PEM"));
    }
    Ok(chain)
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

#[cfg(test)]
#[cfg(feature = "ring")]
mod tests {
    use super::*;
    use crate::config::Secret;

    fn https() -> Config {
        Config::new("https://127.0.0.1:1").unwrap()
    }

    fn setup(config: &Config) -> Result<ClientConfig, Error> {
        let names = NameCheck {
            server: None,
            sends_name: true,
            proxy: None,
        };
        client_config(config, &config.certificates(None)?, &names)
    }

    #[test]
    fn invalid_certificates() {
        let empty = "-----BEGIN CERTIFICATE-----\n-----END CERTIFICATE-----\n";
        for (config, expected) in [
            (
                https().with_certificate_authority("rubbish"),
                "certificate authority: expected a certificate in PEM",
            ),
            (
                https().with_certificate_authority(empty),
                "certificate authority: it contains no usable certificate",
            ),
            (
                https().with_client_certificate("rubbish", Secret::new("planted-secret")),
                "client certificate: expected a certificate in PEM",
            ),
            (
                https().with_client_certificate(empty, Secret::new("planted-secret")),
                "client key: expected a private key",
            ),
        ] {
            let error = setup(&config).err().unwrap();
            let text = format!("{error} {error:?}");
            assert!(text.contains(expected), "{text}");
            assert!(!text.contains("planted-secret"), "{text}");
        }
    }

    #[test]
    fn both_http_versions_are_offered() {
        let config = https().with_insecure_skip_tls_verify(true);
        assert_eq!(
            setup(&config).unwrap().alpn_protocols,
            [b"h2".to_vec(), b"http/1.1".to_vec()]
        );
        assert!(setup(&https()).is_ok());
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
