//! The events that requests cause, in the order of time.

use k8s_flowcontrol_rules::controller::Ticket;
use std::cmp::Reverse;
use std::collections::{BinaryHeap, VecDeque};
use std::time::Duration;

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Event {
    QueueTimeout(Ticket),
    EndOfExecution(Ticket),
    Sample,
}

/// An event with its time in nanoseconds, which compares faster than a duration. Events at the same time happen in the order in
/// which they were planned.
type Planned = (u64, u64, Event);

/// The time limits that have their own queue.
const LIMITS: usize = 4;

#[derive(Debug, Default)]
pub(super) struct Events {
    events: BinaryHeap<Reverse<Planned>>,
    /// The ends of patience for each of the first time limits. They come in the order of time, and most are over long before, so
    /// that they would fill the heap.
    patience: Vec<(Duration, VecDeque<Planned>)>,
    planned: u64,
    /// The events that are not samples.
    pub(super) pending: usize,
}

impl Events {
    pub(super) fn plan(&mut self, at: Duration, event: Event) {
        let planned = self.number(at, event);
        self.events.push(Reverse(planned));
    }

    /// Plans the end of a wait that begins now. `now` never goes back.
    pub(super) fn plan_end_of_patience(&mut self, now: Duration, limit: Duration, ticket: Ticket) {
        let planned = self.number(now.saturating_add(limit), Event::QueueTimeout(ticket));
        let has_room = self.patience.len() < LIMITS;
        match self.patience.iter_mut().find(|(own, _)| *own == limit) {
            Some((_, ends)) => ends.push_back(planned),
            None if has_room => {
                self.patience.push((limit, VecDeque::from([planned])));
            }
            None => self.events.push(Reverse(planned)),
        }
    }

    fn number(&mut self, at: Duration, event: Event) -> Planned {
        self.pending += usize::from(event != Event::Sample);
        self.planned += 1;
        let at = u64::try_from(at.as_nanos()).unwrap_or(u64::MAX);
        (at, self.planned, event)
    }

    /// Forgets all events, and returns the executing requests with their ends.
    pub(super) fn clear(&mut self) -> Vec<(Duration, Ticket)> {
        let events = std::mem::take(self).events.into_iter();
        let ends = events.filter_map(|Reverse((at, _, event))| match event {
            Event::EndOfExecution(ticket) => Some((Duration::from_nanos(at), ticket)),
            Event::QueueTimeout(_) | Event::Sample => None,
        });
        ends.collect()
    }

    pub(super) fn next_time(&self) -> Option<Duration> {
        let (at, ..) = self.first()?.0;
        Some(Duration::from_nanos(at))
    }

    pub(super) fn pop(&mut self) -> Option<Event> {
        let ((.., event), limit) = self.first()?;
        match limit {
            Some(limit) => {
                self.patience[limit].1.pop_front();
            }
            None => {
                self.events.pop();
            }
        }
        self.pending -= usize::from(event != Event::Sample);
        Some(event)
    }

    /// The next event, and the index of its time limit if it is in such a queue.
    fn first(&self) -> Option<(Planned, Option<usize>)> {
        let mut first = self.events.peek().map(|Reverse(planned)| (*planned, None));
        for (index, (_, ends)) in self.patience.iter().enumerate() {
            if let Some(end) = ends.front()
                && first.is_none_or(|(planned, _)| *end < planned)
            {
                first = Some((*end, Some(index)));
            }
        }
        first
    }
}
