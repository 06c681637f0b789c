//! The query parameters of a request, with the defaults and messages of the server's decoder.

use crate::status::{Failure, bad_request};
use k8s_flowcontrol_text::go::quote;
use percent_encoding::percent_decode_str;

/// The query parameters of a request, in order.
#[derive(Clone, Debug, Default)]
pub(crate) struct Query(Vec<(String, String)>);

impl Query {
    /// Parses a query as Go does: a pair with a semicolon or with an invalid escape does not count.
    pub(crate) fn parse(text: &str) -> Self {
        let pairs = text
            .split('&')
            .filter(|pair| !pair.contains(';') && has_valid_escapes(pair));
        Self(
            pairs
                .flat_map(|pair| form_urlencoded::parse(pair.as_bytes()).into_owned())
                .collect(),
        )
    }

    pub(crate) fn into_pairs(self) -> Vec<(String, String)> {
        self.0
    }

    /// The first value of a parameter.
    pub(crate) fn get(&self, name: &str) -> Option<&str> {
        self.0
            .iter()
            .find(|(found, _)| found == name)
            .map(|(_, value)| value.as_str())
    }

    /// The first value, empty without the parameter.
    pub(crate) fn text(&self, name: &str) -> &str {
        self.get(name).unwrap_or_default()
    }

    pub(crate) fn all<'a>(&'a self, name: &'a str) -> impl Iterator<Item = &'a str> {
        self.0
            .iter()
            .filter(move |(found, _)| found == name)
            .map(|(_, value)| value.as_str())
    }

    /// A boolean parameter: any value except `false` and `0` is true.
    pub(crate) fn flag(&self, name: &str) -> Option<bool> {
        self.get(name)
            .map(|value| !(value.eq_ignore_ascii_case("false") || value == "0"))
    }

    pub(crate) fn is_set(&self, name: &str) -> bool {
        self.flag(name).unwrap_or(false)
    }

    /// Errors: a 400 with the message of Go's parser.
    pub(crate) fn integer(&self, name: &str) -> Result<Option<i64>, Failure> {
        use std::num::IntErrorKind::{NegOverflow, PosOverflow};
        let Some(text) = self.get(name) else {
            return Ok(None);
        };
        text.parse()
            .map(Some)
            .map_err(|error: std::num::ParseIntError| {
                let why = match error.kind() {
                    PosOverflow | NegOverflow => "value out of range",
                    _ => "invalid syntax",
                };
                bad_request(format!("strconv.ParseInt: parsing {}: {why}", quote(text)))
            })
    }
}

/// Whether two hexadecimal digits follow each percent sign.
pub(crate) fn has_valid_escapes(text: &str) -> bool {
    text.split('%').skip(1).all(|rest| {
        let digits = rest.as_bytes().get(..2);
        digits.is_some_and(|digits| digits.iter().all(u8::is_ascii_hexdigit))
    })
}

/// Decodes the percent-encoding of a path or a header name. An invalid escape stays as it was sent.
pub(crate) fn decode(text: &str) -> String {
    percent_decode_str(text).decode_utf8_lossy().into_owned()
}
