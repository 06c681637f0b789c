//! Predicted distributions beside observed ones.

use crate::metrics::Histogram;
use k8s_flowcontrol_types::__named as named;
use k8s_flowcontrol_types::Release;

/// Differences of more standard errors are not chance: with eight simulations, two of a thousand are greater.
const STANDARD_ERRORS: f64 = 4.8;
/// The error of the model: times can be so many times as long or as short, and longer or shorter by so many seconds.
const STRETCHED: f64 = 1.25;
const SHORT: f64 = 0.01;
/// Logs that lack more requests of a level, in percent, or have more that the server did not count, say little about it.
const MOST_MISSING_PERCENT: u64 = 20;

named! {
    /// A quantity of requests.
    #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
    #[non_exhaustive]
    pub enum Quantity {
        /// The estimated seats, the larger of initial and final seats.
        Seats = "estimated seats",
        /// The wait of executed requests, in seconds.
        Wait = "wait in seconds",
        /// The execution, in seconds.
        Execution = "execution in seconds",
    }
    /// The name.
    pub fn as_str;
}

impl Quantity {
    /// The metric of the server.
    pub const fn metric(self) -> &'static str {
        match self {
            Self::Seats => "apiserver_flowcontrol_work_estimated_seats",
            Self::Wait => "apiserver_flowcontrol_request_wait_duration_seconds",
            Self::Execution => "apiserver_flowcontrol_request_execution_seconds",
        }
    }
}

/// The comparison of a server.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct Verification {
    /// The release whose rules predict.
    pub release: Release,
    /// The seats of the server.
    pub seats: u32,
    /// The times of the first and of the last request of the logs, in microseconds since 1970.
    pub period_us: (i64, i64),
    /// The priority levels that have requests, sorted by name.
    pub levels: Vec<LevelVerification>,
}

/// The comparison of a priority level.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct LevelVerification {
    /// The name.
    pub priority_level: String,
    /// The executed requests that the server counted.
    pub counted: u64,
    /// The executed requests of the logs.
    pub logged: u64,
    /// The quantities that the server reports.
    pub quantities: Vec<QuantityVerification>,
}

/// The comparison of a quantity.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct QuantityVerification {
    /// The quantity.
    pub quantity: Quantity,
    /// The server's average.
    pub observed_mean: f64,
    /// The predicted average.
    pub predicted_mean: f64,
    /// The parts of the requests that do not exceed the bounds of the server's buckets, without the last one.
    pub buckets: Vec<Bucket>,
}

/// The part of the requests that do not exceed a bound.
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub struct Bucket {
    /// The bound.
    pub at_most: f64,
    /// The part that the server counted, from 0 to 1.
    pub observed: f64,
    /// The predicted part.
    pub predicted: f64,
    /// The smallest and the greatest part that chance and the errors of the model explain.
    pub explained: (f64, f64),
}

impl Bucket {
    /// Whether chance and the errors of the model explain the difference.
    pub fn is_explained(&self) -> bool {
        let (least, most) = self.explained;
        (least..=most).contains(&self.observed)
    }
}

impl QuantityVerification {
    /// The bucket with the greatest difference that is not explained; none if all are.
    pub fn unexplained(&self) -> Option<&Bucket> {
        let unexplained = self.buckets.iter().filter(|bucket| !bucket.is_explained());
        let beyond = |bucket: &Bucket| {
            (bucket.explained.0 - bucket.observed).max(bucket.observed - bucket.explained.1)
        };
        unexplained.max_by(|left, right| beyond(left).total_cmp(&beyond(right)))
    }
}

impl LevelVerification {
    /// Whether the logs and the metrics have too few of the level's requests in common for a comparison, by their numbers.
    pub fn is_incomplete(&self) -> bool {
        let missing = self.counted.abs_diff(self.logged);
        missing * 100 > self.counted.max(self.logged) * MOST_MISSING_PERCENT
    }

    /// The quantities that differ more than is explained; none for a level that is not compared.
    pub fn unexplained(&self) -> impl Iterator<Item = (&QuantityVerification, &Bucket)> {
        let quantities = self.quantities.iter().filter(|_| !self.is_incomplete());
        quantities.filter_map(|quantity| Some((quantity, quantity.unexplained()?)))
    }
}

impl Verification {
    /// Whether chance and the errors of the model explain all differences of the levels that are compared. A level is compared if the logs and the metrics have about the same number of its requests.
    pub fn is_explained(&self) -> bool {
        let mut levels = self.levels.iter();
        levels.all(|level| level.unexplained().next().is_none())
    }
}

/// Several predictions of one distribution.
pub(super) trait Predicted {
    /// The part of the requests that do not exceed a bound, for each simulation.
    fn parts(&self, at_most: f64) -> Vec<f64>;
    fn mean(&self) -> f64;
}

/// Compares a histogram with alternative predictions, each of which is possible. `missing` is the part of the requests that the logs lack or
/// have too many.
pub(super) fn compare(
    quantity: Quantity,
    observed: &Histogram,
    predicted: &[&dyn Predicted],
    missing: f64,
) -> QuantityVerification {
    let count = observed.count().max(1) as f64;
    // The server measures times of nanoseconds where the model has none.
    let bounds = observed
        .buckets()
        .filter(|(bound, _)| bound.is_finite() && *bound > 0.0);
    let buckets = bounds.map(|(at_most, within)| {
        let (mut least, mut most) = (1.0_f64, 0.0_f64);
        for one in predicted {
            let (shortest, longest) = match quantity {
                Quantity::Seats => (at_most, at_most),
                Quantity::Wait | Quantity::Execution => (
                    (at_most / STRETCHED - SHORT).max(0.0),
                    at_most * STRETCHED + SHORT,
                ),
            };
            let shorter = interval(&one.parts(shortest), count);
            let longer = interval(&one.parts(longest), count);
            least = least.min(shorter.0);
            most = most.max(longer.1);
        }
        let parts = predicted.first().map(|one| one.parts(at_most));
        Bucket {
            at_most,
            observed: within as f64 / count,
            predicted: mean(&parts.unwrap_or_default()),
            explained: ((least - missing).max(0.0), (most + missing).min(1.0)),
        }
    });
    QuantityVerification {
        quantity,
        observed_mean: observed.sum() / count,
        predicted_mean: predicted.first().map_or(0.0, |one| one.mean()),
        buckets: buckets.collect(),
    }
}

/// The parts that chance explains around the mean of simulations: as far as they differ themselves, and at least as far as so many
/// independent requests do.
fn interval(parts: &[f64], count: f64) -> (f64, f64) {
    let (number, mean) = (parts.len().max(1) as f64, mean(parts));
    let squares: f64 = parts.iter().map(|part| (part - mean).powi(2)).sum();
    let (variance, independent) = match number > 1.0 {
        true => (
            squares / (number - 1.0) * (1.0 + 1.0 / number),
            mean * (1.0 - mean) / count,
        ),
        false => (0.0, 0.0),
    };
    let error = STANDARD_ERRORS * variance.max(independent).sqrt() + 1.0 / count;
    (mean - error, mean + error)
}

fn mean(parts: &[f64]) -> f64 {
    parts.iter().sum::<f64>() / parts.len().max(1) as f64
}
