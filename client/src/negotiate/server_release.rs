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

/// The oldest release that introduced any of these versions.
pub(crate) fn release_with(served: &[String]) -> Release {
    let introduced = ApiVersion::ALL
        .iter()
        .copied()
        .filter(|version| served.iter().any(|name| name == version.as_str()))
        .map(|version| version.lifecycle().introduced)
        .max();
    introduced.map_or(Release::NEWEST, Release::nearest)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_release_of_a_server() {
        let release = |major: &str, minor: &str| {
            let info = Info {
                major: major.into(),
                minor: minor.into(),
                ..Info::default()
            };
            known_release(&info).map(Release::minor)
        };
        assert_eq!(release("1", "27"), Some(27));
        assert_eq!(release("1", "28+"), Some(28));
        assert_eq!(release("1", "99"), Some(Release::NEWEST.minor()));
        assert_eq!(release("1", "18"), Some(Release::OLDEST.minor()));
        assert_eq!(release("1", ""), None);
        assert_eq!(release("2", "1"), None);
    }

    #[test]
    fn the_oldest_release_with_the_versions() {
        let release = |served: &[&str]| {
            let names: Vec<String> = served.iter().map(|name| (*name).to_owned()).collect();
            release_with(&names).minor()
        };
        assert_eq!(release(&["v1beta3", "v1beta2"]), 26);
        assert_eq!(release(&["v1", "v1beta3"]), 29);
        assert_eq!(release(&["v1beta2", "v1beta1"]), 25);
    }
}
