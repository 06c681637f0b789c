//! Errors of connections.

use super::tls;
use crate::config::{Config, ProxyKind};
use crate::error::{Error, ErrorKind};
use std::error::Error as StdError;
use std::{fmt, io};

type BoxError = Box<dyn StdError + Send + Sync>;
type Source = dyn StdError + 'static;

/// The limits are in [`HTTP1_MAX_HEADERS`](super::HTTP1_MAX_HEADERS).
const TOO_MANY_HEADERS: &str =
    "the response has more than 1,024 headers, or headers of more than 400 KiB";
const NOT_HTTP: &str = "if the server expects TLS, use https:// in its URL";
const EXPECTS_HTTP2: &str = "the server supports HTTP/2 only, and this program was built for HTTP/1.1 only: enable the feature `http2` of k8s-flowcontrol";

/// The reason why a response is missing or incomplete.
///
/// Layers and custom transports return it, or any other error. An error of reqwest, hyper, h2, rustls, tokio's timeouts or
/// `std::io`, also as a source, counts as an error of the connection; any other error ends the request.
#[derive(Debug)]
pub struct TransportError {
    pub(super) is: Properties,
    pub(crate) source: BoxError,
}

#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Properties {
    /// A time limit expired.
    timeout: bool,
    /// TLS failed.
    tls: bool,
    /// The connection failed before anything was sent.
    pub(super) connect: bool,
    /// The request was never begun on a connection, or the server reported that it did not process it.
    unprocessed: bool,
    /// The request is not sent again.
    fatal: bool,
    /// It is an error of the program, and not of a connection.
    own: bool,
    /// The response was not HTTP.
    not_http: bool,
    /// The response has too many headers, or too long ones.
    too_many_headers: bool,
    /// The response to the handshake was not TLS.
    not_tls: bool,
}

impl TransportError {
    /// The error of a request that the server may have carried out. It is sent again if that is safe, see
    /// [`RetryPolicy`](crate::client::RetryPolicy).
    ///
    /// A layer or a transport that returns `source` itself, and not this type, ends the request if
    /// `source` is not a connection error.
    ///
    /// Errors of reqwest 0.13 and hyper 1 are recognized: timeouts, failed connections, TLS, and requests that were not
    /// processed.
    pub fn new(source: impl Into<Box<dyn StdError + Send + Sync>>) -> Self {
        let source = match source.into().downcast::<Self>() {
            Ok(own) => return *own,
            Err(source) => source,
        };
        // Error messages name the server without the query.
        let source = match source.downcast::<reqwest::Error>() {
            Ok(error) => Box::new(error.without_url()),
            Err(source) => source,
        };
        let error = &*source;
        let http = find::<hyper::Error>(error);
        let is = Properties {
            timeout: is_timeout(error),
            tls: tls::is_tls_error(error),
            connect: is_connect(error),
            unprocessed: is_unsent(error) || is_unprocessed(error) || tls::is_rejected(error),
            not_http: http.is_some_and(|error| error.is_parse() && !error.is_parse_too_large()),
            too_many_headers: http.is_some_and(hyper::Error::is_parse_too_large),
            not_tls: tls::is_answered_without(error),
            ..Properties::default()
        };
        Self { is, source }
    }

    /// The error of a layer or a custom transport, as the program returned it.
    ///
    /// An error of a connection keeps its meaning, also within another error. Any other error ends the request.
    pub(crate) fn of_program(source: impl Into<BoxError>) -> Self {
        let source = match source.into().downcast::<Self>() {
            Ok(error) => return *error,
            Err(source) => source,
        };
        if let Some(inner) = find::<Self>(&*source) {
            let is = inner.is;
            return Self { is, source };
        }
        let mut error = Self::new(source);
        let is_own = !is_of_connection(&*error.source);
        (error.is.own, error.is.fatal) = (is_own, is_own);
        error
    }

    /// The error of a request that never reached the server. It is sent again, even if it is a write.
    pub fn unsent(source: impl Into<Box<dyn StdError + Send + Sync>>) -> Self {
        let mut error = Self::new(source);
        error.is.unprocessed = true;
        error
    }

