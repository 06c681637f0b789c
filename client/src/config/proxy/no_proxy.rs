//! `NO_PROXY`: the servers that are reached directly. Own code, because kubectl follows the rules of Go's `httpproxy`.
//!
//! A comma-separated list, ignoring white space and case:
//!
//! - `*`: all servers.
//! - `10.0.0.0/8`, `fd00::/8`: addresses of a network.
//! - `10.0.0.1`, `fd00::1`: one address; `10.0.0.1:6443`, `[fd00::1]:6443`: one address and port.
//! - `example.com`: the name and its subdomains; `.example.com` and `*.example.com`: only the subdomains. A port
//!   restricts the entry to that port.
//!
//! Names are not looked up: a network matches only servers addressed by IP.

use std::net::IpAddr;
use url::Host;

pub(super) struct NoProxy(Vec<Entry>);

enum Entry {
    All,
    Network(IpAddr, u8),
    Address(IpAddr, String),
    /// The end of a name from a dot on, whether the name without that dot matches too, and the port or nothing.
    Domain(String, bool, String),
}

impl NoProxy {
    pub(super) fn parse(list: &str) -> Self {
        let entries = list.split(',').map(|entry| entry.trim().to_lowercase());
        Self(entries.filter_map(|entry| Entry::parse(&entry)).collect())
    }

    /// Whether a server is reached directly. `address` is the host if that is an IP address.
    pub(super) fn excludes(&self, host: &str, address: Option<IpAddr>, port: u16) -> bool {
        let port = port.to_string();
        let host = host.to_lowercase();
        self.0.iter().any(|entry| match entry {
            Entry::All => true,
            Entry::Network(network, bits) => {
                address.is_some_and(|address| contains(*network, *bits, address))
            }
            Entry::Address(one, only) => address == Some(*one) && is_port(only, &port),
            Entry::Domain(suffix, itself, only) => {
                (host.ends_with(suffix) || *itself && host == suffix[1..]) && is_port(only, &port)
            }
        })
    }
}

impl Entry {
    fn parse(entry: &str) -> Option<Self> {
        if entry.is_empty() {
            return None;
        }
        if entry == "*" {
            return Some(Self::All);
        }
        if let Some((network, bits)) = network(entry) {
            return Some(Self::Network(network, bits));
        }
        let (host, port) = host_and_port(entry);
        if let Ok(address) = host.parse::<IpAddr>() {
            return Some(Self::Address(address.to_canonical(), port.to_owned()));
        }
        let host = host
            .strip_prefix('*')
            .filter(|rest| rest.starts_with('.'))
            .unwrap_or(host);
        let name = host.strip_prefix('.').unwrap_or(host);
        if host.is_empty() {
            return None;
        }
        let ascii = match Host::parse(name) {
            Ok(Host::Domain(ascii)) if !name.is_ascii() => ascii,
            _ => name.to_owned(),
        };
        Some(Self::Domain(
            format!(".{ascii}"),
            name.len() == host.len(),
            port.to_owned(),
        ))
    }
}

fn is_port(only: &str, port: &str) -> bool {
    only.is_empty() || only == port
}

fn network(text: &str) -> Option<(IpAddr, u8)> {
    let (address, bits) = text.split_once('/')?;
    let address: IpAddr = address.parse().ok()?;
    let digits = !bits.is_empty() && bits.bytes().all(|byte| byte.is_ascii_digit());
    let bits: u8 = bits.parse().ok().filter(|_| digits)?;
    let most = if address.is_ipv4() { 32 } else { 128 };
    (bits <= most).then_some((address, bits))
}

/// Whether two addresses have the same family and the same first `bits`.
fn contains(network: IpAddr, bits: u8, address: IpAddr) -> bool {
    match (network, address) {
        (IpAddr::V4(a), IpAddr::V4(b)) => {
            let differing = a.to_bits() ^ b.to_bits();
            differing.leading_zeros() >= u32::from(bits)
        }
        (IpAddr::V6(a), IpAddr::V6(b)) => {
            let differing = a.to_bits() ^ b.to_bits();
            differing.leading_zeros() >= u32::from(bits)
        }
        _ => false,
    }
}

/// Splits off the port. An IPv6 address has one only after brackets.
fn host_and_port(entry: &str) -> (&str, &str) {
    if let Some(rest) = entry.strip_prefix('[') {
        return rest.split_once("]:").unwrap_or((entry, ""));
    }
    match entry.split_once(':') {
        Some((host, port)) if !port.contains(':') => (host, port),
        _ => (entry, ""),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn excludes(list: &str, host: &str, port: u16) -> bool {
        let address = host.parse::<IpAddr>().ok();
        NoProxy::parse(list).excludes(host, address, port)
    }

    #[test]
    fn rules() {
        for (list, host, port, expected) in [
            ("", "a", 443, false),
            ("*", "a", 443, true),
            ("x, * ", "10.0.0.1", 443, true),
            ("*.com", "com", 443, false),
            // Names
            ("example.com", "example.com", 443, true),
            ("example.com", "a.b.example.com", 443, true),
            ("example.com", "notexample.com", 443, false),
            ("EXAMPLE.com", "api.example.COM", 443, true),
            (".example.com", "example.com", 443, false),
            (".example.com", "a.example.com", 443, true),
            ("*.example.com", "example.com", 443, false),
            ("*.example.com", "a.example.com", 443, true),
            (" a , example.com", "example.com", 443, true),
            ("bücher.example", "xn--bcher-kva.example", 443, true),
            // Names and ports
            ("example.com:6443", "example.com", 6443, true),
            ("example.com:6443", "a.example.com", 443, false),
            (".example.com:6443", "a.example.com", 6443, true),
            ("example.com:", "example.com", 6443, true),
            (":443", "example.com", 443, false),
            // Addresses
            ("10.0.0.1", "10.0.0.1", 6443, true),
            ("10.0.0.1:6443", "10.0.0.1", 6443, true),
            ("10.0.0.1:6443", "10.0.0.1", 443, false),
            // Like in Go, anything that is not an address matches the end of a name.
            ("0.0.1", "10.0.0.1", 443, true),
            ("fd00::1", "fd00::1", 443, true),
            ("fd00:0:0::1", "fd00::1", 443, true),
            ("[fd00::1]:6443", "fd00::1", 6443, true),
            ("[fd00::1]:6443", "fd00::1", 443, false),
            ("::ffff:10.0.0.1", "10.0.0.1", 443, true),
            // Networks
            ("10.0.0.0/8", "10.255.0.1", 443, true),
            ("10.0.0.0/8", "11.0.0.1", 443, false),
            ("10.1.2.3/8", "10.9.9.9", 443, true),
            ("0.0.0.0/0", "1.2.3.4", 443, true),
            ("192.168.1.4/30", "192.168.1.7", 443, true),
            ("192.168.1.4/30", "192.168.1.8", 443, false),
            ("fd00::/8", "fd12::1", 443, true),
            ("fd00::/8", "fe80::1", 443, false),
            ("fd00::/8", "10.0.0.1", 443, false),
            ("::1/128", "::1", 443, true),
            ("10.0.0.0/33", "10.0.0.1", 443, false),
            ("10.0.0.0/8", "ten.example", 443, false),
        ] {
            assert_eq!(excludes(list, host, port), expected, "{list} {host}:{port}");
        }
    }
}
