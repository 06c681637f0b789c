//! The bootstrap objects, which every server creates when it starts.
//!
//! A server creates them again when they are deleted. It also resets their `spec`, unless the annotation
//! [`AUTO_UPDATE_ANNOTATION`] is `"false"`.

mod configuration;

use configuration::{LEVELS, SCHEMAS};
use k8s_flowcontrol_types::api::v1::{
    self, ExemptPriorityLevelConfiguration, FlowDistinguisherMethod, LimitResponse,
    LimitResponseType, LimitedPriorityLevelConfiguration, NonResourcePolicyRule,
    PolicyRulesWithSubjects, PriorityLevelType, QueuingConfiguration, ResourcePolicyRule,
    SubjectKind,
};
use k8s_flowcontrol_types::json::{WriteJson, to_value};
use k8s_flowcontrol_types::meta::ObjectMeta;
use k8s_flowcontrol_types::{ApiVersion, Fact, Kind, Release};
use serde_json::{Value, json};

/// The annotation that controls whether a server keeps an object's `spec` at its built-in value.
///
/// Every bootstrap object is created with `"true"`. A server deletes any other object that has `"true"`.
pub const AUTO_UPDATE_ANNOTATION: &str = "apf.kubernetes.io/autoupdate-spec";

/// A built-in object.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct BootstrapObject {
    /// The object's kind.
    pub kind: Kind,
    /// The object's name.
    pub name: &'static str,
    /// Whether the object is mandatory. The others are suggested: an annotation stops the server from resetting them.
    pub mandatory: bool,
    /// The built-in `spec` in v1.
    pub spec: Value,
}