    /// An error that would repeat in every further attempt. The request is not sent again.
    pub fn fatal(source: impl Into<Box<dyn StdError + Send + Sync>>) -> Self {
        let mut error = Self::new(source);
        error.is.fatal = true;
        error
    }

    /// The error of a request that this client does not send.
    pub(crate) fn forbidden(source: impl Into<BoxError>) -> Self {
        let mut error = Self::fatal(source);
        error.is.unprocessed = true;
        error
    }

    /// The names of the properties that are true, for recordings.
    #[cfg(feature = "replay")]
    pub(crate) fn properties(&self) -> impl Iterator<Item = &'static str> {
        let all = [
            ("timeout", self.is.timeout),
            ("tls", self.is.tls),
            ("connect", self.is.connect),
            ("unprocessed", self.is.unprocessed),
            ("fatal", self.is.fatal),
            ("own", self.is.own),
            ("not_http", self.is.not_http),
            ("too_many_headers", self.is.too_many_headers),
            ("not_tls", self.is.not_tls),
        ];
        all.into_iter().filter(|(_, is)| *is).map(|(name, _)| name)
    }

    /// An error with these properties.
    #[cfg(feature = "replay")]
    pub(crate) fn with_properties(message: String, is: impl Fn(&str) -> bool) -> Self {
        let is = Properties {
            timeout: is("timeout"),
            tls: is("tls"),
            connect: is("connect"),
            unprocessed: is("unprocessed"),
            fatal: is("fatal"),
            own: is("own"),
            not_http: is("not_http"),
            too_many_headers: is("too_many_headers"),
            not_tls: is("not_tls"),
        };
        let source = message.into();
        Self { is, source }
    }

    /// The error of a request without a response.
    pub(crate) fn into_request_error(self, config: &Config) -> Error {
        let proxy = config.proxy().ok().flatten();
        let secured_proxy = find::<ConnectError>(&*self.source).is_some()
            && proxy.is_some_and(|proxy| proxy.kind == ProxyKind::Https);
        let hint = match config.server().scheme() {
            _ if self.is.too_many_headers => Some(TOO_MANY_HEADERS),
            _ if tls::lacks_protocol(&*self.source) => Some(EXPECTS_HTTP2),
            "http" if self.is.not_http => Some(NOT_HTTP),
            "https" if self.is.not_tls && secured_proxy => {
                Some("if the proxy or the server does not use TLS, use http:// in its URL")
            }
            _ if self.is.not_tls && secured_proxy => {
                Some("if the proxy does not use TLS, use http:// in its URL")
            }
            "https" if self.is.not_tls => {
                Some("if the server does not use TLS, use http:// in its URL")
            }
            _ => tls::remedy(&*self.source),
        };
        let kind = ErrorKind::Send {
            server: config.server_url().to_owned(),
            timeout: self.is.timeout,
            tls: self.is.tls,
            connect: self.is.connect,
            unprocessed: self.is.unprocessed,
            fatal: self.is.fatal,
            own: self.is.own,
            hint,
        };
        Error::new(kind).with_source(self.source)
    }

    /// The error of an incomplete response.
    pub(crate) fn into_body_error(self) -> Error {
        let kind = ErrorKind::Body {
            timeout: self.is.timeout,
        };
        Error::new(kind).with_source(self.source)
    }
}

impl fmt::Display for TransportError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.source.fmt(f)
    }
}

impl StdError for TransportError {
    fn source(&self) -> Option<&(dyn StdError + 'static)> {
        self.source.source()
    }
}

/// A connection that could not be opened.
#[derive(Debug)]
pub(crate) struct ConnectError {
    tried: String,
    source: BoxError,
}

impl ConnectError {
    pub(crate) fn new(tried: impl Into<String>, source: impl Into<BoxError>) -> Self {
        Self {
            tried: tried.into(),
            source: source.into(),
        }
    }
}

impl fmt::Display for ConnectError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.tried)
    }
}

impl StdError for ConnectError {
    fn source(&self) -> Option<&(dyn StdError + 'static)> {
        Some(&*self.source)
    }
}

