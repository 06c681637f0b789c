//! Flow schemas that take requests of the cluster's own components.

use super::{Check, Context, Observation, Report, problem_if};
use crate::system_requests::SYSTEM_REQUESTS;
use k8s_flowcontrol_rules::matching::PolicyRule;
use k8s_flowcontrol_types::{Kind, Resource};
use std::collections::BTreeMap;

pub(super) const CHECK: Check = Check {
    id: "system-traffic",
    summary: "A flow schema takes requests that the cluster depends on from their built-in flow schema.",
    run,
};

/// The requests that a flow schema takes.
#[derive(Default)]
struct Taken {
    what: Vec<&'static str>,
    /// The built-in flow schemas, and the matching rules.
    evidence: Vec<Observation>,
    /// Whether a subject that matches is a group of most users.
    is_wide: bool,
}

fn run(context: &Context<'_>, report: &mut Report) {
    let mut schemas = BTreeMap::<(String, String), Taken>::new();
    for request in SYSTEM_REQUESTS {
        let Some(attributes) = request.attributes() else {
            continue;
        };
        let explanation = context.classifier.explain(&attributes);
        let own = context.built_in.classify(&attributes);
        let (Some(explanation), Some(own)) = (explanation, own) else {
            continue;
        };
        let actual = explanation.classification;
        if actual.flow_schema == own.flow_schema || is_unlimited(context, actual.priority_level) {
            continue;
        }
        let key = (
            actual.flow_schema.to_owned(),
            actual.priority_level.to_owned(),
        );
        let taken = schemas.entry(key).or_default();
        taken.what.push(request.what);
        taken.evidence.push(Observation::computed(format!(
            "requests of {}: FlowSchema {} instead of the built-in {}",
            request.what, actual.flow_schema, own.flow_schema
        )));
        let rule = explanation.matched().and_then(|matched| {
            let schema = context
                .schemas
                .iter()
                .find(|schema| schema.name() == actual.flow_schema)?;
            let rule = PolicyRule::new(schema.spec.rules.get(matched.rule)?);
            Some((matched, rule.subjects.get(matched.subject)?.is_wide()))
        });
        if let Some((matched, is_wide)) = rule {
            taken.is_wide |= is_wide;
            let path = format!("spec.rules[{}].subjects[{}]", matched.rule, matched.subject);
            let value = if is_wide {
                "a group of most users"
            } else {
                "a subject that includes the requester"
            };
            let field = Observation::field(Kind::FlowSchema, actual.flow_schema, &path, value);
            if !taken.evidence.contains(&field) {
                taken.evidence.push(field);
            }
        }
    }
    for ((schema, level), taken) in schemas {
        let is_in_trouble = context.is_in_trouble(&level);
        // A flow schema for the component alone is meant so.
        if !context.includes(&level) || !(taken.is_wide || is_in_trouble) {
            continue;
        }
        let message = format!(
            "FlowSchema {schema} takes requests of {} into priority level {level}, where they compete with other requests",
            taken.what.join(", ")
        );
        let severity = problem_if(is_in_trouble);
        report.cluster(severity, Some(&level), message, taken.evidence, ACTION);
    }
    in_log(context, report);
}

const ACTION: &str = "give the FlowSchema a matchingPrecedence above 9000, or limit its subjects";

/// System requests in the audit logs.
fn in_log(context: &Context<'_>, report: &mut Report) {
    let Some(log) = &context.evidence.log else {
        return;
    };
    let mut schemas = BTreeMap::<(&str, &str), Vec<Observation>>::new();
    for ((own, schema, level), requests) in &log.misplaced {
        if context.includes(level) && !is_unlimited(context, level) {
            let what =
                format!("requests of the built-in FlowSchema {own} that FlowSchema {schema} took");
            let evidence = schemas.entry((schema, level)).or_default();
            evidence.push(Observation::log(what, *requests));
        }
    }
    for ((schema, level), evidence) in schemas {
        let message = format!(
            "in the audit logs, FlowSchema {schema} took requests of system components into priority level {level}"
        );
        let severity = problem_if(context.is_in_trouble(level));
        report.cluster(severity, Some(level), message, evidence, ACTION);
    }
}

/// Whether the level is exempt, so that it starves no request.
fn is_unlimited(context: &Context<'_>, level: &str) -> bool {
    let level = k8s_flowcontrol_rules::objects::level_named(context.levels, level);
    level.is_some_and(|level| level.object.spec.limited.is_none())
}
