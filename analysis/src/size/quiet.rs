//! The demand of the requests of logs under a configuration, which many candidates share.

use super::recurring::{Recurring, Sums};
use super::requests::Requests;
use super::sizer::Sizer;
use super::variation::Variation;
use super::windows::Windows;
use crate::simulation::{Habit, LevelDemand, Quiet, Recorded, Recording, awaited_periods, demand};
use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};

/// The periods of all levels whose demand is kept.
const MOST_PERIODS: usize = 3 << 18;

/// The requests that a level gets: the variation of the load, and the shapes with their seats.
type Key = (u64, u64, Vec<(u32, u32)>);

/// By seed and times of the load.
type ByVariation<T> = Mutex<HashMap<(u64, u64), Arc<T>>>;

/// The demand of levels, by the requests that they get. Most levels get the same requests under most candidates.
#[derive(Debug, Default)]
pub(super) struct Demands {
    levels: Mutex<HashMap<Key, Arc<LevelDemand>>>,
    awaited: ByVariation<Vec<bool>>,
    sums: ByVariation<Sums>,
}

impl Sizer<'_> {
    /// The demand of each level in a variation of the load if no request waits; none if it depends on more than the levels of the
    /// requests.
    pub(super) fn quiet(
        &self,
        demands: &Demands,
        requests: &Requests,
        recording: &Recording,
        variation: Variation,
        windows: Option<&Windows>,
    ) -> Option<Quiet> {
        let places = recording.places()?;
        let levels = recording.server().levels().count();
        let mut shapes = vec![Vec::new(); levels];
        for (shape, (level, seats)) in places.iter().enumerate() {
            shapes.get_mut(*level)?.push((shape as u32, *seats));
        }
        let (seed, times) = (variation.seed, variation.times.to_bits());
        let keys = shapes.into_iter().map(|shapes| (seed, times, shapes));
        let keys: Vec<Key> = keys.collect();
        let stream = || Recurring::new(requests, &self.factors, variation);
        let levels = demands.of_levels(&keys, |missing| {
            let place = |class: u32| {
                let (level, seats) = places.get(class as usize)?;
                let place = missing.binary_search(level).ok()?;
                Some((place, *seats))
            };
            demand(requests.period.0, stream(), missing.len(), place)
        })?;
        let awaited = of_variation(&demands.awaited, variation, || {
            let clients = requests.habits.len().max(1);
            let habit = |client: u32| requests.habits[client as usize % clients];
            let is_any = requests
                .habits
                .iter()
                .any(|habit| *habit != Habit::Independent);
            let stream: Box<dyn Iterator<Item = Recorded>> = match is_any {
                true => Box::new(stream()),
                false => Box::new(std::iter::empty()),
            };
            awaited_periods(requests.period.0, stream, habit)
        });
        Some(Quiet {
            levels,
            awaited,
            only: windows.map(Windows::periods),
        })
    }

    /// The requests of the logs in a variation of the load, of which whole stretches can be passed.
    pub(super) fn stretches<'r>(
        &'r self,
        demands: &Demands,
        requests: &'r Requests,
        variation: Variation,
    ) -> Recurring<'r> {
        let stream = || Recurring::new(requests, &self.factors, variation);
        let sums = of_variation(&demands.sums, variation, || Sums::of(stream()));
        stream().with_sums(sums)
    }
}

impl Demands {
    /// The demand of each level; `find` has that of the levels with some numbers.
    fn of_levels(
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
