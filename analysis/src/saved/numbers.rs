//! The numbers of a saved result. A file can have any number, and sums of it must not overflow.

use jiff::Timestamp;
use serde::de::{Error, Unexpected};
use serde::{Deserialize, Deserializer, Serialize};
use std::ops::AddAssign;

/// The largest count, and the largest sum of counts: a server of 600 seats fills as many microseconds of seats in 60 years.
const LARGEST: u64 = (1 << 60) - 1;

/// The sum of two counts, which stays one.
pub(crate) fn sum(one: u64, other: u64) -> u64 {
    one.saturating_add(other).min(LARGEST)
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
#[serde(transparent)]
pub(crate) struct Count(pub(crate) u64);

impl AddAssign<u64> for Count {
    fn add_assign(&mut self, more: u64) {
        self.0 = sum(self.0, more);
    }
}

impl AddAssign for Count {
    fn add_assign(&mut self, more: Self) {
        *self += more.0;
    }
}

impl<'de> Deserialize<'de> for Count {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let count = u64::deserialize(deserializer)?;
        match count <= LARGEST {
            true => Ok(Self(count)),
            false => Err(D::Error::invalid_value(
                Unexpected::Unsigned(count),
                &format!("a whole number from 0 to {LARGEST}").as_str(),
            )),
        }
    }
}

/// Reads a field with a count.
pub(crate) fn count<'de, D: Deserializer<'de>>(deserializer: D) -> Result<u64, D::Error> {
    Ok(Count::deserialize(deserializer)?.0)
}

/// A time since 1970 that RFC 3339 can have, in units of so many microseconds.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(transparent)]
pub(crate) struct Time<const UNIT: i64>(pub(crate) i64);

impl<'de, const UNIT: i64> Deserialize<'de> for Time<UNIT> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let time = i64::deserialize(deserializer)?;
        // A unit can begin before the first time.
        let [first, last] =
            [Timestamp::MIN, Timestamp::MAX].map(|time| time.as_microsecond().div_euclid(UNIT));
        match (first..=last).contains(&time) {
            true => Ok(Self(time)),
            false => Err(D::Error::invalid_value(
                Unexpected::Signed(time),
                &format!("a time from {first} to {last}").as_str(),
            )),
        }
    }
}

/// Reads a field with a time in microseconds.
pub(crate) fn time<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Option<i64>, D::Error> {
    Ok(Option::<Time<1>>::deserialize(deserializer)?.map(|time| time.0))
}

/// Reads a field with two times in microseconds.
pub(crate) fn period<'de, D: Deserializer<'de>>(
    deserializer: D,
) -> Result<Option<(i64, i64)>, D::Error> {
    let period = Option::<(Time<1>, Time<1>)>::deserialize(deserializer)?;
    Ok(period.map(|(first, last)| (first.0, last.0)))
}
