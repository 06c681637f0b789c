//! Resolves scalars to values with the rules of YAML 1.1, as the Kubernetes YAML parser does.

use super::parser::Scalar;
use crate::go;
use base64::Engine;
use base64::alphabet::STANDARD;
use base64::engine::{GeneralPurpose, GeneralPurposeConfig};

const PREFIX: &str = "tag:yaml.org,2002:";

#[derive(Clone, Debug, PartialEq)]
pub(super) enum Value {
    Null,
    Bool(bool),
    /// A 64-bit integer, signed or unsigned.
    Integer(i128),
    Float(f64),
    Text(String),
}

impl Value {
    /// The short name of the value's tag.
    fn tag(&self) -> &'static str {
        match self {
            Self::Null => "null",
            Self::Bool(_) => "bool",
            Self::Integer(_) => "int",
            Self::Float(_) => "float",
            Self::Text(_) => "str",
        }
    }
}

/// Resolves a scalar.
/// Errors: a message if the text does not fit the scalar's tag.
pub(super) fn resolve(scalar: &Scalar) -> Result<Value, String> {
    let text = scalar.text.as_str();
    if scalar.tag.is_empty() {
        return Ok(if scalar.is_plain {
            by_text(text)
        } else {
            Value::Text(text.into())
        });
    }
    let tag = match scalar.tag.strip_prefix(PREFIX) {
        Some("binary") => return binary(text),
        Some(tag @ ("str" | "bool" | "int" | "float" | "null" | "timestamp")) => tag,
        // Other tags do not change a scalar.
        _ => return Ok(Value::Text(text.into())),
    };
    if tag == "str" {
        return Ok(Value::Text(text.into()));
    }
    match (tag, by_text(text)) {
        ("timestamp", Value::Text(text)) if is_timestamp(&text) => Ok(Value::Text(text)),
        #[expect(clippy::cast_precision_loss, reason = "as Go converts")]
        ("float", Value::Integer(number)) => Ok(Value::Float(number as f64)),
        (tag, value) if value.tag() == tag => Ok(value),
        (tag, value) => Err(format!(
            "cannot decode !!{} `{text}` as a !!{tag}",
            value.tag()
        )),
    }
}

/// Resolves a plain scalar without a tag.
fn by_text(text: &str) -> Value {
    match text {
        "" | "~" | "null" | "Null" | "NULL" => return Value::Null,
        "y" | "Y" | "yes" | "Yes" | "YES" | "true" | "True" | "TRUE" | "on" | "On" | "ON" => {
            return Value::Bool(true);
        }
        "n" | "N" | "no" | "No" | "NO" | "false" | "False" | "FALSE" | "off" | "Off" | "OFF" => {
            return Value::Bool(false);
        }
        ".nan" | ".NaN" | ".NAN" => return Value::Float(f64::NAN),
        ".inf" | ".Inf" | ".INF" | "+.inf" | "+.Inf" | "+.INF" => {
            return Value::Float(f64::INFINITY);
        }
        "-.inf" | "-.Inf" | "-.INF" => return Value::Float(f64::NEG_INFINITY),
        _ => {}
    }
    let number = match text.as_bytes().first() {
        Some(b'.') => decimal(text).map(Value::Float),
        Some(b'+' | b'-' | b'0'..=b'9') => {
            let plain = text.replace('_', "");
            integer(&plain)
                .map(Value::Integer)
                .or_else(|| decimal(&plain).map(Value::Float))
        }
        _ => None,
    };
    number.unwrap_or_else(|| Value::Text(text.into()))
}

/// Parses a 64-bit integer: decimal, with the prefix `0x`, `0o` or `0b`, or octal with a leading zero.
fn integer(text: &str) -> Option<i128> {
    let (is_signed, is_negative, digits) = match text.as_bytes().first() {
        Some(b'-') => (true, true, &text[1..]),
        Some(b'+') => (true, false, &text[1..]),
        _ => (false, false, text),
    };
    let (radix, digits) = match digits.get(..2).map(str::to_ascii_lowercase).as_deref() {
        Some("0x") => (16, &digits[2..]),
        Some("0o") => (8, &digits[2..]),
        Some("0b") => (2, &digits[2..]),
        Some(prefix) if prefix.starts_with('0') => (8, &digits[1..]),
        _ => (10, digits),
    };
    // Go's parser accepts one sign; Rust's would accept a second one after it.
    if !digits.bytes().all(|byte| byte.is_ascii_alphanumeric()) {
        return None;
    }
    let magnitude = i128::from_str_radix(digits, radix).ok()?;
    let number = if is_negative { -magnitude } else { magnitude };
    let limit = if is_signed {
        i128::from(i64::MAX)
    } else {
        i128::from(u64::MAX)
    };
    (i128::from(i64::MIN)..=limit)
        .contains(&number)
        .then_some(number)
}

/// Parses a decimal number with an optional point and exponent.
fn decimal(text: &str) -> Option<f64> {
    let unsigned = text.strip_prefix(['+', '-']).unwrap_or(text);
    let (mantissa, exponent) = match unsigned.split_once(['e', 'E']) {
        Some((mantissa, exponent)) => (mantissa, Some(exponent)),
        None => (unsigned, None),
    };
    let is_digits = |text: &str| !text.is_empty() && text.bytes().all(|b| b.is_ascii_digit());
    let is_mantissa = match mantissa.split_once('.') {
        None => is_digits(mantissa),
        Some(("", fraction)) => is_digits(fraction),
        Some((whole, fraction)) => is_digits(whole) && (fraction.is_empty() || is_digits(fraction)),
    };
    let is_exponent = exponent
        .is_none_or(|exponent| is_digits(exponent.strip_prefix(['+', '-']).unwrap_or(exponent)));
    if !(is_mantissa && is_exponent) {
        return None;
    }
    // Go does not parse a number out of range; Rust returns infinity.
    text.parse::<f64>().ok().filter(|number| number.is_finite())
}

/// Whether a text has the form of a YAML 1.1 timestamp.
fn is_timestamp(text: &str) -> bool {
    let date = text.split(['T', 't', ' ']).next().unwrap_or_default();
    let parts: Vec<_> = date.split('-').collect();
    parts.len() == 3
        && parts[0].len() == 4
        && parts
            .iter()
            .all(|part| !part.is_empty() && part.bytes().all(|b| b.is_ascii_digit()))
        && parts[1..].iter().all(|part| part.len() <= 2)
}

/// The text that base64 encodes. Bytes that are not UTF-8 become U+FFFD when they are written as JSON.
fn binary(text: &str) -> Result<Value, String> {
    let digits = text.replace(['\r', '\n'], "");
    let bytes = GO_BASE64
        .decode(digits)
        .map_err(|_| "!!binary value contains invalid base64 data".to_owned())?;
    Ok(Value::Text(go::lossy(&bytes)))
}

/// Go's standard encoding: padding is required, and the unused bits before it may be set.
const GO_BASE64: GeneralPurpose = GeneralPurpose::new(
    &STANDARD,
    GeneralPurposeConfig::new().with_decode_allow_trailing_bits(true),
);
