//! The query parameters that classification and estimates depend on.

use super::percent::decode;
use std::borrow::Cow;

/// The decoded parameters of a query; malformed parameters are dropped, as by a server.
#[derive(Debug)]
pub struct Query<'a>(Vec<(Cow<'a, str>, Cow<'a, str>)>);

impl<'a> Query<'a> {
    /// Reads the part of a URL after `?`.
    pub fn parse(text: &'a str) -> Self {
        let pairs = text
            .split('&')
            .filter(|pair| !pair.is_empty() && !pair.contains(';'));
        Self(
            pairs
                .filter_map(|pair| {
                    let (name, value) = pair.split_once('=').unwrap_or((pair, ""));
                    Some((decode(name, true)?, decode(value, true)?))
                })
                .collect(),
        )
    }

    /// The first value of a parameter.
    pub fn get(&self, name: &str) -> Option<&str> {
        self.0
            .iter()
            .find(|pair| pair.0 == name)
            .map(|pair| &*pair.1)
    }

    /// Whether a boolean parameter is set: it is present and neither `false` nor `0`.
    pub fn flag(&self, name: &str) -> bool {
        self.get(name)
            .is_some_and(|value| !value.eq_ignore_ascii_case("false") && value != "0")
    }

    /// The object's name, if the field selector requires exactly one name.
    pub(super) fn selected_name(&self) -> Option<String> {
        // A server that cannot parse these numbers ignores the field selector too.
        let numbers = ["limit", "timeoutSeconds"];
        let readable = |name| {
            self.get(name)
                .is_none_or(|value| value.parse::<i64>().is_ok())
        };
        if !numbers.into_iter().all(readable) {
            return None;
        }
        let terms = terms(self.get("fieldSelector")?)?;
        let (_, _, name) = terms
            .into_iter()
            .find(|(field, equal, _)| *equal && field == "metadata.name")?;
        let is_segment = !matches!(name.as_str(), "." | "..") && !name.contains(['/', '%']);
        is_segment.then_some(name)
    }
}

/// The terms of a field selector: field, whether it must be equal, value. `None` if a term is malformed.
fn terms(selector: &str) -> Option<Vec<(String, bool, String)>> {
    split(selector)
        .into_iter()
        .filter(|term| !term.is_empty())
        .map(|term| {
            // The leftmost operator counts; at the same position `==` and `!=` come before `=`.
            let (at, operator) = term.char_indices().find_map(|(at, _)| {
                let rest = &term[at..];
                ["!=", "==", "="]
                    .into_iter()
                    .find(|op| rest.starts_with(op))
                    .map(|op| (at, op))
            })?;
            let value = unescape(&term[at + operator.len()..])?;
            Some((term[..at].to_owned(), operator != "!=", value))
        })
        .collect()
}

/// Splits at commas, except for commas after a backslash.
fn split(selector: &str) -> Vec<&str> {
    let mut terms = Vec::new();
    let mut start = 0;
    let mut protected = false;
    for (at, c) in selector.char_indices() {
        match c {
            _ if protected => protected = false,
            '\\' => protected = true,
            ',' => {
                terms.push(&selector[start..at]);
                start = at + 1;
            }
            _ => {}
        }
    }
    terms.push(&selector[start..]);
    terms
}

/// Removes backslashes; `None` for an invalid escape, and for a `,` or `=` without a backslash.
fn unescape(value: &str) -> Option<String> {
    let mut out = String::with_capacity(value.len());
    let mut chars = value.chars();
    while let Some(c) = chars.next() {
        match c {
            '\\' => out.push(chars.next().filter(|c| matches!(c, '\\' | ',' | '='))?),
            ',' | '=' => return None,
            c => out.push(c),
        }
    }
    Some(out)
}
