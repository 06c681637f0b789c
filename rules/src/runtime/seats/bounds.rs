//! The bound of each priority level.

use crate::limits::{LevelLimits, ServerLimits};
use crate::objects;
use k8s_flowcontrol_types::api::v1::PriorityLevelConfiguration;
use k8s_flowcontrol_types::{Fact, Release};

/// The part of a level's nominal limit that one request may take at most.
const LARGEST_PART: f64 = 0.15;

/// The maximum number of seats that a server estimates for one request, for each of its priority levels.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LevelBounds(Vec<(String, u64)>);

impl LevelBounds {
    /// Computes the bounds of a server with a concurrency limit of `concurrency_limit` seats.
    ///
    /// The objects are read as by [`ServerLimits::new`]. Servers before 1.26 have no such bounds.
    pub fn new(
        levels: &[PriorityLevelConfiguration],
        concurrency_limit: u32,
        release: Release,
    ) -> Self {
        let limits = ServerLimits::new(levels, concurrency_limit, release);
        let in_use = objects::levels_in_use(levels, release).into_iter();
        let bounds = in_use.filter_map(|level| {
            let bound = bound_of(&level.object, limits.level(level.name())?, release)?;
            Some((level.name().to_owned(), bound))
        });
        // The levels are sorted by name.
        Self(bounds.collect())
    }

    /// The bound of a level in seats, at least 1; `None` if the level does not queue: it is then unbounded, unless it queued before
    /// ([`FlowController::max_seats`](crate::controller::FlowController::max_seats)).
    pub fn of(&self, level: &str) -> Option<u64> {
        let found = self
            .0
            .binary_search_by(|(name, _)| name.as_str().cmp(level));
        Some(self.0.get(found.ok()?)?.1)
    }
}

/// The bound of a level: 15 % of the nominal limit, and at most its part of one queue of a hand, so that one request cannot take a
/// level for itself. `None` if the level does not queue.
pub(crate) fn bound_of(
    level: &PriorityLevelConfiguration,
    limits: &LevelLimits,
    release: Release,
) -> Option<u64> {
    let (_, hand_size) = objects::queuing(level).filter(|_| release.has(Fact::LevelSeatBounds))?;
    let part = (limits.nominal as f64 * LARGEST_PART).ceil() as i64;
    let per_queue = limits.nominal / i64::from(hand_size.max(1));
    Some(part.min(per_queue).max(1) as u64)
}
