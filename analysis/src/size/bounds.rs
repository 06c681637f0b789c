//! The seats that intents need whatever the configuration is.

use super::intents::{AtLoad, Generated, Intent, Intents, ServerSeats, Target, WaitLimit};
use crate::simulation::Arrivals;
use std::fmt;
use std::time::Duration;

/// The longest wait of a request in a queue: a quarter of the server's default deadline.
const LONGEST_WAIT: f64 = 15.0;
/// Random times can ask for a little less than their average.
const CERTAIN: f64 = 0.9;

/// Intents that exclude each other, whatever the configuration is.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Contradiction {
    /// The intents with the seats that each of them needs at least.
    pub needs: Vec<(String, i64)>,
    /// The seats that there are.
    pub seats: i64,
}

/// Formats `flux and argo need 40 of 30 seats: 25 and 15`.
impl fmt::Display for Contradiction {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (names, seats): (Vec<_>, Vec<_>) = self
            .needs
            .iter()
            .map(|(name, seats)| (name.as_str(), seats.to_string()))
            .unzip();
        let sum: i64 = self.needs.iter().map(|(_, seats)| seats).sum();
        let verb = if names.len() == 1 { "needs" } else { "need" };
        write!(
            f,
            "{} {verb} at least {sum} of {} seats",
            joined(&names),
            self.seats
        )?;
        if names.len() > 1 {
            let seats: Vec<_> = seats.iter().map(String::as_str).collect();
            write!(f, ": {}", joined(&seats))?;
        }
        Ok(())
    }
}

fn joined(names: &[&str]) -> String {
    match names {
        [] => String::new(),
        [one] => (*one).to_owned(),
        [most @ .., last] => format!("{} and {last}", most.join(", ")),
    }
}

/// The seats that the work of an intent needs at least, so that the waits can hold. 0 if nothing is certain.
///
/// Seats do an amount of work in each second. The generated work of the whole time must be done by the end and the longest
/// wait; concurrent clients make the less work the longer they wait.
pub(super) fn least(intent: &Intent, duration: Duration) -> i64 {
    let AtLoad::Generated(load) = &intent.at_load else {
        return 0;
    };
    let needs = intent
        .waits
        .iter()
        .map(|limit| of_limit(load, limit, duration));
    let most = needs.fold(0.0, f64::max);
    (most * CERTAIN).floor() as i64
}

fn of_limit(load: &Generated, limit: &WaitLimit, duration: Duration) -> f64 {
    let (mean, seats) = (load.mean.as_secs_f64(), f64::from(load.seats));
    let at_most = limit.at_most.as_secs_f64();
    let part = limit.percent / 100.0;
    match load.arrivals {
        Arrivals::Open { per_second } => {
            let duration = duration.as_secs_f64();
            let work = per_second * duration * mean * seats * part;
            work / (duration + at_most + 10.0 * mean)
        }
        Arrivals::Closed { clients, think } => {
            // The average of the waits is at most this.
            let wait = part * at_most + (1.0 - part) * LONGEST_WAIT;
            let cycle = mean + think.as_secs_f64() + wait;
            match cycle > 0.0 {
                true => f64::from(clients) * mean * seats / cycle,
                false => 0.0,
            }
        }
    }
}

impl Intents {
    /// The intents that exclude each other, whatever the configuration and the requests of logs are; none if that is not certain without a
    /// simulation. With tiers, those that do on the tier with the most seats.
    #[must_use]
    pub fn contradiction(&self) -> Option<Contradiction> {
        let seats = match &self.server {
            ServerSeats::Known(seats) => Some(*seats),
            ServerSeats::Unknown => None,
            ServerSeats::Tiers(tiers) => tiers.iter().map(|tier| tier.seats).max(),
        };
        contradiction(self, seats)
    }
}

/// The intents that need more seats than there are; none if that is not certain.
pub(super) fn contradiction(intents: &Intents, seats: Option<u32>) -> Option<Contradiction> {
    let needs = |intent: &Intent| (intent.name.clone(), least(intent, intents.duration));
    for intent in &intents.intents {
        let (name, least) = needs(intent);
        if let Some(most) = intent.never_more_than
            && least > most
        {
            return Some(Contradiction {
                needs: vec![(name, least)],
                seats: most,
            });
        }
    }
    let seats = i64::from(seats?);
    let mut needs: Vec<_> = intents.intents.iter().map(needs).collect();
    needs.retain(|(_, least)| *least > 0);
    if needs.iter().map(|(_, least)| least).sum::<i64>() <= seats {
        return None;
    }
    // As few as are enough for a contradiction, the greatest first.
    needs.sort_by_key(|(name, least)| (std::cmp::Reverse(*least), name.clone()));
    let mut sum = 0;
    let enough = needs.iter().take_while(|(_, least)| {
        let is_needed = sum <= seats;
        sum += least;
        is_needed
    });
    let needs = enough.cloned().collect();
    Some(Contradiction { needs, seats })
}

/// The fewest seats of a server that can satisfy all intents.
pub(super) fn fewest(intents: &Intents) -> u32 {
    let needs = intents
        .intents
        .iter()
        .filter(|intent| matches!(intent.target, Target::Client(_)));
    let sum: i64 = needs.map(|intent| least(intent, intents.duration)).sum();
    u32::try_from(sum.max(1)).unwrap_or(u32::MAX)
}
