//! What goes wrong on the way to the server and back.

use crate::client::error::{Error, Kind};
use crate::client::tls;
use crate::config::Config;
use std::error::Error as StdError;
use std::{fmt, io};

type BoxError = Box<dyn StdError + Send + Sync>;

/// A request that did not arrive, or an answer that did not come or broke off.
#[derive(Debug)]
pub(crate) struct TransportError {
    /// Time ran out.
    pub(crate) timeout: bool,
    /// The connection could not be made secure.
    pub(crate) tls: bool,
    /// No connection came about, so that nothing was sent.
    pub(crate) connect: bool,
    /// The server has said that it did not look at the request.
    pub(crate) unprocessed: bool,
    pub(super) source: BoxError,
}

impl TransportError {
    pub(super) fn before_answer_began(error: reqwest::Error) -> Self {
        Self {
            connect: error.is_connect(),
            unprocessed: is_unprocessed(&error),
            ..Self::in_body(error)
        }
    }

    pub(super) fn in_body(error: reqwest::Error) -> Self {
        Self {
            timeout: error.is_timeout() || is_timeout(&error),
            tls: tls::is_tls_error(&error),
            connect: false,
            unprocessed: false,
            // The URL is told elsewhere, and without what may be secret in it.
            source: Box::new(error.without_url()),
        }
    }

    /// As the error of a request for which no answer began.
    pub(crate) fn before_answer(self, config: &Config) -> Error {
        let kind = Kind::Send {
            server: config.server_url().to_owned(),
            timeout: self.timeout,
            tls: self.tls,
            connect: self.connect,
            unprocessed: self.unprocessed,
        };
        Error::new(kind).with_source(self.source)
    }

    /// As the error of an answer that broke off.
    pub(crate) fn within_answer(self) -> Error {
        let kind = Kind::Body {
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

/// A connection that did not come about: what was tried, and why it failed.
#[derive(Debug)]
pub(super) struct ConnectError {
    tried: String,
    source: BoxError,
}

impl ConnectError {
    pub(super) fn new(tried: impl Into<String>, source: impl Into<BoxError>) -> Self {
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

/// Whether an HTTP/2 server refused the request unseen (RFC 9113, section 8.7): alone, or all that came after its
/// farewell, as API servers bid it to spread their clients.
fn is_unprocessed(error: &(dyn StdError + 'static)) -> bool {
    let refused = error.downcast_ref::<h2::Error>().is_some_and(|error| {
        let (refusal, farewell) = (h2::Reason::REFUSED_STREAM, h2::Reason::NO_ERROR);
        error.is_remote()
            && (error.is_reset() && error.reason() == Some(refusal)
                || error.is_go_away() && error.reason() == Some(farewell))
    });
    refused || error.source().is_some_and(is_unprocessed)
}

fn is_timeout(error: &(dyn StdError + 'static)) -> bool {
    let io = error.downcast_ref::<io::Error>();
    io.is_some_and(|error| error.kind() == io::ErrorKind::TimedOut)
        || error.source().is_some_and(is_timeout)
}
