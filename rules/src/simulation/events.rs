//! The events of a simulation in the order of time.

use crate::controller::Ticket;
use std::cmp::Reverse;
use std::collections::BinaryHeap;
use std::time::Duration;

/// A request that a client sends.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Sending {
    /// The index of the group of clients.
    pub(super) client: u32,
    /// The number of the client in its group, which selects its user.
    pub(super) number: u32,
    /// The retries that are left.
    pub(super) retries: u32,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Event {
    /// The next request of an open group.
    Next(u32),
    /// The client with this number in a closed group sends its next request.
    Again(u32, u32),
    Retry(Sending),
    EndOfPatience(Ticket),
    EndOfExecution(Ticket),
    Sample,
}

/// Events at the same time happen in the order in which they were planned.
#[derive(Debug, Default)]
pub(super) struct Events {
    events: BinaryHeap<Reverse<(Duration, u64, Event)>>,
    planned: u64,
    /// The events that are not samples.
    pub(super) pending: usize,
}

impl Events {
    pub(super) fn plan(&mut self, at: Duration, event: Event) {
        self.pending += usize::from(event != Event::Sample);
        self.events.push(Reverse((at, self.planned, event)));
        self.planned += 1;
    }

    pub(super) fn next_time(&self) -> Option<Duration> {
        self.events.peek().map(|Reverse((at, ..))| *at)
    }

    pub(super) fn pop(&mut self) -> Option<(Duration, Event)> {
        let Reverse((at, _, event)) = self.events.pop()?;
        self.pending -= usize::from(event != Event::Sample);
        Some((at, event))
    }
}
