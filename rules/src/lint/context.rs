//! What rules look at: the objects in a form that is easy to compare.

use super::configuration::Configuration;
use crate::bootstrap::{self, AUTO_UPDATE_ANNOTATION};
use crate::limits::ServerLimits;
use crate::matching::{Classifier, PolicyRule};
use crate::objects::{self, CATCH_ALL, EXEMPT};
use k8s_flowcontrol_types::api::v1::{self, FlowSchema, PriorityLevelConfiguration};
use k8s_flowcontrol_types::{Release, Resource, order};

/// A configuration with the objects that are taken to be there.
pub(super) struct Context {
    pub(super) release: Release,
    /// Whether there are no other objects.
    pub(super) complete: bool,
    /// In the order in which a server tries them.
    pub(super) schemas: Vec<Schema>,
    /// Sorted by name.
    pub(super) levels: Vec<Level>,
    pub(super) limits: ServerLimits,
    pub(super) classifier: Classifier,
}

/// A flow schema.
pub(super) struct Schema {
    /// With defaults.
    pub(super) object: FlowSchema,
    pub(super) upkeep: Upkeep,
    /// Whether a server skips it because its level is missing.
    pub(super) dangling: bool,
    pub(super) rules: Vec<PolicyRule>,
}

/// A priority level.
pub(super) struct Level {
    /// With defaults.
    pub(super) object: PriorityLevelConfiguration,
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

impl Context {
    pub(super) fn new(configuration: &Configuration<'_>) -> Self {
        let &Configuration {
            release, complete, ..
        } = configuration;
        let levels = with_built_in(
            objects::by_name(configuration.priority_levels, release),
            bootstrap::priority_levels(release),
            complete,
        );
        let schemas = with_built_in(
            objects::by_name(configuration.flow_schemas, release),
            bootstrap::flow_schemas(release),
            complete,
        );
        let all_levels: Vec<_> = levels.iter().map(|(object, _)| object.clone()).collect();
        let all_schemas: Vec<_> = schemas.iter().map(|(object, _)| object.clone()).collect();
        let in_use = objects::levels_in_use(&all_levels, release);
        let mut schemas: Vec<Schema> = schemas
            .into_iter()
            .map(|(object, upkeep)| Schema {
                upkeep,
                dangling: objects::level_named(
                    &in_use,
                    &object.spec.priority_level_configuration.name,
                )
                .is_none(),
                rules: object.spec.rules.iter().map(PolicyRule::new).collect(),
                object,
            })
            .collect();
        // Stable, so the smaller name stays first among equals.
        order::sort_by(&mut schemas, |left, right| {
            left.precedence().cmp(&right.precedence())
        });
        let levels = levels
            .into_iter()
            .map(|(object, upkeep)| Level { object, upkeep })
            .collect();
        Self {
            release,
            complete,
            schemas,
            levels,
            limits: ServerLimits::new(&all_levels, configuration.concurrency_limit, release),
            classifier: Classifier::new(&all_schemas, &all_levels, release),
        }
    }

    /// The flow schemas that people can change.
    pub(super) fn user_schemas(&self) -> impl Iterator<Item = &Schema> {
        self.schemas
            .iter()
            .filter(|schema| schema.upkeep == Upkeep::User)
    }

    /// The priority levels that people can change.
    pub(super) fn user_levels(&self) -> impl Iterator<Item = &Level> {
        self.levels
            .iter()
            .filter(|level| level.upkeep == Upkeep::User)
    }

    /// The level named `name`.
    pub(super) fn level(&self, name: &str) -> Option<&Level> {
        self.levels.iter().find(|level| level.name() == name)
    }
}

impl Schema {
    pub(super) fn name(&self) -> &str {
        self.object.name()
    }

    pub(super) fn level(&self) -> &str {
        &self.object.spec.priority_level_configuration.name
    }

    pub(super) fn precedence(&self) -> i32 {
        self.object.spec.matching_precedence.unwrap_or_default()
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

impl Level {
    pub(super) fn name(&self) -> &str {
        self.object.name()
    }
}

/// The given objects and the built-in ones that are taken to be there, sorted by name: the mandatory
/// ones always, the suggested ones unless the set is complete.
fn with_built_in<K: Resource>(
    given: Vec<K>,
    built_in: Vec<(bool, K)>,
    complete: bool,
) -> Vec<(K, Upkeep)> {
    let mut objects: Vec<(K, Upkeep)> = given
        .into_iter()
        .map(|object| (object, Upkeep::User))
        .collect();
    for (mandatory, built_in) in built_in {
        let found = objects
            .iter_mut()
            .find(|(object, _)| object.name() == built_in.name());
        match found {
            Some((object, upkeep)) if is_kept(object) => *upkeep = Upkeep::Server,
            Some(_) => {}
            None if mandatory || !complete => objects.push((built_in, Upkeep::Assumed)),
            None => {}
        }
    }
    order::sort_by(&mut objects, |(left, _), (right, _)| {
        left.name().cmp(right.name())
    });
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
