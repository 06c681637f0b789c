//! Replacing an object or its status.

use crate::Resource;
use crate::client::call::builder;
use crate::client::params::{loss_setter, pretty_setter, write_setters};
use crate::client::wire::{Wire, Wires};

builder! {
    /// Replaces an object or its status, made by [`Api::replace`](crate::client::Api::replace) and
    /// [`Api::replace_status`](crate::client::Api::replace_status).
    ReplaceRequest<K: Resource> { wires: Wires<K> } => K, |this| this.call.send_in(&this.wires, Wire::object).await
}

pretty_setter!(ReplaceRequest);
write_setters!(ReplaceRequest);
loss_setter!(ReplaceRequest);
