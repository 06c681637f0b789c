//! The release of a server, from what it answers about its build and its API versions.

use crate::meta::Info;
use crate::{ApiVersion, Release};

/// The known release nearest to a server's.
pub(crate) fn known_release(info: &Info) -> Option<Release> {
    let minor = minor(info)?;
    let release = Release::nearest(minor);
    if release.minor() != minor {
        tracing::warn!(
            target: "k8s_flowcontrol::request",
            release = %format_args!("1.{minor}"),
            rules = %release,
            "the release of the server is unknown; the rules of the nearest known release apply"
        );
    }
    let exact = info.git_version.parse::<Release>().ok();
    Some(
        exact
            .filter(|exact| exact.minor() == minor)
            .unwrap_or(release),
    )
}

/// The minor version, such as 29. Some vendors append a `+`.
fn minor(info: &Info) -> Option<u32> {
    if info.major.trim() != "1" {
        return None;
    }
    let digits = info
        .minor
        .trim()
        .split(|c: char| !c.is_ascii_digit())
        .next()?;
    digits.parse().ok()
}

/// The oldest release with all of these versions.
pub(crate) fn release_with(served: &[String]) -> Release {
    let introduced = ApiVersion::ALL
        .iter()
        .copied()
        .filter(|version| served.iter().any(|name| name == version.as_str()))
        .map(|version| version.lifecycle().introduced)
        .max();
    introduced.map_or(Release::NEWEST, Release::nearest)
}
