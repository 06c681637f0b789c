//! Quantities from text, by the rules of a Kubernetes API server.

use super::amount::{Amount, QuantityFormat};
use super::natural::Natural;
use super::suffix::{BINARY, DECIMAL};
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
}

impl InvalidQuantity {
    /// The offset in the text of the first byte that does not belong to a quantity.
    pub fn offset(&self) -> usize {
        self.offset
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

/// Reads a quantity such as `500m` or `2Gi`. A fraction of a nano unit is rounded away from zero, and amounts with a binary
/// suffix end at 2^63 - 1.
impl FromStr for Amount {
    type Err = InvalidQuantity;

    fn from_str(text: &str) -> Result<Self, InvalidQuantity> {
        parse(text)
    }
}

/// Reads a quantity. As on a server, a number may lack its digits: `m` is zero.
fn parse(text: &str) -> Result<Amount, InvalidQuantity> {
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

    let fraction = &bytes[fraction_start..fraction_end];
    let digits = [&bytes[whole_start..whole_end], fraction].concat();
    let places = i64::try_from(fraction.len()).unwrap_or(i64::MAX);
    let suffix = &text[fraction_end..];
    let nanos = |number: Natural, exponent: i64| number.shifted(exponent - places + 9);
    let number = Natural::from_decimal(&digits);
    let (nanos, format) = if let Some((_, power)) = DECIMAL.iter().find(|(name, _)| *name == suffix)
    {
        (nanos(number, *power), QuantityFormat::DecimalSi)
    } else if let Some(index) = BINARY.iter().position(|name| *name == suffix) {
        let number = (0..=index).fold(number, |number, _| number.times(1024));
        binary(nanos(number, 0))
    } else if let Some(exponent) = suffix.strip_prefix(['e', 'E'])
        && !exponent.is_empty()
    {
        let plain = exponent.strip_prefix(['+', '-']).unwrap_or(exponent);
        if plain.is_empty() || !plain.bytes().all(|byte| byte.is_ascii_digit()) {
            return Err(error(fraction_end, Problem::Suffix));
        }
        let exponent = exponent.parse().ok();
        let Some(exponent) = exponent.filter(|e: &i64| e.abs() <= MAX_EXPONENT) else {
            return Err(error(fraction_end + 1, Problem::Exponent));
        };
        (nanos(number, exponent), QuantityFormat::DecimalExponent)
    } else {
        return Err(error(fraction_end, Problem::Suffix));
    };
    Ok(Amount::new(bytes[0] == b'-', nanos, format))
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
