//! A version of a kind.

use super::rules::Rules;
use k8s_flowcontrol_types::schema::{ResourceSchema, TypeSchema};

/// A version of a kind: its description in the document, and the server's rules for it, if there are any.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Version {
    pub(super) resource: &'static ResourceSchema,
    pub(super) rules: Option<Rules>,
}

impl Version {
    /// A version of a kind of which only the document is known.
    pub(super) fn described(resource: &'static ResourceSchema) -> Self {
        Self {
            resource,
            rules: None,
        }
    }

    /// A version of a kind of the own group.
    pub(super) fn own(rules: Rules) -> Self {
        Self {
            resource: rules.resource(),
            rules: Some(rules),
        }
    }

    /// The version's name, such as `v1beta3`.
    pub(crate) fn name(self) -> &'static str {
        self.resource.version
    }

    /// The `apiVersion` of an object of this version.
    pub(crate) fn api_version(self) -> String {
        match self.resource.group {
            "" => self.resource.version.to_owned(),
            group => format!("{group}/{}", self.resource.version),
        }
    }

    /// The shape of an object of this version.
    pub(crate) fn schema(self) -> &'static TypeSchema {
        self.resource.schema
    }
}

/// Versions of one kind are equal when their names are.
impl PartialEq for Version {
    fn eq(&self, other: &Self) -> bool {
        self.name() == other.name()
    }
}

impl Eq for Version {}
