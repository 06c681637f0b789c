//! The levels and shapes that all clones share.

use crate::floor::Floor;
use crate::known::Known;
use crate::level::Level;
use crate::limit::Settings;
use crate::random::Random;
use crate::response::Outcome;
use crate::shape::Shape;
use crate::slot::{Hold, Key, Place, Started};
use crate::snapshot::LevelSnapshot;
use std::collections::{HashMap, HashSet};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;
use tokio::sync::{Notify, oneshot};
use tokio::time::Instant;

/// Differences of latency that are noise.
const NOISE: f64 = 0.002;
/// The longest time in which a body that is not read occupies a place.
pub(crate) const LONGEST_READ: Duration = Duration::from_secs(5);
/// The number of levels from which on those of unknown shapes are forgotten when they are idle.
const MANY_LEVELS: usize = 1024;
/// An abandoned request counts as delayed from this multiple of its floor on.
const ABANDONED: f64 = 2.0;

#[derive(Debug)]
pub(crate) struct Shared {
    pub(crate) settings: Settings,
    state: Mutex<State>,
    /// Notified when places become free by time alone.
    pub(crate) waits_for_time: Notify,
}

#[derive(Debug)]
pub(crate) struct State {
    pub(crate) levels: HashMap<Key, Level>,
    /// The number of levels at which idle ones are forgotten.
    most_levels: usize,
    exempt: HashSet<Arc<str>>,
    /// The level of each exact shape, and the last level of each shape in any namespace.
    exact: Known<Arc<str>>,
    similar: Known<Arc<str>>,
    floors: Known<Floor>,
    /// The levels in whose queues the waiting requests are, by their numbers.
    pub(crate) waits: HashMap<u64, Key>,
    /// The last number of a waiter or of a place that is held.
    pub(crate) number: u64,
    random: Random,
}

pub(crate) type Granted = Vec<(oneshot::Sender<Place>, Place)>;

impl Shared {
    pub(crate) fn new(settings: Settings, mut random: Random) -> Self {
        let state = State {
            levels: HashMap::new(),
            most_levels: MANY_LEVELS,
            exempt: HashSet::new(),
            exact: Known::default(),
            similar: Known::default(),
            floors: Known::default(),
            waits: HashMap::new(),
            number: 0,
            random: random.fork(),
        };
        Self {
            settings,
            state: Mutex::new(state),
            waits_for_time: Notify::new(),
        }
    }

    /// The level of a shape became known, or has changed. Moves the request, and others that wait for the same level, to it.
    pub(crate) fn learn(&self, shape: &Shape, from: &Key, uid: &str) -> Key {
        let mut granted = Granted::new();
        let key = {
            let mut state = self.lock();
            let uid: Arc<str> = match state.exact.get(&shape.exact) {
                Some(known) if **known == *uid => known.clone(),
                _ => uid.into(),
            };
            state.exact.insert(&shape.exact, uid.clone());
            state.similar.insert(&shape.work, uid.clone());
            let key = Key::Level(uid);
            if *from != key {
                let unknown = Key::Unknown(shape.exact.clone());
                let mut waiters = Vec::new();
                if let Some(old) = state.levels.get_mut(from) {
                    old.in_flight = old.in_flight.saturating_sub(1);
                    if !old.is_unknown {
                        // Others wait for the place.
                        old.grant(Instant::now(), from, &mut granted);
                        self.note(old);
                    }
                }
                if let Some(mut old) = state.levels.remove(&unknown) {
                    waiters.extend(std::iter::from_fn(|| old.queue.pop()));
                }
                for waiter in &waiters {
                    state.waits.insert(waiter.id, key.clone());
                }
                let level = state.level(&key, self.settings);
                level.in_flight += 1;
                // A level that is known has counted its start.
                level.started += u64::from(*from == unknown);
                waiters
                    .into_iter()
                    .for_each(|waiter| level.queue.push(waiter));
                level.grant(Instant::now(), &key, &mut granted);
            }
            key
        };
        self.send(granted);
        key
    }

    /// Feeds the limit with a response, and returns the place that it still occupies.
    pub(crate) fn observe(&self, request: &Started, outcome: Outcome) -> Hold {
        let now = Instant::now();
        let seconds = now.saturating_duration_since(request.at).as_secs_f64();
        let mut state = self.lock();
        state.number += 1;
        let number = state.number;
        let level = state.level(&request.place.key, self.settings);
        level.in_flight = level.in_flight.saturating_sub(1);
        self.note(level);
        if let Outcome::Rejected(after) = outcome {
            level.rejected += 1;
            level.limit.rejected(now, request.at);
            let jitter = 1.0 + 0.5 * level.limit.jitter();
            let hold = (now + after.mul_f64(jitter), number);
            level.pauses.insert(hold);
            if level.queue.len() > 0 {
                self.waits_for_time.notify_waiters();
            }
            return hold;
        }
        let hold = (now + LONGEST_READ, number);
        level.reading.insert(hold);
        if outcome == Outcome::Served {
            level.note_latency(seconds);
            let is_slowed = level.limit.is_slowed(request.at);
            // The first request of a shape has nothing to be compared with.
            if let Some(floor) = state.floor(&request.shape, seconds, is_slowed) {
                let ratio = (seconds - NOISE).max(floor) / floor.max(f64::EPSILON);
                let is_last = request.place.is_last;
                let level = state.level(&request.place.key, self.settings);
                level.limit.responded(now, request.at, ratio, is_last);
            }
        }
        hold
    }

