//! The numbers of new objects: the shares that give a level a number of seats, and the precedence before every flow schema that can take a
//! client's requests.

use super::{Client, RecipeError, Recipes};
use k8s_flowcontrol_rules::limits::ServerLimits;
use k8s_flowcontrol_rules::matching::{
    Names, NonResourceRule, PolicyRule, ResourceRule, Subject, Url, may_overlap,
};
use k8s_flowcontrol_rules::objects::EXEMPT;
use k8s_flowcontrol_types::Resource;
use k8s_flowcontrol_types::api::v1::{FlowSchema, PriorityLevelConfiguration};

/// The most shares that a level can have.
const MAX_SHARES: i32 = i32::MAX;

impl Recipes {
    /// The fewest shares that give `level` a nominal limit of at least `seats`, beside the other levels.
    ///
    /// # Errors
    /// [`RecipeError::TooManySeats`] if no number of shares does.
    pub fn shares_for_at_least(
        &self,
        level: &PriorityLevelConfiguration,
        seats: i64,
    ) -> Result<i32, RecipeError> {
        if self.nominal(level, MAX_SHARES) < seats {
            return Err(RecipeError::TooManySeats {
                server: self.seats,
                wanted: seats,
            });
        }
        // The nominal limit grows with the shares.
        let (mut fewer, mut enough) = (0, MAX_SHARES);
        while enough - fewer > 1 {
            let middle = i32::midpoint(fewer, enough);
            match self.nominal(level, middle) >= seats {
                true => enough = middle,
                false => fewer = middle,
            }
        }
        Ok(enough)
    }

    /// The most shares that give `level` a nominal limit of at most `seats`, beside the other levels.
    ///
    /// # Errors
    /// [`RecipeError::TooFewSeats`] if one share gives it more.
    pub fn shares_for_at_most(
        &self,
        level: &PriorityLevelConfiguration,
        seats: i64,
    ) -> Result<i32, RecipeError> {
        let least = self.nominal(level, 1);
        if least > seats {
            return Err(RecipeError::TooFewSeats {
                least,
                wanted: seats,
            });
        }
        match self.nominal(level, MAX_SHARES) <= seats {
            true => Ok(MAX_SHARES),
            false => Ok(self.shares_for_at_least(level, seats.saturating_add(1))? - 1),
        }
    }

    fn nominal(&self, level: &PriorityLevelConfiguration, shares: i32) -> i64 {
        let mut level = level.clone();
        level
            .spec
            .limited
            .get_or_insert_default()
            .nominal_concurrency_shares = Some(shares);
        let name = level.name().to_owned();
        let mut levels = self.priority_levels.clone();
        levels.retain(|other| other.name() != name);
        levels.push(level);
        let limits = ServerLimits::new(&levels, self.seats, self.release);
        limits.level(&name).map_or(0, |level| level.nominal)
    }
}

/// The least precedence of a schema that is not the built-in `exempt`.
const LEAST: i32 = 2;
/// The precedence if no other schema can take a request: before the built-in `catch-all`.
const LAST: i32 = 9999;
const PROBES: &str = "probes";

impl Recipes {
    /// The greatest precedence that comes before every flow schema that can take a request of the client: through its
    /// name, and through its groups, or any groups if they are unknown. `own` is the recipe's own schema.
    ///
    /// The built-in `exempt` and `probes` do not count: administrators remain exempt, and so do health checks, unless the precedence is that of
    /// `probes`.
    pub(super) fn precedence_before_all(
        &self,
        client: &Client,
        own: &str,
    ) -> Result<i32, RecipeError> {
        let all = everything(client);
        let others = self.flow_schemas.iter().filter(|schema| {
            ![own, EXEMPT, PROBES].contains(&schema.name()) && self.can_take(schema, client, &all)
        });
        let first = others.min_by_key(|schema| (precedence(schema), schema.name().to_owned()));
        let Some(first) = first else {
            return Ok(LAST);
        };
        match precedence(first) {
            // Of equal precedences the smaller name comes first.
            LEAST if own < first.name() => Ok(LEAST),
            ..=LEAST => Err(RecipeError::NoPrecedence {
                flow_schema: first.name().to_owned(),
            }),
            later => Ok(later - 1),
        }
    }

    /// Whether a schema matches some request of the client.
    fn can_take(&self, schema: &FlowSchema, client: &Client, all: &PolicyRule) -> bool {
        let groups = client.groups();
        schema.spec.rules.iter().any(|rule| {
            let mut rule = PolicyRule::new(rule);
            if let Some(groups) = &groups {
                rule.subjects.retain(|subject| match subject {
                    Subject::Group(group) => groups.contains(group),
                    _ => true,
                });
            }
            may_overlap(&rule, all)
        })
    }
}

fn precedence(schema: &FlowSchema) -> i32 {
    // The server's default.
    schema.spec.matching_precedence.unwrap_or(1000)
}

/// All requests of a client.
fn everything(client: &Client) -> PolicyRule {
    PolicyRule {
        subjects: vec![Subject::new(&client.subject())],
        resource_rules: vec![ResourceRule {
            verbs: Names::Any,
            api_groups: Names::Any,
            resources: Names::Any,
            namespaces: Names::Any,
            cluster_scope: true,
        }],
        non_resource_rules: vec![NonResourceRule {
            verbs: Names::Any,
            urls: [Url::Any].into(),
        }],
    }
}
