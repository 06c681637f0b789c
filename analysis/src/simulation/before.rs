//! The state of a server before its log, as far as the log shows it.

use super::connections::Connections;
use super::hidden::Arriving;
use super::logged::Recorded;
use super::loops::of_clock;
use crate::times::after;
use k8s_flowcontrol_rules::controller::{FlowController, LevelIndex};
use std::collections::HashMap;
use std::time::Duration;

/// The values of `Retry-After` that are tried, in seconds.
const TRIED: [u64; 12] = [1, 2, 3, 4, 5, 6, 7, 8, 12, 16, 24, 32];
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

    /// Finds the `Retry-After` of levels before these requests: with the right one, clients come back in time after rejections.
    pub(super) fn find_retry_after(
        &mut self,
        requests: &[(Recorded, Arriving)],
        server: &mut FlowController,
    ) {
        let mut rejections = HashMap::<usize, usize>::new();
        for (_, arriving) in requests.iter().filter(|(request, _)| request.rejected) {
            *rejections.entry(arriving.level.index()).or_default() += 1;
        }
        let levels = server.levels().enumerate();
        let is_known = |index| rejections.get(&index).is_some_and(|all| *all >= REJECTIONS);
        let levels = levels.filter(|(index, _)| is_known(*index));
        let names: Vec<_> = levels.map(|(_, level)| level.name.to_owned()).collect();
        for name in names {
            let Some(level) = server.level(&name) else {
                continue;
            };
            let lost = |seconds: &u64| lost(requests, server, (level, *seconds));
            let Some(best) = TRIED.into_iter().min_by_key(lost) else {
                continue;
            };
            let time = Duration::from_secs(best);
            server.set_retry_after(level, time);
            self.retry_after.push((name, time));
        }
    }
}

/// The time for which connections are free before a request of theirs, and that by which others come before the end of their `Retry-After`,
/// in microseconds.
fn lost(
    requests: &[(Recorded, Arriving)],
    server: &FlowController,
    (level, seconds): (LevelIndex, u64),
) -> u64 {
    let mut server = server.clone();
    server.set_retry_after(level, Duration::from_secs(seconds));
    let mut clients: HashMap<u32, Connections> = HashMap::new();
    let mut lost = 0_u64;
    for (number, (request, arriving)) in (0..).zip(requests) {
        let connections = clients.entry(request.client).or_default();
        let received = request.received_us;
        let end = after(received, request.took.unwrap_or_default());
        let due = request.rejected.then(|| {
            let retry_after = server.reject(of_clock(received), arriving.level);
            after(end, retry_after)
        });
        let free = connections.take(received).map(|free| free.since);
        let free = free.or_else(|| connections.next_due(received));
        lost = lost.saturating_add(free.map_or(0, |free| free.abs_diff(received)));
        connections.add(number, end, due);
    }
    lost
}
