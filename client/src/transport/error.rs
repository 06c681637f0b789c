//! Errors of connections.

use super::causes::{Source, any, find};
use super::explanation;
use crate::config::Config;
use crate::error::{Error, ErrorKind};
use std::error::Error as StdError;
use std::{fmt, io};

type BoxError = Box<dyn StdError + Send + Sync>;

/// The reason why a response is missing or incomplete.
///
/// Layers and custom transports return it, or any other error. An error of reqwest, hyper, h2, rustls, tokio's timeouts or
/// `std::io`, also as a source, counts as an error of the connection; any other error ends the request.
#[derive(Debug)]
pub struct TransportError {
    pub(super) is: Properties,
    pub(crate) source: BoxError,
}

/// How it failed, which decides about another attempt and about the text.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Properties {
    /// A time limit expired.
    pub(crate) timeout: bool,
    /// TLS failed.
    pub(crate) tls: bool,
    /// The connection failed before anything was sent.
    pub(crate) connect: bool,
    /// The request was never begun on a connection, or the server reported that it did not process it.
    pub(crate) unprocessed: bool,
    /// Another attempt would fail too: it is an error of the program, and not of a connection.
    pub(crate) fatal: bool,
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
        let is = Properties {
            timeout: is_timeout(error),
            tls: is_tls(error),
            connect: is_connect(error),
            unprocessed: is_unsent(error)
                || is_unprocessed(error)
                || any(error, explanation::is_rejected),
            fatal: false,
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
        error.is.fatal = !is_of_connection(&*error.source);
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
        };
        let source = message.into();
        Self { is, source }
    }

    /// The error of a request without a response.
    pub(crate) fn into_request_error(self, config: &Config) -> Error {
        let kind = ErrorKind::Send {
            server: config.server_url().to_owned(),
            is: self.is,
            remedy: explanation::remedy(&*self.source, config),
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
pub(super) fn is_going_away(error: &Source) -> bool {
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
pub(super) fn is_going_away(_error: &Source) -> bool {
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
        || is_tls(error)
}

fn is_tls(error: &Source) -> bool {
    find::<rustls::Error>(error).is_some()
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
