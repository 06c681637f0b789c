//! Kubernetes releases and the API versions that each of them serves.

use std::fmt;
use std::str::FromStr;

/// A version of the API group.
///
/// Ordered by age: `V1Beta1 < V1Beta2 < V1Beta3 < V1`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum ApiVersion {
    /// `v1beta1`, served by Kubernetes 1.20 to 1.25.
    V1Beta1,
    /// `v1beta2`, served by Kubernetes 1.23 to 1.28.
    V1Beta2,
    /// `v1beta3`, served by Kubernetes 1.26 to 1.31.
    V1Beta3,
    /// `v1`, served since Kubernetes 1.29.
    V1,
}

impl ApiVersion {
    /// All versions, the newest first.
    pub const ALL: &[Self] = &[Self::V1, Self::V1Beta3, Self::V1Beta2, Self::V1Beta1];

    /// The version's name, such as `v1beta3`.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::V1Beta1 => "v1beta1",
            Self::V1Beta2 => "v1beta2",
            Self::V1Beta3 => "v1beta3",
            Self::V1 => "v1",
        }
    }

    /// The `apiVersion` on the wire, such as `flowcontrol.apiserver.k8s.io/v1beta3`.
    pub const fn api_version(self) -> &'static str {
        match self {
            Self::V1Beta1 => "flowcontrol.apiserver.k8s.io/v1beta1",
            Self::V1Beta2 => "flowcontrol.apiserver.k8s.io/v1beta2",
            Self::V1Beta3 => "flowcontrol.apiserver.k8s.io/v1beta3",
            Self::V1 => "flowcontrol.apiserver.k8s.io/v1",
        }
    }

    /// The minor releases that introduced, deprecated and removed the version, if any.
    pub const fn lifecycle(self) -> Lifecycle {
        let (introduced, deprecated, removed) = match self {
            Self::V1Beta1 => (20, Some(23), Some(26)),
            Self::V1Beta2 => (23, Some(26), Some(29)),
            Self::V1Beta3 => (26, Some(29), Some(32)),
            Self::V1 => (29, None, None),
        };
        Lifecycle {
            introduced,
            deprecated,
            removed,
        }
    }

    /// Whether `release` serves the version.
    pub fn is_served_by(self, release: Release) -> bool {
        let Lifecycle {
            introduced,
            removed,
            ..
        } = self.lifecycle();
        release.minor() >= introduced && removed.is_none_or(|removed| release.minor() < removed)
    }
}

impl fmt::Display for ApiVersion {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.as_str())
    }
}

impl FromStr for ApiVersion {
    type Err = UnknownApiVersion;

    /// Reads `v1beta3` or `flowcontrol.apiserver.k8s.io/v1beta3`.
    fn from_str(text: &str) -> Result<Self, UnknownApiVersion> {
        Self::ALL
            .iter()
            .copied()
            .find(|version| text == version.as_str() || text == version.api_version())
            .ok_or_else(|| UnknownApiVersion(text.into()))
    }
}

/// Minor releases of Kubernetes 1 in the life of an [`ApiVersion`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Lifecycle {
    /// The first release that serves it.
    pub introduced: u32,
    /// The first release that warns of its use.
    pub deprecated: Option<u32>,
    /// The first release that serves it no more.
    pub removed: Option<u32>,
}

/// Text that names no version of the API group.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct UnknownApiVersion(Box<str>);

impl fmt::Display for UnknownApiVersion {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            f,
            "`{}` is not a version of {}: expected v1, v1beta3, v1beta2 or v1beta1",
            self.0,
            crate::GROUP
        )
    }
}

impl std::error::Error for UnknownApiVersion {}

/// A Kubernetes release, such as 1.29 or 1.36.2.
///
/// Defaults, conversion and validation differ between releases, so their functions take a release; [`has`](Self::has)
/// names the differences. Releases 1.25 to 1.37 are known. A release without a patch is the newest known patch. Patch
/// releases with the same behaviour are equal: only 1.36.0 to 1.36.2 are distinct from the newest patch.
///
/// ```
/// use k8s_flowcontrol_types::{ApiVersion, Release};
///
/// let release: Release = "1.29".parse()?;
/// assert_eq!(release.served().collect::<Vec<_>>(), [ApiVersion::V1, ApiVersion::V1Beta3]);
/// assert_eq!(release.stored(), ApiVersion::V1Beta3);
/// assert_eq!("1.29.1".parse(), Ok(release));
/// assert!("1.36.2".parse::<Release>()? < "1.36".parse()?);
/// # Ok::<(), k8s_flowcontrol_types::release::UnknownRelease>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Release {
    minor: u32,
    /// [`NEWEST_PATCH`], or a patch that differs from it.
    patch: u32,
}

const NEWEST_PATCH: u32 = u32::MAX;

