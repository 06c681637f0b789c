//! The demand of the requests of logs under a configuration, which many candidates share.

use super::requests::Requests;
use super::sizer::Sizer;
use super::variation::{Recurring, Variation};
use crate::simulation::{Habit, LevelDemand, Quiet, Recorded, Recording, awaited_periods, demand};
use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};

/// The levels whose demand is kept.
const MOST: usize = 128;

/// The requests that a level gets: the variation of the load, and the shapes with their seats.
type Key = (u64, u64, Vec<(u32, u32)>);

/// By seed and times of the load.
type ByVariation<T> = Mutex<HashMap<(u64, u64), Arc<T>>>;

/// The demand of levels, by the requests that they get. Most levels get the same requests under most candidates.
#[derive(Debug, Default)]
pub(super) struct Demands {
    levels: Mutex<HashMap<Key, Arc<LevelDemand>>>,
    awaited: ByVariation<Vec<bool>>,
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
        let mut known = demands
            .levels
            .lock()
            .unwrap_or_else(PoisonError::into_inner);
        let missing: Vec<_> = (0..levels)
            .filter(|level| !known.contains_key(&keys[*level]))
            .collect();
        if !missing.is_empty() {
            let place = |class: u32| {
                let (level, seats) = places.get(class as usize)?;
                let place = missing.binary_search(level).ok()?;
                Some((place, *seats))
            };
            let found = demand(requests.period.0, stream(), missing.len(), place);
            if known.len() + missing.len() > MOST {
                known.retain(|key, _| keys.contains(key));
            }
            for (level, demand) in missing.iter().zip(found) {
                known.insert(keys[*level].clone(), Arc::new(demand));
            }
        }
        let levels = keys.iter().map(|key| known.get(key).cloned());
        let levels = levels.collect::<Option<_>>()?;
        let mut awaited = demands
            .awaited
            .lock()
            .unwrap_or_else(PoisonError::into_inner);
        let awaited = awaited.entry((seed, times)).or_insert_with(|| {
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
            Arc::new(awaited_periods(requests.period.0, stream, habit))
        });
        Some(Quiet {
            levels,
            awaited: awaited.clone(),
        })
    }
}
