//! IP addresses and networks, as Go's `net/netip` reads them.

use super::netip;
use super::{
    Answer, Overload, STRING_TYPE, argument, boolean, fails, integer, overloads, string, text,
    value,
};
use cel::ExecutionError;
use cel::common::value::CowVal;
use k8s_flowcontrol_text::go::quote;
use std::net::{IpAddr, Ipv6Addr};

value!(
    /// An IP address.
    Ip(IpAddr), IP, "net.IP"
);
value!(
    /// A network: an address in it, and the length of its prefix.
    Cidr((IpAddr, u8)), CIDR, "net.CIDR"
);

pub(super) static OVERLOADS: &[Overload] = overloads! {
    functions:
    "ip"(STRING_TYPE) => |args| Ok(CowVal::owned(Ip(address(text(&args, 0)?).map_err(fails)?))),
    "isIP"(STRING_TYPE) => |args| boolean(address(text(&args, 0)?).is_ok()),
    "ip.isCanonical"(STRING_TYPE) => |args| {
        let raw = text(&args, 0)?;
        boolean(address(raw).map_err(fails)?.to_string() == raw)
    },
    "string"(IP) => |args| string(ip(&args, 0)?.to_string()),
    "cidr"(STRING_TYPE) => |args| Ok(CowVal::owned(Cidr(network_of(&args, 0)?))),
    "isCIDR"(STRING_TYPE) => |args| boolean(network(text(&args, 0)?).is_ok()),
    "string"(CIDR) => |args| {
        let (address, length) = cidr(&args, 0)?;
        string(format!("{address}/{length}"))
    },
    methods:
    "family"(IP) => |args| integer(if ip(&args, 0)?.is_ipv4() { 4 } else { 6 }),
    "isUnspecified"(IP) => |args| boolean(ip(&args, 0)?.is_unspecified()),
    "isLoopback"(IP) => |args| boolean(ip(&args, 0)?.is_loopback()),
    "isLinkLocalMulticast"(IP) => |args| boolean(is_link_local_multicast(ip(&args, 0)?)),
    "isLinkLocalUnicast"(IP) => |args| boolean(is_link_local_unicast(ip(&args, 0)?)),
    "isGlobalUnicast"(IP) => |args| boolean(is_global_unicast(ip(&args, 0)?)),
    "ip"(CIDR) => |args| Ok(CowVal::owned(Ip(cidr(&args, 0)?.0))),
    "prefixLength"(CIDR) => |args| integer(cidr(&args, 0)?.1.into()),
    "masked"(CIDR) => |args| {
        let (address, length) = cidr(&args, 0)?;
        Ok(CowVal::owned(Cidr((masked(address, length), length))))
    },
    "containsIP"(CIDR, IP) => |args| contains(&args, ip(&args, 1)?, None),
    "containsIP"(CIDR, STRING_TYPE) => |args| {
        contains(&args, address(text(&args, 1)?).map_err(fails)?, None)
    },
    "containsCIDR"(CIDR, CIDR) => |args| {
        let (address, length) = cidr(&args, 1)?;
        contains(&args, address, Some(length))
    },
    "containsCIDR"(CIDR, STRING_TYPE) => |args| {
        let (address, length) = network_of(&args, 1)?;
        contains(&args, address, Some(length))
    },
};

fn ip(args: &[CowVal<'_, '_>], index: usize) -> Result<IpAddr, ExecutionError> {
    Ok(argument::<Ip>(args, index)?.0)
}

fn cidr(args: &[CowVal<'_, '_>], index: usize) -> Result<(IpAddr, u8), ExecutionError> {
    Ok(argument::<Cidr>(args, index)?.0)
}

/// Whether a network has an address, and a prefix that is not longer than `length`. Servers before 1.33 compare networks with the address as it is
/// written, so that they deny most of those that are contained.
fn contains<'b, 'v>(args: &[CowVal<'_, '_>], other: IpAddr, length: Option<u8>) -> Answer<'b, 'v> {
    let (address, own) = cidr(args, 0)?;
    let is_in = address.is_ipv4() == other.is_ipv4() && masked(address, own) == masked(other, own);
    boolean(is_in && length.is_none_or(|length| own <= length))
}

