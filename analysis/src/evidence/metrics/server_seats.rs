//! The seats of an API server, which follow from the limits of priority levels in its metrics.

use super::catalog::{NOMINAL_LIMIT_SEATS, REQUEST_CONCURRENCY_LIMIT, UPPER_LIMIT_SEATS};
use super::text::samples;
use k8s_flowcontrol_rules::limits::ServerLimits;
use k8s_flowcontrol_types::Release;
use k8s_flowcontrol_types::api::v1::PriorityLevelConfiguration;
use std::collections::BTreeMap;

/// More seats than any server has.
const MANY: u32 = 10_000_000;
/// The mandatory level, which borrows without a limit.
const CATCH_ALL: &str = "catch-all";

/// The limits of the priority levels in the metrics of a server, from which its seats follow.
///
/// A server does not tell its seats (`--max-requests-inflight` plus `--max-mutating-requests-inflight`). Since 1.26 the level `catch-all`
/// shows them: it borrows up to all of them. Earlier servers show rounded limits alone, which fit a few numbers, of which the roundest is taken.
///
/// ```
/// use k8s_flowcontrol_analysis::metrics::ObservedLimits;
/// use k8s_flowcontrol_types::Release;
///
/// let limits = ObservedLimits::parse(
///     "apiserver_flowcontrol_nominal_limit_seats{priority_level=\"catch-all\"} 4\n\
///      apiserver_flowcontrol_upper_limit_seats{priority_level=\"catch-all\"} 154\n",
/// );
/// assert_eq!(limits.server_seats(&[], Release::NEWEST), Some(150));
/// ```
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ObservedLimits {
    nominal: BTreeMap<String, i64>,
    upper: BTreeMap<String, i64>,
    /// The name before 1.26.
    before: BTreeMap<String, i64>,
}

impl ObservedLimits {
    /// Reads the text of `/metrics`.
    pub fn parse(text: &str) -> Self {
        let mut metrics = Self::default();
        for sample in samples(text) {
            let values = match sample.name {
                name if name == NOMINAL_LIMIT_SEATS.name() => &mut metrics.nominal,
                name if name == UPPER_LIMIT_SEATS.name() => &mut metrics.upper,
                name if name == REQUEST_CONCURRENCY_LIMIT.name() => &mut metrics.before,
                _ => continue,
            };
            if let Some(level) = sample.label("priority_level") {
                values.insert(level.to_owned(), sample.value as i64);
            }
        }
        metrics
    }

    /// Whether the metrics have no limits of priority levels.
    pub fn is_empty(&self) -> bool {
        self.nominal.is_empty() && self.before.is_empty()
    }

    /// The seats of the server, at most 10,000,000; `None` if the metrics do not fit the priority levels, for example because the server has not
    /// followed a change yet.
    pub fn server_seats(
        &self,
        levels: &[PriorityLevelConfiguration],
        release: Release,
    ) -> Option<u32> {
        let nominal = match self.nominal.is_empty() {
            true => &self.before,
            false => &self.nominal,
        };
        // Without a borrowing limit, a level borrows up to all seats of the server.
        let seats = match self.upper.get(CATCH_ALL).zip(nominal.get(CATCH_ALL)) {
            Some((upper, nominal)) => u32::try_from(upper.checked_sub(*nominal)?).ok(),
            None => concurrency_limit(levels, nominal, release),
        };
        seats.filter(|seats| (1..=MANY).contains(seats))
    }
}

/// The concurrency limit of a server whose levels have these nominal limits. Of several ones it is the roundest.
fn concurrency_limit(
    levels: &[PriorityLevelConfiguration],
    nominal: &BTreeMap<String, i64>,
    release: Release,
) -> Option<u32> {
    let known = |seats: u32| -> Vec<(i64, i64)> {
        let limits = ServerLimits::new(levels, seats, release);
        let levels = limits.levels().iter().filter(|level| level.shares > 0);
        let known = levels.filter_map(|level| Some((level.nominal, *nominal.get(&level.name)?)));
        known.collect()
    };
    if known(0).is_empty() {
        return None;
    }
    // The computed limits increase with the seats: all metrics fit from `least` up to `end`.
    let least = first(|seats| {
        known(seats)
            .iter()
            .all(|(computed, metric)| computed >= metric)
    });
    let end = first(|seats| {
        known(seats)
            .iter()
            .any(|(computed, metric)| computed > metric)
    });
    let zeros = |seats: &u32| {
        (1..10)
            .take_while(|power| seats.is_multiple_of(10_u32.pow(*power)))
            .count()
    };
    (least..end).max_by_key(zeros)
}

/// The least number of seats with a property that all larger numbers have too.
fn first(has: impl Fn(u32) -> bool) -> u32 {
    let (mut low, mut high) = (0, MANY);
    while low < high {
        let middle = low + (high - low) / 2;
        match has(middle) {
            true => high = middle,
            false => low = middle + 1,
        }
    }
    low
}