/// The cause, where the library only has the name of a value.
pub(crate) fn in_own_words(error: &Source) -> Option<&'static str> {
    if is_going_away(error) {
        return Some("it closes the connection (GOAWAY)");
    }
    // The texts of errors that have no public type.
    let mut texts = std::iter::successors(Some(error), |error| (**error).source())
        .map(|error| error.to_string());
    let in_own_words = texts.find_map(|text| match &*text {
        "tunnel error: unsuccessful" => Some("it did not open a connection to the server"),
        "tunnel error: proxy authorization required" => {
            Some("it answered 407; check the user and the password in its URL")
        }
        // It continues with the address of a manual.
        text if text.contains("without sending TLS close_notify") => {
            Some("the connection was closed")
        }
        _ => None,
    });
    in_own_words.or_else(|| tls::in_own_words(error))
}

/// The cause that the error of a SOCKS proxy has and does not return as its source.
#[cfg(feature = "socks")]
pub(crate) fn hidden_source(error: &Source) -> Option<&Source> {
    use hyper_util::client::legacy::connect::{HttpConnector, proxy::SocksV5};
    use tower_service::Service;
    type SocksError = <SocksV5<HttpConnector> as Service<http::Uri>>::Error;

    match error.downcast_ref()? {
        SocksError::Inner(error) => Some(error),
        SocksError::Io(error) => Some(error),
        _ => None,
    }
}

#[cfg(not(feature = "socks"))]
pub(crate) fn hidden_source(_error: &Source) -> Option<&Source> {
    None
}

/// Whether the request was never begun: a usable connection was missing, or it closed before the request's turn.
fn is_unsent(error: &Source) -> bool {
    // The library notes the connection in the error once it has handed the request over.
    any(error, |pool: &hyper_util::client::legacy::Error| {
        pool.connect_info().is_none()
    }) || any(error, hyper::Error::is_canceled)
}

/// Whether an HTTP/2 server did not process the request (RFC 9113, section 8.7): it reset the stream, or closed the
/// connection by GOAWAY, as API servers do to rebalance their clients.
#[cfg(feature = "http2")]
fn is_unprocessed(error: &Source) -> bool {
    let is_refused = |error: &h2::Error| {
        let refused = Some(h2::Reason::REFUSED_STREAM);
        error.is_remote() && error.is_reset() && error.reason() == refused
    };
    any(error, is_refused) || is_going_away(error)
}

#[cfg(feature = "http2")]
fn is_going_away(error: &Source) -> bool {
    any(error, |error: &h2::Error| {
        let shutdown = Some(h2::Reason::NO_ERROR);
        error.is_remote() && error.is_go_away() && error.reason() == shutdown
    })
}

#[cfg(not(feature = "http2"))]
fn is_unprocessed(_error: &Source) -> bool {
    false
}

#[cfg(not(feature = "http2"))]
fn is_going_away(_error: &Source) -> bool {
    false
}

/// Whether the error, or an error among its sources, comes from a connection.
fn is_of_connection(error: &Source) -> bool {
    #[cfg(feature = "http2")]
    if find::<h2::Error>(error).is_some() {
        return true;
    }
    find::<reqwest::Error>(error).is_some()
        || find::<hyper_util::client::legacy::Error>(error).is_some()
        || find::<hyper::Error>(error).is_some()
        || find::<io::Error>(error).is_some()
        || find::<tokio::time::error::Elapsed>(error).is_some()
        || tls::is_tls_error(error)
}

fn is_timeout(error: &Source) -> bool {
    any(error, |error: &io::Error| {
        error.kind() == io::ErrorKind::TimedOut
    }) || find::<tokio::time::error::Elapsed>(error).is_some()
        || any(error, reqwest::Error::is_timeout)
}

fn is_connect(error: &Source) -> bool {
    any(error, hyper_util::client::legacy::Error::is_connect)
        || any(error, reqwest::Error::is_connect)
}

/// The errors of a type among an error and its sources.
fn all<E: StdError + 'static>(error: &Source) -> impl Iterator<Item = &E> {
    std::iter::successors(Some(error), |error| (**error).source())
        .filter_map(|error| error.downcast_ref())
}

fn find<E: StdError + 'static>(error: &Source) -> Option<&E> {
    all(error).next()
}

fn any<E: StdError + 'static>(error: &Source, is: fn(&E) -> bool) -> bool {
    all(error).any(is)
}
