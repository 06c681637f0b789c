//! Errors of connections.

use super::tls;
use crate::config::Config;
use crate::error::{Error, ErrorKind};
use std::error::Error as StdError;
use std::{fmt, io};

type BoxError = Box<dyn StdError + Send + Sync>;

/// The reason why a request has no response, or an incomplete one.
///
/// Layers and custom transports return it, or any other error, from which [`new`](Self::new) makes it.
#[derive(Debug)]
pub struct TransportError {
    /// A time limit expired.
    timeout: bool,
    /// TLS failed.
    tls: bool,
    /// There was no connection, so that nothing was sent.
    pub(crate) connect: bool,
    /// The request was never begun on a connection, or the server reported that it did not process it.
    unprocessed: bool,
    /// The request is not sent again.
    fatal: bool,
    pub(crate) source: BoxError,
}

impl TransportError {
    /// The error of a request that the server may have carried out. It is sent again if that is safe, see
    /// [`RetryPolicy`](crate::client::RetryPolicy).
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
        Self {
            timeout: is_timeout(error),
            tls: tls::is_tls_error(error),
            connect: is_connect(error),
            unprocessed: is_unsent(error) || is_unprocessed(error),
            fatal: false,
            source,
        }
    }

    /// The error of a request that never reached the server. It is sent again, also if it is a write.
    pub fn unsent(source: impl Into<Box<dyn StdError + Send + Sync>>) -> Self {
        Self {
            unprocessed: true,
            ..Self::new(source)
        }
    }

    /// An error that every further attempt would have too. The request is not sent again.
    pub fn fatal(source: impl Into<Box<dyn StdError + Send + Sync>>) -> Self {
        Self {
            fatal: true,
            ..Self::new(source)
        }
    }

    /// The names of the properties that are true, for recordings.
    #[cfg(feature = "replay")]
    pub(crate) fn properties(&self) -> impl Iterator<Item = &'static str> {
        let all = [
            ("timeout", self.timeout),
            ("tls", self.tls),
            ("connect", self.connect),
            ("unprocessed", self.unprocessed),
            ("fatal", self.fatal),
        ];
        all.into_iter().filter(|(_, is)| *is).map(|(name, _)| name)
    }

    /// An error with these properties.
    #[cfg(feature = "replay")]
    pub(crate) fn with_properties(message: String, is: impl Fn(&str) -> bool) -> Self {
        Self {
            timeout: is("timeout"),
            tls: is("tls"),
            connect: is("connect"),
            unprocessed: is("unprocessed"),
            fatal: is("fatal"),
            source: message.into(),
        }
    }

    /// The error of a request without a response.
    pub(crate) fn into_request_error(self, config: &Config) -> Error {
        let kind = ErrorKind::Send {
            server: config.server_url().to_owned(),
            timeout: self.timeout,
            tls: self.tls,
            connect: self.connect,
            unprocessed: self.unprocessed,
            fatal: self.fatal,
        };
        Error::new(kind).with_source(self.source)
    }

    /// The error of an incomplete response.
    pub(crate) fn into_body_error(self) -> Error {
        let kind = ErrorKind::Body {
            timeout: self.timeout,
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

/// Whether the request was never begun: there was no usable connection, or it closed before the request's turn.
fn is_unsent(error: &(dyn StdError + 'static)) -> bool {
    // The library notes the connection in the error once it has handed the request over.
    let pool = error.downcast_ref::<hyper_util::client::legacy::Error>();
    let connection = error.downcast_ref::<hyper::Error>();
    pool.is_some_and(|error| error.connect_info().is_none())
        || connection.is_some_and(hyper::Error::is_canceled)
        || error.source().is_some_and(is_unsent)
}

/// Whether an HTTP/2 server did not process the request (RFC 9113, section 8.7): it reset the stream, or closed the
/// connection by GOAWAY, as API servers do to rebalance their clients.
fn is_unprocessed(error: &(dyn StdError + 'static)) -> bool {
    let unprocessed = error.downcast_ref::<h2::Error>().is_some_and(|error| {
        let (refused, shutdown) = (h2::Reason::REFUSED_STREAM, h2::Reason::NO_ERROR);
        error.is_remote()
            && (error.is_reset() && error.reason() == Some(refused)
                || error.is_go_away() && error.reason() == Some(shutdown))
    });
    unprocessed || error.source().is_some_and(is_unprocessed)
}

fn is_timeout(error: &(dyn StdError + 'static)) -> bool {
    let io = error.downcast_ref::<io::Error>();
    io.is_some_and(|error| error.kind() == io::ErrorKind::TimedOut)
        || library(error).is_some_and(reqwest::Error::is_timeout)
        || error.source().is_some_and(is_timeout)
}

fn is_connect(error: &(dyn StdError + 'static)) -> bool {
    let pool = error.downcast_ref::<hyper_util::client::legacy::Error>();
    pool.is_some_and(hyper_util::client::legacy::Error::is_connect)
        || library(error).is_some_and(reqwest::Error::is_connect)
        || error.source().is_some_and(is_connect)
}

fn library<'a>(error: &'a (dyn StdError + 'static)) -> Option<&'a reqwest::Error> {
    error.downcast_ref()
}
