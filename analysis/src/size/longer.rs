//! Recorded waits that a simulation does not have.

use super::check::shown;
use super::error::SizeError;
use super::intents::{AtLoad, Intent, Target};
use super::sizer::{Outcome, Sizer};
use crate::nouns::count;
use crate::simulation::Compared;
use std::fmt;
use std::time::Duration;

/// The recorded waits of the requests of an intent that are longer than in the simulation of the present objects: these objects, the seats
/// or the server are not of these logs, or the model does not fit.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct LongerWaits {
    /// The name of the intent.
    pub intent: String,
    /// The requests whose recorded wait is longer than every simulated wait.
    pub requests: u64,
    /// Their longest recorded wait.
    pub recorded: Duration,
    /// The longest simulated wait.
    pub simulated: Duration,
}

/// Formats the number and both waits: `the logs record longer waits of 3 requests, up to 1.3 s, than the simulation …`.
impl fmt::Display for LongerWaits {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let requests = count(self.requests, "request");
        write!(
            f,
            "the logs record longer waits of {requests}, up to {}, than the simulation of the present objects, up to {}",
            shown(self.recorded),
            shown(self.simulated)
        )
    }
}

impl Sizer<'_> {
    /// The intents whose requests waited longer in the logs than on a server with the present objects and so many seats, by more than 25 %
    /// and 10 ms. None if that server has more seats than that of the logs, or less load: both shorten waits.
    pub(super) fn longer_waits(
        &self,
        seats: u32,
        before: &Outcome,
    ) -> Result<Vec<LongerWaits>, SizeError> {
        let Some(requests) = self.requests else {
            return Ok(Vec::new());
        };
        if seats > requests.seats || self.factors.iter().any(|times| *times < 1.0) {
            return Ok(Vec::new());
        }
        let recording = self.recording(&self.present, seats, self.unchanged())?;
        let is_of = |index: usize, intent: &Intent, shape: u32| match &intent.target {
            Target::Client(_) => {
                let set = self.of_shapes.get(shape as usize);
                set.is_some_and(|set| self.sets[*set].contains(&index))
            }
            Target::Level(name) => {
                let found = recording.level_and_seats(shape);
                found.is_some_and(|(level, _)| level == name)
            }
        };
        let of_intent = |(index, intent): (usize, &Intent)| {
            let simulated = *before.longest.get(index)?;
            let own = requests.waits.iter();
            let own = own.filter(|(shape, _)| is_of(index, intent, *shape));
            let own = own.filter_map(|(_, wait)| wait.get());
            let longer = own.filter(|wait| *wait > simulated);
            let (count, recorded) = longer.fold((0, Duration::ZERO), |(count, longest), wait| {
                (count + 1, longest.max(wait))
            });
            let compared = Compared {
                observed: recorded,
                predicted: simulated,
            };
            let is_longer = count > 0 && !compared.is_within_limits();
            is_longer.then(|| LongerWaits {
                intent: intent.name.clone(),
                requests: count,
                recorded,
                simulated,
            })
        };
        let intents = self.intents.intents.iter().enumerate();
        let intents =
            intents.filter(|(_, intent)| matches!(intent.at_load, AtLoad::FromLog { .. }));
        Ok(intents.filter_map(of_intent).collect())
    }
}
