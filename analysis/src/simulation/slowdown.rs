//! How much requests slow each other down, estimated from the executions of a log.
//!
//! Requests share the processor, locks and the store. If `n` requests execute at the same time, each executes at a speed that
//! is proportional to a power of `n`: 0 if requests do not slow each other down, and -1 if they share a speed that does not
//! depend on their number. The exponent follows from how long requests of the same kind took while few and while many executed.

use super::logged::Recorded;
use std::cmp::Reverse;
use std::collections::{BTreeMap, BinaryHeap};
use std::time::Duration;

/// The shortest part of a log for which executing requests are counted, in microseconds.
const PART_US: i64 = 100_000;
const MOST_PARTS: i64 = 1 << 19;
/// An exponent is used if it is that many times its standard error.
const CERTAIN: f64 = 3.0;
/// A weaker dependence does not count: other causes, such as long requests at busy times, look alike.
const LEAST: f64 = 0.15;
/// The number of requests with recorded waits from which they must show the dependence too: an estimated wait can be part of an
/// execution that only looks long because many executed.
const ENOUGH: f64 = 100.0;

/// How many times weaker the dependence on the requests just before an execution may be than that on the requests meanwhile.
const WEAKER: f64 = 4.0;

/// A number of executing requests whose logarithm has a smaller standard deviation hardly changes.
const STEADY: f64 = 0.17;

/// The slowdown in a log.
#[derive(Debug)]
pub(super) struct Found {
    /// None if every request executes as long as in the log, from its dispatch on.
    pub(super) slowdown: Option<Slowdown>,
    /// Whether the log shows if requests slow each other down.
    pub(super) is_known: bool,
}

/// The speed of requests by the number that execute at the same time. One alone has the speed 1.
#[derive(Clone, Debug)]
pub(super) struct Slowdown {
    /// From 0 to 1: the speed is the number to the power of minus this.
    exponent: f64,
    concurrency: Concurrency,
    /// How long a request that waited has its seats before it begins.
    pub(super) start_delay: Duration,
}

impl Slowdown {
    pub(super) fn speed(&self, executing: f64) -> f64 {
        executing.max(1.0).powf(-self.exponent)
    }

    /// How many times as long a request executes if twice as many execute; none if that does not matter.
    pub(super) fn of_doubling(&self) -> Option<f64> {
        (self.exponent > 0.0).then(|| 2_f64.powf(self.exponent))
    }

    /// The average speed in the log.
    pub(super) fn average(&self) -> f64 {
        let parts = self.concurrency.parts.values();
        let (work, time) = parts.fold((0.0, 0.0), |(work, time), part| {
            let speed = part.speed(self.exponent);
            (work + part.executing * speed, time + part.executing)
        });
        if time > 0.0 { work / time } else { 1.0 }
    }

    /// The time in microseconds for which a request of the log would have executed alone.
    pub(super) fn alone(&self, began: i64, ended: i64) -> f64 {
        let overlaps = self.concurrency.overlaps(began, ended);
        overlaps
            .map(|(part, overlap)| overlap * self.concurrency.part(part).speed(self.exponent))
            .sum()
    }
}

/// The number of executing requests in a part of a log: integrals over the time in which any execute, in microseconds.
///
/// Requests come in bursts. The average of the speeds in a part is not the speed at the average number.
#[derive(Clone, Copy, Debug, Default)]
struct Part {
    busy: f64,
    executing: f64,
    /// Of the number to the power of -1/2, and of -1.
    root: f64,
    inverse: f64,
}

impl Part {
    fn add(&mut self, time: f64, executing: f64) {
        self.busy += time;
        self.executing += time * executing;
        self.root += time / executing.sqrt();
        self.inverse += time / executing;
    }

    /// The average of the number to the power of `-exponent`, which is from 0 to 1; 1 if none execute.
    fn speed(&self, exponent: f64) -> f64 {
        if self.busy <= 0.0 {
            return 1.0;
        }
        let [root, inverse] = [self.root, self.inverse].map(|sum| (sum / self.busy).ln());
        // The parabola through the logarithms at 0, 1/2 and 1.
        let (linear, square) = (4.0 * root - inverse, 2.0 * inverse - 4.0 * root);
        ((linear + square * exponent) * exponent).exp()
    }

