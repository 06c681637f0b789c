//! The events of one request, joined with bounded memory.

use super::event::{Event, Stage};
use std::collections::hash_map::RandomState;
use std::collections::{HashMap, HashSet, VecDeque};
use std::hash::{BuildHasher, BuildHasherDefault, Hasher};

/// The most requests that are kept because they are not complete.
const MAX_OPEN_REQUESTS: usize = 1 << 16;
/// The most bytes of their events.
const MOST_BYTES: usize = 64 << 20;
/// The complete requests whose events are recognized when a log has them twice.
const RECENT: usize = 1 << 17;
/// The most requests that were reported while incomplete, whose last events are recognized.
const MOST_REPORTED: usize = 1 << 20;

/// Events of incomplete requests, and the keys of reported requests.
#[derive(Debug, Default)]
pub(super) struct Joiner {
    hasher: RandomState,
    /// The last events of open requests.
    open: HashMap<u64, Box<str>, Keyed>,
    bytes: usize,
    /// The keys of open requests by age. A key stays for a while when its request is complete.
    order: VecDeque<u64>,
    recent: HashSet<u64, Keyed>,
    recent_order: VecDeque<u64>,
    /// Requests that were reported before they were complete.
    reported: HashSet<u64, Keyed>,
}

/// The decision about an event.
pub(super) enum Joined {
    /// The event is the last event of its request: report it. The text comes from an earlier event, if there was one.
    Report(Option<Box<str>>),
    /// The event is kept, or belongs to a request that was reported.
    Nothing,
    /// The event is kept, and another request must be reported to make room.
    Evict(Box<str>),
}

impl Joiner {
    /// Decides about an event, whose JSON text is `text`.
    pub(super) fn add(&mut self, event: &Event<'_>, text: &str) -> Joined {
        if event.audit_id.is_empty() {
            return if event.is_last() {
                Joined::Report(None)
            } else {
                Joined::Nothing
            };
        }
        // A client can choose an audit id, and use it for many requests.
        let key = self.hasher.hash_one((&event.audit_id, &event.received));
        if self.recent.contains(&key) {
            return Joined::Nothing;
        }
        if event.is_last() || is_failed_authentication(event) {
            let earlier = self.open.remove(&key);
            self.bytes -= earlier.as_ref().map_or(0, |earlier| earlier.len());
            self.remember(key);
            return match self.reported.remove(&key) {
                true => Joined::Nothing,
                false => Joined::Report(earlier),
            };
        }
        if self.reported.contains(&key) {
            return Joined::Nothing;
        }
        self.keep(key, event.stage, text);
        match self.open.len() > MAX_OPEN_REQUESTS || self.bytes > MOST_BYTES {
            true => self.evict().map_or(Joined::Nothing, Joined::Evict),
            false => Joined::Nothing,
        }
    }

    /// The oldest request that is not complete.
    pub(super) fn pop(&mut self) -> Option<Box<str>> {
        self.oldest().map(|(_, text)| text)
    }

    /// The number of requests that are not complete.
    pub(super) fn open(&self) -> usize {
        self.open.len()
    }

    fn keep(&mut self, key: u64, stage: Stage, text: &str) {
        match self.open.get(&key) {
            // The events of webhooks can come in any order.
            Some(_) if stage == Stage::RequestReceived => return,
            Some(earlier) => self.bytes -= earlier.len(),
            None => self.order.push_back(key),
        }
        self.bytes += text.len();
        self.open.insert(key, text.into());
        if self.order.len() > 2 * self.open.len() + 1024 {
            let open = &self.open;
            self.order.retain(|key| open.contains_key(key));
        }
    }

    fn evict(&mut self) -> Option<Box<str>> {
        let (key, text) = self.oldest()?;
        if self.reported.len() < MOST_REPORTED {
            self.reported.insert(key);
        }
        Some(text)
    }

    fn oldest(&mut self) -> Option<(u64, Box<str>)> {
        loop {
            let key = self.order.pop_front()?;
            if let Some(text) = self.open.remove(&key) {
                self.bytes -= text.len();
                return Some((key, text));
            }
        }
    }

    fn remember(&mut self, key: u64) {
        self.recent.insert(key);
        self.recent_order.push_back(key);
        if self.recent_order.len() > RECENT
            && let Some(oldest) = self.recent_order.pop_front()
        {
            self.recent.remove(&oldest);
        }
    }
}

/// The only event of a request that failed before it was audited as a whole.
fn is_failed_authentication(event: &Event<'_>) -> bool {
    event.stage == Stage::ResponseStarted && event.user.name.is_empty() && event.code >= Some(400)
}

type Keyed = BuildHasherDefault<KeyHasher>;

/// The keys are hashes already.
#[derive(Default)]
struct KeyHasher(u64);

impl Hasher for KeyHasher {
    fn finish(&self) -> u64 {
        self.0
    }

    fn write_u64(&mut self, key: u64) {
        self.0 = key;
    }

    fn write(&mut self, bytes: &[u8]) {
        for byte in bytes {
            self.0 = self.0.rotate_left(8) ^ u64::from(*byte);
        }
    }
}
