//! The memory of lists in flight and of live watches, which seats do not limit.
//!
//! A list holds its objects while it executes, and a watch needs buffers and goroutines while it lives. [`MemoryTally`] sums both up, by priority level and
//! user, from audit logs and the number and size of the stored objects. The numbers are estimates; [`ASSUMPTION`] says what they rest on.

use crate::audit::Event;
use k8s_flowcontrol_rules::seats::Stored;
use std::collections::BTreeMap;
use std::fmt;

/// The assumptions of the estimates.
pub const ASSUMPTION: &str = "\
Assumed: while it executes, a list holds as many objects as are stored, or as its limit says, at their average stored size; lists of objects whose size \
is unknown are not counted. A server needs several times as much while it decodes and encodes them. A live watch needs 50 to 100 KiB.";

/// The bytes of a live watch: at least and at most.
pub(crate) const WATCH_BYTES: (u64, u64) = (50 << 10, 100 << 10);
/// More bytes of a priority level are worth a warning.
const MANY_BYTES: u64 = 512 << 20;
/// The most users whose sums are kept; the others are summed up together.
const MOST_USERS: usize = 1000;
const SECOND: i64 = 1_000_000;
const MINUTE: i64 = 60 * SECOND;
/// The longest time that one list counts, in seconds, and one watch, in minutes.
const LONGEST_LIST: i64 = 3600;
const LONGEST_WATCH: i64 = 24 * 60;

/// Sums up the lists and watches of audit logs of one server. The memory depends on the time of the logs and on the number of users, of which at most
/// 1,000 are kept.
#[derive(Clone, Debug, Default)]
pub struct MemoryTally {
    /// By priority level, then by second: the bytes of lists times the microseconds that they are held.
    lists: BTreeMap<String, BTreeMap<i64, u128>>,
    users: BTreeMap<(String, String), User>,
    /// The last time in the logs, at which watches without an end still live.
    last_us: i64,
    /// The watches without an end: level, user and begin.
    open: Vec<(String, String, i64)>,
}

#[derive(Clone, Debug, Default)]
struct User {
    largest_list: u64,
    /// The sum over all lists of their bytes times the microseconds that they are held.
    held: u128,
    /// By minute: the microseconds of live watches.
    watches: BTreeMap<i64, u64>,
}

/// The estimated memory of lists and watches.
#[derive(Clone, Debug, Default, PartialEq)]
#[non_exhaustive]
pub struct MemoryEstimate {
    /// The priority levels with lists or watches, the largest first.
    pub levels: Vec<LevelMemory>,
}

/// The estimated memory of a priority level.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct LevelMemory {
    /// The name.
    pub priority_level: String,
    /// The most bytes that lists in flight hold in a second, as the mean of that second.
    pub list_bytes: u64,
    /// The time of that second, in microseconds since 1970.
    pub at_us: i64,
    /// The most live watches in a minute, as the mean of that minute.
    pub watches: u64,
    /// The users, the largest first.
    pub users: Vec<UserMemory>,
}

/// The estimated memory of a user.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct UserMemory {
    /// The name; empty for all users beyond the first 1,000.
    pub name: String,
    /// The bytes of the largest list.
    pub largest_list: u64,
    /// The part of the level's bytes in flight over the whole time, from 0 to 1.
    pub part_of_lists: f64,
    /// The most live watches in a minute, as the mean of that minute.
    pub watches: u64,
}

impl MemoryTally {
    /// Whether a request counts: a list or a watch.
    pub fn counts(event: &Event<'_>) -> bool {
        matches!(&*event.verb, "list" | "watch")
    }

