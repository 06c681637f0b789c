//! A server whose seats are in use while requests wait.

use super::{Check, Context, Report, Severity, count, share};
use crate::diagnosis::load::{Load, Measured};

pub(super) const CHECK: Check = Check {
    id: "overload",
    summary: "Requests wait, and the seats of the server are in use.",
    run,
};

/// The percentage of idle seats above which a server is not overloaded.
const IDLE_PERCENT: i64 = 10;

fn run(context: &Context<'_>, report: &mut Report) {
    for load in context.loads() {
        let Some(pressed) = Pressed::new(context, load).filter(Pressed::is_overload) else {
            continue;
        };
        let message = format!(
            "the server is overloaded: {} of priority level {} wait, all of its {} are in use, and the other levels have \
             only {} idle",
            count(load.waiting(), "request"),
            load.name(),
            count(pressed.current.value, "seat"),
            count(pressed.idle, "seat"),
        );
        let mut evidence = pressed.evidence(load);
        evidence.extend(context.others(load).filter_map(|other| {
            let in_use = other.in_use.as_ref().filter(|in_use| in_use.value > 0)?;
            Some(in_use.from.clone())
        }));
        let action = "reduce the requests of the flows that fill the level; if the server's processor and memory allow more, \
                      raise --max-requests-inflight and --max-mutating-requests-inflight, or add API servers";
        report.level(Severity::Problem, load, message, evidence, action);
    }
}

/// A level whose seats are all in use while requests wait.
pub(super) struct Pressed<'a> {
    pub(super) current: &'a Measured,
    in_use: &'a Measured,
    /// The idle seats of the other levels.
    pub(super) idle: i64,
    /// The seats of all limited levels.
    pub(super) all: i64,
}

impl<'a> Pressed<'a> {
    /// `None` if no request waits, the level has free seats, or the evidence is missing.
    pub(super) fn new(context: &Context<'_>, load: &'a Load<'_>) -> Option<Self> {
        let (current, in_use) = (load.current.as_ref()?, load.in_use.as_ref()?);
        if load.waiting() == 0 || in_use.value < current.value || current.value <= 0 {
            return None;
        }
        let (mut idle, mut all) = (0_i64, current.value);
        for other in context.others(load) {
            idle = idle.saturating_add(other.free()?);
            all = all.saturating_add(other.current.as_ref()?.value.max(0));
        }
        Some(Self {
            current,
            in_use,
            idle,
            all,
        })
    }

    /// Whether the server has few idle seats.
    pub(super) fn is_overload(&self) -> bool {
        share(self.idle, self.all) < IDLE_PERCENT
    }

    pub(super) fn evidence(&self, load: &Load<'_>) -> Vec<super::Observation> {
        let waiting = load.waiting.iter();
        waiting
            .chain([self.in_use, self.current])
            .map(|measured| measured.from.clone())
            .collect()
    }
}
