//! The requests of an audit log, as the servers of two releases see them.

use super::maintained::{maintained_levels, maintained_schemas};
use super::{Area, Preview};
use crate::api_resources::with_group;
use crate::audit::Event;
use crate::estimates;
use crate::metrics::StoredObjects;
use crate::upgrade::Plan;
use k8s_flowcontrol_rules::matching::Classifier;
use k8s_flowcontrol_rules::seats::{Estimator, LevelBounds, Request};
use k8s_flowcontrol_types::api::v1::{FlowSchema, PriorityLevelConfiguration};
use k8s_flowcontrol_types::{Fact, Release};
use std::collections::BTreeMap;

/// The user agents that are listed one by one; the rest is counted.
const MOST_AGENTS: usize = 20;

/// The requests of audit logs, compared between the two releases of a plan. Memory grows with the resources and user agents, not with
/// the requests.
///
/// [`Preview::add_requests`] adds what changes for them.
///
/// ```
/// use k8s_flowcontrol_analysis::audit::Event;
/// use k8s_flowcontrol_analysis::metrics::StoredObjects;
/// use k8s_flowcontrol_analysis::preview::{Area, Preview, Requests};
/// use k8s_flowcontrol_analysis::upgrade::Plan;
/// use k8s_flowcontrol_rules::bootstrap;
///
/// let plan = Plan::new("1.36".parse()?, "1.37".parse()?);
/// let mut requests = Requests::new(plan, &[], &[], 600, StoredObjects::default());
/// let mut watch = Event::default();
/// watch.verb = "watch".into();
/// watch.user_agent = "own-agent/1.0".into();
/// watch.request_uri = "/api/v1/pods?watch=true".into();
/// requests.add(&watch);
/// let mut preview = Preview::new(plan);
/// preview.add_requests(&requests);
/// assert!(preview.changes().iter().any(|change| change.area == Area::Encodings));
/// # Ok::<(), k8s_flowcontrol_types::release::UnknownRelease>(())
/// ```
#[derive(Clone, Debug)]
pub struct Requests {
    plan: Plan,
    before: Seats,
    after: Seats,
    stored: StoredObjects,
    /// The requests whose seats differ, by verb and resource.
    changed: BTreeMap<(String, String), Changed>,
    /// The watches by user agent.
    watches: BTreeMap<String, u64>,
}

/// The seats of requests in a release.
#[derive(Clone, Debug)]
struct Seats {
    classifier: Classifier,
    bounds: LevelBounds,
    estimator: Estimator,
}

#[derive(Clone, Copy, Debug, Default)]
struct Changed {
    requests: u64,
    before: u64,
    after: u64,
    most_before: u64,
    most_after: u64,
}

impl Requests {
    /// No requests yet, at servers of `server_seats` seats with these objects.
    ///
    /// `stored` has the numbers of stored objects, on which the seats of lists depend.
    pub fn new(
        plan: Plan,
        flow_schemas: &[FlowSchema],
        priority_levels: &[PriorityLevelConfiguration],
        server_seats: u32,
        stored: StoredObjects,
    ) -> Self {
        let seats = |release: Release| {
            let schemas = maintained_schemas(flow_schemas, release);
            let levels = maintained_levels(priority_levels, release);
            Seats {
                classifier: Classifier::new(&schemas, &levels, release),
                bounds: LevelBounds::new(&levels, server_seats, release),
                estimator: Estimator::new(release),
            }
        };
        Self {
            plan,
            before: seats(plan.from),
            after: seats(plan.to),
            stored,
            changed: BTreeMap::new(),
            watches: BTreeMap::new(),
        }
    }

