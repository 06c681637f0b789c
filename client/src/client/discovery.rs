//! What a server offers.

use super::connection::Client;
use super::error::Error;
use super::request::{HttpRequest, segment};
use super::response::{Decoded, Decoder, Response};
use crate::meta::{ApiGroup, ApiGroupList, ApiResourceList, Info};
use crate::rt::Members;
use http::Method;
use serde::de::DeserializeOwned;

impl Client {
    /// The API groups that the server serves, with their versions.
    ///
    /// # Errors
    /// See [`Error`].
    pub async fn api_groups(&self) -> Result<ApiGroupList, Error> {
        self.discover("/apis".to_owned()).await
    }

    /// The versions of an API group, such as [`GROUP`](crate::GROUP), and which one the server prefers.
    ///
    /// # Errors
    /// See [`Error`]; a group that the server does not know [`is_not_found`](Error::is_not_found).
    pub async fn api_group(&self, group: &str) -> Result<ApiGroup, Error> {
        self.discover(format!("/apis/{}/", segment("the group", group)?)).await
    }

    /// The kinds of one version of an API group, with their verbs and subresources.
    ///
    /// The core group is the empty string.
    ///
    /// # Errors
    /// See [`Error`]; a version that the server does not serve [`is_not_found`](Error::is_not_found).
    pub async fn api_resources(&self, group: &str, version: &str) -> Result<ApiResourceList, Error> {
        let version = segment("the version", version)?;
        self.discover(match group {
            "" => format!("/api/{version}/"),
            group => format!("/apis/{}/{version}/", segment("the group", group)?),
        })
        .await
    }

    /// The server's release and build.
    ///
    /// # Errors
    /// See [`Error`].
    pub async fn version(&self) -> Result<Info, Error> {
        self.discover("/version".to_owned()).await
    }

    async fn discover<T: Members + DeserializeOwned>(&self, path: String) -> Result<T, Error> {
        let what = format!("a {}", T::NAME);
        let decode = |body: &[u8]| serde_json::from_slice::<T>(body).map(Decoded::from);
        let request = HttpRequest::new(Method::GET, path);
        self.send(request, Decoder { what, decode }).await.map(Response::into_inner)
    }
}
