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
use rustls::{AlertDescription as Alert, CertificateError, ClientConfig, InconsistentKeys};
use std::error::Error as StdError;
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

/// Whether a request failed because of TLS.
pub(crate) fn is_tls_error(error: &(dyn StdError + 'static)) -> bool {
    any(error, |_| true)
}

/// Whether the other side answered the handshake with something that is not TLS, such as plain HTTP.
pub(crate) fn is_answered_without(error: &(dyn StdError + 'static)) -> bool {
    any(error, |error| {
        matches!(
            error,
            rustls::Error::InvalidMessage(rustls::InvalidMessage::InvalidContentType)
        )
    })
}

/// Whether the server ended the handshake because it supports none of the protocols of this build.
pub(crate) fn lacks_protocol(error: &(dyn StdError + 'static)) -> bool {
    cfg!(not(feature = "http2"))
        && any(error, |error| {
            matches!(
                error,
                rustls::Error::AlertReceived(Alert::NoApplicationProtocol)
            )
        })
}

/// The cause of a failed handshake, where the library only has the name of its own value.
pub(crate) fn in_own_words(error: &(dyn StdError + 'static)) -> Option<&'static str> {
    if any(error, is_authority) {
        Some("the presented certificate is that of an authority")
    } else if is_answered_without(error) {
        Some("the response is not TLS")
    } else if any(error, has_other_purpose) {
        Some("the presented certificate is not for servers, by its extended key usage")
    } else {
        None
    }
}

/// What to do about a failed handshake, which may be that of an `https` proxy.
pub(crate) fn remedy(error: &(dyn StdError + 'static)) -> Option<&'static str> {
    let is_out_of_date = |error: &rustls::Error| {
        matches!(
            error,
            rustls::Error::InvalidCertificate(
                CertificateError::ExpiredContext { .. }
                    | CertificateError::NotValidYetContext { .. }
            )
        )
    };
    let is_untrusted =
        |error: &rustls::Error| matches!(error, rustls::Error::InvalidCertificate(_));
    let lacks_name = |error: &rustls::Error| {
        matches!(error, rustls::Error::AlertReceived(Alert::UnrecognisedName))
    };
    let is_ended = |error: &rustls::Error| {
        matches!(
            error,
            rustls::Error::AlertReceived(
                Alert::AccessDenied
                    | Alert::HandshakeFailure
                    | Alert::InsufficientSecurity
                    | Alert::ProtocolVersion
            )
        )
    };
    if any(error, is_out_of_date) {
        Some("renew the certificate, or correct the clock of this machine")
    } else if any(error, is_authority) {
        Some(
            "list it as a certificate authority in the configuration, or replace it by one that an authority has signed and \
             that is not an authority itself",
        )
    } else if any(error, has_other_purpose) {
        Some("replace it by one with the usage `serverAuth`")
    } else if any(error, is_untrusted) {
        Some("check the name and the certificate authority in the configuration")
    } else if is_rejected(error) {
        Some("configure a client certificate that the server accepts")
    } else if any(error, lacks_name) {
        Some("check the name in the URL and `tls-server-name`")
    } else if any(error, is_ended) {
        Some("a client certificate or another version of TLS may be required")
    } else {
        None
    }
}

/// Whether the presented certificate is one of an authority that is not listed itself.
fn is_authority(error: &rustls::Error) -> bool {
    match error {
        // The name of a value of another library.
        rustls::Error::InvalidCertificate(CertificateError::Other(other)) => {
            format!("{:?}", other.0) == "CaUsedAsEndEntity"
        }
        _ => false,
    }
}

fn has_other_purpose(error: &rustls::Error) -> bool {
    matches!(
        error,
        rustls::Error::InvalidCertificate(
            CertificateError::InvalidPurpose | CertificateError::InvalidPurposeContext { .. }
        )
    )
}

/// Whether the server did not accept the client's certificate, or the lack of one. With TLS 1.3 it says so after the client has sent
/// its request, which it does not carry out.
pub(crate) fn is_rejected(error: &(dyn StdError + 'static)) -> bool {
    any(error, |error| {
        matches!(
            error,
            rustls::Error::AlertReceived(
                Alert::BadCertificate
                    | Alert::CertificateExpired
                    | Alert::CertificateRequired
                    | Alert::CertificateRevoked
                    | Alert::CertificateUnknown
                    | Alert::UnknownCA
            )
        )
    })
}

/// Whether the error, or an error among its sources, is an error of TLS for which `is` holds.
fn any(error: &(dyn StdError + 'static), is: fn(&rustls::Error) -> bool) -> bool {
    // An io::Error hides the error it was made from, and may be nested.
    let hidden = error
        .downcast_ref::<std::io::Error>()
        .and_then(std::io::Error::get_ref);
    error.downcast_ref().is_some_and(is)
        || hidden.is_some_and(|hidden| any(hidden, is))
        || error.source().is_some_and(|source| any(source, is))
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
