//! The shares that give a new level a number of seats.

use super::{RecipeError, Recipes};
use k8s_flowcontrol_rules::limits::ServerLimits;
use k8s_flowcontrol_types::Resource;
use k8s_flowcontrol_types::api::v1::PriorityLevelConfiguration;

/// The most shares that are tried: more than any server has seats.
const MAX_SHARES: i32 = 1 << 20;

impl Recipes {
    /// The fewest shares that give `level` a nominal limit of at least `seats`, beside the other levels.
    ///
    /// # Errors
    /// [`RecipeError::TooManySeats`] if no number of shares does.
    pub fn shares_for_at_least(
        &self,
        level: &PriorityLevelConfiguration,
        seats: i64,
    ) -> Result<i32, RecipeError> {
        if self.nominal(level, MAX_SHARES) < seats {
            return Err(RecipeError::TooManySeats {
                server: self.seats,
                wanted: seats,
            });
        }
        // The nominal limit grows with the shares.
        let (mut fewer, mut enough) = (0, MAX_SHARES);
        while enough - fewer > 1 {
            let middle = i32::midpoint(fewer, enough);
            match self.nominal(level, middle) >= seats {
                true => enough = middle,
                false => fewer = middle,
            }
        }
        Ok(enough)
    }

    /// The most shares that give `level` a nominal limit of at most `seats`, beside the other levels.
    ///
    /// # Errors
    /// [`RecipeError::TooFewSeats`] if one share gives it more.
    pub fn shares_for_at_most(
        &self,
        level: &PriorityLevelConfiguration,
        seats: i64,
    ) -> Result<i32, RecipeError> {
        let least = self.nominal(level, 1);
        if least > seats {
            return Err(RecipeError::TooFewSeats {
                least,
                wanted: seats,
            });
        }
        match self.nominal(level, MAX_SHARES) <= seats {
            true => Ok(MAX_SHARES),
            false => Ok(self.shares_for_at_least(level, seats.saturating_add(1))? - 1),
        }
    }

    fn nominal(&self, level: &PriorityLevelConfiguration, shares: i32) -> i64 {
        let mut level = level.clone();
        level
            .spec
            .limited
            .get_or_insert_default()
            .nominal_concurrency_shares = Some(shares);
        let name = level.name().to_owned();
        let mut levels = self.priority_levels.clone();
        levels.retain(|other| other.name() != name);
        levels.push(level);
        let limits = ServerLimits::new(&levels, self.seats, self.release);
        limits.level(&name).map_or(0, |level| level.nominal)
    }
}
