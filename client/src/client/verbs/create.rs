//! Creating an object.

use crate::Resource;
use crate::client::call::builder;
use crate::client::params::{loss_setter, pretty_setter, write_setters};
use crate::client::wire::Wire;

builder! {
    /// Creates an object, made by [`Api::create`](crate::client::Api::create).
    CreateRequest<K: Resource> { wire: Wire<K> } => K, |this| this.call.send(this.wire.object()).await
}

pretty_setter!(CreateRequest);
write_setters!(CreateRequest);
loss_setter!(CreateRequest);
