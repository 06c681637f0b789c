//! The seats of several levels at a time: each simulation says for each of them whether they are enough.
//!
//! Levels of single clients hardly depend on each other, so that a simulation of new seats for all of them is worth as much as one
//! for each. The final levels are simulated once more, and changed one by one if it is not enough.

use super::{QUEUE_LENGTHS, Search, Stop, nominal};
use crate::size::check::{Check, Measured};
use crate::size::intents::Target;
use crate::size::setting::Setting;
use std::collections::BTreeMap;

/// Fewer levels get their seats one by one.
const LEAST: usize = 2;

/// The settings after a simulation.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Separated {
    /// They are as they were.
    Nothing,
    /// Clients have separate levels, or more seats.
    Changed,
    /// The server has too few seats for the clients that wait too long.
    TooFew,
}

/// The seats that were tried for a level.
#[derive(Clone, Copy, Debug)]
struct Tried {
    now: i64,
    /// The most that are too few, and the fewest that are enough.
    too_few: i64,
    enough: Option<i64>,
}

impl Tried {
    fn is_found(self) -> bool {
        self.enough.is_some_and(|enough| enough - self.too_few <= 1)
    }

    fn note(&mut self, fails: bool) {
        match fails {
            true => self.too_few = self.too_few.max(self.now),
            false => self.enough = Some(self.now),
        }
    }

    fn next(self) -> i64 {
        match self.enough {
            Some(enough) if enough - self.too_few <= 1 => enough,
            Some(enough) => i64::midpoint(self.too_few, enough),
            None => self.now.max(self.too_few) * 2,
        }
    }
}

impl Search<'_, '_> {
    /// Gives separate levels to the clients that wait too long, each with the fewest seats that are enough.
    pub(super) fn separate(
        &mut self,
        settings: &mut Vec<Setting>,
        failing: &[Check],
        seats: u32,
    ) -> Result<Separated, Stop> {
        let mut own = Vec::new();
        for intent in waiting(failing) {
            let is_level = matches!(self.sizer.intents.intents[intent].target, Target::Level(_));
            if !is_level && !own.contains(&intent) {
                own.push(intent);
            }
        }
        if own.len() < LEAST && self.windows.is_none() {
            return Ok(Separated::Nothing);
        }
        let before = settings.clone();
        let placed = |settings: &[Setting], intent| {
            let mut settings = settings.iter();
            settings.any(|setting| setting.intents.contains(&intent))
        };
        for intent in own {
            if !placed(settings, intent) {
                self.place(settings, intent, seats)?;
            }
        }
        let Some(mut tried) = self.first_tries(settings, seats)? else {
            return self.too_few(settings, before, seats);
        };
        while tried.values().any(|tried| !tried.is_found()) {
            let last: Vec<_> = tried.values().map(|tried| tried.now).collect();
            for tried in tried.values_mut() {
                tried.now = tried.next();
            }
            let failing = loop {
                for (index, tried) in &tried {
                    settings[*index].at_least = Some(tried.now);
                }
                if let Some(failing) = self.failing(settings, seats)? {
                    break failing;
                }
                // More than the server has: not so many more, and never fewer than are too few.
                let mut is_less = false;
                for (tried, last) in tried.values_mut().zip(&last) {
                    let least = (*last).min(tried.now).max(tried.too_few + 1);
                    let between = i64::midpoint(least, tried.now);
                    is_less |= between < tried.now;
                    tried.now = between.min(tried.now);
                }
                if !is_less {
                    for (index, tried) in &tried {
                        settings[*index].at_least = Some(tried.too_few + 1);
                    }
                    return self.too_few(settings, before, seats);
                }
            };
            for (index, tried) in &mut tried {
                tried.note(fails(&settings[*index], &failing));
            }
        }
        for (index, tried) in tried {
            settings[index].at_least = tried.enough;
        }
        if self.windows.is_some() {
            self.keep(settings);
        }
        Ok(match *settings == before {
            true => Separated::Nothing,
            false => Separated::Changed,
        })
    }

    /// Keeps the seats of settings, with which the search begins on other servers.
    fn keep(&mut self, settings: &[Setting]) {
        for setting in settings.iter().filter(|setting| setting.client.is_some()) {
            if let Some(least) = setting.at_least {
                let key = (self.lendable, setting.level.clone());
                self.likely.insert(key, least);
            }
        }
    }

    /// Whether a server has too few seats, as the fewest with which the clients do not certainly wait too long do not fit.
    fn too_few(
        &mut self,
        settings: &mut Vec<Setting>,
        before: Vec<Setting>,
        seats: u32,
    ) -> Result<Separated, Stop> {
        if self.windows.is_some() && self.objects(settings, seats)?.is_none() {
            self.keep(settings);
            return Ok(Separated::TooFew);
        }
        *settings = before;
        Ok(Separated::Nothing)
    }

