//! Requests that waited before the evidence was read.

use super::super::{Context, Report, Severity, count};
use crate::diagnosis::log_tally::Requests;
use crate::diagnosis::observation::{Observation, Period};
use crate::metrics::catalog::REQUEST_WAIT_DURATION_SECONDS;
use std::cmp::Reverse;
use std::collections::{BTreeMap, BTreeSet};
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
        let evidence = [all].into_iter().chain(of_flows).collect();
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
        let earlier = load.server.earlier.as_ref();
        let Some((_, interval)) = earlier.filter(|_| load.server.earlier_waits.is_some()) else {
            continue;
        };
        let counted = load.server.counted_waits();
        let waits = counted.of(load.name());
        let Some(waits) = waits.filter(|_| load.waiting() == 0 && !logged.contains(load.name()))
        else {
            continue;
        };
        let mut buckets = waits.buckets();
        let (long, all) = (LONG.as_secs_f64(), waits.count());
        let Some((bound, within)) = buckets.find(|(bound, _)| *bound >= long) else {
            continue;
        };
        let waited = all.saturating_sub(within);
        if waited == 0 {
            continue;
        }
        let name = load.name();
        let message = format!(
            "{waited} of {} of priority level {name} waited in a queue for more than {bound} s {}",
            count(all, "request"),
            Period::Interval(*interval)
        );
        // Metrics can have any sum.
        let average = waits.sum() / all as f64;
        let average = match (0.0..=LONGEST).contains(&average) {
            true => format!("{average:.2} s on average"),
            false => format!("{waited} above {bound} s"),
        };
        let evidence = Observation::computed(format!(
            "{}: {} of {name}: {average}",
            load.server.name,
            REQUEST_WAIT_DURATION_SECONDS.name(),
        ));
        let action = "read the metrics and dump_requests while requests wait, to see why";
        report.level(
            severity(true, waited, all),
            load,
            message,
            vec![evidence],
            action,
        );
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
