//! URLs, as Go's `net/url` reads a request's.

use k8s_flowcontrol_text::go::quote;
use std::net::Ipv6Addr;

#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct Url {
    pub(super) scheme: String,
    user: String,
    /// The host with its port.
    pub(super) host: String,
    /// What follows the scheme where no slash does.
    opaque: String,
    pub(super) escaped_path: String,
    pub(super) query: String,
    fragment: String,
}

impl Url {
    /// Reads a URL with a scheme or a path that begins with a slash.
    /// Errors: in Go's words.
    pub(super) fn parse(raw: &str) -> Result<Self, String> {
        let error = |words: String| format!("parse {}: {words}", quote(raw));
        Self::check_request(raw)?;
        let (before, fragment) = raw.split_once('#').unwrap_or((raw, ""));
        unescaped(fragment, false).map_err(error)?;
        let mut url = parse(before, false).map_err(error)?;
        url.fragment = fragment.to_owned();
        Ok(url)
    }

    /// Checks a URL as that of a request, where `#` is a letter of the path or of the query.
    /// Errors: in Go's words.
    pub(super) fn check_request(raw: &str) -> Result<(), String> {
        let error = |words: String| format!("parse {}: {words}", quote(raw));
        parse(raw, true).map(drop).map_err(error)
    }

    /// The host without its port and without brackets.
    pub(super) fn hostname(&self) -> &str {
        let (host, _) = self.host_and_port();
        let inside = host
            .strip_prefix('[')
            .and_then(|host| host.strip_suffix(']'));
        inside.unwrap_or(host)
    }

    pub(super) fn host_and_port(&self) -> (&str, &str) {
        match self.host.rsplit_once(':') {
            Some((host, port)) if is_digits(port) => (host, port),
            _ => (&self.host, ""),
        }
    }

    /// The names and values of the query, in its order.
    pub(super) fn pairs(&self) -> Vec<(String, String)> {
        let parts = self.query.split('&');
        let pair = |part: &str| {
            let (name, value) = part.split_once('=').unwrap_or((part, ""));
            let read = |text: &str| unescaped(&text.replace('+', " "), false).ok();
            Some((read(name)?, read(value)?))
        };
        parts
            .filter(|part| !part.is_empty() && !part.contains(';'))
            .filter_map(pair)
            .collect()
    }
}

fn parse(raw: &str, is_request: bool) -> Result<Url, String> {
    if raw.bytes().any(|byte| byte < b' ' || byte == 0x7f) {
        return Err("net/url: invalid control character in URL".to_owned());
    }
    if raw.is_empty() {
        return Err("empty url".to_owned());
    }
    let mut url = Url::default();
    if raw == "*" {
        url.escaped_path = "*".to_owned();
        return Ok(url);
    }
    let (scheme, rest) = scheme(raw)?;
    url.scheme = scheme.to_ascii_lowercase();
    let (rest, query) = rest.split_once('?').unwrap_or((rest, ""));
    url.query = query.to_owned();
    if !rest.starts_with('/') {
        return match scheme.is_empty() {
            false => {
                url.opaque = rest.to_owned();
                Ok(url)
            }
            true => Err("invalid URI for request".to_owned()),
        };
    }
    let may_have_host = !scheme.is_empty() || !is_request && !rest.starts_with("///");
    let path = match rest.strip_prefix("//").filter(|_| may_have_host) {
        Some(rest) => {
            let end = rest.find('/').unwrap_or(rest.len());
            let (authority, path) = rest.split_at(end);
            (url.user, url.host) = user_and_host(authority)?;
            path
        }
        None => rest,
    };
    let decoded = unescaped(path, false)?;
    url.escaped_path = match path.bytes().all(is_encoded) {
        true => path.to_owned(),
        false => escaped(&decoded),
    };
    Ok(url)
}

