//! Quantities such as `500m` or `2Gi`, as `k8s.io/apimachinery` reads and adds them.

use std::cmp::Ordering;

const DECIMAL: [(&str, i32); 10] = [
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
const BINARY: [&str; 6] = ["Ki", "Mi", "Gi", "Ti", "Pi", "Ei"];

const NANOS: i128 = 1_000_000_000;

/// A quantity: nano units, and the integer with a power of ten that a server keeps for small ones. Only such integers are
/// integers in rules.
#[derive(Clone, Copy, Debug)]
pub(super) struct Quantity {
    nanos: i128,
    small: Option<(i64, i32)>,
}

/// Text that is not read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Unread {
    /// A server does not read it either, and says this.
    Invalid(&'static str),
    /// A server reads it, but it has more than 38 digits in nano units.
    TooLarge,
}

impl PartialEq for Quantity {
    fn eq(&self, other: &Self) -> bool {
        self.nanos == other.nanos
    }
}

impl Quantity {
    pub(super) fn parse(text: &str) -> Result<Self, Unread> {
        const FORM: &str = "quantities must match the regular expression '^([+-]?[0-9.]+)([eEinumkKMGTP]*[-+]?[0-9]*)$'";
        const SUFFIX: &str = "unable to parse quantity's suffix";
        let unsigned = text.strip_prefix(['+', '-']).unwrap_or(text);
        let not_digit = |letter: char| !letter.is_ascii_digit();
        let (whole, rest) = split(unsigned, not_digit);
        let (fraction, suffix) = match rest.strip_prefix('.') {
            Some(rest) => split(rest, not_digit),
            None => ("", rest),
        };
        let (_, rest) = split(suffix, |letter| !"eEinumkKMGTP".contains(letter));
        let rest = rest.strip_prefix(['+', '-']).unwrap_or(rest);
        if text.is_empty() || rest.contains(not_digit) {
            return Err(Unread::Invalid(FORM));
        }
        let power = DECIMAL.iter().find(|(name, _)| *name == suffix);
        let power = power.map(|(_, power)| *power);
        let binary = BINARY.iter().position(|name| *name == suffix);
        let exponent = || suffix.strip_prefix(['e', 'E'])?.parse::<i32>().ok();
        let (power, binary) = match (power, binary) {
            (Some(power), _) => (power, 0),
            (_, Some(index)) => (0, 10 * (u32::try_from(index).unwrap_or_default() + 1)),
            _ => (exponent().ok_or(Unread::Invalid(SUFFIX))?, 0),
        };
        let whole = whole.trim_start_matches('0');
        let whole = if whole.is_empty() { "0" } else { whole };
        let digits = format!("{whole}{fraction}");
        let number: i128 = digits.parse().map_err(|_| Unread::TooLarge)?;
        let number = number.checked_mul(1 << binary).ok_or(Unread::TooLarge)?;
        let places = i32::try_from(fraction.len()).map_err(|_| Unread::TooLarge)?;
        let scale = power.checked_sub(places).ok_or(Unread::TooLarge)?;
        let sign = if text.starts_with('-') { -1 } else { 1 };
        let length = i32::try_from(digits.len()).unwrap_or(i32::MAX);
        let is_small = match binary {
            0 => length <= 18,
            bits => fraction.is_empty() && length + (bits * 3 / 10) as i32 <= 14,
        };
        let small = i64::try_from(sign * number).ok();
        let small = small.filter(|_| is_small && scale >= -9);
        let mut nanos = in_nanos(number, scale).ok_or(Unread::TooLarge)?;
        if binary > 0 && small.is_none() {
            nanos = nanos.min(i128::from(i64::MAX) * NANOS);
        }
        Ok(Self {
            nanos: sign * nanos,
            small: small.map(|value| (value, scale)),
        })
    }

    pub(super) fn of(integer: i64) -> Self {
        Self {
            nanos: i128::from(integer) * NANOS,
            small: Some((integer, 0)),
        }
    }

    pub(super) fn compare(&self, other: &Self) -> Ordering {
        self.nanos.cmp(&other.nanos)
    }

    pub(super) fn sign(&self) -> i64 {
        self.nanos.signum() as i64
    }

    /// The sum; `None` if it is too large.
    pub(super) fn plus(&self, other: &Self) -> Option<Self> {
        let small = match (self.small, other.small) {
            (Some(left), Some((0, _))) => Some(left),
            (Some((0, _)), Some(right)) => Some(right),
            (Some((left, at)), Some((right, other))) => {
                let scale = at.min(other);
                let sum = || raised(left, at - scale)?.checked_add(raised(right, other - scale)?);
                sum().map(|sum| (sum, scale))
            }
            _ => None,
        };
        Some(Self {
            nanos: self.nanos.checked_add(other.nanos)?,
            small,
        })
    }

    /// The quantity with the other sign; `None` if it is too large.
    pub(super) fn negated(&self) -> Option<Self> {
        Some(Self {
            nanos: self.nanos.checked_neg()?,
            small: self
                .small
                .and_then(|(value, scale)| Some((value.checked_neg()?, scale))),
        })
    }

    /// The integer, if a server keeps it as one.
    pub(super) fn integer(&self) -> Option<i64> {
        let (value, scale) = self.small.filter(|(_, scale)| *scale >= 0)?;
        raised(value, scale)
    }

    pub(super) fn float(&self) -> f64 {
        match self.small {
            Some((value, 0)) => value as f64,
            Some((value, scale)) => {
                let power: f64 = format!("1e{scale}").parse().unwrap_or(f64::NAN);
                value as f64 * power
            }
            None => self.nanos as f64 / NANOS as f64,
        }
    }
}

/// The text before the first letter that `ends` it, and the rest.
fn split(text: &str, ends: impl Fn(char) -> bool) -> (&str, &str) {
    text.split_at(text.find(ends).unwrap_or(text.len()))
}

/// A number with a power of ten in nano units, rounded up; `None` if that is too large.
fn in_nanos(number: i128, scale: i32) -> Option<i128> {
    let scale = scale.checked_add(9)?;
    match u32::try_from(scale) {
        _ if number == 0 => Some(0),
        Ok(power) => number.checked_mul(10i128.checked_pow(power)?),
        Err(_) => match 10i128.checked_pow(scale.unsigned_abs()) {
            Some(divisor) => Some(number / divisor + i128::from(number % divisor > 0)),
            None => Some(1),
        },
    }
}

fn raised(value: i64, power: i32) -> Option<i64> {
    match value {
        0 => Some(0),
        value => value.checked_mul(10i64.checked_pow(u32::try_from(power).ok()?)?),
    }
}
