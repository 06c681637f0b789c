//! Which kinds are served in which versions, and the way of an object through them.
//!
//! All of it comes from the documents; inside the server an object has its hub form, which is v1's.

use crate::wire::{canonical, in_memory};
use k8s_flowcontrol_rules::{conversion, defaults, validate};
use k8s_flowcontrol_types::schema::{ResourceSchema, TypeSchema};
use k8s_flowcontrol_types::{ApiVersion, Release, api};
use serde_json::Value;
use std::borrow::Cow;
use std::sync::Arc;

/// The version whose shape objects have inside the server.
pub(crate) const HUB: ApiVersion = ApiVersion::V1;

/// What a server of a release knows.
#[derive(Debug)]
pub(crate) struct Scheme {
    release: Release,
    settings: Settings,
    /// The preferred one first.
    versions: Vec<ApiVersion>,
    kinds: Vec<Kind>,
}

/// What stays the same when a server becomes one of another release.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Settings {
    /// Whether all versions are served, whatever the release serves.
    pub(crate) all_versions: bool,
    /// Whether the gate `ZeroLimitedNominalConcurrencyShares` is open, where there is one.
    pub(crate) zero_limited_shares: bool,
}

/// A kind in all its served versions.
///
/// A guest is a kind of another group, of which the server knows what its document says. It has one
/// version, which has no place among those of the own group: where versions are told apart, the hub's
/// stands for it.
#[derive(Clone, Debug)]
pub(crate) struct Kind {
    /// Where its objects are in the store.
    pub(crate) index: usize,
    hub: &'static ResourceSchema,
    served: Vec<(ApiVersion, &'static ResourceSchema)>,
    release: Release,
    settings: Settings,
    /// The `apiVersion` of a guest.
    guest: Option<Arc<str>>,
}

impl Scheme {
    /// What a server of `release` knows.
    pub(crate) fn new(
        release: Release,
        settings: Settings,
        guests: &[&'static ResourceSchema],
    ) -> Self {
        let versions: Vec<_> = if settings.all_versions {
            ApiVersion::ALL.to_vec()
        } else {
            release.served().collect()
        };
        let own = resources(HUB).iter().map(|hub| {
            let served = versions.iter().filter_map(|&version| {
                let same = |resource: &&ResourceSchema| resource.kind == hub.kind;
                Some((version, resources(version).iter().find(same)?))
            });
            (hub, served.collect(), None)
        });
        let guests = guests.iter().map(|&hub| {
            let api_version = match hub.group {
                "" => hub.version.to_owned(),
                group => format!("{group}/{}", hub.version),
            };
            (hub, Vec::new(), Some(api_version.into()))
        });
        let kinds = own
            .chain(guests)
            .enumerate()
            .map(|(index, (hub, served, guest))| Kind {
                index,
                hub,
                served,
                release,
                settings,
                guest,
            })
            .collect();
        Self {
            release,
            settings,
            versions,
            kinds,
        }
    }

    /// What the same server knows when it is one of another release.
    pub(crate) fn of_release(&self, release: Release) -> Self {
        let guests: Vec<_> = self.guests().map(|kind| kind.hub).collect();
        Self::new(release, self.settings, &guests)
    }

    pub(crate) fn release(&self) -> Release {
        self.release
    }

    /// The served versions, the preferred one first.
    pub(crate) fn versions(&self) -> &[ApiVersion] {
        &self.versions
    }

    pub(crate) fn preferred(&self) -> ApiVersion {
        self.versions.first().copied().unwrap_or(HUB)
    }

    pub(crate) fn kinds(&self) -> &[Kind] {
        &self.kinds
    }

    /// The kind of the own group whose name in paths is `plural`.
    pub(crate) fn by_plural(&self, plural: &str) -> Option<&Kind> {
        self.own().find(|kind| kind.plural() == plural)
    }

    /// The kind of the own group that has the name.
    pub(crate) fn by_name(&self, name: &str) -> Option<&Kind> {
        self.own().find(|kind| kind.name() == name)
    }

    fn own(&self) -> impl Iterator<Item = &Kind> {
        self.kinds.iter().filter(|kind| !kind.is_guest())
    }

    /// The kinds of other groups.
    pub(crate) fn guests(&self) -> impl Iterator<Item = &Kind> {
        self.kinds.iter().filter(|kind| kind.is_guest())
    }
}

impl Kind {
    pub(crate) fn name(&self) -> &'static str {
        self.hub.kind
    }

    pub(crate) fn plural(&self) -> &'static str {
        self.hub.plural
    }