/// The scheme, and the text behind its colon.
fn scheme(raw: &str) -> Result<(&str, &str), String> {
    for (index, byte) in raw.bytes().enumerate() {
        match byte {
            b'a'..=b'z' | b'A'..=b'Z' => {}
            b'0'..=b'9' | b'+' | b'-' | b'.' if index > 0 => {}
            b':' if index == 0 => return Err("missing protocol scheme".to_owned()),
            b':' => return Ok((&raw[..index], &raw[index + 1..])),
            _ => break,
        }
    }
    Ok(("", raw))
}

fn user_and_host(authority: &str) -> Result<(String, String), String> {
    let (user, host) = match authority.rsplit_once('@') {
        Some((user, host)) => (Some(user), host),
        None => (None, authority),
    };
    let host = self::host(host)?;
    let Some(user) = user else {
        return Ok((String::new(), host));
    };
    let is_known = |byte: u8| byte.is_ascii_alphanumeric() || b"-._:~!$&'()*+,;=%@".contains(&byte);
    if !user.bytes().all(is_known) {
        return Err("net/url: invalid userinfo".to_owned());
    }
    unescaped(user, false)?;
    Ok((format!("{user}@"), host))
}

fn host(host: &str) -> Result<String, String> {
    let bracket = match host.starts_with('[') {
        true => Some(host.rfind(']').ok_or("missing ']' in host")?),
        false => None,
    };
    let port = match bracket {
        Some(end) => &host[end + 1..],
        None => host.rfind(':').map_or("", |colon| &host[colon..]),
    };
    if !port.is_empty() && !port.strip_prefix(':').is_some_and(is_digits) {
        return Err(format!("invalid port {} after host", quote(port)));
    }
    if let Some(end) = bracket {
        let inside = &host[1..end];
        let address = inside
            .split_once("%25")
            .map_or(inside, |(address, _)| address);
        if address.parse::<Ipv6Addr>().is_err() {
            return Err(format!(
                "invalid host: ParseAddr({}): unable to parse IP",
                quote(inside)
            ));
        }
    }
    unescaped(host, true)
}

/// Decodes `%41`. In a host only letters beyond ASCII may be encoded, and not all others may be there.
fn unescaped(text: &str, is_host: bool) -> Result<String, String> {
    let bytes = text.as_bytes();
    let mut decoded = Vec::with_capacity(bytes.len());
    let mut index = 0;
    while let Some(&byte) = bytes.get(index) {
        if byte == b'%' {
            let digit = |at: usize| char::from(*bytes.get(at)?).to_digit(16);
            let value = digit(index + 1).zip(digit(index + 2));
            let is_zone = bytes[index..].starts_with(b"%25");
            match value.filter(|(high, _)| !is_host || *high >= 8 || is_zone) {
                Some((high, low)) => decoded.extend(u8::try_from(high * 16 + low)),
                None => {
                    let end = bytes.len().min(index + 3);
                    let part = String::from_utf8_lossy(&bytes[index..end]);
                    return Err(format!("invalid URL escape {}", quote(&part)));
                }
            }
            index += 3;
            continue;
        }
        let is_known = byte.is_ascii_alphanumeric() || b"!$&'()*+,;=:[]<>\"-_.~".contains(&byte);
        if is_host && byte.is_ascii() && !is_known {
            let letter = char::from(byte).to_string();
            return Err(format!("invalid character {} in host name", quote(&letter)));
        }
        decoded.push(byte);
        index += 1;
    }
    Ok(String::from_utf8_lossy(&decoded).into_owned())
}

/// Whether a letter of a path is not encoded.
fn is_encoded(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || b"-_.~!$&'()*+,;=:@[]%/".contains(&byte)
}

fn escaped(path: &str) -> String {
    let mut text = String::new();
    for byte in path.bytes() {
        match byte.is_ascii_alphanumeric() || b"-_.~$&+,/:;=@".contains(&byte) {
            true => text.push(char::from(byte)),
            false => text.push_str(&format!("%{byte:02X}")),
        }
    }
    text
}

fn is_digits(text: &str) -> bool {
    text.bytes().all(|byte| byte.is_ascii_digit())
}
