//! One priority level: its places and the requests that wait for one.

use crate::limit::{Limit, Settings};
use crate::queue::{Queue, Waiter};
use crate::random::Random;
use crate::slot::{Hold, Key, Place};
use std::collections::BTreeSet;
use std::time::Duration;
use tokio::sync::oneshot;
use tokio::time::Instant;

/// The weight of a new latency in the mean.
const NEW: f64 = 0.2;
/// The latency that is assumed before the first response, in seconds.
const UNKNOWN_LATENCY: f64 = 0.05;

#[derive(Debug)]
pub(crate) struct Level {
    pub(crate) limit: Limit,
    /// Whether there is no limit.
    pub(crate) is_exempt: bool,
    /// Whether the level is not known yet, so that requests go one at a time.
    pub(crate) is_unknown: bool,
    /// The requests without a response.
    pub(crate) in_flight: usize,
    /// The responses whose body is being read: the latest end and a number of each.
    pub(crate) reading: BTreeSet<Hold>,
    /// The places of rejected requests, until their end.
    pub(crate) pauses: BTreeSet<Hold>,
    pub(crate) queue: Queue,
    /// With a limit below 1, the earliest time of the next request.
    next_start: Option<Instant>,
    /// The mean latency in seconds.
    latency: f64,
    pub(crate) started: u64,
    pub(crate) rejected: u64,
    pub(crate) waited: Duration,
}

impl Level {
    pub(crate) fn new(settings: Settings, random: Random) -> Self {
        Self {
            limit: Limit::new(settings, random),
            is_exempt: false,
            is_unknown: false,
            in_flight: 0,
            reading: BTreeSet::new(),
            pauses: BTreeSet::new(),
            queue: Queue::default(),
            next_start: None,
            latency: UNKNOWN_LATENCY,
            started: 0,
            rejected: 0,
            waited: Duration::ZERO,
        }
    }

    /// Takes a place if one is free and nobody waits.
    pub(crate) fn take(&mut self, now: Instant, key: &Key) -> Option<Place> {
        match self.queue.len() {
            0 => self.take_free(now, key),
            _ => None,
        }
    }

    /// The waiting requests for which there is a place.
    pub(crate) fn grant(
        &mut self,
        now: Instant,
        key: &Key,
        granted: &mut Vec<(oneshot::Sender<Place>, Place)>,
    ) {
        while self.queue.len() > 0
            && let Some(place) = self.take_free(now, key)
        {
            match self.queue.pop() {
                Some(Waiter { grant, .. }) => granted.push((grant, place)),
                None => self.in_flight -= 1,
            }
        }
    }

    /// Frees the places whose time has passed, and returns the number of occupied ones.
    pub(crate) fn occupied(&mut self, now: Instant) -> usize {
        for held in [&mut self.reading, &mut self.pauses] {
            while held.first().is_some_and(|(end, _)| *end <= now) {
                held.pop_first();
            }
        }
        self.in_flight + self.reading.len() + self.pauses.len()
    }

    pub(crate) fn note_latency(&mut self, seconds: f64) {
        self.latency += NEW * (seconds - self.latency);
    }

    /// The time at which a place may become free without the end of a request.
    pub(crate) fn next_event(&self) -> Option<Instant> {
        let end = |held: &BTreeSet<Hold>| held.first().map(|(end, _)| *end);
        let ends = [end(&self.reading), end(&self.pauses), self.next_start];
        ends.into_iter().flatten().min()
    }

    fn take_free(&mut self, now: Instant, key: &Key) -> Option<Place> {
        let occupied = self.occupied(now);
        let limit = match (self.is_exempt, self.is_unknown) {
            (true, _) => f64::INFINITY,
            (_, true) => 1.0,
            _ => self.limit.value(),
        };
        if self.next_start.is_some_and(|start| now >= start) {
            self.next_start = None;
        }
        if occupied as f64 + 1.0 > limit.max(1.0) || (limit < 1.0 && self.next_start.is_some()) {
            return None;
        }
        if limit < 1.0 {
            // Clients that have the same limit do not start at the same time.
            let seconds = self.latency / limit * (0.75 + 0.5 * self.limit.jitter());
            self.next_start = Some(now + Duration::from_secs_f64(seconds));
        }
        self.in_flight += 1;
        self.started += 1;
        Some(Place {
            key: key.clone(),
            is_last: occupied as f64 + 2.0 > limit,
        })
    }
}
