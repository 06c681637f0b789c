//! A server's certificate that is itself a trusted certificate.
//!
//! Go accepts it without a path: the names, the dates and the purpose are checked, as in `crypto/x509`.

use crate::meta::Time;
use rustls::client::danger::ServerCertVerified;
use rustls::client::verify_server_name;
use rustls::pki_types::{CertificateDer, ServerName, UnixTime};
use rustls::server::ParsedCertificate;
use rustls::{CertificateError, Error};
use std::time::UNIX_EPOCH;

const SEQUENCE: u8 = 0x30;
const BOOLEAN: u8 = 0x01;
const OCTETS: u8 = 0x04;
const OID: u8 = 0x06;
const UTC_TIME: u8 = 0x17;
const GENERALIZED_TIME: u8 = 0x18;
/// The tag of a certificate's version, which is absent in version 1.
const VERSION: u8 = 0xa0;
/// The tag of a certificate's extensions.
const EXTENSIONS: u8 = 0xa3;

const EXTENDED_KEY_USAGE: &[u8] = &[0x55, 0x1d, 0x25];
const ANY_USAGE: &[u8] = &[0x55, 0x1d, 0x25, 0x00];
const SERVER_AUTH: &[u8] = &[0x2b, 0x06, 0x01, 0x05, 0x05, 0x07, 0x03, 0x01];

/// Verifies a certificate that is in the list of trusted ones.
pub(crate) fn verify_listed(
    certificate: &CertificateDer<'_>,
    name: &ServerName<'_>,
    now: UnixTime,
) -> Result<ServerCertVerified, Error> {
    // Fails for unknown critical extensions, too.
    let parsed = ParsedCertificate::try_from(certificate)?;
    let facts = Facts::of(certificate).ok_or(CertificateError::BadEncoding)?;
    if now.as_secs() < facts.not_before {
        return Err(CertificateError::NotValidYetContext {
            time: now,
            not_before: at(facts.not_before),
        }
        .into());
    }
    if now.as_secs() > facts.not_after {
        return Err(CertificateError::ExpiredContext {
            time: now,
            not_after: at(facts.not_after),
        }
        .into());
    }
    verify_server_name(&parsed, name)?;
    match facts.serves {
        true => Ok(ServerCertVerified::assertion()),
        false => Err(CertificateError::InvalidPurpose.into()),
    }
}

fn at(seconds: u64) -> UnixTime {
    UnixTime::since_unix_epoch(std::time::Duration::from_secs(seconds))
}

/// Facts about a certificate. Times are seconds since 1970; earlier ones are 0.
struct Facts {
    not_before: u64,
    not_after: u64,
    /// Whether its purposes include servers.
    serves: bool,
}

impl Facts {
    fn of(der: &[u8]) -> Option<Self> {
        let signed = content(&mut &der[..], SEQUENCE)?;
        let mut fields = content(&mut &signed[..], SEQUENCE)?;
        if fields.first() == Some(&VERSION) {
            element(&mut fields)?;
        }
        let (_serial, _algorithm, _issuer) = (
            element(&mut fields)?,
            element(&mut fields)?,
            element(&mut fields)?,
        );
        let mut dates = content(&mut fields, SEQUENCE)?;
        let (not_before, not_after) = (time(&mut dates)?, time(&mut dates)?);
        let mut serves = true;
        while !fields.is_empty() {
            let (tag, extensions) = element(&mut fields)?;
            if tag == EXTENSIONS {
                serves = serves_by(content(&mut &extensions[..], SEQUENCE)?)?;
            }
        }
        Some(Self {
            not_before,
            not_after,
            serves,
        })
    }
}

/// Whether the extensions allow the certificate for servers.
fn serves_by(mut extensions: &[u8]) -> Option<bool> {
    while !extensions.is_empty() {
        let mut extension = content(&mut extensions, SEQUENCE)?;
        let name = content(&mut extension, OID)?;
        if name != EXTENDED_KEY_USAGE {
            continue;
        }
        if extension.first() == Some(&BOOLEAN) {
            element(&mut extension)?;
        }
        let value = content(&mut extension, OCTETS)?;
        let mut usages = content(&mut &value[..], SEQUENCE)?;
        let mut serves = false;
        while !usages.is_empty() {
            let usage = content(&mut usages, OID)?;
            serves |= usage == SERVER_AUTH || usage == ANY_USAGE;
        }
        return Some(serves);
    }
    Some(true)
}

/// A time in seconds since 1970.
fn time(input: &mut &[u8]) -> Option<u64> {
    let (tag, text) = element(input)?;
    let text = std::str::from_utf8(text).ok()?.strip_suffix('Z')?;
    let text = match tag {
        // RFC 5280, section 4.1.2.5.1
        UTC_TIME if *text.get(..2)? < *"50" => format!("20{text}"),
        UTC_TIME => format!("19{text}"),
        GENERALIZED_TIME => text.to_owned(),
        _ => return None,
    };
    if text.len() != 14 || !text.bytes().all(|byte| byte.is_ascii_digit()) {
        return None;
    }
    let (date, clock) = text.split_at(8);
    let (year, day) = date.split_at(4);
    let text = format!(
        "{year}-{}-{}T{}:{}:{}Z",
        &day[..2],
        &day[2..],
        &clock[..2],
        &clock[2..4],
        &clock[4..]
    );
    let time = Time::from(&*text).system_time().ok()?;
    let since = time.duration_since(UNIX_EPOCH);
    Some(since.map_or(0, |since| since.as_secs()))
}

/// The content of the next DER element, which has the tag.
fn content<'a>(input: &mut &'a [u8], tag: u8) -> Option<&'a [u8]> {
    element(input)
        .filter(|(found, _)| *found == tag)
        .map(|(_, content)| content)
}

/// The tag and the content of the next DER element.
fn element<'a>(input: &mut &'a [u8]) -> Option<(u8, &'a [u8])> {
    let (&tag, rest) = input.split_first()?;
    let (&first, rest) = rest.split_first()?;
    let (length, rest) = match first {
        0..=0x7f => (usize::from(first), rest),
        0x81..=0x84 => {
            let (bytes, rest) = rest.split_at_checked(usize::from(first - 0x80))?;
            let length = bytes
                .iter()
                .fold(0, |all, byte| all << 8 | u64::from(*byte));
            (usize::try_from(length).ok()?, rest)
        }
        _ => return None,
    };
    let (content, rest) = rest.split_at_checked(length)?;
    *input = rest;
    Some((tag, content))
}
