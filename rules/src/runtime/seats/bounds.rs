//! The bound of each priority level.

use crate::limits::ServerLimits;
use crate::objects;
use k8s_flowcontrol_types::Release;
use k8s_flowcontrol_types::api::v1::PriorityLevelConfiguration;

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
        if !super::estimator::has_level_bounds(release) {
            return Self(Vec::new());
        }
        let limits = ServerLimits::new(levels, concurrency_limit, release);
        let bounds = objects::levels_in_use(levels, release)
            .into_iter()
            .filter_map(|level| {
                let (_, hand_size) = objects::queuing(&level.object)?;
                let nominal = limits.level(level.name())?.nominal;
                Some((level.name().to_owned(), bound(nominal, hand_size)))
            });
        // The levels are sorted by name.
        Self(bounds.collect())
    }

    /// The bound of a level in seats, at least 1; `None` if the level does not queue: it is then unbounded.
    pub fn of(&self, level: &str) -> Option<u64> {
        let found = self
            .0
            .binary_search_by(|(name, _)| name.as_str().cmp(level));
        Some(self.0.get(found.ok()?)?.1)
    }
}

/// 15 % of the nominal limit, and at most its part of one queue of a hand, so that one request cannot take a level for itself.
fn bound(nominal: i64, hand_size: i32) -> u64 {
    let part = (nominal as f64 * LARGEST_PART).ceil() as i64;
    let per_queue = nominal / i64::from(hand_size.max(1));
    part.min(per_queue).max(1) as u64
}