/// An address. Zones and IPv4 addresses inside IPv6 ones are errors.
fn address(raw: &str) -> Result<IpAddr, String> {
    let quoted = quote(raw);
    if has_zone(raw) {
        return Err(format!(
            "IP address {quoted} with zone value is not allowed"
        ));
    }
    match raw.parse() {
        Ok(address) if is_mapped(address) => {
            Err(format!("IPv4-mapped IPv6 address {quoted} is not allowed"))
        }
        Ok(address) => Ok(address),
        Err(_) => {
            let why = netip::why(raw);
            Err(format!(
                "IP Address {quoted} parse error during conversion from string: {why}"
            ))
        }
    }
}

fn network_of(args: &[CowVal<'_, '_>], index: usize) -> Result<(IpAddr, u8), ExecutionError> {
    let words = "network address parse error during conversion from string: ";
    network(text(args, index)?).map_err(|error| fails(format!("{words}{error}")))
}

fn network(raw: &str) -> Result<(IpAddr, u8), String> {
    let quoted = quote(raw);
    let words = "network address parse error during conversion from string: netip.ParsePrefix";
    let Some((address, length)) = raw.rsplit_once('/') else {
        return Err(format!("{words}({quoted}): no '/'"));
    };
    let parsed: IpAddr = address.parse().map_err(|_| match has_zone(address) {
        true => format!("{words}({quoted}): IPv6 zones cannot be present in a prefix"),
        false => format!("{words}({quoted}): {}", netip::why(address)),
    })?;
    let is_number = !length.is_empty()
        && length.bytes().all(|byte| byte.is_ascii_digit())
        && (length.len() == 1 || !length.starts_with('0'));
    if !is_number {
        return Err(format!(
            "{words}({quoted}): bad bits after slash: {}",
            quote(length)
        ));
    }
    let most = if parsed.is_ipv4() { 32 } else { 128 };
    match length.parse() {
        Ok(length) if length <= most => match is_mapped(parsed) {
            true => Err(format!("IPv4-mapped IPv6 address {quoted} is not allowed")),
            false => Ok((parsed, length)),
        },
        _ => Err(format!("{words}({quoted}): prefix length out of range")),
    }
}

/// Whether the text is an IPv6 address with a zone.
fn has_zone(raw: &str) -> bool {
    match raw.split_once('%') {
        Some((address, zone)) => !zone.is_empty() && address.parse::<Ipv6Addr>().is_ok(),
        None => false,
    }
}

fn is_mapped(address: IpAddr) -> bool {
    matches!(address, IpAddr::V6(address) if address.to_ipv4_mapped().is_some())
}

/// The address with zeros after its prefix.
fn masked(address: IpAddr, length: u8) -> IpAddr {
    match address {
        IpAddr::V4(address) => {
            let mask = u32::MAX.checked_shl(32 - u32::from(length)).unwrap_or(0);
            IpAddr::V4((address.to_bits() & mask).into())
        }
        IpAddr::V6(address) => {
            let length = u32::from(length).min(128);
            let mask = u128::MAX.checked_shl(128 - length).unwrap_or(0);
            IpAddr::V6((address.to_bits() & mask).into())
        }
    }
}

fn is_link_local_multicast(address: IpAddr) -> bool {
    match address {
        IpAddr::V4(address) => address.octets().starts_with(&[224, 0, 0]),
        IpAddr::V6(address) => address.segments()[0] & 0xff0f == 0xff02,
    }
}

fn is_link_local_unicast(address: IpAddr) -> bool {
    match address {
        IpAddr::V4(address) => address.is_link_local(),
        IpAddr::V6(address) => address.segments()[0] & 0xffc0 == 0xfe80,
    }
}

fn is_global_unicast(address: IpAddr) -> bool {
    let is_broadcast = matches!(address, IpAddr::V4(address) if address.is_broadcast());
    !(is_broadcast
        || address.is_unspecified()
        || address.is_loopback()
        || address.is_multicast()
        || is_link_local_unicast(address))
}
