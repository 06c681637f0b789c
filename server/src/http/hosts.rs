//! Protection against web pages of other sites, which a browser on this host may show.
//!
//! A page can resolve its own name to 127.0.0.1 (DNS rebinding), but it cannot change the name in `Host` and `Origin`.

use crate::status::{Failure, failure};
use hyper::header::{self, HeaderName};
use hyper::http::request::Parts;
use hyper::http::uri::{Authority, Uri};
use std::net::IpAddr;

/// The names in `Host` that requests may have.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Hosts {
    /// Loopback names and addresses.
    Loopback,
    /// Loopback names, and all IP addresses, because the name of a page is not an IP address.
    Addresses,
    /// All, and in `Origin` too.
    Any,
}

/// Checks that a request names a host of the server, and does not come from a page of another site.
/// Errors: 403 for another name in `Host` or `Origin`.
pub(crate) fn check(hosts: Hosts, parts: &Parts) -> Result<(), Failure> {
    let is_served = match hosts {
        Hosts::Any => return Ok(()),
        Hosts::Loopback => is_loopback,
        Hosts::Addresses => |host: &str| is_loopback(host) || address(host).is_some(),
    };
    let values = |name: HeaderName| parts.headers.get_all(name).into_iter();
    let target = parts.uri.host();
    if target.is_some_and(|host| !is_served(host)) {
        return Err(refused(hosts, "host", target.unwrap_or_default()));
    }
    for host in values(header::HOST) {
        let authority = Authority::try_from(host.as_bytes());
        if !authority.is_ok_and(|authority| is_served(authority.host())) {
            let host = String::from_utf8_lossy(host.as_bytes());
            return Err(refused(hosts, "host", &host));
        }
    }
    for origin in values(header::ORIGIN) {
        let page = Uri::try_from(origin.as_bytes());
        if !page.is_ok_and(|page| page.host().is_some_and(is_loopback)) {
            let origin = String::from_utf8_lossy(origin.as_bytes());
            return Err(refused(Hosts::Loopback, "origin", &origin));
        }
    }
    Ok(())
}

/// Whether a host is `localhost`, a name below it, or a loopback address.
fn is_loopback(host: &str) -> bool {
    if let Some(address) = address(host) {
        return address.to_canonical().is_loopback();
    }
    let name = host.strip_suffix('.').unwrap_or(host).to_ascii_lowercase();
    name == "localhost" || name.ends_with(".localhost")
}

fn address(host: &str) -> Option<IpAddr> {
    let inner = host
        .strip_prefix('[')
        .and_then(|host| host.strip_suffix(']'));
    inner.unwrap_or(host).parse().ok()
}

fn refused(hosts: Hosts, field: &str, found: &str) -> Failure {
    let expected = match hosts {
        Hosts::Addresses => "not an IP address: use the address of the server",
        Hosts::Loopback | Hosts::Any => "not a loopback name: use localhost or 127.0.0.1",
    };
    failure(
        403,
        "Forbidden",
        format!(
            "forbidden: the {field} {found:?} is {expected}, or start the server so that it serves any host"
        ),
    )
}
