//! Requests that repeat a rejected request.

use crate::audit::Event;
use std::collections::hash_map::RandomState;
use std::collections::{HashMap, VecDeque};
use std::hash::BuildHasher;

/// The most rejected requests that are remembered.
const MOST: usize = 1 << 16;
/// The time in which a repetition counts, and that in which it is hasty; in microseconds.
const SOON: i64 = 60_000_000;
const HASTY: i64 = 1_000_000;

/// The rejected requests of the last time.
#[derive(Clone, Debug, Default)]
pub(super) struct Rejections {
    hasher: RandomState,
    /// The time of the last rejection of a request.
    last: HashMap<u64, i64>,
    order: VecDeque<u64>,
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
    pub(super) fn add(&mut self, event: &Event<'_>) -> Repetition {
        let is_rejected = event.is_rejected_by_flow_control();
        if !is_rejected && self.last.is_empty() {
            return Repetition::No;
        }
        let Some(received) = event.received_us() else {
            return Repetition::No;
        };
        let user = &event.effective_user().name;
        let key = (user, &event.user_agent, &event.verb, event.path());
        let key = self.hasher.hash_one(key);
        let since = self
            .last
            .get(&key)
            .map(|last| received.saturating_sub(*last));
        if is_rejected {
            if self.last.insert(key, received).is_none() {
                self.order.push_back(key);
            }
            if self.order.len() > MOST
                && let Some(oldest) = self.order.pop_front()
            {
                self.last.remove(&oldest);
            }
        }
        match since {
            Some(0..HASTY) => Repetition::Hasty,
            Some(HASTY..=SOON) => Repetition::Retry,
            _ => Repetition::No,
        }
    }
}
