//! Whether intents hold.

use super::intents::{Intent, Target, WaitLimit};
use crate::simulation::{self, Measure};
use k8s_flowcontrol_rules::limits::ServerLimits;
use std::collections::BTreeSet;
use std::fmt;
use std::time::Duration;

/// Whether one part of an intent holds under one variation of the load.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct Check {
    /// The number of the intent in its file, from 0.
    pub intent: usize,
    /// The name of the intent.
    pub name: String,
    /// The requests that were measured.
    pub requests: u64,
    /// The measured value.
    pub measured: Measured,
}

/// A limit, and what was found.
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub enum Measured {
    /// The wait of a part of the requests.
    Wait {
        /// The limit.
        limit: WaitLimit,
        /// The wait of this part; none if more than the rest of the requests were rejected.
        found: Option<Duration>,
        /// The requests that were rejected, or that waited too long.
        rejected: u64,
    },
    /// The seats that a client can use.
    Seats {
        /// The most that it may use.
        limit: i64,
        /// The sum of the maximums of the levels that take its requests, or all seats if these are fewer; none if an exempt level takes them.
        found: Option<i64>,
    },
}

impl Check {
    /// Whether it holds. It does for a level without requests.
    pub fn is_met(&self) -> bool {
        match &self.measured {
            Measured::Wait { limit, found, .. } => {
                found.is_some_and(|found| found <= limit.at_most)
            }
            Measured::Seats { limit, found } => found.is_some_and(|found| found <= *limit),
        }
    }

    /// How much of the limit is left, in percent; negative if it is exceeded; `None` without requests.
    pub fn margin_percent(&self) -> Option<f64> {
        let (limit, found) = match &self.measured {
            Measured::Wait { .. } if self.requests == 0 => return None,
            Measured::Wait { limit, found, .. } => {
                (limit.at_most.as_secs_f64(), (*found)?.as_secs_f64())
            }
            Measured::Seats { limit, found } => (*limit as f64, (*found)? as f64),
        };
        (limit > 0.0).then(|| (limit - found) / limit * 100.0)
    }
}

/// Formats the found value and the limit: `p99 of the waits 0.8s, at most 1s`.
impl fmt::Display for Check {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.measured {
            Measured::Wait { limit, .. } if self.requests == 0 => {
                write!(f, "no requests; {limit} at most {}", shown(limit.at_most))
            }
            Measured::Wait {
                limit,
                found,
                rejected,
            } => {
                match found {
                    Some(found) => write!(f, "{limit} {}", shown(*found))?,
                    None => write!(f, "{limit} unbounded")?,
                }
                write!(f, ", at most {}", shown(limit.at_most))?;
                match rejected {
                    0 => Ok(()),
                    rejected => write!(f, "; {rejected} of {} rejected", self.requests),
                }
            }
            Measured::Seats { limit, found } => match found {
                Some(found) => write!(f, "can use {found} seats, at most {limit}"),
                None => write!(f, "exempt from limits, at most {limit} seats"),
            },
        }
    }
}

pub(super) fn waits(index: usize, intent: &Intent, measure: &Measure) -> Vec<Check> {
    let requests = measure.waits.count() + measure.failed;
    let check = |limit: &WaitLimit| Check {
        intent: index,
        name: intent.name.clone(),
        requests,
        measured: Measured::Wait {
            limit: *limit,
            found: percentile(measure, limit.percent),
            rejected: measure.failed,
        },
    };
    intent.waits.iter().map(check).collect()
}

/// The wait that so many percent of the requests do not exceed; a rejected request waits for ever.
fn percentile(measure: &Measure, percent: f64) -> Option<Duration> {
    let dispatched = measure.waits.count();
    let all = dispatched + measure.failed;
    if all == 0 {
        return Some(Duration::ZERO);
    }
    let rank = (all as f64 * percent / 100.0).ceil().max(1.0);
    if rank > dispatched as f64 {
        return None;
    }
    // Half a rank less, so that rounding does not add one.
    let part = (rank - 0.5) / dispatched as f64 * 100.0;
    Some(measure.waits.percentile(part))
}

/// A time, in milliseconds: percentiles are not more exact than three digits.
pub(super) fn shown(time: Duration) -> String {
    let ms = time.as_micros() as f64 / 1000.0;
    match time.as_millis() {
        0..10 => format!("{ms} ms"),
        10..1000 => format!("{} ms", ms.round()),
        _ => format!("{} s", ms.round() / 1000.0),
    }
}

/// The requests of an intent.
pub(super) fn measure_of(
    index: usize,
    intent: &Intent,
    sets: &[Vec<usize>],
    measured: &simulation::Measured,
) -> Measure {
    let mut sum = Measure::default();
    match &intent.target {
        Target::Client(_) => {
            let groups = sets.iter().zip(&measured.groups);
            for (_, group) in groups.filter(|(set, _)| set.contains(&index)) {
                sum.waits.merge(&group.waits);
                sum.failed += group.failed;
            }
        }
        Target::Level(name) => {
            let levels = measured.report.levels.iter();
            for level in levels.filter(|level| level.name == *name) {
                sum.waits.merge(&level.waits);
                sum.failed += level.counts.rejected + level.counts.timed_out;
            }
        }
    }
    sum
}

/// Checks the seats that a client can use.
pub(super) fn seats(
    index: usize,
    intent: &Intent,
    levels: &BTreeSet<String>,
    limits: &ServerLimits,
) -> Option<Check> {
    let limit = intent.never_more_than?;
    // The maximum of a level without a borrowing limit is more than a server has.
    let all = i64::from(limits.concurrency_limit());
    let maximums = levels.iter().filter_map(|name| limits.level(name));
    let found = maximums.map(|level| (!level.exempt).then_some(level.maximum.min(all)));
    let found = found.sum::<Option<i64>>();
    Some(Check {
        intent: index,
        name: intent.name.clone(),
        requests: 0,
        measured: Measured::Seats {
            limit,
            // Before 1.26, limits that are rounded up add up to more than all seats.
            found: found.map(|found| found.min(limits.nominal_sum().max(all))),
        },
    })
}