    pub(crate) fn group(&self) -> &'static str {
        self.hub.group
    }

    /// Whether it is of another group.
    pub(crate) fn is_guest(&self) -> bool {
        self.guest.is_some()
    }

    /// The `apiVersion` on the wire.
    pub(crate) fn api_version(&self, version: ApiVersion) -> &str {
        match &self.guest {
            Some(api_version) => api_version,
            None => version.api_version(),
        }
    }

    /// The version's name without its group.
    pub(crate) fn version_name(&self, version: ApiVersion) -> &'static str {
        match self.is_guest() {
            true => self.hub.version,
            false => version.as_str(),
        }
    }

    /// The name under which an object lies in the store.
    pub(crate) fn key<'a>(&self, namespace: &str, name: &'a str) -> Cow<'a, str> {
        match self.is_namespaced() {
            true => Cow::Owned(format!("{namespace}/{name}")),
            false => Cow::Borrowed(name),
        }
    }

    /// Whether there is a status, which only its subresource writes.
    pub(crate) fn has_status(&self) -> bool {
        self.subresources().contains(&"status")
    }

    pub(crate) fn release(&self) -> Release {
        self.release
    }

    /// By which rules objects of `version` are judged.
    pub(crate) fn rules(&self, version: ApiVersion) -> validate::Context {
        let context = validate::Context::new(self.release, version);
        match self.settings.zero_limited_shares {
            true => context.with_zero_limited_shares(true),
            false => context,
        }
    }

    pub(crate) fn is_namespaced(&self) -> bool {
        self.hub.namespaced
    }

    pub(crate) fn subresources(&self) -> &'static [&'static str] {
        // What the others do no document says.
        match self.hub.subresources {
            all if !self.is_guest() => all,
            all if all.contains(&"status") => &["status"],
            _ => &[],
        }
    }

    pub(crate) fn is_served_in(&self, version: ApiVersion) -> bool {
        self.served.iter().any(|(served, _)| *served == version)
    }

    /// The served version that an `apiVersion` names.
    pub(crate) fn served_version(&self, api_version: &str) -> Option<ApiVersion> {
        if let Some(guest) = &self.guest {
            return (**guest == *api_version).then_some(HUB);
        }
        self.served
            .iter()
            .map(|(version, _)| *version)
            .find(|version| version.api_version() == api_version)
    }

    /// The shape of an object in `version`; that of the hub when the version does not have the kind.
    pub(crate) fn schema(&self, version: ApiVersion) -> &'static TypeSchema {
        self.served
            .iter()
            .find(|(served, _)| *served == version)
            .map_or(self.hub.schema, |(_, resource)| resource.schema)
    }

    /// Fills in the defaults of `version` and turns the object into its hub form, in which empty lists are
    /// kept until it is stored.
    pub(crate) fn to_hub(&self, mut object: Value, version: ApiVersion) -> Value {
        if self.is_guest() {
            return self.typed(in_memory(&object, self.schema(HUB)), HUB);
        }
        conversion::prune(&mut object, self.name(), version, self.release);
        defaults::apply(&mut object, self.name(), version, self.release);
        let hub = conversion::server_step(object, self.name(), version, HUB, self.release);
        self.typed(in_memory(&hub, self.schema(HUB)), HUB)
    }

    /// An object in the version in which the release stores it.
    pub(crate) fn to_stored(&self, object: &Value) -> Value {
        self.in_version(object, self.release.stored())
    }

    /// An object of which nothing is set, in hub form.
    pub(crate) fn empty(&self) -> Value {
        self.canonical(&Value::Null, HUB)
    }

    /// The object as a client of `version` sees it, with its type.
    pub(crate) fn in_version(&self, object: &Value, version: ApiVersion) -> Value {
        if self.is_guest() {
            return self.canonical(object, version);
        }
        let object =
            conversion::server_step(object.clone(), self.name(), HUB, version, self.release);
        self.canonical(&object, version)
    }

    /// An object of one version in another, without defaults: with the zeros that Go writes on the way.
    pub(crate) fn convert(&self, object: &Value, from: ApiVersion, to: ApiVersion) -> Value {
        if from == to {
            return object.clone();
        }
        let hub = conversion::server_step(object.clone(), self.name(), from, HUB, self.release);
        self.in_version(&self.canonical(&hub, HUB), to)
    }

    /// The canonical form in `version`, with the object's type.
    pub(crate) fn canonical(&self, object: &Value, version: ApiVersion) -> Value {
        self.typed(canonical(object, self.schema(version)), version)
    }

    /// An object of `version` as it is judged: with the empty lists that it has.
    pub(crate) fn judged_in_version(&self, object: &Value, version: ApiVersion) -> Value {
        let object =
            conversion::server_step(object.clone(), self.name(), HUB, version, self.release);
        self.typed(in_memory(&object, self.schema(version)), version)
    }

    fn typed(&self, mut object: Value, version: ApiVersion) -> Value {
        object["kind"] = self.name().into();
        object["apiVersion"] = self.api_version(version).into();
        object
    }
}

fn resources(version: ApiVersion) -> &'static [ResourceSchema] {
    match version {
        ApiVersion::V1Beta1 => api::v1beta1::RESOURCES,
        ApiVersion::V1Beta2 => api::v1beta2::RESOURCES,
        ApiVersion::V1Beta3 => api::v1beta3::RESOURCES,
        ApiVersion::V1 => api::v1::RESOURCES,
    }
}
