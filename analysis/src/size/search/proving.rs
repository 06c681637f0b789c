//! From candidates that hold in a part of the load to an answer that holds in all of it.

use super::{Feasible, Found, Progress, Search, Stop};
use crate::size::check::Check;
use crate::size::setting::{Objects, Setting};
use crate::size::sizer::{Extent, Outcome, Sizer};
use crate::size::variation::Variation;

/// The passes in which the seats of all levels are lowered again.
const PASSES: usize = 4;

impl Search<'_, '_> {
    /// Takes back what the intents do not need, and proves the rest with the whole load; none if an intent does not hold there, so
    /// that the search must go on with more of the load.
    pub(in crate::size) fn finish(
        &mut self,
        mut settings: Vec<Setting>,
        seats: u32,
    ) -> Result<Option<Box<Found>>, Stop> {
        let mut with_less = Vec::new();
        match self.windows {
            Some(_) => {
                with_less = self.lower_together(&mut settings, seats)?;
                self.lower(&mut settings, seats, 1)?;
            }
            None => self.lower(&mut settings, seats, PASSES)?,
        }
        self.shorten(&mut settings, seats)?;
        let Some(proven) = self.prove(&settings, seats)? else {
            return Ok(None);
        };
        for index in with_less.len()..settings.len() {
            with_less.push(self.with_less(&settings, index, seats)?);
        }
        let objects = self.objects(&settings, seats)?.unwrap_or_default();
        Ok(Some(Box::new(Found {
            seats,
            objects,
            settings,
            with_less,
            proven,
        })))
    }

    /// Settings that were found before the search was stopped, if the intents hold under the whole load.
    pub(in crate::size) fn unfinished(
        &mut self,
        settings: Vec<Setting>,
        seats: u32,
    ) -> Result<Option<Box<Found>>, Stop> {
        let Some(proven) = self.prove(&settings, seats)? else {
            return Ok(None);
        };
        let objects = self.objects(&settings, seats)?.unwrap_or_default();
        Ok(Some(Box::new(Found {
            seats,
            objects,
            with_less: Vec::new(),
            settings,
            proven,
        })))
    }

    /// The simulations of the whole load, if the intents hold in all of them, and if the search simulates only a part. Otherwise the search
    /// simulates a greater part from now on.
    fn prove(
        &mut self,
        settings: &[Setting],
        seats: u32,
    ) -> Result<Option<Vec<(Variation, Outcome)>>, Stop> {
        let Some(windows) = &self.windows else {
            return Ok(Some(Vec::new()));
        };
        if settings.is_empty()
            && let Some((_, outcomes)) = self.at_present.take_if(|(known, _)| *known == seats)
        {
            return Ok(Some(outcomes));
        }
        let objects = self.objects(settings, seats)?.unwrap_or_default();
        let outcomes = self.sizer.whole(&objects, seats)?;
        if are_met(&outcomes) {
            return Ok(Some(outcomes));
        }
        let late: Vec<_> = outcomes
            .into_iter()
            .map(|(_, outcome)| outcome.measured.late)
            .collect();
        self.windows = windows.with(&late);
        self.known.clear();
        Ok(None)
    }

    /// Whether all intents hold on a server with the present objects under the whole load, although not in the simulated part of it:
    /// limits depend on the waits before, which the part lacks. False if the search simulates all of the load anyway.
    pub(in crate::size) fn holds_at_present(&mut self, seats: u32) -> Result<bool, Stop> {
        if self.windows.is_none() {
            return Ok(false);
        }
        if let Some(known) = self.known_at_present.get(&seats) {
            return Ok(*known);
        }
        self.count(seats)?;
        let outcomes = self.sizer.whole(&self.sizer.present, seats)?;
        let is_met = are_met(&outcomes);
        self.known_at_present.insert(seats, is_met);
        if is_met {
            self.at_present = Some((seats, outcomes));
        }
        Ok(is_met)
    }

    /// Settings for a server below one with too few seats: of a long load only none, with the present objects.
    pub(in crate::size) fn below(&mut self, seats: u32) -> Result<Option<Vec<Setting>>, Stop> {
        if self.windows.is_some() {
            return Ok(self.holds_at_present(seats)?.then(Vec::new));
        }
        Ok(match self.feasible(seats)? {
            Feasible::Settings(settings) => Some(settings),
            Feasible::TooFew(..) => None,
        })
    }

    /// Whether an intent does not hold under the whole load either. Otherwise the search simulates all of it from now on.
    pub(super) fn is_refuted(&mut self, settings: &[Setting], seats: u32) -> Result<bool, Stop> {
        let objects = match (&self.windows, self.objects(settings, seats)?) {
            (None, _) | (_, None) => return Ok(true),
            (Some(_), Some(objects)) => objects,
        };
        if !are_met(&self.sizer.whole(&objects, seats)?) {
            return Ok(true);
        }
        self.windows = None;
        self.known.clear();
        Ok(false)
    }

    /// Whether other intents can be satisfied on a server with so many seats; none if that is not known after so many simulated requests.
    /// Their simulations count like its own.
    pub(in crate::size) fn of_other(
        &mut self,
        sizer: &Sizer<'_>,
        seats: u32,
        most: u64,
    ) -> Result<Option<bool>, Stop> {
        let (before, progress) = (self.trials, &mut self.progress);
        let mut trials = before;
        let mut counted = |now: Progress| {
            trials = before + now.trials;
            progress(Progress { trials, ..now })
        };
        let mut search = Search::of(sizer, None, &mut counted);
        (search.windows, search.likely) = (self.windows.clone(), self.likely.clone());
        search.most = most;
        let found = search.feasible(seats);
        self.simulated += search.simulated;
        drop(search);
        self.trials = trials;
        match found {
            Ok(found) => Ok(Some(matches!(found, Feasible::Settings(_)))),
            Err(Stop::TooMany) => Ok(None),
            Err(stop) => Err(stop),
        }
    }
}

fn are_met(outcomes: &[(Variation, Outcome)]) -> bool {
    let mut checks = outcomes.iter().flat_map(|(_, outcome)| &outcome.checks);
    checks.all(Check::is_met)
}

impl Sizer<'_> {
    /// Simulates the whole load in each variation in which every intent must hold.
    fn whole(&self, objects: &Objects, seats: u32) -> Result<Vec<(Variation, Outcome)>, Stop> {
        let required = self.required();
        let mut outcomes = Vec::new();
        for variations in required.chunks(2) {
            let found = self.run_all(objects, seats, variations, Extent::Whole)?;
            outcomes.extend(variations.iter().copied().zip(found));
        }
        Ok(outcomes)
    }
}
