//! Listening on an address: who may reach it, and with which hosts and tokens. The rules are the same for all servers of this crate.

use crate::auth::{Secret, Tokens};
use crate::http::Hosts;
use crate::start_error::{Cause, StartError};
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr, SocketAddr};
use tokio::net::TcpListener;

/// Where a server listens, and who may reach it.
#[derive(Clone, Debug)]
pub(crate) struct Listening {
    pub(crate) address: SocketAddr,
    pub(crate) unprotected: bool,
    pub(crate) any_host: bool,
    pub(crate) tokens: Option<Secret>,
}

impl Default for Listening {
    fn default() -> Self {
        Self {
            address: (Ipv4Addr::LOCALHOST, 0).into(),
            unprotected: false,
            any_host: false,
            tokens: None,
        }
    }
}

impl Listening {
    /// Errors: the tokens are not in the form of kube-apiserver's token file, or no record has a token.
    pub(crate) fn parse_tokens(&self) -> Result<Option<Tokens>, StartError> {
        let tokens = self.tokens.as_ref();
        let tokens = tokens.map(|Secret(text)| Tokens::parse_usable(text));
        Ok(tokens.transpose().map_err(Cause::Tokens)?)
    }

    /// Errors: [`StartError::is_unprotected`] for an address that other hosts can reach.
    pub(crate) fn check_exposure(&self, is_protected: bool) -> Result<(), StartError> {
        let address = self.address.ip();
        match is_local(address) || is_protected || self.unprotected {
            true => Ok(()),
            false => Err(Cause::Unprotected(address).into()),
        }
    }

    /// The listener, and the address with its port.
    /// Errors: the port is in use, or the address does not belong to this host.
    pub(crate) async fn bind(&self) -> Result<(TcpListener, SocketAddr), StartError> {
        let failed = |error| Cause::Bind(self.address, error);
        let listener = TcpListener::bind(self.address).await.map_err(failed)?;
        let address = listener.local_addr().map_err(failed)?;
        Ok((listener, address))
    }
}

/// The setters of [`Listening`], which all builders with such a field have, with a text about the tokens.
macro_rules! listening_setters {
    ($builder:ident, $tokens:literal) => {
        impl $builder {
            /// The address on which the server listens, such as `0.0.0.0` for all addresses of this host. Defaults to `127.0.0.1`.
            ///
            /// Other hosts can reach every address that is not a loopback address. Therefore [`start`](Self::start) fails with such an
            /// address unless the server has TLS and [tokens](Self::tokens), or is [`unprotected`](Self::unprotected). A generated
            /// certificate is valid for the address, unless it stands for all addresses, and for `localhost`.
            #[must_use]
            pub fn address(mut self, address: std::net::IpAddr) -> Self {
                self.listening.address.set_ip(address);
                self
            }

            /// The port. Defaults to 0, which picks a free port.
            #[must_use]
            pub fn port(mut self, port: u16) -> Self {
                self.listening.address.set_port(port);
                self
            }

            /// Allows an [address](Self::address) that other hosts can reach without TLS or without tokens. Everyone who reaches the
            /// server may then do anything that it can do, or read the tokens.
            #[must_use]
            pub fn unprotected(mut self) -> Self {
                self.listening.unprotected = true;
                self
            }

            /// Serves requests for any `Host` and from any `Origin`.
            ///
            /// By default, requests get 403 if their `Host` or `Origin` is neither `localhost`, a name below `localhost`, nor a loopback
            /// address. Otherwise a web page in a browser on this host could use the server, through a name that resolves to 127.0.0.1
            /// (DNS rebinding). With another [`address`](Self::address), a `Host` may be any IP address. Call this for clients that
            /// reach the server through a proxy or a forwarded port under another name.
            #[must_use]
            pub fn any_host(mut self) -> Self {
                self.listening.any_host = true;
                self
            }

            /// The bearer tokens, in the form of kube-apiserver's token file: one user per line, `token,user,uid,"group1,group2"`, with
            /// optional groups. A record with an empty token is skipped ([`token_warnings`](crate::token_warnings)); without any other, the
            /// server does not start.
            ///
            #[doc = $tokens]
            #[must_use]
            pub fn tokens(mut self, text: impl Into<String>) -> Self {
                self.listening.tokens = Some(crate::auth::Secret(text.into()));
                self
            }
        }
    };
}
pub(crate) use listening_setters;

/// The hosts for which a server on this address serves requests.
pub(crate) fn hosts_of(address: IpAddr, any_host: bool) -> Hosts {
    match (any_host, is_local(address)) {
        (true, _) => Hosts::Any,
        (false, true) => Hosts::Loopback,
        (false, false) => Hosts::Addresses,
    }
}

/// The address under which a client on this host reaches a server that listens on all addresses.
pub(crate) fn reachable(mut address: SocketAddr) -> SocketAddr {
    if address.ip().is_unspecified() {
        address.set_ip(match address.ip() {
            IpAddr::V4(_) => Ipv4Addr::LOCALHOST.into(),
            IpAddr::V6(_) => Ipv6Addr::LOCALHOST.into(),
        });
    }
    address
}

/// Whether only this host reaches an address.
pub(crate) fn is_local(address: IpAddr) -> bool {
    address.to_canonical().is_loopback()
}
