//! The Kubernetes release of a server.

use crate::Release;
use crate::client::BoxFuture;
use crate::error::{Error, ErrorKind};
use crate::meta::Info;
use crate::send::client::Client;

impl Client {
    /// Reads the Kubernetes release of the server, by whose rules it defaults, converts and validates.
    ///
    /// A release that this crate does not know becomes the nearest one that it knows, and a `tracing` warning with the
    /// target `k8s_flowcontrol::request` names both. [`version`](Self::version) reads the build as the server describes it.
    ///
    /// ```no_run
    /// # async fn example(client: k8s_flowcontrol::Client) -> Result<(), k8s_flowcontrol::Error> {
    /// let release = client.release().await?;
    /// println!("Kubernetes {release} prefers {}", release.preferred());
    /// # Ok(())
    /// # }
    /// ```
    ///
    /// # Errors
    /// If the request fails, or the server names no release of Kubernetes 1 ([`Error::is_decode`]).
    pub fn release(&self) -> BoxFuture<Result<Release, Error>> {
        let client = self.clone();
        Box::pin(async move {
            let info = client.version().await?;
            known_release(&info).ok_or_else(|| {
                Error::new(ErrorKind::Decode {
                    expected: "a release of Kubernetes 1".to_owned(),
                    message: format!("found `{}.{}`", info.major, info.minor),
                    excerpt: String::new(),
                })
            })
        })
    }
}

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
}
