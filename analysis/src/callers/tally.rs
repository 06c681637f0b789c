//! Requests by caller, or by another property.

use super::calls::{Calls, Habits};
use super::identity::Identity;
use crate::api_resources::{with_group, with_subresource};
use crate::audit::Event;
use crate::redact::Redactor;
use crate::times::widen;
use jiff::Timestamp;
use k8s_flowcontrol_types::__named as named;
use serde::{Deserialize, Serialize};
use std::collections::{BTreeSet, HashMap};

/// The most groups. Further ones are counted together, because a client can use any number of names.
const MOST_GROUPS: usize = 100_000;
/// The name of these.
const OTHERS: &str = "(others)";
/// The most address ranges that are kept for a group.
const MOST_SOURCES: usize = 8;

named! {
    /// The property by which requests are grouped.
    #[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
    #[serde(rename_all = "camelCase")]
    #[non_exhaustive]
    pub enum By {
        /// The name of [`Identity::caller`].
        Caller = "caller",
        /// The user who counts for flow control.
        User = "user",
        /// The user agent.
        Agent = "agent",
        /// The namespace; empty for objects without a namespace and for other paths.
        Namespace = "namespace",
        /// The verb.
        Verb = "verb",
        /// The resource with its group and subresource, such as `deployments.apps/scale`; the path of other requests.
        Resource = "resource",
    }
    /// The name, in lower case.
    pub fn as_str;
    /// All properties.
    pub const ALL;
}

impl By {
    /// The property with a name as [`as_str`](Self::as_str) returns it.
    pub fn named(name: &str) -> Option<Self> {
        Self::ALL.iter().copied().find(|by| by.as_str() == name)
    }

    /// The property in a few words, for people.
    pub const fn summary(self) -> &'static str {
        match self {
            Self::Caller => "The client: its service account, component or user, and its program",
            Self::User => "The user who counts for flow control",
            Self::Agent => "The user agent",
            Self::Namespace => "The namespace",
            Self::Verb => "The verb",
            Self::Resource => "The resource, or the path of other requests",
        }
    }
}

/// Sums of requests by group. The memory depends on the number of groups, of which at most 100,000 are kept.
#[derive(Clone, Debug)]
pub struct Callers {
    by: By,
    redactor: Redactor,
    groups: HashMap<String, Group>,
    habits: Habits,
    /// The first and the last arrival.
    period: Option<(i64, i64)>,
    /// The first and the last time at which a counted event was written. Watches can arrive long before their log begins.
    logged: Option<(i64, i64)>,
}

#[derive(Clone, Debug, Default)]
struct Group {
    calls: Calls,
    sources: BTreeSet<String>,
}

/// The requests of a log by group.
#[derive(Clone, Debug, Serialize)]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub struct CallerReport {
    /// The property of the groups.
    pub by: By,
    /// The arrival of the first and of the last request, in RFC 3339.
    pub first_request: Option<String>,
    /// See `first_request`.
    pub last_request: Option<String>,
    /// The time from the end of the first to the end of the last request in the log, in seconds. Rates refer to it.
    pub seconds: f64,
    /// The groups, the largest first.
    pub groups: Vec<GroupCalls>,
}

/// The requests of a group.
#[derive(Clone, Debug, Serialize)]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub struct GroupCalls {
    /// The name of the group.
    pub name: String,
    /// The sums.
    #[serde(flatten)]
    pub calls: Calls,
    /// The address ranges of its clients, at most eight.
    pub sources: Vec<String>,
}

impl Callers {
    /// No request.
    pub fn new(by: By, redactor: Redactor) -> Self {
        Self {
            by,
            redactor,
            groups: HashMap::new(),
            habits: Habits::default(),
            period: None,
            logged: None,
        }
    }

    /// Adds a request, from its last event and its estimated initial seats.
    pub fn add(&mut self, event: &Event<'_>, seats: u64) {
        let identity = Identity::of(event, &self.redactor);
        let calls = self.habits.calls(event, seats);
        let received = event.received_us();
        if let Some(time) = received {
            widen(&mut self.period, time);
        }
        if let Some(time) = event.stage_us().or(received) {
            widen(&mut self.logged, time);
        }
        let name = self.by.group(event, &identity, &self.redactor);
        let is_full = self.groups.len() >= MOST_GROUPS && !self.groups.contains_key(&name);
        let name = if is_full { OTHERS.to_owned() } else { name };
        let group = self.groups.entry(name).or_default();
        group.calls.add(calls);
        if !identity.source.is_empty() && group.sources.len() < MOST_SOURCES {
            group.sources.insert(identity.source);
        }
    }

    /// The report, whose groups are sorted by requests.
    pub fn report(&self) -> CallerReport {
        let groups = self.groups.iter().map(|(name, group)| GroupCalls {
            name: name.clone(),
            calls: group.calls,
            sources: group.sources.iter().cloned().collect(),
        });
        let mut groups: Vec<_> = groups.collect();
        groups.sort_by(|a, b| {
            let order = b.calls.requests.cmp(&a.calls.requests);
            order.then_with(|| a.name.cmp(&b.name))
        });
        let shown = |time: i64| {
            Timestamp::from_microsecond(time)
                .ok()
                .map(|time| time.to_string())
        };
        let (first, last) = self.period.unwrap_or_default();
        let (begin, end) = self.logged.unwrap_or_default();
        CallerReport {
            by: self.by,
            first_request: self.period.and_then(|_| shown(first)),
            last_request: self.period.and_then(|_| shown(last)),
            seconds: end.saturating_sub(begin) as f64 / 1e6,
            groups,
        }
    }
}

impl By {
    /// The group of a request, with names replaced as `redactor` does.
    pub(crate) fn group(
        self,
        event: &Event<'_>,
        identity: &Identity,
        redactor: &Redactor,
    ) -> String {
        let attributes = || event.attributes();
        match self {
            By::Caller => identity.caller.clone(),
            By::User => redactor.user(&event.effective_user().name),
            By::Agent => redactor.user_agent(&event.user_agent),
            By::Verb => event.verb.to_string(),
            By::Namespace => redactor.namespace(&attributes().namespace),
            By::Resource => {
                let request = attributes();
                if !request.is_resource_request {
                    return redactor.path(&request.path);
                }
                let name = with_group(&request.resource, &request.api_group);
                with_subresource(&name, &request.subresource)
            }
        }
    }
}
