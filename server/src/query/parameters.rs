//! The query parameters of a request, with the defaults and messages of the server's decoder.

use crate::status::{Failure, bad_request};
use k8s_flowcontrol_text::go::quote;
use percent_encoding::percent_decode_str;

/// The query parameters of a request, in order.
#[derive(Clone, Debug, Default)]
pub(crate) struct Query(Vec<(String, String)>);

impl Query {
    pub(crate) fn parse(text: &str) -> Self {
        Self(
            form_urlencoded::parse(text.as_bytes())
                .into_owned()
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

    /// # Errors
    /// A 400 with the message of Go's parser.
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

/// Decodes the percent-encoding of a path segment or a header name. An invalid escape stays as it was sent.
pub(crate) fn decode(text: &str) -> String {
    percent_decode_str(text).decode_utf8_lossy().into_owned()
}