    /// Adds a request, given by its last event, its priority level and the stored objects of its resource. Other requests than lists and watches are
    /// ignored.
    pub fn add(&mut self, event: &Event<'_>, priority_level: &str, user: &str, stored: Stored) {
        let Some(begin) = event.received_us() else {
            return;
        };
        let end = event.stage_us().filter(|end| *end >= begin);
        self.last_us = self.last_us.max(end.unwrap_or(begin));
        match &*event.verb {
            "list" if event.is_last() && !event.is_rejected_by_flow_control() => {
                if let (Some(bytes), Some(end)) = (bytes_of(event.query(), stored), end) {
                    self.add_list(priority_level, user, bytes, (begin, end));
                }
            }
            "watch" if event.is_last() => {
                if let Some(end) = end {
                    self.add_watch(priority_level, user, (begin, end));
                }
            }
            "watch" if event.reached_flow_control() => {
                let (level, user) = (priority_level.to_owned(), user.to_owned());
                self.open.push((level, user, begin));
            }
            _ => {}
        }
    }

    fn add_list(&mut self, level: &str, user: &str, bytes: u64, (begin, end): (i64, i64)) {
        let end = end.min(begin.saturating_add(LONGEST_LIST * SECOND));
        let seconds = match self.lists.get_mut(level) {
            Some(seconds) => seconds,
            None => self.lists.entry(level.to_owned()).or_default(),
        };
        for (second, held_us) in parts(begin, end, SECOND) {
            *seconds.entry(second).or_default() += u128::from(bytes) * u128::from(held_us);
        }
        let user = self.user(level, user);
        user.largest_list = user.largest_list.max(bytes);
        user.held += u128::from(bytes) * u128::from(end.abs_diff(begin));
    }

    fn add_watch(&mut self, level: &str, user: &str, (begin, end): (i64, i64)) {
        let end = end.min(begin.saturating_add(LONGEST_WATCH * MINUTE));
        let user = self.user(level, user);
        for (minute, alive_us) in parts(begin, end, MINUTE) {
            *user.watches.entry(minute).or_default() += alive_us;
        }
    }

    fn user(&mut self, level: &str, user: &str) -> &mut User {
        let key = (level.to_owned(), user.to_owned());
        let is_kept = self.users.len() < MOST_USERS || self.users.contains_key(&key);
        let key = if is_kept { key } else { (key.0, String::new()) };
        self.users.entry(key).or_default()
    }

    /// The estimate. Watches without an end live until the end of the logs.
    pub fn estimate(mut self) -> MemoryEstimate {
        let last = self.last_us;
        for (level, user, begin) in std::mem::take(&mut self.open) {
            self.add_watch(&level, &user, (begin, last.max(begin)));
        }
        let mut levels = BTreeMap::<String, LevelMemory>::new();
        let new = |name: &str| LevelMemory {
            priority_level: name.to_owned(),
            list_bytes: 0,
            at_us: 0,
            watches: 0,
            users: Vec::new(),
        };
        for (name, seconds) in &self.lists {
            let level = levels.entry(name.clone()).or_insert_with(|| new(name));
            for (second, held) in seconds {
                let bytes = u64::try_from(held / SECOND as u128).unwrap_or(u64::MAX);
                if bytes > level.list_bytes {
                    (level.list_bytes, level.at_us) = (bytes, second.saturating_mul(SECOND));
                }
            }
        }
        let mut watches = BTreeMap::<&str, BTreeMap<i64, u64>>::new();
        let mut held = BTreeMap::<&str, u128>::new();
        for ((level, _), user) in &self.users {
            *held.entry(level).or_default() += user.held;
            let minutes = watches.entry(level).or_default();
            for (minute, alive) in &user.watches {
                *minutes.entry(*minute).or_default() += alive;
            }
        }
        for ((name, user_name), user) in &self.users {
            let level = levels.entry(name.clone()).or_insert_with(|| new(name));
            let all = held.get(name.as_str()).copied().unwrap_or_default().max(1);
            level.users.push(UserMemory {
                name: user_name.clone(),
                largest_list: user.largest_list,
                part_of_lists: user.held as f64 / all as f64,
                watches: most(&user.watches),
            });
        }
        for (name, level) in &mut levels {
            level.watches = watches.get(name.as_str()).map_or(0, most);
            let list_bytes = level.list_bytes as f64;
            let size = |user: &UserMemory| {
                user.part_of_lists * list_bytes + (user.watches * WATCH_BYTES.1) as f64
            };
            level
                .users
                .sort_by(|left, right| size(right).total_cmp(&size(left)));
        }
        let mut levels: Vec<_> = levels.into_values().collect();
        levels.sort_by_key(|level| std::cmp::Reverse(level.most_bytes()));
        MemoryEstimate { levels }
    }
}