    /// The logarithm of the number that would have the average speed.
    fn log_executing(&self) -> f64 {
        self.speed(0.5).ln() * -2.0
    }
}

/// The number of executing requests over the time of a log.
#[derive(Clone, Debug)]
struct Concurrency {
    /// The time of the first request, and the length of a part, in microseconds.
    first: i64,
    part: i64,
    parts: BTreeMap<i64, Part>,
}

impl Concurrency {
    /// The parts of the log that a time overlaps, with the overlap in microseconds.
    fn overlaps(&self, began: i64, ended: i64) -> impl Iterator<Item = (i64, f64)> + use<> {
        let (part, first) = (self.part, self.first);
        let index = move |at: i64| at.saturating_sub(first).div_euclid(part);
        (index(began)..=index(ended)).map(move |index| {
            let start = index.saturating_mul(part).saturating_add(first);
            let end = start.saturating_add(part).min(ended);
            (index, end.saturating_sub(start.max(began)).max(0) as f64)
        })
    }

    fn part(&self, part: i64) -> Part {
        self.parts.get(&part).copied().unwrap_or_default()
    }
}

/// The executions of a log.
#[derive(Debug)]
pub(super) struct Executions {
    concurrency: Concurrency,
    /// The times at which executions begin (1) and end (-1) that may come after those of requests to come.
    changes: BinaryHeap<Reverse<(i64, i64)>>,
    /// How many execute since the last change, and the time of that.
    executing: i64,
    since: i64,
    /// Executions with their beginning, their kind and whether the log has their wait, by their end, that may share their time
    /// with requests to come.
    open: BinaryHeap<Reverse<(i64, i64, u32, bool)>>,
    /// By kind. Long requests meet each other, so that they would look slowed down if all that they meet counted: the requests
    /// just before they began tell that apart.
    kinds: BTreeMap<u32, Dependence>,
}

/// The executions of a kind.
#[derive(Clone, Copy, Debug, Default)]
struct Dependence {
    /// On the requests that executed meanwhile.
    meanwhile: Sums,
    /// On the requests that executed just before, of all requests and of those whose wait the log has.
    before: [Sums; 2],
}

/// Sums over the logarithms of the number of executing requests (x) and of the execution time (y).
#[derive(Clone, Copy, Debug, Default)]
struct Sums {
    count: f64,
    x: f64,
    y: f64,
    xx: f64,
    xy: f64,
    yy: f64,
}

impl Sums {
    fn add(&mut self, x: f64, y: f64) {
        self.count += 1.0;
        self.x += x;
        self.y += y;
        self.xx += x * x;
        self.xy += x * y;
        self.yy += y * y;
    }
}

impl Executions {
    /// For a log with its first and last request at these times, in microseconds.
    pub(super) fn new((first, last): (i64, i64)) -> Self {
        Self {
            concurrency: Concurrency {
                first,
                part: (last.saturating_sub(first) / MOST_PARTS).max(PART_US),
                parts: BTreeMap::new(),
            },
            changes: BinaryHeap::new(),
            executing: 0,
            since: first,
            open: BinaryHeap::new(),
            kinds: BTreeMap::new(),
        }
    }

    /// Adds a request of a kind, whose wait is known. Requests come in the order of their arrival.
    pub(super) fn add(&mut self, kind: u32, request: &Recorded) {
        self.close(request.received_us);
        let Some((began, ended)) = request.execution_us().filter(|(began, end)| began < end) else {
            return;
        };
        self.changes.push(Reverse((began, 1)));
        self.changes.push(Reverse((ended, -1)));
        let is_recorded = request.observed.is_some();
        self.open.push(Reverse((ended, began, kind, is_recorded)));
    }

