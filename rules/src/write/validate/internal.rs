//! Objects in the server's internal form, which the rules check.

use serde_json::Value;
use std::ops::Deref;

/// A list that is nil or not. Messages print the difference, comparison ignores it.
#[derive(Clone, Debug)]
pub(super) struct List<T> {
    elements: Vec<T>,
    is_nil: bool,
}

impl<T> List<T> {
    /// The elements; `None` if the list is nil.
    pub(super) fn non_nil(&self) -> Option<&[T]> {
        (!self.is_nil).then_some(&self.elements)
    }
}

impl<T> Deref for List<T> {
    type Target = [T];

    fn deref(&self) -> &[T] {
        &self.elements
    }
}

impl<T: PartialEq> PartialEq for List<T> {
    fn eq(&self, other: &Self) -> bool {
        self.elements == other.elements
    }
}

#[derive(Clone, Debug, PartialEq)]
pub(super) struct FlowSchemaSpec {
    pub(super) level: String,
    pub(super) precedence: i64,
    pub(super) distinguisher: Option<String>,
    pub(super) rules: List<Rule>,
}

#[derive(Clone, Debug, PartialEq)]
pub(super) struct Rule {
    pub(super) subjects: List<Subject>,
    pub(super) resource_rules: List<ResourceRule>,
    pub(super) non_resource_rules: List<NonResourceRule>,
}

#[derive(Clone, Debug, PartialEq)]
pub(super) struct Subject {
    pub(super) kind: String,
    pub(super) user: Option<String>,
    pub(super) group: Option<String>,
    pub(super) service_account: Option<ServiceAccount>,
}

#[derive(Clone, Debug, PartialEq)]
pub(super) struct ServiceAccount {
    pub(super) namespace: String,
    pub(super) name: String,
}

#[derive(Clone, Debug, PartialEq)]
pub(super) struct ResourceRule {
    pub(super) verbs: List<String>,
    pub(super) api_groups: List<String>,
    pub(super) resources: List<String>,
    pub(super) cluster_scope: bool,
    pub(super) namespaces: List<String>,
}

#[derive(Clone, Debug, PartialEq)]
pub(super) struct NonResourceRule {
    pub(super) verbs: List<String>,
    pub(super) urls: List<String>,
}

#[derive(Clone, Debug, PartialEq)]
pub(super) struct LevelSpec {
    pub(super) type_: String,
    pub(super) limited: Option<Limited>,
    pub(super) exempt: Option<Exempt>,
}

#[derive(Clone, Debug, PartialEq)]
pub(super) struct Limited {
    pub(super) shares: i64,
    pub(super) response: String,
    pub(super) queuing: Option<Queuing>,
    pub(super) lendable_percent: Option<i64>,
    pub(super) borrowing_limit_percent: Option<i64>,
}

#[derive(Clone, Debug, PartialEq)]
pub(super) struct Queuing {
    pub(super) queues: i64,
    pub(super) hand_size: i64,
    pub(super) queue_length_limit: i64,
}

#[derive(Clone, Debug, PartialEq)]
pub(super) struct Exempt {
    pub(super) shares: Option<i64>,
    pub(super) lendable_percent: Option<i64>,
}

impl FlowSchemaSpec {
    /// Reads the `spec` in v1, with its defaults. A value of a wrong type counts as absent.
    pub(super) fn read(spec: &Value) -> Self {
        Self {
            level: text(&spec["priorityLevelConfiguration"], "name"),
            precedence: integer(spec, "matchingPrecedence").unwrap_or_default(),
            distinguisher: stanza(spec, "distinguisherMethod").map(|method| text(method, "type")),
            rules: list(spec, "rules", |rule| Rule {
                subjects: list(rule, "subjects", Subject::read),
                resource_rules: list(rule, "resourceRules", |rule| ResourceRule {
                    verbs: texts(rule, "verbs"),
                    api_groups: texts(rule, "apiGroups"),
                    resources: texts(rule, "resources"),
                    cluster_scope: rule["clusterScope"].as_bool().unwrap_or_default(),
                    namespaces: texts(rule, "namespaces"),
                }),
                non_resource_rules: list(rule, "nonResourceRules", |rule| NonResourceRule {
                    verbs: texts(rule, "verbs"),
                    urls: texts(rule, "nonResourceURLs"),
                }),
            }),
        }
    }
}

impl Subject {
    fn read(subject: &Value) -> Self {
        Self {
            kind: text(subject, "kind"),
            user: stanza(subject, "user").map(|user| text(user, "name")),
            group: stanza(subject, "group").map(|group| text(group, "name")),
            service_account: stanza(subject, "serviceAccount").map(|account| ServiceAccount {
                namespace: text(account, "namespace"),
                name: text(account, "name"),
            }),
        }
    }
}

impl LevelSpec {
    /// Reads the `spec` in v1, with its defaults. A value of a wrong type counts as absent.
    pub(super) fn read(spec: &Value) -> Self {
        Self {
            type_: text(spec, "type"),
            limited: stanza(spec, "limited").map(|limited| {
                let response = &limited["limitResponse"];
                Limited {
                    shares: integer(limited, "nominalConcurrencyShares").unwrap_or_default(),
                    response: text(response, "type"),
                    queuing: stanza(response, "queuing").map(|queuing| Queuing {
                        queues: integer(queuing, "queues").unwrap_or_default(),
                        hand_size: integer(queuing, "handSize").unwrap_or_default(),
                        queue_length_limit: integer(queuing, "queueLengthLimit")
                            .unwrap_or_default(),
                    }),
                    lendable_percent: integer(limited, "lendablePercent"),
                    borrowing_limit_percent: integer(limited, "borrowingLimitPercent"),
                }
            }),
            exempt: stanza(spec, "exempt").map(|exempt| Exempt {
                shares: integer(exempt, "nominalConcurrencyShares"),
                lendable_percent: integer(exempt, "lendablePercent"),
            }),
        }
    }
}

fn text(object: &Value, name: &str) -> String {
    object[name].as_str().unwrap_or_default().into()
}

fn integer(object: &Value, name: &str) -> Option<i64> {
    object[name].as_i64()
}

fn stanza<'a>(object: &'a Value, name: &str) -> Option<&'a Value> {
    object.get(name).filter(|value| value.is_object())
}

fn texts(object: &Value, name: &str) -> List<String> {
    list(object, name, |value| {
        value.as_str().unwrap_or_default().into()
    })
}

pub(super) fn list<T>(object: &Value, name: &str, read: impl Fn(&Value) -> T) -> List<T> {
    match object[name].as_array() {
        Some(values) => List {
            elements: values.iter().map(read).collect(),
            is_nil: false,
        },
        None => List {
            elements: Vec::new(),
            is_nil: true,
        },
    }
}
