//! The mean of several reports of the same requests.

use super::report::{Counts, Report};
use super::waits::{Spread, Waits};
use std::collections::BTreeMap;

impl Report {
    /// The means of reports of the same requests; everything else is that of the first one. Empty without reports.
    pub(super) fn mean(reports: Vec<Self>) -> Self {
        let mut reports = reports.into_iter();
        let Some(mut mean) = reports.next() else {
            return Self::default();
        };
        let others: Vec<_> = reports.collect();
        if others.is_empty() {
            return mean;
        }
        for (index, flow) in mean.flows.iter_mut().enumerate() {
            let others = || others.iter().filter_map(|other| other.flows.get(index));
            flow.counts = Counts::mean(flow.counts, others().map(|other| other.counts));
            flow.spread = Some(Spread::of(&flow.waits, others().map(|other| &other.waits)));
            flow.waits = Waits::mean(&flow.waits, others().map(|other| &other.waits));
            flow.responses = Waits::mean(&flow.responses, others().map(|other| &other.responses));
        }
        for (index, level) in mean.levels.iter_mut().enumerate() {
            let others = || others.iter().filter_map(|other| other.levels.get(index));
            level.counts = Counts::default();
            for flow in mean
                .flows
                .iter()
                .filter(|flow| flow.priority_level == level.name)
            {
                level.counts.add(&flow.counts);
            }
            level.spread = Some(Spread::of(&level.waits, others().map(|other| &other.waits)));
            level.waits = Waits::mean(&level.waits, others().map(|other| &other.waits));
            level.responses = Waits::mean(&level.responses, others().map(|other| &other.responses));
        }
        let others = others.iter().map(|other| {
            let clients = other
                .clients
                .iter()
                .map(|(name, counts)| (name.as_str(), *counts));
            clients.collect::<BTreeMap<_, _>>()
        });
        let others: Vec<_> = others.collect();
        for (name, counts) in &mut mean.clients {
            let others = others
                .iter()
                .filter_map(|other| other.get(name.as_str()).copied());
            *counts = Counts::mean(*counts, others);
        }
        mean.requests = mean.flows.iter().map(|flow| flow.counts.arrived).sum();
        mean
    }
}

impl Counts {
    /// The means, of which the parts add up to the whole as in each report.
    fn mean(first: Self, others: impl Iterator<Item = Self>) -> Self {
        let (mut sum, mut count) = (first, 1);
        for other in others {
            sum.add(&other);
            count += 1;
        }
        let mean = |sum: u64| (sum + count / 2) / count;
        let [dispatched, rejected, timed_out, retried] =
            [sum.dispatched, sum.rejected, sum.timed_out, sum.retried].map(mean);
        let failures = rejected + timed_out;
        Self {
            arrived: dispatched + failures,
            dispatched,
            rejected,
            timed_out,
            retried,
            failed: failures.saturating_sub(retried),
        }
    }
}
