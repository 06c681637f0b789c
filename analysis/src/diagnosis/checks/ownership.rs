//! Objects of vendors and tools.

use super::{Check, Context, Observation, Report, Severity, problem_if};
use crate::ownership::{Owner, owner};
use k8s_flowcontrol_rules::decode::tree_of;
use k8s_flowcontrol_types::kind::Versioned;
use k8s_flowcontrol_types::{Kind, Resource};
use serde_json::Value;
use std::collections::BTreeMap;

pub(super) const CHECK: Check = Check {
    id: "ownership",
    summary: "A vendor or a tool owns flow schemas and priority levels, and may reset changes of them.",
    run,
};

/// The part of the names of objects with which a vendor throttles clients of an overloaded server.
const GUARD: &str = "guard";

/// An object with an owner.
struct Owned {
    kind: Kind,
    name: String,
    level: String,
    owner: Owner,
    consequence: Option<String>,
}

impl Owned {
    fn new<K: Versioned + Resource>(object: &K, level: &str) -> Option<Self> {
        let tree: Value = tree_of(object);
        let owner = owner(K::API_KIND, &tree).filter(|owner| !owner.is_server())?;
        Some(Self {
            kind: K::API_KIND,
            name: object.name().to_owned(),
            level: level.to_owned(),
            consequence: owner.consequence(&tree),
            owner,
        })
    }

    fn is_guard(&self) -> bool {
        self.owner.is_vendor() && self.name.contains(GUARD)
    }

    fn evidence(&self) -> Observation {
        Observation::field(self.kind, &self.name, "metadata", &self.owner.sign)
    }
}

fn run(context: &Context<'_>, report: &mut Report) {
    let schemas = &context.evidence.flow_schemas;
    let levels = &context.evidence.priority_levels;
    let schemas = schemas
        .iter()
        .filter_map(|schema| Owned::new(schema, &schema.spec.priority_level_configuration.name));
    let levels = levels
        .iter()
        .filter_map(|level| Owned::new(level, level.name()));
    let in_scope = schemas
        .chain(levels)
        .filter(|owned| context.includes(&owned.level));
    let mut others = BTreeMap::<String, Vec<Owned>>::new();
    for owned in in_scope {
        if owned.is_guard() && owned.kind == Kind::FlowSchema {
            guard(context, &owned, report);
        } else if owned.owner.is_vendor() || context.is_in_trouble(&owned.level) {
            others
                .entry(owned.owner.name.clone())
                .or_default()
                .push(owned);
        }
    }
    for (owner, objects) in others {
        let names: Vec<_> = objects
            .iter()
            .map(|owned| format!("{} {}", owned.kind, owned.name))
            .collect();
        let message = format!("{owner} owns {}", names.join(", "));
        let evidence = objects.iter().map(Owned::evidence).collect();
        let consequence = objects
            .iter()
            .find_map(|owned| owned.consequence.as_deref());
        let action = match consequence {
            Some(consequence) => format!("change the objects where they come from: {consequence}"),
            None => "change the objects where they come from".to_owned(),
        };
        report.cluster(Severity::Note, None, message, evidence, action);
    }
}

/// A flow schema with which a vendor throttles clients.
fn guard(context: &Context<'_>, owned: &Owned, report: &mut Report) {
    let message = format!(
        "{} throttles clients with its guard FlowSchema {} and priority level {}, which it creates when the API server is \
         overloaded",
        owned.owner.name, owned.name, owned.level,
    );
    let severity = problem_if(context.is_in_trouble(&owned.level));
    let action = match &owned.consequence {
        Some(consequence) => format!(
            "reduce the requests of the clients, then delete the guard as the vendor describes; {consequence}"
        ),
        None => "reduce the requests of the clients, then delete the guard as the vendor describes"
            .to_owned(),
    };
    let evidence = vec![owned.evidence()];
    report.cluster(severity, Some(&owned.level), message, evidence, action);
}
