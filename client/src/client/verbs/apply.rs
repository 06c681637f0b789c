//! Server-side apply of an object or its status.

use crate::Resource;
use crate::client::call::builder;
use crate::client::error::Error;
use crate::client::params::{loss_setter, pretty_setter, setters, write_setters};
use crate::client::wire::Wire;

builder! {
    /// Server-side apply, made by [`Api::apply`](crate::client::Api::apply),
    /// [`Api::apply_status`](crate::client::Api::apply_status) and
    /// [`PatchTarget::apply`](crate::client::PatchTarget::apply).
    ///
    /// The answer tells by its code whether the object was created
    /// ([`Response::was_created`](crate::client::Response::was_created)). Fields that another manager holds with
    /// another value are a conflict ([`Error::is_conflict`]) unless [`force`](Self::force) takes them.
    ApplyRequest<K: Resource> { wire: Wire<K> } => K, |this| {
        let call = this.call.try_change(|request| match request.get("fieldManager") {
            None | Some("") => Err(Error::argument(
                "apply needs a field manager, which then owns the applied fields; call field_manager",
            )),
            Some(_) => Ok(()),
        });
        call.send(this.wire.object()).await
    }
}

pretty_setter!(ApplyRequest);
write_setters!(ApplyRequest);
loss_setter!(ApplyRequest);

setters!(ApplyRequest {
    /// Takes fields that other managers hold, instead of a conflict.
    force() => "force" = "true";
});
