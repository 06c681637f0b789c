//! Formats of strings and numbers, as Go's libraries read them.

use super::duration::duration;
use crate::pattern::Pattern;
use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use chrono::{DateTime, NaiveDate};
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr};

/// A format that a server checks.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Format {
    Int32,
    Int64,
    Float,
    Double,
    Byte,
    Cidr,
    Date,
    DateTime,
    Duration,
    HexColor,
    Hostname,
    Ipv4,
    Ipv6,
    LongName,
    Mac,
    Password,
    ShortName,
    Uuid(&'static str),
    /// A format that a server checks and this library does not.
    NotChecked(String),
}

impl Format {
    /// The format of that name for a value of that type; `None` where a server ignores it.
    pub(crate) fn of(name: &str, only_type: Option<&str>) -> Option<Self> {
        match only_type {
            Some("integer") => match name {
                "int32" => Some(Self::Int32),
                "int64" => Some(Self::Int64),
                _ => None,
            },
            Some("number") => match name {
                "float" => Some(Self::Float),
                "double" => Some(Self::Double),
                _ => None,
            },
            None | Some("string") => Self::of_text(name),
            Some(_) => None,
        }
    }

    fn of_text(name: &str) -> Option<Self> {
        Some(match name.replace('-', "").as_str() {
            "byte" => Self::Byte,
            "cidr" => Self::Cidr,
            "date" => Self::Date,
            "datetime" => Self::DateTime,
            "duration" => Self::Duration,
            "hexcolor" => Self::HexColor,
            "hostname" => Self::Hostname,
            "ipv4" => Self::Ipv4,
            "ipv6" => Self::Ipv6,
            "k8slongname" => Self::LongName,
            "k8sshortname" => Self::ShortName,
            "mac" => Self::Mac,
            "password" => Self::Password,
            "uuid" => Self::Uuid(""),
            "uuid3" => Self::Uuid("3"),
            "uuid4" => Self::Uuid("4"),
            "uuid5" => Self::Uuid("5"),
            "bsonobjectid" | "creditcard" | "email" | "isbn" | "isbn10" | "isbn13" | "rgbcolor"
            | "ssn" | "uri" => Self::NotChecked(name.to_owned()),
            _ => return None,
        })
    }

    /// Whether it is a format of strings.
    pub(crate) fn is_of_text(&self) -> bool {
        !matches!(
            self,
            Self::Int32 | Self::Int64 | Self::Float | Self::Double | Self::NotChecked(_)
        )
    }

    pub(crate) fn accepts(&self, text: &str) -> bool {
        match self {
            Self::Byte => is_base64(text),
            Self::Cidr => is_cidr(text),
            Self::Date => is_date(text),
            Self::DateTime => is_date_time(text),
            Self::Duration => duration(text).is_some(),
            Self::HexColor => {
                let digits = text.strip_prefix('#').unwrap_or(text);
                matches!(digits.len(), 3 | 6) && digits.bytes().all(|byte| byte.is_ascii_hexdigit())
            }
            Self::Hostname => is_hostname(text),
            Self::Ipv4 => ipv4(text).is_some(),
            Self::Ipv6 => text.contains(':') && ipv6(text).is_some(),
            Self::LongName => text.len() <= 253 && text.split('.').all(is_name),
            Self::ShortName => text.len() <= 63 && is_name(text),
            Self::Mac => is_mac(text),
            Self::Uuid(version) => is_uuid(text, version),
            Self::Int32 | Self::Int64 | Self::Float | Self::Double | Self::Password => true,
            Self::NotChecked(_) => true,
        }
    }
}

fn is_base64(text: &str) -> bool {
    !text.is_empty() && STANDARD.decode(text).is_ok()
}

fn is_date(text: &str) -> bool {
    text.len() == 10 && NaiveDate::parse_from_str(text, "%Y-%m-%d").is_ok()
}

/// A date and a time of day, with any letter before the fraction and with any offset.
fn is_date_time(text: &str) -> bool {
    static TIME: Pattern = Pattern::new(
        r"([01][0-9]|2[0-3]):[0-5][0-9]:[0-5][0-9](.[0-9]+)?([zZ]|[+-][0-9]{2}:[0-9]{2})",
    );
    let parts = text.split_once(['T', 't']);
    parts.is_some_and(|(date, time)| is_date(date) && TIME.is_match(time))
}

