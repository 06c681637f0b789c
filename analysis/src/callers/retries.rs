//! Requests that repeat a rejected request.

use crate::audit::Event;
use std::collections::hash_map::RandomState;
use std::collections::{BTreeMap, HashMap, VecDeque};
use std::hash::BuildHasher;

/// The most rejected requests that are remembered.
const MOST: usize = 1 << 16;
/// The time in which a repetition counts, and that in which it is hasty; in microseconds.
const SOON: i64 = 60_000_000;
const HASTY: i64 = 1_000_000;

/// The rejected requests of the last time that no request has repeated yet.
#[derive(Clone, Debug, Default)]
pub(super) struct Rejections {
    hasher: RandomState,
    /// The ends of the rejected requests, with the number of requests that end then.
    ends: HashMap<u64, BTreeMap<i64, u32>>,
    order: VecDeque<(u64, i64)>,
}

/// Whether a request repeats a rejected one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Repetition {
    No,
    Retry,
    Hasty,
}

impl Rejections {
    /// Adds a request, in the order of the log.
    ///
    /// A client repeats a request after the response, and each once: requests that it sends at the same time do not repeat each other.
    pub(super) fn add(&mut self, event: &Event<'_>) -> Repetition {
        let is_rejected = event.is_rejected_by_flow_control();
        if !is_rejected && self.ends.is_empty() {
            return Repetition::No;
        }
        let Some(received) = event.received_us() else {
            return Repetition::No;
        };
        let user = &event.effective_user().name;
        let key = (user, &event.user_agent, &event.verb, event.path());
        let key = self.hasher.hash_one(key);
        let since = self.repeated(key, received);
        if is_rejected {
            let end = event.stage_us().unwrap_or(received);
            *self.ends.entry(key).or_default().entry(end).or_default() += 1;
            self.order.push_back((key, end));
            if self.order.len() > MOST
                && let Some((oldest, end)) = self.order.pop_front()
            {
                self.take(oldest, end);
            }
        }
        match since {
            Some(..HASTY) => Repetition::Hasty,
            Some(_) => Repetition::Retry,
            None => Repetition::No,
        }
    }

    /// Takes the latest rejection that a request of this arrival can repeat, and returns the time since its end.
    fn repeated(&mut self, key: u64, received: i64) -> Option<i64> {
        let ends = self.ends.get(&key)?;
        let earliest = received.saturating_sub(SOON);
        let (end, _) = ends.range(earliest..=received).next_back()?;
        let end = *end;
        self.take(key, end);
        Some(received.saturating_sub(end))
    }

    /// Forgets a rejection, if it is not repeated.
    fn take(&mut self, key: u64, end: i64) {
        let Some(ends) = self.ends.get_mut(&key) else {
            return;
        };
        match ends.get_mut(&end) {
            Some(number @ 2..) => *number -= 1,
            Some(_) => drop(ends.remove(&end)),
            None => {}
        }
        if ends.is_empty() {
            self.ends.remove(&key);
        }
    }
}
