//! The limits of priority levels in the metrics of an API server, and the seats that follow from them.

use k8s_flowcontrol::Release;
use k8s_flowcontrol::api::v1::PriorityLevelConfiguration;
use k8s_flowcontrol::rules::limits::ServerLimits;
use k8s_flowcontrol_analysis::metrics::catalog::{
    NOMINAL_LIMIT_SEATS, REQUEST_CONCURRENCY_LIMIT, UPPER_LIMIT_SEATS,
};
use k8s_flowcontrol_analysis::metrics::samples;
use std::collections::BTreeMap;

/// More seats than any server has.
pub(super) const MANY: u32 = 10_000_000;
/// The mandatory level, which borrows without a limit.
const CATCH_ALL: &str = "catch-all";

/// The limits of the priority levels in the metrics of a server.
#[derive(Default)]
pub(super) struct LevelMetrics {
    nominal: BTreeMap<String, i64>,
    upper: BTreeMap<String, i64>,
    /// The name before 1.26.
    before: BTreeMap<String, i64>,
}

impl LevelMetrics {
    pub(super) fn of(text: &str) -> Self {
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

    pub(super) fn is_empty(&self) -> bool {
        self.nominal.is_empty() && self.before.is_empty()
    }

    /// The seats, and the name of the metric from which they follow.
    pub(super) fn seats(
        &self,
        levels: &[PriorityLevelConfiguration],
        release: Release,
    ) -> Option<(&'static str, u32)> {
        let (name, nominal) = match self.nominal.is_empty() {
            true => (REQUEST_CONCURRENCY_LIMIT.name(), &self.before),
            false => (NOMINAL_LIMIT_SEATS.name(), &self.nominal),
        };
        // Without a borrowing limit, a level borrows up to all seats of the server.
        let catch_all = self.upper.get(CATCH_ALL).zip(nominal.get(CATCH_ALL));
        if let Some(seats) =
            catch_all.and_then(|(upper, nominal)| u32::try_from(upper - nominal).ok())
        {
            return Some((name, seats));
        }
        Some((name, concurrency_limit(levels, nominal, release)?))
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

#[cfg(test)]
mod tests {
    use super::*;
    use k8s_flowcontrol::rules::bootstrap;

    fn levels(release: Release) -> Vec<PriorityLevelConfiguration> {
        bootstrap::objects(release)
            .iter()
            .filter_map(|object| serde_json::from_value(object.tree()).ok())
            .filter(|level: &PriorityLevelConfiguration| !level.spec.r#type.as_str().is_empty())
            .collect()
    }

    fn metrics(
        name: &str,
        limits: &ServerLimits,
        value: fn(&k8s_flowcontrol::rules::limits::LevelLimits) -> i64,
    ) -> String {
        let lines = limits.levels().iter().map(|level| {
            format!(
                "apiserver_flowcontrol_{name}{{priority_level=\"{}\"}} {}\n",
                level.name,
                value(level)
            )
        });
        lines.collect()
    }

    #[test]
    fn the_level_that_borrows_without_a_limit_shows_all_seats() {
        let release = Release::NEWEST;
        let limits = ServerLimits::new(&[], 157, release);
        let text = metrics("nominal_limit_seats", &limits, |level| level.nominal)
            + &metrics("upper_limit_seats", &limits, |level| level.maximum);
        let (name, seats) = LevelMetrics::of(&text).seats(&[], release).unwrap();
        assert_eq!(
            (name, seats),
            ("apiserver_flowcontrol_nominal_limit_seats", 157)
        );
    }

    #[test]
    fn the_metrics_of_a_real_server() {
        let text = include_str!("../../../tests/fixtures/metrics-1.36.txt");
        let found = LevelMetrics::of(text).seats(&[], Release::NEWEST);
        assert_eq!(found.map(|(_, seats)| seats), Some(150));
    }

    #[test]
    fn nominal_limits_alone_leave_few_numbers_of_which_the_roundest_is_taken() {
        let release: Release = "1.25".parse().unwrap();
        let levels = levels(release);
        for seats in [150, 600, 3_000] {
            let limits = ServerLimits::new(&levels, seats, release);
            let text = metrics("request_concurrency_limit", &limits, |level| level.nominal);
            let found = LevelMetrics::of(&text).seats(&levels, release).unwrap();
            assert_eq!(
                found,
                ("apiserver_flowcontrol_request_concurrency_limit", seats)
            );
        }
    }

    #[test]
    fn metrics_of_other_levels_have_no_answer() {
        let release = Release::NEWEST;
        let levels = levels(release);
        let text = "apiserver_flowcontrol_nominal_limit_seats{priority_level=\"system\"} 30\n\
                    apiserver_flowcontrol_nominal_limit_seats{priority_level=\"workload-low\"} 30\n";
        assert_eq!(LevelMetrics::of(text).seats(&levels, release), None);
        assert_eq!(LevelMetrics::of("").seats(&levels, release), None);
    }
}
