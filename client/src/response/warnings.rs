//! `Warning` headers of successful and failed requests. Own code, for lack of a library that reads them.

use http::HeaderMap;
use std::fmt;

/// A warning from the server, such as a deprecated API version or an unknown field.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Warning {
    agent: String,
    text: String,
}

impl Warning {
    /// The text.
    pub fn text(&self) -> &str {
        &self.text
    }

    /// The agent that added the warning. API servers send `-`.
    pub fn agent(&self) -> &str {
        &self.agent
    }
}

impl fmt::Display for Warning {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(&self.text)
    }
}

/// The warnings of a response, in order. Malformed ones are skipped instead of failing the request.
pub(crate) fn read(headers: &HeaderMap) -> Vec<Warning> {
    let mut warnings = Vec::new();
    for value in headers.get_all(http::header::WARNING) {
        let text = String::from_utf8_lossy(value.as_bytes());
        let mut rest = text.as_ref();
        while let Some((warning, after)) = one(rest) {
            warnings.extend(warning);
            rest = after;
        }
    }
    warnings
}

/// Reads `299 agent "text"`, optionally followed by a quoted date and a comma.
///
/// Codes other than 299 are dropped. They come from caches, not from API servers. As in client-go, so are warnings without a text.
fn one(text: &str) -> Option<(Option<Warning>, &str)> {
    let text = text.trim_start_matches([' ', '\t', ',']);
    let (code, rest) = text.split_once(' ')?;
    if code.len() != 3 || !code.bytes().all(|byte| byte.is_ascii_digit()) {
        return None;
    }
    let (agent, rest) = rest.trim_start().split_once(' ')?;
    let (message, rest) = quoted(rest.trim_start())?;
    let rest = rest.trim_start();
    let rest = match quoted(rest) {
        Some((_date, rest)) => rest,
        None => rest,
    };
    let warning = Warning {
        agent: agent.to_owned(),
        text: message,
    };
    let counts = code == "299" && !warning.text.is_empty();
    Some((counts.then_some(warning), rest))
}

/// Reads a quoted string. A backslash escapes the next character.
fn quoted(text: &str) -> Option<(String, &str)> {
    let inner = text.strip_prefix('"')?;
    let mut out = String::new();
    let mut chars = inner.char_indices();
    while let Some((index, c)) = chars.next() {
        match c {
            '"' => return Some((out, &inner[index + 1..])),
            '\\' => out.push(chars.next()?.1),
            c => out.push(c),
        }
    }
    None
}
