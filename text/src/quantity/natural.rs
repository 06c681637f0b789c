//! Natural numbers of any size.

use std::cmp::Ordering;
use std::fmt;

const BASE: u64 = 1_000_000_000;
/// The decimal digits of a digit.
const WIDTH: usize = 9;

#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub(super) struct Natural {
    /// The digits in base 10^9, the lowest first, without zeros at the end.
    digits: Vec<u32>,
}

impl Natural {
    /// The number with these decimal digits.
    pub(super) fn from_decimal(text: &[u8]) -> Self {
        let digit = |chunk: &[u8]| {
            let value = |value: u32, byte: &u8| value * 10 + u32::from(byte - b'0');
            chunk.iter().fold(0, value)
        };
        Self::trimmed(text.rchunks(WIDTH).map(digit).collect())
    }

    fn trimmed(mut digits: Vec<u32>) -> Self {
        while digits.last() == Some(&0) {
            digits.pop();
        }
        Self { digits }
    }

    pub(super) fn is_zero(&self) -> bool {
        self.digits.is_empty()
    }

    pub(super) fn plus(&self, other: &Self) -> Self {
        let length = self.digits.len().max(other.digits.len());
        let mut carry = 0;
        let mut digits: Vec<u32> = (0..length)
            .map(|index| split(self.digit(index) + other.digit(index), &mut carry))
            .collect();
        digits.push(split(0, &mut carry));
        Self::trimmed(digits)
    }

    /// The difference to a number that is not larger.
    pub(super) fn minus(&self, other: &Self) -> Self {
        let mut borrowed = 0;
        let digits = (0..self.digits.len()).map(|index| {
            let subtrahend = other.digit(index) + borrowed;
            borrowed = u64::from(self.digit(index) < subtrahend);
            let digit = borrowed * BASE + self.digit(index) - subtrahend;
            // Below the base.
            digit as u32
        });
        Self::trimmed(digits.collect())
    }

    pub(super) fn times(&self, factor: u32) -> Self {
        let mut carry = 0;
        let mut digits: Vec<u32> = self
            .digits
            .iter()
            .map(|digit| split(u64::from(*digit) * u64::from(factor), &mut carry))
            .collect();
        digits.push(split(0, &mut carry));
        Self::trimmed(digits)
    }

    /// The quotient, if nothing remains.
    pub(super) fn divided(&self, divisor: u32) -> Option<Self> {
        let (quotient, remainder) = self.quotient(divisor);
        (remainder == 0).then_some(quotient)
    }

    fn quotient(&self, divisor: u32) -> (Self, u64) {
        let mut remainder = 0;
        let mut digits = self.digits.clone();
        for digit in digits.iter_mut().rev() {
            let dividend = remainder * BASE + u64::from(*digit);
            remainder = dividend % u64::from(divisor);
            // Below the base, since the remainder is below the divisor.
            *digit = (dividend / u64::from(divisor)) as u32;
        }
        (Self::trimmed(digits), remainder)
    }

    /// The number times a power of ten, rounded up.
    pub(super) fn shifted(&self, exponent: i64) -> Self {
        let places = usize::try_from(exponent.unsigned_abs()).unwrap_or(usize::MAX);
        // A power below the base, and whole digits.
        let factor = (0..places % WIDTH).fold(1, |factor, _| factor * 10);
        let whole = places / WIDTH;
        if self.is_zero() {
            return Self::default();
        } else if exponent >= 0 {
            let zeros = std::iter::repeat_n(0, whole);
            return Self::trimmed(zeros.chain(self.times(factor).digits).collect());
        }
        let (dropped, kept) = self.digits.split_at(whole.min(self.digits.len()));
        let (quotient, remainder) = Self::trimmed(kept.to_vec()).quotient(factor);
        match remainder > 0 || dropped.iter().any(|digit| *digit > 0) {
            true => quotient.plus(&Self::from(1)),
            false => quotient,
        }
    }

    fn digit(&self, index: usize) -> u64 {
        self.digits.get(index).copied().unwrap_or_default().into()
    }
}

/// The digit of `value` and the carry of the digit below; `carry` becomes the one for the digit above.
fn split(value: u64, carry: &mut u64) -> u32 {
    let value = value + *carry;
    *carry = value / BASE;
    // Below the base.
    (value % BASE) as u32
}

impl From<u64> for Natural {
    fn from(value: u64) -> Self {
        Self::from_decimal(value.to_string().as_bytes())
    }
}

impl PartialOrd for Natural {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl Ord for Natural {
    fn cmp(&self, other: &Self) -> Ordering {
        let by_length = self.digits.len().cmp(&other.digits.len());
        by_length.then_with(|| self.digits.iter().rev().cmp(other.digits.iter().rev()))
    }
}

impl fmt::Display for Natural {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut digits = self.digits.iter().rev();
        write!(f, "{}", digits.next().copied().unwrap_or_default())?;
        digits.try_for_each(|digit| write!(f, "{digit:0WIDTH$}"))
    }
}
