//! The search for the fewest seats and the smallest changes.

use super::check::{Check, Measured};
use super::error::SizeError;
use super::intents::{Keep, Target};
use super::setting::{Objects, Setting, structure, with_seats};
use super::sizer::{Outcome, Sizer};
use super::variation::Variation;
use k8s_flowcontrol_rules::bootstrap;
use k8s_flowcontrol_rules::limits::ServerLimits;
use k8s_flowcontrol_types::Resource;
use std::collections::HashMap;
use std::ops::ControlFlow;

/// The passes in which the seats of all levels are lowered again.
const PASSES: usize = 4;
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
}

/// The result for a server with a number of seats.
#[derive(Clone, Debug)]
pub(super) enum Searched {
    Found(Box<Found>),
    /// The checks that fail with as many seats as the server can give.
    TooFew(Vec<Check>),
}

/// A search, which remembers every configuration that it simulated.
pub(super) struct Search<'s, 'a, P> {
    pub(super) sizer: &'s Sizer<'a>,
    progress: P,
    trials: u64,
    known: HashMap<(u32, String), Vec<Check>>,
    /// The requests of logs that are simulated during the search.
    is_wanted: Box<dyn Fn(i64) -> bool + 's>,
}

impl<'s, 'a, P: FnMut(Progress) -> ControlFlow<()>> Search<'s, 'a, P> {
    pub(super) fn new(
        sizer: &'s Sizer<'a>,
        is_wanted: Box<dyn Fn(i64) -> bool + 's>,
        progress: P,
    ) -> Self {
        Self {
            sizer,
            progress,
            trials: 0,
            known: HashMap::new(),
            is_wanted,
        }
    }

    /// The fewest objects and the fewest seats of levels on a server with so many seats.
    pub(super) fn at(&mut self, seats: u32) -> Result<Searched, Stop> {
        let mut settings: Vec<Setting> = Vec::new();
        loop {
            let failing = self.failing(&settings, seats)?;
            let failing = match failing {
                Some(failing) if failing.is_empty() => break,
                Some(failing) => failing,
                None => return Ok(Searched::TooFew(Vec::new())),
            };
            if let Some(checks) = self.improve(&mut settings, &failing, seats)? {
                return Ok(Searched::TooFew(checks));
            }
        }
        self.lower(&mut settings, seats)?;
        self.shorten(&mut settings, seats)?;
        let mut with_less = Vec::new();
        for index in 0..settings.len() {
            with_less.push(self.with_less(&settings, index, seats)?);
        }
        let objects = self.objects(&settings, seats)?.unwrap_or_default();
        Ok(Searched::Found(Box::new(Found {
            seats,
            objects,
            settings,
            with_less,
        })))
    }

    /// Gives more to the first intent that fails. Returns its checks if the server does not have enough.
    fn improve(
        &mut self,
        settings: &mut Vec<Setting>,
        failing: &[Check],
        seats: u32,
    ) -> Result<Option<Vec<Check>>, Stop> {
        let Some(first) = failing.first() else {
            return Ok(None);
        };
        let intent = first.intent;
        let own = settings
            .iter()
            .position(|setting| setting.intents.contains(&intent));
        let index = match own {
            Some(index) => index,
            None => match self.place(settings, intent, seats)? {
                Some(index) => index,
                None => return Ok(Some(failing.to_vec())),
            },
        };
        if let Measured::Seats { limit, .. } = first.measured
            && settings[index].at_most.is_none()
        {
            // The limit needs a level that nobody else uses.
            if settings[index].client.is_none() {
                self.replace_by_own(settings, index, intent);
            }
            let index = settings
                .iter()
                .position(|setting| setting.intents.contains(&intent));
            if let Some(setting) = index.and_then(|index| settings.get_mut(index)) {
                setting.at_most = Some(limit);
                return Ok(None);
            }
        }
        if self.raise(settings, index, seats)? {
            return Ok(None);
        }
        if settings[index].client.is_none()
            && matches!(self.sizer.intents.intents[intent].target, Target::Client(_))
        {
            self.replace_by_own(settings, index, intent);
            return Ok(None);
        }
        let last = self.failing(settings, seats)?;
        let mut checks = last.unwrap_or_else(|| failing.to_vec());
        checks.retain(|check| check.intent == intent);
        if checks.is_empty() {
            checks.push(first.clone());
        }
        Ok(Some(checks))
    }

