//! The evidence in a form that checks can use.

use super::checks::machine::{is_known, is_known_now};
use super::evidence::{Evidence, PrivateName, Scope};
use super::finding::Gap;
use super::load::{Counters, Load};
use super::log_tally::built_in;
use super::unknown_levels::{self, UnknownLevel};
use crate::dumps::RequestState;
use k8s_flowcontrol_rules::matching::{
    Classifier, PolicyRule, RequestAttributes, Subject, UNAUTHENTICATED, User,
};
use k8s_flowcontrol_rules::objects::{self, LevelInUse};
use k8s_flowcontrol_types::Resource;
use k8s_flowcontrol_types::api::v1::{FlowDistinguisherMethodType, FlowSchema};
use std::collections::BTreeSet;

/// The evidence in a form that checks can use.
pub(super) struct Context<'a> {
    pub(super) evidence: &'a Evidence,
    pub(super) scope: &'a Scope<'a>,
    /// The levels that servers use, sorted by name, with defaults.
    pub(super) levels: &'a [LevelInUse],
    /// The load of every level on every server, server by server.
    pub(super) loads: Vec<Load<'a>>,
    /// The levels with waiting or rejected requests that are not among the objects.
    unknown: Vec<UnknownLevel<'a>>,
    /// The flow schemas with defaults, sorted by name.
    pub(super) schemas: Vec<FlowSchema>,
    pub(super) classifier: Classifier,
    pub(super) built_in: Classifier,
    /// The levels of the scope; none for all.
    in_scope: Option<BTreeSet<String>>,
}

impl<'a> Context<'a> {
    pub(super) fn new(
        evidence: &'a Evidence,
        scope: &'a Scope<'a>,
        levels: &'a [LevelInUse],
    ) -> Self {
        let Evidence {
            release,
            flow_schemas,
            priority_levels,
            ..
        } = evidence;
        let mut context = Self {
            evidence,
            scope,
            levels,
            loads: loads(evidence, levels),
            unknown: unknown_levels::of(evidence, levels),
            schemas: objects::by_name(flow_schemas, *release),
            classifier: Classifier::new(flow_schemas, priority_levels, *release),
            built_in: built_in(*release),
            in_scope: None,
        };
        let of_user = scope.user.map(|user| {
            let (schemas, takes_all) = context.schemas_of(user);
            let mut levels: BTreeSet<_> = schemas
                .into_iter()
                .map(|(schema, _)| level_of(schema).to_owned())
                .collect();
            if !takes_all {
                levels.insert(objects::CATCH_ALL.to_owned());
            }
            // A dump shows where the requests are, regardless of the groups.
            let rows = evidence
                .servers
                .iter()
                .flat_map(|server| server.requests.iter().flatten());
            let of_user = rows.filter(|row| {
                row.request
                    .as_ref()
                    .is_some_and(|request| is_by(request, &user.name))
            });
            levels.extend(of_user.map(|row| row.priority_level.clone()));
            levels
        });
        let named = scope.level.map(|level| BTreeSet::from([level.to_owned()]));
        context.in_scope = match (named, of_user) {
            (Some(named), Some(of_user)) => Some(&named & &of_user),
            (named, of_user) => named.or(of_user),
        };
        context
    }

