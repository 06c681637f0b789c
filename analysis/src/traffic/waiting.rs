//! The waits that logs do not have: estimated from the queues of the server.

use super::sample::Sample;
use crate::simulation::{Arriving, Beginning, Recorded, Separator};
use crate::times::after;
use k8s_flowcontrol_rules::controller::FlowController;
use std::collections::{BTreeMap, HashMap, VecDeque};
use std::time::Duration;

/// Requests that take longer are not modelled, in microseconds: servers end them after this time by default.
const LONGEST_US: i64 = 60_000_000;
/// The most requests that wait until all earlier arrivals have ended; more than that are handled in the order of their ends.
const MAX_PENDING: usize = 1 << 14;

/// The queues of a server that get the requests of its logs. Logs have requests in the order of their ends, and queues need the order
/// of their arrivals.
#[derive(Clone, Debug)]
pub(super) struct WaitModel {
    /// The server without requests.
    server: FlowController,
    /// The queues; none before the first request.
    queues: Option<Separator>,
    /// The number of each kind.
    kinds: HashMap<u64, u32>,
    /// Requests that have ended, by arrival.
    pending: BTreeMap<(i64, u64), (Recorded, Arriving, Sample)>,
    /// The requests in the queues, in the order of their arrival.
    inside: VecDeque<Sample>,
    added: u64,
    /// The latest end of a request.
    latest: i64,
}

impl WaitModel {
    pub(super) fn new(server: FlowController) -> Self {
        Self {
            server,
            queues: None,
            kinds: HashMap::new(),
            pending: BTreeMap::new(),
            inside: VecDeque::new(),
            added: 0,
            latest: i64::MIN,
        }
    }

    /// Adds a request, and calls `done` for the requests whose waits are known now.
    pub(super) fn add(&mut self, sample: Sample, done: &mut impl FnMut(Sample)) {
        let (Some(queued), Some(received)) = (sample.queued, sample.received_us) else {
            return done(sample);
        };
        let took = i64::try_from(queued.took.as_micros()).unwrap_or(i64::MAX);
        if took > LONGEST_US {
            return done(sample);
        }
        let end = received.saturating_add(took);
        if end.saturating_add(LONGEST_US) < self.latest {
            // The log of another server, or of another time.
            self.finish(done);
        }
        if self
            .queues
            .as_ref()
            .is_some_and(|queues| received < queues.now)
        {
            return done(sample);
        }
        self.latest = self.latest.max(end);
        self.added += 1;
        let next = self.kinds.len() as u32;
        let class = *self.kinds.entry(queued.kind).or_insert(next);
        let mut recorded = Recorded::new(received, class, None, queued.waited);
        recorded.took = Some(queued.took);
        recorded.rejected = queued.rejected;
        let request = (recorded, queued.arriving, sample);
        self.pending.insert((received, self.added), request);
        while let Some(first) = self.pending.first_entry()
            && (first.key().0.saturating_add(LONGEST_US) < self.latest
                || self.pending.len() > MAX_PENDING)
        {
            self.enter();
        }
        self.leave(done);
    }

    /// Ends all requests, so that the next one begins another log.
    pub(super) fn finish(&mut self, done: &mut impl FnMut(Sample)) {
        while !self.pending.is_empty() {
            self.enter();
        }
        if let Some(queues) = &mut self.queues {
            queues.finish();
        }
        self.leave(done);
        self.queues = None;
        self.latest = i64::MIN;
    }

    /// Moves the first pending request into the queues.
    fn enter(&mut self) {
        if self.queues.is_none() {
            self.queues = self.begin();
        }
        if let Some((_, (recorded, arriving, sample))) = self.pending.pop_first()
            && let Some(queues) = &mut self.queues
        {
            queues.push(recorded, arriving);
            self.inside.push_back(sample);
        }
    }

    /// The queues at the time of the first pending request; none without one.
    fn begin(&self) -> Option<Separator> {
        let ((first, _), _) = self.pending.first_key_value()?;
        let requests = self.pending.values();
        let ends = requests
            .clone()
            .map(|(request, ..)| after(request.received_us, request.took.unwrap_or_default()));
        let requests = requests.map(|(request, arriving, _)| (*request, *arriving));
        let mut server = self.server.clone();
        Beginning::of(ends.min()?, requests).find_demand(&mut server);
        Some(Separator::new(server, *first))
    }

    fn leave(&mut self, done: &mut impl FnMut(Sample)) {
        while let Some(recorded) = self.queues.as_mut().and_then(Separator::pop)
            && let Some(sample) = self.inside.pop_front()
        {
            done(separated(sample, &recorded));
        }
    }
}

/// The sample of a request without its estimated wait.
fn separated(mut sample: Sample, recorded: &Recorded) -> Sample {
    if let (Some((begin, end)), Some(execution), Some(queued)) =
        (sample.executed_us, recorded.execution, sample.queued)
    {
        let besides = match queued.has_queues {
            true => end
                .saturating_sub(begin)
                .saturating_sub(microseconds(execution)),
            false => microseconds(recorded.overhead),
        };
        let besides = besides.clamp(0, end.saturating_sub(begin).max(0));
        sample.began_us = Some(begin.saturating_add(besides));
        let seats = sample.load.seats;
        sample.load.waited_us = seats.saturating_mul(besides.unsigned_abs());
    }
    sample
}

fn microseconds(time: Duration) -> i64 {
    i64::try_from(time.as_micros()).unwrap_or(i64::MAX)
}