    /// Adds a request, from its last event.
    pub fn add(&mut self, event: &Event<'_>) {
        let attributes = event.attributes();
        if attributes.verb == "watch" {
            let agent = event.user_agent.to_string();
            *self.watches.entry(agent).or_default() += 1;
        }
        if !event.reached_flow_control() {
            return;
        }
        let seats = |server: &Seats| {
            let taken = server.classifier.classify(&attributes)?;
            let estimate = server.estimator.estimate(&Request {
                query: event.query(),
                stored: self.stored.of(&attributes.api_group, &attributes.resource),
                max_seats: server.bounds.of(taken.priority_level),
                ..estimates::request(&attributes)
            });
            Some(estimate.initial_seats)
        };
        let (Some(before), Some(after)) = (seats(&self.before), seats(&self.after)) else {
            return;
        };
        if before == after {
            return;
        }
        let resource = with_group(&attributes.resource, &attributes.api_group);
        let key = (attributes.verb.clone(), resource);
        let changed = self.changed.entry(key).or_default();
        changed.requests += 1;
        changed.before = changed.before.saturating_add(before);
        changed.after = changed.after.saturating_add(after);
        changed.most_before = changed.most_before.max(before);
        changed.most_after = changed.most_after.max(after);
    }
}

impl Preview {
    /// Adds what changes for the requests of audit logs: their seats, and the user agents whose watches are compressed.
    pub fn add_requests(&mut self, requests: &Requests) {
        let source = "the work estimators of both releases, for the audit log";
        for ((verb, resource), changed) in &requests.changed {
            let Changed {
                requests: count,
                before,
                after,
                most_before,
                most_after,
            } = changed;
            let summary = match count {
                1 => format!(
                    "1 request takes {} instead of {before}",
                    crate::nouns::count(after, "seat")
                ),
                _ => format!(
                    "{count} requests take {} instead of {before} together, one at most {most_after} instead of {most_before}",
                    crate::nouns::count(after, "seat")
                ),
            };
            self.push(Area::Seats, &format!("{verb} {resource}"), summary, source);
        }
        let Plan { from, to, .. } = requests.plan;
        let fact = Fact::CompressesWatches;
        if from.has(fact) || !to.has(fact) {
            return;
        }
        let foreign = requests
            .watches
            .iter()
            .filter(|(agent, _)| !is_client_go(agent));
        let mut foreign: Vec<_> = foreign.collect();
        foreign.sort_by(|a, b| b.1.cmp(a.1).then(a.0.cmp(b.0)));
        for (agent, watches) in foreign.iter().take(MOST_AGENTS) {
            let subject = match agent.as_str() {
                "" => "clients without a user agent",
                agent => agent,
            };
            let count = match watches {
                1 => "1 watch".to_owned(),
                count => format!("{count} watches"),
            };
            let summary = format!(
                "{count}: {to} compresses watches for clients that accept gzip, with one gzip member for each flush; check that the client reads several members, or does not accept gzip for watches"
            );
            self.push(Area::Encodings, subject, summary, fact.source());
        }
        if let Some(more) = foreign
            .len()
            .checked_sub(MOST_AGENTS)
            .filter(|more| *more > 0)
        {
            let summary = format!("{more} more user agents watch: see the audit log");
            self.push(Area::Encodings, "other user agents", summary, fact.source());
        }
    }

    /// Adds the field managers of an object that may be clients whose watches are compressed; for servers without an audit log.
    pub fn add_managers<'a>(&mut self, managers: impl IntoIterator<Item = &'a str>) {
        let Plan { from, to, .. } = self.plan();
        let fact = Fact::CompressesWatches;
        if from.has(fact) || !to.has(fact) {
            return;
        }
        for manager in managers {
            let is_known = self
                .changes()
                .iter()
                .any(|change| change.area == Area::Encodings && change.subject == manager);
            if is_known || OF_KUBERNETES.iter().any(|own| manager.starts_with(own)) {
                continue;
            }
            let summary = format!(
                "writes objects; if it watches too and accepts gzip, {to} compresses its watches, with one gzip member for each flush"
            );
            self.push(Area::Encodings, manager, summary, fact.source());
        }
    }
}

/// The beginnings of the names of field managers that are Kubernetes' own.
const OF_KUBERNETES: [&str; 4] = [
    "api-priority-and-fairness-config-",
    "kube-",
    "kubectl",
    "kubelet",
];

/// Whether a user agent comes from client-go, such as `kubectl/v1.31.0 (linux/amd64) kubernetes/5864a46`. Go reads several
/// gzip members.
fn is_client_go(agent: &str) -> bool {
    agent.contains(") kubernetes/") || agent.starts_with("Go-http-client/")
}
