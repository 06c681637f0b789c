//! Server-side apply of an object or its status.

use crate::client::call::builder;
use crate::client::error::Error;
use crate::client::params::{loss_setter, setters, write_setters};

builder! {
    /// Server-side apply, made by [`Api::apply`](crate::client::Api::apply),
    /// [`Api::apply_status`](crate::client::Api::apply_status) and
    /// [`PatchTarget::apply`](crate::client::PatchTarget::apply).
    ///
    /// The answer tells by its code whether the object was created
    /// ([`Response::was_created`](crate::client::Response::was_created)). Fields that another manager holds with
    /// another value are a conflict ([`Error::is_conflict`]) unless [`force`](Self::force) takes them.
    ApplyRequest => K, |call| {
        let mut call = call;
        if call.request.as_ref().is_ok_and(|request| request.get("fieldManager").unwrap_or_default().is_empty()) {
            call.refuse(Error::argument("apply books fields to a manager and none was named; call field_manager"));
        }
        call.send_for_object().await
    }
}

write_setters!(ApplyRequest);
loss_setter!(ApplyRequest);

setters!(ApplyRequest {
    /// Takes fields that other managers hold, instead of a conflict.
    force() => "force" = "true";
});
