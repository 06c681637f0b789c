//! From intents to the answer.

use super::answer::{Answer, Compared, Impossible, Sizing};
use super::bounds;
use super::error::SizeError;
use super::explain;
use super::intents::{Intents, ServerSeats, Tier};
use super::pair::both;
use super::search::{Feasible, Found, Progress, Search, Searched, Stop};
use super::setting::Setting;
use super::sizer::{Extent, Sizer};
use std::ops::ControlFlow;

/// The most seats that are tried if the number is unknown.
const MOST_SEATS: u32 = 1 << 17;
/// The most intents that are given up one by one.
const MOST_GIVEN_UP: usize = 20;

impl Sizer<'_> {
    /// Finds the fewest seats of the server, if they are unknown, and the fewest and smallest changes that satisfy all intents, or
    /// the proof that no seats suffice.
    ///
    /// `progress` is called before each simulation. When it returns [`ControlFlow::Break`], the search ends with what it has found.
    /// The answer depends only on the arguments unless it does.
    ///
    /// # Errors
    /// [`SizeError::Recipe`] if no flow schema can separate a client, and [`SizeError::InvalidLevel`].
    pub fn size(
        &self,
        progress: impl FnMut(Progress) -> ControlFlow<()>,
    ) -> Result<Answer, SizeError> {
        let mut progress = progress;
        let mut trials = 0;
        let counted = |now: Progress| {
            trials = now.trials;
            progress(now)
        };
        let mut search = Search::new(self, counted);
        let answer = self.answer(&mut search);
        drop(search);
        match answer {
            Ok(answer) => Ok(answer),
            Err(Stop::Stopped) => Ok(Answer::Stopped { trials }),
            Err(Stop::Error(error)) => Err(error),
        }
    }

    fn answer<P: FnMut(Progress) -> ControlFlow<()>>(
        &self,
        search: &mut Search<'_, '_, P>,
    ) -> Result<Answer, Stop> {
        match &self.intents.server {
            ServerSeats::Known(seats) => match self.within(search, *seats)? {
                Ok(found) => self.conclude(search, &found, None, Vec::new(), true),
                Err(impossible) => self.refuse(search, impossible),
            },
            ServerSeats::Unknown => self.unknown(search),
            ServerSeats::Tiers(tiers) => self.tiers(search, tiers),
        }
    }

    /// The result for a server with so many seats; the analytical contradiction comes first.
    fn within<P: FnMut(Progress) -> ControlFlow<()>>(
        &self,
        search: &mut Search<'_, '_, P>,
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

    fn unknown<P: FnMut(Progress) -> ControlFlow<()>>(
        &self,
        search: &mut Search<'_, '_, P>,
    ) -> Result<Answer, Stop> {
        let mut impossible = Impossible::of(MOST_SEATS);
        impossible.contradiction = bounds::contradiction(self.intents, None);
        if impossible.contradiction.is_some() {
            return self.refuse(search, impossible);
        }
        let (found, is_complete) = self.fewest(search, bounds::fewest(self.intents))?;
        match found {
            Some(found) => self.conclude(search, &found, None, Vec::new(), is_complete),
            None if !is_complete => Err(Stop::Stopped),
            None => {
                if let Searched::TooFew(checks) = search.at(MOST_SEATS)? {
                    impossible.failing = checks;
                }
                self.refuse(search, impossible)
            }
        }
    }

    /// The fewest seats from `from` on, and whether the search ended by itself.
    fn fewest<P: FnMut(Progress) -> ControlFlow<()>>(
        &self,
        search: &mut Search<'_, '_, P>,
        from: u32,
    ) -> Result<(Option<Box<Found>>, bool), Stop> {
        let (mut too_few, mut seats) = (from.saturating_sub(1), from.max(search.likely_seats()));
        let mut step = seats;
        loop {
            let (mut enough, mut settings) = loop {
                match search.feasible_first(seats)? {
                    Feasible::Settings(settings) => break (seats, settings),
                    Feasible::TooFew(..) if seats >= MOST_SEATS => return Ok((None, true)),
                    Feasible::TooFew(..) => {
                        too_few = seats;
                        seats = seats.saturating_add(step).min(MOST_SEATS);
                        step = step.saturating_mul(2);
                    }
                }
            };
            let found = self.descend(search, (too_few, from), (&mut enough, &mut settings));
            let found =
                found.and_then(|()| self.keep_present(search, from, (&mut enough, &mut settings)));
            let found = found.and_then(|()| search.finish(settings.clone(), enough));
            match found {
                Ok(Some(found)) => return Ok((Some(found), true)),
                // More of the load is simulated now, and needs a few seats more.
                Ok(None) => (seats, step) = (enough, 1),
                Err(Stop::Stopped) => return Ok((search.unfinished(settings, enough)?, false)),
                Err(error) => return Err(error),
            }
        }
    }

    /// Finds the fewest seats that are enough: more than too few, and at least `from`.
    fn descend<P: FnMut(Progress) -> ControlFlow<()>>(
        &self,
        search: &mut Search<'_, '_, P>,
        (mut too_few, from): (u32, u32),
        (enough, settings): (&mut u32, &mut Vec<Setting>),
    ) -> Result<(), Stop> {
        while *enough - too_few > 1 {
            let middle = too_few + (*enough - too_few) / 2;
            match search.feasible_first(middle)? {
                Feasible::Settings(found) => (*enough, *settings) = (middle, found),
                Feasible::TooFew(..) => too_few = middle,
            }
        }
        if !search.tries_lending_last() {
            return Ok(());
        }
        // Another beginning, and lending more, save few seats, if any.
        search.forget_likely();
        let (mut low, mut step) = (from.saturating_sub(1), 1);
        while *enough - low > 1 {
            let middle = match step {
                0 => low + (*enough - low) / 2,
                step => enough.saturating_sub(step).max(low + 1),
            };
            match search.feasible(middle)? {
                Feasible::Settings(found) => {
                    (*enough, *settings) = (middle, found);
                    step *= 2;
                }
                Feasible::TooFew(..) => (low, step) = (middle, 0),
            }
        }
        Ok(())
    }

    /// Finds fewer seats with which the present objects are enough under the whole load.
    fn keep_present<P: FnMut(Progress) -> ControlFlow<()>>(
        &self,
        search: &mut Search<'_, '_, P>,
        from: u32,
        (enough, settings): (&mut u32, &mut Vec<Setting>),
    ) -> Result<(), Stop> {
        let (mut low, mut step) = (from.saturating_sub(1), 1);
        while *enough - low > 1 {
            let middle = match step {
                0 => low + (*enough - low) / 2,
                step => enough.saturating_sub(step).max(low + 1),
            };
            match search.holds_at_present(middle)? {
                true => {
                    *enough = middle;
                    settings.clear();
                    step *= 2;
                }
                false => (low, step) = (middle, 0),
            }
        }
        Ok(())
    }

    fn tiers<P: FnMut(Progress) -> ControlFlow<()>>(
        &self,
        search: &mut Search<'_, '_, P>,
        tiers: &[Tier],
    ) -> Result<Answer, Stop> {
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
            Some(impossible) => self.refuse(search, impossible),
            // A file has at least one tier.
            None => Err(Stop::Stopped),
        }
    }

    /// Checks a configuration with the whole load.
    fn conclude<P: FnMut(Progress) -> ControlFlow<()>>(
        &self,
        search: &mut Search<'_, '_, P>,
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
            proof,
            is_complete,
            trials: search.trials(),
        })))
    }

    /// Finds the seats that would be enough, and the intents that can be given up.
    fn refuse<P: FnMut(Progress) -> ControlFlow<()>>(
        &self,
        search: &mut Search<'_, '_, P>,
        mut impossible: Impossible,
    ) -> Result<Answer, Stop> {
        let seats = impossible.seats;
        let is_absolute = bounds::contradiction(self.intents, None).is_some();
        let mut more = || -> Result<(), Stop> {
            if !is_absolute && seats < MOST_SEATS {
                let (found, is_complete) = self.fewest(search, seats.saturating_add(1))?;
                impossible.is_complete &= is_complete;
                if let Some(found) = found {
                    impossible.needed = Some(found.seats);
                    impossible.needs = explain::needs(self, &found);
                }
            }
            let all = &self.intents.intents;
            if all.len() == 1 {
                return Ok(());
            }
            for index in 0..all.len().min(MOST_GIVEN_UP) {
                let mut intents = Intents::clone(self.intents);
                let given_up = intents.intents.remove(index);
                if bounds::contradiction(&intents, Some(seats)).is_some() {
                    continue;
                }
                let sizer = self.with_intents(&intents)?;
                if search.of_other(&sizer, seats)? {
                    impossible.give_up.push(given_up.name);
                }
            }
            Ok(())
        };
        match more() {
            Ok(()) => {}
            Err(Stop::Stopped) => impossible.is_complete = false,
            Err(error) => return Err(error),
        }
        impossible.trials = search.trials();
        Ok(Answer::Impossible(Box::new(impossible)))
    }
}
