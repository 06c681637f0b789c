//! The periods of a long load that are simulated while candidates are tried.
//!
//! A search tries many candidates, and each simulation of a day of requests takes long. Most requests of a day do not wait under any
//! candidate that matters. So the search begins with the busiest periods of each intent and of each level, and assumes that
//! nothing waits in the others. The result is simulated with the whole load. If the intents do not hold there, the
//! periods in which requests waited too long are added, and the search goes on.

use crate::simulation::LevelDemand;
use std::cmp::Reverse;
use std::sync::Arc;

/// The busiest periods of all intents and levels together are this part of the load, unless these are many.
const PART: usize = 40;
/// The busiest periods of an intent or of a level at least, by average and by maximum each.
const LEAST: usize = 4;
/// The part of the requests that waited too long, in percent, whose periods are added.
const ADDED_PERCENT: u64 = 95;
/// How many times more periods there are at most after adding some.
const GROWTH: usize = 3;

/// The periods in which requests can wait.
#[derive(Clone, Debug)]
pub(super) struct Windows {
    periods: Arc<Vec<bool>>,
    /// The seats in use on average in the busiest period, if nothing waits.
    pub(super) likely_seats: u32,
}

impl Windows {
    pub(super) fn periods(&self) -> Arc<Vec<bool>> {
        self.periods.clone()
    }

    /// The busiest periods of each of some levels, and of each of some sets of clients.
    pub(super) fn busiest(levels: &[Arc<LevelDemand>], clients: &[LevelDemand]) -> Self {
        let demands: Vec<_> = levels.iter().map(Arc::as_ref).chain(clients).collect();
        let periods = demands.iter().map(|demand| demand.periods()).max();
        let periods = periods.unwrap_or_default();
        let of_each = (periods / PART / demands.len().max(1)).max(LEAST);
        let mut windows = vec![false; periods];
        for demand in &demands {
            for order in [LevelDemand::by_average, LevelDemand::by_maximum] {
                for period in order(demand).into_iter().take(of_each) {
                    // Requests that begin in one period continue in the next one.
                    let end = periods.min(period + 2);
                    windows[period..end].fill(true);
                }
            }
        }
        let sum = |period| {
            levels
                .iter()
                .map(|level| level.average(period))
                .sum::<f64>()
        };
        let most = (0..periods).map(sum).fold(1.0, f64::max);
        Self {
            periods: Arc::new(windows),
            likely_seats: most.ceil() as u32,
        }
    }

    /// With the periods of requests that waited too long; none if they are all there.
    pub(super) fn with(&self, late: &[Vec<u32>]) -> Option<Self> {
        let periods = late.iter().map(Vec::len).max().unwrap_or_default();
        let mut windows = Vec::clone(&self.periods);
        windows.resize(periods.max(windows.len()), false);
        let of = |period: usize| {
            let each = late.iter().filter_map(|late| late.get(period));
            each.map(|late| u64::from(*late)).sum::<u64>()
        };
        let missing = (0..periods).filter(|period| !windows[*period]);
        let mut missing: Vec<_> = missing
            .map(|period| (Reverse(of(period)), period))
            .collect();
        missing.retain(|(Reverse(late), _)| *late > 0);
        missing.sort_unstable();
        let all: u64 = missing.iter().map(|(Reverse(late), _)| late).sum();
        let present = windows.iter().filter(|is_there| **is_there).count();
        let mut added = 0;
        for (Reverse(late), period) in missing.into_iter().take(present.max(LEAST) * GROWTH) {
            windows[period] = true;
            added += late;
            if added * 100 >= all * ADDED_PERCENT {
                break;
            }
        }
        (added > 0).then(|| Self {
            periods: Arc::new(windows),
            ..*self
        })
    }
}
