//! The kind of the objects of an `Api`: taken from its Rust type, or chosen at run time.

use crate::meta::ApiResourceList;
use crate::{ApiVersion, GROUP, Kind, Resource};
use std::collections::BTreeSet;
use std::sync::{Mutex, OnceLock, PoisonError};

/// A kind in one API version, with the facts that requests need.
///
/// Made from a Rust type ([`of`](Self::of)), from a kind of flow control ([`flow_control`](Self::flow_control)), or from
/// discovery, see [`Client::dynamic`](crate::Client::dynamic).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct ResourceKind {
    group: &'static str,
    version: &'static str,
    api_version: &'static str,
    kind: &'static str,
    list_kind: &'static str,
    plural: &'static str,
    namespaced: bool,
}

impl ResourceKind {
    /// A kind that is known at run time only: the group (empty for the core group), version, kind and plural name of the
    /// resource, and whether its objects live in namespaces.
    ///
    /// The texts are kept, once each, until the program ends.
    pub fn new(group: &str, version: &str, kind: &str, plural: &str, namespaced: bool) -> Self {
        let api_version = match group {
            "" => version.to_owned(),
            _ => format!("{group}/{version}"),
        };
        Self {
            group: kept(group),
            version: kept(version),
            api_version: kept(&api_version),
            kind: kept(kind),
            list_kind: kept(&format!("{kind}List")),
            plural: kept(plural),
            namespaced,
        }
    }

    /// The kind of a Rust type.
    pub const fn of<K: Resource>() -> Self {
        Self {
            group: K::GROUP,
            version: K::VERSION,
            api_version: K::API_VERSION,
            kind: K::KIND,
            list_kind: K::LIST_KIND,
            plural: K::PLURAL,
            namespaced: K::NAMESPACED,
        }
    }

    /// A flow control kind in an API version.
    pub fn flow_control(kind: Kind, version: ApiVersion) -> Self {
        Self::new(GROUP, version.as_str(), kind.as_str(), kind.plural(), false)
    }

    /// A kind among the resources of an API version, as [`Client::api_resources`](crate::Client::api_resources) lists them;
    /// `None` if it is not there.
    ///
    /// ```no_run
    /// use k8s_flowcontrol::client::ResourceKind;
    ///
    /// # async fn example(client: k8s_flowcontrol::Client) -> Result<(), Box<dyn std::error::Error>> {
    /// let resources = client.api_resources("apps", "v1").await?;
    /// let kind = ResourceKind::discovered(&resources, "Deployment").ok_or("apps/v1 has no Deployment")?;
    /// for deployment in client.dynamic(kind, None).list().await? {
    ///     println!("{}", deployment.tree()["spec"]["replicas"]);
    /// }
    /// # Ok(())
    /// # }
    /// ```
    pub fn discovered(resources: &ApiResourceList, kind: &str) -> Option<Self> {
        let (group, version) = match resources.group_version.split_once('/') {
            Some((group, version)) => (group, version),
            None => ("", &*resources.group_version),
        };
        // The name of a subresource has a slash.
        let mut found = resources.resources.iter();
        let found = found.find(|found| found.kind == kind && !found.name.contains('/'))?;
        Some(Self::new(
            group,
            version,
            kind,
            &found.name,
            found.namespaced,
        ))
    }

    /// The API group; empty for the core group.
    pub const fn group(&self) -> &'static str {
        self.group
    }

    /// The API version within the group, such as `v1beta3`.
    pub const fn version(&self) -> &'static str {
        self.version
    }

    /// The group and version, as `apiVersion` has them.
    pub const fn api_version(&self) -> &'static str {
        self.api_version
    }

    /// The kind.
    pub const fn kind(&self) -> &'static str {
        self.kind
    }

    /// The kind of a list of the objects.
    pub const fn list_kind(&self) -> &'static str {
        self.list_kind
    }

    /// The name of the resource in paths.
    pub const fn plural(&self) -> &'static str {
        self.plural
    }

    /// Whether the objects live in namespaces.
    pub const fn namespaced(&self) -> bool {
        self.namespaced
    }
}

/// The same text, which lives as long as the program.
fn kept(text: &str) -> &'static str {
    static TEXTS: OnceLock<Mutex<BTreeSet<&'static str>>> = OnceLock::new();
    let texts = TEXTS.get_or_init(Mutex::default);
    let mut texts = texts.lock().unwrap_or_else(PoisonError::into_inner);
    match texts.get(text) {
        Some(text) => text,
        None => {
            let text: &'static str = Box::leak(text.into());
            texts.insert(text);
            text
        }
    }
}
