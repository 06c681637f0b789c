//! Seats: each priority level's nominal limit, lending and borrowing.
//!
//! A seat is one request being executed (some requests take several). A server divides its
//! concurrency limit (`--max-requests-inflight` plus `--max-mutating-requests-inflight`, 600 unless
//! configured) among the levels in proportion to their shares, and every ten seconds moves seats
//! from levels that do not use them to levels that do. All numbers are per kube-apiserver process.
//!
//! [`ServerLimits`] computes the limits without demand, [`ServerLimits::adjust`] the limits at a given demand, and
//! [`ServerLimits::changes_to`] the effect of another configuration.
//!
//! ```
//! use k8s_flowcontrol_types::Release;
//! use k8s_flowcontrol_rules::limits::ServerLimits;
//! use k8s_flowcontrol_types::api::v1::PriorityLevelConfiguration;
//!
//! let level: PriorityLevelConfiguration = serde_json::from_str(r#"{
//!     "metadata": {"name": "batch"},
//!     "spec": {"type": "Limited", "limited": {
//!         "nominalConcurrencyShares": 15, "lendablePercent": 50, "borrowingLimitPercent": 10,
//!         "limitResponse": {"type": "Reject"}}}}"#)?;
//! let limits = ServerLimits::new(&[level], 600, Release::NEWEST);
//!
//! // 15 of 20 shares; the mandatory level catch-all has the other 5.
//! let batch = limits.level("batch").unwrap();
//! assert_eq!((batch.nominal, batch.minimum, batch.maximum), (450, 225, 495));
//! # Ok::<(), serde_json::Error>(())
//! ```

mod adjustment;
mod allocation;
mod changes;
mod demand;
mod level;

pub use adjustment::{AdjustedLevel, Adjustment, AdjustmentMethod};
pub use changes::{LevelChange, SeatChange};
pub use demand::{DemandPeriod, DemandRecorder, SeatDemand};
pub use level::LevelLimits;

use super::objects;
use k8s_flowcontrol_types::Release;
use k8s_flowcontrol_types::api::v1::PriorityLevelConfiguration;

/// The seats of all priority levels of one server.
#[derive(Clone, Debug, PartialEq)]
pub struct ServerLimits {
    concurrency_limit: u32,
    release: Release,
    levels: Vec<LevelLimits>,
}

impl ServerLimits {
    /// Computes the limits of a server of `release` with a concurrency limit of `concurrency_limit` seats.
    ///
    /// Missing mandatory levels are added with their built-in values. Inconsistent levels are skipped, as a server
    /// ignores them. Absent fields get the server's defaults. Invalid values (negative shares or percentages, a
    /// lendable part above 100 %) count as the nearest valid value.
    ///
    /// `levels` is a slice, or any other iterator of references: `snapshot.iter().map(|level| &**level)` reads a snapshot of
    /// a store without copying its objects.
    ///
    /// ```
    /// use k8s_flowcontrol_rules::limits::ServerLimits;
    /// use k8s_flowcontrol_types::{Release, Resource};
    /// use k8s_flowcontrol_types::api::v1::PriorityLevelConfiguration;
    /// use std::sync::Arc;
    ///
    /// // As `Store::snapshot` returns them.
    /// let snapshot: Vec<Arc<PriorityLevelConfiguration>> = Vec::new();
    /// let limits = ServerLimits::new(snapshot.iter().map(|level| &**level), 600, Release::NEWEST);
    /// // The mandatory levels always exist; `catch-all` has all shares.
    /// assert_eq!(limits.level("catch-all").map(|level| level.nominal), Some(600));
    /// ```
    pub fn new<'a>(
        levels: impl IntoIterator<Item = &'a PriorityLevelConfiguration>,
        concurrency_limit: u32,
        release: Release,
    ) -> Self {
        let in_use = objects::levels_in_use(levels, release);
        // A float sum, as on the server.
        let all_shares: f64 = in_use
            .iter()
            .map(|level| level::shares(&level.object, release) as f64)
            .sum();
        let levels = in_use
            .iter()
            .map(|level| LevelLimits::new(level, all_shares, concurrency_limit, release))
            .collect();
        Self {
            concurrency_limit,
            release,
            levels,
        }
    }

    /// The levels, sorted by name.
    pub fn levels(&self) -> &[LevelLimits] {
        &self.levels
    }

    /// The level named `name`.
    pub fn level(&self, name: &str) -> Option<&LevelLimits> {
        self.levels.iter().find(|level| level.name == name)
    }

    /// The server's concurrency limit in seats.
    pub const fn concurrency_limit(&self) -> u32 {
        self.concurrency_limit
    }

    /// The server's release.
    pub const fn release(&self) -> Release {
        self.release
    }

    /// The sum of all nominal limits, in seats.
    ///
    /// It can exceed the concurrency limit by some seats, because each level's part is rounded up.
    pub fn nominal_sum(&self) -> i64 {
        self.levels.iter().map(|level| level.nominal).sum()
    }
}
