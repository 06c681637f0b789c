//! Replacing an object or its status.

use super::call::builder;
use crate::Resource;
use crate::negotiate::codec::{Codec, Codecs};
use crate::request::query::{loss_setter, pretty_setter, write_setters};

builder! {
    /// Replaces an object or its status, made by [`Api::replace`](crate::Api::replace) and
    /// [`Api::replace_status`](crate::Api::replace_status).
    ReplaceRequest<K: Resource> { wires: Codecs<K> } => K, |this| this.call.send_in(&this.wires, Codec::object).await
}

pretty_setter!(ReplaceRequest);
write_setters!(ReplaceRequest);
loss_setter!(ReplaceRequest);
