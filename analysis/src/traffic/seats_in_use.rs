//! The seats in use over time, second by second, and the limits of the levels, which bound them.

use crate::saved::numbers::{Count, Time, count, sum};
use serde::de::{Error as _, SeqAccess, Visitor};
use serde::{Deserialize, Deserializer, Serialize};
use std::collections::BTreeMap;
use std::fmt;

/// The microseconds of a second.
const SECOND: i64 = 1_000_000;
const SECONDS: usize = 60;
/// The seconds that one request can fill, an hour: longer requests count until then.
const LONGEST: i64 = 3600;
const MINUTE: i64 = SECONDS as i64 * SECOND;

/// The seats of a level on one server, or on several.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct LevelSeats {
    /// The least seats that the level can have on one server, and the most on all: its lower and upper limits.
    #[serde(deserialize_with = "count")]
    pub(super) minimum: u64,
    #[serde(deserialize_with = "count")]
    pub(super) maximum: u64,
    /// Whether requests can wait in queues of the level.
    pub(super) queues: bool,
}

/// The seats in use of a level: of each minute the microseconds of seats in each of its seconds, if no request waited that the log does
/// not say so of.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct SeatsInUse(BTreeMap<Time<MINUTE>, Seconds>);

/// The microseconds of seats in each second of a minute.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
struct Seconds(Vec<Count>);

impl Default for Seconds {
    fn default() -> Self {
        Self(vec![Count(0); SECONDS])
    }
}

/// A text with other minutes than of 60 seconds would take many times its memory.
impl<'de> Deserialize<'de> for Seconds {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Minute;
        impl<'de> Visitor<'de> for Minute {
            type Value = Seconds;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("a minute of 60 seconds")
            }

            fn visit_seq<A: SeqAccess<'de>>(self, mut list: A) -> Result<Seconds, A::Error> {
                let mut minute = Seconds::default();
                for (index, second) in minute.0.iter_mut().enumerate() {
                    let value = list.next_element()?;
                    *second = value.ok_or_else(|| A::Error::invalid_length(index, &self))?;
                }
                match list.next_element::<Count>()? {
                    None => Ok(minute),
                    Some(_) => Err(A::Error::invalid_length(SECONDS + 1, &self)),
                }
            }
        }
        deserializer.deserialize_seq(Minute)
    }
}

/// The seats in use over all seconds, in microseconds of seats.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Bounded {
    /// Without a limit.
    pub(super) all: u64,
    /// With at most the maximum seats of the level in every second, and with at most its minimum.
    pub(super) at_maximum: u64,
    pub(super) at_minimum: u64,
    /// The most in one second.
    pub(super) peak: u64,
}

impl SeatsInUse {
    /// Adds a request that executed from `begin` to `end`, in microseconds since 1970.
    pub(super) fn add(&mut self, seats: u64, begin: i64, end: i64) {
        let mut second = begin.div_euclid(SECOND);
        let last = end.div_euclid(SECOND).min(second.saturating_add(LONGEST));
        while second <= last {
            let from = begin.max(second.saturating_mul(SECOND));
            let to = end.min(second.saturating_add(1).saturating_mul(SECOND));
            let time = to.saturating_sub(from).max(0).unsigned_abs();
            let used = seats.saturating_mul(time);
            if used > 0 {
                let minute = self.0.entry(Time(second.div_euclid(SECONDS as i64)));
                let minute = minute.or_default();
                let index = second.rem_euclid(SECONDS as i64) as usize;
                if let Some(place) = minute.0.get_mut(index) {
                    *place += used;
                }
            }
            second += 1;
        }
    }

    pub(super) fn merge(&mut self, other: Self) {
        for (minute, values) in other.0 {
            let own = self.0.entry(minute).or_default();
            for (own, value) in own.0.iter_mut().zip(values.0) {
                *own += value;
            }
        }
    }

    /// The sums over all seconds; `limits` are the limits of a level on all servers together.
    pub(super) fn bounded(&self, limits: Option<LevelSeats>) -> Bounded {
        let mut sums = Bounded::default();
        for Count(value) in self.0.values().flat_map(|minute| &minute.0) {
            let (maximum, minimum) = capped(*value, limits);
            sums.all = sum(sums.all, *value);
            sums.at_maximum = sum(sums.at_maximum, maximum);
            sums.at_minimum = sum(sums.at_minimum, minimum);
            sums.peak = sums.peak.max(maximum);
        }
        sums
    }

    /// The mean of the seats in use in each minute.
    pub(super) fn means(
        &self,
        limits: Option<LevelSeats>,
    ) -> impl Iterator<Item = (Time<MINUTE>, f64)> {
        self.0.iter().map(move |(minute, seconds)| {
            let used = seconds
                .0
                .iter()
                .map(|value| capped(value.0, limits).0 as f64);
            (*minute, used.sum::<f64>() / MINUTE as f64)
        })
    }
}

/// A second with at most the maximum and with at most the minimum of a level, in microseconds of seats.
fn capped(value: u64, limits: Option<LevelSeats>) -> (u64, u64) {
    let Some(limits) = limits.filter(|limits| limits.queues) else {
        return (value, value);
    };
    let in_second = |seats: u64| seats.saturating_mul(SECOND.unsigned_abs());
    (
        value.min(in_second(limits.maximum)),
        value.min(in_second(limits.minimum)),
    )
}