    /// Counts the executing requests before a time.
    fn count(&mut self, until: i64) {
        while let Some(Reverse((at, change))) = self.changes.peek().copied()
            && at < until
        {
            self.changes.pop();
            if self.executing > 0 {
                let executing = self.executing as f64;
                for (part, overlap) in self.concurrency.overlaps(self.since, at) {
                    let part = self.concurrency.parts.entry(part).or_default();
                    part.add(overlap, executing);
                }
            }
            self.executing += change;
            self.since = self.since.max(at);
        }
    }

    /// Evaluates the executions that ended before a time.
    fn close(&mut self, until: i64) {
        self.count(until);
        while let Some(Reverse((ended, began, kind, is_recorded))) = self.open.peek().copied()
            && ended < until
        {
            self.open.pop();
            let time = ended.saturating_sub(began) as f64;
            let overlaps = self.concurrency.overlaps(began, ended);
            let speed = overlaps
                .map(|(part, overlap)| overlap * self.concurrency.part(part).speed(0.5))
                .sum::<f64>()
                / time;
            let (first, part) = (self.concurrency.first, self.concurrency.part);
            let before = began.saturating_sub(first).div_euclid(part) - 1;
            let before = self.concurrency.part(before).log_executing();
            let y = time.ln();
            let dependence = self.kinds.entry(kind).or_default();
            // The logarithm of the number that would have this speed.
            dependence.meanwhile.add(speed.ln() * -2.0, y);
            let [all, recorded] = &mut dependence.before;
            all.add(before, y);
            if is_recorded {
                recorded.add(before, y);
            }
        }
    }

    /// The slowdown of the executions, and whether they show it.
    pub(super) fn find(mut self, start_delay: Duration) -> Found {
        self.close(i64::MAX);
        let exponent = self.exponent();
        let is_known = exponent.is_some() || !self.is_steady();
        let is_needed = exponent.is_some() || !start_delay.is_zero();
        let slowdown = is_needed.then_some(Slowdown {
            exponent: exponent.unwrap_or_default(),
            concurrency: self.concurrency,
            start_delay,
        });
        Found { slowdown, is_known }
    }

    /// Whether about the same number of requests execute all the time, so that nothing shows how they depend on it.
    fn is_steady(&self) -> bool {
        let [mut squares, mut freedom] = [0.0, -1.0];
        for sums in self.kinds.values().map(|kind| kind.meanwhile) {
            squares += sums.xx - sums.x * sums.x / sums.count;
            freedom += sums.count - 1.0;
        }
        freedom > 0.0 && (squares / freedom).sqrt() < STEADY
    }

    /// The dependence that the executions show; none if they do not show any, or if those whose wait the log has do not.
    fn exponent(&self) -> Option<f64> {
        let kinds = self.kinds.values();
        let meanwhile = slope(kinds.clone().map(|kind| &kind.meanwhile))?;
        let [all, recorded] =
            [0, 1].map(|index: usize| kinds.clone().map(move |kind| &kind.before[index]));
        let enough = recorded.clone().map(|sums| sums.count).sum::<f64>() >= ENOUGH;
        let before = match enough {
            true => slope(recorded)?,
            false => slope(all)?,
        };
        // The number just before is only near to the one meanwhile, so that its dependence is the weaker one, but not by much.
        let exponent = match before * WEAKER >= meanwhile {
            true => meanwhile,
            false => before,
        };
        Some(exponent.min(1.0))
    }
}

/// The power of the number of executing requests to which the execution time is proportional; none if that is not certain.
fn slope<'a>(kinds: impl Iterator<Item = &'a Sums>) -> Option<f64> {
    let (mut xx, mut xy, mut yy, mut freedom) = (0.0, 0.0, 0.0, -1.0);
    for sums in kinds.filter(|sums| sums.count > 0.0) {
        xx += sums.xx - sums.x * sums.x / sums.count;
        xy += sums.xy - sums.x * sums.y / sums.count;
        yy += sums.yy - sums.y * sums.y / sums.count;
        freedom += sums.count - 1.0;
    }
    let slope = xy / xx;
    let error = ((yy - slope * xy) / freedom.max(1.0) / xx).sqrt();
    (slope >= LEAST && slope >= error * CERTAIN).then_some(slope)
}