    /// Adds a setting for an intent: a present level if its seats may change, else a level of the client's own.
    fn place(
        &mut self,
        settings: &mut Vec<Setting>,
        intent: usize,
        seats: u32,
    ) -> Result<Option<usize>, Stop> {
        let of = &self.sizer.intents.intents[intent];
        if let Target::Client(client) = &of.target {
            let same = settings
                .iter_mut()
                .position(|setting| setting.client.as_ref() == Some(client));
            if let Some(index) = same {
                settings[index].intents.push(intent);
                return Ok(Some(index));
            }
        }
        let objects = self.objects(settings, seats)?.unwrap_or_default();
        let outcome = self.outcome(&objects, seats, self.sizer.required()[0])?;
        let level = match &of.target {
            Target::Level(level) => Some(level.clone()),
            Target::Client(_) => {
                let mut levels = outcome.levels[intent].iter();
                levels.next().filter(|_| levels.next().is_none()).cloned()
            }
        };
        let level = level.filter(|level| of.never_more_than.is_none() && self.may_change(level));
        match (level, &of.target) {
            (Some(level), _) => {
                match settings
                    .iter_mut()
                    .position(|setting| setting.level == level)
                {
                    Some(index) => {
                        settings[index].intents.push(intent);
                        return Ok(Some(index));
                    }
                    None => settings.push(Setting::present(&level, intent)),
                }
            }
            (None, Target::Client(client)) => settings.push(Setting::own(client, intent)),
            (None, Target::Level(_)) => return Ok(None),
        }
        Ok(Some(settings.len() - 1))
    }

    fn replace_by_own(&self, settings: &mut Vec<Setting>, index: usize, intent: usize) {
        let Target::Client(client) = &self.sizer.intents.intents[intent].target else {
            return;
        };
        settings[index].intents.retain(|other| *other != intent);
        if settings[index].intents.is_empty() {
            settings.remove(index);
        }
        let same = settings
            .iter_mut()
            .find(|setting| setting.client.as_ref() == Some(client));
        match same {
            Some(setting) => setting.intents.push(intent),
            None => settings.push(Setting::own(client, intent)),
        }
    }

    /// Whether the shares of a present level may change.
    fn may_change(&self, level: &str) -> bool {
        let present = &self.sizer.present.levels;
        let is_present = present
            .iter()
            .any(|object| object.name() == level && object.spec.limited.is_some());
        let built_in = bootstrap::priority_levels(self.sizer.release);
        let of_name = built_in.iter().find(|(_, object)| object.name() == level);
        let is_mandatory = of_name.is_some_and(|(mandatory, _)| *mandatory);
        is_present
            && !is_mandatory
            && match &self.sizer.intents.keep {
                Keep::BuiltIn => of_name.is_none(),
                Keep::All => false,
                Keep::Nothing => true,
                Keep::Levels(names) => of_name.is_none() && !names.iter().any(|name| name == level),
            }
    }

    /// Raises the seats of a setting to the fewest with which its intents hold beside the others. Returns whether there are such
    /// seats.
    fn raise(&mut self, settings: &mut [Setting], index: usize, seats: u32) -> Result<bool, Stop> {
        let before = settings[index].clone();
        let most = before.at_most.unwrap_or(i64::MAX).min(i64::from(seats));
        if before.client.is_none() && before.queue_length.is_none() {
            // Its queues may be what is too short.
            settings[index].queue_length = QUEUE_LENGTHS.last().copied();
        }
        let now = match self.objects(settings, seats)? {
            Some(objects) => nominal(&objects, &before.level, seats, self),
            None => return Ok(false),
        };
        let (mut low, mut step) = (now.min(before.at_least.unwrap_or(now)) - 1, 1);
        // The fewest seats that are enough, if any are.
        let mut enough = None;
        while enough.is_none() {
            let next = (low + step).min(most);
            if next <= low {
                break;
            }
            settings[index].at_least = Some(next);
            match self.holds(settings, index, seats)? {
                Some(true) => enough = Some(next),
                Some(false) => low = next,
                // More than the server has.
                None if step == 1 => break,
                None => {
                    step = (step / 4).max(1);
                    continue;
                }
            }
            step *= 2;
        }
        let Some(mut enough) = enough else {
            settings[index] = before;
            settings[index].at_least = Some(low.max(1)).filter(|least| *least > 0);
            return Ok(false);
        };
        while enough - low > 1 {
            let middle = i64::midpoint(low, enough);
            settings[index].at_least = Some(middle);
            match self.holds(settings, index, seats)? {
                Some(true) => enough = middle,
                _ => low = middle,
            }
        }
        settings[index].at_least = Some(enough);
        Ok(true)
    }

