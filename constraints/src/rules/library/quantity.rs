//! Quantities as rules see them.

use k8s_flowcontrol_text::quantity::{Amount, InvalidQuantity, Parts, Suffix};
use std::cmp::Ordering;

/// The digits of the largest power of ten that 64 bits hold.
const MAX_DIGITS: i64 = 18;

/// A quantity, and the integer with a power of ten that a server keeps for small ones. Only such integers are integers in rules.
#[derive(Clone, Debug)]
pub(super) struct Quantity {
    amount: Amount,
    small: Option<(i64, i64)>,
}

impl PartialEq for Quantity {
    fn eq(&self, other: &Self) -> bool {
        self.amount == other.amount
    }
}

impl Quantity {
    pub(super) fn parse(text: &str) -> Result<Self, InvalidQuantity> {
        let parts = Parts::read(text)?;
        Ok(Self {
            amount: Amount::from(parts),
            small: small(parts),
        })
    }

    pub(super) fn of(integer: i64) -> Self {
        Self {
            amount: Amount::from(integer),
            small: Some((integer, 0)),
        }
    }

    pub(super) fn compare(&self, other: &Self) -> Ordering {
        self.amount.cmp(&other.amount)
    }

    pub(super) fn sign(&self) -> i64 {
        self.amount.signum()
    }

    pub(super) fn plus(&self, other: &Self) -> Self {
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
        Self {
            amount: self.amount.clone() + &other.amount,
            small,
        }
    }

    /// The quantity with the other sign.
    pub(super) fn negated(&self) -> Self {
        let negated = |(value, scale): (i64, i64)| Some((value.checked_neg()?, scale));
        Self {
            amount: -self.amount.clone(),
            small: self.small.and_then(negated),
        }
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
            None => self.amount.as_f64(),
        }
    }
}

/// The integer and the power of ten of a small quantity. A server does not reduce it: `1000m` is not an integer.
fn small(parts: Parts<'_>) -> Option<(i64, i64)> {
    let whole = parts.whole().trim_start_matches('0');
    let whole = if whole.is_empty() { "0" } else { whole };
    let digits = format!("{whole}{}", parts.fraction());
    let length = i64::try_from(digits.len()).ok()?;
    let (most, power, factor) = match parts.suffix() {
        Suffix::Decimal(power) | Suffix::Exponent(power) => (MAX_DIGITS, power, 1),
        Suffix::Binary(power) if parts.fraction().is_empty() => {
            (14 - i64::from(power * 3 / 10), 0, 1i64 << power)
        }
        _ => return None,
    };
    let scale = power - i64::try_from(parts.fraction().len()).ok()?;
    let value: i64 = digits.parse().ok().filter(|_| length <= most)?;
    let value = value.checked_mul(factor)?;
    let value = if parts.is_negative() { -value } else { value };
    (scale >= -9).then_some((value, scale))
}

fn raised(value: i64, power: i64) -> Option<i64> {
    match value {
        0 => Some(0),
        value => value.checked_mul(10i64.checked_pow(u32::try_from(power).ok()?)?),
    }
}
