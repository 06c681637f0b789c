//! The header `Retry-After` of rejections.

use k8s_flowcontrol_types::{Fact, Release};
use std::collections::VecDeque;
use std::time::Duration;

/// The longest `Retry-After`, in seconds.
const LONGEST: u64 = 32;
/// It doubles if at least this many requests were rejected for each of its seconds, within them.
const MANY: u64 = 3;

/// The `Retry-After` of a priority level: the more requests it rejected lately, the longer.
#[derive(Clone, Debug)]
pub(super) struct RetryAfter {
    seconds: u64,
    /// Whether it changes: before 1.28 it is always one second.
    changes: bool,
    /// The last second with a rejection, and the rejections in it.
    last: (u64, u64),
    /// The seconds with rejections before, and the rejections in each.
    past: VecDeque<(u64, u64)>,
    /// The second in which it last doubled.
    doubled: Option<u64>,
    /// The second from which rejections are known; none before the first one.
    known_since: Option<u64>,
}

impl RetryAfter {
    pub(super) fn new(release: Release) -> Self {
        Self {
            seconds: 1,
            changes: release.has(Fact::RetryAfterGrows),
            last: (0, 0),
            past: VecDeque::new(),
            doubled: None,
            known_since: Some(0),
        }
    }

    /// Continues with this time, which changes when the rejections of as many seconds are known.
    pub(super) fn set(&mut self, time: Duration) {
        if self.changes {
            self.seconds = time.as_secs().clamp(1, LONGEST);
            self.known_since = None;
        }
    }

    /// Counts a rejection, and returns the time of its header.
    pub(super) fn reject(&mut self, now: Duration) -> Duration {
        let second = now.as_secs();
        let known_since = *self.known_since.get_or_insert(second);
        if self.last.0 == second {
            self.last.1 += 1;
        } else if self.changes {
            self.past.push_back(self.last);
            self.last = (second, 1);
            while self
                .past
                .front()
                .is_some_and(|(past, _)| second.saturating_sub(*past) > LONGEST)
            {
                self.past.pop_front();
            }
            if second.saturating_sub(known_since) >= self.seconds {
                self.change(second);
            }
        }
        Duration::from_secs(self.seconds)
    }

    /// The first rejection of a second changes it, by the rejections of the seconds before.
    fn change(&mut self, second: u64) {
        let lately = |(past, _): &&(u64, u64)| second.saturating_sub(*past) <= self.seconds;
        let rejected: u64 = self
            .past
            .iter()
            .filter(lately)
            .map(|(_, count)| count)
            .sum();
        let may_double = self
            .doubled
            .is_none_or(|doubled| second.saturating_sub(doubled) >= self.seconds);
        if may_double && rejected >= MANY * self.seconds {
            self.seconds = (self.seconds * 2).min(LONGEST);
            self.doubled = Some(second);
        } else if rejected < self.seconds && self.seconds > 1 {
            self.seconds -= 1;
        }
    }
}
