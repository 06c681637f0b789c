//! Requests that wait for a reason that the evidence does not show.

mod past;

use super::overload::Pressed;
use super::wide_requests::widest;
use super::{Check, Context, Observation, Report, Severity, count, sources, waiting_requests};
use crate::diagnosis::load::Load;
use crate::diagnosis::moment::Moment;

pub(super) const CHECK: Check = Check {
    id: "waiting",
    summary: "Requests wait, and the evidence of that moment does not show why, or the server can still give their level more seats.",
    run,
};

fn run(context: &Context<'_>, report: &mut Report) {
    of_unknown_levels(context, report);
    past::report(context, report);
    for load in context.loads() {
        let is_exempt = load.is_exempt();
        if load.waiting() == 0 || load.has_no_seat() || is_exempt || widest(load).is_some() {
            continue;
        }
        let pressed = Pressed::new(context, load);
        let is_explained = |pressed: &Pressed<'_>| pressed.is_overload() || pressed.is_at_maximum;
        if pressed.as_ref().is_some_and(is_explained) {
            continue;
        }
        let (rest, action) = reason(load, pressed.as_ref());
        let message = format!("{}{rest}", waiting_requests(load.waiting(), load.name()));
        let mut evidence = evidence(load);
        evidence.extend(pressed.map(|pressed| pressed.idle_seats()));
        report.level(Severity::Problem, load, message, evidence, action);
    }
}

/// Levels that are not among the objects.
fn of_unknown_levels(context: &Context<'_>, report: &mut Report) {
    for level in context.unknown_levels() {
        let part = |number: i64, verb: &str| {
            let is = if number == 1 { "is" } else { "are" };
            (number > 0).then(|| format!("{} {is} {verb}", count(number, "request")))
        };
        let parts = [
            part(level.waiting, "waiting"),
            part(level.rejected, "rejected"),
        ];
        let parts: Vec<_> = parts.into_iter().flatten().collect();
        let message = format!(
            "{} in priority level {}, which is not among the objects: they lack it, it was deleted, or they are of another time",
            parts.join(", and "),
            level.name
        );
        let place = (Some(level.server.name.as_str()), Some(level.name.as_str()));
        let action = "read all objects, the metrics and the dumps of one cluster at one time: the limits of this level were not looked at";
        let evidence = level.evidence.clone();
        report.add(
            Severity::Problem,
            place,
            message,
            evidence,
            action.to_owned(),
        );
    }
}

const ONE_MOMENT: &str = "read dump_requests of all levels and the metrics within a second: they show the seats in use while requests wait";

/// The end of the message, and the action.
fn reason(load: &Load<'_>, pressed: Option<&Pressed<'_>>) -> (String, &'static str) {
    let source = load.moment.source();
    let Some(in_use) = load.in_use() else {
        let rest = format!(
            " ({source}), and the evidence of that moment does not have the seats in use, so that the reason is unknown"
        );
        return (rest, ONE_MOMENT);
    };
    let Some(current) = load.current.as_ref() else {
        let in_use = count(in_use.value, "seat");
        let rest = format!(" ({source}) beside {in_use} in use; the limit of the level is unknown");
        return (rest, "read the metrics too, which have the limit");
    };
    let seats = count(load.limit().unwrap_or(current.value), "seat");
    match (load.free(), pressed) {
        (None, _) => {
            let in_use = count(in_use.value, "seat");
            let rest = format!(
                " ({source}) beside {in_use} in use; its limit at that moment is unknown, and was {seats} in the metrics, of another moment"
            );
            (rest, ONE_MOMENT)
        }
        (Some(0), Some(pressed)) => {
            let lendable = count(pressed.lendable, "seat");
            let rest = format!(
                ", all of its {seats} are in use, and the other levels can lend {lendable} when the server next adjusts the limits"
            );
            let action = "measure again after ten seconds, the time between two adjustments: if requests still wait, other findings tell why";
            (rest, action)
        }
        (Some(0), None) => {
            let rest = format!(
                ", and all of its {seats} are in use; whether other levels have idle seats at that moment is unknown"
            );
            (rest, ONE_MOMENT)
        }
        (Some(free), _) => {
            let rest = format!(", while {free} of its {seats} are free");
            let action = "measure again: a request waits only for a moment while enough seats are free, and dump_requests shows whether those that wait \
                          need several";
            (rest, action)
        }
    }
}

fn evidence(load: &Load<'_>) -> Vec<Observation> {
    let executing = load.executing.as_ref();
    let mut evidence = sources([
        load.measured_waiting(),
        load.in_use(),
        executing.filter(|_| load.moment == Moment::Levels),
        load.current.as_ref(),
    ]);
    let in_metrics = load
        .waiting_at(Moment::Metrics)
        .zip(load.in_use_at(Moment::Metrics))
        .filter(|_| load.moment != Moment::Metrics);
    evidence.extend(in_metrics.map(|(waiting, in_use)| {
        Observation::computed(format!(
            "{}: in the metrics, which are of another moment, {} of {} waited, and {} in use",
            load.server.name,
            count(waiting.value, "request"),
            load.name(),
            match in_use.value {
                1 => "1 seat was".to_owned(),
                seats => format!("{seats} seats were"),
            }
        ))
    }));
    evidence
}
