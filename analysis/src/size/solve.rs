//! From intents to the answer.

use super::answer::{Answer, Compared, Impossible, Sizing};
use super::bounds;
use super::error::SizeError;
use super::explain;
use super::fewest::MOST_SEATS;
use super::intents::{ServerSeats, Tier};
use super::pair::both;
use super::search::{Found, Progress, Search, Searched, Stop};
use super::sizer::{Extent, Sizer};
use std::ops::ControlFlow;

impl Sizer<'_> {
    /// Finds the fewest seats of the server, if they are unknown, and the fewest and smallest changes that satisfy all intents, or
    /// the reason why none were found.
    ///
    /// More seats of a level are not always better, because a list then takes more of them. So the search can miss a configuration
    /// with other numbers; every answer that it gives is simulated with the whole load.
    ///
    /// `progress` is called before each simulation. When it returns [`ControlFlow::Break`], the search ends with what it has found.
    /// The answer depends only on the arguments unless it does.
    ///
    /// # Errors
    /// [`SizeError::Recipe`] if no flow schema can separate a client, [`SizeError::NoArrivals`] and [`SizeError::InvalidLevel`].
    pub fn size(
        &self,
        progress: impl FnMut(Progress) -> ControlFlow<()>,
    ) -> Result<Answer, SizeError> {
        let mut progress = progress;
        let mut trials = 0;
        let mut counted = |now: Progress| {
            trials = now.trials;
            progress(now)
        };
        let mut search = Search::new(self, &mut counted);
        let answer = self.answer(&mut search);
        drop(search);
        match answer {
            Ok(answer) => Ok(answer),
            Err(Stop::Stopped | Stop::TooMany) => Ok(Answer::Stopped { trials }),
            Err(Stop::Error(error)) => Err(error),
        }
    }

    fn answer(&self, search: &mut Search<'_, '_>) -> Result<Answer, Stop> {
        match &self.intents.server {
            ServerSeats::Known(seats) => match self.within(search, *seats)? {
                Ok(found) => self.conclude(search, &found, None, Vec::new(), true),
                Err(impossible) => self.impossible(search, impossible),
            },
            ServerSeats::Unknown => self.unknown(search),
            ServerSeats::Tiers(tiers) => self.tiers(search, tiers),
        }
    }

    /// The result for a server with so many seats; the analytical contradiction comes first.
    fn within(
        &self,
        search: &mut Search<'_, '_>,
        seats: u32,
    ) -> Result<Result<Box<Found>, Impossible>, Stop> {
        let mut impossible = Impossible::of(seats);
        impossible.contradiction = bounds::contradiction(self.intents, Some(seats));
        if impossible.contradiction.is_some() {
            return Ok(Err(impossible));
        }
        Ok(match search.at(seats)? {
            Searched::Found(found) => Ok(found),
            Searched::TooFew(checks) => {
                impossible.failing = checks;
                Err(impossible)
            }
        })
    }

    fn unknown(&self, search: &mut Search<'_, '_>) -> Result<Answer, Stop> {
        let mut impossible = Impossible::of(MOST_SEATS);
        impossible.contradiction = bounds::contradiction(self.intents, None);
        if impossible.contradiction.is_some() {
            return self.impossible(search, impossible);
        }
        let (found, is_complete) = self.fewest(search, bounds::fewest(self.intents))?;
        match found {
            Some(found) => self.conclude(search, &found, None, Vec::new(), is_complete),
            None if !is_complete => Err(Stop::Stopped),
            None => match search.at(MOST_SEATS)? {
                // With levels that lend more, so that fewer seats may be enough, too.
                Searched::Found(found) => self.conclude(search, &found, None, Vec::new(), false),
                Searched::TooFew(checks) => {
                    impossible.failing = checks;
                    self.impossible(search, impossible)
                }
            },
        }
    }

    fn tiers(&self, search: &mut Search<'_, '_>, tiers: &[Tier]) -> Result<Answer, Stop> {
        let mut by_price = tiers.to_vec();
        by_price.sort_by(|left, right| {
            let price = left.price.total_cmp(&right.price);
            price.then(left.seats.cmp(&right.seats))
        });
        let mut tried = Vec::new();
        let mut largest: Option<Impossible> = None;
        for tier in by_price {
            match self.within(search, tier.seats)? {
                Ok(found) => {
                    tried.push((tier.clone(), true));
                    return self.conclude(search, &found, Some(tier), tried, true);
                }
                Err(impossible) => {
                    if largest
                        .as_ref()
                        .is_none_or(|other| other.seats < tier.seats)
                    {
                        largest = Some(impossible);
                    }
                    tried.push((tier, false));
                }
            }
        }
        match largest {
            Some(impossible) => self.impossible(search, impossible),
            // A file has at least one tier.
            None => Err(Stop::Stopped),
        }
    }

    /// Checks a configuration with the whole load.
    fn conclude(
        &self,
        search: &mut Search<'_, '_>,
        found: &Found,
        tier: Option<Tier>,
        tiers: Vec<(Tier, bool)>,
        is_complete: bool,
    ) -> Result<Answer, Stop> {
        let objects = &found.objects;
        let (present, unchanged) = (&self.present, self.unchanged());
        let before = || self.run(present, found.seats, unchanged, Extent::WithSamples);
        let after = || self.outcomes(objects, found.seats, &found.proven);
        let (before, outcomes) = match self.is_large() {
            true => both(before, after),
            false => (before(), after()),
        };
        let (before, mut outcomes) = (before?, outcomes?);
        let proof = self.proof(&outcomes);
        let longer_waits = self.longer_waits(found.seats, &before)?;
        let required = outcomes
            .iter()
            .filter(|(variation, _)| self.is_required(variation));
        let changes = explain::changes(
            self,
            found,
            &required.map(|(_, outcome)| outcome).collect::<Vec<_>>(),
        );
        Ok(Answer::Sized(Box::new(Sizing {
            seats: found.seats,
            tier,
            tiers,
            changes,
            flow_schemas: objects.flow_schemas.clone(),
            priority_levels: objects.levels.clone(),
            before: before.checks,
            reports: Compared {
                before: before.measured.report,
                after: outcomes.swap_remove(0).1.measured.report,
            },
            longer_waits,
            proof,
            is_complete,
            trials: search.trials,
        })))
    }
}
