//! What rules look at: the objects in a form that is easy to compare.

use super::configuration::Configuration;
use crate::analysis::levels::{self, CATCH_ALL, EXEMPT};
use crate::analysis::limits::ServerLimits;
use crate::analysis::matching::{self, Classifier, NonResourceRule, ResourceRule, Subject};
use crate::api::v1::{self, FlowSchema, PriorityLevelConfiguration};
use crate::bootstrap::AUTO_UPDATE_ANNOTATION;
use crate::{Release, Resource};
use std::borrow::Cow;

/// A configuration with the objects that are taken to be there.
pub(super) struct Context<'a> {
    pub(super) release: Release,
    /// Whether there are no other objects.
    pub(super) complete: bool,
    /// In the order in which a server tries them.
    pub(super) schemas: Vec<Schema<'a>>,
    /// Sorted by name.
    pub(super) levels: Vec<Level<'a>>,
    pub(super) limits: ServerLimits,
    pub(super) classifier: Classifier,
}

/// A flow schema.
pub(super) struct Schema<'a> {
    pub(super) object: Cow<'a, FlowSchema>,
    pub(super) upkeep: Upkeep,
    /// Whether a server skips it because its level is missing.
    pub(super) dangling: bool,
    pub(super) rules: Vec<PolicyRule>,
}

/// A rule of a flow schema.
pub(super) struct PolicyRule {
    pub(super) subjects: Vec<Subject>,
    pub(super) resource_rules: Vec<ResourceRule>,
    pub(super) non_resource_rules: Vec<NonResourceRule>,
}

/// A priority level.
pub(super) struct Level<'a> {
    pub(super) object: Cow<'a, PriorityLevelConfiguration>,
    pub(super) upkeep: Upkeep,
}

/// Who says what an object is like.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Upkeep {
    /// People do.
    User,
    /// The server keeps it at its built-in value.
    Server,
    /// It was not given, but is taken to be there.
    Assumed,
}

impl<'a> Context<'a> {
    pub(super) fn new(configuration: &Configuration<'a>) -> Self {
        let Configuration {
            release, complete, ..
        } = *configuration;
        let levels = with_built_in(configuration.priority_levels, release, complete);
        let all_levels: Vec<_> = levels
            .iter()
            .map(|(object, _)| object.as_ref().clone())
            .collect();
        let in_use = levels::in_use(&all_levels, release);
        let schemas = with_built_in(configuration.flow_schemas, release, complete);
        let all_schemas: Vec<_> = schemas
            .iter()
            .map(|(object, _)| object.as_ref().clone())
            .collect();
        let classifier = Classifier::new(&all_schemas, &all_levels, release);
        let limits = ServerLimits::new(&all_levels, configuration.concurrency_limit, release);
        let mut schemas: Vec<Schema<'a>> = schemas
            .into_iter()
            .map(|(object, upkeep)| {
                let level = object.spec.priority_level_configuration.name.as_str();
                let dangling = !in_use.contains_key(level);
                let rules = object.spec.rules.iter().map(PolicyRule::new).collect();
                Schema {
                    upkeep,
                    dangling,
                    rules,
                    object,
                }
            })
            .collect();
        let order: Vec<String> = matching::in_order(&all_schemas)
            .into_iter()
            .map(|schema| schema.name().to_owned())
            .collect();
        schemas.sort_by_key(|schema| order.iter().position(|name| name == schema.name()));
        let mut levels: Vec<Level<'a>> = levels
            .into_iter()
            .map(|(object, upkeep)| Level { object, upkeep })
            .collect();
        levels.sort_by(|left, right| left.name().cmp(right.name()));
        Self {
            release,
            complete,
            schemas,
            levels,
            limits,
            classifier,
        }
    }

    /// The flow schemas that people can change.
    pub(super) fn user_schemas(&self) -> impl Iterator<Item = &Schema<'a>> {
        self.schemas
            .iter()
            .filter(|schema| schema.upkeep == Upkeep::User)
    }

    /// The priority levels that people can change.
    pub(super) fn user_levels(&self) -> impl Iterator<Item = &Level<'a>> {
        self.levels
            .iter()
            .filter(|level| level.upkeep == Upkeep::User)
    }

    /// The level named `name`.
    pub(super) fn level(&self, name: &str) -> Option<&Level<'a>> {
        self.levels.iter().find(|level| level.name() == name)
    }
}

