//! Taking back what the intents do not need.

use super::together::shorter_queues;
use super::{Search, Stop, nominal};
use crate::size::check::Check;
use crate::size::setting::Setting;
use k8s_flowcontrol_rules::seats::LevelBounds;

/// How many numbers of seats are looked at for those with which requests take fewer seats, and how many of these are tried.
const LOOKED_AT: usize = 24;
const NARROWER: usize = 2;

impl Search<'_, '_> {
    /// Lowers the seats of each setting as long as all intents hold.
    pub(super) fn lower(
        &mut self,
        settings: &mut [Setting],
        seats: u32,
        passes: usize,
    ) -> Result<(), Stop> {
        for _ in 0..passes {
            let mut changed = false;
            for index in 0..settings.len() {
                while self.lower_one(settings, index, seats)? {
                    changed = true;
                }
            }
            if !changed {
                break;
            }
        }
        Ok(())
    }

    /// Lowers the seats of a setting by one, or else to the next numbers with which requests take fewer seats, if all intents hold then.
    fn lower_one(
        &mut self,
        settings: &mut [Setting],
        index: usize,
        seats: u32,
    ) -> Result<bool, Stop> {
        let Some(fewer) = self.one_less(settings, index, seats)? else {
            return Ok(false);
        };
        let before = settings[index].at_least;
        if self.holds_with(settings, index, fewer, seats)? {
            return Ok(true);
        }
        for fewer in self.narrower(settings, index, fewer, seats)? {
            if self.holds_with(settings, index, fewer, seats)? {
                return Ok(true);
            }
        }
        settings[index].at_least = before;
        Ok(false)
    }

    /// Gives a setting so many seats. Returns whether all intents hold then.
    fn holds_with(
        &mut self,
        settings: &mut [Setting],
        index: usize,
        seats_of_level: i64,
        seats: u32,
    ) -> Result<bool, Stop> {
        settings[index].at_least = Some(seats_of_level);
        let failing = self.failing(settings, seats)?;
        Ok(failing.is_some_and(|failing| failing.is_empty()))
    }

    /// Fewer seats of a setting with which the requests of its level take fewer seats, the most first: so that fewer seats can be enough
    /// although some more are not. None without the requests of logs, whose seats depend on the level.
    pub(super) fn narrower(
        &self,
        settings: &[Setting],
        index: usize,
        seats_of_level: i64,
        seats: u32,
    ) -> Result<Vec<i64>, Stop> {
        let (mut settings, sizer) = (settings.to_vec(), self.sizer);
        let (mut found, mut bound) = (Vec::new(), None);
        let fewer = (1..=seats_of_level).rev().take(LOOKED_AT);
        for fewer in fewer.filter(|_| sizer.requests.is_some()) {
            settings[index].at_least = Some(fewer);
            let Some(objects) = self.objects(&settings, seats)? else {
                continue;
            };
            let bounds = LevelBounds::new(&objects.levels, seats, sizer.release);
            let now = bounds.of(&settings[index].level);
            if bound.is_some_and(|bound| now < bound) && found.len() < NARROWER {
                found.push(fewer);
            }
            bound = Some(now);
        }
        Ok(found)
    }

    /// The seats of a setting less one seat of its level; none if it cannot have fewer.
    pub(super) fn one_less(
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
    pub(super) fn shorten(&mut self, settings: &mut [Setting], seats: u32) -> Result<(), Stop> {
        let before = settings.to_vec();
        if self.shorten_together(settings, seats)? {
            return Ok(());
        }
        settings.clone_from_slice(&before);
        for index in 0..settings.len() {
            for length in shorter_queues(&settings[index]).into_iter().rev() {
                settings[index].queue_length = length;
                let failing = self.failing(settings, seats)?;
                if failing.is_some_and(|failing| failing.is_empty()) {
                    break;
                }
                settings[index].queue_length = before[index].queue_length;
            }
        }
        Ok(())
    }

    /// The checks that fail if a level has one seat less.
    pub(super) fn with_less(
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
}
