//! Giving more to the intents that fail.

use super::{QUEUE_LENGTHS, Search, Stop, nominal};
use crate::size::check::{Check, Measured};
use crate::size::intents::{Keep, Target};
use crate::size::setting::Setting;
use k8s_flowcontrol_rules::bootstrap;
use k8s_flowcontrol_types::Resource;

impl Search<'_, '_> {
    /// Gives more to the first intent that fails. Returns its checks if the server does not have enough.
    pub(super) fn improve(
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
        // Without its limit, the intent fails with any number of seats.
        let own = failing.iter().filter(|check| check.intent == intent);
        let limit = own.filter_map(|check| match check.measured {
            Measured::Seats { limit, .. } => Some(limit),
            _ => None,
        });
        if let Some(limit) = limit.min()
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
        if self.tune(settings, index, seats)? || self.raise(settings, index, seats)? {
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
    pub(super) fn place(
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
        let levels = self
            .sizer
            .levels(&objects, seats, self.sizer.required()[0])?;
        let level = match &of.target {
            Target::Level(level) => Some(level.clone()),
            Target::Client(_) => {
                let mut levels = levels[intent].iter();
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
                    None => settings.push(Setting::present(&level, intent, self.lendable)),
                }
            }
            (None, Target::Client(client)) => {
                settings.push(Setting::own(client, intent, self.lendable))
            }
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
            None => settings.push(Setting::own(client, intent, self.lendable)),
        }
    }

    /// Whether the shares of a present level may change.
    fn may_change(&self, level: &str) -> bool {
        let present = &self.sizer.present.levels;
        let is_present = present
            .iter()
            .any(|object| object.name() == level && object.spec.limited.is_some());
        let built_in = bootstrap::priority_levels(self.sizer.release);
        let is_built_in = built_in.iter().any(|object| object.name() == level);
        is_present
            && !bootstrap::is_mandatory(level)
            && match &self.sizer.intents.keep {
                Keep::BuiltIn => !is_built_in,
                Keep::All => false,
                Keep::Nothing => true,
                Keep::Levels(names) => !is_built_in && !names.iter().any(|name| name == level),
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
            for fewer in self.narrower(settings, index, low, seats)? {
                settings[index].at_least = Some(fewer);
                if self.holds(settings, index, seats)? == Some(true) {
                    return Ok(true);
                }
            }
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
}
