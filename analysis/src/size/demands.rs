//! The demand of the requests of logs under a configuration, which many candidates share.

use super::recurring::Sums;
use super::variation::Variation;
use crate::simulation::LevelDemand;
use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};

/// The periods of all levels whose demand is kept.
const MOST_PERIODS: usize = 3 << 18;

/// The requests that a level gets: the variation of the load, and the shapes with their seats.
pub(super) type Key = (u64, u64, Vec<(u32, u32)>);

/// By seed and times of the load.
type ByVariation<T> = Mutex<HashMap<(u64, u64), Arc<T>>>;

/// The demand of levels, by the requests that they get. Most levels get the same requests under most candidates.
#[derive(Debug, Default)]
pub(super) struct Demands {
    levels: Mutex<HashMap<Key, Arc<LevelDemand>>>,
    awaited: ByVariation<Vec<bool>>,
    sums: ByVariation<Sums>,
}

impl Demands {
    /// The demand of each level; `find` has that of the levels with some numbers.
    pub(super) fn of_levels(
        &self,
        keys: &[Key],
        find: impl FnOnce(&[usize]) -> Vec<LevelDemand>,
    ) -> Option<Vec<Arc<LevelDemand>>> {
        let known = || self.levels.lock().unwrap_or_else(PoisonError::into_inner);
        let mut levels: Vec<_> = {
            let known = known();
            keys.iter().map(|key| known.get(key).cloned()).collect()
        };
        let missing = levels.iter().enumerate();
        let missing = missing.filter(|(_, level)| level.is_none());
        let missing: Vec<_> = missing.map(|(level, _)| level).collect();
        if !missing.is_empty() {
            // Another thread can use what is known meanwhile.
            let found = find(&missing);
            let mut known = known();
            for (level, demand) in missing.iter().zip(found) {
                let demand = Arc::new(demand);
                known.insert(keys[*level].clone(), demand.clone());
                levels[*level] = Some(demand);
            }
            let periods = |known: &HashMap<Key, Arc<LevelDemand>>| {
                let periods = known.values().map(|level| level.periods());
                periods.sum::<usize>()
            };
            if periods(&known) > MOST_PERIODS {
                known.retain(|key, _| keys.contains(key));
            }
        }
        levels.into_iter().collect()
    }

    /// The periods in which clients wait for responses in a variation of the load.
    pub(super) fn awaited(
        &self,
        variation: Variation,
        find: impl FnOnce() -> Vec<bool>,
    ) -> Arc<Vec<bool>> {
        of_variation(&self.awaited, variation, find)
    }

    /// The sums of stretches of a variation of the load.
    pub(super) fn sums(&self, variation: Variation, find: impl FnOnce() -> Sums) -> Arc<Sums> {
        of_variation(&self.sums, variation, find)
    }
}

/// The known facts of a variation of the load.
fn of_variation<T>(
    known: &ByVariation<T>,
    variation: Variation,
    find: impl FnOnce() -> T,
) -> Arc<T> {
    let key = (variation.seed, variation.times.to_bits());
    let known = || known.lock().unwrap_or_else(PoisonError::into_inner);
    if let Some(known) = known().get(&key) {
        return known.clone();
    }
    let found = Arc::new(find());
    known().insert(key, found.clone());
    found
}
