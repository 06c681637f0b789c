//! The rules for kinds of the own group: defaults, conversion, validation and deprecation.

use k8s_flowcontrol_rules::decode::{self, BodyError, Expected, Format, Kind, Object};
use k8s_flowcontrol_rules::validate::{self, Context, Violation};
use k8s_flowcontrol_rules::{conversion, defaults};
use k8s_flowcontrol_types::schema::ResourceSchema;
use k8s_flowcontrol_types::{ApiVersion, FieldValidation, Release, api};
use serde_json::Value;

/// The version whose shape objects have inside the server.
const HUB: ApiVersion = ApiVersion::V1;

/// The rules for a kind in a version, of a release.
#[derive(Clone, Copy, Debug)]
pub(super) struct Rules {
    kind: Kind,
    version: ApiVersion,
    release: Release,
    zero_limited_shares: bool,
}

/// The deprecation of a version.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Deprecation {
    /// The first minor release that warns.
    pub(crate) since: u32,
    /// The first minor release without the version.
    pub(crate) removed: u32,
    pub(crate) replacement: ApiVersion,
}

impl Rules {
    pub(super) fn new(
        kind: Kind,
        version: ApiVersion,
        release: Release,
        zero_limited_shares: bool,
    ) -> Self {
        Self {
            kind,
            version,
            release,
            zero_limited_shares,
        }
    }

    pub(super) fn kind(self) -> Kind {
        self.kind
    }

    pub(super) fn resource(self) -> &'static ResourceSchema {
        let resources = match self.version {
            ApiVersion::V1Beta1 => api::v1beta1::RESOURCES,
            ApiVersion::V1Beta2 => api::v1beta2::RESOURCES,
            ApiVersion::V1Beta3 => api::v1beta3::RESOURCES,
            ApiVersion::V1 => api::v1::RESOURCES,
        };
        let found = resources
            .iter()
            .find(|resource| resource.kind == self.kind.as_str());
        // Every version has both kinds.
        found.unwrap_or(&resources[0])
    }

    /// The rules of another release, if it can decode the version. A release decodes every version that was
    /// introduced by then, served or not.
    pub(super) fn of_release(self, release: Release) -> Option<Self> {
        let introduced = self.version.lifecycle().introduced;
        (introduced <= release.minor()).then_some(Self { release, ..self })
    }

    /// Reads the body of a create or a replace.
    pub(super) fn read(
        self,
        body: &[u8],
        format: Format,
        validation: FieldValidation,
    ) -> Result<Object, BodyError> {
        let expected = Expected {
            kind: self.kind,
            version: self.version,
            release: self.release,
        };
        decode::read_body(body, format, expected, validation)
    }

    /// Removes the fields that the release does not know, and fills in the defaults of the version.
    pub(super) fn fill_in_defaults(self, object: &mut Value) {
        conversion::prune(object, self.kind.as_str(), self.version, self.release);
        defaults::apply(object, self.kind.as_str(), self.version, self.release);
    }

    pub(super) fn to_hub(self, object: Value) -> Value {
        conversion::server_step(object, self.kind.as_str(), self.version, HUB, self.release)
    }

    pub(super) fn from_hub(self, object: Value) -> Value {
        conversion::server_step(object, self.kind.as_str(), HUB, self.version, self.release)
    }

    /// Violations of a new object of this version.
    pub(super) fn validate_create(self, object: &Value) -> Vec<Violation> {
        validate::create(self.kind, object, self.context())
    }

    /// Violations of an object of this version that replaces `old`.
    pub(super) fn validate_update(self, old: &Value, object: &Value) -> Vec<Violation> {
        validate::update(self.kind, old, object, self.context())
    }

    /// Violations of an object of this version whose status replaces that of `old`.
    pub(super) fn validate_status(self, old: &Value, object: &Value) -> Vec<Violation> {
        validate::update_status(old, object, self.context())
    }

    fn context(self) -> Context {
        let context = Context::new(self.release, self.version);
        match self.zero_limited_shares {
            true => context.with_zero_limited_shares(true),
            false => context,
        }
    }

    /// The deprecation of the version, when the release warns of it.
    pub(super) fn deprecation(self) -> Option<Deprecation> {
        let lifecycle = self.version.lifecycle();
        let since = lifecycle.deprecated?;
        if self.release.minor() < since {
            return None;
        }
        let replacement = match self.version {
            ApiVersion::V1Beta1 if !ApiVersion::V1Beta3.is_served_by(self.release) => {
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
        self.release
            .stored()
            .storage_version_hash(self.kind.as_str())
    }
}