/// The bytes of a list; none if the size of the objects is unknown.
fn bytes_of(query: &str, stored: Stored) -> Option<u64> {
    let Stored::Known {
        objects,
        average_bytes,
    } = stored
    else {
        return None;
    };
    let mut parameters = query.split('&');
    let limit = parameters.find_map(|parameter| parameter.strip_prefix("limit="));
    let limit = limit.and_then(|limit| limit.parse::<u64>().ok());
    let objects = limit
        .filter(|limit| *limit > 0)
        .map_or(objects, |limit| limit.min(objects));
    Some(objects.saturating_mul(average_bytes)).filter(|bytes| *bytes > 0)
}

/// The microseconds of a time in each of its seconds, or minutes.
fn parts(begin: i64, end: i64, unit: i64) -> impl Iterator<Item = (i64, u64)> {
    let last = end.div_euclid(unit);
    (begin.div_euclid(unit)..=last).map(move |number| {
        let from = begin.max(number.saturating_mul(unit));
        let to = end.min(number.saturating_add(1).saturating_mul(unit));
        (number, to.saturating_sub(from).max(0).unsigned_abs())
    })
}

fn most(watches: &BTreeMap<i64, u64>) -> u64 {
    let most = watches.values().copied().max().unwrap_or_default();
    (most + MINUTE as u64 / 2) / MINUTE as u64
}

impl LevelMemory {
    /// The bytes of lists and watches, with 100 KiB a watch.
    pub fn most_bytes(&self) -> u64 {
        let watches = self.watches.saturating_mul(WATCH_BYTES.1);
        self.list_bytes.saturating_add(watches)
    }
}

/// Formats `lists in flight of batch hold up to 1.2 GiB at 14:03:10, and 3000 live watches need 146 MiB to 293 MiB; the most by user alice`.
impl fmt::Display for LevelMemory {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let name = &self.priority_level;
        let time = jiff::Timestamp::from_microsecond(self.at_us);
        let time = time.map(|time| time.strftime("%H:%M:%S").to_string());
        let watches = format!(
            "{} live watches need {} to {}",
            self.watches,
            Bytes(self.watches.saturating_mul(WATCH_BYTES.0)),
            Bytes(self.watches.saturating_mul(WATCH_BYTES.1))
        );
        match (self.list_bytes, self.watches) {
            (0, _) => write!(f, "{watches} in priority level {name}")?,
            (bytes, watching) => {
                let at = time.unwrap_or_default();
                let bytes = Bytes(bytes);
                write!(
                    f,
                    "lists in flight of priority level {name} hold up to {bytes} at {at}"
                )?;
                if watching > 0 {
                    write!(f, ", and {watches}")?;
                }
            }
        }
        if let Some(user) = self.users.first().filter(|user| !user.name.is_empty()) {
            write!(f, "; the most by user {}", user.name)?;
        }
        Ok(())
    }
}

impl MemoryEstimate {
    /// The priority levels whose lists and watches need more than 512 MiB: seats do not protect the memory of a server from them.
    pub fn large(&self) -> impl Iterator<Item = &LevelMemory> {
        let levels = self.levels.iter();
        levels.filter(|level| level.most_bytes() > MANY_BYTES)
    }
}

/// A number of bytes for people.
struct Bytes(u64);

impl fmt::Display for Bytes {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.0 {
            bytes if bytes >= 1 << 30 => {
                write!(f, "{:.1} GiB", bytes as f64 / f64::from(1_u32 << 30))
            }
            bytes if bytes >= 1 << 20 => write!(f, "{} MiB", bytes >> 20),
            bytes => write!(f, "{} KiB", bytes >> 10),
        }
    }
}
