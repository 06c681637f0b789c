//! Observing what happens to requests and levels.

use super::observed::{OfLevel, OfSchema};
use super::{Subject, Throttle};
use k8s_flowcontrol_rules::controller::Admission;
use k8s_flowcontrol_rules::queueing::Queuing;

impl Throttle {
    /// Notes the number of watches that see a write.
    pub(crate) fn observe_watches(&mut self, request: Subject<'_>, watches: u64) {
        let observed = self.observed_of(request);
        observed.watchers.observe(watches as f64);
    }

    /// Observes the decision about a request. Only levels with queues have waits.
    pub(super) fn observe_arrival(&mut self, request: Subject<'_>, admission: &Admission) {
        let found = self.level(request.level);
        let queues = found.as_ref().map(|level| level.queues);
        let has_queues = found.is_some_and(|level| matches!(level.queuing, Queuing::Queue { .. }));
        let length = match admission {
            Admission::Queued(ticket) => {
                let place = queues.and_then(|queues| queues.place(ticket.request));
                place.map(|(_, ahead)| ahead + 1)
            }
            // Every request of such a level joins a queue for a moment.
            Admission::Dispatched(_) if has_queues => Some(1),
            Admission::Dispatched(_) | Admission::Rejected(_) => None,
        };
        let observed = self.observed_of(request);
        observed.seats.observe(request.seats() as f64);
        if let Some(length) = length {
            observed.queue_lengths.observe(f64::from(length));
        }
        match admission {
            Admission::Dispatched(_) if has_queues => observed.executed_waits.observe(0.0),
            Admission::Rejected(_) if has_queues => observed.other_waits.observe(0.0),
            _ => {}
        }
    }

    /// Observes the state of the levels from now on.
    pub(super) fn observe_levels(&mut self) {
        let now = self.now();
        let all_seats = self.limits().concurrency_limit();
        for level in self.controller.levels() {
            match self.levels.get_mut(level.name) {
                Some(observed) => observed.set(now, &level, all_seats),
                None => {
                    let mut observed = OfLevel::new(now, self.release);
                    observed.set(now, &level, all_seats);
                    self.levels.insert(level.name.to_owned(), observed);
                }
            }
        }
    }

    pub(super) fn observed_of(&mut self, request: Subject<'_>) -> &mut OfSchema {
        let key = (request.flow_schema.to_owned(), request.level.to_owned());
        let release = self.release;
        self.observed
            .entry(key)
            .or_insert_with(|| OfSchema::new(release))
    }
}
