//! The changes between two logs.

use super::calls::Calls;
use super::tally::{CallerReport, GroupCalls};
use k8s_flowcontrol_types::__named as named;
use serde::Serialize;
use std::collections::HashMap;

/// A change of a caller, in requests per hour.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub struct Change {
    /// The name of the group.
    pub name: String,
    /// The kind.
    pub kind: ChangeKind,
    /// The rate before, per hour.
    pub before: f64,
    /// The rate after, per hour.
    pub after: f64,
}

named! {
    /// The kind of a change.
    #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize)]
    #[serde(rename_all = "camelCase")]
    #[non_exhaustive]
    pub enum ChangeKind {
        /// The caller is not in the log before.
        New = "new caller",
        /// More requests.
        Requests = "more requests",
        /// More lists.
        Lists = "more lists",
        /// More lists without `resourceVersion`, where `resourceVersion=0` would be served from the cache.
        MissingResourceVersion = "more lists without resourceVersion",
        /// More watches that end within a minute, and start again.
        RestartingWatches = "watches restart within a minute",
        /// More requests that repeat a rejected request.
        Retries = "retries of rejected requests",
        /// The caller is no longer in the log.
        Gone = "no more requests",
    }
    /// The kind for people.
    pub fn text;
}

impl ChangeKind {
    fn rate(self, calls: &Calls) -> u64 {
        match self {
            Self::New | Self::Requests | Self::Gone => calls.requests,
            Self::Lists => calls.lists,
            Self::MissingResourceVersion => calls.newest_lists,
            Self::RestartingWatches => calls.short_watches,
            Self::Retries => calls.retries,
        }
    }
}

/// The kinds of changes of a caller that both logs have.
const COMPARED: [ChangeKind; 5] = [
    ChangeKind::Requests,
    ChangeKind::Lists,
    ChangeKind::MissingResourceVersion,
    ChangeKind::RestartingWatches,
    ChangeKind::Retries,
];
/// A rate counts as changed if it is this many times the rate before, and if it is higher by this many an hour.
const TIMES: f64 = 1.5;
const AT_LEAST: f64 = 5.0;
/// A shorter log is compared as if it had this time, in seconds: a single request does not make a rate.
const SHORTEST: f64 = 60.0;

impl CallerReport {
    /// The changes since the log of another report with the same property: new callers, and rates that are at least half as high again and
    /// five an hour higher. The largest increase comes first.
    pub fn changes_since(&self, before: &Self) -> Vec<Change> {
        let old: HashMap<_, _> = before
            .groups
            .iter()
            .map(|own| (own.name.as_str(), own))
            .collect();
        let new: HashMap<_, _> = self
            .groups
            .iter()
            .map(|own| (own.name.as_str(), own))
            .collect();
        let mut changes = Vec::new();
        for group in &self.groups {
            match old.get(group.name.as_str()) {
                None => {
                    let rate = |kind| self.rate(kind, group);
                    changes.push(change(group, ChangeKind::New, 0.0, rate(ChangeKind::New)));
                    // A new caller shows its habits too.
                    for kind in &COMPARED[2..] {
                        if rate(*kind) >= AT_LEAST {
                            changes.push(change(group, *kind, 0.0, rate(*kind)));
                        }
                    }
                }
                Some(own) => {
                    for kind in COMPARED {
                        let (from, to) = (before.rate(kind, own), self.rate(kind, group));
                        if to >= from * TIMES && to - from >= AT_LEAST {
                            changes.push(change(group, kind, from, to));
                        }
                    }
                }
            }
        }
        for group in &before.groups {
            if !new.contains_key(group.name.as_str()) {
                let rate = before.rate(ChangeKind::Gone, group);
                changes.push(change(group, ChangeKind::Gone, rate, 0.0));
            }
        }
        changes.sort_by(|a, b| {
            let order = (b.after - b.before).total_cmp(&(a.after - a.before));
            order.then_with(|| (&a.name, a.kind).cmp(&(&b.name, b.kind)))
        });
        changes
    }

    /// The rate of a kind of requests, per hour.
    fn rate(&self, kind: ChangeKind, group: &GroupCalls) -> f64 {
        let rate = kind.rate(&group.calls) as f64 * 3600.0 / self.seconds.max(SHORTEST);
        (rate * 10.0).round() / 10.0
    }
}

fn change(group: &GroupCalls, kind: ChangeKind, before: f64, after: f64) -> Change {
    Change {
        name: group.name.clone(),
        kind,
        before,
        after,
    }
}
