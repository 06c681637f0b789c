//! The precedence before every flow schema that can take a client's requests.

use super::{Client, RecipeError, Recipes};
use k8s_flowcontrol_rules::matching::{
    Names, NonResourceRule, PolicyRule, ResourceRule, Subject, Url, may_overlap,
};
use k8s_flowcontrol_rules::objects::EXEMPT;
use k8s_flowcontrol_types::Resource;
use k8s_flowcontrol_types::api::v1::FlowSchema;

/// The least precedence of a schema that is not the built-in `exempt`.
const LEAST: i32 = 2;
/// The precedence if no other schema can take a request: before the built-in `catch-all`.
const LAST: i32 = 9999;
const PROBES: &str = "probes";

impl Recipes {
    /// The greatest precedence that comes before every flow schema that can take a request of the client: through its
    /// name, and through its groups, or any groups if they are unknown. `own` is the recipe's own schema.
    ///
    /// The built-in `exempt` and `probes` stay before it: administrators and health checks remain exempt.
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
