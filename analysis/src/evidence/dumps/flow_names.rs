//! Resolves the UIDs in response headers to names.

use k8s_flowcontrol_types::Resource;
use k8s_flowcontrol_types::api::v1::{FlowSchema, PriorityLevelConfiguration};
use std::collections::HashMap;

/// Resolves the UIDs of flow schemas and priority levels to names.
///
/// Every response to a classified request has them, in the headers `X-Kubernetes-PF-FlowSchema-UID` and `X-Kubernetes-PF-PriorityLevel-UID`,
/// including 429 responses. An object that was deleted and
/// created again has a new UID, so list both kinds after the response, or keep older lists.
///
/// ```
/// use k8s_flowcontrol_types::api::v1::FlowSchema;
/// use k8s_flowcontrol_analysis::dumps::{FlowName, FlowNames};
///
/// let schema: FlowSchema = serde_json::from_str(
///     r#"{"metadata": {"name": "probes", "uid": "u-1"},
///         "spec": {"priorityLevelConfiguration": {"name": "exempt"}}}"#)?;
/// let names = FlowNames::new([&schema], []);
/// let (schema, level) = names.resolve("u-1", "");
/// assert_eq!(schema, FlowName::Known("probes"));
/// // A missing mandatory object does not have a UID; here the schema's spec has the name of its level.
/// assert_eq!(level, FlowName::Known("exempt"));
/// # Ok::<(), serde_json::Error>(())
/// ```
#[derive(Clone, Debug, Default)]
pub struct FlowNames {
    /// By UID: the name of the schema and of its priority level.
    schemas: HashMap<String, (String, String)>,
    levels: HashMap<String, String>,
}

/// The result of resolving a UID.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum FlowName<'a> {
    /// The object's name.
    Known(&'a str),
    /// A mandatory object, `exempt` or `catch-all`, that is missing in the cluster.
    Imagined,
    /// No object in the lists has this UID.
    Unknown(&'a str),
}

impl<'a> FlowName<'a> {
    /// The name; `None` unless it is known.
    pub const fn name(self) -> Option<&'a str> {
        match self {
            Self::Known(name) => Some(name),
            _ => None,
        }
    }
}

impl FlowNames {
    /// Creates a resolver from two lists; objects without a UID are skipped.
    pub fn new<'a>(
        flow_schemas: impl IntoIterator<Item = &'a FlowSchema>,
        priority_levels: impl IntoIterator<Item = &'a PriorityLevelConfiguration>,
    ) -> Self {
        let mut names = Self::default();
        for schema in flow_schemas {
            if let Some(uid) = uid(schema) {
                let level = schema.spec.priority_level_configuration.name.clone();
                names.schemas.insert(uid, (schema.name().to_owned(), level));
            }
        }
        names.levels.extend(
            priority_levels
                .into_iter()
                .filter_map(|level| Some((uid(level)?, level.name().to_owned()))),
        );
        names
    }

    /// Resolves the values of both headers to the flow schema and the priority level.
    pub fn resolve<'a>(
        &'a self,
        flow_schema_uid: &'a str,
        priority_level_uid: &'a str,
    ) -> (FlowName<'a>, FlowName<'a>) {
        let schema = self.schemas.get(flow_schema_uid);
        let level = self.levels.get(priority_level_uid);
        let name_schema = match (schema, flow_schema_uid, level) {
            (Some((name, _)), ..) => FlowName::Known(name),
            // A missing mandatory schema has the same name as its level.
            (None, "", Some(level)) => FlowName::Known(level),
            (None, "", None) => FlowName::Imagined,
            (None, uid, _) => FlowName::Unknown(uid),
        };
        let name_level = match (level, priority_level_uid, schema) {
            (Some(name), ..) => FlowName::Known(name),
            (None, "", Some((_, level))) => FlowName::Known(level),
            (None, "", None) => FlowName::Imagined,
            (None, uid, _) => FlowName::Unknown(uid),
        };
        (name_schema, name_level)
    }
}

fn uid<K: Resource>(object: &K) -> Option<String> {
    object.metadata().uid.clone().filter(|uid| !uid.is_empty())
}
