//! The events that requests cause, in the order of time.

use crate::controller::Ticket;
use std::cmp::Reverse;
use std::collections::BinaryHeap;
use std::time::Duration;

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Event {
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
