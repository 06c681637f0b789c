//! Whether a log has the requests of several API servers by turns.

use serde::{Deserialize, Serialize};
use std::collections::BTreeSet;

/// The most servers that are distinguished.
const MOST: usize = 100;

/// The API servers that renewed their leases, in the order of the logs.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub(super) struct MixedServers {
    names: BTreeSet<String>,
    first: Option<String>,
    last: Option<String>,
    /// How often another server renewed its lease than the one before.
    turns: u64,
    renewals: u64,
}

impl MixedServers {
    /// Adds a renewal.
    pub(super) fn add(&mut self, name: &str) {
        self.renewals += 1;
        if self.last.as_deref() == Some(name) {
            return;
        }
        self.turns += u64::from(self.last.is_some());
        self.first.get_or_insert_with(|| name.to_owned());
        self.last = Some(name.to_owned());
        if self.names.len() < MOST {
            self.names.insert(name.to_owned());
        }
    }

    /// Adds the renewals of later logs.
    pub(super) fn merge(&mut self, later: Self) {
        self.renewals += later.renewals;
        self.turns += later.turns;
        if self.last.is_some() && later.first.is_some() && self.last != later.first {
            self.turns += 1;
        }
        if self.first.is_none() {
            self.first = later.first;
        }
        self.last = later.last.or_else(|| self.last.take());
        let room = MOST.saturating_sub(self.names.len());
        self.names.extend(later.names.into_iter().take(room));
    }

    /// The number of servers whose requests are mixed: most renewals are a turn. A server that restarted has another name from then on, and files
    /// of several servers one after the other have one turn each.
    pub(super) fn mixed(&self) -> Option<usize> {
        let servers = self.names.len();
        let is_mixed = self.turns >= 2 * servers as u64 && self.turns * 2 >= self.renewals;
        (servers > 1 && is_mixed).then_some(servers)
    }
}
