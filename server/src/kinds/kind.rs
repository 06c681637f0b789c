//! A kind in all its served versions, and the way of an object through them.

use super::described_body;
use super::rules::{Deprecation, HUB, Rules};
use super::version::Version;
use k8s_flowcontrol_rules::decode::{Format, read_body};
use k8s_flowcontrol_rules::validate::{self, Violation};
use k8s_flowcontrol_rules::wire::{make_canonical, make_in_memory, structural};
use k8s_flowcontrol_types::Kind as OwnKind;
use k8s_flowcontrol_types::schema::ResourceSchema;
use k8s_flowcontrol_types::{ApiVersion, FieldValidation, Release};
use serde_json::Value;
use std::borrow::Cow;

#[derive(Clone, Debug)]
pub(crate) struct Kind {
    /// The place of its objects in the store.
    pub(crate) index: usize,
    /// The version whose shape objects have inside the server.
    pub(crate) hub: Version,
    /// The version in which the release stores objects.
    pub(crate) stored: Version,
    /// The preferred one first.
    pub(crate) served: Vec<Version>,
    pub(crate) release: Release,
}

/// The error of a body that is not an object of the kind.
#[derive(Debug)]
pub(crate) struct Unread {
    /// The message of the server's Status.
    pub(crate) message: String,
    /// The message without the text that the server puts around it.
    pub(crate) cause: String,
}

impl Kind {
    /// A kind of the own group, served in `versions`.
    pub(super) fn own(
        index: usize,
        versions: &[ApiVersion],
        release: Release,
        rules: impl Fn(ApiVersion) -> Rules,
    ) -> Self {
        Self {
            index,
            hub: Version::own(rules(HUB)),
            stored: Version::own(rules(release.stored())),
            served: versions
                .iter()
                .map(|&version| Version::own(rules(version)))
                .collect(),
            release,
        }
    }

    /// A kind of which only the document is known. Without conversions it has one version.
    pub(super) fn described(
        index: usize,
        resource: &'static ResourceSchema,
        release: Release,
    ) -> Self {
        let version = Version::described(resource);
        Self {
            index,
            hub: version,
            stored: version,
            served: vec![version],
            release,
        }
    }

