//! Quantities from text, by the rules of a Kubernetes API server.

use super::amount::{Amount, QuantityFormat};
use super::natural::Natural;
use std::fmt;
use std::str::FromStr;

/// The largest and the smallest exponent are this far from zero.
const MAX_EXPONENT: i64 = 9999;

/// Text that is not a quantity.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct InvalidQuantity {
    text: Box<str>,
    offset: usize,
    problem: Problem,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Problem {
    Empty,
    Character,
    Suffix,
    Exponent,
    /// No digit before `Pi`, `Ei` or an exponent below -9. Before other suffixes, a server reads the absence of digits as zero.
    Digits,
}

impl InvalidQuantity {
    /// The offset in the text of the first byte that does not belong to a quantity.
    pub fn offset(&self) -> usize {
        self.offset
    }

    /// A server's words for the text; `None` for an exponent that is too large here, and not on a server.
    pub fn server_message(&self) -> Option<&'static str> {
        match self.problem {
            Problem::Empty | Problem::Character => Some(
                "quantities must match the regular expression '^([+-]?[0-9.]+)([eEinumkKMGTP]*[-+]?[0-9]*)$'",
            ),
            Problem::Suffix => Some("unable to parse quantity's suffix"),
            Problem::Digits => Some("unable to parse numeric part of quantity"),
            Problem::Exponent => None,
        }
    }
}

impl fmt::Display for InvalidQuantity {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (text, offset) = (&self.text, self.offset);
        let rest = text.get(offset..).unwrap_or_default();
        if self.problem == Problem::Empty {
            return f.write_str("an empty text is not a quantity such as `500m` or `2Gi`");
        }
        write!(f, "`{text}` is not a quantity such as `500m` or `2Gi`: ")?;
        match self.problem {
            Problem::Suffix => write!(f, "unknown suffix `{rest}` at offset {offset}"),
            Problem::Digits => write!(f, "no digit before `{rest}` at offset {offset}"),
            Problem::Exponent => write!(
                f,
                "the exponent at offset {offset} is not between -{MAX_EXPONENT} and {MAX_EXPONENT}"
            ),
            _ => {
                let character = rest.chars().next().unwrap_or_default();
                write!(f, "unexpected {character:?} at offset {offset}")
            }
        }
    }
}

impl std::error::Error for InvalidQuantity {}

/// The parts of the text of a quantity.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Parts<'a> {
    is_negative: bool,
    whole: &'a str,
    fraction: &'a str,
    suffix: Suffix,
}

impl<'a> Parts<'a> {
    /// Reads the parts.
    ///
    /// # Errors
    /// If the text is not a quantity, or its exponent is not between -9999 and 9999.
    pub fn read(text: &'a str) -> Result<Self, InvalidQuantity> {
        let error = |offset: usize, problem: Problem| InvalidQuantity {
            text: text.into(),
            offset,
            problem,
        };
        if text.is_empty() {
            return Err(error(0, Problem::Empty));
        }
        let bytes = text.as_bytes();
        let end_of = |start: usize, is_part: fn(&u8) -> bool| {
            let count = bytes[start..]
                .iter()
                .take_while(|byte| is_part(byte))
                .count();
            start + count
        };
        let is_sign = |at: usize| matches!(bytes.get(at), Some(b'+' | b'-'));

        let whole_start = usize::from(is_sign(0));
        let whole_end = end_of(whole_start, u8::is_ascii_digit);
        let fraction_start = whole_end + usize::from(bytes.get(whole_end) == Some(&b'.'));
        let fraction_end = match fraction_start == whole_end {
            true => whole_end,
            false => end_of(fraction_start, u8::is_ascii_digit),
        };
        let letters_end = end_of(fraction_end, |byte| b"eEinumkKMGTP".contains(byte));
        let end = end_of(
            letters_end + usize::from(is_sign(letters_end)),
            u8::is_ascii_digit,
        );
        if end < text.len() {
            return Err(error(end, Problem::Character));
        }
        let suffix = Suffix::read(&text[fraction_end..]).map_err(|problem| match problem {
            Problem::Exponent => error(fraction_end + 1, problem),
            _ => error(fraction_end, problem),
        })?;
        let has_digits = whole_start < whole_end || fraction_start < fraction_end;
        if !has_digits && matches!(suffix, Suffix::Binary(50..) | Suffix::Exponent(..-9)) {
            return Err(error(fraction_end, Problem::Digits));
        }
        Ok(Self {
            is_negative: bytes[0] == b'-',
            whole: &text[whole_start..whole_end],
            fraction: &text[fraction_start..fraction_end],
            suffix,
        })
    }

