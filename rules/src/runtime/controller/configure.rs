//! Changes of the configuration.

use super::FlowController;
use super::LevelIndex;
use super::level::Level;
use crate::limits::ServerLimits;
use crate::matching::Classifier;
use crate::objects::{self, LevelInUse};
use crate::queueing::Queuing;
use crate::seats;
use crate::sharding::InvalidDealer;
use k8s_flowcontrol_types::api::v1::{FlowSchema, PriorityLevelConfiguration};
use std::time::Duration;

impl FlowController {
    /// Changes the configuration.
    ///
    /// # Errors
    /// [`InvalidDealer`] if a level's hands cannot be dealt. The configuration is then unchanged.
    pub fn configure(
        &mut self,
        now: Duration,
        flow_schemas: &[FlowSchema],
        priority_levels: &[PriorityLevelConfiguration],
    ) -> Result<(), InvalidDealer> {
        let in_use = objects::levels_in_use(priority_levels, self.release);
        for level in &in_use {
            Queuing::of_level(&level.object).check()?;
        }
        self.advance(now);
        self.classifier = Classifier::new(flow_schemas, priority_levels, self.release);
        for level in &mut self.levels {
            level.is_quiescing = in_use.iter().all(|used| used.name() != level.adjusted.name);
        }
        let mut new = Vec::new();
        for used in in_use {
            let mut levels = self.levels.iter_mut();
            match levels.find(|level| level.adjusted.name == used.name()) {
                // A server keeps what it has of a mandatory level that is missing.
                Some(level) if used.built_in_fallback && !level.adjusted.is_gone => {}
                Some(level) if !level.adjusted.is_gone => {
                    level.adjusted.queuing = Queuing::of_level(&used.object);
                    level.used = used;
                }
                _ => new.push(used),
            }
        }
        self.limits = self.divide(&new);
        for used in new {
            self.add(now, used)?;
        }
        self.bound_seats();
        self.adjust(now);
        self.next_event = self.find_next_event();
        Ok(())
    }

    /// Sets the bounds of all levels that queue. The others keep what they have, as on a server.
    fn bound_seats(&mut self) {
        for level in &mut self.levels {
            let limits = self.limits.level(&level.adjusted.name);
            let bound =
                limits.and_then(|limits| seats::bound_of(&level.used.object, limits, self.release));
            level.max_seats = bound.or(level.max_seats);
        }
    }

    /// The limits of all levels that are not gone, and of `new` ones.
    fn divide(&mut self, new: &[LevelInUse]) -> ServerLimits {
        for level in &mut self.levels {
            level.adjusted.is_gone |= level.is_drained();
        }
        let levels = self.levels.iter().filter(|level| !level.adjusted.is_gone);
        let used = levels.map(|level| &level.used).chain(new);
        let configured = used.filter(|used| !used.built_in_fallback);
        let objects = configured.map(|used| &used.object);
        ServerLimits::new(objects, self.concurrency_limit, self.release)
    }

    /// Adds a level. It gets the place of a level that is gone, if possible of the same name.
    fn add(&mut self, now: Duration, used: LevelInUse) -> Result<(), InvalidDealer> {
        let limit = self.limits.level(used.name());
        let limit = limit.map_or(0, |limits| limits.initial());
        let mut level = Level::new(used, limit, self.release, now)?;
        if self.keeps_last_dispatches {
            level.queues.keep_last_dispatch();
        }
        let is_same = |old: &Level| old.adjusted.name == level.adjusted.name;
        let mut levels = self.levels.iter();
        let place = levels
            .position(is_same)
            .or_else(|| self.levels.iter().position(|old| old.adjusted.is_gone));
        let Some(place) = place else {
            self.levels.push(level);
            return Ok(());
        };
        let old = &mut self.levels[place];
        if is_same(old) {
            level.retry_after = old.retry_after.clone();
        }
        level.queues.continue_ids(&mut old.queues);
        *old = level;
        Ok(())
    }

    /// Divides the seats of a removed level among the others if its last request has ended.
    pub(super) fn divide_seats_of(&mut self, now: Duration, level: LevelIndex) {
        let level = &self.levels[level.0];
        if level.is_drained() && !level.adjusted.is_gone {
            self.limits = self.divide(&[]);
            self.bound_seats();
            self.adjust(now);
            self.next_event = self.find_next_event();
        }
    }
}