    /// The first seats of the levels of single clients: those that were tried on another server, or else those of one share. None if
    /// the server does not have them.
    fn first_tries(
        &mut self,
        settings: &mut [Setting],
        seats: u32,
    ) -> Result<Option<BTreeMap<usize, Tried>>, Stop> {
        let own = settings
            .iter_mut()
            .filter(|setting| setting.client.is_some());
        for setting in own.filter(|setting| setting.at_least.is_none()) {
            let key = (self.lendable, setting.level.clone());
            setting.at_least = self.likely.get(&key).copied();
        }
        let Some(failing) = self.failing(settings, seats)? else {
            return Ok(None);
        };
        let objects = self.objects(settings, seats)?.unwrap_or_default();
        let mut tried = BTreeMap::new();
        for (index, setting) in settings.iter().enumerate() {
            if setting.client.is_none() {
                continue;
            }
            let is_enough = !fails(setting, &failing);
            let now = match setting.at_least {
                Some(least) => least,
                None if is_enough => continue,
                None => nominal(&objects, &setting.level, seats, self).max(1),
            };
            let (too_few, enough) = match is_enough {
                true => (now - 1, Some(now)),
                false => (now, None),
            };
            let of = Tried {
                now,
                too_few,
                enough,
            };
            tried.insert(index, of);
        }
        Ok(Some(tried))
    }

    /// Lowers the seats of all settings together as long as the intents of each hold. Returns the checks that fail with one seat less
    /// for each setting.
    pub(super) fn lower_together(
        &mut self,
        settings: &mut [Setting],
        seats: u32,
    ) -> Result<Vec<Vec<Check>>, Stop> {
        let before = settings.to_vec();
        let mut with_less = vec![None; settings.len()];
        while with_less.iter().any(Option::is_none) {
            let mut fewer = settings.to_vec();
            for index in 0..settings.len() {
                match (&with_less[index], self.one_less(settings, index, seats)?) {
                    (None, Some(least)) => fewer[index].at_least = Some(least),
                    (None, None) => with_less[index] = Some(Vec::new()),
                    (Some(_), _) => {}
                }
            }
            let mut failing = self.failing(&fewer, seats)?.unwrap_or_default();
            for (index, with_less) in with_less.iter_mut().enumerate() {
                let own = &fewer[index].intents;
                if with_less.is_none() && fails(&fewer[index], &failing) {
                    let (failed, others) = failing
                        .into_iter()
                        .partition(|check| own.contains(&check.intent));
                    (*with_less, failing) = (Some(failed), others);
                    fewer[index].at_least = settings[index].at_least;
                }
            }
            // Otherwise an intent that is not theirs needs the seats of some.
            match failing.is_empty() {
                true => settings.clone_from_slice(&fewer),
                false => break,
            }
        }
        if self
            .failing(settings, seats)?
            .is_none_or(|failing| !failing.is_empty())
        {
            settings.clone_from_slice(&before);
        }
        Ok(with_less
            .into_iter()
            .map(Option::unwrap_or_default)
            .collect())
    }

    /// Shortens the queues of all settings to the shortest with which the intents of each hold. Returns whether all intents hold then.
    pub(super) fn shorten_together(
        &mut self,
        settings: &mut [Setting],
        seats: u32,
    ) -> Result<bool, Stop> {
        let mut pending: Vec<_> = settings.iter().map(shorter_queues).collect();
        loop {
            for (setting, lengths) in settings.iter_mut().zip(&mut pending) {
                if let Some(length) = lengths.pop() {
                    setting.queue_length = length;
                }
            }
            let Some(failing) = self.failing(settings, seats)? else {
                return Ok(false);
            };
            let mut is_any = false;
            for (setting, lengths) in settings.iter().zip(&mut pending) {
                match fails(setting, &failing) && !lengths.is_empty() {
                    true => is_any = true,
                    false => lengths.clear(),
                }
            }
            if !is_any {
                return Ok(failing.is_empty());
            }
        }
    }
}

/// The shorter queues that a setting can have, and its own at last, from the last one to the first one to try.
pub(super) fn shorter_queues(setting: &Setting) -> Vec<Option<i32>> {
    let Some(long) = setting.queue_length else {
        return Vec::new();
    };
    let unchanged = setting.client.is_none().then_some(None);
    let lengths = QUEUE_LENGTHS.into_iter().filter(|length| *length < long);
    let lengths = unchanged.into_iter().chain(lengths.chain([long]).map(Some));
    let mut lengths: Vec<_> = lengths.collect();
    lengths.reverse();
    lengths
}

/// The intents of which clients wait too long.
fn waiting(failing: &[Check]) -> impl Iterator<Item = usize> {
    let waits = failing.iter();
    waits
        .filter(|check| matches!(check.measured, Measured::Wait { .. }))
        .map(|check| check.intent)
}

fn fails(setting: &Setting, failing: &[Check]) -> bool {
    failing
        .iter()
        .any(|check| setting.intents.contains(&check.intent))
}
