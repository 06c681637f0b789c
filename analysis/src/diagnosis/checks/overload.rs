//! A server whose seats are in use while requests wait.

use super::machine::Limit;
use super::{
    Check, Context, Observation, Report, Severity, count, share, sources, waiting_requests,
};
use crate::diagnosis::load::{Load, Measured};
use k8s_flowcontrol_types::Fact;

pub(super) const CHECK: Check = Check {
    id: "overload",
    summary: "Requests wait, and the seats are in use that their priority level can get.",
    run,
};

/// The percentage of seats to lend above which a server is not overloaded.
const IDLE_PERCENT: i64 = 10;

fn run(context: &Context<'_>, report: &mut Report) {
    for load in context.loads() {
        let Some(pressed) = Pressed::new(context, load).filter(Pressed::is_overload) else {
            continue;
        };
        let message = format!(
            "{}{}, {} of its {} are in use, and the other levels can lend only {}{}",
            match pressed.has_idle_guaranteed() {
                false => "the server is overloaded: ",
                true => "",
            },
            waiting_requests(load.waiting(), load.name()),
            match pressed.in_use.value < pressed.limit {
                true => pressed.in_use.value.to_string(),
                false => "all".to_owned(),
            },
            count(pressed.limit, "seat"),
            count(pressed.lendable, "seat"),
            match pressed.guaranteed {
                0 => String::new(),
                idle => format!(
                    "; they do not use {} that {} guaranteed to them",
                    count(idle, "seat"),
                    if idle == 1 { "is" } else { "are" }
                ),
            }
        );
        let mut evidence = pressed.evidence(load);
        evidence.push(pressed.idle_seats());
        evidence.extend(sources(context.others(load).map(|other| {
            let in_use = other.in_use_at(load.moment);
            in_use.filter(|in_use| in_use.value > 0)
        })));
        let action = match Limit::of(load.server) {
            None if pressed.has_idle_guaranteed() => format!(
                "simulate more shares for the level{} over an audit log first, to see who gains and who pays; or reduce the requests of the flows that fill \
                 the level",
                match context.evidence.release.has(Fact::Lending) {
                    true => ", or a higher lendablePercent of the levels with idle seats,",
                    false => "",
                }
            ),
            None => "reduce the requests of the flows that fill the level, or add API servers; a server that has processor time, memory and etcd to spare \
                     can have more seats (--max-requests-inflight and --max-mutating-requests-inflight)"
                .to_owned(),
            Some(limit) => format!(
                "reduce the requests of the flows that fill the level: {} make all requests slower",
                limit.clause()
            ),
        };
        report.level(Severity::Problem, load, message, evidence, action);
    }
}

/// A full level whose requests wait.
pub(super) struct Pressed<'a> {
    /// The limit in the metrics.
    current: &'a Measured,
    /// The limit at the moment of the load.
    pub(super) limit: i64,
    in_use: &'a Measured,
    /// The idle seats that the other levels can lend at the next adjustment.
    pub(super) lendable: i64,
    /// The idle seats of the other levels that are guaranteed to them.
    guaranteed: i64,
    /// The seats of the server.
    pub(super) all: i64,
    /// Whether the level has the most seats that it may have.
    pub(super) is_at_maximum: bool,
}

impl<'a> Pressed<'a> {
    /// `None` if no request waits, the level has seats for those that wait, or the evidence is missing.
    pub(super) fn new(context: &Context<'_>, load: &'a Load<'_>) -> Option<Self> {
        let (current, in_use, limit) = (load.current.as_ref()?, load.in_use()?, load.limit()?);
        if load.waiting() == 0 || !load.is_full()? || limit <= 0 {
            return None;
        }
        let (mut idle, mut lendable, mut all) = (0_i64, 0_i64, current.value);
        let mut of_server = None;
        for other in context.others(load) {
            let free = other.free_at(load.moment)?;
            idle = idle.saturating_add(free);
            // Before lending, and without its limits, a level could give up all that it does not use.
            lendable = lendable.saturating_add(other.can_lend_at(load.moment).unwrap_or(free));
            all = all.saturating_add(other.current.as_ref()?.value.max(0));
            of_server = of_server.or(other.server_seats());
        }
        Some(Self {
            current,
            limit,
            in_use,
            lendable,
            guaranteed: idle.saturating_sub(lendable),
            // Limits are rounded up, so that their sum can exceed the seats of the server.
            all: of_server.map_or(all, |seats| seats.min(all)),
            is_at_maximum: load.is_at_maximum(),
        })
    }

    /// Whether the other levels can lend few seats.
    pub(super) fn is_overload(&self) -> bool {
        share(self.lendable, self.all) < IDLE_PERCENT
    }

    /// Whether the server has idle seats that the other levels keep.
    fn has_idle_guaranteed(&self) -> bool {
        share(self.guaranteed, self.all) >= IDLE_PERCENT
    }

    /// The idle seats of the other levels.
    pub(super) fn idle_seats(&self) -> Observation {
        Observation::computed(format!(
            "idle seats of the other levels: {} that they can lend, and {} that are guaranteed to them; {} of the server",
            self.lendable,
            self.guaranteed,
            count(self.all, "seat")
        ))
    }

    pub(super) fn evidence(&self, load: &Load<'_>) -> Vec<Observation> {
        sources([
            load.measured_waiting(),
            Some(self.in_use),
            Some(self.current),
        ])
    }
}
