//! Creating an object.

use crate::Resource;
use crate::client::call::builder;
use crate::client::params::{loss_setter, pretty_setter, write_setters};
use crate::client::wire::{Wire, Wires};

builder! {
    /// Creates an object, made by [`Api::create`](crate::client::Api::create).
    CreateRequest<K: Resource> { wires: Wires<K> } => K, |this| this.call.send_in(&this.wires, Wire::object).await
}

pretty_setter!(CreateRequest);
write_setters!(CreateRequest);
loss_setter!(CreateRequest);
