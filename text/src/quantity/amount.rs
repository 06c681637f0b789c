//! The value of a quantity.

use super::natural::Natural;
use super::parse::{BINARY, DECIMAL};
use std::cmp::Ordering;
use std::fmt;
use std::hash::{Hash, Hasher};
use std::iter::Sum;
use std::ops::{Add, AddAssign, Neg, Sub, SubAssign};

/// The exact value of a quantity such as `500m` or `2Gi`: a whole number of nano units, of any size.
///
/// Sums and differences are exact, and keep the suffixes of the left value, unless that is zero. `Display` writes the
/// canonical form of a Kubernetes API server: without a fraction, with the largest suffix that allows this. Equal
/// amounts may have different formats.
///
/// ```
/// use k8s_flowcontrol_text::quantity::Amount;
///
/// let requests = ["250m", "1.5", "2"].map(str::parse::<Amount>);
/// let total: Amount = requests.into_iter().sum::<Result<_, _>>()?;
/// assert_eq!(total.to_string(), "3750m");
/// assert_eq!(total.value(), Some(4));
/// assert!(total < "1Ki".parse()?);
/// # Ok::<(), k8s_flowcontrol_text::quantity::InvalidQuantity>(())
/// ```
#[derive(Clone, Debug)]
pub struct Amount {
    is_negative: bool,
    nanos: Natural,
    format: QuantityFormat,
}

/// A canonical form must parse: its exponent, which starts at -9, ends at 9999.
const MAX_DROPPED: usize = 10_008;

/// The suffixes with which an [`Amount`] is written.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum QuantityFormat {
    /// Powers of 1000: `n`, `u`, `m`, none, `k`, `M`, `G`, `T`, `P` and `E`; larger amounts have an exponent.
    #[default]
    DecimalSi,
    /// Powers of 1024: `Ki`, `Mi`, `Gi`, `Ti`, `Pi` and `Ei`. Amounts below 1024 and fractions are written as decimal ones.
    BinarySi,
    /// Exponents that are multiples of three, such as `12e6`.
    DecimalExponent,
}

impl Amount {
    pub(super) fn new(is_negative: bool, nanos: Natural, format: QuantityFormat) -> Self {
        Self {
            is_negative: is_negative && !nanos.is_zero(),
            nanos,
            format,
        }
    }

    /// The suffixes with which the amount is written.
    pub fn format(&self) -> QuantityFormat {
        self.format
    }

    /// The same amount with other suffixes.
    #[must_use]
    pub fn with_format(self, format: QuantityFormat) -> Self {
        Self { format, ..self }
    }

    /// The nearest float; infinite when the amount is too large for one.
    pub fn as_f64(&self) -> f64 {
        let sign = if self.is_negative { "-" } else { "" };
        let text = format!("{sign}{}e-9", self.nanos);
        text.parse().unwrap_or(f64::NAN)
    }

    /// `-1` for an amount below zero, `0` for zero, and else `1`.
    pub fn signum(&self) -> i64 {
        match (self.nanos.is_zero(), self.is_negative) {
            (true, _) => 0,
            (_, true) => -1,
            _ => 1,
        }
    }

    /// The amount as an integer, rounded away from zero; `None` when that is too large.
    pub fn value(&self) -> Option<i64> {
        self.in_units_of(0)
    }

    /// The amount in thousandths, rounded away from zero; `None` when that is too large.
    pub fn milli_value(&self) -> Option<i64> {
        self.in_units_of(-3)
    }

    fn in_units_of(&self, power: i64) -> Option<i64> {
        let sign = if self.is_negative { "-" } else { "" };
        let rounded = self.nanos.shifted(-9 - power);
        format!("{sign}{rounded}").parse().ok()
    }

    /// The number and the suffix in powers of 1024, for whole numbers from 1024.
    fn in_binary(&self) -> Option<(Natural, &'static str)> {
        let mut whole = self.nanos.divided(1_000_000_000)?;
        if whole < Natural::from(1024) {
            return None;
        }
        let mut suffix = "";
        for (larger, _) in BINARY {
            let Some(quotient) = whole.divided(1024) else {
                break;
            };
            (whole, suffix) = (quotient, larger);
        }
        Some((whole, suffix))
    }
}

