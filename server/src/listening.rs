//! Listening on an address: who may reach it, and with which hosts and tokens. The rules are the same for all servers of this crate.

use crate::auth::{Secret, Tokens};
use crate::http::Hosts;
use crate::start_error::{Cause, StartError};
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr, SocketAddr};
use tokio::net::TcpListener;

/// # Errors
/// The tokens are not in the form of kube-apiserver's token file.
pub(crate) fn parse_tokens(tokens: Option<Secret>) -> Result<Option<Tokens>, StartError> {
    let tokens = tokens.map(|Secret(text)| Tokens::parse(&text)).transpose();
    Ok(tokens.map_err(Cause::Tokens)?)
}

/// The listener, and the address with its port.
///
/// # Errors
/// The port is in use, or the address is not one of this host.
pub(crate) async fn bind(address: SocketAddr) -> Result<(TcpListener, SocketAddr), StartError> {
    let failed = |error| Cause::Bind(address, error);
    let listener = TcpListener::bind(address).await.map_err(failed)?;
    let address = listener.local_addr().map_err(failed)?;
    Ok((listener, address))
}

/// # Errors
/// [`StartError::is_unprotected`] for an address that other hosts can reach.
pub(crate) fn check_exposure(
    address: IpAddr,
    is_protected: bool,
    is_allowed: bool,
) -> Result<(), StartError> {
    match is_local(address) || is_protected || is_allowed {
        true => Ok(()),
        false => Err(Cause::Unprotected(address).into()),
    }
}

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
