//! Taking back what the intents do not need.

use super::together::shorter_queues;
use super::{Progress, Search, Stop, nominal};
use crate::size::check::Check;
use crate::size::setting::Setting;
use std::ops::ControlFlow;

impl<P: FnMut(Progress) -> ControlFlow<()>> Search<'_, '_, P> {
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
