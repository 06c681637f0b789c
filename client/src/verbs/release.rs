//! The Kubernetes release of a server.

use crate::error::{Error, ErrorKind};
use crate::negotiate::server_release::{known_release, release_with};
use crate::send::client::Client;
use crate::transport::BoxFuture;
use crate::{ApiVersion, GROUP, Release};

impl Client {
    /// Reads the Kubernetes release of the server, which determines its defaults, conversion and validation.
    ///
    /// For a release that this crate does not know, the result is the nearest known release, and a `tracing` warning
    /// with the target `k8s_flowcontrol::request` names both. [`version`](Self::version) reads the build as the server
    /// describes it.
    ///
    /// ```no_run
    /// # async fn example(client: k8s_flowcontrol::Client) -> Result<(), k8s_flowcontrol::Error> {
    /// let release = client.release().await?;
    /// println!("Kubernetes {release} prefers {}", release.preferred());
    /// # Ok(())
    /// # }
    /// ```
    ///
    /// A server that does not name a release of Kubernetes 1, as some proxies and distributions do, counts as the
    /// oldest release that introduced the versions of flow control that it serves, as for
    /// [`negotiated`](Self::negotiated).
    ///
    /// # Errors
    /// If the request fails, or the server neither names a release nor serves a known version of flow control
    /// ([`Error::is_decode`]).
    pub fn release(&self) -> BoxFuture<Result<Release, Error>> {
        let client = self.clone();
        Box::pin(async move {
            let info = client.version().await?;
            if let Some(release) = known_release(&info) {
                return Ok(release);
            }
            let served = served_versions(&client).await?;
            let is_known =
                |version: &ApiVersion| served.iter().any(|name| name == version.as_str());
            if ApiVersion::ALL.iter().any(is_known) {
                return Ok(release_with(&served));
            }
            Err(Error::new(ErrorKind::Decode {
                expected: "a release of Kubernetes 1".to_owned(),
                message: format!(
                    "GET /version has the major `{}`, the minor `{}` and the gitVersion `{}`, and the server serves no known \
                     version of {GROUP}; name the release with `Release::new`",
                    info.major, info.minor, info.git_version
                ),
                excerpt: String::new(),
            }))
        })
    }
}

/// The names of the versions of flow control that the server serves.
async fn served_versions(client: &Client) -> Result<Vec<String>, Error> {
    match client.api_group(GROUP).await {
        Ok(group) => Ok(group.versions.into_iter().map(|v| v.version).collect()),
        Err(error) if error.is_not_found() => Ok(Vec::new()),
        Err(error) => Err(error),
    }
}
