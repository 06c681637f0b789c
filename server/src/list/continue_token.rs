//! The `continue` token: the name at which a list continues, and the revision of its pages.
//! Own code, because the errors of malformed tokens are part of the server's responses.

use base64::Engine;
use base64::alphabet::URL_SAFE;
use base64::engine::general_purpose::{GeneralPurpose, NO_PAD};
use serde::Serialize;
use serde_json::Value;

const VERSION: &str = "meta.k8s.io/v1";

/// As lenient as Go, which ignores the unused bits of the last symbol.
const BASE64: GeneralPurpose =
    GeneralPurpose::new(&URL_SAFE, NO_PAD.with_decode_allow_trailing_bits(true));

/// The position at which a list continues.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Token {
    /// The revision of the first page, or -1 to continue at the present revision.
    pub(crate) revision: i64,
    /// The smallest name of the next page.
    pub(crate) start: String,
}

#[derive(Serialize)]
struct Fields<'a> {
    v: &'a str,
    rv: i64,
    start: &'a str,
}

impl Token {
    pub(crate) fn to_text(&self) -> String {
        let fields = Fields {
            v: VERSION,
            rv: self.revision,
            start: &self.start,
        };
        BASE64.encode(serde_json::to_string(&fields).unwrap_or_default())
    }

    /// # Errors
    /// The server's message for an invalid token.
    pub(crate) fn parse(text: &str) -> Result<Self, String> {
        Self::read(text)
            .map_err(|why| format!("invalid continue token: continue key is not valid: {why}"))
    }

    fn read(text: &str) -> Result<Self, String> {
        let bytes = BASE64.decode(text.trim_end_matches('=')).map_err(|error| {
            let at = match error {
                base64::DecodeError::InvalidByte(at, _)
                | base64::DecodeError::InvalidLastSymbol { offset: at, .. } => at,
                _ => text.len(),
            };
            format!("illegal base64 data at input byte {at}")
        })?;
        let fields: Value = serde_json::from_slice(&bytes).map_err(|error| {
            if error.is_eof() {
                return "unexpected end of JSON input".to_owned();
            }
            let c = bytes
                .iter()
                .copied()
                .find(|c| !c.is_ascii_whitespace())
                .unwrap_or_default();
            let shown = match c {
                b' '..=b'~' => char::from(c).to_string(),
                c => format!("\\u{c:04x}"),
            };
            format!("invalid character '{shown}' looking for beginning of value")
        })?;
        let version = fields.get("v").and_then(Value::as_str).unwrap_or_default();
        if version != VERSION {
            return Err(format!(
                "server does not recognize this encoded version {version}"
            ));
        }
        let revision = fields.get("rv").and_then(Value::as_i64).unwrap_or_default();
        if revision == 0 {
            return Err(format!(
                "incorrect encoded start resourceVersion (version {VERSION})"
            ));
        }
        let start = fields
            .get("start")
            .and_then(Value::as_str)
            .unwrap_or_default();
        if start.is_empty() {
            return Err(format!("encoded start key empty (version {VERSION})"));
        }
        if start.split('/').any(|part| part == "..") {
            return Err(start.to_owned());
        }
        Ok(Self {
            revision,
            start: start.to_owned(),
        })
    }
}