impl Default for Amount {
    fn default() -> Self {
        Self::from(0)
    }
}

impl From<i64> for Amount {
    fn from(value: i64) -> Self {
        let nanos = Natural::from(value.unsigned_abs()).shifted(9);
        Self::new(value < 0, nanos, QuantityFormat::DecimalSi)
    }
}

impl PartialEq for Amount {
    fn eq(&self, other: &Self) -> bool {
        self.cmp(other).is_eq()
    }
}

impl Eq for Amount {}

impl PartialOrd for Amount {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl Ord for Amount {
    fn cmp(&self, other: &Self) -> Ordering {
        match (self.is_negative, other.is_negative) {
            (false, false) => self.nanos.cmp(&other.nanos),
            (true, true) => other.nanos.cmp(&self.nanos),
            (false, true) => Ordering::Greater,
            (true, false) => Ordering::Less,
        }
    }
}

impl Hash for Amount {
    fn hash<H: Hasher>(&self, state: &mut H) {
        (self.is_negative, &self.nanos).hash(state);
    }
}

impl Add<&Self> for Amount {
    type Output = Self;

    fn add(self, other: &Self) -> Self {
        let format = match self.nanos.is_zero() {
            true => other.format,
            false => self.format,
        };
        if self.is_negative == other.is_negative {
            return Self::new(self.is_negative, self.nanos.plus(&other.nanos), format);
        }
        let (larger, smaller) = match self.nanos >= other.nanos {
            true => (&self, other),
            false => (other, &self),
        };
        let difference = larger.nanos.minus(&smaller.nanos);
        Self::new(larger.is_negative, difference, format)
    }
}

impl Neg for Amount {
    type Output = Self;

    fn neg(self) -> Self {
        Self::new(!self.is_negative, self.nanos, self.format)
    }
}

impl Add for Amount {
    type Output = Self;

    fn add(self, other: Self) -> Self {
        self + &other
    }
}

impl Sub<&Self> for Amount {
    type Output = Self;

    fn sub(self, other: &Self) -> Self {
        self + &-other.clone()
    }
}

impl Sub for Amount {
    type Output = Self;

    fn sub(self, other: Self) -> Self {
        self + &-other
    }
}

impl AddAssign<&Self> for Amount {
    fn add_assign(&mut self, other: &Self) {
        *self = std::mem::take(self) + other;
    }
}

impl AddAssign for Amount {
    fn add_assign(&mut self, other: Self) {
        *self += &other;
    }
}

impl SubAssign<&Self> for Amount {
    fn sub_assign(&mut self, other: &Self) {
        *self = std::mem::take(self) - other;
    }
}

impl SubAssign for Amount {
    fn sub_assign(&mut self, other: Self) {
        *self -= &other;
    }
}

impl Sum for Amount {
    fn sum<I: Iterator<Item = Self>>(amounts: I) -> Self {
        amounts.fold(Self::default(), Add::add)
    }
}

/// The canonical form.
impl fmt::Display for Amount {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.nanos.is_zero() {
            return f.pad("0");
        }
        let sign = if self.is_negative { "-" } else { "" };
        if self.format == QuantityFormat::BinarySi
            && let Some((number, suffix)) = self.in_binary()
        {
            return f.pad(&format!("{sign}{number}{suffix}"));
        }
        let digits = self.nanos.to_string();
        let zeros = digits.len() - digits.trim_end_matches('0').len();
        let dropped = (zeros - zeros % 3).min(MAX_DROPPED);
        let number = &digits[..digits.len() - dropped];
        let power = i64::try_from(dropped).unwrap_or_default() - 9;
        let suffix = DECIMAL.iter().find(|(_, known)| *known == power);
        match suffix {
            Some((suffix, 0)) => f.pad(&format!("{sign}{number}{suffix}")),
            Some((suffix, _)) if self.format != QuantityFormat::DecimalExponent => {
                f.pad(&format!("{sign}{number}{suffix}"))
            }
            _ => f.pad(&format!("{sign}{number}e{power}")),
        }
    }
}
