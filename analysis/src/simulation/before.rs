//! The state of a server before its log, as far as the log shows it.

use super::connections::Connections;
use super::hidden::Arriving;
use super::logged::Recorded;
use super::loops::{Habit, habits, of_clock};
use crate::times::after;
use k8s_flowcontrol_rules::controller::{FlowController, LevelIndex};
use std::collections::{HashMap, HashSet};
use std::time::Duration;

/// The longest `Retry-After` of a server, in seconds.
const LONGEST: u64 = 32;
/// Fewer rejections at the beginning of a log do not show their `Retry-After`.
const REJECTIONS: usize = 3;

/// The state of a server before its log.
#[derive(Clone, Debug)]
pub(crate) struct Before {
    /// The first end of a request, if the demand from then on was also that before it.
    pub(super) busy_since_us: Option<i64>,
    /// Of levels, by name.
    pub(super) retry_after: Vec<(String, Duration)>,
}

impl Before {
    /// Of a server that was idle.
    pub(crate) const IDLE: Self = Self {
        busy_since_us: None,
        retry_after: Vec::new(),
    };

    /// Sets the `Retry-After` of the levels of a server.
    pub(super) fn set_retry_after(&self, server: &mut FlowController) {
        for (name, time) in &self.retry_after {
            if let Some(level) = server.level(name) {
                server.set_retry_after(level, *time);
            }
        }
    }

    /// Finds the `Retry-After` of levels before these requests: with the right one, clients that wait for its end come back in time.
    pub(super) fn find_retry_after(
        &mut self,
        requests: &[(Recorded, Arriving)],
        server: &mut FlowController,
    ) {
        let mut rejections = HashMap::<LevelIndex, HashMap<u32, usize>>::new();
        for (request, arriving) in requests.iter().filter(|(request, _)| request.rejected) {
            let of_level = rejections.entry(arriving.level).or_default();
            *of_level.entry(request.client).or_default() += 1;
        }
        let names: Vec<_> = server.levels().map(|level| level.name.to_owned()).collect();
        for name in names {
            let Some(level) = server.level(&name) else {
                continue;
            };
            let clients = rejections.remove(&level).unwrap_or_default();
            if clients.values().sum::<usize>() < REJECTIONS {
                continue;
            }
            let of_clients = requests
                .iter()
                .filter(|(request, _)| clients.contains_key(&request.client));
            let tried: Vec<_> = (1..=LONGEST)
                .map(|seconds| Tried::new(of_clients.clone(), server, (level, seconds)))
                .collect();
            // With a wrong one, clients that wait can look as if they did not.
            let waits: HashSet<_> = tried.iter().flat_map(|tried| &tried.waits).collect();
            let lost = |tried: &&Tried| {
                let of_clients = waits.iter().filter_map(|client| tried.lost_us.get(client));
                of_clients.fold(0, |sum: u64, lost| sum.saturating_add(*lost))
            };
            let Some(best) = tried.iter().min_by_key(lost).filter(|_| !waits.is_empty()) else {
                continue;
            };
            server.set_retry_after(level, best.retry_after);
            self.retry_after.push((name, best.retry_after));
        }
    }
}

/// The requests of clients if a level had this `Retry-After` before them.
struct Tried {
    retry_after: Duration,
    /// The clients that wait for its end.
    waits: Vec<u32>,
    /// The time for which the connections of each client are free before a request, and that by which others come before the end of their
    /// `Retry-After`, in microseconds.
    lost_us: HashMap<u32, u64>,
}

impl Tried {
    fn new<'a>(
        requests: impl Iterator<Item = &'a (Recorded, Arriving)>,
        server: &FlowController,
        (level, seconds): (LevelIndex, u64),
    ) -> Self {
        let retry_after = Duration::from_secs(seconds);
        let mut server = server.clone();
        server.set_retry_after(level, retry_after);
        let mut clients: HashMap<u32, Connections> = HashMap::new();
        let mut lost_us = HashMap::<u32, u64>::new();
        let requests = (0..).zip(requests).map(|(number, (request, arriving))| {
            let received = request.received_us;
            let retry_after = request
                .rejected
                .then(|| server.reject(of_clock(received), arriving.level));
            let end = after(received, request.took.unwrap_or_default());
            let connections = clients.entry(request.client).or_default();
            let free = connections.take(received).map(|free| free.since);
            let free = free.or_else(|| connections.next_due(received));
            let lost = lost_us.entry(request.client).or_default();
            *lost = lost.saturating_add(free.map_or(0, |free| free.abs_diff(received)));
            let due = retry_after.map(|retry_after| after(end, retry_after));
            connections.add(number, end, due);
            (*request, retry_after)
        });
        let habits = habits(requests);
        let waits = habits
            .into_iter()
            .filter(|(_, habit)| *habit == Habit::Waits);
        Self {
            retry_after,
            waits: waits.map(|(client, _)| client).collect(),
            lost_us,
        }
    }
}
