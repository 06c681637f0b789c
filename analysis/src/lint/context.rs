//! The configuration in a form that rules can compare.

use super::configuration::Configuration;
use super::fault::Fault;
use k8s_flowcontrol_rules::bootstrap::{self, AUTO_UPDATE_ANNOTATION};
use k8s_flowcontrol_rules::limits::ServerLimits;
use k8s_flowcontrol_rules::matching::{Classifier, PolicyRule};
use k8s_flowcontrol_rules::objects;
use k8s_flowcontrol_types::api::v1::{
    self, FlowSchema, PolicyRulesWithSubjects, PriorityLevelConfiguration,
};
use k8s_flowcontrol_types::{Kind, Release, Resource, order};
use std::collections::BTreeSet;

/// The given objects together with the built-in ones.
pub(super) struct Context {
    pub(super) release: Release,
    /// Whether the given objects are the cluster's complete configuration.
    pub(super) complete: bool,
    /// In the order in which a server tries them.
    pub(super) schemas: Vec<Schema>,
    /// Sorted by name.
    pub(super) levels: Vec<Level>,
    pub(super) limits: ServerLimits,
    pub(super) classifier: Classifier,
    /// The kinds and names of objects that were given more than once.
    pub(super) duplicates: Vec<(Kind, String)>,
    pub(super) faults: Vec<Fault>,
}

/// A flow schema.
pub(super) struct Schema {
    /// With defaults.
    pub(super) object: FlowSchema,
    pub(super) maintainer: Maintainer,
    /// Whether a server skips the schema because its priority level is missing.
    pub(super) dangling: bool,
    pub(super) rules: Vec<PolicyRule>,
}

/// A priority level.
pub(super) struct Level {
    /// With defaults.
    pub(super) object: PriorityLevelConfiguration,
    pub(super) maintainer: Maintainer,
}

/// The maintainer of an object's spec.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Maintainer {
    /// Users edit it.
    User,
    /// The server resets it to its built-in value.
    Server,
    /// It is a built-in object that was not given.
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
            .map(|(object, maintainer)| Schema {
                maintainer,
                dangling: objects::level_named(
                    &in_use,
                    &object.spec.priority_level_configuration.name,
                )
                .is_none_or(|level| level.built_in_fallback),
                rules: object.spec.rules.iter().map(PolicyRule::new).collect(),
                object,
            })
            .collect();
        // A stable sort keeps equal precedences in the order of their names.
        order::sort_by(&mut schemas, |left, right| {
            left.precedence().cmp(&right.precedence())
        });
        let levels = levels
            .into_iter()
            .map(|(object, maintainer)| Level { object, maintainer })
            .collect();
        Self {
            release,
            complete,
            schemas,
            levels,
            limits: ServerLimits::new(&all_levels, configuration.concurrency_limit, release),
            classifier: Classifier::new(&all_schemas, &all_levels, release),
            duplicates: repeated(Kind::FlowSchema, configuration.flow_schemas)
                .chain(repeated(
                    Kind::PriorityLevelConfiguration,
                    configuration.priority_levels,
                ))
                .collect(),
            faults: configuration.faults.to_vec(),
        }
    }

    /// The flow schemas that users can edit.
    pub(super) fn user_schemas(&self) -> impl Iterator<Item = &Schema> {
        self.schemas
            .iter()
            .filter(|schema| schema.maintainer == Maintainer::User)
    }

    /// The priority levels that users can edit.
    pub(super) fn user_levels(&self) -> impl Iterator<Item = &Level> {
        self.levels
            .iter()
            .filter(|level| level.maintainer == Maintainer::User)
    }

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

    /// All resource rules with their paths.
    pub(super) fn resource_policies(
        &self,
    ) -> impl Iterator<Item = (String, &v1::ResourcePolicyRule)> {
        self.policies("resourceRules", |rule| &rule.resource_rules)
    }

    /// All non-resource rules with their paths.
    pub(super) fn non_resource_policies(
        &self,
    ) -> impl Iterator<Item = (String, &v1::NonResourcePolicyRule)> {
        self.policies("nonResourceRules", |rule| &rule.non_resource_rules)
    }

    fn policies<'a, T: 'a>(
        &'a self,
        field: &'static str,
        of: fn(&PolicyRulesWithSubjects) -> &Vec<T>,
    ) -> impl Iterator<Item = (String, &'a T)> {
        let rules = self.object.spec.rules.iter().enumerate();
        rules.flat_map(move |(rule, policies)| {
            let policies = of(policies).iter().enumerate();
            policies.map(move |(index, policy)| {
                (format!("spec.rules[{rule}].{field}[{index}]"), policy)
            })
        })
    }
}

impl Level {
    pub(super) fn name(&self) -> &str {
        self.object.name()
    }
}

/// The names that several objects have.
fn repeated<K: Resource>(kind: Kind, objects: &[K]) -> impl Iterator<Item = (Kind, String)> {
    let mut seen = BTreeSet::new();
    let names = objects.iter().map(Resource::name);
    // Objects without a name get different names from a server.
    let again = names.filter(|name| !name.is_empty() && !seen.insert(*name));
    let again: BTreeSet<_> = again.map(str::to_owned).collect();
    again.into_iter().map(move |name| (kind, name))
}

/// The given objects and the missing built-in ones, sorted by name: always the mandatory ones, and the suggested ones
/// unless the configuration is complete.
fn with_built_in<K: Resource>(
    given: Vec<K>,
    built_in: Vec<K>,
    complete: bool,
) -> Vec<(K, Maintainer)> {
    let mut objects: Vec<(K, Maintainer)> = given
        .into_iter()
        .map(|object| (object, Maintainer::User))
        .collect();
    for built_in in built_in {
        let found = objects
            .iter_mut()
            .find(|(object, _)| object.name() == built_in.name());
        match found {
            Some((object, maintainer)) if is_reset(object) => *maintainer = Maintainer::Server,
            Some(_) => {}
            None if !complete || bootstrap::is_mandatory(built_in.name()) => {
                objects.push((built_in, Maintainer::Assumed))
            }
            None => {}
        }
    }
    order::sort_by(&mut objects, |(left, _), (right, _)| {
        left.name().cmp(right.name())
    });
    objects
}

/// Whether a server resets a built-in object to its built-in value.
fn is_reset<K: Resource>(object: &K) -> bool {
    let metadata = object.metadata();
    let annotation = metadata.annotations.get(AUTO_UPDATE_ANNOTATION);
    bootstrap::is_updated(
        object.name(),
        annotation.map(String::as_str),
        metadata.generation,
    )
}

/// The auto-update annotation as a server reads it; `None` if it is absent or not a boolean.
pub(super) fn auto_update<K: Resource>(object: &K) -> Option<bool> {
    bootstrap::auto_update(object.metadata().annotations.get(AUTO_UPDATE_ANNOTATION)?)
}
