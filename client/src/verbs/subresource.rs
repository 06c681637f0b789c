//! Subresources other than the status.

use super::api::Api;
use super::call::{APPLY, JSON, JSON_PATCH, MERGE_PATCH, STRATEGIC_MERGE_PATCH, builder};
use super::raw::ANY;
use crate::Resource;
use crate::error::Error;
use crate::request::http_request::Verb;
use crate::response::decode::{Decoded, Decoder, Response, not_failed};
use serde::Serialize;
use serde::de::DeserializeOwned;

impl<K: Resource> Api<K> {
    /// Reads a subresource of an object, such as `scale`. [`log`](Self::log) reads the log of a pod.
    ///
    /// The response is bytes, or a type with [`read_as`](SubresourceRequest::read_as). [`Client::api_resources`] lists the
    /// subresources of each resource. A subresource may be a path of several segments, such as `proxy/a/b`.
    ///
    /// [`Client::api_resources`]: crate::Client::api_resources
    ///
    /// ```no_run
    /// # use k8s_flowcontrol::{Error, Resource, client::Api};
    /// # async fn example<Deployment: Resource>(deployments: Api<Deployment>) -> Result<(), Error> {
    /// let scale: serde_json::Value = deployments.get_subresource("web", "scale").read_as().await?;
    /// let page = deployments.get_subresource("web", "proxy/healthz").query("verbose", "").await?;
    /// # Ok(())
    /// # }
    /// ```
    pub fn get_subresource(&self, name: &str, subresource: &str) -> SubresourceRequest {
        self.subresource(Verb::Get, name, subresource)
    }

    /// Creates a subresource of an object, such as `eviction`, `binding` or `token`. The body has its own kind.
    pub fn create_subresource<B: Serialize + ?Sized>(
        &self,
        name: &str,
        subresource: &str,
        body: &B,
    ) -> SubresourceRequest {
        self.subresource(Verb::Create, name, subresource)
            .body(JSON, body)
    }

    /// Replaces a subresource of an object, such as `scale` or `approval`.
    pub fn replace_subresource<B: Serialize + ?Sized>(
        &self,
        name: &str,
        subresource: &str,
        body: &B,
    ) -> SubresourceRequest {
        self.subresource(Verb::Update, name, subresource)
            .body(JSON, body)
    }

    /// Patches a subresource of an object, such as `scale` or `ephemeralcontainers`.
    ///
    /// ```no_run
    /// # use k8s_flowcontrol::{Error, Resource, client::Api};
    /// # async fn example<Deployment: Resource>(deployments: Api<Deployment>) -> Result<(), Error> {
    /// let replicas = serde_json::json!({"spec": {"replicas": 3}});
    /// let scale: serde_json::Value =
    ///     deployments.patch_subresource("web", "scale").merge(&replicas).read_as().await?;
    /// # Ok(())
    /// # }
    /// ```
    pub fn patch_subresource(&self, name: &str, subresource: &str) -> SubresourcePatch {
        SubresourcePatch(self.subresource(Verb::Patch, name, subresource))
    }

    fn subresource(&self, verb: Verb, name: &str, subresource: &str) -> SubresourceRequest {
        let mut call = self.object_call(verb, name, Some(subresource));
        call.change(|request| request.accept = ANY);
        SubresourceRequest { call }
    }
}

/// The subresource to patch, made by [`Api::patch_subresource`]. The methods choose the patch type.
#[derive(Debug)]
#[must_use = "a patch needs a body: json, merge, strategic or apply"]
pub struct SubresourcePatch(SubresourceRequest);

impl SubresourcePatch {
    /// Sends a JSON patch (RFC 6902), as [`PatchTarget::json`](super::PatchTarget::json).
    pub fn json<B: Serialize + ?Sized>(self, operations: &B) -> SubresourceRequest {
        self.0.body(JSON_PATCH, operations)
    }

    /// Sends a merge patch (RFC 7386), as [`PatchTarget::merge`](super::PatchTarget::merge).
    pub fn merge<B: Serialize + ?Sized>(self, patch: &B) -> SubresourceRequest {
        self.0.body(MERGE_PATCH, patch)
    }

    /// Sends a strategic merge patch, as [`PatchTarget::strategic`](super::PatchTarget::strategic).
    pub fn strategic<B: Serialize + ?Sized>(self, patch: &B) -> SubresourceRequest {
        self.0.body(STRATEGIC_MERGE_PATCH, patch)
    }

    /// Applies a part of the subresource by server-side apply. `part` contains `apiVersion` and `kind`.
    /// [`query`](SubresourceRequest::query) with `force` and `true` takes fields from other field managers.
    pub fn apply<B: Serialize + ?Sized>(self, field_manager: &str, part: &B) -> SubresourceRequest {
        let request = self.0.body(APPLY, part);
        request.query("fieldManager", field_manager)
    }
}

builder! {
    /// A request about a subresource, made by [`Api::get_subresource`], [`Api::create_subresource`],
    /// [`Api::replace_subresource`] and [`Api::patch_subresource`].
    SubresourceRequest {} => Vec<u8>, |this| this.call.send(Decoder::bytes()).await
}

impl SubresourceRequest {
    /// Sets a query parameter, such as `container` of a log.
    pub fn query(mut self, name: &'static str, value: impl Into<String>) -> Self {
        self.call.set(name, value);
        self
    }

    /// Sends the request and reads the response as a `T`, such as a generated `Scale`.
    ///
    /// # Errors
    /// See [`Error`].
    pub async fn read_as<T: DeserializeOwned + Send + 'static>(self) -> Result<T, Error> {
        let decode = |body: &[u8]| {
            not_failed(body)?;
            serde_json::from_slice::<T>(body).map(Decoded::from)
        };
        let decoder = Decoder::new(std::any::type_name::<T>(), decode);
        self.call.send(decoder).await.map(Response::into_inner)
    }

    fn body<B: Serialize + ?Sized>(mut self, media_type: &'static str, body: &B) -> Self {
        self.call = self.call.value(media_type, body);
        self
    }
}
