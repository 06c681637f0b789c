//! Generated clients and recorded requests together against one server, measured by groups that the caller chooses.

use super::causal::{self, Causal};
use super::clients::{self, Clients};
use super::load::Load;
use super::logged::Recorded;
use super::quiet::{Quiet, QuietPeak};
use super::recorded::Recording;
use super::report::Report;
use super::run::{Observer, Run};
use super::source::{Facts, Passed, Source, Stretches};
use super::waits::Waits;
use k8s_flowcontrol_rules::controller::{ADJUSTMENT_PERIOD, FlowController, Ticket};
use std::sync::Arc;
use std::time::Duration;

/// A run of generated clients and of recorded requests.
pub(crate) struct Trial<'a, I> {
    pub(crate) load: &'a Load,
    pub(crate) seed: u64,
    /// A recording for the same server.
    pub(crate) recording: Recording,
    /// The requests of the recording, sorted by time.
    pub(crate) requests: I,
    /// The group of each group of clients of the load.
    pub(crate) of_clients: &'a [usize],
    /// The group of each class of the recording.
    pub(crate) of_classes: &'a [usize],
    /// The longest wait of a request that is not late, by group.
    pub(crate) allowed: &'a [Duration],
    /// Whether the report has samples over time.
    pub(crate) has_samples: bool,
    /// Without samples: the demand if no request waits, so that quiet periods need no events.
    pub(crate) quiet: Option<Arc<Quiet>>,
}

/// The result of a trial.
#[derive(Clone, Debug)]
pub(crate) struct Measured {
    pub(crate) report: Report,
    pub(crate) groups: Vec<Measure>,
    /// By index of the level.
    pub(crate) peaks: Vec<(String, Peak)>,
    /// The requests that were accounted without events.
    pub(crate) passed: u64,
    /// The requests of the log that waited longer than their group allows, by the period in which they came.
    pub(crate) late: Vec<u32>,
}

/// The requests of a group.
#[derive(Clone, Debug, Default)]
pub(crate) struct Measure {
    /// The waits of the dispatched requests.
    pub(crate) waits: Waits,
    /// The requests that were rejected, or that waited too long.
    pub(crate) failed: u64,
}

/// The highest use of a level.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Peak {
    /// The first time with the most seats in use.
    pub(crate) at: Duration,
    pub(crate) seats: u64,
    /// The executing requests then.
    pub(crate) executing: usize,
    /// The most waiting requests at any time.
    pub(crate) waiting: usize,
}

impl<I: Stretches> Trial<'_, I> {
    pub(crate) fn run(self) -> Measured {
        let period = self.recording.period_us().unwrap_or_default();
        let duration = Duration::from_micros(period.1.abs_diff(period.0));
        let duration = duration.max(self.load.duration);
        let server = self.recording.server.clone();
        let names: Vec<_> = server.levels().map(|level| level.name.to_owned()).collect();
        let (recorded, mut flows) = self.recording.into_source(self.requests);
        let clients = Clients::new(&server, self.load, self.seed, &mut flows);
        let source = Mixed {
            clients,
            recorded,
            of_clients: self.of_clients,
            of_classes: self.of_classes,
            groups: vec![Measure::default(); self.allowed.len()],
            allowed: self.allowed,
            generated_until: self.load.duration,
            late: Vec::new(),
        };
        let peaks = Peaks(vec![Peak::default(); names.len()]);
        let groups = (0..self.allowed.len())
            .map(|group| group.to_string())
            .collect();
        let mut run = Run::new((server, None), source, duration, flows.all, groups, peaks);
        match self.quiet {
            _ if self.has_samples => {}
            Some(quiet) => run.leap(quiet),
            None => run.without_samples(),
        }
        run.run(&mut |_| ());
        let peaks = names.into_iter().zip(std::mem::take(&mut run.observer.0));
        let mut groups = std::mem::take(&mut run.source.groups);
        let (passed, late) = (run.passed, std::mem::take(&mut run.source.late));
        let report = run.report();
        for (group, (_, counts)) in groups.iter_mut().zip(&report.clients) {
            group.failed = counts.rejected + counts.timed_out;
        }
        Measured {
            peaks: peaks.collect(),
            groups,
            report,
            passed,
            late,
        }
    }
}

/// Generated clients and recorded requests.
struct Mixed<'a, I> {
    clients: Clients<'a>,
    recorded: Causal<I>,
    of_clients: &'a [usize],
    of_classes: &'a [usize],
    groups: Vec<Measure>,
    allowed: &'a [Duration],
    /// The time until which generated clients send requests.
    generated_until: Duration,
    late: Vec<u32>,
}

impl<I: Iterator<Item = Recorded>> Mixed<'_, I> {
    fn note_late(&mut self, recorded: &Recorded) {
        let period =
            self.recorded.at(recorded.received_us).as_micros() / ADJUSTMENT_PERIOD.as_micros();
        let period = period as usize;
        if period >= self.late.len() {
            self.late.resize(period + 1, 0);
        }
        self.late[period] += 1;
    }
}

