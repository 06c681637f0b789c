//! The objects that every server makes by itself when it starts.
//!
//! A server creates them, brings them back when they are deleted, and, unless the annotation
//! [`AUTO_UPDATE_ANNOTATION`] says otherwise, resets their `spec`.

mod configuration;

use crate::{ApiVersion, Release};
use configuration::{LEVELS, SCHEMAS};
use serde_json::{Value, json};

/// The annotation that says whether a server keeps an object's `spec` at its built-in value.
///
/// Every bootstrap object is created with `"true"`. On an object that is none, `"true"` makes the server
/// delete it.
pub const AUTO_UPDATE_ANNOTATION: &str = "apf.kubernetes.io/autoupdate-spec";

/// A built-in object.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct BootstrapObject {
    /// `PriorityLevelConfiguration` or `FlowSchema`.
    pub kind: &'static str,
    /// The object's name.
    pub name: &'static str,
    /// Whether the server insists on the object; the others are suggestions that an annotation can opt
    /// out of.
    pub mandatory: bool,
    /// The built-in `spec` in v1.
    pub spec: Value,
}

impl BootstrapObject {
    /// The object as it is created, in v1.
    pub fn tree(&self) -> Value {
        json!({
            "apiVersion": ApiVersion::V1.api_version(),
            "kind": self.kind,
            "metadata": {
                "name": self.name,
                "annotations": {AUTO_UPDATE_ANNOTATION: "true"},
            },
            "spec": self.spec,
        })
    }
}

/// The built-in objects of `release`, in the order in which a server creates them.
///
/// ```
/// use k8s_flowcontrol::{Release, bootstrap};
///
/// let names: Vec<_> = bootstrap::objects(Release::NEWEST)
///     .into_iter()
///     .filter(|object| object.mandatory)
///     .map(|object| (object.kind, object.name))
///     .collect();
/// assert_eq!(names, [
///     ("PriorityLevelConfiguration", "exempt"),
///     ("PriorityLevelConfiguration", "catch-all"),
///     ("FlowSchema", "exempt"),
///     ("FlowSchema", "catch-all"),
/// ]);
/// ```
pub fn objects(release: Release) -> Vec<BootstrapObject> {
    let mut objects = Vec::new();
    for mandatory in [false, true] {
        for level in LEVELS {
            if level.mandatory == mandatory {
                objects.push(level.object(release));
            }
        }
        for schema in SCHEMAS {
            let is_there = schema.until.is_none_or(|until| release.minor() <= until);
            if schema.mandatory == mandatory && is_there {
                objects.push(schema.object());
            }
        }
    }
    objects
}

/// A priority level of the built-in configuration.
struct Level {
    name: &'static str,
    mandatory: bool,
    kind: LevelKind,
}

enum LevelKind {
    Exempt,
    Limited {
        shares: i64,
        lendable: i64,
        /// Queues and hand size; the queue length is 50 everywhere. `None` rejects at once.
        queuing: Option<(i64, i64)>,
    },
}

impl Level {
    const fn suggested(
        name: &'static str,
        shares: i64,
        lendable: i64,
        queuing: (i64, i64),
    ) -> Self {
        let kind = LevelKind::Limited {
            shares,
            lendable,
            queuing: Some(queuing),
        };
        Self {
            name,
            mandatory: false,
            kind,
        }
    }

    fn object(&self, release: Release) -> BootstrapObject {
        let spec = match self.kind {
            LevelKind::Exempt if release.minor() < 28 => json!({"type": "Exempt"}),
            LevelKind::Exempt => json!({
                "type": "Exempt",
                "exempt": {"nominalConcurrencyShares": 0, "lendablePercent": 0},
            }),
            LevelKind::Limited {
                shares,
                lendable,
                queuing,
            } => {
                let response = match queuing {
                    None => json!({"type": "Reject"}),
                    Some((queues, hand_size)) => json!({
                        "type": "Queue",
                        "queuing": {"queues": queues, "handSize": hand_size, "queueLengthLimit": 50},
                    }),
                };
                let mut limited =
                    json!({"nominalConcurrencyShares": shares, "limitResponse": response});
                if release.minor() >= 26 {
                    limited["lendablePercent"] = lendable.into();
                }
                json!({"type": "Limited", "limited": limited})
            }
        };
        BootstrapObject {
            kind: "PriorityLevelConfiguration",
            name: self.name,
            mandatory: self.mandatory,
            spec,
        }
    }
}

/// A flow schema of the built-in configuration.
struct Schema {
    name: &'static str,
    mandatory: bool,
    level: &'static str,
    precedence: i64,
    distinguisher: Option<&'static str>,
    subjects: &'static [Subject],
    resources: &'static [ResourceRule],
    /// Verb and URLs of the rule for other requests.
    urls: Option<(&'static str, &'static [&'static str])>,
    /// The last minor release that has it.
    until: Option<u32>,
}

enum Subject {
    User(&'static str),
    Group(&'static str),
    /// A service account of `kube-system`.
    ServiceAccount(&'static str),
}

struct ResourceRule {
    verbs: &'static [&'static str],
    group: &'static str,
    resources: &'static [&'static str],
    cluster_scope: bool,
}

impl Schema {
    fn object(&self) -> BootstrapObject {
        let mut rule = json!({
            "subjects": self.subjects.iter().map(Subject::tree).collect::<Vec<_>>(),
        });
        if !self.resources.is_empty() {
            rule["resourceRules"] = self.resources.iter().map(ResourceRule::tree).collect();
        }
        if let Some((verb, urls)) = self.urls {
            rule["nonResourceRules"] = json!([{"verbs": [verb], "nonResourceURLs": urls}]);
        }
        let mut spec = json!({
            "priorityLevelConfiguration": {"name": self.level},
            "matchingPrecedence": self.precedence,
            "rules": [rule],
        });
        if let Some(distinguisher) = self.distinguisher {
            spec["distinguisherMethod"] = json!({"type": distinguisher});
        }
        BootstrapObject {
            kind: "FlowSchema",
            name: self.name,
            mandatory: self.mandatory,
            spec,
        }
    }
}

impl Subject {
    fn tree(&self) -> Value {
        match self {
            Self::User(name) => json!({"kind": "User", "user": {"name": name}}),
            Self::Group(name) => json!({"kind": "Group", "group": {"name": name}}),
            Self::ServiceAccount(name) => json!({
                "kind": "ServiceAccount",
                "serviceAccount": {"namespace": "kube-system", "name": name},
            }),
        }
    }
}

impl ResourceRule {
    fn tree(&self) -> Value {
        let mut rule = json!({
            "verbs": self.verbs,
            "apiGroups": [self.group],
            "resources": self.resources,
            "namespaces": ["*"],
        });
        if self.cluster_scope {
            rule["clusterScope"] = true.into();
        }
        rule
    }
}
