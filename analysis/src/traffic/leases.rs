//! The lease renewals in logs, which every kubelet and every API server sends all the time.

use crate::saved::numbers::{Count, Time, sum};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// The renewals of at most `MOST` leases, by the name of the lease.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(transparent)]
pub(super) struct Leases<const MOST: usize>(BTreeMap<String, Renewals>);

/// The times of the first and of the last renewal of a lease, and the number.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
struct Renewals {
    first: Time<1>,
    last: Time<1>,
    number: Count,
}

impl<const MOST: usize> Leases<MOST> {
    /// Adds a renewal.
    pub(super) fn add(&mut self, name: &str, time: i64) {
        let renewals = Renewals {
            first: Time(time),
            last: Time(time),
            number: Count(1),
        };
        self.add_all(name, renewals);
    }

    fn add_all(&mut self, name: &str, renewals: Renewals) {
        if let Some(own) = self.0.get_mut(name) {
            own.first = own.first.min(renewals.first);
            own.last = own.last.max(renewals.last);
            own.number += renewals.number;
        } else if self.0.len() < MOST {
            self.0.insert(name.to_owned(), renewals);
        }
    }

    /// Adds the renewals of other logs.
    pub(super) fn merge(&mut self, other: Self) {
        for (name, renewals) in other.0 {
            self.add_all(&name, renewals);
        }
    }

    /// The renewals after the first renewal of each lease, and the microseconds from the first to the last renewal of each lease.
    pub(super) fn totals(&self) -> (u64, i64) {
        self.0.values().fold((0, 0), |(number, time), own| {
            (
                sum(number, own.number.0.saturating_sub(1)),
                time.saturating_add(own.last.0.saturating_sub(own.first.0)),
            )
        })
    }

    /// The number of servers that ran at the same time as another one. Before 1.26 a server has another name after a restart, whose period begins
    /// after that of the old name; newer names come from the host name.
    pub(super) fn overlapping(&self) -> Option<usize> {
        let overlap = |(name, own): &(&String, &Renewals)| {
            let mut others = self.0.iter().filter(|(other, _)| other != name);
            others.any(|(_, other)| other.first < own.last && own.first < other.last)
        };
        let servers = self.0.iter().filter(overlap).count();
        (servers > 1).then_some(servers)
    }
}
