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
}

impl RetryAfter {
    pub(super) fn new(release: Release) -> Self {
        Self {
            seconds: 1,
            changes: release.has(Fact::RetryAfterGrows),
            last: (0, 0),
            past: VecDeque::new(),
            doubled: None,
        }
    }

    /// Counts a rejection, and returns the time of its header.
    pub(super) fn reject(&mut self, now: Duration) -> Duration {
        let second = now.as_secs();
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
            self.change(second);
        }
        Duration::from_secs(self.seconds)
    }

    /// The first rejection of a second changes it, by those of the seconds before.
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

#[cfg(test)]
mod tests {
    use super::*;

    fn headers(retry_after: &mut RetryAfter, rejections: &[(u64, u64)]) -> Vec<u64> {
        let mut last_of_each = Vec::new();
        for (second, count) in rejections {
            let at = Duration::from_secs(*second);
            let all = (0..*count).map(|_| retry_after.reject(at).as_secs());
            last_of_each.extend(all.last());
        }
        last_of_each
    }

    /// The values of a server of 1.36 that rejected so many requests in these seconds.
    #[test]
    fn it_doubles_under_many_rejections_and_falls_by_one() {
        let mut level = RetryAfter::new(Release::NEWEST);
        let many = [
            (10, 9),
            (11, 9),
            (12, 9),
            (13, 9),
            (14, 9),
            (15, 9),
            (16, 9),
            (17, 9),
        ];
        assert_eq!(headers(&mut level, &many), [1, 2, 2, 4, 4, 4, 4, 8]);
        assert_eq!(headers(&mut level, &[(30, 1), (31, 1), (60, 1)]), [7, 6, 5]);
        // A long time without a rejection does not change it.
        assert_eq!(headers(&mut level, &[(10_000, 1)]), [4]);
    }

    #[test]
    fn it_has_a_longest_value_and_is_constant_in_older_releases() {
        let flood: Vec<_> = (100..400).map(|second| (second, 200)).collect();
        let mut level = RetryAfter::new(Release::NEWEST);
        assert_eq!(headers(&mut level, &flood).last(), Some(&32));
        let mut level = RetryAfter::new("1.27".parse().unwrap());
        assert!(
            headers(&mut level, &flood)
                .iter()
                .all(|header| *header == 1)
        );
    }
}
