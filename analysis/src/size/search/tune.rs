//! Other queues and more borrowing for a level, which take no seats from others.

use super::{QUEUE_LENGTHS, Search, Stop, nominal};
use crate::size::setting::{Borrowing, Setting};
use k8s_flowcontrol_rules::sharding::entropy_bits;
use k8s_flowcontrol_types::Resource;
use k8s_flowcontrol_types::api::v1::LimitedPriorityLevelConfiguration;

/// Numbers of queues and sizes of hands, the least queues first.
const QUEUES: [(i32, i32); 4] = [(64, 8), (128, 8), (256, 6), (512, 6)];
/// The most hash bits that deal a hand.
const MOST_BITS: u32 = 60;
/// The steps of a borrowing limit, in percent.
const STEP: i32 = 10;

impl Search<'_, '_> {
    /// Finds queues, or the lowest borrowing limit, with which the intents of a present level hold as its seats are. Returns whether there
    /// are any.
    ///
    /// Borrowing is searched only beside the requests of logs: without them, nobody knows which seats others leave idle.
    pub(super) fn tune(
        &mut self,
        settings: &mut [Setting],
        index: usize,
        seats: u32,
    ) -> Result<bool, Stop> {
        let before = settings[index].clone();
        let is_tuned = before.queues.is_some() || before.borrowing.is_some();
        if before.client.is_some() || before.at_least.is_some() || is_tuned {
            return Ok(false);
        }
        for queues in self.queues(&before.level) {
            settings[index].queues = Some(queues);
            for length in [None, QUEUE_LENGTHS.last().copied()] {
                settings[index].queue_length = length;
                if self.holds(settings, index, seats)? == Some(true) {
                    return Ok(true);
                }
            }
        }
        settings[index] = before;
        self.borrow(settings, index, seats)
    }

    /// Other queues for a present level: smaller hands first, then more queues.
    fn queues(&self, level: &str) -> Vec<(i32, i32)> {
        let limited = self.limited(level);
        let Some(queuing) = limited.and_then(|limited| limited.limit_response.queuing.as_ref())
        else {
            return Vec::new();
        };
        let (Some(queues), Some(hand)) = (queuing.queues, queuing.hand_size) else {
            return Vec::new();
        };
        let smaller = [hand / 2, hand / 4].map(|hand| (queues, hand));
        let more = QUEUES.into_iter().filter(|(more, _)| *more > queues);
        let can_be_dealt = |(queues, hand): &(i32, i32)| {
            let (queues, hand) = (u32::try_from(*queues), u32::try_from(*hand));
            matches!((queues, hand), (Ok(queues), Ok(hand)) if hand > 0 && entropy_bits(queues, hand) <= MOST_BITS)
        };
        let all = smaller.into_iter().chain(more);
        all.filter(can_be_dealt).collect()
    }

    /// The settings of a present level, which are in the last object with its name.
    fn limited(&self, level: &str) -> Option<&LimitedPriorityLevelConfiguration> {
        let levels = self.sizer.present.levels.iter().rev();
        levels
            .filter(|object| object.name() == level)
            .find_map(|object| object.spec.limited.as_ref())
    }

    /// Raises the borrowing limit of a present level to the lowest that is enough.
    fn borrow(&mut self, settings: &mut [Setting], index: usize, seats: u32) -> Result<bool, Stop> {
        let before = settings[index].clone();
        let limited = self.limited(&before.level);
        let Some(now) = limited.and_then(|limited| limited.borrowing_limit_percent) else {
            return Ok(false);
        };
        if self.sizer.requests.is_none() {
            return Ok(false);
        }
        settings[index].borrowing = Some(Borrowing::Unlimited);
        let mut length = None;
        if self.holds(settings, index, seats)? != Some(true) {
            length = QUEUE_LENGTHS.last().copied();
            settings[index].queue_length = length;
            if self.holds(settings, index, seats)? != Some(true) {
                settings[index] = before;
                return Ok(false);
            }
        }
        // Nobody borrows more than all seats.
        let objects = self.objects(settings, seats)?.unwrap_or_default();
        let own = nominal(&objects, &before.level, seats, self).max(1);
        let all = i64::from(seats).saturating_mul(100) / own;
        let all = i32::try_from(all).unwrap_or(i32::MAX - STEP);
        let (mut low, mut high) = (now / STEP, all / STEP + 1);
        let mut enough = None;
        while high - low > 1 {
            let middle = i32::midpoint(low, high);
            settings[index].borrowing = Some(Borrowing::Percent(middle * STEP));
            match self.holds(settings, index, seats)? {
                Some(true) => (high, enough) = (middle, Some(middle * STEP)),
                _ => low = middle,
            }
        }
        settings[index].borrowing = Some(enough.map_or(Borrowing::Unlimited, Borrowing::Percent));
        settings[index].queue_length = length;
        Ok(true)
    }
}
