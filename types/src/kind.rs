//! The kinds of the API group: by name, in a version, and as the servers of a release know them.

use crate::__named as named;
use crate::api::{v1, v1beta1, v1beta2, v1beta3};
use crate::schema::{ResourceSchema, TypeSchema};
use crate::{ApiVersion, Release, Resource};
use std::fmt;
use std::str::FromStr;

named! {
    /// A kind of the API group.
    ///
    /// ```
    /// use k8s_flowcontrol_types::{ApiVersion, Kind};
    ///
    /// let kind: Kind = "FlowSchema".parse()?;
    /// assert_eq!(kind, Kind::FlowSchema);
    /// assert_eq!(kind.plural(), "flowschemas");
    /// assert!(kind.schema(ApiVersion::V1).schema.field("spec").is_some());
    /// assert!("Pod".parse::<Kind>().is_err());
    /// # Ok::<(), k8s_flowcontrol_types::kind::UnknownKind>(())
    /// ```
    #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
    pub enum Kind {
        /// `FlowSchema`.
        FlowSchema = "FlowSchema",
        /// `PriorityLevelConfiguration`.
        PriorityLevelConfiguration = "PriorityLevelConfiguration",
    }
    /// The `kind` on the wire.
    pub fn as_str;
    /// Both kinds.
    pub const ALL;
}

impl Kind {
    /// The `kind` of a list of such objects on the wire.
    pub const fn list_kind(self) -> &'static str {
        match self {
            Self::FlowSchema => "FlowSchemaList",
            Self::PriorityLevelConfiguration => "PriorityLevelConfigurationList",
        }
    }

    /// The resource's name in paths.
    pub const fn plural(self) -> &'static str {
        match self {
            Self::FlowSchema => "flowschemas",
            Self::PriorityLevelConfiguration => "prioritylevelconfigurations",
        }
    }

    /// The kind named `name` on the wire.
    pub fn named(name: &str) -> Option<Self> {
        Self::ALL.iter().copied().find(|kind| kind.as_str() == name)
    }

    /// The kind of the items of a list whose `kind` on the wire is `name`.
    pub fn of_list(name: &str) -> Option<Self> {
        Self::ALL
            .iter()
            .copied()
            .find(|kind| kind.list_kind() == name)
    }

    /// The schema of the kind in a version.
    pub fn schema(self, version: ApiVersion) -> &'static ResourceSchema {
        schema(self, version)
    }
}

impl FromStr for Kind {
    type Err = UnknownKind;

    fn from_str(text: &str) -> Result<Self, UnknownKind> {
        Self::named(text).ok_or_else(|| UnknownKind(text.into()))
    }
}

/// The error for a name that is not a kind of the API group.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct UnknownKind(Box<str>);

impl fmt::Display for UnknownKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            f,
            "`{}` is not a kind of {}: expected FlowSchema or PriorityLevelConfiguration",
            self.0,
            crate::GROUP
        )
    }
}

impl std::error::Error for UnknownKind {}

/// A type of a kind of the API group, in one version.
///
/// Implemented for `FlowSchema` and `PriorityLevelConfiguration` of every module of [`api`](crate::api).
pub trait Versioned: Resource {
    /// The kind.
    const API_KIND: Kind;
    /// The version.
    const API: ApiVersion;
}

/// A kind in one version, as servers of a release know it.
///
/// ```
/// use k8s_flowcontrol_types::api::v1beta3;
/// use k8s_flowcontrol_types::kind::VersionedKind;
/// use k8s_flowcontrol_types::{ApiVersion, Kind, Release};
///
/// let release: Release = "1.28".parse()?;
/// let schemas = VersionedKind::new(Kind::FlowSchema, ApiVersion::V1Beta3, release);
/// assert_eq!(VersionedKind::of::<v1beta3::FlowSchema>(release), schemas);
/// # Ok::<(), k8s_flowcontrol_types::release::UnknownRelease>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct VersionedKind {
    /// The kind.
    pub kind: Kind,
    /// The version that objects are written in.
    pub version: ApiVersion,
    /// The release of the servers.
    pub release: Release,
}

impl VersionedKind {
    /// A kind in `version`, as servers of `release` know it.
    pub const fn new(kind: Kind, version: ApiVersion, release: Release) -> Self {
        Self {
            kind,
            version,
            release,
        }
    }

    /// The kind and the version of a type, as servers of `release` know them.
    pub const fn of<K: Versioned>(release: Release) -> Self {
        Self::new(K::API_KIND, K::API, release)
    }

    /// The same kind in another version.
    #[must_use]
    pub const fn in_version(self, version: ApiVersion) -> Self {
        Self { version, ..self }
    }

    /// The schema of an object. It has the fields of every release; see
    /// [`FieldSchema::is_known_to`](crate::schema::FieldSchema::is_known_to).
    pub fn schema(self) -> &'static TypeSchema {
        self.kind.schema(self.version).schema
    }
}

macro_rules! versions {
    ($($version:ident $module:ident)*) => {
        $(
            impl Versioned for $module::FlowSchema {
                const API_KIND: Kind = Kind::FlowSchema;
                const API: ApiVersion = ApiVersion::$version;
            }

            impl Versioned for $module::PriorityLevelConfiguration {
                const API_KIND: Kind = Kind::PriorityLevelConfiguration;
                const API: ApiVersion = ApiVersion::$version;
            }
        )*

        fn schema(kind: Kind, version: ApiVersion) -> &'static ResourceSchema {
            match (kind, version) {
                $(
                    (Kind::FlowSchema, ApiVersion::$version) => $module::FlowSchema::schema(),
                    (Kind::PriorityLevelConfiguration, ApiVersion::$version) => {
                        $module::PriorityLevelConfiguration::schema()
                    }
                )*
            }
        }
    };
}
versions!(V1 v1 V1Beta3 v1beta3 V1Beta2 v1beta2 V1Beta1 v1beta1);
