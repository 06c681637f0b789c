//! Patching an object or its status with arbitrary JSON.

use super::ApplyRequest;
use super::call::{APPLY, Call, JSON_PATCH, MERGE_PATCH, STRATEGIC_MERGE_PATCH, builder};
use crate::Resource;
use crate::negotiate::codec::{Codec, Codecs};
use crate::request::query::{pretty_setter, write_setters};
use serde::Serialize;
use std::fmt;

/// The object to patch. The methods choose the patch type.
///
/// ```no_run
/// # async fn example(client: k8s_flowcontrol::Client) -> Result<(), k8s_flowcontrol::Error> {
/// use serde_json::json;
///
/// let schemas = client.flow_schemas();
/// schemas.patch("mine").merge(&json!({"spec": {"matchingPrecedence": 900}})).await?;
/// schemas.patch("mine").json(&json!([{"op": "remove", "path": "/spec/rules/0"}])).await?;
/// # Ok(())
/// # }
/// ```
#[must_use = "a patch needs a body: json, merge, strategic or apply"]
pub struct PatchTarget<K: Resource> {
    pub(crate) call: Call,
    pub(crate) codecs: Codecs<K>,
}

impl<K: Resource> PatchTarget<K> {
    /// Sends a JSON patch (RFC 6902): an array of `add`, `remove`, `replace`, `move`, `copy` and `test` operations, at most
    /// 10,000.
    pub fn json<T: Serialize + ?Sized>(self, operations: &T) -> PatchRequest<K> {
        self.with(JSON_PATCH, operations)
    }

    /// Sends a merge patch (RFC 7386): fields are merged, `null` removes a field, lists are replaced.
    pub fn merge<T: Serialize + ?Sized>(self, patch: &T) -> PatchRequest<K> {
        self.with(MERGE_PATCH, patch)
    }

    /// Sends a strategic merge patch: like a merge patch, but lists with a merge key in the API's documents are merged by
    /// it.
    pub fn strategic<T: Serialize + ?Sized>(self, patch: &T) -> PatchRequest<K> {
        self.with(STRATEGIC_MERGE_PATCH, patch)
    }

    /// Applies a part of an object by server-side apply. `part` contains `apiVersion` and `kind`.
    ///
    /// [`Api::apply`](crate::Api::apply) takes a typed object.
    pub fn apply<T: Serialize + ?Sized>(self, part: &T) -> ApplyRequest<K> {
        ApplyRequest {
            call: self.call.value(APPLY, part),
            codecs: self.codecs,
        }
    }

    fn with<T: Serialize + ?Sized>(self, content_type: &'static str, body: &T) -> PatchRequest<K> {
        PatchRequest {
            call: self.call.value(content_type, body),
            codecs: self.codecs,
        }
    }
}

impl<K: Resource> fmt::Debug for PatchTarget<K> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("PatchTarget")
            .field(&self.call.request)
            .finish()
    }
}

builder! {
    /// A JSON, merge or strategic merge patch, made by [`PatchTarget`].
    PatchRequest<K: Resource> { codecs: Codecs<K> } => K, |this| this.call.send_in(&this.codecs, Codec::object).await
}

pretty_setter!(PatchRequest);
write_setters!(PatchRequest);
