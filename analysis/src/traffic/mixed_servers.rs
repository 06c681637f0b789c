//! Whether logs have the requests of several API servers.

use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// The most servers that are distinguished.
const MOST: usize = 100;

/// The API servers that renewed their leases, each with the times of its first and its last renewal.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub(super) struct MixedServers {
    periods: BTreeMap<String, (i64, i64)>,
}

impl MixedServers {
    /// Adds a renewal.
    pub(super) fn add(&mut self, name: &str, time: i64) {
        self.add_period(name, (time, time));
    }

    fn add_period(&mut self, name: &str, (first, last): (i64, i64)) {
        if let Some(own) = self.periods.get_mut(name) {
            *own = (own.0.min(first), own.1.max(last));
        } else if self.periods.len() < MOST {
            self.periods.insert(name.to_owned(), (first, last));
        }
    }

    /// Adds the renewals of other logs.
    pub(super) fn merge(&mut self, other: Self) {
        for (name, period) in other.periods {
            self.add_period(&name, period);
        }
    }

    /// The number of servers that ran at the same time as another one. Before 1.26 a server has another name after a restart, whose period begins
    /// after that of the old name; newer names come from the host name.
    pub(super) fn mixed(&self) -> Option<usize> {
        let overlap = |(name, (first, last)): &(&String, &(i64, i64))| {
            let mut others = self.periods.iter().filter(|(other, _)| other != name);
            others.any(|(_, (begin, end))| begin < last && first < end)
        };
        let servers = self.periods.iter().filter(overlap).count();
        (servers > 1).then_some(servers)
    }
}