/// A time of RFC 3339, with or without a fraction.
pub(crate) fn date_time(text: &str) -> Option<DateTime<chrono::FixedOffset>> {
    let has_letter = matches!(text.as_bytes().get(10), Some(b'T' | b't'));
    let time = DateTime::parse_from_rfc3339(text).ok();
    time.filter(|_| has_letter)
}

/// One label, with at most one hyphen behind its first letter, or several labels of which the last has letters only.
fn is_hostname(text: &str) -> bool {
    static PATTERN: Pattern = Pattern::new(
        r"([a-zA-Z0-9\p{S}\p{L}](-?[a-zA-Z0-9\p{S}\p{L}]{0,62})?|([a-zA-Z0-9\p{S}\p{L}]([a-zA-Z0-9\p{S}\p{L}-]{0,61}[a-zA-Z0-9\p{S}\p{L}])?\.)+[a-zA-Z\p{L}]{2,63})",
    );
    text.len() <= 255 && text.split('.').all(|label| label.len() <= 63) && PATTERN.is_match(text)
}

/// An IPv4 address, also with leading zeros.
fn ipv4(text: &str) -> Option<Ipv4Addr> {
    let parts: Vec<&str> = text.split('.').collect();
    let part = |part: &&str| {
        let digits = !part.is_empty() && part.bytes().all(|byte| byte.is_ascii_digit());
        digits.then(|| part.parse::<u32>().ok()).flatten()
    };
    let numbers: Option<Vec<u32>> = parts.iter().map(part).collect();
    match numbers?.as_slice() {
        &[a, b, c, d] => Some(Ipv4Addr::new(
            a.try_into().ok()?,
            b.try_into().ok()?,
            c.try_into().ok()?,
            d.try_into().ok()?,
        )),
        _ => None,
    }
}

fn ipv6(text: &str) -> Option<Ipv6Addr> {
    text.parse().ok()
}

fn is_cidr(text: &str) -> bool {
    let Some((address, length)) = text.split_once('/') else {
        return false;
    };
    let most = match ipv4(address)
        .map(IpAddr::V4)
        .or(ipv6(address).map(IpAddr::V6))
    {
        Some(IpAddr::V4(_)) => 32,
        Some(IpAddr::V6(_)) => 128,
        None => return false,
    };
    length.bytes().all(|byte| byte.is_ascii_digit())
        && length.parse::<u32>().is_ok_and(|length| length <= most)
}

/// A name of a label's letters, in lowercase.
fn is_name(text: &str) -> bool {
    let is_letter = |byte: &u8| byte.is_ascii_lowercase() || byte.is_ascii_digit();
    let bytes = text.as_bytes();
    bytes.first().is_some_and(is_letter)
        && bytes.last().is_some_and(is_letter)
        && bytes.iter().all(|byte| is_letter(byte) || *byte == b'-')
}

/// 6, 8 or 20 bytes as pairs of digits with colons or hyphens between, or as groups of four with dots.
fn is_mac(text: &str) -> bool {
    let groups = |separator: char, digits: usize, counts: [usize; 3]| {
        let groups: Vec<&str> = text.split(separator).collect();
        counts.contains(&groups.len())
            && groups.iter().all(|group| {
                group.len() == digits && group.bytes().all(|byte| byte.is_ascii_hexdigit())
            })
    };
    groups(':', 2, [6, 8, 20]) || groups('-', 2, [6, 8, 20]) || groups('.', 4, [3, 4, 10])
}

/// Five groups of digits, with a hyphen between two of them or none. The third has the version, the fourth that of the versions 4 and 5 a variant.
fn is_uuid(text: &str, version: &str) -> bool {
    let mut groups = Vec::new();
    let mut rest = text;
    for length in [8, 4, 4, 4, 12] {
        let without_hyphen = rest.strip_prefix('-').filter(|_| !groups.is_empty());
        rest = without_hyphen.unwrap_or(rest);
        let Some((group, after)) = rest.split_at_checked(length) else {
            return false;
        };
        groups.push(group);
        rest = after;
    }
    let is_hex = |group: &&str| group.bytes().all(|byte| byte.is_ascii_hexdigit());
    let has_variant =
        || groups[3].starts_with(['8', '9', 'a', 'b', 'A', 'B']) || !matches!(version, "4" | "5");
    rest.is_empty() && groups.iter().all(is_hex) && groups[2].starts_with(version) && has_variant()
}
