//! A catch-all that is tried too early.

use super::{Context, Report, Rule, Severity};
use crate::lint::context::Upkeep;
use crate::matching::{
    AUTHENTICATED, RequestAttributes, SERVICE_ACCOUNTS, Subject, UNAUTHENTICATED, User,
};

pub(super) const RULE: Rule = Rule {
    id: "takes-system-traffic",
    severity: Severity::Warning,
    summary: "A flow schema for everybody takes requests that keep the cluster alive.",
    check,
};

/// A request that a cluster depends on.
struct Vital {
    what: &'static str,
    user: fn() -> User,
    method: &'static str,
    url: &'static str,
}

fn node() -> User {
    User::authenticated("system:node:any", ["system:nodes"])
}

fn component(name: &str) -> User {
    User::authenticated(name, [""; 0])
}

const VITAL: &[Vital] = &[
    Vital {
        what: "node heartbeats",
        user: node,
        method: "PUT",
        url: "/apis/coordination.k8s.io/v1/namespaces/kube-node-lease/leases/any",
    },
    Vital {
        what: "kubelets",
        user: node,
        method: "PATCH",
        url: "/api/v1/namespaces/any/pods/any/status",
    },
    Vital {
        what: "leader election",
        user: || component("system:kube-controller-manager"),
        method: "PUT",
        url: "/apis/coordination.k8s.io/v1/namespaces/kube-system/leases/kube-controller-manager",
    },
    Vital {
        what: "kube-controller-manager",
        user: || component("system:kube-controller-manager"),
        method: "GET",
        url: "/api/v1/pods?watch=1",
    },
    Vital {
        what: "kube-scheduler",
        user: || component("system:kube-scheduler"),
        method: "POST",
        url: "/api/v1/namespaces/any/pods/any/binding",
    },
    Vital {
        what: "controllers in kube-system",
        user: || User::service_account("kube-system", "any"),
        method: "GET",
        url: "/api/v1/namespaces/kube-system/configmaps",
    },
    Vital {
        what: "webhooks that check who calls them",
        user: || User::service_account("any", "webhook"),
        method: "POST",
        url: "/apis/authentication.k8s.io/v1/tokenreviews",
    },
];

fn check(context: &Context, report: &mut Report) {
    for schema in context
        .schemas
        .iter()
        .filter(|schema| schema.upkeep == Upkeep::User)
    {
        let taken: Vec<&str> = VITAL
            .iter()
            .filter(|vital| takes(context, schema.name(), vital))
            .map(|vital| vital.what)
            .collect();
        // In an exempt level nothing starves.
        let limits = context.limits.level(schema.level());
        if !taken.is_empty() && limits.is_some_and(|limits| !limits.exempt) {
            let message = format!(
                "the schema is for everybody and tried so early that it takes {}, which then compete with \
                 all others in `{}`",
                taken.join(", "),
                schema.level(),
            );
            let help =
                "use a matchingPrecedence between 9000 and 9900, or name the users that are meant";
            report.schema(schema, "spec.matchingPrecedence", message, help);
        }
    }
}

/// Whether the schema takes the request, and does so by a subject that is not meant for it.
fn takes(context: &Context, schema: &str, vital: &Vital) -> bool {
    let request = RequestAttributes::from_http(vital.method, vital.url, (vital.user)());
    let Ok(request) = request else { return false };
    let Some(explanation) = context.classifier.explain(&request) else {
        return false;
    };
    let Some(matched) = explanation.matched() else {
        return false;
    };
    explanation.classification.flow_schema == schema
        && context
            .schemas
            .iter()
            .find(|known| known.name() == schema)
            .and_then(|known| known.rules.get(matched.rule)?.subjects.get(matched.subject))
            .is_some_and(is_everybody)
}

fn is_everybody(subject: &Subject) -> bool {
    match subject {
        Subject::Everybody => true,
        Subject::Group(group) => matches!(group.as_str(), AUTHENTICATED | UNAUTHENTICATED),
        _ => false,
    }
}

/// Whether a subject is for most users, or for all service accounts.
pub(super) fn is_wide(subject: &Subject) -> bool {
    is_everybody(subject) || matches!(subject, Subject::Group(group) if group == SERVICE_ACCOUNTS)
}
