//! The numbers of a report while a simulation runs.

use super::flows::Flow;
use super::report::{Counts, FlowReport, LevelReport, Observed, Report, Sample};
use super::source::{Facts, Passed};
use super::waits::Waits;
use k8s_flowcontrol_rules::controller::{FlowController, LevelIndex};
use k8s_flowcontrol_rules::queueing::Queuing;
use k8s_flowcontrol_types::order;
use std::time::Duration;

#[derive(Default)]
pub(super) struct Tally {
    pub(super) flows: Vec<Flow>,
    /// By group of the load.
    groups: Vec<(String, Counts)>,
    /// By index of the level.
    levels: Vec<LevelTally>,
    pub(super) requests: u64,
    /// The time at which the last request ended.
    pub(super) end: Duration,
    /// The time up to which seats are summed.
    summed: Duration,
    /// The time of the last sample.
    sampled: Duration,
}

#[derive(Clone, Default)]
struct LevelTally {
    waits: Waits,
    samples: Vec<Sample>,
    /// Since the last sample: the seats in use and the seats of waiting requests, each times its microseconds.
    used: u128,
    waited: u128,
    peak: u64,
    /// The least and the greatest limit, and the least free seats, of all states that lasted.
    limits: Option<[i64; 2]>,
    free: Option<u64>,
}

impl Tally {
    pub(super) fn new(flows: Vec<Flow>, groups: Vec<String>, levels: usize) -> Self {
        let groups = groups.into_iter().map(|name| (name, Counts::default()));
        Self {
            flows,
            groups: groups.collect(),
            levels: vec![LevelTally::default(); levels],
            ..Self::default()
        }
    }

    pub(super) fn count(&mut self, facts: &Facts, count: impl Fn(&mut Counts)) {
        count(&mut self.flows[facts.flow].counts);
        count(&mut self.groups[facts.group].1);
    }

    pub(super) fn arrived(&mut self, facts: &Facts) {
        self.requests += 1;
        self.count(facts, |counts| counts.arrived += 1);
    }

    /// Adds the wait of a dispatched request.
    pub(super) fn dispatched(&mut self, facts: &Facts, wait: Duration) {
        self.count(facts, |counts| counts.dispatched += 1);
        let flow = &mut self.flows[facts.flow];
        flow.waits.add(wait);
        self.levels[flow.level.index()].waits.add(wait);
    }

    /// Adds the time from the arrival to the end of the execution of a request.
    pub(super) fn executed(&mut self, facts: &Facts, took: Duration) {
        if let Some(overhead) = facts.overhead {
            let flow = &mut self.flows[facts.flow];
            flow.responses.add(took.saturating_add(overhead));
        }
    }

    /// Sums the seats of a state that lasts until `now`.
    pub(super) fn sum(&mut self, now: Duration, server: &FlowController) {
        let lasted = now.saturating_sub(self.summed).as_micros();
        if lasted == 0 {
            return;
        }
        self.summed = now;
        for (tally, level) in self.levels.iter_mut().zip(server.levels()) {
            let in_use = level.queues.seats_in_use();
            let waiting = level.queues.seats_waiting();
            tally.used = tally
                .used
                .saturating_add(lasted.saturating_mul(in_use.into()));
            tally.waited = tally
                .waited
                .saturating_add(lasted.saturating_mul(waiting.into()));
            tally.peak = tally.peak.max(in_use);
            let [least, most] = tally.limits.unwrap_or([level.limit; 2]);
            tally.limits = Some([least.min(level.limit), most.max(level.limit)]);
            let free = u64::try_from(level.limit).unwrap_or_default();
            let free = free.saturating_sub(in_use);
            tally.free = Some(tally.free.map_or(free, |least| least.min(free)));
        }
    }

    /// Adds requests that were dispatched on arrival. Their times are not part of the report.
    pub(super) fn passed(&mut self, passed: &Passed) {
        let add = |counts: &mut Counts, requests: u64| {
            counts.arrived += requests;
            counts.dispatched += requests;
        };
        for (flow, requests) in self.flows.iter_mut().zip(&passed.of_flows) {
            add(&mut flow.counts, *requests);
            self.levels[flow.level.index()].waits.add_none(*requests);
            self.requests += requests;
        }
        for ((_, counts), requests) in self.groups.iter_mut().zip(&passed.of_groups) {
            add(counts, *requests);
        }
        self.end = self.end.max(passed.end);
    }

    pub(super) fn sample(&mut self, at: Duration, server: &FlowController) {
        let lasted = at.saturating_sub(self.sampled).as_micros();
        self.sampled = at;
        for (tally, level) in self.levels.iter_mut().zip(server.levels()) {
            let (in_use, waiting) = (level.queues.seats_in_use(), level.queues.seats_waiting());
            let mean = |sum: u128, now: u64| match lasted {
                0 => now as f64,
                lasted => sum as f64 / lasted as f64,
            };
            tally.samples.push(Sample {
                at,
                mean_seats_in_use: mean(std::mem::take(&mut tally.used), in_use),
                mean_seats_waiting: mean(std::mem::take(&mut tally.waited), waiting),
                limit: level.limit,
                seats_in_use: in_use,
                executing: level.queues.executing(),
                waiting: level.queues.waiting(),
                seats_waiting: waiting,
            });
        }
    }

    pub(super) fn report(self, server: &FlowController) -> Report {
        let mut levels: Vec<_> = server
            .levels()
            .zip(self.levels)
            .map(|(level, tally)| {
                let is_limited = level.queuing != Queuing::Exempt;
                LevelReport {
                    name: level.name.to_owned(),
                    counts: Counts::default(),
                    waits: tally.waits,
                    samples: tally.samples,
                    peak_seats_in_use: tally.peak,
                    limits: tally.limits.filter(|_| is_limited),
                    least_free_seats: tally.free.filter(|_| is_limited),
                    spread: None,
                    responses: Waits::default(),
                    observed: Observed::default(),
                }
            })
            .collect();
        for flow in &self.flows {
            let level = &mut levels[flow.level.index()];
            level.counts.add(&flow.counts);
            level.responses.merge(&flow.responses);
        }
        let name_of = |level: LevelIndex| levels[level.index()].name.clone();
        let mut flows: Vec<_> = self
            .flows
            .into_iter()
            .map(|flow| FlowReport {
                priority_level: name_of(flow.level),
                flow_schema: flow.flow_schema,
                flow_distinguisher: flow.flow_distinguisher,
                counts: flow.counts,
                waits: flow.waits,
                spread: None,
                responses: flow.responses,
                observed: Observed::default(),
            })
            .collect();
        order::sort_by(&mut flows, |left, right| {
            let key =
                |flow: &FlowReport| (flow.flow_schema.clone(), flow.flow_distinguisher.clone());
            key(left).cmp(&key(right))
        });
        order::sort_by(&mut levels, |left, right| left.name.cmp(&right.name));
        Report {
            levels,
            flows,
            clients: self.groups,
            end: self.end,
            requests: self.requests,
            slowdown: None,
            is_slowdown_known: true,
            start_delay: Duration::ZERO,
        }
    }
}
