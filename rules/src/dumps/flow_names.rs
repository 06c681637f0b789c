//! Names for the UIDs in response headers.

use k8s_flowcontrol_types::Resource;
use k8s_flowcontrol_types::api::v1::{FlowSchema, PriorityLevelConfiguration};
use std::collections::HashMap;

/// The response header with the UID of the flow schema that took the request.
pub const FLOW_SCHEMA_UID_HEADER: &str = "X-Kubernetes-PF-FlowSchema-UID";
/// The response header with the UID of the priority level that took the request.
pub const PRIORITY_LEVEL_UID_HEADER: &str = "X-Kubernetes-PF-PriorityLevel-UID";

/// Turns the UIDs of flow schemas and priority levels into names.
///
/// Every answer to a classified request has both headers: those that executed and those that were
/// refused with 429. Objects that were deleted and made again have other UIDs, so take both lists after
/// the answer or keep old ones.
///
/// ```
/// use k8s_flowcontrol_types::api::v1::FlowSchema;
/// use k8s_flowcontrol_rules::dumps::{FlowName, FlowNames};
///
/// let schema: FlowSchema = serde_json::from_str(
///     r#"{"metadata": {"name": "probes", "uid": "u-1"},
///         "spec": {"priorityLevelConfiguration": {"name": "exempt"}}}"#)?;
/// let names = FlowNames::new([&schema], []);
/// let (schema, level) = names.resolve("u-1", "");
/// assert_eq!(schema, FlowName::Known("probes"));
/// // An object that the server imagines has no UID; the schema says which level it is.
/// assert_eq!(level, FlowName::Known("exempt"));
/// # Ok::<(), serde_json::Error>(())
/// ```
#[derive(Clone, Debug, Default)]
pub struct FlowNames {
    /// By UID: the name and the level that the schema refers to.
    schemas: HashMap<String, (String, String)>,
    levels: HashMap<String, String>,
}

/// What a UID stands for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum FlowName<'a> {
    /// The object's name.
    Known(&'a str),
    /// One of the mandatory objects `exempt` and `catch-all`, which was missing and which the server imagined.
    Imagined,
    /// No object in the lists has this UID.
    Unknown(&'a str),
}

impl<'a> FlowName<'a> {
    /// The name, when it is known.
    pub const fn name(self) -> Option<&'a str> {
        match self {
            Self::Known(name) => Some(name),
            _ => None,
        }
    }
}

impl FlowNames {
    /// A resolver for the objects of two lists; objects without UID are left out.
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

    /// The names of the flow schema and the priority level, given the values of both headers.
    pub fn resolve<'a>(
        &'a self,
        flow_schema_uid: &'a str,
        priority_level_uid: &'a str,
    ) -> (FlowName<'a>, FlowName<'a>) {
        let schema = self.schemas.get(flow_schema_uid);
        let level = self.levels.get(priority_level_uid);
        let name_schema = match (schema, flow_schema_uid, level) {
            (Some((name, _)), ..) => FlowName::Known(name),
            // An imagined schema is named like the level that it refers to.
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
