//! One priority level of a server.

use super::adjust::Adjusted;
use super::retry_after::RetryAfter;
use crate::limits::{DemandRecorder, SeatDemand};
use crate::objects::LevelInUse;
use crate::queueing::{QueueSet, QueueSetConfig, Queuing};
use crate::sharding::InvalidDealer;
use k8s_flowcontrol_types::Release;
use std::time::Duration;

/// A priority level with its queues and its demand.
#[derive(Clone, Debug)]
pub(super) struct Level {
    /// As in the last configuration that had the level.
    pub(super) used: LevelInUse,
    /// Whether the configuration does not contain the level any more.
    pub(super) is_quiescing: bool,
    pub(super) adjusted: Adjusted,
    pub(super) queues: QueueSet,
    pub(super) recorder: DemandRecorder,
    pub(super) retry_after: RetryAfter,
    /// The bound of the seats of a request, from the last configuration in which the level queued.
    pub(super) max_seats: Option<u64>,
    /// The demand that the recorder has.
    noted: u64,
}

/// The state of a priority level.
#[derive(Clone, Copy, Debug)]
#[non_exhaustive]
pub struct LevelState<'a> {
    /// The level's name.
    pub name: &'a str,
    /// What happens to requests that do not get seats on arrival.
    pub queuing: Queuing,
    /// The current limit in seats (metric `current_limit_seats`); it does not limit exempt levels.
    pub limit: i64,
    /// The demand as of the last adjustment.
    pub demand: SeatDemand,
    /// The level's queues.
    pub queues: &'a QueueSet,
    /// Whether the configuration does not contain the level any more.
    pub is_quiescing: bool,
}

impl Level {
    pub(super) fn new(
        used: LevelInUse,
        limit: i64,
        release: Release,
        now: Duration,
    ) -> Result<Self, InvalidDealer> {
        let seats = u32::try_from(limit.max(0)).unwrap_or(u32::MAX);
        let queuing = Queuing::of_level(&used.object);
        Ok(Self {
            adjusted: Adjusted {
                name: used.name().to_owned(),
                queuing,
                is_gone: false,
                demand: SeatDemand::default(),
                limit,
            },
            queues: QueueSet::new(&QueueSetConfig { seats, queuing }, now)?,
            recorder: DemandRecorder::new(now),
            retry_after: RetryAfter::new(release),
            max_seats: None,
            noted: 0,
            is_quiescing: false,
            used,
        })
    }

    /// Whether the level was removed, and no request waits or executes. Final seats can still be in use.
    pub(super) fn is_drained(&self) -> bool {
        self.is_quiescing && self.queues.waiting() == 0 && self.queues.executing() == 0
    }

    /// Forgets all requests, as if `arrived` more had come and ended, and every seat were free for others from now on.
    pub(super) fn restart(&mut self, now: Duration, arrived: u64) {
        let config = QueueSetConfig {
            seats: u32::MAX,
            queuing: self.adjusted.queuing,
        };
        // The queuing was checked when the level was configured.
        self.queues.restart(now, &config, arrived).ok();
        self.note_demand(now);
    }

    /// Records the demand if it has changed.
    pub(super) fn note_demand(&mut self, now: Duration) {
        let demand = self.queues.seat_demand();
        if demand != self.noted {
            self.recorder.set(now, demand as f64);
            self.noted = demand;
        }
    }

    pub(super) fn state(&self) -> LevelState<'_> {
        LevelState {
            name: &self.adjusted.name,
            queuing: self.adjusted.queuing,
            limit: self.adjusted.limit,
            demand: self.adjusted.demand,
            queues: &self.queues,
            is_quiescing: self.is_quiescing,
        }
    }
}
