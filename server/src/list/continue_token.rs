//! The `continue` token: the name at which a list continues, and the revision of its pages.
//! Own code, because the errors of malformed tokens are part of the server's responses.

use base64::Engine;
use base64::alphabet::URL_SAFE;
use base64::engine::general_purpose::{GeneralPurpose, NO_PAD};
use k8s_flowcontrol_rules::decode::{DecodeAs, decode};
use k8s_flowcontrol_text::parse_json;
use k8s_flowcontrol_types::Release;
use k8s_flowcontrol_types::schema::{FieldSchema, Shape, TypeSchema};
use serde::Serialize;
use serde_json::Value;

const VERSION: &str = "meta.k8s.io/v1";

/// As lenient as Go, which ignores the unused bits of the last symbol.
const BASE64: GeneralPurpose =
    GeneralPurpose::new(&URL_SAFE, NO_PAD.with_decode_allow_trailing_bits(true));

static TOKEN: TypeSchema = TypeSchema::new("continueToken", || {
    const OPTIONAL: bool = false;
    const {
        &[
            FieldSchema::new("v", Shape::String, OPTIONAL),
            FieldSchema::new("rv", Shape::Int64, OPTIONAL),
            FieldSchema::new("start", Shape::String, OPTIONAL),
        ]
    }
});
const TARGET: DecodeAs = DecodeAs {
    schema: &TOKEN,
    package: "storage",
    release: Release::NEWEST,
    sorted: false,
};

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

    /// Errors: the server's message for an invalid token.
    pub(crate) fn parse(text: &str) -> Result<Self, String> {
        Self::read(text)
            .map_err(|why| format!("invalid continue token: continue key is not valid: {why}"))
    }

    fn read(text: &str) -> Result<Self, String> {
        let json = decode_base64(text)?;
        let tree = parse_json(&json).map_err(|error| error.message().to_owned())?;
        let decoded = decode(tree.root(), TARGET).map_err(|error| error.message)?;
        let text = |name: &str| {
            let value = decoded.value.get(name).and_then(Value::as_str);
            value.unwrap_or_default()
        };
        let version = text("v");
        if version != VERSION {
            return Err(format!(
                "server does not recognize this encoded version {version}"
            ));
        }
        let revision = decoded.value.get("rv").and_then(Value::as_i64);
        let revision = revision.filter(|revision| *revision != 0).ok_or_else(|| {
            format!("incorrect encoded start resourceVersion (version {VERSION})")
        })?;
        let start = text("start");
        if start.is_empty() {
            return Err(format!("encoded start key empty (version {VERSION})"));
        }
        let name = start.strip_prefix('/').unwrap_or(start);
        let is_clean = |part: &str| !matches!(part, "" | "." | "..");
        if !(name.is_empty() || name.split('/').all(is_clean)) {
            return Err(start.to_owned());
        }
        Ok(Self {
            revision,
            start: name.to_owned(),
        })
    }
}

/// Decodes as Go does: without padding, and line breaks do not count.
/// Errors: the position of the first byte that does not belong there.
fn decode_base64(text: &str) -> Result<Vec<u8>, String> {
    let is_break = |byte: u8| matches!(byte, b'\r' | b'\n');
    let is_symbol = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'_');
    let illegal = |at: usize| format!("illegal base64 data at input byte {at}");
    let foreign = |byte: u8| !is_symbol(byte) && !is_break(byte);
    if let Some(at) = text.bytes().position(foreign) {
        return Err(illegal(at));
    }
    let symbols: Vec<u8> = text.bytes().filter(|byte| !is_break(*byte)).collect();
    BASE64
        .decode(symbols)
        .map_err(|_| illegal(text.len().saturating_sub(1)))
}