    /// Whether the text begins with a minus.
    pub fn is_negative(self) -> bool {
        self.is_negative
    }

    /// The digits before the point. As on a server there may be none.
    pub fn whole(self) -> &'a str {
        self.whole
    }

    /// The digits after the point.
    pub fn fraction(self) -> &'a str {
        self.fraction
    }

    /// The multiple for which the suffix stands.
    pub fn suffix(self) -> Suffix {
        self.suffix
    }
}

/// The multiple for which a suffix stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Suffix {
    /// A power of ten: 3 for `k`, 0 for no suffix.
    Decimal(i64),
    /// A power of two: 10 for `Ki`.
    Binary(u32),
    /// An exponent: 3 for `e3`.
    Exponent(i64),
}

impl Suffix {
    fn read(text: &str) -> Result<Self, Problem> {
        if let Some((_, power)) = DECIMAL.iter().find(|(name, _)| *name == text) {
            return Ok(Self::Decimal(*power));
        }
        if let Some((_, power)) = BINARY.iter().find(|(name, _)| *name == text) {
            return Ok(Self::Binary(*power));
        }
        let exponent = text.strip_prefix(['e', 'E']).ok_or(Problem::Suffix)?;
        let digits = exponent.strip_prefix(['+', '-']).unwrap_or(exponent);
        if digits.is_empty() || !digits.bytes().all(|byte| byte.is_ascii_digit()) {
            return Err(Problem::Suffix);
        }
        let exponent = exponent.parse().ok();
        let exponent = exponent.filter(|exponent: &i64| exponent.abs() <= MAX_EXPONENT);
        exponent.map(Self::Exponent).ok_or(Problem::Exponent)
    }
}

/// Reads a quantity such as `500m` or `2Gi`. A fraction of a nano unit is rounded away from zero, and amounts with a binary
/// suffix end at 2^63 - 1. Exponents are between -9999 and 9999; a server reads larger ones.
impl FromStr for Amount {
    type Err = InvalidQuantity;

    fn from_str(text: &str) -> Result<Self, InvalidQuantity> {
        Parts::read(text).map(Self::from)
    }
}

impl From<Parts<'_>> for Amount {
    fn from(parts: Parts<'_>) -> Self {
        let digits = [parts.whole, parts.fraction].concat();
        let places = i64::try_from(parts.fraction.len()).unwrap_or(i64::MAX);
        let number = Natural::from_decimal(digits.as_bytes());
        let nanos = |number: Natural, exponent: i64| number.shifted(exponent - places + 9);
        let (nanos, format) = match parts.suffix {
            Suffix::Decimal(power) => (nanos(number, power), QuantityFormat::DecimalSi),
            Suffix::Exponent(power) => (nanos(number, power), QuantityFormat::DecimalExponent),
            Suffix::Binary(power) => {
                let number = (0..power / 10).fold(number, |number, _| number.times(1024));
                binary(nanos(number, 0))
            }
        };
        Self::new(parts.is_negative, nanos, format)
    }
}

/// A binary quantity has a maximum, and below one it is written as a decimal one.
fn binary(nanos: Natural) -> (Natural, QuantityFormat) {
    let max = Natural::from(i64::MAX.unsigned_abs()).shifted(9);
    let format = match nanos < Natural::from(1).shifted(9) && !nanos.is_zero() {
        true => QuantityFormat::DecimalSi,
        false => QuantityFormat::BinarySi,
    };
    (nanos.min(max), format)
}

/// The suffixes, each with the power of ten for which it stands.
pub(super) const DECIMAL: [(&str, i64); 10] = [
    ("n", -9),
    ("u", -6),
    ("m", -3),
    ("", 0),
    ("k", 3),
    ("M", 6),
    ("G", 9),
    ("T", 12),
    ("P", 15),
    ("E", 18),
];

/// The suffixes, each with the power of two for which it stands.
pub(super) const BINARY: [(&str, u32); 6] = [
    ("Ki", 10),
    ("Mi", 20),
    ("Gi", 30),
    ("Ti", 40),
    ("Pi", 50),
    ("Ei", 60),
];
