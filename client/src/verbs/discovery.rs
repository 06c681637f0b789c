//! Discovery: the groups, versions and resources of a server, and its release.

use super::call::{Call, builder};
use crate::error::Error;
use crate::meta::{ApiGroup, ApiGroupList, ApiResourceList, Info};
use crate::negotiate::negotiation::served;
use crate::negotiate::server_release::{known_release, release_with};
use crate::request::http_request::Verb;
use crate::request::path::{Target, segment};
use crate::response::decode::{Decoded, Decoder, not_failed};
use crate::rt::v1::Object;
use crate::send::client::Client;
use crate::transport::BoxFuture;
use crate::{ApiVersion, GROUP, Release, json};

impl Client {
    /// Reads the API groups of the server, with their versions.
    pub fn api_groups(&self) -> DiscoveryRequest<ApiGroupList> {
        self.discover(Ok("/apis".to_owned()))
    }

    /// Reads the versions of an API group, such as [`GROUP`](crate::GROUP), with the server's preferred version.
    ///
    /// # Errors
    /// [`is_not_found`](Error::is_not_found) if the server does not serve the group.
    pub fn api_group(&self, group: &str) -> DiscoveryRequest<ApiGroup> {
        self.discover(segment("the group", group).map(|group| format!("/apis/{group}/")))
    }

    /// Reads the resources of an API version, with their verbs and subresources. The name of the core group is empty.
    ///
    /// # Errors
    /// [`is_not_found`](Error::is_not_found) if the server does not serve the version.
    pub fn api_resources(&self, group: &str, version: &str) -> DiscoveryRequest<ApiResourceList> {
        self.discover(
            segment("the version", version).and_then(|version| match group {
                "" => Ok(format!("/api/{version}/")),
                group => {
                    segment("the group", group).map(|group| format!("/apis/{group}/{version}/"))
                }
            }),
        )
    }

    /// Reads the server's release and build.
    pub fn version(&self) -> DiscoveryRequest<Info> {
        self.discover(Ok("/version".to_owned()))
    }

    fn discover<T>(&self, path: Result<String, Error>) -> DiscoveryRequest<T>
    where
        T: Object + Send + 'static,
    {
        DiscoveryRequest {
            call: Call::new(self, Verb::Get, path.map(Target::outside_resources)),
            decoder: || {
                Decoder::new(T::TABLE.schema.name, |body| {
                    not_failed(body)?;
                    json::from_slice::<T>(body).map(Decoded::from)
                })
            },
        }
    }
}

builder! {
    /// Reads a discovery document, made by [`Client::api_groups`], [`Client::api_group`], [`Client::api_resources`] and
    /// [`Client::version`].
    DiscoveryRequest<T: Send + 'static> { decoder: fn() -> Decoder<T> }
    => T, |this| this.call.send((this.decoder)()).await
}

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
            let served = served(client.api_group(GROUP)).await?;
            let is_known =
                |version: &ApiVersion| served.iter().any(|name| name == version.as_str());
            if ApiVersion::ALL.iter().any(is_known) {
                return Ok(release_with(&served));
            }
            Err(Error::decode(
                "a release of Kubernetes 1",
                format!(
                    "GET /version has the major `{}`, the minor `{}` and the gitVersion `{}`, and the server serves no known \
                     version of {GROUP}; name the release with `Release::new`",
                    info.major, info.minor, info.git_version
                ),
            ))
        })
    }
}
