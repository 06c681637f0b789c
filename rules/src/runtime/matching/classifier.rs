//! Classifies requests: the flow schema, priority level and flow of each.

use super::index::SubjectIndex;
use super::objects;
use super::policy::PolicyRule;
use super::request::RequestAttributes;
use crate::bootstrap;
use crate::sharding::flow_hash;
use k8s_flowcontrol_types::api::v1::{
    FlowDistinguisherMethodType, FlowSchema, PriorityLevelConfiguration,
};
use k8s_flowcontrol_types::{Release, Resource, order};

/// A configuration, prepared for classifying requests.
///
/// It owns all its data, so that threads can share it by reference.
#[derive(Clone, Debug)]
pub struct Classifier {
    /// In the order in which a server tries them; includes schemas with a missing level, for explanations.
    pub(super) schemas: Vec<Schema>,
    /// All rules of the usable schemas, in the order in which a server tries them.
    rules: Vec<Rule>,
    index: SubjectIndex,
}

/// A flow schema, prepared for matching.
#[derive(Clone, Debug)]
pub(super) struct Schema {
    pub(super) name: String,
    pub(super) level: String,
    pub(super) dangling: bool,
    /// The range of the schema's rules in [`Classifier::rules`].
    pub(super) rules: std::ops::Range<usize>,
    built_in_fallback: bool,
    /// The flow distinguisher; `None` if the level has at most one queue.
    distinguisher: Option<FlowDistinguisherMethodType>,
}

/// A rule, prepared for matching.
#[derive(Clone, Debug)]
pub(super) struct Rule {
    /// The schema's index.
    pub(super) schema: usize,
    pub(super) policy: PolicyRule,
}

