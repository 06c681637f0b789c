//! Protection against web pages of other sites, which a browser on this host may show.
//!
//! A page can resolve its own name to 127.0.0.1 (DNS rebinding), but it cannot change the name in `Host` and `Origin`.

use crate::status::{Failure, failure};
use hyper::header::{self, HeaderName};
use hyper::http::request::Parts;
use hyper::http::uri::{Authority, Uri};
use std::net::IpAddr;

/// Checks that a request is for a loopback name, and not from a page of another site.
///
/// # Errors
/// 403 for another name in `Host` or `Origin`.
pub(super) fn check(parts: &Parts) -> Result<(), Failure> {
    let values = |name: HeaderName| parts.headers.get_all(name).into_iter();
    let target = parts.uri.host();
    if target.is_some_and(|host| !is_loopback(host)) {
        return Err(refused("host", target.unwrap_or_default()));
    }
    for host in values(header::HOST) {
        let authority = Authority::try_from(host.as_bytes());
        if !authority.is_ok_and(|authority| is_loopback(authority.host())) {
            return Err(refused("host", &String::from_utf8_lossy(host.as_bytes())));
        }
    }
    for origin in values(header::ORIGIN) {
        let page = Uri::try_from(origin.as_bytes());
        if !page.is_ok_and(|page| page.host().is_some_and(is_loopback)) {
            let origin = String::from_utf8_lossy(origin.as_bytes());
            return Err(refused("origin", &origin));
        }
    }
    Ok(())
}

/// Whether a host is `localhost`, a name below it, or a loopback address. The server's certificate has no other names.
fn is_loopback(host: &str) -> bool {
    let address = host
        .strip_prefix('[')
        .and_then(|host| host.strip_suffix(']'));
    if let Ok(address) = address.unwrap_or(host).parse::<IpAddr>() {
        return address.to_canonical().is_loopback();
    }
    let name = host.strip_suffix('.').unwrap_or(host).to_ascii_lowercase();
    name == "localhost" || name.ends_with(".localhost")
}

fn refused(field: &str, found: &str) -> Failure {
    failure(
        403,
        "Forbidden",
        format!(
            "forbidden: the {field} {found:?} is not a loopback name: use localhost or 127.0.0.1, or start the server \
             so that it serves any host"
        ),
    )
}