impl BootstrapObject {
    /// Returns the object in v1, as a server creates it.
    pub fn tree(&self) -> Value {
        json!({
            "apiVersion": ApiVersion::V1.api_version(),
            "kind": self.kind.as_str(),
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
/// use k8s_flowcontrol_rules::bootstrap;
/// use k8s_flowcontrol_types::{Kind, Release};
///
/// let names: Vec<_> = bootstrap::objects(Release::NEWEST)
///     .into_iter()
///     .filter(|object| object.mandatory)
///     .map(|object| (object.kind, object.name))
///     .collect();
/// assert_eq!(names, [
///     (Kind::PriorityLevelConfiguration, "exempt"),
///     (Kind::PriorityLevelConfiguration, "catch-all"),
///     (Kind::FlowSchema, "exempt"),
///     (Kind::FlowSchema, "catch-all"),
/// ]);
/// ```
pub fn objects(release: Release) -> Vec<BootstrapObject> {
    let mut objects = Vec::new();
    for in_turn in [false, true] {
        for level in LEVELS.iter().filter(|level| level.mandatory == in_turn) {
            let spec = tree(&level.object(release).spec);
            objects.push(BootstrapObject {
                kind: Kind::PriorityLevelConfiguration,
                name: level.name,
                mandatory: level.mandatory,
                spec,
            });
        }
        for schema in schemas_of(release).filter(|schema| schema.mandatory == in_turn) {
            let spec = tree(&schema.object().spec);
            objects.push(BootstrapObject {
                kind: Kind::FlowSchema,
                name: schema.name,
                mandatory: schema.mandatory,
                spec,
            });
        }
    }
    objects
}

/// Whether a server of `release` has a built-in object of this kind and name.
///
/// ```
/// use k8s_flowcontrol_rules::bootstrap;
/// use k8s_flowcontrol_types::{Kind, Release};
///
/// assert!(bootstrap::is_built_in(Kind::FlowSchema, "probes", Release::NEWEST));
/// assert!(!bootstrap::is_built_in(Kind::PriorityLevelConfiguration, "probes", Release::NEWEST));
/// ```
pub fn is_built_in(kind: Kind, name: &str, release: Release) -> bool {
    match kind {
        Kind::FlowSchema => schemas_of(release).any(|schema| schema.name == name),
        Kind::PriorityLevelConfiguration => LEVELS.iter().any(|level| level.name == name),
    }
}

/// The value of [`AUTO_UPDATE_ANNOTATION`] as a server reads it; `None` if it is not a boolean.
///
/// ```
/// use k8s_flowcontrol_rules::bootstrap;
///
/// assert_eq!(bootstrap::auto_update("T"), Some(true));
/// assert_eq!(bootstrap::auto_update("no"), None);
/// ```
pub fn auto_update(annotation: &str) -> Option<bool> {
    match annotation {
        "1" | "t" | "T" | "TRUE" | "true" | "True" => Some(true),
        "0" | "f" | "F" | "FALSE" | "false" | "False" => Some(false),
        _ => None,
    }
}

/// Whether a server resets a built-in object to its built-in spec: always a mandatory one, and another one unless its annotation says otherwise. If
/// the annotation is absent or not a boolean, a server resets an object that has never been changed.
pub fn is_updated(name: &str, annotation: Option<&str>, generation: Option<i64>) -> bool {
    is_mandatory(name)
        || annotation
            .and_then(auto_update)
            .unwrap_or(generation.unwrap_or(1) <= 1)
}

/// Whether the built-in priority level of this name is mandatory, and the flow schema of this name: `exempt` and `catch-all`.
///
/// ```
/// use k8s_flowcontrol_rules::bootstrap;
/// use k8s_flowcontrol_types::{Release, Resource};
///
/// let mut schemas = bootstrap::flow_schemas(Release::NEWEST);
/// schemas.retain(|schema| bootstrap::is_mandatory(schema.name()));
/// assert_eq!(schemas.len(), 2);
/// ```
pub fn is_mandatory(name: &str) -> bool {
    let mut mandatory = LEVELS.iter().filter(|level| level.mandatory);
    mandatory.any(|level| level.name == name)
}

/// The built-in priority levels of `release`.
pub fn priority_levels(release: Release) -> Vec<v1::PriorityLevelConfiguration> {
    LEVELS.iter().map(|level| level.object(release)).collect()
}

/// The built-in flow schemas of `release`.
pub fn flow_schemas(release: Release) -> Vec<v1::FlowSchema> {
    schemas_of(release).map(Schema::object).collect()
}

fn schemas_of(release: Release) -> impl Iterator<Item = &'static Schema> {
    SCHEMAS
        .iter()
        .filter(move |schema| schema.only_with.is_none_or(|fact| release.has(fact)))
}

fn tree(spec: &impl WriteJson) -> Value {
    // The types have only string keys and integers, so this cannot fail.
    to_value(spec).unwrap_or_default()
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
        shares: i32,
        lendable: i32,
        /// Number of queues and hand size; the queue length is always 50. `None`: limit response `Reject`.
        queuing: Option<(i32, i32)>,
    },
}

impl Level {
    const fn suggested(
        name: &'static str,
        shares: i32,
        lendable: i32,
        queuing: (i32, i32),
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

    fn object(&self, release: Release) -> v1::PriorityLevelConfiguration {
        let mut spec = v1::PriorityLevelConfigurationSpec::default();
        match self.kind {
            LevelKind::Exempt => {
                spec.r#type = PriorityLevelType::Exempt;
                spec.exempt =
                    release
                        .has(Fact::ExemptField)
                        .then(|| ExemptPriorityLevelConfiguration {
                            nominal_concurrency_shares: Some(0),
                            lendable_percent: Some(0),
                            ..Default::default()
                        });
            }
            LevelKind::Limited {
                shares,
                lendable,
                queuing,
            } => {
                let queuing = queuing.map(|(queues, hand_size)| QueuingConfiguration {
                    queues: Some(queues),
                    hand_size: Some(hand_size),
                    queue_length_limit: Some(50),
                    ..Default::default()
                });
                let response = match queuing {
                    None => LimitResponseType::Reject,
                    Some(_) => LimitResponseType::Queue,
                };
                spec.r#type = PriorityLevelType::Limited;
                spec.limited = Some(LimitedPriorityLevelConfiguration {
                    nominal_concurrency_shares: Some(shares),
                    lendable_percent: release.has(Fact::Lending).then_some(lendable),
                    limit_response: LimitResponse {
                        r#type: response,
                        queuing,
                        ..Default::default()
                    },
                    ..Default::default()
                });
            }
        }
        v1::PriorityLevelConfiguration {
            metadata: metadata(self.name),
            spec,
            ..Default::default()
        }
    }
}

/// A flow schema of the built-in configuration.
struct Schema {
    name: &'static str,
    mandatory: bool,
    level: &'static str,
    precedence: i32,
    distinguisher: Option<&'static str>,
    subjects: &'static [Subject],
    resources: &'static [ResourceRule],
    /// Verb and URLs of the non-resource rule.
    urls: Option<(&'static str, &'static [&'static str])>,
    /// The fact of the releases that have the schema; `None` for all.
    only_with: Option<Fact>,
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
    fn object(&self) -> v1::FlowSchema {
        let mut rule = PolicyRulesWithSubjects::default();
        for subject in self.subjects {
            rule.subjects.push(subject.object());
        }
        for resource in self.resources {
            rule.resource_rules.push(resource.object());
        }
        if let Some((verb, urls)) = self.urls {
            rule.non_resource_rules.push(NonResourcePolicyRule {
                verbs: vec![verb.into()],
                non_resource_urls: strings(urls),
                ..Default::default()
            });
        }
        let mut spec = v1::FlowSchemaSpec {
            matching_precedence: Some(self.precedence),
            distinguisher_method: self.distinguisher.map(|method| FlowDistinguisherMethod {
                r#type: method.into(),
                ..Default::default()
            }),
            rules: vec![rule],
            ..Default::default()
        };
        spec.priority_level_configuration.name = self.level.into();
        v1::FlowSchema {
            metadata: metadata(self.name),
            spec,
            ..Default::default()
        }
    }
}

impl Subject {
    fn object(&self) -> v1::Subject {
        let mut subject = v1::Subject::default();
        match *self {
            Self::User(name) => {
                subject.kind = SubjectKind::User;
                subject.user.get_or_insert_default().name = name.into();
            }
            Self::Group(name) => {
                subject.kind = SubjectKind::Group;
                subject.group.get_or_insert_default().name = name.into();
            }
            Self::ServiceAccount(name) => {
                subject.kind = SubjectKind::ServiceAccount;
                let account = subject.service_account.get_or_insert_default();
                account.namespace = "kube-system".into();
                account.name = name.into();
            }
        }
        subject
    }
}

impl ResourceRule {
    fn object(&self) -> ResourcePolicyRule {
        ResourcePolicyRule {
            verbs: self.verbs.iter().map(|&verb| verb.into()).collect(),
            api_groups: vec![self.group.into()],
            resources: strings(self.resources),
            namespaces: strings(&["*"]),
            cluster_scope: self.cluster_scope.then_some(true),
            ..Default::default()
        }
    }
}

fn metadata(name: &str) -> ObjectMeta {
    let mut metadata = ObjectMeta {
        name: Some(name.into()),
        ..Default::default()
    };
    metadata
        .annotations
        .insert(AUTO_UPDATE_ANNOTATION.into(), "true".into());
    metadata
}

fn strings(texts: &[&str]) -> Vec<String> {
    texts.iter().map(|&text| text.to_owned()).collect()
}
