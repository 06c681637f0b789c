//! The result of a simulation, for the tables, the JSON form and the page.

use crate::cluster::ServerSeats;
use crate::output::plural;
use k8s_flowcontrol::Release;
use k8s_flowcontrol_analysis::simulation::{Counts, FlowReport, Report};
use std::time::Duration;

/// The result of a simulation, with a second one for another configuration.
pub(super) struct Outcome {
    pub(super) before: Report,
    pub(super) after: Option<Report>,
    /// The times of the first and the last request of audit logs, in microseconds since 1970.
    pub(super) period: Option<(i64, i64)>,
    pub(super) seats: ServerSeats,
    pub(super) release: Release,
    pub(super) seed: u64,
}

impl Outcome {
    pub(super) fn limits_of_model(&self) -> &'static str {
        match self.period {
            None => OF_LOAD,
            Some(_) => OF_LOGS,
        }
    }

    /// The first and the last request of audit logs.
    pub(super) fn period(&self) -> Option<[String; 2]> {
        let time = |us| jiff::Timestamp::from_microsecond(us).map(|time| time.to_string());
        let (first, last) = self.period?;
        Some([time(first).ok()?, time(last).ok()?])
    }

    /// The number of executed requests with a recorded wait.
    fn observed(&self) -> u64 {
        let counts = self.before.levels.iter();
        counts.map(|level| level.observed.recorded).sum()
    }

    /// The sentence about logs without recorded waits.
    pub(super) fn waits_are_estimated(&self) -> Option<&'static str> {
        let levels = &self.before.levels;
        let is_executed = levels.iter().any(|level| level.observed.waits.count() > 0);
        (self.period.is_some() && is_executed && self.observed() == 0).then_some(NOT_OBSERVED)
    }

    /// How much requests of the logs slow each other down.
    fn slowdown(&self) -> String {
        let report = &self.before;
        match (report.slowdown, report.is_slowdown_known, &self.after) {
            (Some(factor), ..) => format!(
                "in the logs, requests take {factor:.1} times as long while twice as many execute"
            ),
            (None, true, _) => "the logs do not show that requests slow each other down, so they do not in the simulation".to_owned(),
            (None, false, None) => UNKNOWN_SLOWDOWN.to_owned(),
            (None, false, Some(_)) => format!("{UNKNOWN_SLOWDOWN}; on a busy processor, more seats for one level make the requests of all slower, which the differences lack"),
        }
    }

    /// How late requests of the logs begin that waited.
    fn late_starts(&self) -> String {
        let milliseconds = (self.before.start_delay.as_secs_f64() * 1000.0).round();
        match milliseconds > 0.0 {
            true => {
                format!("; requests that waited begin about {milliseconds} ms after their dispatch")
            }
            false => String::new(),
        }
    }

    /// The numbers on which the result depends.
    pub(super) fn facts(&self) -> String {
        let Self { seats, release, .. } = self;
        let requests = |thing| plural(self.before.requests, thing);
        let after = self.after.as_ref();
        let after = after.map(|after| format!(" before and {} after", after.requests));
        let after = after.unwrap_or_default();
        match self.period() {
            None => format!(
                "{}{after}, seed {}, Kubernetes {release}; {seats}",
                requests("request"),
                self.seed
            ),
            Some([first, last]) => format!(
                "{}{after} for the logs from {first} to {last}, Kubernetes {release}; {seats}; {}",
                requests("simulated request"),
                self.slowdown() + &self.late_starts()
            ),
        }
    }
}

/// The logs do not show a slowdown, and do not exclude it.
const UNKNOWN_SLOWDOWN: &str = "\
in the logs, about as many requests execute all the time, so that they do not show whether requests slow each other down: in the simulation they do not";

/// The limits of the model, for people.
const OF_LOAD: &str = "\
The model is one API server whose requests execute as long as the load file says. It does not know the load of other API servers, \
the processor's load, or the sizes of objects that the load file does not give.";
const OF_LOGS: &str = "\
The model is one API server, which gets the requests of the logs, with the retries that the logs have. A client (a user with a user \
agent) whose requests follow its responses sends each request after the simulated response; other requests come at their times. How \
much requests slow each other down, and how late they begin, is estimated from the logs and the given metrics; waits that are not recorded follow from the queues of the first configuration, \
and a rejected request executes as long as others of its flow with its verb and resource. The model does not know the load of other API \
servers, other programs on the same machine, the watches that see a write, or more about the size of objects than the metrics say.";

/// The reason why the waits of the logs are estimates.
const NOT_OBSERVED: &str = "\
No executed request of the logs has the annotation apiserver.latency.k8s.io/apf-queue-wait, so the waits of the logs are estimated. Servers \
write it since 1.31, except some patches of 1.34 and 1.35, for requests that waited and took more than half a second.";

/// The cells of the columns from REQUESTS to FAILED.
pub(super) fn counts(counts: &Counts) -> [String; 6] {
    [
        counts.arrived,
        counts.dispatched,
        counts.rejected,
        counts.timed_out,
        counts.retried,
        counts.failed,
    ]
    .map(|count| count.to_string())
}

/// The flows that waited or were rejected, the longest waits first.
pub(super) fn delayed(report: &Report) -> Vec<&FlowReport> {
    let is_delayed = |flow: &&FlowReport| {
        let counts = &flow.counts;
        !flow.waits.longest().is_zero() || counts.rejected + counts.timed_out > 0
    };
    let mut flows: Vec<_> = report.flows.iter().filter(is_delayed).collect();
    flows.sort_by_key(|flow| std::cmp::Reverse(flow.waits.percentile(99.0)));
    flows
}

/// Seconds for programs: the nearest number, which has no needless digits.
pub(in crate::commands) fn seconds(time: Duration) -> f64 {
    time.as_nanos() as f64 / 1e9
}

/// A time with three digits, as people read it.
pub(in crate::commands) fn time(time: Duration) -> String {
    let seconds = time.as_secs_f64();
    match seconds {
        0.0 => "0".into(),
        ..0.001 => format!("{:.0}µs", seconds * 1e6),
        ..0.01 => format!("{:.2}ms", seconds * 1e3),
        ..1.0 => format!("{:.0}ms", seconds * 1e3),
        _ => format!("{seconds:.2}s"),
    }
}
