//! API servers with very different loads.

use super::{Check, Context, Observation, Report, Severity, sources};
use crate::diagnosis::load::Load;
use crate::diagnosis::observation::Period;
use crate::metrics::Quantity;

pub(super) const CHECK: Check = Check {
    id: "uneven-servers",
    summary: "Requests wait or are rejected on one API server, while another one has a free level.",
    run,
};

fn run(context: &Context<'_>, report: &mut Report) {
    for level in context
        .levels
        .iter()
        .filter(|level| context.includes(level.name()))
    {
        let of_level = || {
            context
                .loads()
                .filter(|load| std::ptr::eq(load.level, level))
        };
        let busy: Vec<&Load<'_>> = of_level().filter(|load| load.is_in_trouble_now()).collect();
        let free: Vec<&Load<'_>> = of_level()
            .filter(|load| !load.is_in_trouble_now() && load.free().is_some_and(|free| free > 0))
            .collect();
        if busy.is_empty() || free.is_empty() {
            continue;
        }
        let names = |loads: &[&Load<'_>]| {
            let names: Vec<_> = loads.iter().map(|load| load.server.name.as_str()).collect();
            names.join(", ")
        };
        let message = format!(
            "requests of priority level {} wait or are rejected on {} only, while it has free seats on {}",
            level.name(),
            names(&busy),
            names(&free),
        );
        let waiting = busy.iter().map(|load| load.measured_waiting());
        let seats = free
            .iter()
            .flat_map(|load| [load.in_use(), load.current.as_ref()]);
        let mut evidence = sources(waiting.chain(seats));
        let rejections = busy.iter().flat_map(|load| &load.rejections);
        let now = rejections.filter(|found| found.period.is_interval());
        evidence.extend(now.map(|found| found.from.clone()));
        evidence.extend(busy.iter().chain(&free).filter_map(|load| {
            let metrics = load.server.metrics.as_ref()?;
            let metric = metrics.metric(Quantity::DispatchedRequests)?;
            let name = level.name();
            // A server omits the series of a level that had no request yet.
            let total = metrics.total(Quantity::DispatchedRequests, name);
            Some(Observation::metric(
                &load.server.name,
                format_args!("sum({metric}{{priority_level={name:?}}})"),
                total.unwrap_or(0),
                Some(Period::SinceStart),
            ))
        }));
        let action = "balance the connections: clients keep one connection for long, so that a restart of the servers or the \
                      server's flag --goaway-chance spreads them";
        report.cluster(
            Severity::Risk,
            Some(level.name()),
            message,
            evidence,
            action,
        );
    }
}
