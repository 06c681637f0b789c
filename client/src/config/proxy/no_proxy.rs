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
    match (address, address.to_canonical()) {
        // `::ffff:10.0.0.0/104` is `10.0.0.0/8`.
        (IpAddr::V6(_), IpAddr::V4(mapped)) if (96..=128).contains(&bits) => {
            Some((mapped.into(), bits - 96))
        }
        (IpAddr::V4(_), _) => (bits <= 32).then_some((address, bits)),
        (IpAddr::V6(_), _) => (bits <= 128).then_some((address, bits)),
    }
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
