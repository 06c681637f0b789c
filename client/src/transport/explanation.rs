//! Errors of connections in words: the cause, where a library does not say it in words, and what to do.

use super::causes::{Source, any, causes, find};
use super::error::{ConnectError, is_going_away};
use crate::config::{Config, ProxyKind};
use rustls::{AlertDescription as Alert, CertificateError, InvalidMessage};

/// The limits are in [`HTTP1_MAX_HEADERS`](super::HTTP1_MAX_HEADERS).
const TOO_MANY_HEADERS: &str =
    "the response has more than 1,024 headers, or headers of more than 400 KiB";

/// The cause, where the library only has the name of a value, or the address of a manual.
pub(crate) fn cause_in_words(error: &Source) -> Option<&'static str> {
    if is_going_away(error) {
        return Some("it closes the connection (GOAWAY)");
    }
    if let Some((Some(cause), _)) = find(error).map(of_tls) {
        return Some(cause);
    }
    // Errors that have no public type.
    causes(error).find_map(|error| match &*error.to_string() {
        "tunnel error: unsuccessful" => Some("it did not open a connection to the server"),
        "tunnel error: proxy authorization required" => {
            Some("it answered 407; check the user and the password in its URL")
        }
        text if text.contains("without sending TLS close_notify") => {
            Some("the connection was closed")
        }
        _ => None,
    })
}

/// What to do about a failed connection, which may be that to a proxy.
pub(super) fn remedy(error: &Source, config: &Config) -> Option<&'static str> {
    let is_https = config.server().scheme() == "https";
    if any(error, hyper::Error::is_parse_too_large) {
        return Some(TOO_MANY_HEADERS);
    }
    if !is_https && any(error, hyper::Error::is_parse) {
        return Some("if the server expects TLS, use https:// in its URL");
    }
    let fault = find(error)?;
    if !is_not_tls(fault) {
        return of_tls(fault).1;
    }
    let proxy = config.proxy().ok().flatten();
    let is_secured_proxy = find::<ConnectError>(error).is_some()
        && proxy.is_some_and(|proxy| proxy.kind == ProxyKind::Https);
    match (is_secured_proxy, is_https) {
        (true, true) => Some("if the proxy or the server does not use TLS, use http:// in its URL"),
        (true, false) => Some("if the proxy does not use TLS, use http:// in its URL"),
        (false, _) => Some("if the server does not use TLS, use http:// in its URL"),
    }
}

/// Whether the other side answered the handshake with something that is not TLS, such as plain HTTP.
fn is_not_tls(error: &rustls::Error) -> bool {
    matches!(
        error,
        rustls::Error::InvalidMessage(InvalidMessage::InvalidContentType)
    )
}

/// Whether the server did not accept the client's certificate, or the lack of one. With TLS 1.3 it says so after the client has sent
/// its request, which it does not carry out.
pub(super) fn is_rejected(error: &rustls::Error) -> bool {
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
}

/// The cause and the remedy of a failed handshake, as far as the text of the library does not have them.
fn of_tls(error: &rustls::Error) -> (Option<&'static str>, Option<&'static str>) {
    match error {
        _ if is_not_tls(error) => (Some("the response is not TLS"), None),
        _ if is_rejected(error) => (
            None,
            Some("configure a client certificate that the server accepts"),
        ),
        rustls::Error::InvalidCertificate(fault) => match fault {
            CertificateError::Expired
            | CertificateError::ExpiredContext { .. }
            | CertificateError::NotValidYet
            | CertificateError::NotValidYetContext { .. } => (
                None,
                Some("renew the certificate, or correct the clock of this machine"),
            ),
            // The name of a value of another library.
            CertificateError::Other(other) if format!("{:?}", other.0) == "CaUsedAsEndEntity" => (
                Some("the presented certificate is that of an authority"),
                Some(
                    "list it as a certificate authority in the configuration, or replace it by one that an authority has \
                     signed and that is not an authority itself",
                ),
            ),
            CertificateError::InvalidPurpose | CertificateError::InvalidPurposeContext { .. } => (
                Some("the presented certificate is not for servers, by its extended key usage"),
                Some("replace it by one with the usage `serverAuth`"),
            ),
            _ => (
                None,
                Some("check the name and the certificate authority in the configuration"),
            ),
        },
        rustls::Error::AlertReceived(alert) => {
            let remedy = match alert {
                Alert::UnrecognisedName => "check the name in the URL and `tls-server-name`",
                Alert::NoApplicationProtocol if cfg!(not(feature = "http2")) => {
                    "the server supports HTTP/2 only, and this program was built for HTTP/1.1 only: enable the feature `http2` \
                     of k8s-flowcontrol"
                }
                Alert::AccessDenied
                | Alert::HandshakeFailure
                | Alert::InsufficientSecurity
                | Alert::ProtocolVersion => {
                    "a client certificate or another version of TLS may be required"
                }
                _ => return (None, None),
            };
            (None, Some(remedy))
        }
        _ => (None, None),
    }
}