impl Schema<'_> {
    pub(super) fn name(&self) -> &str {
        self.object.name()
    }

    pub(super) fn level(&self) -> &str {
        &self.object.spec.priority_level_configuration.name
    }

    /// The rules about resources with their paths.
    pub(super) fn resource_policies(
        &self,
    ) -> impl Iterator<Item = (String, &v1::ResourcePolicyRule)> {
        self.object
            .spec
            .rules
            .iter()
            .enumerate()
            .flat_map(|(rule, policies)| {
                policies
                    .resource_rules
                    .iter()
                    .enumerate()
                    .map(move |(index, policy)| {
                        (format!("spec.rules[{rule}].resourceRules[{index}]"), policy)
                    })
            })
    }

    /// The rules about other requests with their paths.
    pub(super) fn non_resource_policies(
        &self,
    ) -> impl Iterator<Item = (String, &v1::NonResourcePolicyRule)> {
        self.object
            .spec
            .rules
            .iter()
            .enumerate()
            .flat_map(|(rule, policies)| {
                policies
                    .non_resource_rules
                    .iter()
                    .enumerate()
                    .map(move |(index, policy)| {
                        (
                            format!("spec.rules[{rule}].nonResourceRules[{index}]"),
                            policy,
                        )
                    })
            })
    }
}

impl Level<'_> {
    pub(super) fn name(&self) -> &str {
        self.object.name()
    }
}

impl PolicyRule {
    fn new(rule: &v1::PolicyRulesWithSubjects) -> Self {
        Self {
            subjects: rule.subjects.iter().map(Subject::new).collect(),
            resource_rules: rule.resource_rules.iter().map(ResourceRule::new).collect(),
            non_resource_rules: rule
                .non_resource_rules
                .iter()
                .map(NonResourceRule::new)
                .collect(),
        }
    }
}

/// The given objects, the last one of each name, and the built-in ones that are taken to be there: the
/// mandatory ones always, the suggested ones unless the set is complete.
fn with_built_in<K: Resource>(
    given: &[K],
    release: Release,
    complete: bool,
) -> Vec<(Cow<'_, K>, Upkeep)> {
    let built_in: Vec<(bool, K)> = levels::built_in(release).collect();
    let mut objects: Vec<(Cow<'_, K>, Upkeep)> = Vec::new();
    for (index, object) in given.iter().enumerate() {
        if given[index + 1..]
            .iter()
            .any(|later| later.name() == object.name())
        {
            continue;
        }
        let is_built_in = built_in
            .iter()
            .any(|(_, known)| known.name() == object.name());
        let kept = is_built_in && is_kept(object);
        objects.push((
            Cow::Borrowed(object),
            if kept { Upkeep::Server } else { Upkeep::User },
        ));
    }
    for (mandatory, object) in built_in {
        let missing = !given.iter().any(|other| other.name() == object.name());
        if missing && (mandatory || !complete) {
            objects.push((Cow::Owned(object), Upkeep::Assumed));
        }
    }
    objects
}

/// Whether a server keeps a built-in object at its built-in value.
fn is_kept<K: Resource>(object: &K) -> bool {
    let metadata = object.metadata();
    matches!(object.name(), EXEMPT | CATCH_ALL)
        || auto_update(object).unwrap_or(metadata.generation.unwrap_or(1) <= 1)
}

/// What the annotation says, as a server reads it; `None` when it says nothing.
pub(super) fn auto_update<K: Resource>(object: &K) -> Option<bool> {
    match object
        .metadata()
        .annotations
        .get(AUTO_UPDATE_ANNOTATION)?
        .as_str()
    {
        "1" | "t" | "T" | "TRUE" | "true" | "True" => Some(true),
        "0" | "f" | "F" | "FALSE" | "false" | "False" => Some(false),
        _ => None,
    }
}
