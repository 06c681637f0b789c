//! The clients of old versions in an audit log.

use super::requested::removed_in;
use crate::api_resources::with_subresource;
use crate::audit::{Counts, Event, Stage};
use k8s_flowcontrol_types::{GROUP, Release};
use serde::Serialize;
use std::collections::{BTreeMap, BTreeSet};

/// A client that requested a resource in an old version.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub struct Caller {
    /// The user, after impersonation.
    pub user: String,
    /// The `User-Agent` header.
    pub user_agent: String,
    /// The API version.
    pub version: String,
    /// The resource, followed by a slash and the subresource if there is one.
    pub resource: String,
    /// The number of requests with each verb.
    pub verbs: BTreeMap<String, usize>,
    /// Whether any of the verbs writes.
    pub writes: bool,
    /// The number of requests that failed.
    pub failed: usize,
    /// Whether the server marked any of the requests as deprecated.
    pub deprecated: bool,
    /// The time of the last request.
    pub last: Option<String>,
    /// The first minor release that does not serve the version.
    #[serde(serialize_with = "super::requested::as_release")]
    pub refused_from: u32,
}

/// The clients of old versions in an audit log of any length. The memory depends on their number.
#[derive(Clone, Debug, Default)]
#[non_exhaustive]
pub struct LogCallers {
    /// The number of events.
    pub events: u64,
    /// The number of requests for objects of the group, in any version.
    pub our_requests: u64,
    /// The number of lines that are not events.
    pub broken: u64,
    callers: BTreeMap<Key, Caller>,
    denied: BTreeMap<(String, String), Denied>,
}

/// A client that may not list or watch the objects of flow control, such as an extension API server without the role for it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub struct Denied {
    /// The user, after impersonation.
    pub user: String,
    /// The `User-Agent` header.
    pub user_agent: String,
    /// The resources that it may not list or watch.
    pub resources: BTreeSet<String>,
    /// The number of requests with 403.
    pub requests: usize,
    /// The time of the last one.
    pub last: Option<String>,
    /// Whether it lists or watches successfully later, so that it has the permission now.
    #[serde(skip)]
    is_over: bool,
}

/// User, user agent, version, and resource.
type Key = (String, String, String, String);

impl LogCallers {
    /// Adds the numbers of events and broken lines. Call it once, at the end of the log.
    pub fn add_counts(&mut self, counts: &Counts) {
        self.events += counts.events;
        self.broken += counts.broken;
    }

    /// Adds a request, from its last event. `target` is the release whose servers reject the old versions.
    pub fn add(&mut self, event: &Event<'_>, target: Release) {
        let Some(object) = &event.object_ref else {
            return;
        };
        if object.api_group != GROUP || event.stage == Stage::RequestReceived {
            return;
        }
        self.our_requests += 1;
        self.deny(event);
        let Some(refused_from) = removed_in(&object.api_version, target) else {
            return;
        };
        let resource = with_subresource(&object.resource, &object.subresource);
        let key = (
            event.effective_user().name.to_string(),
            event.user_agent.to_string(),
            object.api_version.to_string(),
            resource,
        );
        let caller = self.callers.entry(key.clone()).or_insert_with(|| Caller {
            user: key.0,
            user_agent: key.1,
            version: key.2,
            resource: key.3,
            verbs: BTreeMap::new(),
            writes: false,
            failed: 0,
            deprecated: false,
            last: None,
            refused_from,
        });
        caller.deprecated |= event.annotation("k8s.io/deprecated") == Some("true");
        let time = Some(event.received.as_ref()).filter(|time| !time.is_empty());
        if time > caller.last.as_deref() {
            caller.last = time.map(str::to_owned);
        }
        caller.writes |= WRITES.contains(&event.verb.as_ref());
        *caller.verbs.entry(event.verb.to_string()).or_default() += 1;
        caller.failed += usize::from(event.code.is_some_and(|code| code >= 400));
    }

    /// Notes a list or watch that was forbidden, or that succeeded after others were.
    fn deny(&mut self, event: &Event<'_>) {
        let (Some(object), Some(code)) = (&event.object_ref, event.code) else {
            return;
        };
        if !["list", "watch"].contains(&event.verb.as_ref()) {
            return;
        }
        let user = event.effective_user().name.to_string();
        let key = (user, event.user_agent.to_string());
        if code != 403 {
            if let Some(denied) = self.denied.get_mut(&key).filter(|_| code < 400) {
                denied.is_over |= denied.last.as_deref() < Some(&event.received);
            }
            return;
        }
        let denied = self.denied.entry(key.clone()).or_insert_with(|| Denied {
            user: key.0,
            user_agent: key.1,
            resources: BTreeSet::new(),
            requests: 0,
            last: None,
            is_over: false,
        });
        denied.resources.insert(object.resource.to_string());
        denied.requests += 1;
        let time = Some(event.received.as_ref()).filter(|time| !time.is_empty());
        if time > denied.last.as_deref() {
            denied.last = time.map(str::to_owned);
            denied.is_over = false;
        }
    }

    /// The clients that may not list or watch the objects of the group.
    pub fn denied(&self) -> Vec<&Denied> {
        self.denied
            .values()
            .filter(|denied| !denied.is_over)
            .collect()
    }

    /// The clients of old versions, writers first.
    pub fn callers(&self) -> Vec<&Caller> {
        let mut callers: Vec<_> = self.callers.values().collect();
        callers.sort_by_key(|caller| !caller.writes);
        callers
    }
}

const WRITES: [&str; 5] = ["create", "update", "patch", "delete", "deletecollection"];
