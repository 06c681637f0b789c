//! The rules for kinds of the own group: defaults, conversion, validation and deprecation.

use k8s_flowcontrol_rules::{conversion, defaults, storage, validate};
use k8s_flowcontrol_types::kind::VersionedKind;
use k8s_flowcontrol_types::schema::ResourceSchema;
use k8s_flowcontrol_types::{ApiVersion, Release};
use serde_json::Value;

/// The version whose shape objects have inside the server.
pub(super) const HUB: ApiVersion = ApiVersion::V1;

/// The rules for a kind in a version, of a release.
#[derive(Clone, Copy, Debug)]
pub(super) struct Rules {
    pub(super) kind: VersionedKind,
    zero_limited_shares: bool,
}

#[derive(Clone, Copy, Debug)]
pub(crate) struct Deprecation {
    /// The first minor release that warns.
    pub(crate) since: u32,
    /// The first minor release without the version.
    pub(crate) removed: u32,
    pub(crate) replacement: ApiVersion,
}

impl Rules {
    pub(super) fn new(kind: VersionedKind, zero_limited_shares: bool) -> Self {
        Self {
            kind,
            zero_limited_shares,
        }
    }

    pub(super) fn resource(self) -> &'static ResourceSchema {
        self.kind.kind.schema(self.kind.version)
    }

    /// The rules for the version with this `apiVersion`.
    pub(super) fn of_version(self, api_version: &str) -> Option<Self> {
        let mut versions = ApiVersion::ALL.iter();
        let version = versions.find(|version| version.api_version() == api_version)?;
        let kind = self.kind.in_version(*version);
        Some(Self { kind, ..self })
    }

    /// The rules of another release, if it can decode the version. A release decodes every version that was
    /// introduced by then, served or not.
    pub(super) fn of_release(self, release: Release) -> Option<Self> {
        let VersionedKind { kind, version, .. } = self.kind;
        let kind = VersionedKind::new(kind, version, release);
        (version.lifecycle().introduced <= release.minor()).then_some(Self { kind, ..self })
    }

    /// Removes the fields that the release does not know, and fills in the defaults of the version.
    pub(super) fn fill_in_defaults(self, object: &mut Value) {
        conversion::prune(object, self.kind);
        defaults::apply(object, self.kind);
    }

    pub(super) fn version_to_hub(self, object: Value) -> Value {
        conversion::server_step(object, self.kind, HUB)
    }

    pub(super) fn hub_to_version(self, object: Value) -> Value {
        conversion::server_step(object, self.kind.in_version(HUB), self.kind.version)
    }

    pub(super) fn validation(self) -> validate::Rules {
        validate::Rules::from(self.kind).with_zero_limited_shares(self.zero_limited_shares)
    }

    /// The deprecation of the version, when the release warns of it.
    pub(super) fn deprecation(self) -> Option<Deprecation> {
        let lifecycle = self.kind.version.lifecycle();
        let since = lifecycle.deprecated?;
        if self.kind.release.minor() < since {
            return None;
        }
        let replacement = match self.kind.version {
            ApiVersion::V1Beta1 if !ApiVersion::V1Beta3.is_served_by(self.kind.release) => {
                ApiVersion::V1Beta2
            }
            ApiVersion::V1Beta1 | ApiVersion::V1Beta2 => ApiVersion::V1Beta3,
            ApiVersion::V1Beta3 | ApiVersion::V1 => ApiVersion::V1,
        };
        Some(Deprecation {
            since,
            removed: lifecycle.removed?,
            replacement,
        })
    }

    /// The hash by which discovery names the version in which objects are stored.
    pub(super) fn storage_version_hash(self) -> String {
        storage::version_hash(self.kind.kind, self.kind.release.stored())
    }
}
