//! Requests that waited before the evidence was read.

use super::super::{Context, Report, Severity, count};
use crate::diagnosis::load::Load;
use crate::diagnosis::log_tally::Requests;
use crate::diagnosis::observation::{Observation, Period};
use crate::metrics::catalog::REQUEST_WAIT_DURATION_SECONDS;
use std::cmp::Reverse;
use std::collections::{BTreeMap, BTreeSet};
use std::fmt;
use std::time::Duration;

pub(super) fn report(context: &Context<'_>, report: &mut Report) {
    let logged = in_log(context, report);
    in_metrics(context, &logged, report);
}

/// The recorded waits in the audit logs, of each level. Returns the levels.
fn in_log<'a>(context: &'a Context<'_>, report: &mut Report) -> BTreeSet<&'a str> {
    let log = || context.evidence.log.iter().flat_map(|log| &log.flows);
    let mut levels = BTreeMap::<&str, Vec<(Requests, String)>>::new();
    for ((schema, level, distinguisher), requests) in log() {
        if requests.waited > 0 && context.includes(level) {
            let flow = context.flow_name(schema, distinguisher);
            levels.entry(level).or_default().push((*requests, flow));
        }
    }
    let logged = levels.keys().copied().collect();
    for (level, mut flows) in levels {
        flows.sort_by_key(|(requests, _)| Reverse(requests.longest_us));
        let waited: u64 = flows.iter().map(|(requests, _)| requests.waited).sum();
        let longest = flows.first().map_or(0, |(requests, _)| requests.longest_us);
        let message = format!(
            "the audit logs have {} of priority level {level} that waited in a queue for at least 10 ms, the longest for {}",
            count(waited, "request"),
            seconds(longest)
        );
        let all = Observation::log(
            format!("requests of priority level {level} with a wait of at least 10 ms"),
            waited,
        );
        let of_flows = flows.into_iter().take(MOST_FLOWS).map(|(requests, flow)| {
            let longest = seconds(requests.longest_us);
            let what =
                format!("requests of {flow} with a wait of at least 10 ms, the longest {longest}");
            Observation::log(what, requests.waited)
        });
        let of_level = context.loads().filter(|load| load.name() == level);
        let counted = of_level
            .filter_map(Counted::of)
            .map(|counted| counted.observation());
        let evidence = [all].into_iter().chain(of_flows).chain(counted).collect();
        let action = "read the metrics and dump_requests while requests wait, to see why; servers record only the waits of requests that took more \
                      than half a second";
        let of_level = log().filter(|((_, own, _), _)| own == level);
        let all_requests: u64 = of_level.map(|(_, requests)| requests.all).sum();
        let are_long = longest >= LONG.as_micros() as u64;
        let severity = severity(are_long, waited, all_requests);
        report.cluster(severity, Some(level), message, evidence, action);
    }
    logged
}

/// The waits that servers counted between two samples of their metrics, of levels whose waits are not in the logs.
fn in_metrics(context: &Context<'_>, logged: &BTreeSet<&str>, report: &mut Report) {
    for load in context.loads() {
        if load.waiting() > 0 || logged.contains(load.name()) {
            continue;
        }
        let Some(counted) = Counted::of(load) else {
            continue;
        };
        let Counted { waited, all, .. } = counted;
        let action = "read the metrics and dump_requests while requests wait, to see why";
        report.level(
            severity(true, waited, all),
            load,
            format!("{counted}"),
            vec![counted.average()],
            action,
        );
    }
}

/// The requests of a level that waited long between two samples of the metrics of a server.
struct Counted<'a> {
    load: &'a Load<'a>,
    interval: Duration,
    waited: u64,
    all: u64,
    /// They waited for more than this, in seconds.
    bound: f64,
    sum: f64,
}

impl<'a> Counted<'a> {
    /// None if no request waited long.
    fn of(load: &'a Load<'a>) -> Option<Self> {
        let (_, interval) = load.server.earlier.as_ref()?;
        load.server.earlier_waits.as_ref()?;
        let counted = load.server.counted_waits();
        let waits = counted.of(load.name())?;
        let all = waits.count();
        let mut buckets = waits.buckets();
        let (bound, within) = buckets.find(|(bound, _)| *bound >= LONG.as_secs_f64())?;
        let waited = all.saturating_sub(within);
        (waited > 0).then_some(Self {
            load,
            interval: *interval,
            waited,
            all,
            bound,
            sum: waits.sum(),
        })
    }

    fn average(&self) -> Observation {
        // Metrics can have any sum.
        let average = self.sum / self.all as f64;
        self.metric(&match (0.0..=LONGEST).contains(&average) {
            true => format!("{average:.2} s on average"),
            false => format!("{} above {} s", self.waited, self.bound),
        })
    }

    fn observation(&self) -> Observation {
        let (all, bound) = (count(self.all, "request"), self.bound);
        let period = Period::Interval(self.interval);
        self.metric(&format!(
            "{} of {all} waited for more than {bound} s {period}",
            self.waited
        ))
    }

    fn metric(&self, value: &str) -> Observation {
        Observation::computed(format!(
            "{}: {} of {}: {value}",
            self.load.server.name,
            REQUEST_WAIT_DURATION_SECONDS.name(),
            self.load.name(),
        ))
    }
}

impl fmt::Display for Counted<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            f,
            "{} of {} of priority level {} waited in a queue for more than {} s {}",
            self.waited,
            count(self.all, "request"),
            self.load.name(),
            self.bound,
            Period::Interval(self.interval)
        )
    }
}

/// A risk if many requests waited long.
fn severity(are_long: bool, waited: u64, all: u64) -> Severity {
    match are_long && waited.saturating_mul(FEW) >= all {
        true => Severity::Risk,
        false => Severity::Note,
    }
}

/// No request waits longer than its timeout, of at most a minute, in seconds.
const LONGEST: f64 = 60.0;
/// Clients notice a wait of this length.
const LONG: Duration = Duration::from_millis(100);
/// Less than one of this many requests of a level does not make a risk.
const FEW: u64 = 1000;

fn seconds(us: u64) -> String {
    format!("{:.2} s", us as f64 / 1e6)
}

/// The flows that are named.
const MOST_FLOWS: usize = 5;
