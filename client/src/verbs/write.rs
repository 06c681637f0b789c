//! Creating, replacing and applying an object or its status.

use super::call::builder;
use crate::Resource;
use crate::error::Error;
use crate::negotiate::codec::{Codec, Codecs};
use crate::request::query::{loss_setter, pretty_setter, setters, write_setters};

builder! {
    /// Replaces an object or its status, made by [`Api::replace`](crate::Api::replace) and
    /// [`Api::replace_status`](crate::Api::replace_status).
    ReplaceRequest<K: Resource> { codecs: Codecs<K> } => K, |this| this.call.send_in(&this.codecs, Codec::object).await
}

pretty_setter!(ReplaceRequest);
write_setters!(ReplaceRequest);
loss_setter!(ReplaceRequest);

builder! {
    /// Creates an object, made by [`Api::create`](crate::Api::create).
    CreateRequest<K: Resource> { codecs: Codecs<K> } => K, |this| this.call.send_in(&this.codecs, Codec::object).await
}

pretty_setter!(CreateRequest);
write_setters!(CreateRequest);
loss_setter!(CreateRequest);

builder! {
    /// Server-side apply, made by [`Api::apply`](crate::Api::apply),
    /// [`Api::apply_status`](crate::Api::apply_status) and
    /// [`PatchTarget::apply`](super::PatchTarget::apply).
    ///
    /// [`Response::was_created`](crate::client::Response::was_created) reports whether the object was created. A field that
    /// another manager owns with another value is a conflict ([`Error::is_conflict`]), unless [`force`](Self::force) is
    /// set.
    ApplyRequest<K: Resource> { codecs: Codecs<K> } => K, |this| {
        let call = this.call.try_change(|request| match request.get("fieldManager") {
            None | Some("") => Err(Error::argument(
                "apply needs a field manager, which then owns the applied fields; call field_manager",
            )),
            Some(_) => Ok(()),
        });
        call.send_in(&this.codecs, Codec::object).await
    }
}

pretty_setter!(ApplyRequest);
write_setters!(ApplyRequest);
loss_setter!(ApplyRequest);

setters!(ApplyRequest {
    /// Resolves conflicts by taking the ownership of the fields.
    force() => "force" = "true";
});