    /// Lowers the seats of each setting as long as all intents hold.
    fn lower(&mut self, settings: &mut [Setting], seats: u32) -> Result<(), Stop> {
        for _ in 0..PASSES {
            let mut changed = false;
            for index in 0..settings.len() {
                while let Some(fewer) = self.one_less(settings, index, seats)? {
                    let before = settings[index].at_least.replace(fewer);
                    let failing = self.failing(settings, seats)?;
                    if failing.is_none_or(|failing| !failing.is_empty()) {
                        settings[index].at_least = before;
                        break;
                    }
                    changed = true;
                }
            }
            if !changed {
                break;
            }
        }
        Ok(())
    }

    /// The seats of a setting less one seat of its level; none if it has no fewer.
    fn one_less(
        &mut self,
        settings: &[Setting],
        index: usize,
        seats: u32,
    ) -> Result<Option<i64>, Stop> {
        let Some(least) = settings[index].at_least else {
            return Ok(None);
        };
        let objects = self.objects(settings, seats)?.unwrap_or_default();
        let now = nominal(&objects, &settings[index].level, seats, self);
        let fewer = least.min(now) - 1;
        Ok((fewer >= 1).then_some(fewer))
    }

    /// Shortens the queues to the shortest with which all intents hold.
    fn shorten(&mut self, settings: &mut [Setting], seats: u32) -> Result<(), Stop> {
        for index in 0..settings.len() {
            let Some(long) = settings[index].queue_length else {
                continue;
            };
            let unchanged = settings[index].client.is_none().then_some(None);
            let lengths = QUEUE_LENGTHS
                .into_iter()
                .filter(|length| *length < long)
                .map(Some);
            for length in unchanged.into_iter().chain(lengths) {
                settings[index].queue_length = length;
                let failing = self.failing(settings, seats)?;
                if failing.is_some_and(|failing| failing.is_empty()) {
                    break;
                }
                settings[index].queue_length = Some(long);
            }
        }
        Ok(())
    }

    /// The checks that fail if a level has one seat less.
    fn with_less(
        &mut self,
        settings: &[Setting],
        index: usize,
        seats: u32,
    ) -> Result<Vec<Check>, Stop> {
        let mut fewer = settings.to_vec();
        match self.one_less(settings, index, seats)? {
            None => Ok(Vec::new()),
            Some(least) => {
                fewer[index].at_least = Some(least);
                Ok(self.failing(&fewer, seats)?.unwrap_or_default())
            }
        }
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
        for variation in self.sizer.required() {
            let outcome = self.outcome(&objects, seats, variation)?;
            failing.extend(outcome.checks.into_iter().filter(|check| !check.is_met()));
            if !failing.is_empty() {
                break;
            }
        }
        self.known.insert(key, failing.clone());
        Ok(Some(failing))
    }

    pub(super) fn outcome(
        &mut self,
        objects: &Objects,
        seats: u32,
        variation: Variation,
    ) -> Result<Outcome, Stop> {
        self.trials += 1;
        let trials = self.trials;
        if (self.progress)(Progress { trials, seats }).is_break() {
            return Err(Stop::Stopped);
        }
        Ok(self
            .sizer
            .run(objects, seats, variation, &*self.is_wanted)?)
    }

    /// The simulated configurations so far.
    pub(super) fn trials(&self) -> u64 {
        self.trials
    }

    /// Whether other intents can be satisfied on a server with so many seats. Their simulations count like its own.
    pub(super) fn of_other(&mut self, sizer: &Sizer<'_>, seats: u32) -> Result<bool, Stop> {
        let (before, progress) = (self.trials, &mut self.progress);
        let mut trials = before;
        let mut search = Search::new(sizer, Box::new(|_| true), |now: Progress| {
            trials = before + now.trials;
            progress(Progress { trials, ..now })
        });
        let found = search.at(seats);
        drop(search);
        self.trials = trials;
        Ok(matches!(found?, Searched::Found(_)))
    }

    /// The objects with the settings; none if the server does not have their seats.
    pub(super) fn objects(
        &self,
        settings: &[Setting],
        seats: u32,
    ) -> Result<Option<Objects>, SizeError> {
        let (sizer, release) = (self.sizer, self.sizer.release);
        let intents = &sizer.intents.intents;
        let structure = structure(&sizer.present, settings, intents, seats, release)?;
        Ok(with_seats(&structure, settings, seats, release))
    }
}

fn nominal<P>(objects: &Objects, level: &str, seats: u32, search: &Search<'_, '_, P>) -> i64 {
    let limits = ServerLimits::new(&objects.levels, seats, search.sizer.release);
    limits.level(level).map_or(0, |level| level.nominal)
}
