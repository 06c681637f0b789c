//! A schema that matches requests of system components before their own schemas.

use super::{Context, Report, Rule, Severity};
use crate::lint::context::Maintainer;
use crate::matching::{
    AUTHENTICATED, RequestAttributes, SERVICE_ACCOUNTS, Subject, UNAUTHENTICATED, User,
};

pub(super) const RULE: Rule = Rule {
    id: "takes-system-traffic",
    severity: Severity::Warning,
    summary: "A flow schema for all users matches requests that the cluster depends on.",
    check,
};

/// A request that the cluster depends on.
struct SystemRequest {
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

const SYSTEM_REQUESTS: &[SystemRequest] = &[
    SystemRequest {
        what: "node heartbeats",
        user: node,
        method: "PUT",
        url: "/apis/coordination.k8s.io/v1/namespaces/kube-node-lease/leases/any",
    },
    SystemRequest {
        what: "kubelets",
        user: node,
        method: "PATCH",
        url: "/api/v1/namespaces/any/pods/any/status",
    },
    SystemRequest {
        what: "leader election",
        user: || component("system:kube-controller-manager"),
        method: "PUT",
        url: "/apis/coordination.k8s.io/v1/namespaces/kube-system/leases/kube-controller-manager",
    },
    SystemRequest {
        what: "kube-controller-manager",
        user: || component("system:kube-controller-manager"),
        method: "GET",
        url: "/api/v1/pods?watch=1",
    },
    SystemRequest {
        what: "kube-scheduler",
        user: || component("system:kube-scheduler"),
        method: "POST",
        url: "/api/v1/namespaces/any/pods/any/binding",
    },
    SystemRequest {
        what: "controllers in kube-system",
        user: || User::service_account("kube-system", "any"),
        method: "GET",
        url: "/api/v1/namespaces/kube-system/configmaps",
    },
    SystemRequest {
        what: "webhooks that authenticate their callers",
        user: || User::service_account("any", "webhook"),
        method: "POST",
        url: "/apis/authentication.k8s.io/v1/tokenreviews",
    },
];

fn check(context: &Context, report: &mut Report) {
    for schema in context
        .schemas
        .iter()
        .filter(|schema| schema.maintainer == Maintainer::User)
    {
        let taken: Vec<&str> = SYSTEM_REQUESTS
            .iter()
            .filter(|request| takes(context, schema.name(), request))
            .map(|request| request.what)
            .collect();
        // An exempt level starves no request.
        let limits = context.limits.level(schema.level());
        if !taken.is_empty() && limits.is_some_and(|limits| !limits.exempt) {
            let message = format!(
                "the schema is for all users, and because of its precedence it matches requests of {}, which \
                 then compete with all other requests in `{}`",
                taken.join(", "),
                schema.level(),
            );
            let help = "use a matchingPrecedence between 9000 and 9900, or limit the schema to certain users";
            report.schema(schema, "spec.matchingPrecedence", message, help);
        }
    }
}

/// Whether the schema matches the request, through a subject that includes many other users.
fn takes(context: &Context, schema: &str, request: &SystemRequest) -> bool {
    let attributes = RequestAttributes::from_http(request.method, request.url, (request.user)());
    let Ok(attributes) = attributes else {
        return false;
    };
    let Some(explanation) = context.classifier.explain(&attributes) else {
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

/// Whether a subject includes most users or all service accounts.
pub(super) fn is_wide(subject: &Subject) -> bool {
    is_everybody(subject) || matches!(subject, Subject::Group(group) if group == SERVICE_ACCOUNTS)
}
