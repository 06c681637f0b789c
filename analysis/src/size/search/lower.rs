//! Taking back what the intents do not need.

use super::{Progress, QUEUE_LENGTHS, Search, Stop, nominal};
use crate::size::check::Check;
use crate::size::setting::Setting;
use std::ops::ControlFlow;

/// The passes in which the seats of all levels are lowered again.
const PASSES: usize = 4;

impl<P: FnMut(Progress) -> ControlFlow<()>> Search<'_, '_, P> {
    /// Lowers the seats of each setting as long as all intents hold.
    pub(super) fn lower(&mut self, settings: &mut [Setting], seats: u32) -> Result<(), Stop> {
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
