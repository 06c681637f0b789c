//! The periods of the requests of logs in which nothing can wait, so that they are accounted without their events.

use super::demands::{Demands, Key};
use super::intents::ServerSeats;
use super::recurring::{Recurring, Sums};
use super::requests::Requests;
use super::sizer::Sizer;
use super::variation::Variation;
use super::windows::Windows;
use crate::simulation::{Habit, LevelDemand, Quiet, Recorded, Recording, awaited_periods, demand};

/// The seats of a server by default: they matter for the seats of lists.
const USUAL_SEATS: u32 = 600;

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
        let levels = recording.server.levels().count();
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
        let awaited = demands.awaited(variation, || {
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
        let sums = demands.sums(variation, || Sums::of(stream()));
        stream().with_sums(sums)
    }

    /// The busiest periods of the load; none if all of it can be simulated for each candidate.
    pub(super) fn windows(&self) -> Option<Windows> {
        let (requests, demands) = (self.requests?, self.demands.as_ref()?);
        let variation = self.unchanged();
        if !self.is_large() {
            return None;
        }
        let seats = match &self.intents.server {
            ServerSeats::Known(seats) => *seats,
            ServerSeats::Tiers(_) | ServerSeats::Unknown => USUAL_SEATS,
        };
        let recording = self.recording(&self.present, seats, variation).ok()?;
        let quiet = self.quiet(demands, requests, &recording, variation, None)?;
        Some(Windows::busiest(
            &quiet.levels,
            &self.demand_of_sets(requests),
        ))
    }

    /// The demand of the clients of each set of intents.
    fn demand_of_sets(&self, requests: &Requests) -> Vec<LevelDemand> {
        let stream = Recurring::new(requests, &self.factors, self.unchanged());
        // The requests without intents are among those of the levels.
        let place = |class: u32| Some((self.of_shapes[class as usize].checked_sub(1)?, 1));
        demand(requests.period.0, stream, self.sets.len() - 1, place)
    }
}
