//! Reviews: whether a user may do something, everything that the user may do, and the user itself.

use super::authorize::{Action, DISCOVERY, PUBLIC, authorize_action, may_request};
use super::user::User;
use crate::protobuf::{self, enveloped};
use crate::status::{Cause, Failure, bad_request, invalid};
use k8s_flowcontrol_rules::matching::AUTHENTICATED;
use k8s_flowcontrol_types::{Fact, Release};
use serde_json::{Value, json};

const AUTHORIZATION: &str = "authorization.k8s.io";
const AUTHENTICATION: &str = "authentication.k8s.io";

/// The fields of `spec.resourceAttributes`, in the order of their numbers in Protocol Buffers.
const RESOURCE_ATTRIBUTES: &[&str] = &[
    "namespace",
    "verb",
    "group",
    "version",
    "resource",
    "subresource",
    "name",
];

/// A kind of review, which a client creates to learn something. Reviews are not stored.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Review {
    /// `SelfSubjectAccessReview`: whether the user may do something.
    Access,
    /// `SelfSubjectRulesReview`: everything that the user may do.
    Rules,
    /// `SelfSubjectReview`: the user itself.
    User,
}

impl Review {
    /// The review with this resource, if the release has it.
    pub(crate) fn of(group: &str, version: &str, resource: &str, release: Release) -> Option<Self> {
        match (group, version, resource) {
            (AUTHORIZATION, "v1", "selfsubjectaccessreviews") => Some(Self::Access),
            (AUTHORIZATION, "v1", "selfsubjectrulesreviews") => Some(Self::Rules),
            (AUTHENTICATION, "v1", "selfsubjectreviews")
                if release.has(Fact::SelfSubjectReview) =>
            {
                Some(Self::User)
            }
            _ => None,
        }
    }

    /// The JSON of a review in Protocol Buffers, or `None` for another text.
    pub(crate) fn read_protobuf(self, body: &[u8]) -> Option<Value> {
        let review = enveloped(body)?;
        let text = |message, number| {
            let text = protobuf::field(message, number).unwrap_or_default();
            String::from_utf8_lossy(text).into_owned()
        };
        let Some(spec) = protobuf::field(review, 2) else {
            return Some(json!({}));
        };
        Some(match self {
            Self::Access => {
                let mut json = json!({"spec": {}});
                if let Some(attributes) = protobuf::field(spec, 1) {
                    for (number, name) in (1..).zip(RESOURCE_ATTRIBUTES) {
                        let value = text(attributes, number);
                        if !value.is_empty() {
                            json["spec"]["resourceAttributes"][name] = value.into();
                        }
                    }
                }
                if let Some(attributes) = protobuf::field(spec, 2) {
                    let (path, verb) = (text(attributes, 1), text(attributes, 2));
                    json["spec"]["nonResourceAttributes"] = json!({"path": path, "verb": verb});
                }
                json
            }
            Self::Rules => json!({"spec": {"namespace": text(spec, 1)}}),
            Self::User => json!({}),
        })
    }

    /// The review of the client with its status.
    /// Errors: 422 or 400 for a review without a question.
    pub(crate) fn answer(
        self,
        user: &User,
        review: &Value,
        release: Release,
    ) -> Result<Value, Failure> {
        let spec = review.get("spec").cloned().unwrap_or_else(|| json!({}));
        let (kind, group, status) = match self {
            Self::Access => (
                "SelfSubjectAccessReview",
                AUTHORIZATION,
                json!({"allowed": is_allowed(user, &spec)?}),
            ),
            Self::Rules => {
                if spec["namespace"].as_str().unwrap_or_default().is_empty() {
                    return Err(bad_request("no namespace on request"));
                }
                ("SelfSubjectRulesReview", AUTHORIZATION, rules(user))
            }
            Self::User => ("SelfSubjectReview", AUTHENTICATION, info(user)),
        };
        let mut answer = json!({
            "kind": kind,
            "apiVersion": format!("{group}/v1"),
            "metadata": {},
            "status": status,
        });
        // Go wrote unset times as null until it learned to leave them out.
        if !release.has(Fact::OmitsUnsetTimes) {
            answer["metadata"]["creationTimestamp"] = Value::Null;
        }
        if self != Self::User {
            answer["spec"] = spec;
        }
        Ok(answer)
    }
}

fn is_allowed(user: &User, spec: &Value) -> Result<bool, Failure> {
    let text = |attributes: &Value, name: &str| {
        let text = attributes.get(name).and_then(Value::as_str);
        text.unwrap_or_default().to_owned()
    };
    let present = |name: &str| spec.get(name).filter(|value| value.is_object());
    let names = ["resourceAttributes", "nonResourceAttributes"];
    let [resource, other] = names.map(present);
    match (resource, other) {
        (Some(attributes), None) => {
            let [verb, group, resource, subresource, namespace, name] = [
                "verb",
                "group",
                "resource",
                "subresource",
                "namespace",
                "name",
            ]
            .map(|name| text(attributes, name));
            let action = Action {
                verb: &verb,
                group: &group,
                resource: &resource,
                subresource: &subresource,
                namespace: &namespace,
                name: &name,
            };
            Ok(authorize_action(user, &action).is_ok())
        }
        (None, Some(attributes)) => {
            let (verb, path) = (text(attributes, "verb"), text(attributes, "path"));
            Ok(may_request(user, &verb, &path))
        }
        (resource, _) => {
            let (field, detail) = match resource {
                Some(_) => (
                    "spec.nonResourceAttributes",
                    "cannot be specified in combination with resourceAttributes",
                ),
                None => (
                    "spec.resourceAttributes",
                    "exactly one of nonResourceAttributes or resourceAttributes must be specified",
                ),
            };
            let cause = Cause::invalid(field, "null", detail);
            Err(invalid("", AUTHORIZATION, "", vec![cause]))
        }
    }
}

fn rules(user: &User) -> Value {
    let (mut resources, mut paths) = (Vec::new(), Vec::new());
    if user.is_admin() {
        resources.push(json!({"verbs": ["*"], "apiGroups": ["*"], "resources": ["*"]}));
        paths.push(json!({"verbs": ["*"], "nonResourceURLs": ["*"]}));
    }
    if user.is_in(AUTHENTICATED) {
        let create = |group, names: &[&str]| json!({"verbs": ["create"], "apiGroups": [group], "resources": names});
        let reviews = ["selfsubjectaccessreviews", "selfsubjectrulesreviews"];
        resources.push(create(AUTHORIZATION, &reviews));
        resources.push(create(AUTHENTICATION, &["selfsubjectreviews"]));
        let readable: Vec<_> = PUBLIC.iter().chain(DISCOVERY).collect();
        paths.push(json!({"verbs": ["get"], "nonResourceURLs": readable}));
    }
    json!({"resourceRules": resources, "nonResourceRules": paths, "incomplete": false})
}

fn info(user: &User) -> Value {
    let mut info = json!({"username": user.name});
    if !user.uid.is_empty() {
        info["uid"] = user.uid.as_str().into();
    }
    if !user.groups.is_empty() {
        info["groups"] = user.groups.clone().into();
    }
    if !user.extra.is_empty() {
        info["extra"] = json!(user.extra);
    }
    json!({"userInfo": info})
}
