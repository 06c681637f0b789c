//! The search for the fewest seats and the smallest changes.

mod lower;
mod proving;
mod raise;
mod together;
mod tune;

use super::check::Check;
use super::error::SizeError;
use super::setting::{Objects, Setting, structure, with_seats};
use super::sizer::{Extent, Outcome, Sizer};
use super::variation::Variation;
use super::windows::Windows;
use k8s_flowcontrol_rules::limits::ServerLimits;
use std::cell::RefCell;
use std::collections::HashMap;
use std::collections::hash_map::Entry;
use std::ops::ControlFlow;
use together::Separated;

/// The part of its seats that a changed level lends, in percent: nothing more, or else as much as makes the seats of the server enough.
const LENDABLE: [i32; 3] = [0, 50, 90];
/// The queue lengths that are tried, the shortest first.
const QUEUE_LENGTHS: [i32; 10] = [50, 100, 200, 300, 500, 1000, 2000, 3000, 5000, 10_000];

/// How far a search has come.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Progress {
    /// The simulated configurations.
    pub trials: u64,
    /// The seats of the server that is tried.
    pub seats: u32,
}

/// The reason why a search ends early.
pub(super) enum Stop {
    /// The caller wanted it.
    Stopped,
    /// It simulated the most requests that it may.
    TooMany,
    Error(SizeError),
}

impl From<SizeError> for Stop {
    fn from(error: SizeError) -> Self {
        Self::Error(error)
    }
}

/// A configuration that satisfies all intents.
#[derive(Clone, Debug)]
pub(super) struct Found {
    pub(super) seats: u32,
    pub(super) objects: Objects,
    pub(super) settings: Vec<Setting>,
    /// For each setting: the checks that fail with one seat less; empty if fewer seats are not possible at all.
    pub(super) with_less: Vec<Vec<Check>>,
    /// The simulations of the whole load that are known.
    pub(super) proven: Vec<(Variation, Outcome)>,
}

/// Settings for a server with a number of seats.
#[derive(Clone, Debug)]
pub(super) enum Feasible {
    /// All intents hold with them.
    Settings(Vec<Setting>),
    /// The last trials, with the checks that fail.
    TooFew(Vec<Setting>, Vec<Check>),
}

/// The result for a server with a number of seats.
#[derive(Clone, Debug)]
pub(super) enum Searched {
    Found(Box<Found>),
    /// The checks that fail with as many seats as the server can give.
    TooFew(Vec<Check>),
}

/// Called before each simulation. One form for all callers, so that the search is compiled once.
type OnProgress<'s> = &'s mut dyn FnMut(Progress) -> ControlFlow<()>;

/// A search, which remembers every configuration that it simulated.
pub(super) struct Search<'s, 'a> {
    pub(super) sizer: &'s Sizer<'a>,
    progress: OnProgress<'s>,
    pub(super) trials: u64,
    /// The requests that were simulated with their events, and how many may be.
    pub(super) simulated: u64,
    most: u64,
    known: HashMap<(u32, String), Vec<Check>>,
    /// Whether the intents hold with the present objects under the whole load, by seats.
    known_at_present: HashMap<u32, bool>,
    /// The last simulations of the present objects in which they do.
    at_present: Option<(u32, Vec<(Variation, Outcome)>)>,
    /// The objects without their seats, by the names of the added levels.
    structures: RefCell<HashMap<Vec<String>, Objects>>,
    /// The part of its seats that a changed level lends at least, in percent.
    lendable: i32,
    /// The periods of the load in which candidates are tried; none for all of it.
    windows: Option<Windows>,
    /// The last seats of levels of single clients on other servers, by the part that they lend and by name.
    likely: HashMap<(i32, String), i64>,
}

impl<'s, 'a> Search<'s, 'a> {
    pub(super) fn new(sizer: &'s Sizer<'a>, progress: OnProgress<'s>) -> Self {
        Self::of(sizer, sizer.windows(), progress)
    }

