//! Patching an object or its status with JSON of the caller's own making.

use super::ApplyRequest;
use crate::Resource;
use crate::client::call::{APPLY, Call, builder};
use crate::client::params::{pretty_setter, write_setters};
use crate::client::wire::Wire;
use serde::Serialize;
use std::fmt;

/// The object to patch: choose what kind of patch it is.
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
    pub(crate) wire: Wire<K>,
}

impl<K: Resource> PatchTarget<K> {
    /// A JSON Patch (RFC 6902): `operations` is an array of `add`, `remove`, `replace`, `move`, `copy` and `test`.
    ///
    /// At most 10,000 operations.
    pub fn json<T: Serialize + ?Sized>(self, operations: &T) -> PatchRequest<K> {
        self.with("application/json-patch+json", operations)
    }

    /// A JSON Merge Patch (RFC 7386): members are merged, `null` removes one, lists are replaced.
    pub fn merge<T: Serialize + ?Sized>(self, patch: &T) -> PatchRequest<K> {
        self.with("application/merge-patch+json", patch)
    }

    /// A strategic merge patch: as a merge patch, but lists that the documents mark are merged by their keys.
    pub fn strategic<T: Serialize + ?Sized>(self, patch: &T) -> PatchRequest<K> {
        self.with("application/strategic-merge-patch+json", patch)
    }

    /// Server-side apply of a part of an object, with `apiVersion` and `kind`; see
    /// [`Api::apply`](crate::client::Api::apply) for whole ones.
    pub fn apply<T: Serialize + ?Sized>(self, part: &T) -> ApplyRequest<K> {
        ApplyRequest {
            call: self.call.value(APPLY, part),
            wire: self.wire,
        }
    }

    fn with<T: Serialize + ?Sized>(self, content_type: &'static str, body: &T) -> PatchRequest<K> {
        PatchRequest {
            call: self.call.value(content_type, body),
            wire: self.wire,
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
    PatchRequest<K: Resource> { wire: Wire<K> } => K, |this| this.call.send(this.wire.object()).await
}

pretty_setter!(PatchRequest);
write_setters!(PatchRequest);