impl Classifier {
    /// Prepares a configuration for a server of `release`.
    ///
    /// Missing mandatory objects are added with their built-in values. A flow schema is used only if its priority level is one
    /// of `priority_levels`: a server uses the built-in value of a missing level only for the mandatory flow schemas, which it
    /// then adds. Absent fields get the server's defaults. Of several objects with the same name the last one counts.
    ///
    /// Both are slices, or any other iterators of references, such as `snapshot.iter().map(|schema| &**schema)` for a
    /// snapshot of a store.
    ///
    /// ```
    /// use k8s_flowcontrol_rules::matching::{Classifier, RequestAttributes, User};
    /// use k8s_flowcontrol_types::Release;
    /// use k8s_flowcontrol_types::api::v1::{FlowSchema, PriorityLevelConfiguration};
    ///
    /// let level: PriorityLevelConfiguration = serde_json::from_str(r#"{
    ///     "metadata": {"name": "batch"},
    ///     "spec": {"type": "Limited", "limited": {"limitResponse": {"type": "Reject"}}}}"#)?;
    /// let schema: FlowSchema = serde_json::from_str(r#"{
    ///     "metadata": {"name": "reports"},
    ///     "spec": {"priorityLevelConfiguration": {"name": "batch"}, "rules": [{
    ///         "subjects": [{"kind": "User", "user": {"name": "alice"}}],
    ///         "nonResourceRules": [{"verbs": ["get"], "nonResourceURLs": ["/version"]}]}]}}"#)?;
    /// let classifier = Classifier::new([&schema], [&level], Release::NEWEST);
    /// let request = RequestAttributes::from_http("GET", "/version", User::named("alice"))?;
    /// assert_eq!(classifier.classify(&request).map(|taken| taken.flow_schema), Some("reports"));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn new<'a>(
        flow_schemas: impl IntoIterator<Item = &'a FlowSchema>,
        priority_levels: impl IntoIterator<Item = &'a PriorityLevelConfiguration>,
        release: Release,
    ) -> Self {
        let levels = objects::levels_in_use(priority_levels, release);
        let level_of = |schema: &FlowSchema| {
            objects::level_named(&levels, &schema.spec.priority_level_configuration.name)
        };
        let is_usable =
            |schema: &FlowSchema| level_of(schema).is_some_and(|level| !level.built_in_fallback);
        let given = in_order(flow_schemas, release);
        let mut built_in_fallback = Vec::new();
        for built_in in bootstrap::flow_schemas(release) {
            let found = given.iter().find(|schema| schema.name() == built_in.name());
            if bootstrap::is_mandatory(built_in.name()) && !found.is_some_and(is_usable) {
                built_in_fallback.push(built_in);
            }
        }
        let imagine = |name: &'static str| {
            built_in_fallback
                .iter()
                .filter(move |schema| schema.name() == name)
        };
        // A missing `exempt` comes first and a missing `catch-all` last; existing ones are ordered by precedence.
        let ordered = imagine(objects::EXEMPT)
            .chain(&given)
            .chain(imagine(objects::CATCH_ALL));
        let mut classifier = Self {
            schemas: Vec::new(),
            rules: Vec::new(),
            index: SubjectIndex::default(),
        };
        for schema in ordered {
            let separates_flows = level_of(schema).is_some_and(|level| {
                objects::queuing(&level.object).is_some_and(|(queues, _)| queues > 1)
            });
            let is_built_in_fallback = built_in_fallback
                .iter()
                .any(|other| std::ptr::eq(other, schema));
            classifier.push(
                schema,
                !is_built_in_fallback && !is_usable(schema),
                is_built_in_fallback,
                separates_flows,
            );
        }
        for (number, rule) in classifier.rules.iter().enumerate() {
            classifier.index.insert(number, &rule.policy.subjects);
        }
        classifier
    }

    fn push(
        &mut self,
        schema: &FlowSchema,
        dangling: bool,
        built_in_fallback: bool,
        separates_flows: bool,
    ) {
        let number = self.schemas.len();
        let first = self.rules.len();
        if !dangling {
            for rule in &schema.spec.rules {
                self.rules.push(Rule {
                    schema: number,
                    policy: PolicyRule::new(rule),
                });
            }
        }
        let distinguisher = schema
            .spec
            .distinguisher_method
            .as_ref()
            .map(|method| method.r#type.clone());
        self.schemas.push(Schema {
            name: schema.name().to_owned(),
            level: schema.spec.priority_level_configuration.name.clone(),
            dangling,
            rules: first..self.rules.len(),
            built_in_fallback,
            distinguisher: distinguisher.filter(|_| separates_flows),
        });
    }

    /// The flow schemas whose priority level is missing, each with the name of this level. No request matches them.
    pub fn dangling(&self) -> impl Iterator<Item = (&str, &str)> {
        let dangling = self.schemas.iter().filter(|schema| schema.dangling);
        dangling.map(|schema| (schema.name.as_str(), schema.level.as_str()))
    }

    /// Returns the flow schema, the priority level and the flow of a request.
    ///
    /// `None` if the request is [not subject to flow control](RequestAttributes::is_subject_to_flow_control).
    pub fn classify<'a>(&'a self, request: &'a RequestAttributes) -> Option<Classification<'a>> {
        if !request.is_subject_to_flow_control() {
            return None;
        }
        let rule = self.index.rules_for(&request.user).find_map(|rule| {
            self.rules
                .get(rule)
                .filter(|rule| rule.policy.matches_request(request))
        });
        match rule {
            Some(rule) => self.classification(rule.schema, request),
            None => self.last_resort(request),
        }
    }

    /// The classification of a request that no schema matches: the user is in neither group of all users.
    pub(super) fn last_resort<'a>(
        &'a self,
        request: &'a RequestAttributes,
    ) -> Option<Classification<'a>> {
        let catch_all = self
            .schemas
            .iter()
            .rposition(|schema| schema.name == objects::CATCH_ALL && !schema.dangling)?;
        self.classification(catch_all, request)
    }

    pub(super) fn classification<'a>(
        &'a self,
        schema: usize,
        request: &'a RequestAttributes,
    ) -> Option<Classification<'a>> {
        let schema = self.schemas.get(schema)?;
        let flow_distinguisher = match schema.distinguisher {
            Some(FlowDistinguisherMethodType::ByUser) => request.user.name.as_str(),
            Some(FlowDistinguisherMethodType::ByNamespace) => request.namespace.as_str(),
            _ => "",
        };
        Some(Classification {
            flow_schema: &schema.name,
            priority_level: &schema.level,
            flow_distinguisher,
            built_in_fallback: schema.built_in_fallback,
        })
    }

    pub(super) fn rules_of(&self, schema: &Schema) -> &[Rule] {
        self.rules.get(schema.rules.clone()).unwrap_or_default()
    }
}

/// The schemas with defaults, in the order in which a server tries them.
fn in_order<'a>(
    schemas: impl IntoIterator<Item = &'a FlowSchema>,
    release: Release,
) -> Vec<FlowSchema> {
    let mut ordered = objects::by_name(schemas, release);
    // A stable sort keeps equal precedences in the order of their names.
    order::sort_by(&mut ordered, |left, right| {
        let precedence = |schema: &FlowSchema| schema.spec.matching_precedence;
        precedence(left).cmp(&precedence(right))
    });
    ordered
}

/// The flow schema, priority level and flow of a request.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Classification<'a> {
    /// The name of the flow schema.
    pub flow_schema: &'a str,
    /// The name of the priority level.
    pub priority_level: &'a str,
    /// The flow distinguisher: the user name or the namespace; empty without a distinguisher method, or if the level
    /// has at most one queue.
    pub flow_distinguisher: &'a str,
    /// Whether the flow schema is mandatory but missing, so that the server uses its built-in value.
    pub built_in_fallback: bool,
}

impl Classification<'_> {
    /// The hash of the flow, which selects its queues; see [`flow_hash`].
    pub fn flow_hash(&self) -> u64 {
        flow_hash(self.flow_schema, self.flow_distinguisher)
    }
}
