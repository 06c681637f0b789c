//! Differences between the seats of two configurations.

use super::{LevelLimits, ServerLimits};
use k8s_flowcontrol_types::order;

/// A priority level that only the first or only the second configuration has, or whose seats differ.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum LevelChange {
    /// The level exists only in the second configuration.
    Added(LevelLimits),
    /// The level exists only in the first configuration.
    Removed(LevelLimits),
    /// The level exists in both, with different seats.
    Changed {
        /// The level in the first configuration.
        before: LevelLimits,
        /// The level in the second configuration.
        after: LevelLimits,
    },
}

impl LevelChange {
    /// The level's name.
    pub fn name(&self) -> &str {
        match self {
            Self::Added(level) | Self::Removed(level) => &level.name,
            Self::Changed { after, .. } => &after.name,
        }
    }

    /// The change in nominal, minimum and maximum seats; a missing level counts as 0.
    pub fn seats(&self) -> SeatChange {
        let (before, after) = match self {
            Self::Added(level) => (None, Some(level)),
            Self::Removed(level) => (Some(level), None),
            Self::Changed { before, after } => (Some(before), Some(after)),
        };
        let change = |of: fn(&LevelLimits) -> i64| after.map_or(0, of) - before.map_or(0, of);
        SeatChange {
            nominal: change(|level| level.nominal),
            minimum: change(|level| level.minimum),
            maximum: change(|level| level.maximum),
        }
    }
}

/// The seats that a level gains; negative numbers are losses.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct SeatChange {
    /// The change of the nominal limit.
    pub nominal: i64,
    /// The change of the minimum.
    pub minimum: i64,
    /// The change of the maximum.
    pub maximum: i64,
}

impl ServerLimits {
    /// The levels that differ in `after`, sorted by name; unchanged levels are skipped.
    ///
    /// As all levels divide one sum, a change to one level's shares changes the seats of most others.
    ///
    /// ```
    /// use k8s_flowcontrol_types::Release;
    /// use k8s_flowcontrol_rules::limits::ServerLimits;
    ///
    /// let before = ServerLimits::new(&[], 600, Release::NEWEST);
    /// let after = ServerLimits::new(&[], 400, Release::NEWEST);
    /// let changes = before.changes_to(&after);
    /// assert_eq!((changes[0].name(), changes[0].seats().nominal), ("catch-all", -200));
    /// ```
    pub fn changes_to(&self, after: &Self) -> Vec<LevelChange> {
        let mut changes = Vec::new();
        for before in self.levels() {
            match after.level(&before.name) {
                None => changes.push(LevelChange::Removed(before.clone())),
                Some(after) if after == before => {}
                Some(after) => changes.push(LevelChange::Changed {
                    before: before.clone(),
                    after: after.clone(),
                }),
            }
        }
        for level in after.levels() {
            if self.level(&level.name).is_none() {
                changes.push(LevelChange::Added(level.clone()));
            }
        }
        order::sort_by(&mut changes, |left, right| left.name().cmp(right.name()));
        changes
    }
}