    /// The program has dropped a request without a response, perhaps because it took too long.
    pub(crate) fn observe_abandoned(&self, request: &Started) {
        let now = Instant::now();
        let seconds = now.saturating_duration_since(request.at).as_secs_f64();
        let mut state = self.lock();
        let Some(floor) = state.floors.get(&request.shape.work).map(Floor::seconds) else {
            return;
        };
        if seconds > floor * ABANDONED + NOISE {
            let level = state.level(&request.place.key, self.settings);
            let ratio = seconds / floor.max(f64::EPSILON);
            level.limit.responded(now, request.at, ratio, false);
        }
    }

    /// Frees the place of a request without a response.
    pub(crate) fn release(&self, place: &Place) {
        self.free(&place.key, |level| {
            level.in_flight = level.in_flight.saturating_sub(1);
        });
    }

    /// Frees the place of a response. That of a rejected request stays occupied until its time.
    pub(crate) fn end(&self, key: &Key, hold: Hold) {
        self.free(key, |level| {
            level.reading.remove(&hold);
        });
    }

    fn free(&self, key: &Key, free: impl FnOnce(&mut Level)) {
        let mut granted = Granted::new();
        {
            let mut state = self.lock();
            let now = Instant::now();
            if let Some(level) = state.levels.get_mut(key) {
                free(level);
                level.grant(now, key, &mut granted);
                self.note(level);
                if level.is_unknown && level.occupied(now) == 0 && level.queue.len() == 0 {
                    state.levels.remove(key);
                }
            }
        }
        self.send(granted);
    }

    pub(crate) fn exempt(&self, uid: &str) {
        let mut granted = Granted::new();
        {
            let mut state = self.lock();
            let uid: Arc<str> = uid.into();
            state.exempt.insert(uid.clone());
            let key = Key::Level(uid);
            if let Some(level) = state.levels.get_mut(&key) {
                level.is_exempt = true;
                level.grant(Instant::now(), &key, &mut granted);
            }
        }
        self.send(granted);
    }

    pub(crate) fn snapshot(&self) -> Vec<LevelSnapshot> {
        let now = Instant::now();
        let mut state = self.lock();
        let mut levels: Vec<_> = state
            .levels
            .iter_mut()
            .filter_map(|(key, level)| match key {
                Key::Level(uid) => Some(LevelSnapshot::of(uid, level, now)),
                Key::Unknown(_) => None,
            })
            .collect();
        levels.sort_by(|a, b| a.priority_level_uid.cmp(&b.priority_level_uid));
        levels
    }

    /// Tells the waiting requests when no other one will free a place for them.
    fn note(&self, level: &Level) {
        if level.in_flight == 0 && level.queue.len() > 0 {
            self.waits_for_time.notify_waiters();
        }
    }

    /// Hands places over. A place that nobody takes is free again, for the next.
    pub(crate) fn send(&self, granted: Granted) {
        for (grant, place) in granted {
            if let Err(place) = grant.send(place) {
                self.release(&place);
            }
        }
    }

    pub(crate) fn lock(&self) -> MutexGuard<'_, State> {
        // The state is consistent after each of its changes.
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl State {
    pub(crate) fn key(&mut self, shape: &Shape) -> Key {
        let known = self.exact.get(&shape.exact);
        match known.or(self.similar.get(&shape.work)) {
            Some(uid) => Key::Level(uid.clone()),
            None => Key::Unknown(shape.exact.clone()),
        }
    }

    pub(crate) fn level(&mut self, key: &Key, settings: Settings) -> &mut Level {
        if !self.levels.contains_key(key) {
            self.forget_idle();
        }
        let Self {
            levels,
            exempt,
            random,
            ..
        } = self;
        levels.entry(key.clone()).or_insert_with(|| {
            let mut level = Level::new(settings, random.fork());
            match key {
                Key::Level(uid) => level.is_exempt = exempt.contains(uid),
                Key::Unknown(_) => level.is_unknown = true,
            }
            level
        })
    }

    /// A rejection without a level leaves its pause to that of the shape, which may have no other request.
    fn forget_idle(&mut self) {
        if self.levels.len() < self.most_levels {
            return;
        }
        let now = Instant::now();
        self.levels.retain(|_, level| {
            !level.is_unknown || level.queue.len() > 0 || level.occupied(now) > 0
        });
        self.most_levels = MANY_LEVELS.max(2 * self.levels.len());
    }

    /// The floor of a shape with one more latency; `None` before there was another one.
    fn floor(&mut self, shape: &Shape, seconds: f64, is_slowed: bool) -> Option<f64> {
        match self.floors.get_mut(&shape.work) {
            Some(floor) => {
                floor.add(seconds, is_slowed);
                Some(floor.seconds())
            }
            None => {
                self.floors.insert(&shape.work, Floor::new(seconds));
                None
            }
        }
    }
}