impl Release {
    /// The oldest known release.
    pub const OLDEST: Self = Self::newest_patch_of(25);

    const fn of(minor: u32, patch: u32) -> Self {
        Self { minor, patch }
    }

    pub(crate) const fn newest_patch_of(minor: u32) -> Self {
        Self::of(minor, NEWEST_PATCH)
    }

    /// The newest known patch of 1.`minor`, when it is known.
    pub const fn new(minor: u32) -> Option<Self> {
        if minor >= Self::OLDEST.minor && minor <= Self::NEWEST.minor {
            Some(Self::newest_patch_of(minor))
        } else {
            None
        }
    }

    /// The release with another patch.
    ///
    /// ```
    /// # use k8s_flowcontrol_types::Release;
    /// assert_eq!(Release::nearest(36).with_patch(2).to_string(), "1.36.2");
    /// assert_eq!(Release::nearest(36).with_patch(9), Release::nearest(36));
    /// ```
    #[must_use]
    pub const fn with_patch(self, patch: u32) -> Self {
        match patch < Self::last_patch(self.minor) {
            true => Self::of(self.minor, patch),
            false => Self::newest_patch_of(self.minor),
        }
    }

    /// The known release nearest to 1.`minor`.
    ///
    /// ```
    /// # use k8s_flowcontrol_types::Release;
    /// assert_eq!(Release::nearest(29).minor(), 29);
    /// assert_eq!(Release::nearest(99), Release::NEWEST);
    /// ```
    pub const fn nearest(minor: u32) -> Self {
        match Self::new(minor) {
            Some(release) => release,
            None if minor < Self::OLDEST.minor => Self::OLDEST,
            None => Self::NEWEST,
        }
    }

    /// All known releases, the oldest first, each in its newest patch.
    pub fn all() -> impl Iterator<Item = Self> {
        (Self::OLDEST.minor..=Self::NEWEST.minor).map(Self::newest_patch_of)
    }

    /// The minor number: 29 for 1.29.
    pub const fn minor(self) -> u32 {
        self.minor
    }

    /// The patch number: 2 for 1.36.2. For a release without a patch it is the number of the newest known patch, or 0
    /// if all patches behave the same.
    pub const fn patch(self) -> u32 {
        match self.patch {
            NEWEST_PATCH => Self::last_patch(self.minor),
            patch => patch,
        }
    }

    /// The versions that the release serves, the preferred one first.
    pub fn served(self) -> impl Iterator<Item = ApiVersion> {
        ApiVersion::ALL
            .iter()
            .copied()
            .filter(move |version| version.is_served_by(self))
    }

    /// The version that discovery names as preferred.
    pub fn preferred(self) -> ApiVersion {
        // Every known release serves a version; the newest would be right for a later one.
        self.served().next().unwrap_or(ApiVersion::V1)
    }

    /// The version in which the release stores objects.
    pub const fn stored(self) -> ApiVersion {
        match self.minor {
            ..=25 => ApiVersion::V1Beta1,
            26 => ApiVersion::V1Beta2,
            27..=29 => ApiVersion::V1Beta3,
            _ => ApiVersion::V1,
        }
    }
}

/// The newest known release.
impl Default for Release {
    fn default() -> Self {
        Self::NEWEST
    }
}

impl fmt::Display for Release {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "1.{}", self.minor)?;
        match self.patch {
            NEWEST_PATCH => Ok(()),
            patch => write!(f, ".{patch}"),
        }
    }
}

impl FromStr for Release {
    type Err = UnknownRelease;

    /// Reads `1.29`, `v1.29` or a full version such as `v1.29.1` or `v1.29.1-eks-1`.
    fn from_str(text: &str) -> Result<Self, UnknownRelease> {
        let unknown = || UnknownRelease(text.into());
        let number = text.strip_prefix('v').unwrap_or(text);
        let rest = number.strip_prefix("1.").ok_or_else(unknown)?;
        let mut parts = rest.split(['.', '-', '+']);
        let minor = parts.next().unwrap_or_default();
        let minor = minor.parse().map_err(|_| unknown())?;
        let release = Self::new(minor).ok_or_else(unknown)?;
        let patch = parts.next().and_then(|patch| patch.parse().ok());
        Ok(patch.map_or(release, |patch| release.with_patch(patch)))
    }
}

/// Text that names no known release.
#[derive(Clone, PartialEq, Eq)]
pub struct UnknownRelease(Box<str>);

impl fmt::Display for UnknownRelease {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            f,
            "`{}` is not a known Kubernetes release: expected {} to {}",
            self.0,
            Release::OLDEST,
            Release::NEWEST
        )
    }
}

/// The text of the error, which a program prints that returns it from `main`.
impl fmt::Debug for UnknownRelease {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

impl std::error::Error for UnknownRelease {}