    /// A search in a part of the load.
    fn of(sizer: &'s Sizer<'a>, windows: Option<Windows>, progress: OnProgress<'s>) -> Self {
        Self {
            sizer,
            progress,
            trials: 0,
            simulated: 0,
            most: u64::MAX,
            known: HashMap::new(),
            known_at_present: HashMap::new(),
            at_present: None,
            structures: RefCell::default(),
            lendable: 0,
            windows,
            likely: HashMap::new(),
        }
    }

    /// The fewest objects and the fewest seats of levels on a server with so many seats.
    pub(super) fn at(&mut self, seats: u32) -> Result<Searched, Stop> {
        let failing = self.failing(&[], seats)?;
        if failing.is_some_and(|failing| !failing.is_empty())
            && self.holds_at_present(seats)?
            && let Some(found) = self.finish(Vec::new(), seats)?
        {
            return Ok(Searched::Found(found));
        }
        loop {
            match self.feasible(seats)? {
                Feasible::Settings(settings) => {
                    if let Some(found) = self.finish(settings, seats)? {
                        return Ok(Searched::Found(found));
                    }
                }
                Feasible::TooFew(settings, checks) => {
                    if self.is_refuted(&settings, seats)? {
                        return Ok(Searched::TooFew(checks));
                    }
                }
            }
        }
    }

    /// Settings with which all intents hold in the simulated part of the load.
    ///
    /// Levels lend more seats only if the server does not have enough otherwise, and only beside the requests of logs: without them, the
    /// load of the other clients is unknown.
    pub(super) fn feasible(&mut self, seats: u32) -> Result<Feasible, Stop> {
        self.feasible_with(&LENDABLE, seats)
    }

    /// As [`feasible`](Self::feasible), and no level lends more if that is [tried at the end](Self::tries_lending_last).
    pub(super) fn feasible_first(&mut self, seats: u32) -> Result<Feasible, Stop> {
        match self.tries_lending_last() {
            true => self.feasible_with(&LENDABLE[..1], seats),
            false => self.feasible(seats),
        }
    }

    /// Whether the search for the fewest seats tries levels that lend more at the end.
    pub(super) fn tries_lending_last(&self) -> bool {
        self.windows.is_some() && self.sizer.requests.is_some()
    }

    fn feasible_with(&mut self, lendable: &[i32], seats: u32) -> Result<Feasible, Stop> {
        let mut first = None;
        for lendable in lendable.iter().copied() {
            let found = self.lending(lendable, seats)?;
            if matches!(found, Feasible::Settings(_)) {
                return Ok(found);
            }
            first.get_or_insert(found);
            if self.sizer.requests.is_none() {
                break;
            }
        }
        Ok(first.unwrap_or(Feasible::TooFew(Vec::new(), Vec::new())))
    }

    /// Settings if the changed levels lend a part of their seats.
    fn lending(&mut self, lendable: i32, seats: u32) -> Result<Feasible, Stop> {
        self.lendable = lendable;
        let mut settings: Vec<Setting> = Vec::new();
        let mut last = Vec::new();
        for round in 0.. {
            let failing = match self.failing(&settings, seats)? {
                Some(failing) if failing.is_empty() => return Ok(Feasible::Settings(settings)),
                Some(failing) => failing,
                // The server does not have these seats, so that the checks before are the last ones.
                None => break,
            };
            last.clone_from(&failing);
            // Of a short load, once.
            if round == 0 || self.windows.is_some() {
                match self.separate(&mut settings, &failing, seats)? {
                    Separated::Nothing => {}
                    Separated::Changed => continue,
                    Separated::TooFew => return Ok(Feasible::TooFew(settings, failing)),
                }
            }
            if let Some(checks) = self.improve(&mut settings, &failing, seats)? {
                return Ok(Feasible::TooFew(settings, checks));
            }
        }
        Ok(Feasible::TooFew(settings, last))
    }

