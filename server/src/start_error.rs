//! The error of a server that cannot start.

use crate::auth::BadTokens;
use k8s_flowcontrol_types::GROUP;
use k8s_flowcontrol_types::release::UnknownRelease;
use std::net::{IpAddr, SocketAddr};
#[cfg(feature = "tls")]
use std::path::PathBuf;
use std::{fmt, io};

/// The error of a server that cannot start, cannot [restart](crate::ApiServer::upgrade), or cannot use
/// [tokens](crate::ApiServer::replace_tokens).
pub struct StartError(Cause);

pub(crate) enum Cause {
    Release(UnknownRelease),
    Bind(SocketAddr, io::Error),
    /// An address that other hosts reach, without TLS or tokens.
    Unprotected(IpAddr),
    Tokens(BadTokens),
    Tls(Box<dyn std::error::Error + Send + Sync>),
    /// A certificate that a [`Receiver`](crate::Receiver) cannot use.
    Certificate(Box<dyn std::error::Error + Send + Sync>),
    /// A kind that [`Builder::serve`](crate::Builder::serve) cannot serve.
    BuiltIn(&'static str),
    /// An object that the server should start with: its name, and the reason.
    Object(String, String),
    /// An object that the server should start with cannot be JSON.
    NotJson(String),
    Data(Box<dyn std::error::Error + Send + Sync>),
    Stopped,
    /// A mode of torture, and what it needs.
    #[cfg(feature = "tls")]
    Mode(crate::Mode, &'static str),
    /// The file of an expiring token cannot be written.
    #[cfg(feature = "tls")]
    TokenFile(PathBuf, io::Error),
}

impl StartError {
    /// Whether other hosts could reach the [address](crate::Builder::address) of a server without TLS and tokens.
    pub fn is_unprotected(&self) -> bool {
        matches!(self.0, Cause::Unprotected(_))
    }

    /// The line of the [tokens](crate::Builder::tokens) that cannot be used, counted from 1; `None` for another error. The
    /// [source](std::error::Error::source) of the error has the reason.
    pub fn tokens_line(&self) -> Option<usize> {
        match &self.0 {
            Cause::Tokens(error) => Some(error.line),
            _ => None,
        }
    }
}

impl From<Cause> for StartError {
    fn from(cause: Cause) -> Self {
        Self(cause)
    }
}

impl fmt::Display for StartError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.0 {
            Cause::Release(error) => write!(f, "the API server cannot start: {error}"),
            Cause::Tokens(error) => {
                let line = error.line;
                write!(
                    f,
                    "the API server cannot use the tokens: line {line}: {error}"
                )
            }
            Cause::Unprotected(address) => write!(
                f,
                "cannot listen on {address} without TLS and tokens, because other hosts can reach it: use \
                 both, listen on 127.0.0.1, or allow an unprotected server"
            ),
            Cause::Tls(error) => write!(
                f,
                "the API server cannot start: creating a certificate failed: {error}"
            ),
            Cause::Certificate(error) => {
                write!(
                    f,
                    "the certificate or its private key cannot be used: {error}"
                )
            }
            Cause::BuiltIn(kind) => write!(
                f,
                "the API server cannot start: the kind {kind} of {GROUP} is built in and cannot be served from a \
                 document"
            ),
            Cause::Object(title, why) => {
                write!(f, "the API server cannot start with {title}: {why}")
            }
            Cause::NotJson(why) => write!(
                f,
                "the API server cannot start with an object that cannot be JSON: {why}"
            ),
            Cause::Data(error) => write!(f, "the API server cannot start: {error}"),
            #[cfg(feature = "tls")]
            Cause::Mode(mode, needed) => {
                write!(
                    f,
                    "the torture server cannot start: the mode {mode} needs {needed}"
                )
            }
            #[cfg(feature = "tls")]
            Cause::TokenFile(file, error) => {
                let file = file.display();
                write!(
                    f,
                    "the torture server cannot start: the token file {file} cannot be written: {error}"
                )
            }
            Cause::Stopped => f.write_str("the API server cannot start again: it has stopped"),
            Cause::Bind(address, error) => {
                let remedy = match error.kind() {
                    io::ErrorKind::AddrNotAvailable => "choose an address of this host",
                    _ => "choose another port, or 0 for a free one",
                };
                write!(
                    f,
                    "the server cannot listen on {address}: {error}; {remedy}"
                )
            }
        }
    }
}

/// The text of the error, which a program prints that returns it from `main`.
impl fmt::Debug for StartError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

impl std::error::Error for StartError {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        match &self.0 {
            Cause::Release(error) => Some(error),
            Cause::Bind(_, error) => Some(error),
            Cause::Tokens(error) => Some(error),
            Cause::Tls(error) | Cause::Certificate(error) | Cause::Data(error) => Some(&**error),
            #[cfg(feature = "tls")]
            Cause::TokenFile(_, error) => Some(error),
            #[cfg(feature = "tls")]
            Cause::Mode(..) => None,
            Cause::BuiltIn(_)
            | Cause::NotJson(_)
            | Cause::Object(..)
            | Cause::Stopped
            | Cause::Unprotected(_) => None,
        }
    }
}
