//! A server that its processor, its store or its memory limits, and not its seats.

use super::{Check, Context, Observation, Report, Severity, problem_if};
use crate::diagnosis::evidence::ServerEvidence;
use crate::diagnosis::observation::Period;
use crate::metrics::MachineMetrics;

pub(super) const CHECK: Check = Check {
    id: "machine",
    summary: "The processor, etcd or the memory of a server limits its requests, and not its seats.",
    run,
};

/// The part of ready work that waits for the processor for more than 10 ms from which the processor is the limit. A server with idle
/// processors has less than a thousandth.
const LATE: f64 = 0.05;
/// The part of the execution times that etcd takes from which it is the limit, if its calls are slow.
const STORE: f64 = 0.5;
/// Calls of etcd that take longer on average are slow, in seconds.
const SLOW: f64 = 0.1;
/// The part of the processor's work that is garbage collection from which the memory is the limit.
const COLLECTOR: f64 = 0.3;
/// Fewer samples tell nothing.
const LEAST: f64 = 100.0;

fn run(context: &Context<'_>, report: &mut Report) {
    for server in &context.evidence.servers {
        let Some(limit) = Limit::of(server) else {
            continue;
        };
        let loads = || {
            context
                .loads()
                .filter(|load| std::ptr::eq(load.server, server))
        };
        let is_now = limit.period.is_interval();
        let severity = problem_if(is_now && loads().any(|load| load.is_in_trouble_now()));
        let message = match is_now {
            true => format!("{} limits the API server, and not its seats", limit.what),
            false => format!(
                "{} limited the API server on average since it started; two samples tell whether it does now",
                limit.what
            ),
        };
        let action = match is_now {
            true => limit.action.to_owned(),
            false => format!(
                "take a second sample while requests wait; if it shows the same, {}",
                limit.action
            ),
        };
        let mut evidence = limit.evidence(server);
        let is_certain = || loads().any(|load| load.is_in_trouble_with_metrics());
        if severity == Severity::Problem && !is_certain() {
            evidence.push(Observation::computed(format!(
                "{}: requests wait in the dumps and not in the metrics: if the dumps are of another time, the limit may not be the reason",
                server.name
            )));
        }
        report.server(severity, &server.name, message, evidence, action);
    }
}

/// Whether the metrics of a server tell how busy its processor is.
pub(in crate::diagnosis) fn is_known(server: &ServerEvidence) -> bool {
    let machine = server.machine();
    machine.is_some_and(|(machine, _)| {
        machine.scheduled_late.is_some() && machine.scheduled.is_some_and(|all| all >= LEAST)
    })
}

/// Whether the metrics of a server tell how busy its processor is now, and not only on average since it started.
pub(in crate::diagnosis) fn is_known_now(server: &ServerEvidence) -> bool {
    is_known(server) && server.earlier.is_some()
}

/// What limits a server.
pub(in crate::diagnosis) struct Limit {
    what: &'static str,
    evidence: String,
    machine: MachineMetrics,
    period: Period,
    action: &'static str,
}

impl Limit {
    /// None if nothing but its seats limits the server, or if it is unknown.
    pub(in crate::diagnosis) fn of(server: &ServerEvidence) -> Option<Self> {
        let (machine, period) = server.machine()?;
        let found = |what, evidence, action| Self {
            what,
            evidence,
            machine,
            period,
            action,
        };
        let part = |part: Option<f64>, whole: Option<f64>, least: f64| {
            let (part, whole) = part.zip(whole)?;
            (whole >= least).then(|| (part, whole, part / whole))
        };
        if let Some((late, all, share)) = part(machine.scheduled_late, machine.scheduled, LEAST)
            && share >= LATE
        {
            let evidence = format!(
                "go_sched_latencies_seconds: {late:.0} of {all:.0} times, work that was ready waited for the processor for more than 10 ms"
            );
            let action = "give the server more processor time, or reduce the requests that need most of it, such as lists of many objects: more \
                          seats would make all requests slower";
            return Some(found("the processor", evidence, action));
        }
        let calls = part(machine.store_seconds, machine.store_calls, LEAST);
        let store = part(machine.store_seconds, machine.execution_seconds, 1.0);
        if let (Some((seconds, calls, mean)), Some((.., share))) = (calls, store)
            && mean >= SLOW
            && share >= STORE
        {
            let evidence = format!(
                "etcd_request_duration_seconds: {calls:.0} calls took {seconds:.1} s, {mean:.2} s each"
            );
            let action = "find out why etcd is slow (disk, network, size of the database), or reduce the requests that read from it: more seats would \
                          make its calls slower";
            return Some(found("etcd", evidence, action));
        }
        if let Some((collector, work, share)) =
            part(machine.collector_seconds, machine.work_seconds, 1.0)
            && share >= COLLECTOR
        {
            let evidence = format!(
                "go_cpu_classes_gc_total_cpu_seconds_total: {collector:.1} of {work:.1} processor seconds were garbage collection"
            );
            let action = "give the server more memory, or reduce the requests that need most of it, such as lists of many objects: more seats would \
                          need more memory";
            return Some(found("the memory", evidence, action));
        }
        None
    }

    /// As [`of`](Self::of), in an interval: the average since the start tells nothing about now.
    pub(super) fn now(server: &ServerEvidence) -> Option<Self> {
        Self::of(server).filter(|limit| limit.period.is_interval())
    }

    /// What to do instead of giving more seats.
    pub(in crate::diagnosis) fn keep(&self) -> String {
        let action = match self.period {
            Period::Interval(_) => "keep the configuration",
            Period::SinceStart => {
                "keep the configuration until a second sample, taken while requests wait, shows what limits the server"
            }
        };
        format!("{action}: {} make all requests slower", self.clause())
    }

    pub(in crate::diagnosis) fn clause(&self) -> String {
        match self.period {
            Period::Interval(_) => {
                format!("{} limits the server, so that more seats would", self.what)
            }
            Period::SinceStart => format!(
                "{} limited the server on average since it started, so that more seats might",
                self.what
            ),
        }
    }

    fn evidence(&self, server: &ServerEvidence) -> Vec<Observation> {
        let name = &server.name;
        let mut evidence = vec![Observation::computed(format!(
            "{name}: {} {}",
            self.evidence, self.period
        ))];
        let executed = self.machine.execution_seconds.zip(self.machine.executed);
        if let Some((seconds, requests)) = executed.filter(|(_, requests)| *requests > 0.0) {
            evidence.push(Observation::computed(format!(
                "{name}: apiserver_flowcontrol_request_execution_seconds: {requests:.0} requests executed for {:.2} s on average {}",
                seconds / requests,
                self.period
            )));
        }
        evidence
    }
}