    /// Whether the intents of a setting hold; none if the server does not have the seats of all settings.
    fn holds(
        &mut self,
        settings: &[Setting],
        index: usize,
        seats: u32,
    ) -> Result<Option<bool>, Stop> {
        let failing = self.failing(settings, seats)?;
        Ok(failing.map(|failing| {
            let own = &settings[index].intents;
            failing.iter().all(|check| !own.contains(&check.intent))
        }))
    }

    /// The checks that fail; none if the server does not have the seats of all settings.
    pub(super) fn failing(
        &mut self,
        settings: &[Setting],
        seats: u32,
    ) -> Result<Option<Vec<Check>>, Stop> {
        let Some(objects) = self.objects(settings, seats)? else {
            return Ok(None);
        };
        let key = (seats, format!("{settings:?}"));
        if let Some(known) = self.known.get(&key) {
            return Ok(Some(known.clone()));
        }
        let mut failing = Vec::new();
        let required = self.sizer.required();
        // The second one is of use only if the first one holds, so that it is run early only if both take long.
        let at_a_time = if self.sizer.is_large() { 2 } else { 1 };
        'all: for variations in required.chunks(at_a_time) {
            for outcome in self.run_all(&objects, seats, variations)? {
                failing.extend(outcome.checks.into_iter().filter(|check| !check.is_met()));
                if !failing.is_empty() {
                    break 'all;
                }
            }
        }
        self.known.insert(key, failing.clone());
        Ok(Some(failing))
    }

    /// Simulates one variation, or two at the same time.
    fn run_all(
        &mut self,
        objects: &Objects,
        seats: u32,
        variations: &[Variation],
    ) -> Result<Vec<Outcome>, Stop> {
        for _ in variations {
            self.count(seats)?;
        }
        let extent = self.windows.as_ref().map_or(Extent::Whole, Extent::Within);
        let outcomes = self.sizer.run_all(objects, seats, variations, extent)?;
        let measured = outcomes.iter().map(|outcome| &outcome.measured);
        let simulated =
            measured.map(|measured| measured.report.requests.saturating_sub(measured.passed));
        self.simulated += simulated.sum::<u64>();
        Ok(outcomes)
    }

    /// Counts a simulation, and asks whether it may run.
    fn count(&mut self, seats: u32) -> Result<(), Stop> {
        if self.simulated >= self.most {
            return Err(Stop::TooMany);
        }
        self.trials += 1;
        let trials = self.trials;
        match (self.progress)(Progress { trials, seats }) {
            ControlFlow::Continue(()) => Ok(()),
            ControlFlow::Break(()) => Err(Stop::Stopped),
        }
    }

    /// The seats of a server that the load probably needs; 1 if nothing is known.
    pub(super) fn likely_seats(&self) -> u32 {
        self.windows
            .as_ref()
            .map_or(1, |windows| windows.likely_seats)
    }

    /// Begins with one share for each level on the next server.
    pub(super) fn forget_likely(&mut self) {
        self.likely.clear();
    }

    /// The objects with the settings; none if the server does not have their seats.
    pub(super) fn objects(
        &self,
        settings: &[Setting],
        seats: u32,
    ) -> Result<Option<Objects>, SizeError> {
        let (sizer, release) = (self.sizer, self.sizer.release);
        let intents = &sizer.intents.intents;
        let added = settings.iter().filter(|setting| setting.client.is_some());
        let added: Vec<_> = added.map(|setting| setting.level.clone()).collect();
        let mut structures = self.structures.borrow_mut();
        let structure = match structures.entry(added) {
            Entry::Occupied(known) => known.into_mut(),
            Entry::Vacant(new) => new.insert(structure(
                &sizer.present,
                settings,
                intents,
                seats,
                release,
            )?),
        };
        Ok(with_seats(structure, settings, seats, release))
    }
}

/// The nominal limit of a level, in seats.
fn nominal(objects: &Objects, level: &str, seats: u32, search: &Search<'_, '_>) -> i64 {
    let limits = ServerLimits::new(&objects.levels, seats, search.sizer.release);
    limits.level(level).map_or(0, |level| level.nominal)
}
