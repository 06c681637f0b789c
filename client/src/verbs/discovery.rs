//! Discovery: the groups, versions and resources of a server, and its release.

use super::call::{Call, builder};
use crate::error::Error;
use crate::json;
use crate::meta::{ApiGroup, ApiGroupList, ApiResourceList, Info};
use crate::request::http_request::Verb;
use crate::request::path::{Target, segment};
use crate::response::decode::{Decoded, Decoder};
use crate::rt::v1::Object;
use crate::send::client::Client;

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
