//! Authorization: the roles that a fresh RBAC cluster gives to users and groups, reduced to the resources of this
//! server.

use super::user::User;
use crate::status::{Details, Failure, failure, without_html};
use k8s_flowcontrol_rules::matching::{AUTHENTICATED, RequestAttributes, UNAUTHENTICATED};

/// Paths that every user may read.
pub(super) const PUBLIC: &[&str] = &["/healthz", "/livez", "/readyz", "/version", "/version/"];
/// Paths for authenticated users. A final `*` matches any rest.
pub(super) const DISCOVERY: &[&str] = &[
    "/api",
    "/api/*",
    "/apis",
    "/apis/*",
    "/openapi",
    "/openapi/*",
];
const MONITORING: &[&str] = &[
    "/healthz/*",
    "/livez/*",
    "/metrics",
    "/metrics/slis",
    "/readyz/*",
];
/// The kube-controller-manager may list and watch all resources.
const CONTROLLER_MANAGER: &str = "system:kube-controller-manager";

/// A verb on a resource.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Action<'a> {
    pub(crate) verb: &'a str,
    pub(crate) group: &'a str,
    pub(crate) resource: &'a str,
    pub(crate) subresource: &'a str,
    pub(crate) namespace: &'a str,
    pub(crate) name: &'a str,
}

/// Errors: 403 when the user may not do this.
pub(crate) fn authorize(user: &User, request: &RequestAttributes) -> Result<(), Failure> {
    if request.is_resource_request {
        return authorize_action(
            user,
            &Action {
                verb: &request.verb,
                group: &request.api_group,
                resource: &request.resource,
                subresource: &request.subresource,
                namespace: &request.namespace,
                name: &request.name,
            },
        );
    }
    let (verb, path) = (request.verb.as_str(), request.path.as_str());
    if may_request(user, verb, path) {
        return Ok(());
    }
    let why = format!("User {:?} cannot {verb} path {path:?}", user.name);
    let message = format!("forbidden: {}", without_html(&why));
    Err(failure(403, "Forbidden", message).with_details(Details::default()))
}

/// Errors: 403 when the user may not do this.
pub(super) fn authorize_action(user: &User, action: &Action<'_>) -> Result<(), Failure> {
    if user.is_admin() || is_self_review(user, action) {
        return Ok(());
    }
    if user.name == CONTROLLER_MANAGER && matches!(action.verb, "list" | "watch") {
        return Ok(());
    }
    Err(forbidden(user, action))
}

/// Whether the user may make a request to a path that is not a resource.
pub(super) fn may_request(user: &User, verb: &str, path: &str) -> bool {
    user.is_admin() || (verb == "get" && may_read(user, path))
}

fn may_read(user: &User, path: &str) -> bool {
    let is_one_of = |paths: &[&str]| {
        paths.iter().any(|known| match known.strip_suffix('*') {
            Some(start) => path.starts_with(start),
            None => path == *known,
        })
    };
    let known = user.is_in(AUTHENTICATED);
    ((known || user.is_in(UNAUTHENTICATED)) && is_one_of(PUBLIC))
        || (known && is_one_of(DISCOVERY))
        || (user.is_in("system:monitoring") && (is_one_of(PUBLIC) || is_one_of(MONITORING)))
}

/// Whether this is a review of the user's own permissions, which every authenticated user may create.
fn is_self_review(user: &User, action: &Action<'_>) -> bool {
    user.is_in(AUTHENTICATED)
        && action.verb == "create"
        && action.subresource.is_empty()
        && matches!(
            (action.group, action.resource),
            (
                "authorization.k8s.io",
                "selfsubjectaccessreviews" | "selfsubjectrulesreviews"
            ) | ("authentication.k8s.io", "selfsubjectreviews")
        )
}

fn forbidden(user: &User, action: &Action<'_>) -> Failure {
    let Action {
        verb,
        group,
        resource,
        subresource,
        namespace,
        name,
    } = *action;
    let qualified = if group.is_empty() {
        resource.to_owned()
    } else {
        format!("{resource}.{group}")
    };
    let object = if name.is_empty() {
        qualified
    } else {
        format!("{qualified} {name:?}")
    };
    let whole = if subresource.is_empty() {
        resource.to_owned()
    } else {
        format!("{resource}/{subresource}")
    };
    let scope = if namespace.is_empty() {
        "at the cluster scope".to_owned()
    } else {
        format!("in the namespace {namespace:?}")
    };
    let why = format!(
        "User {:?} cannot {verb} resource {whole:?} in API group {group:?} {scope}",
        user.name
    );
    let message = format!("{object} is forbidden: {}", without_html(&why));
    failure(403, "Forbidden", message).with_details(Details {
        name: name.into(),
        group: group.into(),
        kind: resource.into(),
        ..Details::default()
    })
}