    pub(crate) fn name(&self) -> &'static str {
        self.hub.resource.kind
    }

    pub(crate) fn list_kind(&self) -> &'static str {
        self.hub.resource.list_kind
    }

    pub(crate) fn plural(&self) -> &'static str {
        self.hub.resource.plural
    }

    /// The API group; empty for the core group.
    pub(crate) fn group(&self) -> &'static str {
        self.hub.resource.group
    }

    pub(crate) fn is_namespaced(&self) -> bool {
        self.hub.resource.namespaced
    }

    /// The kind in the own group, for which the server has tables, Protocol Buffers messages and controllers.
    pub(crate) fn as_own(&self) -> Option<OwnKind> {
        self.hub.rules.map(|rules| rules.kind.kind)
    }

    /// The subresources that are served. A document does not describe the meaning of any but `status`.
    pub(crate) fn subresources(&self) -> &'static [&'static str] {
        match self.hub.resource.subresources.contains(&"status") {
            true => &["status"],
            false => &[],
        }
    }

    /// Whether objects have a status, which only its subresource writes.
    pub(crate) fn has_status(&self) -> bool {
        !self.subresources().is_empty()
    }

    /// The key of an object in the store.
    pub(crate) fn key<'a>(&self, namespace: &str, name: &'a str) -> Cow<'a, str> {
        match self.is_namespaced() {
            true => Cow::Owned(format!("{namespace}/{name}")),
            false => Cow::Borrowed(name),
        }
    }

    /// The version that the server's own controllers use.
    pub(crate) fn preferred(&self) -> Version {
        self.served.first().copied().unwrap_or(self.hub)
    }

    /// The served version with this `apiVersion`.
    pub(crate) fn served_version(&self, api_version: &str) -> Option<Version> {
        let mut served = self.served.iter().copied();
        served.find(|version| version.api_version() == api_version)
    }

    /// The version with this `apiVersion` if the release decodes it, served or not.
    pub(crate) fn decoded_version(&self, api_version: &str) -> Option<Version> {
        let served = self.served_version(api_version);
        served.or_else(|| self.adopt(Version::own(self.hub.rules?.of_version(api_version)?)))
    }

    /// Another release's version of this kind, under the rules of this release; `None` if this release cannot decode
    /// it.
    pub(crate) fn adopt(&self, version: Version) -> Option<Version> {
        match version.rules {
            Some(rules) => rules.of_release(self.release).map(Version::own),
            None => Some(version),
        }
    }

    /// The deprecation of a version, when the release warns of it.
    pub(crate) fn deprecation(&self, version: Version) -> Option<Deprecation> {
        version.rules?.deprecation()
    }

    /// The hash by which discovery names the version in which objects are stored.
    pub(crate) fn storage_version_hash(&self) -> Option<String> {
        self.hub.rules.map(Rules::storage_version_hash)
    }

    /// Reads a body as an object of `version`, without defaults, with warnings about fields.
    /// Errors: [`Unread`] for text that is not an object of this kind and version.
    pub(crate) fn read(
        &self,
        body: &[u8],
        format: Format,
        version: Version,
        validation: FieldValidation,
    ) -> Result<(Value, Vec<String>), Unread> {
        let Some(rules) = version.rules else {
            let read = described_body::read(body, format, version, self.release, validation);
            return read.map_err(|message| Unread {
                cause: message.clone(),
                message,
            });
        };
        match read_body(body, format, rules.kind, validation) {
            Ok(object) => Ok((object.value, object.warnings)),
            Err(error) => Err(Unread {
                message: error.message,
                cause: error.cause,
            }),
        }
    }

    /// Fills in the defaults of `version` and converts the object into the hub form, which keeps empty lists until
    /// the object is stored.
    pub(crate) fn to_hub(&self, mut object: Value, version: Version) -> Value {
        let Some(rules) = version.rules else {
            return self.canonical(object, self.hub);
        };
        rules.fill_in_defaults(&mut object);
        object = rules.version_to_hub(object);
        make_in_memory(&mut object, self.hub.schema());
        self.typed(object, self.hub)
    }

    /// An object in the version in which the release stores it.
    pub(crate) fn to_stored(&self, object: &Value) -> Value {
        self.in_version(object, self.stored)
    }

    /// An object without any field set, in hub form.
    pub(crate) fn empty(&self) -> Value {
        self.canonical(Value::Null, self.hub)
    }

    /// The object as a client of `version` sees it, with its type.
    pub(crate) fn in_version(&self, object: &Value, version: Version) -> Value {
        match version.rules {
            Some(rules) => self.canonical(rules.hub_to_version(object.clone()), version),
            None => self.typed(structural(object, version.schema()), version),
        }
    }

    /// Converts an object between versions without defaults, but with the zeros that Go writes on the way.
    pub(crate) fn convert(&self, object: &Value, from: Version, to: Version) -> Value {
        match from.rules {
            Some(rules) if from != to => {
                let hub = rules.version_to_hub(object.clone());
                self.in_version(&self.canonical(hub, self.hub), to)
            }
            _ => object.clone(),
        }
    }

    /// The canonical form in `version`, with the object's type.
    pub(crate) fn canonical(&self, mut object: Value, version: Version) -> Value {
        match version.rules {
            Some(_) => make_canonical(&mut object, version.schema()),
            None => object = structural(&object, version.schema()),
        }
        self.typed(object, version)
    }

    /// Violations of an object in hub form that is to be created or to replace `old`.
    ///
    /// The server validates the hub form; the version decides the names of fields in messages.
    pub(crate) fn violations(
        &self,
        object: &Value,
        old: Option<&Value>,
        version: Version,
        subresource: &str,
    ) -> Vec<Violation> {
        let Some(rules) = version.rules else {
            return validate::metadata(object, old, self.release);
        };
        // Messages show the empty lists that a client sent.
        let shown = |object: &Value| {
            let mut object = rules.hub_to_version(object.clone());
            make_in_memory(&mut object, version.schema());
            self.typed(object, version)
        };
        match old {
            None => validate::create(&shown(object), rules.validation()),
            Some(old) if subresource.is_empty() => {
                validate::update(&shown(old), &shown(object), rules.validation())
            }
            Some(old) => validate::update_status(&shown(old), &shown(object), self.release),
        }
    }

    fn typed(&self, mut object: Value, version: Version) -> Value {
        object["kind"] = self.name().into();
        object["apiVersion"] = version.api_version().into();
        object
    }
}