    /// The loads of the levels in the scope.
    pub(super) fn loads(&self) -> impl Iterator<Item = &Load<'a>> {
        self.loads.iter().filter(|load| self.includes(load.name()))
    }

    /// The levels of the scope that have waiting or rejected requests and are not among the objects.
    pub(super) fn unknown_levels(&self) -> impl Iterator<Item = &UnknownLevel<'a>> {
        self.unknown
            .iter()
            .filter(|level| self.includes(&level.name))
    }

    /// The loads of the other limited levels on the same server.
    pub(super) fn others(&self, of: &Load<'a>) -> impl Iterator<Item = &Load<'a>> {
        let (server, level) = (of.server, of.level);
        self.loads.iter().filter(move |load| {
            std::ptr::eq(load.server, server)
                && !std::ptr::eq(load.level, level)
                && !load.is_exempt()
        })
    }

    /// Whether a level is in the scope.
    pub(super) fn includes(&self, level: &str) -> bool {
        self.in_scope
            .as_ref()
            .is_none_or(|levels| levels.contains(level))
    }

    /// Whether a level has waiting requests, or rejected ones in the interval, on a server.
    pub(super) fn is_in_trouble(&self, level: &str) -> bool {
        let mut loads = self.loads.iter();
        loads.any(|load| load.name() == level && load.is_in_trouble_now())
    }

    /// The flow schemas that can take requests of a user, in the order in which a server tries them, each with the index of the
    /// first rule for the user; and whether the last one takes all resource requests that come to it.
    pub(super) fn schemas_of(&self, user: &User) -> (Vec<(&FlowSchema, usize)>, bool) {
        let mut ordered: Vec<&FlowSchema> = self.schemas.iter().collect();
        // A stable sort keeps equal precedences in the order of their names.
        k8s_flowcontrol_types::order::sort_by(
            &mut ordered,
            |left: &&FlowSchema, right: &&FlowSchema| {
                let precedence = |schema: &FlowSchema| schema.spec.matching_precedence;
                precedence(left).cmp(&precedence(right))
            },
        );
        let mut found = Vec::new();
        for schema in ordered {
            if objects::level_named(self.levels, level_of(schema)).is_none() {
                continue;
            }
            let rules: Vec<_> = schema.spec.rules.iter().map(PolicyRule::new).collect();
            let is_for =
                |rule: &PolicyRule| rule.subjects.iter().any(|subject| subject.matches(user));
            let may_be_for = |rule: &PolicyRule| {
                let any_groups = self.scope.any_groups;
                is_for(rule) || any_groups && rule.subjects.iter().any(is_group_of_users)
            };
            let Some(first) = rules.iter().position(may_be_for) else {
                continue;
            };
            found.push((schema, first));
            let takes_all = |namespace: &str| {
                let request = unusual_request(user, namespace);
                let mut rules = rules.iter().filter(|rule| is_for(rule));
                rules.any(|rule| rule.matches_request(&request))
            };
            if takes_all("") && takes_all("any") {
                return (found, true);
            }
        }
        (found, false)
    }

    /// The levels of the scope's user, as a text.
    pub(super) fn levels_in_scope(&self) -> Option<String> {
        let levels: Vec<_> = self.in_scope.as_ref()?.iter().map(String::as_str).collect();
        Some(levels.join(", "))
    }

    /// The name of a flow in findings: the flow schema, and the user or namespace.
    pub(super) fn flow_name(&self, flow_schema: &str, distinguisher: &str) -> String {
        match distinguisher.is_empty() {
            true if self.is_by_namespace(flow_schema) => {
                format!("the flow without a namespace of FlowSchema {flow_schema}")
            }
            true => format!("FlowSchema {flow_schema}"),
            false => format!(
                "{} of FlowSchema {flow_schema}",
                self.distinguisher_name(flow_schema, distinguisher)
            ),
        }
    }

    /// The user or namespace of a flow.
    fn distinguisher_name(&self, flow_schema: &str, distinguisher: &str) -> String {
        match self.is_by_namespace(flow_schema) {
            true => {
                let name = self.scope.name(PrivateName::Namespace(distinguisher));
                format!("namespace {name}")
            }
            // An unknown flow schema may distinguish users.
            false => self.user_name(distinguisher),
        }
    }

    /// Whether a flow schema has a flow for each namespace: its level must have several queues.
    fn is_by_namespace(&self, flow_schema: &str) -> bool {
        let mut schemas = self.schemas.iter();
        let Some(schema) = schemas.find(|known| known.name() == flow_schema) else {
            return false;
        };
        let method = schema.spec.distinguisher_method.as_ref();
        let level = objects::level_named(self.levels, level_of(schema));
        let queuing = level.and_then(|level| objects::queuing(&level.object));
        method.is_some_and(|method| method.r#type == FlowDistinguisherMethodType::ByNamespace)
            && queuing.is_some_and(|(queues, _)| queues > 1)
    }

    /// A user in findings.
    pub(super) fn user_name(&self, name: &str) -> String {
        format!("user {}", self.scope.name(PrivateName::User(name)))
    }

    /// The evidence that is missing.
    pub(super) fn gaps(&self) -> Vec<Gap> {
        let mut gaps = self.evidence.gaps.clone();
        if self.evidence.servers.is_empty() {
            gaps.push(Gap::new(
                "the load of the API servers",
                "no server responded",
            ));
        }
        for server in &self.evidence.servers {
            if server
                .metrics
                .as_ref()
                .is_some_and(|metrics| metrics.is_empty())
            {
                let what = format!("the load of {}", server.name);
                gaps.push(Gap::new(what, "its metrics have none of flow control"));
            }
        }
        for server in &self.evidence.servers {
            let mut loads = self.loads();
            let is_busy =
                loads.any(|load| std::ptr::eq(load.server, server) && load.is_in_trouble());
            if !is_busy || server.metrics.is_none() || is_known_now(server) {
                continue;
            }
            let why = match is_known(server) {
                true => "a single sample of its metrics tells the average since it started",
                false => "its metrics do not tell (go_sched_latencies_seconds)",
            };
            gaps.push(Gap::new(format!("the processor of {}", server.name), why));
        }
        let why = match &self.evidence.log {
            None => Some("no audit log was given"),
            Some(log) => (log.requests() == 0).then_some("the audit logs contain no requests"),
        };
        gaps.extend(why.map(|why| Gap::new("past requests", why)));
        if let (Some(user), true, Some(levels)) = (
            self.scope.user,
            self.scope.any_groups,
            self.levels_in_scope(),
        ) {
            let why = format!(
                "no log shows them, and they decide about the priority level; looked at were all that the user might get: {levels}"
            );
            gaps.push(Gap::new(
                format!("the groups of {}", self.user_name(&user.name)),
                why,
            ));
        }
        let named = self.scope.level;
        let missing = named.filter(|level| objects::level_named(self.levels, level).is_none());
        if let Some(level) = missing {
            gaps.push(Gap::new(
                format!("priority level {level}"),
                "it does not exist, or the server ignores it",
            ));
        }
        gaps
    }
}

fn loads<'a>(evidence: &'a Evidence, levels: &'a [LevelInUse]) -> Vec<Load<'a>> {
    let mut loads = Vec::new();
    for server in &evidence.servers {
        let counters = Counters::of(server);
        loads.extend(
            levels
                .iter()
                .map(|level| Load::new(server, level, &counters)),
        );
    }
    loads
}

/// Whether a request in a dump belongs to a user.
pub(super) fn is_by(request: &RequestState, user: &str) -> bool {
    match &request.details {
        Some(details) => details.user_name == user,
        None => request.flow_distinguisher == user,
    }
}

/// Whether a subject is a group that an authenticated user can belong to, beside the groups that the user's name implies.
fn is_group_of_users(subject: &Subject) -> bool {
    matches!(subject, Subject::Group(name) if name != UNAUTHENTICATED)
}

/// The name of a flow schema's priority level.
pub(super) fn level_of(schema: &FlowSchema) -> &str {
    &schema.spec.priority_level_configuration.name
}

/// A request that only a rule for all resource requests matches.
fn unusual_request(user: &User, namespace: &str) -> RequestAttributes {
    let odd = "-";
    RequestAttributes {
        user: user.clone(),
        verb: odd.to_owned(),
        is_resource_request: true,
        api_group: odd.to_owned(),
        resource: odd.to_owned(),
        namespace: namespace.to_owned(),
        ..RequestAttributes::default()
    }
}