#[derive(Clone, Copy, Debug)]
enum Sending {
    Client(clients::Sending),
    Recorded(causal::Sending),
}

impl<I: Stretches> Source for Mixed<'_, I> {
    type Request = Sending;

    fn next_arrival(&self) -> Option<Duration> {
        match (self.recorded.next_arrival(), self.clients.next_arrival()) {
            (Some(recorded), Some(client)) => Some(recorded.min(client)),
            (recorded, client) => recorded.or(client),
        }
    }

    fn send(&mut self) -> Option<Sending> {
        let client = self.clients.next_arrival();
        match self.recorded.next_arrival() {
            Some(at) if client.is_none_or(|client| at <= client) => {
                self.recorded.send().map(Sending::Recorded)
            }
            _ => self.clients.send().map(Sending::Client),
        }
    }

    fn clock_phase(&self) -> Duration {
        self.recorded.clock_phase()
    }

    fn facts(&self, sending: Sending) -> Facts {
        match sending {
            Sending::Recorded(sending) => Facts {
                group: self.of_classes[sending.recorded.class as usize],
                ..self.recorded.facts(sending)
            },
            Sending::Client(sending) => {
                let facts = self.clients.facts(sending);
                let group = self.of_clients[facts.group];
                Facts { group, ..facts }
            }
        }
    }

    fn execution_time(&mut self, sending: Sending, wait: Duration) -> Duration {
        let group = self.facts(sending).group;
        self.groups[group].waits.add(wait);
        match sending {
            Sending::Recorded(sending) => {
                if wait > self.allowed[group] {
                    self.note_late(&sending.recorded);
                }
                self.recorded.execution_time(sending, wait)
            }
            Sending::Client(sending) => self.clients.execution_time(sending, wait),
        }
    }

    fn rejected(&mut self, now: Duration, sending: Sending, retry_after: Duration) -> bool {
        match sending {
            Sending::Recorded(sending) => {
                self.note_late(&sending.recorded);
                self.recorded.rejected(now, sending, retry_after)
            }
            Sending::Client(sending) => self.clients.rejected(now, sending, retry_after),
        }
    }

    fn completed(&mut self, now: Duration, sending: Sending) {
        match sending {
            Sending::Recorded(sending) => self.recorded.completed(now, sending),
            Sending::Client(sending) => self.clients.completed(now, sending),
        }
    }

    fn known_execution(&self, sending: Sending) -> Option<Duration> {
        match sending {
            Sending::Recorded(sending) => self.recorded.known_execution(sending),
            Sending::Client(_) => None,
        }
    }

    fn is_settled(&mut self, now: Duration) -> bool {
        self.clients.next_arrival().is_none() && self.recorded.is_settled(now)
    }

    fn can_be_interrupted(&self, now: Duration) -> bool {
        self.clients.next_arrival().is_none() && now >= self.generated_until
    }

    fn interrupt(&mut self) {
        self.recorded.interrupt();
    }

    fn pass(&mut self, until: Duration, passed: &mut Passed) {
        passed.of_groups.resize(self.groups.len(), 0);
        let mut by_class = vec![0_u64; self.of_classes.len()];
        self.recorded.pass_each(until, |class, count, end| {
            by_class[class as usize] += count;
            passed.end = passed.end.max(end);
        });
        for (class, count) in by_class.into_iter().enumerate() {
            let group = self.of_classes[class];
            self.groups[group].waits.add_none(count);
            passed.of_groups[group] += count;
            passed.of_flows[self.recorded.flow(class as u32)] += count;
        }
    }
}

/// The highest use of each level.
struct Peaks(Vec<Peak>);

impl Observer for Peaks {
    fn dispatched(&mut self, now: Duration, server: &FlowController, ticket: Ticket) {
        let Some(level) = server.levels().nth(ticket.level.index()) else {
            return;
        };
        let peak = &mut self.0[ticket.level.index()];
        let seats = level.queues.seats_in_use();
        if seats > peak.seats {
            (peak.at, peak.seats) = (now, seats);
            peak.executing = level.queues.executing();
        }
    }

    fn passed(&mut self, level: usize, passed: QuietPeak) {
        if let Some(peak) = self.0.get_mut(level)
            && passed.seats > peak.seats
        {
            (peak.at, peak.seats) = (passed.at, passed.seats);
            peak.executing = passed.executing;
        }
    }

    fn admitted(
        &mut self,
        _: Duration,
        server: &FlowController,
        _: &super::flows::Flow,
        _: &Facts,
        ticket: Ticket,
    ) {
        if let Some(level) = server.levels().nth(ticket.level.index()) {
            let peak = &mut self.0[ticket.level.index()];
            peak.waiting = peak.waiting.max(level.queues.waiting());
        }
    }
}
