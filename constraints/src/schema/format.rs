//! Formats of strings and numbers, as Go's libraries read them.

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use chrono::{DateTime, NaiveDate};
use regex::Regex;
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

    /// Whether a string has the format.
    pub(crate) fn accepts(&self, text: &str) -> bool {
        match self {
            Self::Byte => is_base64(text),
            Self::Cidr => is_cidr(text),
            Self::Date => is_date(text),
            Self::DateTime => date_time(text).is_some(),
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

/// A time of RFC 3339, with or without a fraction.
pub(crate) fn date_time(text: &str) -> Option<DateTime<chrono::FixedOffset>> {
    let has_letter = matches!(text.as_bytes().get(10), Some(b'T' | b't'));
    let time = DateTime::parse_from_rfc3339(text).ok();
    time.filter(|_| has_letter)
}

/// The nanoseconds of a duration, as Go's `time.ParseDuration` reads it, or else as Scala writes it: `2 days`.
pub(crate) fn duration(text: &str) -> Option<i64> {
    go_duration(text).or_else(|| scala_duration(text))
}

fn go_duration(text: &str) -> Option<i64> {
    let (negative, mut rest) = match text.as_bytes().first()? {
        b'-' => (true, &text[1..]),
        b'+' => (false, &text[1..]),
        _ => (false, text),
    };
    if rest == "0" {
        return Some(0);
    }
    if rest.is_empty() {
        return None;
    }
    let mut sum: f64 = 0.0;
    while !rest.is_empty() {
        let end = rest
            .find(|c: char| !c.is_ascii_digit() && c != '.')
            .unwrap_or(rest.len());
        let (number, after) = rest.split_at(end);
        let end = after
            .find(|c: char| c.is_ascii_digit() || c == '.')
            .unwrap_or(after.len());
        let (unit, after) = after.split_at(end);
        let factor = match unit {
            "ns" => 1.0,
            "us" | "\u{b5}s" | "\u{3bc}s" => 1e3,
            "ms" => 1e6,
            "s" => 1e9,
            "m" => 6e10,
            "h" => 3.6e12,
            _ => return None,
        };
        sum += number.parse::<f64>().ok()? * factor;
        rest = after;
    }
    // More than 63 bits of nanoseconds are an error.
    (sum < 9.2e18).then_some(if negative { -(sum as i64) } else { sum as i64 })
}

fn scala_duration(text: &str) -> Option<i64> {
    const UNITS: [(&[&str], i64); 8] = [
        (&["ns", "nano"], 1),
        (&["us", "\u{b5}s", "micro"], 1_000),
        (&["ms", "milli"], 1_000_000),
        (&["s", "sec"], 1_000_000_000),
        (&["m", "min"], 60_000_000_000),
        (&["h", "hr", "hour"], 3_600_000_000_000),
        (&["d", "day"], 86_400_000_000_000),
        (&["w", "wk", "week"], 604_800_000_000_000),
    ];
    let parts = Regex::new("([0-9]+)[\\t\\n\\f\\r ]*([A-Za-z\u{b5}]+)").ok()?;
    let mut sum = None;
    for part in parts.captures_iter(text) {
        let count: i64 = part[1].parse().ok()?;
        let unit = part[2].to_lowercase();
        for (names, factor) in UNITS {
            let (last, _) = names.split_last()?;
            if names.contains(&unit.as_str()) || unit.starts_with(last) {
                sum = Some(sum.unwrap_or(0i64).wrapping_add(count.wrapping_mul(factor)));
            }
        }
    }
    sum
}

/// One label, with at most one hyphen behind its first letter, or several labels of which the last has letters only.
fn is_hostname(text: &str) -> bool {
    const LETTER: &str = r"a-zA-Z0-9\p{S}\p{L}";
    let one = format!("[{LETTER}](-?[{LETTER}]{{0,62}})?");
    let several =
        format!(r"([{LETTER}]([{LETTER}-]{{0,61}}[{LETTER}])?\.)+[a-zA-Z\p{{L}}]{{2,63}}");
    let has_pattern =
        Regex::new(&format!("^({one}|{several})$")).is_ok_and(|all| all.is_match(text));
    has_pattern && text.len() <= 255 && text.split('.').all(|label| label.len() <= 63)
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

fn is_uuid(text: &str, version: &str) -> bool {
    let version = match version {
        "" => "[0-9a-f]{4}".to_owned(),
        version => format!("{version}[0-9a-f]{{3}}"),
    };
    let variant = match version.starts_with(['4', '5']) {
        true => "[89ab][0-9a-f]{3}",
        false => "[0-9a-f]{4}",
    };
    let pattern =
        format!("(?i)^[0-9a-f]{{8}}-?[0-9a-f]{{4}}-?{version}-?{variant}-?[0-9a-f]{{12}}$");
    Regex::new(&pattern).is_ok_and(|pattern| pattern.is_match(text))
}
