//! Which request of a log has which place in the queues.
//!
//! The queues decide how many requests execute, and the log knows which of them. Where they disagree, an executing and a
//! waiting request exchange their places.

use k8s_flowcontrol_rules::controller::Ticket;
use std::collections::{BTreeMap, BTreeSet};

/// The place of a request.
#[derive(Clone, Copy, Debug)]
struct Place {
    ticket: Ticket,
    /// The time at which it arrives, and at which it ends.
    period: (i64, i64),
    /// The end of its wait, if the log has it.
    waits_until: Option<i64>,
    /// Its dispatch by the queues, in microseconds of the log.
    began: Option<i64>,
    /// How long requests of its class usually execute, in microseconds.
    usual_us: u64,
}

impl Place {
    /// How unusual an execution from then to the end of the request would be: the logarithm of its ratio to the usual time.
    fn strangeness(&self, began: i64) -> f64 {
        let execution = self.period.1.saturating_sub(began).max(1);
        (execution as f64 / self.usual_us as f64).ln().abs()
    }
}

/// The places of the requests of a level, which have consecutive numbers.
#[derive(Clone, Debug, Default)]
pub(super) struct Places {
    places: BTreeMap<u64, Place>,
    /// The request of each slot.
    slots: Vec<u64>,
    /// The executing requests by their dispatch.
    executing: BTreeSet<(i64, u64)>,
    /// The executing requests that wait according to the log, by the end of that wait.
    early: BTreeSet<(i64, u64)>,
    /// The waiting requests whose wait the log does not have.
    hidden: BTreeSet<u64>,
}

impl Places {
    /// Adds a request that waits until its ticket is [dispatched](Self::dispatched).
    pub(super) fn add(
        &mut self,
        number: u64,
        ticket: Ticket,
        period: (i64, i64),
        waits_until: Option<i64>,
        usual_us: u64,
    ) {
        self.set_slot(ticket, number);
        let place = Place {
            ticket,
            period,
            waits_until,
            began: None,
            usual_us,
        };
        self.places.insert(number, place);
        if waits_until.is_none() {
            self.hidden.insert(number);
        }
    }

    /// Notes that the queues dispatch a ticket.
    pub(super) fn dispatched(&mut self, now: i64, ticket: Ticket) {
        let number = self.slots[ticket.request.slot()];
        self.begin(number, now);
        // Another request goes first, if the log says that this one still waits.
        if self.early.iter().any(|(_, early)| *early == number)
            && let Some(first) = self.hidden.first().copied()
        {
            self.exchange(number, first);
        }
    }

    /// Notes that the wait of a request ends according to the log.
    pub(super) fn waited(&mut self, number: u64) {
        let Some(place) = self.places.get_mut(&number) else {
            return;
        };
        let until = place.waits_until.take();
        if place.began.is_none() {
            self.overtake(number);
        } else if let Some(until) = until {
            self.early.remove(&(until, number));
        }
    }

    /// Removes a request that ends. Returns its ticket, and its dispatch unless all of its level wait.
    pub(super) fn remove(&mut self, number: u64) -> Option<(Ticket, Option<i64>)> {
        if self.places.get(&number)?.began.is_none() {
            self.overtake(number);
        }
        let place = self.places.remove(&number)?;
        self.hidden.remove(&number);
        if let Some(began) = place.began {
            self.executing.remove(&(began, number));
        }
        Some((place.ticket, place.began))
    }

    /// Lets a waiting request execute instead of the likeliest candidate.
    fn overtake(&mut self, number: u64) {
        let other = match self.early.last() {
            Some((_, other)) => Some(*other),
            None => self.likeliest_since(number),
        };
        if let Some(other) = other {
            self.exchange(other, number);
        }
    }

    /// Of the requests that execute since the arrival of a request that ends, the one whose place makes the executions of both the
    /// most usual; else the one that began last.
    fn likeliest_since(&self, number: u64) -> Option<u64> {
        let place = self.places.get(&number)?;
        let since = self.executing.range((place.period.0, 0)..);
        let gain = |(began, other): &(i64, u64)| {
            let other = self.places.get(other);
            other.map_or(0.0, |other| other.strangeness(*began)) - place.strangeness(*began)
        };
        let likeliest = since.max_by(|one, other| gain(one).total_cmp(&gain(other)));
        let likeliest = likeliest.or_else(|| self.executing.last());
        likeliest.map(|(_, other)| *other)
    }

    fn exchange(&mut self, executing: u64, waiting: u64) {
        let (Some(one), Some(other)) = (self.places.get(&executing), self.places.get(&waiting))
        else {
            return;
        };
        let (one, other) = (*one, *other);
        let Some(began) = one.began else {
            return;
        };
        self.executing.remove(&(began, executing));
        match one.waits_until {
            Some(until) => {
                self.early.remove(&(until, executing));
            }
            None => {
                self.hidden.insert(executing);
            }
        }
        let (ticket, began) = (other.ticket, None);
        self.places.insert(
            executing,
            Place {
                ticket,
                began,
                ..one
            },
        );
        self.set_slot(ticket, executing);
        let (ticket, began) = (one.ticket, one.began);
        self.places.insert(waiting, Place { ticket, ..other });
        self.set_slot(ticket, waiting);
        if let Some(began) = began {
            self.begin(waiting, began);
        }
    }

    fn begin(&mut self, number: u64, began: i64) {
        let Some(place) = self.places.get_mut(&number) else {
            return;
        };
        place.began = Some(began);
        self.executing.insert((began, number));
        self.hidden.remove(&number);
        if let Some(until) = place.waits_until {
            self.early.insert((until, number));
        }
    }

    fn set_slot(&mut self, ticket: Ticket, number: u64) {
        let slot = ticket.request.slot();
        if slot >= self.slots.len() {
            self.slots.resize(slot + 1, 0);
        }
        self.slots[slot] = number;
    }
}
